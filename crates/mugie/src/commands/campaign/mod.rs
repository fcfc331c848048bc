//! `mugie campaign`: experiments with many seeds, batches and tools, described by a plan.

mod failing;
mod plan;
mod run;
mod show;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use mugie_campaign::details::details;
use mugie_campaign::plan::template;
use mugie_campaign::store::{Store, StoreError};
use mugie_core::{About, Exit, Outcome, Set};
use mugie_experiment::recipe::quoted_path;
use mugie_experiment::sources::{Reading, Source, path_called};
use mugie_report::table::TableFormat;
use mugie_report::{html, tables};
use mugie_results::data::SeedIx;
use mugie_results::{Data, Status as Overview};

use crate::messages::{Style, Trouble, shown};
use crate::output::{self, Broken};
use crate::parts::languages;
use crate::{parallel, seed_paths};
pub(crate) use failing::CampaignArgs;

/// Run whole experiments: many seeds, batches of mutants, and tools
///
/// A campaign consists of a plan in TOML and a store next to it: a database with all results. `run`
/// does the work that the plan asks for and the store does not have yet. So a campaign resumes
/// after any interruption, and a seed, batch or tool that is added later is run without repeating
/// the rest. All tools get the same mutants.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Campaign {
    #[command(subcommand)]
    command: Verb,
}

const EXAMPLES: &str = "\
Examples:
  mugie campaign init paper.toml --paper      a plan for the paper's experiment
  mugie campaign plan paper.toml              what will it run, and for how long?
  mugie campaign run paper.toml               run it, or resume after an interruption
  mugie campaign status paper.toml            how far is it? also while it runs
  mugie campaign table paper.toml             list the tables
  mugie campaign table paper.toml fail --format latex
  mugie campaign report paper.toml            all results as one HTML page

Exit codes:
  0  done; for `run`: every seed is robust
  1  for `run`: a finding, as for `mugie test`
  2  no answer: an invalid plan, a missing tool or a rejected seed; or the run was interrupted,
     and the results so far are in the store
  3  for `run`: a seed does not verify";

#[derive(Debug, Subcommand)]
enum Verb {
    Init(Init),
    Plan(show::Show),
    Run(run::Run),
    Status(Status),
    Table(Table),
    Report(Report),
}

const INIT_EXAMPLES: &str = "\
Examples:
  mugie campaign init                         write campaign.toml, to be filled in
  mugie campaign init paper.toml --paper      the paper's experiment; add the seeds";

const STATUS_EXAMPLES: &str = "\
Examples:
  mugie campaign status paper.toml
  mugie campaign status paper.sqlite --json   the plan is not needed";

const TABLE_EXAMPLES: &str = "\
Examples:
  mugie campaign table paper.toml             list the tables
  mugie campaign table paper.toml fail
  mugie campaign table paper.toml all --format markdown > tables.md";

const REPORT_EXAMPLES: &str = "\
Examples:
  mugie campaign report paper.toml            write paper.html
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

/// Show the progress of a campaign
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

/// Print a table of the results so far; without NAME, list the tables
#[derive(Args, Debug)]
#[command(after_help = TABLE_EXAMPLES)]
struct Table {
    /// The plan, or the store
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// The table; `all` prints every table
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: FormatName,
}

/// Write the results so far as one HTML page
///
/// The page is self-contained: it needs no network and no other files. It has the tables, plots,
/// and for each seed some mutants with a different verdict, with their edits, a diff, and the
/// commands that reproduce them. The file name is printed to standard output.
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
    /// Runs the subcommand.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        match &self.command {
            Verb::Init(init) => init.run(),
            Verb::Plan(show) => show.run(style),
            Verb::Run(run) => run.run(style),
            Verb::Status(status) => status.run(),
            Verb::Table(table) => table.run(),
            Verb::Report(report) => report.run(style),
        }
    }
}

impl Init {
    fn run(&self) -> Result<Exit, Broken> {
        let file = shown(&self.file);
        if self.file.exists() && !self.force {
            let trouble = Trouble::new(format!("{file} already exists"));
            return Err(trouble.help("replace it with `--force`, or name another file").into());
        }
        output::replace(&self.file, &template(self.paper))?;
        output::talk(&format!(
            "fill in seeds and tools in {file}; `mugie campaign plan {}` shows what the plan means\n",
            quoted_path(&self.file),
        ));
        Ok(Exit::Fine)
    }
}

/// Loads what the plan asks for, with the operators of this release in their order.
fn load(store: &Store) -> Result<Data, Trouble> {
    let names: Vec<&str> = languages().operators().map(About::id).collect();
    store.load(&names, &operators_apart()).map_err(|error| trouble(&error))
}

/// The operators that are kept apart from those that preserve meaning.
fn operators_apart() -> Vec<&'static str> {
    let apart = languages().operators().filter(|about| about.set == Set::Apart);
    apart.map(About::id).collect()
}

/// Opens an existing store, given by its plan or directly. Also returns the folder that its
/// relative paths start from.
fn existing(file: &Path) -> Result<(Store, PathBuf), Trouble> {
    let (store, folder) = plan::store_of(file)?;
    let missing = || {
        Trouble::new(format!("{}: there is no such store", store.display()))
            .help("create it with `mugie campaign run PLAN`; give the plan, or the store itself")
    };
    if !store.exists() {
        return Err(missing());
    }
    Ok((Store::open(&store).map_err(|error| trouble(&error))?, folder))
}

impl Status {
    fn run(&self) -> Result<Exit, Broken> {
        let status = Overview::new(&load(&existing(&self.file)?.0)?);
        output::data(&if self.json {
            mugie_report::status_json(&status)
        } else {
            mugie_report::status(&status)
        })?;
        Ok(Exit::Fine)
    }
}

impl Table {
    fn run(&self) -> Result<Exit, Broken> {
        let Some(name) = &self.name else {
            // A campaign that was not run yet has no store, but a plan.
            let (store, _) = plan::store_of(&self.file)?;
            if store == self.file {
                existing(&self.file)?;
            }
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
        let data = load(&existing(&self.file)?.0)?;
        let format = TableFormat::from(self.format);
        let tables: Vec<String> =
            wanted.iter().map(|table| (table.make)(&data).render(format)).collect();
        output::data(&match tables.as_slice() {
            [table] => table.clone(),
            // Several tables become one JSON document.
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

    /// Runs on a stack deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let (store, folder) = existing(&self.file)?;
        let data = load(&store)?;
        let open = |seed: SeedIx| {
            let seed = &data.seeds[seed];
            let paths = seed
                .files
                .iter()
                .map(|file| seed_paths::plain(path_called(&folder, file)))
                .collect();
            let name = seed.files.first().cloned().unwrap_or_default();
            let reading = Reading {
                languages: languages(),
                usual: seed.language.clone(),
                options: seed.options.clone(),
            };
            reading.open(&Source::named(name, paths)).ok()
        };
        let mut details = details(&store, &data, open).map_err(|error| trouble(&error))?;
        for detail in &mut details.mutants {
            let fails = detail.changes.iter().any(|change| change.outcome != Outcome::Verified);
            // A mutant that cannot be reproduced cannot be minimised.
            if fails && !detail.reproduce.is_empty() {
                let tool = (data.tools.len() > 1).then(|| &data.tools[detail.tool].name);
                detail.reproduce.push(failing::command(&self.file, &detail.name, tool));
            }
        }
        let missing = &details.missing;
        if let Some(first) = missing.first() {
            output::talk(&style.warning(&format!(
                "{} changed since the campaign ran, so the report does not show the mutants: {}",
                if missing.len() == 1 {
                    "a seed has".to_owned()
                } else {
                    format!("{} seeds have", missing.len())
                },
                data.seeds[*first].file()
            )));
        }
        let out = self.out.clone().unwrap_or_else(|| self.file.with_extension("html"));
        output::replace(&out, &html::report(&data, &details))?;
        output::path(&out)?;
        Ok(Exit::Fine)
    }
}

fn trouble(error: &StoreError) -> Trouble {
    let trouble = Trouble::new(error.to_string());
    match error {
        StoreError::OtherVersion { .. } => {
            trouble.help("use the release of mugie that wrote it, or start a new store")
        }
        StoreError::Unfit { .. } => trouble.help("remove it, or name another store"),
        StoreError::Damaged(_) => trouble.help("restore a copy of it, or start a new store"),
        _ => trouble.help("check free disk space and file permissions; what the store has is safe"),
    }
}
