//! Markers: lines put before each program of a shared process, which tell the tap whose queries
//! follow.
//!
//! A marker is written in the language that the verifier reads; those for Boogie are axioms. A
//! process that verifies several programs numbers skolem ids consecutively through all of them, and
//! the work of Z3 depends on these ids. A quantifier in the first declaration of a program has the
//! id that the program's first quantifier would have in a process of its own, plus the number of
//! ids used before. The tap does not forward the axiom, so that the solver receives what it would
//! receive for the program alone.
//!
//! Where Boogie numbers all names (`/normalizeNames:1`), the variable of a quantifier would shift
//! the numbers of the others. A ground axiom has no names. It does not tell skolem ids, and is for
//! runs that print none (`/emitDebugInformation:0`).
//!
//! Markers must not know how programs are written to files, nor what the tap does with what it
//! learns from them.

#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only the tap, which is for Linux only, reads markers")
)]

use std::fmt;

use serde::{Deserialize, Deserializer, de};

use crate::smt::canonical::{number_of, skolem_id};
use crate::smt::conversation::Marked;
use crate::smt::lex::{TokenKind, tokens};

/// A kind of marker.
pub struct Marker {
    /// The name in definitions.
    pub name: &'static str,
    /// The language of the programs that the marker can be put before.
    pub input: &'static str,
    write: fn(usize) -> String,
    read: fn(&[u8]) -> Option<Marked>,
}

/// All kinds of markers.
pub static MARKERS: [&Marker; 2] = [&BOOGIE_AXIOM, &BOOGIE_GROUND_AXIOM];

/// A quantified Boogie axiom that is trivially true.
static BOOGIE_AXIOM: Marker =
    Marker { name: "boogie-axiom", input: "boogie", write: axiom, read: read_axiom };

/// A Boogie axiom without names that is trivially true.
static BOOGIE_GROUND_AXIOM: Marker = Marker {
    name: "boogie-ground-axiom",
    input: "boogie",
    write: ground_axiom,
    read: read_ground_axiom,
};

impl Marker {
    /// The marker with the given name.
    pub fn find(name: &str) -> Option<&'static Marker> {
        MARKERS.into_iter().find(|marker| marker.name == name)
    }

    /// The first marker for programs in the given language.
    pub fn of_input(input: &str) -> Option<&'static Marker> {
        MARKERS.into_iter().find(|marker| marker.input == input)
    }

    /// The line to put before a program in a shared process. `program` is the number that the
    /// [records](super::QueryRecord::program) of the program will have.
    pub fn line(&self, program: usize) -> String {
        (self.write)(program)
    }

    /// Parses a solver command, if it is the translation of a marker. Only a trivially true command
    /// may be withheld from the solver.
    pub(crate) fn read(&self, command: &[u8]) -> Option<Marked> {
        (self.read)(command)
    }
}

impl fmt::Debug for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marker").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Deserialises the name of a marker.
pub(crate) fn named_marker<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'static Marker>, D::Error> {
    let name = String::deserialize(deserializer)?;
    Marker::find(&name).map(Some).ok_or_else(|| {
        let known: Vec<_> = MARKERS.iter().map(|marker| format!("`{}`", marker.name)).collect();
        de::Error::custom(format!("unknown marker `{name}`, expected one of {}", known.join(", ")))
    })
}

/// The prefix of the name of the axiom's bound variable; the number of the program follows. The
/// axiom holds for every value of it.
const VARIABLE: &str = "mugie$program";

/// Boogie 3 prunes no declaration with this attribute, and Boogie 2 does not know it.
const KEEP: &str = "{:keep}";

fn axiom(program: usize) -> String {
    let variable = format!("{VARIABLE}{program}");
    format!("axiom {KEEP} (forall {variable}: int :: {variable} == {variable});")
}

fn read_axiom(command: &[u8]) -> Option<Marked> {
    if !command.starts_with(b"(assert (forall ((mugie$") {
        return None;
    }
    let tokens = tokens(command).filter(|(kind, _)| *kind != TokenKind::Space);
    let tokens: Vec<&[u8]> = tokens.map(|(_, token)| token).collect();
    #[rustfmt::skip]
    let [b"(", b"assert", b"(", b"forall", b"(", b"(", variable, b"Int", b")", b")", b"(", b"!",
         b"(", b"=", left, right, b")", b":qid", _, b":skolemid", id, b")", b")", b")"] =
        tokens.as_slice()
    else {
        return None;
    };
    if left != variable || right != variable {
        return None;
    }
    let program = number_of(variable.strip_prefix(VARIABLE.as_bytes())?)?;
    Some(Marked {
        program: usize::try_from(program).ok()?,
        first_skolem: skolem_id(id)?.checked_add(1)?,
    })
}

/// The term by which the ground axiom is recognised. It is small: the order in which Boogie 3 sends
/// axioms with numbers beyond 32 bits changes from run to run.
const TERM: &str = "724901377";

fn ground_axiom(program: usize) -> String {
    format!("axiom {KEEP} {TERM} + {program} == {program} + {TERM};")
}

fn read_ground_axiom(command: &[u8]) -> Option<Marked> {
    if !command.starts_with(b"(assert (= (+ 7") {
        return None;
    }
    let tokens = tokens(command).filter(|(kind, _)| *kind != TokenKind::Space);
    let tokens: Vec<&[u8]> = tokens.map(|(_, token)| token).collect();
    #[rustfmt::skip]
    let [b"(", b"assert", b"(", b"=", b"(", b"+", term, program, b")", b"(", b"+", left, right, b")", b")", b")"] =
        tokens.as_slice()
    else {
        return None;
    };
    if *term != TERM.as_bytes() || right != term || left != program {
        return None;
    }
    Some(Marked { program: usize::try_from(number_of(program)?).ok()?, first_skolem: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: &str = "(assert (forall ((mugie$program12 Int) ) (! (= mugie$program12 \
                        mugie$program12)\r\n :qid |abpl.1:15|\r\n :skolemid |41|\r\n)))";

    #[test]
    fn a_marker_tells_the_program_and_where_its_skolem_ids_start() {
        assert_eq!(
            BOOGIE_AXIOM.read(READ.as_bytes()),
            Some(Marked { program: 12, first_skolem: 42 })
        );
        assert!(BOOGIE_AXIOM.line(12).contains("forall mugie$program12: int ::"));
    }

    #[test]
    fn a_marker_without_names_tells_the_program() {
        let read = "(assert (= (+ 724901377 12) (+ 12 724901377)))";
        let marked = Some(Marked { program: 12, first_skolem: 0 });
        assert_eq!(BOOGIE_GROUND_AXIOM.read(read.as_bytes()), marked);
        assert!(BOOGIE_GROUND_AXIOM.line(12).contains("724901377 + 12 == 12 + 724901377"));
        for (from, to) in [("(= ", "(< "), ("(+ 12 ", "(+ 13 "), ("12)", "x)"), ("77)))", "78)))")]
        {
            assert!(read.contains(from));
            assert_eq!(
                BOOGIE_GROUND_AXIOM.read(read.replacen(from, to, 1).as_bytes()),
                None,
                "{to}"
            );
        }
        assert_eq!(BOOGIE_AXIOM.read(read.as_bytes()), None);
    }

    #[test]
    fn what_says_something_is_no_marker() {
        for (from, to) in [
            ("forall", "exists"),
            ("(= mugie$program12 ", "(= mugie$program13 "),
            ("(= ", "(< "),
            ("((mugie$program12 Int)", "((mugie$program12@@0 Int)"),
            ("((mugie$program12 Int)", "((mugie$program Int)"),
            (" :skolemid |41|\r\n", ""),
        ] {
            assert!(READ.contains(from));
            assert_eq!(BOOGIE_AXIOM.read(READ.replacen(from, to, 1).as_bytes()), None, "{to}");
        }
    }
}
