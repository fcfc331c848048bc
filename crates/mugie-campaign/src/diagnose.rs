//! In which layer of a verifier the brittleness of a pair sits: a program that verifies, and one that
//! means the same and does not.
//!
//! The pair is verified under variations of the verifier, and what the verifier asks its solver is
//! compared. The answer is one layer, with all that was tried. What the variations are, and where
//! solvers are, is for others to say.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use mugie_verifiers::{Outcome, ProblemDifference, Verdict};
use serde::{Deserialize, Serialize};

use crate::runs::{Files, Runner};

/// A program that verifies, and one that means the same and does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The one that verifies.
    pub seed: Files,
    /// The other one.
    pub mutant: Files,
}

/// What a variation changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Change {
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

/// A variation that can be run.
pub struct Variation<'a> {
    /// What it changes.
    pub change: Change,
    /// What it is, for people: `without inference`.
    pub words: String,
    /// What runs it.
    pub runner: Runner<'a>,
}

/// What came of a variation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What it changes.
    pub change: Change,
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

/// What a verifier says of the two programs of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdicts {
    /// Of the one that verifies.
    pub seed: Verdict,
    /// Of the other one.
    pub mutant: Verdict,
}

impl Verdicts {
    /// Whether the difference shows: one is verified, and of the other it is known that it is not.
    pub fn differ(&self) -> bool {
        let [seed, mutant] = [&self.seed, &self.mutant].map(|verdict| verdict.outcome);
        seed.is_evidence()
            && mutant.is_evidence()
            && (seed == Outcome::Verified) != (mutant == Outcome::Verified)
    }

    /// Whether time or memory ran out.
    pub fn ran_out(&self) -> bool {
        self.seed.depends_on_machine() || self.mutant.depends_on_machine()
    }
}

/// What some runners say of a pair, in up to `jobs` threads; `each` is told how many runs are done.
/// `None` if it was cancelled.
pub fn verify(
    pair: &Pair,
    runners: &[&Runner<'_>],
    jobs: NonZeroUsize,
    each: impl Fn(usize) + Sync,
) -> Option<Vec<Verdicts>> {
    let questions: Vec<(&Runner<'_>, &Files)> = runners
        .iter()
        .flat_map(|runner| [(*runner, &pair.seed), (*runner, &pair.mutant)])
        .collect();
    let answers = Mutex::new(vec![None; questions.len()]);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some((runner, files)) = questions.get(place) else { return };
            let Some(settled) = runner.settle(files, 0) else { return };
            answers.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(settled.verdict);
            each(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs.get() {
            scope.spawn(work);
        }
        work();
    });
    let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut answers = answers.into_iter();
    let mut verdicts = Vec::new();
    while let Some(seed) = answers.next() {
        verdicts.push(Verdicts { seed: seed?, mutant: answers.next()?? });
    }
    Some(verdicts)
}

/// Finds the layer. `base` is what was said of the pair as it was found; if the difference does not
/// show in it, nothing else needs to be run. `logger` writes down what the solver is asked, if the
/// verifier can do that. `None` if it was cancelled.
pub fn diagnose(
    pair: &Pair,
    base: &Verdicts,
    variations: &[Variation<'_>],
    logger: Option<&Runner<'_>>,
    unavailable: Vec<Unavailable>,
    jobs: NonZeroUsize,
    each: impl Fn(usize) + Sync,
) -> Option<Diagnosis> {
    let row = |change: Change, words: String, verdicts: &Verdicts| Tried {
        change,
        words,
        seed: verdicts.seed.outcome,
        mutant: verdicts.mutant.outcome,
    };
    let mut tried = vec![row(Change::Nothing, "as it was found".to_owned(), base)];
    let mut difference = None;
    if base.differ() {
        let runners: Vec<&Runner<'_>> = variations.iter().map(|it| &it.runner).collect();
        let verdicts = verify(pair, &runners, jobs, each)?;
        tried.extend(variations.iter().zip(&verdicts).map(|(variation, verdicts)| {
            row(variation.change.clone(), variation.words.clone(), verdicts)
        }));
        let failing = failing_procedure(&base.mutant);
        difference = logger.and_then(|logger| problem_difference(pair, logger, failing.as_deref()));
    }
    let (layer, sentence) = conclude(&tried, difference);
    Some(Diagnosis { layer, sentence, difference, tried, unavailable })
}

/// The procedure that is not verified, if there is but one.
fn failing_procedure(verdict: &Verdict) -> Option<String> {
    let mut failing =
        verdict.procedures.iter().filter(|procedure| procedure.outcome != Outcome::Verified);
    let first = failing.next()?;
    failing.next().is_none().then(|| first.name.clone())
}

/// How the problems of the pair differ: of one procedure, or the greatest difference of any. `None`
/// if that is not known.
fn problem_difference(
    pair: &Pair,
    logger: &Runner<'_>,
    procedure: Option<&str>,
) -> Option<ProblemDifference> {
    let (seed, mutant) = (logger.problems(&pair.seed)?, logger.problems(&pair.mutant)?);
    let wanted = |name: &Option<String>| procedure.is_none_or(|it| name.as_deref() == Some(it));
    let differences = seed.iter().filter(|problem| wanted(&problem.procedure)).map(|problem| {
        let same = mutant.iter().find(|other| other.procedure == problem.procedure);
        same.map(|other| problem.difference(other))
    });
    // Under another name it is not found: then nothing is known.
    let differences: Option<Vec<ProblemDifference>> = differences.collect();
    differences?.into_iter().max_by_key(|it| *it as u8)
}

/// The layer that follows from what was tried, in words.
fn conclude(tried: &[Tried], difference: Option<ProblemDifference>) -> (Layer, String) {
    let passes = |outcome: Outcome| outcome == Outcome::Verified;
    let agree = |it: &Tried| {
        it.seed.is_evidence() && it.mutant.is_evidence() && passes(it.seed) == passes(it.mutant)
    };
    let found = |wanted: fn(&Change) -> bool| tried.iter().filter(move |it| wanted(&it.change));
    let Some(base) = tried.first() else {
        return (Layer::NotReproduced, "Nothing was tried.".to_owned());
    };
    if agree(base) || !base.seed.is_evidence() || !base.mutant.is_evidence() {
        let sentence = format!(
            "The difference does not show now: the original is {}, the mutant {}.",
            base.seed, base.mutant
        );
        return (Layer::NotReproduced, sentence);
    }
    if [base.seed, base.mutant].contains(&Outcome::Rejected) {
        let sentence = "Type checking: one of the two is rejected before the solver sees it.";
        return (Layer::TypeChecking, sentence.to_owned());
    }
    let is_order = matches!(
        difference,
        Some(
            ProblemDifference::None
                | ProblemDifference::AxiomOrder
                | ProblemDifference::DeclarationOrder
        )
    );
    // Inferred facts are part of the problem: they cannot be to blame if it is the same but for
    // the order.
    if !is_order && let Some(it) = found(|it| *it == Change::NoInference).find(|it| agree(it)) {
        let sentence = format!(
            "The verifier's own inference of invariants: without it, both programs are {}.",
            it.seed
        );
        return (Layer::Inference, sentence);
    }
    if let Some(it) = found(|it| matches!(it, Change::Time { .. })).find(|it| agree(it)) {
        let sentence = format!("Time: {}, both programs are {}.", it.words, it.seed);
        return (Layer::Time, sentence);
    }
    let seeds: Vec<&Tried> = found(|it| matches!(it, Change::RandomSeed { .. })).collect();
    let evidence: Vec<&&Tried> = seeds.iter().filter(|it| it.seed.is_evidence()).collect();
    let unlucky = evidence.iter().filter(|it| passes(it.seed) != passes(base.seed)).count();
    let (layer, mut sentence) = if unlucky > 0 {
        let sentence = format!(
            "The solver's random choices: the original itself gets another verdict with {unlucky} \
             of {} random seeds.",
            evidence.len()
        );
        (Layer::SolverChoices, sentence)
    } else {
        match difference {
            Some(ProblemDifference::AxiomOrder) => {
                (Layer::AxiomOrder, "The order of axioms in the verification condition.".to_owned())
            }
            Some(ProblemDifference::DeclarationOrder) => (
                Layer::DeclarationOrder,
                "The order of declarations in the verification condition.".to_owned(),
            ),
            Some(ProblemDifference::Shape) => (
                Layer::ProblemShape,
                "The shape of the verification condition: the solver gets another formula that \
                 means the same."
                    .to_owned(),
            ),
            Some(ProblemDifference::None) => (
                Layer::SameProblem,
                "The solver: it gets the very same problem for both programs, and answers \
                 differently."
                    .to_owned(),
            ),
            None => (
                Layer::Solver,
                "The solver, or how the problem is put to it: it is not known how the problems \
                 differ."
                    .to_owned(),
            ),
        }
    };
    if layer != Layer::SolverChoices && !evidence.is_empty() {
        let lucky = seeds
            .iter()
            .filter(|it| it.mutant.is_evidence() && passes(it.mutant) != passes(base.mutant))
            .count();
        if lucky == 0 {
            sentence.push_str(" The solver's random seed does not matter.");
        } else {
            let _ = write!(
                sentence,
                " With {lucky} of {} random seeds the mutant gets the verdict of the original.",
                seeds.len()
            );
        }
    }
    sentence += &on_solvers(found(|it| matches!(it, Change::Solver { .. })));
    (layer, sentence)
}

/// What other solvers make of the pair. Those that cannot verify the original say nothing.
fn on_solvers<'t>(solvers: impl Iterator<Item = &'t Tried>) -> String {
    let usable = solvers.filter(|it| it.seed == Outcome::Verified && it.mutant.is_evidence());
    let (robust, brittle): (Vec<&Tried>, Vec<&Tried>) =
        usable.partition(|it| it.mutant == Outcome::Verified);
    let names = |tried: &[&Tried]| {
        let names: Vec<&str> =
            tried.iter().map(|it| it.words.strip_prefix("with ").unwrap_or(&it.words)).collect();
        names.join(", ")
    };
    match (robust.is_empty(), brittle.is_empty()) {
        (true, true) => String::new(),
        (true, false) => {
            format!(
                " It is so on every solver that verifies the original: also on {}.",
                names(&brittle)
            )
        }
        (false, true) => format!(" Only this solver: {} verifies both.", names(&robust)),
        (false, false) => {
            format!(" It is so also on {}, but {} verifies both.", names(&brittle), names(&robust))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Failed, Rejected, TimedOut, Verified};

    fn tried(change: Change, seed: Outcome, mutant: Outcome) -> Tried {
        Tried { change, words: "with another".to_owned(), seed, mutant }
    }

    fn base() -> Tried {
        tried(Change::Nothing, Verified, Failed)
    }

    fn random(seed: Outcome, mutant: Outcome) -> Tried {
        tried(Change::RandomSeed { seed: 1 }, seed, mutant)
    }

    fn other(seed: Outcome, mutant: Outcome) -> Tried {
        tried(Change::Solver { title: "Z3".to_owned() }, seed, mutant)
    }

    #[test]
    fn layers_are_told_apart() {
        use ProblemDifference::{AxiomOrder, Shape};
        let no_inference = |seed, mutant| tried(Change::NoInference, seed, mutant);
        let cases = [
            (vec![tried(Change::Nothing, Verified, Verified)], None, Layer::NotReproduced),
            (vec![tried(Change::Nothing, Verified, Rejected)], None, Layer::TypeChecking),
            (vec![base(), no_inference(Failed, Failed)], Some(Shape), Layer::Inference),
            (vec![base(), no_inference(Verified, Verified)], None, Layer::Inference),
            (vec![base(), no_inference(Verified, Failed)], Some(Shape), Layer::ProblemShape),
            // The problem is the same but for its order: what is inferred does not matter.
            (vec![base(), no_inference(Failed, Failed)], Some(AxiomOrder), Layer::AxiomOrder),
            (vec![base(), random(Failed, Failed)], Some(AxiomOrder), Layer::SolverChoices),
            (vec![base(), random(Verified, Failed)], Some(AxiomOrder), Layer::AxiomOrder),
            (
                vec![
                    tried(Change::Nothing, Verified, TimedOut),
                    tried(Change::Time { seconds: 100.0 }, Verified, Verified),
                ],
                Some(Shape),
                Layer::Time,
            ),
            (vec![base()], Some(ProblemDifference::None), Layer::SameProblem),
            (vec![base()], None, Layer::Solver),
        ];
        for (tried, difference, layer) in cases {
            assert_eq!(conclude(&tried, difference).0, layer, "{tried:?}");
        }
    }

    #[test]
    fn the_sentence_says_what_other_solvers_and_seeds_do() {
        let tried = [base(), random(Verified, Failed), other(Verified, Failed)];
        let (_, sentence) = conclude(&tried, Some(ProblemDifference::AxiomOrder));
        assert_eq!(
            sentence,
            "The order of axioms in the verification condition. The solver's random seed does not \
             matter. It is so on every solver that verifies the original: also on another."
        );
        let tried = [base(), random(Verified, Verified), other(Verified, Verified)];
        let (_, sentence) = conclude(&tried, Some(ProblemDifference::AxiomOrder));
        assert!(sentence.contains("With 1 of 1 random seeds the mutant gets"), "{sentence}");
        assert!(sentence.contains("Only this solver: another verifies both"), "{sentence}");
        // Trouble with a solver says nothing, nor does one that cannot verify the original.
        for solver in [other(Outcome::Crashed, Verified), other(TimedOut, TimedOut)] {
            let (_, sentence) = conclude(&[base(), solver], Some(ProblemDifference::AxiomOrder));
            assert!(sentence.ends_with("condition."), "{sentence}");
        }
    }
}
