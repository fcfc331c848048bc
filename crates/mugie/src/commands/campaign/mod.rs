//! `mugie campaign`: many seeds, batches and tools, from one plan.

mod failing;
mod plan;
mod run;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use mugie_campaign::campaign::data::Data;
use mugie_campaign::campaign::details::details;
use mugie_campaign::campaign::measures::{Measures, Standing};
use mugie_campaign::campaign::plan::template;
use mugie_campaign::campaign::store::{Store, StoreError};
use mugie_report::html;
use mugie_report::table::TableFormat;
use mugie_report::tables;
use mugie_verifiers::Outcome;
use serde_json::json;

use crate::cli::Exit;
use crate::output::{self, Broken};
use crate::report::{Style, Trouble, plural};
use crate::{parallel, progress, read, seeds};
pub(crate) use failing::{CampaignArgs, Failing};
use plan::LoadedPlan;

/// Run whole experiments: many seeds, batches of mutants, and tools
///
/// A campaign is a plan in TOML, and a store beside it: a database with everything that is known.
/// `run` fills the store with what the plan asks for and the store does not have yet. So a campaign
/// goes on after any interruption, and a seed, batch or tool that is added later runs alone. All
/// tools see the same mutants.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Campaign {
    #[command(subcommand)]
    command: Verb,
}

const EXAMPLES: &str = "\
Examples:
  mugie campaign init paper.toml --paper      a plan for the paper's experiment
  mugie campaign plan paper.toml              what would it run, and for how long?
  mugie campaign run paper.toml               run it; again after an interruption
  mugie campaign status paper.toml            how far is it? from another terminal
  mugie campaign table paper.toml             which tables are there?
  mugie campaign table paper.toml fail --format latex
  mugie campaign report paper.toml            all of it as one page to look at

Exit codes:
  0  done
  2  could not: a plan that makes no sense, a tool that is missing, a seed that is rejected;
     or the run was interrupted, and what is known is in the store";

#[derive(Debug, Subcommand)]
enum Verb {
    Init(Init),
    Plan(Show),
    Run(run::Run),
    Status(Status),
    Table(Table),
    Report(Report),
}

const INIT_EXAMPLES: &str = "\
Examples:
  mugie campaign init                         campaign.toml, to be filled in
  mugie campaign init paper.toml --paper      the paper's experiment; only the seeds are missing";

const PLAN_EXAMPLES: &str = "\
Examples:
  mugie campaign plan paper.toml
  mugie campaign plan paper.toml --jobs 64    how long on a larger machine?";

const STATUS_EXAMPLES: &str = "\
Examples:
  mugie campaign status paper.toml
  mugie campaign status paper.sqlite --json   also where the plan is not at hand";

const TABLE_EXAMPLES: &str = "\
Examples:
  mugie campaign table paper.toml             which tables are there?
  mugie campaign table paper.toml fail
  mugie campaign table paper.toml all --format markdown > tables.md";

const REPORT_EXAMPLES: &str = "\
Examples:
  mugie campaign report paper.toml            paper.html
  mugie campaign report paper.sqlite --out today.html";

/// Write a plan to start from, with comments
#[derive(Args, Debug)]
#[command(after_help = INIT_EXAMPLES)]
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
///
/// Nothing is run.
#[derive(Args, Debug)]
#[command(after_help = PLAN_EXAMPLES)]
struct Show {
    /// The plan
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// How many runs at once [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Say how far a campaign is
#[derive(Args, Debug)]
#[command(after_help = STATUS_EXAMPLES)]
struct Status {
    /// The plan, or the store
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Print a table of what is known so far; without NAME, list the tables
#[derive(Args, Debug)]
#[command(after_help = TABLE_EXAMPLES)]
struct Table {
    /// The plan, or the store
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// Which table; `all` prints all of them
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// How to print it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: FormatName,
}

/// Write all that is known so far as one HTML page
///
/// The page needs nothing else: no network, no other files. It has the tables, plots, and of each
/// seed some mutants with another verdict, with their edits, what they change in the text, and the
/// commands that show it again. Its name is printed to standard output.
#[derive(Args, Debug)]
#[command(after_help = REPORT_EXAMPLES)]
struct Report {
    /// The plan, or the store
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// The file to write [default: PLAN with the extension `.html`]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
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

impl Campaign {
    /// Runs the verb.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        match &self.command {
            Verb::Init(init) => init.run(),
            Verb::Plan(show) => show.run(),
            Verb::Run(run) => run.run(style),
            Verb::Status(status) => status.run(),
            Verb::Table(table) => table.run(),
            Verb::Report(report) => report.run(style),
        }
    }
}

impl Init {
    fn run(&self) -> Result<Exit, Broken> {
        let shown = self.file.display();
        if self.file.exists() && !self.force {
            let trouble = Trouble::new(format!("{shown} exists already"));
            return Err(trouble.help("replace it with `--force`, or name another file").into());
        }
        output::replace(&self.file, &template(self.paper))?;
        output::talk(&format!(
            "say in {shown} which seeds and tools; `mugie campaign plan {shown}` says what it means\n"
        ));
        Ok(Exit::Fine)
    }
}

impl Show {
    fn run(&self) -> Result<Exit, Broken> {
        let loaded = LoadedPlan::read(&self.file)?;
        let store = loaded.existing_store()?;
        let specs = loaded.specs(store.as_ref())?;
        let data = store.map(|store| store.load()).transpose().map_err(|error| trouble(&error))?;
        let plan = &loaded.plan;
        let mut groups = BTreeMap::<&str, usize>::new();
        for seed in &specs {
            *groups.entry(&seed.group).or_default() += 1;
        }
        let mutants: usize = plan.batches.iter().map(|batch| batch.mutants).sum();
        let (seeds, tools) = (specs.len(), plan.tools.len());
        let runs = seeds * tools * (mutants + 3);
        let known = data.as_ref().map_or(0, |data| data.verdicts.len() + 3 * data.baselines.len());
        let jobs = parallel::threads(self.jobs).get();
        let measured = data.as_ref().and_then(mean_seconds);
        let each = measured.unwrap_or(1.0);
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let hours = runs.saturating_sub(known) as f64 * each / jobs as f64 / 3600.0;
        if self.json {
            let json = json!({
                "name": plan.name, "store": loaded.store.display().to_string(),
                "groups": groups, "seeds": seeds, "tools": tools, "mutants_per_seed": mutants,
                "runs": runs, "known": known, "seconds_per_run": each, "hours": hours,
            });
            output::data(&format!("{json}\n"))?;
            return Ok(Exit::Fine);
        }
        let groups: Vec<_> =
            groups.iter().map(|(group, seeds)| format!("{group}: {seeds}")).collect();
        let mut text = format!("{}\n", plan.name);
        let _ = writeln!(text, "  {seeds} {} ({})", plural(seeds, "seed"), groups.join(", "));
        let batches = match plan.batches.len() {
            1 => "1 batch".to_owned(),
            number => format!("{number} batches"),
        };
        let of_each = plural(mutants, "mutant");
        let _ = writeln!(text, "  {batches}, together {mutants} {of_each} of each seed");
        for tool in &plan.tools {
            let solver = tool.solver.as_ref().map_or(String::new(), |it| format!(" with {it}"));
            let _ = writeln!(text, "  tool {}: {}{solver}", tool.name, tool.verifier);
        }
        let _ = writeln!(text, "at most {runs} runs, and repetitions of those that time out");
        if known > 0 {
            let _ = writeln!(text, "{known} of them are in {} already", loaded.store.display());
        }
        let source = match measured {
            Some(_) => format!("a run takes {each:.1} s, as those so far"),
            None => "if a run takes 1 s: nothing is known yet".to_owned(),
        };
        let time = progress::duration(hours * 3600.0);
        let _ = writeln!(text, "about {time} with {jobs} at a time, {source}");
        output::data(&text)?;
        Ok(Exit::Fine)
    }
}

/// The mean processor time of a run: of mutants, or of seeds where there are none.
fn mean_seconds(data: &Data) -> Option<f64> {
    let mutants = data.verdicts.iter().filter_map(|verdict| verdict.seconds.map(f64::from));
    let seeds = data.baselines.iter().map(|baseline| baseline.seconds);
    let mut seconds: Vec<f64> = mutants.collect();
    if seconds.is_empty() {
        seconds.extend(seeds);
    }
    #[expect(clippy::cast_precision_loss, reason = "few enough")]
    let number = seconds.len() as f64;
    (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / number)
}

/// A store that exists, given by its plan or by itself, and the folder that the paths in it start
/// from.
fn existing(file: &Path) -> Result<(Store, PathBuf), Trouble> {
    let (store, folder) = plan::store_of(file)?;
    let missing = || {
        Trouble::new(format!("{}: there is no such store", store.display()))
            .help("`mugie campaign run PLAN` makes it; give the plan, or the store itself")
    };
    if !store.exists() {
        return Err(missing());
    }
    Ok((Store::open(&store).map_err(|error| trouble(&error))?, folder))
}

fn load(file: &Path) -> Result<Data, Trouble> {
    existing(file)?.0.load().map_err(|error| trouble(&error))
}

impl Status {
    fn run(&self) -> Result<Exit, Broken> {
        let data = load(&self.file)?;
        let measures = Measures::new(&data);
        let mut text = format!("{}\n", data.name);
        let mut rows = Vec::new();
        for (number, tool) in data.tools.iter().enumerate() {
            let seeds = data.baselines.iter().filter(|baseline| baseline.tool == number).count();
            let (mut judged, mut trouble, mut mutants) = (0, 0, 0);
            for standing in [Standing::Passes, Standing::Fails] {
                let coverage = measures.coverage(number, None, standing);
                judged += coverage.judged;
                trouble += coverage.trouble;
                mutants += coverage.mutants;
            }
            let standings = measures.standings(None, number);
            let brittle: usize =
                measures.intersections(number).iter().map(|set| set.seeds.len()).sum();
            let all = data.seeds.len();
            let _ = writeln!(text, "  {} ({})", tool.name, tool.title);
            let _ = writeln!(
                text,
                "    {seeds} of {all} seeds run: {} verified, {} of them brittle so far, {} not \
                 verified, {} with trouble",
                standings.passing, brittle, standings.failing, standings.trouble
            );
            let _ = writeln!(
                text,
                "    {} of {mutants} mutants run that there are so far, {trouble} with trouble",
                judged + trouble
            );
            rows.push(json!({
                "tool": tool.name, "title": tool.title, "seeds": seeds, "of_seeds": all,
                "verified": standings.passing, "brittle": brittle,
                "not_verified": standings.failing, "seeds_with_trouble": standings.trouble,
                "mutants": judged + trouble, "of_mutants": mutants, "mutants_with_trouble": trouble,
            }));
        }
        if self.json {
            text = format!("{}\n", json!({ "name": data.name, "tools": rows }));
        }
        output::data(&text)?;
        Ok(Exit::Fine)
    }
}

impl Table {
    fn run(&self) -> Result<Exit, Broken> {
        let Some(name) = &self.name else {
            let mut text = String::new();
            for table in tables::ALL {
                let _ = writeln!(text, "{:18} {}", table.name, table.about);
            }
            output::data(&text)?;
            return Ok(Exit::Fine);
        };
        let wanted: Vec<_> =
            tables::ALL.iter().filter(|table| table.name == name || name == "all").collect();
        if wanted.is_empty() {
            let trouble = Trouble::new(format!("there is no table `{name}`"));
            return Err(trouble.help("`mugie campaign table PLAN` lists them").into());
        }
        let data = load(&self.file)?;
        let format = TableFormat::from(self.format);
        let tables: Vec<String> =
            wanted.iter().map(|table| (table.make)(&data).render(format)).collect();
        output::data(&match tables.as_slice() {
            [table] => table.clone(),
            // One document is what a program can read.
            tables if format == TableFormat::Json => format!("[\n{}]\n", tables.join(",\n")),
            tables => tables.join("\n"),
        })?;
        Ok(Exit::Fine)
    }
}

impl Report {
    fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// On a stack that is deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let (store, folder) = existing(&self.file)?;
        let data = store.load().map_err(|error| trouble(&error))?;
        let reading = store.plan().map_err(|error| trouble(&error))?;
        let reading = plan::reading_in(&reading);
        let open = |seed: usize| {
            let name = &data.seeds[seed].file;
            let file = folder.join(name);
            let sources = read::read(std::slice::from_ref(&file));
            seeds::open(style, std::slice::from_ref(name), sources, reading).ok()
        };
        let mut details = details(&store, &data, open).map_err(|error| trouble(&error))?;
        for detail in &mut details.mutants {
            let fails = detail.changes.iter().any(|change| change.outcome != Outcome::Verified);
            // What cannot be made again cannot be made small.
            if fails && !detail.reproduce.is_empty() {
                let tool = (data.tools.len() > 1).then(|| &data.tools[detail.tool].name);
                detail.reproduce.push(failing::command(&self.file, &detail.name, tool));
            }
        }
        let missing = &details.missing;
        if let Some(first) = missing.first() {
            output::talk(&style.warning(&format!(
                "{} not as the store knows it, so that the report does not show its mutants: {}",
                if missing.len() == 1 {
                    "a seed is".to_owned()
                } else {
                    format!("{} seeds are", missing.len())
                },
                data.seeds[*first].file
            )));
        }
        let out = self.out.clone().unwrap_or_else(|| self.file.with_extension("html"));
        output::replace(&out, &html::report(&data, &details))?;
        output::data(&format!("{}\n", out.display()))?;
        Ok(Exit::Fine)
    }
}

fn trouble(error: &StoreError) -> Trouble {
    let trouble = Trouble::new(error.to_string());
    match error {
        StoreError::OtherVersion { .. } => trouble.help("start with another store"),
        StoreError::Damaged(_) => trouble.help("start with another store, or a copy of this one"),
        _ => trouble.help(
            "is there space on the disk, and may the file be written? the store keeps what it has",
        ),
    }
}
