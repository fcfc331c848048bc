//! How runs are made fast: the options, and what is said if that made a difference.

use clap::Args;
use mugie_campaign::runs::{Batching, CrossChecks, Difference};

use crate::output;
use crate::report::{Style, plural};

/// Differences that are named.
const NAMED: usize = 5;

/// What the user can say about speed.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct SpeedArgs {
    /// Run the verifier on each mutant in a process of its own
    ///
    /// Otherwise several mutants of a seed share a process, if the verifier can do that. What is
    /// not verified there is run again alone, so the answer is the same.
    #[arg(long)]
    pub(crate) plain: bool,

    /// Compare this share of the verdicts from shared processes with those of plain runs, from 0
    /// to 1
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t, conflicts_with = "plain")]
    pub(crate) cross_check: f64,
}

impl From<SpeedArgs> for Batching {
    fn from(SpeedArgs { plain, cross_check }: SpeedArgs) -> Batching {
        Batching { plain, cross_check }
    }
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
    let named = differences.iter().take(NAMED).map(|Difference { file, together, alone }| {
        format!("{file} is {together} together with others, {alone} alone")
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
