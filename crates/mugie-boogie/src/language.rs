//! Boogie as a seed language.

use bpl_syntax::Dialect;
use bpl_syntax::diagnostic::{Diagnostic as Wrong, ErrorClass};
use bpl_syntax::print;
use bpl_syntax::source::SourceMap;
use bpl_syntax::span::Span;
use mugie_core::reduce::Reducer;
use mugie_core::{
    About, Checked, ChosenGoals, Diagnostic, Excerpt, Language, LanguageOptions, OptionAbout,
    Rejected, Seed, SourceText, UsualTest, View, Words,
};

use crate::changed::changed;
use crate::load::{Asked, Loaded, libraries, load, names};
use crate::only::only;
use crate::reduce::BoogieReducer;
use crate::seed::BoogieSeed;
use crate::{Operator, encoding, operators, views};

/// Boogie as a seed language.
pub const BOOGIE: &dyn Language = &Boogie;

/// The option that chooses the version of the language.
pub(crate) const DIALECT: &str = "dialect";

/// The option that makes `modifies` clauses unnecessary.
pub(crate) const INFER_MODIFIES: &str = "infer-modifies";

/// The option that names libraries.
pub(crate) const LIB: &str = "lib";

/// The language of the Boogie verifier, versions 2 and 3.
#[derive(Debug)]
pub struct Boogie;

const OPTIONS: &[OptionAbout] = &[
    OptionAbout {
        name: DIALECT,
        value_name: Some("VERSION"),
        values: &[
            ("auto", "Whichever accepts the program"),
            ("2", "Boogie 2.4"),
            ("3", "Boogie 3.5"),
        ],
        default: Some("auto"),
        help: "The version of the language that the programs are written in\n\nBoogie 2 and 3 reserve \
               different words. `auto` takes the version that accepts the program, 2 if both do. \
               If neither does, it reports the errors of the version that got further.",
    },
    OptionAbout {
        name: INFER_MODIFIES,
        value_name: None,
        values: &[],
        default: None,
        help: "Allow assignments that no `modifies` clause mentions, as Boogie's `/inferModifies` \
               does",
    },
    OptionAbout {
        name: LIB,
        value_name: Some("NAMES"),
        values: &[],
        default: None,
        help: "The libraries of Boogie 3 that the programs use: base, node, set_size; several \
               separated by commas\n\nA verifier that is given `--arg /lib:NAME` implies it. \
               Programs with attributes of CIVL get `base` without asking.",
    },
];

/// The operators of a test, with weights. Every other mutant is drawn from the paper's ones alone; among the rest the order
/// of bound variables counts more, because it breaks seeds that no other operator does (`docs/power.md`).
const USUAL: &str = "all,reorder-bound=3";

impl Language for Boogie {
    fn id(&self) -> &'static str {
        "boogie"
    }

    fn title(&self) -> &'static str {
        "Boogie"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["bpl"]
    }

    fn words(&self) -> &'static Words {
        &Words { program: "Boogie program", unit: "declaration", goal: "procedure" }
    }

    fn operators(&self) -> &'static [&'static About] {
        operators::abouts()
    }

    fn swap_operator(&self) -> Option<&'static About> {
        operators::find("S1").map(<dyn Operator>::about)
    }

    fn options(&self) -> &'static [OptionAbout] {
        OPTIONS
    }

    fn check(&self, files: Vec<SourceText>, options: &LanguageOptions) -> Checked {
        let (sources, loaded) = match read(files, options) {
            Ok(read) => read,
            Err(error) => return Checked { errors: vec![*error], ..Checked::default() },
        };
        let Loaded { program, errors, options } = &loaded;
        let mut warnings = Vec::new();
        if errors.is_empty() {
            if program.decls.is_empty() {
                warnings.push("the program is empty: it declares nothing".to_owned());
            }
            warnings.extend(sources.files().iter().filter_map(encoding::replaced_bytes));
        }
        let libraries = names(options.libraries).join(", ");
        let with = if libraries.is_empty() { String::new() } else { format!(" with {libraries}") };
        Checked {
            dialect: Some(program.dialect.to_string()),
            title: format!("Boogie {}{with}", program.dialect),
            errors: errors.iter().map(|error| diagnostic(&sources, error)).collect(),
            warnings,
        }
    }

    fn print(
        &self,
        files: Vec<SourceText>,
        options: &LanguageOptions,
    ) -> Result<String, Vec<Diagnostic>> {
        let (sources, loaded) = read(files, options).map_err(|error| vec![*error])?;
        if loaded.well_formed() {
            // The sources take as much memory as the text to print.
            drop(sources);
            return Ok(print(&loaded.program));
        }
        Err(loaded.errors.iter().map(|error| diagnostic(&sources, error)).collect())
    }

    fn read(
        &self,
        files: Vec<SourceText>,
        options: &LanguageOptions,
    ) -> Result<Box<dyn Seed>, Rejected> {
        let (sources, loaded) =
            read(files, options).map_err(|error| Rejected { errors: vec![*error] })?;
        if !loaded.accepted() {
            let errors = loaded.errors.iter().map(|error| diagnostic(&sources, error)).collect();
            return Err(Rejected { errors });
        }
        let mut resolved = LanguageOptions::default();
        resolved.set(DIALECT, loaded.program.dialect.to_string());
        if loaded.options.infer_modifies {
            resolved.set(INFER_MODIFIES, "true");
        }
        let libraries = names(loaded.options.libraries);
        if !libraries.is_empty() {
            resolved.set(LIB, libraries.join(","));
        }
        Ok(Box::new(BoogieSeed::new(&loaded.program, sources, resolved, loaded.options)))
    }

    fn only(
        &self,
        files: Vec<SourceText>,
        options: &LanguageOptions,
        chooses: &dyn Fn(&[&str]) -> bool,
    ) -> Option<Result<ChosenGoals, Rejected>> {
        let (sources, loaded) = match read(files, options) {
            Ok(read) => read,
            Err(error) => return Some(Err(Rejected { errors: vec![*error] })),
        };
        if loaded.accepted() {
            return Some(Ok(only(&sources, &loaded.program, chooses)));
        }
        let errors = loaded.errors.iter().map(|error| diagnostic(&sources, error)).collect();
        Some(Err(Rejected { errors }))
    }

    fn changed(
        &self,
        old: Vec<SourceText>,
        new: Vec<SourceText>,
        options: &LanguageOptions,
    ) -> Option<Vec<String>> {
        let (_, old) = read(old, options).ok()?;
        let (_, new) = read(new, options).ok()?;
        if !old.accepted() || !new.accepted() {
            return None;
        }
        changed(&old.program, &new.program)
    }

    fn usual_test(&self) -> UsualTest {
        UsualTest { operators: Some(USUAL), ..UsualTest::default() }
    }

    fn comment(&self) -> &'static str {
        "//"
    }

    fn reducer(&self) -> Option<&'static dyn Reducer> {
        Some(&BoogieReducer)
    }

    fn views(&self) -> &'static [(&'static str, &'static str)] {
        views::ALL
    }

    fn view(&self, name: &str, files: Vec<SourceText>, options: &LanguageOptions) -> Option<View> {
        let (sources, mut loaded) = match read(files, options) {
            Ok(read) => read,
            Err(error) => return Some(View { data: String::new(), errors: vec![*error] }),
        };
        let data = views::view(name, &sources, &loaded.program, loaded.options)?;
        if name != views::TYPES {
            loaded.errors.retain(|error| error.kind == ErrorClass::Syntax);
        }
        let errors = loaded.errors.iter().map(|error| diagnostic(&sources, error)).collect();
        Some(View { data, errors })
    }
}

/// Parses and checks the files.
fn read(
    files: Vec<SourceText>,
    options: &LanguageOptions,
) -> Result<(SourceMap, Loaded), Box<Diagnostic>> {
    let mut sources = SourceMap::new();
    for SourceText { name, bytes } in files {
        if let Err(error) = sources.add(name.clone(), bytes) {
            return Err(Box::new(Diagnostic {
                kind: "file",
                message: format!("{name}: {error}"),
                help: Some("split it into several programs".to_owned()),
                place: None,
                related: Vec::new(),
            }));
        }
    }
    let dialect = match options.get(DIALECT) {
        Some("2") => Some(Dialect::Boogie2),
        Some("3") => Some(Dialect::Boogie3),
        _ => None,
    };
    let libraries = libraries(options.get(LIB).unwrap_or_default()).map_err(|name| {
        Box::new(Diagnostic {
            kind: "option",
            message: format!("Boogie has no library `{name}`"),
            help: Some("there are `base`, `node` and `set_size`".to_owned()),
            place: None,
            related: Vec::new(),
        })
    })?;
    let infer_modifies = options.is_on(INFER_MODIFIES);
    let mut loaded = load(&sources, Asked { dialect, infer_modifies, libraries });
    encoding::explain(&sources, &mut loaded.errors);
    Ok((sources, loaded))
}

/// Converts a diagnostic, adding the source text around its locations.
fn diagnostic(sources: &SourceMap, wrong: &Wrong) -> Diagnostic {
    Diagnostic {
        kind: match wrong.kind {
            ErrorClass::Syntax => "syntax",
            ErrorClass::Resolution => "resolution",
            ErrorClass::Type => "type",
        },
        message: wrong.message.clone(),
        help: wrong.help.clone(),
        place: excerpt(sources, wrong.span),
        related: wrong
            .related
            .iter()
            .map(|(span, note)| (excerpt(sources, *span), note.clone()))
            .collect(),
    }
}

fn excerpt(sources: &SourceMap, span: Span) -> Option<Excerpt> {
    let location = sources.locate(span)?;
    let line = location.file.line(location.line);
    let start = location.bytes_before;
    let place = start..start + span.end.saturating_sub(span.start) as usize;
    let at = (location.line, location.column);
    Some(Excerpt::at(&location.file.name, at, line, place))
}
