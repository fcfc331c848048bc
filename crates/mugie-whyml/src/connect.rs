//! How tagged values and the values of a type are connected.
//!
//! The sort of tagged values stands for all types together, so it has a copy of each type: `inject` goes
//! into it, `project` back, and a polymorphic function maps copies to copies. With this, a proof about a
//! tagged value can go by cases of its type, as it can in Boogie.

use crate::declare::Declarations;
use crate::logic::{inject, map_symbol};
use crate::names;
use crate::print::Page;
use crate::refusal::Result;
use crate::types::{Ty, at_tags};
use crate::world::{Need, World};

/// An instance of something polymorphic. Each of its tags has a name.
struct Instance {
    name: String,
    /// The types that make the difference; for a map, the map's type first.
    args: Vec<Ty>,
    params: Vec<Ty>,
    result: Ty,
}

impl World<'_, '_> {
    /// Declares an injection and its inverse.
    pub(crate) fn declare_injection(&mut self, from: &Ty, to: &Ty, all: &mut Declarations) {
        let (from_sort, to_sort) = (self.sort(from), self.sort(to));
        let name = inject(from, to);
        let project = names::instance("project", &[from.clone(), to.clone()]);
        all.functions.line(&format!("function {name} {from_sort} : {to_sort}"));
        all.functions.line(&format!("function {project} {to_sort} : {from_sort}"));
        let mut number = 0;
        let from = from.with_tags(&mut || {
            number += 1;
            format!("s{}", number - 1)
        });
        let mut binders: String = from.tags().iter().map(|tag| format!("{tag}: ty, ")).collect();
        let premise = self.fits("x", &from).map_or_else(String::new, |fits| format!("{fits} -> "));
        let fits = names::of_type("fits_", to);
        self.need(Need::Fits(to.clone()));
        let mut tags = String::new();
        let mut at = Vec::new();
        at_tags(to, &from, &mut at);
        for ty in at {
            tags.push(' ');
            tags.push_str(&self.tag(ty));
        }
        let facts = &mut all.facts;
        facts.line(&format!(
            "axiom {name}_fits: forall {binders}x: {from_sort} [{name} x{}]. {premise}{fits} ({name} x){tags}",
            if premise.is_empty() { String::new() } else { format!(", {}", premise.trim_end_matches(" -> ")) }
        ));
        facts.line(&format!(
            "axiom {name}_back: forall x: {from_sort} [{name} x]. {project} ({name} x) = x"
        ));
        binders.push_str(&format!("y: {to_sort}"));
        facts.line(&format!(
            "axiom {name}_onto: forall {binders} [{fits} y{tags}]. {fits} y{tags} -> {name} ({project} y) = y"
        ));
    }

    /// The tag of a type.
    fn tag(&mut self, ty: &Ty) -> String {
        if let Ty::Tagged(tag) = ty {
            return tag.to_string();
        }
        let shape = ty.shape();
        let mut text = names::of_type("tag_", &shape);
        self.need(Need::Tag(shape));
        let tags = ty.tags();
        if tags.is_empty() {
            return text;
        }
        for tag in tags {
            text.push(' ');
            text.push_str(&tag);
        }
        format!("({text})")
    }

    /// States that different types have different tags, and that a value fits one tag only.
    pub(crate) fn distinct_tags(&mut self, needs: &[Need], facts: &mut Page) {
        let tags = needs.iter().filter_map(|need| match need {
            Need::Tag(ty) if ty.tags().is_empty() => Some(names::of_type("tag_", ty)),
            _ => None,
        });
        let tags: Vec<String> = tags.collect();
        if tags.len() > 1 {
            facts.line("function uid_ty ty : int");
            for (number, tag) in tags.iter().enumerate() {
                facts.line(&format!("axiom uid_{tag}: uid_ty {tag} = {number}"));
            }
        }
        for need in needs {
            let Need::Fits(ty) = need else { continue };
            let (fits, sort) = (names::of_type("fits_", ty), self.sort(ty));
            let count = ty.tags().len();
            let binders: String = (0..count).map(|number| format!("t{number}: ty, ")).collect();
            let args: String = (0..count).map(|number| format!(" t{number}")).collect();
            let equal: Vec<String> = (0..count)
                .map(|number| {
                    let function = names::of_type(&format!("tag{number}_of_"), ty);
                    facts.line(&format!("function {function} {sort} : ty"));
                    format!("{function} x = t{number}")
                })
                .collect();
            facts.line(&format!(
                "axiom {fits}_only: forall {binders}x: {sort} [{fits} x{args}]. {fits} x{args} -> {}",
                equal.join(" /\\ ")
            ));
        }
    }

    /// Connects an instance at tagged values with the other instances of the same symbol.
    pub(crate) fn connect(
        &mut self,
        general: &Need,
        needs: &[Need],
        facts: &mut Page,
    ) -> Result<()> {
        let Some(whole) = self.instance_of(general)? else { return Ok(()) };
        if whole.args.iter().all(|ty| ty.tags().is_empty()) {
            return Ok(());
        }
        for special in needs {
            if special == general || !same_symbol(special, general) {
                continue;
            }
            let Some(part) = self.instance_of(special)? else { continue };
            let shapes = |args: &[Ty]| args.iter().map(Ty::shape).collect::<Vec<_>>();
            let (large, small) = (shapes(&whole.args), shapes(&part.args));
            if large.len() != small.len()
                || !small.iter().zip(&large).all(|(a, b)| a.is_instance_of(b))
            {
                continue;
            }
            self.connect_one(&whole, &part, facts);
        }
        Ok(())
    }

    fn connect_one(&mut self, whole: &Instance, part: &Instance, facts: &mut Page) {
        let mut general = vec![whole.name.clone()];
        for (large, small) in whole.args.iter().zip(&part.args) {
            let mut at = Vec::new();
            at_tags(large, small, &mut at);
            general.extend(at.into_iter().map(|ty| self.tag(ty)));
        }
        let mut special = vec![part.name.clone()];
        let mut binders = Vec::new();
        for tag in part.args.iter().flat_map(Ty::tags) {
            special.push(tag.to_string());
            binders.push(format!("{tag}: ty"));
        }
        let mut premises = String::new();
        for (number, (large, small)) in whole.params.iter().zip(&part.params).enumerate() {
            let name = format!("x{number}");
            binders.push(format!("{name}: {}", self.sort(small)));
            special.push(name.clone());
            if let Some(fits) = self.fits(&name, small) {
                premises.push_str(&format!("{fits} -> "));
            }
            let (large, small) = (large.shape(), small.shape());
            if large == small {
                general.push(name);
            } else {
                general.push(format!("({} {name})", inject(&small, &large)));
                self.need(Need::Inject(small, large));
            }
        }
        let term = |parts: &[String]| match parts {
            [only] => only.clone(),
            _ => format!("({})", parts.join(" ")),
        };
        let (general, special) = (term(&general), term(&special));
        let (large, small) = (whole.result.shape(), part.result.shape());
        let equal = self.same(&small, &special, &large, &general);
        let name = format!("{}_is_{}", part.name, whole.name);
        if binders.is_empty() {
            facts.line(&format!("axiom {name}: {equal}"));
        } else {
            facts.line(&format!(
                "axiom {name}: forall {} [{general}]. {premises}{equal}",
                binders.join(", ")
            ));
        }
    }

    /// The signature of an instance, if the need is for one.
    fn instance_of(&mut self, need: &Need) -> Result<Option<Instance>> {
        let mut number = 0;
        let mut named = |ty: &Ty| {
            ty.with_tags(&mut || {
                number += 1;
                format!("t{}", number - 1)
            })
        };
        Ok(match need {
            Need::Function(own, args) if !args.is_empty() => {
                let source = self.source;
                let Some(signature) = source.checked.env().function(own) else { return Ok(None) };
                let args: Vec<Ty> = args.iter().map(named).collect();
                let mut params = Vec::new();
                for &param in signature.params.iter() {
                    params.push(self.read_id(param, &[])?.instantiate(&args));
                }
                let result = self.read_id(signature.result, &[])?.instantiate(&args);
                let shapes: Vec<Ty> = args.iter().map(Ty::shape).collect();
                let name = names::instance(&names::name("f_", own), &shapes);
                Some(Instance { name, args, params, result })
            }
            Need::Select(map, args) | Need::Store(map, args) => {
                let is_select = matches!(need, Need::Select(..));
                let name = map_symbol(if is_select { "select" } else { "store" }, map, args);
                let map = named(map);
                let args: Vec<Ty> = args.iter().map(named).collect();
                let Ty::Map(shape) = &map else { return Ok(None) };
                let at = |ty: &Ty| {
                    if shape.params > 0 { ty.instantiate(&args) } else { ty.clone() }
                };
                let mut params = vec![map.clone()];
                params.extend(shape.domain.iter().map(at));
                let element = at(&shape.range);
                let result = if is_select {
                    element
                } else {
                    params.push(element);
                    map.clone()
                };
                let all = std::iter::once(map.clone()).chain(args).collect();
                Some(Instance { name, args: all, params, result })
            }
            _ => None,
        })
    }
}

fn same_symbol(a: &Need, b: &Need) -> bool {
    match (a, b) {
        (Need::Function(a, _), Need::Function(b, _)) => a == b,
        (Need::Select(..), Need::Select(..)) | (Need::Store(..), Need::Store(..)) => true,
        _ => false,
    }
}
