//! Verifies several programs in one process, each with the verdict that it has alone.
//!
//! The output of a shared process about a program counts at once if it is complete and everything
//! is verified. A failure counts only if the solver was tapped, so that it received the same
//! queries as for the program alone. In all other cases, and if anything looks odd, the program is
//! repeated alone: so limits, crashes and timeouts are those of plain runs, with the program's own
//! files. A program that ends its process costs the others only a new process.
//!
//! If the solver is tapped, no verdict of a process counts before the [comparison](super::trust) of
//! some of its programs with runs alone.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use mugie_core::{Files, Outcome, Verdict};
use mugie_verifiers::tap::{self, QueryRecord};
use mugie_verifiers::{CommandLine, Ending, Part, Run, SharedProcess};

use super::trust::{TrustState, agree};
use super::{Local, write};
use crate::{Executor as _, OnSettled, Request, Settled};

/// The result for a program in a shared process.
enum Answered {
    /// The result counts.
    Sure(Settled),
    /// The program has to be repeated alone. The verdict of the shared process, if it gave one.
    Doubtful(Option<Verdict>),
}

/// The progress of a process, by its output.
#[derive(Clone, Copy)]
struct Order {
    /// Number of programs begun.
    begun: usize,
    /// Whether they were begun in the expected order.
    is_orderly: bool,
}

/// A process that is ready to be run, with its programs written to a folder.
struct PreparedRun {
    command_line: CommandLine,
    paths: Vec<PathBuf>,
    is_tapped: bool,
}

/// The result of a process.
struct Process {
    /// Number of programs with an answer, counted from the first.
    answered: usize,
    /// Whether the others may share another process.
    is_orderly: bool,
}

impl Local {
    /// Settles the verdicts on several programs of one class that may share a process, given by
    /// their places among the requests.
    pub(super) fn settle_together(
        &self,
        requests: &[Request],
        places: &[usize],
        each: OnSettled<'_>,
    ) -> ControlFlow<()> {
        let mut names = BTreeSet::new();
        let mut can_share = |Files(files): &Files| match (self.verifier.batch(), &files[..]) {
            (Some(batch), [_, ..]) if batch.can_rename() => true,
            (Some(_), [(name, _)]) => names.insert(name.clone()),
            _ => false,
        };
        let (together, mut alone): (Vec<usize>, Vec<usize>) =
            places.iter().partition(|&&place| can_share(&requests[place].files));
        let mut waiting = together.as_slice();
        let mut distrusted: &[usize] = &[];
        while let Some(batch) = self.verifier.batch()
            && waiting.len() > 1
        {
            let is_compared = self.is_compared(requests, waiting);
            let mut answers = Vec::new();
            let mut flow = ControlFlow::Continue(());
            let process = self.run_batch(batch, requests, waiting, &mut |place, answered| {
                match answered {
                    // Answers that arrive before the process has ended are reported even after a
                    // break.
                    Answered::Sure(settled) if !is_compared => {
                        if each(place, settled).is_break() {
                            flow = ControlFlow::Break(());
                        }
                    }
                    answered => answers.push((place, answered)),
                }
                flow
            });
            flow?;
            if self.supervisor.is_cancelled() {
                self.deliver_last(requests, answers, each);
                return ControlFlow::Break(());
            }
            match if is_compared { self.compare(requests, &answers) } else { Some(true) } {
                None => return ControlFlow::Break(()),
                Some(true) => {}
                Some(false) => {
                    (distrusted, waiting) = (waiting, &[]);
                    break;
                }
            }
            self.deliver(requests, answers, each)?;
            waiting = &waiting[process.answered..];
            if !process.is_orderly {
                break;
            }
        }
        alone.extend(waiting);
        alone.extend(distrusted);
        alone.into_iter().try_for_each(|place| {
            let settled = self.settle_alone(&requests[place]);
            let distrusted = distrusted.contains(&place);
            settled.map_or(ControlFlow::Break(()), |settled| {
                each(place, Settled { distrusted, ..settled })
            })
        })
    }

    /// Reports the answers of a process, and those of runs alone where they do not count.
    fn deliver(
        &self,
        requests: &[Request],
        answers: Vec<(usize, Answered)>,
        each: OnSettled<'_>,
    ) -> ControlFlow<()> {
        let mut left = Vec::new();
        for (place, answered) in answers {
            match answered {
                Answered::Sure(settled) => each(place, settled)?,
                Answered::Doubtful(said) => left.push((place, said)),
            }
        }
        for (place, said) in left {
            let said = said.map(Box::new);
            match self.settle_alone(&requests[place]) {
                Some(settled) => each(place, Settled { said, ..settled })?,
                None => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports the answers that a cancelled process gave, if other processes of the seed were compared.
    fn deliver_last(
        &self,
        requests: &[Request],
        answers: Vec<(usize, Answered)>,
        each: OnSettled<'_>,
    ) {
        for (place, answered) in answers {
            if let Answered::Sure(settled) = answered
                && self.trust.state(&requests[place]) == TrustState::Confirmed
            {
                // A break does not matter, since the runs are over.
                let _ = each(place, settled);
            }
        }
    }

    /// Whether programs of a process are compared with runs alone.
    fn is_compared(&self, requests: &[Request], waiting: &[usize]) -> bool {
        let Some(last) = waiting.last().map(|&last| &requests[last]) else { return false };
        let [lot, ..] = self.key(last);
        self.tap.is_some() && self.trust.state(last).is_compared(waiting.len(), lot)
    }

    /// Compares some programs of a process with runs alone. Whether its verdicts can be trusted;
    /// `None` if the runs were cancelled.
    fn compare(&self, requests: &[Request], answers: &[(usize, Answered)]) -> Option<bool> {
        let Some((last, _)) = answers.last() else { return Some(true) };
        let sure = |place: usize| match &answers[place] {
            (number, Answered::Sure(settled)) => Some((&requests[*number], settled)),
            (_, Answered::Doubtful(_)) => None,
        };
        let places: Vec<usize> =
            (0..answers.len()).filter(|&place| sure(place).is_some()).collect();
        let chosen = self.trust.choose(&requests[*last], &places);
        for (request, together) in chosen.into_iter().filter_map(sure) {
            let Some(agree) = agree(together, &self.settle_alone(request)?) else {
                self.trust.note_nothing(request);
                continue;
            };
            self.trust.note(request, agree);
            if !agree {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Runs one process on the `waiting` programs, as far as it gets.
    fn run_batch(
        &self,
        batch: &SharedProcess,
        requests: &[Request],
        waiting: &[usize],
        each: &mut dyn FnMut(usize, Answered) -> ControlFlow<()>,
    ) -> Process {
        let folder = self.next_folder();
        // If plain runs have the same problem, they report it.
        let process = match self.prepare(batch, &folder, requests, waiting) {
            Ok(prepared) => self.run_prepared(batch, &folder, &prepared, waiting, each),
            Err(_) => Process { answered: 0, is_orderly: false },
        };
        let _ = fs::remove_dir_all(&folder);
        process
    }

    /// Writes the `waiting` programs into a new folder, with a tap if possible.
    fn prepare(
        &self,
        batch: &SharedProcess,
        folder: &Path,
        requests: &[Request],
        waiting: &[usize],
    ) -> io::Result<PreparedRun> {
        fs::create_dir(folder)?;
        let places = waiting.iter().copied();
        let marked = places.clone().map(|place| batch.marked(place, &requests[place].files.0));
        if let Some(tap) = &self.tap
            && let Some(marked) = marked.collect()
        {
            let paths = write(folder, &apart(marked))?;
            if let Ok(command_line) =
                self.verifier.tapped_batch_command_line(batch, &paths, folder, tap)
            {
                return Ok(PreparedRun { command_line, paths, is_tapped: true });
            }
        }
        if batch.needs_tap() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let files: Option<Vec<_>> =
            places.map(|place| batch.in_one_file(&requests[place].files.0)).collect();
        let files = files.ok_or(io::ErrorKind::InvalidInput)?;
        let paths = write(folder, &apart(files))?;
        let command_line = self.verifier.batch_command_line(batch, &paths, folder);
        Ok(PreparedRun { command_line, paths, is_tapped: false })
    }

    fn run_prepared(
        &self,
        batch: &SharedProcess,
        folder: &Path,
        PreparedRun { command_line, paths, is_tapped }: &PreparedRun,
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
            // A program may make the verifier print anything, except for the first line of another
            // program.
            let is_other = paths.iter().any(|path| path == file);
            order.set(Order { begun, is_orderly: is_orderly && !is_other });
            is_other
        };
        let answered = Cell::new(0);
        let mut answer_next = |run: Option<&Run>| {
            let place = waiting[answered.replace(answered.get() + 1)];
            // If the tap missed a marker, the solver received other queries than for the program
            // alone.
            let heard = if *is_tapped { queries(folder, place).map(Some) } else { Some(None) };
            let said = run.zip(heard);
            let answer =
                said.map_or(Answered::Doubtful(None), |(run, heard)| self.answer(run, heard));
            each(place, answer)
        };
        // The output before the first program is a part, too.
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
            // A complaint on standard error may concern the next programs, too.
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
            // A break does not matter, since the run is over.
            let _ = answer_next((is_last && is_quiet).then_some(&run));
        }
        let answered = answered.get();
        Process { answered, is_orderly: answered > 0 }
    }

    /// The answer of a shared process about one program, read as if the program had run alone.
    fn answer(&self, run: &Run, queries: Option<Vec<QueryRecord>>) -> Answered {
        let verdict = self.verifier.read(run);
        let is_clean = verdict.outcome.is_evidence() && run.ending == Ending::Exited(0);
        let is_decided = match verdict.outcome {
            Outcome::Verified => true,
            // Boogie 3 calls it a failure, too, if the solver was stopped at a limit.
            Outcome::Failed => queries.as_ref().is_some_and(|queries| {
                !queries.is_empty() && !queries.iter().any(|it| self.verifier.is_stopped(it))
            }),
            _ => false,
        };
        if is_clean && is_decided && !verdict.depends_on_machine() {
            let output = self.output(run, &verdict);
            let mut queries = queries.unwrap_or_default();
            self.verifier.assign_goals(&mut queries, &verdict);
            return Answered::Sure(Settled {
                queries,
                together: true,
                fast: true,
                ..Settled::of_run(verdict, output, vec![run.usage])
            });
        }
        Answered::Doubtful(is_clean.then_some(verdict))
    }
}

/// Renames files so that no two have the same name.
fn apart(mut files: Vec<(String, String)>) -> Files {
    let mut names = BTreeSet::new();
    for (number, (name, _)) in files.iter_mut().enumerate() {
        while !names.insert(name.clone()) {
            *name = format!("{number}-{name}");
        }
    }
    Files(files)
}

/// The queries about a program in a tapped process, if known.
fn queries(folder: &Path, place: usize) -> Option<Vec<QueryRecord>> {
    let records = tap::records_of_program(&tap::records_file(folder), place).ok()??;
    // The number of the program depends on which programs were in the process.
    Some(records.into_iter().map(|record| QueryRecord { program: None, ..record }).collect())
}
