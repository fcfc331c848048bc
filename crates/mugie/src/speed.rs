//! How runs are made fast: the options, and what is said if that made a difference.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args;
use mugie_campaign::runs::{Batching, CrossChecks, Difference, Runner};
use mugie_verifiers::Verifier;
use mugie_verifiers::images::Images;
use mugie_verifiers::supervise::{Keeper, SHARED, Supervisor};
use mugie_verifiers::tap::Tap;

use crate::report::{Style, plural};
use crate::{cache, output};

/// The folder of the solver's answers in a cache.
const ANSWERS: &str = "answers";

/// When runs take longer than this, it is worth to make later ones start quicker.
const WORTH_IT: Duration = Duration::from_secs(15);

/// Differences that are named.
const NAMED: usize = 5;

/// What the user can say about speed.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct SpeedArgs {
    /// Run the verifier on each mutant in a process of its own, with nothing in between
    ///
    /// Otherwise several mutants of a seed share a process, if the verifier can do that, and its
    /// solver is not asked again what it has answered before. The verdicts are the same, but with
    /// --plain the answer does not tell what the solver does: how many different problems there
    /// are, and how much work.
    #[arg(long)]
    pub(crate) plain: bool,

    /// Compare this share of the verdicts with those of plain runs, from 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t, conflicts_with = "plain")]
    pub(crate) cross_check: f64,
}

impl From<SpeedArgs> for Batching {
    fn from(SpeedArgs { plain, cross_check }: SpeedArgs) -> Batching {
        Batching { plain, cross_check }
    }
}

/// The runner with a tap in the place of the solver, unless runs are to be `plain` or that cannot
/// be. Answers of the solver are kept in the cache in this folder, or for this runner only.
pub(crate) fn tapped<'r>(
    style: &Style,
    runner: Runner<'r>,
    plain: bool,
    cache: Option<&Path>,
) -> Runner<'r> {
    if plain || !runner.verifier().can_be_tapped() {
        return runner;
    }
    let answers = cache.map_or_else(|| runner.folder().join(SHARED), |cache| cache.join(ANSWERS));
    let tap = Tap::this_program(Some(answers));
    match runner.verifier().try_tap(runner.folder(), &tap) {
        Ok(()) => runner.with_tap(tap),
        Err(error) => {
            let words = format!(
                "the solver is asked everything anew, and its work is not told, as it cannot be \
                 tapped: {error}; set TMPDIR to a directory that may have programs in it"
            );
            output::talk(&style.warning(&words));
            runner
        }
    }
}

/// A supervisor for runs of verifiers. Unless runs are to be `plain`, those that Mono runs start
/// quicker: with images that were made beforehand, or are made now if the runs take long.
pub(crate) fn supervisor<'v>(
    verifiers: impl IntoIterator<Item = &'v Verifier>,
    plain: bool,
) -> Arc<Supervisor> {
    let cache = cache::usual_folder().filter(|_| !plain);
    let images = |verifier: &Verifier| Images::new(verifier.program(), cache.as_deref()?);
    let mut images: Vec<Images> = verifiers.into_iter().filter_map(images).collect();
    images.dedup();
    let environment = Images::environment(&images).into_iter().collect();
    let supervisor = Arc::new(Supervisor::new(Keeper { environment, ..Keeper::this_program() }));
    if !images.iter().all(Images::are_made) {
        let supervisor = Arc::clone(&supervisor);
        // Ends with the process: nothing depends on it.
        thread::spawn(move || {
            thread::sleep(WORTH_IT);
            // What cannot be made is done without.
            let _ = images.iter().try_for_each(|images| images.make(&supervisor));
        });
    }
    supervisor
}

/// Says what the comparison with plain runs brought. A difference is a defect.
pub(crate) fn report(style: &Style, checks: &CrossChecks) {
    let CrossChecks { compared, differences } = checks;
    let number = differences.len();
    if number == 0 {
        output::talk(&format!(
            "{compared} {} compared with plain runs: no difference\n",
            plural(*compared, "verdict")
        ));
        return;
    }
    let named = differences.iter().take(NAMED).map(|Difference { file, fast, plain }| {
        format!("{file} is {fast} in a fast run, {plain} in a plain one")
    });
    let mut words: Vec<String> = named.collect();
    if number > NAMED {
        words.push(format!("{} more", number - NAMED));
    }
    let words = format!(
        "{number} of {compared} {} compared with plain runs DIFFER; those of plain runs count, but \
         use --plain and report this: {}",
        plural(*compared, "verdict"),
        words.join("; ")
    );
    output::talk(&style.warning(&words));
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("must be from 0 to 1".to_owned()) }
}
