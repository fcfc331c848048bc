//! Verdicts that depend on chance: a verifier that sorts declarations by a hash of their content may sort
//! some of them differently in every run.
//!
//! A mutant of such a program that fails is no sign of brittleness if the program itself fails now and
//! then. So both are run several times, by runs that share nothing, and once with the order of the files,
//! which no hash changes.

use mugie_core::{Answer, Outcome, Program};
use mugie_exec::{Executor, Request};
use mugie_results::result::{InFileOrder, SeedReport};

use crate::baseline::Step;
use crate::seed_test::{CHANCE_HELP, Finished, FlipArtifacts};

/// Fresh runs of a program. Raising it finds rarer failures and takes longer.
const RUNS: u32 = 5;

/// The number of the first repetition, after those of the test.
const FIRST: u32 = 2;

/// Whether an answer may be due to chance.
pub fn is_doubtful(report: &SeedReport) -> bool {
    let is_verdict = matches!(report.answer, Answer::Brittle | Answer::SeedFails);
    report.chance.is_some() && report.baseline.is_some() && is_verdict
}

/// Runs the seed, and the mutant to look at first, several times. If one of them gets different verdicts,
/// that is the answer. `in_order` keeps declarations in the order of the files.
pub fn settle(finished: &mut Finished, by_chance: &dyn Executor, in_order: &dyn Executor) {
    let Finished { report, kept } = finished;
    let Some(seed) = &kept.seed else { return };
    let (original, printed) = (Step::Original { repetition: 0 }, Step::COMPARED);
    let (first, second, name) = match witness(report, &kept.flips) {
        Some((name, program)) => {
            let files = mugie_core::files_of(program, "mutant", seed.extension());
            let request = Request::new(seed.seed().language().id(), files);
            (seed.baseline_request(printed), request, name)
        }
        // The layout alone makes a difference.
        None => (
            seed.baseline_request(original),
            seed.baseline_request(printed),
            "the seed as it is printed".to_owned(),
        ),
    };
    let of_seed = outcomes(by_chance, &first);
    let of_mutant = outcomes(by_chance, &second);
    let control = |request: &Request| Some(in_order.settle(request.clone())?.verdict.outcome);
    let in_file_order = control(&first).zip(control(&second));
    for (what, outcomes) in [("the seed itself", &of_seed), (name.as_str(), &of_mutant)] {
        if let Some(words) = varying(outcomes) {
            report.answer = Answer::Nondeterministic;
            report.reason = Some(format!("{what} {words}"));
            report.help = Some(CHANCE_HELP.to_owned());
            break;
        }
    }
    if let Some(chance) = &mut report.chance {
        (chance.seed, chance.mutant) = (of_seed, of_mutant);
        chance.in_file_order = in_file_order.map(|(seed, mutant)| InFileOrder { seed, mutant });
    }
}

/// The name and the program of the mutant to look at first.
fn witness<'f>(
    report: &SeedReport,
    flips: &'f [FlipArtifacts],
) -> Option<(String, &'f dyn Program)> {
    let name = &report.witness.as_ref()?.mutant;
    let place = report.flips.iter().position(|flip| flip.mutant == *name)?;
    Some((name.clone(), &*flips.get(place)?.program))
}

/// The outcomes of fresh runs.
fn outcomes(executor: &dyn Executor, request: &Request) -> Vec<Outcome> {
    let runs = (FIRST..FIRST + RUNS).filter_map(|repetition| {
        let settled = executor.settle(Request { repetition, ..request.clone() })?;
        Some(settled.verdict.outcome)
    });
    runs.filter(|outcome| outcome.is_evidence()).collect()
}

/// How outcomes vary, in words, if they do: `is verified in 3 of 5 runs`.
fn varying(outcomes: &[Outcome]) -> Option<String> {
    let verified = outcomes.iter().filter(|outcome| **outcome == Outcome::Verified).count();
    let is_mixed = verified > 0 && verified < outcomes.len();
    is_mixed.then(|| format!("is verified in {verified} of {} runs", outcomes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_vary_if_some_verify() {
        use Outcome::{Failed, TimedOut, Verified};
        assert_eq!(varying(&[Verified, Verified]), None);
        assert_eq!(varying(&[Failed, TimedOut]), None);
        assert_eq!(varying(&[]), None);
        let words = varying(&[Failed, Verified, Verified]);
        assert_eq!(words.as_deref(), Some("is verified in 2 of 3 runs"));
    }
}
