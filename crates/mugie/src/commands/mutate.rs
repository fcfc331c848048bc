//! `mugie mutate`: makes mutants, programs with the same meaning as a seed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use mugie_core::{
    Applied, Closure, Dropped, Edit, End, Exit, Focus, Generator, Mutant, Place, Seed, Weights,
    hex, replay,
};
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::seed_test::SCOPE_HELP;
use mugie_experiment::sources::{Reading, Source, display_name};
use mugie_results::result::ScopeReport;
use serde::{Deserialize, Serialize};

use crate::args::{ReadingArgs, ScopeArgs, StrengthArgs};
use crate::defects::DefectArgs;
use crate::doors::{self, ToolArgs};
use crate::exhaustive;
use crate::folder::Folder;
use crate::interrupt::Interrupts;
use crate::messages::{Style, Trouble, plural};
use crate::mutants::{self, LIST, MutantRow, Rows};
use crate::output::{self, Broken};
use crate::parallel;
use crate::parts::{self, languages};
use crate::procedures::ProcedureArgs;
use crate::progress::Progress;
use crate::recorded::{not_again, open_seed};

/// Make mutants of a seed: programs with the same meaning
///
/// Draws as the paper's Algorithm 1 does: one of the programs made so far, the seed included; an
/// operator (see `mugie operators`) by weight; a place where the operator applies. The result is a
/// new mutant unless an equal one was made before. The same seed, operators and --seed give the
/// same mutants, byte for byte, on any machine.
///
/// The mutants are written to a directory: one file each, or a numbered pair for a program in two
/// files, and `mutants.jsonl` with a row per mutant: its name, its files in the order for the
/// verifier, the program it was made from, all edits since the seed, and its hash. The directory
/// appears only when it is complete. Its name is printed to standard output.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Mutate {
    /// The Boogie program to start from; `-` means standard input
    #[arg(value_name = "SEED")]
    file: PathBuf,

    /// Number of mutants [default: 100]
    #[arg(short = 'n', long, value_name = "N")]
    number: Option<usize>,

    /// The operators to draw from, with weights
    ///
    /// Names of sets (`paper`, `extended`, or `all` for both) and of operators, separated by
    /// commas, each with an optional weight: `paper,L5=3`. Later entries override earlier ones.
    #[arg(long, value_name = "CHOICE", default_value = "paper")]
    operators: String,

    #[command(flatten)]
    strength: StrengthArgs,

    #[command(flatten)]
    scope: ScopeArgs,

    /// The random seed
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,

    /// Maximum number of attempts to draw mutants [default: 100 per mutant, at least 10000]
    #[arg(long, value_name = "A")]
    max_attempts: Option<u64>,

    /// Make all mutants that the operators can reach, nearest first, up to -n of them
    ///
    /// Without -n, there must be at most 1000.
    #[arg(long, conflicts_with_all = ["seed", "max_attempts"])]
    exhaustive: bool,

    /// The directory for the mutants [default: SEED's name plus `.mutants`]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace an existing directory of mutants
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    tools: ToolArgs,

    #[command(flatten)]
    procedures: ProcedureArgs,

    /// Only list the number of places in the seed where each operator applies
    #[arg(long, conflicts_with_all = ["out", "force", "replay", "exhaustive"])]
    list: bool,

    /// Make the mutants of a `mutants.jsonl` again, and fail if they differ
    #[arg(long, value_name = "FILE", conflicts_with_all = ["number", "operators", "strength", "mutate", "seed", "exhaustive"])]
    replay: Option<PathBuf>,

    /// Make the one mutant that these edits lead to: a JSON array of edits, as in `mutants.jsonl`
    ///
    /// Of each edit, only `operator` and `place` are needed.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["number", "operators", "strength", "mutate", "seed", "max_attempts", "exhaustive", "replay", "list"])]
    edits: Option<String>,

    /// Print the rows of `mutants.jsonl`, or of --list, as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    defects: DefectArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Number of threads that write files [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// The number of mutants.
const USUAL_NUMBER: usize = 100;

const EXAMPLES: &str = "\
Examples:
  mugie mutate max.bpl                        100 mutants in max.mutants/
  mugie mutate max.bpl --list                 where does each operator apply?
  mugie mutate max.bpl -n 50 --operators S1   50 other orders of the declarations
  mugie mutate max.bpl --exhaustive --operators S1 -n 1000
                                              all orders, if there are at most 1000
  mugie mutate max.bpl --replay max.mutants/mutants.jsonl --out again
                                              the same files again

Exit codes:
  0  the mutants are written; fewer than asked for if no others were found
  2  the seed is rejected, something cannot be read or written, the usage is wrong, or more than
     5 % of the mutants are left out because they fail mugie's own check";

impl Mutate {
    /// Makes the mutants, or lists the places.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// Runs on a stack deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let source = doors::source(&self.file, &self.tools)?.in_language(self.reading.language);
        let language = parts::language_of(&source);
        let weights = Weights::parse(&self.operators, language.operators()).map_err(|error| {
            Trouble::new(error.to_string()).help("`mugie operators` lists them")
        })?;
        let reading = Reading {
            languages: languages(),
            usual: language.id().to_owned(),
            options: self.reading.options.clone(),
        };
        let source = self.procedures.choose_one(style, source, &reading)?;
        let open = open_seed(style, &reading, &source)?;
        let seed = open.seed();
        if self.list {
            return self.list(seed);
        }
        if let Some(list) = &self.replay {
            return self.replay(&source, seed, list);
        }
        if let Some(edits) = &self.edits {
            return self.make(style, &source, &open, edits);
        }
        let scope = self.scope.of(&**seed.program());
        let focus = Focus::new(&**seed.program(), &scope)
            .map_err(|error| Trouble::new(error.to_string()).help(SCOPE_HELP))?;
        if let Some(units) = focus.size() {
            let of = seed.program().unit_count();
            output::talk(&format!(
                "{}\n",
                mugie_report::scope(&ScopeReport { mutate: scope, units, of })
            ));
        }
        let usual = if self.exhaustive { exhaustive::MOST } else { USUAL_NUMBER };
        let number = self.number.unwrap_or(usual);
        let rows = Rows::new(&source, seed, number);
        let (made, dropped) = if self.exhaustive {
            if self.number.is_none() {
                exhaustive::check(source.name(), seed.program(), &weights, focus.clone())?;
            }
            let closure = Closure::new(seed.program(), &weights, number);
            let mut closure = closure.within(focus).checked_by(open.shared());
            let (made, dropped) = self.write(seed, &rows, number, &mut closure)?;
            output::talk(&end_in_words(made, number, closure.end(), None));
            (made, dropped)
        } else {
            let max_attempts =
                self.max_attempts.unwrap_or_else(|| Generator::usual_attempts(number));
            let generator =
                Generator::new(seed.program(), weights, self.seed, number, max_attempts);
            let generator = generator.with_strength(self.strength.asked());
            let mut generator = generator.within(focus).checked_by(open.shared());
            let (made, dropped) = self.write(seed, &rows, number, &mut generator)?;
            let attempts = Some(generator.attempts());
            output::talk(&end_in_words(made, number, generator.end(), attempts));
            (made, dropped)
        };
        self.report_defects(style, &open, &rows, &dropped)?;
        let is_fine = !Dropped::are_too_many(dropped.len(), made + dropped.len());
        Ok(if is_fine { Exit::Fine } else { Exit::NoAnswer })
    }

    /// Reports mutants that were left out, and keeps them if asked to.
    fn report_defects(
        &self,
        style: &Style,
        seed: &OpenSeed,
        rows: &Rows,
        dropped: &[Dropped],
    ) -> Result<(), Trouble> {
        let mut defects = self.defects.collect();
        for dropped in dropped {
            defects.add(seed, None, &rows.name(dropped.number), dropped)?;
        }
        defects.tell(style);
        Ok(())
    }

    fn list(&self, seed: &dyn Seed) -> Result<Exit, Broken> {
        #[derive(Serialize)]
        struct Applicable {
            operator: &'static str,
            name: &'static str,
            places: u64,
        }
        let mut text = String::new();
        for (number, about) in seed.program().operators().iter().enumerate() {
            let places = seed.program().places(number);
            if self.json {
                let row = Applicable { operator: about.id(), name: about.name, places };
                let row = serde_json::to_string(&row)
                    .map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))?;
                text += &row;
                text.push('\n');
            } else {
                let code = about.code.unwrap_or("");
                let _ = writeln!(text, "{code:2}  {:24} {places:>10}", about.name);
            }
        }
        output::data(&text)?;
        Ok(Exit::Fine)
    }

    /// Writes the mutants as they are made, each after its check. Returns the number written, and
    /// the mutants left out, by number.
    fn write(
        &self,
        seed: &dyn Seed,
        rows: &Rows,
        number: usize,
        mutants: &mut (dyn Iterator<Item = Result<Mutant, Box<Dropped>>> + Send),
    ) -> Result<(usize, Vec<Dropped>), Broken> {
        let mut progress = Progress::new("mutants", number);
        let mut made = 0;
        let dropped = Mutex::new(Vec::new());
        let leave_out = |wrong: Box<Dropped>| {
            dropped.lock().unwrap_or_else(PoisonError::into_inner).push(*wrong);
        };
        let mutants = mutants.filter_map(|mutant| {
            let mutant = mutant.map_err(leave_out).ok()?;
            made += 1;
            progress.show(made);
            Some(Ok((rows.row(&mutant), mutant)))
        });
        let result = self.write_folder(rows.stem(), mutants, |row, mutant, folder| {
            if let Err(wrong) = mutant.check(seed) {
                leave_out(wrong);
                return Ok(false);
            }
            rows.write(row, &*mutant.program, folder).map(|()| true)
        });
        progress.hide();
        let made = result?;
        let mut dropped = dropped.into_inner().unwrap_or_else(PoisonError::into_inner);
        dropped.sort_by_key(|dropped| dropped.number);
        Ok((made, dropped))
    }

    /// Writes mutants into a folder, in several threads, and then the list of those written.
    /// Returns their number.
    fn write_folder<M: Send>(
        &self,
        stem: &str,
        rows: impl Iterator<Item = Result<(MutantRow, M), Trouble>> + Send,
        write: impl Fn(&MutantRow, M, &Path) -> Result<bool, Trouble> + Sync,
    ) -> Result<usize, Broken> {
        let target = self.out.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}.mutants")));
        let interrupts = Interrupts::watch("no mutants are written")?;
        let folder = Folder::start(&target, LIST, self.force)?;
        let mut lines: Vec<(String, String)> = Vec::new();
        let left_out = Mutex::new(BTreeSet::new());
        let rows = rows.map(|row| {
            if interrupts.is_noted() {
                return Err(Trouble::new("interrupted; no mutants were written")
                    .help("run the same command to start again"));
            }
            let (row, mutant) = row?;
            lines.push((row.name.clone(), row.to_line()?));
            Ok((row, mutant))
        });
        parallel::consume(rows, self.jobs, |(row, mutant)| {
            if !write(&row, mutant, folder.path())? {
                left_out.lock().unwrap_or_else(PoisonError::into_inner).insert(row.name);
            }
            Ok(())
        })?;
        let left_out = left_out.into_inner().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|(name, _)| !left_out.contains(name));
        let list: String = lines.iter().map(|(_, line)| line.as_str()).collect();
        folder.finish(&list)?;
        if self.json {
            output::data(&list)?;
        } else {
            output::path(&target)?;
        }
        Ok(lines.len())
    }

    /// Makes the mutant that some edits lead to.
    fn make(
        &self,
        style: &Style,
        source: &Source,
        open: &OpenSeed,
        edits: &str,
    ) -> Result<Exit, Broken> {
        #[derive(Deserialize)]
        struct Step {
            operator: String,
            place: Place,
        }
        let steps: Vec<Step> = serde_json::from_str(edits).map_err(|error| {
            Trouble::new(format!("--edits has no list of edits: {error}"))
                .help("an edit is an object with `operator` and `place`, as in `mutants.jsonl`")
        })?;
        let mut applied: Option<Applied> = None;
        let mut edits = Vec::new();
        for Step { operator, place } in steps {
            let program = applied.as_ref().map_or(open.program(), |applied| &applied.program);
            let edit = Edit::new(operator, place, format!("edit {}", edits.len() + 1));
            let next = program.apply(&edit).map_err(|error| {
                Trouble::new(error.to_string())
                    .help("the edits of another program, or of another release of mugie?")
            })?;
            edits.push(next.edit.clone());
            applied = Some(next);
        }
        let Some(Applied { program, change, .. }) = applied else {
            return Err(Trouble::new("--edits is an empty list").into());
        };
        let rows = Rows::new(source, open.seed(), 1);
        let mut mutants = std::iter::once(Ok(Mutant::made(edits, program, change)));
        let (_, dropped) = self.write(open.seed(), &rows, 1, &mut mutants)?;
        self.report_defects(style, open, &rows, &dropped)?;
        Ok(if dropped.is_empty() { Exit::Fine } else { Exit::NoAnswer })
    }

    fn replay(&self, source: &Source, seed: &dyn Seed, list: &Path) -> Result<Exit, Broken> {
        let rows = mutants::read_list(list)?;
        let hash = hex(&seed.program().hash());
        let number = rows.len();
        let naming = Rows::new(source, seed, number);
        let rows = rows.into_iter().map(|row| {
            if row.seed != hash {
                let name = display_name(&self.file);
                return Err(Trouble::new(format!("{name} is not the seed of {}", row.name)).help(
                    format!("the mutants were made from a {} with hash {}", row.source, row.seed),
                ));
            }
            let program = replay(seed.program(), &row.edits, &row.hash)
                .map_err(|error| not_again(&row.name, &error))?;
            Ok((row, program))
        });
        self.write_folder(naming.stem(), rows, |row, program, folder| {
            naming.write(row, &*program, folder).map(|()| true)
        })?;
        output::talk(&format!("{number} {} reproduced\n", plural(number, "mutant")));
        Ok(Exit::Fine)
    }
}

/// The number of mutants, and why there are not more.
fn end_in_words(made: usize, wanted: usize, end: Option<End>, attempts: Option<u64>) -> String {
    let mutants = plural(made, "mutant");
    let mut words = match end {
        Some(End::Exhausted) => format!("{made} {mutants}: there are no others"),
        // A limit of attempts is for random draws.
        Some(End::Reached) if attempts.is_none() => {
            format!("{made} {mutants}, the nearest to the seed: there are more")
        }
        Some(End::AttemptsSpent) => {
            format!("{made} of {wanted} {}: no attempts left", plural(wanted, "mutant"))
        }
        _ => format!("{made} {mutants}"),
    };
    if let Some(attempts) = attempts {
        let _ = write!(
            words,
            " ({attempts} {})",
            plural(usize::try_from(attempts).unwrap_or(2), "attempt")
        );
    }
    words + "\n"
}
