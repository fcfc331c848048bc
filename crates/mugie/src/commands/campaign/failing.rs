//! Finds failing mutants of a campaign by name, for `mugie minimise`, `mugie diagnose` and `mugie
//! query`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use mugie_campaign::details::name_of;
use mugie_campaign::plan::Plan;
use mugie_campaign::rows::FlipKey;
use mugie_campaign::store::Store;
use mugie_core::Outcome;
use mugie_experiment::recipe::{quoted, quoted_path};
use mugie_experiment::sources::path_called;
use mugie_results::data::{MutantIx, SeedIx, ToolIx};
use mugie_results::{Data, flips};
use mugie_verifiers::trust;

use super::{existing, load, plan, trouble};
use crate::messages::{Trouble, plural};
use crate::parts::languages;
use crate::recorded::{MutantRecord, Records};
use crate::seed_paths;
use crate::tool_spec::{Document, ToolSpec};

/// The maximum number of names that a message lists.
const SHOWN: usize = 8;

/// The options that locate a mutant in a campaign.
#[derive(Args, Debug)]
#[command(next_help_heading = "Mutant")]
pub(crate) struct CampaignArgs {
    /// Take the mutant with this name from a campaign, given by its plan or its store; the verifier
    /// and the limits are those with which it failed, unless other ones are given
    #[arg(long, value_name = "PLAN")]
    campaign: Option<PathBuf>,

    /// The campaign's tool with which the mutant fails, if there are several
    #[arg(long, value_name = "NAME", requires = "campaign")]
    tool: Option<String>,
}

impl CampaignArgs {
    /// The records of a mutant of the campaign and the verifier with which it fails; `None` without
    /// `--campaign`.
    pub(crate) fn find(&self, name: &Path) -> Result<Option<Records>, Trouble> {
        let Some(file) = &self.campaign else { return Ok(None) };
        let (store, folder) = existing(file)?;
        let data = load(&store)?;
        let name = name.to_string_lossy();
        let found = find(&data, &name, self.tool.as_deref())?;
        record(&store, &data, file, &folder, found).map(Some)
    }
}

/// The record of a failing mutant, with the tool with which it fails.
fn record(
    store: &Store,
    data: &Data,
    file: &Path,
    folder: &Path,
    (mutant, tool): (MutantIx, ToolIx),
) -> Result<Records, Trouble> {
    let broken = |error| trouble(&error);
    let at = data.mutants[mutant];
    let (seed, tool) = (&data.seeds[at.seed], &data.tools[tool].name);
    let batch = &data.batches[at.batch].name;
    let key = FlipKey { seed: &seed.name, batch, number: at.number, tool };
    let flip = store.flip(&key).map_err(broken)?;
    let (seed_hash, _) = store.seed_verdicts(&seed.name).map_err(broken)?;
    let text = store.plan().map_err(broken)?;
    let plan = Plan::parse(&text, languages()).ok();
    let wanted = plan.as_ref().and_then(|plan| plan.tools.iter().find(|it| it.name == *tool));
    let (plan, wanted) = plan.as_ref().zip(wanted).ok_or_else(|| {
        Trouble::new(format!("the store has no settings for the tool `{tool}`"))
            .help("run `mugie campaign run PLAN` once more to record them")
    })?;
    let document = Document { path: file, hash: trust::hash(&text) };
    let (verifier, options) = plan::options(plan, folder, wanted, document);
    let (limits, confirm) = (plan.limits, plan.confirm);
    Ok(Records {
        mutants: vec![MutantRecord {
            name: name_of(data, mutant),
            seeds: vec![
                seed.files
                    .iter()
                    .map(|file| seed_paths::plain(path_called(folder, file)))
                    .collect(),
            ],
            source: seed.file(),
            seed_hash,
            reading: seed.options.clone(),
            edits: flip.edits,
            hash: flip.hash,
        }],
        tool: Some(ToolSpec { verifier, options, limits, confirm }),
    })
}

/// Finds a failing mutant by name and the tool with which it fails, as indices. The name may omit
/// the batch.
fn find(data: &Data, name: &str, tool: Option<&str>) -> Result<(MutantIx, ToolIx), Trouble> {
    if let Some(tool) = tool
        && !data.tools.iter().any(|it| it.name == tool)
    {
        let names = data.tools.iter().map(|tool| tool.name.as_str());
        return Err(Trouble::new(format!("the campaign has no tool `{tool}`"))
            .help(format!("its tools are: {}", listed(names.collect()))));
    }
    let baselines: BTreeMap<(SeedIx, ToolIx), Outcome> =
        data.baselines.iter().map(|it| ((it.seed, it.tool), it.outcome)).collect();
    let failing: Vec<(MutantIx, ToolIx)> = data
        .verdicts
        .iter()
        .filter(|it| {
            let seed = data.mutants[it.mutant].seed;
            let base = baselines.get(&(seed, it.tool)).copied();
            base == Some(Outcome::Verified) && flips(Outcome::Verified, it.outcome) == Some(true)
        })
        .map(|it| (it.mutant, it.tool))
        .collect();
    let is_short = |mutant: MutantIx| {
        let at = data.mutants[mutant];
        name == format!("{}-{:04}", data.seeds[at.seed].name, at.number)
    };
    let is_meant = |mutant: MutantIx| name_of(data, mutant) == name;
    let mut found: Vec<(MutantIx, ToolIx)> =
        failing.iter().copied().filter(|(mutant, _)| is_meant(*mutant)).collect();
    if found.is_empty() {
        found.extend(failing.iter().filter(|(mutant, _)| is_short(*mutant)));
    }
    found.retain(|(_, number)| tool.is_none_or(|tool| data.tools[*number].name == tool));
    match found.as_slice() {
        [one] => Ok(*one),
        [] if data.mutants.indices().any(|mutant| is_meant(mutant) || is_short(mutant)) => {
            let with = tool.map_or(String::new(), |tool| format!(" with `{tool}`"));
            Err(Trouble::new(format!(
                "the campaign has a mutant {name}, but no record that it fails{with}"
            ))
            .help("choose a mutant that fails although its seed verifies"))
        }
        [] => {
            let mut names: Vec<String> =
                failing.iter().map(|(mutant, _)| name_of(data, *mutant)).collect();
            names.dedup();
            let number = names.len();
            Err(Trouble::new(format!("the campaign has no mutant `{name}`")).help(match number {
                0 => "no mutant of this campaign fails although its seed verifies".to_owned(),
                _ => format!(
                    "{number} {} {}: {}",
                    plural(number, "mutant"),
                    if number == 1 { "fails" } else { "fail" },
                    listed(names.iter().map(String::as_str).collect())
                ),
            }))
        }
        several => {
            let choice = |(mutant, number): &(MutantIx, ToolIx)| {
                let seed = &data.seeds[data.mutants[*mutant].seed].file();
                let tool = &data.tools[*number].name;
                format!("{} of {seed} with --tool {tool}", name_of(data, *mutant))
            };
            let choices: Vec<String> = several.iter().map(choice).collect();
            let choices = listed(choices.iter().map(String::as_str).collect());
            Err(Trouble::new(format!(
                "`{name}` is ambiguous: it matches {} failures",
                several.len()
            ))
            .help(format!("choose one: {choices}")))
        }
    }
}

/// The command that minimises a mutant of a campaign.
pub(super) fn command(file: &Path, name: &str, tool: Option<&String>) -> String {
    let file = quoted_path(file);
    let name = quoted(name);
    let tool = tool.map_or_else(String::new, |tool| format!(" --tool {}", quoted(tool)));
    // A name that looks like an option goes after `--`.
    if name.starts_with('-') {
        format!("mugie minimise --campaign {file}{tool} -- {name}")
    } else {
        format!("mugie minimise {name} --campaign {file}{tool}")
    }
}

/// The first few names, and the number of the others.
fn listed(names: Vec<&str>) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let mut text = names.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, ", and {more} more");
    }
    text
}
