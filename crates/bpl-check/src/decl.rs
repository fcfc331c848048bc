//! Declarations other than procedures: types, constants, functions, axioms, variables, datatypes.

use bpl_syntax::Dialect;
use bpl_syntax::ast::{
    AxiomDecl, ConstDecl, DatatypeDecl, Decl, FunctionDecl, Ident, Procedure, TypeDecl, VarDecl,
};
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use rustc_hash::FxHashMap;

use crate::attrs;
use crate::check::{Checker, States, VariableKind, repeated};
use crate::scope::LocalKind;
use crate::type_names::NamedTypeKind;
use crate::types::{TypeId, TypeKind};

impl<'a> Checker<'_, 'a> {
    /// Checks a declaration; `index` is its index in the program.
    pub(crate) fn decl(&mut self, index: usize, decl: &'a Decl) {
        let replaced = self.env.replaced.contains(&index);
        if replaced || attrs::is_set(decl.attrs(), "ignore") {
            // Boogie ignores such a declaration, but its expressions must still be numbered.
            self.silently(|checker| checker.any_decl(index, decl));
        } else {
            self.any_decl(index, decl);
        }
        if replaced {
            self.unrecorded(|checker| checker.remains(index, decl));
        }
        self.states = States::None;
        self.finish_inference();
    }

    /// Checks what remains of a declaration that was replaced by another one with the same name:
    /// the axiom that defines a function, or the implementation of a procedure.
    fn remains(&mut self, index: usize, decl: &'a Decl) {
        match decl {
            Decl::Function(function)
                if function.body.is_some() && !attrs::is_set(&function.attrs, "inline") =>
            {
                self.function_decl(index, function);
            }
            Decl::Procedure(Procedure { attrs, signature, body: Some(body), .. }) => {
                self.implementation_of(attrs, signature, body);
            }
            _ => {}
        }
    }

    fn any_decl(&mut self, index: usize, decl: &'a Decl) {
        match decl {
            Decl::Type(decl) => self.type_decl(decl),
            Decl::Const(decl) => self.const_decl(decl),
            Decl::Function(decl) => self.function_decl(index, decl),
            Decl::Axiom(decl) => self.axiom(decl),
            Decl::Var(decl) => self.var_decl(decl),
            Decl::Procedure(decl) => self.procedure(Some(index), decl),
            Decl::Implementation(decl) => self.implementation(decl),
            Decl::Datatype(decl) => self.datatype_decl(decl),
            Decl::Action(decl) => self.action(Some(index), decl),
            Decl::Invariant(decl) => self.invariant(Some(index), decl),
        }
    }

    fn type_decl(&mut self, decl: &'a TypeDecl) {
        self.declaration_attributes(&decl.attrs, |_| {});
        for def in &decl.defs {
            if let Some(body) = &def.synonym {
                let vars_before = self.type_vars.len();
                self.declare_type_params(&def.params);
                self.read_type(body);
                self.type_vars.truncate(vars_before);
            }
        }
    }

    fn const_decl(&mut self, decl: &'a ConstDecl) {
        self.declaration_attributes(&decl.attrs, |_| {});
        let ty = self.read_type(&decl.ty);
        if let Some(order) = &decl.order {
            for parent in &order.parents {
                self.check_parent(decl, ty, &parent.name);
            }
            for parent in repeated(&order.parents, |parent| &parent.name.name) {
                let name = &parent.name.name;
                self.unresolved(parent.name.span, format!("parent `{name}` is listed twice"));
            }
        }
        self.uses(decl.uses.as_deref());
    }

    /// Checks that the parent of a constant is another constant of the same type.
    fn check_parent(&mut self, decl: &'a ConstDecl, ty: TypeId, parent: &'a Ident) {
        let (span, name) = (parent.span, &parent.name);
        self.states = States::One;
        let Some(variable) = self.variable(span, name) else { return };
        if variable.kind != VariableKind::Constant {
            self.unresolved(span, format!("parent `{name}` is not a constant"));
        } else if decl.names.iter().any(|own| own.name == *name) {
            self.unresolved(span, format!("constant `{name}` is its own parent"));
        } else if !self.solver.unify(ty, variable.ty) {
            let (ty, other) = (self.solver.display(ty), self.solver.display(variable.ty));
            self.ill_typed(span, format!("parent `{name}` is of type `{other}`, not `{ty}`"));
        }
    }

    fn uses(&mut self, axioms: Option<&'a [AxiomDecl]>) {
        for axiom in axioms.unwrap_or_default() {
            self.axiom(axiom);
        }
    }

    fn axiom(&mut self, axiom: &'a AxiomDecl) {
        self.declaration_attributes(&axiom.attrs, |_| {});
        self.states = States::None;
        self.condition(&axiom.expr, "an axiom");
    }

    fn var_decl(&mut self, decl: &'a VarDecl) {
        self.declaration_attributes(&decl.attrs, |_| {});
        let assumption = attrs::is_set(&decl.attrs, "assumption");
        self.states = States::One;
        for group in &decl.groups {
            let ty = self.read_type(&group.ty);
            if assumption {
                for name in &group.names {
                    self.check_assumption(name, ty, group.where_clause.is_some());
                }
            }
            if let Some(clause) = &group.where_clause {
                self.condition(clause, "a where clause");
            }
        }
    }

    /// Reports type parameters that occur in none of the types.
    pub(crate) fn check_params_occur(&mut self, params: &[Ident], types: &[TypeId], what: &str) {
        if types.iter().any(|&ty| self.solver.types.mentions_error(ty)) {
            return;
        }
        for param in params {
            if !types.iter().any(|&ty| self.solver.mentions(&param.name, ty)) {
                let name = &param.name;
                self.unresolved(
                    param.span,
                    format!("type variable `{name}` does not occur in the types of the {what}"),
                );
            }
        }
    }

    fn function_decl(&mut self, index: usize, decl: &'a FunctionDecl) {
        let FunctionDecl { attrs: attributes, type_params, params, result, body, .. } = decl;
        let vars_before = self.type_vars.len();
        let mark = self.scope.mark();
        self.declare_type_params(type_params);
        let env = self.env;
        let (mut types, result_type) = match env.function(&decl.name.name) {
            // The environment has already read the types, if under a binder.
            Some(head) if head.sound && head.decl == Some(index) && type_params.is_empty() => {
                (head.params.to_vec(), head.result)
            }
            _ => {
                let types: Vec<_> = params.iter().map(|param| self.read_type(&param.ty)).collect();
                (types, self.read_type(&result.ty))
            }
        };
        let declare = |checker: &mut Self| {
            for (param, &ty) in params.iter().zip(&types) {
                if let Some(name) = &param.name {
                    checker.declare(name, ty, LocalKind::In);
                }
            }
        };
        self.declaration_attributes(attributes, declare);
        declare(self);
        self.states = States::One;
        for param in params.iter().chain([result]) {
            self.ignored_attributes(&param.attrs);
        }
        // The name of the result cannot be used, but it must still differ from those of the
        // arguments.
        if let Some(name) = &result.name {
            let before = self.scope.mark();
            self.declare(name, result_type, LocalKind::Out);
            self.scope.leave(before);
        }
        types.push(result_type);
        self.check_params_occur(type_params, &types, "function");
        if self.env.dialect == Dialect::Boogie2 && attrs::is_set(attributes, "constructor") {
            self.check_constructor(decl, result_type);
        }
        self.states = States::None;
        if let Some(body) = body {
            let ty = self.expr(body);
            // A definition that is not inlined is typed as the axiom `f(x) == body`.
            let fits = if attrs::is_set(attributes, "inline") {
                self.solver.unify(ty, result_type)
            } else {
                self.solver.comparable(ty, result_type)
            };
            if !fits {
                let (ty, wanted) = (self.solver.display(ty), self.solver.display(result_type));
                self.ill_typed(
                    body.span,
                    format!("the body of the function must be of type `{wanted}`, not `{ty}`"),
                );
            }
            self.finish_inference();
        }
        self.scope.leave(mark);
        self.type_vars.truncate(vars_before);
        self.uses(decl.uses.as_deref());
    }

    /// Checks `function {:constructor} C(a: t): D;` for a `type {:datatype} D;` (Boogie 2).
    fn check_constructor(&mut self, decl: &'a FunctionDecl, result: TypeId) {
        let name = &decl.name.name;
        for param in &decl.params {
            if param.name.is_none() {
                let span = param.ty.span;
                self.unresolved(span, format!("an argument of constructor `{name}` has no name"));
            }
        }
        if let Some(param) = decl.type_params.first() {
            let message = format!("constructor `{name}` has type parameters");
            self.unresolved(param.span, message);
        }
        let is_datatype = match self.solver.types.kind(result) {
            TypeKind::Error => true,
            TypeKind::Constructed(name, _) => {
                let named = self.env.named_type(name);
                named.is_some_and(|named| named.kind == NamedTypeKind::Datatype)
            }
            _ => false,
        };
        if !is_datatype {
            let message = format!("the result of constructor `{name}` is not a datatype");
            self.ill_typed(decl.result.ty.span, message);
        }
    }

    fn datatype_decl(&mut self, decl: &'a DatatypeDecl) {
        self.declaration_attributes(&decl.attrs, |_| {});
        let vars_before = self.type_vars.len();
        self.declare_type_params(&decl.type_params);
        let mut fields = FxHashMap::default();
        for (number, constructor) in decl.constructors.iter().enumerate() {
            for group in &constructor.fields {
                self.ignored_attributes(&group.attrs);
                let ty = self.read_type(&group.ty);
                for field in &group.names {
                    self.check_field(&mut fields, number, field, ty);
                }
            }
        }
        self.type_vars.truncate(vars_before);
    }

    /// Checks that constructors share a field only at the same type, and that no constructor has it
    /// twice. `fields` maps each name to the first field with that name, and to the last
    /// constructor that has it.
    fn check_field(
        &mut self,
        fields: &mut FxHashMap<&'a str, (&'a Ident, TypeId, usize)>,
        constructor: usize,
        field: &'a Ident,
        ty: TypeId,
    ) {
        let Some((other, other_type, last)) = fields.get_mut(field.name.as_str()) else {
            fields.insert(&field.name, (field, ty, constructor));
            return;
        };
        let is_doubled = std::mem::replace(last, constructor) == constructor;
        let (other, other_type) = (*other, *other_type);
        let name = &field.name;
        if is_doubled {
            let message = format!("field `{name}` is declared more than once");
            let error = Diagnostic::new(ErrorClass::Resolution, field.span, message)
                .related(other.span, "the other declaration");
            self.report(error);
        } else if ty != other_type && ty != TypeId::ERROR && other_type != TypeId::ERROR {
            let message = format!("field `{name}` has another type in another constructor");
            let error = Diagnostic::new(ErrorClass::Type, field.span, message)
                .related(other.span, "the other field");
            self.report(error);
        }
    }
}
