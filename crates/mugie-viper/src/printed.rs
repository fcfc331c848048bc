//! A Boogie program that Carbon printed: which part of it belongs to which member of the Viper program, and what Carbon says
//! about its proof obligations.
//!
//! Every assertion that Carbon writes has a `{:msg}` with Carbon's words and the place in the `.vpr`; comments name the
//! member before its translation, and the statement.

use std::collections::BTreeMap;

use mugie_core::Location;

use crate::names::FileNames;
use crate::places;

/// The line above and below the title of a section.
const BAR: &str = "// ==================================================";

/// What follows the name of a function or method whose termination is checked in a method of its own.
const TERMINATION: &str = "_termination_proof";

/// A printed program.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    /// In the order of the program.
    pub(crate) procedures: Vec<Procedure>,
    /// Titles by the first line of a section.
    sections: BTreeMap<u32, Section>,
    /// What is to be proved, by the line of the assertion.
    pub(crate) obligations: BTreeMap<u32, Message>,
    /// The places of statements, by the line of the comment before their translation.
    statements: BTreeMap<u32, Location>,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Procedure {
    /// Boogie's name: `length#definedness`.
    pub(crate) name: String,
    /// The name of the member of the Viper program: `length`.
    pub(crate) member: String,
    /// The lines of its text, from 1, the last one included.
    lines: (u32, u32),
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Section {
    /// What Carbon adds to every program.
    Preamble,
    /// The translation of a member: `method`, and its name.
    Member { kind: String, name: String },
    /// Anything else: `all fields`.
    Other(String),
}

/// Carbon's words for a proof obligation that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// Without the place.
    pub(crate) text: String,
    /// The place, if Carbon has one.
    pub(crate) place: Option<Location>,
}

impl Printed {
    /// Reads a printed program.
    pub(crate) fn read(text: &str, names: &FileNames) -> Printed {
        let mut printed = Printed::default();
        let mut previous = "";
        for (number, line) in (1..).zip(text.lines()) {
            let words = line.trim();
            if let Some(message) = message(words) {
                let (text, place) = places::split(message, names);
                printed.obligations.insert(number, Message { text, place });
            } else if let Some(statement) = words.strip_prefix("// -- Translating statement: ") {
                let place = statement.rsplit_once(" -- ").map(|(_, place)| place);
                let place = place.and_then(|place| places::whole(place, names));
                printed.statements.extend(place.map(|place| (number, place)));
            } else if previous == BAR {
                printed.sections.extend(Section::of(words).map(|section| (number, section)));
            } else if let Some(head) = line.strip_prefix("procedure ") {
                let name = head.split_once('(').map_or(head, |(name, _)| name).trim().to_owned();
                let member = name.clone();
                printed.procedures.push(Procedure { name, member, lines: (number, u32::MAX) });
            } else if line == "}"
                && let Some(last) = printed.procedures.last_mut()
                && last.lines.1 == u32::MAX
            {
                last.lines.1 = number;
            }
            previous = words;
        }
        printed.name_procedures();
        printed
    }

    /// Gives the procedures the names of members.
    fn name_procedures(&mut self) {
        let is_member = |name: &str| self.sections.values().any(|it| it.name() == Some(name));
        for procedure in &mut self.procedures {
            let section = self.sections.range(..procedure.lines.0).next_back();
            let Some(member) = section.and_then(|(_, section)| section.name()) else { continue };
            let terminating = member.strip_suffix(TERMINATION).filter(|name| is_member(name));
            procedure.member = match terminating {
                Some(name) => format!("{name} (termination)"),
                None => member.to_owned(),
            };
        }
    }

    /// The procedure that a line belongs to.
    pub(crate) fn procedure(&self, line: u32) -> Option<&Procedure> {
        self.procedures.iter().find(|it| (it.lines.0..=it.lines.1).contains(&line))
    }

    /// The place of the last statement or proof obligation before a line, in the same procedure.
    pub(crate) fn before(&self, line: u32) -> Option<&Location> {
        let range = self.procedure(line)?.lines.0..=line;
        let statement = self.statements.range(range.clone()).next_back();
        let mut obligations = self.obligations.range(range).rev();
        let obligation = obligations.find_map(|(line, it)| Some((line, it.place.as_ref()?)));
        statement.into_iter().chain(obligation).max_by_key(|(line, _)| **line).map(|(_, it)| it)
    }

    /// The section that a line belongs to, in the words of the user.
    pub(crate) fn part(&self, line: u32) -> String {
        match self.sections.range(..=line).next_back() {
            None | Some((_, Section::Preamble)) => "Carbon's preamble".to_owned(),
            Some((_, Section::Member { kind, name })) => format!("{kind} `{name}`"),
            Some((_, Section::Other(title))) => title.clone(),
        }
    }
}

impl Section {
    /// The section with a title.
    fn of(title: &str) -> Option<Section> {
        let title = title.strip_prefix("// ")?;
        if title.starts_with("Preamble of ") {
            return Some(Section::Preamble);
        }
        let title = title.strip_prefix("Translation of ")?;
        Some(match title.split_once(' ') {
            Some((kind @ ("method" | "function" | "predicate" | "domain"), name)) => {
                Section::Member { kind: kind.to_owned(), name: name.to_owned() }
            }
            _ => Section::Other(title.to_owned()),
        })
    }

    fn name(&self) -> Option<&str> {
        match self {
            Section::Member { name, .. } => Some(name),
            Section::Preamble | Section::Other(_) => None,
        }
    }
}

/// The message of an assertion without Carbon's number: `assert {:msg "  It fails. (x.vpr@1.2--1.5) [7]"}`.
fn message(line: &str) -> Option<&str> {
    let (_, message) = line.strip_prefix("assert ")?.split_once("{:msg \"")?;
    let (message, _) = message.rsplit_once("\"}")?;
    let (words, number) = message.rsplit_once(" [")?;
    number.strip_suffix(']')?.parse::<u64>().ok()?;
    Some(words)
}

/// The program without what Carbon says about the run at its beginning: date, arguments and paths. The lines remain.
pub(crate) fn without_circumstances(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut is_head = true;
    for line in text.split_inclusive('\n') {
        is_head = is_head && line.starts_with("//");
        let stays = line.starts_with("// Translation of ") || line.starts_with("// Tool: ");
        made += if is_head && !stays { "//\n" } else { line };
    }
    made
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const TEXT: &str = "// 
// Translation of Viper program.
// Date:         2026-11-18 08:13:36
// Tool:         carbon 1.0

// ==================================================
// Preamble of State module.
// ==================================================

function  state(Heap: HeapType, Mask: MaskType): bool;
// ==================================================
// Translation of function f
// ==================================================

procedure f#definedness(x: Ref) returns (Result: int)
{
    assert {:msg \"  Function might not be well-formed. No access to x.a (t.vpr@2.1--4.2) [7]\"}
      true;
}
// ==================================================
// Translation of method f_termination_proof
// ==================================================

procedure f_termination_proof_1(n: int) returns ()
{
  // -- Translating statement: assert n > 0 -- t.vpr@6.3--6.9
    n := 2;
    assert {:msg \"  Assert might fail. (<no position>) [8]\"}
      n > 0;
}
";

    pub(crate) fn names() -> FileNames {
        FileNames::from([("t.vpr".to_owned(), "d/t.vpr".to_owned())])
    }

    #[test]
    fn members_and_messages_are_found() {
        let printed = Printed::read(TEXT, &names());
        let rows: Vec<_> =
            printed.procedures.iter().map(|it| (it.name.as_str(), it.member.as_str())).collect();
        assert_eq!(rows, [("f#definedness", "f"), ("f_termination_proof_1", "f (termination)")]);
        let Some(Message { text, place: Some(place) }) = printed.obligations.get(&17) else {
            panic!("{printed:?}")
        };
        assert_eq!(text, "Function might not be well-formed. No access to x.a");
        assert_eq!((place.file.as_str(), place.line, place.column), ("d/t.vpr", 2, 1));
        assert_eq!(printed.before(27).map(|it| (it.line, it.column)), Some((6, 3)));
        assert_eq!(printed.before(10), None);
        assert_eq!(printed.part(10), "Carbon's preamble");
        assert_eq!(printed.part(17), "function `f`");
    }

    #[test]
    fn the_same_program_is_printed_alike_every_time() {
        let text = without_circumstances(TEXT);
        assert_eq!(text.lines().count(), TEXT.lines().count());
        assert!(!text.contains("2026") && text.contains("// Tool:         carbon 1.0\n"));
        assert!(text.contains("// Translation of Viper program.\n") && text.contains("Preamble"));
    }
}
