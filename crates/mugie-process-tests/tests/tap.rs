//! The proxy between the real Boogie and the real Z3: it changes no verdict, and caches answers.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed test should panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use mugie_verifiers::read::{Boogie, Reader as _};
use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::tap::{self, Form, Queries, QueryRecord, Tap};
use mugie_verifiers::{
    Ending, Limits, Outcome, Problem, ProblemDifference, Registry, Run, Verdict, Verifier,
    VerifierOptions,
};
use tempfile::TempDir;

/// Fails to verify in several ways.
const FAILING: &str = "
var g: [int]int;
function f(x: int) returns (int);
axiom (forall x: int :: {f(x)} f(x) > x);
procedure several(a: int) returns (r: int)
  requires a > 0;
  ensures r > 5;
  modifies g;
{
  var i: int;
  while (i < a) invariant i <= a; { i := i + 1; g[i] := f(i); }
  assert (forall y: int :: {g[y]} g[y] > 0);
  r := f(a);
  assert (exists z: int :: g[z] == 3);
}
procedure right(a: int) { assert f(a) > a; }
procedure caller(a: int) modifies g; { var b: int; call b := several(a); }
procedure {:rlimit 100000} limited(a: int) { assert f(a) != a; assert f(a) == 0; }
procedure unlimited(a: int) { assert f(f(a)) > a; }
";

/// Keeps Z3 busy for a very long time.
const HARD: &str = "
function f(x: int) returns (int);
axiom (forall x: int :: {f(x)} f(x) * f(x + 1) > f(x + 2) * f(x + 3) + x);
procedure hard(x: int, y: int, z: int) { assert f(x) * f(y) * f(z) != f(x + y * z); }
";

/// The paper's example.
const BRITTLE: [&str; 5] = [
    "function above(x: int) returns (int);",
    "axiom (forall x, y: int :: x > y ==> above(x) > y);",
    "const row: [int]int;",
    "axiom (forall i: int :: 0 <= i ==> row[i] < row[i + 1]);",
    "procedure pick(i: int) returns (o: int)
       requires i >= 0;
       ensures o > row[i];
     {
       o := above(row[i + 1]);
     }",
];

/// Boogie, a solver that records its starts, and a folder for cached answers.
struct Bench {
    verifier: Verifier,
    supervisor: Supervisor,
    folder: TempDir,
}

/// The result of a run.
struct Ran {
    run: Run,
    verdict: Verdict,
    records: Vec<QueryRecord>,
}

impl Bench {
    fn new(arguments: &[&str]) -> Bench {
        Bench::with("exec \"$z3\" \"$@\"", arguments)
    }

    /// A bench with a script as the solver, in which `$z3` is the real solver.
    fn with(script: &str, arguments: &[&str]) -> Bench {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("solver");
        let text = format!(
            "#!/bin/sh\nz3=$(command -v z3)\n\
             echo \"$$ $*\" >>{}/starts\n{script}\n",
            folder.path().display()
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let options = VerifierOptions {
            solver: Some(format!("z3={}", path.display())),
            arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
            ..VerifierOptions::default()
        };
        let verifier = Registry::load().unwrap().resolve("boogie", &options).unwrap();
        let keeper = Keeper {
            program: env!("CARGO_BIN_EXE_mugie-keeper").into(),
            arguments: Vec::new(),
            environment: Vec::new(),
        };
        let bench = Bench { verifier, supervisor: Supervisor::new(keeper), folder };
        bench.starts();
        bench
    }

    /// The process and arguments of each start of the solver since the last call.
    fn starts(&self) -> Vec<String> {
        let path = self.folder.path().join("starts");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        text.lines().map(str::to_owned).collect()
    }

    fn answers(&self) -> PathBuf {
        self.folder.path().join("answers")
    }

    fn tap(&self) -> Tap {
        Tap {
            program: env!("CARGO_BIN_EXE_mugie-tap").into(),
            answers: Some(self.answers()),
            capacity: tap::CAPACITY,
            queries: None,
        }
    }

    fn run(&self, program: &str, tap: Option<&Tap>) -> Ran {
        self.run_files(&[("program.bpl", program)], tap)
    }

    /// Verifies files, several of them as programs that share a process.
    fn run_files(&self, files: &[(&str, &str)], tap: Option<&Tap>) -> Ran {
        let directory = TempDir::new().unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let paths: Vec<_> = files.iter().map(|(name, _)| PathBuf::from(name)).collect();
        let command = match tap {
            None => self.verifier.command_line(&paths, directory.path()),
            Some(tap) if files.len() > 1 => {
                let (batch, folder) = (self.verifier.batch().unwrap(), directory.path());
                self.verifier.tapped_batch_command_line(batch, &paths, folder, tap).unwrap()
            }
            Some(tap) => self.verifier.tapped_command_line(&paths, directory.path(), tap).unwrap(),
        };
        let limits = Limits { time: Duration::from_mins(2), ..Limits::default() };
        let run = self.supervisor.run(&command, &limits);
        let mut verdict = self.verifier.read(&run);
        verdict.procedures.iter_mut().for_each(|procedure| procedure.seconds = None);
        let records = tap::records(&tap::records_file(directory.path())).unwrap();
        Ran { run, verdict, records }
    }

    /// Starts the proxy without a verifier and sends it this input.
    fn talk(&self, input: &[u8], tap: &Tap) -> Talk {
        let directory = TempDir::new().unwrap();
        self.verifier.tapped_command_line(&[], directory.path(), tap).unwrap();
        Bench::talk_in(&directory, input)
    }

    /// Starts the proxy of a shared process without a verifier and sends it this input.
    fn talk_shared(&self, input: &[u8], tap: &Tap) -> Talk {
        let directory = TempDir::new().unwrap();
        let batch = self.verifier.batch().unwrap();
        self.verifier.tapped_batch_command_line(batch, &[], directory.path(), tap).unwrap();
        Bench::talk_in(&directory, input)
    }

    fn talk_in(directory: &TempDir, input: &[u8]) -> Talk {
        let mut talk = talk(&directory.path().join(".mugie-tap"), input);
        talk.records = tap::records(&tap::records_file(directory.path())).unwrap();
        talk
    }
}

impl Ran {
    /// Boogie's output, without the parts that differ in every run.
    fn output(&self) -> String {
        let mut text = String::new();
        for line in Boogie.without_noise(&self.run.stdout.text).lines() {
            if !line.starts_with("[TRACE]") {
                let line = match (line.find('['), line.find(" s")) {
                    (Some(start), Some(end)) if start < end => {
                        [&line[..start], &line[end..]].concat()
                    }
                    _ => line.to_owned(),
                };
                writeln!(text, "{line}").unwrap();
            }
        }
        text + &self.run.stderr.text
    }

    fn is_cached(&self) -> bool {
        !self.records.is_empty() && self.records.iter().all(|record| record.cached)
    }

    /// The records without the values that depend on the particular run.
    fn facts(&self) -> Vec<QueryRecord> {
        let records = self.records.iter().cloned();
        records
            .map(|record| QueryRecord {
                process: 0,
                between: (0, 0),
                seconds: 0.0,
                cached: false,
                ..record
            })
            .collect()
    }
}

/// A conversation with the proxy without a verifier.
struct Talk {
    output: String,
    errors: String,
    code: Option<i32>,
    records: Vec<QueryRecord>,
}

fn talk(program: &Path, input: &[u8]) -> Talk {
    let mut command = Command::new(program);
    command.args(["-smt2", "-in"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = loop {
        match command.spawn() {
            // A process that another thread is about to start holds the new file open for a moment.
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(5));
            }
            child => break child.unwrap(),
        }
    };
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Talk {
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code(),
        records: Vec::new(),
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn is_running(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Asserts that Boogie prints the same with and without a proxy, and that no solver is started the
/// second time.
fn is_not_noticed(program: &str, arguments: &[&str]) -> Verdict {
    let bench = Bench::new(arguments);
    let tap = bench.tap();
    let plain = bench.run(program, None);
    assert!(plain.records.is_empty());
    assert!(bench.starts().len() > 1);

    let cold = bench.run(program, Some(&tap));
    assert_eq!(cold.output(), plain.output());
    assert_eq!(cold.verdict, plain.verdict);
    assert!(cold.records.iter().all(|record| !record.cached && record.resources > Some(0)));
    assert!(!bench.starts().is_empty());

    let warm = bench.run(program, Some(&tap));
    assert_eq!(warm.output(), plain.output());
    assert_eq!(warm.verdict, plain.verdict);
    assert!(warm.is_cached());
    assert_eq!(warm.facts(), cold.facts());
    assert_eq!(bench.starts(), [""; 0]);
    plain.verdict
}

#[test]
fn failures_and_models_are_the_same() {
    let verdict = is_not_noticed(FAILING, &["/printModel:1"]);
    assert_eq!(verdict.outcome, Outcome::Failed);
}

#[test]
fn examples_have_the_same_verdicts() {
    for name in ["bank", "max"] {
        is_not_noticed(&read(&format!("examples/{name}.bpl")), &[]);
    }
}

#[test]
fn polymorphism_and_bit_vectors_have_the_same_verdicts() {
    for name in ["bits", "definitions"] {
        is_not_noticed(&read(&format!("fixtures/verified/{name}.bpl")), &[]);
    }
}

#[test]
fn a_procedure_that_the_solver_chokes_on_is_the_same() {
    let program = "function match(x: int) returns (int); axiom (forall x: int :: match(x) > 0);
                   procedure p(a: int) { assert match(a) > 0; } procedure q(a: int) { assert a == a; }";
    let bench = Bench::new(&[]);
    let plain = bench.run(program, None);
    assert_eq!(plain.verdict.outcome, Outcome::ToolError);
    for _ in 0..2 {
        let tapped = bench.run(program, Some(&bench.tap()));
        assert_eq!(tapped.output(), plain.output());
        assert_eq!(tapped.verdict, plain.verdict);
        assert!(tapped.records.iter().all(|record| !record.cached));
    }
}

#[test]
fn places_do_not_matter_and_anything_else_does() {
    let bench = Bench::new(&[]);
    let program = BRITTLE.join("\n");
    let fingerprint = |text: &str| {
        let ran = bench.run_files(&[("other.name.bpl", text)], Some(&bench.tap()));
        ran.records[0].fingerprint.clone()
    };
    let first = bench.run(&program, Some(&bench.tap()));
    let moved = bench.run_files(
        &[("other.name.bpl", &format!("\n\n// far below\n  {}", BRITTLE.join("\n\n   ")))],
        Some(&bench.tap()),
    );
    assert_eq!(moved.facts(), first.facts());
    assert!(moved.is_cached());
    assert_eq!(moved.verdict.outcome, Outcome::Verified);
    assert_ne!(fingerprint(&program.replace("i >= 0", "i > 0")), first.records[0].fingerprint);
    assert_ne!(fingerprint(&program.replace("above", "beyond")), first.records[0].fingerprint);
}

/// All permutations of numbers.
fn orders(numbers: &[usize]) -> Vec<Vec<usize>> {
    if numbers.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |&first: &usize| {
        let rest: Vec<_> = numbers.iter().copied().filter(|&number| number != first).collect();
        orders(&rest).into_iter().map(move |order| [vec![first], order].concat())
    };
    numbers.iter().flat_map(with_first).collect()
}

#[test]
fn the_paper_s_120_permutations_are_two_problems() {
    let bench = Bench::new(&[]);
    let programs: Vec<(String, String)> = orders(&[0, 1, 2, 3, 4])
        .iter()
        .map(|order| {
            let name = order.iter().map(usize::to_string).collect::<String>() + ".bpl";
            (name, order.iter().map(|&index| BRITTLE[index]).collect::<Vec<_>>().join("\n"))
        })
        .collect();
    let marked: Vec<String> = programs
        .iter()
        .enumerate()
        .map(|(number, (_, text))| format!("{}\n{text}", tap::MARKERS[0].line(number)))
        .collect();
    let names = programs.iter().map(|(name, _)| name.as_str());
    let files: Vec<_> = names.zip(marked.iter().map(String::as_str)).collect();
    let ran = bench.run_files(&files, Some(&bench.tap()));
    let numbers: BTreeSet<_> = ran.records.iter().map(|record| record.program).collect();
    assert_eq!(numbers, (0..120).map(Some).collect());

    let mut problems: BTreeMap<&str, (BTreeSet<&str>, usize)> = BTreeMap::new();
    for record in ran.records.iter().filter(|record| record.number == 0) {
        let (answers, count) = problems.entry(&record.fingerprint).or_default();
        answers.insert(&record.answer);
        *count += 1;
    }
    let mut problems: Vec<_> = problems.into_values().collect();
    problems.sort();
    assert_eq!(problems, [(["unknown"].into(), 60), (["unsat"].into(), 60)]);
    let conversations = bench.starts().iter().filter(|start| start.contains("-in")).count();
    assert_eq!(conversations, 2, "one for each problem");

    // A program verified alone has the same queries, so its answers are cached.
    let (name, text) = &programs[77];
    let alone = bench.run_files(&[(name, text)], Some(&bench.tap()));
    assert!(alone.is_cached());
}

/// The problem of procedure `p` in the solver log of a program.
fn logged(bench: &Bench, program: &str) -> Problem {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("program.bpl"), program).unwrap();
    let options = VerifierOptions { log_problems: true, ..VerifierOptions::default() };
    let verifier = Registry::load().unwrap().resolve("boogie", &options).unwrap();
    let command = verifier.command_line(&["program.bpl".into()], directory.path());
    bench.supervisor.run(&command, &Limits::default());
    let log = directory.path().join(verifier.problem_file().unwrap());
    let problems = verifier.problems(&fs::read_to_string(log).unwrap());
    problems.into_iter().find(|it| it.procedure.as_deref() == Some("p")).unwrap()
}

#[test]
fn problems_of_a_log_are_the_same_if_they_are_so_to_the_tap() {
    let bench = Bench::new(&[]);
    let axioms = [
        "function f(x: int) returns (int);\n",
        "axiom (forall x: int :: {f(x)} f(x) > x);\n",
        "axiom (forall y: int :: {f(y)} f(y) > 7);\n",
    ];
    let p = "procedure p(a: int) { assert (exists z: int :: {f(z)} f(z) > a); }\n";
    let q = "procedure q(a: int) { assert (exists z: int :: {f(z)} f(z) > 5); }\n";
    let [f, one, two] = axioms;
    let seed = [f, one, two, p, q].concat();
    let programs = [
        ([f, "// Lines move.\n\n", one, two, "\n", p, q].concat(), ProblemDifference::None),
        ([f, one, two, q, p].concat(), ProblemDifference::QuantifierNames),
        ([f, two, one, p, q].concat(), ProblemDifference::AxiomOrder),
        ([f, one, p, q].concat(), ProblemDifference::Axioms),
    ];
    let tapped = |program: &str| {
        let ran = bench.run(program, Some(&bench.tap()));
        let of_p = |it: &&QueryRecord| it.number == 0 && it.procedure.as_deref() == Some("p");
        ran.records.iter().find(of_p).unwrap().fingerprint.clone()
    };
    let (heard, written) = (tapped(&seed), logged(&bench, &seed));
    for (program, difference) in programs {
        assert_eq!(written.difference(&logged(&bench, &program)), difference, "{program}");
        let is_same = tapped(&program) == heard;
        assert_eq!(is_same, difference == ProblemDifference::None, "{program}");
    }
}

#[test]
fn resource_counts_are_the_same_on_every_repetition() {
    let bench = Bench::new(&[]);
    let tap = Tap { answers: None, ..bench.tap() };
    let first = bench.run(FAILING, Some(&tap));
    let burner = Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
    let second = bench.run(FAILING, Some(&tap));
    let mut burner = burner.unwrap();
    burner.kill().unwrap();
    burner.wait().unwrap();
    assert_eq!(second.facts(), first.facts());
    assert!(first.records.len() > 5);
    assert!(first.records.iter().all(|record| !record.cached && record.memory > Some(1 << 20)));
}

#[test]
fn damaged_answers_are_found_out_again() {
    let bench = Bench::new(&[]);
    let program = BRITTLE.join("\n");
    let cold = bench.run(&program, Some(&bench.tap()));
    let mut damaged = 0;
    for shard in fs::read_dir(bench.answers()).unwrap() {
        for file in fs::read_dir(shard.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.replace("unsat", "saaat")).unwrap();
            damaged += usize::from(text.contains("unsat"));
        }
    }
    assert_eq!(damaged, 1);
    let again = bench.run(&program, Some(&bench.tap()));
    assert_eq!(again.facts(), cold.facts());
    assert!(!again.records[0].cached);
    assert!(bench.run(&program, Some(&bench.tap())).is_cached());
}

#[test]
fn a_timeout_is_not_remembered() {
    let bench = Bench::new(&["/timeLimit:1"]);
    for _ in 0..2 {
        let ran = bench.run(HARD, Some(&bench.tap()));
        assert_eq!(ran.verdict.outcome, Outcome::TimedOut);
        assert!(ran.records.iter().all(|record| !record.cached));
        assert_eq!(ran.records[0].answer, "unknown");
        let reason = ran.records[0].reason.as_deref();
        assert!(matches!(reason, Some("timeout" | "canceled")), "{reason:?}");
    }
}

#[test]
fn a_solver_that_dies_is_seen_to_die() {
    let script =
        "case $1 in --version) exec \"$z3\" --version ;; esac\nsed -u 60q | \"$z3\" \"$@\"";
    let bench = Bench::with(script, &[]);
    let plain = bench.run(FAILING, None);
    let tapped = bench.run(FAILING, Some(&bench.tap()));
    for ran in [plain, tapped] {
        // It is chance whether the verifier notices while it writes (a crash) or while it reads (a tool
        // error); neither is evidence about the program.
        assert!(!ran.verdict.outcome.is_evidence(), "{:?}", ran.verdict);
        assert!(matches!(ran.run.ending, Ending::Exited(_)));
    }
}

/// Waits until a condition yields a value; panics after a minute.
fn wait_for<T>(mut condition: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(Instant::now() < end, "it does not come");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn killing_tap_or_solver_leaves_nothing() {
    for kill_tap in [true, false] {
        let bench = Bench::new(&[]);
        let ran = thread::scope(|scope| {
            let running = scope.spawn(|| bench.run(HARD, Some(&bench.tap())));
            let starts = bench.folder.path().join("starts");
            let solver = wait_for(|| {
                let text = fs::read_to_string(&starts).ok()?;
                let line = text.lines().find(|line| line.contains("-in"))?;
                Some(line.split(' ').next()?.to_owned())
            });
            let stat = fs::read_to_string(format!("/proc/{solver}/stat")).unwrap();
            let tap = stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().to_owned();
            let victim = if kill_tap { &tap } else { &solver };
            assert!(Command::new("kill").args(["-9", victim]).status().unwrap().success());
            let ran = running.join().unwrap();
            assert!(!is_running(&solver) && !is_running(&tap));
            ran
        });
        assert!(!ran.verdict.outcome.is_evidence(), "{:?}", ran.verdict);
        assert!(matches!(ran.run.ending, Ending::Exited(_)));
        assert!(ran.records.is_empty());
    }
}

#[test]
fn whatever_is_said_the_tap_answers_as_the_solver() {
    let bench = Bench::new(&[]);
    let tap = bench.tap();
    let long = format!("(echo \"{}\")\n(check-sat)\n", "long ".repeat(100_000));
    let complaints = "(assert nothing)\n".repeat(5_000) + "(check-sat)\n";
    let talks: [&[u8]; 14] = [
        b"",
        b"(check-sat)\n",
        b"(declare-const a Int)\n(assert (> a 3))\n(check-sat)\n(get-model)\n(get-value (a))\n(eval (+ a 1))\n",
        b"(echo \"a \"\"b\"\" (c\")\n(echo \"\")\n(get-info :version)\n(simplify (+ 1 2))\n",
        b"; note (\n(declare-const |a ;)| Bool) (assert |a ;)|) (check-sat) (reset) (check-sat) (exit) (check-sat)",
        b"(set-option :print-success true)\n(declare-const a Int)\n(reset)\n(check-sat)\n",
        b"(check-sat)\n(get-model)\n(labels)\n(assert wrong)\n(get-info :nothing)\n(check-sat)\n",
        b"(check-sat)\n) (check-sat)\n",
        b"(check-sat)\nword (check-sat)\n(echo \"still here\")\n",
        b"(check-sat)\n\xff\xfe\n(check-sat)",
        b"(check-sat)\n(declare-const never-ends",
        b"(push 1)\n(assert false)\n(check-sat)\n(pop 1)\n(check-sat)\n(reset)\n(assert wrong)\n(check-sat)\n",
        long.as_bytes(),
        complaints.as_bytes(),
    ];
    for input in talks {
        let shown = String::from_utf8_lossy(&input[..input.len().min(200)]);
        let solver = talk(&bench.folder.path().join("solver"), input);
        for round in ["cold", "warm"] {
            let tapped = bench.talk(input, &tap);
            assert_eq!(tapped.output, solver.output, "{round}: {shown}");
            assert_eq!(tapped.errors, solver.errors, "{round}: {shown}");
        }
    }
}

#[test]
fn what_is_passed_on_in_a_shared_process_belongs_to_no_program() {
    let bench = Bench::new(&[]);
    let marker = "(assert (forall ((mugie$program3 Int) ) (! (= mugie$program3 mugie$program3)\n \
                  :qid |abpl.1:15|\n :skolemid |0|\n)))\n(check-sat)\n";
    let programs = |input: &str| {
        let records = bench.talk_shared(input.as_bytes(), &bench.tap()).records;
        records.iter().map(|record| record.program).collect::<Vec<_>>()
    };
    assert_eq!(programs(marker), [Some(3)]);
    assert_eq!(programs(&format!("{marker}word (check-sat)\n")), [Some(3), None]);
}

#[test]
fn the_solver_catches_up_when_something_new_is_asked() {
    let bench = Bench::new(&[]);
    let tap = bench.tap();
    let short = b"(declare-const a Int)\n(assert (> a 3))\n(check-sat)\n";
    let long = [&short[..], b"(get-value (a))\n"].concat();
    assert!(!bench.talk(short, &tap).records[0].cached);
    assert!(bench.talk(short, &tap).records[0].cached);
    assert_eq!(bench.talk(&long, &tap).output, "sat\n((a 4))\n");
    assert_eq!(bench.starts().len(), 2);
    assert!(bench.talk(&long, &tap).records[0].cached);
    assert_eq!(bench.starts().len(), 0);
}

#[test]
fn a_solver_that_dies_while_it_catches_up_says_nothing_twice() {
    let script = "case $1 in --version) exec \"$z3\" --version ;; esac\nsed -u 5q | \"$z3\" \"$@\"";
    let bench = Bench::with(script, &[]);
    let tap = bench.tap();
    let short = b"(declare-const a Int)\n(assert (> a 3))\n(check-sat)\n(get-value (a))\n";
    let long = [&short[..], b"(push 1)\n(pop 1)\n(check-sat)\n"].concat();
    assert_eq!(bench.talk(&long, &tap).output, "sat\n((a 4))\n");
    let again = bench.talk(&long, &tap);
    assert_eq!(again.output, "sat\n((a 4))\n");
    assert!(again.records[0].cached);
}

#[test]
fn options_from_before_a_reset_are_not_lost() {
    let bench = Bench::new(&[]);
    let input = b"(set-option :pp.decimal true)\n(reset)\n(check-sat)\n(simplify (/ 1.0 2.0))\n\
                  (reset)\n(simplify (/ 1.0 2.0))\n";
    let solver = talk(&bench.folder.path().join("solver"), input);
    for _ in 0..2 {
        assert_eq!(bench.talk(input, &bench.tap()).output, solver.output);
    }
}

#[test]
fn an_answer_that_comes_out_otherwise_is_forgotten() {
    let bench = Bench::new(&[]);
    let tap = bench.tap();
    let short = b"(declare-const a Int)\n(assert (> a 3))\n(check-sat)\n";
    let long = [&short[..], b"(get-value (a))\n"].concat();
    bench.talk(short, &tap);
    let shard = fs::read_dir(bench.answers()).unwrap().next().unwrap().unwrap().path();
    let path = fs::read_dir(shard).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&path).unwrap();
    let content = text.split_once('\n').unwrap().1.replace("sat", "unsat");
    let lie = format!("{}\n{content}", blake3::hash(content.as_bytes()).to_hex());
    fs::write(&path, lie).unwrap();
    assert_eq!(bench.talk(&long, &tap).output, "unsat\n((a 4))\n");
    let again = bench.talk(short, &tap);
    assert_eq!((again.output.as_str(), again.records[0].cached), ("sat\n", false));
}

#[test]
fn a_solver_that_ignores_its_time_limit_is_ended() {
    let script =
        "while read -r line; do case $line in *check-sat*) while :; do :; done ;; esac; done";
    let script = format!("case $1 in --version) exec \"$z3\" --version ;; esac\n{script}");
    let bench = Bench::with(&script, &[]);
    let input =
        b"(set-option :TIMEOUT 50)\n(check-sat)\n(get-info :reason-unknown)\n(get-info :name)\n";
    let talk = bench.talk(input, &bench.tap());
    assert_eq!(talk.output, "unknown\n(:reason-unknown \"timeout\")\n(:name \"mugie\")\n");
    assert_eq!(talk.code, Some(0));
    assert_eq!(talk.records[0].reason.as_deref(), Some("timeout"));
    assert!(bench.starts().iter().all(|start| !is_running(start.split(' ').next().unwrap())));
}

#[test]
fn a_query_can_be_given_to_the_solver_by_hand() {
    let bench = Bench::new(&[]);
    for form in [Form::Original, Form::Canonical] {
        let folder = bench.folder.path().join("queries");
        let queries = Some(Queries { folder: folder.clone(), form });
        let ran = bench.run(FAILING, Some(&Tap { queries, ..bench.tap() }));
        for record in &ran.records {
            let file = record.file_in(&folder);
            let text = fs::read_to_string(&file).unwrap();
            assert_eq!(text.contains("|programb."), form == Form::Original, "{text}");
            let output = Command::new("z3").arg("AUTO_CONFIG=false").arg(&file).output().unwrap();
            let output = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.lines().last(), Some(record.answer.as_str()), "{output}");
            assert_eq!(output.lines().count(), record.number as usize + 1);
        }
    }
}

#[test]
fn taps_that_work_at_once_do_not_disturb_each_other() {
    let bench = Bench::new(&[]);
    let input = |number: u32| {
        let mut input = String::new();
        for query in 0..20 {
            let value = (query + number) % 10;
            write!(input, "(reset)\n(declare-const a Int)\n(assert (= a {value}))\n").unwrap();
            input += "(check-sat)\n(get-value (a))\n";
        }
        input
    };
    let bench = &bench;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || (number, bench.talk(input(number).as_bytes(), &bench.tap())))
            })
            .collect();
        for thread in threads {
            let (number, talk) = thread.join().unwrap();
            let values = (0..20).map(|query| (query + number) % 10);
            let expected: Vec<_> = values.map(|value| format!("sat\n((a {value}))\n")).collect();
            assert_eq!(talk.output, expected.concat());
        }
    });
    assert!(
        bench.talk(input(0).as_bytes(), &bench.tap()).records.iter().all(|record| record.cached)
    );
}
