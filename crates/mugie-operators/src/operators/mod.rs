//! The operators, one file each, and the one list of them.

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
mod swap_clauses;
mod swap_declarations;
mod swap_locals;
mod swap_operands;
mod update_map_explicitly;

use crate::operator::Operator;

/// Every operator. The order is that of reports, and part of what a random seed means.
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
];

/// The operator of a code or name, in any case.
pub fn find(name: &str) -> Option<&'static dyn Operator> {
    ALL.iter().copied().find(|operator| is_called(*operator, name))
}

/// Whether an operator has this code or name.
pub(crate) fn is_called(operator: &dyn Operator, name: &str) -> bool {
    let about = operator.about();
    about.name.eq_ignore_ascii_case(name)
        || about.code.is_some_and(|code| code.eq_ignore_ascii_case(name))
}

/// The code or name that is most like a word that is none.
pub fn similar(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    ALL.iter()
        .flat_map(|operator| operator.about().code.into_iter().chain([operator.about().name]))
        .map(|name| (distance(&word, &name.to_ascii_lowercase()), name))
        .filter(|&(distance, name)| distance <= name.len() / 3 + 1)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// How many characters must be added, removed or replaced to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
pub(crate) mod testing;
