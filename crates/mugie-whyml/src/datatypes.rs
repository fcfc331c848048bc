//! Datatypes: constructors, selectors, testers.
//!
//! A selector applied to a value of another constructor has a value that is not known. This module
//! knows datatypes only.

use std::collections::BTreeSet;
use std::rc::Rc;

use bpl_syntax::ast::Name;

use crate::names;
use crate::print::Page;
use crate::refusal::{Result, refuse};
use crate::source::Constructor;
use crate::types::Ty;
use crate::world::{Need, World};

fn args(ty: &Ty) -> &[Ty] {
    match ty {
        Ty::Constructed(_, args) => args,
        _ => &[],
    }
}

/// The name of a constructor.
pub(crate) fn constructor(name: &Name, ty: &Ty) -> String {
    names::instance(&names::name("C_", name), args(&ty.shape()))
}

/// The name of a tester.
pub(crate) fn tester(name: &Name, ty: &Ty) -> String {
    names::instance(&names::name("is_", name), args(&ty.shape()))
}

/// The name of a selector.
pub(crate) fn selector(name: &Name, field: usize, ty: &Ty) -> String {
    names::instance(&format!("{}_5{field}", names::name("s_", name)), args(&ty.shape()))
}

impl World<'_, '_> {
    /// The constructors of a datatype that have a field, each with the index of the field.
    fn owners(&self, ty: &Ty, field: &Name) -> Result<Vec<(Constructor, usize)>> {
        let Ty::Constructed(name, _) = ty else { return refuse("a field of an unknown type") };
        let Some(datatype) = self.source.datatype(name) else {
            return refuse(format!("the datatype `{name}` of a library"));
        };
        let owners = datatype.constructors.iter().filter_map(|constructor| {
            let place = constructor.fields.iter().position(|other| other == field)?;
            Some((constructor.clone(), place))
        });
        Ok(owners.collect())
    }

    /// `record->field`.
    pub(crate) fn field(&mut self, ty: &Ty, record: &str, field: &Name) -> Result<String> {
        self.sort(ty);
        let mut owners = self.owners(ty, field)?;
        let Some((last, place)) = owners.pop() else { return refuse("an unknown field") };
        let mut text = format!("({} {record})", selector(&last.name, place, ty));
        for (owner, place) in owners.iter().rev() {
            let (is, select) = (tester(&owner.name, ty), selector(&owner.name, *place, ty));
            text = format!("(if ({is} {record}) then ({select} {record}) else {text})");
        }
        Ok(text)
    }

    /// The type of a field.
    pub(crate) fn field_type(&mut self, ty: &Ty, field: &Name) -> Result<Ty> {
        let owners = self.owners(ty, field)?;
        let Some((owner, place)) = owners.first() else { return refuse("an unknown field") };
        let Some(&field) = owner.types.get(*place) else { return refuse("an unknown field") };
        Ok(self.read_id(field, &[])?.instantiate(args(ty)))
    }

    /// `record->(field := value)`. All constructors must have the field: nothing is known of the result
    /// for others.
    pub(crate) fn updated(
        &mut self,
        ty: &Ty,
        record: &str,
        field: &Name,
        value: &str,
    ) -> Result<String> {
        self.sort(ty);
        let mut owners = self.owners(ty, field)?;
        let Ty::Constructed(name, _) = ty else { return refuse("a field of an unknown type") };
        let all = self.source.datatype(name).map_or(0, |datatype| datatype.constructors.len());
        if owners.len() != all {
            return refuse(format!(
                "an update of the field `{field}`, which some constructors lack"
            ));
        }
        let made = |(owner, place): &(Constructor, usize)| {
            let mut parts = vec![constructor(&owner.name, ty)];
            parts.extend((0..owner.fields.len()).map(|other| {
                if other == *place {
                    value.to_owned()
                } else {
                    format!("({} {record})", selector(&owner.name, other, ty))
                }
            }));
            format!("({})", parts.join(" "))
        };
        let Some(last) = owners.pop() else { return refuse("an unknown field") };
        let mut text = made(&last);
        for owner in owners.iter().rev() {
            let is = tester(&owner.0.name, ty);
            text = format!("(if ({is} {record}) then {} else {text})", made(owner));
        }
        Ok(text)
    }

    /// The fields of the only constructor of a datatype, to be unpacked.
    pub(crate) fn unpacked(&mut self, ty: &Ty, record: &str, name: &Name) -> Result<Vec<String>> {
        self.sort(ty);
        let Ty::Constructed(datatype, _) = ty else { return refuse("unpacking this type") };
        match self.source.datatype(datatype).map(|datatype| &*datatype.constructors) {
            Some([only]) if only.name == *name => Ok((0..only.fields.len())
                .map(|place| format!("({} {record})", selector(name, place, ty)))
                .collect()),
            _ => refuse("unpacking a datatype with several constructors"),
        }
    }

    /// Declares all datatypes that are needed, and their functions.
    pub(crate) fn declare_datatypes(&mut self, page: &mut Page, facts: &mut Page) -> Result<()> {
        let known: BTreeSet<Ty> = self
            .known
            .iter()
            .filter_map(|need| match need {
                Need::Sort(ty @ Ty::Constructed(name, _))
                    if self.source.datatype(name).is_some() =>
                {
                    Some(ty.clone())
                }
                _ => None,
            })
            .collect();
        let mut functions = Page::default();
        for (number, ty) in known.iter().enumerate() {
            let Ty::Constructed(name, arguments) = ty else { continue };
            if !ty.tags().is_empty() {
                return refuse(format!(
                    "the datatype `{name}` at a type that a type variable mentions"
                ));
            }
            let arguments = Rc::clone(arguments);
            let constructors: Vec<Constructor> = match self.source.datatype(name) {
                Some(datatype) => datatype.constructors.clone(),
                None => continue,
            };
            let mut cases = Vec::new();
            for own in &constructors {
                let mut sorts = Vec::new();
                for &field in own.types.iter() {
                    let field = self.read_id(field, &[])?.instantiate(&arguments);
                    sorts.push(self.sort(&field));
                }
                cases.push(
                    std::iter::once(constructor(&own.name, ty))
                        .chain(sorts.clone())
                        .collect::<Vec<_>>()
                        .join(" "),
                );
                declare_functions(own, ty, &sorts, &mut functions, facts);
            }
            let keyword = if number == 0 { "type" } else { "with" };
            page.line(&format!("{keyword} {} = {}", names::of_type("", ty), cases.join(" | ")));
        }
        page.append(&functions);
        Ok(())
    }
}

/// Declares the tester and the selectors of a constructor.
fn declare_functions(
    own: &Constructor,
    ty: &Ty,
    sorts: &[String],
    page: &mut Page,
    facts: &mut Page,
) {
    let sort = names::of_type("", ty);
    let name = constructor(&own.name, ty);
    let holes = " _".repeat(sorts.len());
    page.line(&format!(
        "function {} (x: {sort}) : bool = match x with {name}{holes} -> True | _ -> False end",
        tester(&own.name, ty)
    ));
    for (place, result) in sorts.iter().enumerate() {
        let select = selector(&own.name, place, ty);
        page.line(&format!("function {select} (x: {sort}) : {result}"));
        let binders: Vec<String> =
            sorts.iter().enumerate().map(|(n, sort)| format!("x{n}: {sort}")).collect();
        let values: Vec<String> = (0..sorts.len()).map(|n| format!("x{n}")).collect();
        let made = format!("({name} {})", values.join(" "));
        facts.line(&format!(
            "axiom {select}: forall {} [{made}]. {select} {made} = x{place}",
            binders.join(", ")
        ));
    }
}
