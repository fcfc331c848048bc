//! L2: splits a declaration of several variables.

use bpl_syntax::ast::{Body, Decl, List, VarDecl, VarGroup};

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::each_body;

operator! {
    /// Splits a declaration of multiple variables into multiple declarations.
    ///
    /// ```boogie before
    /// procedure p()
    /// {
    ///   var {:a} x, y: int where x < 9, b: bool;
    /// }
    /// ```
    /// ```boogie after
    /// procedure p()
    /// {
    ///   var {:a} x: int where x < 9;
    ///   var {:a} y: int where x < 9;
    ///   var {:a} b: bool;
    /// }
    /// ```
    ///
    /// ## Applies when
    /// a `var` declaration, global or local, has two variables or more.
    ///
    /// ## Sound because
    /// a declaration of several variables abbreviates one declaration for each: the type, the
    /// `where` clause and the attributes of a group belong to every variable in it.
    SplitVariables = "L2" / "split-variables" in Paper
}

impl Operator for SplitVariables {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("split the declarations of variables"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, _: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if let Decl::Var(var) = decl
            && size(var) > 1
        {
            offers.one(|| Change::new("split", Patch::others(split(var).map(Decl::Var).collect())));
        }
        each_body(decl, |number, body| {
            for (index, local) in body.locals.iter().enumerate() {
                if size(local) < 2 {
                    continue;
                }
                offers.one(|| {
                    let first = local.groups.first().and_then(|group| group.names.first());
                    let first = first.map_or("", |ident| ident.name.as_str());
                    let words = format!("split `var {first}, …` into {}", size(local));
                    let replace = move |body: &mut Body| {
                        body.locals.splice(index..=index, split(local));
                    };
                    Change::new(words, Patch::body(number, replace))
                });
            }
        });
    }
}

/// The number of variables declared.
fn size(var: &VarDecl) -> usize {
    var.groups.iter().map(|group| group.names.len()).sum()
}

/// One declaration for each variable.
fn split(var: &VarDecl) -> impl Iterator<Item = VarDecl> {
    var.groups.iter().flat_map(|group| &group.names).zip(owners(var)).map(|(name, group)| {
        // Do not clone the group, which would copy all of its names for each of them.
        let group = VarGroup {
            span: group.span,
            attrs: group.attrs.clone(),
            names: List::from([name.clone()]),
            ty: group.ty.clone(),
            where_clause: group.where_clause.clone(),
        };
        VarDecl { span: var.span, attrs: var.attrs.clone(), groups: vec![group] }
    })
}

/// The group of each variable.
fn owners(var: &VarDecl) -> impl Iterator<Item = &VarGroup> {
    var.groups.iter().flat_map(|group| group.names.iter().map(move |_| group))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, words};
    use super::*;

    #[test]
    fn globals_are_split_too() {
        let source = "var x, y: int; var z: int;";
        check(&SplitVariables, source, &["var x: int; var y: int; var z: int;"]);
        assert_eq!(words(&SplitVariables, source), ["split in var `x` and 1 more"]);
    }

    #[test]
    fn each_declaration_is_a_place_of_its_own() {
        check(
            &SplitVariables,
            "procedure p(); implementation p() { var a, b: int; var c: int; var d: int, e: bool; }",
            &[
                "procedure p(); implementation p() { var a: int; var b: int; var c: int; var d: int, e: bool; }",
                "procedure p(); implementation p() { var a, b: int; var c: int; var d: int; var e: bool; }",
            ],
        );
    }
}
