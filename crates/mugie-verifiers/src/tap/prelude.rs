//! The prelude of a conversation in a shared process: what the verifier says before its first
//! `(push)`, which is the background of a program.
//!
//! The prelude is held back until it is complete, because the [marker](Marker) of the program is
//! somewhere in it: a verifier may sort the axioms.
//!
//! A verifier may keep the prelude of the *first* program of a process and repeat it from the second
//! query of each later program on, as Boogie 3.5 does. The solver would verify a program with the
//! axioms of another one. So if the tap is told that the verifier does so, it remembers the prelude
//! that the verifier sends after a full reset, for the first query of a program, and puts it in the
//! place of what the verifier sends for the others. A process that verifies the program alone sends
//! just that.
//!
//! This module must not know how commands are made canonical.

use super::Marker;
use crate::smt::conversation::{Marked, Meaning};
use crate::smt::lex::words;

/// A command, and the number of line ends before it.
type Command = (usize, Vec<u8>);

/// The preludes of the programs of a shared process.
#[derive(Debug)]
pub(super) struct Preludes {
    marker: &'static Marker,
    /// Whether the verifier repeats the prelude of the first program.
    is_stale: bool,
    /// Whether the prelude of the current conversation is incomplete.
    is_open: bool,
    held: Vec<Command>,
    /// Whether the next prelude belongs to the program at hand.
    is_new: bool,
    /// The last prelude that did.
    last: Option<Prelude>,
}

/// A complete prelude, without the marker.
#[derive(Clone, Debug)]
pub(super) struct Prelude {
    /// The content of the marker, if there was one.
    pub(super) marked: Option<Marked>,
    /// The other commands.
    pub(super) commands: Vec<Command>,
}

impl Preludes {
    /// Before the first command of a process. With `is_stale`, the verifier repeats the prelude of
    /// the first program.
    pub(super) fn new(marker: &'static Marker, is_stale: bool) -> Preludes {
        Preludes { marker, is_stale, is_open: true, held: Vec::new(), is_new: false, last: None }
    }

    /// A conversation begins. Returns what was held back of the last one, which ended before its
    /// prelude did. If that sets options only, it is a full reset: the verifier forgets the last
    /// program.
    pub(super) fn restart(&mut self) -> Vec<Command> {
        let held = self.give_up();
        let sets_option = |(_, command): &Command| words(command) == [b"set-option"];
        self.is_new |= !held.is_empty() && held.iter().all(sets_option);
        self.is_open = true;
        held
    }

    /// Whether the prelude is incomplete, so that commands have to be held back.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Holds a command back. Returns the prelude that the command completes, with this command at
    /// its end.
    pub(super) fn hold(
        &mut self,
        lines: usize,
        command: &[u8],
        meaning: Meaning,
    ) -> Option<Prelude> {
        let [head] = words(command);
        self.held.push((lines, command.to_vec()));
        let is_complete = head == b"push";
        if !is_complete && meaning == Meaning::Silent {
            return None;
        }
        self.is_open = false;
        let mut prelude = self.read();
        if self.is_stale {
            let end = prelude.commands.pop();
            if !is_complete {
                // Not what is expected of such a verifier.
                prelude.marked = None;
            } else if std::mem::take(&mut self.is_new) {
                self.last = Some(prelude.clone());
            } else {
                // Without an earlier one, it is not known what belongs here: a solver was restarted
                // in the middle of a program.
                prelude.marked = None;
                prelude = self.last.clone().unwrap_or(prelude);
            }
            prelude.commands.extend(end);
        }
        Some(prelude)
    }

    /// The commands that are still held back, when the rest is not understood.
    pub(super) fn give_up(&mut self) -> Vec<Command> {
        self.is_open = false;
        std::mem::take(&mut self.held)
    }

    fn read(&mut self) -> Prelude {
        let mut marked = None;
        let mut commands = std::mem::take(&mut self.held);
        commands.retain(|(_, command)| {
            let read = self.marker.read(command);
            marked = marked.or(read);
            read.is_none()
        });
        Prelude { marked, commands }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::conversation::meaning;

    fn marker() -> &'static Marker {
        Marker::find("boogie-ground-axiom").unwrap()
    }

    fn axiom(program: usize) -> String {
        format!("(assert (= (+ 724901377 {program}) (+ {program} 724901377)))")
    }

    /// The program and the commands of a prelude.
    type Found = (Option<usize>, Vec<String>);

    /// The program and the commands of the first prelude that the commands complete.
    fn hold(preludes: &mut Preludes, commands: &[&str]) -> Option<Found> {
        let complete =
            |command: &&str| preludes.hold(1, command.as_bytes(), meaning(command.as_bytes()));
        let Prelude { marked, commands } = commands.iter().find_map(complete)?;
        let text = |(_, command): Command| String::from_utf8(command).unwrap();
        Some((marked.map(|marked| marked.program), commands.into_iter().map(text).collect()))
    }

    fn found(program: Option<usize>, commands: &[&str]) -> Found {
        (program, commands.iter().map(|&command| command.to_owned()).collect())
    }

    fn reset_fully(preludes: &mut Preludes) {
        assert_eq!(preludes.restart(), []);
        let option = "(set-option :rlimit 0)";
        assert_eq!(hold(preludes, &[option]), None);
        assert_eq!(preludes.restart(), [(1, option.as_bytes().to_vec())]);
    }

    #[test]
    fn a_marker_may_stand_anywhere_in_a_prelude() {
        let mut preludes = Preludes::new(marker(), false);
        assert_eq!(hold(&mut preludes, &["(assert a)"]), None);
        assert!(preludes.is_open());
        let rest = [&axiom(7), "(assert b)", "(push 1)", "(assert c)"];
        let all = ["(assert a)", "(assert b)", "(push 1)"];
        assert_eq!(hold(&mut preludes, &rest), Some(found(Some(7), &all)));
        assert!(!preludes.is_open());
        assert_eq!(preludes.restart(), []);
        assert!(preludes.is_open());
        assert_eq!(hold(&mut preludes, &["(check-sat)"]), Some(found(None, &["(check-sat)"])));
    }

    #[test]
    fn a_stale_prelude_is_replaced_by_that_of_the_program() {
        let mut preludes = Preludes::new(marker(), true);
        reset_fully(&mut preludes);
        let one = hold(&mut preludes, &["(assert one)", &axiom(1), "(push 1)"]);
        assert_eq!(one, Some(found(Some(1), &["(assert one)", "(push 1)"])));
        reset_fully(&mut preludes);
        let two = hold(&mut preludes, &[&axiom(2), "(assert two)", "(push 1)"]);
        assert_eq!(two, Some(found(Some(2), &["(assert two)", "(push 1)"])));
        assert_eq!(preludes.restart(), []);
        let stale = hold(&mut preludes, &["(assert one)", &axiom(1), "(push 1)"]);
        assert_eq!(stale, two);
    }

    #[test]
    fn a_prelude_of_which_nothing_is_known_belongs_to_no_program() {
        let restarted = ["(assert one)", &axiom(1), "(push 1)"];
        let nobodys = Some(found(None, &["(assert one)", "(push 1)"]));
        assert_eq!(hold(&mut Preludes::new(marker(), true), &restarted), nobodys);
        let mut odd = Preludes::new(marker(), true);
        reset_fully(&mut odd);
        let asked = [&axiom(1), "(check-sat)"];
        assert_eq!(hold(&mut odd, &asked), Some(found(None, &["(check-sat)"])));
    }
}
