//! Quantifiers, lambda expressions and code expressions.

use super::Generator;
use super::expr::{call, expr, variable};
use super::types::{PolymorphicMap, Ty};
use super::world::Variable;
use crate::ast::{
    Annotation, Binder, CodeBlock, CodeExpr, CodeTransfer, Expr, ExprKind, Goto, Ident, List,
    Quantifier, Trigger, VarGroup,
};
use crate::dialect::Dialect;
use crate::span::Span;

impl Generator<'_> {
    /// `(forall …)` or `(exists …)`
    pub(super) fn quantifier(&mut self, binder: Binder, depth: u32) -> Expr {
        let outer = (self.scope.locals.len(), self.scope.type_params.len());
        let mut type_params = Vec::new();
        if self.choices.chance(15) {
            type_params.push(Ident::new(self.declare_type_param()));
        }
        let least = usize::from(type_params.is_empty());
        let mut bound = Vec::new();
        for _ in 0..self.choices.between(least, 2) {
            let ty = self.ty(1);
            bound.push(self.bound_group(&ty));
        }
        let annotations = self.annotations(outer.0, outer.1);
        let body = self.expr(&Ty::Bool, depth);
        self.scope.locals.truncate(outer.0);
        self.scope.type_params.truncate(outer.1);
        let quantifier =
            Quantifier { binder, type_params: type_params.into(), bound, annotations, body };
        expr(ExprKind::Quantifier(Box::new(quantifier)))
    }

    /// Declares variables of this type.
    fn bound_group(&mut self, ty: &Ty) -> VarGroup {
        let attrs = self.literal_attrs();
        let count = self.choices.between(1, 2);
        let names = (0..count).map(|_| Ident::new(self.declare_local(ty.clone()))).collect();
        let ty = self.spell(ty);
        VarGroup { span: Span::default(), attrs, names, ty, where_clause: None }
    }

    /// Attributes and triggers of a quantifier that binds the locals and the type variables from
    /// these indices on.
    fn annotations(&mut self, first: usize, first_param: usize) -> Vec<Annotation> {
        let mut annotations = Vec::new();
        let mut bound = self.scope.locals[first..].to_vec();
        // A trigger must determine the type variables as well.
        let mut params = self.scope.type_params[first_param..].iter();
        if !params.all(|param| bound.iter().any(|variable| variable.ty.mentions(param))) {
            bound.clear();
        }
        while annotations.len() < 3 && self.choices.chance(35) {
            if bound.is_empty() || self.choices.chance(25) {
                annotations.extend(self.attrs().into_iter().map(Annotation::Attr));
                continue;
            }
            let mut terms: List<Expr> =
                bound.iter().map(|variable| self.trigger_term(variable)).collect();
            let negative = self.choices.chance(20);
            terms.truncate(if negative { 1 } else { terms.len() });
            let span = Span::default();
            annotations.push(Annotation::Trigger(Trigger { span, negative, terms }));
        }
        annotations
    }

    /// A term that mentions the variable and is allowed in a trigger.
    fn trigger_term(&mut self, bound: &Variable) -> Expr {
        let Variable { name, ty } = bound;
        if let Ty::Map(domain, _) = ty
            && domain.iter().all(|ty| ty.is_closed() || matches!(ty, Ty::Variable(_)))
            && domain.iter().all(|ty| self.has_values(ty))
            && self.choices.chance(50)
        {
            let indices = domain.iter().map(|ty| self.expr(ty, 0)).collect();
            return expr(ExprKind::Select(Box::new(variable(name.clone())), indices));
        }
        call(self.observer(ty), List::from([variable(name.clone())]))
    }

    /// A lambda expression of this map type, whose element type must have values.
    pub(super) fn lambda(&mut self, ty: &Ty, depth: u32) -> Expr {
        let outer = (self.scope.locals.len(), self.scope.type_params.len());
        let mut type_params = Vec::new();
        let (domain, range) = match ty {
            Ty::Map(domain, range) => (domain.clone(), (**range).clone()),
            Ty::Polymorphic(map) => {
                let param = self.declare_type_param();
                type_params.push(Ident::new(param.clone()));
                let (index, element) = PolymorphicMap::instance(map, Ty::Variable(param));
                (vec![index], element)
            }
            _ => (Vec::new(), ty.clone()),
        };
        let bound = domain.into_iter().map(|ty| self.bound_variable(ty)).collect();
        let annotations = self.attrs().into_iter().map(Annotation::Attr).collect();
        let body = self.expr(&range, depth);
        self.scope.locals.truncate(outer.0);
        self.scope.type_params.truncate(outer.1);
        let binder = Binder::Lambda;
        let quantifier =
            Quantifier { binder, type_params: type_params.into(), bound, annotations, body };
        expr(ExprKind::Quantifier(Box::new(quantifier)))
    }

    /// Declares one variable of this type.
    fn bound_variable(&mut self, ty: Ty) -> VarGroup {
        let attrs = self.literal_attrs();
        let spelled = self.spell(&ty);
        let names = vec![Ident::new(self.declare_local(ty))];
        VarGroup {
            span: Span::default(),
            attrs,
            names: names.into(),
            ty: spelled,
            where_clause: None,
        }
    }

    /// `|{ … }|`, which assigns only to its own variables.
    pub(super) fn code_expr(&mut self, depth: u32) -> Expr {
        let outer = self.scope.locals.len();
        let writable = std::mem::take(&mut self.scope.writable);
        let locals = self.local_declarations(1);
        self.scope.writable = self.scope.locals[outer..].to_vec();
        let count = self.choices.between(1, 3);
        let label = |index: usize| Ident::new(format!("B{index}"));
        let blocks = (0..count)
            .map(|index| {
                let stmts = (0..self.choices.below(3)).map(|_| self.simple_stmt(depth)).collect();
                let is_new = self.dialect == Dialect::Boogie3;
                let attrs = if is_new { self.attrs() } else { List::new() };
                let transfer = if index + 1 < count {
                    let mut targets = vec![label(index + 1)];
                    if self.choices.chance(30) {
                        targets.push(label(0));
                    }
                    CodeTransfer::Goto(Goto { attrs, targets: targets.into() })
                } else {
                    CodeTransfer::Return { attrs, expr: self.expr(&Ty::Bool, depth) }
                };
                CodeBlock { label: label(index), stmts, transfer }
            })
            .collect();
        self.scope.locals.truncate(outer);
        self.scope.writable = writable;
        expr(ExprKind::Code(Box::new(CodeExpr { locals, blocks })))
    }
}
