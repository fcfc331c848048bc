//! Mutants that fail mugie's own check do not end a run: an operator of the toy language is wrong on
//! purpose in some places.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Twelve sums: a note on `crooked` does not read back, and a note cannot be added to `stuck`.
fn sums(names: [&str; 2]) -> String {
    let other = "abcdefghij".chars().map(|name| name.to_string());
    let names = other.chain(names.map(str::to_owned));
    let lines = names.enumerate().map(|(at, name)| format!("{name}: {at} + 1 = {}", at + 1));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sums.toy"), sums(["crooked", "stuck"])).unwrap();
    // A note is wrong on either line.
    fs::write(folder.path().join("worst.toy"), "crooked: 1 + 1 = 2\nstuck: 1 + 1 = 2\n").unwrap();
    folder
}

fn mugie(folder: &TempDir, words: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("toy-verify");
    Command::new(env!("CARGO_BIN_EXE_mugie-toy"))
        .args(words)
        .current_dir(folder.path())
        .env("MUGIE_CACHE", folder.path().join("cache"))
        .env("MUGIE_TOY", &script)
        .output()
        .unwrap()
}

/// Runs mugie, which must end with this code. Returns standard output and standard error.
#[track_caller]
fn run(folder: &TempDir, words: &[&str], code: i32) -> (String, String) {
    let output = mugie(folder, words);
    let [data, talk] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert_eq!(output.status.code(), Some(code), "{words:?}\n{talk}\n{data}");
    (data, talk)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Asserts that a value conforms to a schema in the book.
#[track_caller]
fn assert_valid(name: &str, value: &Value) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(format!("book/src/schemas/{name}.schema.json"));
    let schema = json(&fs::read_to_string(path).unwrap());
    if let Err(error) = jsonschema::draft202012::validate(&schema, value) {
        panic!("{name}: {error}\n{value:#}");
    }
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|it| it["number"].as_u64().unwrap()).collect()
}

/// Weights of the operators with which a few per cent of the mutants are wrong.
const FEW: &str = "swap-summands=20,swap-lines=20,add-note=4";

#[test]
fn a_test_goes_on_without_mutants_that_are_wrong() {
    let folder = folder();
    let words = ["test", "sums.toy", "-n", "80", "--seed", "2", "--operators", FEW, "--json"];
    let (data, talk) = run(&folder, &[&words[..], &["-j", "1"]].concat(), 0);
    let report = json(&data);
    assert_valid("result", &report);
    let seed = &report["seeds"][0];
    assert_eq!(seed["answer"], "robust");
    let dropped = seed["counts"]["dropped"].as_u64().unwrap();
    assert!(dropped == 2, "{}", seed["counts"]);
    assert_eq!(seed["counts"]["judged"].as_u64().unwrap() + dropped, 80);
    assert_eq!(seed["dropped"].as_array().unwrap().len() as u64, dropped);
    for it in seed["dropped"].as_array().unwrap() {
        assert_eq!(it["operator"], "add-note");
        let last = it["edits"].as_array().unwrap().last().unwrap();
        assert_eq!(last["operator"], "add-note");
        // No further mutant is made from a wrong one: only the last edit of a mutant is wrong.
        let before = &it["edits"].as_array().unwrap()[..it["edits"].as_array().unwrap().len() - 1];
        assert!(before.iter().all(|edit| edit["words"] != "add a note to line `crooked`"), "{it}");
    }
    let reasons: Vec<&str> = seed["dropped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["reason"].as_str().unwrap())
        .collect();
    assert!(
        reasons.iter().any(|reason| reason.contains("a line does not read back")),
        "{reasons:?}"
    );
    assert!(reasons.iter().any(|reason| reason.contains("does not apply there")), "{reasons:?}");
    assert!(
        talk.contains("left out: this is a bug in mugie") && talk.contains("please report it"),
        "{talk}"
    );
    // Neither the number of threads nor the cache makes a difference.
    for jobs in ["2", "5"] {
        let again = run(&folder, &[&words[..], &["-j", jobs, "--no-cache"]].concat(), 0).0;
        assert_eq!(again, data, "{jobs}");
    }
}

#[test]
fn too_many_wrong_mutants_are_no_answer() {
    let folder = folder();
    let words = ["test", "worst.toy", "-n", "30", "--operators", "paper,add-note"];
    let (text, _) = run(&folder, &words, 2);
    assert!(text.contains("worst.toy could not be tested: "), "{text}");
    assert!(text.contains("mutants were left out, because they fail mugie's own check"), "{text}");
    for format in ["junit", "sarif", "github", "json"] {
        let (text, _) = run(&folder, &[&words[..], &["--format", format]].concat(), 2);
        assert!(text.contains("left out"), "{format}: {text}");
    }
    // Even with flips there is no answer: too few mutants were tested to blame the verifier.
    let brittle = "early: 1 + 1 = 2\nlate: 1 + 1 = 2\ncrooked: 1 + 1 = 2\nstuck: 1 + 1 = 2\n";
    fs::write(folder.path().join("worst.toy"), brittle).unwrap();
    let words = ["test", "worst.toy", "--exhaustive", "--operators", "paper,add-note"];
    let (data, _) = run(&folder, &[&words[..], &["--json"]].concat(), 2);
    let seed = &json(&data)["seeds"][0];
    assert!(seed["counts"]["flips"].as_u64().unwrap() > 0, "{}", seed["counts"]);
    assert_eq!(seed["answer"], "could-not-run");
    for format in ["text", "junit", "sarif", "github"] {
        let (text, _) = run(&folder, &[&words[..], &["--format", format]].concat(), 2);
        assert!(!text.contains("brittle-proof\"\n") && !text.contains("Brittle proof: "), "{text}");
        assert!(!text.contains("<failure"), "{text}");
        assert!(!text.contains("To reproduce"), "{text}");
    }
}

#[test]
fn every_format_tells_what_was_left_out() {
    let folder = folder();
    let words = ["test", "sums.toy", "-n", "80", "--seed", "2", "--operators", FEW, "--format"];
    for (format, expected) in [
        ("text", "  left out     "),
        ("junit", "<testcase name=\"(mutants left out)\" classname=\"sums.toy\">\n      <skipped"),
        ("sarif", "\"ruleId\": \"mutants-left-out\""),
        ("github", "::warning file=sums.toy,title=Mutants left out%3A sums.toy::"),
    ] {
        let (text, _) = run(&folder, &[&words[..], &[format]].concat(), 0);
        assert!(text.contains(expected), "{format}: {text}");
        assert!(!text.contains("<error") && !text.contains("<failure"), "{text}");
    }
}

#[test]
fn mutate_writes_the_others_under_their_numbers() {
    let folder = folder();
    let words = ["test", "sums.toy", "-n", "80", "--seed", "2", "--operators", FEW, "--json"];
    let dropped = numbers(&json(&run(&folder, &words, 0).0)["seeds"][0]["dropped"]);
    let words = ["mutate", "sums.toy", "-n", "80", "--seed", "2", "--operators", FEW];
    let (_, talk) = run(&folder, &[&words[..], &["--out", "one", "-j", "1"]].concat(), 0);
    assert!(talk.contains("left out: this is a bug in mugie"), "{talk}");
    run(&folder, &[&words[..], &["--out", "four", "-j", "4"]].concat(), 0);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("one/mutants.jsonl"), read("four/mutants.jsonl"));
    for number in 1..=80 {
        let is_there = folder.path().join(format!("one/sums-{number:04}.toy")).exists();
        assert_eq!(is_there, !dropped.contains(&number), "{number}");
    }
    assert_eq!(read("one/mutants.jsonl").lines().count(), 80 - dropped.len());
    let replay = ["mutate", "sums.toy", "--replay", "one/mutants.jsonl", "--out", "again"];
    run(&folder, &replay, 0);
    assert_eq!(read("one/mutants.jsonl"), read("again/mutants.jsonl"));
    // With too many wrong mutants mugie fails, but still writes the others.
    let worst = ["mutate", "worst.toy", "-n", "30", "--operators", "paper,add-note"];
    let (data, _) = run(&folder, &worst, 2);
    assert_eq!(data, "worst.mutants\n");
    assert!(read("worst.mutants/mutants.jsonl").lines().count() > 0);
}

#[test]
fn a_wrong_mutant_is_kept_as_a_bug_report() {
    let folder = folder();
    let common = ["-n", "80", "--seed", "2", "--operators", FEW, "--keep-defects"];
    run(&folder, &[&["test", "sums.toy"], &common[..], &["tested"]].concat(), 0);
    run(&folder, &[&["mutate", "sums.toy"], &common[..], &["made"]].concat(), 0);
    let names = |of: &str| {
        let entries = fs::read_dir(folder.path().join(of)).unwrap();
        let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("tested"), names("made"));
    let mut unmade = 0;
    for name in names("made") {
        let text = fs::read_to_string(folder.path().join("made").join(&name)).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("tested").join(&name)).unwrap(), text);
        let report = json(&text);
        assert_valid("defect", &report);
        assert_eq!(report["language"], "toy");
        assert_eq!(report["mugie"], env!("CARGO_PKG_VERSION"));
        assert_eq!(report["seed"]["files"][0]["text"], sums(["crooked", "stuck"]));
        assert_eq!(report["mutant"]["operator"], "add-note");
        match report["mutant"]["files"][0]["text"].as_str() {
            Some(text) => assert!(text.contains(" noted\n"), "{report}"),
            None => unmade += 1,
        }
    }
    assert!(unmade > 0 && unmade < names("made").len());
}

#[test]
fn a_campaign_goes_on_without_mutants_that_are_wrong() {
    let folder = folder();
    let plan = format!(
        "name = 'toys'\nrandom_seed = 2\n[seeds]\npaths = ['sums.toy']\ngroup = 'none'\n\
         [[batch]]\nname = 'few'\noperators = '{FEW}'\nmutants = 80\n\
         [[tool]]\nname = 'toy'\nverifier = 'toy'\n"
    );
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let words = ["test", "sums.toy", "-n", "80", "--seed", "2", "--operators", FEW, "--json"];
    let seed = json(&run(&folder, &words, 0).0)["seeds"][0].take();
    let dropped = seed["counts"]["dropped"].as_u64().unwrap();
    let words = ["campaign", "run", "plan.toml", "--no-fail", "--keep-defects", "kept"];
    let (_, talk) = run(&folder, &words, 0);
    assert!(talk.contains(&format!("{} verdicts in the store", 80 - dropped)), "{talk}");
    assert!(talk.contains(&format!("{dropped} mutants fail mugie's own check")), "{talk}");
    let kept = fs::read_dir(folder.path().join("kept")).unwrap().count();
    assert_eq!(kept as u64, dropped);
    let (status, _) = run(&folder, &["campaign", "status", "plan.toml", "--json"], 0);
    let status = json(&status);
    assert_valid("status", &status);
    assert_eq!(status["dropped"], dropped);
    let tool = &status["tools"][0];
    assert_eq!((&tool["mutants"], &tool["of_mutants"]), (&(80 - dropped).into(), &tool["mutants"]));
    assert_eq!(tool["mutants_with_trouble"], 0);
    run(&folder, &["campaign", "report", "plan.toml"], 0);
    let page = fs::read_to_string(folder.path().join("plan.html")).unwrap();
    assert!(page.contains(&format!("{dropped} mutants left out, because")), "overview");
    // A second run finds nothing new, and reports the wrong mutants again.
    let (_, talk) = run(&folder, &["campaign", "run", "plan.toml", "--no-fail"], 0);
    let (known, dropped) = ("0 of them new", "left out: this is a bug in mugie");
    assert!(talk.contains(known) && talk.contains(dropped), "{talk}");
    // With too many wrong mutants, the campaign fails.
    let text = fs::read_to_string(folder.path().join("plan.toml")).unwrap();
    let text = text.replace("sums.toy", "worst.toy").replace(FEW, "paper,add-note");
    fs::write(folder.path().join("worst.toml"), text).unwrap();
    run(&folder, &["campaign", "run", "worst.toml", "--no-fail"], 2);
}

#[test]
fn a_wrong_mutant_cannot_be_minimised() {
    let folder = folder();
    let words = ["test", "sums.toy", "-n", "80", "--seed", "2", "--operators", FEW, "--json"];
    let dropped = numbers(&json(&run(&folder, &words, 0).0)["seeds"][0]["dropped"]);
    let number = dropped[0].to_string();
    let words = ["minimise", "sums.toy", "--mutant", &number, "--seed", "2", "--operators", FEW];
    let (_, talk) = run(&folder, &words, 2);
    assert!(talk.contains(&format!("mutant {number} is ill-formed and was left out")), "{talk}");
}
