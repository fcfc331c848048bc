//! Rendering of diagnostics and messages, on the terminal and as JSON. The only place that decides
//! how messages look.
//!
//! Whatever the input contains, a message stays short and cannot send commands to the terminal:
//! long lines are clipped around the place in question and control characters are escaped.

use std::path::Path;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use mugie_core::{Diagnostic, Excerpt, escaped, escaped_json, path_name};
use mugie_experiment::recipe::quoted;
use mugie_experiment::sources::Unreadable;
use mugie_verifiers::{DefinitionError, ResolveError};
use serde::Serialize;

use crate::parts::parts;

/// The maximum width of messages, in columns.
const WIDTH: usize = 120;

/// The maximum length of a message, in characters; longer messages are cut.
const MESSAGE_WIDTH: usize = 400;

/// A problem outside of any program, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// The problem, as a lower-case fragment without a full stop.
    pub(crate) message: String,
    /// The remedy, if there is one.
    pub(crate) help: Option<String>,
}

impl Trouble {
    /// A problem without a remedy.
    pub(crate) fn new(message: impl Into<String>) -> Trouble {
        Trouble { message: message.into(), help: None }
    }

    /// Adds a remedy.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Trouble {
        self.help = Some(help.into());
        self
    }
}

impl From<Unreadable> for Trouble {
    fn from(Unreadable { file, reason, help }: Unreadable) -> Trouble {
        let extension = parts().languages.iter().find_map(|it| it.extensions().first());
        let help = match extension {
            Some(extension) if Path::new(&file).is_dir() => {
                Some(format!("name the files in it: `{}/*.{extension}`", quoted(&file)))
            }
            _ => help,
        };
        Trouble { message: reason, help }
    }
}

impl From<DefinitionError> for Trouble {
    fn from(error: DefinitionError) -> Trouble {
        Trouble::new(error.to_string())
            .help("the book's chapter on verifiers describes the format of a definition")
    }
}

impl From<ResolveError> for Trouble {
    fn from(error: ResolveError) -> Trouble {
        match (error.help(), error) {
            (_, ResolveError::Definition(error)) => error.into(),
            (help, error) => Trouble { message: error.to_string(), help },
        }
    }
}

/// The style of messages for people.
pub(crate) struct Style {
    renderer: Renderer,
    color: anstream::ColorChoice,
}

impl Style {
    /// Chooses colours by what the user wants and standard error supports.
    pub(crate) fn new(color: anstream::ColorChoice) -> Style {
        let is_colored = is_colored(color, &std::io::stderr());
        let renderer = if is_colored { Renderer::styled() } else { Renderer::plain() };
        Style { renderer: renderer.decor_style(DecorStyle::Ascii).term_width(WIDTH), color }
    }

    /// Whether standard output is coloured.
    pub(crate) fn colors_data(&self) -> bool {
        is_colored(self.color, &std::io::stdout())
    }

    /// Renders a problem with its remedy.
    pub(crate) fn trouble(&self, trouble: &Trouble) -> String {
        let mut group = Group::with_title(Level::ERROR.primary_title(clean(&trouble.message)));
        if let Some(help) = &trouble.help {
            group = group.element(Level::HELP.message(clean(help)));
        }
        self.render(&[group])
    }

    /// Renders a warning.
    pub(crate) fn warning(&self, message: &str) -> String {
        self.render(&[Group::with_title(Level::WARNING.primary_title(clean(message)))])
    }

    /// Renders a note to a warning.
    pub(crate) fn note(&self, message: &str) -> String {
        self.render(&[Group::with_title(Level::NOTE.secondary_title(clean(message)))])
    }

    /// Renders the first `limit` errors of a program, and the number of the others.
    pub(crate) fn errors(&self, errors: &[Diagnostic], limit: usize) -> String {
        let mut text = String::new();
        for error in errors.iter().take(limit) {
            text += &self.diagnostic(error);
            text.push('\n');
        }
        if let Some(hidden @ 1..) = errors.len().checked_sub(limit) {
            text += &self.render(&[Group::with_title(Level::NOTE.primary_title(format!(
                "{hidden} more {}; `mugie check --max-errors 0` shows all",
                plural(hidden, "error")
            )))]);
            text.push('\n');
        }
        text
    }

    fn diagnostic(&self, error: &Diagnostic) -> String {
        let level = Level::ERROR.with_name(format!("{} error", error.kind));
        let group = Group::with_title(level.primary_title(clean(&error.message)));
        let mut group = place(group, error.place.as_ref());
        if let Some(help) = &error.help {
            group = group.element(Level::HELP.message(clean(help)));
        }
        let mut groups = vec![group];
        for (at, note) in &error.related {
            let group = Group::with_title(Level::NOTE.secondary_title(clean(note)));
            groups.push(place(group, at.as_ref()));
        }
        self.render(&groups)
    }

    fn render(&self, groups: &[Group<'_>]) -> String {
        self.renderer.render(groups) + "\n"
    }
}

/// Whether a stream is coloured.
fn is_colored(color: anstream::ColorChoice, stream: &impl anstream::stream::RawStream) -> bool {
    let choice = match color {
        anstream::ColorChoice::Auto => anstream::AutoStream::choice(stream),
        choice => choice,
    };
    choice != anstream::ColorChoice::Never
}

/// Adds file, line, column and the source line to a message.
fn place<'a>(group: Group<'a>, at: Option<&'a Excerpt>) -> Group<'a> {
    let Some(Excerpt { file, line, column, text, range, is_cut }) = at else { return group };
    let (number, column, path) = (*line as usize, *column as usize, clean(file));
    if *is_cut {
        let words = format!("the line is very long; {}", quote(text, range.start));
        return group
            .element(Origin::path(path).line(number).char_column(column))
            .element(Level::NOTE.message(words));
    }
    let annotation = AnnotationKind::Primary.span(range.clone());
    group.element(Snippet::source(text).path(path).line_start(number).annotation(annotation))
}

/// Describes a place in a long line by the text around it.
fn quote(text: &str, at: usize) -> String {
    let (before, after) = text.split_at(at);
    let (before, after) = (clean(before), clean(after));
    match (before.is_empty(), after.is_empty()) {
        (true, _) => format!("it starts with `{after}`"),
        (_, true) => format!("it ends with `{before}`"),
        _ => format!("`{before}` is followed by `{after}`"),
    }
}

/// The text, at most [`MESSAGE_WIDTH`] long and without control characters.
fn clean(text: &str) -> String {
    match text.char_indices().nth(MESSAGE_WIDTH) {
        Some((end, _)) => escaped(&text[..end]) + "…",
        None => escaped(text),
    }
}

/// The name of a file with control characters escaped.
pub(crate) fn shown(path: &Path) -> String {
    escaped(&path_name(path))
}

/// Lists the possible choices, for a help line.
pub(crate) fn there_are(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing to choose from".to_owned()
    } else {
        format!("choose one of: {}", names.join(", "))
    }
}

/// The noun that goes with a number: 1 error, 2 errors.
pub(crate) fn plural(number: usize, noun: &str) -> String {
    if number == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// The output of `mugie check --json` for one program.
#[derive(Debug, Serialize)]
pub(crate) struct JsonProgram {
    /// The file, or the first of several.
    pub(crate) file: String,
    /// All files, if they were read as one program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) files: Option<Vec<String>>,
    /// `"2"` or `"3"`; `null` if the program could not be read.
    pub(crate) dialect: Option<String>,
    /// Whether Boogie would accept the program.
    pub(crate) accepted: bool,
    /// The errors, in source order.
    pub(crate) errors: Vec<JsonError>,
}

/// One error of a [`JsonProgram`].
#[derive(Debug, Serialize)]
pub(crate) struct JsonError {
    /// `"syntax"`, `"resolution"` or `"type"`; `"file"` if a file could not be read.
    kind: &'static str,
    file: String,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
    help: Option<String>,
}

impl JsonError {
    /// An error in a program.
    pub(crate) fn new(error: &Diagnostic) -> JsonError {
        let place = error.place.as_ref();
        JsonError {
            kind: error.kind,
            file: place.map(|place| place.file.clone()).unwrap_or_default(),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            message: clean(&error.message),
            help: error.help.as_deref().map(clean),
        }
    }

    /// A file that could not be read.
    pub(crate) fn unreadable(Unreadable { file, reason, help }: Unreadable) -> JsonError {
        JsonError { kind: "file", file, line: None, column: None, message: reason, help }
    }
}

impl JsonProgram {
    /// One line of JSON.
    pub(crate) fn to_line(&self) -> Result<String, Trouble> {
        let json = serde_json::to_string(self);
        json.map(|json| escaped_json(&json) + "\n")
            .map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message about a range of bytes in a file.
    fn render(text: &str, range: std::ops::Range<usize>) -> String {
        let excerpt = |range: std::ops::Range<usize>| {
            let before = &text[..range.start];
            let line = before.matches('\n').count();
            let start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let column = u32::try_from(text[start..range.start].chars().count()).unwrap() + 1;
            let content = text[start..].split(['\r', '\n']).next().unwrap();
            let line = u32::try_from(line).unwrap() + 1;
            Some(Excerpt::new("a.bpl", (line, column), content, range.len()))
        };
        let error = Diagnostic {
            kind: "type",
            message: "no good".to_owned(),
            help: Some("do better".to_owned()),
            place: excerpt(range),
            related: vec![(excerpt(0..1), "it started here".to_owned())],
        };
        Style::new(anstream::ColorChoice::Never).diagnostic(&error)
    }

    #[test]
    fn a_diagnostic_shows_its_line_help_and_related_places() {
        insta::assert_snapshot!(render("var x: int;\n\taxiom é == 2;\n", 19..21), @r#"
            type error: no good
             --> a.bpl:2:8
              |
            2 |     axiom é == 2;
              |           ^
              |
              = help: do better
            note: it started here
             --> a.bpl:1:1
              |
            1 | var x: int;
              | ^
        "#);
    }

    #[test]
    fn the_end_of_the_file_is_a_place() {
        insta::assert_snapshot!(render("var x: int", 10..10), @r#"
            type error: no good
             --> a.bpl:1:11
              |
            1 | var x: int
              |           ^
              |
              = help: do better
            note: it started here
             --> a.bpl:1:1
              |
            1 | var x: int
              | ^
        "#);
    }

    #[test]
    fn a_place_of_several_lines_is_shown_up_to_the_end_of_the_first() {
        insta::assert_snapshot!(render("var x:\r\nint;", 4..11), @r#"
            type error: no good
             --> a.bpl:1:5
              |
            1 | var x:
              |     ^^
              |
              = help: do better
            note: it started here
             --> a.bpl:1:1
              |
            1 | var x:
              | ^
        "#);
    }

    #[test]
    fn long_lines_are_clipped_around_the_place() {
        let text = format!("{}bad{}", "a".repeat(1000), "b".repeat(1000));
        insta::assert_snapshot!(render(&text, 1000..1003), @r#"
            type error: no good
             --> a.bpl:1:1001
              |
            1 | ...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabadbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...
              |                                                         ^^^
              |
              = help: do better
            note: it started here
             --> a.bpl:1:1
              |
            1 | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...
              | ^
        "#);
    }

    #[test]
    fn huge_lines_are_quoted() {
        let text = format!("{}bad{}", "é".repeat(1_000_000), "b".repeat(1_000_000));
        insta::assert_snapshot!(render(&text, 2_000_000..2_000_003), @r#"
            type error: no good
            --> a.bpl:1:1000001
             = note: the line is very long; `éééééééééééééééééééééééééééééé` is followed by `badbbbbbbbbbbbbbbbbbbbbbbbbbbb`
             = help: do better
            note: it started here
            --> a.bpl:1:1
             = note: the line is very long; it starts with `éééééééééééééééééééééééééééééé`
        "#);
    }

    #[test]
    fn messages_cannot_command_the_terminal() {
        assert_eq!(clean("a\x1b[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(clean(&"x".repeat(1_000_000)).chars().count(), MESSAGE_WIDTH + 1);
    }
}
