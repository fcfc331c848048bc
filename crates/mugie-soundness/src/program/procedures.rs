//! Random procedures: parameters, clauses, bodies.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::body::{Body, chain};
use super::mentions;
use super::world::{Callee, Ty, Var, World};
use crate::Release;
use crate::random::Random;

/// The kind of a procedure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProcedureKind {
    Plain,
    Inlined,
    Bodiless,
    /// One declaration and two implementations.
    Twice,
}

/// A clause of a specification.
struct Clause {
    is_free: bool,
    attribute: &'static str,
    condition: String,
}

/// A procedure under construction.
struct Signature {
    name: String,
    ins: Vec<Var>,
    outs: Vec<Var>,
    witnesses: Vec<String>,
    requires: Vec<Clause>,
}

/// Adds a procedure.
pub(super) fn add(world: &mut World, random: &mut Random) {
    let kind = match random.below(20) {
        0..=3 => ProcedureKind::Inlined,
        4..=5 => ProcedureKind::Bodiless,
        6..=7 => ProcedureKind::Twice,
        _ => ProcedureKind::Plain,
    };
    let is_good = random.chance(40);
    let is_selective = kind != ProcedureKind::Inlined && random.chance(8);
    let signature = signature(world, random, kind);
    let attributes = attributes(world, random, kind, is_selective);

    let mut modifies = BTreeSet::new();
    let mut ensures: Vec<Clause> = Vec::new();
    let mut bodies = Vec::new();
    let count = match kind {
        ProcedureKind::Bodiless => 0,
        ProcedureKind::Plain | ProcedureKind::Inlined => 1,
        ProcedureKind::Twice => 2,
    };
    let mut common: Option<Vec<String>> = None;
    for _ in 0..count {
        let made = body(world, random, &signature, kind, is_good, is_selective);
        modifies.extend(made.modifies);
        common = Some(match common {
            None => made.facts,
            Some(facts) => facts.into_iter().filter(|fact| made.facts.contains(fact)).collect(),
        });
        bodies.push(made.text);
    }
    if kind == ProcedureKind::Bodiless {
        world.has("procedures without body");
        let int = signature.outs.iter().find(|out| out.ty == Ty::Int);
        common = int.map(|out| chain(&out.name, random.below(5), random));
        modifies.extend(world.globals.iter().filter(|_| random.chance(20)).map(|g| g.name.clone()));
    }
    let mut promised = common.unwrap_or_default();
    if random.chance(30) {
        random.shuffle(&mut promised);
    }
    promised.truncate(random.below(6));
    if !is_good
        && random.chance(35)
        && let Some(out) = signature.outs.iter().find(|out| out.ty == Ty::Int)
    {
        // Contradictions must not reach the callers.
        promised.retain(|condition| !mentions(condition, &out.name));
        promised.extend(chain(&out.name, random.below(4), random));
    }
    for condition in &promised {
        let attribute = ensures_attribute(world, random);
        let is_free = free(world, random, 10);
        ensures.push(Clause { is_free, attribute, condition: condition.clone() });
    }
    if let Some(out) = signature.outs.iter().find(|out| out.ty == Ty::Int) {
        ensures.extend(assuming(world, random, kind, &out.name));
    }
    if !ensures.is_empty() {
        world.has("ensures");
    }
    emit(world, random, kind, &signature, &attributes, &modifies, &ensures, bodies);
    let ensures = ensures.into_iter().map(|clause| clause.condition);
    let callee = Callee {
        name: signature.name,
        ins: signature.ins,
        outs: signature.outs,
        witnesses: signature.witnesses,
        modifies: modifies.into_iter().collect(),
        ensures: ensures.filter(|condition| !condition.contains("old(")).collect(),
    };
    world.callees.push(callee);
}

/// Postconditions of which one is assumed where it stands, and another follows only from it.
fn assuming(world: &mut World, random: &mut Random, kind: ProcedureKind, out: &str) -> Vec<Clause> {
    let is_three = world.release == Release::Three;
    let bound = random.below(9);
    if kind == ProcedureKind::Inlined && random.chance(15) {
        world.has(":InlineAssume");
        let strong = format!("{out} > {bound}");
        let strong = Clause { is_free: false, attribute: "{:InlineAssume} ", condition: strong };
        return under(random, strong, out, bound);
    }
    if is_three && random.chance(20) {
        return always_assumed(world, random, out, bound);
    }
    Vec::new()
}

/// Clauses of which Boogie 3 assumes one where it stands.
fn always_assumed(
    world: &mut World,
    random: &mut Random,
    variable: &str,
    bound: usize,
) -> Vec<Clause> {
    world.has(":always_assume");
    let condition = format!("{variable} > {bound}");
    let strong = Clause { is_free: true, attribute: "{:always_assume} ", condition };
    under(random, strong, variable, bound)
}

/// An assumption and a clause that follows only from it.
fn under(random: &mut Random, strong: Clause, variable: &str, bound: usize) -> Vec<Clause> {
    let plain = |condition: String| Clause { is_free: false, attribute: "", condition };
    let mut clauses = vec![strong, plain(format!("{variable} >= {bound}"))];
    if random.chance(50) {
        clauses.insert(random.below(2), plain(format!("{variable} == {variable}")));
    }
    clauses
}

fn free(world: &mut World, random: &mut Random, percent: usize) -> bool {
    let is_free = random.chance(percent);
    if is_free {
        world.has("free clauses");
    }
    is_free
}

fn signature(world: &mut World, random: &mut Random, kind: ProcedureKind) -> Signature {
    let types = [Ty::Int, Ty::Int, Ty::Int, Ty::Bool, Ty::Bv8, Ty::Real, Ty::U];
    let mut ins: Vec<Var> = Vec::new();
    let mut witnesses = Vec::new();
    let mut requires: Vec<Clause> = Vec::new();
    for _ in 0..random.below(4) {
        let ty = world.ty(&types, random);
        let name = world.fresh("x");
        let value = random.below(7);
        witnesses.push(match ty {
            Ty::Int => value.to_string(),
            Ty::Bool => random.word(&["true", "false"]).to_owned(),
            Ty::Bv8 => format!("{value}bv8"),
            Ty::Real => format!("{value}.5"),
            Ty::Map | Ty::U => "u0".to_owned(),
            Ty::Data => format!("D0({value})"),
        });
        let earlier = ins.iter().find(|other: &&Var| other.ty == Ty::Int);
        let where_clause = (ty == Ty::Int && kind != ProcedureKind::Inlined && random.chance(15))
            .then(|| {
                world.has("where clauses of parameters");
                match earlier {
                    Some(other) if random.chance(50) => format!("{name} != {} - 20", other.name),
                    _ => format!("{name} > {value} - {}", 1 + random.below(3)),
                }
            });
        if ty == Ty::Int && random.chance(60) {
            for condition in chain(&name, value, random) {
                let attribute = requires_attribute(world, random);
                requires.push(Clause { is_free: free(world, random, 15), attribute, condition });
            }
        }
        if ty == Ty::Int && world.release == Release::Three && random.chance(15) {
            requires.extend(always_assumed(world, random, &name, value + 2));
        }
        ins.push(Var { name, ty, where_clause });
    }
    if random.chance(40) {
        random.shuffle(&mut requires);
    }
    if !requires.is_empty() {
        world.has("requires");
    }
    let types = [Ty::Int, Ty::Int, Ty::Int, Ty::Bool, Ty::Map, Ty::Bv8];
    let outs = (0..random.below(3)).map(|_| {
        let ty = world.ty(&types, random);
        let name = world.fresh("y");
        let where_clause = (ty == Ty::Int && kind != ProcedureKind::Inlined && random.chance(10))
            .then(|| {
                world.has("where clauses of parameters");
                format!("{name} > {}", random.below(4))
            });
        Var { name, ty, where_clause }
    });
    let outs = outs.collect();
    Signature { name: world.fresh("p"), ins, outs, witnesses, requires }
}

fn attributes(
    world: &mut World,
    random: &mut Random,
    kind: ProcedureKind,
    is_selective: bool,
) -> String {
    let mut attributes = String::new();
    if kind == ProcedureKind::Inlined {
        world.has(":inline");
        attributes.push_str(random.word(&["{:inline 1} ", "{:inline 1} ", "{:inline 2} "]));
    }
    if is_selective {
        world.has(":selective_checking");
        attributes.push_str("{:selective_checking} ");
    }
    if random.chance(15) {
        world.has("other attributes");
        attributes.push_str(random.word(&[
            "{:timeLimit 60} ",
            "{:priority 2} ",
            "{:entrypoint} ",
            "{:told \"x\", 3} ",
            "{:verify false} ",
            "{:verify true} ",
            "{:extern} ",
        ]));
    }
    attributes
}

fn requires_attribute(world: &mut World, random: &mut Random) -> &'static str {
    let list: &[&'static str] = match world.release {
        Release::Three if random.chance(20) => &["{:always_assume} "],
        _ => &["{:msg \"pre\"} ", "{:subsumption 0} ", "{:told 1} ", "{:id \"r\"} "],
    };
    attribute(world, random, list)
}

fn ensures_attribute(world: &mut World, random: &mut Random) -> &'static str {
    let list: &[&'static str] = match world.release {
        Release::Three if random.chance(20) => &["{:always_assume} "],
        _ => &[
            "{:InlineAssume} ",
            "{:InlineAssume} ",
            "{:msg \"post\"} ",
            "{:subsumption 0} ",
            "{:told 1} ",
            "{:start_checking_here} ",
            "{:verified_under true} ",
        ],
    };
    attribute(world, random, list)
}

fn attribute(world: &mut World, random: &mut Random, list: &[&'static str]) -> &'static str {
    if !random.chance(18) {
        return "";
    }
    let attribute = random.word(list);
    world.has(match attribute {
        "{:InlineAssume} " => ":InlineAssume",
        "{:always_assume} " => ":always_assume",
        "{:verified_under true} " => ":verified_under",
        "{:start_checking_here} " => ":start_checking_here",
        "{:subsumption 0} " => ":subsumption",
        a if a.starts_with("{:msg") => ":msg",
        _ => "other attributes",
    });
    attribute
}

/// A body, the globals that it modifies, and the facts at its end that callers can see.
struct Made {
    text: String,
    modifies: Vec<String>,
    facts: Vec<String>,
}

fn body(
    world: &mut World,
    random: &mut Random,
    signature: &Signature,
    kind: ProcedureKind,
    is_good: bool,
    is_selective: bool,
) -> Made {
    let locals = locals(world, random, kind);
    let mut vars = world.globals.clone();
    vars.extend(signature.ins.iter().chain(&signature.outs).cloned());
    vars.extend(locals.iter().map(|(var, _)| var.clone()));
    let mut facts: Vec<String> = Vec::new();
    for var in &vars {
        facts.extend(var.where_clause.clone());
    }
    facts.extend(signature.requires.iter().map(|clause| clause.condition.clone()));
    for global in &world.globals {
        facts.push(match global.ty {
            Ty::Bool => format!("({0} <==> old({0}))", global.name),
            _ => format!("{0} == old({0})", global.name),
        });
    }
    let ins: BTreeSet<&str> = signature.ins.iter().map(|var| var.name.as_str()).collect();
    let names = vars.iter().map(|var| var.name.clone());
    let assignable = names.filter(|name| !ins.contains(name.as_str()));
    let globals: Vec<String> = world.globals.iter().map(|var| var.name.clone()).collect();
    let may_write = |name: &String| !globals.contains(name) || random.chance(40);
    let assignable = assignable.filter(may_write).collect();
    let mut groups = vec!["scratch: int".to_owned(), "mm: [int]int".to_owned()];
    groups.extend(locals.into_iter().filter_map(|(_, group)| group));
    let mut body = Body {
        world,
        random,
        vars,
        assignable,
        facts,
        written: BTreeSet::new(),
        returns: Vec::new(),
        text: String::new(),
        is_good,
        is_selective,
        is_inlined: kind == ProcedureKind::Inlined,
        loops: Vec::new(),
    };
    if is_selective && body.random.chance(75) {
        body.block(1, 0);
        body.text.push_str("assume {:start_checking_here} true;\n");
    }
    let count = 2 + body.random.below(5);
    body.block(count, 2);
    if let Some(out) = signature.outs.iter().find(|out| out.ty == Ty::Int)
        && body.random.chance(70)
    {
        let value = body.random.below(5);
        let _ = writeln!(body.text, "{} := {value};", out.name);
        body.facts.retain(|fact| !mentions(fact, &out.name));
        let chain = chain(&out.name, value, body.random);
        let others = std::mem::replace(&mut body.facts, chain);
        body.facts.extend(others);
        body.written.insert(out.name.clone());
    }
    let visible = |fact: &String| {
        let hidden = |var: &Var| {
            let is_seen = signature.ins.iter().chain(&signature.outs).any(|v| v.name == var.name);
            !is_seen && !globals.contains(&var.name) && mentions(fact, &var.name)
        };
        !body.vars.iter().any(hidden) && !mentions(fact, "mm") && !mentions(fact, "scratch")
    };
    let mut facts: Vec<String> = body.facts.iter().filter(|fact| visible(fact)).cloned().collect();
    for returned in &body.returns {
        facts.retain(|fact| returned.contains(fact));
    }
    let modifies = body.written.iter().filter(|name| globals.contains(name)).cloned().collect();
    if facts.iter().any(|fact| fact.contains("old(")) {
        body.world.has("old");
    }
    Made { facts, modifies, text: body.finish(&groups) }
}

/// Local variables; the first of each group has the group's declaration.
fn locals(
    world: &mut World,
    random: &mut Random,
    kind: ProcedureKind,
) -> Vec<(Var, Option<String>)> {
    let types = [Ty::Int, Ty::Int, Ty::Int, Ty::Int, Ty::Bool, Ty::Map, Ty::Bv8, Ty::Real, Ty::U];
    let mut locals: Vec<(Var, Option<String>)> = Vec::new();
    for _ in 0..=random.below(3) {
        let ty = world.ty(&types, random);
        let mut names: Vec<String> = (0..=random.below(2)).map(|_| world.fresh("l")).collect();
        if ty == Ty::Int && random.chance(8) && !locals.iter().any(|(var, _)| var.name == "c0") {
            world.has("shadowed names");
            "c0".clone_into(&mut names[0]);
        }
        let has_where = ty == Ty::Int && kind != ProcedureKind::Inlined && random.chance(35);
        let where_clause = has_where.then(|| {
            world.has("where clauses of locals");
            let other = locals.iter().map(|(var, _)| var).find(|var| var.ty == Ty::Int);
            match (names.get(1), other) {
                (Some(second), _) => format!("{} < {second}", names[0]),
                (None, Some(other)) if random.chance(60) => {
                    format!("{} > {}", names[0], other.name)
                }
                _ => format!("{} > {}", names[0], random.below(5)),
            }
        });
        let clause = where_clause.as_ref().map(|c| format!(" where {c}")).unwrap_or_default();
        let mut group = Some(format!("{}: {}{clause}", names.join(", "), ty.name(random)));
        for name in names {
            let var = Var { name, ty, where_clause: where_clause.clone() };
            locals.push((var, group.take()));
        }
    }
    locals
}

fn params(vars: &[Var], with_where: bool, random: &mut Random) -> String {
    let params = vars.iter().map(|var| {
        let clause = var.where_clause.as_ref().filter(|_| with_where);
        let clause = clause.map(|clause| format!(" where {clause}")).unwrap_or_default();
        format!("{}: {}{clause}", var.name, var.ty.name(random))
    });
    params.collect::<Vec<_>>().join(", ")
}

/// The parameters and results.
fn face(signature: &Signature, with_where: bool, random: &mut Random) -> String {
    let mut face = format!("{}({})", signature.name, params(&signature.ins, with_where, random));
    if !signature.outs.is_empty() {
        let _ = write!(face, " returns ({})", params(&signature.outs, with_where, random));
    }
    face
}

#[expect(clippy::too_many_arguments, reason = "the parts of a procedure")]
fn emit(
    world: &mut World,
    random: &mut Random,
    kind: ProcedureKind,
    signature: &Signature,
    attributes: &str,
    modifies: &BTreeSet<String>,
    ensures: &[Clause],
    mut bodies: Vec<String>,
) {
    let is_apart = bodies.len() != 1 || random.chance(20);
    let mut text = format!("procedure {attributes}{}", face(signature, true, random));
    text.push_str(if is_apart { ";\n" } else { "\n" });
    let clause = |text: &mut String, word: &str, clause: &Clause| {
        let free = if clause.is_free { "free " } else { "" };
        let _ = writeln!(text, "  {free}{word} {}{};", clause.attribute, clause.condition);
    };
    for requires in &signature.requires {
        clause(&mut text, "requires", requires);
    }
    if !modifies.is_empty() {
        world.has("modifies");
        let names: Vec<&str> = modifies.iter().map(String::as_str).collect();
        let _ = writeln!(text, "  modifies {};", names.join(", "));
    }
    for one in ensures {
        clause(&mut text, "ensures", one);
    }
    if !is_apart && let Some(body) = bodies.pop() {
        text.push_str(&body);
    }
    world.procedures.push(text);
    if bodies.len() > 1 {
        world.has("several implementations");
    }
    for body in bodies {
        let inline = if kind == ProcedureKind::Inlined { attributes } else { "" };
        let face = face(signature, false, random);
        world.procedures.push(format!("implementation {inline}{face}\n{body}"));
    }
}
