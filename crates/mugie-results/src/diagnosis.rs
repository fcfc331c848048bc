//! Which layer of a verifier is to blame for a pair, and what was tried to find out, as data.

use mugie_core::{Outcome, ProblemDifference};
use serde::{Deserialize, Serialize};

/// What a variation changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum VariedPart {
    /// Nothing: the verifier as it was when the failure was found.
    Nothing,
    /// The verifier's own inference is off.
    NoInference,
    /// The solver's random numbers start elsewhere.
    RandomSeed {
        /// Where.
        seed: u64,
    },
    /// More time.
    Time {
        /// Seconds for a run.
        seconds: f64,
    },
    /// Another solver, or another version of it.
    Solver {
        /// What it is called: `Z3 4.13.0`.
        title: String,
    },
}

/// What came of a variation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What it changes.
    pub change: VariedPart,
    /// What it is, for people.
    pub words: String,
    /// The verdict on the program that verifies.
    pub seed: Outcome,
    /// The verdict on the other one.
    pub mutant: Outcome,
}

/// A variation that could not be tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unavailable {
    /// What it is, for people.
    pub words: String,
    /// Why not.
    pub reason: String,
}

/// The layer to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// The verifier refuses the mutant before it verifies anything.
    TypeChecking,
    /// The verifier's own inference finds other facts.
    Inference,
    /// The mutant needs more time than it is given.
    Time,
    /// The solver's luck: the program that verifies fails with other random numbers.
    SolverChoices,
    /// The solver gets the same problem with its axioms in another order.
    AxiomOrder,
    /// The solver gets the same problem with its declarations in another order.
    DeclarationOrder,
    /// The solver gets the same problem with other names for its quantifiers.
    QuantifierNames,
    /// The solver gets a problem of another shape.
    ProblemShape,
    /// The solver gets the very same problem.
    SameProblem,
    /// The solver gets another problem, but it is not known how it differs.
    Solver,
    /// Both programs get the same verdict now.
    NotReproduced,
}

/// Where the brittleness sits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The layer.
    pub layer: Layer,
    /// The answer in a sentence or two.
    pub sentence: String,
    /// How the solver's problems differ, where that is known.
    pub difference: Option<ProblemDifference>,
    /// All that was tried.
    pub tried: Vec<Tried>,
    /// What could not be tried.
    pub unavailable: Vec<Unavailable>,
}
