//! The cost of verifying mutants with GNU parallel and one run of Boogie each, with
//! `mugie test --plain`, and with `mugie test`. Prints ratios of processor time and wall-clock
//! time, and every verdict on which the two modes of mugie disagree, without judging them.
//!
//! The speed of a machine may change from one minute to the next. So `mugie test` runs three times,
//! before, between and after the two halves of the runs of parallel, and its cost is the mean. The
//! processor time of a solver counts also if the verifier leaves it behind, on Linux.
//!
//! ```text
//! cargo bench --bench verify -- [SET|SEED...]  # small, large, same, small-3, prune-3, dafny-4; all if none is named
//! ```
//!
//! The environment variable `MUTANTS` sets the number of mutants of each seed; the default is 100.
//! Parallel runs the command line that mugie records in its result, so both give the verifier the
//! same options. Boogie 2 is prepared first, as mugie does by itself in longer use: see
//! `mugie verifiers --help`. The sets of Boogie 3 and Dafny 4 need `MUGIE_BOOGIE_3` and
//! `MUGIE_DAFNY`, or what `scripts/install-tools boogie-3` unpacks. Dafny's programs are tested with
//! `--no-calibration`: the comparison with Dafny's own run is made once for a program and kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::wait::wait;
use serde_json::Value;

/// Seeds, the operators applied to them, and how they are verified.
struct Set {
    name: &'static str,
    operators: &'static str,
    seeds: &'static [&'static str],
    tool: Tool,
    /// Further options of `mugie test`.
    options: &'static [&'static str],
}

/// What reads the seeds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    /// Boogie in the search path, with the paper's seeds.
    Boogie,
    /// Boogie 3, with the paper's seeds.
    Boogie3,
    /// Dafny 4, with programs of its own.
    Dafny4,
}

/// Small seeds of the paper's groups A, E, S and T.
const SMALL: &[&str] = &[
    "A_bst",
    "A_dutch_flag",
    "A_sum_of_array",
    "E_hash-v2",
    "E_search-v2",
    "S_mvars31",
    "S_nifs04",
    "S_sif08",
    "T_textbook_Bubble",
    "T_textbook_Find",
];

/// Small seeds that verify although only the axioms that they mention reach the solver.
const PRUNED: &[&str] = &[
    "A_dutch_flag",
    "A_max_of_array_v1",
    "A_sequential_search_v1",
    "A_sequential_search_v2",
    "E_search-v1",
    "E_search-v2",
    "S_mvars31",
    "S_nifs04",
    "T_textbook_Find",
    "T_textbook_McCarthy-91",
];

/// Seeds of the groups D and P that verify within five seconds.
const LARGE: &[&str] = &[
    "D_VSComp2010_Problem1-SumMax",
    "D_VSI-Benchmarks_b1",
    "D_vstte2012_Two-Way-Sort",
    "P_binary_search",
    "P_strategy",
    "P_two_way_sort",
];

/// The shipped seeds to use in every set if the paper's seeds are missing.
const SHIPPED: &[&str] = &["A_gcd", "A_merge", "A_maximum", "A_insertion_sort", "A_prefix_sums"];

/// Programs in Dafny with one module each; the first four are not shipped.
const DAFNY: &[&str] = &[
    "VSComp2010_Problem1-SumMax",
    "dafny1_BDD",
    "dafny3_InductionVsCoinduction",
    "vacid0_LazyInitArray",
    "binary-search",
    "dutch-flag",
    "insertion-sort",
];

const SETS: [Set; 6] = [
    Set { name: "small", operators: "paper", seeds: SMALL, tool: Tool::Boogie, options: &[] },
    Set { name: "large", operators: "paper", seeds: LARGE, tool: Tool::Boogie, options: &[] },
    Set { name: "same", operators: "L2,S2,G1", seeds: SMALL, tool: Tool::Boogie, options: &[] },
    Set { name: "small-3", operators: "paper", seeds: SMALL, tool: Tool::Boogie3, options: &[] },
    Set {
        name: "prune-3",
        operators: "paper",
        seeds: PRUNED,
        tool: Tool::Boogie3,
        options: &["--arg=/prune:1"],
    },
    Set {
        name: "dafny-4",
        operators: "paper",
        seeds: DAFNY,
        tool: Tool::Dafny4,
        options: &["--no-calibration"],
    },
];

/// Processor time and wall-clock time.
#[derive(Clone, Copy, Default)]
struct Cost {
    cpu: Duration,
    wall: Duration,
}

impl Cost {
    fn add(&mut self, other: Cost) {
        self.cpu += other.cpu;
        self.wall += other.wall;
    }
}

#[expect(clippy::print_stdout, reason = "a bench prints its results")]
fn main() {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true).expect("orphans can be adopted");
    let mutants = env::var("MUTANTS").unwrap_or_else(|_| "100".to_owned());
    let wanted: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for set in SETS {
        let Set { name, operators, .. } = set;
        let is_named = |it: &str| wanted.iter().any(|wanted| wanted == it);
        let is_whole = wanted.is_empty() || is_named(name);
        let mut files = files(&set);
        files.retain(|(seed, _)| is_whole || is_named(seed));
        if files.is_empty() {
            continue;
        }
        let Some(tool) = program_of(set.tool) else {
            println!(
                "{name}: skipped, its tool is not installed: scripts/install-tools boogie-3\n"
            );
            continue;
        };
        println!("{name}: {mutants} mutants of each seed by {operators}, two runs at a time");
        println!(
            "  parallel             mugie --plain        mugie                CPU less  faster  seed"
        );
        let mut sums = [Cost::default(); 3];
        let mut compared = 0;
        for (seed, file) in files {
            let costs = bench(&set, &tool, &file, &mutants);
            sums.iter_mut().zip(costs.each).for_each(|(sum, cost)| sum.add(cost));
            compared += costs.compared;
            println!("{}  {seed}", line(&costs.each));
            for difference in costs.differences {
                println!("    differs: {difference}");
            }
        }
        println!("{}  all {name}, {compared} verdicts compared\n", line(&sums));
    }
}

/// The program of a tool, prepared if mugie prepares it; `None` if it is not installed.
fn program_of(tool: Tool) -> Option<PathBuf> {
    let unpacked = |name: &str| {
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?;
        Some(cache.join("boogie-3/bin").join(name))
    };
    let named = |variable: &str, name: &str| {
        let path = env::var_os(variable).map(PathBuf::from).or_else(|| unpacked(name))?;
        path.exists().then_some(path)
    };
    match tool {
        Tool::Boogie => {
            let prepared = quiet(mugie().args(["verifiers", "boogie", "--prepare"])).status();
            assert!(prepared.expect("mugie can be started").success());
            Some(PathBuf::from("boogie"))
        }
        Tool::Boogie3 => named("MUGIE_BOOGIE_3", "boogie"),
        Tool::Dafny4 => named("MUGIE_DAFNY", "dafny"),
    }
}

/// The files of a set with the names of their seeds: other people's if they are there, else shipped
/// ones.
fn files(set: &Set) -> Vec<(&'static str, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = root.join("../shared/seeds");
    if set.tool == Tool::Dafny4 {
        let folders = [shared.join("dafny"), root.join("fixtures/dafny/verified")];
        let found = |seed: &&'static str| {
            let mut files = folders.iter().map(|folder| folder.join(format!("{seed}.dfy")));
            Some((*seed, files.find(|file| file.exists())?))
        };
        return set.seeds.iter().filter_map(found).collect();
    }
    let paper = shared.join("paper");
    let (folder, seeds) =
        if paper.exists() { (paper, set.seeds) } else { (root.join("seeds"), SHIPPED) };
    seeds.iter().map(|seed| (*seed, program(&folder.join(seed)))).collect()
}

/// The costs of one seed, and the verdicts that differ.
struct Costs {
    each: [Cost; 3],
    compared: usize,
    differences: Vec<String>,
}

fn bench(set: &Set, tool: &Path, seed: &Path, mutants: &str) -> Costs {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let folder = scratch.path().join("mutants");
    let settings = ["-n", mutants, "--operators", set.operators, "--max-attempts", "10000"];
    let result = scratch.path().join("result");
    let tested = |more: &[&str]| {
        let _ = fs::remove_dir_all(&result);
        let mut command = mugie();
        command.args(["test", "-j2", "--no-cache"]).args(settings).args(set.options);
        match set.tool {
            Tool::Boogie => &mut command,
            Tool::Boogie3 => command.env("MUGIE_BOOGIE", tool),
            Tool::Dafny4 => command.arg("--dafny").arg(tool),
        };
        command.arg("--out").arg(&result).args(more).arg(seed);
        let cost = cost(quiet(&mut command));
        (cost, outcomes(&result))
    };
    let (mut fast, quick) = tested(&[]);
    let answer = report(&result)["seeds"][0]["answer"].clone();
    assert!(answer == "robust" || answer == "brittle", "{}: {answer}", seed.display());
    let mut mutate = mugie();
    mutate.arg("mutate").args(settings);
    match set.tool {
        Tool::Boogie => &mut mutate,
        Tool::Boogie3 => mutate.args(["--dialect", "3"]),
        Tool::Dafny4 => mutate.arg("--dafny").arg(tool),
    };
    let made = quiet(mutate.arg("--out").arg(&folder).arg(seed)).status();
    assert!(made.expect("mugie can be started").success());
    let lines = command_lines(&folder, &result);
    let (first_half, second_half) = lines.split_at(lines.len() / 2);
    let parallel = |lines: &[String]| {
        let commands = scratch.path().join("commands");
        fs::write(&commands, lines.concat()).expect("the commands can be written");
        cost(quiet(Command::new("parallel").args(["-j2", "--will-cite", "-a"])).arg(&commands))
    };
    let mut bare = parallel(first_half);
    fast.add(tested(&[]).0);
    bare.add(parallel(second_half));
    fast.add(tested(&[]).0);
    let fast = Cost { cpu: fast.cpu / 3, wall: fast.wall / 3 };
    let (plain, slow) = tested(&["--plain"]);
    let names: Vec<&String> = slow.keys().chain(quick.keys()).collect();
    let mut differences = Vec::new();
    for name in names {
        let (one, other) = (slow.get(name), quick.get(name));
        let words = format!("{name} is {one:?} with --plain, {other:?} without");
        if one != other && !differences.contains(&words) {
            differences.push(words);
        }
    }
    Costs { each: [bare, plain, fast], compared: slow.len(), differences }
}

/// A command line for each mutant, which verifies it as the test with this result did.
fn command_lines(folder: &Path, result: &Path) -> Vec<String> {
    let report = report(result);
    let words = report["verifier"]["command"].as_array().into_iter().flatten();
    let words: Vec<&str> = words.filter_map(Value::as_str).collect();
    let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let command = |line: Value| {
        let files = line["files"].as_array()?.iter().filter_map(Value::as_str);
        let files: Vec<String> =
            files.map(|file| quoted(&folder.join(file).display().to_string())).collect();
        let word = |word: &&str| match *word {
            "{files}" => files.join(" "),
            word => quoted(word),
        };
        let words: Vec<String> = words.iter().map(word).collect();
        Some(format!("{}\n", words.join(" ")))
    };
    lines(&folder.join("mutants.jsonl")).into_iter().filter_map(command).collect()
}

fn report(result: &Path) -> Value {
    let text = fs::read_to_string(result.join("result.json")).expect("a result");
    serde_json::from_str(&text).expect("a result in JSON")
}

/// The outcome of each mutant, and of the procedures of mutants that differ from the seed.
fn outcomes(result: &Path) -> BTreeMap<String, String> {
    let mut outcomes = BTreeMap::new();
    for line in lines(&result.join("measurements.jsonl")) {
        let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        outcomes.insert(word("program"), word("outcome"));
    }
    let report = report(result);
    for flip in report["seeds"][0]["flips"].as_array().into_iter().flatten() {
        let changes = flip["changes"].as_array().into_iter().flatten();
        let changes: Vec<String> = changes
            .map(|change| {
                format!("{} {} {}", change["procedure"], change["mutant"], change["failures"])
            })
            .collect();
        let name = flip["mutant"].as_str().unwrap_or_default().to_owned();
        outcomes.entry(name).or_default().push_str(&changes.join("; "));
    }
    outcomes
}

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("a file of lines");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The Boogie program in a folder.
fn program(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).expect("a folder of a seed");
    let mut files = entries.map(|entry| entry.expect("an entry").path());
    files.find(|file| file.extension().is_some_and(|it| it == "bpl")).expect("a program")
}

fn mugie() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mugie"))
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// The cost of a command and of everything that it started. Its exit code may report a finding.
fn cost(command: &mut Command) -> Cost {
    let (start, before) = (Instant::now(), used());
    command.status().expect("the program can be started");
    let wall = start.elapsed();
    // Boogie 3 ends without waiting for its solver, whose time nobody else is told then.
    while !matches!(wait(), Err(Errno::ECHILD)) {}
    Cost { cpu: used().saturating_sub(before), wall }
}

fn used() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system tells");
    let time = |time: nix::sys::time::TimeVal| {
        let micros = time.tv_sec() * 1_000_000 + time.tv_usec();
        Duration::from_micros(micros.unsigned_abs())
    };
    time(usage.user_time()) + time(usage.system_time())
}

fn line(costs: &[Cost; 3]) -> String {
    let words =
        |cost: &Cost| format!("{:.0} s ({:.0} s CPU)", seconds(cost.wall), seconds(cost.cpu));
    let [bare, plain, fast] = costs;
    format!(
        "  {:20} {:20} {:20} {:5.1}   {:5.1}",
        words(bare),
        words(plain),
        words(fast),
        seconds(bare.cpu) / seconds(fast.cpu),
        seconds(bare.wall) / seconds(fast.wall),
    )
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}
