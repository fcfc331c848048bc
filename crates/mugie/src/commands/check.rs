//! `mugie check`: would Boogie accept these programs?

use clap::Args;
use mugie_core::{Checked, Exit, escaped};
use mugie_exec::pool::InOrderEvent;
use mugie_experiment::sources::{Source, Unreadable};

use crate::args::{self, Inputs};
use crate::messages::{JsonError, JsonProgram, Style, Trouble, plural};
use crate::output::{self, Broken};
use crate::parallel;
use crate::parts;
use crate::progress::Progress;

/// Check whether Boogie would accept programs, and show their errors
///
/// Parses each program, resolves its names and checks its types, as `boogie /noVerify` does, but
/// without starting Boogie. Each file is a separate program unless --together is given. One line
/// per program goes to standard output, in the order given; errors, with the source line and often
/// a remedy, go to standard error. Parsing stops after 100 errors in a file, checking after 1,000
/// in a program.
///
/// With --json, each line of standard output is an object for one program:
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

    /// Maximum number of errors to show for each program, 0 for all; --json always shows all
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

/// The answer for one program.
struct CheckedProgram {
    accepted: bool,
    data: String,
    talk: String,
}

impl Check {
    /// Checks all programs, in parallel.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        args::forbid_second_stdin(&self.inputs.files)?;
        let programs = self.inputs.sources()?;
        let mut progress = Progress::new("checking", programs.len());
        let mut exit = Exit::Fine;
        parallel::in_order(
            &programs,
            self.inputs.jobs,
            |source| self.answer(source, style),
            |event| {
                match event {
                    InOrderEvent::Tick(finished) => progress.show(finished),
                    InOrderEvent::Done(answer) => {
                        let answer = answer?;
                        progress.hide();
                        output::talk(&answer.talk);
                        output::data(&answer.data)?;
                        if !answer.accepted {
                            exit = Exit::NoAnswer;
                        }
                    }
                }
                Ok::<(), Broken>(())
            },
        )?;
        progress.hide();
        Ok(exit)
    }

    fn answer(&self, source: &Source, style: &Style) -> Result<CheckedProgram, Trouble> {
        let names = match source.origin() {
            Some(_) => vec![source.name().to_owned()],
            None => source.file_names(),
        };
        let files = match source.read() {
            Ok(files) => files,
            Err(unreadable) => return self.unreadable(names, unreadable, style),
        };
        let language = parts::language_of(source);
        let options = self.inputs.reading.options.clone().of(language);
        let checked = language.check(files, &options);
        let Checked { dialect, title: language, errors, warnings } = checked;
        let accepted = errors.is_empty();
        let mut talk = String::new();
        for warning in warnings {
            // A warning about a file already names it.
            let is_named = names.iter().any(|name| warning.starts_with(&format!("{name}: ")));
            let words = if is_named { warning } else { format!("{}: {warning}", title(&names)) };
            talk += &style.warning(&words);
        }
        let data = if self.json {
            self.json(names, dialect, errors.iter().map(JsonError::new).collect())?
        } else {
            let limit = if self.max_errors == 0 { usize::MAX } else { self.max_errors };
            talk += &style.errors(&errors, limit);
            let verdict = match errors.len() {
                0 => format!("accepted ({language})"),
                n => format!("rejected ({language}), {n} {}", plural(n, "error")),
            };
            format!("{}: {verdict}\n", title(&names))
        };
        Ok(CheckedProgram { accepted, data, talk })
    }

    fn unreadable(
        &self,
        names: Vec<String>,
        unreadable: Unreadable,
        style: &Style,
    ) -> Result<CheckedProgram, Trouble> {
        let (data, talk) = if self.json {
            let error = JsonError::unreadable(unreadable);
            (self.json(names, None, vec![error])?, String::new())
        } else {
            (format!("{}: unreadable\n", title(&names)), style.trouble(&unreadable.into()))
        };
        Ok(CheckedProgram { accepted: false, data, talk })
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

/// The name of a program with these files.
fn title(names: &[String]) -> String {
    match names {
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            escaped(&format!("{first}, {second}, {third} and {} more", rest.len()))
        }
        _ => escaped(&names.join(", ")),
    }
}
