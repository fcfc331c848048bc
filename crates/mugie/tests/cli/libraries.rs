//! The libraries of Boogie 3: those that arguments name, and the one that programs with attributes of
//! CIVL get. What mugie accepts is compared with the real Boogie 3.5.5.

use std::process::Command;

use crate::support::{Sandbox, boogie_3, json};

/// Programs, the libraries that they are given, and whether Boogie 3.5.5 accepts them.
const PROGRAMS: &[(&str, &str, bool)] = &[
    ("procedure p(x: Option int) { assert x is None || x is Some; }", "", false),
    ("procedure p(x: Option int) { assert x is None || x is Some; }", "base", true),
    ("procedure p(x: Option int) { assert x is None || x is Some; }", "node", false),
    ("procedure p(v: Vec int) { assert Vec_Len(Vec_Append(v, 3)) == Vec_Len(v) + 1; }", "base", true),
    ("procedure p(v: Vec int) { assert Vec_Append(v, true) == v; }", "base", false),
    ("procedure p(s: Set int) { assert Set_Contains(Set_Add(s, 3), 3); }", "base", true),
    ("procedure p(n: Node int) { assert n->next == n->next; }", "base", false),
    ("procedure p(n: Node int) { assert n->next == n->next; }", "base,node", true),
    ("procedure p(s: Set int) { assert Set_Size(s) >= 0; }", "base", false),
    ("procedure p(s: Set int) { assert Set_Size(s) >= 0; }", "base,set_size", true),
    ("procedure p(s: Set int) { call Lemma_SubsetSize(s, s); }", "base,set_size", true),
    ("procedure p(a: [int]bool) { assert IsSubset(a, a) && IsDisjoint(a, MapConst(false)); }", "base", true),
    ("procedure p(m: Map int bool) { assert Map_Contains(Map_Update(m, 1, true), 1); }", "base", true),
    ("procedure p() { assert UnitSet() == Set_Singleton(Unit()) && Id(3) == 3; }", "base", true),
    ("procedure p(o: One int) { assert One_Collector(o)[o->val] && MapOne(3)[3]; }", "base", true),
    // Attributes of CIVL bring the library `base`, if they are those of a declaration.
    ("var {:layer 0, 1} s: Set int; procedure p() { assert Set_IsSubset(s, s); }", "", true),
    ("procedure {:layer 1} p(x: Option int) { assert x == x; }", "", true),
    ("var {:linear} m: Map int bool; procedure p() { assert Map_WellFormed(m); }", "", true),
    (
        "async atomic action {:layer 1} A(x: int, b: bool) { assume x > 0; }
         function f(a: A): int { if a is A && a->b then a->x else 0 }
         atomic action {:layer 1} B() creates A;
         { call create_asyncs((lambda a: A :: a == A(1, true))); call set_choice(A(3, false)); }",
        "",
        true,
    ),
    ("atomic action {:layer 1} A(x: int) { } function f(a: A): int;", "", false),
    (
        "var {:layer 0, 2} {:linear} s: Set int;
         atomic action {:layer 1, 2} Take(k: int) returns ({:linear} l: One int)
         modifies s;
         { assume Set_Contains(s, k); call l := One_Get(s, k); }
         yield procedure {:layer 0} take(k: int) returns ({:linear} l: One int);
         refines Take;",
        "",
        true,
    ),
    (
        "var {:layer 0, 1} {:linear} m: Map int bool;
         atomic action {:layer 1} Use(k: int) modifies m;
         { var {:linear} l: One int; var b: bool; call l, b := Map_Get(m, k); call Map_Put(m, l, b); }",
        "",
        true,
    ),
];

/// Programs that Boogie 3.5.5 rejects and later versions accept: sets are maps there, and attributes
/// inside of declarations bring the library, too. mugie does not know the version, and accepts them.
const LATER: &[(&str, &str)] = &[
    ("procedure p(s: [int]bool) { assert Set_Contains(s, 3); }", "base"),
    ("procedure p({:linear} x: Option int) { assert x == x; }", ""),
    ("procedure p(x: Option int) { assert {:layer 1} x == x; }", ""),
];

#[test]
fn programs_with_libraries_are_accepted_as_boogie_accepts_them() {
    let Some(boogie) = boogie_3() else { return };
    let Some(sandbox) = Sandbox::with_boogie_3::<&str>(&[]) else { return };
    let later = LATER.iter().map(|(text, libraries)| (*text, *libraries, false, true));
    let programs =
        PROGRAMS.iter().map(|(text, libraries, is_in)| (*text, *libraries, *is_in, *is_in));
    for (text, libraries, is_accepted, is_read) in programs.chain(later) {
        std::fs::write(sandbox.path("a.bpl"), text).unwrap();
        let names: Vec<&str> = libraries.split(',').filter(|name| !name.is_empty()).collect();
        let mut real = Command::new(&boogie);
        real.arg("/noVerify").args(names.iter().map(|name| format!("/lib:{name}")));
        let output = real.arg(sandbox.path("a.bpl")).output().unwrap();
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        let accepts = output.contains("Boogie program verifier finished");
        assert_eq!(accepts, is_accepted, "Boogie: {libraries}: {text}\n{output}");
        let mut check = vec!["check", "a.bpl", "--dialect", "3"];
        if !libraries.is_empty() {
            check.extend(["--lib", libraries]);
        }
        let run = sandbox.run(&check);
        assert_eq!(run.code == 0, is_read, "mugie: {libraries}: {text}\n{run:?}");
    }
}

#[test]
fn the_arguments_of_the_verifier_name_libraries() {
    let text = "procedure p(s: Set int, n: Node int) { assert Set_Contains(Set_Add(s, 3), 3); }";
    let Some(sandbox) = Sandbox::with_boogie_3(&[("a.bpl", text)]) else { return };
    let run = sandbox.run(&["test", "a.bpl", "-n", "5", "--no-cache"]);
    assert_eq!(run.code, 2, "{run:?}");
    let help = "use --arg /lib:base --arg /lib:node, or --lib base,node where no verifier runs";
    assert!(run.stderr.contains(help), "{run:?}");
    let words = ["test", "a.bpl", "-n", "5", "--no-cache", "--json", "--failing"];
    let run = sandbox.run(&[&words[..], &["--arg", "/lib:base", "--arg", "-lib:node"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let seed = &json(&run)["seeds"][0];
    assert_eq!(seed["reading"]["lib"], "base,node", "{run:?}");
    assert_eq!(seed["counts"]["judged"], 5, "{run:?}");
    // Without a verifier, an option names them.
    let run = sandbox.run(&["mutate", "a.bpl", "-n", "3", "--lib", "base,node"]);
    assert_eq!(run.code, 0, "{run:?}");
    let list = std::fs::read_to_string(sandbox.path("a.mutants/mutants.jsonl")).unwrap();
    assert!(list.contains("\"lib\":\"base,node\""), "{list}");
    let run = sandbox.run(&["check", "a.bpl", "--lib", "nodes"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("Boogie has no library `nodes`"), "{run:?}");
}
