//! `mugie campaign`: with the real Boogie, and with scripts in place of verifiers.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Sandbox, processes, root, script, wait_until};
use crate::test::{BRITTLE, ROBUST};

/// Runs that confirm the first failing mutant of a seed: four of it, and four of the seed.
const CONFIRMING: usize = 8;

const HEAD: &str = "name = 'trial'\n[seeds]\npaths = ['seeds']\n";

/// A plan with these batches (name and number of mutants) and tables of tools.
fn plan(batches: &[(&str, usize)], tools: &str) -> String {
    let batch = |(name, mutants): &(&str, usize)| {
        let operators = if *name == "*" { "operators = 'paper'\n" } else { "" };
        format!("[[batch]]\nname = '{name}'\n{operators}mutants = {mutants}\n")
    };
    let batches: Vec<String> = batches.iter().map(batch).collect();
    format!("{HEAD}{}{tools}", batches.concat())
}

/// A tool that is a script in the sandbox.
fn scripted(name: &str) -> String {
    format!("[[tool]]\nname = '{name}'\nverifier = 'command'\nprogram = './{name}'\n")
}

const BOOGIE: &str = "[[tool]]\nname = 'boogie'\n";

/// A verifier that logs each run and fails if the clauses of `p` were swapped.
const PRETENDER: &str = "
echo run >> \"$HERE/runs\"
sleep 0.02
small=$(cat \"$@\" | grep -n 'x > 0' | head -1 | cut -d: -f1)
great=$(cat \"$@\" | grep -n 'x < 9' | head -1 | cut -d: -f1)
if [ \"$small\" -gt \"$great\" ]; then echo 'it finished with 0 verified, 1 error'; exit 1; fi
echo 'it finished with 1 verified, 0 errors'";

fn sandbox(plan: &str) -> Sandbox {
    let sandbox = Sandbox::new(&[("plan.toml", plan)]);
    for (folder, text) in [("A_one", ROBUST), ("B_two", BRITTLE)] {
        let folder = sandbox.path("seeds").join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("seed.bpl"), text).unwrap();
    }
    sandbox
}

/// A sandbox with only the first seed and a [`PRETENDER`] for each tool.
fn pretended(batches: &[(&str, usize)], tools: &[&str]) -> Sandbox {
    let tables: String = tools.iter().map(|tool| scripted(tool)).collect();
    let sandbox = sandbox(&plan(batches, &tables));
    fs::remove_dir_all(sandbox.path("seeds/B_two")).unwrap();
    for tool in tools {
        let here = sandbox.path("").display().to_string();
        script(&sandbox, tool, &PRETENDER.replace("$HERE", &here));
    }
    sandbox
}

fn campaign(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run(&[&["campaign"], args].concat())
}

fn runs(sandbox: &Sandbox) -> usize {
    fs::read_to_string(sandbox.path("runs")).unwrap_or_default().lines().count()
}

/// All tables of a campaign, which together contain all its results.
fn tables(sandbox: &Sandbox) -> String {
    let run = campaign(sandbox, &["table", "plan.toml", "all", "--format", "json"]);
    assert_eq!(run.code, 0, "{run:?}");
    run.stdout
}

#[test]
fn a_campaign_goes_from_a_plan_to_a_report() {
    let sandbox = sandbox(&plan(&[("*", 3), ("L5", 2)], BOOGIE));
    let run = campaign(&sandbox, &["plan", "plan.toml"]);
    assert!(run.stdout.contains("2 seeds (A: 1, B: 1)"), "{run:?}");
    assert!(run.stdout.contains("at most 16 runs"), "{run:?}");
    let run = campaign(&sandbox, &["run", "plan.toml", "--no-fail"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "plan.sqlite\n"), "{run:?}");
    // Each seed has only two clauses to swap.
    assert!(run.stderr.contains("in the store, 8 of them new"), "{run:?}");

    let status = campaign(&sandbox, &["status", "plan.toml", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    let tool = &status["tools"][0];
    assert_eq!((&tool["verified"], &tool["brittle"]), (&2.into(), &1.into()), "{status}");
    let table = campaign(&sandbox, &["table", "plan.sqlite", "fail", "--format", "csv"]);
    let rows: Vec<&str> = table.stdout.lines().collect();
    assert!(rows[1].starts_with("A,boogie,1,0,"), "{rows:?}");
    assert!(rows[2].starts_with("B,boogie,1,1,"), "{rows:?}");
    let all: Value = serde_json::from_str(&tables(&sandbox)).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 10);
    for format in ["text", "markdown", "csv", "json", "latex"] {
        let run = campaign(&sandbox, &["table", "plan.toml", "all", "--format", format]);
        assert_eq!(run.code, 0, "{run:?}");
    }

    let run = campaign(&sandbox, &["report", "plan.toml"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "plan.html\n"), "{run:?}");
    assert_eq!(run.stderr, "");
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    for words in [
        "<h4>Failing mutants</h4>",
        "B_two/seed-L5-0001",
        "requires i &lt;= j",
        "seeds/B_two/seed.bpl:10:3",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // The commands on the page name the files of the seeds.
    let commands: Vec<String> = page
        .lines()
        .filter_map(|line| line.split("<code>mugie mutate ").nth(1)?.split('<').next())
        .map(|rest| format!("mugie mutate {rest}"))
        .collect();
    assert!(commands.iter().any(|it| it.contains("seeds/B_two/seed.bpl")), "{commands:?}");

    // A second run finds every verdict in the store.
    let run = campaign(&sandbox, &["run", "plan.toml", "--no-fail"]);
    assert!(run.stderr.contains("in the store, 0 of them new"), "{run:?}");
    let run = campaign(&sandbox, &["plan", "plan.toml", "--json"]);
    let plan: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&plan["runs"], &plan["known"]), (&14.into(), &14.into()));
    assert_eq!(plan["complete"], true);
}

/// A plan with a seed that sleeps, one that does not, and a tool that logs which of them it runs.
fn sleepy(failing: &str, mutants: usize) -> Sandbox {
    let head = format!("failing = '{failing}'\nlimits = {{ seconds = 1, confirm = 0 }}\n");
    let sandbox = sandbox(&(head + &plan(&[("*", mutants)], &scripted("tool"))));
    for (folder, name) in [("A_one", "slow"), ("B_two", "fast")] {
        let text = ROBUST.replace("procedure p", &format!("procedure {name}"));
        assert_ne!(text, ROBUST);
        fs::write(sandbox.path("seeds").join(folder).join("seed.bpl"), text).unwrap();
    }
    let body = "
which=fast; if cat \"$@\" | grep -q 'procedure slow'; then which=slow; fi
echo $which >> \"$HERE/runs\"
if [ $which = slow ]; then exec sleep 60; fi
echo 'it finished with 1 verified, 0 errors'";
    script(&sandbox, "tool", &body.replace("$HERE", &sandbox.path("").display().to_string()));
    sandbox
}

fn log(sandbox: &Sandbox) -> Vec<String> {
    let text = fs::read_to_string(sandbox.path("runs")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn status(sandbox: &Sandbox) -> Value {
    let run = campaign(sandbox, &["status", "plan.toml", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn a_seed_that_always_times_out_does_not_hold_up_the_others() {
    let sandbox = sleepy("last", 7);
    let run = campaign(&sandbox, &["run", "plan.toml", "-j", "1"]);
    assert_eq!(run.code, 3, "{run:?}");
    let log = log(&sandbox);
    // One run of the slow seed; the fast one and its first mutants; the rest of the slow seed; the rest of
    // the mutants of the fast one; and only then the mutants of the slow one.
    let expected = [("slow", 1), ("fast", 3 + 5), ("slow", 2), ("fast", 2), ("slow", 7)];
    let expected: Vec<&str> =
        expected.iter().flat_map(|(name, times)| std::iter::repeat_n(*name, *times)).collect();
    assert_eq!(log, expected);
    let status = status(&sandbox);
    assert_eq!((&status["complete"], &status["of"]), (&true.into(), &14.into()), "{status}");
    assert!(
        run.stderr.contains("plan.toml") || run.stderr.contains("complete, 14 verdicts"),
        "{run:?}"
    );
}

#[test]
fn mutants_of_failing_seeds_are_skipped_or_alone_as_the_plan_says() {
    for (failing, slow, fast) in [("skip", 3, 3 + 2), ("only", 3 + 2, 3)] {
        let sandbox = sleepy(failing, 2);
        let run = campaign(&sandbox, &["run", "plan.toml", "-j", "2"]);
        assert_eq!(run.code, 3, "{run:?}");
        let log = log(&sandbox);
        let count = |name: &str| log.iter().filter(|it| *it == name).count();
        assert_eq!((count("slow"), count("fast")), (slow, fast), "{failing}: {log:?}");
        let status = status(&sandbox);
        assert_eq!((&status["complete"], &status["of"]), (&true.into(), &2.into()), "{status}");
    }
    // What was run is kept, but not counted if the plan no longer asks for it.
    let sandbox = sleepy("last", 2);
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(status(&sandbox)["of"], 4);
    let plan = fs::read_to_string(sandbox.path("plan.toml")).unwrap();
    fs::write(sandbox.path("plan.toml"), plan.replace("'last'", "'skip'")).unwrap();
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(status(&sandbox)["of"], 2);
}

#[test]
fn moved_seeds_are_those_in_the_store() {
    let sandbox = pretended(&[("*", 4)], &["tool"]);
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    let before = runs(&sandbox);
    let counts = |sandbox: &Sandbox| {
        let status = status(sandbox);
        let tool = &status["tools"][0];
        (tool["of_seeds"].as_u64().unwrap(), status["known"].as_u64().unwrap())
    };
    assert_eq!(counts(&sandbox), (1, 4));
    fs::rename(sandbox.path("seeds"), sandbox.path("elsewhere")).unwrap();
    let text = fs::read_to_string(sandbox.path("plan.toml")).unwrap();
    let moved = text.replace("paths = ['seeds']", "paths = ['elsewhere']");
    fs::write(sandbox.path("plan.toml"), &moved).unwrap();
    let plan = campaign(&sandbox, &["plan", "plan.toml"]);
    assert!(plan.stdout.contains("complete: plan.sqlite has all 7 runs"), "{plan:?}");
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!((runs(&sandbox), counts(&sandbox)), (before, (1, 4)));
    assert_eq!(campaign(&sandbox, &["report", "plan.toml"]).stderr, "");

    // Another seed in its place: what is known of the first one is kept and not counted.
    let other = moved.replace("'elsewhere'", "'other'");
    fs::create_dir_all(sandbox.path("other")).unwrap();
    fs::write(sandbox.path("other/b.bpl"), ROBUST.replace("procedure p", "procedure other"))
        .unwrap();
    fs::write(sandbox.path("plan.toml"), other).unwrap();
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!((runs(&sandbox), counts(&sandbox)), (2 * before, (1, 4)));
    fs::write(sandbox.path("plan.toml"), &moved).unwrap();
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!((runs(&sandbox), counts(&sandbox)), (2 * before, (1, 4)));
}

#[test]
fn an_unfinished_campaign_says_how_much_of_its_plan_is_known() {
    let sandbox = pretended(&[("*", 300), ("G1", 200)], &["tool"]);
    let mut command = sandbox.command();
    command.args(["campaign", "run", "plan.toml", "-j", "2"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("some runs are done", || runs(&sandbox) >= 20);
    child.kill().unwrap();
    child.wait().unwrap();
    let text = campaign(&sandbox, &["status", "plan.toml"]).stdout;
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("trial: not complete: "), "{text}");
    assert!(first.contains(" of 500 verdicts that the plan asks for are known"), "{text}");
    assert!(first.contains("* ") && first.contains(" of 300, G1 "), "{text}");
    let table = campaign(&sandbox, &["table", "plan.toml", "fail"]).stdout;
    assert!(table.contains("The campaign is not complete: "), "{table}");
    assert_eq!(campaign(&sandbox, &["report", "plan.toml"]).code, 0);
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    let line = page.split("</h1>").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(line.contains("The campaign is not complete: "), "{line}");
}

#[test]
fn numbers_never_exceed_their_totals() {
    let sandbox = pretended(&[("*", 9), ("G1", 2)], &["one", "two"]);
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(status(&sandbox)["known"], 22);
    // A smaller plan with the same store.
    fs::write(sandbox.path("plan.toml"), plan(&[("*", 3)], &scripted("two"))).unwrap();
    let run = campaign(&sandbox, &["run", "plan.toml", "--no-fail"]);
    assert!(run.stderr.starts_with("3 verdicts in the store, 0 of them new; "), "{run:?}");
    let status = status(&sandbox);
    assert_eq!((&status["known"], &status["of"]), (&3.into(), &3.into()), "{status}");
    assert_eq!(status["tools"].as_array().unwrap().len(), 1, "{status}");
}

#[test]
fn a_campaign_ends_with_the_exit_code_of_its_worst_seed() {
    let sandbox = pretended(&[("L5", 1)], &["tool"]);
    let code = |args: &[&str]| {
        let run = campaign(&sandbox, &[&["run", "plan.toml"], args].concat());
        (run.code, run.stderr)
    };
    // The pretender fails if the clauses are swapped.
    assert_eq!(code(&[]).0, 1);
    assert_eq!(code(&["--no-fail"]).0, 0);
    let only = |operator: &str| {
        fs::write(sandbox.path("plan.toml"), plan(&[(operator, 2)], &scripted("tool"))).unwrap();
    };
    only("rename-local");
    let robust = code(&[]);
    // Without mutants, there is no answer.
    let none = status(&sandbox)["of"] == 0;
    assert_eq!(robust.0, if none { 2 } else { 0 }, "{robust:?}");
    fs::write(sandbox.path("seeds/A_one/broken.bpl"), "procedure {").unwrap();
    assert_eq!(code(&[]).0, 2);
    let unusable = status(&sandbox);
    assert_eq!(unusable["unusable"][0]["seed"], "broken", "{unusable}");
}

/// A verifier that fails without the trigger.
const TRIGGERED: &str = "procedure p() { assert f(1) > 0; }
function f(x: int): int;
axiom (forall x: int :: { f(x) } f(x) > 0);
axiom (forall x: int :: { f(x) } f(x) > -1);
";

#[test]
fn operators_that_are_kept_apart_are_no_finding_of_a_campaign() {
    let sandbox = pretended(&[("G2", 2), ("S1", 2)], &["tool"]);
    fs::write(sandbox.path("seeds/A_one/seed.bpl"), TRIGGERED).unwrap();
    let body = "
if [ $(cat \"$@\" | grep -c '{ *f(x) *}') -lt 2 ]; then
  echo 'it finished with 0 verified, 1 error'; exit 1
fi
echo 'it finished with 1 verified, 0 errors'";
    script(&sandbox, "tool", body);
    let run = campaign(&sandbox, &["run", "plan.toml"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("0 of 1 tested seed is brittle"), "{run:?}");
    assert!(run.stderr.contains("1 of 1 seed fails with G2, 2 of 2 mutants"), "{run:?}");
    assert!(run.stderr.contains("0 mutants have a different verdict"), "{run:?}");
    let status = status(&sandbox);
    assert_eq!(status["tools"][0]["brittle"], 0, "{status}");
    assert_eq!(status["tools"][0]["apart"]["failing"], 1, "{status}");
    assert_eq!(campaign(&sandbox, &["report", "plan.toml"]).code, 0);
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    assert!(page.contains("not brittle: none of its 2 mutants fails. Kept apart"), "{page}");
}

#[test]
fn a_plan_is_checked_as_it_is_run() {
    let good = plan(&[("*", 3)], BOOGIE);
    for (text, words) in [
        (format!("{good}solver = './missing/z3'"), "tool `boogie`: "),
        (format!("{good}verifier = 'none'"), "tool `boogie`: "),
    ] {
        let sandbox = sandbox(&text);
        let run = campaign(&sandbox, &["plan", "plan.toml", "--trust"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(words), "{words}: {run:?}");
    }
    let sandbox = self::sandbox(&good.replace("paths = ['seeds']", "paths = ['none']"));
    let run = campaign(&sandbox, &["plan", "plan.toml"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.contains("  none cannot be used: there is no such file"), "{run:?}");
    assert!(!run.stdout.contains("complete"), "{run:?}");
    let sandbox = self::sandbox(&good);
    fs::write(sandbox.path("seeds/A_one/broken.bpl"), "procedure {").unwrap();
    let run = campaign(&sandbox, &["plan", "plan.toml"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.contains("  broken cannot be used: "), "{run:?}");
    assert!(run.stdout.contains("boogie: Boogie "), "{run:?}");
    assert!(!sandbox.path("plan.sqlite").exists(), "nothing is written");
    // The other commands need a plan that exists as well.
    for args in [&["run"][..], &["plan"], &["status"], &["report"], &["table"]] {
        for file in ["none.toml", "none.sqlite"] {
            let run = campaign(&sandbox, &[args, &[file]].concat());
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?} {file}: {run:?}");
            assert!(run.stderr.contains(file), "{run:?}");
        }
    }
}

#[test]
fn a_failing_mutant_is_made_small_and_diagnosed_by_its_name() {
    let tools = format!("[limits]\nseconds = 5\n{BOOGIE}");
    let plan = plan(&[("S1", 3), ("more", 3)], &tools);
    let sandbox = sandbox(&plan.replace("name = 'more'", "name = 'more'\noperators = 'S1'"));
    fs::remove_dir_all(sandbox.path("seeds/A_one")).unwrap();
    let example = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    fs::write(sandbox.path("seeds/B_two/seed.bpl"), example).unwrap();
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(campaign(&sandbox, &["report", "plan.toml"]).code, 0);
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    let command = page.split("<code>mugie minimise ").nth(1).unwrap().split('<').next().unwrap();
    let name = command.strip_suffix(" --campaign plan.toml").unwrap();
    assert!(name.starts_with("seed-S1-") || name.starts_with("seed-more-"), "{name}");

    let run = sandbox.run(&["minimise", name, "--campaign", "plan.toml", "--budget", "12"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("axiom #1 about `above`"), "{run:?}");
    let record = fs::read_to_string(sandbox.path(&format!("{name}.min/minimal.json"))).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["minimal"]["confirmed"], true);
    // The store can be given in place of the plan.
    let less = ["--random-seeds", "0", "--json"];
    let run = sandbox.run(&[&["diagnose", name, "--campaign", "plan.sqlite"], &less[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["diagnosis"]["layer"], "axiom-order", "{answer}");

    let short = format!("seed-{}", name.rsplit('-').next().unwrap());
    let cases: [(&[&str], &str); 6] = [
        (&[&short, "--campaign", "plan.toml"], "it matches 2 failures"),
        (&["seed-S1-9999", "--campaign", "plan.toml"], "no mutant `seed-S1-9999`"),
        (&["seed-S1-9999", "--campaign", "plan.toml"], name),
        (&[name, "--campaign", "plan.toml", "--tool", "other"], "no tool `other`"),
        (&[name, "--campaign", "none.toml"], "none.toml"),
        (&[name, "--campaign", "plan.toml", "--solver", "/no/solver"], "/no/solver"),
    ];
    for verb in ["minimise", "diagnose"] {
        for (args, words) in cases {
            let run = sandbox.run(&[&[verb], args].concat());
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{verb} {args:?}: {run:?}");
            assert!(run.stderr.contains(words), "{verb} {args:?}: {run:?}");
        }
    }
    // The seed was moved.
    fs::rename(sandbox.path("seeds/B_two/seed.bpl"), sandbox.path("moved.bpl")).unwrap();
    let minimise = ["minimise", name, "--campaign", "plan.toml", "--no-program", "--out", "moved"];
    let run = sandbox.run(&minimise);
    assert!(run.code == 2 && run.stderr.contains("--from SEED"), "{run:?}");
    let run = sandbox.run(&[&minimise[..], &["--from", "moved.bpl"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn a_mutant_that_fails_with_several_tools_needs_one() {
    let sandbox = pretended(&[("L5", 2)], &["one", "two"]);
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    let minimise = ["minimise", "seed-L5-0001", "--campaign", "plan.toml", "--no-program"];
    let run = sandbox.run(&minimise);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("with --tool one, seed-L5-0001"), "{run:?}");
    let run = sandbox.run(&[&minimise[..], &["--tool", "two"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("seed-L5-0001 fails because of one change"), "{run:?}");
}

#[test]
fn a_seed_that_changed_or_is_gone_is_noticed() {
    let sandbox = pretended(&[("L5", 2)], &["tool"]);
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    fs::write(sandbox.path("seeds/A_one/seed.bpl"), BRITTLE).unwrap();
    let run = campaign(&sandbox, &["run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("the seed `seed` is not the one"), "{run:?}");
    let run = campaign(&sandbox, &["report", "plan.toml"]);
    assert!(
        run.code == 0 && run.stderr.contains("a seed has changed since the campaign ran"),
        "{run:?}"
    );
    fs::remove_dir_all(sandbox.path("seeds/A_one")).unwrap();
    assert_eq!(campaign(&sandbox, &["report", "plan.sqlite"]).code, 0);
}

#[test]
fn what_is_added_later_runs_alone_and_sees_the_same_mutants() {
    let sandbox = pretended(&[("*", 8), ("L5", 4)], &["one", "two"]);
    let both = fs::read_to_string(sandbox.path("plan.toml")).unwrap();
    let mutants = plan(&[("*", 8)], &scripted("one"));
    fs::write(sandbox.path("plan.toml"), &mutants).unwrap();
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(runs(&sandbox), 3 + 8 + CONFIRMING);
    // Another batch: it asks for 4 mutants by L5, but only one exists.
    fs::write(sandbox.path("plan.toml"), plan(&[("*", 8), ("L5", 4)], &scripted("one"))).unwrap();
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(runs(&sandbox), 3 + 8 + CONFIRMING + 1);
    // Another tool: the seed, 8 mutants of the first batch, and one of the second.
    fs::write(sandbox.path("plan.toml"), &both).unwrap();
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(runs(&sandbox), 2 * (3 + 8 + CONFIRMING + 1));
    let table = campaign(&sandbox, &["table", "plan.toml", "tools", "--format", "csv"]).stdout;
    let all: Vec<&str> = table.lines().last().unwrap().split(',').collect();
    assert_eq!(all[..5], ["all", "one", "two", "1", "9"], "{table}");
    // More mutants in a batch.
    fs::write(sandbox.path("plan.toml"), both.replace("mutants = 8", "mutants = 11")).unwrap();
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(runs(&sandbox), 2 * (3 + 11 + CONFIRMING + 1));
}

#[test]
fn a_campaign_that_is_killed_again_and_again_ends_as_if_it_had_not_been() {
    const JOBS: usize = 2;
    let batches = [("*", 30), ("S1", 20), ("L6", 20), ("G1", 20)];
    let whole = pretended(&batches, &["tool"]);
    assert_eq!(campaign(&whole, &["run", "plan.toml", "--no-fail", "-j", "2"]).code, 0);

    let killed = pretended(&batches, &["tool"]);
    for kill in 0..5 {
        let mut command = killed.command();
        command.args(["campaign", "run", "plan.toml", "--no-fail", "-j", "2"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let before = runs(&killed);
        wait_until("some runs are done", || runs(&killed) >= before + 5 + kill);
        thread::sleep(Duration::from_millis(7 * kill as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        let marker = killed.path("").display().to_string();
        wait_until("no run is left", || processes(&marker).is_empty());
    }
    assert_eq!(campaign(&killed, &["run", "plan.toml", "--no-fail", "-j", "1"]).code, 0);
    assert_eq!(tables(&killed), tables(&whole));
    let (more, least) = (runs(&killed), runs(&whole));
    // A flip that was being confirmed is confirmed again.
    let lost = 5 * (JOBS + CONFIRMING);
    assert!(more >= least && more - least <= lost, "{more} runs instead of {least}");
}

#[test]
fn until_failure_ends_a_batch_at_its_first_failing_mutant() {
    let batches = [("L5", 1), ("*", 40)];
    let [one, two] = [1, 4].map(|jobs| {
        let sandbox = pretended(&batches, &["tool"]);
        let jobs = jobs.to_string();
        let run =
            campaign(&sandbox, &["run", "plan.toml", "--no-fail", "--until-failure", "-j", &jobs]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(runs(&sandbox) < 3 + 41, "{}", runs(&sandbox));
        tables(&sandbox)
    });
    assert_eq!(one, two);
    assert!(one.contains("Batches end at the first mutant"), "{one}");
}

#[test]
fn a_campaign_runs_once_at_a_time() {
    let sandbox = pretended(&[("*", 200)], &["tool"]);
    let mut command = sandbox.command();
    command.args(["campaign", "run", "plan.toml", "--no-fail"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("a run is done", || runs(&sandbox) > 0);
    let run = campaign(&sandbox, &["run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("another mugie is running this campaign"), "{run:?}");
    // Commands that only read are not locked out.
    assert_eq!(campaign(&sandbox, &["status", "plan.toml"]).code, 0);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn trouble_with_a_tool_is_tried_again_on_demand() {
    let sandbox = pretended(&[("G1", 3)], &["tool"]);
    let good = fs::read_to_string(sandbox.path("tool")).unwrap();
    let body = good.trim_start_matches("#!/bin/sh\n");
    script(&sandbox, "tool", &format!("case \"$*\" in *-0*) kill -9 $$;; esac\n{body}"));
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert!(tables(&sandbox).contains("no verdict on 3 mutants"));
    let before = runs(&sandbox);
    assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(runs(&sandbox), before);
    // A changed program counts as another tool.
    script(&sandbox, "tool", body);
    let run = campaign(&sandbox, &["run", "plan.toml", "--no-fail", "--retry"]);
    assert!(run.code == 2 && run.stderr.contains("the tool `tool` is not the one"), "{run:?}");
}

#[test]
fn what_makes_no_sense_is_said_with_a_remedy() {
    let good = plan(&[("*", 3)], BOOGIE);
    let cases = [
        (good.replace("paths = ['seeds']", "paths = ['none']"), "none"),
        (good.replace("'paper'", "'S9'"), "batch `*`: "),
        (good.replace("[seeds]", "[seedz]"), "plan.toml:2: unknown field `seedz`"),
        (good.replace(BOOGIE, ""), "there are no tools"),
        (format!("{good}solver = './missing/z3'"), "tool `boogie`: "),
        (format!("{good}verifier = 'none'"), "tool `boogie`: "),
    ];
    for (text, words) in cases {
        let sandbox = sandbox(&text);
        let run = campaign(&sandbox, &["run", "plan.toml", "--no-fail"]);
        assert_eq!(run.code, 2, "{text}{run:?}");
        assert!(run.stderr.contains(words), "{words}: {run:?}");
    }
    let sandbox = sandbox(&good);
    for args in [&["table", "plan.toml", "fail"][..], &["status", "plan.toml"]] {
        let run = campaign(&sandbox, args);
        assert!(run.code == 2 && run.stderr.contains("there is no such store"), "{run:?}");
    }
    fs::write(sandbox.path("plan.sqlite"), "no database".repeat(1000)).unwrap();
    let run = campaign(&sandbox, &["status", "plan.toml"]);
    assert!(run.code == 2 && run.stderr.contains("is not the store of a campaign"), "{run:?}");
    let run = campaign(&sandbox, &["table", "plan.toml", "none"]);
    assert!(run.code == 2 && run.stderr.contains("there is no table `none`"), "{run:?}");
}

#[test]
fn a_seed_that_cannot_be_read_does_not_stop_the_others() {
    let sandbox = pretended(&[("L5", 1)], &["tool"]);
    fs::write(sandbox.path("seeds/A_one/broken.bpl"), "procedure {").unwrap();
    let run = campaign(&sandbox, &["run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("seeds/A_one/broken.bpl: it is not a well-formed"), "{run:?}");
    assert!(
        run.stderr.contains("1 verdict in the store") && run.stderr.contains("1 seed left out")
    );
}

#[test]
fn plans_to_start_from_are_plans() {
    let sandbox = sandbox(HEAD);
    for (file, args, batches) in [("own.toml", &[][..], 40), ("paper.toml", &["--paper"][..], 650)]
    {
        let run = campaign(&sandbox, &[&["init", file], args].concat());
        assert_eq!(run.code, 0, "{run:?}");
        let run = campaign(&sandbox, &["plan", file, "--json"]);
        let plan: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(plan["mutants_per_seed"], batches, "{run:?}");
        assert_eq!(campaign(&sandbox, &["init", file]).code, 2);
    }
}

/// Changes the bytes of a store that no process has open.
fn damage(sandbox: &Sandbox, from: &str, to: &str) {
    assert_eq!(from.len(), to.len(), "everything stays in its place");
    assert!(!sandbox.path("plan.sqlite-wal").exists(), "all is in the file itself");
    let mut bytes = fs::read(sandbox.path("plan.sqlite")).unwrap();
    let mut places = 0;
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
            places += 1;
        }
    }
    assert!(places > 0, "{from}");
    fs::write(sandbox.path("plan.sqlite"), bytes).unwrap();
}

#[test]
fn a_damaged_store_is_told_by_every_command() {
    for (what, from, to, commands) in [
        ("an outcome", "failed", "faired", &["status", "table", "report", "run"][..]),
        ("the operators", "[\"L5\"]", "{\"L5\"]", &["status", "table", "report"]),
        ("the options", "{\"dialect\":", "[\"dialect\":", &["status", "table", "report"]),
    ] {
        let sandbox = pretended(&[("L5", 2)], &["tool"]);
        assert_eq!(campaign(&sandbox, &["run", "plan.toml", "--no-fail"]).code, 0);
        assert_eq!(campaign(&sandbox, &["status", "plan.toml"]).code, 0);
        damage(&sandbox, from, to);
        for command in commands {
            let all = ["all"];
            let more = if *command == "table" { &all[..] } else { &[] };
            let run = campaign(&sandbox, &[&[command, "plan.toml"], more].concat());
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{what}, {command}: {run:?}");
            assert!(run.stderr.contains("the store is damaged"), "{what}, {command}: {run:?}");
        }
        for verb in ["minimise", "diagnose", "query"] {
            let run = sandbox.run(&[verb, "seed-L5-0001", "--campaign", "plan.toml"]);
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{what}, {verb}: {run:?}");
            assert!(run.stderr.contains("the store is damaged"), "{what}, {verb}: {run:?}");
        }
    }
}
