//! Helpers for the tests of several modules.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use mugie_core::{Artifact, Files, Outcome, Verdict};
use mugie_verifiers::Usage;

use crate::{Executor, Key, OnSettled, Request, Settled};

/// An executor that runs nothing: the text of a program is the name of its outcome, unless one
/// outcome is fixed for all programs.
#[derive(Default)]
pub(crate) struct Fake {
    /// The outcome of every program.
    always: Option<Outcome>,
    /// Whether the runs count as accelerated.
    fast: bool,
    /// The texts of the requested programs.
    asked: Mutex<Vec<String>>,
    is_cancelled: AtomicBool,
}

impl Fake {
    /// An executor that returns the same outcome for every program.
    pub(crate) fn always(outcome: Outcome) -> Fake {
        Fake { always: Some(outcome), ..Fake::default() }
    }

    /// The executor with accelerated runs.
    pub(crate) fn fast(self) -> Fake {
        Fake { fast: true, ..self }
    }

    /// The texts of the programs requested since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

impl Executor for Fake {
    fn identity(&self) -> String {
        "fake".to_owned()
    }

    fn key(&self, request: &Request) -> Key {
        let text = format!("{} {}", request.repetition, request.files.0[0].1);
        *blake3::hash(text.as_bytes()).as_bytes()
    }

    fn capacity(&self) -> usize {
        2
    }

    fn can_share(&self) -> bool {
        self.fast
    }

    fn verify(&self, requests: &[Request], each: OnSettled<'_>) {
        for (place, request) in requests.iter().enumerate() {
            if self.is_cancelled() {
                return;
            }
            let text = &request.files.0[0].1;
            self.asked.lock().unwrap().push(text.clone());
            let named = || Outcome::ALL.into_iter().find(|outcome| outcome.words() == text);
            let outcome = self.always.or_else(named).unwrap();
            let verdict = Verdict::of_program(outcome, "so");
            let settled = Settled::of_run(verdict, "said".to_owned(), vec![Usage::default()]);
            let settled = Settled { fast: self.fast, together: self.fast, ..settled };
            if each(place, settled).is_break() {
                return;
            }
        }
    }

    fn artifacts(&self, _: &str, _: &Files) -> Option<Vec<Artifact>> {
        Some(Vec::new())
    }

    fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::SeqCst);
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::SeqCst)
    }
}

/// Requests for the usual verdicts on programs of one file.
pub(crate) fn requests(texts: &[&str]) -> Vec<Request> {
    let files = |text: &str| Files(vec![("a.bpl".to_owned(), text.to_owned())]);
    texts.iter().map(|text| Request::new("boogie", files(text))).collect()
}
