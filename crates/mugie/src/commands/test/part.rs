//! Which part of a test is run: `--since`, `--shard` and `--max-time`.

use std::time::Duration;

use clap::Args;
use mugie_core::Answer;
use mugie_experiment::sources::{Reading, Source};
use mugie_results::part::Part;
use mugie_results::result::TestReport;
use mugie_verifiers::supervise::Supervisor;

use super::shard::{ShardNumber, shard_number};
use super::since::Since;
use crate::args::seconds;
use crate::messages::{Style, Trouble};
use crate::session::Session;

#[derive(Args, Debug)]
#[command(next_help_heading = "Which part")]
pub(super) struct PartArgs {
    /// Test only programs that have changed since a revision of git, with the files that they include
    ///
    /// Changes that are not committed count. Of a Boogie program in which only bodies have changed, only
    /// their procedures are verified. `$(git merge-base origin/main HEAD)` is where a branch began.
    #[arg(long, value_name = "REV")]
    since: Option<String>,

    /// Test only one of several shares of the programs, such as 1/4; `mugie merge` puts the results together
    #[arg(long, value_name = "K/N", value_parser = shard_number)]
    shard: Option<ShardNumber>,

    /// Maximum time of the whole test, in seconds
    ///
    /// When it is over, the answer says what was found so far, and which programs were not tested to the
    /// end. The exit code is then 2, unless there is a finding.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_time: Option<Duration>,
}

/// The part of a test that is run.
pub(super) struct Chosen<'s> {
    since: Option<Since<'s>>,
    /// For the report.
    pub(super) part: Option<Part>,
}

impl PartArgs {
    /// Ends the test in time, if there is a limit.
    pub(super) fn limit(&self, session: &Session<'_>) -> Result<(), Trouble> {
        match self.max_time {
            Some(time) => session.interrupts.end_after(time),
            None => Ok(()),
        }
    }

    /// The sources of the part.
    pub(super) fn choose<'s>(
        &self,
        style: &Style,
        supervisor: &'s Supervisor,
        mut sources: Vec<Source>,
    ) -> Result<(Vec<Source>, Chosen<'s>), Trouble> {
        let mut part = Part::default();
        let mut since = None;
        if let Some(revision) = &self.since {
            let mut changes = Since::new(supervisor, revision)?;
            sources = changes.changed(style, sources)?;
            part.since = changes.commit();
            since = Some(changes);
        }
        if let Some(share) = self.shard {
            let (own, shard) = share.choose(sources);
            (sources, part.shard) = (own, Some(shard));
        }
        let part = Some(part).filter(|part| *part != Part::default());
        Ok((sources, Chosen { since, part }))
    }

    /// Says of programs that were not tested to the end that the time was over.
    pub(super) fn explain(&self, report: &mut TestReport) {
        let Some(time) = self.max_time else { return };
        let mut level = Some(report);
        while let Some(report) = level {
            for seed in &mut report.seeds {
                if seed.answer == Answer::Interrupted {
                    let when = if seed.counts.judged > 0 || seed.baseline.is_some() {
                        "before its end"
                    } else {
                        "before its turn"
                    };
                    let seconds = time.as_secs_f64();
                    seed.reason = Some(format!("the time of {seconds} s was over {when}"));
                    seed.help =
                        Some("raise --max-time, or divide the programs with --shard".to_owned());
                }
            }
            level = report.below.as_deref_mut();
        }
    }
}

impl Chosen<'_> {
    /// The sources, of which only what a change concerns is verified.
    pub(super) fn concerned(
        &mut self,
        style: &Style,
        sources: Vec<Source>,
        reading: &Reading,
    ) -> Result<Vec<Source>, Trouble> {
        match &mut self.since {
            Some(since) => since.procedures(style, sources, reading),
            None => Ok(sources),
        }
    }
}
