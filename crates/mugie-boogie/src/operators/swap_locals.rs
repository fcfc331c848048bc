//! L1: swaps two local variable declarations.

use bpl_syntax::ast::{Decl, VarDecl};

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{Operator, operator};
use crate::places::{change_body, changed, each_body};

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

    fn in_decl(&self, decl: &Decl, _: &Facts, offers: &mut Offers<Vec<Decl>>) {
        each_body(decl, |number, body| {
            offers.pairs(body.locals.len(), |i, j| {
                let words =
                    format!("swap `{}` with `{}`", name(&body.locals[i]), name(&body.locals[j]));
                let swap = |copy: &mut Decl| {
                    change_body(copy, number, |body| body.locals.swap(i, j));
                };
                Change::new(words, changed(decl, swap))
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
