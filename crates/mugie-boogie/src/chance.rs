//! Declarations that Boogie 3 sorts by chance.
//!
//! Boogie 3 sorts declarations by a hash of their content before they go to the solver. The hash of a
//! number that does not fit into 32 bits is another one in every process, and so is that of every
//! floating-point number and rounding mode. What Boogie 3.5.5 does with each kind of literal was found
//! out by experiment: triggers and attributes have no part in the hash, nor has anything but axioms and
//! definitions.

use bpl_syntax::ast::{Attr, Decl, Expr, ExprKind, Literal, LiteralKind, Trigger};
use bpl_syntax::visit::Visit;

use crate::subject::Subject;

/// The smallest number whose hash differs from process to process.
const TOO_LARGE: u64 = 1 << 31;

impl Subject {
    /// The declarations that are sorted by chance, by index, unless there is nothing to sort.
    pub(crate) fn by_chance(&self) -> Vec<usize> {
        let mut sorted = 0;
        let mut found = Vec::new();
        for index in 0..self.len() {
            let decl = self.decl(index);
            let says = match &*decl {
                Decl::Axiom(_) => true,
                Decl::Function(function) => function.body.is_some() || function.uses.is_some(),
                Decl::Const(consts) => consts.uses.is_some(),
                _ => false,
            };
            if says {
                sorted += 1;
                if has_changing_hash(&decl) {
                    found.push(index);
                }
            }
        }
        if sorted < 2 { Vec::new() } else { found }
    }
}

/// Whether the hash of a declaration differs from process to process.
fn has_changing_hash(decl: &Decl) -> bool {
    struct Find(bool);
    impl<'d> Visit<'d> for Find {
        fn visit_expr(&mut self, expr: &'d Expr) {
            if let ExprKind::Literal(literal) = &expr.kind {
                self.0 |= is_changing(literal);
            }
            self.walk_expr(expr);
        }
        fn visit_trigger(&mut self, _: &'d Trigger) {}
        fn visit_attr(&mut self, _: &'d Attr) {}
    }
    let mut find = Find(false);
    find.visit_decl(decl);
    find.0
}

fn is_changing(Literal { kind, text }: &Literal) -> bool {
    let is_large =
        |digits: &str| digits.parse::<u64>().map_or(!digits.is_empty(), |it| it >= TOO_LARGE);
    match kind {
        LiteralKind::Bool | LiteralKind::Str => false,
        LiteralKind::Int => is_large(text),
        LiteralKind::BitVector => is_large(text.split("bv").next().unwrap_or_default()),
        // A real number is a whole number without zeros at its end, and a power of ten.
        LiteralKind::Real => {
            let digits = text.split(['e', 'E']).next().unwrap_or_default().replace('.', "");
            is_large(digits.trim_end_matches('0'))
        }
        LiteralKind::Float | LiteralKind::RoundingMode => true,
    }
}

#[cfg(test)]
mod tests {
    use bpl_syntax::Dialect;

    use crate::subject::Subject;

    fn by_chance(axiom: &str) -> usize {
        let text = format!("axiom true; {axiom}");
        Subject::new(&bpl_syntax::parse(&text, Dialect::Boogie3).program).by_chance().len()
    }

    #[test]
    fn large_numbers_are_sorted_by_chance() {
        for literal in [
            "2147483648",
            "3000000000",
            "99999999999999999999999",
            "2147483648bv32",
            "214748364.8",
            "3000000001.0",
            "0x1.0e0f24e8",
            "0NaN24e8",
            "RNE",
        ] {
            assert_eq!(by_chance(&format!("axiom f({literal});")), 1, "{literal}");
        }
        for literal in [
            "2147483647",
            "0",
            "2147483647bv32",
            "214748364.7",
            "3000000000.0",
            "3e20",
            "0.0",
            "true",
        ] {
            assert_eq!(by_chance(&format!("axiom f({literal});")), 0, "{literal}");
        }
    }

    #[test]
    fn only_axioms_and_definitions_are_sorted() {
        for (decl, number) in [
            ("function f(): int { 3000000000 }", 1),
            ("function f(): int uses { axiom f() == 3000000000; }", 1),
            ("const c: int uses { axiom c == 3000000000; }", 1),
            ("axiom (forall x: int :: {f(x + 3000000000)} f(x));", 0),
            ("axiom {:a 3000000000} true;", 0),
            ("procedure p() requires f(3000000000); { assert f(3000000000); }", 0),
            ("var x: int where x > 3000000000;", 0),
        ] {
            assert_eq!(by_chance(decl), number, "{decl}");
        }
        let alone = "axiom f(3000000000);";
        let alone = Subject::new(&bpl_syntax::parse(alone, Dialect::Boogie3).program);
        assert_eq!(alone.by_chance(), [], "a single axiom has no order");
    }
}
