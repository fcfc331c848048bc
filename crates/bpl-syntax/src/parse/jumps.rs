//! Checks that every `goto` and `break` of a body has a target, as Boogie does while parsing.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Parser;
use crate::ast::{Block, Body, Else, Ident, If, Name, Stmt, StmtKind};
use crate::span::Span;

impl Parser<'_> {
    /// Reports the jumps of a body without a target.
    pub(super) fn check_jumps(&mut self, body: &Body) {
        let mut jumps = Jumps::default();
        jumps.block(&body.block);
        for target in &jumps.gotos {
            if !jumps.labels.contains(&target.name) {
                self.error(target.span, format!("unknown label `{}`", target.name)).help =
                    Some("a label of the same body is needed: `name:`".to_owned());
            }
        }
        for (span, message) in jumps.bad_breaks {
            self.error(span, message).help = Some(
                "`break` leaves the innermost loop; `break l` the `if` or `while` around it that \
                 stands directly behind the label `l`"
                    .to_owned(),
            );
        }
    }
}

/// The labels and jumps of a body.
#[derive(Default)]
struct Jumps<'b> {
    labels: FxHashSet<&'b Name>,
    gotos: Vec<&'b Ident>,
    bad_breaks: Vec<(Span, String)>,
    /// The number of loops around the current statement.
    loops: u32,
    /// The number of enclosing structured statements with each label directly on them.
    enclosing: FxHashMap<&'b Name, u32>,
}

impl<'b> Jumps<'b> {
    fn block(&mut self, block: &'b Block) {
        let mut label = None;
        for stmt in block {
            self.stmt(stmt, label);
            label = match &stmt.kind {
                StmtKind::Label(label) => Some(&label.name),
                _ => None,
            };
        }
    }

    fn stmt(&mut self, stmt: &'b Stmt, label: Option<&'b Name>) {
        match &stmt.kind {
            StmtKind::Label(label) => {
                self.labels.insert(&label.name);
            }
            StmtKind::Goto(goto) => self.gotos.extend(&goto.targets),
            StmtKind::Break(None) if self.loops == 0 => {
                self.bad_breaks.push((stmt.span, "`break` outside of a loop".to_owned()));
            }
            StmtKind::Break(Some(target))
                if self.enclosing.get(&target.name).is_none_or(|&count| count == 0) =>
            {
                let message = format!("no enclosing statement is labelled `{}`", target.name);
                self.bad_breaks.push((target.span, message));
            }
            StmtKind::If(conditional) => {
                self.enter(label);
                self.conditional(conditional);
                self.leave(label);
            }
            StmtKind::While(repetition) => {
                self.enter(label);
                self.loops += 1;
                self.nested_block(&repetition.block);
                self.loops -= 1;
                self.leave(label);
            }
            _ => {}
        }
    }

    fn enter(&mut self, label: Option<&'b Name>) {
        if let Some(label) = label {
            *self.enclosing.entry(label).or_default() += 1;
        }
    }

    fn leave(&mut self, label: Option<&'b Name>) {
        if let Some(count) = label.and_then(|label| self.enclosing.get_mut(label)) {
            *count -= 1;
        }
    }

    fn conditional(&mut self, mut conditional: &'b If) {
        loop {
            self.nested_block(&conditional.then_block);
            match &conditional.else_branch {
                None => return,
                Some(Else::Block(block)) => return self.nested_block(block),
                Some(Else::If(next)) => conditional = next,
            }
        }
    }

    fn nested_block(&mut self, block: &'b Block) {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.block(block));
    }
}
