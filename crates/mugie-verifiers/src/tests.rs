//! Definitions resolved on a fake machine whose programs are shell scripts.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use mugie_core::Sharing;

use crate::tap::QueryRecord;
use crate::{
    Captured, Definition, Ending, Environment, Origin, Outcome, Procedure, Registry, ResolveError,
    Run, SharedProcess, Usage, Verdict, Verifier, VerifierOptions,
};

/// Writes a shell script and returns its path.
pub(crate) fn script(path: &Path, body: &str) -> PathBuf {
    // Written by another process: a process that another thread forks meanwhile would inherit our
    // write handle, and a file that is open for writing cannot be executed.
    let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1\" && chmod 755 \"$1\"";
    let status = Command::new("sh").args(["-c", write, "sh"]).arg(path).arg(body).status();
    assert!(status.unwrap().success());
    path.to_owned()
}

/// A machine on which only the given programs are installed.
struct Machine {
    directory: TempDir,
    environment: Environment,
}

impl Machine {
    /// Creates a machine from programs and the line that each prints, whatever its arguments.
    fn new(programs: &[(&str, &str)]) -> Machine {
        let directory = tempfile::tempdir().unwrap();
        for name in ["bin", "config/mugie/verifiers", "project/verifiers"] {
            fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        let environment = Environment {
            path: Some(directory.path().join("bin").into()),
            config: Some(directory.path().join("config")),
            directory: directory.path().join("project"),
            ..Environment::default()
        };
        let machine = Machine { directory, environment };
        for (name, answer) in programs {
            machine.script(&format!("bin/{name}"), &format!("echo '{answer}'"));
        }
        machine
    }

    fn with_boogie(version: &str) -> Machine {
        Machine::new(&[
            ("boogie", &format!("Boogie program verifier version {version}, Copyright")),
            ("z3", "Z3 version 4.8.12 - 64 bit"),
            ("cvc4", "This is CVC4 version 1.8"),
            ("cvc5", "This is cvc5 version 1.0.3"),
        ])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn script(&self, name: &str, body: &str) -> PathBuf {
        script(&self.path(name), body)
    }

    fn registry(&self) -> Registry {
        Registry::load_in(self.environment.clone()).unwrap()
    }

    fn resolve(&self, options: &VerifierOptions) -> Result<Verifier, ResolveError> {
        self.registry().resolve("boogie", options)
    }

    /// The arguments without the directory of the programs, and the title.
    fn arguments(&self, options: &VerifierOptions) -> (String, String) {
        let verifier = self.resolve(options).unwrap();
        let words = verifier.command_words()[1..].join(" ");
        let bin = format!("{}/", self.path("bin").display());
        (words.replace(&bin, ""), verifier.title)
    }

    /// The message and the remedy of an error.
    fn problem(&self, options: &VerifierOptions) -> (String, String) {
        let error = self.resolve(options).unwrap_err();
        (error.to_string(), error.help().unwrap_or_default())
    }
}

fn solver(name: &str) -> VerifierOptions {
    VerifierOptions { solver: Some(name.to_owned()), ..VerifierOptions::default() }
}

fn everything(name: &str) -> VerifierOptions {
    VerifierOptions {
        arguments: vec!["/errorLimit:1".to_owned()],
        resource_limit: (name == "z3").then_some(5),
        procedure_seconds: Some(6),
        random_seed: Some(7),
        ..solver(name)
    }
}

#[test]
fn command_lines_of_boogie_2_4() {
    let machine = Machine::with_boogie("2.4.1.10503");
    let (plain, title) = machine.arguments(&VerifierOptions::default());
    assert_eq!(title, "Boogie 2.4.1 with Z3 4.8.12");
    assert_eq!(plain, "/nologo /trace /z3exe:z3 {files}");
    assert_eq!(
        machine.arguments(&everything("z3")).0,
        "/nologo /trace /z3exe:z3 /rlimit:5 /timeLimit:6 /proverOpt:O:smt.random_seed=7 \
         /proverOpt:O:sat.random_seed=7 /errorLimit:1 {files}"
    );
    let (cvc4, title) = machine.arguments(&solver("cvc4"));
    assert_eq!(title, "Boogie 2.4.1 with CVC4 1.8");
    assert_eq!(cvc4, "/nologo /trace /proverOpt:SOLVER=CVC4 /cvc4exe:cvc4 {files}");
    assert_eq!(
        machine.arguments(&everything("cvc4")).0,
        "/nologo /trace /proverOpt:SOLVER=CVC4 /cvc4exe:cvc4 /timeLimit:6 \
         /proverOpt:C:--tlimit-per=6000 /proverOpt:C:--random-seed=7 /errorLimit:1 {files}"
    );
    let (message, _) = machine.problem(&solver("cvc5"));
    assert_eq!(message, "Boogie 2.4.1 cannot use cvc5: a version >=3 is required");
}

#[test]
fn command_lines_of_boogie_2_8() {
    let machine = Machine::with_boogie("2.8.20.0");
    let (plain, _) = machine.arguments(&VerifierOptions::default());
    assert_eq!(plain, "/trace /proverOpt:PROVER_PATH=z3 {files}");
    let (cvc4, _) = machine.arguments(&solver("cvc4"));
    assert_eq!(cvc4, "/trace /proverOpt:SOLVER=CVC4 /proverOpt:PROVER_PATH=cvc4 {files}");
    assert!(machine.resolve(&solver("cvc5")).is_err());
    let machine = Machine::with_boogie("2.8.11.0");
    assert!(machine.arguments(&VerifierOptions::default()).0.starts_with("/nologo "));
}

#[test]
fn command_lines_of_boogie_3() {
    let machine = Machine::with_boogie("3.5.1");
    assert_eq!(
        machine.arguments(&everything("z3")).0,
        "/trace /proverOpt:PROVER_PATH=z3 /rlimit:5 /timeLimit:6 /proverOpt:O:smt.random_seed=7 \
         /proverOpt:O:sat.random_seed=7 /errorLimit:1 {files}"
    );
    let (cvc5, title) = machine.arguments(&everything("cvc5"));
    assert_eq!(title, "Boogie 3.5.1 with cvc5 1.0.3");
    assert_eq!(
        cvc5,
        "/trace /proverOpt:SOLVER=CVC5 /proverOpt:PROVER_PATH=cvc5 /timeLimit:6 \
         /proverOpt:C:--tlimit-per=6000 /proverOpt:C:--seed=7 /errorLimit:1 {files}"
    );
    assert!(machine.resolve(&solver("cvc4")).is_err());
}

#[test]
fn without_inference_nothing_asks_for_it() {
    let without = |arguments: &[&str]| VerifierOptions {
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        without_inference: true,
        ..VerifierOptions::default()
    };
    let machine = Machine::with_boogie("2.4.1");
    let (words, _) = machine.arguments(&without(&["/infer:j"]));
    assert_eq!(words, "/nologo /trace /z3exe:z3 /noinfer /infer:j {files}");
    let machine = Machine::with_boogie("3.5.5");
    for word in ["/infer:j", "-infer:t"] {
        let (words, _) = machine.arguments(&without(&[word, "/inferModifies"]));
        assert_eq!(words, "/trace /proverOpt:PROVER_PATH=z3 /inferModifies {files}");
    }
    let (message, _) = machine.problem(&without(&["/inferModifies"]));
    assert_eq!(message, "Boogie 3.5.5 with Z3 4.8.12 has no inference to switch off");
}

#[test]
fn the_dialect_goes_by_the_version() {
    for (version, dialect) in [("2.4.1", "2"), ("2.16.0", "2"), ("3.5.1", "3")] {
        let verifier = Machine::with_boogie(version).resolve(&VerifierOptions::default()).unwrap();
        assert_eq!(verifier.input(), "boogie");
        assert_eq!(verifier.reading.iter().collect::<Vec<_>>(), [("dialect", dialect)]);
    }
}

#[test]
fn files_and_directory_are_put_in() {
    let machine = Machine::with_boogie("2.4.1");
    let verifier = machine.resolve(&VerifierOptions::default()).unwrap();
    let files = ["/t/a.bpl", "/t/b.bpl"].map(PathBuf::from);
    let line = verifier.command_line(&files, Path::new("/t"));
    assert_eq!(line.program, machine.path("bin/boogie"));
    assert_eq!(line.directory, Path::new("/t"));
    assert_eq!(line.arguments[..2], ["/nologo", "/trace"]);
    assert_eq!(line.arguments[3..], ["/t/a.bpl", "/t/b.bpl"]);
}

#[test]
fn an_option_without_effect_is_refused() {
    let machine = Machine::with_boogie("2.4.1");
    let options = VerifierOptions { resource_limit: Some(5), ..solver("cvc4") };
    let (message, _) = machine.problem(&options);
    assert_eq!(message, "Boogie 2.4.1 with CVC4 1.8 has no limit in resource units");
}

#[test]
fn a_solver_is_given_by_path_and_its_kind_found_out() {
    let machine = Machine::with_boogie("2.4.1");
    let old = machine.script("old z3", "echo 'Z3 version 4.5.1 - 64 bit'");
    let by_path = machine.resolve(&solver(old.to_str().unwrap())).unwrap();
    assert_eq!(by_path.title, "Boogie 2.4.1 with Z3 4.5.1");
    assert!(by_path.command_words().contains(&format!("/z3exe:{}", old.display())));
    let both = machine.resolve(&solver(&format!("z3={}", old.display()))).unwrap();
    assert_eq!(both.title, by_path.title);
    machine.script("bin/cvc4-1.7", "echo 'This is CVC4 version 1.7'");
    let on_path = machine.resolve(&solver("cvc4-1.7")).unwrap();
    assert_eq!(on_path.title, "Boogie 2.4.1 with CVC4 1.7");
    assert_eq!(on_path.solver.unwrap().name, "cvc4");
}

#[test]
fn solvers_that_are_none_are_refused_with_a_remedy() {
    let machine = Machine::with_boogie("2.4.1");
    let (message, help) = machine.problem(&solver("yices"));
    assert_eq!(message, "Boogie has no solver `yices`");
    assert_eq!(help, "choose `z3`, `cvc4`, `cvc5`, or give the path of such a program");
    let (message, _) = machine.problem(&solver("yices=/usr/bin/yices"));
    assert_eq!(message, "Boogie has no solver `yices`");
    let other = machine.script("other", "echo 'Something 1.0'");
    let (message, help) = machine.problem(&solver(other.to_str().unwrap()));
    assert!(message.contains("is not a solver that Boogie knows: it prints `Something 1.0`"));
    assert_eq!(help, format!("say what kind of solver it is: `z3={}`", other.display()));
    let (message, _) = machine.problem(&solver("/nonexistent/z3"));
    assert!(message.contains("there is no such program"), "{message}");
    let (message, _) = machine.problem(&solver("z3=/nonexistent/z3"));
    assert_eq!(message, "Z3 is missing: `/nonexistent/z3` is not a program");
    let (message, help) = machine.problem(&solver(&format!("z3={}", other.display())));
    assert!(message.contains("does not print the version of Z3: it prints"), "{message}");
    assert!(help.contains("--version` to see"), "{help}");
}

#[test]
fn missing_tools_are_named_with_a_remedy() {
    let (message, help) = Machine::new(&[]).problem(&VerifierOptions::default());
    assert_eq!(message, "Boogie is missing: there is no program `boogie` on PATH");
    assert_eq!(help, "install it with `apt-get install boogie`, or set MUGIE_BOOGIE to its path");
    let machine = Machine::with_boogie("2.4.1");
    fs::remove_file(machine.path("bin/z3")).unwrap();
    let (message, help) = machine.problem(&VerifierOptions::default());
    assert_eq!(message, "Z3 is missing: there is no program `z3` on PATH");
    assert!(help.contains("apt-get install z3") && help.contains("MUGIE_Z3"), "{help}");
    let error = machine.registry().resolve("dafny", &VerifierOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no verifier `dafny`");
    assert!(
        error.help().unwrap().starts_with("choose `boogie`, `command`, `cvc5`, `why3`, `z3`, or")
    );
}

#[test]
fn variables_and_options_win_over_path() {
    let mut machine = Machine::with_boogie("2.4.1");
    let variable = machine.script("three", "echo 'Boogie program verifier version 3.1.0.0'");
    let option = machine.script("four", "echo 'Boogie program verifier version 3.2.0.0'");
    machine.environment.variables.insert("MUGIE_BOOGIE".to_owned(), variable.into());
    machine.environment.variables.insert("MUGIE_Z3".to_owned(), "".into());
    let verifier = machine.resolve(&VerifierOptions::default()).unwrap();
    assert_eq!(verifier.title, "Boogie 3.1.0 with Z3 4.8.12");
    let options = VerifierOptions { program: Some(option), ..VerifierOptions::default() };
    assert_eq!(machine.resolve(&options).unwrap().version().unwrap().to_string(), "3.2.0");
    machine.environment.variables.insert("MUGIE_Z3".to_owned(), "/nonexistent".into());
    let (message, _) = machine.problem(&VerifierOptions::default());
    assert_eq!(message, "Z3 is missing: MUGIE_Z3 is `/nonexistent`, which is not a program");
}

#[test]
fn a_program_that_hangs_when_asked_is_an_error() {
    let machine = Machine::with_boogie("2.4.1");
    machine.script("bin/boogie", "exec sleep 1000");
    let mut registry = machine.registry();
    registry.set_patience(std::time::Duration::from_millis(300));
    let error = registry.resolve("boogie", &VerifierOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("it does not end within 0.3 s"), "{error}");
}

#[test]
fn later_definitions_win() {
    let machine = Machine::with_boogie("2.4.1");
    let definition = |about: &str| {
        format!("about = \"{about}\"\narguments = ['{{files}}']\nreader = 'boogie'\n")
    };
    let about = || {
        let registry = machine.registry();
        let definition = registry.get("boogie").unwrap().clone();
        (definition.about, definition.origin)
    };
    assert_eq!(about().1, Origin::Shipped);
    let user = machine.path("config/mugie/verifiers/boogie.toml");
    fs::write(&user, definition("the user's")).unwrap();
    assert_eq!(about(), ("the user's".to_owned(), Origin::File(user)));
    let project = machine.path("project/verifiers/boogie.toml");
    fs::write(&project, definition("the project's")).unwrap();
    assert_eq!(about(), ("the project's".to_owned(), Origin::Project(project)));
    fs::write(machine.path("project/verifiers/my-tool.toml"), definition("mine")).unwrap();
    fs::write(machine.path("project/verifiers/.my-tool.toml"), "garbage").unwrap();
    fs::write(machine.path("project/verifiers/notes.txt"), "garbage").unwrap();
    fs::write(machine.path("project/verifiers/empty.toml"), "").unwrap();
    let registry = machine.registry();
    assert_eq!(
        registry.names().collect::<Vec<_>>(),
        ["boogie", "command", "cvc5", "my-tool", "why3", "z3"]
    );
    assert_eq!(registry.get("my-tool").unwrap().variable(), "MUGIE_MY_TOOL");
}

#[test]
fn a_definition_is_given_by_path() {
    let machine = Machine::new(&[("tool", "1.0")]);
    let path = machine.path("mine.toml");
    let text = "about = ''\narguments = ['-v', '{files}', '--end']\nreader = 'boogie'\n\
                [program]\nnames = ['tool']\n";
    fs::write(&path, text).unwrap();
    let options =
        VerifierOptions { arguments: vec!["-x".to_owned()], ..VerifierOptions::default() };
    let verifier = machine.registry().resolve(path.to_str().unwrap(), &options).unwrap();
    assert_eq!((verifier.name.as_str(), verifier.title.as_str()), ("mine", "tool"));
    assert_eq!(verifier.command_words()[1..], ["-v", "-x", "{files}", "--end"]);
    let error = machine.registry().resolve(path.to_str().unwrap(), &solver("z3")).unwrap_err();
    assert_eq!(error.to_string(), "mine has no solver `z3`");
}

#[test]
fn a_broken_definition_is_an_error_with_its_place() {
    let machine = Machine::new(&[]);
    fs::write(machine.path("project/verifiers/x.toml"), "about = ''\n\narguments = 3\n").unwrap();
    let error = Registry::load_in(machine.environment.clone()).unwrap_err().to_string();
    assert!(error.contains("project/verifiers/x.toml:3:13: "), "{error}");
}

#[test]
fn the_identity_changes_with_all_that_matters() {
    let machine = Machine::with_boogie("2.4.1");
    let identity = |options: &VerifierOptions| machine.resolve(options).unwrap().identity();
    let first = identity(&VerifierOptions::default());
    assert_eq!(identity(&VerifierOptions::default()), first);
    let mut seen = vec![first];
    let mut differs = |identity: [u8; 32]| {
        assert!(!seen.contains(&identity));
        seen.push(identity);
    };
    differs(identity(&solver("cvc4")));
    differs(identity(&everything("z3")));
    differs(identity(&VerifierOptions {
        arguments: vec!["{files}".to_owned()],
        ..VerifierOptions::default()
    }));
    machine.script("bin/z3", "echo 'Z3 version 4.8.12 - 64 bit' # built with another compiler");
    differs(identity(&VerifierOptions::default()));
    machine.script("bin/boogie", "echo 'Boogie program verifier version 2.4.1.10504'");
    differs(identity(&VerifierOptions::default()));
    let shipped = include_str!("../verifiers/boogie.toml");
    let changed = shipped.replace("\"/trace\",", "\"/trace\", \"/vcsCores:1\",");
    fs::write(machine.path("config/mugie/verifiers/boogie.toml"), changed).unwrap();
    differs(identity(&VerifierOptions::default()));
}

#[test]
fn the_stand_in_runs_any_program() {
    let mut machine = Machine::new(&[]);
    let tool = machine.script("my tool", "exit 0");
    let resolve = |machine: &Machine, options: &VerifierOptions| {
        machine.registry().resolve("command", options)
    };
    let error = resolve(&machine, &VerifierOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "the program to run is missing: its definition names no program");
    assert_eq!(error.help().unwrap(), "set MUGIE_COMMAND to its path");
    let options = VerifierOptions { program: Some(tool.clone()), ..VerifierOptions::default() };
    let given = resolve(&machine, &options).unwrap();
    assert_eq!(given.title, "my tool");
    assert!(!given.names_goals());
    machine.environment.variables.insert("MUGIE_COMMAND".to_owned(), tool.into());
    let named = resolve(&machine, &VerifierOptions::default()).unwrap();
    assert_eq!(named.identity(), given.identity());
    assert_eq!(named.version(), None);
    assert_eq!(named.reading, mugie_core::LanguageOptions::default());
}

#[test]
fn the_machine_is_inspected() {
    let machine = Machine::with_boogie("2.4.1");
    fs::remove_file(machine.path("bin/cvc4")).unwrap();
    let registry = machine.registry();
    let inspection = registry.inspect(registry.get("boogie").unwrap()).unwrap();
    assert_eq!(inspection.title, "Boogie 2.4.1");
    assert!(inspection.program.is_ok());
    let rows = inspection.solvers.iter();
    let rows: Vec<_> =
        rows.map(|row| (row.title.as_str(), row.program.is_ok(), row.unusable)).collect();
    assert_eq!(
        rows,
        [("Z3 4.8.12", true, false), ("CVC4", false, false), ("cvc5 1.0.3", true, true)]
    );
}

/// A run that exited with `code` after printing `text`.
fn printed(text: &str, code: i32) -> Run {
    Run {
        ending: Ending::Exited(code),
        usage: Usage::default(),
        stdout: Captured { text: text.to_owned(), truncated: false },
        stderr: Captured::default(),
    }
}

#[test]
fn the_solver_tells_why_no_error_is_printed() {
    let verifier =
        Machine::with_boogie("2.4.1.10503").resolve(&VerifierOptions::default()).unwrap();
    let text = "Verifying p ...\n  [0.023 s, 1 proof obligation]  errors\n\n\
                Boogie program verifier finished with 0 verified, 0 errors\n";
    let outcome = |answer: &str, reason: Option<&str>| {
        let (answer, reason) = (answer.to_owned(), reason.map(str::to_owned));
        let query =
            QueryRecord { goal: Some("p".to_owned()), answer, reason, ..QueryRecord::default() };
        let verdict = verifier.with_answers(verifier.read(&printed(text, 0)), &[query]);
        (verdict.outcome, verdict.procedures[0].outcome)
    };
    let both = |outcome: Outcome| (outcome, outcome);
    assert_eq!(outcome("unknown", Some("(incomplete quantifiers)")), both(Outcome::Failed));
    assert_eq!(outcome("sat", None), both(Outcome::Failed));
    // The solver was stopped, proved it, or vanished.
    for (answer, reason) in [("unknown", Some("timeout")), ("unsat", None), ("", None)] {
        assert_eq!(outcome(answer, reason), both(Outcome::ToolError), "{answer}");
    }
}

#[test]
fn the_patterns_of_the_stand_in_fit_tools_like_boogie() {
    let registry = Machine::new(&[]).registry();
    let reader = &registry.get("command").unwrap().reader;
    let outcome = |text: &str| reader.read(&printed(text, 0)).outcome;
    let finished = |counts: &str| {
        outcome(&format!("some noise\nBoogie program verifier finished with {counts}\n"))
    };
    assert_eq!(finished("2 verified, 0 errors"), Outcome::Verified);
    assert_eq!(finished("0 verified, 0 errors"), Outcome::ToolError);
    assert_eq!(finished("1 verified, 1 error, 1 time out"), Outcome::Failed);
    assert_eq!(finished("10 verified, 0 errors, 2 time outs"), Outcome::TimedOut);
    assert_eq!(finished("1 verified, 0 errors, 1 out of memory"), Outcome::OutOfMemory);
    assert_eq!(finished("1 verified, 0 errors, 1 out of resource"), Outcome::OutOfResource);
    assert_eq!(finished("1 verified, 0 errors, 1 inconclusive"), Outcome::Inconclusive);
    assert_eq!(finished("1 verified, 0 errors, 1 solver exceptions"), Outcome::ToolError);
    assert_eq!(outcome("1 parse errors detected in a.bpl\n"), Outcome::Rejected);
    assert_eq!(outcome("Segmentation fault\n"), Outcome::ToolError);
}

/// The code block of the manual with the given fence that begins with `start`.
fn block(manual: &str, fence: &str, start: &str) -> String {
    let at = manual.find(&format!("{fence}\n{start}")).unwrap() + fence.len() + 1;
    manual[at..].split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_example_of_the_manual_works_with_boogie() {
    let manual = include_str!("../../../book/src/verifiers.md");
    let machine = Machine::new(&[]);
    let body = block(manual, "```sh", "#!/bin/sh");
    let tool = machine.script("prove-bpl", &body);
    let path = machine.path("prove-bpl.toml");
    fs::write(&path, block(manual, "```toml", "title")).unwrap();
    let options = VerifierOptions {
        program: Some(tool),
        procedure_seconds: Some(10),
        ..VerifierOptions::default()
    };
    let verifier = machine.registry().resolve(path.to_str().unwrap(), &options).unwrap();
    assert_eq!(verifier.title, "prove-bpl 1.2");
    let answer = verifier.tool.answer.clone().unwrap();
    assert!(answer.contains("Boogie program verifier version"), "{answer}");
    for (program, expected) in [
        ("procedure p() { assert 1 < 2; }", Outcome::Verified),
        ("procedure p() { } procedure q() { assert 2 < 1; }", Outcome::Failed),
        ("procedure p() { x := 1; }", Outcome::Rejected),
        ("", Outcome::ToolError),
    ] {
        let file = machine.path("a.bpl");
        fs::write(&file, program).unwrap();
        let line = verifier.command_line(&[file], &machine.path("project"));
        let mut command = Command::new(line.program);
        let output = command.args(line.arguments).current_dir(line.directory).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let run = printed(&text, output.status.code().unwrap());
        assert_eq!(verifier.read(&run).outcome, expected, "{program}: {text}");
    }
}

#[test]
fn the_pieces_of_the_manual_are_pieces() {
    let manual = include_str!("../../../book/src/verifiers.md");
    let pieces = block(manual, "```toml", "arguments");
    let rest =
        "about = ''\nreader = 'boogie'\n[program.version]\narguments = []\npattern = '(.)'\n";
    let text = format!("{pieces}{rest}");
    Definition::parse("example", Origin::Shipped, text).unwrap();
}

#[test]
fn the_shipped_command_lines_work_with_boogie() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.bpl");
    fs::write(&file, "procedure p() { assert (forall x: int :: x < x + 1); }").unwrap();
    let environment = Environment {
        config: None,
        directory: directory.path().to_owned(),
        ..Environment::of_process()
    };
    let registry = Registry::load_in(environment).unwrap();
    let inspection = registry.inspect(registry.get("boogie").unwrap()).unwrap();
    for solver in &inspection.solvers {
        if solver.name != "z3" && (solver.program.is_err() || solver.unusable) {
            eprintln!("SKIPPED: {} is not installed, or is not for this Boogie", solver.name);
            continue;
        }
        let plain =
            VerifierOptions { solver: Some(solver.name.clone()), ..VerifierOptions::default() };
        let full = VerifierOptions {
            resource_limit: (solver.name == "z3").then_some(10_000_000),
            ..everything(&solver.name)
        };
        for options in [plain, full] {
            let verifier = registry.resolve("boogie", &options).unwrap();
            let line = verifier.command_line(std::slice::from_ref(&file), directory.path());
            let mut command = Command::new(line.program);
            let output = command.args(line.arguments).current_dir(line.directory).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let title = &verifier.title;
            assert!(text.contains("finished with 1 verified, 0 errors"), "{title}: {text}");
        }
    }
}

#[test]
fn versions_that_were_tried_out_take_several_programs() {
    let verifier =
        |version: &str| Machine::with_boogie(version).resolve(&VerifierOptions::default()).unwrap();
    assert!(verifier("2.5.0").batch().is_none());
    assert!(verifier("3.4.9").batch().is_none());
    let new = verifier("3.5.1");
    assert!(new.batch().is_some_and(SharedProcess::needs_tap));
    let old = verifier("2.4.1.10503");
    let batch = old.batch().unwrap();
    let files = ["a.bpl", "b.bpl"].map(PathBuf::from);
    let line = old.batch_command_line(batch, &files, Path::new("/tmp"));
    assert_eq!(line.environment, [("MONO_DISABLE_MANAGED_COLLATION".into(), "yes".into())]);
    assert!(old.command_line(&files, Path::new("/tmp")).environment.is_empty());
    let line = line.arguments;
    let line: Vec<_> = line[line.len() - 3..].iter().map(|word| word.to_str().unwrap()).collect();
    assert_eq!(line, ["/verifySeparately", "a.bpl", "b.bpl"]);
    assert_eq!(batch.file("Parsing a b.bpl"), Some("a b.bpl"));
    assert_eq!(batch.file("a.bpl(1,2): Error: Parsing b.bpl"), None);
}

#[test]
fn arguments_and_features_decide_what_shares_a_process() {
    let batch = |arguments: &[&str]| {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let options = VerifierOptions { arguments, ..VerifierOptions::default() };
        Machine::with_boogie("3.5.5").resolve(&options).unwrap().batch().cloned()
    };
    let marker = |batch: &SharedProcess| {
        let (_, text) = batch.marked(7, &[("a.bpl".to_owned(), String::new())]).unwrap();
        text.lines().next().unwrap().to_owned()
    };
    let class = |feature: &'static str| Sharing::new([feature]);
    let usual = batch(&["/prune:1"]).unwrap();
    assert_eq!(marker(&usual), crate::tap::MARKERS[0].line(7));
    assert!(usual.is_for(&Sharing::default()) && usual.is_for(&class("partial-order")));
    assert!(!usual.is_for(&class("generic-maps")) && !usual.is_for(&class("civl")));
    let dafny =
        batch(&["/typeEncoding:a", "-emitDebugInformation:0", "/normalizeNames:1"]).unwrap();
    assert_eq!(marker(&dafny), crate::tap::MARKERS[1].line(7));
    assert!(dafny.is_for(&class("generic-maps")) && !dafny.is_for(&class("definitions")));
    for arguments in [
        &["/normalizeNames:1"][..],
        &["/emitDebugInformation:0"],
        &["/lib:base"],
        &["/vcsCores:2"],
        &["/vcsCores:10"],
    ] {
        assert!(batch(arguments).is_none(), "{arguments:?}");
    }
    assert!(batch(&["/vcsCores:1"]).is_some());
}

#[test]
fn a_program_of_several_files_can_be_written_to_one() {
    let old = Machine::with_boogie("2.4.1").resolve(&VerifierOptions::default()).unwrap();
    let batch = old.batch().unwrap();
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = [file("a.bpl", "type T;"), file("b.bpl", "type U;\n")];
    let text = "#line 1 a.bpl\ntype T;\n#line 1 b.bpl\ntype U;\n";
    assert_eq!(batch.in_one_file(&files), Some(file("a.bpl", text)));
    let marked = format!("{}\n{text}", crate::tap::MARKERS[0].line(7));
    assert_eq!(batch.marked(7, &files), Some(file("a.bpl", &marked)));
    assert_eq!(batch.in_one_file(&[]), None);
}

/// A tool with profiles, one of them for new versions only.
const WITH_PROFILES: &str = "\
about = 'a tool'
title = 'Tool'
arguments = ['-v', '{files}']
[program]
names = ['tool']
[program.version]
arguments = ['--version']
pattern = 'tool (.*)'
[[verdict]]
is = 'verified'
pattern = 'fine'
[diagnose]
inference = [{ pattern = '^-slow$' }]
[profile.careful]
arguments = ['-slow', { words = ['-old'], verifier = '<2' }, '-seed={random_seed}']
environment = { TOOL_MODE = 'careful' }
source = 'The tutorial of the tool.'
[profile.quick]
arguments = ['-quick']
versions = '>=2'
source = 'The release notes of version 2.'
";

fn with_profiles(version: &str) -> (Machine, PathBuf) {
    let machine = Machine::new(&[("tool", &format!("tool {version}"))]);
    let path = machine.path("profiled.toml");
    fs::write(&path, WITH_PROFILES).unwrap();
    (machine, path)
}

fn profile(name: &str) -> VerifierOptions {
    VerifierOptions { profile: Some(name.to_owned()), ..VerifierOptions::default() }
}

#[test]
fn a_profile_adds_its_options_before_the_user_s() {
    let (machine, path) = with_profiles("1.5");
    let resolve = |options: &VerifierOptions| {
        machine.registry().resolve(path.to_str().unwrap(), options).unwrap()
    };
    let plain = resolve(&VerifierOptions::default());
    assert_eq!(plain.command_words()[1..], ["-v", "{files}"]);
    assert_eq!((plain.profile.as_deref(), plain.environment().len()), (None, 0));
    let mine = VerifierOptions { arguments: vec!["-mine".to_owned()], ..profile("careful") };
    let careful = resolve(&mine);
    assert_eq!(careful.command_words()[1..], ["-v", "-slow", "-old", "-mine", "{files}"]);
    assert_eq!(careful.profile.as_deref(), Some("careful"));
    let line = careful.command_line(&[], Path::new("/tmp"));
    assert_eq!(line.environment, [("TOOL_MODE".into(), "careful".into())]);
    // The profile has a placeholder for a value.
    let seeded = resolve(&VerifierOptions { random_seed: Some(3), ..profile("careful") });
    assert!(seeded.command_words().contains(&"-seed=3".to_owned()));
    // Without inference, it loses the option that asks for it.
    let without = resolve(&VerifierOptions { without_inference: true, ..mine });
    assert_eq!(without.command_words()[1..], ["-v", "-old", "-mine", "{files}"]);
}

fn with_why3() -> Machine {
    Machine::new(&[
        ("why3", "Why3 platform, version 1.5.1"),
        ("z3", "Z3 version 4.8.12 - 64 bit"),
        ("cvc4", "This is CVC4 version 1.8"),
    ])
}

#[test]
fn command_lines_of_why3() {
    let machine = with_why3();
    let resolve = |options: &VerifierOptions| machine.registry().resolve("why3", options).unwrap();
    let words = |verifier: &Verifier| {
        let words = verifier.command_words();
        words[1..].iter().filter(|word| !word.starts_with("--debug")).cloned().collect::<Vec<_>>()
    };
    let plain = resolve(&VerifierOptions::default());
    assert_eq!(plain.title, "Why3 1.5.1 with Z3 4.8.12");
    assert_eq!(words(&plain).join(" "), "prove -C why3.conf -t 0 -P Z3 {files}");
    let limited = VerifierOptions {
        resource_limit: Some(5),
        procedure_seconds: Some(6),
        ..profile("z3-ematching")
    };
    let limited = resolve(&limited);
    assert_eq!(limited.title, "Why3 1.5.1 with Z3 4.8.12 and the profile z3-ematching");
    assert_eq!(
        words(&limited).join(" "),
        "prove -C why3.conf -t 6 -s 5 -P Z3 -P Z3-ematching {files}"
    );
    assert_eq!(words(&resolve(&profile("cvc4"))).last_chunk().unwrap(), &["CVC4", "{files}"]);
}

#[test]
fn a_file_of_the_verifier_names_the_solver_that_was_found() {
    let machine = with_why3();
    let resolve = |options: &VerifierOptions| machine.registry().resolve("why3", options);
    let plain = resolve(&VerifierOptions::default()).unwrap();
    let [(name, text)] = plain.own_files() else { panic!("{:?}", plain.own_files()) };
    assert_eq!(name, "why3.conf");
    let z3 = machine.path("bin/z3");
    assert!(text.contains(&format!("command = \"{} -smt2 sat.random_seed=42", z3.display())));
    // Wall-clock time would make answers depend on what else the machine does.
    assert!(!text.contains("%t") && text.contains("rlimit=%S"), "{text}");
    let seeded = VerifierOptions { random_seed: Some(7), ..VerifierOptions::default() };
    let seeded = resolve(&seeded).unwrap();
    assert!(seeded.own_files()[0].1.contains("smt.random_seed=7"));
    assert_ne!(seeded.identity(), plain.identity());
    let odd = machine.script("bin/a \"z3", "echo 'Z3 version 4.8.12 - 64 bit'");
    let error = resolve(&solver(&odd.display().to_string())).unwrap_err().to_string();
    assert!(error.contains("do not fit into the configuration"), "{error}");
}

#[test]
fn a_profile_is_for_its_solver() {
    let machine = with_why3();
    let resolve = |options: &VerifierOptions| machine.registry().resolve("why3", options);
    let verifier = resolve(&profile("cvc4")).unwrap();
    assert_eq!(verifier.solver.unwrap().name, "cvc4");
    let error =
        resolve(&VerifierOptions { solver: Some("z3".to_owned()), ..profile("cvc4") }).unwrap_err();
    assert_eq!(error.to_string(), "the profile `cvc4` is for the solver `cvc4`, not for `z3`");
}

#[test]
fn failures_are_looked_for_in_a_second_run() {
    let machine = with_why3();
    let verifier = machine.registry().resolve("why3", &VerifierOptions::default()).unwrap();
    let goal = |name: &str, outcome| Procedure {
        name: name.to_owned(),
        outcome,
        failures: Vec::new(),
        seconds: None,
        resources: None,
    };
    let verdict = |outcome| Verdict {
        procedures: vec![goal("p'vc", Outcome::Verified), goal("q'vc", outcome)],
        ..Verdict::of_program(outcome, "")
    };
    let files = [PathBuf::from("a.mlw")];
    let line = |outcome| {
        verifier.locating_command_line(&verdict(outcome), &files, Path::new("/tmp")).map(|line| {
            let words = line.arguments.iter().map(|word| word.to_string_lossy().into_owned());
            words.collect::<Vec<_>>()[4..].join(" ")
        })
    };
    let expected = "-t 0 -P Z3 -a split_vc a.mlw -T M -G q'vc";
    assert_eq!(line(Outcome::Failed).as_deref(), Some(expected));
    assert_eq!(line(Outcome::TimedOut), None);
    assert_eq!(line(Outcome::Verified), None);
}

#[test]
fn a_profile_is_part_of_the_identity() {
    let (machine, path) = with_profiles("2.5");
    let identity = |options: &VerifierOptions| {
        machine.registry().resolve(path.to_str().unwrap(), options).unwrap().identity()
    };
    let careful = identity(&profile("careful"));
    let all = [identity(&VerifierOptions::default()), careful, identity(&profile("quick"))];
    assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
    fs::write(&path, WITH_PROFILES.replace("'careful' }", "'sloppy' }")).unwrap();
    assert_ne!(identity(&profile("careful")), careful);
}

#[test]
fn profiles_that_cannot_be_had_are_refused_with_what_there_is() {
    let (machine, path) = with_profiles("1.5");
    let problem = |definition: &str, name: &str| {
        let error = machine.registry().resolve(definition, &profile(name)).unwrap_err();
        (error.to_string(), error.help().unwrap())
    };
    let (message, help) = problem(path.to_str().unwrap(), "fast");
    assert_eq!(message, "Tool 1.5 has no profile `fast`");
    assert_eq!(help, "choose `careful`, `quick`, or leave it out");
    let (message, help) = problem(path.to_str().unwrap(), "quick");
    assert_eq!(message, "the profile `quick` is not for Tool 1.5: a version >=2 is required");
    assert_eq!(help, "choose `careful`, or leave it out");
    let machine = Machine::with_boogie("2.4.1");
    let (message, help) = machine.problem(&profile("fast"));
    assert_eq!(message, "Boogie 2.4.1 has no profile `fast`");
    assert_eq!(help, "choose `carbon`, `dafny-4`, `move`, or leave it out");
}

#[test]
fn the_profile_of_the_manual_is_one() {
    let manual = include_str!("../../../book/src/verifiers.md");
    let profile = block(manual, "```toml", "[profile.");
    let rest = "about = ''\nreader = 'boogie'\narguments = ['{files}']\n\
                program.version = { arguments = [], pattern = '(.)' }\n";
    let definition = Definition::parse("example", Origin::Shipped, format!("{rest}{profile}"));
    assert_eq!(definition.unwrap().profiles.len(), 1);
}

#[test]
fn profiles_are_inspected() {
    let (machine, path) = with_profiles("1.5");
    let registry = machine.registry();
    let inspection = registry.inspect(&registry.find(path.to_str().unwrap()).unwrap()).unwrap();
    let rows = inspection.profiles.iter();
    let rows: Vec<_> = rows.map(|it| (it.name.as_str(), it.source.as_str(), it.unusable)).collect();
    assert_eq!(
        rows,
        [
            ("careful", "The tutorial of the tool.", false),
            ("quick", "The release notes of version 2.", true)
        ]
    );
}

#[test]
fn the_identity_of_boogie_without_a_profile_is_as_it_always_was() {
    let machine = Machine::with_boogie("2.4.1.10503");
    let verifier = machine.resolve(&VerifierOptions::default()).unwrap();
    let mut hasher = blake3::Hasher::new();
    let mut field = |bytes: &[u8]| crate::verifier::field(&mut hasher, bytes);
    field(b"boogie");
    field(b"boogie");
    for tool in [&verifier.tool, &verifier.solver.as_ref().unwrap().tool] {
        field(tool.path.as_os_str().as_encoded_bytes());
        field(tool.answer.as_ref().unwrap().as_bytes());
        field(blake3::hash(&fs::read(&tool.path).unwrap()).as_bytes());
    }
    for word in &verifier.command_words()[1..] {
        let is_files = word == "{files}";
        hasher.update(&[u8::from(is_files)]);
        crate::verifier::field(&mut hasher, if is_files { b"" } else { word.as_bytes() });
    }
    assert_eq!(verifier.identity(), *hasher.finalize().as_bytes());
}

#[test]
fn noise_is_taken_away_by_the_reader() {
    let noise = "Prover error: line 18 column 28: unknown parameter 'model_compress'\n";
    let boogie = Machine::with_boogie("2.4.1").resolve(&VerifierOptions::default()).unwrap();
    assert_eq!(boogie.without_noise(&format!("a\n{noise}b\n")), "a\nb\n");
    let (machine, path) = with_profiles("1.5");
    let tool =
        machine.registry().resolve(path.to_str().unwrap(), &VerifierOptions::default()).unwrap();
    assert_eq!(tool.without_noise(noise), noise);
}

#[test]
fn a_program_in_a_language_without_a_marker_is_not_marked() {
    let shipped = include_str!("../verifiers/boogie.toml");
    // What is for Boogie 3 insists on a tap, and so on a marker.
    let (start, rest) = shipped.split_once("# Boogie 3.5 as Dafny runs it").unwrap();
    let shipped = &format!("{start}{}", &rest[rest.find("[program]").unwrap()..]);
    let marked = |text: &str| {
        let machine = Machine::with_boogie("2.4.1");
        fs::write(machine.path("config/mugie/verifiers/boogie.toml"), text).unwrap();
        let verifier = machine.resolve(&VerifierOptions::default()).unwrap();
        let file = ("a.bpl".to_owned(), String::new());
        (verifier.input().to_owned(), verifier.batch().unwrap().marked(1, &[file]).is_some())
    };
    let line = "marker = \"boogie-axiom\"\n";
    assert_eq!(marked(shipped), ("boogie".to_owned(), true));
    // As in definitions that are older than this key.
    assert!(shipped.contains(line) && shipped.contains("input = \"boogie\""));
    let old = shipped.replace(line, "").replace("input = \"boogie\"", "");
    assert_eq!(marked(&old), ("boogie".to_owned(), true));
    let other = shipped.replace(line, "").replace("input = \"boogie\"", "input = \"other\"");
    assert_eq!(marked(&other), ("other".to_owned(), false));
}
