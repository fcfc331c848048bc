//! A campaign in brief, for people and for programs: its progress, and the meaning of its plan.

use std::fmt::Write as _;

use mugie_core::escaped_json;
use mugie_results::data::{Data, Failing};
use mugie_results::measures::{Measures, Share};
use mugie_results::overview::{PlanOverview, PlannedTool, Status, ToolStatus};
use mugie_results::{Apart, Known};
use serde_json::{Value, json};

use crate::words::{count, escaped};

/// The most seeds with trouble that are listed for a tool. Raising it makes texts longer.
const MAX_TROUBLES: usize = 8;

/// How much of a plan is known, in all and by batch; `None` if it is complete.
pub(crate) fn gap(data: &Data) -> Option<String> {
    let measures = Measures::new(data);
    if measures.is_complete() {
        return None;
    }
    let batches = data
        .batches
        .iter_enumerated()
        .map(|(batch, of)| (of.name.as_str(), measures.progress(None, Some(batch))));
    Some(gap_in_words(measures.seeds_run(None), measures.progress(None, None), batches))
}

/// `73 of 82 verdicts that the plan asks for are known (89 %): * 39 of 44, S1 34 of 38`.
fn gap_in_words<'n>(
    seeds: Known,
    all: Known,
    batches: impl Iterator<Item = (&'n str, Known)>,
) -> String {
    let mut words = String::new();
    if !seeds.is_complete() {
        let _ = write!(words, "{} of {} runs of seeds, and ", seeds.known, seeds.of);
    }
    // An unfinished campaign is never known to 100 %.
    let percent = (all.known * 100).checked_div(all.of).unwrap_or_default();
    let _ = write!(
        words,
        "{} of {} verdicts that the plan asks for are known ({percent} %)",
        all.known, all.of
    );
    let batches: Vec<String> = batches
        .map(|(name, Known { known, of })| format!("{} {known} of {of}", escaped(name)))
        .collect();
    if batches.len() > 1 {
        let _ = write!(words, ": {}", batches.join(", "));
    }
    words
}

/// The progress of a campaign. The first line says how much of the plan is known.
pub fn status(status: &Status) -> String {
    let name = escaped(&status.name);
    let mut text = if status.is_complete {
        format!("{name}: complete, {}\n", count(status.known.known, "verdict"))
    } else {
        let seeds = status.tools.iter().fold(Known::default(), |sum, tool| sum.and(tool.seeds));
        let batches = status.batches.iter().map(|(name, known)| (name.as_str(), *known));
        format!("{name}: not complete: {}\n", gap_in_words(seeds, status.known, batches))
    };
    for tool in &status.tools {
        tool_status(&mut text, status, tool);
    }
    if status.dropped > 0 {
        let mutants = count(status.dropped, "mutant");
        let _ = writeln!(text, "  {mutants} left out: they fail mugie's own check, a bug in mugie");
    }
    troubles(&mut text, "  ", "cannot be used", &status.unusable);
    text
}

fn tool_status(text: &mut String, status: &Status, tool: &ToolStatus) {
    let ToolStatus { name, title, seeds, verified, not_verified, unstable, mutants, .. } = tool;
    let _ = writeln!(text, "  {} ({})", escaped(name), escaped(title));
    let without = tool.troubles.len() - unstable - tool.not_expressible;
    let _ = write!(
        text,
        "    {} of {} run: {verified} verified, {not_verified} not verified, {without} without a \
         verdict",
        seeds.known,
        count(seeds.of, "seed")
    );
    if tool.not_expressible > 0 {
        let _ = write!(text, ", {} not expressible in its language", tool.not_expressible);
    }
    if *unstable > 0 {
        let _ = write!(text, ", {unstable} whose runs do not agree");
    }
    let _ = write!(
        text,
        "\n    {} of {} run, {} without a verdict",
        mutants.known,
        count(mutants.of, "mutant"),
        tool.mutants_with_trouble
    );
    if tool.flaky > 0 {
        let _ = write!(text, ", {}", count(tool.flaky, "flaky mutant"));
    }
    match status.failing {
        Failing::Skip if *not_verified > 0 => {
            text.push_str("; those of seeds that do not verify are skipped");
        }
        Failing::Only => text.push_str("; only those of seeds that do not verify are run"),
        Failing::Skip | Failing::Last => {}
    }
    let Share { part: brittle, whole: tested } = tool.brittle;
    let _ = writeln!(
        text,
        "\n    {brittle} of {} {} brittle: some mutant in any batch fails{}",
        count(tested, "tested seed"),
        if brittle == 1 || tested == 1 { "is" } else { "are" },
        if tested < *verified {
            format!("; {} verified but not tested", count(verified - tested, "seed"))
        } else {
            String::new()
        },
    );
    if let Some(words) = apart_in_words(&status.apart, tool.apart) {
        let _ = writeln!(text, "    {words}");
    }
    troubles(text, "    ", "does not verify", &tool.failures);
    troubles(text, "    ", "has no verdict", &tool.troubles);
}

/// What the operators do that are kept apart; `None` if nothing is known of them.
pub(crate) fn apart_in_words(names: &[String], Apart { seeds, mutants }: Apart) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| escaped(name)).collect();
    (mutants.whole > 0).then(|| {
        format!(
            "apart, as it changes how a solver works: {} of {} {} with {}, {} of {}",
            seeds.part,
            count(seeds.whole, "seed"),
            if seeds.part == 1 || seeds.whole == 1 { "fails" } else { "fail" },
            names.join(", "),
            mutants.part,
            count(mutants.whole, "mutant"),
        )
    })
}

/// The seeds with trouble, a line each.
fn troubles(text: &mut String, indent: &str, what: &str, troubles: &[(String, String)]) {
    for (name, reason) in troubles.iter().take(MAX_TROUBLES) {
        let _ = writeln!(text, "{indent}{} {what}: {}", escaped(name), escaped(reason));
    }
    if let Some(more) = troubles.len().checked_sub(MAX_TROUBLES).filter(|more| *more > 0) {
        let _ = writeln!(text, "{indent}and {more} more");
    }
}

/// The progress of a campaign, as a line of JSON.
pub fn status_json(status: &Status) -> String {
    let listed = |troubles: &[(String, String)]| -> Vec<Value> {
        let list = troubles.iter();
        list.map(|(seed, reason)| json!({ "seed": seed, "reason": reason })).collect()
    };
    let tools: Vec<Value> = status
        .tools
        .iter()
        .map(|tool| {
            let Apart { seeds, mutants } = tool.apart;
            json!({
                "tool": tool.name, "title": tool.title, "seeds": tool.seeds.known,
                "of_seeds": tool.seeds.of, "verified": tool.verified,
                "tested": tool.brittle.whole, "brittle": tool.brittle.part,
                "not_verified": tool.not_verified, "not_expressible": tool.not_expressible,
                "not_verified": tool.not_verified, "failures": listed(&tool.failures),
                "seeds_with_trouble": tool.troubles.len(),
                "unstable": tool.unstable, "troubles": listed(&tool.troubles),
                "mutants": tool.mutants.known, "of_mutants": tool.mutants.of,
                "mutants_with_trouble": tool.mutants_with_trouble, "flaky": tool.flaky,
                "apart": {
                    "tested": seeds.whole, "failing": seeds.part,
                    "mutants": mutants.whole, "failing_mutants": mutants.part,
                },
            })
        })
        .collect();
    let batches = status.batches.iter();
    let batches: Vec<Value> = batches
        .map(|(name, known)| json!({ "batch": name, "known": known.known, "of": known.of }))
        .collect();
    let mut json = json!({
        "name": status.name, "complete": status.is_complete, "known": status.known.known,
        "of": status.known.of, "batches": batches, "failing": status.failing.word(),
        "apart": status.apart, "tools": tools, "unusable": listed(&status.unusable),
    });
    if status.dropped > 0 {
        json["dropped"] = status.dropped.into();
    }
    escaped_json(&format!("{json}\n"))
}

/// The meaning of a plan.
pub fn plan(plan: &PlanOverview) -> String {
    let mut text = format!("{}\n", escaped(&plan.name));
    let groups: Vec<String> =
        plan.groups.iter().map(|(group, seeds)| format!("{}: {seeds}", escaped(group))).collect();
    let _ = writeln!(text, "  {} ({})", count(plan.seeds(), "seed"), groups.join(", "));
    troubles(&mut text, "  ", "cannot be used", &plan.unusable);
    let batches = match plan.batches {
        1 => "1 batch".to_owned(),
        number => format!("{number} batches"),
    };
    let mutants = count(plan.mutants_per_seed, "mutant");
    let _ = writeln!(text, "  {batches}, together {mutants} of each seed");
    for tool in &plan.tools {
        let _ = writeln!(text, "  tool {}: {}", escaped(&tool.name), escaped(&in_words(tool)));
    }
    let store = escaped(&plan.store);
    if plan.is_complete {
        let _ = writeln!(text, "complete: {store} has all {}", count(plan.runs, "run"));
        return text;
    }
    let runs = count(plan.runs, "run");
    let _ = writeln!(text, "at most {runs}, and repetitions of those that time out");
    if plan.known > 0 {
        let _ = writeln!(text, "{} of them are in {store} already", plan.known);
    }
    let source = match plan.seconds_per_run {
        Some(seconds) => format!("with {seconds:.1} s per run as measured so far"),
        None => "assuming 1 s per run, as nothing was run yet".to_owned(),
    };
    let time = duration(plan.hours() * 3600.0);
    let _ = writeln!(text, "about {time} with {} at a time, {source}", plan.jobs);
    text
}

/// A tool of a plan: `boogie (/opt/boogie) with z3, options /infer:j: Boogie 3.5.5 with Z3 4.8.12`.
fn in_words(tool: &PlannedTool) -> String {
    let PlannedTool { verifier, program, solver, options, title, .. } = tool;
    let mut words = verifier.clone();
    if let Some(program) = program {
        let _ = write!(words, " ({program})");
    }
    if let Some(solver) = solver {
        let _ = write!(words, " with {solver}");
    }
    if !options.is_empty() {
        let _ = write!(words, ", options {}", options.join(" "));
    }
    words + ": " + title
}

/// The meaning of a plan, as a line of JSON.
pub fn plan_json(plan: &PlanOverview) -> String {
    let json = json!({
        "name": plan.name, "store": plan.store, "groups": plan.groups, "seeds": plan.seeds(),
        "tools": plan.tools.len(), "mutants_per_seed": plan.mutants_per_seed, "runs": plan.runs,
        "known": plan.known, "complete": plan.is_complete, "seconds_per_run": plan.seconds_of_a_run(), "hours": plan.hours(),
    });
    escaped_json(&format!("{json}\n"))
}

/// A duration for people: `30 s`, `12 min`, `2.5 h`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use mugie_results::example;

    use super::*;

    #[test]
    fn status_says_how_far_each_tool_is() {
        let found = Status::new(&example::data());
        insta::assert_snapshot!(status(&found), @r"
        example: not complete: 11 of 12 runs of seeds, and 73 of 82 verdicts that the plan asks for are known (89 %): * 39 of 44, S1 20 of 22, L6 14 of 16
          old (Boogie 2.4.1 with Z3 4.8.7)
            6 of 6 seeds run: 4 verified, 1 not verified, 1 without a verdict
            37 of 37 mutants run, 1 without a verdict, 1 flaky mutant
            3 of 4 tested seeds are brittle: some mutant in any batch fails
            b2 does not verify: failed
            c1 has no verdict: crashed
          new (Boogie 2.4.1 with Z3 4.8.12)
            5 of 6 seeds run: 3 verified, 2 not verified, 0 without a verdict
            36 of 45 mutants run, 0 without a verdict
            3 of 3 tested seeds are brittle: some mutant in any batch fails
            a3 does not verify: failed
            b2 does not verify: timed out
        ");
        let json: Value = serde_json::from_str(&status_json(&found)).unwrap();
        assert_eq!(json["tools"][1]["of_mutants"], json!(45));
        assert_eq!(json["tools"][0]["failures"].as_array().unwrap().len(), 1);
        assert_eq!(json["batches"][1], json!({ "batch": "S1", "known": 20, "of": 22 }));
    }

    #[test]
    fn the_first_line_is_about_the_plan() {
        let data = example::data();
        assert_eq!(
            gap(&data).unwrap(),
            "11 of 12 runs of seeds, and 73 of 82 verdicts that the plan asks for are known (89 %): * \
             39 of 44, S1 20 of 22, L6 14 of 16"
        );
        let mut rest = data.clone();
        let number = rest.tools.len() - 1;
        rest.tools.truncate(number);
        rest.baselines.retain(|it| it.tool.index() < number);
        rest.verdicts.retain(|it| it.tool.index() < number);
        assert_eq!(gap(&rest), None);
        let text = status(&Status::new(&rest));
        assert!(text.starts_with("example: complete, 37 verdicts\n"), "{text}");
    }

    #[test]
    fn operators_that_are_kept_apart_have_a_line_of_their_own() {
        let found = Status::new(&Data { apart: 2, ..example::data() });
        let text = status(&found);
        assert!(text.contains("3 of 4 tested seeds are brittle"), "{text}");
        let line =
            "apart, as it changes how a solver works: 2 of 4 seeds fail with L6, 6 of 16 mutants";
        assert!(text.contains(line), "{text}");
        let json: Value = serde_json::from_str(&status_json(&found)).unwrap();
        assert_eq!(json["tools"][1]["brittle"], json!(1));
        assert_eq!(json["tools"][1]["apart"]["failing"], json!(3));
    }

    fn planned() -> PlanOverview {
        PlanOverview {
            name: "p".to_owned(),
            store: "p.sqlite".to_owned(),
            groups: [("A".to_owned(), 1)].into(),
            batches: 2,
            mutants_per_seed: 30,
            tools: vec![PlannedTool {
                name: "t".to_owned(),
                verifier: "boogie".to_owned(),
                program: None,
                solver: Some("z3".to_owned()),
                options: Vec::new(),
                title: "Boogie 2.4.1 with Z3 4.8.12".to_owned(),
                left: 33,
                seconds_per_run: None,
            }],
            runs: 33,
            known: 0,
            is_complete: false,
            unusable: Vec::new(),
            seconds_per_run: None,
            jobs: 2,
        }
    }

    #[test]
    fn a_plan_says_what_it_takes() {
        insta::assert_snapshot!(plan(&planned()), @r"
        p
          1 seed (A: 1)
          2 batches, together 30 mutants of each seed
          tool t: boogie with z3: Boogie 2.4.1 with Z3 4.8.12
        at most 33 runs, and repetitions of those that time out
        about 16 s with 2 at a time, assuming 1 s per run, as nothing was run yet
        ");
        let known = PlannedTool {
            program: Some("/opt/b".to_owned()),
            options: vec!["/infer:j".to_owned(), "/prune:1".to_owned()],
            title: "Boogie 3.5.5 with Z3 4.8.12".to_owned(),
            ..planned().tools[0].clone()
        };
        assert_eq!(
            in_words(&known),
            "boogie (/opt/b) with z3, options /infer:j /prune:1: Boogie 3.5.5 with Z3 4.8.12"
        );
        let under_way = PlanOverview { known: 3, seconds_per_run: Some(400.0), ..planned() };
        let all = PlanOverview { known: 33, is_complete: true, ..under_way.clone() };
        assert!(plan(&all).ends_with("\ncomplete: p.sqlite has all 33 runs\n"), "{}", plan(&all));
        let text = plan(&under_way);
        assert!(text.contains("\n3 of them are in p.sqlite already\nabout 1.8 h with"), "{text}");
        let json: Value = serde_json::from_str(&plan_json(&under_way)).unwrap();
        assert_eq!(
            (&json["seeds"], &json["tools"], &json["known"]),
            (&json!(1), &json!(1), &json!(3))
        );
    }

    #[test]
    fn long_times_have_large_units() {
        assert_eq!([30.0, 700.0, 9000.0].map(duration), ["30 s", "12 min", "2.5 h"]);
    }
}
