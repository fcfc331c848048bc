//! Reads attributes that have a meaning to the checker.

use bpl_syntax::ast::{Attr, AttrParam, ExprKind, LiteralKind, Name};

/// Whether a boolean attribute is set: the first attribute with that name decides, and it must have
/// no parameter or exactly `true`.
pub(crate) fn is_set(attrs: &[Attr], name: &str) -> bool {
    let Some(attr) = attrs.iter().find(|attr| attr.name == name) else { return false };
    match attr.params.as_slice() {
        [] => true,
        [AttrParam::Expr(expr)] => matches!(
            &expr.kind,
            ExprKind::Literal(literal)
                if literal.kind == LiteralKind::Bool && literal.text == "true"
        ),
        _ => false,
    }
}

/// The string of the first attribute with that name that has exactly one parameter, a string.
pub(crate) fn string<'a>(attrs: &'a [Attr], name: &str) -> Option<&'a Name> {
    attrs.iter().filter(|attr| attr.name == name).find_map(|attr| match attr.params.as_slice() {
        [AttrParam::Str(text)] => Some(text),
        _ => None,
    })
}
