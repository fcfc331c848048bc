//! A limit on the solver's work: mutants for which it works much harder than for the seed are a finding, although they
//! verify. Such a proof is about to break.

use mugie_core::Answer;
use mugie_results::result::SeedReport;

/// Compares the work on the mutants of a seed with a limit, as a multiple of the work on the seed. A seed beyond the
/// limit without a worse finding is answered so.
pub fn settle(report: &mut SeedReport, limit: f64) {
    if report.effort.is_empty() && report.counts.judged > 0 && report.answer == Answer::Robust {
        report.answer = Answer::Inconclusive;
        report.reason = Some("the solver's work is not known, so it cannot be limited".to_owned());
        return;
    }
    for effort in &mut report.effort {
        effort.beyond = effort.times() > limit;
    }
    let beyond = report.effort.iter().filter(|effort| effort.beyond);
    let Some(worst) = beyond.max_by(|a, b| a.times().total_cmp(&b.times())) else { return };
    if !matches!(report.answer, Answer::Robust | Answer::Inconclusive | Answer::Interrupted) {
        return;
    }
    let subject = match worst.procedure.as_str() {
        "" => "it".to_owned(),
        name => format!("{} {name}", report.goal()),
    };
    let place = worst.most_in.as_deref().unwrap_or("a mutant");
    report.reason = Some(format!(
        "for {subject}, the solver works {:.1} times as hard in {place} as in the original, and {limit} times were \
         allowed",
        worst.times()
    ));
    report.help = Some("the proof is close to its limit: make it easier for the solver".to_owned());
    report.answer = Answer::BeyondLimit;
}

#[cfg(test)]
mod tests {
    use mugie_results::result::Effort;

    use super::*;

    fn settled(answer: Answer, limit: f64) -> SeedReport {
        let effort = |procedure: &str, most| Effort {
            procedure: procedure.to_owned(),
            seed: 100,
            least: 100,
            median: 100,
            most,
            most_in: Some("a-0007".to_owned()),
            beyond: false,
            above_2: Vec::new(),
            above_10: Vec::new(),
        };
        let mut report = SeedReport::new("a".to_owned(), Vec::new(), answer);
        report.effort = vec![effort("p", 150), effort("q", 301)];
        settle(&mut report, limit);
        report
    }

    #[test]
    fn unknown_work_is_no_answer() {
        let mut report = SeedReport::new("a".to_owned(), Vec::new(), Answer::Robust);
        report.counts.judged = 5;
        settle(&mut report, 2.0);
        assert_eq!(report.answer, Answer::Inconclusive);
    }

    #[test]
    fn more_work_than_allowed_is_a_finding() {
        let report = settled(Answer::Robust, 3.0);
        assert_eq!(report.answer, Answer::BeyondLimit);
        assert_eq!(report.effort.iter().map(|it| it.beyond).collect::<Vec<_>>(), [false, true]);
        let reason = report.reason.unwrap();
        assert!(reason.starts_with("for procedure q, the solver works 3.0 times"), "{reason}");
        assert_eq!(settled(Answer::Robust, 3.01).answer, Answer::Robust);
        assert_eq!(settled(Answer::Brittle, 3.0).answer, Answer::Brittle);
    }
}
