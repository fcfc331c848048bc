//! The table of infix operators: spelling, binding power, associativity.
//!
//! Both the parser and the printer use it, so the parser reads back what the printer writes.

use crate::ast::{BinaryOp, UnaryOp};

/// A binding power; a greater one binds more tightly.
pub type Level = u8;

/// The binding powers of constructs other than infix operators.
pub mod level {
    use super::Level;

    /// Any expression: an argument, a clause, a body.
    pub const WHOLE: Level = 0;
    /// `e is C`
    pub const IS: Level = 8;
    /// `!e`, `-e`
    pub const UNARY: Level = 9;
    /// `e: T`
    pub const COERCION: Level = 10;
    /// `m[i]`, `e->f`
    pub const POSTFIX: Level = 11;
    /// Names, literals, calls, and anything in brackets.
    pub const ATOM: Level = 12;
}

/// The side on which an operator takes an operand of its own level without parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Associativity {
    /// `a - b - c` is `(a - b) - c`.
    Left,
    /// `a ==> b ==> c` is `a ==> (b ==> c)`.
    Right,
    /// `a < b < c` is an error.
    None,
}

/// A side of an infix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before the operator.
    Left,
    /// After the operator.
    Right,
}

/// The properties of an infix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The operator.
    pub op: BinaryOp,
    /// The spelling.
    pub text: &'static str,
    /// The binding power.
    pub level: Level,
    /// The associativity.
    pub associativity: Associativity,
    /// Whether a chain may mix it with the other operators of its level.
    pub mixes: bool,
}

/// All infix operators, weakest first, in the order of [`BinaryOp`].
pub const OPERATORS: [Operator; 20] = {
    use Associativity::{Left, None, Right};
    use BinaryOp::{
        Add, And, Concat, Div, Eq, Explies, Ge, Gt, Iff, Implies, Le, Lt, Mod, Mul, Ne, Or, Pow,
        RealDiv, Sub, Subtype,
    };
    [
        infix(Iff, "<==>", 0, Left, true),
        infix(Implies, "==>", 1, Right, false),
        infix(Explies, "<==", 1, Left, false),
        infix(And, "&&", 2, Left, false),
        infix(Or, "||", 2, Left, false),
        infix(Eq, "==", 3, None, false),
        infix(Ne, "!=", 3, None, false),
        infix(Lt, "<", 3, None, false),
        infix(Le, "<=", 3, None, false),
        infix(Gt, ">", 3, None, false),
        infix(Ge, ">=", 3, None, false),
        infix(Subtype, "<:", 3, None, false),
        infix(Concat, "++", 4, Left, true),
        infix(Add, "+", 5, Left, true),
        infix(Sub, "-", 5, Left, true),
        infix(Mul, "*", 6, Left, true),
        infix(RealDiv, "/", 6, Left, true),
        infix(Div, "div", 6, Left, true),
        infix(Mod, "mod", 6, Left, true),
        infix(Pow, "**", 7, Right, true),
    ]
};

const fn infix(
    op: BinaryOp,
    text: &'static str,
    level: Level,
    associativity: Associativity,
    mixes: bool,
) -> Operator {
    Operator { op, text, level, associativity, mixes }
}

impl BinaryOp {
    /// The operator's row of the table.
    pub const fn info(self) -> &'static Operator {
        &OPERATORS[self as usize]
    }

    /// The spelling.
    pub const fn text(self) -> &'static str {
        self.info().text
    }

    /// The binding power.
    pub const fn level(self) -> Level {
        self.info().level
    }

    /// The associativity.
    pub const fn associativity(self) -> Associativity {
        self.info().associativity
    }

    /// Whether `operand` may be on that side of this operator without parentheses.
    pub const fn admits(self, side: Side, operand: BinaryOp) -> bool {
        let (outer, inner) = (self.info(), operand.info());
        if inner.level != outer.level {
            return inner.level > outer.level;
        }
        let chains = matches!(
            (outer.associativity, side),
            (Associativity::Left, Side::Left) | (Associativity::Right, Side::Right)
        );
        chains && (outer.mixes || outer.op as usize == inner.op as usize)
    }
}

impl UnaryOp {
    /// The spelling.
    pub const fn text(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_their_operator_looks_for_them() {
        for (index, row) in OPERATORS.iter().enumerate() {
            assert_eq!(row.op as usize, index, "{}", row.text);
            assert_eq!(row.op.text(), row.text);
        }
    }

    #[test]
    fn levels_never_fall() {
        assert!(OPERATORS.is_sorted_by_key(|row| row.level));
        assert!(OPERATORS.iter().all(|row| row.level < level::IS));
    }

    #[test]
    fn chains_follow_the_grammar() {
        use BinaryOp::{Add, And, Eq, Explies, Implies, Or, Pow, Sub};
        use Side::{Left, Right};
        assert!(Sub.admits(Left, Add) && !Sub.admits(Right, Add));
        assert!(Pow.admits(Right, Pow) && !Pow.admits(Left, Pow));
        assert!(And.admits(Left, And) && !And.admits(Left, Or) && !And.admits(Right, And));
        assert!(!Eq.admits(Left, Eq) && !Eq.admits(Right, Eq));
        assert!(Implies.admits(Right, Implies) && !Implies.admits(Right, Explies));
        assert!(Explies.admits(Left, Explies) && !Explies.admits(Left, Implies));
        assert!(Implies.admits(Left, Or) && Implies.admits(Right, And));
    }
}
