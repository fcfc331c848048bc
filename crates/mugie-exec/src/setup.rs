//! The settings of executors, and the kinds of executors.

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use mugie_core::Translator;
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Limits, Verifier};

use crate::{Cache, Cached, CrossChecked, Executor, Local, TapError};

/// The settings of an executor.
#[derive(Clone)]
pub struct Setup<'a> {
    /// The verifier to run.
    pub verifier: Arc<Verifier>,
    /// The supervisor of its runs on this machine.
    pub supervisor: Arc<Supervisor>,
    /// The limits of a run.
    pub limits: Limits,
    /// The number of further runs that must time out before a timeout counts.
    pub confirm: usize,
    /// The number of concurrent runs.
    pub capacity: NonZeroUsize,
    /// Translators of programs into the language of the verifier.
    pub translators: &'static [&'static dyn Translator],
    /// Whether every program gets a process of its own and the solver is not tapped.
    pub plain: bool,
    /// The share of verdicts that are compared with those of plain runs, from 0 to 1.
    pub cross_check: f64,
    /// The folder of cached solver answers; by default it is beside the files of the runs.
    pub answers: Option<PathBuf>,
    /// The cache of verdicts, if any.
    pub cache: Option<&'a Cache>,
}

/// A started executor.
pub struct StartedExecutor<'a> {
    /// The executor.
    pub executor: Box<dyn Executor + 'a>,
    /// The folder for the files of its runs, which is removed with the executor.
    pub folder: PathBuf,
    /// Whether the solver is tapped.
    pub is_tapped: bool,
    /// The error if the solver should have been tapped but could not be.
    pub trouble: Option<TapError>,
}

/// A kind of executor.
pub trait ExecutorKind: Sync {
    /// The name on the command line.
    fn id(&self) -> &'static str;

    /// Starts an executor of this kind.
    fn start<'a>(&self, setup: Setup<'a>) -> io::Result<StartedExecutor<'a>>;
}

/// The executor that runs verifiers on this machine.
pub const LOCAL: &dyn ExecutorKind = &LocalKind;

struct LocalKind;

impl ExecutorKind for LocalKind {
    fn id(&self) -> &'static str {
        "local"
    }

    fn start<'a>(&self, setup: Setup<'a>) -> io::Result<StartedExecutor<'a>> {
        let Setup { verifier, supervisor, limits, confirm, capacity, translators, .. } = setup;
        let plain = Local::new(verifier, supervisor, limits, confirm, capacity)?;
        let plain = plain.with_translators(translators);
        let mut trouble = None;
        let fast = if setup.plain {
            plain.clone()
        } else {
            let shared = plain.clone().with_shared_processes();
            shared.clone().with_answers(setup.answers).unwrap_or_else(|error| {
                trouble = Some(error);
                shared
            })
        };
        let (folder, is_tapped) = (fast.folder().to_owned(), fast.is_tapped());
        let checked = CrossChecked::new(fast, plain, setup.cross_check);
        let executor = Box::new(Cached::new(checked, setup.cache));
        Ok(StartedExecutor { executor, folder, is_tapped, trouble })
    }
}
