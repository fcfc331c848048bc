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

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use mugie_core::{Files, Outcome, Verdict};
use mugie_verifiers::tap::{self, QueryRecord};
use mugie_verifiers::{CommandLine, Ending, Part, Run, SharedProcess};

use super::Local;
use super::program::{Program, Raw};
use super::trust::{TrustState, agree};
use crate::{Executor as _, OnSettled, Settled};

/// The result for a program in a shared process.
enum Answered {
    /// The result counts.
    Sure(Settled),
    /// The program has to be repeated alone. The verdict of the shared process, if it gave one.
    Doubtful(Option<Verdict>),
}

/// The progress of a process, by its output.
struct Order {
    /// The programs begun, by their places in the process.
    begun: Vec<usize>,
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
        programs: &[Program<'_>],
        places: &[usize],
        each: OnSettled<'_>,
    ) -> ControlFlow<()> {
        let mut names = BTreeSet::new();
        let mut can_share = |Files(files): &Files| match (self.verifier.batch(), &files[..]) {
            (Some(batch), [_, ..]) if batch.can_rename() => true,
            (Some(_), [(name, _)]) => names.insert(name.clone()),
            _ => false,
        };
        // A translated program always has the same name, and nobody reads its messages.
        let mut is_together = |place: usize| match &programs[place].input {
            Ok(input) if input.text().is_some() => input.files().0.len() == 1,
            Ok(input) => can_share(input.files()),
            Err(_) => false,
        };
        let (together, mut alone): (Vec<usize>, Vec<usize>) =
            places.iter().partition(|&&place| is_together(place));
        let mut waiting = together.as_slice();
        let mut distrusted: &[usize] = &[];
        while let Some(batch) = self.verifier.batch()
            && waiting.len() > 1
        {
            let is_compared = self.is_compared(programs, waiting);
            let mut answers = Vec::new();
            let mut flow = ControlFlow::Continue(());
            let process = self.run_batch(batch, programs, waiting, &mut |place, answered| {
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
                self.deliver_last(programs, answers, each);
                return ControlFlow::Break(());
            }
            match if is_compared { self.compare(programs, &answers) } else { Some(true) } {
                None => return ControlFlow::Break(()),
                Some(true) => {}
                Some(false) => {
                    (distrusted, waiting) = (waiting, &[]);
                    break;
                }
            }
            self.deliver(programs, answers, each)?;
            waiting = &waiting[process.answered..];
            if !process.is_orderly {
                break;
            }
        }
        alone.extend(waiting);
        alone.extend(distrusted);
        alone.into_iter().try_for_each(|place| {
            let settled = self.settle_alone(&programs[place]);
            let distrusted = distrusted.contains(&place);
            settled.map_or(ControlFlow::Break(()), |settled| {
                each(place, Settled { distrusted, ..settled })
            })
        })
    }

    /// Reports the answers of a process, and those of runs alone where they do not count.
    fn deliver(
        &self,
        programs: &[Program<'_>],
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
            match self.settle_alone(&programs[place]) {
                Some(settled) => each(place, Settled { said, ..settled })?,
                None => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports the answers that a cancelled process gave, if other processes of the seed were compared.
    fn deliver_last(
        &self,
        programs: &[Program<'_>],
        answers: Vec<(usize, Answered)>,
        each: OnSettled<'_>,
    ) {
        for (place, answered) in answers {
            if let Answered::Sure(settled) = answered
                && self.trust.state(programs[place].request) == TrustState::Confirmed
            {
                // A break does not matter, since the runs are over.
                let _ = each(place, settled);
            }
        }
    }

    /// Whether programs of a process are compared with runs alone.
    fn is_compared(&self, programs: &[Program<'_>], waiting: &[usize]) -> bool {
        let Some(last) = waiting.last().map(|&last| programs[last].request) else { return false };
        let [lot, ..] = self.key(last);
        self.tap.is_some() && self.trust.state(last).is_compared(waiting.len(), lot)
    }

    /// Compares some programs of a process with runs alone. Whether its verdicts can be trusted;
    /// `None` if the runs were cancelled.
    fn compare(&self, programs: &[Program<'_>], answers: &[(usize, Answered)]) -> Option<bool> {
        let Some((last, _)) = answers.last() else { return Some(true) };
        let sure = |place: usize| match &answers[place] {
            (number, Answered::Sure(settled)) => Some((&programs[*number], settled)),
            (_, Answered::Doubtful(_)) => None,
        };
        let places: Vec<usize> =
            (0..answers.len()).filter(|&place| sure(place).is_some()).collect();
        let chosen = self.trust.choose(programs[*last].request, &places);
        for (program, together) in chosen.into_iter().filter_map(sure) {
            let Some(agree) = agree(together, &self.settle_alone(program)?) else {
                self.trust.note_nothing(program.request);
                continue;
            };
            self.trust.note(program.request, agree);
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
        programs: &[Program<'_>],
        waiting: &[usize],
        each: &mut dyn FnMut(usize, Answered) -> ControlFlow<()>,
    ) -> Process {
        let folder = self.next_folder();
        // If plain runs have the same problem, they report it.
        let process = match self.prepare(batch, &folder, programs, waiting) {
            Ok(prepared) => self.run_prepared(batch, &folder, &prepared, (programs, waiting), each),
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
        programs: &[Program<'_>],
        waiting: &[usize],
    ) -> io::Result<PreparedRun> {
        fs::create_dir(folder)?;
        let inputs = waiting.iter().map(|&place| (place, programs[place].input.as_ref().ok()));
        let marked = inputs.clone().map(|(place, input)| batch.marked(place, &input?.files().0));
        if let Some(tap) = &self.tap
            && let Some(marked) = marked.collect()
        {
            let paths = self.write(folder, &apart(marked))?;
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
            inputs.map(|(_, input)| batch.in_one_file(&input?.files().0)).collect();
        let files = files.ok_or(io::ErrorKind::InvalidInput)?;
        let paths = self.write(folder, &apart(files))?;
        let command_line = self.verifier.batch_command_line(batch, &paths, folder);
        Ok(PreparedRun { command_line, paths, is_tapped: false })
    }

    fn run_prepared(
        &self,
        batch: &SharedProcess,
        folder: &Path,
        PreparedRun { command_line, paths, is_tapped }: &PreparedRun,
        (programs, waiting): (&[Program<'_>], &[usize]),
        each: &mut dyn FnMut(usize, Answered) -> ControlFlow<()>,
    ) -> Process {
        let order = RefCell::new(Order { begun: Vec::new(), is_orderly: true });
        let mut begins = |line: &str| {
            let Some(file) = batch.file(line).map(Path::new) else { return false };
            let mut order = order.borrow_mut();
            let last = order.begun.last().copied();
            if batch.begins_goals() && last.is_some_and(|last| paths[last] == file) {
                return false;
            }
            let next = last.map_or(0, |last| last + 1);
            let most = if batch.begins_goals() { paths.len() } else { next + 1 };
            let place = (next..most).find(|&place| paths.get(place).is_some_and(|it| it == file));
            if let Some(place) = place {
                order.begun.push(place);
                return true;
            }
            // A program may make the verifier print anything, except for the first line of another
            // program.
            let is_other = paths.iter().any(|path| path == file);
            order.is_orderly &= !is_other;
            is_other
        };
        let answered = Cell::new(0);
        let mut answer_next = |place: usize, run: Option<&Run>| {
            // Nothing was said about the programs before it.
            while answered.get() < place {
                each(waiting[answered.replace(answered.get() + 1)], Answered::Doubtful(None))?;
            }
            let place = waiting[answered.replace(answered.get() + 1)];
            // If the tap missed a marker, the solver received other queries than for the program
            // alone.
            let heard = if *is_tapped { queries(folder, place).map(Some) } else { Some(None) };
            let said = run.zip(heard);
            let answer = said.map_or(Answered::Doubtful(None), |(run, heard)| {
                self.answer(&programs[place], run, heard)
            });
            each(place, answer)
        };
        // The output before the first program is a part, too.
        let mut parts = 0_usize;
        let mut answer_part = |part: Part| {
            let number = parts;
            parts += 1;
            let place = {
                let order = order.borrow();
                if !order.is_orderly {
                    return ControlFlow::Break(());
                }
                match number.checked_sub(1).and_then(|number| order.begun.get(number).copied()) {
                    Some(place) => place,
                    None => return ControlFlow::Continue(()),
                }
            };
            let Part { usage, stdout, stderr } = part;
            let run = Run { ending: Ending::Exited(0), usage, stdout, stderr };
            let is_quiet = !self.verifier.complains(&run);
            let flow = answer_next(place, is_quiet.then_some(&run));
            // A complaint on standard error may concern the next programs, too.
            if is_quiet { flow } else { ControlFlow::Break(()) }
        };
        let run =
            self.supervisor.run_in_parts(command_line, &self.limits, &mut begins, &mut answer_part);
        let Order { begun, is_orderly } = order.into_inner();
        let Some(&last) = begun.last().filter(|_| is_orderly) else {
            return Process { answered: answered.get(), is_orderly: false };
        };
        if answered.get() <= last && run.ending != Ending::Cancelled {
            let is_last = last + 1 == paths.len() && begun.len() == parts.max(1);
            let is_quiet = !self.verifier.complains(&run);
            // A break does not matter, since the run is over.
            let _ = answer_next(last, (is_last && is_quiet).then_some(&run));
        }
        let answered = answered.get();
        Process { answered, is_orderly: answered > 0 }
    }

    /// The answer of a shared process about one program, read as if the program had run alone.
    fn answer(
        &self,
        program: &Program<'_>,
        run: &Run,
        queries: Option<Vec<QueryRecord>>,
    ) -> Answered {
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
        let Ok(input) = &program.input else { return Answered::Doubtful(None) };
        if is_clean && is_decided && !verdict.depends_on_machine() {
            let output = self.output(run, &verdict);
            let mut queries = queries.unwrap_or_default();
            self.verifier.assign_goals(&mut queries, &verdict);
            let raw = Raw::new(verdict, run, output);
            self.remember(program, &raw);
            let Raw { verdict, output, .. } = raw;
            let verdict = input.original(&self.verifier, run, verdict);
            return Answered::Sure(Settled {
                queries,
                together: true,
                fast: true,
                text: input.text().map(str::to_owned),
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
