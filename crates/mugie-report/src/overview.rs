//! A campaign in brief, for people and for programs: its progress, and the meaning of its plan.

use std::fmt::Write as _;

use mugie_core::escaped_json;
use mugie_results::overview::{PlanOverview, PlannedTool, Status, ToolStatus};
use serde_json::{Value, json};

use crate::words::{count, escaped};

/// The progress of a campaign.
pub fn status(status: &Status) -> String {
    let mut text = format!("{}\n", escaped(&status.name));
    for tool in &status.tools {
        let ToolStatus { name, title, seeds, of_seeds, verified, brittle, .. } = tool;
        let ToolStatus { not_verified, seeds_with_trouble, mutants, of_mutants, .. } = tool;
        let _ = writeln!(text, "  {} ({})", escaped(name), escaped(title));
        let _ = writeln!(
            text,
            "    {seeds} of {of_seeds} seeds run: {verified} verified, {brittle} of them brittle so \
             far, {not_verified} not verified, {seeds_with_trouble} without a verdict"
        );
        let _ = writeln!(
            text,
            "    {mutants} of {of_mutants} generated mutants run, {} without a verdict",
            tool.mutants_with_trouble
        );
    }
    if status.dropped > 0 {
        let mutants = count(status.dropped, "mutant");
        let _ = writeln!(text, "  {mutants} left out: they fail mugie's own check, a bug in mugie");
    }
    text
}

/// The progress of a campaign, as a line of JSON.
pub fn status_json(status: &Status) -> String {
    let tools: Vec<Value> = status
        .tools
        .iter()
        .map(|tool| {
            json!({
                "tool": tool.name, "title": tool.title, "seeds": tool.seeds,
                "of_seeds": tool.of_seeds, "verified": tool.verified, "brittle": tool.brittle,
                "not_verified": tool.not_verified, "seeds_with_trouble": tool.seeds_with_trouble,
                "mutants": tool.mutants, "of_mutants": tool.of_mutants,
                "mutants_with_trouble": tool.mutants_with_trouble,
            })
        })
        .collect();
    let mut json = json!({ "name": status.name, "tools": tools });
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
    let batches = match plan.batches {
        1 => "1 batch".to_owned(),
        number => format!("{number} batches"),
    };
    let mutants = count(plan.mutants_per_seed, "mutant");
    let _ = writeln!(text, "  {batches}, together {mutants} of each seed");
    for tool in &plan.tools {
        let _ = writeln!(text, "  tool {}: {}", escaped(&tool.name), escaped(&in_words(tool)));
    }
    let _ = writeln!(
        text,
        "at most {}, and repetitions of those that time out",
        count(plan.runs, "run")
    );
    if plan.known > 0 {
        let _ = writeln!(text, "{} of them are in {} already", plan.known, escaped(&plan.store));
    }
    let source = match plan.seconds_per_run {
        Some(seconds) => format!("with {seconds:.1} s per run as measured so far"),
        None => "assuming 1 s per run, as nothing was run yet".to_owned(),
    };
    let time = duration(plan.hours() * 3600.0);
    let _ = writeln!(text, "about {time} with {} at a time, {source}", plan.jobs);
    text
}

/// A tool of a plan: `boogie (/opt/boogie) with z3, options /infer:j; it was Boogie 3.5.5 with Z3
/// 4.8.12`.
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
    if let Some(title) = title {
        let _ = write!(words, "; when it was run, it was {title}");
    }
    words
}

/// The meaning of a plan, as a line of JSON.
pub fn plan_json(plan: &PlanOverview) -> String {
    let json = json!({
        "name": plan.name, "store": plan.store, "groups": plan.groups, "seeds": plan.seeds(),
        "tools": plan.tools.len(), "mutants_per_seed": plan.mutants_per_seed, "runs": plan.runs,
        "known": plan.known, "seconds_per_run": plan.seconds_of_a_run(), "hours": plan.hours(),
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
        example
          old (Boogie 2.4.1 with Z3 4.8.7)
            6 of 6 seeds run: 4 verified, 3 of them brittle so far, 1 not verified, 1 without a verdict
            37 of 37 generated mutants run, 1 without a verdict
          new (Boogie 2.4.1 with Z3 4.8.12)
            5 of 6 seeds run: 3 verified, 3 of them brittle so far, 2 not verified, 0 without a verdict
            36 of 37 generated mutants run, 0 without a verdict
        ");
        let json: Value = serde_json::from_str(&status_json(&found)).unwrap();
        assert_eq!(json["tools"][1]["of_mutants"], json!(37));
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
                title: None,
            }],
            runs: 33,
            known: 0,
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
          tool t: boogie with z3
        at most 33 runs, and repetitions of those that time out
        about 16 s with 2 at a time, assuming 1 s per run, as nothing was run yet
        ");
        let known = PlannedTool {
            program: Some("/opt/b".to_owned()),
            options: vec!["/infer:j".to_owned(), "/prune:1".to_owned()],
            title: Some("Boogie 3.5.5 with Z3 4.8.12".to_owned()),
            ..planned().tools[0].clone()
        };
        assert_eq!(
            in_words(&known),
            "boogie (/opt/b) with z3, options /infer:j /prune:1; when it was run, it was Boogie \
             3.5.5 with Z3 4.8.12"
        );
        let under_way = PlanOverview { known: 3, seconds_per_run: Some(400.0), ..planned() };
        let text = plan(&under_way);
        assert!(text.contains("\n3 of them are in p.sqlite already\nabout 1.7 h with"), "{text}");
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
