//! Soundness by experiment: mutants of programs that the real Boogie verifies verify as well.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic and report")]

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use bpl_syntax::{Dialect, parse};
use mugie_operators::{Generator, Set, Subject, Weights, operators};

/// How many mutants are made of each program, by each operator alone and by all together. More
/// can be asked for by setting `MUTANTS`.
const MUTANTS: usize = 5;

/// Programs per process.
const BATCH: usize = 40;

/// A program that should verify.
struct Job {
    /// Where it comes from: seed and edits.
    origin: String,
    /// Its files in the order for the verifier.
    files: Vec<PathBuf>,
    /// How the last line of the verifier's answer ends.
    expected: String,
    /// Whether it has type parameters: such programs do not share a process with others.
    is_polymorphic: bool,
}

fn has_boogie() -> bool {
    let found = Command::new("boogie").arg("/nologo").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "boogie is missing; see `make tools`");
    if !found {
        println!("skipped: boogie is not installed");
    }
    found
}

fn seeds() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/verified");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort_unstable();
    paths
}

/// What Boogie writes, and the verdict on each program it got to.
fn run(files: &[&PathBuf], separately: bool) -> (String, Vec<String>) {
    let mut command = Command::new("boogie");
    command.args(["/nologo", "/noinfer"]).args(separately.then_some("/verifySeparately"));
    let output = command.args(files).output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict =
        |line: &str| line.strip_prefix("Boogie program verifier finished with ").map(str::to_owned);
    let verdicts = output.lines().filter_map(verdict).collect();
    (output, verdicts)
}

/// What is wrong with each program that does not verify as expected.
fn failures(jobs: &[&Job]) -> Vec<String> {
    let files: Vec<&PathBuf> = jobs.iter().flat_map(|job| &job.files).collect();
    let (_, verdicts) = run(&files, files.len() == jobs.len());
    if verdicts.iter().eq(jobs.iter().map(|job| &job.expected)) {
        return Vec::new();
    }
    // One by one, to see which it is.
    let failure = |job: &&Job| {
        let (output, verdicts) = run(&job.files.iter().collect::<Vec<_>>(), false);
        if verdicts == [job.expected.as_str()] {
            return None;
        }
        let lines = output.lines().filter(|line| line.contains("rror"));
        let lines: Vec<_> = lines.filter(|line| !line.contains("model_compress")).collect();
        Some(format!("{}\n  {:?}\n  {}", job.origin, job.files, lines.join("\n  ")))
    };
    jobs.iter().filter_map(failure).collect()
}

/// The mutants of a seed, written to a folder.
fn jobs(seed: &Path, folder: &Path) -> Vec<Job> {
    let mutants = std::env::var("MUTANTS").map_or(MUTANTS, |number| number.parse().unwrap());
    let name = seed.file_stem().unwrap().to_str().unwrap();
    let parsed = parse(&fs::read_to_string(seed).unwrap(), Dialect::Boogie2);
    assert!(parsed.errors.is_empty(), "{name}: {:?}", parsed.errors);
    let subject = Subject::new(&parsed.program);
    let (output, verdicts) = run(&[&seed.to_owned()], false);
    let [expected] = verdicts.as_slice() else { panic!("{name}: {output}") };
    assert!(expected.ends_with(", 0 errors"), "{name}: {output}");

    let alone = operators::ALL.iter().map(|operator| operator.about());
    let alone = alone.filter(|about| about.set != Set::Trigger).map(|about| about.name);
    let mut jobs = Vec::new();
    let mut hashes = HashSet::new();
    for choice in alone.chain(["all"]) {
        let weights = Weights::parse(choice).unwrap();
        let wanted = if choice == "all" { 4 * mutants } else { mutants };
        for mutant in Generator::new(&subject, weights, 1, wanted, 1_000) {
            let mutant = mutant.unwrap();
            let mut origin = format!("{name}.bpl");
            for edit in &mutant.edits {
                write!(origin, "\n  {}: {}", edit.operator, edit.words).unwrap();
            }
            if let Err(errors) = bpl_check::check(&mutant.subject.program()) {
                panic!("{origin}\nis not well-formed: {errors:?}");
            }
            if !hashes.insert(mutant.hash) {
                continue;
            }
            let texts = mutant.subject.files();
            let is_polymorphic =
                texts.iter().any(|file| file.text.contains("<T>") || file.text.contains("<a>"));
            let files = texts.into_iter().enumerate().map(|(number, file)| {
                let name = format!("{name}-{choice}-{}-{number}.bpl", mutant.number);
                let path = folder.join(name);
                fs::write(&path, file.text).unwrap();
                path
            });
            let files = files.collect();
            jobs.push(Job { origin, files, expected: expected.clone(), is_polymorphic });
        }
    }
    jobs
}

#[test]
fn mutants_of_verified_programs_verify() {
    if !has_boogie() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let jobs: Vec<Job> = seeds().iter().flat_map(|seed| jobs(seed, folder.path())).collect();
    let (single, mut split): (Vec<&Job>, Vec<&Job>) =
        jobs.iter().partition(|job| job.files.len() == 1);
    // A process of its own for each: a few of them have to do.
    split.truncate(16);
    let (polymorphic, plain): (Vec<&Job>, Vec<&Job>) =
        single.into_iter().partition(|job| job.is_polymorphic);
    let batches = plain.chunks(BATCH).chain(polymorphic.chunks(BATCH)).chain(split.chunks(1));
    println!("{} mutants", jobs.len());

    let batches = Mutex::new(batches);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(batch) = batches.lock().unwrap().next() else { return };
                    let failures = failures(batch);
                    wrong.lock().unwrap().extend(failures);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    if std::env::var_os("KEEP").is_some() {
        println!("kept in {}", folder.keep().display());
    }
    assert!(wrong.is_empty(), "{} do not verify:\n{}", wrong.len(), wrong.join("\n"));
}
