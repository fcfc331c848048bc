//! `mugie test`: is a proof robust?

mod explain;

use std::fmt::Write as _;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bpl_syntax::Dialect;
use bpl_syntax::source::SourceMap;
use clap::{Args, ValueEnum};
use mugie_campaign::cache::Cache;
use mugie_campaign::report::{
    Answer, CrossCheck, SeedReport, Settings, SolverInfo, Speed, TestReport, VerdictDifference,
    VerifierInfo,
};
use mugie_campaign::runs::{CrossChecks, Difference, Runner};
use mugie_campaign::seed::Seed;
use mugie_campaign::test::{Event, Progress, Unusable, test};
use mugie_campaign::trial::{Finished, Kept, KeptFlip, Plan};
use mugie_operators::{Generator, Weights, hex};
use mugie_report::Format;
use mugie_stats::Sequential;
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Environment, Limits, Options, Registry, Verifier};

use crate::cache;
use crate::cli::{Exit, ReadingArgs};
use crate::folder::Folder;
use crate::interrupt::{self, Leftovers};
use crate::load::{DialectChoice, Reading};
use crate::output::{self, Broken};
use crate::progress::Meter;
use crate::read::Unreadable;
use crate::report::{Style, Trouble};
use crate::speed::{self, SpeedArgs};
use crate::{host, parallel, read, seeds};
use explain::Explainer;

/// Test whether a proof is robust
///
/// Takes a program that verifies, the seed, and makes many others of it that mean the same, its
/// mutants: declarations change places, clauses are joined, and so on (`mugie operators` lists
/// the changes). Then runs the verifier on each, and says how many mutants do not verify, which
/// procedures are concerned, and which change is to blame. As all of them mean the same, every
/// one that fails is a weakness of the verifier, or of the encoding it was given.
///
/// Verdicts are kept in a cache. So a second run is immediate, and one that was interrupted goes
/// on where it was. A timeout counts only if it happens again.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Test {
    /// Boogie programs to test: files, folders, or patterns in quotes; `-` is standard input
    #[arg(value_name = "SEED", required = true)]
    seeds: Vec<PathBuf>,

    #[command(flatten)]
    mutants: MutantArgs,

    #[command(flatten)]
    stopping: StoppingArgs,

    #[command(flatten)]
    verifier: VerifierArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    causes: CauseArgs,

    /// How to print the answer
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Answer")]
    format: FormatName,

    /// The same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Answer")]
    json: bool,

    /// Keep every failing mutant, what the verifier said and the whole record in a directory
    ///
    /// Each brittle seed has a folder in it, with `report.txt` to read first, `seed.bpl`, and the
    /// failing mutants; beside a mutant is what the verifier printed, as `.out`. `result.json` has
    /// everything that was found, `measurements.jsonl` the time and memory of each run.
    #[arg(short, long, value_name = "DIR", help_heading = "Answer")]
    out: Option<PathBuf>,

    /// Replace a directory of an earlier test
    #[arg(long, requires = "out", help_heading = "Answer")]
    force: bool,

    #[command(flatten)]
    seed_reading: SeedArgs,

    /// The folder of the cache [default: `$MUGIE_CACHE`, or `mugie` in the user's cache folder]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache", help_heading = "Running")]
    cache: Option<PathBuf>,

    /// Run everything anew, and keep no verdicts
    #[arg(long, help_heading = "Running")]
    no_cache: bool,

    /// How many runs at once [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one, help_heading = "Running")]
    jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    speed: SpeedArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
struct SeedArgs {
    /// Read all files as one program, as Boogie does with several files
    #[arg(long)]
    together: bool,

    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Mutants")]
struct MutantArgs {
    /// How many mutants to make of each seed [default: 100]
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_one)]
    number: Option<NonZeroUsize>,

    /// The changes to draw from, with weights, as for `mugie mutate` [default: paper]
    #[arg(long, value_name = "CHOICE")]
    operators: Option<String>,

    /// Where the random numbers start: another number draws other mutants
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,

    /// Give up after so many draws [default: 100 for each mutant, at least 10000]
    #[arg(long, value_name = "A")]
    max_attempts: Option<u64>,

    /// Take all mutants that the operators lead to, nearest first, up to -n of them
    #[arg(long, conflicts_with_all = ["seed", "max_attempts", "confidence"])]
    exhaustive: bool,

    /// Test as the paper does: -n 100 --operators paper --time-limit 20 --confirm 10
    #[arg(long, conflicts_with_all = ["number", "operators", "time_limit", "confirm", "exhaustive"])]
    paper: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "When to stop")]
struct StoppingArgs {
    /// Stop at the first mutant that fails
    #[arg(long)]
    until_failure: bool,

    /// Stop as soon as the answer is sure enough
    ///
    /// With 0.95: stop at 59 mutants that all verify, which shows with 95 % confidence that 95 %
    /// of such mutants do. After a failure go on until it is clear whether one mutant in ten
    /// fails, or hardly one in a hundred; at most to the 120th.
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = share,
        conflicts_with_all = ["number", "until_failure", "paper"]
    )]
    confidence: Option<f64>,

    /// Test seeds that do not verify, too: does a mutant of them?
    #[arg(long)]
    failing: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Causes")]
struct CauseArgs {
    /// Group failing mutants by their cause: the smallest change that makes the seed fail
    ///
    /// Takes some more runs for each cause. `mugie minimise` makes also the program small.
    #[arg(long, conflicts_with = "failing")]
    minimise: bool,

    /// Spend at most so many runs on the causes of a seed
    #[arg(long, value_name = "RUNS", value_parser = at_least_one, default_value = "200", requires = "minimise")]
    budget: NonZeroUsize,
}

/// Which verifier to run.
#[derive(Args, Debug)]
#[command(next_help_heading = "Verifier")]
pub(crate) struct VerifierArgs {
    /// The verifier: a name from `mugie verifiers`, or a file with a definition
    #[arg(long, value_name = "NAME", default_value = "boogie")]
    verifier: String,

    /// The verifier's solver: its name, its path, or NAME=PATH
    #[arg(long, value_name = "SOLVER")]
    solver: Option<String>,

    /// The verifier's program, instead of the one on the PATH
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,

    /// Where the solver's own random numbers start
    #[arg(long, value_name = "K")]
    solver_seed: Option<u64>,

    /// An argument for the verifier, such as `/noinfer`; may be given several times
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl VerifierArgs {
    /// The verifier that is meant, on this machine.
    pub(crate) fn resolve(
        &self,
        limits: &LimitArgs,
        interrupted: &Arc<AtomicBool>,
    ) -> Result<Verifier, Trouble> {
        registry(interrupted)?
            .resolve(&self.verifier, &self.options(limits))
            .map_err(|error| super::verifiers::resolve_trouble(&error))
    }

    /// The name of the verifier, or the file with its definition.
    pub(crate) fn name(&self) -> &str {
        &self.verifier
    }

    /// What is wanted of the verifier.
    pub(crate) fn options(&self, limits: &LimitArgs) -> Options {
        Options {
            solver: self.solver.clone(),
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            resource_limit: limits.rlimit,
            procedure_seconds: limits.procedure_time_limit,
            random_seed: self.solver_seed,
            ..Options::default()
        }
    }
}

/// All definitions of verifiers. Programs that are asked for their versions end with an interrupt.
pub(crate) fn registry(interrupted: &Arc<AtomicBool>) -> Result<Registry, Trouble> {
    let environment =
        Environment { interrupted: Arc::clone(interrupted), ..Environment::of_process() };
    Registry::load_in(environment).map_err(|error| super::verifiers::definition_trouble(&error))
}

/// What a run may use.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Seconds for each run [default: 20]
    ///
    /// Time in which the machine did something else, although the verifier was ready to go on,
    /// does not count.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,

    /// Seconds of processor time for each run
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    cpu_limit: Option<Duration>,

    /// Memory for each run, in bytes or with K, M or G; 0 is no limit
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "4G")]
    memory_limit: u64,

    /// The solver's resource units for each procedure, as Boogie's `/rlimit`
    #[arg(long, value_name = "UNITS")]
    rlimit: Option<u64>,

    /// Seconds for each procedure, watched by the verifier itself
    #[arg(long, value_name = "SECONDS")]
    procedure_time_limit: Option<u64>,

    /// How many more runs must time out before a timeout counts [default: 2]
    #[arg(long, value_name = "N")]
    confirm: Option<usize>,
}

impl LimitArgs {
    /// The limits of a run.
    pub(crate) fn limits(&self) -> Limits {
        let LimitArgs { time_limit, cpu_limit, memory_limit, .. } = self;
        let usual = Limits::default();
        Limits {
            time: time_limit.unwrap_or(usual.time),
            cpu: *cpu_limit,
            memory: (*memory_limit > 0).then_some(*memory_limit),
            output: usual.output,
        }
    }

    /// How many more runs must time out before a timeout counts.
    pub(crate) fn confirm(&self) -> usize {
        self.confirm.unwrap_or(2)
    }
}

const EXAMPLES: &str = "\
Examples:
  mugie test max.bpl                          100 mutants, Boogie and Z3
  mugie test max.bpl --until-failure          is there any mutant that fails?
  mugie test proofs/ --confidence 0.95 --format github
                                              in CI: as few runs as it takes
  mugie test max.bpl --operators S1 --exhaustive -n 1000
                                              all orders of the declarations; S1 swaps two
  mugie test max.bpl --solver ~/z3-4.15/z3    with another solver
  mugie test max.bpl --out found              keep the failing mutants

Exit codes:
  0  robust: no mutant got another verdict than its seed
  1  brittle: some mutant did
  2  could not run: no verifier, a seed that is rejected, too much trouble, wrong usage
  3  a seed does not verify as it is, and there is nothing worse";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// For people
    #[default]
    Text,
    /// Everything, as in `result.json`
    Json,
    /// A test suite for each seed, a test case for each procedure
    Junit,
    /// For code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Format {
        match name {
            FormatName::Text => Format::Text,
            FormatName::Json => Format::Json,
            FormatName::Junit => Format::Junit,
            FormatName::Sarif => Format::Sarif,
            FormatName::Github => Format::Github,
        }
    }
}

/// The file that tells a folder of results from others.
pub(crate) const RESULT: &str = "result.json";

impl Test {
    fn format(&self) -> FormatName {
        if self.json { FormatName::Json } else { self.format }
    }

    /// Tests the seeds.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        read::forbid_second_stdin(&self.seeds)?;
        if let Some(out) = &self.out {
            // What cannot be written should not be found out at the end.
            drop(Folder::start(out, RESULT, self.force)?);
        }
        let programs = self.programs()?;
        let interrupted = output::note_interrupts()?;
        let verifier = self.verifier.resolve(&self.limits, &interrupted)?;
        let mut plan = self.plan(&verifier)?;
        let cache = cache::open(style, self.cache.as_deref(), self.no_cache);
        let supervisor = speed::supervisor([&verifier], self.speed.plain);
        let leftovers = Leftovers::default();
        let again = if cache.is_some() { "; the same command goes on from here" } else { "" };
        let words = format!("what is known so far follows{again}");
        let watch = interrupt::watch(&supervisor, &leftovers, words)?;
        if interrupted.load(Ordering::Relaxed) {
            supervisor.cancel();
        }
        let confirm = plan.settings.confirm;
        let runner =
            Runner::new(&verifier, &supervisor, self.limits.limits(), confirm, cache.as_ref())
                .map_err(|error| no_folder(&error))?
                .with_batching(self.speed.into());
        let answers = cache.as_ref().map(Cache::folder);
        let runner = speed::tapped(style, runner, self.speed.plain, answers);
        plan.settings.speed.tap = runner.is_tapped();
        leftovers.add(runner.folder());
        let mut seeds = self.test(style, &programs, &plan, (&runner, &supervisor))?;
        if self.causes.minimise {
            // The test ended with its supervisor.
            let supervisor = speed::supervisor([&verifier], self.speed.plain);
            watch.turn_to(&supervisor);
            let explainer = Explainer {
                verifier: &verifier,
                supervisor: &supervisor,
                cache: cache.as_ref(),
                limits: self.limits.limits(),
                confirm,
                budget: self.causes.budget,
                jobs: parallel::threads(self.jobs),
            };
            for seed in &mut seeds {
                parallel::alone(|| explainer.explain(seed, &leftovers))??;
            }
        }
        cache::report(style, cache.as_ref());
        let checks = (self.speed.cross_check > 0.0).then(|| runner.cross_checks());
        if let Some(checks) = &checks {
            speed::report(style, checks);
        }
        self.answer(style, plan, &verifier, (seeds, checks.map(cross_check)), &leftovers)
    }

    /// The programs to test.
    fn programs(&self) -> Result<Vec<Program>, Trouble> {
        let files = seeds::find(&self.seeds)?;
        let programs: Vec<Vec<PathBuf>> = if self.seed_reading.together {
            vec![files]
        } else {
            files.into_iter().map(|f| vec![f]).collect()
        };
        Ok(programs.into_iter().map(Program::new).collect())
    }

    fn plan(&self, verifier: &Verifier) -> Result<Plan, Trouble> {
        let MutantArgs { number, operators, seed, max_attempts, exhaustive, paper } = &self.mutants;
        let StoppingArgs { until_failure, confidence, failing } = &self.stopping;
        let operators = operators.clone().unwrap_or_else(|| "paper".to_owned());
        let weights = Weights::parse(&operators).map_err(|error| {
            Trouble::new(error.to_string()).help("`mugie operators` lists them")
        })?;
        let most = confidence.map(|share| Sequential::new(share).cap());
        let mutants = most.map_or(number.map_or(100, NonZeroUsize::get), |most| {
            usize::try_from(most).unwrap_or(usize::MAX)
        });
        let max_attempts = max_attempts.unwrap_or_else(|| Generator::usual_attempts(mutants));
        // What an earlier run of the command made is replaced.
        let mut mutate = vec!["--force".to_owned(), "-n".to_owned(), mutants.to_string()];
        mutate.extend(["--operators".to_owned(), operators.clone()]);
        if *exhaustive {
            mutate.push("--exhaustive".to_owned());
        } else {
            mutate.extend(["--seed".to_owned(), seed.to_string()]);
            mutate.extend(["--max-attempts".to_owned(), max_attempts.to_string()]);
        }
        let Reading { dialect, infer_modifies } = self.reading(verifier);
        // Where both are possible, `mugie mutate` would take the older one.
        if dialect == DialectChoice::Only(Dialect::Boogie3) {
            mutate.extend(["--dialect".to_owned(), "3".to_owned()]);
        }
        if infer_modifies {
            mutate.push("--infer-modifies".to_owned());
        }
        let limits = self.limits.limits();
        Ok(Plan {
            weights,
            settings: Settings {
                operators,
                mutants,
                exhaustive: *exhaustive,
                random_seed: *seed,
                max_attempts,
                time_limit: limits.time.as_secs_f64(),
                cpu_limit: limits.cpu.map(|limit| limit.as_secs_f64()),
                memory_limit: limits.memory,
                resource_limit: self.limits.rlimit,
                confirm: if *paper { 10 } else { self.limits.confirm() },
                until_failure: *until_failure,
                confidence: *confidence,
                failing: *failing,
                speed: Speed {
                    batches: !self.speed.plain && verifier.batch().is_some(),
                    tap: false,
                    cross_check: self.speed.cross_check,
                },
            },
            command: verifier.command_words(),
            mutate,
            names_procedures: verifier.names_procedures(),
        })
    }

    fn test(
        &self,
        style: &Style,
        programs: &[Program],
        plan: &Plan,
        runner: (&Runner<'_>, &Supervisor),
    ) -> Result<Vec<Finished>, Broken> {
        let jobs = parallel::threads(self.jobs);
        let several = programs.len() > 1 && self.format() == FormatName::Text;
        // Where the end is open, the number asked for is only an upper bound.
        let settings = &plan.settings;
        let is_open =
            settings.exhaustive || settings.until_failure || settings.confidence.is_some();
        let flip = if settings.failing { "with another verdict" } else { "failing" };
        let mutants = (!is_open).then_some(settings.mutants);
        let mut meter = Meter::new(programs.len(), mutants, flip);
        let mut finished = Vec::new();
        let mut broken = Ok(());
        let open = |index: usize| self.open(style, &programs[index], runner);
        test(programs.len(), open, plan, runner, jobs, |event| match event {
            Event::Finished(seed) => {
                if several && broken.is_ok() {
                    meter.hide();
                    let line = mugie_report::seed_line(&seed.report, style.colors_data());
                    broken = output::data(&format!("{line}\n"));
                    if broken.is_err() {
                        runner.1.cancel();
                    }
                }
                let is_needed = self.out.is_some()
                    || (self.causes.minimise && seed.report.answer == Answer::Brittle);
                let kept = if is_needed { seed.kept } else { Kept::default() };
                finished.push(Finished { kept, ..*seed });
            }
            Event::Tick(Progress { seeds, mutants, flips }) => meter.show(seeds, mutants, flips),
        })
        .map_err(|error| parallel::no_thread(&error))?;
        meter.hide();
        heard(broken)?;
        Ok(finished)
    }

    /// How programs are read.
    fn reading(&self, verifier: &Verifier) -> Reading {
        seeds::reading_for(Reading::from(&self.seed_reading.reading), verifier)
    }

    fn open(
        &self,
        style: &Style,
        program: &Program,
        (runner, supervisor): (&Runner<'_>, &Supervisor),
    ) -> Result<Seed, Unusable> {
        let names: Vec<String> = program.files.iter().map(|file| read::name(file)).collect();
        if supervisor.is_cancelled() {
            let trouble = Trouble::new("interrupted before its turn");
            let trouble = trouble.help("the same command goes on where it was");
            let unusable = seeds::unusable(&names, trouble);
            return Err(Unusable { answer: Answer::Interrupted, ..unusable });
        }
        seeds::open(style, &names, program.read(), self.reading(runner.verifier()))
    }

    /// Prints and keeps what was found.
    fn answer(
        &self,
        style: &Style,
        plan: Plan,
        verifier: &Verifier,
        (seeds, cross_check): (Vec<Finished>, Option<CrossCheck>),
        leftovers: &Leftovers,
    ) -> Result<Exit, Broken> {
        let several = seeds.len() > 1;
        let (reports, kept): (Vec<SeedReport>, Vec<Kept>) =
            seeds.into_iter().map(|seed| (seed.report, seed.kept)).unzip();
        let report = TestReport {
            mugie: env!("CARGO_PKG_VERSION").to_owned(),
            host: host::host(),
            verifier: info(verifier),
            settings: plan.settings,
            seeds: reports,
            cross_check,
        };
        let text = match self.format() {
            FormatName::Text if several => {
                format!("\n{}", mugie_report::summary(&report, style.colors_data()))
            }
            format => mugie_report::render(&report, format.into(), style.colors_data()),
        };
        // Neither a full disk nor a reader that is gone should cost the other.
        let printed = output::data(&text);
        if let Some(out) = &self.out {
            self.keep(out, &report, &kept, leftovers)?;
            output::talk(&format!("kept in {}\n", out.display()));
        }
        heard(printed)?;
        Ok(exit(report.seeds.iter().map(|seed| seed.answer)))
    }

    /// Writes what is worth keeping.
    fn keep(
        &self,
        out: &Path,
        report: &TestReport,
        kept: &[Kept],
        leftovers: &Leftovers,
    ) -> Result<(), Trouble> {
        let folder = Folder::start(out, RESULT, self.force)?;
        leftovers.add(folder.path());
        let mut measurements = String::new();
        let mut taken = Vec::new();
        for (seed, kept) in report.seeds.iter().zip(kept) {
            for measurement in &kept.measurements {
                let line = serde_json::to_string(measurement).map_err(|e| no_json(&e))?;
                let _ = writeln!(measurements, "{line}");
            }
            if seed.flips.is_empty() {
                continue;
            }
            let name = folder_name(&seed.name, &mut taken);
            let text = mugie_report::in_full(report, seed, false);
            folder.write(&format!("{name}/report.txt"), &text)?;
            folder.write(&format!("{name}/seed.bpl"), &kept.printed)?;
            for (flip, KeptFlip { subject, output, .. }) in seed.flips.iter().zip(&kept.flips) {
                for (file, text) in flip.files.iter().zip(subject.files()) {
                    folder.write(&format!("{name}/{file}"), &text.text)?;
                }
                folder.write(&format!("{name}/{}.out", flip.mutant), output)?;
            }
        }
        folder.write("measurements.jsonl", &measurements)?;
        folder.finish(&mugie_report::render(report, Format::Json, false))
    }
}

/// What the comparison with plain runs brought, for the report.
fn cross_check(CrossChecks { compared, differences }: CrossChecks) -> CrossCheck {
    let mut differences: Vec<VerdictDifference> = differences
        .into_iter()
        .map(|Difference { file, fast, plain }| VerdictDifference { file, fast, plain })
        .collect();
    differences.sort_by(|a, b| a.file.cmp(&b.file));
    CrossCheck { compared, differences }
}

/// A reader who has enough, as in `mugie test FILE | head`, does not change what was found.
fn heard(written: Result<(), Broken>) -> Result<(), Broken> {
    match written {
        Err(Broken::Pipe) => Ok(()),
        other => other,
    }
}

/// What to say if a runner has no folder for its files.
pub(crate) fn no_folder(error: &io::Error) -> Trouble {
    Trouble::new(format!("cannot make a folder for temporary files: {error}"))
        .help("set TMPDIR to a directory with room for some files")
}

fn no_json(error: &serde_json::Error) -> Trouble {
    Trouble::new(format!("cannot write JSON: {error}"))
}

/// A name for the folder of a seed that no other seed has.
fn folder_name(seed: &str, taken: &mut Vec<String>) -> String {
    let stem = Path::new(seed).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.filter(|stem| stem != "<stdin>").unwrap_or_else(|| "stdin".to_owned());
    let mut name = stem.clone();
    for number in 2.. {
        if !taken.contains(&name) {
            break;
        }
        name = format!("{stem}-{number}");
    }
    taken.push(name.clone());
    name
}

/// What the record says of a verifier.
pub(crate) fn info(verifier: &Verifier) -> VerifierInfo {
    VerifierInfo {
        name: verifier.name.clone(),
        title: verifier.title.clone(),
        program: verifier.program().display().to_string(),
        version: verifier.version().map(ToString::to_string),
        solver: verifier.solver.as_ref().map(|solver| SolverInfo {
            name: solver.name.clone(),
            program: solver.tool.path.display().to_string(),
            version: solver.tool.version.as_ref().map(ToString::to_string),
        }),
        command: verifier.command_words(),
        identity: hex(&verifier.identity()),
    }
}

/// What the whole test is worth: a finding counts more than trouble, trouble more than a seed that
/// fails.
fn exit(answers: impl Iterator<Item = Answer>) -> Exit {
    let exit = |answer| match answer {
        Answer::Robust => Exit::Fine,
        Answer::SeedFails => Exit::SeedFails,
        Answer::CouldNotRun | Answer::Interrupted => Exit::CouldNot,
        Answer::Brittle => Exit::Brittle,
    };
    let weight = |exit: &Exit| match exit {
        Exit::Fine => 0,
        Exit::SeedFails => 1,
        Exit::CouldNot => 2,
        Exit::Brittle => 3,
    };
    answers.map(exit).max_by_key(weight).unwrap_or(Exit::Fine)
}

/// A program to test.
struct Program {
    files: Vec<PathBuf>,
    /// What was read already: standard input, because a person may have to end the wait for it.
    /// Later an interrupt only ends the runs.
    read: Mutex<Option<Result<SourceMap, Unreadable>>>,
}

impl Program {
    fn new(files: Vec<PathBuf>) -> Program {
        let read = files.iter().any(|file| read::is_stdin(file)).then(|| read::read(&files));
        Program { files, read: Mutex::new(read) }
    }

    fn read(&self) -> Result<SourceMap, Unreadable> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner).take();
        read.unwrap_or_else(|| read::read(&self.files))
    }
}

/// Reads a number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if seconds <= 0.0 {
        return Err("must be more than 0".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn size(text: &str) -> Result<u64, String> {
    let short = text.trim_end_matches(['B', 'b', 'i']);
    let (digits, factor) = match short.split_at_checked(short.len().saturating_sub(1)) {
        Some((digits, "K" | "k")) => (digits, 1 << 10),
        Some((digits, "M" | "m")) => (digits, 1 << 20),
        Some((digits, "G" | "g")) => (digits, 1 << 30),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "not a size like 4G or 500M".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "too large".to_owned())
}

/// Reads a number from 1 on.
pub(crate) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "not a whole number from 1 on".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.5..=0.999).contains(&share) {
        Ok(share)
    } else {
        Err("must be between 0.5 and 0.999, such as 0.95".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_counts_more_than_trouble_and_trouble_more_than_a_failing_seed() {
        use Answer::{Brittle, CouldNotRun, Robust, SeedFails};
        assert_eq!(exit([Robust, Brittle, CouldNotRun].into_iter()), Exit::Brittle);
        assert_eq!(exit([SeedFails, CouldNotRun, Robust].into_iter()), Exit::CouldNot);
        assert_eq!(exit([Robust, SeedFails].into_iter()), Exit::SeedFails);
        assert_eq!(exit([Robust].into_iter()), Exit::Fine);
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("4G"), Ok(4 << 30));
        assert_eq!(size("500MiB"), Ok(500 << 20));
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("123"), Ok(123));
        assert!(size("4T").is_err() && size("").is_err() && size("99999999999G").is_err());
    }

    #[test]
    fn folders_of_seeds_with_the_same_name_differ() {
        let mut taken = Vec::new();
        let names = ["a/x.bpl", "b/x.bpl", "<stdin>"].map(|seed| folder_name(seed, &mut taken));
        assert_eq!(names, ["x", "x-2", "stdin"]);
    }
}
