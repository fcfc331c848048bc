//! How tagged values and the values of a type are connected.
//!
//! The sort of tagged values stands for all types together, so it has a copy of each type: `inject` goes
//! into it, `project` back, and a polymorphic function maps copies to copies. With this, a proof about a
//! tagged value can go by cases of its type, as it can in Boogie.

use crate::declare::{Access, Declarations, Tags};
use crate::formula::{Binders, apply, implied};
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
        let from = Tags::new("s").name(from);
        let fits = names::of_type("fits_", to);
        self.need(Need::Fits(to.clone()));
        let mut at = Vec::new();
        at_tags(to, &from, &mut at);
        let tags: Vec<String> = at.into_iter().map(|ty| self.tag(ty)).collect();
        let fits = |value: &str| {
            apply(&fits, std::iter::once(value).chain(tags.iter().map(String::as_str)))
        };
        let mut of_tags = Binders::default();
        of_tags.add_tags(from.tags());

        let copy = format!("({name} x)");
        let premises: Vec<String> = self.fits("x", &from).into_iter().collect();
        let trigger =
            premises.iter().fold(copy.clone(), |trigger, premise| format!("{trigger}, {premise}"));
        let mut binders = of_tags.clone();
        binders.add("x", &from_sort);
        let fact = binders.forall(&trigger, &implied(&premises, &fits(&copy)));
        all.facts.line(&format!("axiom {name}_fits: {fact}"));

        let mut binders = Binders::default();
        binders.add("x", &from_sort);
        let fact = binders.forall(&copy, &format!("({project} {copy}) = x"));
        all.facts.line(&format!("axiom {name}_back: {fact}"));

        let mut binders = of_tags;
        binders.add("y", &to_sort);
        let premise = fits("y");
        let fact = implied(std::slice::from_ref(&premise), &format!("({name} ({project} y)) = y"));
        all.facts.line(&format!("axiom {name}_onto: {}", binders.forall(&premise, &fact)));
    }

    /// The tag of a type.
    fn tag(&mut self, ty: &Ty) -> String {
        if let Ty::Tagged(tag) = ty {
            return tag.to_string();
        }
        let shape = ty.shape();
        let name = names::of_type("tag_", &shape);
        self.need(Need::Tag(shape));
        apply(&name, ty.tags().iter().map(|tag| &**tag))
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
            let mut tags = Tags::new("t");
            let _ = tags.name(ty);
            let mut equal = Vec::new();
            for (number, tag) in tags.named.iter().enumerate() {
                let function = names::of_type(&format!("tag{number}_of_"), ty);
                facts.line(&format!("function {function} {sort} : ty"));
                equal.push(format!("({function} x) = {tag}"));
            }
            let premise =
                apply(&fits, std::iter::once("x").chain(tags.named.iter().map(String::as_str)));
            let mut binders = Binders::default();
            binders.add_tags(&tags.named);
            binders.add("x", sort);
            let fact = binders
                .forall(&premise, &implied(std::slice::from_ref(&premise), &equal.join(" /\\ ")));
            facts.line(&format!("axiom {fits}_only: {fact}"));
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
            let pairs = part.args.iter().zip(&whole.args);
            if part.args.len() == whole.args.len()
                && pairs.into_iter().all(|(a, b)| a.is_instance_of(b))
            {
                self.connect_one(&whole, &part, facts);
            }
        }
        Ok(())
    }

    fn connect_one(&mut self, whole: &Instance, part: &Instance, facts: &mut Page) {
        let mut binders = Binders::default();
        binders.add_tags(part.args.iter().flat_map(Ty::tags));
        let mut special: Vec<String> = binders.names().map(str::to_owned).collect();
        let mut general = Vec::new();
        for (large, small) in whole.args.iter().zip(&part.args) {
            let mut at = Vec::new();
            at_tags(large, small, &mut at);
            general.extend(at.into_iter().map(|ty| self.tag(ty)));
        }
        let mut premises = Vec::new();
        for (number, (large, small)) in whole.params.iter().zip(&part.params).enumerate() {
            let name = format!("x{number}");
            binders.add(&name, self.sort(small));
            premises.extend(self.fits(&name, small));
            special.push(name.clone());
            let (large, small) = (large.shape(), small.shape());
            if large == small {
                general.push(name);
            } else {
                general.push(format!("({} {name})", inject(&small, &large)));
                self.need(Need::Inject(small, large));
            }
        }
        let general = apply(&whole.name, general.iter().map(String::as_str));
        let special = apply(&part.name, special.iter().map(String::as_str));
        let equal = self.same(&part.result.shape(), &special, &whole.result.shape(), &general);
        let fact = binders.forall(&general, &implied(&premises, &equal));
        facts.line(&format!("axiom {}_is_{}: {fact}", part.name, whole.name));
    }

    /// The signature of an instance, if the need is for one.
    fn instance_of(&mut self, need: &Need) -> Result<Option<Instance>> {
        let mut tags = Tags::new("t");
        Ok(match need {
            Need::Function(own, args) if !args.is_empty() => {
                let source = self.source;
                let Some(signature) = source.checked.env().function(own) else { return Ok(None) };
                let args: Vec<Ty> = args.iter().map(|arg| tags.name(arg)).collect();
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
                let what = if matches!(need, Need::Select(..)) { "select" } else { "store" };
                let name = map_symbol(what, map, args);
                let Access { map, args, indices, element, .. } = Access::new(map, args, "t", "x")?;
                let mut params = vec![map.clone()];
                params.extend(indices.into_iter().map(|(_, ty)| ty));
                let result = if what == "select" {
                    element
                } else {
                    params.push(element);
                    map.clone()
                };
                let args = std::iter::once(map).chain(args).collect();
                Some(Instance { name, args, params, result })
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
