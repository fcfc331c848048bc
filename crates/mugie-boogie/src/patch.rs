//! Patches: the change of one node of a declaration, as a function.
//!
//! Many patches of a declaration are made in one walk over a copy of it. Nodes are known by their
//! numbers in the original (see [`crate::places`]). A node is changed after all nodes inside it, so the
//! walk meets the nodes of the original only, and the result is the same as that of one change after
//! another, the innermost node first. Nothing here knows operators.

use bpl_syntax::ast::{
    Attr, Block, Body, Decl, Expr, If, Quantifier, Stmt, StmtKind, Trigger, While,
};
use bpl_syntax::visit::VisitMut;
use rustc_hash::FxHashMap;

/// What an operator makes of a declaration at a place.
#[derive(Debug)]
pub struct Patch<'d>(Kind<'d>);

/// A change of a node.
struct Action<'d, N>(Box<dyn FnOnce(&mut N) + 'd>);

impl<N> std::fmt::Debug for Action<'_, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Action")
    }
}

#[derive(Debug)]
enum Kind<'d> {
    /// Other declarations take its place.
    Others(Vec<Decl>),
    Decl(Action<'d, Decl>),
    Body(usize, Action<'d, Body>),
    Block(usize, Action<'d, Block>),
    If(usize, Action<'d, If>),
    Stmt(usize, Action<'d, Stmt>),
    Expr(usize, Action<'d, Expr>),
    Quantifier(usize, Action<'d, Quantifier>),
}

impl<'d> Patch<'d> {
    /// Other declarations take the place of the declaration.
    pub(crate) fn others(decls: Vec<Decl>) -> Patch<'d> {
        Patch(Kind::Others(decls))
    }

    /// Changes the declaration outside its statements and expressions.
    pub(crate) fn decl(change: impl FnOnce(&mut Decl) + 'd) -> Patch<'d> {
        Patch(Kind::Decl(Action(Box::new(change))))
    }

    /// Changes the body with this number.
    pub(crate) fn body(number: usize, change: impl FnOnce(&mut Body) + 'd) -> Patch<'d> {
        Patch(Kind::Body(number, Action(Box::new(change))))
    }

    /// Changes the statement list with this number.
    pub(crate) fn block(number: usize, change: impl FnOnce(&mut Block) + 'd) -> Patch<'d> {
        Patch(Kind::Block(number, Action(Box::new(change))))
    }

    /// Changes the conditional with this number.
    pub(crate) fn conditional(number: usize, change: impl FnOnce(&mut If) + 'd) -> Patch<'d> {
        Patch(Kind::If(number, Action(Box::new(change))))
    }

    /// Changes the statement with this number.
    pub(crate) fn stmt(number: usize, change: impl FnOnce(&mut Stmt) + 'd) -> Patch<'d> {
        Patch(Kind::Stmt(number, Action(Box::new(change))))
    }

    /// Changes the loop with this number among all statements.
    pub(crate) fn repetition(number: usize, change: impl FnOnce(&mut While) + 'd) -> Patch<'d> {
        Patch::stmt(number, |stmt| {
            if let StmtKind::While(repetition) = &mut stmt.kind {
                change(repetition);
            }
        })
    }

    /// Changes the expression with this number.
    pub(crate) fn expr(number: usize, change: impl FnOnce(&mut Expr) + 'd) -> Patch<'d> {
        Patch(Kind::Expr(number, Action(Box::new(change))))
    }

    /// Changes the quantifier or lambda with this number.
    pub(crate) fn quantifier(
        number: usize,
        change: impl FnOnce(&mut Quantifier) + 'd,
    ) -> Patch<'d> {
        Patch(Kind::Quantifier(number, Action(Box::new(change))))
    }
}

/// Makes patches of a declaration. Several patches of one node are made in their order.
pub(crate) fn patched<'d>(decl: &Decl, patches: impl IntoIterator<Item = Patch<'d>>) -> Vec<Decl> {
    let (mut stmts, mut exprs, mut quantifiers) =
        (Statements::default(), Exprs::default(), Quantifiers::default());
    let mut own = Vec::new();
    for Patch(kind) in patches {
        match kind {
            Kind::Others(decls) => return decls,
            Kind::Decl(action) => own.push(action),
            Kind::Body(number, action) => stmts.bodies.add(number, action),
            Kind::Block(number, action) => stmts.blocks.add(number, action),
            Kind::If(number, action) => stmts.ifs.add(number, action),
            Kind::Stmt(number, action) => stmts.stmts.add(number, action),
            Kind::Expr(number, action) => exprs.0.add(number, action),
            Kind::Quantifier(number, action) => quantifiers.0.add(number, action),
        }
    }
    let mut copy = decl.clone();
    if !quantifiers.0.is_empty() {
        quantifiers.visit_decl(&mut copy);
    }
    if !exprs.0.is_empty() {
        exprs.visit_decl(&mut copy);
    }
    if !stmts.is_empty() {
        stmts.visit_decl(&mut copy);
    }
    for Action(change) in own {
        change(&mut copy);
    }
    vec![copy]
}

/// The changes of one kind of nodes.
#[derive(Debug)]
struct Actions<'d, N> {
    /// The number of nodes met so far.
    met: usize,
    by_number: FxHashMap<usize, Vec<Action<'d, N>>>,
}

impl<N> Default for Actions<'_, N> {
    fn default() -> Self {
        Actions { met: 0, by_number: FxHashMap::default() }
    }
}

impl<'d, N> Actions<'d, N> {
    fn add(&mut self, number: usize, action: Action<'d, N>) {
        self.by_number.entry(number).or_default().push(action);
    }

    fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }

    /// The number of a node that is met.
    fn meet(&mut self) -> usize {
        self.met += 1;
        self.met - 1
    }

    /// Changes the node with this number.
    fn change(&mut self, number: usize, node: &mut N) {
        for Action(change) in self.by_number.remove(&number).unwrap_or_default() {
            change(node);
        }
    }
}

/// Changes statements and lists of them; not those in code expressions.
#[derive(Default)]
struct Statements<'d> {
    bodies: Actions<'d, Body>,
    blocks: Actions<'d, Block>,
    ifs: Actions<'d, If>,
    stmts: Actions<'d, Stmt>,
}

impl Statements<'_> {
    fn is_empty(&self) -> bool {
        self.bodies.is_empty()
            && self.blocks.is_empty()
            && self.ifs.is_empty()
            && self.stmts.is_empty()
    }
}

impl VisitMut for Statements<'_> {
    fn visit_body(&mut self, body: &mut Body) {
        let number = self.bodies.meet();
        self.walk_body(body);
        self.bodies.change(number, body);
    }

    fn visit_block(&mut self, block: &mut Block) {
        let number = self.blocks.meet();
        self.walk_block(block);
        self.blocks.change(number, block);
    }

    fn visit_if(&mut self, conditional: &mut If) {
        let number = self.ifs.meet();
        self.walk_if(conditional);
        self.ifs.change(number, conditional);
    }

    fn visit_stmt(&mut self, stmt: &mut Stmt) {
        let number = self.stmts.meet();
        self.walk_stmt(stmt);
        self.stmts.change(number, stmt);
    }

    fn visit_expr(&mut self, _: &mut Expr) {}
}

/// Changes expressions, except in triggers and attributes.
#[derive(Default)]
struct Exprs<'d>(Actions<'d, Expr>);

impl VisitMut for Exprs<'_> {
    fn visit_expr(&mut self, expr: &mut Expr) {
        let number = self.0.meet();
        self.walk_expr(expr);
        self.0.change(number, expr);
    }

    fn visit_trigger(&mut self, _: &mut Trigger) {}
    fn visit_attr(&mut self, _: &mut Attr) {}
}

/// Changes quantifiers and lambdas anywhere.
#[derive(Default)]
struct Quantifiers<'d>(Actions<'d, Quantifier>);

impl VisitMut for Quantifiers<'_> {
    fn visit_quantifier(&mut self, quantifier: &mut Quantifier) {
        let number = self.0.meet();
        self.walk_quantifier(quantifier);
        self.0.change(number, quantifier);
    }
}
