//! Clauses whose position or form has a meaning.
//!
//! All clauses of a kind hold together, so their order and grouping mean nothing. Some attributes
//! change that: they turn a clause into an assumption for what follows, or mark where checking
//! begins. Operators that move, join or split clauses ask this module, which knows attributes but
//! not the operators.

use std::cell::RefCell;

use bpl_syntax::ast::{Attr, Condition, ConditionKind, LoopInvariant, LoopSpec, Spec};

/// A clause and its index in its list.
pub(crate) type Indexed<'d, C> = (usize, &'d C);

/// The places in a list at which something was added or removed, by their old indices. Several patches of
/// one list share it, if they do not come in the order of the list.
#[derive(Debug, Default)]
pub(crate) struct Shifts(RefCell<Vec<usize>>);

impl Shifts {
    /// The number of places before an old index.
    pub(crate) fn before(&self, index: usize) -> usize {
        self.0.borrow().partition_point(|it| *it < index)
    }

    /// Notes a place.
    pub(crate) fn note(&self, index: usize) {
        let mut all = self.0.borrow_mut();
        let place = all.partition_point(|it| *it < index);
        all.insert(place, index);
    }
}

/// Whether the attributes of a clause or an assertion concern only the clause itself, and nothing
/// around it as `:InlineAssume`, `:verified_under` or `:split_here` do. Unknown attributes count as
/// affecting others.
pub(crate) fn stays_itself(attrs: &[Attr]) -> bool {
    attrs.iter().all(|attr| matches!(attr.name.as_str(), "msg" | "subsumption" | "id"))
}

/// The conditions of a kind, grouped into runs within which they may be reordered. A condition
/// whose attributes affect others belongs to no run and ends the run before it.
pub(crate) fn condition_runs(
    specs: &[Spec],
    kind: ConditionKind,
) -> Vec<Vec<Indexed<'_, Condition>>> {
    let of_kind: Vec<Indexed<'_, Condition>> = specs
        .iter()
        .enumerate()
        .filter_map(|(index, spec)| match spec {
            Spec::Condition(clause) if clause.kind == kind => Some((index, clause)),
            _ => None,
        })
        .collect();
    of_kind.split(|(_, clause)| !stays_itself(&clause.attrs)).map(<[_]>::to_vec).collect()
}

/// The invariants of a loop, grouped into runs within which they may be reordered. The invariants
/// of a run are either all checked or all `free`: if the body never jumps back to the head, there
/// is no loop, and the clauses are assertions and assumptions that are executed in order.
pub(crate) fn invariant_runs(specs: &[LoopSpec]) -> Vec<Vec<Indexed<'_, LoopInvariant>>> {
    let clauses: Vec<Option<Indexed<'_, LoopInvariant>>> = specs
        .iter()
        .enumerate()
        .map(|(index, spec)| match spec {
            LoopSpec::Invariant(clause) if stays_itself(&clause.attrs) => Some((index, clause)),
            _ => None,
        })
        .collect();
    clauses
        .split(Option::is_none)
        .map(|run| run.iter().flatten().copied().collect::<Vec<_>>())
        .flat_map(|run| {
            let alike = run.chunk_by(|(_, one), (_, next)| one.free == next.free);
            alike.map(<[_]>::to_vec).collect::<Vec<_>>()
        })
        .collect()
}
