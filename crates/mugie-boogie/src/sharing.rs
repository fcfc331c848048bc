//! The features of a program that decide how Boogie encodes types.
//!
//! Boogie 2 has one encoding for programs without type parameters and another for the rest. Because
//! of static state, a process that has verified one kind of program may treat the other kind
//! wrongly, or crash. So programs share a process only if they agree in the features collected
//! here; which encoding they get need not be known.

use bpl_syntax::ast::{BinaryOp, Decl, Expr, ExprKind, Quantifier, Type, TypeKind};
use bpl_syntax::visit::Visit;
use mugie_core::Sharing;

use crate::subject::Subject;

const DECLARATIONS: u64 = 1;
const QUANTIFIERS: u64 = 2;
const MAPS: u64 = 4;
/// Maps in synonyms count separately: Boogie may ignore a synonym that nothing uses.
const SYNONYMS: u64 = 8;
const ORDER: u64 = 16;

/// The places where a program has type parameters, and whether it uses the partial order `<:`.
/// Programs with equal values get the same encoding.
pub(crate) fn sharing(subject: &Subject) -> Sharing {
    let mut search = Search::default();
    for index in 0..subject.len() {
        let decl = subject.decl(index);
        search.in_synonym = matches!(*decl, Decl::Type(_));
        let has_params = match &*decl {
            Decl::Function(function) => !function.type_params.is_empty(),
            Decl::Procedure(procedure) => !procedure.signature.type_params.is_empty(),
            Decl::Implementation(body) => !body.signature.type_params.is_empty(),
            _ => false,
        };
        search.note(DECLARATIONS, has_params);
        search.visit_decl(&decl);
    }
    Sharing(search.found)
}

#[derive(Default)]
struct Search {
    found: u64,
    in_synonym: bool,
}

impl Search {
    fn note(&mut self, what: u64, is_there: bool) {
        self.found |= if is_there { what } else { 0 };
    }
}

impl<'ast> Visit<'ast> for Search {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.note(ORDER, matches!(expr.kind, ExprKind::Binary(BinaryOp::Subtype, _)));
        self.walk_expr(expr);
    }

    fn visit_quantifier(&mut self, quantifier: &'ast Quantifier) {
        self.note(QUANTIFIERS, !quantifier.type_params.is_empty());
        self.walk_quantifier(quantifier);
    }

    fn visit_type(&mut self, ty: &'ast Type) {
        if let TypeKind::Map(map) = &ty.kind {
            let place = if self.in_synonym { SYNONYMS } else { MAPS };
            self.note(place, !map.type_params.is_empty());
        }
        self.walk_type(ty);
    }
}

#[cfg(test)]
mod tests {
    use bpl_syntax::{Dialect, parse};

    use super::*;

    fn class(text: &str) -> Sharing {
        let parsed = parse(text, Dialect::Boogie2);
        assert!(parsed.errors.is_empty(), "{text}");
        sharing(&Subject::new(&parsed.program))
    }

    #[test]
    fn what_changes_the_encoding_is_seen() {
        let plain = "type T; function f(x: T): int; procedure p() { assert 1 < 2 && 2 > 1; }";
        assert_eq!(class(plain), Sharing::default());
        let others = [
            "function g<a>(x: a): a;",
            "procedure q<a>(x: a);",
            "axiom (forall<a> x: a :: x == x);",
            "var m: <a>[a]int;",
            "type M = <a>[a]int;",
            "const c: T; axiom c <: c;",
        ];
        for other in others {
            assert_ne!(class(&format!("{plain} {other}")), Sharing::default(), "{other}");
        }
    }
}
