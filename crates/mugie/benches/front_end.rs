//! The speed of the front end, compared with Boogie. Prints numbers without judging them.
//!
//! Reads the largest programs under `../shared/seeds`, beside the project, or generates a large
//! program if there are none.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bpl_check::check;
use bpl_syntax::source::SourceMap;
use bpl_syntax::{Dialect, PrintCache, lex, parse_files, print, print_with};

/// The number of programs to measure, largest first.
const PROGRAMS: usize = 5;

/// How long to repeat each measurement; raising it makes the minimum more reliable.
const BUDGET: Duration = Duration::from_millis(700);

/// The number of runs of Boogie for each program.
const BOOGIE_RUNS: usize = 5;

/// The same allocator as in mugie itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[expect(clippy::print_stdout, reason = "a bench prints its results")]
fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let programs = largest_programs(&root.join("../shared/seeds")).unwrap_or_else(|| {
        println!("no programs in ../shared/seeds: measuring one made up for the purpose\n");
        let path = scratch.path().join("made-up.bpl");
        fs::write(&path, made_up_program()).expect("the temporary directory is writable");
        vec![path]
    });
    println!(
        "{:<28} {:>6} {:>6} {:>9} {:>7} {:>7} {:>8} {:>7} {:>8} {:>7}",
        "program", "KB", "lex", "lex+parse", "check", "print", "cached", "ours", "boogie", "ratio"
    );
    println!(
        "{:<28} {:>6} {:>6} {:>9} {:>7} {:>7} {:>8} {:>7} {:>8} {:>7}",
        "", "", "MB/s", "MB/s", "MB/s", "MB/s", "MB/s", "ms", "ms", ""
    );
    for path in programs {
        println!("{}", measure(&path));
    }
    println!(
        "\nours: parse and check; boogie: the whole of `boogie /noVerify`, median of \
         {BOOGIE_RUNS} runs"
    );
    println!("cached: printing again after one declaration has changed");
}

fn measure(path: &Path) -> String {
    let bytes = fs::read(path).expect("the program can be read");
    let size = bytes.len();
    let sources = SourceMap::single(path.display().to_string(), bytes).expect("less than 4 GiB");
    let file = &sources.files()[0];
    let program = parse_files(&sources, Dialect::Boogie2).program;
    let printed = print(&program).len();
    let lexed = best(|| lex::lex(&file.text, 0, 0, Dialect::Boogie2));
    let parsed = best(|| parse_files(&sources, Dialect::Boogie2));
    let checked = best(|| check(&program));
    let print_all = best(|| print(&program));
    let mut cache = PrintCache::new();
    print_with(&program, &mut cache);
    let mut mutant = program.clone();
    let print_cached = best(|| {
        if let Some(last) = mutant.decls.len().checked_sub(1) {
            mutant.decl_mut(last);
        }
        print_with(&mutant, &mut cache)
    });
    let ours = parsed + checked;
    let mut row = format!(
        "{:<28} {:>6} {:>6.0} {:>9.0} {:>7.0} {:>7.0} {:>8.0} {:>7.2}",
        path.file_stem().unwrap_or_default().to_string_lossy(),
        size / 1000,
        speed(size, lexed),
        speed(size, parsed),
        speed(size, checked),
        speed(printed, print_all),
        speed(printed, print_cached),
        ours.as_secs_f64() * 1e3,
    );
    let _ = match boogie(path) {
        Some(boogie) => write!(
            row,
            " {:>8.0} {:>7.0}",
            boogie.as_secs_f64() * 1e3,
            boogie.as_secs_f64() / ours.as_secs_f64()
        ),
        None => write!(row, " {:>8} {:>7}", "missing", "-"),
    };
    row
}

/// Megabytes per second.
#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
fn speed(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

/// The shortest time of many runs, which is the least disturbed. Dropping the result is not
/// counted.
fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    let mut best = Duration::MAX;
    while start.elapsed() < BUDGET {
        let run = Instant::now();
        let result = black_box(work());
        best = best.min(run.elapsed());
        drop(result);
    }
    best
}

/// The median time of `boogie /noVerify`, or `None` without Boogie.
fn boogie(path: &Path) -> Option<Duration> {
    let mut times = Vec::new();
    for _ in 0..BOOGIE_RUNS {
        let mut command = Command::new("boogie");
        command.args(["/nologo", "/noVerify"]).arg(path);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        command.status().ok()?;
        times.push(start.elapsed());
    }
    times.sort();
    Some(times[times.len() / 2])
}

/// The largest programs below a directory, or `None` if there are none.
fn largest_programs(directory: &Path) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).ok()?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bpl") {
                found.push((entry.metadata().map_or(0, |metadata| metadata.len()), path));
            }
        }
    }
    found.sort();
    let largest: Vec<_> = found.into_iter().rev().take(PROGRAMS).map(|(_, path)| path).collect();
    if largest.is_empty() { None } else { Some(largest) }
}

fn made_up_program() -> String {
    let mut text = String::from("type Ref;\ntype Field a;\nvar heap: <a>[Ref, Field a]a;\n");
    for i in 0..2000 {
        let _ = write!(
            text,
            "const unique field{i}: Field int;\n\
             function f{i}(x: int, r: Ref) returns (int);\n\
             // The definition of f{i}.\n\
             axiom (forall x: int, r: Ref :: {{ f{i}(x, r) }}\n  \
               x >= {i} && r != r ==> f{i}(x, r) == x + {i} * 2 || f{i}(x, r) < 0);\n\
             procedure {{:number {i}}} P{i}(r: Ref, n: int) returns (result: int)\n  \
               requires n > {i};\n  modifies heap;\n  ensures result >= f{i}(n, r);\n{{\n  \
               var k: int;\n  k := 0;\n  while (k < n)\n    invariant 0 <= k && k <= n;\n  {{\n    \
                 if (heap[r, field{i}] == k) {{ heap[r, field{i}] := k + 1; }} else {{ havoc k; }}\n    \
                 k := k + 1;\n  }}\n  result := f{i}(n, r);\n}}\n\n"
        );
    }
    text
}
