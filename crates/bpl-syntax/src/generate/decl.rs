//! Declarations: first all signatures, then the rest, which uses them.

use std::sync::Arc;

use super::Generator;
use super::names;
use super::types::{Bindings, PolymorphicMap, Ty};
use super::world::{
    Datatype, DatatypeConstructor, Function, Group, ProcedureSignature, Scope, Synonym, Variable,
};
use crate::ast::{
    Attr, AxiomDecl, Condition, ConditionKind, ConstDecl, ConstOrder, Constructor, DatatypeDecl,
    Decl, FunctionDecl, FunctionParam, Ident, Implementation, List, Modifies, Name, OrderParent,
    Procedure, ProcedureKind, Signature, Spec, TypeDecl, TypeDef, VarDecl, VarGroup,
};
use crate::dialect::Dialect;
use crate::span::Span;

fn idents(names: &[Name]) -> List<Ident> {
    names.iter().cloned().map(Ident::new).collect()
}

/// The features that the parameters of a signature may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Formals {
    Procedure,
    Implementation,
}

impl Generator<'_> {
    fn is_new(&self) -> bool {
        self.dialect == Dialect::Boogie3
    }

    /// All declarations of a program.
    pub(super) fn declarations(&mut self) -> Vec<Arc<Decl>> {
        let mut decls = Vec::new();
        self.declare_types(&mut decls);
        let constants: Vec<Group> =
            (0..self.choices.below(3)).map(|_| self.outer_group()).collect();
        let globals: Vec<Group> = (0..self.choices.below(4)).map(|_| self.outer_group()).collect();
        self.world.constants.extend(constants.iter().flat_map(Group::variables));
        self.world.globals.extend(globals.iter().flat_map(Group::variables));
        for _ in 0..self.choices.below(4) {
            let function = self.function_signature();
            self.world.functions.push(function);
        }
        for _ in 0..self.choices.below(4) {
            let procedure = self.procedure_signature();
            self.world.procedures.push(procedure);
        }
        let mut earlier = Vec::new();
        for group in constants {
            decls.push(self.const_decl(&group, &mut earlier));
        }
        self.var_decls(globals, &mut decls);
        for index in 0..self.world.functions.len() {
            decls.push(self.function_decl(index));
        }
        for _ in 0..self.choices.below(3) {
            let axiom = self.axiom();
            decls.push(Decl::Axiom(axiom));
        }
        let mut procedures = Vec::new();
        for index in 0..self.world.procedures.len() {
            self.procedure_decls(index, &mut procedures);
        }
        self.declare_on_demand(&mut decls);
        // Any order will do, except that Boogie 2.4 needs polymorphic procedures before their
        // callers, so procedures keep their order.
        for decl in decls {
            let at = procedures.len() - self.choices.below(procedures.len() + 1);
            procedures.insert(at, decl);
        }
        procedures.into_iter().map(Arc::new).collect()
    }

    fn declare_types(&mut self, decls: &mut Vec<Decl>) {
        for _ in 0..self.choices.below(3) {
            let attrs = self.attrs();
            let defs = (0..self.choices.between(1, 2)).map(|_| self.type_constructor()).collect();
            decls.push(Decl::Type(TypeDecl { span: Span::default(), attrs, defs }));
        }
        if self.choices.chance(50) {
            let unary = self.world.constructors.iter().find(|(_, arity)| *arity == 1);
            let constructor =
                unary.map(|(name, _)| name.clone()).filter(|_| self.choices.chance(50));
            let param = self.world.type_names.numbered("m");
            self.world.polymorphic_maps.push(PolymorphicMap { param, constructor });
        }
        if self.is_new() {
            for _ in 0..self.choices.below(3) {
                let decl = self.datatype();
                decls.push(decl);
            }
        }
        for _ in 0..self.choices.below(3) {
            self.scope = Scope::default();
            let attrs = self.attrs();
            let def = self.synonym();
            decls.push(Decl::Type(TypeDecl { span: Span::default(), attrs, defs: vec![def] }));
        }
    }

    fn type_constructor(&mut self) -> TypeDef {
        let name = self.world.type_names.fresh(&mut self.choices);
        let arity = [0, 1, 0, 2][self.choices.below(4)];
        self.world.constructors.push((name.clone(), arity));
        // The names of the parameters have no meaning and may be equal.
        let params = (0..arity).map(|_| Ident::new("_")).collect();
        TypeDef { name: Ident::new(name), params, synonym: None }
    }

    fn synonym(&mut self) -> TypeDef {
        self.scope = Scope::default();
        let name = self.world.type_names.fresh(&mut self.choices);
        let params: Vec<Name> =
            (0..self.choices.below(3)).map(|_| self.declare_type_param()).collect();
        let ty = self.ty(2);
        let synonym = Some(self.spell(&ty));
        let def = TypeDef { name: Ident::new(name.clone()), params: idents(&params), synonym };
        self.world.synonyms.push(Synonym { name, params, ty });
        def
    }

    fn datatype(&mut self) -> Decl {
        self.scope = Scope::default();
        let attrs = self.attrs();
        let name = self.world.type_names.fresh(&mut self.choices);
        let params: Vec<Name> =
            (0..self.choices.below(2)).map(|_| self.declare_type_param()).collect();
        let mut constructors = Vec::new();
        let mut infos = Vec::new();
        for _ in 0..self.choices.between(1, 2) {
            let constructor = self.world.function_names.fresh(&mut self.choices);
            let mut fields = Vec::new();
            let mut groups = Vec::new();
            for _ in 0..self.choices.below(3) {
                let ty = self.ty(1);
                let attrs = self.attrs();
                // Field names are unique in the whole program.
                let names: Vec<Name> = (0..self.choices.between(1, 2))
                    .map(|_| self.world.variable_names.fresh(&mut self.choices))
                    .collect();
                let group = Group { names, ty };
                fields.extend(group.variables());
                groups.push(self.var_group(&group, attrs));
            }
            infos.push(DatatypeConstructor { name: constructor.clone(), fields });
            constructors.push(Constructor { name: Ident::new(constructor), fields: groups });
        }
        let type_params = idents(&params);
        self.world.datatypes.push(Datatype { name: name.clone(), params, constructors: infos });
        let name = Ident::new(name);
        let span = Span::default();
        Decl::Datatype(DatatypeDecl { span, attrs, name, type_params, constructors })
    }

    /// Top-level variables.
    fn outer_group(&mut self) -> Group {
        self.scope = Scope::default();
        let ty = self.ty(2);
        let names = (0..self.choices.between(1, 2))
            .map(|_| self.world.variable_names.fresh(&mut self.choices))
            .collect();
        Group { names, ty }
    }

    fn var_group(&mut self, group: &Group, attrs: List<Attr>) -> VarGroup {
        let ty = self.spell(&group.ty);
        let names = idents(&group.names);
        VarGroup { span: Span::default(), attrs, names, ty, where_clause: None }
    }

    fn const_decl(&mut self, group: &Group, earlier: &mut Vec<Variable>) -> Decl {
        self.scope = Scope::default();
        let attrs = self.attrs();
        let unique = self.choices.chance(30);
        let mut order = None;
        if !self.is_new() && self.choices.chance(20) {
            let parents: Vec<&Variable> =
                earlier.iter().filter(|constant| constant.ty == group.ty).collect();
            let parent = self.choices.pick(&parents).map(|parent| Ident::new(parent.name.clone()));
            let unique = self.choices.chance(50);
            let parents = parent.into_iter().map(|name| OrderParent { unique, name }).collect();
            order = Some(ConstOrder { parents, complete: self.choices.chance(50) });
        }
        let uses = self.uses();
        earlier.extend(group.variables());
        let VarGroup { names, ty, span, .. } = self.var_group(group, List::new());
        Decl::Const(ConstDecl { span, attrs, unique, names, ty, order, uses })
    }

    /// `uses { … }`, sometimes (Boogie 3)
    fn uses(&mut self) -> Option<Vec<AxiomDecl>> {
        if !self.is_new() || !self.choices.chance(20) {
            return None;
        }
        Some((0..self.choices.below(3)).map(|_| self.axiom()).collect())
    }

    fn axiom(&mut self) -> AxiomDecl {
        self.scope = Scope::default();
        let hideable = self.is_new() && self.choices.chance(20);
        let attrs = self.attrs();
        let expr = self.expr(&Ty::Bool, 4);
        AxiomDecl { span: Span::default(), hideable, attrs, expr }
    }

    fn var_decls(&mut self, groups: Vec<Group>, decls: &mut Vec<Decl>) {
        self.scope = Scope { globals: true, ..Scope::default() };
        let mut rest = groups.into_iter().peekable();
        while rest.peek().is_some() {
            let attrs = self.attrs();
            let count = self.choices.between(1, 2);
            let groups = rest
                .by_ref()
                .take(count)
                .map(|group| {
                    let mut group = self.var_group(&group, List::new());
                    group.where_clause = self.where_clause();
                    group
                })
                .collect();
            decls.push(Decl::Var(VarDecl { span: Span::default(), attrs, groups }));
        }
    }

    fn function_signature(&mut self) -> Function {
        self.scope = Scope::default();
        let name = self.world.function_names.fresh(&mut self.choices);
        let mut type_params = Vec::new();
        if self.choices.chance(30) {
            type_params.push(self.declare_type_param());
        }
        let mut types: Vec<Ty> =
            type_params.iter().map(|param| self.type_with(&Ty::Variable(param.clone()))).collect();
        types.extend((0..self.choices.below(3)).map(|_| self.ty(1)).collect::<Vec<_>>());
        let result = self.ty(1);
        let named = self.choices.chance(70);
        let params = types
            .into_iter()
            .map(|ty| (named.then(|| self.declare_local(ty.clone())), ty))
            .collect();
        Function { name, type_params, params, result }
    }

    /// A type that mentions the given one.
    fn type_with(&mut self, ty: &Ty) -> Ty {
        let unary = self.world.constructors.iter().find(|(_, arity)| *arity == 1);
        match (self.choices.below(4), unary) {
            (1, _) => Ty::Map(vec![ty.clone()], Box::new(Ty::Int)),
            (2, Some((name, _))) => Ty::Named(name.clone(), vec![ty.clone()]),
            (3, _) => Ty::Map(vec![Ty::Int], Box::new(ty.clone())),
            _ => ty.clone(),
        }
    }

    fn function_decl(&mut self, index: usize) -> Decl {
        let function = self.world.functions[index].clone();
        let Function { name, type_params, params, result } = function;
        self.scope = Scope { type_params: type_params.clone(), ..Scope::default() };
        for (name, ty) in &params {
            let ty = ty.clone();
            self.scope.locals.extend(name.clone().map(|name| Variable { name, ty }));
        }
        let attrs = self.attrs();
        let params =
            params.iter().map(|(name, ty)| self.function_param(name.clone(), ty)).collect();
        let body =
            (self.choices.chance(50) && self.has_values(&result)).then(|| self.expr(&result, 4));
        let named = self.choices.chance(20);
        let result_name = named.then(|| self.declare_local(result.clone()));
        let named_result = self.function_param(result_name, &result);
        let uses = self.uses();
        Decl::Function(FunctionDecl {
            span: Span::default(),
            revealed: self.is_new() && self.choices.chance(20),
            attrs,
            name: Ident::new(name),
            type_params: idents(&type_params),
            params,
            result: named_result,
            body,
            uses,
        })
    }

    fn function_param(&mut self, name: Option<Name>, ty: &Ty) -> FunctionParam {
        let attrs = self.literal_attrs();
        FunctionParam { attrs, name: name.map(Ident::new), ty: self.spell(ty) }
    }

    fn procedure_signature(&mut self) -> ProcedureSignature {
        self.scope = Scope::default();
        let name = self.world.function_names.fresh(&mut self.choices);
        let mut type_params = Vec::new();
        if self.choices.chance(25) {
            // A different name for each procedure, since Boogie 2.4 confuses those of caller and
            // callee.
            type_params.push(self.world.type_names.numbered("P"));
        }
        self.scope.type_params.clone_from(&type_params);
        let mut params: Vec<Group> = Vec::new();
        for param in &type_params {
            let ty = self.type_with(&Ty::Variable(param.clone()));
            params.push(self.formal_group(ty));
        }
        for _ in 0..self.choices.below(3) {
            let ty = self.ty(1);
            params.push(self.formal_group(ty));
        }
        let returns = (0..self.choices.below(3))
            .map(|_| {
                let ty = self.ty(1);
                self.formal_group(ty)
            })
            .collect();
        let globals = self.world.globals.len();
        let modifies = (0..globals).filter(|_| self.choices.chance(40)).collect();
        ProcedureSignature { name, type_params, params, returns, modifies }
    }

    fn formal_group(&mut self, ty: Ty) -> Group {
        let names =
            (0..self.choices.between(1, 2)).map(|_| self.declare_local(ty.clone())).collect();
        Group { names, ty }
    }

    /// Adds a procedure and its implementations.
    fn procedure_decls(&mut self, index: usize, decls: &mut Vec<Decl>) {
        let procedure = self.world.procedures[index].clone();
        let attrs = self.literal_attrs();
        let mut scope = Scope { globals: true, ..Scope::default() };
        scope.type_params.clone_from(&procedure.type_params);
        self.scope = scope;
        self.scope.locals.extend(procedure.params.iter().flat_map(Group::variables));
        let params = self.formals(&procedure.params, Formals::Procedure);
        let mut specs = Vec::new();
        self.conditions(ConditionKind::Requires, &mut specs);
        self.scope.locals.extend(procedure.returns.iter().flat_map(Group::variables));
        let returns = self.formals(&procedure.returns, Formals::Procedure);
        self.scope.two_state = true;
        self.conditions(ConditionKind::Ensures, &mut specs);
        self.modifies(&procedure, &mut specs);
        let has_body = self.choices.chance(60);
        let body = has_body.then(|| {
            self.scope.writable = procedure.returns.iter().flat_map(Group::variables).collect();
            self.body(index)
        });
        let name = Ident::new(procedure.name.clone());
        let type_params = idents(&procedure.type_params);
        let signature = Signature { name, type_params, params, returns };
        let (span, kind) = (Span::default(), ProcedureKind::Plain);
        decls.push(Decl::Procedure(Procedure { span, kind, attrs, signature, specs, body }));
        for _ in 0..self.choices.below(3) {
            let implementation = self.implementation(index, &procedure);
            decls.push(implementation);
        }
    }

    /// The groups as written in a signature. The variables that `where` clauses may mention are in
    /// scope.
    fn formals(&mut self, groups: &[Group], place: Formals) -> Vec<VarGroup> {
        groups
            .iter()
            .map(|group| {
                let attributed = place == Formals::Procedure || self.is_new();
                let attrs = if attributed { self.literal_attrs() } else { List::new() };
                let mut group = self.var_group(group, attrs);
                if place == Formals::Procedure {
                    group.where_clause = self.where_clause();
                }
                group
            })
            .collect()
    }

    fn conditions(&mut self, kind: ConditionKind, specs: &mut Vec<Spec>) {
        for _ in 0..self.choices.below(3) {
            let free = self.choices.chance(25);
            let attrs = self.attrs();
            let expr = self.expr(&Ty::Bool, 3);
            specs.push(Spec::Condition(Condition {
                span: Span::default(),
                free,
                kind,
                attrs,
                expr,
            }));
        }
    }

    /// Adds the clause at some position among the others, in one piece or in two.
    fn modifies(&mut self, procedure: &ProcedureSignature, specs: &mut Vec<Spec>) {
        let names = procedure.modifies.iter().map(|&index| self.world.globals[index].name.clone());
        let mut names: List<Ident> = names.map(Ident::new).collect();
        let rest = names.split_off(self.choices.below(names.len()));
        for names in [rest, names] {
            if !names.is_empty() || self.choices.chance(10) {
                let at = specs.len() - self.choices.below(specs.len() + 1);
                specs.insert(at, Spec::Modifies(Modifies { span: Span::default(), names }));
            }
        }
    }

    /// An implementation, whose parameters may have different names.
    fn implementation(&mut self, index: usize, procedure: &ProcedureSignature) -> Decl {
        let attrs = self.literal_attrs();
        let rename = self.choices.chance(50);
        let mut type_params = procedure.type_params.clone();
        let mut bindings = Bindings::new();
        if rename {
            for param in &mut type_params {
                let new = self.world.type_names.numbered("P");
                bindings.push((std::mem::replace(param, new.clone()), Ty::Variable(new)));
            }
        }
        self.scope = Scope { globals: true, two_state: true, ..Scope::default() };
        self.scope.type_params.clone_from(&type_params);
        let mut groups = |groups: &[Group]| -> Vec<Group> {
            groups
                .iter()
                .map(|group| {
                    let ty = group.ty.substitute(&bindings);
                    let locals = &mut self.scope.locals;
                    let names = group.names.iter().map(|name| {
                        let taken = |name: &str| locals.iter().any(|local| local.name == name);
                        let name = if rename || taken(name) {
                            names::numbered("arg", taken)
                        } else {
                            name.clone()
                        };
                        locals.push(Variable { name: name.clone(), ty: ty.clone() });
                        name
                    });
                    Group { names: names.collect(), ty: ty.clone() }
                })
                .collect()
        };
        let params = groups(&procedure.params);
        let returns = groups(&procedure.returns);
        self.scope.writable = returns.iter().flat_map(Group::variables).collect();
        let params = self.formals(&params, Formals::Implementation);
        let returns = self.formals(&returns, Formals::Implementation);
        let body = self.body(index);
        let name = Ident::new(procedure.name.clone());
        let signature = Signature { name, type_params: idents(&type_params), params, returns };
        Decl::Implementation(Implementation { span: Span::default(), attrs, signature, body })
    }

    /// Declares the constants and functions that turned out to be needed.
    fn declare_on_demand(&mut self, decls: &mut Vec<Decl>) {
        self.scope = Scope::default();
        for Variable { name, ty } in std::mem::take(&mut self.world.witnesses) {
            decls.push(Decl::Const(ConstDecl {
                span: Span::default(),
                attrs: List::new(),
                unique: false,
                names: List::from([Ident::new(name)]),
                ty: self.spell(&ty),
                order: None,
                uses: None,
            }));
        }
        for (name, ty) in std::mem::take(&mut self.world.observers) {
            let type_params = if ty.is_none() { vec![Name::new("T0")] } else { Vec::new() };
            let ty = ty.unwrap_or(Ty::Variable("T0".into()));
            decls.push(Decl::Function(FunctionDecl {
                span: Span::default(),
                revealed: false,
                attrs: List::new(),
                name: Ident::new(name),
                type_params: idents(&type_params),
                params: vec![FunctionParam { attrs: List::new(), name: None, ty: self.spell(&ty) }],
                result: FunctionParam { attrs: List::new(), name: None, ty: self.spell(&Ty::Bool) },
                body: None,
                uses: None,
            }));
        }
    }
}
