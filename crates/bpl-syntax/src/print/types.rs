//! Prints types.

use super::printer::Printer;
use crate::ast::{MapType, Type, TypeKind};
use crate::stack::deep;

impl Printer {
    /// Writes a type.
    pub(super) fn ty(&mut self, ty: &Type) {
        let Type { span: _, kind } = ty;
        match kind {
            TypeKind::Int => self.push("int"),
            TypeKind::Real => self.push("real"),
            TypeKind::Bool => self.push("bool"),
            TypeKind::Named { name, args } => {
                self.name(name);
                for (i, arg) in args.iter().enumerate() {
                    self.push(" ");
                    self.type_argument(arg, i + 1 == args.len());
                }
            }
            TypeKind::Map(map) => deep(|| self.map_type(map)),
        }
    }

    /// Writes a type argument. Arguments are parsed greedily, so an argument with its own arguments
    /// needs parentheses; a map type takes all following arguments, so it needs them unless it is
    /// the last.
    fn type_argument(&mut self, arg: &Type, is_last: bool) {
        let is_bare = match &arg.kind {
            TypeKind::Int | TypeKind::Real | TypeKind::Bool => true,
            TypeKind::Named { name: _, args } => args.is_empty(),
            TypeKind::Map(_) => is_last,
        };
        if is_bare {
            self.ty(arg);
        } else {
            self.enclosed("(", ")", |p| deep(|| p.ty(arg)));
        }
    }

    fn map_type(&mut self, map: &MapType) {
        let MapType { type_params, domain, range } = map;
        self.type_params(type_params);
        self.bracketed("[", domain, "]", Printer::ty);
        self.ty(range);
    }
}
