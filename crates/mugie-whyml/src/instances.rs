//! The types at which polymorphic things are written: monomorphisation with tagged values.
//!
//! WhyML cannot quantify over types inside a formula. So `(forall<a> x: C a :: e)` becomes several
//! formulas: some for types that matter in the program, and one for a type that only a tag tells,
//! `forall a: ty, x: t_C_0dyn_1. fits x a -> e`. The latter says exactly what the quantifier says: the
//! sort `t_C_0dyn_1` stands for the values of `C a` for all types `a` together, and `fits` tells which
//! of them belong to which `a`. The others say nothing more, but they are about the sorts that the rest
//! of the program uses, which the solver needs to make use of the quantifier.
//!
//! Hence the rule, in which *used* and *proved* are roles of formulas ([`Role`]):
//!
//! - what is proved for all types is written for a tagged type only, and so is a type of which it is
//!   only known that it exists;
//! - what is used for all types, or proved for one, is written for the types that match: fewer of them
//!   weaken what is known, and never prove too much;
//! - what is both is written for both.
//!
//! Why this is sound: take a model of the Boogie program. Let the sort of tagged values be the disjoint
//! union of all types, `ty` the set of types, and `f` at a tagged type the function that looks up the
//! type and applies `f` there. In this model, every formula above has the truth value of the formula that
//! it translates, apart from those that were weakened in what is used. So if Why3 proves the
//! translation for all models, the original holds in this one. No role depends on which types there are,
//! how often a type variable occurs, or under which quantifiers.
//!
//! Which types match is decided by triggers: a quantifier is of use for the instances of the symbols in
//! its triggers that the text has. Finding them is repeated until nothing new turns up, within the bounds
//! below.

use std::collections::BTreeSet;

use bpl_syntax::ast::{Binder, Name, Quantifier};

use crate::logic::Role;
use crate::names;
use crate::quantifiers::positive_triggers;
use crate::refusal::Result;
use crate::types::Ty;
use crate::world::{Need, Scope, World};

/// The largest number of choices of types for one quantifier. Raising it makes large programs larger and
/// lets more of them be verified.
const MAX_CHOICES: usize = 60;

/// The largest number of partial matches that are kept.
const MAX_PARTIAL: usize = 4_000;

/// A choice of types for the type variables of a quantifier.
pub(crate) type Choice = Vec<(Name, Ty)>;

impl<'a> World<'_, 'a> {
    /// The choices of types at which a quantifier is written.
    pub(crate) fn choices(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
        role: Role,
    ) -> Result<Vec<Choice>> {
        let params = &quantifier.type_params;
        if self.anchors.is_some() {
            // Only the symbols in it are of interest.
            let first = self.open;
            self.open += u32::try_from(params.len()).unwrap_or(u32::MAX);
            let vars = params.iter().zip(first..);
            return Ok(vec![vars.map(|(param, n)| (param.name.clone(), Ty::Var(n))).collect()]);
        }
        let forall = quantifier.binder == Binder::Forall;
        let tagged: Vec<Ty> = params.iter().map(|_| Ty::tagged("")).collect();
        let mut choices = BTreeSet::new();
        match (role, forall) {
            (Role::Proved, true) | (Role::Used, false) => {
                choices.insert((params.len(), tagged));
            }
            (Role::Used, true) | (Role::Proved, false) => {
                choices = self.matching(quantifier, scope)?;
            }
            (Role::Both, _) => {
                choices = self.matching(quantifier, scope)?;
                choices.insert((params.len(), tagged));
            }
        }
        Ok(choices
            .into_iter()
            .map(|(_, types)| {
                let names = params.iter().map(|param| param.name.clone());
                named(names.zip(types).collect(), scope)
            })
            .collect())
    }

    /// The choices of types for which the text has terms that match the quantifier, smallest first.
    fn matching(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
    ) -> Result<BTreeSet<(usize, Vec<Ty>)>> {
        let params = quantifier.type_params.len();
        let (types, bound, first, broken) =
            (scope.types.len(), scope.bound.len(), self.open, self.broken);
        for (param, number) in quantifier.type_params.iter().zip(first..) {
            scope.types.push((param.name.clone(), Ty::Var(number)));
            self.open += 1;
        }
        let found = self.anchors_of(quantifier, scope);
        scope.types.truncate(types);
        scope.bound.truncate(bound);
        self.open = first;
        self.broken = broken;
        let (triggers, body, sorts) = found?;

        let mut all = BTreeSet::new();
        for anchors in &triggers {
            self.join(anchors, first, params, &mut all);
        }
        if triggers.is_empty() || all.is_empty() && triggers.iter().all(Vec::is_empty) {
            let single: Vec<&Need> =
                body.iter().filter(|need| covers(need, first, params)).collect();
            for need in &single {
                self.join(std::slice::from_ref(*need), first, params, &mut all);
            }
            if single.is_empty() {
                self.join(&body, first, params, &mut all);
            }
            if body.is_empty() {
                self.join(&sorts, first, params, &mut all);
            }
        }
        let before = all.len();
        let max_height = self.max_height;
        all.retain(|(_, types)| types.iter().all(|ty| ty.height() <= max_height));
        while all.len() > MAX_CHOICES {
            all.pop_last();
        }
        if all.len() < before {
            self.note("an assumption about all types was kept for some of the types only");
        }
        Ok(all)
    }

    /// The instances in each trigger, in the body, and the sorts of the bound variables.
    #[expect(clippy::type_complexity, reason = "three lists")]
    fn anchors_of(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
    ) -> Result<(Vec<Vec<Need>>, Vec<Need>, Vec<Need>)> {
        let variables = self.bound_variables(quantifier, scope)?;
        let sorts = variables.iter().map(|(_, variable)| Need::Sort(variable.ty.shape()));
        let sorts: Vec<Need> = sorts.filter(is_open).collect();
        scope.bound.extend(variables);
        let mut triggers = Vec::new();
        for trigger in positive_triggers(quantifier) {
            self.anchors = Some(Vec::new());
            let mut done = Ok(());
            for term in &trigger.terms {
                done = done.and(self.text(term, scope, Role::Both).map(drop));
            }
            let anchors = self.anchors.take().unwrap_or_default();
            done?;
            triggers.push(symbols(anchors));
        }
        self.anchors = Some(Vec::new());
        let done = self.text(&quantifier.body, scope, Role::Both);
        let body = self.anchors.take().unwrap_or_default();
        done?;
        Ok((triggers, symbols(body), sorts))
    }

    /// Adds the choices of types with which all of the patterns match something that is known.
    fn join(
        &self,
        patterns: &[Need],
        first: u32,
        params: usize,
        into: &mut BTreeSet<(usize, Vec<Ty>)>,
    ) {
        let all = self.matched.as_ref().unwrap_or(&self.known);
        let mut partial: BTreeSet<Vec<(u32, Ty)>> = BTreeSet::from([Vec::new()]);
        for pattern in patterns {
            let mut next = BTreeSet::new();
            for known in all.range(similar(pattern)..) {
                if !same_symbol(pattern, known) {
                    break;
                }
                for found in &partial {
                    let mut found = found.clone();
                    let pairs = types_of(pattern).into_iter().zip(types_of(known));
                    if pairs.into_iter().all(|(pattern, ty)| pattern.match_shape(ty, &mut found)) {
                        found.sort();
                        next.insert(found);
                    }
                }
                if next.len() > MAX_PARTIAL {
                    break;
                }
            }
            partial = next;
        }
        for found in partial {
            let types: Option<Vec<Ty>> = (first..)
                .take(params)
                .map(|number| {
                    let found = found.iter().find(|(other, _)| *other == number);
                    found.map(|(_, ty)| ty.clone())
                })
                .collect();
            if let Some(types) = types {
                into.insert((types.iter().map(Ty::size).sum(), types));
            }
        }
    }
}

/// Gives the tags of chosen types their names.
pub(crate) fn named(choice: Choice, scope: &Scope) -> Choice {
    let named = choice.into_iter().map(|(param, ty)| {
        let prefix = names::name(&scope.prefix('g'), &param);
        let mut number = 0;
        let ty = ty.with_tags(&mut || {
            number += 1;
            format!("{prefix}_{}", number - 1)
        });
        (param, ty)
    });
    named.collect()
}

/// The needs for symbols of which an instance has to be found.
fn symbols(needs: Vec<Need>) -> Vec<Need> {
    let wanted = |need: &Need| {
        matches!(need, Need::Function(..) | Need::Select(..) | Need::Store(..)) && is_open(need)
    };
    let mut needs: Vec<Need> = needs.into_iter().filter(wanted).collect();
    needs.sort();
    needs.dedup();
    needs
}

fn is_open(need: &Need) -> bool {
    types_of(need).into_iter().any(Ty::is_open)
}

/// Whether all of the variables from `first` on occur.
fn covers(need: &Need, first: u32, params: usize) -> bool {
    let mut seen = BTreeSet::new();
    for ty in types_of(need) {
        ty.each_var(&mut |number| {
            seen.insert(number);
        });
    }
    (first..).take(params).all(|number| seen.contains(&number))
}

/// The types of a need.
pub(crate) fn types_of(need: &Need) -> Vec<&Ty> {
    match need {
        Need::Sort(ty) | Need::Variable(ty) | Need::Fits(ty) | Need::Order(ty) | Need::Tag(ty) => {
            vec![ty]
        }
        Need::Function(_, types) | Need::Procedure(_, types) => types.iter().collect(),
        Need::Select(map, types) | Need::Store(map, types) => {
            std::iter::once(map).chain(types).collect()
        }
        Need::Inject(a, b) | Need::Same(a, b) => vec![a, b],
    }
}

fn same_symbol(pattern: &Need, need: &Need) -> bool {
    match (pattern, need) {
        (Need::Function(a, _), Need::Function(b, _)) => a == b,
        _ => std::mem::discriminant(pattern) == std::mem::discriminant(need),
    }
}

/// The smallest need for the same symbol, in the order of needs.
fn similar(pattern: &Need) -> Need {
    match pattern {
        Need::Function(name, _) => Need::Function(name.clone(), Vec::new()),
        Need::Select(..) => Need::Select(Ty::Int, Vec::new()),
        Need::Store(..) => Need::Store(Ty::Int, Vec::new()),
        _ => Need::Sort(Ty::Int),
    }
}
