//! Several programs in one process of the verifier, each with the verdict that it has alone.
//!
//! What a process says of a program counts at once only if it is a complete answer that all is
//! verified. Everything else, and all that does not look as it should, is repeated alone: so a
//! failure never rests on what a process did before, and limits, crashes and timeouts are those of
//! plain runs, with the program's own files. A program that ends its process costs the others
//! nothing but a new one.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use mugie_verifiers::{Batch, Ending, Outcome, Part, Run, Verdict};

use super::{Files, Runner, Settled, write};
use crate::cache::Key;

/// How runs are made fast, and how that is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Batching {
    /// Whether each program gets a process of its own, whatever the verifier can do.
    pub plain: bool,
    /// The share of verdicts from shared processes that are compared with that of a plain run.
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

/// A program whose verdict in a shared process is not that of a plain run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its file.
    pub file: String,
    /// The outcome in the shared process.
    pub together: Outcome,
    /// The outcome alone, which counts.
    pub alone: Outcome,
}

/// What is known of a program after it was in a shared process.
enum Answered {
    /// It is verified.
    Verified(Settled),
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

    /// What the verifier says of several programs that may share a process; `each` gets the place
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
        let can_share = |Files(files): &Files| {
            let batch = self.verifier.batch();
            batch.is_some_and(|batch| batch.in_one_file(files).is_some())
        };
        let mut together = Vec::new();
        let mut alone = Vec::new();
        let mut names = BTreeSet::new();
        for (place, files) in programs.iter().enumerate() {
            if let Some(known) = self.known(&self.key(files, 0)) {
                each(place, known)?;
                continue;
            }
            match files.0.first() {
                Some((name, _)) if names.insert(name) && can_share(files) => together.push(place),
                _ => alone.push(place),
            }
        }
        let mut waiting = together.as_slice();
        while let Some(batch) = self.verifier.batch().filter(|_| waiting.len() > 1) {
            let mut doubtful = Vec::new();
            let mut flow = ControlFlow::Continue(());
            let process = self.run_batch(batch, programs, waiting, &mut |place, answered| {
                match answered {
                    Answered::Verified(settled) => {
                        let key = self.key(&programs[place], 0);
                        if self.is_to_be_compared(&key) {
                            doubtful.push((place, Some(settled.verdict)));
                        } else {
                            self.keep(&key, &settled);
                            flow = each(place, settled);
                        }
                    }
                    Answered::Doubtful(verdict) => doubtful.push((place, verdict)),
                }
                flow
            });
            flow?;
            if self.supervisor.is_cancelled() {
                return ControlFlow::Break(());
            }
            for (place, together) in doubtful {
                self.repeat(&programs[place], place, together, each)?;
            }
            waiting = &waiting[process.answered..];
            if !process.is_orderly {
                break;
            }
        }
        alone.extend(waiting);
        alone.into_iter().try_for_each(|place| self.repeat(&programs[place], place, None, each))
    }

    /// Runs a program alone, and compares with what was said of it `together` with others.
    fn repeat(
        &self,
        files: &Files,
        place: usize,
        together: Option<Verdict>,
        each: &mut dyn FnMut(usize, Settled) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(mut settled) = self.settle(files, 0) else { return ControlFlow::Break(()) };
        if let Some(together) = together.filter(|_| self.batching.cross_check > 0.0) {
            self.compare(files, &together, &settled.verdict);
            settled.together = together.outcome == Outcome::Verified;
        }
        each(place, settled)
    }

    /// Whether a program is in the share of those that are compared.
    fn is_to_be_compared(&self, key: &Key) -> bool {
        let number = u32::from_le_bytes([key[0], key[1], key[2], key[3]]);
        f64::from(number) < self.batching.cross_check * f64::from(u32::MAX)
    }

    fn compare(&self, Files(files): &Files, together: &Verdict, alone: &Verdict) {
        // Those that depend on the machine need not be the same.
        if together.depends_on_machine()
            || alone.depends_on_machine()
            || !alone.outcome.is_evidence()
        {
            return;
        }
        let outcomes = |verdict: &Verdict| -> Vec<_> {
            let procedures = verdict.procedures.iter();
            procedures.map(|procedure| (procedure.name.clone(), procedure.outcome)).collect()
        };
        let mut checks = self.lock_cross_checks();
        checks.compared += 1;
        if together.outcome != alone.outcome || outcomes(together) != outcomes(alone) {
            checks.differences.push(Difference {
                file: files.first().map(|(name, _)| name.clone()).unwrap_or_default(),
                together: together.outcome,
                alone: alone.outcome,
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
        let files = waiting.iter().filter_map(|&place| batch.in_one_file(&programs[place].0));
        let files = files.collect();
        let folder = self.next_folder();
        let process = match write(&folder, &Files(files)) {
            Ok(paths) => self.run_batch_in(batch, &folder, &paths, waiting, each),
            // What is in the way of plain runs, too, is reported there.
            Err(_) => Process { answered: 0, is_orderly: false },
        };
        let _ = fs::remove_dir_all(&folder);
        process
    }

    fn run_batch_in(
        &self,
        batch: &Batch,
        folder: &Path,
        paths: &[PathBuf],
        waiting: &[usize],
        each: &mut dyn FnMut(usize, Answered) -> ControlFlow<()>,
    ) -> Process {
        let command_line = self.verifier.batch_command_line(batch, paths, folder);
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
        // What comes before the first program is a part, too.
        let mut parts = 0;
        let mut answered = 0;
        let mut answer_part = |part: Part| {
            parts += 1;
            if !order.get().is_orderly {
                return ControlFlow::Break(());
            }
            if parts == 1 {
                return ControlFlow::Continue(());
            }
            let Part { usage, stdout, stderr } = part;
            answered += 1;
            if !stderr.text.is_empty() {
                // Whatever it is, it may be about the next ones, too.
                let _ = each(waiting[answered - 1], Answered::Doubtful(None));
                return ControlFlow::Break(());
            }
            let run = Run { ending: Ending::Exited(0), usage, stdout, stderr };
            each(waiting[answered - 1], self.answer(&run))
        };
        let run = self.supervisor.run_in_parts(
            &command_line,
            &self.limits,
            &mut begins,
            &mut answer_part,
        );
        let Order { begun, is_orderly } = order.get();
        if !is_orderly || begun == 0 {
            return Process { answered, is_orderly: false };
        }
        if answered < begun && run.ending != Ending::Cancelled {
            let is_last = begun == waiting.len() && answered + 1 == begun;
            let is_quiet = run.stderr.text.is_empty();
            let last =
                if is_last && is_quiet { self.answer(&run) } else { Answered::Doubtful(None) };
            answered += 1;
            // There is nothing left to end.
            let _ = each(waiting[answered - 1], last);
        }
        Process { answered, is_orderly: answered > 0 }
    }

    /// What a process said of one program, as if it had run for it alone.
    fn answer(&self, run: &Run) -> Answered {
        let verdict = self.verifier.read(run);
        let is_clean = verdict.outcome.is_evidence() && run.ending == Ending::Exited(0);
        if is_clean && verdict.outcome == Outcome::Verified && !verdict.depends_on_machine() {
            return Answered::Verified(Settled {
                verdict,
                output: String::new(),
                usage: vec![run.usage],
                cached: false,
                unsteady: false,
                queries: Vec::new(),
                together: true,
            });
        }
        Answered::Doubtful(is_clean.then_some(verdict))
    }
}
