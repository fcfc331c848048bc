//! The way back from a Boogie program that Carbon printed to the user's `.vpr`.
//!
//! A proof obligation has the place in Carbon's message for it, which is the one that Carbon reports. Anything else has the
//! place of the statement in whose translation it is, and what belongs to no statement, such as Carbon's preamble, has no
//! place there.

use mugie_core::{Back, Location, SeedPlace};

use crate::names::FileNames;
use crate::printed::Printed;

/// The way back to a `.vpr`.
#[derive(Debug)]
pub(crate) struct CarbonBack {
    printed: Printed,
}

impl CarbonBack {
    /// The way back from a printed program.
    pub(crate) fn new(text: &str, names: &FileNames) -> CarbonBack {
        CarbonBack { printed: Printed::read(text, names) }
    }
}

impl Back for CarbonBack {
    fn goal(&self, name: &str) -> String {
        let found = self.printed.procedures.iter().find(|it| it.name == name);
        found.map_or_else(|| name.to_owned(), |it| it.member.clone())
    }

    fn place(&self, place: SeedPlace) -> SeedPlace {
        let reported =
            self.printed.obligations.get(&place.line).and_then(|message| message.place.as_ref());
        let (found, exact) = match (reported, self.printed.before(place.line)) {
            (Some(found), _) => (found, place.exact),
            (None, Some(found)) => (found, false),
            (None, None) => return place,
        };
        let Location { file, line, column } = found.clone();
        SeedPlace { file, line, column, exact }
    }

    fn description(&self, place: &SeedPlace) -> Option<String> {
        self.printed.obligations.get(&place.line).map(|message| message.text.clone())
    }

    fn part(&self, line: u32) -> Option<String> {
        Some(self.printed.part(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printed::tests::{TEXT, names};

    #[test]
    fn places_are_those_of_carbons_messages() {
        let back = CarbonBack::new(TEXT, &names());
        let place = |line| SeedPlace { file: "t.bpl".to_owned(), line, column: 5, exact: true };
        let found = |line| {
            let SeedPlace { file, line, column, exact } = back.place(place(line));
            (file, line, column, exact)
        };
        assert_eq!(found(17), ("d/t.vpr".to_owned(), 2, 1, true));
        // Carbon has no place for it.
        assert_eq!(found(28), ("d/t.vpr".to_owned(), 6, 3, false));
        assert_eq!(found(10), ("t.bpl".to_owned(), 10, 5, true));
        assert_eq!(back.description(&place(28)).as_deref(), Some("Assert might fail."));
        assert_eq!(back.goal("f#definedness"), "f");
        assert_eq!(back.goal("other"), "other");
    }
}
