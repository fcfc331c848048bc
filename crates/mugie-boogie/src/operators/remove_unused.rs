//! Removes a declaration that nothing refers to.

use bpl_syntax::ast::{Attr, Decl, Name, Type, TypeKind};
use bpl_syntax::visit::Visit;
use rustc_hash::FxHashMap;

use super::define_by_axiom::is_about_definition;
use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::subject::{Rearrangement, Subject};

operator! {
    /// Removes a declaration that nothing refers to.
    ///
    /// ```boogie before
    /// function f(x: int): int { x + 1 }
    /// procedure p() { }
    /// ```
    /// ```boogie after
    /// procedure p() { }
    /// ```
    ///
    /// ## Applies when
    /// none of its names occurs anywhere else, including in attributes, triggers and strings, nor a
    /// second time in the declaration itself. It is a type, a constant that is not `unique` and not
    /// part of the order `<:`, a function, a global variable without a `where` clause, or a
    /// procedure without a body. It has no `uses` block and no attributes other than `:inline`,
    /// `:weight`, `:qid`, `:skolemid` and `:verboseName`: other attributes may give it a meaning
    /// (`:builtin`), tie it to other names (`:extern`, `:constructor`), or make it an input of
    /// another tool (`:existential`). Nothing polymorphic is removed from Boogie 2 programs with
    /// datatypes, floating-point numbers or powers (see `add-unused`). Another declaration remains
    /// in the same file. Programs that use CIVL are left alone.
    ///
    /// ## Sound because
    /// such a declaration says nothing about the rest of the program. A function body that does not
    /// mention the function merely defines it; a recursive body might be contradictory, and a
    /// `unique` constant implies that its type has one more value.
    RemoveUnused = / "remove-unused" in Extended
}

impl Operator for RemoveUnused {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("remove unused declarations"))
    }

    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        if subject.facts().has_civl() {
            return;
        }
        // The number of declarations in which each name occurs.
        let mut number: FxHashMap<&Name, u32> = FxHashMap::default();
        for name in (0..subject.len()).flat_map(|index| &subject.mentions(index).words) {
            *number.entry(name).or_default() += 1;
        }
        for index in (0..subject.len()).filter(|&index| subject.can_remove(index)) {
            let mentions = subject.mentions(index);
            let is_unused = |name: &Name| number[name] == 1 && !mentions.is_repeated(name);
            if mentions.declared.is_empty()
                || !mentions.declared.iter().all(is_unused)
                || !is_silent(&subject.decl(index), subject.facts())
            {
                continue;
            }
            offers.one(|| {
                let words = format!("remove {}", subject.describe(index));
                Change::new(words, Rearrangement::Replace(vec![(index, Vec::new())]))
            });
        }
    }
}

/// Whether a declaration only introduces a name and says nothing about the rest of the program.
fn is_silent(decl: &Decl, facts: &Facts) -> bool {
    let is_plain = |attr: &Attr| is_about_definition(attr) || attr.name == "inline";
    if !decl.attrs().iter().all(is_plain) || facts.depends_on_encoding() && is_polymorphic(decl) {
        return false;
    }
    match decl {
        Decl::Type(_) => true,
        Decl::Const(consts) => !consts.unique && consts.order.is_none() && consts.uses.is_none(),
        Decl::Function(function) => function.uses.is_none(),
        Decl::Var(vars) => vars.groups.iter().all(|group| group.where_clause.is_none()),
        Decl::Procedure(procedure) => procedure.body.is_none(),
        Decl::Axiom(_)
        | Decl::Implementation(_)
        | Decl::Datatype(_)
        | Decl::Action(_)
        | Decl::Invariant(_) => false,
    }
}

/// Whether a declaration has type parameters, either its own or in map types.
fn is_polymorphic(decl: &Decl) -> bool {
    struct Polymorphic(bool);
    impl<'d> Visit<'d> for Polymorphic {
        fn visit_type(&mut self, ty: &'d Type) {
            self.0 |= matches!(&ty.kind, TypeKind::Map(map) if !map.type_params.is_empty());
            self.walk_type(ty);
        }
    }
    let mut inside = Polymorphic(false);
    inside.visit_decl(decl);
    inside.0
        || match decl {
            Decl::Function(function) => !function.type_params.is_empty(),
            Decl::Procedure(procedure) => !procedure.signature.type_params.is_empty(),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{all, check, results, subject, words};
    use super::*;

    #[test]
    fn what_nothing_refers_to_goes() {
        let source = "type T; const a, b: int; function {:inline} f(x: int): int { x }
                      function g<U>(x: U): U; var v: int; procedure p(x: int); ensures x > 0;
                      axiom true;";
        assert_eq!(
            words(&RemoveUnused, source),
            [
                "remove type `T`",
                "remove const `a` and 1 more",
                "remove function `f`",
                "remove function `g`",
                "remove var `v`",
                "remove procedure `p`"
            ]
        );
    }

    #[test]
    fn what_says_something_stays() {
        for source in [
            "const unique a: int; axiom true;",
            "const a: int extends; axiom true;",
            "var a: int where a > 0; axiom true;",
            "const a, b: int; axiom a > 0;",
            "function f(x: int): int { f(x) + 1 } axiom true;",
            "procedure p() { } axiom true;",
            "procedure p(); implementation p() { }",
            "function f(x: int): bool; axiom (forall x: int :: {:a f(x)} x == x);",
            "type {:datatype} D; function {:constructor} C(): D;",
            "const a: int; axiom {:s \"a\"} true;",
            "const a: int; procedure {:yields} p() { }",
            "const a: int;",
            "function {:builtin \"0\"} zero(): int { 1 } axiom true;",
            "function {:bvbuiltin \"bvneg\"} neg(x: bv8): bv8; axiom true;",
            "const {:existential true} b: bool; axiom true;",
            "procedure {:entrypoint} p(); axiom true;",
            "type {:datatype} D; function {:constructor} C(): D; function f<T>(x: T): T;
             axiom C() == C(); var m: <T>[T]int;",
        ] {
            assert!(results(&RemoveUnused, source).is_empty(), "{source}");
        }
    }

    #[test]
    fn an_empty_second_file_disappears_and_the_main_file_never_empties() {
        check(&RemoveUnused, "const a: int; axiom true;", &["axiom true;"]);
        let subject = subject("const a: int; axiom true;");
        let split = &all(super::super::find("S3").unwrap(), &subject);
        let [without_a, _, without_axiom, _] = split.as_slice() else { panic!() };
        let removed = all(&RemoveUnused, &without_a.subject);
        assert_eq!(removed.len(), 1);
        assert_eq!(removed[0].subject.files().len(), 1);
        assert!(all(&RemoveUnused, &without_axiom.subject).is_empty());
    }
}
