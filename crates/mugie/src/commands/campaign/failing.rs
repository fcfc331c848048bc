//! Failing mutants of a campaign by their names, for `mugie minimise` and `mugie diagnose`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use mugie_campaign::campaign::data::Data;
use mugie_campaign::campaign::details::name_of;
use mugie_campaign::campaign::plan::Plan;
use mugie_campaign::campaign::rows::FlipKey;
use mugie_campaign::campaign::store::Store;
use mugie_campaign::quoted;
use mugie_verifiers::Outcome;

use super::{existing, plan, trouble};
use crate::load::Reading;
use crate::report::{Style, Trouble, plural};
use crate::stored::{self, Stored, Subjects};
use crate::wanted::Wanted;

/// How many names are shown at once.
const SHOWN: usize = 8;

/// Options that say in which campaign a mutant is.
#[derive(Args, Debug)]
#[command(next_help_heading = "Mutant")]
pub(crate) struct CampaignArgs {
    /// Take the mutant of this name from a campaign, given by its plan or its store; the verifier and
    /// the limits are those with which it failed
    #[arg(long, value_name = "PLAN", conflicts_with_all = [
        "verifier", "solver", "program", "solver_seed", "arguments", "time_limit", "cpu_limit",
        "memory_limit", "rlimit", "procedure_time_limit", "confirm", "dialect", "infer_modifies",
    ])]
    campaign: Option<PathBuf>,

    /// The campaign's tool with which the mutant fails, if it fails with several
    #[arg(long, value_name = "NAME", requires = "campaign")]
    tool: Option<String>,
}

impl CampaignArgs {
    /// The mutant of a name, if it is one of a campaign, and the verifier with which it fails.
    pub(crate) fn find(&self, name: &Path) -> Result<Option<(Failing, Wanted)>, Trouble> {
        let Some(file) = &self.campaign else { return Ok(None) };
        let (store, folder) = existing(file)?;
        let data = store.load().map_err(|error| trouble(&error))?;
        let name = name.to_string_lossy();
        let (mutant, tool) = find(&data, &name, self.tool.as_deref())?;
        Failing::new(&store, &data, &folder, (mutant, tool)).map(Some)
    }
}

/// A failing mutant of a campaign.
pub(crate) struct Failing {
    stored: Stored,
    reading: Reading,
}

impl Failing {
    fn new(
        store: &Store,
        data: &Data,
        folder: &Path,
        (mutant, tool): (usize, usize),
    ) -> Result<(Failing, Wanted), Trouble> {
        let broken = |error| trouble(&error);
        let at = data.mutants[mutant];
        let (seed, tool) = (&data.seeds[at.seed as usize], &data.tools[tool].name);
        let batch = &data.batches[at.batch as usize].name;
        let key = FlipKey { seed: &seed.name, batch, number: at.number, tool };
        let flip = store.flip(&key).map_err(broken)?;
        let (seed_hash, _) = store.seed_verdicts(&seed.name).map_err(broken)?;
        let text = store.plan().map_err(broken)?;
        let plan = Plan::parse(&text).ok();
        let planned = plan.as_ref().and_then(|plan| {
            let tool = plan.tools.iter().find(|it| it.name == *tool)?;
            Some((plan, tool))
        });
        let Some((plan, tool)) = planned else {
            let words = format!("the plan that was run last has no tool `{tool}`");
            return Err(Trouble::new(words)
                .help("the store does not say how to run it: `mugie campaign run` with the tool"));
        };
        let (verifier, options) = plan::options(plan, folder, tool);
        let wanted = Wanted { verifier, options, limits: plan.limits, confirm: plan.confirm };
        let failing = Failing {
            stored: Stored {
                name: name_of(data, mutant),
                seeds: vec![folder.join(&seed.file)],
                source: seed.file.clone(),
                seed_hash,
                edits: flip.edits,
                hash: flip.hash,
            },
            reading: plan::reading(&plan.seeds),
        };
        Ok((failing, wanted))
    }

    /// The mutant and its seed, which is where the campaign had it, or in the given file.
    pub(crate) fn open(self, style: &Style, from: Option<&Path>) -> Result<Subjects, Trouble> {
        stored::open_stored(style, self.reading, vec![self.stored], from)
    }
}

/// The mutant of a name that fails, and the tool with which it does, by their numbers. The batch
/// need not be in the name.
fn find(data: &Data, name: &str, tool: Option<&str>) -> Result<(usize, usize), Trouble> {
    if let Some(tool) = tool
        && !data.tools.iter().any(|it| it.name == tool)
    {
        let names = data.tools.iter().map(|tool| tool.name.as_str());
        return Err(Trouble::new(format!("the campaign has no tool `{tool}`"))
            .help(format!("there is {}", listed(names.collect()))));
    }
    let verified: BTreeMap<(usize, usize), bool> = data
        .baselines
        .iter()
        .map(|it| ((it.seed, it.tool), it.outcome == Outcome::Verified))
        .collect();
    let failing: Vec<(usize, usize)> = data
        .verdicts
        .iter()
        .filter(|it| it.outcome.is_evidence() && it.outcome != Outcome::Verified)
        .map(|it| (it.mutant as usize, it.tool as usize))
        .filter(|(mutant, tool)| {
            let seed = data.mutants[*mutant].seed as usize;
            verified.get(&(seed, *tool)) == Some(&true)
        })
        .collect();
    let is_short = |mutant: usize| {
        let at = data.mutants[mutant];
        name == format!("{}-{:04}", data.seeds[at.seed as usize].name, at.number)
    };
    let is_meant = |mutant: usize| name_of(data, mutant) == name;
    let mut found: Vec<(usize, usize)> =
        failing.iter().copied().filter(|(mutant, _)| is_meant(*mutant)).collect();
    if found.is_empty() {
        found.extend(failing.iter().filter(|(mutant, _)| is_short(*mutant)));
    }
    found.retain(|(_, number)| tool.is_none_or(|tool| data.tools[*number].name == tool));
    match found.as_slice() {
        [one] => Ok(*one),
        [] if (0..data.mutants.len()).any(|mutant| is_meant(mutant) || is_short(mutant)) => {
            let with = tool.map_or(String::new(), |tool| format!(" with `{tool}`"));
            Err(Trouble::new(format!("the campaign knows {name}, and not that it fails{with}"))
                .help("only a mutant that fails although its seed verifies can be looked into"))
        }
        [] => {
            let mut names: Vec<String> =
                failing.iter().map(|(mutant, _)| name_of(data, *mutant)).collect();
            names.dedup();
            let number = names.len();
            Err(Trouble::new(format!("the campaign has no mutant `{name}`")).help(match number {
                0 => "no mutant of it fails although its seed verifies".to_owned(),
                _ => format!(
                    "{number} {} that {}: {}",
                    plural(number, "mutant"),
                    if number == 1 { "fails" } else { "fail" },
                    listed(names.iter().map(String::as_str).collect())
                ),
            }))
        }
        several => {
            let choice = |(mutant, number): &(usize, usize)| {
                let seed = &data.seeds[data.mutants[*mutant].seed as usize].file;
                let tool = &data.tools[*number].name;
                format!("{} of {seed} with --tool {tool}", name_of(data, *mutant))
            };
            let choices: Vec<String> = several.iter().map(choice).collect();
            let choices = listed(choices.iter().map(String::as_str).collect());
            Err(Trouble::new(format!("`{name}` can be one of {}", several.len()))
                .help(format!("choose one: {choices}")))
        }
    }
}

/// The command that makes a mutant of a campaign small.
pub(super) fn command(file: &Path, name: &str, tool: Option<&String>) -> String {
    let file = file.display().to_string();
    let mut words = vec!["mugie", "minimise", name, "--campaign", &file];
    words.extend(tool.into_iter().flat_map(|tool| ["--tool", tool]));
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Some names, and how many more there are.
fn listed(names: Vec<&str>) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let mut text = names.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, ", and {more} more");
    }
    text
}
