//! Chooses the procedures of a program that are tested: `--procedure`.

use clap::Args;
use mugie_core::{ChosenGoals, matches};
use mugie_experiment::sources::{Reading, Source};

use crate::messages::{Style, Trouble, plural};
use crate::output;

/// Names that a message lists, at most.
const SHOWN: usize = 20;

/// Which procedures to test.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ProcedureArgs {
    /// Verify only procedures with this name, with `*` for any characters; may be repeated
    ///
    /// A method or lemma of Dafny is known by its name there, with or without `(correctness)`, and by
    /// the one in the printed program. Everything else stays in the program, and is changed as usual;
    /// programs without such a procedure are left out.
    #[arg(long = "procedure", value_name = "GLOB")]
    globs: Vec<String>,
}

impl ProcedureArgs {
    /// The patterns.
    pub(crate) fn globs(&self) -> &[String] {
        &self.globs
    }

    /// The sources that have procedures to test, in which only these are verified.
    pub(crate) fn choose(
        &self,
        style: &Style,
        sources: Vec<Source>,
        reading: &Reading,
    ) -> Result<Vec<Source>, Trouble> {
        if self.globs.is_empty() {
            return Ok(sources);
        }
        let mut kept = Vec::new();
        let mut missed: Vec<String> = Vec::new();
        let mut counts = (0, 0);
        for source in sources {
            let Some(ChosenGoals { files, chosen, others }) = self.chosen(&source, reading)? else {
                // What is wrong with it is said when it is tested.
                kept.push(source);
                continue;
            };
            counts.0 += chosen.len();
            counts.1 += chosen.len() + others.len();
            if chosen.is_empty() {
                missed.extend(others.iter().map(|name| source.back().goal(name)));
            } else {
                kept.push(source.choosing(files, chosen, &self.globs));
            }
        }
        if kept.is_empty() {
            let words = format!("no procedure is called `{}`", self.globs.join("` or `"));
            let more = if missed.len() > SHOWN { ", …" } else { "" };
            missed.truncate(SHOWN);
            let help = if missed.is_empty() {
                "there are no procedures with a body".to_owned()
            } else {
                format!("the procedures are: {}{more}", missed.join(", "))
            };
            return Err(Trouble::new(words).help(help));
        }
        if counts.0 > 0 {
            let (chosen, all) = counts;
            let are = if all == 1 { "is" } else { "are" };
            let words = format!("{chosen} of {all} {} {are} verified", plural(all, "procedure"));
            output::talk(&style.note(&words));
        }
        Ok(kept)
    }

    /// One source, in which only the procedures to test are verified.
    pub(crate) fn choose_one(
        &self,
        style: &Style,
        source: Source,
        reading: &Reading,
    ) -> Result<Source, Trouble> {
        let mut kept = self.choose(style, vec![source], reading)?;
        kept.pop().ok_or_else(|| Trouble::new("there is no program"))
    }

    /// The program of a source, in which only the chosen procedures are verified. `None` if it cannot be
    /// read.
    fn chosen(&self, source: &Source, reading: &Reading) -> Result<Option<ChosenGoals>, Trouble> {
        let Some(language) = source.language(reading.languages, &reading.usual) else {
            return Ok(None);
        };
        let Ok(files) = source.read() else { return Ok(None) };
        let chooses = |names: &[&str]| names.iter().any(|name| self.is_called(source, name));
        let found = language.only(files, &reading.options.clone().of(language), &chooses);
        let found = found.ok_or_else(|| {
            let words = format!("a {} has no procedures to choose", language.words().program);
            Trouble::new(words).help("leave out --procedure")
        })?;
        Ok(found.ok())
    }

    fn is_called(&self, source: &Source, name: &str) -> bool {
        let told = source.back().goal(name);
        let bare = |name: &str| name.split_once(" (").map_or(name, |(bare, _)| bare).to_owned();
        let names = [name.to_owned(), bare(name), bare(&told), told];
        self.globs.iter().any(|glob| names.iter().any(|name| matches(glob, name)))
    }
}
