//! The features of a program that decide which programs may share a process of Boogie.
//!
//! Boogie 2 has one encoding for programs without type parameters and another for the rest. Because
//! of static state, a process that has verified one kind of program may treat the other kind
//! wrongly, or crash. So programs share a process only if they agree in the features collected
//! here; which encoding they get need not be known.
//!
//! Some features cannot be shared with some versions of Boogie at all, which is for the definition
//! of the verifier to say: Boogie 3 passes functions that are defined by an attribute, and the
//! library that it adds to CIVL programs, on to all programs that follow.

use std::collections::BTreeSet;

use bpl_syntax::ast::{Attr, BinaryOp, Decl, Expr, ExprKind, Quantifier, Type, TypeKind};
use bpl_syntax::visit::Visit;
use mugie_core::Sharing;

use crate::subject::Subject;

/// Names of features. `book/src/verifiers.md` lists them.
const DECLARATIONS: &str = "generic-declarations";
const QUANTIFIERS: &str = "generic-quantifiers";
const TYPES: &str = "generic-types";
const MAPS: &str = "generic-maps";
/// Maps in synonyms count separately: Boogie may ignore a synonym that nothing uses.
const SYNONYMS: &str = "generic-synonyms";
const ORDER: &str = "partial-order";
const DEFINITIONS: &str = "definitions";
const CIVL: &str = "civl";

/// The places where a program has type parameters, and other features that matter. Programs with
/// equal values get the same encoding.
pub(crate) fn sharing(subject: &Subject) -> Sharing {
    let mut search = Search::default();
    search.note(CIVL, subject.facts.has_civl());
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
        let is_generic = match &*decl {
            Decl::Datatype(datatype) => !datatype.type_params.is_empty(),
            Decl::Type(ty) => {
                ty.defs.iter().any(|def| def.synonym.is_none() && !def.params.is_empty())
            }
            _ => false,
        };
        search.note(TYPES, is_generic);
        search.visit_decl(&decl);
    }
    Sharing::new(search.found)
}

#[derive(Default)]
struct Search {
    found: BTreeSet<&'static str>,
    in_synonym: bool,
}

impl Search {
    fn note(&mut self, what: &'static str, is_there: bool) {
        if is_there {
            self.found.insert(what);
        }
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

    fn visit_attr(&mut self, attr: &'ast Attr) {
        self.note(DEFINITIONS, attr.name.as_str() == "define");
        self.walk_attr(attr);
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

    fn class(text: &str, dialect: Dialect) -> Sharing {
        let parsed = parse(text, dialect);
        assert!(parsed.errors.is_empty(), "{text}");
        sharing(&Subject::new(&parsed.program))
    }

    #[test]
    fn what_changes_the_encoding_is_seen() {
        let plain = "type T; function f(x: T): int; procedure p() { assert 1 < 2 && 2 > 1; }";
        for dialect in [Dialect::Boogie2, Dialect::Boogie3] {
            assert_eq!(class(plain, dialect), Sharing::default());
            for (other, feature) in [
                ("function g<a>(x: a): a;", DECLARATIONS),
                ("procedure q<a>(x: a);", DECLARATIONS),
                ("type C _;", TYPES),
                ("axiom (forall<a> x: a :: x == x);", QUANTIFIERS),
                ("var m: <a>[a]int;", MAPS),
                ("type M = <a>[a]int;", SYNONYMS),
                ("function {:define} g(x: int): int { x }", DEFINITIONS),
                ("procedure {:layer 1} q();", CIVL),
            ] {
                let class = class(&format!("{plain} {other}"), dialect);
                assert_eq!(class, Sharing::new([feature]), "{other}");
            }
        }
        let ordered = class(&format!("{plain} const c: T; axiom c <: c;"), Dialect::Boogie2);
        assert_eq!(ordered, Sharing::new([ORDER]));
        let generic = class(&format!("{plain} datatype D<a> {{ d(x: a) }}"), Dialect::Boogie3);
        assert_eq!(generic, Sharing::new([TYPES]));
    }
}
