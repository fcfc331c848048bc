//! Campaigns with Boogie 2 and Boogie 3, which read two versions of the language.

use std::fs;

use crate::support::{Sandbox, boogie_3, has, json};

/// Only Boogie 2 reads it: version 3 has no partial order.
const OLD: &str = "const a: int; const b: int; axiom a <: b;
procedure order() { assert a <: b; }
";

/// Only Boogie 3 reads it.
const NEW: &str = "datatype Pair { Pair(x: int, y: int) }
procedure new(p: Pair) { assert p->x == p->x; }
";

/// Both read it; only in version 2 may the axiom be split.
const BOTH: &str = "const a: int; const b: int; axiom a > 1 && b > 1;
procedure both() { assert a + b > 2; }
";

#[test]
fn a_seed_that_only_one_boogie_reads_is_left_out_for_the_other() {
    let Some(boogie) = boogie_3().filter(|_| has("boogie")) else { return };
    let sandbox = Sandbox::new(&[("old.bpl", OLD), ("new.bpl", NEW), ("both.bpl", BOTH)]);
    let plan = format!(
        "name = 'both'\n[seeds]\npaths = ['*.bpl']\ngroup = 'none'\n\
         [[batch]]\nname = 'S1'\nmutants = 2\n[[batch]]\nname = 'split-clause'\nmutants = 2\n\
         [[tool]]\nname = 'two'\n\
         [[tool]]\nname = 'three'\nprogram = '{}'\narguments = ['/errorLimit:3']\n",
        boogie.display()
    );
    fs::write(sandbox.path("plan.toml"), plan).unwrap();
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("new.bpl: left out for tool `two`: "), "{run:?}");
    assert!(run.stderr.contains("old.bpl: left out for tool `three`: "), "{run:?}");
    assert_eq!(run.stderr.matches("left out").count(), 2, "{run:?}");
    let status = json(&sandbox.run(&["campaign", "status", "plan.toml", "--json"]));
    for tool in status["tools"].as_array().unwrap() {
        let count = |key: &str| tool[key].as_u64().unwrap();
        let seeds = ["seeds", "verified", "seeds_with_trouble"].map(count);
        assert_eq!(seeds, [3, 2, 1], "{status:#}");
    }
    // Both tools judged the mutants of the seed that both read, but for the split of its axiom.
    let table = ["campaign", "table", "plan.toml", "tools", "--format", "csv"];
    let table = sandbox.run(&table).stdout;
    assert!(table.lines().any(|line| line.starts_with("all,two,three,1,2,2,0,0,0")), "{table}");
    let three = &status["tools"][1];
    assert_eq!(three["mutants_with_trouble"], 1, "{status:#}");
    let text = sandbox.run(&["campaign", "plan", "plan.toml"]).stdout;
    let three =
        format!("tool three: boogie ({}), options /errorLimit:3: Boogie 3.5", boogie.display());
    assert!(text.contains(&three), "{text}");
    assert!(text.contains("tool two: boogie: Boogie 2.4"), "{text}");
    // Nothing is repeated.
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert!(run.code == 0 && run.stderr.contains(" 0 of them new"), "{run:?}");
}
