//! The variables of one declaration: formals, locals and bound variables.
//!
//! Boogie lets a local name hide a constant or a global variable, but never another local name:
//! one flat map with a list of what to take out again is all there is to scopes.

use rustc_hash::FxHashMap;

use crate::types::TypeId;

/// A formal, a local or a bound variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub(crate) ty: TypeId,
    pub(crate) kind: LocalKind,
    /// Whether it is marked `{:assumption}`.
    pub(crate) assumption: bool,
}

/// What a [`Local`] is, as far as assignments care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalKind {
    /// An in-parameter, or an argument of a function.
    In,
    /// An out-parameter.
    Out,
    /// A local variable.
    Var,
    /// Bound by a quantifier, a lambda or a let.
    Bound,
}

#[derive(Debug, Default)]
pub(crate) struct Scope<'a> {
    names: FxHashMap<&'a str, Local>,
    declared: Vec<&'a str>,
}

impl<'a> Scope<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<Local> {
        self.names.get(name).copied()
    }

    /// Adds a variable; `false` if there is one of that name.
    pub(crate) fn declare(&mut self, name: &'a str, local: Local) -> bool {
        if self.names.contains_key(name) {
            return false;
        }
        self.names.insert(name, local);
        self.declared.push(name);
        true
    }

    pub(crate) fn mark(&self) -> usize {
        self.declared.len()
    }

    /// Takes out what has been declared since the mark.
    pub(crate) fn leave(&mut self, mark: usize) {
        for name in self.declared.drain(mark.min(self.declared.len())..) {
            self.names.remove(name);
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.declared.iter().copied()
    }
}
