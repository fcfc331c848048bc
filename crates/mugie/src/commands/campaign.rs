//! `mugie campaign`: many seeds, batches and tools, from one plan.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use clap::{Args, Subcommand, ValueEnum};
use mugie_campaign::campaign::data::Data;
use mugie_campaign::campaign::plan::{Grouping, Plan, PlanError, Tool, template};
use mugie_campaign::campaign::run::{Campaign, Event, SeedSpec, ToolRunner};
use mugie_campaign::campaign::store::{Store, StoreError, ToolRow};
use mugie_campaign::runs::Runner;
use mugie_report::table::TableFormat;
use mugie_report::tables;
use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::{Options, Registry, Verifier};

use crate::cli::{Exit, ReadingArgs};
use crate::commands::test::{open_seed, watch_for_signals};
use crate::commands::verifiers::{definition_trouble, resolve_trouble};
use crate::output::{self, Broken};
use crate::progress::Meter;
use crate::report::{Style, Trouble, plural};
use crate::seeds;

/// Run whole experiments: many seeds, batches of mutants, and tools
///
/// A campaign is a plan in TOML and a store, one SQLite file with everything that is known.
/// `run` fills the store with what the plan asks for and the store does not have yet, so a campaign
/// goes on after any interruption, and a tool or batch that is added later runs alone. All tools
/// see the same mutants.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CampaignCommand {
    #[command(subcommand)]
    command: Verb,
}

const EXAMPLES: &str = "\
Examples:
  mugie campaign init paper.toml --paper      a plan for the paper's experiment
  mugie campaign plan paper.toml              what would it run, and for how long?
  mugie campaign run paper.toml               run it; again after an interruption
  mugie campaign status paper.toml            from another terminal
  mugie campaign table paper.toml fail --format latex";

#[derive(Debug, Subcommand)]
enum Verb {
    Init(Init),
    Plan(Show),
    Run(RunArgs),
    Status(Status),
    Table(TableArgs),
}

/// Write a plan to start from, with comments
#[derive(Args, Debug)]
struct Init {
    /// The file to write
    #[arg(value_name = "PLAN", default_value = "campaign.toml")]
    file: PathBuf,

    /// The paper's experiment: its batches, limits and repetitions
    #[arg(long)]
    paper: bool,

    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// Say what a plan means: seeds, batches, tools, runs, and about how long they take
#[derive(Args, Debug)]
struct Show {
    /// The plan
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// How many runs at once [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// Run what the plan asks for and the store does not know yet
#[derive(Args, Debug)]
struct RunArgs {
    /// The plan
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// Run again what ended in trouble with the tool
    #[arg(long)]
    retry: bool,

    #[command(flatten)]
    reading: ReadingArgs,

    /// How many runs at once [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// Say how far a campaign is
#[derive(Args, Debug)]
struct Status {
    /// The plan, or the store
    #[arg(value_name = "PLAN")]
    file: PathBuf,
}

/// Print a table of what is known; without NAME, list the tables
#[derive(Args, Debug)]
struct TableArgs {
    /// The plan, or the store
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// Which table
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// How to print it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: FormatName,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum FormatName {
    /// For a terminal
    #[default]
    Text,
    /// For a README
    Markdown,
    /// For a spreadsheet
    Csv,
    /// For a program
    Json,
    /// For a paper, with booktabs
    Latex,
}

impl From<FormatName> for TableFormat {
    fn from(name: FormatName) -> TableFormat {
        match name {
            FormatName::Text => TableFormat::Text,
            FormatName::Markdown => TableFormat::Markdown,
            FormatName::Csv => TableFormat::Csv,
            FormatName::Json => TableFormat::Json,
            FormatName::Latex => TableFormat::Latex,
        }
    }
}

impl CampaignCommand {
    /// Runs the verb.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        match &self.command {
            Verb::Init(init) => init.run(),
            Verb::Plan(show) => show.run(),
            Verb::Run(run) => run.run(style),
            Verb::Status(status) => status.run(),
            Verb::Table(table) => table.run(),
        }
    }
}

impl Init {
    fn run(&self) -> Result<Exit, Broken> {
        let shown = self.file.display();
        if self.file.exists() && !self.force {
            return Err(Trouble::new(format!("{shown} exists already"))
                .help("replace it with `--force`, or name another file")
                .into());
        }
        output::replace(&self.file, &template(self.paper))?;
        output::talk(&format!("{shown} is written: say in it which seeds and tools\n"));
        Ok(Exit::Fine)
    }
}

/// A plan, its file, and its seeds.
struct Loaded {
    plan: Plan,
    text: String,
    /// The folder that the paths in the plan start from.
    folder: PathBuf,
    store: PathBuf,
    seeds: Vec<SeedSpec>,
    files: Vec<PathBuf>,
}

impl Loaded {
    fn new(file: &Path) -> Result<Loaded, Trouble> {
        let shown = file.display();
        let text = fs::read_to_string(file).map_err(|error| {
            Trouble::new(format!("{shown}: cannot read the plan: {error}"))
                .help("`mugie campaign init` writes one to start from")
        })?;
        let plan = Plan::parse(&text).map_err(|error| match error {
            PlanError::Syntax { line, problem } => Trouble::new(format!("{shown}:{line}: {problem}")),
            error => Trouble::new(format!("{shown}: {error}")),
        })?;
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let store = plan
            .store
            .as_ref()
            .map_or_else(|| file.with_extension("sqlite"), |store| folder.join(store));
        let paths: Vec<_> = plan.seeds.paths.iter().map(|path| folder.join(path)).collect();
        let files = seeds::find(&paths)?;
        let seeds = specs(&files, &folder, plan.seeds.group);
        Ok(Loaded { plan, text, folder, store, seeds, files })
    }

    fn verifier(&self, registry: &Registry, tool: &Tool) -> Result<Verifier, Trouble> {
        let in_folder = |path: &String| self.folder.join(path);
        let options = Options {
            solver: tool.solver.clone(),
            program: tool.program.as_ref().map(in_folder),
            arguments: tool.arguments.clone(),
            resource_limit: self.plan.resource_limit,
            ..Options::default()
        };
        registry.resolve(&tool.verifier, &options).map_err(|error| {
            let trouble = resolve_trouble(&error);
            Trouble { message: format!("tool `{}`: {}", tool.name, trouble.message), ..trouble }
        })
    }
}

/// Names and groups of seeds. Names are those of the files, with as many folders before them as it
/// takes to tell them apart.
fn specs(files: &[PathBuf], folder: &Path, grouping: Grouping) -> Vec<SeedSpec> {
    let parts = |file: &Path| -> Vec<String> {
        let stem = file.with_extension("");
        stem.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let paths: Vec<Vec<String>> = files.iter().map(|file| parts(file)).collect();
    let name = |path: &[String], length: usize| path[path.len().saturating_sub(length)..].join("/");
    let mut names = Vec::new();
    for path in &paths {
        let mut length = 1;
        while length < path.len()
            && paths.iter().filter(|other| name(other, length) == name(path, length)).count() > 1
        {
            length += 1;
        }
        names.push(name(path, length));
    }
    let group = |file: &Path| {
        let folder = file.parent().and_then(Path::file_name);
        let folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match grouping {
            Grouping::Letter => match folder.split_once('_') {
                Some((letter, _)) if letter.chars().count() == 1 => letter.to_owned(),
                _ => "-".to_owned(),
            },
            Grouping::Folder => folder,
            Grouping::None => "all".to_owned(),
        }
    };
    files
        .iter()
        .zip(names)
        .map(|(file, name)| SeedSpec {
            name,
            file: file.strip_prefix(folder).unwrap_or(file).display().to_string(),
            group: group(file),
        })
        .collect()
}

impl Show {
    fn run(&self) -> Result<Exit, Broken> {
        let loaded = Loaded::new(&self.file)?;
        let plan = &loaded.plan;
        let mut groups = BTreeMap::<&str, usize>::new();
        for seed in &loaded.seeds {
            *groups.entry(&seed.group).or_default() += 1;
        }
        let groups: Vec<_> = groups.iter().map(|(group, seeds)| format!("{group}: {seeds}")).collect();
        let mutants: usize = plan.batches.iter().map(|batch| batch.mutants).sum();
        let (seeds, tools) = (loaded.seeds.len(), plan.tools.len());
        let runs = seeds * tools * (mutants + 3);
        let mut text = format!(
            "{seeds} {} ({})\n{} {} of {mutants} mutants together\n{tools} {}\n",
            plural(seeds, "seed"),
            groups.join(", "),
            plan.batches.len(),
            if plan.batches.len() == 1 { "batch" } else { "batches" },
            plural(tools, "tool"),
        );
        let _ = writeln!(text, "at most {runs} runs, not counting repetitions of timeouts");
        let data = match Store::open(&loaded.store) {
            Ok(store) => Some(store.load().map_err(|error| trouble(&error))?),
            Err(_) => None,
        };
        let known = data.as_ref().map_or(0, |data| data.verdicts.len() + 3 * data.baselines.len());
        if known > 0 {
            let _ = writeln!(text, "{known} of them are in {} already", loaded.store.display());
        }
        let jobs = self.jobs.or_else(|| thread::available_parallelism().ok());
        let jobs = jobs.map_or(1, NonZeroUsize::get);
        let each = data.as_ref().and_then(mean_seconds).unwrap_or(1.0);
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let hours = runs.saturating_sub(known) as f64 * each / jobs as f64 / 3600.0;
        let source = match data.as_ref().and_then(mean_seconds) {
            Some(_) => format!("{each:.1} s for a run, as the seeds took"),
            None => "1 s for a run: nothing is known yet".to_owned(),
        };
        let _ = writeln!(text, "about {hours:.1} h with {jobs} at a time ({source})");
        output::data(&text)?;
        Ok(Exit::Fine)
    }
}

/// The mean processor time of a seed.
fn mean_seconds(data: &Data) -> Option<f64> {
    let seconds: Vec<f64> = data.baselines.iter().map(|baseline| baseline.seconds).collect();
    #[expect(clippy::cast_precision_loss, reason = "few enough")]
    let number = seconds.len() as f64;
    (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / number)
}

impl RunArgs {
    fn run(&self, style: &Style) -> Result<Exit, Broken> {
        let loaded = Loaded::new(&self.file)?;
        let plan = &loaded.plan;
        let registry = Registry::load().map_err(|error| definition_trouble(&error))?;
        let verifiers = plan
            .tools
            .iter()
            .map(|tool| loaded.verifier(&registry, tool))
            .collect::<Result<Vec<_>, _>>()?;
        let store = Store::create(&loaded.store).map_err(|error| trouble(&error))?;
        store
            .set_campaign(&plan.name, env!("CARGO_PKG_VERSION"), &loaded.text)
            .map_err(|error| trouble(&error))?;
        let supervisor = Arc::new(Supervisor::new(Keeper::this_program()));
        watch_for_signals(&supervisor, "interrupted: the same command goes on where it was\n")?;
        let mut tools = Vec::new();
        for (tool, verifier) in plan.tools.iter().zip(&verifiers) {
            let runner = Runner::new(verifier, &supervisor, plan.limits, plan.confirm, None)
                .map_err(|error| {
                    Trouble::new(format!("cannot make a folder for temporary files: {error}"))
                        .help("set TMPDIR to a directory with room for some files")
                })?;
            let settings = serde_json::json!({
                "command": verifier.command_words(),
                "limits": plan.limits,
                "confirm": plan.confirm,
            });
            let row = ToolRow {
                name: tool.name.clone(),
                title: verifier.title.clone(),
                identity: runner.identity(),
                settings: settings.to_string(),
            };
            let id = store.tool(&row).map_err(|error| trouble(&error))?;
            tools.push(ToolRunner { id, runner });
        }
        let campaign = Campaign {
            plan,
            store: &store,
            seeds: &loaded.seeds,
            tools: &tools,
            supervisor: &supervisor,
            retry: self.retry,
        };
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let mutants: usize = plan.batches.iter().map(|batch| batch.mutants).sum();
        let all = loaded.seeds.len() * tools.len() * mutants;
        let mut meter = Meter::new(1, Some(all));
        let mut unusable = 0;
        let open = |index: usize| {
            let files = std::slice::from_ref(&loaded.files[index]);
            open_seed(style, &self.reading, files, tools[0].runner.verifier())
        };
        let progress = campaign.run(open, self.jobs.unwrap_or_else(cores), |event| match event {
            Event::Unusable(seed) => {
                meter.hide();
                unusable += 1;
                let words = format!("{}: {}", seed.name, seed.reason);
                output::talk(&style.warning(&words));
            }
            Event::Tick(progress) => meter.show(0, progress.known, progress.flips),
        });
        meter.hide();
        let progress = progress.map_err(|error| Trouble::new(error.to_string()))?;
        let is_over = !supervisor.is_cancelled();
        output::talk(&format!(
            "{} {} known, {} of them new; {} {} left out\n",
            progress.known,
            plural(progress.known, "verdict"),
            progress.new,
            unusable,
            plural(unusable, "seed"),
        ));
        output::data(&format!("{}\n", loaded.store.display()))?;
        Ok(if is_over { Exit::Fine } else { Exit::CouldNot })
    }
}

/// What is known of a campaign, given by its plan or its store.
fn load(file: &Path) -> Result<Data, Trouble> {
    let is_plan = file.extension().is_some_and(|extension| extension == "toml");
    let store = if is_plan { Loaded::new(file)?.store } else { file.to_owned() };
    let store = Store::open(&store).map_err(|error| {
        trouble(&error).help("`mugie campaign run` makes it; give the plan, or the store itself")
    })?;
    store.load().map_err(|error| trouble(&error))
}

impl Status {
    fn run(&self) -> Result<Exit, Broken> {
        let data = load(&self.file)?;
        let wanted: usize = data.batches.iter().map(|batch| batch.wanted).sum();
        let mut text = String::new();
        for (number, tool) in data.tools.iter().enumerate() {
            let seeds = data.baselines.iter().filter(|baseline| baseline.tool == number).count();
            let verdicts =
                data.verdicts.iter().filter(|verdict| verdict.tool as usize == number).count();
            let _ = writeln!(
                text,
                "{} ({}): {seeds} of {} seeds, {verdicts} of at most {} mutants",
                tool.name,
                tool.title,
                data.seeds.len(),
                data.seeds.len() * wanted
            );
        }
        output::data(&text)?;
        Ok(Exit::Fine)
    }
}

impl TableArgs {
    fn run(&self) -> Result<Exit, Broken> {
        let Some(name) = &self.name else {
            let mut text = String::new();
            for table in tables::ALL {
                let _ = writeln!(text, "{:18} {}", table.name, table.about);
            }
            output::data(&text)?;
            return Ok(Exit::Fine);
        };
        let Some(table) = tables::ALL.iter().find(|table| table.name == name) else {
            return Err(Trouble::new(format!("there is no table `{name}`"))
                .help("`mugie campaign table PLAN` lists them")
                .into());
        };
        let data = load(&self.file)?;
        output::data(&(table.make)(&data).render(self.format.into()))?;
        Ok(Exit::Fine)
    }
}

fn trouble(error: &StoreError) -> Trouble {
    Trouble::new(error.to_string())
}
