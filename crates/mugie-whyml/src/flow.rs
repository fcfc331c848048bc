//! Bodies with jumps: from a graph of blocks to loops and exceptions.
//!
//! The blocks are those of Boogie. A loop is natural, so it has one head; a body with others is refused,
//! as Boogie refuses it. Blocks of one loop that do not belong to an inner one form a *region*, in which
//! an inner loop is one node. A region has no cycles, so its nodes can be put in an order in which all
//! jumps go forward. A node that is reached by one jump stands in its place; any other is the handler
//! of an exception, and jumps to it raise the exception:
//!
//! ```text
//! (exception Jump_2 in try begin … raise Jump_2 … end with Jump_2 -> begin … end end)
//! ```
//!
//! A loop is a `while true` whose body is a region; a jump to its head raises one more exception, which
//! ends the body. So what follows a `break` is outside of the loop, as in Boogie: its changes are none
//! of the loop.

use std::collections::BTreeSet;

use bpl_syntax::ast::{
    Block, Body, Else, Expr, Guard, If, LoopInvariant, LoopSpec, Name, Stmt, StmtKind, While,
};
use bpl_syntax::span::Span;
use bpl_syntax::visit::Visit;
use rustc_hash::FxHashMap;

use crate::logic::{Role, deep};
use crate::refusal::{Result, refuse_at};
use crate::statements::{Changed, Code, is_literal};

/// A command of a block.
#[derive(Clone, Copy, Debug)]
enum Command<'a> {
    Simple(&'a Stmt),
    Invariant(&'a LoopInvariant),
    /// The condition under which the block is entered, or its negation.
    Guard {
        expr: &'a Expr,
        holds: bool,
    },
}

/// A block; without successors, it ends the procedure.
#[derive(Debug, Default)]
struct Node<'a> {
    commands: Vec<Command<'a>>,
    next: Vec<usize>,
}

/// Translates a body.
pub(crate) fn body<'a>(code: &mut Code<'_, '_, 'a>, body: &'a Body, span: Span) -> Result<()> {
    let mut graph = Graph::default();
    graph.build(&body.block)?;
    graph.prune();
    let shape = Shape::new(&graph.nodes);
    let Some(shape) = shape else {
        return refuse_at(span, "a body with a loop that is entered at several places");
    };
    let mut writer = Writer { code, nodes: &graph.nodes, shape: &shape };
    writer.region(0, None)
}

/// The graph under construction.
#[derive(Default)]
struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    labels: FxHashMap<&'a Name, usize>,
    /// The statements that a `break` can leave: their label, the block after them, and whether a `break`
    /// without a label means them.
    frames: Vec<(Option<&'a Name>, usize, bool)>,
}

impl<'a> Graph<'a> {
    fn node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    fn build(&mut self, block: &'a Block) -> Result<()> {
        let entry = self.node();
        let mut end = entry;
        self.block(block, &mut end)
    }

    /// Removes the jumps after what never goes on: Boogie does so before it looks for loops.
    fn prune(&mut self) {
        let ends = |command: &Command<'_>| match command {
            Command::Simple(stmt) => match &stmt.kind {
                StmtKind::Assert(predicate) | StmtKind::Assume(predicate) => {
                    is_literal(&predicate.expr, "false")
                }
                _ => false,
            },
            Command::Invariant(invariant) => is_literal(&invariant.expr, "false"),
            // The negation of `true` is no literal.
            Command::Guard { expr, holds } => *holds && is_literal(expr, "false"),
        };
        for node in &mut self.nodes {
            if node.commands.iter().any(ends) {
                node.next.clear();
            }
        }
    }

    fn label(&mut self, name: &'a Name) -> usize {
        if let Some(&known) = self.labels.get(name) {
            return known;
        }
        let node = self.node();
        self.labels.insert(name, node);
        node
    }

    /// Adds statements after the block `at`, which becomes the last one.
    fn block(&mut self, block: &'a [Stmt], at: &mut usize) -> Result<()> {
        // The labels directly before a statement.
        let mut labels: Vec<&'a Name> = Vec::new();
        for stmt in block {
            match &stmt.kind {
                StmtKind::Label(label) => {
                    let node = self.label(&label.name);
                    self.nodes[*at].next.push(node);
                    *at = node;
                    labels.push(&label.name);
                    continue;
                }
                StmtKind::If(conditional) => {
                    deep(|| self.conditional(conditional, labels.last().copied(), at))?;
                }
                StmtKind::While(stmt) => {
                    deep(|| self.while_loop(stmt, labels.last().copied(), at))?;
                }
                StmtKind::Break(label) => {
                    let wanted = label.as_ref().map(|ident| &ident.name);
                    let frame = self.frames.iter().rev().find(|(name, _, is_loop)| match wanted {
                        Some(wanted) => *name == Some(wanted),
                        None => *is_loop,
                    });
                    let Some(&(_, after, _)) = frame else {
                        return refuse_at(stmt.span, "this `break`");
                    };
                    self.nodes[*at].next.push(after);
                    *at = self.node();
                }
                StmtKind::Goto(goto) => {
                    for target in &goto.targets {
                        let node = self.label(&target.name);
                        if !self.nodes[*at].next.contains(&node) {
                            self.nodes[*at].next.push(node);
                        }
                    }
                    *at = self.node();
                }
                StmtKind::Return(_) => *at = self.node(),
                _ => self.nodes[*at].commands.push(Command::Simple(stmt)),
            }
            labels.clear();
        }
        Ok(())
    }

    fn conditional(
        &mut self,
        conditional: &'a If,
        label: Option<&'a Name>,
        at: &mut usize,
    ) -> Result<()> {
        let If { attrs: _, guard, then_block, else_branch } = conditional;
        let (then, otherwise, after) = (self.node(), self.node(), self.node());
        self.nodes[*at].next = vec![then, otherwise];
        if let Guard::Expr(expr) = guard {
            self.nodes[then].commands.push(Command::Guard { expr, holds: true });
            self.nodes[otherwise].commands.push(Command::Guard { expr, holds: false });
        }
        self.frames.push((label, after, false));
        let mut end = then;
        self.block(then_block, &mut end)?;
        self.nodes[end].next.push(after);
        let mut end = otherwise;
        match else_branch {
            None => {}
            Some(Else::Block(block)) => self.block(block, &mut end)?,
            Some(Else::If(other)) => deep(|| self.conditional(other, None, &mut end))?,
        }
        self.nodes[end].next.push(after);
        self.frames.pop();
        *at = after;
        Ok(())
    }

    fn while_loop(
        &mut self,
        stmt: &'a While,
        label: Option<&'a Name>,
        at: &mut usize,
    ) -> Result<()> {
        let While { guard, specs, block } = stmt;
        let (head, body, exit, after) = (self.node(), self.node(), self.node(), self.node());
        self.nodes[*at].next.push(head);
        for spec in specs {
            match spec {
                LoopSpec::Invariant(invariant) => {
                    self.nodes[head].commands.push(Command::Invariant(invariant));
                }
                LoopSpec::Call { span, .. } => {
                    return refuse_at(*span, "a call as an invariant (CIVL)");
                }
                LoopSpec::Measure(measure) => return refuse_at(measure.span, "`measure`"),
            }
        }
        self.nodes[head].next = vec![body, exit];
        if let Guard::Expr(expr) = guard {
            self.nodes[body].commands.push(Command::Guard { expr, holds: true });
            self.nodes[exit].commands.push(Command::Guard { expr, holds: false });
        }
        self.nodes[exit].next.push(after);
        self.frames.push((label, after, true));
        let mut end = body;
        self.block(block, &mut end)?;
        self.nodes[end].next.push(head);
        self.frames.pop();
        *at = after;
        Ok(())
    }
}

/// The loops of a graph.
struct Shape {
    /// The place of each block in an order in which all jumps but those back to heads go forward; `None`
    /// if the block is not reached.
    place: Vec<Option<usize>>,
    /// The head of the innermost loop around each block; a head is in its own loop.
    around: Vec<Option<usize>>,
    /// The head of the next loop around each loop, by head.
    outside: FxHashMap<usize, Option<usize>>,
    /// Whether a block stands where the only jump to it is.
    in_place: Vec<bool>,
    /// The blocks that are handlers of exceptions, by the loop to whose region they belong.
    handlers: FxHashMap<Option<usize>, Vec<usize>>,
    /// The blocks of each loop, by head.
    loops: FxHashMap<usize, BTreeSet<usize>>,
}

impl Shape {
    /// Finds the loops; `None` if one of them has several entries.
    fn new(nodes: &[Node<'_>]) -> Option<Shape> {
        let order = reverse_postorder(nodes);
        let mut place = vec![None; nodes.len()];
        for (number, &node) in order.iter().enumerate() {
            place[node] = Some(number);
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for &node in &order {
            for &next in &nodes[node].next {
                before[next].push(node);
            }
        }
        let dominators = dominators(&order, &place, &before);
        let dominates = |head: usize, mut node: usize| {
            while place[node] > place[head] {
                node = dominators[node];
            }
            node == head
        };
        // A jump that does not go forward must go back to the head of a loop.
        let mut loops: FxHashMap<usize, BTreeSet<usize>> = FxHashMap::default();
        // The jumps forward to each block: their number, and where the last one comes from.
        let mut entries = vec![(0, 0); nodes.len()];
        for &node in &order {
            for &next in &nodes[node].next {
                if place[next] > place[node] {
                    entries[next] = (entries[next].0 + 1, node);
                    continue;
                }
                if !dominates(next, node) {
                    return None;
                }
                let all = loops.entry(next).or_insert_with(|| BTreeSet::from([next]));
                let mut open = vec![node];
                while let Some(node) = open.pop() {
                    if all.insert(node) {
                        open.extend(&before[node]);
                    }
                }
            }
        }
        let mut heads: Vec<usize> = loops.keys().copied().collect();
        // The smallest loop first, so that the first one found is the innermost.
        heads.sort_by_key(|head| (loops[head].len(), place[*head]));
        let innermost = |node: usize, not: Option<usize>| {
            heads.iter().copied().find(|head| Some(*head) != not && loops[head].contains(&node))
        };
        let around: Vec<Option<usize>> =
            (0..nodes.len()).map(|node| innermost(node, None)).collect();
        let outside: FxHashMap<usize, Option<usize>> =
            heads.iter().map(|&head| (head, innermost(head, Some(head)))).collect();
        let mut shape = Shape {
            place,
            around,
            outside,
            in_place: vec![false; nodes.len()],
            handlers: FxHashMap::default(),
            loops,
        };
        for &node in order.iter().skip(1) {
            let region = shape.region_of(node);
            // The only jump may come from inside another loop.
            let (count, from) = entries[node];
            shape.in_place[node] = count == 1 && shape.around[from] == region;
            if !shape.in_place[node] {
                shape.handlers.entry(region).or_default().push(node);
            }
        }
        Some(shape)
    }

    /// The region to which a block belongs as a node: for the head of a loop, that outside of the loop.
    fn region_of(&self, node: usize) -> Option<usize> {
        match self.outside.get(&node) {
            Some(outside) => *outside,
            None => self.around[node],
        }
    }
}

/// The blocks that are reached, each before its successors, apart from jumps back.
fn reverse_postorder(nodes: &[Node<'_>]) -> Vec<usize> {
    let mut seen = vec![false; nodes.len()];
    let mut order = Vec::new();
    // The blocks on the path, with the number of successors that remain: the last ones come first, so that
    // the result is close to the order of the source.
    let mut path = vec![(0, nodes[0].next.len())];
    seen[0] = true;
    while let Some((node, left)) = path.last_mut() {
        let node = *node;
        if *left == 0 {
            order.push(node);
            path.pop();
            continue;
        }
        *left -= 1;
        let next = nodes[node].next[*left];
        if !seen[next] {
            seen[next] = true;
            path.push((next, nodes[next].next.len()));
        }
    }
    order.reverse();
    order
}

/// The immediate dominator of each block that is reached.
fn dominators(order: &[usize], place: &[Option<usize>], before: &[Vec<usize>]) -> Vec<usize> {
    let mut found: Vec<Option<usize>> = vec![None; place.len()];
    found[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().skip(1) {
            let mut common: Option<usize> = None;
            for &other in &before[node] {
                if found[other].is_none() {
                    continue;
                }
                common = Some(match common {
                    None => other,
                    Some(mut left) => {
                        let mut right = other;
                        while left != right {
                            let later =
                                if place[left] > place[right] { &mut left } else { &mut right };
                            *later = found[*later].unwrap_or(0);
                        }
                        left
                    }
                });
            }
            if common != found[node] {
                found[node] = common;
                changed = true;
            }
        }
    }
    found.into_iter().map(|node| node.unwrap_or(0)).collect()
}

/// Writes a graph as code.
struct Writer<'w, 'c, 'k, 's, 'a> {
    code: &'w mut Code<'c, 's, 'a>,
    nodes: &'w [Node<'a>],
    shape: &'k Shape,
}

impl<'a> Writer<'_, '_, '_, '_, 'a> {
    /// Writes the region of a loop, or of the body; `entry` is its first block.
    fn region(&mut self, entry: usize, head: Option<usize>) -> Result<()> {
        let handlers = self.shape.handlers.get(&head).map(Vec::as_slice).unwrap_or_default();
        for node in handlers.iter().rev() {
            self.code.page.open(&format!("(exception Jump_{node} in try begin"));
        }
        self.block(entry, head)?;
        for &node in handlers {
            self.code.page.divide(&format!("end with Jump_{node} -> begin"));
            self.node(node)?;
            self.code.page.close("end end);");
        }
        Ok(())
    }

    fn is_head(&self, node: usize) -> bool {
        self.shape.outside.contains_key(&node)
    }

    /// Writes a node of a region: a block, or a loop.
    fn node(&mut self, node: usize) -> Result<()> {
        if self.is_head(node) {
            self.natural_loop(node)
        } else {
            self.block(node, self.shape.around[node])
        }
    }

    /// Writes a loop.
    fn natural_loop(&mut self, head: usize) -> Result<()> {
        let nodes = self.nodes;
        let mut changed = Changed::new(self.code.world.source);
        for &node in &self.shape.loops[&head] {
            for command in &nodes[node].commands {
                if let Command::Simple(stmt) = command {
                    changed.visit_stmt(stmt);
                }
            }
        }
        let conditions = self.code.conditions_of(&changed.names)?;
        self.code.page.open("while true do");
        let mut assumed = Vec::new();
        for command in leading(&nodes[head]) {
            let (expr, span, role) = match command {
                Command::Invariant(invariant) if invariant.free => {
                    (&invariant.expr, invariant.span, Role::Used)
                }
                Command::Invariant(invariant) => (&invariant.expr, invariant.span, Role::Both),
                Command::Simple(Stmt { kind: StmtKind::Assert(predicate), span }) => {
                    (&predicate.expr, *span, Role::Both)
                }
                Command::Simple(Stmt { kind: StmtKind::Assume(predicate), span }) => {
                    (&predicate.expr, *span, Role::Used)
                }
                _ => continue,
            };
            let text = self.code.world.condition(expr, &mut self.code.scope, role, span)?;
            if role == Role::Both {
                self.code.page.line_from(span, &format!("invariant {{ {text} }}"));
            } else {
                assumed.push((Some(span), text));
            }
        }
        self.code.page.open(&format!("(exception Next_{head} in try begin"));
        for (span, text) in conditions.into_iter().chain(assumed) {
            self.code.page.line_maybe_from(span, &format!("assume {{ {text} }};"));
        }
        self.region(head, Some(head))?;
        self.code.page.close(&format!("end with Next_{head} -> () end)"));
        self.code.page.close("done;");
        Ok(())
    }

    /// Writes a block and what stands in place after it, in the region of a loop.
    fn block(&mut self, node: usize, region: Option<usize>) -> Result<()> {
        let nodes = self.nodes;
        let mut at = node;
        loop {
            let skip = if self.is_head(at) { leading(&nodes[at]).count() } else { 0 };
            for command in nodes[at].commands.iter().skip(skip) {
                self.command(*command)?;
            }
            match &*nodes[at].next {
                [] => {
                    self.code.page.line("raise Return");
                    return Ok(());
                }
                &[next] => {
                    // A chain of blocks is written without recursion.
                    if self.goes_on(at, next, region) && !self.is_head(next) {
                        at = next;
                        continue;
                    }
                    return self.jump(at, next, region);
                }
                [rest @ .., last] => {
                    for &next in rest {
                        self.code.page.open("if (any bool) then begin");
                        deep(|| self.jump(at, next, region))?;
                        self.code.page.divide("end else begin");
                    }
                    deep(|| self.jump(at, *last, region))?;
                    for _ in rest {
                        self.code.page.close("end");
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Whether a jump is replaced by the block that it goes to.
    fn goes_on(&self, from: usize, to: usize, region: Option<usize>) -> bool {
        self.shape.place[to] > self.shape.place[from]
            && self.shape.region_of(to) == region
            && self.shape.in_place[to]
    }

    fn jump(&mut self, from: usize, to: usize, region: Option<usize>) -> Result<()> {
        if self.goes_on(from, to, region) {
            return self.node(to);
        }
        // A jump that does not go forward goes back to the head of a loop.
        if self.shape.place[to] <= self.shape.place[from] {
            self.code.page.line(&format!("raise Next_{to}"));
        } else {
            self.code.page.line(&format!("raise Jump_{to}"));
        }
        Ok(())
    }

    fn command(&mut self, command: Command<'a>) -> Result<()> {
        match command {
            Command::Simple(stmt) => {
                self.code.simple(stmt).map_err(|refusal| refusal.at(stmt.span))
            }
            Command::Guard { expr, holds } => {
                let role = if holds { Role::Used } else { Role::Proved };
                let text = self.code.world.text(expr, &mut self.code.scope, role)?;
                let text = if holds { text } else { format!("(not {text})") };
                self.code.page.line_from(expr.span, &format!("assume {{ {text} }};"));
                Ok(())
            }
            // Nothing comes back to the head, so it is no loop.
            Command::Invariant(invariant) => {
                let (keyword, role) =
                    if invariant.free { ("assume", Role::Used) } else { ("assert", Role::Both) };
                let scope = &mut self.code.scope;
                let text = self.code.world.text(&invariant.expr, scope, role)?;
                self.code.page.line_from(invariant.span, &format!("{keyword} {{ {text} }};"));
                Ok(())
            }
        }
    }
}

/// The assertions and assumptions at the start of a loop: its invariants.
fn leading<'n, 'a>(node: &'n Node<'a>) -> impl Iterator<Item = Command<'a>> + use<'n, 'a> {
    node.commands.iter().copied().take_while(|command| match command {
        Command::Invariant(_) => true,
        Command::Simple(stmt) => {
            matches!(stmt.kind, StmtKind::Assert(_) | StmtKind::Assume(_))
        }
        Command::Guard { .. } => false,
    })
}
