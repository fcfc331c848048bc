//! An executor whose fast runs are compared with plain ones.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mugie_core::{Artifact, Files, Outcome, Verdict};

use crate::{Executor, Key, OnSettled, Request, Settled};

/// An executor that compares a share of the verdicts of a fast executor with those of a plain one.
/// The plain verdicts count.
pub struct CrossChecked<E> {
    fast: E,
    plain: E,
    share: f64,
    checks: Mutex<CrossChecks>,
}

/// The results of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossChecks {
    /// The number of compared verdicts.
    pub compared: usize,
    /// The differences found.
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

impl<E: Executor> CrossChecked<E> {
    /// Compares a `share` of the verdicts, from 0 to 1.
    pub fn new(fast: E, plain: E, share: f64) -> CrossChecked<E> {
        CrossChecked { fast, plain, share, checks: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, CrossChecks> {
        self.checks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a program is in the share that is compared.
    fn is_chosen(&self, request: &Request) -> bool {
        let key = self.fast.key(request);
        let number = u32::from_le_bytes([key[0], key[1], key[2], key[3]]);
        f64::from(number) < self.share * f64::from(u32::MAX)
    }

    /// Verifies a program with the plain executor and compares the verdicts. The plain verdict
    /// counts.
    fn check(&self, request: &Request, settled: Settled) -> Option<Settled> {
        let plain: &dyn Executor = &self.plain;
        let alone = plain.settle(request.clone())?;
        self.compare(&request.files, &settled.verdict, &alone.verdict);
        let Settled { queries, together, .. } = settled;
        Some(Settled { queries, together, ..alone })
    }

    fn compare(&self, Files(files): &Files, fast: &Verdict, plain: &Verdict) {
        // Verdicts that depend on the machine may differ.
        if fast.depends_on_machine() || plain.depends_on_machine() || !plain.outcome.is_evidence() {
            return;
        }
        let outcomes = |verdict: &Verdict| -> Vec<_> {
            let procedures = verdict.procedures.iter();
            procedures.map(|procedure| (procedure.name.clone(), procedure.outcome)).collect()
        };
        let mut checks = self.lock();
        checks.compared += 1;
        if fast.outcome != plain.outcome || outcomes(fast) != outcomes(plain) {
            checks.differences.push(Difference {
                file: files.first().map(|(name, _)| name.clone()).unwrap_or_default(),
                fast: fast.outcome,
                plain: plain.outcome,
            });
        }
    }
}

impl<E: Executor> Executor for CrossChecked<E> {
    fn identity(&self) -> String {
        self.fast.identity()
    }

    fn key(&self, request: &Request) -> Key {
        self.fast.key(request)
    }

    fn capacity(&self) -> usize {
        self.fast.capacity()
    }

    fn can_share(&self) -> bool {
        self.fast.can_share()
    }

    fn verify(&self, requests: &[Request], each: OnSettled<'_>) {
        let mut left = Vec::new();
        let mut is_over = false;
        self.fast.verify(requests, &mut |place, settled| {
            let request = &requests[place];
            if let Some(said) = settled.said.as_ref().filter(|_| self.share > 0.0) {
                self.compare(&request.files, said, &settled.verdict);
            }
            if settled.fast && self.is_chosen(request) {
                left.push((place, settled));
                return ControlFlow::Continue(());
            }
            let flow = each(place, settled);
            is_over |= flow.is_break();
            flow
        });
        if is_over {
            return;
        }
        for (place, settled) in left {
            let Some(settled) = self.check(&requests[place], settled) else { return };
            if each(place, settled).is_break() {
                return;
            }
        }
    }

    fn artifacts(&self, language: &str, files: &Files) -> Option<Vec<Artifact>> {
        self.fast.artifacts(language, files)
    }

    fn cross_checks(&self) -> Option<CrossChecks> {
        (self.share > 0.0).then(|| self.lock().clone())
    }

    fn unshared_seeds(&self) -> usize {
        self.fast.unshared_seeds()
    }

    fn cancel(&self) {
        self.fast.cancel();
        self.plain.cancel();
    }

    fn is_cancelled(&self) -> bool {
        self.fast.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeoutPolicy;
    use crate::testing::{Fake, requests};

    const TEXTS: [&str; 3] = ["verified", "failed", "inconclusive"];

    /// An executor whose fast runs report everything as verified; `share` of them are compared with
    /// plain runs.
    fn wrong(share: f64) -> CrossChecked<Fake> {
        let fast = Fake::always(Outcome::Verified).fast();
        CrossChecked::new(fast, Fake::default(), share)
    }

    fn verified(executor: &dyn Executor, requests: &[Request]) -> Vec<(usize, Settled)> {
        let mut found = Vec::new();
        executor.verify(requests, &mut |place, settled| {
            found.push((place, settled));
            ControlFlow::Continue(())
        });
        found.sort_by_key(|(place, _)| *place);
        found
    }

    fn outcomes(found: &[(usize, Settled)]) -> Vec<Outcome> {
        found.iter().map(|(_, settled)| settled.verdict.outcome).collect()
    }

    fn difference(plain: Outcome) -> Difference {
        Difference { file: "a.bpl".to_owned(), fast: Outcome::Verified, plain }
    }

    #[test]
    fn a_difference_is_recorded_and_the_plain_verdict_counts() {
        let executor = wrong(1.0);
        let found = verified(&executor, &requests(&TEXTS));
        let said = [Outcome::Verified, Outcome::Failed, Outcome::Inconclusive];
        assert_eq!(outcomes(&found), said);
        // The verdict comes from the plain run, but a fast run in a shared process preceded it.
        assert!(found.iter().all(|(_, settled)| settled.together && !settled.fast));
        let differences = vec![difference(Outcome::Failed), difference(Outcome::Inconclusive)];
        assert_eq!(
            executor.cross_checks().unwrap_or_default(),
            CrossChecks { compared: 3, differences }
        );
    }

    #[test]
    fn only_a_share_is_compared() {
        let texts = TEXTS.repeat(10);
        let repeated = requests(&texts).into_iter().enumerate();
        let repeated = repeated.map(|(number, request)| Request {
            repetition: u32::try_from(number).unwrap(),
            ..request
        });
        let requests: Vec<_> = repeated.collect();
        let none = wrong(0.0);
        assert_eq!(outcomes(&verified(&none, &requests)), [Outcome::Verified; 30]);
        assert_eq!(
            (none.cross_checks().unwrap_or_default(), none.plain.asked().len()),
            (CrossChecks::default(), 0)
        );
        let half = wrong(0.5);
        assert_eq!(verified(&half, &requests).len(), 30);
        let compared = half.cross_checks().unwrap_or_default().compared;
        assert!((5..25).contains(&compared), "{compared}");
        assert_eq!(half.plain.asked().len(), compared);
        // The choice is the same each time.
        let again = wrong(0.5);
        verified(&again, &requests);
        assert_eq!(
            again.cross_checks().unwrap_or_default(),
            half.cross_checks().unwrap_or_default()
        );
    }

    #[test]
    fn plain_runs_are_not_compared() {
        let executor = CrossChecked::new(Fake::default(), Fake::default(), 1.0);
        let timeouts = TimeoutPolicy::Fresh;
        let requests = requests(&TEXTS).into_iter().map(|request| Request { timeouts, ..request });
        assert_eq!(verified(&executor, &requests.collect::<Vec<_>>()).len(), 3);
        assert_eq!(executor.cross_checks().unwrap_or_default(), CrossChecks::default());
        assert!(executor.plain.asked().is_empty());
    }

    #[test]
    fn what_depends_on_the_machine_and_trouble_are_no_differences() {
        let executor = wrong(1.0);
        let found = verified(&executor, &requests(&["timed out", "out of memory", "crashed"]));
        // The plain verdict still counts.
        let said = [Outcome::TimedOut, Outcome::OutOfMemory, Outcome::Crashed];
        assert_eq!(outcomes(&found), said);
        assert_eq!(executor.cross_checks().unwrap_or_default(), CrossChecks::default());
    }

    #[test]
    fn what_a_shared_process_said_before_is_compared_with_what_counts() {
        /// An executor that has repeated every program alone after a shared process reported it as
        /// verified.
        struct Repeated(Fake);
        impl Executor for Repeated {
            fn identity(&self) -> String {
                self.0.identity()
            }
            fn key(&self, request: &Request) -> Key {
                self.0.key(request)
            }
            fn capacity(&self) -> usize {
                self.0.capacity()
            }
            fn can_share(&self) -> bool {
                true
            }
            fn verify(&self, requests: &[Request], each: OnSettled<'_>) {
                self.0.verify(requests, &mut |place, settled| {
                    let said = Some(Box::new(Verdict::of_program(Outcome::Verified, "so")));
                    each(place, Settled { said, ..settled })
                });
            }
            fn artifacts(&self, language: &str, files: &Files) -> Option<Vec<Artifact>> {
                self.0.artifacts(language, files)
            }
            fn cancel(&self) {
                self.0.cancel();
            }
            fn is_cancelled(&self) -> bool {
                self.0.is_cancelled()
            }
        }
        let repeated = || Repeated(Fake::default());
        let executor = CrossChecked::new(repeated(), repeated(), 0.01);
        assert_eq!(verified(&executor, &requests(&["failed", "verified"])).len(), 2);
        let differences = vec![difference(Outcome::Failed)];
        assert_eq!(
            executor.cross_checks().unwrap_or_default(),
            CrossChecks { compared: 2, differences }
        );
    }

    #[test]
    fn a_break_ends_it() {
        let first = |executor: &CrossChecked<Fake>| {
            let mut number = 0;
            executor.verify(&requests(&TEXTS), &mut |_, _| {
                number += 1;
                ControlFlow::Break(())
            });
            number
        };
        // A break while verdicts that are not compared are delivered, ...
        let executor = wrong(0.0);
        assert_eq!((first(&executor), executor.fast.asked().len()), (1, 1));
        // ... and while compared ones are.
        let executor = wrong(1.0);
        assert_eq!((first(&executor), executor.plain.asked().len()), (1, 1));
    }

    #[test]
    fn cancelling_ends_both() {
        let executor = wrong(1.0);
        executor.cancel();
        assert!(executor.is_cancelled() && executor.plain.is_cancelled());
        assert!(verified(&executor, &requests(&TEXTS)).is_empty());
        // A program that can no longer be compared gets no verdict: the plain one would count.
        let executor = wrong(1.0);
        executor.plain.cancel();
        assert!(verified(&executor, &requests(&TEXTS)).is_empty());
    }
}
