//! Turns the body of a function into an axiom, or the other way round.

use std::sync::Arc;

use bpl_syntax::Dialect;
use bpl_syntax::ast::{
    Annotation, Attr, AxiomDecl, BinaryOp, Binder, Decl, Expr, ExprKind, FunctionDecl,
    FunctionParam, Ident, List, Name, Quantifier, Trigger, Type, VarGroup,
};
use bpl_syntax::span::Span;
use rustc_hash::FxHashMap;

use crate::facts::{Facts, determines_types};
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::subject::{Rearrangement, Subject};

operator! {
    /// Turns the body of a function into an axiom that defines it, or the other way round.
    ///
    /// ```boogie before
    /// function f(x: int): int { x + 1 }
    /// ```
    /// ```boogie after
    /// function f(x: int): int;
    /// axiom (forall x: int :: {f(x)} f(x) == x + 1);
    /// ```
    ///
    /// A function without arguments gets the axiom `f() == e`. The attributes of the function are
    /// copied to the quantifier.
    ///
    /// At many places, both directions are taken at once, for different functions.
    ///
    /// ## Applies when
    /// the function has no attributes other than `:weight`, `:qid`, `:skolemid` and `:verboseName`:
    /// it must not be inlined or built into the solver. Its arguments have names, and its type
    /// parameters occur in the argument types, which must not be synonyms that drop a parameter. In
    /// the other direction the axiom must have exactly the form above, with exactly that trigger,
    /// and the function must have no type parameters. In Boogie 3 the function must have no type
    /// parameters in either direction, no `uses` block, and at least one argument: with the option
    /// `/prune`, an axiom without a trigger is not kept along with the function. Programs that hide
    /// functions are left alone, since an axiom is not hidden together with a function, and so are
    /// programs that use CIVL.
    ///
    /// ## Sound because
    /// a function body is an abbreviation for exactly this axiom.
    DefineByAxiom = / "define-by-axiom" in Extended
}

impl Operator for DefineByAxiom {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("turn definitions into axioms or back"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        let Decl::Function(function) = decl else { return };
        let Some(body) = &function.body else { return };
        if !is_simple(function, facts) {
            return;
        }
        let Some(params) = named(&function.params) else { return };
        offers.one(|| {
            let bare = FunctionDecl { body: None, ..function.clone() };
            let axiom = definition(function, &params, body);
            let decls = vec![Decl::Function(bare), Decl::Axiom(axiom)];
            Change::new("define by an axiom", Patch::others(decls))
        });
    }

    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        let mut functions: FxHashMap<Name, (usize, Arc<Decl>)> = FxHashMap::default();
        for index in (0..subject.len()).filter(|&index| subject.keyword(index) == "function") {
            let decl = subject.decl(index);
            if let Decl::Function(function) = &*decl
                && function.body.is_none()
                && function.type_params.is_empty()
                && subject.is_movable(index)
                && is_simple(function, subject.facts())
            {
                functions.insert(function.name.name.clone(), (index, decl));
            }
        }
        if functions.is_empty() {
            return;
        }
        for axiom in (0..subject.len()).filter(|&index| subject.keyword(index) == "axiom") {
            if !subject.can_remove(axiom) {
                continue;
            }
            let decl = subject.decl(axiom);
            let Some(found) = read_definition(&decl) else { continue };
            let Some((index, decl)) = functions.get(found.function) else { continue };
            let Decl::Function(function) = &**decl else { continue };
            if !found.fits(function) {
                continue;
            }
            offers.one(|| {
                let name = found.function;
                let words =
                    format!("define `{name}` by a body, not by {}", subject.describe(axiom));
                let mut replacements =
                    vec![(*index, vec![found.merged(function)]), (axiom, Vec::new())];
                replacements.sort_unstable_by_key(|(index, _)| *index);
                Change::new(words, Rearrangement::Replace(replacements))
            });
        }
    }
}

/// Whether the function's body is equivalent to an axiom, and nothing else depends on which of the
/// two is used.
fn is_simple(function: &FunctionDecl, facts: &Facts) -> bool {
    !facts.has_civl()
        && !facts.has_hiding()
        && function.uses.is_none()
        && has_plain_attrs(&function.attrs)
        && function.params.iter().all(|param| param.attrs.is_empty())
        && (facts.dialect == Dialect::Boogie2
            || function.type_params.is_empty() && !function.params.is_empty())
        && (function.type_params.is_empty() || !facts.has_phantoms())
        && determines_types(function)
}

fn has_plain_attrs(attrs: &[Attr]) -> bool {
    attrs.iter().all(is_about_definition)
}

/// Whether an attribute of a function concerns only the axiom that its body abbreviates, or
/// messages.
pub(super) fn is_about_definition(attr: &Attr) -> bool {
    matches!(attr.name.as_str(), "weight" | "qid" | "skolemid" | "verboseName")
}

/// The arguments with their names, if all of them are named.
fn named(params: &[FunctionParam]) -> Option<Vec<(&Ident, &Type)>> {
    params.iter().map(|param| Some((param.name.as_ref()?, &param.ty))).collect()
}

/// The axiom that a body abbreviates.
fn definition(function: &FunctionDecl, params: &[(&Ident, &Type)], body: &Expr) -> AxiomDecl {
    let call = call(&function.name.name, params.iter().map(|(name, _)| &name.name));
    let equation = ExprKind::Binary(BinaryOp::Eq, Box::new((call.clone(), body.clone())));
    let equation = expr(equation);
    let axiom =
        |expr: Expr| AxiomDecl { span: Span::default(), hideable: false, attrs: List::new(), expr };
    if params.is_empty() {
        return axiom(equation);
    }
    let bound = params.iter().map(|(name, ty)| VarGroup {
        span: Span::default(),
        attrs: List::new(),
        names: List::from([(*name).clone()]),
        ty: (*ty).clone(),
        where_clause: None,
    });
    let trigger = Trigger { span: Span::default(), negative: false, terms: List::from([call]) };
    let attrs = function.attrs.iter().cloned().map(Annotation::Attr);
    axiom(expr(ExprKind::Quantifier(Box::new(Quantifier {
        binder: Binder::Forall,
        type_params: function.type_params.clone(),
        bound: bound.collect(),
        annotations: attrs.chain([Annotation::Trigger(trigger)]).collect(),
        body: equation,
    }))))
}

fn call<'n>(function: &Name, args: impl Iterator<Item = &'n Name>) -> Expr {
    let args = args.map(|name| expr(ExprKind::Var(name.clone()))).collect();
    expr(ExprKind::Call { function: function.clone(), args })
}

fn expr(kind: ExprKind) -> Expr {
    Expr { span: Span::default(), kind }
}

/// A function definition read from an axiom.
struct Definition<'a> {
    function: &'a Name,
    params: Vec<(&'a Ident, &'a Type)>,
    /// The attributes of the quantifier; empty for a function without arguments.
    attrs: Vec<&'a Attr>,
    body: &'a Expr,
}

/// Recognises an axiom of the form that [`definition`] produces.
fn read_definition(decl: &Decl) -> Option<Definition<'_>> {
    let Decl::Axiom(AxiomDecl { hideable: false, attrs, expr, .. }) = decl else { return None };
    if !attrs.is_empty() {
        return None;
    }
    let ExprKind::Quantifier(quantifier) = &expr.kind else {
        let (function, body) = read_equation(expr, &[])?;
        return Some(Definition { function, params: Vec::new(), attrs: Vec::new(), body });
    };
    let Quantifier { binder: Binder::Forall, type_params, bound, annotations, body } =
        &**quantifier
    else {
        return None;
    };
    let has_attrs = bound.iter().any(|group| !group.attrs.is_empty());
    if !type_params.is_empty() || has_attrs {
        return None;
    }
    let params: Vec<(&Ident, &Type)> = bound
        .iter()
        .flat_map(|group| group.names.iter().map(move |name| (name, &group.ty)))
        .collect();
    let names: Vec<&Name> = params.iter().map(|(name, _)| &name.name).collect();
    let (function, body) = read_equation(body, &names)?;
    let mut attrs = Vec::new();
    let mut triggers = Vec::new();
    for annotation in annotations {
        match annotation {
            Annotation::Attr(attr) => attrs.push(attr),
            Annotation::Trigger(trigger) => triggers.push(trigger),
        }
    }
    let [Trigger { negative: false, terms, .. }] = triggers.as_slice() else { return None };
    let expected = call(function, names.into_iter());
    (terms.as_slice() == [expected]).then_some(Definition { function, params, attrs, body })
}

/// The `f` and the `e` of `f(x, y) == e`, where the arguments are exactly `names`.
fn read_equation<'e>(equation: &'e Expr, names: &[&Name]) -> Option<(&'e Name, &'e Expr)> {
    let ExprKind::Binary(BinaryOp::Eq, sides) = &equation.kind else { return None };
    let ExprKind::Call { function, args } = &sides.0.kind else { return None };
    let is_named =
        |(arg, name): (&Expr, &&Name)| matches!(&arg.kind, ExprKind::Var(n) if n == *name);
    let fits = args.len() == names.len() && args.iter().zip(names).all(is_named);
    fits.then_some((function, &sides.1))
}

impl Definition<'_> {
    /// Whether the definition is the one that a body of the function would abbreviate.
    fn fits(&self, function: &FunctionDecl) -> bool {
        let types = function.params.iter().map(|param| &param.ty);
        let attrs = self.attrs.iter().copied();
        types.eq(self.params.iter().map(|(_, ty)| *ty))
            && (self.params.is_empty() || attrs.eq(&function.attrs))
    }

    /// The function with its body.
    fn merged(&self, function: &FunctionDecl) -> Decl {
        let params = self.params.iter().map(|(name, ty)| FunctionParam {
            attrs: List::new(),
            name: Some((*name).clone()),
            ty: (*ty).clone(),
        });
        // A named result could clash with the new names of the arguments.
        let result = FunctionParam { name: None, ..function.result.clone() };
        Decl::Function(FunctionDecl {
            params: params.collect(),
            result,
            body: Some(self.body.clone()),
            ..function.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    #[test]
    fn there_and_back() {
        for (body, axiom) in [
            (
                "const z: int; function f(x: int, y: bool): int { if y then x else f(z, y) }",
                "const z: int; function f(x: int, y: bool): int;
                 axiom (forall x: int, y: bool :: {f(x, y)} f(x, y) == if y then x else f(z, y));",
            ),
            ("function f(): int { 1 }", "function f(): int; axiom f() == 1;"),
            (
                "function {:weight 2} f(x: bool): bool { x ==> x }",
                "function {:weight 2} f(x: bool): bool;
                 axiom (forall x: bool :: {:weight 2} {f(x)} f(x) == (x ==> x));",
            ),
        ] {
            check(&DefineByAxiom, body, &[axiom]);
            check(&DefineByAxiom, axiom, &[body]);
        }
    }

    #[test]
    fn the_names_of_the_axiom_become_those_of_the_arguments() {
        let source = "axiom (forall a, b: int :: {f(a, b)} f(a, b) == a); const c: int;
                      function f(int, int) returns (a: int);";
        check(&DefineByAxiom, source, &["const c: int; function f(a: int, b: int): int { a }"]);
        assert_eq!(words(&DefineByAxiom, source), ["define `f` by a body, not by axiom #1"]);
    }

    #[test]
    fn type_parameters_go_with_the_body() {
        check(
            &DefineByAxiom,
            "function f<T>(x: T): T { x }",
            &["function f<T>(x: T): T; axiom (forall<T> x: T :: {f(x)} f(x) == x);"],
        );
        assert!(results(&DefineByAxiom, "type S _; function f<T>(): S T { f() }").is_empty());
    }

    #[test]
    fn other_functions_and_axioms_are_left_alone() {
        for source in [
            "function {:inline} f(x: int): int { x }",
            "function {:define} f(x: int): int { x }",
            "function f(int): int; axiom (forall x: int :: f(x) == 1);",
            "function f(int): int; axiom (forall x: int :: {f(x)} {f(x + 1)} f(x) == 1);",
            "function f(int): int; axiom (forall x: int :: {f(x)} 1 == f(x));",
            "function f(int): int; axiom (forall x: int :: {:weight 3} {f(x)} f(x) == 1);",
            "function f(int, int): int; axiom (forall x: int :: {f(x, x)} f(x, x) == 1);",
            "function f(int, int): int; axiom (forall x, y: int :: {f(y, x)} f(y, x) == 1);",
            "function f(int): int; axiom {:id \"a\"} (forall x: int :: {f(x)} f(x) == 1);",
            "revealed function f(x: int): int { x }",
            "function f(x: int): int { x } uses { axiom true; }",
            "function f(x: int): int { x } procedure {:yields} p();",
            "type S _; type P a = int; function g<T>(x: int): S T;
             function f<T>(x: P T): S T { g(x) }",
            "function f(): int { 1 } datatype D { C() }",
            "function f(): int; axiom f() == 1; datatype D { C() }",
        ] {
            assert!(results(&DefineByAxiom, source).is_empty(), "{source}");
        }
    }
}
