//! Small procedures in which an attribute, a position or an order matters.
//!
//! Everything else about them is plain, so an edit that changes their meaning changes their verdict.
//! Each shape has a form that verifies and one that does not.

use super::world::World;
use crate::Release;
use crate::random::Random;

/// Adds one of the shapes.
pub(super) fn add(world: &mut World, random: &mut Random) {
    let is_good = random.chance(55);
    match random.below(if world.is_polymorphic { 11 } else { 9 }) {
        0 | 1 => inline_assume(world, random, is_good),
        2 => verified_under(world, random, is_good),
        3 => selective_checking(world, random, is_good),
        4 | 5 => free_invariant(world, random, is_good),
        6 => recursive_inlining(world, random, is_good),
        7 => extern_twice(world, random, is_good),
        8 if world.release == Release::Three => always_assume(world, random, is_good),
        8 => free_invariant(world, random, is_good),
        _ => polymorphic(world, random, is_good),
    }
}

/// Two lines: an assumption, and a claim that follows only from it; or the reverse, which fails. Further
/// lines may surround them.
fn under(
    random: &mut Random,
    assumption: String,
    claim: String,
    word: &str,
    is_good: bool,
) -> String {
    let mut lines = vec![assumption, claim];
    if !is_good {
        lines.reverse();
    }
    let more = random.below(3);
    for _ in 0..more {
        let line = random.word(&["1 == 1", "2 < 3 && 3 < 4", "0 <= 1"]);
        lines.insert(random.below(lines.len() + 1), format!("{word} {line};"));
    }
    lines.iter().fold(String::new(), |text, line| text + "  " + line + "\n")
}

fn inline_assume(world: &mut World, random: &mut Random, is_good: bool) {
    world.has(":InlineAssume");
    world.has(":inline");
    let (name, caller, bound) = (world.fresh("p"), world.fresh("p"), random.below(9));
    let clauses = under(
        random,
        format!("ensures {{:InlineAssume}} y > {bound};"),
        format!("ensures y >= {bound};"),
        "ensures",
        is_good,
    );
    world.procedures.push(format!(
        "procedure {{:inline 1}} {name}(x: int) returns (y: int)\n{clauses}{{ y := x; }}\n"
    ));
    world.procedures.push(format!(
        "procedure {caller}(x: int)\n{{\nvar z: int;\ncall z := {name}(x);\n{PROBE}}}\n"
    ));
}

/// A loop with invariants.
fn looping(world: &mut World, attribute: &str, clauses: &str, guard: &str, body: &str) {
    let name = world.fresh("p");
    world.procedures.push(format!(
        "procedure {attribute}{name}(n: int)\n{{\nvar i: int;\ni := n;\nwhile ({guard})\n{clauses}{{\n{body}\n}}\n{PROBE}}}\n"
    ));
}

fn verified_under(world: &mut World, random: &mut Random, is_good: bool) {
    world.has(":verified_under");
    let bound = random.below(9);
    let clauses = under(
        random,
        format!("invariant {{:verified_under true}} i > {bound};"),
        format!("invariant i >= {bound};"),
        "invariant",
        is_good,
    );
    looping(world, "", &clauses, "*", "i := i + 1;");
}

fn selective_checking(world: &mut World, random: &mut Random, is_good: bool) {
    world.has(":selective_checking");
    world.has(":start_checking_here");
    let bound = random.below(9);
    let clauses = under(
        random,
        format!("invariant n > {bound};"),
        format!("invariant {{:start_checking_here}} n >= {bound};"),
        "invariant",
        is_good,
    );
    looping(world, "{:selective_checking} ", &clauses, "*", "i := i + 1;");
}

fn free_invariant(world: &mut World, random: &mut Random, is_good: bool) {
    world.has("free invariants");
    let bound = random.below(9);
    let clauses = under(
        random,
        format!("free invariant i < {bound};"),
        format!("invariant i <= {bound};"),
        "invariant",
        is_good,
    );
    if random.chance(30) {
        world.has(":kInductionDepth");
        return looping(world, "{:kInductionDepth 1} ", &clauses, "*", "i := i + 1;");
    }
    world.has("loops that run once");
    let (guard, body) = match random.below(3) {
        0 => ("true", "i := i + 1;\n\u{3}return;"),
        1 => ("*", "break;"),
        _ => ("i < 100", "assume false;"),
    };
    looping(world, "", &clauses, guard, body);
}

/// A procedure that calls itself, inlined to a sufficient depth, so that its verdict is decided.
fn recursive_inlining(world: &mut World, random: &mut Random, is_good: bool) {
    world.has("recursive inlining");
    let (name, caller) = (world.fresh("p"), world.fresh("p"));
    let depth = 2 + random.below(2);
    let argument = random.below(depth);
    let result = if is_good { argument } else { argument + 1 };
    world.procedures.push(format!(
        "procedure {{:inline {depth}}} {name}(x: int) returns (y: int)\n{{\nif (x <= 0) {{ y := 0; }} else {{\n\
         call y := {name}(x - 1);\ny := y + 1;\n}}\n}}\n"
    ));
    world.procedures.push(format!(
        "procedure {caller}()\n{{\nvar z: int;\ncall z := {name}({argument});\nassert z == {result};\n{PROBE}}}\n"
    ));
}

/// Two declarations with one name, of which the one that is not `:extern` counts.
fn extern_twice(world: &mut World, random: &mut Random, is_good: bool) {
    world.has(":extern twice");
    let bound = 3 + random.below(5);
    let caller = world.fresh("p");
    let claimed = if is_good { bound } else { bound + 2 };
    if random.chance(50) {
        let name = world.fresh("p");
        let face = format!("{name}(x: int) returns (y: int);\n  ensures y > ");
        world.procedures.push(format!("procedure {{:extern}} {face}{};\n", bound + 2));
        world.procedures.push(format!("procedure {face}{bound};\n"));
        world.procedures.push(format!(
            "procedure {caller}()\n{{\nvar z: int;\ncall z := {name}(1);\nassert z > {claimed};\n{PROBE}}}\n"
        ));
    } else {
        let name = world.fresh("fe");
        // Without a body: otherwise both definitions would hold.
        world.procedures.push(format!("function {{:extern}} {name}(x: int): int;"));
        world.procedures.push(format!("function {name}(x: int): int {{ x + {bound} }}"));
        world.procedures.push(format!(
            "procedure {caller}(x: int)\n{{\nassert {name}(x) == x + {claimed};\n{PROBE}}}\n"
        ));
    }
}

fn always_assume(world: &mut World, random: &mut Random, is_good: bool) {
    world.has(":always_assume");
    let (name, caller, bound) = (world.fresh("p"), world.fresh("p"), random.below(9));
    let is_exit = random.chance(50);
    let (keyword, variable) = if is_exit { ("ensures", "y") } else { ("requires", "x") };
    let clauses = under(
        random,
        format!("free {keyword} {{:always_assume}} {variable} > {bound};"),
        format!("{keyword} {variable} >= {bound};"),
        keyword,
        is_good,
    );
    world.procedures.push(format!(
        "procedure {name}(x: int) returns (y: int)\n{clauses}{{\ny := x;\n{PROBE}}}\n"
    ));
    if !is_exit {
        world.procedures.push(format!(
            "procedure {caller}(x: int)\n{{\nvar z: int;\ncall z := {name}(x);\n{PROBE}}}\n"
        ));
    }
}

/// A procedure with a type parameter, which comes first: Boogie 2 rejects it after a call.
fn polymorphic(world: &mut World, random: &mut Random, is_good: bool) {
    world.has("polymorphic procedures");
    let (name, caller) = (world.fresh("p"), world.fresh("p"));
    let value = random.below(9);
    let claimed = if is_good { value } else { value + 1 };
    let face = format!("procedure {name}<T>(x: T) returns (y: T)");
    // Boogie 3 verifies an instance, whose name does not identify the procedure.
    let (end, body) = if world.release == Release::Two {
        ("", format!("{{\ny := x;\n{PROBE}}}\n"))
    } else {
        (";", String::new())
    };
    world.first.push(format!("{face}{end}\n  ensures y == x;\n  ensures x == y;\n{body}"));
    world.procedures.push(format!(
        "procedure {caller}(b: bool)\n{{\nvar z: int;\nvar c: bool;\ncall z := {name}({value});\ncall c := {name}(b);\n\
         assert z == {claimed} && (b <==> c);\n{PROBE}}}\n"
    ));
}

/// Marks where a body is left. In a copy of the program, an assertion there shows whether it is
/// reachable.
pub(super) const PROBE: char = '\u{3}';
