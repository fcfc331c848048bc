//! `mugie campaign plan`: what a plan means, and how much of it is known.
//!
//! Nothing is run, but everything is looked for that `mugie campaign run` needs: what the plan would mean is
//! found out with a draft of its store.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use mugie_campaign::plan::Tool;
use mugie_campaign::run::Campaign;
use mugie_campaign::store::Store;
use mugie_core::{Exit, path_name};
use mugie_experiment::baseline::Step;
use mugie_results::data::ToolIx;
use mugie_results::overview::PlannedTool;
use mugie_results::{Data, Known, Measures, PlanOverview};
use mugie_verifiers::Verifier;

use super::plan::LoadedPlan;
use super::run::{self, as_stored};
use super::{load, operators_apart, trouble};
use crate::args::{JobsArgs, SpeedArgs, TrustArgs};
use crate::messages::{Style, Trouble};
use crate::output::{self, Broken};
use crate::session::{Running, Session};

const EXAMPLES: &str = "\
Examples:
  mugie campaign plan paper.toml
  mugie campaign plan paper.toml --jobs 64    how long on a larger machine?

Exit codes:
  0  the plan can be run
  2  it cannot, or a seed cannot be used";

/// Show what a plan means: seeds, batches, tools, runs, and an estimate of the time they take
///
/// Runs nothing, but looks for the seeds, the verifiers and their solvers, as `run` does.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Show {
    /// The plan
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// Print it as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    trust: TrustArgs,

    #[command(flatten)]
    jobs: JobsArgs,
}

impl Show {
    pub(super) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        let loaded = LoadedPlan::read(&self.file)?;
        let plan = &loaded.plan;
        let session = Session::start(style, "nothing was run", self.trust)?;
        let supervisor = session.supervisor([], true);
        let programs = loaded.programs(&supervisor)?;
        let verifiers: Vec<Arc<Verifier>> = plan
            .tools
            .iter()
            .map(|tool| loaded.verifier(&session, tool, &programs))
            .collect::<Result<_, Trouble>>()?;
        let draft = Store::draft(&loaded.store).map_err(|error| trouble(&error))?;
        let mut specs = loaded.specs(programs, Some(&draft))?;
        let speed = SpeedArgs { plain: plan.plain, cross_check: 0.0, executor: None };
        let mut started = Vec::new();
        for verifier in &verifiers {
            let running = Running {
                verifier,
                supervisor: &supervisor,
                limits: plan.limits,
                confirm: plan.confirm,
                jobs: self.jobs.number(),
                cache: None,
                answers: None,
            };
            started.push(session.executor(&running, &speed)?);
        }
        let tools = run::stored_tools(plan, &draft, &verifiers, &started)?;
        as_stored(&draft, &tools, &mut specs)?;
        let mut groups = BTreeMap::<String, usize>::new();
        for seed in &specs {
            *groups.entry(seed.group.clone()).or_default() += 1;
        }
        let specs = specs.into();
        let campaign = Campaign {
            plan,
            store: &draft,
            seeds: &specs,
            tools: &tools,
            apart: &operators_apart(),
            until_failure: plan.until_failure,
            retry: false,
        };
        draft.set_campaign(&loaded.row(plan.until_failure)).map_err(|error| trouble(&error))?;
        campaign.survey().map_err(run::in_words)?;
        let data = load(&draft)?;
        let measures = Measures::new(&data);
        let runs = |tool| {
            let Known { known, of } = measures.seeds_run(tool);
            let seeds = Known { known: known * Step::FIRST.len(), of: of * Step::FIRST.len() };
            seeds.and(measures.progress(tool, None))
        };
        let overview = PlanOverview {
            name: plan.name.clone(),
            store: path_name(&loaded.store),
            groups,
            batches: plan.batches.len(),
            mutants_per_seed: plan.batches.iter().map(|batch| batch.mutants).sum(),
            tools: plan
                .tools
                .iter()
                .zip(data.tools.indices())
                .map(|(tool, number)| planned(tool, &data, number, runs(Some(number))))
                .collect(),
            runs: runs(None).of,
            known: runs(None).known,
            is_complete: measures.is_complete(),
            unusable: data.unusable.clone(),
            seconds_per_run: data.mean_seconds(None),
            jobs: self.jobs.number().get(),
        };
        output::data(&if self.json {
            mugie_report::plan_json(&overview)
        } else {
            mugie_report::plan(&overview)
        })?;
        Ok(if overview.unusable.is_empty() { Exit::Fine } else { Exit::NoAnswer })
    }
}

/// A tool of a plan, as the plan describes it, and what is left for it to do.
fn planned(tool: &Tool, data: &Data, number: ToolIx, Known { known, of }: Known) -> PlannedTool {
    let mut options = Vec::new();
    if let Some(profile) = &tool.profile {
        options.extend(["--profile".to_owned(), profile.clone()]);
    }
    options.extend(tool.arguments.iter().cloned());
    PlannedTool {
        name: tool.name.clone(),
        verifier: tool.verifier.clone(),
        program: tool.program.clone(),
        solver: tool.solver.clone(),
        options,
        title: data.tools[number].title.clone(),
        left: of - known,
        seconds_per_run: data.mean_seconds(Some(number)),
    }
}
