//! How what a solver is asked about two programs differs. Whoever reads a solver's input finds it
//! out; nothing here knows what such input looks like.

use serde::{Deserialize, Serialize};

/// How two problems for a solver differ, in the order of how much that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemDifference {
    /// Not at all: a solver cannot tell them apart.
    None,
    /// Only in names of quantifiers that steer the solver, as `:skolemid` does, or in white space
    /// within commands.
    QuantifierNames,
    /// The same declarations and axioms, declarations in another order.
    DeclarationOrder,
    /// The same declarations and axioms, axioms in another order.
    AxiomOrder,
    /// Something that is in one is not in the other.
    Shape,
}
