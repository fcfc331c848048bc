//! The view of a Boogie program that the rest of mugie has.

use std::any::Any;
use std::sync::Arc;

use bpl_syntax::ast::{AttrParam, Decl, Name};
use bpl_syntax::visit::{Namespace, Occurrence, Visit};
use mugie_core::{
    About, Applied, ApplyError, EditTrace, FileText, GoalNames, Hash, Instances, OwnUnits, Place,
    Program, Sharing, Strength, UnitId, UnitSet,
};
use rustc_hash::FxHashSet;

use crate::edit;
use crate::operators;
use crate::sharing::sharing;
use crate::subject::Subject;

/// The largest number of names in the description of an axiom.
const MAX_NAMES: usize = 3;

/// The effect of an edit.
#[derive(Debug)]
pub(crate) struct Changed {
    /// The new declarations with their indices.
    pub(crate) decls: Vec<(usize, Decl)>,
    /// The former indices of the declarations that they replaced, if these are known.
    replaced: Option<Vec<usize>>,
}

impl Subject {
    /// Downcasts a program to Boogie, if it is a Boogie program.
    pub fn of(program: &dyn Program) -> Option<&Subject> {
        program.as_any().downcast_ref()
    }
}

impl Program for Subject {
    fn texts(&self) -> Vec<FileText> {
        self.files()
    }

    fn file_count(&self) -> usize {
        if self.split().is_some() { 2 } else { 1 }
    }

    fn hash(&self) -> Hash {
        Subject::hash(self)
    }

    fn fingerprint(&self) -> u128 {
        Subject::fingerprint(self)
    }

    fn unit_count(&self) -> usize {
        self.len()
    }

    fn unit_order(&self) -> Vec<usize> {
        self.seed_order()
    }

    fn unit(&self, id: &UnitId) -> Option<usize> {
        self.position(id)
    }

    fn describe(&self, unit: usize) -> String {
        Subject::describe(self, unit)
    }

    /// An axiom has no name, so it is described by the names in it: ``axiom #1 about `above` ``.
    fn describe_fully(&self, unit: usize) -> String {
        let words = Subject::describe(self, unit);
        let decl = self.decl(unit);
        if !matches!(*decl, Decl::Axiom(_)) {
            return words;
        }
        let mut globals = Globals::default();
        globals.visit_decl(&decl);
        let names = globals.names();
        if names.is_empty() {
            return words;
        }
        let first: Vec<_> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
        let more = if names.len() > MAX_NAMES { ", …" } else { "" };
        format!("{words} about {}{more}", first.join(", "))
    }

    fn unit_names(&self, unit: usize) -> Vec<String> {
        self.names_of(unit)
    }

    fn own_units(&self) -> Option<OwnUnits> {
        Subject::own_units(self)
    }

    fn goal_names(&self, seed: &dyn Program) -> GoalNames {
        Subject::of(seed).map(|seed| self.procedure_names(seed)).unwrap_or_default()
    }

    /// Boogie 3 verifies an instance of a polymorphic procedure, whose types have numbers.
    fn instances(&self) -> Instances {
        let procedures = self.nodes.iter();
        Instances::new(procedures.filter_map(|node| Some((node.procedure()?, node.type_params))))
    }

    /// Boogie 3 reports a procedure by its `{:verboseName}`.
    fn other_goal_names(&self) -> Vec<(String, String)> {
        let nodes = self.nodes.iter().enumerate();
        let procedures = nodes.filter_map(|(index, node)| Some((index, node.procedure()?)));
        let named = procedures.filter(|(index, _)| self.text(*index).contains("verboseName"));
        named
            .filter_map(|(index, name)| Some((name.to_owned(), verbose_name(&self.decl(index))?)))
            .collect()
    }

    fn sorted_by_chance(&self) -> Vec<String> {
        self.by_chance().into_iter().map(|index| self.describe_fully(index)).collect()
    }

    fn operators(&self) -> &'static [&'static About] {
        operators::abouts()
    }

    fn places(&self, operator: usize) -> u64 {
        self.count(operator)
    }

    fn places_inside(&self, operator: usize, unit: usize) -> u64 {
        self.count_in(operator, unit)
    }

    fn takes_many(&self, operator: usize) -> bool {
        operators::ALL[operator].at_many().is_some()
    }

    fn spelled_out(&self, operator: usize, place: &Place) -> Option<Place> {
        let Place::Many { many, random } = place else { return None };
        self.drawn(operator, *many, *random, None).map(|(place, _)| place)
    }

    fn many_within(
        &self,
        operator: usize,
        strength: Strength,
        random: u64,
        units: &UnitSet,
    ) -> Option<Place> {
        self.drawn(operator, strength, random, Some(units)).map(|(place, _)| place)
    }

    fn place(&self, operator: usize, number: u64) -> Option<Place> {
        Subject::place(self, operator, number)
    }

    fn is_within(&self, operator: usize, place: &Place, units: &UnitSet) -> bool {
        self.is_change_within(operator, place, units)
    }

    fn place_within(
        &self,
        operator: usize,
        units: &UnitSet,
        below: &mut dyn FnMut(u64) -> u64,
    ) -> Option<Place> {
        self.place_in(operator, units, below)
    }

    fn apply_at(&self, operator: usize, place: Place) -> Result<Applied, ApplyError> {
        let edit::Applied { subject, edit, changed, replaced } =
            Subject::apply_at(self, operator, place)?;
        let change = EditTrace::new(Changed { decls: changed, replaced });
        Ok(Applied { program: Arc::new(subject), edit, change })
    }

    fn learn_from(&self, parent: &dyn Program, change: &EditTrace, operators: &[usize]) {
        if let Some(Changed { decls, replaced: Some(replaced) }) = change.get()
            && let Some(parent) = Subject::of(parent)
        {
            self.count_from(parent, replaced, decls, operators);
        }
    }

    fn sharing(&self) -> Sharing {
        sharing(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The functions and constants in an axiom, in source order.
#[derive(Default)]
struct Globals<'d> {
    functions: Vec<&'d Name>,
    variables: Vec<&'d Name>,
    bound: FxHashSet<&'d Name>,
}

impl<'d> Globals<'d> {
    /// The distinct names, functions first.
    fn names(self) -> Vec<&'d Name> {
        let Globals { functions, variables, bound } = self;
        let mut seen = FxHashSet::default();
        let constants = variables.into_iter().filter(|name| !bound.contains(name));
        functions.into_iter().chain(constants).filter(|name| seen.insert(*name)).collect()
    }
}

impl<'d> Visit<'d> for Globals<'d> {
    fn visit_name(&mut self, name: &'d Name, namespace: Namespace, occurrence: Occurrence) {
        match (namespace, occurrence) {
            (Namespace::Function, Occurrence::Use) => self.functions.push(name),
            (Namespace::Variable, Occurrence::Use) => self.variables.push(name),
            (Namespace::Variable, Occurrence::Binding) => {
                self.bound.insert(name);
            }
            _ => {}
        }
    }
}

/// The value of the attribute `{:verboseName}`. Of several, the first counts.
pub(crate) fn verbose_name(decl: &Decl) -> Option<String> {
    let attrs = match decl {
        Decl::Procedure(procedure) => &procedure.attrs,
        Decl::Implementation(implementation) => &implementation.attrs,
        _ => return None,
    };
    let attr = attrs.iter().find(|attr| attr.name.as_str() == "verboseName")?;
    match attr.params.as_slice() {
        [AttrParam::Str(name)] => Some(name.as_str().to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::testing::subject;

    #[test]
    fn instances_are_those_of_polymorphic_procedures() {
        let source = "procedure id<T>(x: T); implementation id<U>(x: U) { }
                      procedure id_58(x: int) { } procedure two<A, B>(a: A, b: B) { }
                      function id_3<T>(x: T): int;";
        let instances = subject(source).instances();
        for (reported, goal) in
            [("id_57", "id"), ("id_58", "id_58"), ("two_3_5", "two"), ("id_3_5", "id_3_5")]
        {
            assert_eq!(instances.goal(reported), goal);
        }
    }

    #[test]
    fn verbose_names_are_other_names() {
        let source = "procedure {:verboseName \"M.P (x)\"} p(); implementation p() { }
                      implementation {:other} {:verboseName \"M.Q\"} q() { } procedure q();
                      procedure {:verboseName 3} r() { }";
        let pair = |name: &str, other: &str| (name.to_owned(), other.to_owned());
        let names = subject(source).other_goal_names();
        assert_eq!(names, [pair("p", "M.P (x)"), pair("q", "M.Q")]);
    }

    #[test]
    fn axioms_are_told_by_what_they_are_about() {
        let about = |axiom: &str| subject(axiom).describe_fully(0);
        assert_eq!(about("axiom c > 0;"), "axiom #1 about `c`");
        assert_eq!(about("axiom (forall x: int :: c > x + f(x));"), "axiom #1 about `f`, `c`");
        assert_eq!(about("axiom f(g(h(i(1)))) && c;"), "axiom #1 about `f`, `g`, `h`, …");
        assert_eq!(about("axiom true;"), "axiom #1");
        assert_eq!(about("function f(): int;"), "function `f`");
    }
}
