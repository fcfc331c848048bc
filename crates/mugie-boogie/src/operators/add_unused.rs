//! Adds a declaration that nothing refers to.

use bpl_syntax::ast::{Decl, Name};
use bpl_syntax::{Dialect, parse};

use crate::mentions::first_free;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{Operator, operator};
use crate::subject::{Rearrangement, Subject};

operator! {
    /// Adds a declaration that nothing refers to.
    ///
    /// ```boogie before
    /// const c: int;
    /// ```
    /// ```boogie after
    /// function unused_definition(x: int): int { x + 1 }
    /// const c: int;
    /// ```
    ///
    /// The declaration is a type, a constant, a function with or without a body, a polymorphic
    /// function, a global variable or a procedure. A function with a body gives the solver one more
    /// axiom; a polymorphic function can change the encoding of all types.
    ///
    /// It is not applied at many places at once: of each kind, one addition is enough for what it may do to
    /// the encoding of the program.
    ///
    /// ## Applies when
    /// the program has no such addition of the same kind yet; before each declaration of the main
    /// file and at its end. Programs that use CIVL, which has rules for all declarations, are left
    /// alone. A Boogie 2 program with datatypes (`:datatype`), floating-point numbers or powers
    /// gets nothing polymorphic: these features work in only one of the two type encodings, and
    /// every such program would fail for this one reason.
    ///
    /// ## Sound because
    /// the name is used nowhere else, and the new declaration says nothing about the rest of the
    /// program: it has no `where` clause and is not `unique`, and a function with the values of its
    /// body exists.
    AddUnused = / "add-unused" in Extended
}

const POLYMORPHIC: &str = "unused_polymorphic";

/// The declarations that can be added: a base name, and the declaration with `%` in place of the
/// name.
const KINDS: [(&str, &str); 7] = [
    ("unused_type", "type %;"),
    ("unused_const", "const %: int;"),
    ("unused_function", "function %(x: int): int;"),
    ("unused_definition", "function %(x: int): int { x + 1 }"),
    (POLYMORPHIC, "function %<%_t>(x: %_t): %_t;"),
    ("unused_var", "var %: int;"),
    ("unused_procedure", "procedure %(x: int);"),
];

impl Operator for AddUnused {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        if subject.facts().has_civl() {
            return;
        }
        let added: Vec<&Name> = (0..subject.len())
            .filter(|&index| subject.is_added(index))
            .flat_map(|index| &subject.mentions(index).declared)
            .collect();
        let gaps = subject.main_len() + 1;
        for (base, source) in KINDS {
            if added.iter().any(|name| name.starts_with(base))
                || base == POLYMORPHIC && subject.facts().depends_on_encoding()
            {
                continue;
            }
            offers.many(gaps as u64, |gap| {
                let gap = usize::try_from(gap).unwrap_or(0);
                // A type variable must not have the name of a type, either.
                let is_free =
                    |name: &str| subject.is_free(name) && subject.is_free(&format!("{name}_t"));
                let name = if is_free(base) {
                    base.to_owned()
                } else {
                    first_free(&format!("{base}_"), is_free)
                };
                let decl = declaration(&source.replace('%', &name), subject.dialect());
                let place = match gap + 1 {
                    last if last == gaps => "at the end".to_owned(),
                    _ => format!("before {}", subject.describe(gap)),
                };
                let words = format!("add {} `{name}` {place}", decl.keyword());
                Change::new(words, Rearrangement::Insert(gap, decl))
            });
        }
    }
}

fn declaration(source: &str, dialect: Dialect) -> Decl {
    let decl = parse(source, dialect).program.decls.pop();
    Decl::clone(&decl.expect("each of the sources is a declaration in both dialects"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{all, results, subject, words};
    use super::*;

    #[test]
    fn each_kind_goes_into_each_gap() {
        let source = "const a: int; const unused_const: int;";
        let results = results(&AddUnused, source);
        assert_eq!(results.len(), KINDS.len() * 3);
        assert_eq!(
            results[4],
            "const a: int;\nconst unused_const_1: int;\nconst unused_const: int;\n"
        );
        assert_eq!(
            words(&AddUnused, source)[..3],
            [
                "add type `unused_type` before const `a`",
                "add type `unused_type` before const `unused_const`",
                "add type `unused_type` at the end"
            ]
        );
    }

    #[test]
    fn one_of_each_kind_is_enough() {
        let mut subject = subject("procedure p();");
        for left in (0..KINDS.len()).rev() {
            let mut added = all(&AddUnused, &subject);
            subject = added.pop().unwrap().subject;
            assert_eq!(all(&AddUnused, &subject).len(), left * (subject.len() + 1));
        }
        assert_eq!(subject.len(), 1 + KINDS.len());
    }

    #[test]
    fn the_end_of_the_main_file_is_not_the_second_file() {
        let subject = subject("const a: int; const b: int;");
        let split = &all(super::super::find("S3").unwrap(), &subject)[0].subject;
        let last = &all(&AddUnused, split)[1].subject;
        let files = last.files();
        assert_eq!(files[0].text, "const b: int;\n\ntype unused_type;\n");
        assert_eq!(files[1].text, "const a: int;\n");
    }

    #[test]
    fn a_type_variable_has_no_name_that_is_taken() {
        let source = "type unused_polymorphic_t; type T;";
        let added = "function unused_polymorphic_1<unused_polymorphic_1_t>";
        assert!(results(&AddUnused, source).iter().any(|result| result.contains(added)));
    }

    #[test]
    fn nothing_polymorphic_is_added_where_the_encoding_matters() {
        for source in [
            "type {:datatype} D; function {:constructor} C(x: int): D;",
            "const x: float24e8; const y: int;",
            "axiom 0x1.8e0f24e8 == 0x1.8e0f24e8; const y: int;",
            "axiom 2.0 ** 2.0 == 4.0; const y: int;",
        ] {
            let results = results(&AddUnused, source);
            assert_eq!(results.len(), (KINDS.len() - 1) * 3, "{source}");
            assert!(results.iter().all(|result| !result.contains(POLYMORPHIC)), "{source}");
        }
    }

    #[test]
    fn nothing_is_added_under_civl() {
        assert!(results(&AddUnused, "procedure {:yields} p();").is_empty());
    }
}
