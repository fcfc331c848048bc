//! How many runs it takes to find that a seed is brittle, for each way of drawing mutants.
//!
//! Every seed of a list is tested with every strategy and several random seeds, until the first mutant fails.
//! Each test is a line of `target/power/results.jsonl` as soon as it ends; those that are there are not repeated,
//! so the bench goes on after an interruption. It begins with one random seed for everything. The table is
//! printed at the end, and written to `docs/power.md` once it is whole.
//!
//! ```text
//! cargo bench --bench power -- [STRATEGY|SEED...]  # all if none is named; --table only prints what is known
//! ```
//!
//! `MUGIE_BIN=PATH` tests with another build of mugie. The whole list takes hours. Seeds of `../shared` are left out where it is missing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::wait::wait;
use serde_json::{Value, json};

/// The runs after which a test ends without a finding.
const RUNS: u64 = 100;

/// The random seeds for brittle seeds; robust ones have one.
const RANDOM_SEEDS: u64 = 5;

/// A way of drawing mutants: the options of `mugie test`. The default is `mixed`, with less of what makes no difference
/// to the solver.
const STRATEGIES: &[(&str, &[&str])] = &[
    ("paper", &["--operators", "paper"]),
    ("one", &["--operators", "all", "--strength", "one"]),
    ("some", &["--operators", "all", "--strength", "some"]),
    ("all", &["--operators", "all", "--strength", "all"]),
    ("mixed", &["--operators", "all", "--strength", "mixed", "--fixed"]),
    ("default", &[]),
    ("query", &["--level", "query"]),
];

/// Seeds that are known to be brittle: their names, where they are from the root of the project, and further
/// options. A folder is that of its only program.
const BRITTLE: &[(&str, &str, &[&str])] = &[
    ("X_L3", "seeds/X_L3_preconditions", &[]),
    ("X_L4", "seeds/X_L4_postconditions", &[]),
    ("X_L5_assertions", "seeds/X_L5_assertions", &[]),
    ("X_L5_invariants", "seeds/X_L5_invariants", &[]),
    ("X_L6", "seeds/X_L6_branches", &[]),
    ("X_S1", "seeds/X_S1_axiom_order", &[]),
    ("X_S3", "seeds/X_S3_file_order", &[]),
    ("X_add_unused", "seeds/X_add_unused", &[]),
    ("X_reorder_bound", "seeds/X_reorder_bound", &[]),
    ("X_swap_operands", "seeds/X_swap_operands", &[]),
    ("S1a", "../shared/seeds/anchors/S1a.bpl", &[]),
    ("L4a", "../shared/seeds/anchors/L4a.bpl", &[]),
    ("L6assa", "../shared/seeds/anchors/L6assa.bpl", &[]),
    ("L6ensa", "../shared/seeds/anchors/L6ensa.bpl", &[]),
    ("L6inva", "../shared/seeds/anchors/L6inva.bpl", &[]),
    ("L6reqa", "../shared/seeds/anchors/L6reqa.bpl", &[]),
    ("L8a", "../shared/seeds/anchors/L8a.bpl", &[]),
    ("S6a", "../shared/seeds/anchors/S6a.bpl", &[]),
    ("bst", "../shared/seeds/paper/A_bst", &[]),
    ("BQueue", "../shared/seeds/paper/T_textbook_BQueue", &[]),
    ("RingBufferAuto", "../shared/seeds/paper/D_vstte2012_RingBufferAuto", &[]),
    ("llist_assume", "../shared/seeds/paper/E_llist_assume", &[]),
    ("search-v1", "../shared/seeds/paper/E_search-v1", &[]),
    ("hash-v2", "../shared/seeds/paper/E_hash-v2", &[]),
    ("hash-v3", "../shared/seeds/paper/E_hash-v3", &[]),
    ("Problem1", "../shared/seeds/paper/D_VerifyThis2015_Problem1", &[]),
    ("Problem3", "../shared/seeds/paper/D_VerifyThis2015_Problem3", &[]),
    (
        "RingBuffer",
        "../shared/seeds/dafny/vstte2012_RingBuffer.dfy",
        &["--no-calibration", "--procedure", "*Enqueue*"],
    ),
];

/// Seeds of which no mutant is known to fail.
const ROBUST: &[(&str, &str, &[&str])] = &[
    ("gcd", "seeds/A_gcd", &[]),
    ("maximum", "seeds/A_maximum", &[]),
    ("prefix_sums", "seeds/A_prefix_sums", &[]),
    ("merge", "seeds/A_merge", &[]),
    ("long_assignments", "seeds/S_long_assignments_100", &[]),
    ("nested_conditionals", "seeds/S_nested_conditionals_4", &[]),
    ("sum_of_array", "../shared/seeds/paper/A_sum_of_array", &[]),
    ("Bubble", "../shared/seeds/paper/T_textbook_Bubble", &[]),
    ("nifs04", "../shared/seeds/paper/S_nifs04", &[]),
    ("SumMax", "../shared/seeds/paper/D_VSComp2010_Problem1-SumMax", &[]),
];

/// One test: a seed, a strategy, a random seed.
type Key = (String, String, u64);

/// What a test found.
#[derive(Clone, Copy)]
struct Found {
    /// The number of the first mutant that fails, if one does.
    first: Option<u64>,
    /// The mutants that were judged.
    judged: u64,
    cpu: f64,
}

#[expect(clippy::print_stdout, reason = "a bench prints its results")]
fn main() {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true).expect("orphans can be adopted");
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let only_table = words.iter().any(|word| word == "--table");
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    // Whether one of several names is asked for: if none of them is, all are.
    let is_wanted = |name: &str, all: &[&str]| {
        let is_named = |it: &str| wanted.iter().any(|word| *word == it);
        is_named(name) || !all.iter().any(|it| is_named(it))
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let results = root.join("target/power/results.jsonl");
    let mut known = read(&results);
    let seeds: Vec<_> = BRITTLE.iter().chain(ROBUST).collect();
    let names: Vec<&str> = seeds.iter().map(|it| it.0).collect();
    let strategies: Vec<&str> = STRATEGIES.iter().map(|it| it.0).collect();
    for random in 1..=RANDOM_SEEDS {
        for (number, (seed, path, options)) in seeds.iter().enumerate() {
            if random > 1 && number >= BRITTLE.len() || !is_wanted(seed, &names) {
                continue;
            }
            let Some(file) = program(&root.join(path)) else { continue };
            for (strategy, more) in STRATEGIES {
                let key = ((*seed).to_owned(), (*strategy).to_owned(), random);
                let is_asked = is_wanted(strategy, &strategies);
                if only_table || !is_asked || known.contains_key(&key) {
                    continue;
                }
                let start = Instant::now();
                match test(&file, random, options, more) {
                    Ok(found) => {
                        let seconds = start.elapsed().as_secs_f64();
                        println!(
                            "{seed} {strategy} {random}: {} ({seconds:.0} s)",
                            words_of(found)
                        );
                        append(&results, &key, found);
                        known.insert(key, found);
                    }
                    Err(why) => println!("{seed} {strategy} {random}: no answer: {why}"),
                }
            }
        }
    }
    let table = table(&known);
    println!("\n{table}");
    let all = (BRITTLE.len() * usize::try_from(RANDOM_SEEDS).unwrap_or(0) + ROBUST.len())
        * STRATEGIES.len();
    println!("{} of {all} tests are known", known.len());
}

/// Tests a seed until a mutant fails.
fn test(file: &Path, random: u64, options: &[&str], more: &[&str]) -> Result<Found, String> {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let out = scratch.path().join("result");
    let program = env::var_os("MUGIE_BIN");
    let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_mugie").into());
    let mut command = Command::new(program);
    command.args(["test", "-j2", "--no-cache", "--until-failure", "--budget", "0"]);
    command.args(["-n", &RUNS.to_string(), "--seed", &random.to_string()]);
    command.args(options).args(more).arg("--out").arg(&out).arg(file);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let before = used();
    let output = command.output().expect("mugie can be started");
    while !matches!(wait(), Err(Errno::ECHILD)) {}
    let cpu = used().saturating_sub(before).as_secs_f64();
    let text = fs::read_to_string(out.join("result.json")).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        said.lines().next().unwrap_or("nothing was said").to_owned()
    })?;
    let report: Value = serde_json::from_str(&text).expect("a result in JSON");
    let seeds = report["seeds"].as_array().cloned().unwrap_or_default();
    let judged = |seed: &Value| seed["counts"]["judged"].as_u64().unwrap_or_default();
    // The queries of a program are seeds of their own, one after the other.
    let (mut before, mut first) = (0, None);
    for seed in &seeds {
        if seed["baseline"].is_null() {
            return Err(seed["reason"].as_str().unwrap_or("no reason").to_owned());
        }
        let number = |flip: &Value| flip["number"].as_u64();
        let found =
            seed["flips"].as_array().and_then(|flips| flips.iter().filter_map(number).min());
        if first.is_none() {
            first = found.map(|number| before + number);
        }
        before += judged(seed);
    }
    Ok(Found { first, judged: before, cpu })
}

fn words_of(found: Found) -> String {
    let runs = match found.first {
        Some(number) => format!("mutant {number} fails"),
        None => format!("none of {} fails", found.judged),
    };
    format!("{runs}, {:.0} s of CPU", found.cpu)
}

fn read(file: &Path) -> BTreeMap<Key, Found> {
    let text = fs::read_to_string(file).unwrap_or_default();
    // A line that was cut off by a kill is made again.
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let entry = |line: Value| {
        let word = |key: &str| line[key].as_str().map(str::to_owned);
        let key = (word("seed")?, word("strategy")?, line["random"].as_u64()?);
        let judged = line["judged"].as_u64()?;
        Some((key, Found { first: line["first"].as_u64(), judged, cpu: line["cpu"].as_f64()? }))
    };
    lines.filter_map(entry).collect()
}

fn append(file: &Path, (seed, strategy, random): &Key, found: Found) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder of our own");
    let mut file = fs::OpenOptions::new().create(true).append(true).open(file).expect("a file");
    let Found { first, judged, cpu } = found;
    let line = json!({
        "seed": seed, "strategy": strategy, "random": random,
        "first": first, "judged": judged, "cpu": cpu,
    });
    writeln!(file, "{line}").expect("the line can be written");
}

/// The tables of what is known, in Markdown.
fn table(known: &BTreeMap<Key, Found>) -> String {
    let mut out = String::from("| seed |");
    for (strategy, _) in STRATEGIES {
        let _ = write!(out, " {strategy} |");
    }
    out.push_str("\n|---|");
    out.push_str(&"---|".repeat(STRATEGIES.len()));
    for (seed, ..) in BRITTLE.iter().chain(ROBUST) {
        let _ = write!(out, "\n| {seed} |");
        for (strategy, _) in STRATEGIES {
            let _ =
                write!(out, " {} |", cell(&of(known, |key| key.0 == *seed && key.1 == *strategy)));
        }
    }
    let is_brittle = |key: &Key| BRITTLE.iter().any(|(seed, ..)| *seed == key.0);
    for limit in [30, RUNS] {
        let _ = write!(out, "\n| found within {limit} |");
        for (strategy, _) in STRATEGIES {
            let tests = of(known, |key| key.1 == *strategy && is_brittle(key));
            let found = tests.iter().filter(|it| it.first.is_some_and(|it| it <= limit)).count();
            let _ = write!(out, " {found} of {} |", tests.len());
        }
    }
    out.push_str("\n| CPU, s |");
    for (strategy, _) in STRATEGIES {
        let cpu: f64 = of(known, |key| key.1 == *strategy).iter().map(|it| it.cpu).sum();
        let _ = write!(out, " {cpu:.0} |");
    }
    out.push('\n');
    out
}

fn of(known: &BTreeMap<Key, Found>, is_one: impl Fn(&Key) -> bool) -> Vec<Found> {
    known.iter().filter(|(key, _)| is_one(key)).map(|(_, found)| *found).collect()
}

/// The median of the runs to the first failure, where a test without one has more runs than any other; and in how
/// many tests there was one.
fn cell(tests: &[Found]) -> String {
    if tests.is_empty() {
        return "–".to_owned();
    }
    let mut runs: Vec<u64> = tests.iter().map(|it| it.first.unwrap_or(u64::MAX)).collect();
    runs.sort_unstable();
    let found = runs.iter().filter(|it| **it < u64::MAX).count();
    match runs[(runs.len() - 1) / 2] {
        u64::MAX if found == 0 => format!("none of {}", tests.len()),
        u64::MAX => format!("> {RUNS} ({found} of {})", tests.len()),
        median => format!("{median} ({found} of {})", tests.len()),
    }
}

/// The program at a path, or the only one in a folder.
fn program(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let files = fs::read_dir(path).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|it| it == "bpl")).collect();
    files.sort();
    (!files.is_empty()).then(|| files.remove(0))
}

fn used() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system tells");
    let time = |time: nix::sys::time::TimeVal| {
        let micros = time.tv_sec() * 1_000_000 + time.tv_usec();
        Duration::from_micros(micros.unsigned_abs())
    };
    time(usage.user_time()) + time(usage.system_time())
}
