//! Renames a local variable, a parameter, or a variable bound by a quantifier or `let`.

use bpl_syntax::ast::{
    ConditionKind, Decl, Expr, ExprKind, Ident, Name, Procedure, Spec, VarGroup,
};
use bpl_syntax::visit::{Namespace, Occurrence, Visit, VisitMut};

use crate::facts::Facts;
use crate::mentions::{
    Mentions, Rename, Variables, is_renamed, may_name_variables, new_name, words_of_strings,
};
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{Operator, operator};
use crate::patch::Patch;
use crate::places::{each_binder, each_body, each_expr_anywhere};

operator! {
    /// Renames a local variable, a parameter, or a variable bound in an expression.
    ///
    /// ```boogie before
    /// procedure p(x: int) returns (y: int)
    ///   ensures y > x;
    /// {
    ///   y := x + 1;
    /// }
    /// ```
    /// ```boogie after
    /// procedure p(x_r1: int) returns (y: int)
    ///   ensures y > x_r1;
    /// {
    ///   y := x_r1 + 1;
    /// }
    /// ```
    ///
    /// The new name is the old one followed by `_r1`, or by the first of `_r2`, `_r3`, … that gives
    /// a name which does not occur in the declaration. Every occurrence in the scope of the
    /// variable is renamed. The scope of a parameter is the declaration, including its clauses and
    /// its body, if any; that of a local variable is the body; that of a bound variable is the
    /// quantifier, lambda or `let` body.
    ///
    /// It is not applied at many places at once: the new names are numbered, so a second name depends on
    /// the first, and no part of such a list could be left out.
    ///
    /// ## Applies when
    /// the name has no other meaning around the scope: it does not occur in `modifies`, nor in the
    /// attributes of the declaration or of its parameters; the name of an out-parameter occurs
    /// neither in a `requires` nor among the in-parameters, where it is not in scope. The name is
    /// not a word of a string, and does not already end in `_r` and a number. Arguments of a
    /// `:constructor` keep their names, from which selectors are named. CIVL procedures are left
    /// alone.
    ///
    /// ## Sound because
    /// renaming a variable changes nothing as long as the new name means nothing else in its scope.
    /// The name is new to the declaration, so it neither shadows another variable that is used
    /// there nor is shadowed itself. Parameters are passed by position.
    RenameLocal = / "rename-local" in Extended
}

impl Operator for RenameLocal {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        let strings = words_of_strings(decl);
        let may_rename = |name: &Name| !is_renamed(name) && !strings.contains(name);
        offer_params(decl, &may_rename, offers);
        offer_locals(decl, &may_rename, offers);
        each_binder(decl, |number, quantifier, _| {
            if quantifier.bound.iter().any(|group| may_name_variables(&group.attrs)) {
                return;
            }
            for Ident { name, .. } in quantifier.bound.iter().flat_map(|group| &group.names) {
                if may_rename(name) {
                    offer(decl, "bound variable", name, offers, |mut rename| {
                        Patch::quantifier(number, move |q| rename.visit_quantifier(q))
                    });
                }
            }
        });
        each_expr_anywhere(decl, |number, expr, _| {
            let ExprKind::Let(binding) = &expr.kind else { return };
            let attrs = binding.vars.iter().map(|var| &var.attrs).chain([&binding.attrs]);
            if attrs.into_iter().any(|attrs| may_name_variables(attrs)) {
                return;
            }
            for name in binding.vars.iter().map(|var| &var.name.name) {
                if may_rename(name) {
                    offer(decl, "bound variable", name, offers, |mut rename| {
                        Patch::expr(number, move |expr| rename_let(expr, &mut rename))
                    });
                }
            }
        });
    }
}

/// Offers the parameters of a function, a procedure or an implementation.
fn offer_params<'d>(
    decl: &'d Decl,
    may_rename: &dyn Fn(&Name) -> bool,
    offers: &mut Offers<Patch<'d>>,
) {
    let mut outside = Variables::default();
    outside.attrs(decl.attrs());
    let (params, returns): (Vec<&'d Name>, Vec<&'d Name>) = match decl {
        Decl::Function(function) => {
            let is_constructor = function.attrs.iter().any(|attr| attr.name == "constructor");
            let attrs = function.params.iter().chain([&function.result]).map(|param| &param.attrs);
            if is_constructor
                || function.uses.is_some()
                || attrs.into_iter().any(|attrs| may_name_variables(attrs))
            {
                return;
            }
            let names = function.params.iter().filter_map(|param| param.name.as_ref());
            (names.map(|ident| &ident.name).collect(), Vec::new())
        }
        Decl::Procedure(Procedure { signature, specs, .. }) => {
            outside.groups(signature);
            for spec in specs.iter().filter(|spec| matches!(spec, Spec::Modifies(_))) {
                outside.visit_spec(spec);
            }
            (names(&signature.params), names(&signature.returns))
        }
        Decl::Implementation(implementation) => {
            let signature = &implementation.signature;
            outside.groups(signature);
            (names(&signature.params), names(&signature.returns))
        }
        _ => return,
    };
    let mut offer_all = |names: Vec<&'d Name>, outside: &Variables<'_>| {
        for name in names {
            if may_rename(name) && !outside.0.contains(name) {
                offer(decl, "parameter", name, offers, |mut rename| {
                    Patch::decl(move |copy| rename.visit_decl(copy))
                });
            }
        }
    };
    offer_all(params, &outside);
    // In these places in-parameters are in scope but out-parameters are not.
    if let Decl::Procedure(procedure) = decl {
        for group in &procedure.signature.params {
            outside.visit_var_group(group);
        }
        for spec in procedure.specs.iter().filter(|spec| !is_ensures(spec)) {
            outside.visit_spec(spec);
        }
    }
    offer_all(returns, &outside);
}

fn is_ensures(spec: &Spec) -> bool {
    matches!(spec, Spec::Condition(clause) if clause.kind == ConditionKind::Ensures)
}

fn names(groups: &[VarGroup]) -> Vec<&Name> {
    groups.iter().flat_map(|group| &group.names).map(|ident| &ident.name).collect()
}

/// Offers the local variables of bodies.
fn offer_locals<'d>(
    decl: &'d Decl,
    may_rename: &dyn Fn(&Name) -> bool,
    offers: &mut Offers<Patch<'d>>,
) {
    let mut outside = Variables::default();
    outside.attrs(decl.attrs());
    each_body(decl, |number, body| {
        if body.locals.iter().any(|local| may_name_variables(&local.attrs)) {
            return;
        }
        for name in body.locals.iter().flat_map(|local| names(&local.groups)) {
            if may_rename(name) && !outside.0.contains(name) {
                offer(decl, "local", name, offers, |mut rename| {
                    Patch::body(number, move |body| rename.visit_body(body))
                });
            }
        }
    });
}

/// Offers to rename a variable in its scope, which the patch visits.
fn offer<'d>(
    decl: &'d Decl,
    what: &str,
    from: &'d Name,
    offers: &mut Offers<Patch<'d>>,
    in_scope: impl FnOnce(Rename<'d>) -> Patch<'d>,
) {
    offers.one(|| {
        let mentions = Mentions::new(decl);
        let to = Name::from(new_name(from, |name| !mentions.contains(name)));
        let words = format!("rename {what} `{from}` to `{to}`");
        let rename = Rename { from, to, among: &[Namespace::Variable], found: false };
        Change::new(words, in_scope(rename))
    });
}

/// Renames a variable of a `let`, but not in its values, where the variable is not in scope.
fn rename_let(expr: &mut Expr, rename: &mut Rename<'_>) {
    if let ExprKind::Let(binding) = &mut expr.kind {
        for var in &mut binding.vars {
            rename.visit_name(&mut var.name.name, Namespace::Variable, Occurrence::Binding);
        }
        rename.visit_expr(&mut binding.body);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    #[test]
    fn parameters_are_renamed_with_clauses_and_body() {
        let source = "procedure p(x: int where x > 0) returns (y: int)
                      requires x > 1; ensures x > y; { y := x; }";
        check(
            &RenameLocal,
            source,
            &[
                "procedure p(x_r1: int where x_r1 > 0) returns (y: int)
                 requires x_r1 > 1; ensures x_r1 > y; { y := x_r1; }",
                "procedure p(x: int where x > 0) returns (y_r1: int)
                 requires x > 1; ensures x > y_r1; { y_r1 := x; }",
            ],
        );
        assert_eq!(
            words(&RenameLocal, source)[1],
            "rename parameter `y` to `y_r1` in procedure `p`"
        );
    }

    #[test]
    fn where_a_name_means_something_else_it_stays() {
        // The `y` in `requires` and the `x` in `modifies` are global variables, and the `z` in
        // `ensures` is not the local variable.
        check(
            &RenameLocal,
            "var x, y, z: int; procedure p(x: int) returns (y: int); requires y > 0; modifies x;
             procedure q() ensures z > 0; { var z: int; z := 1; }",
            &["var x, y, z: int; procedure p(x: int) returns (y: int); requires y > 0; modifies x;
               procedure q() ensures z > 0; { var z_r1: int; z_r1 := 1; }"],
        );
        let constructor = "type {:datatype} D; function {:constructor} C(x: int): D;";
        assert!(results(&RenameLocal, constructor).is_empty());
        assert!(
            results(&RenameLocal, "procedure p(x: int) { assert {:s \"x\"} x > 0; }").is_empty()
        );
        assert!(results(&RenameLocal, "procedure {:a x} p(x: int) { }").is_empty());
        assert!(results(&RenameLocal, "procedure p({:a x} x: int) { }").is_empty());
    }

    #[test]
    fn bound_variables_are_renamed_in_their_scope_only() {
        check(
            &RenameLocal,
            "const x: int; axiom (forall x: int :: {:a x} {f(x)} x == 1) && x == 2 &&
             (var x := x + 1; x == 3);",
            &[
                "const x: int; axiom (forall x_r1: int :: {:a x_r1} {f(x_r1)} x_r1 == 1) && x == 2
                 && (var x := x + 1; x == 3);",
                "const x: int; axiom (forall x: int :: {:a x} {f(x)} x == 1) && x == 2 &&
                 (var x_r1 := x + 1; x_r1 == 3);",
            ],
        );
    }

    #[test]
    fn functions_and_implementations_are_reached() {
        check(
            &RenameLocal,
            "function f(x: int): int { x + x_r1() } procedure p(a: int);
             implementation p(b: int) { var m: [int]int; m[b] := (lambda c: int :: c)[b]; }",
            &[
                "function f(x_r2: int): int { x_r2 + x_r1() } procedure p(a: int);
                 implementation p(b: int) { var m: [int]int; m[b] := (lambda c: int :: c)[b]; }",
                "function f(x: int): int { x + x_r1() } procedure p(a_r1: int);
                 implementation p(b: int) { var m: [int]int; m[b] := (lambda c: int :: c)[b]; }",
                "function f(x: int): int { x + x_r1() } procedure p(a: int);
                 implementation p(b_r1: int) { var m: [int]int; m[b_r1] := (lambda c: int :: c)[b_r1]; }",
                "function f(x: int): int { x + x_r1() } procedure p(a: int);
                 implementation p(b: int) { var m_r1: [int]int; m_r1[b] := (lambda c: int :: c)[b]; }",
                "function f(x: int): int { x + x_r1() } procedure p(a: int);
                 implementation p(b: int) { var m: [int]int; m[b] := (lambda c_r1: int :: c_r1)[b]; }",
            ],
        );
    }

    #[test]
    fn renamed_variables_are_not_renamed_again() {
        assert!(results(&RenameLocal, "procedure p(x_r1: int);").is_empty());
    }
}
