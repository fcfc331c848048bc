//! The types of operators and literals.
//!
//! Boogie tries the possible operand types in a fixed order and commits to the first that fits. So
//! `f() + 1.0` with `f<a>(): a` is an error: the unknown type has become `int` by the time the
//! second operand is considered. The rules here follow the same order.

use bpl_syntax::ast::{BinaryOp, Literal, LiteralKind, UnaryOp};

use crate::type_names::{float, parse_size};
use crate::types::{TypeId, TypeKind};
use crate::unify::Solver;

/// The operator's symbol.
pub(crate) fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Iff => "<==>",
        BinaryOp::Implies => "==>",
        BinaryOp::Explies => "<==",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Subtype => "<:",
        BinaryOp::Concat => "++",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::RealDiv => "/",
        BinaryOp::Div => "div",
        BinaryOp::Mod => "mod",
        BinaryOp::Pow => "**",
    }
}

/// The type of an operation, or `None` if the operands do not fit.
pub(crate) fn binary(
    solver: &mut Solver<'_>,
    op: BinaryOp,
    left: TypeId,
    right: TypeId,
) -> Option<TypeId> {
    // Whether both operands are of one type.
    let both = |solver: &mut Solver<'_>, ty| solver.unify(left, ty) && solver.unify(right, ty);
    let is_float = |solver: &Solver<'_>| {
        matches!(solver.types.kind(solver.resolve(left)), TypeKind::Float { .. })
    };
    match op {
        BinaryOp::Iff | BinaryOp::Implies | BinaryOp::Explies | BinaryOp::And | BinaryOp::Or => {
            both(solver, TypeId::BOOL).then_some(TypeId::BOOL)
        }
        BinaryOp::Eq | BinaryOp::Ne => solver.comparable(left, right).then_some(TypeId::BOOL),
        BinaryOp::Subtype => solver.unify(left, right).then_some(TypeId::BOOL),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            let fits = both(solver, TypeId::INT)
                || both(solver, TypeId::REAL)
                || (is_float(solver) && solver.unify(left, right));
            fits.then_some(TypeId::BOOL)
        }
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
            if both(solver, TypeId::INT) {
                Some(TypeId::INT)
            } else if both(solver, TypeId::REAL) {
                Some(TypeId::REAL)
            } else if is_float(solver) && solver.unify(left, right) {
                Some(left)
            } else {
                None
            }
        }
        BinaryOp::RealDiv => {
            let number = |solver: &mut Solver<'_>, ty| {
                solver.unify(ty, TypeId::INT) || solver.unify(ty, TypeId::REAL)
            };
            if number(solver, left) && number(solver, right) {
                Some(TypeId::REAL)
            } else if is_float(solver) && solver.unify(left, right) {
                Some(left)
            } else {
                None
            }
        }
        BinaryOp::Div | BinaryOp::Mod => both(solver, TypeId::INT).then_some(TypeId::INT),
        BinaryOp::Pow => both(solver, TypeId::REAL).then_some(TypeId::REAL),
        BinaryOp::Concat => concat(solver, left, right),
    }
}

fn concat(solver: &mut Solver<'_>, left: TypeId, right: TypeId) -> Option<TypeId> {
    let (left, right) = (solver.resolve(left), solver.resolve(right));
    match (solver.types.kind(left), solver.types.kind(right)) {
        (TypeKind::BitVector(left), TypeKind::BitVector(right)) => {
            let width = left.checked_add(*right)?;
            Some(solver.types.intern(TypeKind::BitVector(width)))
        }
        // If the width of an operand is unknown, it follows from the use of the whole expression.
        (
            TypeKind::BitVector(_) | TypeKind::Unknown(_) | TypeKind::Error,
            TypeKind::BitVector(_) | TypeKind::Unknown(_) | TypeKind::Error,
        ) => Some(solver.unknown()),
        _ => None,
    }
}

/// The type of a prefix operation, or `None` if the operand does not fit.
pub(crate) fn unary(solver: &mut Solver<'_>, op: UnaryOp, operand: TypeId) -> Option<TypeId> {
    let candidates: &[TypeId] = match op {
        UnaryOp::Not => &[TypeId::BOOL],
        UnaryOp::Neg => &[TypeId::INT, TypeId::REAL],
    };
    candidates.iter().copied().find(|&ty| solver.unify(operand, ty))
}

/// The type of a literal; `None` if its size is too large.
pub(crate) fn literal(solver: &mut Solver<'_>, literal: &Literal) -> Option<TypeId> {
    let text = literal.text.as_str();
    Some(match literal.kind {
        LiteralKind::Bool => TypeId::BOOL,
        LiteralKind::Int => TypeId::INT,
        LiteralKind::Real => TypeId::REAL,
        LiteralKind::RoundingMode => TypeId::ROUNDING_MODE,
        LiteralKind::Str => TypeId::STR,
        LiteralKind::BitVector => {
            let (_, width) = text.split_once("bv")?;
            let width = parse_size(width)?;
            solver.types.intern(TypeKind::BitVector(width))
        }
        LiteralKind::Float => {
            // The sizes are the last two numbers of `0x1.8e0f24e8`, `0NaN24e8`, `0+oo24e8`.
            let (head, exponent) = text.rsplit_once('e')?;
            let digits = head.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let kind = float(&head[digits..], exponent)?;
            solver.types.intern(kind)
        }
    })
}
