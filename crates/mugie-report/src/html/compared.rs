//! Tools compared in a few sentences: on the seeds that all of them were given.

use std::fmt::Write as _;

use mugie_results::data::{SeedIx, ToolIx};
use mugie_results::verifies;

use super::counts::Counts;
use super::overview::counted;
use super::write::Html;

/// The most seeds that are named in a sentence.
const NAMED: usize = 5;

/// Writes the sentences, if there are tools to compare.
pub(super) fn write(html: &mut Html, counts: &Counts) {
    if let Some(words) = sentences(counts) {
        html.element("p", &[("class", "compared"), ("id", "compared")], |html| {
            html.leaf("b", &[], "Compared");
            html.text(" ");
            html.text(&words);
        });
    }
}

/// The sentences; `None` if there is one tool, or no seed that several have a verdict on.
fn sentences(counts: &Counts) -> Option<String> {
    let data = counts.data;
    let tools: Vec<ToolIx> = data.tools.indices().collect();
    if tools.len() < 2 {
        return None;
    }
    let verdict = |seed: SeedIx, tool: ToolIx| {
        counts.baseline(seed, tool).and_then(|baseline| verifies(baseline.outcome))
    };
    let common: Vec<SeedIx> = (data.seeds.indices())
        .filter(|&seed| tools.iter().all(|&tool| verdict(seed, tool).is_some()))
        .collect();
    if common.is_empty() {
        return None;
    }
    let all = if tools.len() == 2 { "both" } else { "all" };
    let verified: Vec<SeedIx> = (common.iter().copied())
        .filter(|&seed| tools.iter().all(|&tool| verdict(seed, tool) == Some(true)))
        .collect();
    let mut words = format!(
        "Of the {} that {all} tools have a verdict on, {all} verify {}",
        counted(common.len(), "seed"),
        verified.len(),
    );
    let only = |holds: &dyn Fn(SeedIx, ToolIx) -> bool, among: &[SeedIx]| {
        let of_tool = tools.iter().filter_map(|&tool| {
            let alone =
                |seed: &SeedIx| tools.iter().all(|&other| holds(*seed, other) == (other == tool));
            let seeds: Vec<SeedIx> = among.iter().copied().filter(alone).collect();
            (!seeds.is_empty()).then(|| {
                format!(
                    "{} only {} ({})",
                    seeds.len(),
                    data.tools[tool].name,
                    names(counts, &seeds)
                )
            })
        });
        of_tool.collect::<Vec<String>>()
    };
    let verified_by_one = only(&|seed, tool| verdict(seed, tool) == Some(true), &common);
    if verified_by_one.is_empty() {
        words.push_str(", and none is verified by only one.");
    } else {
        let _ = write!(words, ", and {}.", verified_by_one.join(", "));
    }
    if verified.is_empty() {
        return Some(words);
    }
    let is_judged = |seed: &SeedIx| tools.iter().all(|&tool| counts.all(*seed, tool).judged > 0);
    let judged: Vec<SeedIx> = verified.into_iter().filter(is_judged).collect();
    let brittle =
        |&seed: &SeedIx| tools.iter().filter(|&&tool| counts.is_brittle(seed, tool)).count();
    let under_all = judged.iter().filter(|seed| brittle(seed) == tools.len()).count();
    let under_none = judged.iter().filter(|seed| brittle(seed) == 0).count();
    let _ = write!(
        words,
        " Of the {} that {all} verify and were tested with, {under_none} {} brittle with none, \
         {under_all} with {all}",
        counted(judged.len(), "seed"),
        if under_none == 1 { "is" } else { "are" },
    );
    let brittle_by_one = only(&|seed, tool| counts.is_brittle(seed, tool), &judged);
    if brittle_by_one.is_empty() {
        words.push('.');
    } else {
        let parts: Vec<String> =
            brittle_by_one.iter().map(|part| part.replacen(" only ", " only with ", 1)).collect();
        let _ = write!(words, ", {}.", parts.join(", "));
    }
    Some(words)
}

/// The names of the first seeds.
fn names(counts: &Counts, seeds: &[SeedIx]) -> String {
    let shown = seeds.iter().take(NAMED);
    let mut names: Vec<String> =
        shown.map(|&seed| crate::words::plain(&counts.data.seeds[seed].name)).collect();
    if seeds.len() > NAMED {
        names.push(format!("and {} more", seeds.len() - NAMED));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::testing;

    #[test]
    fn seeds_that_only_one_tool_verifies_are_named() {
        let data = testing::small();
        assert_eq!(
            sentences(&Counts::new(&data)).unwrap(),
            "Of the 2 seeds that both tools have a verdict on, both verify 1, and 1 only z3-1 (seed1). Of \
             the 1 seed that both verify and were tested with, 0 are brittle with none, 1 with both."
        );
    }

    #[test]
    fn one_tool_is_not_compared() {
        let mut data = testing::small();
        data.tools.truncate(1);
        data.baselines.retain(|baseline| baseline.tool == testing::tool(0));
        data.verdicts.clear();
        assert_eq!(sentences(&Counts::new(&data)), None);
    }
}
