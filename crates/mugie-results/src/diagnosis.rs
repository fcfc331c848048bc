//! The layer of a verifier that is responsible for a pair's brittleness, and the variations tried
//! to find it, as data.

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
    /// The solver's random seed.
    RandomSeed {
        /// The random seed.
        seed: u64,
    },
    /// A higher time limit.
    Time {
        /// The time limit of a run, in seconds.
        seconds: f64,
    },
    /// Another solver, or another version of it.
    Solver {
        /// The solver's name and version: `Z3 4.13.0`.
        title: String,
    },
    /// Another verifier, which reads a translation of the programs or the programs themselves.
    Verifier {
        /// The verifier with its solver, and their versions.
        title: String,
        /// Whether it uses the same solver.
        same_solver: bool,
    },
}

/// The result of a variation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What the variation changes.
    pub change: VariedPart,
    /// A description for people.
    pub words: String,
    /// The verdict on the program that verifies.
    pub seed: Outcome,
    /// The verdict on the mutant.
    pub mutant: Outcome,
}

/// A variation that could not be tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unavailable {
    /// A description for people.
    pub words: String,
    /// Why the variation could not be tried.
    pub reason: String,
}

/// The responsible layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// The verifier rejects one of the programs before verification.
    TypeChecking,
    /// The verifier's own inference finds different facts.
    Inference,
    /// The mutant needs more than the time limit.
    Time,
    /// The solver's luck: the program that verifies fails with other random seeds.
    SolverChoices,
    /// The solver gets the same problem with its axioms in another order.
    AxiomOrder,
    /// The solver gets the same problem with its declarations in another order.
    DeclarationOrder,
    /// The solver gets the same problem with other names for its quantifiers.
    QuantifierNames,
    /// The solver gets a different formula.
    ProblemShape,
    /// The solver gets other axioms.
    AxiomChoice,
    /// The solver gets exactly the same problem.
    SameProblem,
    /// The solver, or its input: how the problems differ is not known.
    Solver,
    /// Both programs now get the same verdict.
    NotReproduced,
}

impl Layer {
    /// Every layer.
    pub const ALL: [Layer; 12] = [
        Layer::TypeChecking,
        Layer::Inference,
        Layer::Time,
        Layer::SolverChoices,
        Layer::AxiomOrder,
        Layer::DeclarationOrder,
        Layer::QuantifierNames,
        Layer::ProblemShape,
        Layer::AxiomChoice,
        Layer::SameProblem,
        Layer::Solver,
        Layer::NotReproduced,
    ];

    /// The name in records and in the book.
    pub fn id(self) -> &'static str {
        match self {
            Layer::TypeChecking => "type-checking",
            Layer::Inference => "inference",
            Layer::Time => "time",
            Layer::SolverChoices => "solver-choices",
            Layer::AxiomOrder => "axiom-order",
            Layer::DeclarationOrder => "declaration-order",
            Layer::QuantifierNames => "quantifier-names",
            Layer::ProblemShape => "problem-shape",
            Layer::AxiomChoice => "axiom-choice",
            Layer::SameProblem => "same-problem",
            Layer::Solver => "solver",
            Layer::NotReproduced => "not-reproduced",
        }
    }
}

/// The result of a diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The layer.
    pub layer: Layer,
    /// The answer in a sentence or two.
    pub sentence: String,
    /// How the solver problems differ, if that is known.
    pub difference: Option<ProblemDifference>,
    /// The variations that were tried.
    pub tried: Vec<Tried>,
    /// The variations that could not be tried.
    pub unavailable: Vec<Unavailable>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_recorded_by_their_names() {
        for layer in Layer::ALL {
            assert_eq!(serde_json::to_value(layer).unwrap(), layer.id());
        }
    }
}
