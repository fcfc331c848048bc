//! `mugie query`: what the verifier asks its solver about a procedure, as a file for the solver.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use mugie_campaign::runs::{Runner, Settled};
use mugie_verifiers::supervise::SHARED;
use mugie_verifiers::tap::{Form, Queries, QueryRecord, Tap};
use mugie_verifiers::{Outcome, Verifier};

use crate::cli::{Exit, ReadingArgs};
use crate::commands::campaign::CampaignArgs;
use crate::commands::diagnose::{files_of, made};
use crate::commands::test::{self, LimitArgs, VerifierArgs};
use crate::interrupt::{self, Leftovers};
use crate::output::{self, Broken};
use crate::report::{Style, Trouble};
use crate::wanted::Wanted;
use crate::{parallel, speed};

/// Print what the solver is asked about a procedure, as SMT-LIB
///
/// Runs the verifier on a program, listens to what it says to its solver, and prints the query that
/// decides whether a procedure verifies, with all that belongs to it: a file to give to the solver
/// by hand, or to its authors. Without a procedure, lists what there is: the queries, the
/// solver's answers, its work in its own units, and a hash that is the same for equal queries.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Query {
    /// A program: a file; or, with --campaign, the name of a failing mutant
    #[arg(value_name = "MUTANT")]
    mutant: PathBuf,

    /// The procedure
    #[arg(value_name = "PROCEDURE")]
    procedure: Option<String>,

    /// Another file of the same program; may be given several times
    #[arg(long = "with", value_name = "FILE", conflicts_with = "campaign")]
    more: Vec<PathBuf>,

    /// The seed of the mutant, if it is not where it was during the campaign
    #[arg(long, value_name = "SEED", requires = "campaign")]
    from: Option<PathBuf>,

    #[command(flatten)]
    campaign: CampaignArgs,

    /// Which query about the procedure: 1 decides, later ones look for more errors
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Query")]
    number: u32,

    /// Print it in mugie's own form, without the places of quantifiers in the program: programs
    /// that are the same to the solver have the same
    #[arg(long, help_heading = "Query")]
    canonical: bool,

    /// Print the list as one JSON object per query
    #[arg(long, help_heading = "Query", conflicts_with = "procedure")]
    json: bool,

    #[command(flatten)]
    verifier: VerifierArgs,

    #[command(flatten)]
    limits: LimitArgs,

    // For the options that a campaign decides itself.
    #[command(flatten, next_help_heading = "Reading")]
    _reading: ReadingArgs,
}

const EXAMPLES: &str = "\
Examples:
  mugie query found/max/max-0007.bpl                 what is asked, and how hard is it?
  mugie query found/max/max-0007.bpl max > max.smt2  one of the queries
  z3 max.smt2                                        and again by hand
  mugie query max-0007 max --campaign experiment.toml

Exit codes:
  0  here it is
  2  could not run: no such procedure, the program is rejected, no verifier, wrong usage";

impl Query {
    /// Runs the verifier, and prints what it asks.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// On a stack that is deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let interrupted = output::note_interrupts()?;
        let registry = test::registry(&interrupted)?;
        let (failing, wanted) = self.campaign.find(&self.mutant)?.unzip();
        let wanted = wanted.unwrap_or_else(|| Wanted::new(&self.verifier, &self.limits));
        let verifier = wanted.resolve(&registry)?;
        let files = if let Some(failing) = failing {
            made(&failing.open(style, self.from.as_deref())?)?.mutant
        } else {
            let paths = [&self.mutant].into_iter().chain(&self.more).cloned();
            let help = "give the file of a program, or the name of a mutant and its --campaign";
            files_of(&paths.collect::<Vec<PathBuf>>(), "program", help)?
        };
        let supervisor = speed::supervisor([&verifier], false);
        let leftovers = Leftovers::default();
        interrupt::watch(&supervisor, &leftovers, "there is no answer yet".to_owned())?;
        if interrupted.load(Ordering::Relaxed) {
            supervisor.cancel();
        }
        let runner = Runner::new(&verifier, &supervisor, wanted.limits, 0, None)
            .map_err(|error| test::no_folder(&error))?;
        leftovers.add(runner.folder());
        let form = if self.canonical { Form::Canonical } else { Form::Original };
        let folder = runner.folder().join(SHARED);
        let queries = Some(Queries { folder: folder.clone(), form });
        let tap = Tap { queries, ..Tap::this_program(None) };
        verifier.try_tap(runner.folder(), &tap).map_err(|error| not_tapped(&verifier, &error))?;
        let runner = runner.with_tap(tap);
        let Some(settled) = runner.settle(&files, 0) else {
            return Err(Trouble::new("interrupted before there was an answer").into());
        };
        let Some(procedure) = &self.procedure else { return self.list(&settled) };
        let found = settled.queries.iter().find(|query| {
            query.procedure.as_ref() == Some(procedure) && query.number + 1 == self.number
        });
        let Some(query) = found else { return Err(self.missing(procedure, &settled).into()) };
        let text = fs::read_to_string(query.file_in(&folder))
            .map_err(|error| Trouble::new(format!("cannot read the query: {error}")))?;
        let work = query.resources.map(|work| format!(", after {work} units of work"));
        let answer = query.answer.as_str();
        output::talk(&format!("the answer was {answer}{}\n", work.unwrap_or_default()));
        output::data(&text)?;
        Ok(Exit::Fine)
    }

    fn list(&self, settled: &Settled) -> Result<Exit, Broken> {
        let Settled { queries, .. } = settled;
        if queries.is_empty() {
            return Err(no_queries(settled).into());
        }
        let name = |query: &QueryRecord| query.procedure.clone().unwrap_or_default();
        let mut text = String::new();
        if self.json {
            for query in queries {
                let row = serde_json::json!({
                    "procedure": name(query),
                    "number": query.number + 1,
                    "answer": query.answer,
                    "reason": query.reason,
                    "work": query.resources,
                    "memory": query.memory,
                    "seconds": query.seconds,
                    "fingerprint": query.fingerprint,
                });
                let _ = writeln!(text, "{row}");
            }
        } else {
            let width = queries.iter().map(|query| name(query).chars().count()).max();
            let width = width.unwrap_or_default().max("procedure".len());
            let _ = writeln!(text, "{:width$}  number  answer   {:>10}  hash", "procedure", "work");
            for query in queries {
                let work = query.resources.map_or_else(|| "-".to_owned(), |it| it.to_string());
                let hash: String = query.fingerprint.chars().take(12).collect();
                let (number, answer) = (query.number + 1, &query.answer);
                let _ = writeln!(
                    text,
                    "{:width$}  {number:6}  {answer:7}  {work:>10}  {hash}",
                    name(query)
                );
            }
        }
        output::data(&text)?;
        Ok(Exit::Fine)
    }

    /// Why there is no such query.
    fn missing(&self, procedure: &str, settled: &Settled) -> Trouble {
        let of_procedure = settled.queries.iter().filter(|query| query.number == 0);
        let names: Vec<&str> =
            of_procedure.filter_map(|query| query.procedure.as_deref()).collect();
        if names.is_empty() {
            return no_queries(settled);
        }
        if names.contains(&procedure) {
            let words = format!("there is no query {} about `{procedure}`", self.number);
            return Trouble::new(words).help("without a procedure, all queries are listed");
        }
        Trouble::new(format!("the solver is asked nothing about a procedure `{procedure}`"))
            .help(format!("procedures are: {}", names.join(", ")))
    }
}

fn no_queries(settled: &Settled) -> Trouble {
    let verdict = &settled.verdict;
    if verdict.outcome == Outcome::Verified {
        return Trouble::new("the solver is asked nothing: there is nothing to verify");
    }
    let reason = verdict.reason.clone().unwrap_or_else(|| verdict.outcome.to_string());
    Trouble::new(format!("the solver is asked nothing: {reason}"))
        .help("`mugie check` says whether a program is well-formed")
}

fn not_tapped(verifier: &Verifier, error: &std::io::Error) -> Trouble {
    if verifier.can_be_tapped() {
        Trouble::new(format!("cannot listen to the solver: {error}"))
            .help("set TMPDIR to a directory that may have programs in it")
    } else {
        Trouble::new(format!("cannot listen to the solver of {}", verifier.title))
            .help("take Boogie with Z3")
    }
}
