//! How the solver problems of two programs differ. Whoever reads a solver's input finds out;
//! nothing here knows the format of that input.

use serde::{Deserialize, Serialize};

/// How two solver problems differ, in increasing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemDifference {
    /// Not at all: a solver cannot tell them apart.
    None,
    /// Only in names of quantifiers that affect the solver, such as `:skolemid`, or in white space
    /// within commands.
    QuantifierNames,
    /// In the order of declarations.
    DeclarationOrder,
    /// In the order of axioms.
    AxiomOrder,
    /// In a command that only one of them has.
    Shape,
    /// In the number of axioms.
    Axioms,
}
