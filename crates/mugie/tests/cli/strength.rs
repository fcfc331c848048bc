//! `--strength`: edits at one place, at some, or at all.

use std::fs;

use serde_json::Value;

use crate::support::{Sandbox, has, json, root, shell};

fn brittle() -> Sandbox {
    let example = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    Sandbox::new(&[("seed.bpl", example)])
}

fn read(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(sandbox.path(name)).unwrap()
}

/// What a search left in the folder `small`.
fn minimal(sandbox: &Sandbox) -> Value {
    let record: Value = serde_json::from_str(&read(sandbox, "small/minimal.json")).unwrap();
    record["minimal"].clone()
}

/// The mutants that `mugie mutate` makes with some arguments, as rows of their list.
fn mutants(sandbox: &Sandbox, words: &[&str]) -> Vec<Value> {
    let start = ["mutate", "seed.bpl", "--force", "--json", "-n", "30"];
    let run = sandbox.run(&[&start[..], words].concat());
    assert_eq!(run.code, 0, "{run:?}");
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_strong_mutant_is_one_edit_of_the_seed_and_replays() {
    let sandbox = brittle();
    for strength in ["some", "all", "mixed"] {
        let rows = mutants(&sandbox, &["--operators", "all", "--strength", strength]);
        let edits: Vec<&Value> = rows.iter().map(|row| &row["edits"]).collect();
        // Every other mutant of `mixed` is made as the paper does.
        let own = edits.iter().skip(1).step_by(if strength == "mixed" { 2 } else { 1 });
        for edits in own {
            assert_eq!(edits.as_array().unwrap().len(), 1, "{strength}: {edits}");
        }
        let strong = edits.iter().filter(|edits| edits[0]["strength"] != Value::Null).count();
        assert!(strong >= 5, "{strength}: {edits:?}");
        let replay = ["mutate", "seed.bpl", "--replay", "seed.mutants/mutants.jsonl"];
        let run = sandbox.run(&[&replay[..], &["--out", strength]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        let files = rows.iter().flat_map(|row| row["files"].as_array().unwrap());
        for file in files.map(|file| file.as_str().unwrap()) {
            let again = read(&sandbox, &format!("{strength}/{file}"));
            assert_eq!(again, read(&sandbox, &format!("seed.mutants/{file}")));
        }
    }
}

#[test]
fn strength_one_is_what_the_paper_does() {
    let sandbox = brittle();
    let paper = mutants(&sandbox, &[]);
    assert_eq!(mutants(&sandbox, &["--strength", "one", "--operators", "paper"]), paper);
    let several = paper.iter().filter(|row| row["edits"].as_array().unwrap().len() > 1).count();
    assert!(several > 10, "mutants are made of mutants: {several}");
    let run = sandbox.run(&["mutate", "seed.bpl", "--strength", "strong"]);
    assert!(run.code == 2 && run.stderr.contains("one, some, all or mixed"), "{run:?}");
}

#[test]
fn a_small_seed_has_as_many_mutants_as_asked_for() {
    let sandbox = Sandbox::new(&[("seed.bpl", "const a: int; procedure p() { assert true; }")]);
    let rows = mutants(&sandbox, &["--operators", "paper", "--strength", "all"]);
    assert_eq!(rows.len(), 30);
    // The seed has few of its own.
    assert!(rows[29]["edits"].as_array().unwrap().len() > 1, "{}", rows[29]);
}

#[test]
fn a_shuffle_comes_down_to_the_two_axioms() {
    if !has("boogie") {
        return;
    }
    let sandbox = brittle();
    let shuffle = ["--operators", "S1", "--strength", "all"];
    let test = ["test", "seed.bpl", "--until-failure", "--budget", "0", "--json"];
    let report = json(&sandbox.run(&[&test[..], &shuffle].concat()));
    let witness = &report["seeds"][0]["witness"];
    assert_eq!(witness["reduced"], Value::Null, "{witness}");
    let flip = &report["seeds"][0]["flips"][0];
    assert_eq!(flip["edits"][0]["words"], "shuffle all 5 declarations");
    let number = flip["number"].to_string();
    let minimise = ["minimise", "seed.bpl", "--mutant", &number, "--out", "small"];
    let run = sandbox.run(&[&minimise[..], &shuffle].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("axiom #2 about `row` before axiom #1 about `above`"), "{run:?}");
    let minimal = minimal(&sandbox);
    let edits = &minimal["edits"];
    assert_eq!(edits.as_array().unwrap().len(), 1);
    assert!(edits[0]["place"]["swap"].is_array(), "{edits}");
}

#[test]
fn what_is_left_of_a_shuffle_is_shown_and_can_be_reproduced() {
    if !has("boogie") {
        return;
    }
    let sandbox = brittle();
    let test = ["test", "seed.bpl", "--until-failure", "--no-cache"];
    let test = [&test[..], &["--operators", "S1", "--strength", "all"]].concat();
    let run = sandbox.run(&[&test[..], &["--json", "-j", "1"]].concat());
    let other = sandbox.run(&[&test[..], &["--json", "-j", "7"]].concat());
    assert_eq!(run.stdout, other.stdout);
    let witness = &json(&run)["seeds"][0]["witness"];
    let reduced = &witness["reduced"];
    assert_eq!(reduced["ending"], "done", "{witness}");
    assert_eq!(reduced["cause"], "axiom #2 about `row` before axiom #1 about `above`");
    let commands = |of: &Value| -> String {
        let commands = of["reproduce"].as_array().unwrap().iter();
        let said = commands.map(|it| shell(&sandbox, it.as_str().unwrap()));
        said.collect::<Vec<String>>().pop().unwrap()
    };
    // The mutant itself stays what it was.
    for of in [reduced, witness] {
        assert!(commands(of).contains("finished with 0 verified, 1 error"), "{of}");
    }
    let shown = sandbox.run(&test).stdout;
    for fact in [
        "\nThe smallest change that makes it fail, left of seed-0001\n",
        "\n  1. S1: swap axiom #1 with axiom #2\n",
        "\n  mutant seed-0001: shuffle all 5 declarations; reduced in ",
        "\n  mugie mutate seed.bpl --force --edits '[{\"operator\":\"S1\",\"place\":{\"swap\":",
    ] {
        assert!(shown.contains(fact), "{fact:?}: {shown}");
    }
    let few = sandbox.run(&[&test[..], &["--budget", "6"]].concat()).stdout;
    assert!(few.contains("not reduced") || few.contains("--budget allows more"), "{few}");
}

#[test]
fn what_makes_no_difference_is_drawn_less_with_any_number_of_threads() {
    if !has("boogie") {
        return;
    }
    let sandbox = brittle();
    let test = |more: &[&str]| {
        let test = ["test", "seed.bpl", "-n", "48", "--json", "--budget", "0"];
        let operators = ["--operators", "S1,G1=3", "--strength", "mixed"];
        sandbox.run(&[&test[..], &operators, more].concat())
    };
    let (one, seven) = (test(&["--no-cache", "-j", "1"]), test(&["-j", "7"]));
    assert_eq!(one.stdout, seven.stdout);
    let seed = &json(&one)["seeds"][0];
    let problems = &seed["problems"];
    assert!(problems["left_out"].as_u64().is_some_and(|it| it > 0), "{problems}");
    let strata = seed["strata"].as_array().unwrap();
    for it in problems["inert"].as_array().unwrap() {
        let same = |of: &&Value| of["operator"] == it["operator"] && of["as_seed"] == of["mutants"];
        assert!(strata.iter().any(|of| same(&of)), "{it}: {strata:?}");
    }
    let fixed = &json(&test(&["--fixed"]))["seeds"][0];
    assert_eq!(fixed["problems"]["left_out"], Value::Null, "{fixed}");
    let usual = sandbox.run(&["test", "seed.bpl", "-n", "2", "--until-failure", "--json"]);
    let settings = &json(&usual)["settings"];
    assert_eq!(settings["operators"], "all,reorder-bound=3");
    assert_eq!(settings["strength"], "mixed");
}

#[test]
fn a_failing_mutant_of_the_search_tree_comes_down_to_one_edit() {
    let folder = root().join("../shared/seeds/paper/A_bst");
    let Ok(source) = fs::read_to_string(folder.join("bst.bpl")) else {
        eprintln!("SKIPPED: there is no {}", folder.display());
        return;
    };
    if !has("boogie") {
        return;
    }
    let sandbox = Sandbox::new(&[("seed.bpl", source)]);
    let joined = ["--operators", "L4", "--strength", "all"];
    let test = ["test", "seed.bpl", "--until-failure", "--budget", "0", "--json"];
    let report = json(&sandbox.run(&[&test[..], &joined].concat()));
    let number = report["seeds"][0]["flips"][0]["number"].to_string();
    let minimise = ["minimise", "seed.bpl", "--mutant", &number, "--no-program", "--out", "small"];
    let run = sandbox.run(&[&minimise[..], &joined].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let minimal = minimal(&sandbox);
    assert_eq!(minimal["edits"].as_array().unwrap().len(), 1, "{minimal}");
    assert_eq!(minimal["symptom"]["procedure"], "put_bst", "{minimal}");
}

#[test]
fn a_campaign_has_batches_of_a_strength() {
    if !has("boogie") {
        return;
    }
    let sandbox = brittle();
    let plan = |strength: &str| {
        format!(
            "name = 'c'\n[seeds]\npaths = ['seed.bpl']\n[[batch]]\nname = 'strong'\n\
             operators = 'S1'\nstrength = '{strength}'\nmutants = 4\n[[tool]]\nname = 'boogie'\n"
        )
    };
    fs::write(sandbox.path("plan.toml"), plan("all")).unwrap();
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 0, "{run:?}");
    let test = ["test", "seed.bpl", "-n", "4", "--operators", "S1", "--strength", "all", "--json"];
    let tested = json(&sandbox.run(&[&test[..], &["--budget", "0"]].concat()));
    let flips = tested["seeds"][0]["counts"]["flips"].as_u64();
    let status = json(&sandbox.run(&["campaign", "status", "plan.toml", "--json"]));
    assert_eq!(status["tools"][0]["brittle"].as_u64(), Some(u64::from(flips > Some(0))));
    // Mutants of another strength are others.
    fs::write(sandbox.path("plan.toml"), plan("some")).unwrap();
    let run = sandbox.run(&["campaign", "run", "plan.toml"]);
    assert!(run.code == 2 && run.stderr.contains("strong"), "{run:?}");
    fs::write(sandbox.path("plan.toml"), plan("strong")).unwrap();
    let run = sandbox.run(&["campaign", "run", "plan.toml"]);
    assert!(
        run.code == 2 && run.stderr.contains("plan.toml:7: unknown variant `strong`"),
        "{run:?}"
    );
}
