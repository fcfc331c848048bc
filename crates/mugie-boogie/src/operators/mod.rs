//! The operators, one file each, and the list of all of them.

mod add_true;
mod add_unused;
mod define_by_axiom;
mod desugar_control;
mod flip_conditional;
mod join;
mod join_postconditions;
mod join_preconditions;
mod mirror_comparison;
mod move_to_file;
mod reassociate;
mod remove_trigger;
mod remove_unused;
mod rename_global;
mod rename_local;
mod reorder_bound;
mod reorder_triggers;
mod split_clause;
mod split_havoc;
mod split_procedure;
mod split_variables;
mod swap_blocks;
mod swap_clauses;
mod swap_declarations;
mod swap_locals;
mod swap_operands;
mod swap_procedures;
mod swap_targets;
mod update_map_explicitly;

use std::sync::LazyLock;

use mugie_core::About;

use crate::operator::Operator;

/// Every operator, in the order of reports. The order is part of the meaning of a random seed.
pub const ALL: &[&dyn Operator] = &[
    &swap_declarations::SwapDeclarations,
    &split_procedure::SplitProcedure,
    &move_to_file::MoveToFile,
    &swap_locals::SwapLocals,
    &split_variables::SplitVariables,
    &join_preconditions::JoinPreconditions,
    &join_postconditions::JoinPostconditions,
    &swap_clauses::SwapClauses,
    &flip_conditional::FlipConditional,
    &add_true::AddTrue,
    &remove_trigger::RemoveTrigger,
    &rename_global::RenameGlobal,
    &rename_local::RenameLocal,
    &split_clause::SplitClause,
    &swap_operands::SwapOperands,
    &mirror_comparison::MirrorComparison,
    &reorder_bound::ReorderBound,
    &reorder_triggers::ReorderTriggers,
    &add_unused::AddUnused,
    &remove_unused::RemoveUnused,
    &define_by_axiom::DefineByAxiom,
    &desugar_control::DesugarControl,
    &update_map_explicitly::UpdateMapExplicitly,
    &split_havoc::SplitHavoc,
    &reassociate::Reassociate,
    &swap_blocks::SwapBlocks,
    &swap_targets::SwapTargets,
    &swap_procedures::SwapProcedures,
];

/// The descriptions of all operators, in the same order.
pub fn abouts() -> &'static [&'static About] {
    static ABOUTS: LazyLock<Vec<&'static About>> =
        LazyLock::new(|| ALL.iter().map(|operator| operator.about()).collect());
    &ABOUTS
}

/// Finds an operator by its code or name, ignoring case.
pub fn find(name: &str) -> Option<&'static dyn Operator> {
    ALL.iter().copied().find(|operator| operator.about().is_called(name))
}

#[cfg(test)]
pub(crate) mod testing;
