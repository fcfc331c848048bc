//! The answer: a sentence for each tool, and its key figures.

use std::fmt::Write as _;

use mugie_results::asked::Kind;
use mugie_results::data::ToolIx;
use mugie_stats::Interval;

use super::HtmlTable;
use super::counts::{Counts, Kinds, Tally};
use super::write::Html;
use crate::overview::apart_in_words;

/// Writes the answer.
pub(super) fn write(html: &mut Html, counts: &Counts) {
    let data = counts.data;
    for (name, reason) in &data.unusable {
        let words = format!("{name} cannot be used: {reason}.");
        html.leaf("p", &[("class", "remark")], &words);
    }
    if let Some(first) = data.dropped.first() {
        html.leaf(
            "p",
            &[("class", "remark")],
            &format!(
                "{} left out, because they failed mugie's own check: a bug in mugie. The first \
                 one is number {} of {} in {}: {}",
                counted(data.dropped.len(), "mutant"),
                first.number,
                data.seeds[first.seed].name,
                data.batches[first.batch].name,
                first.reason,
            ),
        );
    }
    html.element("ul", &[("class", "findings")], |html| {
        for (number, tool) in data.tools.iter_enumerated() {
            html.element("li", &[], |html| {
                html.leaf("b", &[], &tool.name);
                if tool.title != tool.name {
                    html.text(&format!(" ({})", tool.title));
                }
                html.text(&format!(" {}", findings(counts, number)));
            });
        }
    });
}

/// The sums for a tool: verified seeds with a judged mutant, brittle seeds among them, the mutants of verified seeds and their
/// outcomes.
struct Sums {
    seeds: Tally,
    asked: usize,
    verified: u32,
    mutants: Tally,
    kinds: Kinds,
}

fn sums(counts: &Counts, tool: ToolIx) -> Sums {
    let mut sums = Sums {
        seeds: Tally::default(),
        asked: 0,
        verified: 0,
        mutants: Tally::default(),
        kinds: Kinds::default(),
    };
    for seed in counts.data.seeds.indices() {
        sums.asked += usize::from(counts.baseline(seed, tool).is_some());
        if counts.verifies(seed, tool) {
            let differ = u32::from(counts.is_brittle(seed, tool));
            let judged = u32::from(counts.all(seed, tool).judged > 0);
            sums.verified += 1;
            // Untested is not robust.
            sums.seeds = sums.seeds.and(Tally { judged, differ });
            sums.mutants = sums.mutants.and(counts.all(seed, tool));
            sums.kinds = sums.kinds.and(counts.kinds(seed, tool));
        }
    }
    sums
}

fn findings(counts: &Counts, tool: ToolIx) -> String {
    let Sums { seeds, asked, verified, mutants, kinds } = sums(counts, tool);
    if asked == 0 {
        return "has not been run yet.".to_owned();
    }
    let mut words = match (asked, verified) {
        (1, 0) => "does not verify the seed".to_owned(),
        (1, _) => "verifies the seed".to_owned(),
        _ => format!("verifies {verified} of {}", counted(asked, "seed")),
    };
    let is_one = asked == 1;
    if seeds.judged == 0 {
        return words
            + match verified {
                0 => ".",
                _ if is_one => ", which has not been tested yet.",
                _ => ". None of these has been tested yet.",
            };
    }
    let these = match (seeds.judged, verified) {
        (judged, verified) if judged == verified => "these".to_owned(),
        (judged, _) => format!("the {judged} of these that were tested"),
    };
    if seeds.differ == 0 {
        let mutants = counted(mutants.judged as usize, "mutant");
        let _ = if is_one {
            write!(words, ", which is not brittle: none of its {mutants} fails.")
        } else {
            write!(words, ". Of {these}, none is brittle: none of their {mutants} fails.")
        };
        return words + &apart(counts, tool);
    }
    if is_one {
        words.push_str(", which is brittle: ");
    } else {
        let _ = write!(
            words,
            ". {} of {these} {} brittle, {}: some mutant{} fails. In all, ",
            seeds.differ,
            if seeds.differ == 1 { "is" } else { "are" },
            share_of_seeds(counts, seeds),
            if counts.data.batches.len() > 1 { " in any batch" } else { "" },
        );
    }
    let _ = write!(
        words,
        "{} of {}{} {}",
        grouped(mutants.differ as usize),
        if is_one { "its " } else { "" },
        counted(mutants.judged as usize, "mutant"),
        if mutants.differ == 1 { "fails" } else { "fail" },
    );
    if is_one {
        let _ = write!(words, ", {}", in_whole_percent(counts, mutants));
    }
    let parts = [
        (kinds.failed, "not proved"),
        (kinds.out_of_limits, "out of time, memory or resources"),
        (kinds.rejected, "rejected"),
        (kinds.inconclusive, "inconclusive"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", grouped(*count as usize)))
        .collect();
    let _ = write!(words, ": {}.", parts.join(", "));
    if kinds.unsteady > 0 {
        let _ = write!(
            words,
            " {}: the runs did not agree.",
            counted(kinds.unsteady as usize, "flaky mutant")
        );
    }
    words + &apart(counts, tool)
}

/// The share of brittle seeds in words. The seeds of a test are those that somebody named, and no sample.
fn share_of_seeds(counts: &Counts, seeds: Tally) -> String {
    match counts.data.asked.kind {
        Kind::Campaign => in_whole_percent(counts, seeds),
        Kind::Test => format!("{:.0} %", seeds.share().unwrap_or_default() * 100.0),
    }
}

fn in_whole_percent(counts: &Counts, tally: Tally) -> String {
    let mut words = format!("{:.0} %", tally.share().unwrap_or_default() * 100.0);
    if let Some(Interval { low, high }) = counts.interval(tally) {
        let _ = write!(words, " (95 % interval {:.0} to {:.0} %)", low * 100.0, high * 100.0);
    }
    words
}

/// What is kept apart, as sentences after others: operators, and seeds whose runs do not agree.
fn apart(counts: &Counts, tool: ToolIx) -> String {
    let data = counts.data;
    let names: Vec<String> = data.names_apart().map(str::to_owned).collect();
    let mut words = apart_in_words(&names, counts.measures.apart(tool))
        .map_or_else(String::new, |words| format!(" Kept {words}."));
    let unstable = data.unstable.iter().filter(|(_, of)| *of == tool).count();
    if unstable > 0 {
        let _ = write!(
            words,
            " {} no stable verdict: the runs did not agree.",
            match unstable {
                1 => "1 seed has".to_owned(),
                unstable => format!("{unstable} seeds have"),
            }
        );
    }
    words
}

/// The key numbers of all tools.
pub(super) fn numbers(counts: &Counts) -> HtmlTable {
    let data = counts.data;
    let row = |tool: ToolIx| {
        let Sums { seeds, asked, verified, mutants, kinds } = sums(counts, tool);
        let mut row = vec![
            data.tools[tool].name.clone(),
            format!("{verified} of {asked}"),
            seeds.judged.to_string(),
            seeds.differ.to_string(),
            match data.asked.kind {
                Kind::Campaign => counts.share_words(seeds),
                Kind::Test => share_of_seeds(counts, seeds),
            },
            grouped(mutants.judged as usize),
            grouped(mutants.differ as usize),
            counts.share_words(mutants),
        ];
        let counted = [
            kinds.failed,
            kinds.out_of_limits,
            kinds.rejected,
            kinds.inconclusive,
            kinds.unsteady,
            kinds.trouble,
        ];
        row.extend(counted.iter().map(|count| grouped(*count as usize)));
        row
    };
    let head = [
        "Tool",
        "Verified seeds",
        "Tested",
        "Brittle",
        "% brittle",
        "Mutants",
        "Failing",
        "% failing",
        "Not proved",
        "Limits",
        "Rejected",
        "Inconclusive",
        "Unsteady",
        "No verdict",
    ];
    HtmlTable {
        groups: Vec::new(),
        title: "Key numbers".to_owned(),
        caption: format!(
            "Key numbers by tool{}: of the verified seeds that were tested, those with a failing mutant in \
             any batch; and the mutants of verified seeds in all batches. Operators that are kept apart do \
             not count.",
            counts.with_interval(", with 95 % intervals")
        ),
        head: head.map(str::to_owned).to_vec(),
        rows: (data.tools.indices()).map(row).collect(),
        notes: Vec::new(),
    }
    .without_zeros(10)
}

/// A number with separated thousands.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with separated thousands, and its noun.
pub(super) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use mugie_core::Outcome;
    use mugie_results::data::Data;

    use super::*;
    use crate::html::testing;

    #[test]
    fn one_seed_is_told_in_the_singular_and_without_a_share_of_seeds() {
        let mut data = testing::small();
        data.baselines.retain(|baseline| baseline.seed == testing::seed(0));
        data.mutants.pop();
        data.verdicts.pop();
        let words = |data: &Data| findings(&Counts::new(data), testing::tool(0));
        let brittle = words(&data);
        assert!(
            brittle.starts_with(
                "verifies the seed, which is brittle: 2 of its 4 mutants fail, 50 % (95 %"
            ),
            "{brittle}"
        );
        data.asked.exhaustive = true;
        let whole = words(&data);
        assert!(whole.contains("fail, 50 %: 1 not proved"), "{whole}");
        for verdict in &mut data.verdicts {
            verdict.outcome = Outcome::Verified;
        }
        assert_eq!(
            words(&data),
            "verifies the seed, which is not brittle: none of its 4 mutants fails."
        );
    }

    #[test]
    fn only_the_seeds_of_a_campaign_are_a_sample() {
        let mut data = testing::small();
        data.baselines[2].outcome = Outcome::Verified;
        let words = |data: &Data| findings(&Counts::new(data), testing::tool(0));
        let campaign = words(&data);
        assert!(
            campaign.contains(
                "1 of these is brittle, 50 % (95 % interval 1 to 99 %): some mutant in any batch"
            ),
            "{campaign}"
        );
        data.asked.kind = Kind::Test;
        let test = words(&data);
        assert!(test.contains("1 of these is brittle, 50 %: some mutant"), "{test}");
    }

    #[test]
    fn thousands_are_apart() {
        assert_eq!(
            [0, 999, 1000, 87_750, 1_000_000].map(grouped),
            ["0", "999", "1,000", "87,750", "1,000,000"]
        );
    }
}
