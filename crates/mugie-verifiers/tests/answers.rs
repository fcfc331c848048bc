//! Verdicts on recorded outputs of Boogie: `fixtures/answers`, whose README tells how to add one.
#![expect(clippy::unwrap_used, reason = "a test stops where a fixture is not as it should be")]

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use mugie_verifiers::read::Boogie;
use mugie_verifiers::{Captured, Ending, Limit, Outcome, Reader as _, Run, Usage, Verdict};

/// The replacement for the working directory of a recorded run.
const DIRECTORY: &str = "/answers";

/// A fixture: a text with sections, each of which starts with a line `=== NAME`.
struct Answer {
    path: PathBuf,
    title: String,
    sections: Vec<(String, String)>,
}

impl Answer {
    fn load(path: PathBuf) -> Answer {
        let text = fs::read_to_string(&path).unwrap();
        let mut parts = text.split("=== ");
        let title = parts.next().unwrap().to_string();
        let sections = parts.map(|part| {
            let (name, body) = part.split_once('\n').unwrap();
            (name.to_string(), body.to_string())
        });
        let sections = sections.collect();
        Answer { path, title, sections }
    }

    fn name(&self) -> &str {
        self.path.file_stem().unwrap().to_str().unwrap()
    }

    fn section(&self, name: &str) -> Option<&str> {
        self.sections.iter().find(|(found, _)| found == name).map(|(_, body)| body.as_str())
    }

    fn expected(&self) -> &str {
        self.section("verdict").unwrap()
    }

    fn run(&self) -> Run {
        let ended = self.sections.iter().find_map(|(name, _)| name.strip_prefix("ended ")).unwrap();
        let captured = |name| Captured {
            text: self.section(name).unwrap_or_default().to_string(),
            truncated: false,
        };
        Run {
            ending: match ended.split_once(' ') {
                Some(("exited", code)) => Ending::Exited(code.parse().unwrap()),
                Some(("signaled", signal)) => Ending::Signaled(signal.parse().unwrap()),
                Some(("limited", "time")) => Ending::Limited(Limit::Time),
                Some(("limited", "memory")) => Ending::Limited(Limit::Memory),
                _ => panic!("{}: ended {ended}", self.name()),
            },
            usage: Usage::default(),
            stdout: captured("stdout"),
            stderr: captured("stderr"),
        }
    }

    /// Runs the command of the fixture in an empty directory with its files.
    fn again(&self) -> Option<Run> {
        let command = self.section("command")?;
        let directory = tempfile::tempdir().unwrap();
        for (name, body) in &self.sections {
            if let Some(file) = name.strip_prefix("file ") {
                let path = directory.path().join(file);
                fs::write(&path, body).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(directory.path())
            .output()
            .unwrap();
        let here = directory.path().to_str().unwrap();
        let captured = |bytes: &[u8]| Captured {
            text: String::from_utf8_lossy(bytes).replace(here, DIRECTORY),
            truncated: false,
        };
        Some(Run {
            ending: output.status.code().map_or(Ending::Signaled(9), Ending::Exited),
            usage: Usage::default(),
            stdout: captured(&output.stdout),
            stderr: captured(&output.stderr),
        })
    }

    /// Rewrites the fixture with the current output of its command; the verdict stays.
    fn record(&self) {
        let Some(run) = self.again() else { return };
        let mut text = self.title.clone();
        for (name, body) in &self.sections {
            let (name, body) = match (name.as_str(), &run.ending) {
                ("stdout", _) => (name.clone(), run.stdout.text.clone()),
                ("stderr", _) => (name.clone(), without_stack(&run.stderr.text)),
                (ended, Ending::Exited(code)) if ended.starts_with("ended exited") => {
                    (format!("ended exited {code}"), body.clone())
                }
                _ => (name.clone(), body.clone()),
            };
            writeln!(text, "=== {name}").unwrap();
            text += &body;
        }
        fs::write(&self.path, text).unwrap();
    }
}

/// The text without the stack traces of exceptions in Boogie.
fn without_stack(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.trim_start().starts_with("at ") && !line.contains("---<")).collect()
}

fn answers(version: &str) -> Vec<Answer> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/answers").join(version);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(Answer::load).collect()
}

fn all_answers() -> Vec<Answer> {
    [answers("boogie-2"), answers("boogie-3")].into_iter().flatten().collect()
}

/// A verdict in the format of the fixtures: all of it except the seconds.
fn written(verdict: &Verdict) -> String {
    let mut text = verdict.outcome.to_string();
    if let Some(stage) = verdict.stage {
        write!(text, " by {stage}").unwrap();
    }
    if let Some(reason) = &verdict.reason {
        write!(text, ": {reason}").unwrap();
    }
    text.push('\n');
    let place = |location: &mugie_verifiers::Location| {
        format!("{}({},{})", location.file, location.line, location.column)
    };
    for message in &verdict.messages {
        let place = message.location.as_ref().map(place).unwrap_or_default();
        writeln!(text, "  - {place} {}", message.text).unwrap();
    }
    for procedure in &verdict.procedures {
        write!(text, "  {}: {}", procedure.name, procedure.outcome).unwrap();
        match procedure.resources {
            Some(units) => writeln!(text, ", {units} units").unwrap(),
            None => text.push('\n'),
        }
        for failure in &procedure.failures {
            let at = failure.location.as_ref().map(|at| format!(" at {}", place(at)));
            let related = failure.related.as_ref().map(|at| format!(", of {}", place(at)));
            let (at, related) = (at.unwrap_or_default(), related.unwrap_or_default());
            writeln!(text, "    {}{at}{related}: {}", failure.kind, failure.message).unwrap();
        }
    }
    text
}

#[test]
fn verdicts_are_those_read_by_eye() {
    if env::var("UPDATE").as_deref() == Ok("answers") {
        answers("boogie-2").iter().for_each(Answer::record);
    }
    let mut wrong = 0;
    for answer in all_answers() {
        let read = written(&Boogie.read(&answer.run()));
        if read != answer.expected() {
            wrong += 1;
            let name = answer.name();
            eprintln!("{name}: expected\n{}but read\n{read}", answer.expected());
        }
    }
    assert_eq!(wrong, 0);
}

#[test]
fn there_are_fixtures_of_all_kinds() {
    let (old, new) = (answers("boogie-2"), answers("boogie-3"));
    assert!(old.len() >= 40 && new.len() >= 8, "{} and {}", old.len(), new.len());
    let kinds = |answers: &[Answer]| {
        let mut kinds: Vec<Outcome> =
            answers.iter().map(|answer| Boogie.read(&answer.run()).outcome).collect();
        kinds.sort();
        kinds.dedup();
        kinds.len()
    };
    assert_eq!(kinds(&old), 9, "an outcome has no fixture");
    assert!(kinds(&new) >= 6);
}

/// Fast fixtures whose answers do not depend on the machine and that do not need CVC4.
const AGAIN: [&str; 8] = [
    "bad-option",
    "implementations",
    "inconclusive",
    "many-procedures",
    "parser-crash",
    "rejected-types",
    "solver-dies-later",
    "vanished-builtin",
];

#[test]
fn boogie_still_answers_so() {
    let answers = answers("boogie-2");
    for name in AGAIN {
        let answer = answers.iter().find(|answer| answer.name() == name).unwrap();
        let verdict = Boogie.read(&answer.again().unwrap());
        assert_eq!(written(&verdict), answer.expected(), "{name}");
    }
}

#[test]
fn seconds_are_read_where_boogie_traces() {
    for answer in all_answers() {
        let verdict = Boogie.read(&answer.run());
        let command = answer.section("command").unwrap_or("/trace");
        let finished = answer.run().stdout.text.matches(" proof obligation").count();
        if command.split(' ').any(|word| word == "/trace") {
            let timed = verdict.procedures.iter().filter(|one| one.seconds.is_some()).count();
            assert!(
                timed <= finished && timed + 1 >= verdict.procedures.len(),
                "{}",
                answer.name()
            );
        }
    }
}

fn with_stdout(run: &Run, text: String) -> Run {
    Run { stdout: Captured { text, truncated: false }, ..run.clone() }
}

#[test]
fn a_cut_answer_is_never_verified() {
    for answer in all_answers() {
        let run = answer.run();
        let text = Boogie.without_noise(&run.stdout.text);
        let complete = text.trim_end().len();
        for end in (0..=complete).filter(|&end| text.is_char_boundary(end)) {
            let cut = Boogie.read(&with_stdout(&run, text[..end].to_string()));
            assert_ne!(cut.outcome, Outcome::Verified, "{} cut at {end}", answer.name());
        }
    }
}

/// One exception: without `/trace`, only the solver's error message shows that a procedure
/// vanished.
#[test]
fn an_answer_that_lacks_a_line_is_not_verified_unless_it_was() {
    for answer in all_answers() {
        let run = answer.run();
        if Boogie.read(&run).outcome == Outcome::Verified {
            continue;
        }
        let traced = run.stdout.text.contains("\nVerifying ");
        let lines: Vec<&str> = run.stdout.text.split_inclusive('\n').collect();
        for (missing, line) in lines.iter().enumerate() {
            if !traced && line.starts_with("Prover error: ") {
                continue;
            }
            let text = [&lines[..missing], &lines[missing + 1..]].concat().concat();
            let outcome = Boogie.read(&with_stdout(&run, text)).outcome;
            assert_ne!(outcome, Outcome::Verified, "{} without {line}", answer.name());
        }
    }
}

#[test]
fn an_answer_with_a_line_twice_or_exchanged_is_not_verified_unless_it_was() {
    for answer in all_answers() {
        let run = answer.run();
        if Boogie.read(&run).outcome == Outcome::Verified {
            continue;
        }
        let lines: Vec<&str> = run.stdout.text.split_inclusive('\n').collect();
        for place in 0..lines.len() {
            let mut twice = lines.clone();
            twice.insert(place, lines[place]);
            let mut exchanged = lines.clone();
            exchanged.swap(place, (place + 1) % lines.len());
            for lines in [twice, exchanged] {
                let outcome = Boogie.read(&with_stdout(&run, lines.concat())).outcome;
                assert_ne!(outcome, Outcome::Verified, "{} at {place}", answer.name());
            }
        }
    }
}

#[test]
fn a_verified_answer_that_loses_a_telling_line_is_a_tool_error() {
    for answer in all_answers() {
        let run = answer.run();
        if Boogie.read(&run).outcome != Outcome::Verified {
            continue;
        }
        let lines: Vec<&str> = run.stdout.text.split_inclusive('\n').collect();
        for (missing, line) in lines.iter().enumerate() {
            let tells = line.starts_with("Verifying ")
                || line.contains(" proof obligation")
                || line.starts_with("Boogie program verifier finished");
            if tells {
                let text = [&lines[..missing], &lines[missing + 1..]].concat().concat();
                let outcome = Boogie.read(&with_stdout(&run, text)).outcome;
                assert_eq!(outcome, Outcome::ToolError, "{} without {line}", answer.name());
            }
        }
    }
}

#[test]
fn noise_changes_no_verdict() {
    let mut noisy = 0;
    for answer in all_answers() {
        let run = answer.run();
        let quiet = Boogie.without_noise(&run.stdout.text);
        assert!(!quiet.contains("model_compress") && !quiet.contains("Legal parameters"));
        noisy += usize::from(quiet != run.stdout.text);
        assert_eq!(Boogie.without_noise(&quiet), quiet);
        assert_eq!(Boogie.read(&with_stdout(&run, quiet)), Boogie.read(&run), "{}", answer.name());
    }
    assert!(noisy > 20);
}
