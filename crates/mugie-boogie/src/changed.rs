//! Compares two versions of a program: of which procedures does the proof depend on what changed?
//!
//! A procedure is verified against the specifications of others, never against their bodies. So a change of a body
//! concerns its own procedure only; a change of anything else may concern all of them.

use std::collections::BTreeMap;

use bpl_syntax::ast::{Decl, Program};

use crate::facts::is_civl;

/// The attribute of procedures whose bodies take the place of calls.
const INLINE: &str = "inline";

/// The procedures whose bodies are new or have changed; `None` if something else has changed, too.
pub(crate) fn changed(old: &Program, new: &Program) -> Option<Vec<String>> {
    if old.dialect != new.dialect || [old, new].into_iter().any(looks_into_bodies) {
        return None;
    }
    let (old, new) = (Parts::of(old), Parts::of(new));
    if old.rest != new.rest {
        return None;
    }
    let mut names = Vec::new();
    for (name, new) in &new.bodies {
        let old = old.bodies.get(name);
        if old == Some(new) {
            continue;
        }
        // Callers depend on the specification.
        if old.is_some_and(|old| heads(old) != heads(new)) {
            return None;
        }
        names.push((*name).to_owned());
    }
    Some(names)
}

/// Whether the proof of a procedure may depend on the bodies of others.
fn looks_into_bodies(program: &Program) -> bool {
    program.decls.iter().any(|decl| {
        let attrs = match &**decl {
            Decl::Procedure(procedure) => &procedure.attrs,
            Decl::Implementation(implementation) => &implementation.attrs,
            _ => return is_civl(decl),
        };
        is_civl(decl) || attrs.iter().any(|attr| attr.name == *INLINE)
    })
}

/// The declarations of a program: those with a body by their names, and the rest.
struct Parts<'p> {
    bodies: BTreeMap<&'p str, Vec<&'p Decl>>,
    rest: Vec<&'p Decl>,
}

impl<'p> Parts<'p> {
    fn of(program: &'p Program) -> Parts<'p> {
        let mut parts = Parts { bodies: BTreeMap::new(), rest: Vec::new() };
        for decl in &program.decls {
            let decl: &Decl = decl;
            let signature = match decl {
                Decl::Procedure(procedure) if procedure.body.is_some() => &procedure.signature,
                Decl::Implementation(implementation) => &implementation.signature,
                _ => {
                    parts.rest.push(decl);
                    continue;
                }
            };
            parts.bodies.entry(signature.name.name.as_str()).or_default().push(decl);
        }
        parts
    }
}

/// What callers see of procedures with a body: everything but the body.
fn heads(decls: &[&Decl]) -> Vec<Decl> {
    let procedures = decls.iter().filter_map(|decl| match decl {
        Decl::Procedure(procedure) => {
            let mut head = procedure.clone();
            head.body = None;
            Some(Decl::Procedure(head))
        }
        _ => None,
    });
    procedures.collect()
}

#[cfg(test)]
mod tests {
    use mugie_core::{Language as _, LanguageOptions, SourceText};

    use crate::language::Boogie;

    const OLD: &str = "axiom 0 < 1; procedure p() ensures true; { } procedure q() { call p(); } \
                       procedure r(); implementation r() { assert true; }";

    fn changed(from: &str, to: &str) -> Option<Vec<String>> {
        let new = OLD.replace(from, to);
        assert_ne!(new, OLD);
        let [old, new] = [OLD, &new].map(|text| {
            vec![SourceText { name: "a.bpl".to_owned(), bytes: text.as_bytes().to_vec() }]
        });
        Boogie.changed(old, new, &LanguageOptions::default())
    }

    /// Asserts that a change concerns these procedures only.
    #[track_caller]
    fn concerns(from: &str, to: &str, names: &[&str]) {
        assert_eq!(changed(from, to).unwrap(), names);
    }

    #[test]
    fn a_body_concerns_its_own_procedure() {
        concerns("{ }", "{ assert true; }", &["p"]);
        concerns("assert true", "assert 1 < 2", &["r"]);
        concerns("{ }", "{ /* a remark */ }", &[]);
        concerns("axiom", "procedure s() { } axiom", &["s"]);
        concerns("procedure q() { call p(); }", "", &[]);
    }

    #[test]
    fn everything_else_may_concern_all() {
        assert_eq!(changed("0 < 1", "0 < 2"), None);
        assert_eq!(changed("ensures true", "ensures 1 < 2"), None);
        assert_eq!(changed("procedure r()", "procedure r(x: int)"), None);
        assert_eq!(changed("procedure r()", "procedure {:inline 1} r()"), None);
        assert_eq!(changed("axiom", "garbage"), None);
    }
}
