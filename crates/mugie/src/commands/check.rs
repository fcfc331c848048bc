//! `mugie check`: would Boogie accept these programs?

use std::path::PathBuf;

use bpl_check::Libraries;
use clap::Args;

use crate::cli::{Exit, Inputs};
use crate::encoding;
use crate::load::{Loaded, Reading, load};
use crate::output::{self, Broken};
use crate::parallel::{self, Event};
use crate::progress::Progress;
use crate::read::{self, Unreadable};
use crate::report::{JsonError, JsonProgram, Style, Trouble, escape, plural};

/// Say whether Boogie would accept programs, and what is wrong with them
///
/// Parses each program, resolves its names and checks its types, as `boogie /noVerify` does,
/// but without starting Boogie. Each file is a program of its own unless --together is given.
/// One line per program goes to standard output, in the order given; errors, with the source
/// line and often a remedy, go to standard error.
///
/// With --json, standard output has one object per program and line:
///
///   {"file", "dialect", "accepted", "errors":
///   [{"kind", "file", "line", "column", "message", "help"}]}
///
/// `dialect` is "2", "3" or null, `kind` is "syntax", "resolution", "type" or, for a file that
/// cannot be read, "file". Lines and columns count from 1, columns in characters. `help` may be
/// null. With --together, `file` is the first file and `files` lists all.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, verbatim_doc_comment)]
pub(crate) struct Check {
    #[command(flatten)]
    inputs: Inputs,

    /// Print one JSON object per program instead of text
    #[arg(long)]
    json: bool,

    /// Show at most N errors of each program, 0 for all; --json always gives all
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_errors: usize,
}

const EXAMPLES: &str = "\
Examples:
  mugie check program.bpl            is it a Boogie program, of version 2 or 3?
  mugie check --dialect 2 *.bpl      which of these does Boogie 2 accept?
  mugie check --together a.bpl b.bpl check both as one program, like `boogie a.bpl b.bpl`
  mugie check --json *.bpl | jq -r 'select(.accepted | not).file'

Exit codes:
  0  every program is accepted
  2  a program is rejected, a file cannot be read, or the usage is wrong";

/// What is to be said of one program.
struct Answer {
    accepted: bool,
    data: String,
    talk: String,
}

impl Check {
    /// Checks all programs, in parallel.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        read::forbid_second_stdin(&self.inputs.files)?;
        let programs = self.inputs.programs();
        let mut progress = Progress::new("checking", programs.len());
        let mut exit = Exit::Fine;
        parallel::in_order(
            &programs,
            self.inputs.jobs,
            |files| self.answer(files, style),
            |event| {
                match event {
                    Event::Tick { finished } => progress.show(finished),
                    Event::Done(answer) => {
                        let answer = answer?;
                        progress.hide();
                        output::talk(&answer.talk);
                        output::data(&answer.data)?;
                        if !answer.accepted {
                            exit = Exit::CouldNot;
                        }
                    }
                }
                Ok::<(), Broken>(())
            },
        )?;
        progress.hide();
        Ok(exit)
    }

    fn answer(&self, files: &[PathBuf], style: &Style) -> Result<Answer, Trouble> {
        let names: Vec<_> = files.iter().map(|path| read::name(path)).collect();
        let sources = match read::read(files) {
            Ok(sources) => sources,
            Err(unreadable) => return self.unreadable(names, unreadable, style),
        };
        let mut loaded = load(&sources, Reading::from(&self.inputs.reading));
        encoding::explain(&sources, &mut loaded.errors);
        let Loaded { program, errors, options } = &loaded;
        let accepted = loaded.accepted();
        let mut talk = String::new();
        if accepted && program.decls.is_empty() {
            let empty = format!("{}: the program is empty: it declares nothing", title(&names));
            talk += &style.warning(&empty);
        }
        if accepted {
            for file in sources.files() {
                if let Some(offset) = encoding::first_replacement(file) {
                    let line = file.locate(encoding::span_at(file, offset, 0).start).line;
                    talk += &style.warning(&format!(
                        "{}: the byte at offset {offset}, in line {line}, is not UTF-8; read as \
                         U+FFFD, as Boogie does",
                        file.name
                    ));
                }
            }
        }
        let data = if self.json {
            let errors = errors.iter().map(|error| JsonError::new(&sources, error)).collect();
            self.json(names, Some(program.dialect.to_string()), errors)?
        } else {
            let limit = if self.max_errors == 0 { usize::MAX } else { self.max_errors };
            talk += &style.errors(&sources, errors, limit);
            let verdict = match errors.len() {
                0 if options.libraries == Libraries::default() => {
                    format!("accepted (Boogie {})", program.dialect)
                }
                0 => format!("accepted (Boogie {}, with its libraries)", program.dialect),
                n => format!("rejected (Boogie {}), {n} {}", program.dialect, plural(n, "error")),
            };
            format!("{}: {verdict}\n", title(&names))
        };
        Ok(Answer { accepted, data, talk })
    }

    fn unreadable(
        &self,
        names: Vec<String>,
        unreadable: Unreadable,
        style: &Style,
    ) -> Result<Answer, Trouble> {
        let Unreadable { file, trouble } = unreadable;
        let (data, talk) = if self.json {
            let error = JsonError::unreadable(file, &trouble);
            (self.json(names, None, vec![error])?, String::new())
        } else {
            (format!("{}: unreadable\n", title(&names)), style.trouble(&trouble))
        };
        Ok(Answer { accepted: false, data, talk })
    }

    fn json(
        &self,
        names: Vec<String>,
        dialect: Option<String>,
        errors: Vec<JsonError>,
    ) -> Result<String, Trouble> {
        JsonProgram {
            file: names[0].clone(),
            files: self.inputs.together.then_some(names),
            dialect,
            accepted: errors.is_empty(),
            errors,
        }
        .to_line()
    }
}

/// What to call a program of these files.
fn title(names: &[String]) -> String {
    match names {
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            escape(&format!("{first}, {second}, {third} and {} more", rest.len()))
        }
        _ => escape(&names.join(", ")),
    }
}
