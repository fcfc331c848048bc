//! A new language, front door, level and translator work in all of mugie, without any code in mugie
//! that knows of them.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const SEED: &str = "# two sums that need an order, and two that do not\n\
                    early: 1 + 2 = 3\nlate: 3 + 4 = 7\nother: 5 + 6 = 11\nlast: 7 + 8 = 15\n";

/// A folder with the seed in it.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sums.toy"), SEED).unwrap();
    folder
}

/// Runs mugie with the toy language in a folder.
fn mugie(folder: &TempDir, words: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("toy-verify");
    Command::new(env!("CARGO_BIN_EXE_mugie-toy"))
        .args(words)
        .current_dir(folder.path())
        .env("MUGIE_CACHE", folder.path().join("cache"))
        .env("MUGIE_TOY", &script)
        .env("MUGIE_TOY_TABLE", &script)
        .output()
        .unwrap()
}

/// Runs mugie, which must end with this code. Returns its standard output.
#[track_caller]
fn prints(folder: &TempDir, words: &[&str], code: i32) -> String {
    let output = mugie(folder, words);
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    let data = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words:?}\n{talk}\n{data}");
    data
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The options for a test of all orders of the four lines.
const ALL: [&str; 8] =
    ["--verifier", "toy", "--operators", "swap-lines", "--exhaustive", "-n", "100", "--json"];

#[test]
fn the_language_is_small() {
    let source = include_str!("../src/language.rs");
    assert!(source.lines().count() < 300, "{}", source.lines().count());
}

#[test]
fn programs_are_checked_printed_and_mutated() {
    let folder = folder();
    assert_eq!(prints(&folder, &["check", "sums.toy"], 0), "sums.toy: accepted (Toy)\n");
    let printed = prints(&folder, &["print", "sums.toy"], 0);
    assert_eq!(printed.lines().count(), 4);
    fs::write(folder.path().join("bad.toy"), "x: 1 plus 2\n").unwrap();
    let output = mugie(&folder, &["check", "bad.toy"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("this is not a sum"));
    let places = prints(&folder, &["mutate", "sums.toy", "--list"], 0);
    assert!(places.contains("swap-lines") && places.contains(" 6\n"), "{places}");
    prints(&folder, &["mutate", "sums.toy", "-n", "20"], 0);
    let mutant = fs::read_to_string(folder.path().join("sums.mutants/sums-0001.toy")).unwrap();
    assert!(mutant.starts_with("# mutant sums-0001 of sums.toy"), "{mutant}");
    let again = ["mutate", "sums.toy", "--replay", "sums.mutants/mutants.jsonl", "--out", "again"];
    prints(&folder, &again, 0);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("again/sums-0007.toy"), read("sums.mutants/sums-0007.toy"));
}

#[test]
fn tests_find_what_is_brittle_and_minimise_finds_why() {
    let folder = folder();
    let words = [&["test", "sums.toy", "--out", "found"], &ALL[..]].concat();
    let report = json(&prints(&folder, &words, 1));
    let seed = &report["seeds"][0];
    // Half of the orders have `late` before `early`.
    assert_eq!(seed["answer"], "brittle");
    assert_eq!((&seed["counts"]["judged"], &seed["counts"]["flips"]), (&23.into(), &12.into()));
    assert_eq!(seed["by_procedure"][0]["procedure"], "late");
    assert_eq!(seed["rule"]["first"], "line `late`");
    let text = prints(&folder, &["test", "sums.toy", "--verifier", "toy"], 1);
    assert!(text.contains("sums.toy is BRITTLE"), "{text}");

    let failing = seed["flips"].as_array().unwrap();
    let long = failing.iter().max_by_key(|flip| flip["edits"].as_array().unwrap().len()).unwrap();
    let file = format!("found/sums/{}", long["files"][0].as_str().unwrap());
    // The verifier defaults to the one that the mutant was found with.
    let minimal = prints(&folder, &["minimise", &file, "--out", "small"], 0);
    assert!(minimal.contains("fails because of one change"), "{minimal}");
    assert!(minimal.contains("line `late` before line `early`"), "{minimal}");
    assert!(minimal.contains("sum `late` failed"), "{minimal}");
    let diagnosis = prints(&folder, &["diagnose", "small", "--random-seeds", "0"], 0);
    assert!(diagnosis.contains("Toy 1.0"), "{diagnosis}");
}

#[test]
fn campaigns_have_tables_and_reports() {
    let folder = folder();
    fs::write(folder.path().join("right.toy"), "a: 1 + 1 = 2\nb: 2 + 2 = 4\n").unwrap();
    let plan = "name = 'toys'\n[seeds]\npaths = ['sums.toy', 'right.toy']\ngroup = 'none'\n\
                [[batch]]\nname = 'mix'\noperators = 'paper'\nmutants = 10\n\
                [[tool]]\nname = 'toy'\nverifier = 'toy'\n\
                [[tool]]\nname = 'table'\nverifier = 'toy-table'\n";
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    prints(&folder, &["campaign", "run", "plan.toml", "--no-fail"], 0);
    let status = json(&prints(&folder, &["campaign", "status", "plan.toml", "--json"], 0));
    for tool in 0..2 {
        assert_eq!(status["tools"][tool]["verified"], 2, "{status}");
        assert_eq!(status["tools"][tool]["brittle"], 1, "{status}");
    }
    let table = prints(&folder, &["campaign", "table", "plan.toml", "operators"], 0);
    assert!(table.contains("swap-lines"), "{table}");
    prints(&folder, &["campaign", "report", "plan.toml"], 0);
    let page = fs::read_to_string(folder.path().join("plan.html")).unwrap();
    assert!(page.contains("mugie mutate") && page.contains("sums.toy --force"), "reproduce");
    assert!(page.contains("swap line `"), "edits");
}

#[test]
fn a_front_door_leads_to_seeds_and_back() {
    let folder = folder();
    let dictated = "early is 1 and 2, that is 3\nlate is 3 and 4, that is 7\n";
    fs::write(folder.path().join("sums.dictated"), dictated).unwrap();
    let words = [&["test", "sums.dictated"], &ALL[..]].concat();
    let report = json(&prints(&folder, &words, 1));
    let seed = &report["seeds"][0];
    assert_eq!(seed["name"], "sums.dictated");
    assert_eq!(seed["by_procedure"][0]["procedure"], "LATE");
    // The report shows that the verifier runs with the arguments of the front door.
    let command = report["verifier"]["command"].as_array().unwrap();
    assert!(command.contains(&"--dictated".into()), "{report}");
    prints(&folder, &["mutate", "sums.dictated", "-n", "2", "--out", "made"], 0);
    fs::write(folder.path().join("sums.dictated"), "nobody is 1 and 2, that is 3\n").unwrap();
    let report = json(&prints(&folder, &words, 2));
    let reason = report["seeds"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("not verified as its own tool does it"), "{reason}");
}

#[test]
fn a_level_yields_seeds_of_its_own() {
    let folder = folder();
    let words = ["test", "sums.toy", "--level", "single", "--verifier", "toy", "--json"];
    let report = json(&prints(&folder, &words, 0));
    let seeds = report["seeds"].as_array().unwrap();
    assert_eq!(seeds.len(), 4);
    assert_eq!(seeds[1]["name"], "sums.toy:late");
    assert_eq!(seeds[1]["baseline"]["procedures"][0]["procedure"], "late");
    assert!(seeds.iter().all(|seed| seed["answer"] == "robust"), "{report}");
}

#[test]
fn a_translator_serves_another_verifier() {
    let folder = folder();
    let mut words = [&["test", "sums.toy"], &ALL[..]].concat();
    words[3] = "toy-table";
    let report = json(&prints(&folder, &words, 1));
    assert_eq!(report["seeds"][0]["counts"]["flips"], 12);
    // A program that cannot be translated is not a failure of the other language's verifier.
    fs::write(folder.path().join("sums.toy"), "unspeakable: 1 + 1 = 2\n").unwrap();
    let report = json(&prints(&folder, &words, 2));
    assert_eq!(report["seeds"][0]["answer"], "not-expressible");
    // There is no translation from Boogie.
    fs::write(folder.path().join("a.bpl"), "procedure p() { assert true; }\n").unwrap();
    words[1] = "a.bpl";
    words[5] = "S1";
    let report = json(&prints(&folder, &words, 2));
    assert_eq!(report["seeds"][0]["answer"], "not-expressible");
}

#[test]
fn a_language_that_no_file_name_tells_can_be_said() {
    let folder = folder();
    let text = fs::read(folder.path().join("sums.toy")).unwrap();
    fs::write(folder.path().join("sums"), text).unwrap();
    let words = [&["test", "sums", "--language", "toy"], &ALL[2..]].concat();
    let report = json(&prints(&folder, &words, 1));
    let command = report["seeds"][0]["witness"]["reproduce"][0].as_str().unwrap();
    assert!(command.contains("--language toy"), "{command}");
    let mut words: Vec<&str> = command.split(' ').skip(1).collect();
    words.extend(["--out", "made"]);
    prints(&folder, &words, 0);
    // Without `--language`, the file is read in the first language.
    let checked = prints(&folder, &["check", "sums"], 2);
    assert!(checked.contains("Boogie"), "{checked}");
    assert_eq!(
        prints(&folder, &["check", "sums", "--language", "toy"], 0),
        "sums: accepted (Toy)\n"
    );
}

#[test]
fn the_usual_verifier_is_that_of_the_language() {
    let folder = folder();
    let report = json(&prints(&folder, &["test", "sums.toy", "--json"], 1));
    assert_eq!(report["verifier"]["name"], "toy");
    let wrong = prints(
        &folder,
        &["test", "sums.toy", "--verifier", "command", "--program", "/bin/true"],
        2,
    );
    assert!(wrong.contains("reads programs of boogie, and this is one of toy"), "{wrong}");
}

#[test]
fn a_distant_swap_leads_to_the_order_that_matters() {
    let folder = folder();
    let words = [&["test", "sums.toy", "--out", "found"], &ALL[..]].concat();
    let report = json(&prints(&folder, &words, 1));
    // The only edit swaps the first line with the last, which has nothing to do with the failure.
    let flips = report["seeds"][0]["flips"].as_array().unwrap();
    let far =
        flips.iter().find(|flip| flip["edits"][0]["words"] == "swap line `early` with line `last`");
    let file = format!("found/sums/{}", far.unwrap()["files"][0].as_str().unwrap());
    let minimal = prints(&folder, &["minimise", &file, "--out", "small"], 0);
    assert!(minimal.contains("line `late` before line `early`"), "{minimal}");
}

#[test]
fn words_are_those_of_the_language() {
    let folder = folder();
    let text = prints(&folder, &["test", "sums.toy"], 1);
    assert!(text.contains("4 sums verified") && text.contains("sum late"), "{text}");
    assert!(!text.contains("procedure"), "{text}");
    let operators = prints(&folder, &["operators"], 0);
    assert!(operators.contains("\nToy:\n    swap-lines"), "{operators}");
    let views = mugie(&folder, &["debug", "tree", "sums.toy"]);
    assert!(String::from_utf8_lossy(&views.stderr).contains("nothing to choose from"));
}

/// Whether Why3 and Z3 are installed. Says so if they are not.
#[expect(clippy::print_stderr, reason = "a test says why it skips")]
fn has_why3() -> bool {
    let runs = |name: &str| Command::new(name).arg("--version").output().is_ok();
    let both = runs("why3") && runs("z3");
    if !both {
        eprintln!("SKIPPED: Why3 or Z3 is not installed: scripts/install-tools why3 z3");
    }
    both
}

#[test]
fn why3_answers_for_every_goal_of_a_translation() {
    if !has_why3() {
        return;
    }
    let folder = folder();
    let words = ["test", "sums.toy", "--verifier", "why3", "--json", "-n", "10", "--no-cache"];
    let report = json(&prints(&folder, &words, 0));
    let seed = &report["seeds"][0];
    assert_eq!((&seed["answer"], &seed["counts"]["judged"]), (&"robust".into(), &10.into()));
    // Orders of lines are the same to Why3, which reads goals in the order of their names.
    assert_eq!(seed["texts"]["mutants"], 10);
    assert!(seed["texts"]["as_seed"].as_u64().unwrap() >= 1, "{seed}");
    let goals = seed["baseline"]["procedures"].as_array().unwrap();
    let names: Vec<_> = goals.iter().map(|goal| goal["procedure"].as_str().unwrap()).collect();
    assert_eq!(names, ["early", "last", "late", "other"]);

    // A wrong sum fails, at its place.
    fs::write(folder.path().join("sums.toy"), "early: 1 + 2 = 3\nlate: 3 + 4 = 8\n").unwrap();
    let report = json(&prints(&folder, &words, 3));
    let failure = &report["seeds"][0]["baseline"]["procedures"][1]["failures"][0];
    assert_eq!(failure["mutant_place"], "sums.toy:2:1");
    assert_eq!(failure["message"], "Unknown (sat)");

    // What Why3 does not accept is mugie's fault, and no verdict on the program.
    fs::write(folder.path().join("sums.toy"), "garbled: 1 + 2 = 3\n").unwrap();
    let report = json(&prints(&folder, &words, 2));
    let reason = report["seeds"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("which is a defect of mugie: resolution error"), "{reason}");
    fs::write(folder.path().join("sums.toy"), "unspeakable: 1 + 2 = 3\n").unwrap();
    let report = json(&prints(&folder, &words, 2));
    assert_eq!(report["seeds"][0]["answer"], "not-expressible");
    let reason = report["seeds"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, "not expressible in WhyML: `unspeakable` (sums.toy:1:1)");
}

#[test]
fn a_translation_can_be_looked_at_and_run_by_hand() {
    let folder = folder();
    let text = prints(&folder, &["translate", "sums.toy", "--to", "whyml"], 0);
    assert!(text.contains("goal sum_early: forall x. x + 1 + 2 = x + 3\n"), "{text}");
    prints(&folder, &["translate", "sums.toy", "--to", "whyml", "-o", "sums.mlw"], 0);
    assert_eq!(fs::read_to_string(folder.path().join("sums.mlw")).unwrap(), text);
    for (words, said) in [
        (&["--to", "coq"][..], "no translation from Toy to `coq`"),
        (&[], "say what to translate to"),
        (&["--verifier", "toy", "--out", "x"], "reads such programs as they are"),
        (&["--verifier", "why3"], "name the folder to write"),
    ] {
        let output = mugie(&folder, &[&["translate", "sums.toy"], words].concat());
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{talk}");
        // Where Why3 is not installed, it is missed first.
        assert!(talk.contains(said) || talk.contains("Why3 is missing"), "{talk}");
    }
    fs::write(folder.path().join("bad.toy"), "fine: 1 + 1 = 2\nunspeakable: 1 + 2 = 3\n").unwrap();
    let output = mugie(&folder, &["translate", "bad.toy", "--to", "whyml"]);
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("bad.toy:2:1: not expressible in WhyML: `unspeakable`"), "{talk}");
    if !has_why3() {
        return;
    }
    let words =
        ["translate", "sums.toy", "--verifier", "why3", "--out", "why3", "--rlimit", "9000"];
    let line = prints(&folder, &words, 0);
    assert!(line.contains(" -s 9000 "), "{line}");
    let run = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert_eq!((run.status.code(), said.matches(" Valid ").count()), (Some(0), 4), "{said}");
}

#[test]
fn a_mutant_that_cannot_be_translated_is_a_defect_and_no_failure() {
    if !has_why3() {
        return;
    }
    let folder = folder();
    // The translator refuses the sum after its summands were swapped.
    fs::write(folder.path().join("sums.toy"), "picky: 1 + 2 = 3\nfine: 3 + 4 = 7\n").unwrap();
    let words = ["test", "sums.toy", "--verifier", "why3", "--json", "-n", "5", "--no-cache"];
    let report = json(&prints(&folder, &words, 2));
    let seed = &report["seeds"][0];
    assert_eq!((&seed["counts"]["flips"], &seed["answer"]), (&0.into(), &"could-not-run".into()));
    let reason = seed["dropped"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("it is not expressible in WhyML: `picky` ("), "{reason}");
    assert!(reason.contains("although the seed can be expressed"), "{reason}");
}
