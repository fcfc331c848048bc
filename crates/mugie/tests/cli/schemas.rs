//! The JSON that mugie writes conforms to the schemas in the book and has no undocumented keys.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, root};

/// A program whose proof depends on the order of its axioms.
fn sandbox() -> Sandbox {
    let brittle = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    Sandbox::new(&[
        ("brittle.bpl", brittle.as_str()),
        ("failing.bpl", "procedure p(x: int) { assert x > 0; }"),
        ("wrong.bpl", "procedure p() { x := true + 1; }"),
        ("other.bpl", "procedure q() { }"),
    ])
}

fn run(sandbox: &Sandbox, line: &str) -> Run {
    let args: Vec<_> = line.split_whitespace().collect();
    let run = sandbox.run(&args);
    assert!(run.code <= 3 && !run.stdout.is_empty(), "{line}: {run:?}");
    run
}

/// The schema with this name, without additional keys. Published schemas allow unknown keys, which
/// readers must ignore; here a key that the schema does not describe is a gap in the schema.
fn strict(name: &str) -> Value {
    let path = root().join(format!("book/src/schemas/{name}.schema.json"));
    let mut schema = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            if object.contains_key("properties") && object.contains_key("required") {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[track_caller]
fn assert_valid(name: &str, texts: &[&str]) {
    let schema = jsonschema::draft202012::new(&strict(name)).unwrap();
    assert!(!texts.is_empty());
    for text in texts {
        let value: Value = serde_json::from_str(text).unwrap();
        let errors: Vec<_> =
            schema.iter_errors(&value).map(|error| format!("{error} at {error:?}")).collect();
        assert!(errors.is_empty(), "{name}: {text}\n{}", errors.join("\n"));
    }
}

#[test]
fn schemas_are_schemas() {
    let mut number = 0;
    for entry in fs::read_dir(root().join("book/src/schemas")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        jsonschema::meta::validate(&serde_json::from_str(&text).unwrap()).unwrap();
        number += 1;
    }
    assert_eq!(number, 14);
}

#[test]
fn gaps_in_a_schema_are_found() {
    let schema = jsonschema::draft202012::new(&strict("places")).unwrap();
    let row = json!({"operator": "S1", "name": "swap-declarations", "places": 1});
    assert!(schema.is_valid(&row));
    let more = json!({"operator": "S1", "name": "swap-declarations", "places": 1, "new": 1});
    assert!(!schema.is_valid(&more));
    assert!(!schema.is_valid(&json!({"operator": "S1"})));
}

#[test]
fn lists_are_valid() {
    let sandbox = sandbox();
    for (name, line) in [
        ("mutant", "mutate brittle.bpl -n 30 --operators all --json --out mutants"),
        ("places", "mutate brittle.bpl --list --json"),
        ("operator", "operators --json"),
        ("verifier", "verifiers --json"),
        ("query", "query brittle.bpl --json"),
        ("query", "query failing.bpl --json"),
        ("check", "check --json brittle.bpl wrong.bpl missing.bpl"),
        ("check", "check --json --together brittle.bpl other.bpl"),
    ] {
        let output = run(&sandbox, line).stdout;
        assert_valid(name, &output.lines().collect::<Vec<_>>());
    }
    let list = fs::read_to_string(sandbox.path("mutants/mutants.jsonl")).unwrap();
    assert_valid("mutant", &list.lines().collect::<Vec<_>>());
}

#[test]
fn results_are_valid() {
    let sandbox = sandbox();
    let read = |path: &str| fs::read_to_string(sandbox.path(path)).unwrap();
    let test = "test brittle.bpl failing.bpl wrong.bpl missing.bpl --operators S1 --cache cache";
    run(&sandbox, &format!("{test} -n 4 --minimise --cross-check 1 --out found"));
    assert_valid("result", &[&read("found/result.json")]);
    let measurements = read("found/measurements.jsonl");
    assert_valid("measurement", &measurements.lines().collect::<Vec<_>>());
    let graded = format!("{test} --failing --confidence 0.5 --format json");
    assert_valid("result", &[&run(&sandbox, &graded).stdout]);
    let result: Value = serde_json::from_str(&read("found/result.json")).unwrap();
    let mutant = result["seeds"][0]["flips"][0]["files"][0].as_str().unwrap();
    let minimise =
        format!("minimise found/brittle/{mutant} --cache cache --budget 9 --out small --json");
    assert_valid("minimal", &[&run(&sandbox, &minimise).stdout]);
    assert_valid("minimal", &[&read("small/minimal.json")]);
    let diagnose = "diagnose small --random-seeds 1 --time-limit 3 --confirm 0 --json";
    assert_valid("diagnosis", &[&run(&sandbox, diagnose).stdout]);
}

#[test]
fn answers_about_campaigns_are_valid() {
    let sandbox = sandbox();
    let plan = r#"
        name = "small"
        seeds.paths = ["brittle.bpl", "failing.bpl"]
        batch = [{ name = "*", operators = "paper", mutants = 3 }, { name = "S1", mutants = 3 }, { name = "G1", mutants = 2 }]
        tool = [{ name = "one", verifier = "boogie" }, { name = "two", verifier = "boogie" }]
    "#;
    fs::write(sandbox.path("plan.toml"), plan).unwrap();
    assert_valid("plan", &[&run(&sandbox, "campaign plan plan.toml --json").stdout]);
    run(&sandbox, "campaign run plan.toml --no-fail");
    assert_valid("plan", &[&run(&sandbox, "campaign plan plan.toml --json").stdout]);
    assert_valid("status", &[&run(&sandbox, "campaign status plan.toml --json").stdout]);
    let tables = run(&sandbox, "campaign table plan.toml all --format json").stdout;
    let tables: Vec<Value> = serde_json::from_str(&tables).unwrap();
    assert_eq!(tables.len(), 10);
    for table in tables {
        assert_valid("table", &[&table.to_string()]);
    }
    let one = run(&sandbox, "campaign table plan.toml fail --format json").stdout;
    assert_valid("table", &[&one]);
}
