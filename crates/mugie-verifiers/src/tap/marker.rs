//! The marker: an axiom that tells the tap which program of a shared process it hears of.
//!
//! A process that verifies several programs counts skolem ids on from one to the next, and the work
//! of Z3 depends on them. A quantifier in the first declaration of a program has the id that the
//! first one of the program would have alone in a new process, but for the count so far. The tap
//! keeps the axiom to itself, so that the solver hears what it would hear of the program alone.

#[cfg(target_os = "linux")]
use super::canonical::{number_of, skolem_id};
#[cfg(target_os = "linux")]
use super::lex::{Kind, tokens};

/// What the variable of a marker is called, but for the number of its program. The axiom holds
/// for any meaning of it.
const VARIABLE: &str = "mugie$program";

/// The declaration to put before a program in a run of several. The number of the program is that of
/// its [records](super::QueryRecord::program).
pub fn marker(program: usize) -> String {
    let variable = format!("{VARIABLE}{program}");
    format!("axiom (forall {variable}: int :: {variable} == {variable});")
}

/// What a marker tells.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marked {
    /// The number of the program.
    pub(super) program: usize,
    /// Its first skolem id.
    pub(super) first_skolem: u64,
}

/// Reads a command, if it is what Boogie makes of a marker. Only what says nothing may be kept from
/// the solver.
#[cfg(target_os = "linux")]
pub(super) fn read(command: &[u8]) -> Option<Marked> {
    if !command.starts_with(b"(assert (forall ((mugie$") {
        return None;
    }
    let tokens = tokens(command).filter(|(kind, _)| *kind != Kind::Space);
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const READ: &str = "(assert (forall ((mugie$program12 Int) ) (! (= mugie$program12 \
                        mugie$program12)\r\n :qid |abpl.1:15|\r\n :skolemid |41|\r\n)))";

    #[test]
    fn a_marker_tells_the_program_and_where_its_skolem_ids_start() {
        assert_eq!(read(READ.as_bytes()), Some(Marked { program: 12, first_skolem: 42 }));
        assert!(marker(12).contains("forall mugie$program12: int ::"));
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
            assert_eq!(read(READ.replacen(from, to, 1).as_bytes()), None, "{to}");
        }
    }
}
