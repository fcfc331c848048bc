//! `mugie query`: the verifier's query about a procedure, as a file for the solver.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use mugie_core::{Exit, Files, LanguageOptions, Outcome};
use mugie_exec::Settled;
use mugie_experiment::sources::Source;
use mugie_results::QueryRow;
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::tap::{Form, QueryRecord};
use mugie_verifiers::{Verifier, VerifierOptions};

use super::campaign::CampaignArgs;
use super::diagnose::{files_of, made};
use crate::args::{LimitArgs, VerifierArgs};
use crate::asked::{Asked, Asking, LoggedQueries, NotAsking};
use crate::doors::{self, ToolArgs};
use crate::dry_run::{Commands, DryRunArgs, paths};
use crate::messages::{Style, Trouble};
use crate::output::{self, Broken};
use crate::session::{Running, Session};
use crate::tool_spec::ToolSpec;
use crate::{parallel, parts};

/// Print the solver query about a procedure, as SMT-LIB
///
/// Runs the verifier on a program with a proxy in front of its solver, or has it write its queries, as
/// Why3 can, and prints the query that decides whether a procedure verifies, with everything it depends on: a file to give to the
/// solver by hand, or to its authors. Without a procedure, lists all queries, with the solver's
/// answers, its resource count in its own units, and a hash that is the same for equal queries.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Query {
    /// A program: a file; or, with --campaign, the name of a failing mutant
    #[arg(value_name = "MUTANT")]
    mutant: PathBuf,

    /// The procedure: its name in the program or in reports
    #[arg(value_name = "PROCEDURE")]
    procedure: Option<String>,

    /// Another file of the same program; may be repeated
    #[arg(long = "with", value_name = "FILE", conflicts_with = "campaign")]
    more: Vec<PathBuf>,

    /// The seed of the mutant, if it has been moved since the campaign ran
    #[arg(long, value_name = "SEED", requires = "campaign")]
    from: Option<PathBuf>,

    #[command(flatten)]
    campaign: CampaignArgs,

    /// Which part of the procedure, if the verifier splits it in parts: by default the first
    #[arg(long, value_name = "N", help_heading = "Query")]
    part: Option<u32>,

    /// Which query about the procedure: 1 is the deciding one, later ones look for more errors
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Query")]
    number: u32,

    /// Print it in mugie's normal form, without the source locations of quantifiers: programs that
    /// are the same to the solver have the same normal form
    #[arg(long, help_heading = "Query")]
    canonical: bool,

    /// Print the list as one JSON object per query
    #[arg(long, help_heading = "Query", conflicts_with = "procedure")]
    json: bool,

    #[command(flatten)]
    verifier: VerifierArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    tools: ToolArgs,

    #[command(flatten)]
    dry_run: DryRunArgs,
}

const EXAMPLES: &str = "\
Examples:
  mugie query found/max/max-0007.bpl                 list the queries, and how hard they are
  mugie query found/max/max-0007.bpl max > max.smt2  one of the queries
  z3 max.smt2                                        run it by hand
  mugie query max-0007 max --campaign experiment.toml

Exit codes:
  0  the query or the list is printed
  2  no answer: unknown procedure, rejected program, missing verifier, wrong usage";

impl Query {
    /// Runs the verifier and prints its queries.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// Runs on a stack deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let session = Session::start(style, "there is no answer yet", self.verifier.trust)?;
        let records = self.campaign.find(&self.mutant)?;
        let tool = records.as_ref().and_then(|records| records.tool.clone());
        let source = self.source(records.is_some() || self.dry_run.dry_run)?;
        let usual = session.usual_verifier(parts::language_of(&source));
        let is_recorded = tool.is_some();
        let spec = ToolSpec::from_record(tool, &self.verifier, &self.limits, &usual);
        let spec = spec.needed(source.verifier());
        let spec = if is_recorded { spec } else { spec.recognising(&session, &[&source])? };
        let verifier = session.verifier(&spec)?;
        if self.dry_run.dry_run {
            let given = [&self.mutant].into_iter().chain(&self.more);
            let written = paths(given.map(|path| -> &Path { path }));
            let mut commands = Commands::default();
            commands.add(&verifier, &written, "with a proxy in front of its solver");
            commands.print()?;
            return Ok(Exit::Fine);
        }
        let (language, files) = if let Some(records) = records {
            let (said, from) = (LanguageOptions::default(), self.from.as_deref());
            let pair = made(&records.open(style, &said, &verifier, from)?)?;
            (pair.language, pair.mutant)
        } else {
            let help = "give the file of a program, or the name of a mutant and its --campaign";
            (parts::language_of(&source).id().to_owned(), files_of(&source, "program", help)?)
        };
        let supervisor = session.supervisor([&verifier], false);
        let form = if self.canonical { Form::Canonical } else { Form::Original };
        let cancelled = || Trouble::new("interrupted before there was an answer");
        let texts: Texts;
        let asked =
            match Asking::new(&session, &verifier, Arc::clone(&supervisor), spec.limits, form) {
                Ok(asking) => {
                    let asked = asking.ask(&language, &files).ok_or_else(cancelled)?;
                    texts = Box::new(move |query| asking.text(query));
                    asked
                }
                Err(NotAsking::Tap(_)) if !verifier.can_be_tapped() => {
                    let logged =
                        self.logged(&session, &spec, &verifier, &supervisor, (&language, &files))?;
                    let LoggedQueries { asked, texts: logged } = logged.ok_or_else(cancelled)?;
                    texts = Box::new(move |query| {
                        logged
                            .get(&query.fingerprint)
                            .cloned()
                            .ok_or(io::ErrorKind::NotFound.into())
                    });
                    asked
                }
                Err(error) => return Err(not_asking(&verifier, error).into()),
            };
        let Asked { settled, program } = asked;
        let Some(procedure) = &self.procedure else { return self.list(&settled) };
        let other = program.map(|program| program.other_goal_names()).unwrap_or_default();
        let asked = about(procedure, &other, &settled.queries);
        let mut found = asked.iter().filter(|query| query.number + 1 == self.number);
        let found =
            found.find(|query| self.part.is_none_or(|part| query.part.unwrap_or(1) == part));
        let Some(query) = found else {
            return Err(self.missing(procedure, &asked, &settled).into());
        };
        let text = texts(query)
            .map_err(|error| Trouble::new(format!("cannot read the query: {error}")))?;
        let work = query.resources.map(|work| {
            let unit = if work == 1 { "unit" } else { "units" };
            format!(", after {work} {unit} of work")
        });
        let answer = query.answer.as_str();
        let of_goal = settled.queries.iter().filter(|it| it.goal == query.goal);
        let parts = of_goal.filter_map(|query| query.part).max().unwrap_or(1);
        let part = query.part.filter(|_| parts > 1);
        let part = part.map(|part| format!("part {part} of {parts}: "));
        output::talk(&format!(
            "{}the answer was {answer}{}\n",
            part.unwrap_or_default(),
            work.unwrap_or_default()
        ));
        output::data(&titled(query, &text))?;
        Ok(Exit::Fine)
    }

    /// The queries from a log of the verifier. `None` if cancelled.
    fn logged(
        &self,
        session: &Session<'_>,
        spec: &ToolSpec,
        verifier: &Arc<Verifier>,
        supervisor: &Arc<Supervisor>,
        (language, files): (&str, &Files),
    ) -> Result<Option<LoggedQueries>, Trouble> {
        let options = VerifierOptions { log_problems: true, ..spec.options.clone() };
        let logging = spec.resolve_with(&session.registry, &options).ok();
        let Some(logging) = logging.filter(Verifier::logs_goals_apart) else {
            return Err(untapped(verifier));
        };
        if self.canonical {
            let words = format!("the queries of {} have no normal form", verifier.title);
            return Err(Trouble::new(words).help("leave out --canonical"));
        }
        let logging = Arc::new(logging);
        let executor = |verifier: &Arc<Verifier>| {
            session.plain_executor(&Running {
                verifier,
                supervisor,
                limits: spec.limits,
                confirm: 0,
                jobs: NonZeroUsize::MIN,
                cache: None,
                answers: None,
            })
        };
        let (executor, logger) = (executor(verifier)?, executor(&logging)?);
        Ok(LoggedQueries::new((&*executor, &*logger), &logging, language, files))
    }

    fn list(&self, settled: &Settled) -> Result<Exit, Broken> {
        if settled.queries.is_empty() {
            return Err(no_queries(settled).into());
        }
        let rows = settled.queries.iter().map(|query| QueryRow {
            procedure: query.goal.clone().or_else(|| query.procedure.clone()),
            part: query.part,
            number: query.number + 1,
            answer: query.answer.clone(),
            reason: query.reason.clone(),
            work: query.resources,
            memory: query.memory,
            seconds: query.seconds,
            fingerprint: query.fingerprint.clone(),
        });
        let rows: Vec<QueryRow> = rows.collect();
        output::data(&if self.json {
            mugie_report::queries_json(&rows)
        } else {
            mugie_report::queries(&rows, "procedure")
        })?;
        Ok(Exit::Fine)
    }

    /// The program whose queries are asked for; of a campaign's mutant, only what its file is called.
    fn source(&self, is_recorded: bool) -> Result<Source, Trouble> {
        if is_recorded || !self.more.is_empty() {
            let paths = [&self.mutant].into_iter().chain(&self.more);
            return Ok(Source::new(paths.cloned().collect()));
        }
        doors::source(&self.mutant, &self.tools)
    }

    /// The reason why a query does not exist, although these are about the procedure.
    fn missing(&self, procedure: &str, asked: &[&QueryRecord], settled: &Settled) -> Trouble {
        if settled.queries.is_empty() {
            return no_queries(settled);
        }
        let parts = asked.iter().filter_map(|query| query.part).max().unwrap_or(1);
        if let Some(part) = self.part.filter(|&part| part > parts && !asked.is_empty()) {
            let words = format!("there is no part {part} of `{procedure}`");
            return Trouble::new(words).help(format!("the number of its parts is {parts}"));
        }
        if !asked.is_empty() {
            let words = format!("there is no query {} about `{procedure}`", self.number);
            return Trouble::new(words).help("leave out the procedure to list all queries");
        }
        let mut names: Vec<&str> = Vec::new();
        for query in &settled.queries {
            let name = query.goal.as_deref().or(query.procedure.as_deref());
            names.extend(name.filter(|name| !names.contains(name)));
        }
        let reported = settled.verdict.procedures.iter();
        if names.is_empty() && reported.clone().any(|it| it.name == procedure) {
            let words = format!("it is not certain which queries are about `{procedure}`");
            let help = "the verifier does not name them for the solver; leave out the procedure to list them";
            return Trouble::new(words).help(help);
        }
        if names.is_empty() {
            names.extend(reported.map(|it| it.name.as_str()));
        }
        Trouble::new(format!("there is no query about a procedure `{procedure}`"))
            .help(format!("the procedures are: {}", names.join(", ")))
    }
}

/// The text of a query with a first line about its procedure. Queries with the same text have one
/// file, whose first line is about one of them.
fn titled(query: &QueryRecord, text: &str) -> String {
    let name = query.goal.as_deref().or(query.procedure.as_deref()).unwrap_or("?");
    let name = name.replace(['\n', '\r'], " ");
    let part = query.part.filter(|&part| part > 1).map(|part| format!(", part {part}"));
    let rest = text.split_once('\n').map_or(text, |(_, rest)| rest);
    let (part, number) = (part.unwrap_or_default(), query.number + 1);
    format!("; procedure {name}{part}, query {number}\n{rest}")
}

/// The queries about a procedure, given by its name in the verdict, in the program or for the solver.
fn about<'q>(
    procedure: &str,
    other: &[(String, String)],
    queries: &'q [QueryRecord],
) -> Vec<&'q QueryRecord> {
    let called = |name: &str| {
        let queries = queries.iter().filter(|query| query.goal.as_deref() == Some(name));
        queries.collect::<Vec<_>>()
    };
    let mut found = called(procedure);
    if found.is_empty() {
        let names = other.iter().filter(|(name, _)| name == procedure);
        found = names.map(|(_, name)| called(name)).find(|it| !it.is_empty()).unwrap_or_default();
    }
    if found.is_empty() {
        let as_asked = |query: &&QueryRecord| query.procedure.as_deref() == Some(procedure);
        found = queries.iter().filter(as_asked).collect();
    }
    found
}

fn no_queries(settled: &Settled) -> Trouble {
    let verdict = &settled.verdict;
    if verdict.outcome == Outcome::Verified {
        return Trouble::new("there are no queries: the program has nothing to verify");
    }
    let reason = verdict.reason.clone().unwrap_or_else(|| verdict.outcome.to_string());
    Trouble::new(format!("there are no queries: {reason}"))
        .help("`mugie check` tests whether a program is well-formed")
}

fn not_asking(verifier: &Verifier, error: NotAsking) -> Trouble {
    let error = match error {
        NotAsking::Tap(error) => error,
        NotAsking::Trouble(trouble) => return trouble,
    };
    if verifier.can_be_tapped() {
        Trouble::new(format!("cannot put a proxy in front of the solver: {error}"))
            .help("set TMPDIR to a directory where programs may be executed")
    } else {
        untapped(verifier)
    }
}

/// The error for a verifier whose queries cannot be had.
fn untapped(verifier: &Verifier) -> Trouble {
    Trouble::new(format!("cannot put a proxy in front of the solver of {}", verifier.title))
        .help("its definition has no `[solver.tap]` for this solver; Boogie's has, for Z3")
}

/// The text of a query.
type Texts = Box<dyn Fn(&QueryRecord) -> io::Result<String>>;
