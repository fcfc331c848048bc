//! Types.

use super::{Parsed, Parser};
use crate::ast::{Ident, List, MapType, Type, TypeKind, VarGroup};
use crate::span::Span;
use crate::token::TokenKind as T;

impl Parser<'_> {
    /// `int`, `C t u`, `<a>[t]u`
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.token();
        match self.kind() {
            T::Ident => {
                let Ident { name, .. } = self.ident()?;
                let args = self.type_args()?;
                Ok(Type { span: self.span_from(start), kind: TypeKind::Named { name, args } })
            }
            T::LeftBracket | T::Less => self.map_type(),
            _ => self.type_atom(),
        }
    }

    fn type_atom(&mut self) -> Parsed<Type> {
        let start = self.token();
        let kind = match self.kind() {
            T::Int => TypeKind::Int,
            T::Real => TypeKind::Real,
            T::Bool => TypeKind::Bool,
            T::LeftParen => {
                self.bump();
                let ty = self.nested(Self::ty)?;
                self.expect(T::RightParen)?;
                return Ok(ty);
            }
            _ => return self.fail("a type"),
        };
        self.bump();
        Ok(Type { span: start.span(), kind })
    }

    /// Parses as many arguments as possible. A map type ends the list, since the following types
    /// belong to it.
    fn type_args(&mut self) -> Parsed<List<Type>> {
        let mut args = Vec::new();
        loop {
            match self.kind() {
                T::Int | T::Real | T::Bool | T::LeftParen => args.push(self.type_atom()?),
                T::Ident => {
                    let Ident { span, name } = self.ident()?;
                    args.push(Type { span, kind: TypeKind::Named { name, args: List::new() } });
                }
                T::LeftBracket | T::Less => {
                    args.push(self.map_type()?);
                    return Ok(args.into());
                }
                _ => return Ok(args.into()),
            }
        }
    }

    fn map_type(&mut self) -> Parsed<Type> {
        let start = self.token();
        let type_params = self.type_params()?;
        self.expect(T::LeftBracket)?;
        let (domain, range) = self.nested(|p| {
            let domain = p.thin_list_until(T::RightBracket, Self::ty)?;
            Ok((domain, p.ty()?))
        })?;
        let map = MapType { type_params, domain, range };
        Ok(Type { span: self.span_from(start), kind: TypeKind::Map(Box::new(map)) })
    }

    /// `<a, b>`, or nothing
    pub(super) fn type_params(&mut self) -> Parsed<List<Ident>> {
        if !self.eat(T::Less) {
            return Ok(List::new());
        }
        let params = self.idents()?;
        self.expect(T::Greater)?;
        Ok(params)
    }

    /// `{:attr} x, y: T where e`, with attributes and `where` only if they are allowed here
    pub(super) fn group(&mut self, attrs: bool, where_clause: Where) -> Parsed<VarGroup> {
        let start = self.token();
        let attrs = if attrs { self.attrs()? } else { List::new() };
        let names = self.idents()?;
        self.expect(T::Colon)?;
        let ty = self.ty()?;
        let mut clause = None;
        if self.at(T::Where) {
            let token = self.bump();
            let expr = self.expr()?;
            match where_clause {
                Where::Allowed => clause = Some(Box::new(expr)),
                Where::Forbidden(place) => self.where_not_allowed(token.span(), place),
            }
        }
        Ok(VarGroup { span: self.span_from(start), attrs, names, ty, where_clause: clause })
    }

    fn where_not_allowed(&mut self, span: Span, place: &str) {
        self.error(span, format!("`where` clause not allowed on {place}"));
    }

    /// Parses groups and the closing parenthesis.
    pub(super) fn groups(&mut self, attrs: bool, where_clause: Where) -> Parsed<Vec<VarGroup>> {
        self.list_until(T::RightParen, |p| p.group(attrs, where_clause))
    }
}

/// Whether variables may have `where` clauses here.
#[derive(Clone, Copy)]
pub(super) enum Where {
    Allowed,
    /// Not allowed, on variables of this kind.
    Forbidden(&'static str),
}
