//! `mugie minimise`, `diagnose` and `query` take the verifier's arguments, the limits and the way to
//! read the seed from the results that they are given, unless options override them.

use std::fs;

use serde_json::{Value, json};

use crate::reproduced::UNSAID;
use crate::support::{Run, Sandbox, json, root, script};
use crate::test::ROBUST;

/// A sandbox with the results of a test of `examples/brittle.bpl`, and the file of a failing mutant.
fn found(args: &[&str]) -> (Sandbox, String) {
    let example = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    let sandbox = Sandbox::new(&[("seed.bpl", example)]);
    let test = ["test", "seed.bpl", "--out", "found", "--no-cache", "--format", "json"];
    // A resource limit, because the search for further errors may take long.
    let draw = ["--operators", "S1", "-n", "6", "--rlimit", "90000000"];
    let report = json(&sandbox.run(&[&test[..], &draw, args].concat()));
    let flip = &report["seeds"][0]["flips"][0]["files"][0];
    let file = format!("found/seed/{}", flip.as_str().unwrap_or_else(|| panic!("{report:#}")));
    (sandbox, file)
}

fn record(sandbox: &Sandbox, folder: &str) -> Value {
    let text = fs::read_to_string(sandbox.path(folder).join("minimal.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The record of minimising a mutant with these arguments.
fn minimised(sandbox: &Sandbox, file: &str, out: &str, args: &[&str]) -> Value {
    let usual = ["minimise", file, "--out", out, "--no-program", "--no-cache"];
    let run = sandbox.run(&[&usual[..], args].concat());
    assert_eq!(run.code, 0, "{run:?}");
    record(sandbox, out)
}

/// The diagnosis of a file or folder, without the runs with other random seeds, which take long.
fn diagnosed(sandbox: &Sandbox, what: &str, args: &[&str]) -> Value {
    let run = sandbox.run(&[&["diagnose", what, "--random-seeds", "0", "--json"], args].concat());
    assert_eq!(run.code, 0, "{run:?}");
    json(&run)
}

/// The arguments among the options of a verifier. Asserts that its command line contains them, too.
fn arguments(verifier: &Value) -> Value {
    let arguments = verifier["options"]["arguments"].clone();
    let command = verifier["command"].as_array().unwrap();
    for argument in arguments.as_array().into_iter().flatten() {
        assert!(command.contains(argument), "{verifier:#}");
    }
    arguments
}

#[test]
fn a_mutant_of_a_test_brings_its_verifier_and_limits() {
    let args = ["--arg", "/noinfer", "--time-limit", "33", "--confirm", "1", "--solver-seed", "0"];
    let (sandbox, file) =
        found(&[&args[..], &["--memory-limit", "3G", "--process-limit", "321"]].concat());
    let small = minimised(&sandbox, &file, "small", &[]);
    let verifier = &small["question"]["verifier"];
    assert_eq!(arguments(verifier), json!(["/noinfer"]));
    assert_eq!(verifier["options"]["solver_seed"], 0);
    let limits = &small["limits"];
    assert_eq!((&limits["time_limit"], &limits["confirm"]), (&33.0.into(), &1.into()));
    assert_eq!(limits["memory_limit"], 3_u64 << 30);
    assert_eq!(limits["process_limit"], 321);
    assert_eq!(limits["resource_limit"], 90_000_000);
    let has_limit = |verifier: &Value| {
        let mut words = verifier["command"].as_array().unwrap().iter();
        words.any(|word| word == "/rlimit:90000000")
    };
    assert!(has_limit(verifier), "{verifier:#}");

    // From the mutant itself, from the minimised pair, and from a file of the pair.
    for what in [file.as_str(), "small", "small/mutant.bpl"] {
        let answer = diagnosed(&sandbox, what, &[]);
        assert_eq!(arguments(&answer["verifier"]), json!(["/noinfer"]), "{what}");
        assert_eq!(answer["verifier"]["options"]["solver_seed"], 0, "{what}");
        assert!(has_limit(&answer["verifier"]), "{answer:#}");
        assert_eq!(answer["diagnosis"]["layer"], "axiom-order", "{what}");
    }
}

#[test]
fn what_is_said_goes_before_what_is_on_record() {
    let (sandbox, file) = found(&["--arg", "/noinfer", "--time-limit", "33"]);
    let args =
        ["--arg", "/errorTrace:0", "--arg", "/noinfer", "--time-limit", "34", "--confirm", "0"];
    let small = minimised(&sandbox, &file, "small", &args);
    let said = json!(["/errorTrace:0", "/noinfer"]);
    assert_eq!(arguments(&small["question"]["verifier"]), said);
    let limits = &small["limits"];
    assert_eq!((&limits["time_limit"], &limits["confirm"]), (&34.0.into(), &0.into()));
    // The minimised pair remembers the options.
    let answer = diagnosed(&sandbox, "small", &[]);
    assert_eq!(arguments(&answer["verifier"]), said);
    for what in [file.as_str(), "small"] {
        let answer = diagnosed(&sandbox, what, &["--arg", "/errorTrace:2"]);
        assert_eq!(arguments(&answer["verifier"]), json!(["/errorTrace:2"]), "{what}");
    }
}

#[test]
fn a_mutant_of_mutate_brings_how_its_seed_is_read() {
    let sandbox = Sandbox::new(&[("seed.bpl", UNSAID)]);
    let made = ["mutate", "seed.bpl", "--infer-modifies", "--operators", "L5", "-n", "1"];
    assert_eq!(sandbox.run(&made).code, 0);
    let mutant = "seed.mutants/seed-0001.bpl";
    let verifier = ["--arg", "/doModSetAnalysis"];
    let small = minimised(&sandbox, mutant, "small", &verifier);
    assert_eq!(small["reading"], json!({ "infer-modifies": "true" }));
    let answer = diagnosed(&sandbox, mutant, &verifier);
    assert_eq!(answer["diagnosis"]["layer"], "inference");
    let answer = diagnosed(&sandbox, "small", &[]);
    assert_eq!(answer["diagnosis"]["layer"], "inference");
}

#[test]
fn the_time_of_a_test_is_that_of_the_diagnosis() {
    let sandbox = Sandbox::new(&[("seed.bpl", ROBUST)]);
    // The verifier hangs on mutants by L5.
    let slow = "
for file; do case $file in *.bpl) break;; esac; done
small=$(grep -n 'requires x > 0' $file | cut -d: -f1)
great=$(grep -n 'requires x < 9' $file | cut -d: -f1)
[ \"$small\" -gt \"$great\" ] && exec sleep 61.27
echo 'it finished with 1 verified, 0 errors'";
    script(&sandbox, "tool", slow);
    let test = ["test", "seed.bpl", "--out", "found", "--no-cache", "--operators", "L5", "-n", "2"];
    let tool = ["--verifier", "command", "--program", "./tool", "--time-limit", "0.5"];
    let run = sandbox.run(&[&test[..], &tool, &["--confirm", "0"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    let file = "found/seed/seed-0001.bpl";
    minimised(&sandbox, file, "small", &[]);
    for what in [file, "small"] {
        let answer = diagnosed(&sandbox, what, &["--more-time", "3"]);
        let tried = answer["diagnosis"]["tried"].as_array().unwrap();
        let seconds = tried.iter().find_map(|it| it["change"]["seconds"].as_f64());
        assert_eq!(seconds, Some(1.5), "{what}: {answer:#}");
    }
}

const PLAN: &str = "\
name = 'unsaid'
[seeds]
paths = ['seed.bpl']
infer_modifies = true
[limits]
seconds = 44
[[batch]]
name = 'L5'
mutants = 2
[[tool]]
name = 'boogie'
arguments = ['/doModSetAnalysis']
";

#[test]
fn every_command_reads_the_seed_of_a_campaign_in_the_same_way() {
    let sandbox = Sandbox::new(&[("plan.toml", PLAN), ("seed.bpl", UNSAID)]);
    let fine = |args: &[&str]| -> Run {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{args:?}: {run:?}");
        run
    };
    let run = fine(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert!(run.stderr.contains("1 mutant has a different verdict"), "{run:?}");
    let run = fine(&["campaign", "report", "plan.toml"]);
    assert_eq!(run.stderr, "");
    // The store alone is enough: it records how its seeds are read.
    fs::rename(sandbox.path("plan.toml"), sandbox.path("gone.toml")).unwrap();
    let run = fine(&["campaign", "report", "plan.sqlite", "--out", "store.html"]);
    assert_eq!(run.stderr, "");
    let page = |name: &str| fs::read_to_string(sandbox.path(name)).unwrap();
    let [one, other] = ["plan.html", "store.html"].map(page);
    assert_eq!(one.replace("plan.toml", "plan.sqlite"), other);
    assert!(one.contains("seed.bpl:11:3"), "places in the seed are told");

    let name = "seed-L5-0001";
    let campaign = ["--campaign", "plan.sqlite"];
    let small = minimised(&sandbox, name, "small", &campaign);
    assert_eq!(small["reading"], json!({ "infer-modifies": "true" }));
    assert_eq!(arguments(&small["question"]["verifier"]), json!(["/doModSetAnalysis"]));
    assert_eq!(small["limits"]["time_limit"], 44.0);
    let answer = diagnosed(&sandbox, name, &campaign);
    assert_eq!(answer["diagnosis"]["layer"], "inference");
    assert_eq!(arguments(&answer["verifier"]), json!(["/doModSetAnalysis"]));
    let answer = diagnosed(&sandbox, "small", &[]);
    assert_eq!(answer["diagnosis"]["layer"], "inference");
    let run = fine(&[&["query", name, "q"], &campaign[..]].concat());
    assert!(run.stdout.contains("(check-sat)"), "{run:?}");
}
