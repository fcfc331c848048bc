//! Other random seeds of the solver: is the proof of a seed a matter of luck?
//!
//! The program stays the same, so what is found here is no brittleness, and no part of the share of
//! mutants.

use std::collections::BTreeSet;

use mugie_core::{Answer, Verdict};
use mugie_exec::Request;
use mugie_results::flips;
use mugie_results::result::{Luck, Question};

use crate::baseline::Step;
use crate::seed_test::{Finished, search};

/// The program to run with other random seeds; `None` if its verdict is not known or it does not verify.
pub fn request(seed: &Finished) -> Option<Request> {
    let is_known = seed.report.baseline.is_some();
    let is_asked = seed.report.question == Question::DoesAMutantFail;
    let open = seed.kept.seed.as_ref().filter(|_| is_known && is_asked)?;
    Some(open.baseline_request(Step::COMPARED))
}

/// Takes the verdicts with other random seeds into the report. A robust seed that another random seed does
/// not verify is beyond the limit that was asked for.
pub fn settle(seed: &mut Finished, verdicts: &[(u64, Verdict)]) {
    let report = &mut seed.report;
    let Some(baseline) = &report.baseline else { return };
    let judged = verdicts.iter().filter(|(_, verdict)| verdict.outcome.is_evidence());
    let judged: Vec<&(u64, Verdict)> = judged.collect();
    let is_flip = |verdict: &Verdict| flips(baseline.outcome, verdict.outcome) == Some(true);
    let flips = judged.iter().filter(|(_, verdict)| is_flip(verdict));
    let flips: Vec<u64> = flips.map(|(random, _)| *random).collect();
    let searches: Option<BTreeSet<_>> = judged.iter().map(|(_, verdict)| search(verdict)).collect();
    if report.answer == Answer::Robust && !flips.is_empty() {
        report.answer = Answer::BeyondLimit;
        let (number, all) = (flips.len(), judged.len());
        report.reason =
            Some(format!("{number} of {all} other random seeds of the solver do not verify it"));
        report.help =
            Some("the proof is a matter of luck: make it easier for the solver".to_owned());
    }
    let searches = searches.filter(|_| !judged.is_empty()).map(|it| it.len());
    report.luck = Some(Luck { judged: judged.len(), flips, searches });
}
