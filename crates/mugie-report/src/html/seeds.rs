//! The seeds: a table of all, and a section for each with its mutants in detail.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use index_vec::{Idx, IndexSlice, IndexVec, index_vec};
use mugie_core::Outcome;
use mugie_results::data::{BatchIx, Detail, Details, SeedIx, ToolIx};

use super::counts::{Counts, Tally};
use super::overview::counted;
use super::write::Html;
use super::{HtmlTable, diff, table as plain_table};
use crate::words::failure_with_place;

/// Bytes for mutants in detail: as much as a browser reads in about a second. The rest of a report
/// is a few megabytes at most.
const DETAIL_BYTES: usize = 6_000_000;

/// Writes the table of all seeds with its filters, which the script activates and shows.
pub(super) fn table(html: &mut Html, counts: &Counts) {
    let data = counts.data;
    html.markup(
        "<p class=\"caption\">All seeds. For each tool: failing of judged mutants and their share in \
         percent with its 95 % interval, or why there is nothing to test.</p>",
    );
    filters(html, counts);
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
                    html.markup(
                        "<th scope=\"col\">Broken by</th><th scope=\"col\">Group</th>\
                         <th scope=\"col\" class=\"number\">Lines</th>",
                    );
                });
            });
            html.element("tbody", &[], |html| {
                for seed in data.seeds.indices() {
                    row(html, counts, seed);
                }
            });
        });
    });
}

fn filters(html: &mut Html, counts: &Counts) {
    html.element("form", &[("class", "filters"), ("role", "search"), ("hidden", "")], |html| {
        html.markup(
            "<label>Name <input type=\"search\" id=\"filter-text\" autocomplete=\"off\" \
             spellcheck=\"false\"/></label><label>Group <select id=\"filter-group\">\
             <option value=\"\">all</option>",
        );
        for (number, group) in counts.data.groups.iter_enumerated() {
            html.leaf("option", &[("value", &number.to_string())], group);
        }
        html.markup(
            "</select></label><label>Kind <select id=\"filter-state\">\
             <option value=\"\">all</option><option value=\"brittle\">brittle</option>\
             <option value=\"robust\">no failing mutant</option>\
             <option value=\"unverified\">not verified by some tool</option></select></label>\
             <p role=\"status\" id=\"filter-count\"></p>",
        );
    });
}

fn row(html: &mut Html, counts: &Counts, seed: SeedIx) {
    let data = counts.data;
    let tools = data.tools.indices();
    let brittle = tools.clone().any(|tool| counts.is_brittle(seed, tool));
    let unverified = tools.clone().any(|tool| {
        counts.baseline(seed, tool).is_some_and(|baseline| baseline.outcome != Outcome::Verified)
    });
    // Untested is not robust.
    let tested = |tool| counts.verifies(seed, tool) && counts.all(seed, tool).judged > 0;
    let tested = tools.clone().any(tested);
    let states = [(brittle, "brittle"), (tested && !brittle, "robust"), (unverified, "unverified")];
    let states: Vec<&str> =
        states.iter().filter(|(holds, _)| *holds).map(|(_, state)| *state).collect();
    let group = data.seeds[seed].group.to_string();
    html.element("tr", &[("data-group", &group), ("data-state", &states.join(" "))], |html| {
        html.element("th", &[("scope", "row")], |html| {
            html.leaf("a", &[("href", &format!("#{}", anchor(seed)))], &data.seeds[seed].name);
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
        html.leaf("td", &[("class", "number")], &data.seeds[seed].lines.to_string());
    });
}

/// The anchor of a seed's section.
fn anchor(seed: SeedIx) -> String {
    format!("seed-{seed}")
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
pub(super) fn sections(html: &mut Html, counts: &Counts, details: &Details) {
    let data = counts.data;
    let mut of_seed = index_vec![Vec::new(); data.seeds.len()];
    for detail in &details.mutants {
        of_seed[data.mutants[detail.mutant].seed].push(detail);
    }
    let mutants = within_bounds(counts, &of_seed);
    if data.seeds.is_empty() {
        html.markup("<p>There are no seeds.</p>");
    }
    for (seed, shown) in mutants.iter_enumerated() {
        html.markup("\n");
        html.element("details", &[("class", "seed"), ("id", &anchor(seed))], |html| {
            html.element("summary", &[], |html| {
                html.leaf("h3", &[], &data.seeds[seed].name);
                for words in headline(counts, seed) {
                    html.text(" ");
                    html.leaf("span", &[], &words);
                }
            });
            causes(html, counts, seed, details);
            section(html, counts, seed, &of_seed[seed], shown);
        });
    }
}

/// Writes why mutants of a seed fail, which a reader wants to know first.
fn causes(html: &mut Html, counts: &Counts, seed: SeedIx, details: &Details) {
    let of_seed = || details.causes.iter().filter(|cause| cause.seed == seed);
    if of_seed().next().is_none() {
        return;
    }
    html.leaf("h4", &[], "Causes");
    html.element("ul", &[("class", "causes")], |html| {
        for cause in of_seed() {
            let words = cause.words.as_deref().unwrap_or("unknown: try mugie minimise");
            html.element("li", &[], |html| {
                html.leaf("b", &[], words);
                let mutants = counted(cause.mutants, "mutant");
                html.text(&format!(": {mutants}, {}", cause.symptom));
                if counts.data.tools.len() > 1 {
                    html.text(&format!(" ({})", counts.data.tools[cause.tool].name));
                }
            });
        }
    });
}

/// Renders mutants in detail, the first of each seed, then the second, while there is room.
fn within_bounds(
    counts: &Counts,
    of_seed: &IndexSlice<SeedIx, [Vec<&Detail>]>,
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
            mutant(&mut html, counts, detail);
            if let Some(left) = room.checked_sub(html.len()) {
                room = left;
                rendered[seed].push(html);
            }
        }
    }
    rendered
}

/// The most important results of a seed, by tool.
fn headline(counts: &Counts, seed: SeedIx) -> Vec<String> {
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
                Some(_) => format!("{} of {} fail", tally.differ, tally.judged),
            };
            if data.tools.len() == 1 {
                words
            } else {
                format!("{}: {words}", data.tools[tool].name)
            }
        })
        .collect()
}

fn section(html: &mut Html, counts: &Counts, seed: SeedIx, details: &[&Detail], shown: &[Html]) {
    let data = counts.data;
    let seed_data = &data.seeds[seed];
    html.element("p", &[], |html| {
        html.leaf("code", &[], &seed_data.file());
        html.text(&format!(
            ", group {}, {}.",
            data.groups[seed_data.group],
            counted(seed_data.lines, "line")
        ));
    });
    plain_table::write(html, &by_tool(counts, seed));
    let differ: u32 = (data.tools.indices()).map(|tool| counts.all(seed, tool).differ).sum();
    html.element("div", &[("class", "pair")], |html| {
        html.element("div", &[], |html| {
            if differ > 0 {
                plain_table::write(html, &by_batch(counts, seed));
            }
            if !details.is_empty() {
                plain_table::write(html, &by_procedure(counts, details));
            }
        });
        if differ > 0 {
            html.element("div", &[], |html| plain_table::write(html, &by_operator(counts, seed)));
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
    html.markup("<p class=\"back\"><a href=\"#seeds\">Back to the table of seeds</a></p>");
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
                (words, format!("{:.2}", baseline.seconds))
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
        caption: format!("Mutants that differ by {thing}, if there are any, with 95 % intervals."),
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

fn mutant(html: &mut Html, counts: &Counts, detail: &Detail) {
    html.markup("\n");
    html.element("details", &[("class", "mutant")], |html| {
        html.element("summary", &[], |html| {
            html.leaf("h4", &[], &detail.name);
            html.text(" ");
            html.leaf("span", &[], &in_short(counts, detail));
        });
        html.element("ul", &[("class", "changes")], |html| {
            for change in &detail.changes {
                html.element("li", &[], |html| {
                    match &change.procedure {
                        Some(procedure) => html.leaf("code", &[], procedure),
                        None => html.text("the whole program"),
                    }
                    html.text(&format!(" {}", change.outcome));
                    if !change.failures.is_empty() {
                        html.element("ul", &[], |html| {
                            for failure in &change.failures {
                                html.leaf("li", &[], &failure_with_place(failure));
                            }
                        });
                    }
                });
            }
        });
        html.leaf("h5", &[], "Edits");
        html.element("ol", &[("class", "edits")], |html| {
            for edit in &detail.edits {
                html.leaf("li", &[], edit);
            }
        });
        if !detail.diff.is_empty() {
            html.leaf("h5", &[], "Difference");
            diff::write(html, &detail.diff);
        }
        if !detail.reproduce.is_empty() {
            html.leaf("h5", &[], "Reproduce");
            html.element("div", &[("class", "commands")], |html| {
                html.element("pre", &[("tabindex", "0")], |html| {
                    for (number, command) in detail.reproduce.iter().enumerate() {
                        if number > 0 {
                            html.markup("\n");
                        }
                        html.leaf("code", &[], command);
                    }
                });
            });
        }
    });
}

/// The result of a mutant on one line.
fn in_short(counts: &Counts, detail: &Detail) -> String {
    let tool = &counts.data.tools[detail.tool].name;
    let mut outcomes: Vec<Outcome> = detail.changes.iter().map(|change| change.outcome).collect();
    outcomes.sort_unstable();
    outcomes.dedup();
    let outcomes: Vec<&str> = outcomes.iter().map(|outcome| outcome.words()).collect();
    let edits = counted(detail.edits.len(), "edit");
    format!("{tool} · {} · {edits}", outcomes.join(", "))
}
