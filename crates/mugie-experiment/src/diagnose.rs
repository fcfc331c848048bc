//! Finds the layer of a verifier that is responsible for the brittleness of a pair: a program that
//! verifies, and an equivalent one that does not.
//!
//! The pair is verified under variations of the verifier, and the verifier's solver queries are
//! compared. The result is one layer, with the list of all variations that were tried. The caller
//! chooses the variations and finds the solvers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::ops::ControlFlow;

use mugie_core::{Files, Instances, Outcome, ProblemDifference, Verdict};
use mugie_exec::pool::{self, InOrderEvent};
use mugie_exec::{Executor, Request};
use mugie_results::diagnosis::{Diagnosis, Layer, Tried, Unavailable, VariedPart};
use mugie_results::flips;
use mugie_verifiers::Problem;

/// A program that verifies, and an equivalent one that does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPair {
    /// The identifier of the programs' language.
    pub language: String,
    /// The program that verifies.
    pub seed: Files,
    /// The equivalent program that does not verify.
    pub mutant: Files,
}

/// A variation of the verifier that can be run.
pub struct Variation<'a> {
    /// What the variation changes.
    pub change: VariedPart,
    /// A description for people: `without inference`.
    pub words: String,
    /// The executor that runs the variation.
    pub executor: &'a dyn Executor,
}

/// The verdicts on the two programs of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdicts {
    /// The verdict on the program that verifies.
    pub seed: Verdict,
    /// The verdict on the other program.
    pub mutant: Verdict,
}

impl Verdicts {
    /// Whether the verdicts differ: one program verifies, and the other conclusively does not.
    pub fn differ(&self) -> bool {
        flips(self.seed.outcome, self.mutant.outcome) == Some(true)
    }

    /// Whether either program ran out of time or memory.
    pub fn ran_out(&self) -> bool {
        self.seed.depends_on_machine() || self.mutant.depends_on_machine()
    }
}

/// Verifies a pair with several executors, and calls `each` with the number of finished runs. `None`
/// if cancelled.
pub fn verify(
    pair: &ProgramPair,
    executors: &[&dyn Executor],
    mut each: impl FnMut(usize),
) -> io::Result<Option<Vec<Verdicts>>> {
    let programs = executors.iter().flat_map(|it| [(*it, &pair.seed), (*it, &pair.mutant)]);
    let threads = executors.iter().map(|it| it.capacity()).max().unwrap_or(1);
    let work = |(executor, files): (&dyn Executor, &Files)| {
        let settled = executor.settle(Request::new(&pair.language, files.clone()));
        let flow =
            if settled.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        (settled.map(|settled| settled.verdict), flow)
    };
    let mut answers = Vec::new();
    pool::in_order(programs, threads, work, |event| match event {
        InOrderEvent::Done(verdict) => {
            answers.push(verdict);
            each(answers.len());
        }
        InOrderEvent::Tick(done) => each(done),
    })?;
    let Some(answers) = answers.into_iter().collect::<Option<Vec<Verdict>>>() else {
        return Ok(None);
    };
    let mut answers = answers.into_iter();
    let mut verdicts = Vec::new();
    while let (Some(seed), Some(mutant)) = (answers.next(), answers.next()) {
        verdicts.push(Verdicts { seed, mutant });
    }
    Ok((verdicts.len() == executors.len()).then_some(verdicts))
}

/// The problems that the solver gets for a program.
pub struct ProgramProblems {
    /// The problems, with the goals that they belong to.
    pub problems: Vec<Problem>,
    /// The instances in which the verifier reports goals of the program.
    pub instances: Instances,
}

/// Runs the verifier on files in a language and records the solver's problems. `None` if it cannot.
pub type Logger<'a> = dyn Fn(&str, &Files) -> Option<ProgramProblems> + 'a;

/// Finds the responsible layer. `base` has the verdicts on the pair without a variation; if they do
/// not differ, nothing else is run. `logger` records the solver queries, if the verifier supports
/// that. `None` if cancelled.
pub fn diagnose(
    pair: &ProgramPair,
    base: &Verdicts,
    variations: &[Variation<'_>],
    logger: &Logger<'_>,
    unavailable: Vec<Unavailable>,
    each: impl FnMut(usize),
) -> io::Result<Option<Diagnosis>> {
    let row = |change: VariedPart, words: String, verdicts: &Verdicts| Tried {
        change,
        words,
        seed: verdicts.seed.outcome,
        mutant: verdicts.mutant.outcome,
    };
    let mut tried = vec![row(VariedPart::Nothing, "unchanged".to_owned(), base)];
    let mut difference = None;
    if base.differ() {
        let executors: Vec<&dyn Executor> = variations.iter().map(|it| it.executor).collect();
        let Some(verdicts) = verify(pair, &executors, each)? else { return Ok(None) };
        tried.extend(variations.iter().zip(&verdicts).map(|(variation, verdicts)| {
            row(variation.change.clone(), variation.words.clone(), verdicts)
        }));
        let failing = failing_procedure(&base.mutant);
        difference = problem_difference(pair, logger, failing.as_deref());
    }
    let (layer, sentence) = conclude(&tried, difference);
    Ok(Some(Diagnosis { layer, sentence, difference, tried, unavailable }))
}

/// The procedure that is not verified, if there is exactly one.
fn failing_procedure(verdict: &Verdict) -> Option<String> {
    let mut failing =
        verdict.procedures.iter().filter(|procedure| procedure.outcome != Outcome::Verified);
    let first = failing.next()?;
    failing.next().is_none().then(|| first.name.clone())
}

/// How the solver problems of the pair differ: those of the given procedure, or the greatest
/// difference of any. `None` if that is not known.
fn problem_difference(
    pair: &ProgramPair,
    logger: &Logger<'_>,
    procedure: Option<&str>,
) -> Option<ProblemDifference> {
    let seed = logger(&pair.language, &pair.seed)?;
    let mutant = logger(&pair.language, &pair.mutant)?;
    let procedure = procedure.map(|procedure| mutant.instances.goal(procedure));
    difference_of(&by_goal(&seed.problems)?, &by_goal(&mutant.problems)?, procedure)
}

/// The problems of each goal, in order.
type Goals<'p> = BTreeMap<&'p str, Vec<&'p Problem>>;

/// The problems by goal. `None` if a problem belongs to no known goal, unless it is the only one.
fn by_goal(problems: &[Problem]) -> Option<Goals<'_>> {
    let mut goals = Goals::new();
    for problem in problems {
        let goal = match &problem.procedure {
            Some(goal) => goal.as_str(),
            None if problems.len() == 1 => "",
            None => return None,
        };
        goals.entry(goal).or_default().push(problem);
    }
    Some(goals)
}

/// The difference of the problems of one goal of the mutant, or the greatest of all.
fn difference_of(
    seed: &Goals<'_>,
    mutant: &Goals<'_>,
    goal: Option<&str>,
) -> Option<ProblemDifference> {
    // A goal whose name only one of the two has is the same goal if there is one in each.
    let only = |here: &Goals<'_>, there: &Goals<'_>| -> BTreeSet<String> {
        let names = here.keys().filter(|name| !there.contains_key(*name));
        names.map(|name| (*name).to_owned()).collect()
    };
    let (of_seed, of_mutant) = (only(seed, mutant), only(mutant, seed));
    let renamed = if of_seed.len() == 1 && of_mutant.len() == 1 { of_seed.first() } else { None };
    let counterpart = |name: &str| {
        seed.get(name).or_else(|| renamed.and_then(|renamed| seed.get(renamed.as_str())))
    };
    // With one problem in all, it is that of the goal, whatever its name.
    let is_wanted = |name: &str| goal.is_none_or(|goal| goal == name) || name.is_empty();
    let wanted = mutant.iter().filter(|(name, _)| is_wanted(name));
    let differences = wanted.map(|(name, problems)| {
        let others = counterpart(name)?;
        if others.len() != problems.len() {
            return Some(ProblemDifference::Shape);
        }
        let pairs = others.iter().zip(problems);
        pairs.map(|(seed, mutant)| seed.difference(mutant)).max()
    });
    // A problem without a counterpart cannot be compared, so nothing is known.
    let differences: Option<Vec<ProblemDifference>> = differences.collect();
    differences?.into_iter().max()
}

/// The layer that follows from the tried variations, and a sentence that says so.
fn conclude(tried: &[Tried], difference: Option<ProblemDifference>) -> (Layer, String) {
    let Some(base) = tried.first() else {
        return (Layer::NotReproduced, "Nothing was tried.".to_owned());
    };
    if let Some(found) = before_solving(base, tried, difference) {
        return found;
    }
    let of = |wanted: fn(&VariedPart) -> bool| tried.iter().filter(move |it| wanted(&it.change));
    let seeds: Vec<&Tried> = of(|it| matches!(it, VariedPart::RandomSeed { .. })).collect();
    let (layer, mut sentence) = in_random_choices(base, &seeds).unwrap_or_else(|| {
        let (layer, words) = in_problem(difference);
        (layer, format!("{words}{}", on_random_seeds(base, &seeds)))
    });
    sentence += &on_solvers(of(|it| matches!(it, VariedPart::Solver { .. })));
    sentence += &on_verifiers(tried);
    (layer, sentence)
}

/// The results of other verifiers on the pair. With the same solver, they tell what the solver contributes from what the
/// verifier does. A verifier that cannot verify the original is no evidence.
fn on_verifiers(tried: &[Tried]) -> String {
    let mut sentences = String::new();
    for it in tried {
        let VariedPart::Verifier { title, same_solver } = &it.change else { continue };
        if it.seed != Outcome::Verified || !it.mutant.is_evidence() {
            continue;
        }
        let words = match (it.mutant, same_solver) {
            (Outcome::Verified, true) => {
                "verifies both with the same solver, which points to how this verifier asks the \
                 solver, not to the solver alone"
            }
            (Outcome::Verified, false) => "verifies both",
            _ => "has another verdict on the mutant, too: it is not this verifier alone",
        };
        let _ = write!(sentences, " {title} {words}.");
    }
    sentences
}

/// Whether both programs got the same verdict.
fn agree(tried: &Tried) -> bool {
    flips(tried.seed, tried.mutant) == Some(false)
}

fn passes(outcome: Outcome) -> bool {
    outcome == Outcome::Verified
}

/// The layer, if it is one in front of the solver, or if it is time. `base` is the pair as it was found.
fn before_solving(
    base: &Tried,
    tried: &[Tried],
    difference: Option<ProblemDifference>,
) -> Option<(Layer, String)> {
    let agreeing = |wanted: fn(&VariedPart) -> bool| {
        tried.iter().find(move |it| wanted(&it.change) && agree(it))
    };
    if agree(base) || !base.seed.is_evidence() || !base.mutant.is_evidence() {
        let sentence = format!(
            "The difference was not reproduced: the original is {}, the mutant {}.",
            base.seed, base.mutant
        );
        return Some((Layer::NotReproduced, sentence));
    }
    if [base.seed, base.mutant].contains(&Outcome::Rejected) {
        let sentence = "Type checking: one of the two is rejected before the solver runs.";
        return Some((Layer::TypeChecking, sentence.to_owned()));
    }
    let is_order = matches!(
        difference,
        Some(
            ProblemDifference::None
                | ProblemDifference::QuantifierNames
                | ProblemDifference::AxiomOrder
                | ProblemDifference::DeclarationOrder
        )
    );
    // Inferred facts are part of the problem: if the problems are equal up to order, the facts cannot
    // be to blame.
    if !is_order && let Some(it) = agreeing(|it| *it == VariedPart::NoInference) {
        let sentence = format!(
            "The verifier's own inference of invariants: without it, both programs are {}.",
            it.seed
        );
        return Some((Layer::Inference, sentence));
    }
    let it = agreeing(|it| matches!(it, VariedPart::Time { .. }))?;
    Some((Layer::Time, format!("Time: {}, both programs are {}.", it.words, it.seed)))
}

/// The solver's random choices as the layer, if the original itself depends on them.
fn in_random_choices(base: &Tried, seeds: &[&Tried]) -> Option<(Layer, String)> {
    let evidence = seeds.iter().filter(|it| it.seed.is_evidence());
    let unlucky = evidence.clone().filter(|it| passes(it.seed) != passes(base.seed)).count();
    let sentence = format!(
        "The solver's random choices: the original itself gets another verdict with {unlucky} of {} \
         random seeds.",
        evidence.count()
    );
    (unlucky > 0).then_some((Layer::SolverChoices, sentence))
}

/// The layer that follows from how the problems for the solver differ.
fn in_problem(difference: Option<ProblemDifference>) -> (Layer, &'static str) {
    match difference {
        Some(ProblemDifference::AxiomOrder) => {
            (Layer::AxiomOrder, "The order of axioms in the verification condition.")
        }
        Some(ProblemDifference::QuantifierNames) => (
            Layer::QuantifierNames,
            "The names of quantifiers in the verification condition: nothing else differs.",
        ),
        Some(ProblemDifference::DeclarationOrder) => {
            (Layer::DeclarationOrder, "The order of declarations in the verification condition.")
        }
        Some(ProblemDifference::Shape) => (
            Layer::ProblemShape,
            "The shape of the verification condition: the solver gets another formula that means \
             the same.",
        ),
        Some(ProblemDifference::Axioms) => (
            Layer::AxiomChoice,
            "The choice of axioms: the verifier gives the solver another number of axioms, so this \
             is not about the solver.",
        ),
        Some(ProblemDifference::None) => (
            Layer::SameProblem,
            "The solver: it gets exactly the same problem for both programs, but answers \
             differently.",
        ),
        None => (
            Layer::Solver,
            "The solver, or the translation for it: how the problems differ is not known.",
        ),
    }
}

/// A sentence on whether other random seeds of the solver help the mutant.
fn on_random_seeds(base: &Tried, seeds: &[&Tried]) -> String {
    if !seeds.iter().any(|it| it.seed.is_evidence()) {
        return String::new();
    }
    let helps = |it: &&&Tried| it.mutant.is_evidence() && passes(it.mutant) != passes(base.mutant);
    match seeds.iter().filter(helps).count() {
        0 => " The solver's random seed does not matter.".to_owned(),
        lucky => format!(
            " With {lucky} of {} random seeds the mutant gets the verdict of the original.",
            seeds.len()
        ),
    }
}

/// The results of other solvers on the pair. A solver that cannot verify the original is no evidence.
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
                " The same holds for every other solver that verifies the original: {}.",
                names(&brittle)
            )
        }
        (false, true) => {
            format!(" Only this solver is affected: {} verifies both.", names(&robust))
        }
        (false, false) => {
            format!(
                " The same holds for {}, but {} verifies both.",
                names(&brittle),
                names(&robust)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Failed, Rejected, TimedOut, Verified};
    use mugie_verifiers::problems::problems;
    use mugie_verifiers::smt::Style;

    fn tried(change: VariedPart, seed: Outcome, mutant: Outcome) -> Tried {
        Tried { change, words: "with another".to_owned(), seed, mutant }
    }

    fn base() -> Tried {
        tried(VariedPart::Nothing, Verified, Failed)
    }

    fn random(seed: Outcome, mutant: Outcome) -> Tried {
        tried(VariedPart::RandomSeed { seed: 1 }, seed, mutant)
    }

    fn other(seed: Outcome, mutant: Outcome) -> Tried {
        tried(VariedPart::Solver { title: "Z3".to_owned() }, seed, mutant)
    }

    #[test]
    fn layers_are_told_apart() {
        use ProblemDifference::{AxiomOrder, Axioms, Shape};
        let no_inference = |seed, mutant| tried(VariedPart::NoInference, seed, mutant);
        let cases = [
            (vec![tried(VariedPart::Nothing, Verified, Verified)], None, Layer::NotReproduced),
            (vec![tried(VariedPart::Nothing, Verified, Rejected)], None, Layer::TypeChecking),
            (vec![base(), no_inference(Failed, Failed)], Some(Shape), Layer::Inference),
            (vec![base(), no_inference(Verified, Verified)], None, Layer::Inference),
            (vec![base(), no_inference(Verified, Failed)], Some(Shape), Layer::ProblemShape),
            // The queries are equal up to the order of axioms, so inferred facts cannot matter.
            (vec![base(), no_inference(Failed, Failed)], Some(AxiomOrder), Layer::AxiomOrder),
            (vec![base(), random(Failed, Failed)], Some(AxiomOrder), Layer::SolverChoices),
            (vec![base(), random(Verified, Failed)], Some(Axioms), Layer::AxiomChoice),
            (vec![base(), random(Verified, Failed)], Some(AxiomOrder), Layer::AxiomOrder),
            (
                vec![
                    tried(VariedPart::Nothing, Verified, TimedOut),
                    tried(VariedPart::Time { seconds: 100.0 }, Verified, Verified),
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
    fn problems_are_compared_goal_by_goal() {
        use ProblemDifference::{None as Same, Shape};
        let problem = |(goal, text): &(&str, &str)| {
            let log = format!("(assert {text})(check-sat)");
            let problem = problems(&log, Style::usual()).swap_remove(0);
            problem.of_goal((!goal.is_empty()).then(|| (*goal).to_owned()))
        };
        let compared = |seed: &[(&str, &str)], mutant: &[(&str, &str)], goal: Option<&str>| {
            let seed: Vec<Problem> = seed.iter().map(problem).collect();
            let mutant: Vec<Problem> = mutant.iter().map(problem).collect();
            difference_of(&by_goal(&seed)?, &by_goal(&mutant)?, goal)
        };
        let seed = [("p", "a"), ("q", "b"), ("q", "c")];
        let mutant = [("q", "b"), ("q", "d"), ("p", "a")];
        assert_eq!(compared(&seed, &seed, None), Some(Same));
        assert_eq!(compared(&seed, &mutant, None), Some(Shape));
        assert_eq!(compared(&seed, &mutant, Some("p")), Some(Same));
        assert_eq!(compared(&seed, &mutant, Some("q")), Some(Shape));
        assert_eq!(compared(&seed, &mutant, Some("r")), None);
        assert_eq!(compared(&seed, &seed[..2], Some("q")), Some(Shape));
        // A goal with another name.
        let renamed = [("x", "a"), ("q", "b"), ("q", "c")];
        assert_eq!(compared(&seed, &renamed, Some("x")), Some(Same));
        let all_renamed = [("x", "a"), ("y", "b"), ("y", "c")];
        assert_eq!(compared(&seed, &all_renamed, Some("x")), None);
        // Without a name, a problem counts if it is the only one.
        assert_eq!(compared(&[("", "a")], &[("", "a")], Some("p")), Some(Same));
        assert_eq!(compared(&[("", "a")], &[("", "a"), ("", "b")], Some("p")), None);
        assert_eq!(compared(&[("", "a")], &[("p", "b")], Some("p")), Some(Shape));
    }

    #[test]
    fn the_sentence_says_what_other_solvers_and_seeds_do() {
        let tried = [base(), random(Verified, Failed), other(Verified, Failed)];
        let (_, sentence) = conclude(&tried, Some(ProblemDifference::AxiomOrder));
        assert_eq!(
            sentence,
            "The order of axioms in the verification condition. The solver's random seed does not \
             matter. The same holds for every other solver that verifies the original: another."
        );
        let tried = [base(), random(Verified, Verified), other(Verified, Verified)];
        let (_, sentence) = conclude(&tried, Some(ProblemDifference::AxiomOrder));
        assert!(sentence.contains("With 1 of 1 random seeds the mutant gets"), "{sentence}");
        assert!(
            sentence.contains("Only this solver is affected: another verifies both"),
            "{sentence}"
        );
        // A crash of a solver is no evidence, nor is a solver that cannot verify the original.
        for solver in [other(Outcome::Crashed, Verified), other(TimedOut, TimedOut)] {
            let (_, sentence) = conclude(&[base(), solver], Some(ProblemDifference::AxiomOrder));
            assert!(sentence.ends_with("condition."), "{sentence}");
        }
    }

    #[test]
    fn the_sentence_says_what_another_verifier_does() {
        let of_verifier = |mutant, same_solver| {
            let title = "Why3".to_owned();
            let other = tried(VariedPart::Verifier { title, same_solver }, Verified, mutant);
            conclude(&[base(), other], None).1
        };
        assert!(of_verifier(Verified, true).contains("Why3 verifies both with the same solver"));
        assert!(of_verifier(Verified, false).ends_with(" Why3 verifies both."));
        assert!(of_verifier(Failed, true).ends_with("it is not this verifier alone."));
        assert!(!of_verifier(Outcome::NotExpressible, true).contains("Why3"));
    }
}
