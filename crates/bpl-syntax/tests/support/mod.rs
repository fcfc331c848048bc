//! Shared helpers: pseudo-random numbers, and access to the real Boogie.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "only tests call these functions"
)]
#![allow(dead_code, reason = "each test uses its own part")]
#![expect(clippy::disallowed_methods, reason = "the tests read files and run Boogie")]

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use bpl_syntax::ast::Program;
use bpl_syntax::{Dialect, generate};

/// Pseudo-random numbers (splitmix64), the same in every run.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(count).unwrap()).unwrap()
    }

    pub(crate) fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

/// The generated program with the given number; sizes vary from small to large.
pub(crate) fn generated(number: u64, dialect: Dialect) -> Program {
    let length = [100, 300, 1_000, 2_000][usize::try_from(number % 4).unwrap()];
    generate::program(&Numbers::new(number).bytes(length), dialect)
}

/// The fixtures that are well-formed programs of Boogie 2.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/ok");
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.to_string_lossy().ends_with(".v2.bpl")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Whether the real Boogie can be run. Panics in continuous integration if it cannot.
pub(crate) fn boogie_is_here() -> bool {
    let here = Command::new("boogie").arg("/help").output().is_ok();
    assert!(here || std::env::var_os("CI").is_none(), "`boogie` is not installed");
    if !here {
        eprintln!("SKIPPED: `boogie` is not installed");
    }
    here
}

/// The real Boogie's answer about the syntax of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Accepted,
    Rejected,
    /// Boogie crashed.
    None,
}

/// Asks the real Boogie about the syntax of many texts, a hundred at a time.
pub(crate) fn boogie_answers(texts: &[String], name: &str) -> Vec<Answer> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    for (number, text) in texts.iter().enumerate() {
        fs::write(directory.join(format!("{number}.bpl")), text).unwrap();
    }
    fs::write(directory.join(MARKER), "?").unwrap();
    let mut answers = Vec::new();
    while answers.len() < texts.len() {
        let first = answers.len();
        ask(&directory, first..texts.len().min(first + 100), &mut answers);
    }
    fs::remove_dir_all(&directory).unwrap();
    answers
}

/// A file with a syntax error. It is passed after every other file, so that the output shows how
/// far Boogie got before it crashed.
const MARKER: &str = "marker.bpl";

/// Adds the answers about these files, as far as Boogie got.
fn ask(directory: &Path, numbers: Range<usize>, answers: &mut Vec<Answer>) {
    let files = numbers.clone().flat_map(|number| [format!("{number}.bpl"), MARKER.to_owned()]);
    let output = Command::new("boogie")
        .args(["/nologo", "/noResolve"])
        .args(files)
        .current_dir(directory)
        .output()
        .unwrap();
    let mut answer = Answer::Accepted;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.split_once(" parse errors detected in ") {
            Some((_, MARKER)) => answers.push(std::mem::replace(&mut answer, Answer::Accepted)),
            Some(_) => answer = Answer::Rejected,
            None => {}
        }
    }
    if answers.len() < numbers.end {
        answers.push(Answer::None);
    }
}

/// Where our parser and the real Boogie disagree, for a person to read.
pub(crate) fn disagreements(texts: &[String], name: &str) -> String {
    let answers = boogie_answers(texts, name);
    let mut report = String::new();
    let (mut accepted, mut rejected, mut none) = (0, 0, 0);
    for (text, answer) in texts.iter().zip(answers) {
        let errors = bpl_syntax::parse(text, Dialect::Boogie2).errors;
        let error = errors.iter().find(|e| e.kind == bpl_syntax::diagnostic::ErrorClass::Syntax);
        match (answer, error) {
            (Answer::None, _) => none += 1,
            (Answer::Accepted, None) => accepted += 1,
            (Answer::Rejected, Some(_)) => rejected += 1,
            (Answer::Accepted, Some(error)) => {
                let at = error.span.start as usize;
                writeln!(report, "we reject at byte {at} ({error}):\n{text}\n-----").unwrap();
            }
            (Answer::Rejected, None) => {
                writeln!(report, "Boogie rejects, we accept:\n{text}\n-----").unwrap();
            }
        }
    }
    println!("{name}: both accept {accepted}, both reject {rejected}, Boogie crashes on {none}");
    assert!(none * 20 <= texts.len(), "Boogie crashes too often to be of use");
    report
}
