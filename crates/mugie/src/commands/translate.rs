//! `mugie translate`: a program as a verifier of another language reads it.
//!
//! It must not know any language: what can be translated is in the list of translators.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;
use mugie_core::{Exit, Files, Language, NotExpressible, Translated, Translator, escaped};
use mugie_experiment::recipe::{quoted, quoted_path};
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::sources::{Reading, Source};
use mugie_verifiers::Verifier;

use crate::args::{self, LimitArgs, ReadingArgs, VerifierArgs};
use crate::cli::Cli;
use crate::doors::{self, ToolArgs};
use crate::folder::cannot_write;
use crate::interrupt::Interrupts;
use crate::messages::{Style, Trouble, there_are};
use crate::output::{self, Broken};
use crate::parts::{self, languages, parts};
use crate::recorded::open_seed;
use crate::session::Session;
use crate::tool_spec::ToolSpec;

/// Translate a program into the language of another verifier, to look at it or to run that by hand
///
/// `mugie test --verifier why3` does so by itself with every mutant: the result here is what that
/// verifier reads. What was weakened on the way, such as a dropped trigger, is listed on standard
/// error. A program with a construct that the other language does not have is refused, with the
/// place of the construct: mugie never translates a program approximately.
///
/// With --verifier instead of --to, a folder is written, with all that the verifier reads: the
/// program and, for example, a configuration that names the solver. Standard output then has the
/// command line that runs the verifier there, as `mugie test` does.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Translate {
    /// The program; `-` means standard input. Several files are one program with --together
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Read all files as one program, as Boogie does when given several files
    #[arg(long)]
    together: bool,

    /// The language to translate to, such as `whyml`
    #[arg(long, value_name = "LANGUAGE", conflicts_with = "verifier")]
    to: Option<String>,

    /// Write to this file instead of standard output; with --verifier, the folder to write
    #[arg(short, long, value_name = "PATH")]
    out: Option<PathBuf>,

    /// Limit on the solver's resource units for each procedure, in the command line of --verifier
    #[arg(long, value_name = "UNITS", requires = "verifier")]
    rlimit: Option<u64>,

    /// Time limit of each procedure, in seconds, in the command line of --verifier
    #[arg(long, value_name = "SECONDS", requires = "verifier")]
    procedure_time_limit: Option<u64>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    verifier: VerifierArgs,

    #[command(flatten)]
    tools: ToolArgs,
}

const EXAMPLES: &str = "\
Examples:
  mugie translate max.bpl --to whyml
  mugie translate max.bpl --to whyml -o max.mlw
  mugie translate max.bpl --verifier why3 --out max.why3 > run.sh
  mugie translate --together a.bpl b.bpl --to whyml -o whole.mlw

Exit codes:
  0  the program is translated
  2  it cannot be expressed in the other language, is rejected or cannot be read, or the usage is
     wrong";

impl Translate {
    /// Translates the program.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        args::forbid_second_stdin(&self.files)?;
        if self.files.len() > 1 && !self.together {
            let message = "several files are one program only with --together";
            Cli::usage(ErrorKind::ArgumentConflict, message);
        }
        match (&self.to, &self.verifier.verifier, &self.out) {
            (Some(to), None, out) => {
                let _interrupts = Interrupts::watch("nothing was written")?;
                let translated = self.translated(to, style)?;
                let text: String = translated.files.0.into_iter().map(|(_, text)| text).collect();
                match out {
                    Some(path) => output::replace(path, &text)?,
                    None => output::data(&text)?,
                }
            }
            (None, Some(_), Some(folder)) => self.for_verifier(folder, style)?,
            (None, Some(_), None) => {
                let message = "with --verifier, name the folder to write: --out DIR";
                Cli::usage(ErrorKind::MissingRequiredArgument, message);
            }
            _ => Cli::usage(
                ErrorKind::MissingRequiredArgument,
                "say what to translate to: --to LANGUAGE, or --verifier NAME --out DIR",
            ),
        }
        Ok(Exit::Fine)
    }

    /// Writes what a verifier reads to a folder, and prints how to run it.
    fn for_verifier(&self, folder: &Path, style: &Style) -> Result<(), Broken> {
        let session = Session::start(style, "nothing was written", self.verifier.trust)?;
        let limits = LimitArgs {
            rlimit: self.rlimit,
            procedure_time_limit: self.procedure_time_limit,
            ..LimitArgs::default()
        };
        let spec = ToolSpec::new(&self.verifier, &limits, "");
        let verifier = session.verifier(&spec)?;
        if languages().find(verifier.input()).is_some() {
            let words = format!("{} reads such programs as they are", verifier.title);
            return Err(Trouble::new(words).help("run it with `mugie test`").into());
        }
        let Files(files) = self.translated(verifier.input(), style)?.files.named_alike();
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
        for (name, text) in files.iter().chain(verifier.own_files()) {
            output::replace(&folder.join(name), text)?;
        }
        output::data(&command(&verifier, folder, &Files(files)))?;
        Ok(())
    }

    /// The program in another language. What was weakened is told on standard error.
    fn translated(&self, to: &str, style: &Style) -> Result<Translated, Trouble> {
        let seed = self.seed(style)?;
        let language = seed.seed().language().id();
        let translator = translator(language, to)?;
        let translated = translator.translate(&seed.original_files());
        let translated = translated.map_err(|error| not_expressible(&error))?;
        for note in &translated.notes {
            output::talk(&format!("note: {}\n", escaped(note)));
        }
        Ok(translated)
    }

    /// The program, which must be right by the rules of its language.
    fn seed(&self, style: &Style) -> Result<OpenSeed, Trouble> {
        let source = match self.files.as_slice() {
            [file] => doors::source(file, &self.tools)?,
            files => Source::new(files.to_vec()),
        };
        let source = source.in_language(self.reading.language);
        let usual = parts::language_of(&source).id().to_owned();
        let options = self.reading.options.clone();
        let reading = Reading { languages: languages(), usual, options };
        open_seed(style, &reading, &source)
    }
}

/// The translator between two languages.
fn translator(from: &str, to: &str) -> Result<&'static dyn Translator, Trouble> {
    let known = parts().translators.iter().filter(|it| it.from() == from);
    let found = known.clone().find(|it| it.to() == to);
    found.copied().ok_or_else(|| {
        let title = languages().find(from).map(Language::title);
        let names: Vec<&str> = known.map(|it| it.to()).collect();
        let title = title.unwrap_or("this language");
        let trouble = Trouble::new(format!("there is no translation from {title} to `{to}`"));
        if names.is_empty() { trouble } else { trouble.help(there_are(&names)) }
    })
}

fn not_expressible(error: &NotExpressible) -> Trouble {
    let at = error.place.as_ref().map(|at| format!("{}:{}:{}: ", at.file, at.line, at.column));
    Trouble::new(format!("{}{error}", at.unwrap_or_default()))
        .help("mugie refuses what it could translate only approximately")
}

/// The command line that runs a verifier on files in a folder.
fn command(verifier: &Verifier, folder: &Path, files: &Files) -> String {
    let words = verifier.command_words().into_iter().flat_map(|word| match word.as_str() {
        "{files}" => files.names().iter().map(|name| quoted(name)).collect(),
        word => vec![quoted(word)],
    });
    let words: Vec<String> = words.collect();
    format!("cd {} && {}\n", quoted_path(folder), words.join(" "))
}
