//! Soundness by experiment: if the real Boogie verifies a program, it verifies the mutants as well,
//! and if it refutes a program, it refutes the mutants.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic and report")]
#![expect(clippy::disallowed_methods, reason = "the tests read files and run Boogie")]

mod support;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use bpl_syntax::ast::{
    Decl, Expr, ExprKind, List, Literal, LiteralKind, Predicate, Program, Stmt, StmtKind,
};
use bpl_syntax::span::Span;
use bpl_syntax::{Dialect, parse, print};
use mugie_boogie::{Subject, operators};
use mugie_core::{Generator, Place, Set, Strength, Weights};
use support::has_boogie;

/// The number of mutants of each program by each operator alone, if there are as many. The
/// environment variable of this name overrides it.
const MUTANTS: usize = 4;

/// One strong mutant by each operator and strength.
const ONCE: (u64, usize) = (1, usize::MAX);

/// Programs per process.
const BATCH: usize = 40;

/// The part of the result that a seed and its mutants share: the number of procedures that verify,
/// and whether anything else is reported.
type Verdict = (String, bool);

/// A program with a known verdict.
struct Job {
    /// The seed and the edits that produced the program.
    origin: String,
    /// The files of the program, in the order in which the verifier gets them.
    files: Vec<PathBuf>,
    /// The verdict on the seed.
    expected: Verdict,
    /// Whether the program has type parameters. Such programs do not share a process with others.
    is_polymorphic: bool,
}

fn seeds() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/verified");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort_unstable();
    paths
}

/// Boogie's output, and the verdict on each program that Boogie reached.
fn run(files: &[&PathBuf], separately: bool) -> (String, Vec<Verdict>) {
    let mut command = Command::new("boogie");
    command.args(["/nologo", "/noinfer"]).args(separately.then_some("/verifySeparately"));
    let output = command.args(files).output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = |line: &str| {
        let counts = line.strip_prefix("Boogie program verifier finished with ")?;
        let (verified, others) = counts.split_once(" verified, ")?;
        Some((verified.to_owned(), others != "0 errors"))
    };
    let verdicts = output.lines().filter_map(verdict).collect();
    (output, verdicts)
}

/// A description of each program whose verdict is not the expected one.
fn failures(jobs: &[&Job]) -> Vec<String> {
    let files: Vec<&PathBuf> = jobs.iter().flat_map(|job| &job.files).collect();
    let (_, verdicts) = run(&files, files.len() == jobs.len());
    if verdicts.iter().eq(jobs.iter().map(|job| &job.expected)) {
        return Vec::new();
    }
    // Run the programs one by one to find the culprits.
    let failure = |job: &&Job| {
        let (output, verdicts) = run(&job.files.iter().collect::<Vec<_>>(), false);
        if verdicts == std::slice::from_ref(&job.expected) {
            return None;
        }
        let lines = output.lines().filter(|line| line.contains("rror"));
        let lines: Vec<_> = lines.filter(|line| !line.contains("model_compress")).collect();
        Some(format!("{}\n  {:?}\n  {}", job.origin, job.files, lines.join("\n  ")))
    };
    jobs.iter().filter_map(failure).collect()
}

/// The number of mutants to make.
fn number() -> usize {
    std::env::var("MUTANTS").map_or(MUTANTS, |number| number.parse().unwrap())
}

/// The program in a file.
fn read(path: &Path) -> Program {
    let parsed = parse(&fs::read_to_string(path).unwrap(), Dialect::Boogie2);
    assert!(parsed.errors.is_empty(), "{}: {:?}", path.display(), parsed.errors);
    parsed.program
}

/// A program whose bodies end with an assertion that fails.
fn refuted(mut program: Program) -> Program {
    for index in 0..program.decls.len() {
        let body = match program.decl_mut(index) {
            Decl::Procedure(procedure) => procedure.body.as_mut(),
            Decl::Implementation(implementation) => Some(&mut implementation.body),
            _ => None,
        };
        if let Some(body) = body {
            let literal = Literal { kind: LiteralKind::Bool, text: "false".into() };
            let expr = Expr { span: Span::default(), kind: ExprKind::Literal(literal) };
            let kind = StmtKind::Assert(Box::new(Predicate { attrs: List::new(), expr }));
            body.block.push(Stmt { span: Span::default(), kind });
        }
    }
    program
}

/// A program under mutation.
fn seed(program: &Program) -> Arc<dyn mugie_core::Program> {
    Arc::new(Subject::new(program))
}

/// Mutants of a program, written to a folder: the wanted number for each choice of operators.
fn jobs(name: &str, program: &Program, choices: &[(&str, usize)], folder: &Path) -> Vec<Job> {
    let original = folder.join(format!("{name}.bpl"));
    fs::write(&original, print(program)).unwrap();
    let (output, verdicts) = run(&[&original], false);
    let [expected] = verdicts.as_slice() else { panic!("{name}: {output}") };
    let subject = seed(program);
    let mut jobs = Vec::new();
    let mut hashes = HashSet::new();
    for &(choice, wanted) in choices {
        let weights = Weights::parse(choice, operators::abouts()).unwrap();
        for mutant in Generator::new(&subject, weights, 1, wanted, 1_000) {
            let mutant = mutant.unwrap();
            let mut origin = format!("{name}.bpl");
            for edit in &mutant.edits {
                write!(origin, "\n  {}: {}", edit.operator, edit.words).unwrap();
            }
            if let Err(errors) = bpl_check::check(&Subject::of(&*mutant.program).unwrap().program())
            {
                panic!("{origin}\nis not well-formed: {errors:?}");
            }
            if !hashes.insert(mutant.program.hash()) {
                continue;
            }
            let texts = mutant.program.texts();
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

/// At most this many strong mutants of a program, written to a folder: by each operator at some places and
/// at all, of that number of draws.
fn strong_jobs(
    name: &str,
    program: &Program,
    (draws, wanted): (u64, usize),
    folder: &Path,
) -> Vec<Job> {
    let original = folder.join(format!("{name}.bpl"));
    fs::write(&original, print(program)).unwrap();
    let (output, verdicts) = run(&[&original], false);
    let [expected] = verdicts.as_slice() else { panic!("{name}: {output}") };
    let subject = seed(program);
    let mut hashes = HashSet::from([subject.hash()]);
    let mut jobs = Vec::new();
    let is_strong = |operator: &usize| {
        operators::abouts()[*operator].set != Set::Apart
            && subject.takes_many(*operator)
            && subject.places(*operator) > 1
    };
    let strong: Vec<usize> = (0..operators::ALL.len()).filter(is_strong).collect();
    let draws = (0..draws).flat_map(|it| [(it, Strength::Some), (it, Strength::All)]);
    for ((random, many), operator) in draws.flat_map(|it| strong.iter().map(move |op| (it, *op))) {
        let applied = subject.apply_at(operator, Place::Many { many, random }).unwrap();
        let program = applied.program;
        let about = operators::abouts()[operator];
        let origin = format!("{name}.bpl\n  {}: {}, {random}", about.name, applied.edit.words);
        if let Err(errors) = bpl_check::check(&Subject::of(&*program).unwrap().program()) {
            panic!("{origin}\nis not well-formed: {errors:?}");
        }
        if jobs.len() == wanted || !hashes.insert(program.hash()) {
            continue;
        }
        let text = program.texts().remove(0).text;
        let is_polymorphic = text.contains("<T>") || text.contains("<a>");
        let path = folder.join(format!("{name}-strong-{}.bpl", jobs.len()));
        fs::write(&path, text).unwrap();
        let (files, expected) = (vec![path], expected.clone());
        jobs.push(Job { origin, files, expected, is_polymorphic });
    }
    jobs
}

/// Runs Boogie on programs, two processes at a time, and asserts the expected verdicts.
fn check(jobs: &[Job]) {
    let (single, mut split): (Vec<&Job>, Vec<&Job>) =
        jobs.iter().partition(|job| job.files.len() == 1);
    // Each of these needs a separate process, so only a few are tried.
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
    assert!(wrong.is_empty(), "{} have another verdict:\n{}", wrong.len(), wrong.join("\n"));
}

/// The names of the operators that are tested on their own.
fn alone() -> impl Iterator<Item = &'static str> {
    let all = operators::ALL.iter().map(|operator| operator.about());
    all.filter(|about| about.set != Set::Apart).map(|about| about.name)
}

#[test]
fn every_operator_has_a_place_in_a_verified_program() {
    let subjects: Vec<_> = seeds().iter().map(|path| seed(&read(path))).collect();
    for name in alone() {
        let weights = Weights::parse(name, operators::abouts()).unwrap();
        let has_place = |subject: &Arc<dyn mugie_core::Program>| {
            Generator::new(subject, weights.clone(), 1, 1, 1_000).next().is_some()
        };
        assert!(
            subjects.iter().any(has_place),
            "{name} has no place in any program of fixtures/verified: add one that verifies and has"
        );
    }
}

#[test]
fn mutants_have_the_verdict_of_their_seed() {
    if !has_boogie() {
        return;
    }
    let choices: Vec<_> =
        alone().map(|name| (name, number())).chain([("all", 4 * number())]).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for path in seeds() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let program = read(&path);
        let verified = jobs(name, &program, &choices, folder.path());
        assert!(verified.iter().all(|job| !job.expected.1), "{name} does not verify");
        all.extend(verified);
        let name = format!("{name}-refuted");
        let refuted = jobs(&name, &refuted(program), &[("all", 2 * number())], folder.path());
        assert!(refuted.iter().all(|job| job.expected.1), "{name} verifies");
        all.extend(refuted);
    }
    check(&all);
}

#[test]
fn strong_mutants_have_the_verdict_of_their_seed() {
    if !has_boogie() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for path in seeds() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let program = read(&path);
        all.extend(strong_jobs(name, &program, ONCE, folder.path()));
        all.extend(strong_jobs(&format!("{name}-refuted"), &refuted(program), ONCE, folder.path()));
    }
    check(&all);
}

/// Seeds that need no luck: as many strong mutants of each as `STRONG_MUTANTS` says, and of a twin with an
/// error at the end of every body. `STRONG_PART`, such as `2/8`, takes every eighth seed from the second on.
#[test]
fn strong_mutants_of_seeds_that_need_no_luck_have_their_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds/paper");
    let Some(wanted) = std::env::var("STRONG_MUTANTS").ok().filter(|_| folder.is_dir()) else {
        println!("SKIPPED: no seeds, or STRONG_MUTANTS does not say how many mutants to make");
        return;
    };
    let wanted: usize = wanted.parse().unwrap();
    let part = std::env::var("STRONG_PART").unwrap_or_else(|_| "1/1".to_owned());
    let (first, of) = part.split_once('/').unwrap();
    let (first, of): (usize, usize) = (first.parse().unwrap(), of.parse().unwrap());
    let mut seeds: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    seeds.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("S_"));
    seeds.sort_unstable();
    let written = tempfile::tempdir().unwrap();
    for path in seeds.iter().take(20).skip(first - 1).step_by(of) {
        let file = fs::read_dir(path).unwrap().map(|e| e.unwrap().path());
        let file = file.into_iter().find(|it| it.extension().is_some_and(|it| it == "bpl"));
        let program = read(&file.unwrap());
        let name = path.file_name().unwrap().to_str().unwrap();
        let limits = (wanted as u64, wanted);
        let mut all = strong_jobs(name, &program, limits, written.path());
        let twin =
            strong_jobs(&format!("{name}-refuted"), &refuted(program), limits, written.path());
        assert!(twin.iter().all(|job| job.expected.1), "{name} has no wrong twin");
        all.extend(twin);
        check(&all);
        println!("{name}: {} strong mutants, with those of its twin", all.len());
    }
}
