//! L1: swaps two local variable declarations.

use bpl_syntax::ast::{Decl, VarDecl};

use crate::facts::Facts;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::each_body;

operator! {
    /// Swaps any two local variable declarations.
    ///
    /// ```boogie before
    /// procedure p()
    /// {
    ///   var x: int;
    ///   var b: bool;
    /// }
    /// ```
    /// ```boogie after
    /// procedure p()
    /// {
    ///   var b: bool;
    ///   var x: int;
    /// }
    /// ```
    ///
    /// At many places, the declarations of each body are shuffled, or one in five of them.
    ///
    /// ## Applies when
    /// the body of a procedure or of an implementation has two `var` declarations.
    ///
    /// ## Sound because
    /// all local variables of a body are in scope in the whole body, including each other's `where`
    /// clauses.
    SwapLocals = "L1" / "swap-locals" in Paper
}

impl Operator for SwapLocals {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Lists("local variables"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, _: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        each_body(decl, |number, body| {
            let words = |i: usize, j: usize| {
                format!("swap `{}` with `{}`", name(&body.locals[i]), name(&body.locals[j]))
            };
            offers.pairs(body.locals.len(), words, |swaps| {
                Patch::body(number, move |body| {
                    for (i, j) in swaps {
                        body.locals.swap(i, j);
                    }
                })
            });
        });
    }
}

/// The name of the first variable of a declaration.
fn name(local: &VarDecl) -> String {
    let first = local.groups.first().and_then(|group| group.names.first());
    first.map_or_else(String::new, |ident| format!("var {}", ident.name))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, words};
    use super::*;

    #[test]
    fn locals_of_implementations_are_reached() {
        check(
            &SwapLocals,
            "procedure p(); implementation p() { var a, b: int; var c: int where c > d; var d: int; }",
            &[
                "procedure p(); implementation p() { var c: int where c > d; var a, b: int; var d: int; }",
                "procedure p(); implementation p() { var d: int; var c: int where c > d; var a, b: int; }",
                "procedure p(); implementation p() { var a, b: int; var d: int; var c: int where c > d; }",
            ],
        );
    }

    #[test]
    fn words_name_the_variables() {
        let words = words(&SwapLocals, "procedure p() { var a: int; var b: int; }");
        assert_eq!(words, ["swap `var a` with `var b` in procedure `p`"]);
    }
}
