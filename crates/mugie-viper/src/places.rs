//! Places in Viper's files, as Carbon writes them behind its messages: `(x.vpr@12.5--12.9)`.

use mugie_core::Location;

use crate::names::FileNames;

/// What Carbon writes for a place that it does not know.
const NOWHERE: &str = "<no position>";

/// A message of Carbon without its place, and the place, in the words of the user.
pub(crate) fn split(message: &str, names: &FileNames) -> (String, Option<Location>) {
    let message = message.trim();
    let Some(inner) = message.strip_suffix(')') else { return (message.to_owned(), None) };
    if let Some(words) = inner.strip_suffix(NOWHERE).and_then(|it| it.strip_suffix('(')) {
        return (words.trim_end().to_owned(), None);
    }
    let Some((before, line, column)) = position(inner) else { return (message.to_owned(), None) };
    // The name of a file may have parentheses and spaces itself.
    let known =
        names.bare().find_map(|name| Some((before.strip_suffix(name)?.strip_suffix('(')?, name)));
    let Some((words, file)) = known.or_else(|| before.rsplit_once('(')) else {
        return (message.to_owned(), None);
    };
    let place = Location { file: names.in_user_words(file), line, column };
    (words.trim_end().to_owned(), Some(place))
}

/// The place that a text is: `x.vpr@12.5--12.9`.
pub(crate) fn whole(text: &str, names: &FileNames) -> Option<Location> {
    let (file, line, column) = position(text.trim())?;
    Some(Location { file: names.in_user_words(file), line, column })
}

/// A text that ends with `@LINE.COLUMN`, or a range of these: what is before it, and where the range begins.
fn position(text: &str) -> Option<(&str, u32, u32)> {
    let (before, range) = text.rsplit_once('@')?;
    let start = range.split_once("--").map_or(range, |(start, _)| start);
    let (line, column) = start.split_once('.')?;
    Some((before, line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_split_from_their_places() {
        let names = FileNames::from([("b (1).vpr".to_owned(), "d/b (1).vpr".to_owned())]);
        let found = |message: &str| {
            let (words, place) = split(message, &names);
            (words, place.map(|it| (it.file, it.line, it.column)))
        };
        let place = |file: &str, line, column| Some((file.to_owned(), line, column));
        assert_eq!(
            found("  No access to list(this) (b (1).vpr@14.1--19.2)"),
            ("No access to list(this)".to_owned(), place("d/b (1).vpr", 14, 1))
        );
        assert_eq!(
            found("Assertion (a(n): Bool) might not hold. (x.vpr@3.4)"),
            ("Assertion (a(n): Bool) might not hold.".to_owned(), place("x.vpr", 3, 4))
        );
        assert_eq!(found("It fails. (<no position>)"), ("It fails.".to_owned(), None));
        let late = "Timeout occurred after 3 second(s)";
        assert_eq!(found(late), (late.to_owned(), None));
        assert_eq!(whole("x.vpr@5.3--5.9", &names).map(|it| (it.line, it.column)), Some((5, 3)));
        assert_eq!(whole(NOWHERE, &names), None);
    }
}
