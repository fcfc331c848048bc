//! What was asked, and with what: the first part of the page.

use std::fmt::Write as _;

use mugie_results::asked::{Asked, AskedTool, Kind};
use mugie_results::data::{BatchData, Data, ToolIx};
use mugie_results::result::Host;

use super::overview::counted;
use super::write::Html;
use super::{HtmlTable, table};

/// What is shown where nothing is known.
const UNKNOWN: &str = "not recorded";

/// Writes the section.
pub(super) fn write(html: &mut Html, data: &Data) {
    let asked = &data.asked;
    html.element("p", &[("class", "lead")], |html| html.text(&what(data)));
    html.element("dl", &[("class", "facts")], |html| {
        for (term, words) in facts(data) {
            html.element("div", &[], |html| {
                html.leaf("dt", &[], term);
                html.leaf("dd", &[], &words);
            });
        }
    });
    if data.tools.is_empty() {
        return;
    }
    table::write(html, "asked-tools", &tools(data));
    if asked.tools.iter().any(|tool| !tool.command.is_empty()) {
        html.element("details", &[("class", "fold"), ("id", "commands")], |html| {
            html.markup("<summary>The command lines of the tools</summary><dl class=\"commands\">");
            for (tool, asked) in data.tools.iter().zip(&asked.tools) {
                html.leaf("dt", &[], &tool.name);
                html.element("dd", &[], |html| html.leaf("code", &[], &asked.command.join(" ")));
            }
            html.markup("</dl>");
        });
    }
}

fn what(data: &Data) -> String {
    let run = match data.asked.kind {
        Kind::Campaign => "campaign",
        Kind::Test => "test",
    };
    if data.seeds.is_empty() {
        return format!("This {run} has no seeds.");
    }
    let is_one = data.seeds.len() == 1;
    format!(
        "Does the verdict on {} depend on how {} written? {} of {}, equivalent programs made by small \
         edits, should get the {} from {}.",
        counted(data.seeds.len(), "seed"),
        if is_one { "it is" } else { "they are" },
        counted(data.mutants.len(), "mutant"),
        if is_one { "it" } else { "them" },
        if is_one { "verdict of their seed" } else { "verdicts of their seeds" },
        match data.tools.len() {
            1 => "1 tool".to_owned(),
            tools => format!("each of {tools} tools"),
        },
    )
}

/// What is known besides the tools.
fn facts(data: &Data) -> Vec<(&'static str, String)> {
    let asked = &data.asked;
    let groups: Vec<String> = (data.groups.iter_enumerated())
        .map(|(index, group)| {
            let seeds = data.seeds.iter().filter(|seed| seed.group == index).count();
            format!("{group} ({seeds})")
        })
        .collect();
    let mut seeds = data.seeds.len().to_string();
    if groups.len() > 1 {
        let _ = write!(seeds, " in {}", listed("group", &groups));
    }
    let mut facts = vec![("Seeds", seeds)];
    facts.push(("Mutants", mutants(data)));
    let seeds: Vec<String> = asked.random_seeds.iter().map(u64::to_string).collect();
    facts.push(("Random seed", known(seeds.join(", "))));
    if data.until_failure {
        let words = "each batch of a seed ends at its first mutant with another verdict";
        facts.push(("Stops early", words.to_owned()));
    }
    if let Some(confidence) = asked.confidence {
        let words =
            format!("as soon as the answer has a confidence of {:.0} %", confidence * 100.0);
        facts.push(("Stops early", words));
    }
    if !asked.goals.is_empty() {
        facts.push(("Only", asked.goals.join(", ")));
    }
    facts.push(("mugie", known(asked.mugie.clone().unwrap_or_default())));
    if let Some(days) = days(asked) {
        facts.push(("Run", days));
    }
    facts.push(("Machine", known(machines(asked).join("; "))));
    facts
}

fn known(words: String) -> String {
    if words.is_empty() { UNKNOWN.to_owned() } else { words }
}

fn listed(noun: &str, names: &[String]) -> String {
    /// The most names that are listed.
    const MOST: usize = 12;
    match names {
        _ if names.len() > MOST => counted(names.len(), noun),
        _ => format!("{}: {}", counted(names.len(), noun), names.join(", ")),
    }
}

/// How mutants are drawn: batches of the same size by a single operator each are put together.
fn mutants(data: &Data) -> String {
    let mut parts: Vec<(usize, bool, Vec<&BatchData>)> = Vec::new();
    for batch in &data.batches {
        let alone = batch.name == batch.operators;
        match parts.last_mut() {
            Some((wanted, true, batches)) if alone && *wanted == batch.wanted => {
                batches.push(batch);
            }
            _ => parts.push((batch.wanted, alone, vec![batch])),
        }
    }
    let words = parts.iter().enumerate().map(|(place, (wanted, alone, batches))| {
        let names: Vec<&str> = batches.iter().map(|batch| batch.name.as_str()).collect();
        let mut words = wanted.to_string();
        if place == 0 {
            words.push_str(" of each seed");
        }
        match (alone, batches.as_slice()) {
            (true, [_]) => _ = write!(words, " by {}", names[0]),
            (true, _) => _ = write!(words, " by each of {}", names.join(", ")),
            (false, _) => {
                let operators = &batches[0].operators;
                _ = write!(words, " by {operators}");
                if data.batches.len() > 1 {
                    _ = write!(words, " (batch {})", names[0]);
                }
            }
        }
        words
    });
    let words: Vec<String> = words.collect();
    match (data.asked.exhaustive, words.is_empty()) {
        (_, true) => "none".to_owned(),
        (true, _) => format!("all that the operators yield, up to {}", words.join("; ")),
        (false, _) => words.join("; "),
    }
}

/// The days on which something ran.
fn days(asked: &Asked) -> Option<String> {
    let days = || asked.sessions.iter().filter_map(|session| session.day.as_deref());
    let (first, last) = (days().min()?, days().max()?);
    Some(if first == last { first.to_owned() } else { format!("{first} to {last}") })
}

/// The classes of machines: without their names, which say nothing.
fn machines(asked: &Asked) -> Vec<String> {
    let mut machines = Vec::new();
    for session in &asked.sessions {
        let Host { name: _, system, processor, cores } = &session.host;
        let machine = format!("{processor}, {}, {system}", counted(*cores, "core"));
        if !machines.contains(&machine) {
            machines.push(machine);
        }
    }
    machines
}

fn tools(data: &Data) -> HtmlTable {
    let row = |tool: ToolIx| {
        let ToolTexts { options, limits, repeats, runs } = match data.asked.tools.get(tool) {
            Some(asked) => texts(asked),
            None => ToolTexts::default(),
        };
        let (name, title) = (&data.tools[tool].name, &data.tools[tool].title);
        vec![name.clone(), title.clone(), options, limits, repeats, runs]
    };
    let head = ["Tool", "Programs", "Options", "Limits of a run", "A timeout counts", "Processes"];
    HtmlTable {
        groups: Vec::new(),
        title: "Tools".to_owned(),
        caption: String::new(),
        head: head.map(str::to_owned).to_vec(),
        rows: data.tools.indices().map(row).collect(),
        notes: Vec::new(),
    }
}

/// What the columns say of a tool.
struct ToolTexts {
    options: String,
    limits: String,
    repeats: String,
    runs: String,
}

impl Default for ToolTexts {
    fn default() -> ToolTexts {
        let unknown = || UNKNOWN.to_owned();
        ToolTexts { options: unknown(), limits: unknown(), repeats: unknown(), runs: unknown() }
    }
}

fn texts(asked: &AskedTool) -> ToolTexts {
    let mut options = Vec::new();
    options.extend(asked.profile.as_ref().map(|profile| format!("profile {profile}")));
    options.extend(asked.solver_seed.map(|seed| format!("solver's random seed {seed}")));
    let mut limits = Vec::new();
    limits.extend(asked.seconds.map(|seconds| format!("{seconds} s")));
    limits.extend(asked.cpu_seconds.map(|seconds| format!("{seconds} s of processor time")));
    limits.extend(asked.memory.map(|bytes| format!("{} MB", bytes >> 20)));
    limits.extend(asked.resource_limit.map(|units| format!("{units} resource units")));
    limits.extend(asked.processes.map(|number| format!("{number} processes")));
    let repeats = match asked.confirm {
        0 => "at once".to_owned(),
        1 => "if 1 more run times out".to_owned(),
        more => format!("if {more} more runs time out"),
    };
    let runs = match (asked.shared, asked.tapped) {
        (true, true) => "shared by mutants; solver tapped",
        (true, false) => "shared by mutants",
        (false, true) => "one for each mutant; solver tapped",
        (false, false) => "one for each mutant",
    };
    ToolTexts {
        options: if options.is_empty() { "usual".to_owned() } else { options.join(", ") },
        limits: if limits.is_empty() { UNKNOWN.to_owned() } else { limits.join(", ") },
        repeats,
        runs: runs.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use index_vec::index_vec;
    use mugie_results::asked::Session;

    use super::*;
    use crate::html::testing;

    #[test]
    fn batches_of_single_operators_are_put_together() {
        let mut data = testing::large();
        assert_eq!(
            mutants(&data),
            "100 of each seed by *; 50 by each of S1, S2, S3, L1, L2, L3, L4, L5, G1, G3, G4"
        );
        data.batches = index_vec![BatchData {
            name: "*".to_owned(),
            operators: "paper".to_owned(),
            wanted: 7
        }];
        assert_eq!(mutants(&data), "7 of each seed by paper");
    }

    #[test]
    fn one_group_has_no_name_and_one_seed_no_plural() {
        let mut data = testing::small();
        assert_eq!(facts(&data)[0], ("Seeds", "2".to_owned()));
        data.groups.push("B".to_owned());
        assert_eq!(facts(&data)[0], ("Seeds", "2 in 2 groups: A (2), B (0)".to_owned()));
        data.seeds.pop();
        let words = what(&data);
        assert!(
            words.contains("5 mutants of it,") && words.contains("the verdict of their seed"),
            "{words}"
        );
    }

    #[test]
    fn what_is_not_recorded_is_said_to_be() {
        let mut data = testing::small();
        let html = |data: &Data| {
            let mut html = Html::default();
            write(&mut html, data);
            html.into_string()
        };
        assert!(html(&data).contains(UNKNOWN));
        let day = |day: &str| Session {
            day: Some(day.to_owned()),
            host: Host {
                name: "secret".to_owned(),
                system: "Linux".to_owned(),
                processor: "EPYC".to_owned(),
                cores: 2,
            },
        };
        data.asked.sessions = vec![day("2026-11-19"), day("2026-11-21"), day("2026-11-20")];
        data.asked.tools =
            index_vec![AskedTool { confirm: 2, seconds: Some(20.0), ..AskedTool::default() }];
        let html = html(&data);
        assert!(html.contains("2026-11-19 to 2026-11-21"), "{html}");
        assert!(html.contains("EPYC, 2 cores, Linux") && !html.contains("secret"), "{html}");
        assert!(html.contains("if 2 more runs time out"), "{html}");
    }
}
