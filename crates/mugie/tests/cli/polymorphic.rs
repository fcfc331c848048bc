//! Polymorphic procedures with Boogie 3, which reports instances of them.

use serde_json::Value;

use crate::support::{Sandbox, json};

/// Polymorphic procedures, one of which depends on a trigger, and one whose name looks like that of
/// an instance.
const POLYMORPHIC: &str = "function t(x: int): bool;
function f(x: int): int;
axiom (forall x: int :: {t(x)} f(x) > 0);

procedure id<T>(x: T) returns (y: T)
  requires t(5);
  ensures y == x;
{
  assert (exists i: int :: {f(i)} f(i) > 0);
  y := x;
}

procedure id_58<A, B>(a: A, b: B) returns (c: B)
  requires t(5);
  ensures c == b;
{
  call c := id(b);
}

procedure id_59(x: int)
{
  assert x == x;
}

procedure main(x: int)
  requires t(5);
{
  var y: int;
  call y := id(x);
  assert x == y;
}
";

/// The strings at a key, anywhere in a document.
fn strings<'v>(value: &'v Value, key: &str, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get(key).and_then(Value::as_str));
            fields.values().for_each(|value| strings(value, key, found));
        }
        Value::Array(items) => items.iter().for_each(|value| strings(value, key, found)),
        _ => {}
    }
}

#[test]
fn instances_of_a_polymorphic_procedure_are_that_procedure() {
    let Some(sandbox) = Sandbox::with_boogie_3(&[("poly.bpl", POLYMORPHIC)]) else { return };
    let operators = "G2,rename-global,S1,add-unused";
    let args = ["test", "poly.bpl", "--no-cache", "--operators", operators, "-n", "12"];
    let run = sandbox.run(&[&args[..], &["--json", "--out", "out"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    let result = json(&run);
    let seed = &result["seeds"][0];
    assert_eq!(seed["counts"]["troubles"], 0, "{run:?}");
    assert_eq!(seed["counts"]["judged"], 12, "{run:?}");
    let mut names = Vec::new();
    strings(seed, "procedure", &mut names);
    names.sort_unstable();
    names.dedup();
    // The verdicts, and the effort.
    assert_eq!(names, ["id", "id_58", "id_59", "main"]);
    assert_eq!(seed["by_procedure"].as_array().unwrap().len(), 1, "{run:?}");
    assert_eq!(seed["by_procedure"][0]["procedure"], "id", "{run:?}");

    let mutant = seed["witness"]["mutant"].as_str().unwrap();
    let run = sandbox.run(&["minimise", &format!("out/poly/{mutant}.bpl")]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("procedure `id` failed"), "{run:?}");
    assert!(run.stdout.contains("confirmed by two more runs"), "{run:?}");
}

#[test]
fn a_polymorphic_procedure_that_fails_is_named_as_it_is_written() {
    let text = "procedure id<T>(x: T, y: T) { assert x == y; }";
    let Some(sandbox) = Sandbox::with_boogie_3(&[("fails.bpl", text)]) else { return };
    let run = sandbox.run(&["test", "fails.bpl", "--no-cache"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stdout.contains("`id`") && !run.stdout.contains("id_"), "{run:?}");
}
