//! Bodies and statements.

use super::Generator;
use super::names;
use super::types::{Bindings, Ty};
use super::world::{Group, ProcedureSignature, Variable};
use crate::ast::{
    Assign, Block, Body, CallArm, CallStmt, Else, Expr, Goto, Guard, Ident, If, Lhs, LhsStep, List,
    LoopInvariant, LoopSpec, Name, Predicate, Stmt, StmtKind, Unpack, VarDecl, VarGroup, While,
};
use crate::dialect::Dialect;
use crate::span::Span;

/// The labels of a body.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The labels that exist or will exist by the end of the body.
    known: Vec<Name>,
    /// The labels of the enclosing statements.
    enclosing: Vec<Name>,
    loops: u32,
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { span: Span::default(), kind }
}

impl Generator<'_> {
    /// The body of the procedure with this index. Its parameters are in scope, and the writable
    /// ones are known.
    pub(super) fn body(&mut self, procedure: usize) -> Body {
        self.procedure = procedure;
        self.labels = Labels::default();
        let outer = self.scope.locals.len();
        let locals = self.local_declarations(3);
        let declared = self.scope.locals[outer..].to_vec();
        self.scope.writable.extend(declared);
        // A global variable that a local one shadows is not accessible.
        let globals = self.world.procedures[procedure].modifies.clone();
        for global in globals.into_iter().map(|index| self.world.globals[index].clone()) {
            if !self.is_local(&global.name) {
                self.scope.writable.push(global);
            }
        }
        let ends: Vec<Name> = (0..self.choices.below(3)).map(|_| self.declare_label()).collect();
        let mut block = self.block(3, 6);
        for label in ends {
            block.push(stmt(StmtKind::Label(Ident::new(label))));
            block.append(&mut self.block(2, 3));
        }
        self.scope.locals.truncate(outer);
        Body { span: Span::default(), locals, block }
    }

    /// Declares local variables.
    pub(super) fn local_declarations(&mut self, most: usize) -> Vec<VarDecl> {
        let shapes: Vec<Vec<Vec<Variable>>> = (0..self.choices.between(0, most))
            .map(|_| {
                (0..self.choices.between(1, 2))
                    .map(|_| {
                        let ty = self.ty(2);
                        let count = self.choices.between(1, 2);
                        let names = (0..count).map(|_| self.declare_local(ty.clone()));
                        let names: Vec<Name> = names.collect();
                        names.into_iter().map(|name| Variable { name, ty: ty.clone() }).collect()
                    })
                    .collect()
            })
            .collect();
        // All of the variables are in scope in `where` clauses.
        let two_state = std::mem::replace(&mut self.scope.two_state, false);
        let declarations = shapes
            .into_iter()
            .map(|groups| {
                let attrs = self.attrs();
                let groups = groups.into_iter().filter_map(|group| self.local_group(&group));
                VarDecl { span: Span::default(), attrs, groups: groups.collect() }
            })
            .collect();
        self.scope.two_state = two_state;
        declarations
    }

    fn local_group(&mut self, variables: &[Variable]) -> Option<VarGroup> {
        let ty = self.spell(&variables.first()?.ty);
        let names = variables.iter().map(|variable| Ident::new(variable.name.clone())).collect();
        let where_clause = self.where_clause();
        Some(VarGroup { span: Span::default(), attrs: List::new(), names, ty, where_clause })
    }

    /// `where e`, sometimes
    pub(super) fn where_clause(&mut self) -> Option<Box<Expr>> {
        self.choices.chance(25).then(|| Box::new(self.expr(&Ty::Bool, 2)))
    }

    fn declare_label(&mut self) -> Name {
        let known = &self.labels.known;
        let name = names::fresh(&mut self.choices, |name| known.iter().any(|label| label == name));
        self.labels.known.push(name.clone());
        name
    }

    fn block(&mut self, depth: u32, most: usize) -> Block {
        let mut block = Vec::new();
        for _ in 0..self.choices.between(0, most) {
            if self.spend() {
                self.stmt(depth, &mut block);
            }
        }
        block
    }

    /// Adds a statement, sometimes with a label before it.
    fn stmt(&mut self, depth: u32, block: &mut Block) {
        let is_new = self.dialect == Dialect::Boogie3;
        let attrs = |g: &mut Self| if is_new { g.attrs() } else { List::new() };
        let kind = match self.choices.below(if depth == 0 { 9 } else { 14 }) {
            5 => StmtKind::Label(Ident::new(self.declare_label())),
            6 if !self.labels.known.is_empty() => {
                let attrs = attrs(self);
                let targets = (0..self.choices.between(1, 2))
                    .filter_map(|_| self.choices.pick(&self.labels.known))
                    .map(|label| Ident::new(label.clone()))
                    .collect();
                StmtKind::Goto(Box::new(Goto { attrs, targets }))
            }
            7 if self.labels.loops > 0 && self.choices.chance(50) => StmtKind::Break(None),
            7 if !self.labels.enclosing.is_empty() => {
                let label = self.choices.pick(&self.labels.enclosing);
                StmtKind::Break(label.map(|label| Ident::new(label.clone())))
            }
            8 if self.choices.chance(30) => StmtKind::Return(attrs(self)),
            9 => match self.call_stmt(2) {
                Some(call) => call,
                None => return block.push(self.simple_stmt(3)),
            },
            10 | 11 => return self.structured(depth - 1, block, Self::if_stmt),
            12 | 13 => return self.structured(depth - 1, block, Self::while_stmt),
            _ => return block.push(self.simple_stmt(3)),
        };
        block.push(stmt(kind));
    }

    /// An `if` or a `while`, sometimes with a label that a `break` inside can name.
    fn structured(
        &mut self,
        depth: u32,
        block: &mut Block,
        make: impl FnOnce(&mut Self, u32) -> StmtKind,
    ) {
        let label = self.choices.chance(40).then(|| self.declare_label());
        if let Some(label) = &label {
            block.push(stmt(StmtKind::Label(Ident::new(label.clone()))));
            self.labels.enclosing.push(label.clone());
        }
        block.push(stmt(make(self, depth)));
        if label.is_some() {
            self.labels.enclosing.pop();
        }
    }

    fn guard(&mut self) -> Guard {
        if self.choices.chance(75) { Guard::Expr(self.expr(&Ty::Bool, 2)) } else { Guard::Star }
    }

    fn if_stmt(&mut self, depth: u32) -> StmtKind {
        StmtKind::If(Box::new(self.conditional(depth)))
    }

    fn conditional(&mut self, depth: u32) -> If {
        let attrs = if self.dialect == Dialect::Boogie3 { self.attrs() } else { List::new() };
        let guard = self.guard();
        let then_block = self.block(depth, 2);
        let else_branch = match self.choices.below(3) {
            1 => Some(Else::Block(self.block(depth, 2))),
            2 if self.spend() => Some(Else::If(Box::new(self.conditional(depth)))),
            _ => None,
        };
        If { attrs, guard, then_block, else_branch }
    }

    fn while_stmt(&mut self, depth: u32) -> StmtKind {
        let guard = self.guard();
        let specs = (0..self.choices.below(3))
            .map(|_| {
                let free = self.choices.chance(25);
                let attrs = self.attrs();
                let expr = self.expr(&Ty::Bool, 2);
                LoopSpec::Invariant(LoopInvariant { span: Span::default(), free, attrs, expr })
            })
            .collect();
        self.labels.loops += 1;
        let block = self.block(depth, 3);
        self.labels.loops -= 1;
        StmtKind::While(Box::new(While { guard, specs, block }))
    }

    /// A statement that is also allowed in a code expression.
    pub(super) fn simple_stmt(&mut self, depth: u32) -> Stmt {
        let kind = match self.choices.below(7) {
            1 | 2 if !self.scope.writable.is_empty() => self.assign(depth),
            3 if !self.scope.writable.is_empty() => {
                let names = self.targets(2).into_iter().map(|target| Ident::new(target.name));
                StmtKind::Havoc(names.collect())
            }
            4 => StmtKind::Assume(Box::new(self.predicate(depth))),
            5 if self.dialect == Dialect::Boogie3 => self.hiding(),
            6 if self.dialect == Dialect::Boogie3 => self.unpack(depth).unwrap_or(StmtKind::Push),
            _ => StmtKind::Assert(Box::new(self.predicate(depth))),
        };
        stmt(kind)
    }

    fn predicate(&mut self, depth: u32) -> Predicate {
        let attrs = self.attrs();
        Predicate { attrs, expr: self.expr(&Ty::Bool, depth) }
    }

    /// One or more distinct variables that may be assigned.
    fn targets(&mut self, most: usize) -> Vec<Variable> {
        let mut left = self.scope.writable.clone();
        let mut targets = Vec::new();
        for _ in 0..self.choices.between(1, most) {
            if !left.is_empty() {
                targets.push(left.swap_remove(self.choices.below(left.len())));
            }
        }
        targets
    }

    fn assign(&mut self, depth: u32) -> StmtKind {
        let mut lhs = Vec::new();
        let mut rhs = Vec::new();
        let attrs = self.attrs();
        for target in self.targets(3) {
            let (place, ty) = self.place(target, depth);
            if self.has_values(&ty) {
                rhs.push(self.expr(&ty, depth));
                lhs.push(place);
            }
        }
        if lhs.is_empty() {
            return StmtKind::Assert(Box::new(self.predicate(depth)));
        }
        StmtKind::Assign(Box::new(Assign { lhs: lhs.into(), attrs, rhs: rhs.into() }))
    }

    /// A location inside the variable, and its type.
    fn place(&mut self, target: Variable, depth: u32) -> (Lhs, Ty) {
        let mut ty = target.ty;
        let mut steps = Vec::new();
        while self.choices.chance(60) {
            let (domain, range) = match ty.clone() {
                Ty::Map(domain, range) => (domain, *range),
                Ty::Polymorphic(map) => {
                    let (index, element) = map.instance(self.closed_ty(0));
                    (vec![index], element)
                }
                Ty::Named(name, args) => match self.field(&name, &args) {
                    Some((field, field_ty)) => {
                        steps.push(LhsStep::Field(Ident::new(field)));
                        ty = field_ty;
                        continue;
                    }
                    None => break,
                },
                _ => break,
            };
            if !domain.iter().all(|ty| self.has_values(ty)) {
                break;
            }
            let depth = depth.min(1);
            steps.push(LhsStep::Index(domain.iter().map(|ty| self.expr(ty, depth)).collect()));
            ty = range;
        }
        (Lhs { base: Ident::new(target.name), steps: steps.into() }, ty)
    }

    /// A field of a datatype, and its type.
    fn field(&mut self, name: &Name, args: &[Ty]) -> Option<(Name, Ty)> {
        let datatype = self.world.datatypes.iter().find(|datatype| datatype.name == *name)?;
        let bindings: Bindings =
            datatype.params.iter().cloned().zip(args.iter().cloned()).collect();
        let fields: Vec<&Variable> =
            datatype.constructors.iter().flat_map(|constructor| &constructor.fields).collect();
        let field = self.choices.pick(&fields)?;
        Some((field.name.clone(), field.ty.substitute(&bindings)))
    }

    /// `C(x, y) := e;`
    fn unpack(&mut self, depth: u32) -> Option<StmtKind> {
        let datatype = self.choices.pick(&self.world.datatypes)?.clone();
        let args: Vec<Ty> = datatype.params.iter().map(|_| self.closed_ty(0)).collect();
        let bindings: Bindings = datatype.params.iter().cloned().zip(args.clone()).collect();
        let constructor = self.choices.pick(&datatype.constructors)?;
        let types = constructor.fields.iter().map(|field| field.ty.substitute(&bindings));
        let vars = self.outs(types)?;
        if vars.is_empty() {
            return None;
        }
        let attrs = self.attrs();
        let rhs = self.expr(&Ty::Named(datatype.name, args), depth);
        let constructor = Ident::new(constructor.name.clone());
        Some(StmtKind::Unpack(Box::new(Unpack { constructor, vars, attrs, rhs })))
    }

    /// Distinct variables of these types that may be assigned, if there are enough.
    fn outs(&mut self, types: impl Iterator<Item = Ty>) -> Option<List<Ident>> {
        let mut left = self.scope.writable.clone();
        types
            .map(|ty| {
                let fitting: Vec<usize> =
                    (0..left.len()).filter(|&index| left[index].ty == ty).collect();
                let index = *self.choices.pick(&fitting)?;
                Some(Ident::new(left.swap_remove(index).name))
            })
            .collect()
    }

    fn hiding(&mut self) -> StmtKind {
        let functions = &self.world.functions;
        let target = self.choices.pick(functions).map(|function| Ident::new(function.name.clone()));
        let target = target.filter(|target| !crate::token::is_reserved(&target.name));
        match self.choices.below(4) {
            0 => StmtKind::Push,
            1 => StmtKind::Pop,
            2 => StmtKind::Hide(target),
            _ => StmtKind::Reveal(target),
        }
    }

    /// A call of a procedure that modifies only what this one may modify.
    fn call_stmt(&mut self, depth: u32) -> Option<StmtKind> {
        let start = self.choices.below(self.world.procedures.len());
        let count = self.world.procedures.len();
        for index in (0..count).map(|step| (start + step) % count) {
            let callee = &self.world.procedures[index];
            let own = &self.world.procedures[self.procedure].modifies;
            // Boogie 2.4 requires a polymorphic procedure to be declared before it is called.
            let ordered = callee.type_params.is_empty() || index < self.procedure;
            if !ordered || callee.modifies.iter().any(|global| !own.contains(global)) {
                continue;
            }
            let callee = callee.clone();
            if let Some(arm) = self.call_arm(&callee, depth) {
                let free = self.choices.chance(20);
                let call = CallStmt { is_async: false, free, is_par: false, arms: vec![arm] };
                return Some(StmtKind::Call(Box::new(call)));
            }
        }
        None
    }

    fn call_arm(&mut self, callee: &ProcedureSignature, depth: u32) -> Option<CallArm> {
        let mut bindings = Bindings::new();
        self.complete(&callee.type_params, &mut bindings);
        let params = callee.params.iter().flat_map(Group::variables);
        let params: Vec<Ty> = params.map(|param| param.ty.substitute(&bindings)).collect();
        if !params.iter().all(|ty| self.has_values(ty)) {
            return None;
        }
        let returns = callee.returns.iter().flat_map(Group::variables);
        let outs = self.outs(returns.map(|out| out.ty.substitute(&bindings)))?;
        let attrs = self.attrs();
        let args = params.iter().map(|ty| self.expr(ty, depth)).collect();
        let callee = Ident::new(callee.name.clone());
        Some(CallArm { span: Span::default(), attrs, outs, callee, args })
    }
}
