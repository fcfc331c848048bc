//! `--procedure`: which procedures of a seed are verified.

use crate::support::{Sandbox, boogie_3, has, json};

/// The second procedure does not verify, whatever the order of anything.
const SEED: &str = "procedure good(x: int) requires x > 0; { assert x >= 1; assert x != 0; }
procedure {:verify true} bad(x: int) { assert x > 0; }
procedure {:verboseName \"M.Fine (correctness)\"} fine();
implementation {:verboseName \"M.Fine (correctness)\"} fine() { assert true; }
";

/// The sandboxes with a seed, one for each Boogie.
fn sandboxes() -> Vec<Sandbox> {
    let two = has("boogie").then(|| Sandbox::new(&[("seed.bpl", SEED)]));
    let three = boogie_3().and_then(|_| Sandbox::with_boogie_3(&[("seed.bpl", SEED)]));
    [two, three].into_iter().flatten().collect()
}

#[test]
fn only_the_chosen_procedures_are_verified() {
    for sandbox in sandboxes() {
        let test = ["test", "seed.bpl", "-n", "20", "--operators", "all", "--json"];
        let all = sandbox.run(&test);
        assert_eq!(all.code, 3, "{all:?}");
        for (globs, expected) in
            [(&["good"][..], 1), (&["g*", "M.Fine"], 2), (&["M.Fine (correctness)", "none"], 1)]
        {
            let more: Vec<&str> = globs.iter().flat_map(|glob| ["--procedure", *glob]).collect();
            let run = sandbox.run(&[&test[..], &more].concat());
            assert_eq!(run.code, 0, "{run:?}");
            assert!(run.stderr.contains(&format!("{expected} of 3 procedures")), "{run:?}");
            let report = json(&run);
            let procedures = &report["seeds"][0]["baseline"]["procedures"];
            assert_eq!(procedures.as_array().unwrap().len(), expected, "{procedures}");
            assert_eq!(report["settings"]["procedures"], serde_json::json!(globs));
            // Renamed procedures are among the mutants, and those that are not chosen stay out.
            assert_eq!(report["seeds"][0]["counts"]["judged"], 20);
        }
    }
}

#[test]
fn a_mutant_of_the_chosen_procedures_is_made_again() {
    let sandbox = Sandbox::new(&[("seed.bpl", SEED)]);
    let run = sandbox.run(&["mutate", "seed.bpl", "-n", "3", "--procedure", "good", "--out", "m"]);
    assert_eq!(run.code, 0, "{run:?}");
    let text = std::fs::read_to_string(sandbox.path("m/seed-0001.bpl")).unwrap();
    assert!(text.matches("{:verify false}").count() >= 2, "{text}");
}

#[test]
fn a_name_that_nothing_has_is_an_error() {
    let sandbox = Sandbox::new(&[("seed.bpl", SEED)]);
    let run = sandbox.run(&["mutate", "seed.bpl", "--procedure", "nothing", "--out", "m"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("no procedure is called `nothing`"), "{run:?}");
    assert!(run.stderr.contains("the procedures are: good, bad, M.Fine (correctness)"), "{run:?}");
}
