//! Several programs in one process of the verifier, each with the verdict that it has alone.
//!
//! What a process says of a program counts at once only if it is a complete answer that all is
//! verified; if the solver is tapped, so that it heard the same as if the program were alone, also
//! that something failed. Everything else, and all that does not look as it should, is repeated
//! alone: so limits, crashes and timeouts are those of plain runs, with the program's own files. A
//! program that ends its process costs the others nothing but a new one.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use mugie_verifiers::tap::{self, QueryRecord};
use mugie_verifiers::{Batch, CommandLine, Ending, Outcome, Part, Run, Verdict};

use super::{Files, Runner, Settled, output, write};
use crate::cache::Key;

/// How runs are made fast, and how that is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Batching {
    /// Whether each program gets a process of its own, whatever the verifier can do.
    pub plain: bool,
    /// The share of verdicts that are compared with that of a plain run.
    pub cross_check: f64,
}

/// What the comparison of verdicts brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossChecks {
    /// How many verdicts were compared.
    pub compared: usize,
    /// Those that differ.
    pub differences: Vec<Difference>,
}

/// A program whose verdict in a shared process, or with a tap, is not that of a plain run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its file.
    pub file: String,
    /// The outcome in the fast run.
    pub fast: Outcome,
    /// The outcome of the plain run, which counts.
    pub plain: Outcome,
}

/// What is known of a program after it was in a shared process.
enum Answered {
    /// It counts.
    Sure(Settled),
    /// It has to be repeated alone. This is what was said of it, if it is an answer.
    Doubtful(Option<Verdict>),
}

/// How far a process is, by what it prints.
#[derive(Clone, Copy)]
struct Order {
    /// How many programs were begun.
    begun: usize,
    /// Whether they were begun one after the other.
    is_orderly: bool,
}

/// Programs for one process, in their folder.
struct Lineup {
    command_line: CommandLine,
    paths: Vec<PathBuf>,
    is_tapped: bool,
}

/// What came of a process.
struct Process {
    /// How many of its programs have an answer, from the first one on.
    answered: usize,
    /// Whether the others may go on in another process.
    is_orderly: bool,
}

impl Runner<'_> {
    /// Whether several programs may share a process.
    pub fn is_batching(&self) -> bool {
        !self.batching.plain && self.verifier.batch().is_some()
    }

    /// What the comparison of verdicts brought so far.
    pub fn cross_checks(&self) -> CrossChecks {
        self.lock_cross_checks().clone()
    }

    /// What the verifier says of several programs that may share a process. `each` gets the place
    /// of a program and its verdict, as soon as it is there. A break from it ends what is under
    /// way. If the runs were cancelled, some programs are left out.
    pub fn settle_together(
        &self,
        programs: &[Files],
        mut each: impl FnMut(usize, Settled) -> ControlFlow<()>,
    ) {
        // Says by itself whether to go on.
        let _ = self.settle_all(programs, &mut each);
    }

    fn settle_all(
        &self,
        programs: &[Files],
        each: &mut dyn FnMut(usize, Settled) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut names = BTreeSet::new();
        let mut can_share = |Files(files): &Files| match (self.verifier.batch(), &files[..]) {
            (Some(batch), [_, ..]) if batch.can_rename() => true,
            (Some(_), [(name, _)]) => names.insert(name.clone()),
            _ => false,
        };
        let mut together = Vec::new();
        let mut alone = Vec::new();
        for (place, files) in programs.iter().enumerate() {
            if let Some(known) = self.known(&self.cache_key(files, 0)) {
                each(place, known)?;
                continue;
            }
            if can_share(files) { together.push(place) } else { alone.push(place) }
        }
        let mut waiting = together.as_slice();
        while let Some(batch) = self.verifier.batch()
            && waiting.len() > 1
        {
            let mut left = Vec::new();
            let mut flow = ControlFlow::Continue(());
            let process = self.run_batch(batch, programs, waiting, &mut |place, answered| {
                match answered {
                    Answered::Sure(settled) => {
                        let key = self.cache_key(&programs[place], 0);
                        if self.is_to_be_compared(&key) {
                            left.push((place, Answered::Sure(settled)));
                        } else {
                            self.keep(&key, &settled);
                            flow = each(place, settled);
                        }
                    }
                    doubtful @ Answered::Doubtful(_) => left.push((place, doubtful)),
                }
                flow
            });
            flow?;
            if self.supervisor.is_cancelled() {
                return ControlFlow::Break(());
            }
            for (place, answered) in left {
                let settled = self.look_again(&programs[place], answered);
                settled.map_or(ControlFlow::Break(()), |settled| each(place, settled))?;
            }
            waiting = &waiting[process.answered..];
            if !process.is_orderly {
                break;
            }
        }
        alone.extend(waiting);
        alone.into_iter().try_for_each(|place| {
            let settled = self.settle(&programs[place], 0);
            settled.map_or(ControlFlow::Break(()), |settled| each(place, settled))
        })
    }

    /// What is to be said of a program that needs a run alone, although it was in a shared process.
    fn look_again(&self, files: &Files, answered: Answered) -> Option<Settled> {
        match answered {
            Answered::Sure(settled) => {
                let settled = self.cross_check(files, settled)?;
                self.keep(&self.cache_key(files, 0), &settled);
                Some(settled)
            }
            Answered::Doubtful(said) => {
                let settled = self.settle(files, 0)?;
                if let Some(said) = said.filter(|_| self.batching.cross_check > 0.0) {
                    self.compare(files, &said, &settled.verdict);
                }
                Some(settled)
            }
        }
    }

    /// Runs a program as plainly as can be, and compares. The verdict of the plain run counts.
    pub(super) fn cross_check(&self, files: &Files, settled: Settled) -> Option<Settled> {
        let alone = self.plain(None).settle(files, 0)?;
        self.compare(files, &settled.verdict, &alone.verdict);
        let Settled { queries, together, .. } = settled;
        Some(Settled { queries, together, ..alone })
    }

    /// Whether a program is in the share of those that are compared.
    pub(super) fn is_to_be_compared(&self, key: &Key) -> bool {
        let number = u32::from_le_bytes([key[0], key[1], key[2], key[3]]);
        f64::from(number) < self.batching.cross_check * f64::from(u32::MAX)
    }

    fn compare(&self, Files(files): &Files, fast: &Verdict, plain: &Verdict) {
        // Those that depend on the machine need not be the same.
        if fast.depends_on_machine() || plain.depends_on_machine() || !plain.outcome.is_evidence() {
            return;
        }
        let outcomes = |verdict: &Verdict| -> Vec<_> {
            let procedures = verdict.procedures.iter();
            procedures.map(|procedure| (procedure.name.clone(), procedure.outcome)).collect()
        };
        let mut checks = self.lock_cross_checks();
        checks.compared += 1;
        if fast.outcome != plain.outcome || outcomes(fast) != outcomes(plain) {
            checks.differences.push(Difference {
                file: files.first().map(|(name, _)| name.clone()).unwrap_or_default(),
                fast: fast.outcome,
                plain: plain.outcome,
            });
        }
    }

    /// Runs one process on the `waiting` programs, as far as it gets.
    fn run_batch(
        &self,
        batch: &Batch,
        programs: &[Files],
        waiting: &[usize],
        each: &mut dyn FnMut(usize, Answered) -> ControlFlow<()>,
    ) -> Process {
        let folder = self.next_folder();
        // What is in the way of plain runs, too, is reported there.
        let process = match self.line_up(batch, &folder, programs, waiting) {
            Ok(lineup) => self.run_lineup(batch, &folder, &lineup, waiting, each),
            Err(_) => Process { answered: 0, is_orderly: false },
        };
        let _ = fs::remove_dir_all(&folder);
        process
    }

    /// Writes the `waiting` programs into a new folder, with a tap if that can be.
    fn line_up(
        &self,
        batch: &Batch,
        folder: &Path,
        programs: &[Files],
        waiting: &[usize],
    ) -> io::Result<Lineup> {
        fs::create_dir(folder)?;
        let places = waiting.iter().copied();
        let marked = places.clone().map(|place| batch.marked(place, &programs[place].0));
        if let Some(tap) = &self.tap
            && let Some(marked) = marked.collect()
        {
            let paths = write(folder, &apart(marked))?;
            if let Ok(command_line) =
                self.verifier.tapped_batch_command_line(batch, &paths, folder, tap)
            {
                return Ok(Lineup { command_line, paths, is_tapped: true });
            }
        }
        let files: Option<Vec<_>> =
            places.map(|place| batch.in_one_file(&programs[place].0)).collect();
        let files = files.ok_or(io::ErrorKind::InvalidInput)?;
        let paths = write(folder, &apart(files))?;
        let command_line = self.verifier.batch_command_line(batch, &paths, folder);
        Ok(Lineup { command_line, paths, is_tapped: false })
    }

    fn run_lineup(
        &self,
        batch: &Batch,
        folder: &Path,
        Lineup { command_line, paths, is_tapped }: &Lineup,
        waiting: &[usize],
        each: &mut dyn FnMut(usize, Answered) -> ControlFlow<()>,
    ) -> Process {
        let order = Cell::new(Order { begun: 0, is_orderly: true });
        let mut begins = |line: &str| {
            let Some(file) = batch.file(line).map(Path::new) else { return false };
            let Order { begun, is_orderly } = order.get();
            if paths.get(begun).is_some_and(|path| path == file) {
                order.set(Order { begun: begun + 1, is_orderly });
                return true;
            }
            // A program may print what it likes, but not that it is one of the others.
            let is_other = paths.iter().any(|path| path == file);
            order.set(Order { begun, is_orderly: is_orderly && !is_other });
            is_other
        };
        let answered = Cell::new(0);
        let mut answer_next = |run: Option<&Run>| {
            let place = waiting[answered.replace(answered.get() + 1)];
            // If the tap missed a marker, the solver heard something else than of the program alone.
            let heard = if *is_tapped { queries(folder, place).map(Some) } else { Some(None) };
            let said = run.zip(heard);
            let answer =
                said.map_or(Answered::Doubtful(None), |(run, heard)| self.answer(run, heard));
            each(place, answer)
        };
        // What comes before the first program is a part, too.
        let mut has_begun = false;
        let mut answer_part = |part: Part| {
            if !order.get().is_orderly {
                return ControlFlow::Break(());
            }
            if !std::mem::replace(&mut has_begun, true) {
                return ControlFlow::Continue(());
            }
            let Part { usage, stdout, stderr } = part;
            let is_quiet = stderr.text.is_empty();
            let run = Run { ending: Ending::Exited(0), usage, stdout, stderr };
            let flow = answer_next(is_quiet.then_some(&run));
            // Whatever it complains about, it may be about the next ones, too.
            if is_quiet { flow } else { ControlFlow::Break(()) }
        };
        let run =
            self.supervisor.run_in_parts(command_line, &self.limits, &mut begins, &mut answer_part);
        let Order { begun, is_orderly } = order.get();
        if !is_orderly || begun == 0 {
            return Process { answered: answered.get(), is_orderly: false };
        }
        let ended = answered.get();
        if ended < begun && run.ending != Ending::Cancelled {
            let is_last = begun == paths.len() && ended + 1 == begun;
            let is_quiet = run.stderr.text.is_empty();
            // There is nothing left to end.
            let _ = answer_next((is_last && is_quiet).then_some(&run));
        }
        let answered = answered.get();
        Process { answered, is_orderly: answered > 0 }
    }

    /// What a process said of one program, as if it had run for it alone.
    fn answer(&self, run: &Run, queries: Option<Vec<QueryRecord>>) -> Answered {
        let verdict = self.verifier.read(run);
        let is_clean = verdict.outcome.is_evidence() && run.ending == Ending::Exited(0);
        let is_decided = match verdict.outcome {
            Outcome::Verified => true,
            Outcome::Failed => queries.as_ref().is_some_and(|queries| !queries.is_empty()),
            _ => false,
        };
        if is_clean && is_decided && !verdict.depends_on_machine() {
            return Answered::Sure(Settled {
                output: output(run, &verdict),
                verdict,
                usage: vec![run.usage],
                cached: false,
                unsteady: false,
                queries: queries.unwrap_or_default(),
                together: true,
            });
        }
        Answered::Doubtful(is_clean.then_some(verdict))
    }
}

/// The files, of which some have the same name, with different ones.
fn apart(mut files: Vec<(String, String)>) -> Files {
    let mut names = BTreeSet::new();
    for (number, (name, _)) in files.iter_mut().enumerate() {
        while !names.insert(name.clone()) {
            *name = format!("{number}-{name}");
        }
    }
    Files(files)
}

/// What the solver was asked about a program of a tapped process, if that is known.
fn queries(folder: &Path, place: usize) -> Option<Vec<QueryRecord>> {
    let records = tap::records_of_program(&tap::records_file(folder), place).ok()??;
    // Its number depends on which programs were in the process.
    Some(records.into_iter().map(|record| QueryRecord { program: None, ..record }).collect())
}
