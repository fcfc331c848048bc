//! Renames a global identifier.

use bpl_syntax::ast::{Attr, Decl, Name};
use bpl_syntax::visit::{Namespace, VisitMut};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mentions::{Rename, is_renamed, new_name};
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{Operator, operator};
use crate::subject::{Rearrangement, Subject};

operator! {
    /// Renames a function, constant, global variable, type or procedure.
    ///
    /// ```boogie before
    /// const c: int;
    /// axiom c > 0;
    /// ```
    /// ```boogie after
    /// const c_r1: int;
    /// axiom c_r1 > 0;
    /// ```
    ///
    /// The new name is the old one followed by `_r1`, or by the first of `_r2`, `_r3`, … that gives
    /// a name which does not occur in the program. Every occurrence is renamed: in triggers and
    /// attributes, in `modifies` and `extends`, and in the implementations of a procedure.
    ///
    /// It is not applied at many places at once: the new names are numbered, so a second name depends on
    /// the first, and no part of such a list could be left out.
    ///
    /// ## Applies when
    /// the name is declared once, is not bound by a local variable, parameter or quantifier, is not
    /// a word of a string, and does not already end in `_r` and a number. Declarations with
    /// `:extern`, `:ignore`, `:constructor` or `:datatype`, and the datatypes of Boogie 3, keep
    /// their names: other names are derived from them, and a new name must avoid those as well.
    /// Constants with `:existential` and variables with `:assumption` keep their names, since other
    /// operators recognise them by name. So do names that look like those that Boogie generates
    /// (`inline$…`, `lambda#…`, `is#…`) or reserves for its own types (`rmode`, `string`, `regex`,
    /// `float…`), and all names of programs that use CIVL.
    ///
    /// ## Sound because
    /// a name means nothing but its declaration, and the new name was not in use.
    RenameGlobal = / "rename-global" in Extended
}

impl Operator for RenameGlobal {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        if subject.facts().has_civl() {
            return;
        }
        let mut reserved = FxHashSet::default();
        let mut declared: FxHashMap<&Name, u32> = FxHashMap::default();
        for index in 0..subject.len() {
            let mentions = subject.mentions(index);
            reserved.extend(&mentions.reserved);
            for name in &mentions.declared {
                *declared.entry(name).or_default() += 1;
            }
        }
        for index in 0..subject.len() {
            let names = &subject.mentions(index).declared;
            let is_candidate =
                |name: &Name| declared[name] == 1 && !reserved.contains(name) && !is_special(name);
            if !names.iter().any(is_candidate) {
                continue;
            }
            let decl = subject.decl(index);
            let Some(among) = namespaces(&decl) else { continue };
            if !subject.is_movable(index) {
                continue;
            }
            for name in names.iter().filter(|name| is_candidate(name)) {
                offers.one(|| {
                    let new = Name::from(new_name(name, |name| subject.is_free(name)));
                    let words = format!("rename {} `{name}` to `{new}`", decl.keyword());
                    Change::new(words, rename(subject, name, &new, among))
                });
            }
        }
    }
}

/// The namespaces of the names that a declaration introduces; `None` if they cannot be renamed.
fn namespaces(decl: &Decl) -> Option<&'static [Namespace]> {
    use Namespace::{Constructor, Function, Procedure, Type, Variable};
    let is_fixed = |attr: &Attr| {
        const FIXED: [&str; 6] =
            ["extern", "ignore", "constructor", "datatype", "existential", "assumption"];
        FIXED.contains(&attr.name.as_str())
    };
    if decl.attrs().iter().any(is_fixed) {
        return None;
    }
    match decl {
        Decl::Type(_) => Some(&[Type]),
        Decl::Const(_) | Decl::Var(_) => Some(&[Variable]),
        Decl::Function(_) | Decl::Procedure(_) => Some(&[Function, Procedure, Constructor]),
        Decl::Axiom(_)
        | Decl::Implementation(_)
        | Decl::Datatype(_)
        | Decl::Action(_)
        | Decl::Invariant(_) => None,
    }
}

/// Whether a name has a special meaning to Boogie, or could get one with a suffix.
fn is_special(name: &str) -> bool {
    const PREFIXES: [&str; 4] = ["inline$", "lambda#", "is#", "float"];
    is_renamed(name)
        || matches!(name, "rmode" | "string" | "regex")
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn rename(subject: &Subject, from: &Name, to: &Name, among: &'static [Namespace]) -> Rearrangement {
    let renamed = |index: usize| {
        if !subject.mentions(index).contains(from) {
            return None;
        }
        let mut copy = Decl::clone(&subject.decl(index));
        let mut rename = Rename { from, to: to.clone(), among, found: false };
        rename.visit_decl(&mut copy);
        rename.found.then(|| (index, vec![copy]))
    };
    Rearrangement::Replace((0..subject.len()).filter_map(renamed).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    #[test]
    fn every_use_gets_the_new_name() {
        let source = "type T; const c: T; function f(x: T): bool;
                      axiom (forall x: T :: {:a f(c)} {f(x)} f(x));
                      var g: T; procedure p(); modifies g;
                      implementation p() { g := c; call p(); T: goto T; }";
        let renamed = results(&RenameGlobal, source);
        assert_eq!(renamed.len(), 5);
        for (text, (name, uses)) in
            renamed.iter().zip([("T", 5), ("c", 3), ("f", 4), ("g", 3), ("p", 3)])
        {
            assert_eq!(text.matches(&format!("{name}_r1")).count(), uses, "{text}");
        }
        assert_eq!(words(&RenameGlobal, source)[2], "rename function `f` to `f_r1`");
    }

    #[test]
    fn the_new_name_is_used_nowhere() {
        check(
            &RenameGlobal,
            "const a: int; axiom (exists a_r1: int :: a == a_r1); procedure q() { a_r2: }",
            &[
                "const a_r3: int; axiom (exists a_r1: int :: a_r3 == a_r1); procedure q() { a_r2: }",
                "const a: int; axiom (exists a_r1: int :: a == a_r1); procedure q_r1() { a_r2: }",
            ],
        );
    }

    #[test]
    fn the_new_name_is_no_selector() {
        let source = "type {:datatype} D; function {:constructor} C_r1(x: int): D;
                      function x#C(d: int): int;";
        let words = words(&RenameGlobal, source);
        assert_eq!(words, ["rename function `x#C` to `x#C_r2`"]);
    }

    #[test]
    fn names_with_another_meaning_stay() {
        for source in [
            "const a: int; axiom (forall a: int :: a == a);",
            "var a: int; procedure {:extern} p(a: int);",
            "type a; const a: a;",
            "type {:datatype} D; function {:constructor} C(x: int): D;",
            "const a: int; axiom {:s \"not a word\"} a == 1;",
            "const a_r1: int; type string; function is#C(x: int): bool;",
            "function {:extern} f(): int; function {:extern} f(): int;",
            "var {:layer 0,1} v: int; const c: int;",
            "datatype D { C(x: int) }",
            "const {:existential true} b: bool; var {:assumption} a: bool;",
        ] {
            assert_eq!(results(&RenameGlobal, source), [""; 0], "{source}");
        }
    }

    #[test]
    fn a_procedure_of_which_the_first_implementation_counts_stays() {
        let source = "procedure {:inline 1} p(); implementation p() {} implementation p() {}";
        assert!(results(&RenameGlobal, source).is_empty());
    }
}
