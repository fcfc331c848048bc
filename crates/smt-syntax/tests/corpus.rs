//! Real queries: all of them are read and printed, and to Z3 the printed query is the same.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "tests read queries and run Z3")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use smt_syntax::{Declarations, Dialect, Kind, Roles, Scopes, Script, Symbols, print};

/// The folder of queries, which is not a part of the repository.
fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/smt");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: {} is not here", folder.display());
    None
}

/// The rows of a table whose fields may have quotes around them.
fn table(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(fields);
    let names = lines.next().unwrap();
    lines.map(|values| names.iter().cloned().zip(values).collect()).collect()
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(letter),
        }
    }
    fields
}

/// Reads and prints a file; the script and the printed text.
fn round(path: &Path) -> Result<(Script, Vec<u8>), String> {
    let bytes = fs::read(path).unwrap();
    let script = Script::parse(bytes).map_err(|error| format!("{}:{error}", path.display()))?;
    let printed = print::script(&script);
    let again = Script::parse(printed.as_slice()).map_err(|error| format!("printed: {error}"))?;
    assert_eq!(print::script(&again), printed, "{}", path.display());
    assert_eq!(again.nodes().len(), script.nodes().len(), "{}", path.display());
    Ok((script, printed))
}

#[test]
fn every_query_is_read_and_printed() {
    let Some(corpus) = corpus() else { return };
    let rows = table(&corpus.join("manifest.csv"));
    assert_eq!(rows.len(), 169);
    for row in rows {
        let (script, _) = round(&corpus.join(&row["path"])).unwrap();
        let scopes = Scopes::new(&script, Dialect::Z3);
        assert_eq!(scopes.checks().len().to_string(), row["checks"], "{}", row["path"]);
        let commands = script.commands().iter();
        let is_counted = |kind| matches!(kind, Kind::Assert | Kind::AssertSoft | Kind::AssertNot);
        let asserts = commands.filter(|command| is_counted(command.kind)).count();
        assert_eq!(asserts.to_string(), row["asserts"], "{}", row["path"]);
        let symbols = Symbols::new(&script);
        let declarations = Declarations::new(&script, &symbols, &Roles::new(&script));
        let declared = (0..script.commands().len()).map(|command| declarations.of(command).len());
        assert!(declared.sum::<usize>() > 0, "{}", row["path"]);
    }
}

#[test]
fn every_regression_that_a_solver_accepts_is_read_and_printed() {
    let Some(corpus) = corpus() else { return };
    let rows = table(&corpus.join("syntax.csv"));
    let mut read = 0;
    for row in &rows {
        let accepts = |solver: &str| row[solver] == "accepted";
        let result = round(&corpus.join(&row["path"]));
        if accepts("z3_4.8.12") || accepts("z3_4.12.5") || accepts("cvc5_1.0.3") {
            result.unwrap();
            read += 1;
        }
    }
    assert!(read > 1177, "{read}");
}

/// Options that limit a check, which the file would set instead of the test.
const LIMITS: [&[u8]; 4] = [b":rlimit", b":timeout", b":smt.rlimit", b":smt.timeout"];

/// The text of the commands without limits and with a question for the resource count after each check: as they were
/// written, or printed.
fn to_run(script: &Script, is_printed: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for command in script.commands() {
        let name = script.children(command.node).nth(1);
        let name = name.map(|name| script.text(name).to_ascii_lowercase());
        let limits = name.is_some_and(|name| LIMITS.contains(&name.as_slice()));
        if command.kind == Kind::SetOption && limits {
            continue;
        }
        if is_printed {
            print::node_into(script, command.node, &mut out);
        } else {
            out.extend_from_slice(script.text(command.node));
        }
        out.push(b'\n');
        if command.kind.is_check() {
            out.extend_from_slice(b"(get-info :rlimit)\n");
        }
    }
    out
}

/// What Z3 prints, without the places of errors, and without times and memory.
fn z3(text: &[u8], folder: &Path) -> Vec<String> {
    let file = folder.join("query.smt2");
    fs::write(&file, text).unwrap();
    let mut z3 = Command::new("z3");
    z3.args(["-smt2", "-st", "rlimit=2000000", "memory_max_size=2000"])
        .arg(&file)
        .current_dir(folder);
    let output = z3.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_stable = |line: &&str| {
        !["time", "memory", "allocs"].iter().any(|word| line.contains(word))
            || line.starts_with("(error")
    };
    // The last count is followed by a parenthesis, which a time of nothing leaves to the line before.
    let lines = text.lines().filter(is_stable).map(|line| match line.strip_prefix(" :") {
        Some(count) => count.trim_end_matches(')'),
        None => line,
    });
    lines.map(without_place).collect()
}

fn without_place(line: &str) -> String {
    let Some((before, after)) = line.split_once("line ") else { return line.to_owned() };
    let number = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let Some(rest) = number.strip_prefix(" column ") else { return line.to_owned() };
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    format!("{before}line{rest}")
}

/// With `MUGIE_ALL_QUERIES=1` all queries, otherwise some that take little time.
#[test]
fn z3_does_the_same_work_for_a_printed_query() {
    let Some(corpus) = corpus() else { return };
    if Command::new("z3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no z3");
        return;
    }
    let all = std::env::var("MUGIE_ALL_QUERIES").as_deref() == Ok("1");
    let mut rows = table(&corpus.join("manifest.csv"));
    if !all {
        let is_quick = |row: &BTreeMap<String, String>| {
            let cpu: f64 = row["cpu_4.8.12"].parse().unwrap_or(9.0);
            let bytes: usize = row["bytes"].parse().unwrap();
            cpu < 0.1 && bytes < 40_000
        };
        rows.retain(is_quick);
        let step = rows.len() / 25;
        rows = rows.into_iter().step_by(step.max(1)).take(25).collect();
    }
    let folder = tempfile::tempdir().unwrap();
    let mut different = Vec::new();
    for row in &rows {
        let path = corpus.join(&row["path"]);
        let script = Script::parse(fs::read(&path).unwrap()).unwrap();
        let original = z3(&to_run(&script, false), folder.path());
        let printed = z3(&to_run(&script, true), folder.path());
        if original != printed {
            let line = original.iter().zip(&printed).find(|(one, other)| one != other);
            different.push(format!("{}: {line:?}", row["path"]));
        }
    }
    assert!(
        different.is_empty(),
        "{} of {}:\n{}",
        different.len(),
        rows.len(),
        different.join("\n")
    );
}
