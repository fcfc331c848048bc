//! `mugie mutate`: programs that mean the same.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;

use clap::Args;
use mugie_operators::{Closure, Defect, End, Generator, Mutant, Subject, Weights, operators};
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::cli::{DialectArg, Exit};
use crate::load::{DialectChoice, load};
use crate::mutants::{self, Folder, LIST, Naming, Row};
use crate::output::{self, Broken};
use crate::progress::Progress;
use crate::report::{Style, Trouble, plural};
use crate::{encoding, parallel, read};

/// Make programs that mean the same as a seed
///
/// Draws from the operators (see `mugie operators`) as the paper's Algorithm 1 does: a program
/// among those made so far, the seed included; an operator by weight; a place where it applies.
/// What comes of it is a new mutant if no equal one was made before. The same seed, operators
/// and --seed give the same mutants, byte for byte, on any machine.
///
/// The mutants go to a directory: a file each, or a numbered pair for a program in two files,
/// and `mutants.jsonl` with a row per mutant: its name, its files in the order for the verifier,
/// the program it was made from, the edits from the seed on, and its hash. The directory appears
/// when it is complete. Its name is printed to standard output.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mutate {
    /// The Boogie program to start from; `-` is standard input
    #[arg(value_name = "SEED")]
    file: PathBuf,

    /// How many mutants to make
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
    number: usize,

    /// The operators to draw from, with weights
    ///
    /// Names of sets (`paper`, `extended`, or `all` for both) and of operators, separated by
    /// commas, each with an optional weight: `paper,L5=3`. What comes later counts.
    #[arg(long, value_name = "CHOICE", default_value = "paper")]
    operators: String,

    /// The seed of the random numbers
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,

    /// Give up after so many draws [default: 100 for each mutant, at least 10000]
    #[arg(long, value_name = "A")]
    max_attempts: Option<u64>,

    /// Make all mutants that the operators lead to, nearest first, up to -n of them
    #[arg(long, conflicts_with_all = ["seed", "max_attempts"])]
    exhaustive: bool,

    /// The directory for the mutants [default: SEED's name with `.mutants`]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace a directory of mutants that exists already
    #[arg(long)]
    force: bool,

    /// Only say how many places each operator has in the seed
    #[arg(long, conflicts_with_all = ["out", "force", "replay", "exhaustive"])]
    list: bool,

    /// Make the mutants of a `mutants.jsonl` again, and fail if they come out different
    #[arg(long, value_name = "FILE", conflicts_with_all = ["number", "operators", "seed", "exhaustive"])]
    replay: Option<PathBuf>,

    /// Print the rows of `mutants.jsonl`, or of --list, as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    dialect: DialectArg,

    /// How many threads write files [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  mugie mutate max.bpl                        100 mutants in max.mutants/
  mugie mutate max.bpl --list                 where could each operator act?
  mugie mutate max.bpl -n 50 --operators S1   50 with other orders of declarations
  mugie mutate max.bpl --exhaustive --operators S1 -n 1000
                                              all orders, if there are at most 1000
  mugie mutate max.bpl --replay max.mutants/mutants.jsonl --out again
                                              the same files once more

Exit codes:
  0  the mutants are there, or fewer than asked for because there were no others to be found
  2  the seed is rejected, something cannot be read or written, or the usage is wrong";

impl Mutate {
    /// Makes the mutants, or lists the places.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// On a stack that is deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let weights = Weights::parse(&self.operators).map_err(|error| {
            Trouble::new(error.to_string()).help("`mugie operators` lists them")
        })?;
        let Some(seed) = self.load(style)? else { return Ok(Exit::CouldNot) };
        if self.list {
            return self.list(&seed);
        }
        if let Some(list) = &self.replay {
            return self.replay(&seed, list, style);
        }
        let naming = Naming::new(&self.file, &seed, self.number);
        if self.exhaustive {
            let mut closure = Closure::new(&seed, &weights, self.number);
            let made = self.write(&naming, &mut closure)?;
            output::talk(&end_in_words(made, self.number, closure.end(), None));
        } else {
            let max_attempts =
                self.max_attempts.unwrap_or_else(|| (100 * self.number as u64).max(10_000));
            let mut generator =
                Generator::new(&seed, weights, self.seed, self.number, max_attempts);
            let made = self.write(&naming, &mut generator)?;
            let attempts = Some(generator.attempts());
            output::talk(&end_in_words(made, self.number, generator.end(), attempts));
        }
        Ok(Exit::Fine)
    }

    fn load(&self, style: &Style) -> Result<Option<Subject>, Broken> {
        let sources = read::read(std::slice::from_ref(&self.file))?;
        let mut loaded = load(&sources, DialectChoice::from(&self.dialect));
        if loaded.accepted() {
            return Ok(Some(Subject::new(&loaded.program)));
        }
        encoding::explain(&sources, &mut loaded.errors);
        output::talk(&style.errors(&sources, &loaded.errors, MAX_ERRORS));
        let name = read::name(&self.file);
        let trouble = Trouble::new(format!("{name}: the seed is not a well-formed program"))
            .help(format!("`mugie check {name}` says more"));
        output::talk(&style.trouble(&trouble));
        Ok(None)
    }

    fn list(&self, seed: &Subject) -> Result<Exit, Broken> {
        #[derive(Serialize)]
        struct Places {
            operator: &'static str,
            name: &'static str,
            places: u64,
        }
        let mut text = String::new();
        for operator in operators::ALL {
            let about = operator.about();
            let places = seed.places(*operator);
            if self.json {
                let row = Places { operator: about.id(), name: about.name, places };
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

    /// Writes the mutants as they are made. Returns how many there are.
    fn write(
        &self,
        naming: &Naming,
        mutants: &mut dyn Iterator<Item = Result<Mutant, Defect>>,
    ) -> Result<usize, Broken> {
        let mut progress = Progress::new("mutants", self.number);
        let mut number = 0;
        let rows = mutants.map(|mutant| {
            let Mutant { parent, edits, subject, hash, number: name } =
                mutant.map_err(|defect| bug(&defect))?;
            number += 1;
            progress.show(number);
            let files = if subject.split().is_some() { 2 } else { 1 };
            Ok((naming.row(name, parent, edits, &hash, files), subject))
        });
        let result = self.write_rows(naming.stem(), rows);
        progress.hide();
        result?;
        Ok(number)
    }

    /// Writes mutants into a folder, in several threads, and then their list.
    fn write_rows(
        &self,
        stem: &str,
        rows: impl Iterator<Item = Result<(Row, Arc<Subject>), Trouble>>,
    ) -> Result<(), Broken> {
        let target = self.out.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}.mutants")));
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&interrupted))
                .map_err(|error| Trouble::new(format!("cannot watch for signals: {error}")))?;
        }
        let folder = Folder::start(&target, self.force)?;
        let list = self.write_files(folder.path(), rows, &interrupted)?;
        folder.finish(&list)?;
        output::data(&if self.json { list } else { format!("{}\n", target.display()) })
    }

    /// Writes the files. Returns the text of the list.
    fn write_files(
        &self,
        folder: &Path,
        rows: impl Iterator<Item = Result<(Row, Arc<Subject>), Trouble>>,
        interrupted: &AtomicBool,
    ) -> Result<String, Trouble> {
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let jobs = self.jobs.unwrap_or_else(cores).get();
        let failure: Mutex<Option<Trouble>> = Mutex::new(None);
        let fail = |trouble| {
            if let Ok(mut failure) = failure.lock() {
                failure.get_or_insert(trouble);
            }
        };
        let has_failed = || failure.lock().is_ok_and(|failure| failure.is_some());
        // Mutants wait in short queues, so that generating does not run far ahead of writing.
        let (sender, receiver) = mpsc::sync_channel::<(Row, Arc<Subject>)>(4 * jobs);
        let receiver = Mutex::new(receiver);
        let mut list = String::new();
        thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    loop {
                        let next = receiver.lock().map(|receiver| receiver.recv());
                        let Ok(Ok((row, subject))) = next else { return };
                        if let Err(trouble) = row.write(&subject, folder) {
                            fail(trouble);
                        }
                    }
                });
            }
            for row in rows {
                if interrupted.load(Ordering::Relaxed) {
                    fail(Trouble::new("interrupted: no mutants were written"));
                }
                if has_failed() {
                    break;
                }
                match row.and_then(|(row, subject)| Ok((row.to_line()?, row, subject))) {
                    Ok((line, row, subject)) => {
                        list += &line;
                        if sender.send((row, subject)).is_err() {
                            break;
                        }
                    }
                    Err(trouble) => fail(trouble),
                }
            }
            drop(sender);
        });
        match failure.into_inner() {
            Ok(None) => Ok(list),
            Ok(Some(trouble)) => Err(trouble),
            Err(_) => Err(Trouble::new("a thread that wrote files ended early")),
        }
    }

    fn replay(&self, seed: &Subject, list: &Path, style: &Style) -> Result<Exit, Broken> {
        let rows = mutants::read_list(list)?;
        let hash = mutants::hex(&seed.hash());
        let number = rows.len();
        let rows = rows.into_iter().map(|row| {
            if row.seed != hash {
                let name = read::name(&self.file);
                return Err(Trouble::new(format!("{name} is not the seed of {}", row.name)).help(
                    format!("the mutants were made from a {} with hash {}", row.source, row.seed),
                ));
            }
            let mut subject = seed.clone();
            for edit in &row.edits {
                let applied =
                    subject.apply(edit).map_err(|error| differs(&row, &error.to_string()))?;
                if applied.edit != *edit {
                    return Err(differs(&row, &format!("now {}", applied.edit.words)));
                }
                subject = applied.subject;
            }
            if mutants::hex(&subject.hash()) != row.hash {
                return Err(differs(&row, "the program has another hash"));
            }
            Ok((row, Arc::new(subject)))
        });
        let naming = Naming::new(&self.file, seed, number);
        self.write_rows(naming.stem(), rows)?;
        let _ = style;
        output::talk(&format!("{number} {} made again\n", plural(number, "mutant")));
        Ok(Exit::Fine)
    }
}

const MAX_ERRORS: usize = 5;

/// Why there are as many mutants as there are.
fn end_in_words(made: usize, wanted: usize, end: Option<End>, attempts: Option<u64>) -> String {
    let mutants = plural(made, "mutant");
    let mut words = match end {
        Some(End::Exhausted) => format!("{made} {mutants}: there are no others"),
        Some(End::AttemptsSpent) => {
            format!("{made} of {wanted} mutants: all attempts are spent")
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

fn bug(defect: &Defect) -> Trouble {
    Trouble::new(format!("a mutant went wrong: {defect}")).help(format!(
        "this is a bug of mugie; nothing was written. Please report it, with the seed and `{LIST}`"
    ))
}

fn differs(row: &Row, why: &str) -> Trouble {
    Trouble::new(format!("{} cannot be made again: {why}", row.name))
        .help("the list was changed, or written by a release of mugie with other rules")
}
