//! `--mutate`: which declarations of a seed are changed.

use std::fs;

use serde_json::Value;

use crate::support::{Sandbox, json};

/// A program in the form that Dafny gives to programs: a prelude, and the part of a user.
fn dafny_like() -> String {
    let functions =
        (0..40).map(|number| format!("function f{number}(x: int): int {{ x + {number} }}\n"));
    let prelude: String = functions.collect();
    format!("const $$Language$Dafny: bool;\naxiom $$Language$Dafny;\n{prelude}")
        + "const unique class._System.Tuple0: int;
const unique class._module.__default: int;
procedure {:verboseName \"Max (correctness)\"} Impl$$_module.Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b;
{
  if (a > b) { m := a; } else { m := b; }
  assert f7(m) == m + 7;
}
procedure {:verboseName \"Min (correctness)\"} Impl$$_module.Min(a: int, b: int) returns (m: int)
  ensures m <= a && m <= b;
{
  if (a < b) { m := a; } else { m := b; }
}
"
}

/// The last edit of each mutant in a folder.
fn edits(sandbox: &Sandbox, folder: &str) -> Vec<Value> {
    let list = fs::read_to_string(sandbox.path(folder).join("mutants.jsonl")).unwrap();
    let rows = list.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| row["edits"].as_array().unwrap().last().unwrap().clone()).collect()
}

#[test]
fn the_prelude_of_dafny_is_changed_less_often_than_the_users_part() {
    let sandbox = Sandbox::new(&[("a.bpl", dafny_like())]);
    let inside = |folder: &str, more: &[&str]| {
        let make = ["mutate", "a.bpl", "--operators", "all", "-n", "60", "--out", folder];
        let run = sandbox.run(&[&make[..], more].concat());
        assert_eq!(run.code, 0, "{run:?}");
        let is_own = |edit: &&Value| {
            let words = edit["words"].as_str().unwrap();
            words.contains("_module") || words.contains("f7`")
        };
        (edits(&sandbox, folder).iter().filter(is_own).count(), run)
    };
    let (all, run) = inside("all", &["--mutate", "all"]);
    assert!(!run.stderr.contains("user's part"), "{run:?}");
    let (user, run) = inside("user", &["--mutate", "user"]);
    assert!(run.stderr.contains("the user's part, 3 of 46 declarations"), "{run:?}");
    assert!(user >= 30 && user > all, "{user} {all}");
    // It is the default here, and only here.
    let (usual, _) = inside("usual", &[]);
    assert_eq!((usual, edits(&sandbox, "usual")), (user, edits(&sandbox, "user")));
    let plain = Sandbox::new(&[("a.bpl", dafny_like().replace("$$Language", "Language"))]);
    for (folder, more) in [("all", &["--mutate", "all"][..]), ("usual", &[])] {
        let make = ["mutate", "a.bpl", "-n", "9", "--out", folder];
        assert_eq!(plain.run(&[&make[..], more].concat()).code, 0);
    }
    assert_eq!(edits(&plain, "all"), edits(&plain, "usual"));
}

#[test]
fn the_scope_of_a_test_is_recorded_and_reproduced() {
    let program = dafny_like().replace("assert f7(m) == m + 7;", "assert f7(m) > m + 7;");
    let sandbox = Sandbox::new(&[("a.bpl", program)]);
    let test = ["test", "a.bpl", "--failing", "-n", "6", "--operators", "all", "--json"];
    for (scope, size) in [(None, 3), (Some("Max*"), 1)] {
        let more: Vec<&str> = scope.iter().flat_map(|scope| ["--mutate", *scope]).collect();
        let run = sandbox.run(&[&test[..], &more].concat());
        let result = json(&run);
        assert_eq!(result["settings"].get("mutate").and_then(Value::as_str), scope, "{run:?}");
        let found = &result["seeds"][0]["scope"];
        assert_eq!(found["mutate"], scope.unwrap_or("user"), "{run:?}");
        assert_eq!((&found["units"], &found["of"]), (&size.into(), &46.into()), "{run:?}");
    }
    let run = sandbox.run(&[&test[..], &["--mutate", "nobody"]].concat());
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.contains("there is nothing called `nobody` to change"), "{run:?}");
}

#[test]
fn a_mutant_in_a_scope_is_made_again_by_its_command() {
    // Only the trigger makes the proof go through.
    let brittle = "function t(x: int): bool;
function f(x: int): int;
axiom (forall x: int :: {t(x)} f(x) > 0);
const a: int; const b: int; const c: int;
procedure p() requires t(5); { assert (exists i: int :: {f(i)} f(i) > 0); }
";
    let program = format!("const $$Language$Dafny: bool;\nconst class._System.x: int;\n{brittle}");
    let sandbox = Sandbox::new(&[("a.bpl", program)]);
    for scope in ["user", "all"] {
        let test = ["test", "a.bpl", "-n", "20", "--operators", "S1,G2", "--mutate", scope];
        let run = sandbox.run(&[&test[..], &["--json", "--until-failure"]].concat());
        assert_eq!(run.code, 1, "{run:?}");
        let seed = &json(&run)["seeds"][0];
        let command = seed["witness"]["reproduce"][0].as_str().unwrap();
        assert!(command.contains(&format!("--mutate {scope}")), "{command}");
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        assert_eq!(sandbox.run(&words).code, 0, "{command}");
        let flip = &seed["flips"][0];
        let list = fs::read_to_string(sandbox.path("a.mutants/mutants.jsonl")).unwrap();
        assert!(list.contains(flip["hash"].as_str().unwrap()), "{command}");
        let number = flip["number"].to_string();
        let minimise = ["minimise", "a.bpl", "--mutant", &number, "--operators", "S1,G2"];
        let run = sandbox.run(&[&minimise[..], &["--mutate", scope, "--out", scope]].concat());
        assert!(run.code == 0 && run.stdout.contains("remove trigger"), "{run:?}");
    }
}
