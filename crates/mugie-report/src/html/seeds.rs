//! The seeds: a table of all, and a section for each with its mutants in detail.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use index_vec::{Idx, IndexSlice, IndexVec, index_vec};
use mugie_core::Outcome;
use mugie_results::data::{BatchIx, CauseData, Detail, Details, SeedIx, ToolIx};

use super::anchors::Anchors;
use super::counts::{Counts, Tally};
use super::overview::counted;
use super::write::Html;
use super::{HtmlTable, filters, mutant, table as plain_table};

/// Bytes for mutants in detail: as much as a browser reads in about a second. The rest of a report
/// is a few megabytes at most.
const DETAIL_BYTES: usize = 6_000_000;

/// Writes the table of all seeds with its filters, which the script activates and shows.
pub(super) fn table(html: &mut Html, counts: &Counts, anchors: &Anchors) {
    let data = counts.data;
    let caption = format!(
        "For each tool: failing of judged mutants and their share in percent{}, or why there is nothing to \
         test.",
        counts.with_interval(" with its 95 % interval")
    );
    html.leaf("p", &[("class", "caption")], &caption);
    filters::write(html, counts, "seed-rows", false);
    let region = [
        ("class", "scroll"),
        ("role", "region"),
        ("tabindex", "0"),
        ("aria-labelledby", "seeds-heading"),
    ];
    html.element("div", &region, |html| {
        html.element("table", &[("id", "seed-table")], |html| {
            html.element("thead", &[], |html| {
                html.element("tr", &[], |html| {
                    html.markup("<th scope=\"col\">Seed</th>");
                    for tool in &data.tools {
                        html.leaf("th", &[("scope", "col")], &tool.name);
                    }
                    html.markup("<th scope=\"col\">Broken by</th><th scope=\"col\">Group</th>");
                    if has_lines(counts) {
                        html.markup("<th scope=\"col\" class=\"number\">Lines</th>");
                    }
                });
            });
            html.element("tbody", &[("id", "seed-rows")], |html| {
                for seed in data.seeds.indices() {
                    row(html, counts, anchors, seed);
                }
            });
        });
    });
}

/// Whether the numbers of lines are known.
fn has_lines(counts: &Counts) -> bool {
    counts.data.seeds.iter().any(|seed| seed.lines > 0)
}

fn row(html: &mut Html, counts: &Counts, anchors: &Anchors, seed: SeedIx) {
    let data = counts.data;
    let tools = data.tools.indices();
    let address = anchors.row(seed);
    let marks = filters::marks(counts, seed);
    let mut attributes = vec![("id", address.as_str())];
    attributes.extend(marks.iter().map(|(name, value)| (*name, value.as_str())));
    html.element("tr", &attributes, |html| {
        html.element("th", &[("scope", "row")], |html| {
            let section = format!("#{}", anchors.section(seed));
            html.leaf("a", &[("href", &section)], &data.seeds[seed].name);
            plain_table::link(html, &address);
        });
        for tool in tools.clone() {
            let (order, words) = state(counts, seed, tool);
            let class = if counts.is_brittle(seed, tool) { "short" } else { "short calm" };
            html.leaf("td", &[("data-sort", &order), ("class", class)], &words);
        }
        let breaks = |batch: &BatchIx| {
            tools.clone().any(|tool| {
                counts.verifies(seed, tool)
                    && !counts.measures.is_apart(*batch)
                    && counts.by_batch(seed, tool, *batch).differ > 0
            })
        };
        let batches: Vec<&str> = (data.batches.indices())
            .filter(breaks)
            .map(|batch| data.batches[batch].name.as_str())
            .collect();
        let order = batches.len().to_string();
        html.leaf("td", &[("data-sort", &order)], &batches.join(", "));
        html.leaf("td", &[], &data.groups[data.seeds[seed].group]);
        if has_lines(counts) {
            html.leaf("td", &[("class", "number")], &data.seeds[seed].lines.to_string());
        }
    });
}

/// The state of a seed under a tool, and a number to sort by.
fn state(counts: &Counts, seed: SeedIx, tool: ToolIx) -> (String, String) {
    let Some(baseline) = counts.baseline(seed, tool) else {
        return ("-2".to_owned(), "not run".to_owned());
    };
    if baseline.outcome != Outcome::Verified {
        return ("-1".to_owned(), format!("seed {}", baseline.outcome));
    }
    let tally = counts.all(seed, tool);
    let Some(share) = tally.share() else {
        return ("-0.5".to_owned(), "no mutants judged".to_owned());
    };
    (format!("{share:.6}"), tally_words(counts, tally))
}

fn tally_words(counts: &Counts, tally: Tally) -> String {
    format!("{} of {}: {}", tally.differ, tally.judged, counts.share_words(tally))
}

/// Writes a section for each seed.
pub(super) fn sections(html: &mut Html, counts: &Counts, details: &Details, anchors: &Anchors) {
    let data = counts.data;
    let mut of_seed = index_vec![Vec::new(); data.seeds.len()];
    for detail in &details.mutants {
        of_seed[data.mutants[detail.mutant].seed].push(detail);
    }
    let mutants = within_bounds(counts, &of_seed, anchors);
    if data.seeds.is_empty() {
        html.markup("<p>There are no seeds.</p>");
    }
    for (seed, shown) in mutants.iter_enumerated() {
        html.markup("\n");
        html.element("details", &[("class", "seed"), ("id", &anchors.section(seed))], |html| {
            html.element("summary", &[], |html| {
                html.leaf("h3", &[], &data.seeds[seed].name);
                for words in headline(counts, seed) {
                    html.text(" ");
                    html.leaf("span", &[], &words);
                }
            });
            let page = Page { counts, details, anchors };
            page.section(html, seed, &of_seed[seed], shown);
        });
    }
}

/// Writes why mutants of a seed fail, which a reader wants to know first. Only a change that was minimised is
/// called a cause.
pub(super) fn causes(html: &mut Html, counts: &Counts, seed: SeedIx, details: &Details) {
    let of_seed: Vec<&CauseData> =
        details.causes.iter().filter(|cause| cause.seed == seed).collect();
    let (minimal, others): (Vec<&CauseData>, Vec<&CauseData>) =
        of_seed.into_iter().partition(|cause| cause.minimised);
    let lists = [("Smallest change that fails", minimal), ("Failing mutants", others)];
    for (title, causes) in lists.into_iter().filter(|(_, causes)| !causes.is_empty()) {
        html.leaf("h4", &[], title);
        html.element("ul", &[("class", "causes")], |html| {
            for cause in causes {
                html.element("li", &[], |html| {
                    let mutants = counted(cause.mutants, "mutant");
                    match &cause.words {
                        Some(words) => {
                            html.leaf("b", &[], words);
                            html.text(&format!(": {mutants}, {}", cause.symptom));
                        }
                        None => html.text(&format!(
                            "{mutants} by several edits, not minimised: {}",
                            cause.symptom
                        )),
                    }
                    if counts.data.tools.len() > 1 {
                        html.text(&format!(" ({})", counts.data.tools[cause.tool].name));
                    }
                });
            }
        });
    }
}

/// Renders mutants in detail, the first of each seed, then the second, while there is room.
fn within_bounds(
    counts: &Counts,
    of_seed: &IndexSlice<SeedIx, [Vec<&Detail>]>,
    anchors: &Anchors,
) -> IndexVec<SeedIx, Vec<Html>> {
    let mut rendered: IndexVec<SeedIx, Vec<Html>> = of_seed.iter().map(|_| Vec::new()).collect();
    let mut room = DETAIL_BYTES;
    for turn in 0..of_seed.iter().map(Vec::len).max().unwrap_or(0) {
        for (seed, details) in of_seed.iter_enumerated() {
            // Skip a seed whose earlier mutant did not fit: there would be a gap.
            let Some(detail) = details.get(turn).filter(|_| rendered[seed].len() == turn) else {
                continue;
            };
            let mut html = Html::default();
            mutant::write(&mut html, counts, &anchors.section(seed), detail);
            if let Some(left) = room.checked_sub(html.len()) {
                room = left;
                rendered[seed].push(html);
            }
        }
    }
    rendered
}

/// The most important results of a seed, by tool.
pub(super) fn headline(counts: &Counts, seed: SeedIx) -> Vec<String> {
    let data = counts.data;
    let tools = data.tools.indices();
    tools
        .map(|tool| {
            let tally = counts.all(seed, tool);
            let words = match counts.baseline(seed, tool) {
                None => "not run".to_owned(),
                Some(baseline) if baseline.outcome != Outcome::Verified => {
                    format!("seed {}", baseline.outcome)
                }
                Some(_) => {
                    let apart = counts.apart(seed, tool);
                    let mut words = format!("{} of {} fail", tally.differ, tally.judged);
                    if apart.differ > 0 {
                        let names: Vec<&str> = data.names_apart().collect();
                        let _ = write!(
                            words,
                            "; apart, with {}, {} of {}",
                            names.join(", "),
                            apart.differ,
                            apart.judged
                        );
                    }
                    words
                }
            };
            if data.tools.len() == 1 {
                words
            } else {
                format!("{}: {words}", data.tools[tool].name)
            }
        })
        .collect()
}

/// What the sections of all seeds share.
struct Page<'a> {
    counts: &'a Counts<'a>,
    details: &'a Details,
    anchors: &'a Anchors,
}

impl Page<'_> {
    fn section(&self, html: &mut Html, seed: SeedIx, details: &[&Detail], shown: &[Html]) {
        let Page { counts, anchors, .. } = self;
        let data = counts.data;
        let seed_data = &data.seeds[seed];
        let address = anchors.section(seed);
        html.element("p", &[], |html| {
            html.leaf("code", &[], &seed_data.file());
            html.text(&format!(", group {}", data.groups[seed_data.group]));
            if seed_data.lines > 0 {
                html.text(&format!(", {}", counted(seed_data.lines, "line")));
            }
            html.text(".");
        });
        causes(html, counts, seed, self.details);
        for (_, words) in self.details.remarks.iter().filter(|(about, _)| *about == seed) {
            html.leaf("p", &[], words);
        }
        plain_table::write(html, &format!("{address}:tools"), &by_tool(counts, seed));
        let differ: u32 = (data.tools.indices()).map(|tool| counts.all(seed, tool).differ).sum();
        html.element("div", &[("class", "pair")], |html| {
            html.element("div", &[], |html| {
                if differ > 0 && data.batches.len() > 1 {
                    let address = format!("{address}:batches");
                    plain_table::write(html, &address, &by_batch(counts, seed));
                }
                if !details.is_empty() {
                    let address = format!("{address}:procedures");
                    plain_table::write(html, &address, &by_procedure(counts, details));
                }
            });
            if differ > 0 {
                html.element("div", &[], |html| {
                    let address = format!("{address}:operators");
                    plain_table::write(html, &address, &by_operator(counts, seed));
                });
            }
        });
        for mutant in shown {
            html.append(mutant);
        }
        let more = (differ as usize).max(details.len()).saturating_sub(shown.len());
        if more > 0 {
            let of = if shown.is_empty() { "" } else { "more " };
            let words = counted(more, "verdict");
            let words = words.replacen(' ', &format!(" {of}"), 1);
            html.leaf(
                "p",
                &[("class", "remark")],
                &format!("{words} on mutants that differ from the seed's, not shown here."),
            );
        }
        html.element("p", &[("class", "back")], |html| {
            let row = format!("#{}", anchors.row(seed));
            html.leaf("a", &[("href", &row)], "Back to the table of seeds");
        });
    }
}

fn by_tool(counts: &Counts, seed: SeedIx) -> HtmlTable {
    let data = counts.data;
    let row = |tool: ToolIx| {
        let (kinds, tally) = (counts.kinds(seed, tool), counts.all(seed, tool));
        let (verdict, seconds) = match counts.baseline(seed, tool) {
            Some(baseline) => {
                let mut words = baseline.outcome.words().to_owned();
                if let Some(reason) = &baseline.reason {
                    let _ = write!(words, ": {}", crate::words::plain(reason));
                }
                if baseline.layout {
                    words.push_str("; its layout alone changes the verdict");
                }
                let seconds = baseline.seconds;
                (words, if seconds > 0.0 { format!("{seconds:.2}") } else { "–".to_owned() })
            }
            None => ("not run".to_owned(), "–".to_owned()),
        };
        let numbers = [
            tally.judged,
            tally.differ,
            kinds.failed,
            kinds.out_of_limits,
            kinds.rejected,
            kinds.inconclusive,
            kinds.verified,
            kinds.unsteady,
            kinds.trouble,
        ];
        let mut row = vec![data.tools[tool].name.clone(), verdict, seconds];
        row.extend(numbers.iter().map(u32::to_string));
        row
    };
    let head = [
        "Tool",
        "Seed",
        "Seconds",
        "Mutants",
        "Differ",
        "Not proved",
        "Limits",
        "Rejected",
        "Inconclusive",
        "Verified",
        "Unsteady",
        "No verdict",
    ];
    HtmlTable {
        groups: Vec::new(),
        title: "Verdicts by tool".to_owned(),
        caption: "By tool: the verdict of the seed, and the mutants that differ by kind."
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: (data.tools.indices()).map(row).collect(),
        notes: Vec::new(),
    }
    .without_zeros(6)
}

fn by_batch(counts: &Counts, seed: SeedIx) -> HtmlTable {
    let data = counts.data;
    let names = data.batches.iter_enumerated().map(|(number, batch)| (number, batch.name.as_str()));
    by_tools(counts, "batch", names, |tool, batch| counts.by_batch(seed, tool, batch))
}

fn by_operator(counts: &Counts, seed: SeedIx) -> HtmlTable {
    let names =
        counts.data.operators.iter_enumerated().map(|(number, name)| (number, name.as_str()));
    by_tools(counts, "operator", names, |tool, operator| counts.by_operator(seed, tool, operator))
}

/// A row for each item for which some mutant differs, a column for each tool.
fn by_tools<'n, I: Idx>(
    counts: &Counts,
    thing: &str,
    names: impl Iterator<Item = (I, &'n str)>,
    tally: impl Fn(ToolIx, I) -> Tally,
) -> HtmlTable {
    let tools = counts.data.tools.indices();
    let rows = names.filter_map(|(number, name)| {
        let tallies: Vec<Tally> = tools.clone().map(|tool| tally(tool, number)).collect();
        if tallies.iter().all(|tally| tally.differ == 0) {
            return None;
        }
        let words = tallies.iter().map(|tally| tally_words(counts, *tally));
        Some(std::iter::once(name.to_owned()).chain(words).collect())
    });
    let mut head = vec![if thing == "batch" { "Batch" } else { "Operator" }.to_owned()];
    head.extend(counts.data.tools.iter().map(|tool| tool.name.clone()));
    HtmlTable {
        groups: Vec::new(),
        title: format!("Mutants by {thing}"),
        caption: format!(
            "Mutants that differ by {thing}, if there are any{}.",
            counts.with_interval(", with 95 % intervals")
        ),
        head,
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

fn by_procedure(counts: &Counts, details: &[&Detail]) -> HtmlTable {
    let mut numbers = BTreeMap::<(&str, ToolIx, Outcome), usize>::new();
    for detail in details {
        for change in &detail.changes {
            let procedure = change.procedure.as_deref().unwrap_or("the whole program");
            *numbers.entry((procedure, detail.tool, change.outcome)).or_default() += 1;
        }
    }
    let rows = numbers.iter().map(|(&(procedure, tool, outcome), number)| {
        let tool = counts.data.tools[tool].name.clone();
        vec![procedure.to_owned(), tool, outcome.words().to_owned(), number.to_string()]
    });
    HtmlTable {
        groups: Vec::new(),
        title: "Mutants by procedure".to_owned(),
        caption: format!(
            "Procedures whose verdict changes, in {} examined in detail.",
            counted(details.len(), "verdict")
        ),
        head: ["Procedure", "Tool", "Verdict", "Mutants"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use mugie_results::data::Data;

    use super::*;
    use crate::html::testing;

    #[test]
    fn failures_that_are_kept_apart_are_told_apart() {
        let data = Data { apart: 1, ..testing::small() };
        let words = headline(&Counts::new(&data), testing::seed(0));
        assert_eq!(words[0], "z3-0: 0 of 1 fail; apart, with S1, 2 of 3");
        let data = testing::small();
        assert_eq!(headline(&Counts::new(&data), testing::seed(0))[0], "z3-0: 2 of 4 fail");
    }
}
