//! The way back from a Boogie program that Dafny printed to the user's `.dfy`.
//!
//! A proof obligation has the place that Dafny gives it in its own report, if that was [learnt](Back::learn). Anything else
//! has the place of the statement in whose translation it is: Dafny writes it as a comment before the statement. What
//! belongs to no statement of the user, such as Dafny's prelude, has no place there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use mugie_core::{Back, Location, Obligation, SeedPlace};
use regex::Regex;

use crate::implementations::{Implementation, implementations};
use crate::places::{FileNames, place_at_start};

/// The way back to a `.dfy`.
#[derive(Debug)]
pub(crate) struct DafnyBack {
    names: FileNames,
    implementations: Vec<Implementation>,
    /// The statements, by the line of the comment before their translation.
    statements: BTreeMap<u32, Location>,
    /// The body of an implementation, by its first line: where a method without `return` ends, for Dafny.
    bodies: BTreeMap<u32, Location>,
    /// The proof obligations, by their places in the printed program.
    obligations: OnceLock<BTreeMap<(u32, u32), Obligation>>,
    /// The first line after Dafny's prelude.
    user_part: u32,
}

/// `// ----- assert statement ----- /path/x.dfy(24,10)`, with columns from 1.
static STATEMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^ *// -+ (?:.*) -+ (.*\.dfy\(\d+,\d+\))$").ok());

/// `{:captureState "x.dfy(4,2): initial state"}`, with columns from 0.
static BODY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\{:captureState "(.*\.dfy\(\d+,\d+\)): initial state"\}"#).ok());

impl DafnyBack {
    /// The way back from a printed program to the files of the user.
    pub(crate) fn new(text: &str, files: &[PathBuf]) -> DafnyBack {
        let implementations = implementations(text);
        let (mut statements, mut bodies) = (BTreeMap::new(), BTreeMap::new());
        for (number, line) in (1..).zip(text.lines()) {
            let found = |pattern: &LazyLock<Option<Regex>>| {
                let place = pattern.as_ref()?.captures(line)?.get(1)?.as_str();
                Some(place_at_start(place)?.0)
            };
            if let Some(place) = found(&STATEMENT) {
                statements.insert(number, place);
            } else if let Some(Location { file, line, column }) = found(&BODY) {
                bodies.insert(number, Location { file, line, column: column + 1 });
            }
        }
        let mentioned = statements.values().map(|place: &Location| place.file.as_str());
        let names = FileNames::new(files, mentioned);
        // The prelude has no names of Dafny's; the user's declarations begin with the first of them.
        let first = (1..).zip(text.lines()).find(|(_, line)| line.contains("{:verboseName \""));
        let user_part = first.map_or(1, |(number, _)| number);
        DafnyBack {
            names,
            implementations,
            statements,
            bodies,
            obligations: OnceLock::new(),
            user_part,
        }
    }

    fn obligation(&self, place: &SeedPlace) -> Option<&Obligation> {
        self.obligations.get()?.get(&(place.line, place.column))
    }

    fn implementation(&self, line: u32) -> Option<&Implementation> {
        self.implementations.iter().find(|it| (it.lines.0..=it.lines.1).contains(&line))
    }

    /// The place of a line, and whether it is exactly that.
    fn around(&self, line: u32) -> Option<(Location, bool)> {
        let implementation = self.implementation(line)?;
        let (first, last) = implementation.lines;
        let body = self.bodies.range(first..=last).next().map(|(_, place)| place.clone());
        if line == last {
            return body.map(|place| (place, true));
        }
        let statement = self.statements.range(first..=line).next_back();
        statement.map(|(_, place)| (place.clone(), false)).or(body.map(|place| (place, false)))
    }
}

impl Back for DafnyBack {
    fn goal(&self, name: &str) -> String {
        let found = self.implementations.iter().find(|it| it.name == name);
        found.map_or_else(|| name.to_owned(), Implementation::told_name)
    }

    fn place(&self, place: SeedPlace) -> SeedPlace {
        let (found, exact) = match self.obligation(&place) {
            Some(obligation) => (obligation.place.clone(), place.exact),
            None => match self.around(place.line) {
                Some((found, exact)) => (found, exact && place.exact),
                None => return place,
            },
        };
        let Location { file, line, column } = self.names.in_user_words(&found);
        SeedPlace { file, line, column, exact }
    }

    fn description(&self, place: &SeedPlace) -> Option<String> {
        self.obligation(place)?.description.clone()
    }

    fn shown(&self, place: &SeedPlace) -> Option<String> {
        // Dafny counts columns from 0.
        let is_users =
            Path::new(&place.file).extension().is_some_and(|extension| extension == "dfy");
        is_users
            .then(|| format!("{}({},{})", place.file, place.line, place.column.saturating_sub(1)))
    }

    fn part(&self, line: u32) -> Option<String> {
        if line < self.user_part {
            return Some("Dafny's prelude".to_owned());
        }
        let name = self.implementation(line).map(|it| format!("`{}`", it.told_name()));
        Some(name.unwrap_or_else(|| "another declaration of the program".to_owned()))
    }

    fn learn(&self, obligations: Vec<(Location, Obligation)>) {
        let places =
            obligations.into_iter().map(|(at, obligation)| ((at.line, at.column), obligation));
        // Learnt once; a second report on the same program says the same.
        let _ = self.obligations.set(places.collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "type Ty;
implementation {:verboseName \"Max (correctness)\"} Impl$$_module.__default.Max(a#0: int)
{
    assume {:captureState \"x.dfy(4,2): initial state\"} true;
    // ----- call statement ----- /d/x.dfy(5,13)
    assume true;
    assert {:id \"id3\"} a#0 > 0;
}
";

    fn place(line: u32, column: u32) -> SeedPlace {
        SeedPlace { file: "out.bpl".to_owned(), line, column, exact: true }
    }

    #[test]
    fn places_come_from_dafnys_report_or_from_its_comments() {
        let back = DafnyBack::new(TEXT, &[PathBuf::from("/d/x.dfy")]);
        let found = |line, column| {
            let SeedPlace { file, line, column, exact } = back.place(place(line, column));
            (file, line, column, exact)
        };
        assert_eq!(found(7, 5), ("/d/x.dfy".to_owned(), 5, 13, false));
        // A postcondition that fails at the end of a body is reported at its beginning.
        assert_eq!(found(8, 1), ("/d/x.dfy".to_owned(), 4, 3, true));
        assert_eq!(found(1, 1), ("out.bpl".to_owned(), 1, 1, true));
        let at = Location { file: "out.bpl".to_owned(), line: 7, column: 5 };
        let obligation = Obligation {
            place: Location { file: "x.dfy".to_owned(), line: 5, column: 20 },
            description: Some("index in range".to_owned()),
        };
        back.learn(vec![(at, obligation)]);
        assert_eq!(found(7, 5), ("/d/x.dfy".to_owned(), 5, 20, true));
        assert_eq!(back.description(&place(7, 5)).as_deref(), Some("index in range"));
        let shown = back.shown(&back.place(place(7, 5)));
        assert_eq!(shown.as_deref(), Some("/d/x.dfy(5,19)"));
        assert_eq!(back.part(1).as_deref(), Some("Dafny's prelude"));
        assert_eq!(back.part(7).as_deref(), Some("`Max (correctness)`"));
    }
}
