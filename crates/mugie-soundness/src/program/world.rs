//! The declarations that the procedures of a random program can use: types, constants, functions,
//! globals.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::shapes::PROBE;
use super::{Generated, mentions};
use crate::Release;
use crate::random::Random;

/// The types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Int,
    Bool,
    Bv8,
    Real,
    /// A map from integers to integers.
    Map,
    /// An uninterpreted type.
    U,
    /// A datatype of Boogie 3.
    Data,
}

impl Ty {
    /// The type's syntax.
    pub(super) fn name(self, random: &mut Random) -> &'static str {
        match self {
            Ty::Int if random.chance(10) => "Syn",
            Ty::Map if random.chance(10) => "MapSyn",
            Ty::Int => "int",
            Ty::Bool => "bool",
            Ty::Bv8 => "bv8",
            Ty::Real => "real",
            Ty::Map => "[int]int",
            Ty::U => "U",
            Ty::Data => "D",
        }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Ty,
    /// The `where` clause.
    pub(super) where_clause: Option<String>,
}

/// A procedure that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) name: String,
    pub(super) ins: Vec<Var>,
    pub(super) outs: Vec<Var>,
    /// For each parameter, a value that satisfies the preconditions.
    pub(super) witnesses: Vec<String>,
    pub(super) modifies: Vec<String>,
    /// The facts after a call, in terms of parameters and globals.
    pub(super) ensures: Vec<String>,
}

/// Declarations that are included if they are used: name, declaration, and construct in the table.
const CATALOGUE: &[(&str, &str, &str)] = &[
    ("U", "type U;", "types"),
    ("Syn", "type Syn = int;", "type synonyms"),
    ("MapSyn", "type MapSyn = [int]Syn;", "type synonyms"),
    ("f0", "function f0(x: int): int;", "functions"),
    ("f1", "function f1(x: int, y: int): int { x + 2 * y }", "functions with a body"),
    ("f2", "function {:inline} f2(x: int): bool { x > 2 && x < 9 }", "functions inlined"),
    ("f3", "function f3(x: int) returns (bool) { f2(x) || 0 == x }", "functions with a body"),
    ("f4", "function f4(x: int, b: bool): bool;", "functions"),
    (
        "f5",
        "function {:inline true} f5(x: int, y: int): int { if x < y then y else x }",
        "functions inlined",
    ),
    ("fm", "function fm(m: [int]bool): int;", "functions"),
    ("fu", "function fu(u: U): int;", "functions"),
    ("fd", "function {:weight 3} fd(x: int): int { x - 1 }", "functions with a body"),
    ("fk", "function fk(): int { 7 }", "functions with a body"),
    ("add8", "function {:bvbuiltin \"bvadd\"} add8(x: bv8, y: bv8): bv8;", "bitvectors"),
    ("ult8", "function {:bvbuiltin \"bvult\"} ult8(x: bv8, y: bv8): bool;", "bitvectors"),
    ("div0", "function {:builtin \"div\"} div0(x: int, y: int): int;", "functions built in"),
    (
        "fx",
        "function fx(x: int): int;\n\naxiom (forall x: int :: {fx(x)} fx(x) == x + 4);",
        "axioms that define",
    ),
    ("u0", "const unique u0, u1, u2: U;", "unique constants"),
    ("k0", "const k0: bool;", "constants"),
];

/// Further declarations of this kind for Boogie 3.
const THREE: &[(&str, &str, &str)] = &[
    ("D", "datatype D { D0(n: int), D1(m: int, b: bool) }", "datatypes"),
    (
        "fz",
        "function fz(x: int): int uses {\n  axiom (forall x: int :: {fz(x)} fz(x) == x + 4);\n}",
        "functions with uses",
    ),
];

/// Further declarations of this kind for programs with type parameters.
const POLYMORPHIC: &[(&str, &str)] = &[
    ("id", "function id<A>(x: A): A;"),
    ("pair", "function pair<A, B>(x: A, y: B): Box;"),
    ("PM", "type PM = <A>[Field A]A;"),
    ("Field", "type Field _;"),
    ("Box", "type Box;"),
    ("fld", "const unique fld: Field int;"),
];

/// Declarations that Boogie ignores.
const IGNORED: &[&str] = &[
    "axiom {:ignore} c0 == 99;",
    "function {:ignore} ignored(x: int): int { x }",
    "const {:ignore} ignored: int;",
    "procedure {:ignore} ignored(x: int) { assert x > 3; }",
];

/// Declarations that nothing refers to.
const UNUSED: &[&str] = &[
    "type Unused _;",
    "const spare0, spare1: int;",
    "function spare2(x: int): int;",
    "function spare3(x: int): int { x + x }",
    "function {:inline} spare4(x: int): int { x + 1 }",
    "var spare5: int;",
    "procedure spare6(x: int) returns (y: int);",
    "procedure spare7(x: int) returns (y: int);\n  requires x > 0 && x < 3;\n  ensures y > 0;\n  ensures y < 9;",
    "function {:bvbuiltin \"bvnot\"} spare8(x: bv8): bv8;",
    "const {:spare} spare9: [int]bool;",
    "function {:never_pattern} spare10(x: int): int { x - 1 }",
    "type {:spare} Spare11 a = [a]int;",
];

/// The declarations of a random program.
#[derive(Debug)]
pub(super) struct World {
    pub(super) release: Release,
    /// Whether the program has type parameters.
    pub(super) is_polymorphic: bool,
    pub(super) globals: Vec<Var>,
    /// Integer constants with the value that axioms must not contradict.
    pub(super) constants: Vec<(String, i64)>,
    pub(super) callees: Vec<Callee>,
    pub(super) constructs: BTreeSet<&'static str>,
    /// Declarations of procedures and implementations.
    pub(super) procedures: Vec<String>,
    /// Declarations that precede all others.
    pub(super) first: Vec<String>,
    /// The number of the next fresh name.
    pub(super) next: usize,
    others: Vec<String>,
}

impl World {
    /// A world without procedures.
    pub(super) fn new(release: Release, random: &mut Random) -> World {
        let mut world = World {
            release,
            // Such programs take much longer in Boogie 3.
            is_polymorphic: random.chance(if release == Release::Two { 12 } else { 8 }),
            globals: Vec::new(),
            constants: Vec::new(),
            callees: Vec::new(),
            constructs: BTreeSet::new(),
            procedures: Vec::new(),
            first: Vec::new(),
            next: 0,
            others: Vec::new(),
        };
        world.add_constants(random);
        world.add_globals(random);
        if random.chance(3) {
            // The body is an axiom that contradicts the built-in meaning.
            world.others.push("function {:builtin \"0\"} zero(): int { 1 }".to_owned());
            world.has("functions built in with a body");
        }
        if random.chance(10) {
            world.has(":ignore");
            world.others.push(random.word(IGNORED).to_owned());
        }
        world
    }

    /// Records that a construct occurs.
    pub(super) fn has(&mut self, construct: &'static str) {
        self.constructs.insert(construct);
    }

    /// A fresh name.
    pub(super) fn fresh(&mut self, start: &str) -> String {
        self.next += 1;
        format!("{start}{}", self.next)
    }

    /// One of several types, or one that only some releases have.
    pub(super) fn ty(&self, types: &[Ty], random: &mut Random) -> Ty {
        if self.release == Release::Three && random.chance(15) {
            return Ty::Data;
        }
        *random.pick(types)
    }

    fn add_constants(&mut self, random: &mut Random) {
        for index in 0..=random.below(3) {
            let value = i64::try_from(random.below(8)).unwrap_or(0);
            self.constants.push((format!("c{index}"), value));
        }
        let names: Vec<&str> = self.constants.iter().map(|(name, _)| name.as_str()).collect();
        self.others.push(format!("const {}: int;", names.join(", ")));
        self.constructs.insert("constants");
        for _ in 0..random.below(4) {
            let first = self.ground(random);
            let axiom = if random.chance(40) {
                let second = self.ground(random);
                format!("{first} && {second}")
            } else {
                first
            };
            self.others.push(format!("axiom {axiom};"));
            self.constructs.insert("axioms");
        }
        if random.chance(60) {
            let axiom = random.word(&[
                "(forall x: int, b: bool :: {f4(x, b)} {f0(x), f4(0, b)} f4(x, b) ==> f4(x, b))",
                "(forall x: int, y: int :: {f0(x), f0(y)} f0(x) < f0(y) || f0(x) >= f0(y))",
                "(forall x, y: int, b: bool :: {f1(x, y), f4(x, b)} b ==> b)",
                "(forall b: bool, c: bool :: {:weight 2} {f4(0, b), f4(1, c)} {f4(1, b), f4(0, c)} b || !b || c)",
            ]);
            self.others.push(format!("axiom {axiom};"));
            self.constructs.insert("axioms with quantifiers");
        }
    }

    /// A condition that holds for the constants.
    fn ground(&mut self, random: &mut Random) -> String {
        let (name, value) = random.pick(&self.constants).clone();
        let (other, its) = random.pick(&self.constants).clone();
        let bound = i64::try_from(random.below(9)).unwrap_or(0);
        match random.below(4) {
            0 if name != other && value < its => format!("{name} < {other}"),
            0 if name != other && value > its => format!("{name} > {other} - 1"),
            1 => format!("f0({bound}) >= {bound}"),
            _ if value < bound => format!("{name} < {bound}"),
            _ if value > bound => format!("{name} > {bound}"),
            _ => format!("{name} == {value}"),
        }
    }

    fn add_globals(&mut self, random: &mut Random) {
        let types = [Ty::Int, Ty::Int, Ty::Int, Ty::Bool, Ty::Map, Ty::Bv8, Ty::Real, Ty::U];
        let count = 2 + random.below(4);
        let mut groups: Vec<String> = Vec::new();
        for index in 0..count {
            let ty = if index == 0 { Ty::Int } else { self.ty(&types, random) };
            let name = format!("g{index}");
            let where_clause = (ty == Ty::Int && random.chance(25)).then(|| {
                self.has("where clauses of globals");
                match self.globals.iter().find(|other| other.ty == Ty::Int) {
                    Some(other) if random.chance(40) => format!("{name} > {}", other.name),
                    _ => format!("{name} >= {}", random.below(5)),
                }
            });
            let clause = where_clause.as_ref().map(|e| format!(" where {e}")).unwrap_or_default();
            groups.push(format!("{name}: {}{clause}", ty.name(random)));
            self.globals.push(Var { name, ty, where_clause });
        }
        while !groups.is_empty() {
            let count = (1 + random.below(3)).min(groups.len());
            let group: Vec<String> = groups.drain(..count).collect();
            self.others.push(format!("var {};", group.join(", ")));
        }
    }

    /// The whole program.
    pub(super) fn finish(mut self, random: &mut Random) -> Generated {
        if self.is_polymorphic {
            self.has("type parameters");
        }
        let mut decls = std::mem::take(&mut self.procedures);
        for unused in UNUSED {
            // Boogie 3 monomorphises a program with type parameters, and fails if it concatenates
            // bitvectors.
            let is_fine = self.release == Release::Two
                || *unused != "type Unused _;"
                || !decls.iter().any(|decl| decl.contains(" ++ "));
            if random.chance(20) && is_fine {
                self.others.push((*unused).to_owned());
                self.has("declarations that nothing uses");
            }
        }
        decls.append(&mut self.others);
        let mut text = decls.join("\n");
        let mut added = BTreeSet::new();
        loop {
            let before = added.len();
            let catalogue = CATALOGUE.iter().map(|(name, decl, what)| (*name, *decl, *what));
            // An attribute may contain one of the names.
            let polymorphic = if self.is_polymorphic { POLYMORPHIC } else { &[] };
            let polymorphic =
                polymorphic.iter().map(|(name, decl)| (*name, *decl, "type parameters"));
            let three = if self.release == Release::Three { THREE } else { &[] };
            let three = three.iter().map(|(name, decl, what)| (*name, *decl, *what));
            for (name, decl, what) in catalogue.chain(polymorphic).chain(three) {
                let others: &[&str] = match name {
                    "u0" => &["u1", "u2"],
                    "D" => &["D0", "D1"],
                    _ => &[],
                };
                let is_wanted =
                    mentions(&text, name) || others.iter().any(|other| mentions(&text, other));
                if is_wanted && added.insert(name) {
                    let _ = write!(text, "\n{decl}");
                    decls.push(decl.to_owned());
                    self.has(what);
                }
            }
            if added.len() == before {
                break;
            }
        }
        random.shuffle(&mut decls);
        self.first.append(&mut decls);
        let text = self.first.join("\n\n") + "\n";
        Generated {
            probe: text.replace(PROBE, "assert false;\n"),
            text: text.replace(PROBE, ""),
            constructs: self.constructs,
        }
    }
}
