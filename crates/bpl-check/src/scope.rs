//! The variables of one declaration: parameters, locals and bound variables.
//!
//! A local name may shadow a constant or a global variable. In Boogie 2 it must not shadow another
//! local name; in Boogie 3 it may, if the other comes from an outer scope. All scopes share one
//! map, with a list of what to undo at the end of each.

use bpl_syntax::Dialect;
use bpl_syntax::span::Span;
use rustc_hash::FxHashMap;

use crate::types::TypeId;

/// A parameter, a local or a bound variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    /// The span of its declaration.
    pub(crate) span: Span,
    pub(crate) ty: TypeId,
    pub(crate) kind: LocalKind,
    /// Whether it is marked `{:assumption}`.
    pub(crate) assumption: bool,
}

/// The kind of a [`Local`], as far as it matters for assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalKind {
    /// An in-parameter, or an argument of a function.
    In,
    /// An out-parameter.
    Out,
    /// A local variable.
    Var,
    /// A variable bound by a quantifier, a lambda or a `let`.
    Bound,
}

#[derive(Debug)]
pub(crate) struct Scope<'a> {
    may_hide_locals: bool,
    names: FxHashMap<&'a str, (u32, Local)>,
    /// The names declared so far, each with the variable it shadows.
    declared: Vec<(&'a str, Option<(u32, Local)>)>,
    /// The number of open scopes.
    level: u32,
}

/// The start of a scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    declared: usize,
    level: u32,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(dialect: Dialect) -> Scope<'a> {
        Scope {
            may_hide_locals: dialect == Dialect::Boogie3,
            names: FxHashMap::default(),
            declared: Vec::new(),
            level: 0,
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<Local> {
        self.names.get(name).map(|&(_, local)| local)
    }

    /// Adds a variable, or returns the variable of the same name that it must not shadow.
    pub(crate) fn declare(&mut self, name: &'a str, local: Local) -> Result<(), Local> {
        let hidden = self.names.get(name).copied();
        if let Some((level, other)) = hidden
            && (level == self.level || !self.may_hide_locals)
        {
            return Err(other);
        }
        self.names.insert(name, (self.level, local));
        self.declared.push((name, hidden));
        Ok(())
    }

    /// Opens a scope within the current one.
    pub(crate) fn open(&mut self) -> Mark {
        let mark = self.mark();
        self.level += 1;
        mark
    }

    /// The current position, to return to without opening a scope.
    pub(crate) fn mark(&self) -> Mark {
        Mark { declared: self.declared.len(), level: self.level }
    }

    /// Undoes all declarations and scopes since the mark.
    pub(crate) fn leave(&mut self, mark: Mark) {
        self.level = mark.level;
        while self.declared.len() > mark.declared {
            match self.declared.pop() {
                Some((name, Some(hidden))) => self.names.insert(name, hidden),
                Some((name, None)) => self.names.remove(name),
                None => return,
            };
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.declared.iter().map(|&(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: Span = Span { start: 0, end: 0 };
    const X: Local =
        Local { span: NOWHERE, ty: TypeId::INT, kind: LocalKind::Var, assumption: false };
    const BOUND: Local =
        Local { span: NOWHERE, ty: TypeId::BOOL, kind: LocalKind::Bound, assumption: false };

    #[test]
    fn boogie_2_locals_hide_no_locals() {
        let mut scope = Scope::new(Dialect::Boogie2);
        assert!(scope.declare("x", X).is_ok());
        scope.open();
        assert!(scope.declare("x", BOUND).is_err());
    }

    #[test]
    fn boogie_3_locals_hide_locals_of_outer_scopes() {
        let mut scope = Scope::new(Dialect::Boogie3);
        assert!(scope.declare("x", X).is_ok());
        assert!(scope.declare("x", X).is_err());
        let mark = scope.open();
        assert!(scope.declare("x", BOUND).is_ok());
        assert_eq!(scope.get("x").map(|x| x.kind), Some(LocalKind::Bound));
        scope.leave(mark);
        assert_eq!(scope.get("x").map(|x| x.kind), Some(LocalKind::Var));
    }
}
