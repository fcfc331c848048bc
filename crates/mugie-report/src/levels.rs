//! Two levels side by side: for each goal, the mutants of the program and those of its query.

use std::fmt::Write as _;

use mugie_core::Exit;
use mugie_results::result::{Answer, GoalAbove, SeedReport, TestReport};

use crate::paint::Paint;
use crate::text::summary;
use crate::words::{luck_in_short, plain, witness};

/// For each goal, the results of both levels; empty if only one was tested.
pub fn levels(report: &TestReport, colour: bool) -> String {
    let Some(below) = &report.below else { return String::new() };
    let paint = Paint { colour };
    let mut text = String::new();
    for seed in &report.seeds {
        let name = Some(&seed.name);
        let queries = below.seeds.iter().filter_map(|query| Some((query, query.above.as_ref()?)));
        let queries: Vec<_> = queries.filter(|(_, above)| Some(&above.seed) == name).collect();
        if queries.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}", paint.heading(format!("{} by level", plain(&seed.name))));
        if let Some(luck) = luck_in_short(seed) {
            let _ = writeln!(text, "  {}", paint.bad(format!("the program {luck}")));
        }
        for (query, GoalAbove { goal, .. }) in queries {
            let (here, below) = (of_source(seed, goal), of_query(query));
            let luck = luck_in_short(query).map_or_else(String::new, |luck| format!(", {luck}"));
            let line = format!("{}: source {here}; query {below}{luck}", plain(goal));
            let is_found = query.answer.exit() == Exit::Finding;
            let _ = writeln!(text, "  {}", if is_found { paint.bad(line) } else { line });
        }
    }
    text.push('\n');
    text + &summary(below, colour)
}

/// The mutants of a program that change the verdict on a goal.
fn of_source(seed: &SeedReport, goal: &str) -> String {
    if seed.counts.judged == 0 {
        return seed.answer.to_string();
    }
    let found = seed.by_procedure.iter().find(|it| it.procedure == goal).map_or(0, |it| it.flips);
    format!("{found} of {}", seed.counts.judged)
}

/// The mutants of a query that change its verdict, and by which operator.
fn of_query(query: &SeedReport) -> String {
    if query.counts.judged == 0 || query.answer == Answer::SeedFails {
        return query.answer.to_string();
    }
    let mut words = format!("{} of {}", query.counts.flips, query.counts.judged);
    if let Some(edit) = witness(query).and_then(|flip| flip.edits.first()) {
        let _ = write!(words, " ({})", plain(&edit.operator));
    }
    words
}

#[cfg(test)]
mod tests {
    use mugie_results::result::{Luck, ProcedureCount};

    use super::*;
    use crate::testing::{brittle, report, robust};

    #[test]
    fn goals_are_side_by_side() {
        let mut seed = brittle("a.bpl");
        seed.by_procedure = vec![ProcedureCount { procedure: "p".to_owned(), flips: 2 }];
        let above = |goal: &str| Some(GoalAbove { seed: seed.name.clone(), goal: goal.to_owned() });
        let luck = Some(Luck { judged: 20, flips: vec![7], searches: None });
        seed.luck.clone_from(&luck);
        let queries = vec![
            SeedReport { above: above("p"), luck, ..brittle("a.bpl:p") },
            SeedReport { above: above("q"), ..robust("a.bpl:q") },
        ];
        let mut whole = report(vec![seed.clone()]);
        assert_eq!(levels(&whole, false), "");
        whole.below = Some(Box::new(report(queries)));
        let text = levels(&whole, false);
        let judged = seed.counts.judged;
        assert!(text.contains(&format!("p: source 2 of {judged}; query ")), "{text}");
        assert!(text.contains("  the program passes with 19 of 20 random seeds\n"), "{text}");
        assert_eq!(text.matches(", passes with 19 of 20 random seeds").count(), 1, "{text}");
        assert!(text.contains(&format!("q: source 0 of {judged}; query 0 of ")), "{text}");
    }
}
