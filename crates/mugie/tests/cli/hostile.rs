//! File names and verifier messages that were chosen to do harm: printed commands are safe to paste
//! into a shell, and terminals and HTML pages show everything as plain text.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{Sandbox, assert_no_defects, commands, json, script};

/// Hostile file names.
const NAMES: [&[u8]; 16] = [
    b"two words.bpl",
    b"it's \"quoted\".bpl",
    b"$(touch owned).bpl",
    b"`touch owned`.bpl",
    b"a;touch owned&.bpl",
    b"new\nline.bpl",
    b"comment\nprocedure p();.bpl",
    b"red\x1b[31m\x1b]0;owned\x07.bpl",
    b"return\rover.bpl",
    b"tab\tand \\ backslash.bpl",
    b"looks like \\xff.bpl",
    b"bytes \xff\xfe \xc3.bpl",
    "bidi \u{202e}lpb.bpl".as_bytes(),
    b"star * [a-z] ?.bpl",
    b"~ ! {a,b} #.bpl",
    b"-n.bpl",
];

/// The path for a name in bytes. A slash separates a folder.
fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(name.to_vec()))
}

/// A seed with two clauses, whose order matters to the tool.
const SEED: &str = "procedure p(x: int) requires x > 0; requires x < 9; { assert true; }\n";

/// A verifier that fails if the two clauses are swapped.
const TOOL: &str = "
for file; do :; done
small=$(grep -n 'requires x > 0' \"$file\" | cut -d: -f1)
great=$(grep -n 'requires x < 9' \"$file\" | cut -d: -f1)
if [ ${small:-0} -gt ${great:-0} ]; then echo 'it finished with 0 verified, 1 error'; exit 1; fi
echo 'it finished with 1 verified, 0 errors'";

/// Runs a line as if it was pasted into a shell.
fn bash(sandbox: &Sandbox, line: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_mugie")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-c", line]).env("PATH", path).current_dir(sandbox.path("."));
    command.env("MUGIE_TRUST", "1");
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_no_defects(&output);
    output
}

/// Runs the two commands that reproduce a failing mutant.
#[track_caller]
fn assert_reproduced(sandbox: &Sandbox, lines: &[String]) {
    let [mutate, verify] = lines else { panic!("{lines:?}") };
    let made = bash(sandbox, mutate);
    assert!(made.status.success(), "{mutate}: {made:?}");
    let verified = bash(sandbox, verify);
    let said = String::from_utf8(verified.stdout).unwrap();
    assert_eq!(said, "it finished with 0 verified, 1 error\n", "{verify}");
    assert!(!sandbox.path("owned").exists(), "{lines:?}");
}

/// Checks that text consists of visible characters and line breaks.
#[track_caller]
fn assert_shown(text: &str) {
    let is_hidden = |c: char| c != '\n' && !mugie_core::is_visible(c);
    assert!(!text.contains(is_hidden), "{text:?}");
}

/// The commands that reproduce a failing mutant of a seed.
fn reproduce(report: &Value, seed: usize) -> Vec<String> {
    let lines = report["seeds"][seed]["witness"]["reproduce"].as_array().unwrap().iter();
    lines.map(|line| line.as_str().unwrap().to_owned()).collect()
}

const TEST: [&str; 10] = [
    "test",
    "-n",
    "1",
    "--verifier",
    "command",
    "--program",
    "./tool",
    "--operators",
    "L5",
    "--no-cache",
];

#[test]
fn printed_commands_reproduce_whatever_the_file_is_called() {
    let sandbox = Sandbox::empty();
    script(&sandbox, "tool", TOOL);
    // Every other file is in a folder that also has a hostile name.
    let files = NAMES.iter().zip([&b"./"[..], b"in\x1b \xfe\n/"].into_iter().cycle());
    let files: Vec<PathBuf> = files.map(|(name, folder)| path(&[folder, name].concat())).collect();
    for file in &files {
        fs::create_dir_all(sandbox.path(".").join(file).parent().unwrap()).unwrap();
        fs::write(sandbox.path(".").join(file), SEED).unwrap();
    }
    let run = |more: &[&str]| {
        let mut words: Vec<&OsStr> = TEST.iter().map(OsStr::new).collect();
        words.extend(files.iter().map(|file| file.as_os_str()));
        words.extend(more.iter().map(OsStr::new));
        let run = sandbox.run(&words);
        assert_eq!(run.code, 1, "{run:?}");
        assert_shown(&(run.stdout.clone() + &run.stderr));
        run
    };
    let report = json(&run(&["--json"]));
    for (number, name) in NAMES.iter().enumerate() {
        let seed = &report["seeds"][number];
        assert_eq!(seed["answer"], "brittle", "{name:?}: {seed}");
        let lines = reproduce(&report, number);
        for line in &lines {
            assert_shown(line);
        }
        assert_reproduced(&sandbox, &lines);
    }
    // A test of a single seed prints the commands in its text output, too.
    let one = sandbox.run(&[&TEST.map(OsStr::new)[..], &[files[5].as_os_str()]].concat());
    let line = reproduce(&report, 5).remove(0);
    assert!(one.stdout.contains(&line), "{line}\n{}", one.stdout);
    for format in ["text", "junit", "sarif", "github"] {
        run(&["--format", format, "--out", format]);
    }
}

#[test]
fn a_record_leads_back_to_its_seed_whatever_that_is_called() {
    for name in [&b"bytes \xff\xfe.bpl"[..], b"looks like \\xff.bpl", b"new\nline\x1b.bpl"] {
        let sandbox = Sandbox::empty();
        script(&sandbox, "tool", TOOL);
        let file = path(name);
        fs::write(sandbox.path(".").join(&file), SEED).unwrap();
        let words = ["mutate", "--operators", "L5", "--out", "made"].map(OsStr::new);
        let run = sandbox.run(&[&words[..], &[file.as_os_str()]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        let list = fs::read_to_string(sandbox.path("made/mutants.jsonl")).unwrap();
        let row: Value = serde_json::from_str(list.lines().next().unwrap()).unwrap();
        let mutant = format!("made/{}", row["files"][0].as_str().unwrap());
        assert_shown(&mutant);
        assert_shown(&fs::read_to_string(sandbox.path(&mutant)).unwrap());
        let checked = sandbox.run(&["check", &mutant]);
        assert_eq!(checked.code, 0, "{checked:?}");
        let words = ["minimise", &mutant, "--verifier", "command", "--program", "./tool"];
        let run = sandbox.run(&[&words[..], &["--no-program", "--out", "small"]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        assert_shown(&(run.stdout + &run.stderr));
        // A pipe receives the raw bytes of a folder's name.
        let out = Path::new("to").join(path(name).with_extension("x"));
        let words = ["mutate", "--operators", "L5", "--out"].map(OsStr::new);
        let output = sandbox.command().args(words).args([&out, &file]).output().unwrap();
        assert_eq!(output.stdout, [out.as_os_str().as_bytes(), b"\n"].concat());
    }
}

#[test]
fn a_campaign_reproduces_whatever_its_seeds_are_called() {
    let plan = "name = 'hostile'\n[seeds]\npaths = ['seeds']\n[[batch]]\nname = 'L5'\nmutants = 1\n\
                [[tool]]\nname = 'tool'\nverifier = 'command'\nprogram = './tool'\n";
    let sandbox = Sandbox::new(&[("plan.toml", plan)]);
    script(&sandbox, "tool", TOOL);
    fs::create_dir(sandbox.path("seeds")).unwrap();
    for name in NAMES {
        fs::write(sandbox.path("seeds").join(path(name)), SEED).unwrap();
    }
    for words in [
        &["campaign", "plan", "plan.toml"][..],
        &["campaign", "run", "plan.toml", "--no-fail"],
        &["campaign", "status", "plan.toml"],
        &["campaign", "table", "plan.toml", "all"],
        &["campaign", "table", "plan.toml", "all", "--format", "csv"],
        &["campaign", "table", "plan.toml", "all", "--format", "markdown"],
        &["campaign", "table", "plan.toml", "all", "--format", "latex"],
        &["campaign", "report", "plan.toml"],
    ] {
        let run = sandbox.run(words);
        assert_eq!(run.code, 0, "{run:?}");
        assert_shown(&(run.stdout + &run.stderr));
    }
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    assert_shown(&page.replace('\t', ""));
    let lines = commands(&page);
    let made = lines.iter().filter(|line| line.starts_with("mugie mutate"));
    // Once among the brittle seeds, and once in the section of each.
    let made: BTreeSet<&String> = made.collect();
    assert_eq!(made.len(), NAMES.len(), "{lines:?}");
    for line in &lines {
        let output = bash(&sandbox, line);
        assert!(output.status.success(), "{line}: {output:?}");
    }
    assert!(!sandbox.path("owned").exists());
}

/// A message in the program, which Boogie prints unchanged.
const MESSAGE: &str = "red \u{1b}[31m \u{7} </script><img src=x onerror=alert(1)> ]]> --> <![CDATA[ \
                       ::error::owned %0A {0} [a](b) ' & $x_1 #~^";

/// A brittle procedure, whose failing assertion prints the message.
fn talkative() -> String {
    format!(
        "procedure q(i: int, j: int) requires j <= 5; requires i <= j; {{ var k: int; k := i; \
         while (*) {{ k := k - 1; }} assert {{:msg \"{MESSAGE}\"}} k <= 5; }}\n"
    )
}

/// Checks that each format contains a message or a name, and only as plain text.
fn check_formats(sandbox: &Sandbox, words: &[&str], hostile: &str) {
    let run = |format: &str| {
        let run = sandbox.run(&[words, &["--no-cache", "--format", format]].concat());
        assert_eq!(run.code, 1, "{run:?}");
        assert_shown(&(run.stdout.clone() + &run.stderr));
        run.stdout
    };
    let shown = mugie_core::escaped(hostile);
    assert!(run("text").contains(&shown), "text");
    let json: Value = serde_json::from_str(&run("json")).unwrap();
    let change = &json["seeds"][0]["flips"][0]["changes"][0];
    let said = [&change["procedure"], &change["failures"][0]["message"]];
    assert!(said.iter().any(|said| **said == hostile), "{change}");
    let junit = run("junit");
    let document = roxmltree::Document::parse(&junit).unwrap();
    let failures = || document.descendants().filter(|node| node.has_tag_name("failure"));
    assert_eq!(failures().count(), 1);
    let failure = failures().next().unwrap();
    let said = [failure.attribute("message"), failure.text()].map(Option::unwrap_or_default);
    assert!(said.iter().any(|said| said.contains(&shown)), "{junit}");
    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    let text = sarif["runs"][0]["results"][0]["message"]["text"].as_str().unwrap();
    // SARIF's syntax for placeholders and links is escaped.
    let plain = shown.replace('{', "{{").replace('}', "}}").replace("](", "\\](");
    assert!(text.contains(&plain), "{text}");
    let github = run("github");
    assert_eq!(github.lines().count(), 1, "{github}");
    assert!(github.starts_with("::error file=seed.bpl,"), "{github}");
    assert!(github.contains(&shown.replace('%', "%25")), "{github}");
}

/// Checks the HTML report in a browser, if one is installed.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn check_page(sandbox: &Sandbox, hostile: &str) {
    let shown = mugie_core::escaped(hostile);
    let shown = shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let page = format!("file://{}", fs::canonicalize(sandbox.path("plan.html")).unwrap().display());
    let flags = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &page];
    let profile = format!("--user-data-dir={}", sandbox.path("profile").display());
    let mut browser = Command::new("timeout");
    browser.args(["-k", "5", "120", "chromium", &profile]).args(flags);
    let output = browser.stdin(Stdio::null()).output().unwrap();
    if output.status.code() == Some(127) {
        eprintln!("there is no chromium: the page was not looked at by a browser");
        return;
    }
    let dom = String::from_utf8(output.stdout).unwrap();
    assert!(dom.contains(&shown), "{shown}\n{dom}");
    assert_eq!(dom.matches("<script").count(), 1);
    assert!(!dom.contains("<img") && !dom.contains(" onerror=alert(1)>\""), "{dom}");
}

#[test]
fn messages_of_boogie_are_text_in_every_format() {
    let plan = "name = 'hostile'\n[seeds]\npaths = ['seed.bpl']\n[[batch]]\nname = 'L5'\n\
                mutants = 1\n[[tool]]\nname = 'tool'\nverifier = 'boogie'\n";
    let sandbox = Sandbox::new(&[("seed.bpl", talkative().as_str()), ("plan.toml", plan)]);
    let words = ["test", "seed.bpl", "--operators", "L5", "-n", "1", "--max-attempts", "50"];
    check_formats(&sandbox, &words, MESSAGE);
    for words in
        [&["campaign", "run", "plan.toml", "--no-fail"][..], &["campaign", "report", "plan.toml"]]
    {
        let run = sandbox.run(words);
        assert_eq!(run.code, 0, "{run:?}");
        assert_shown(&(run.stdout + &run.stderr));
    }
    check_page(&sandbox, MESSAGE);
}

/// A definition that takes anything after a certain word as the name of a procedure.
const DEFINITION: &str = r"
title = 'Tool'
about = 'Says what it likes'
input = 'boogie'
arguments = ['{files}']
[program]
names = []
[[verdict]]
is = 'failed'
scope = 'procedure'
pattern = '^BAD (?<name>.+)$'
[[verdict]]
is = 'verified'
scope = 'procedure'
pattern = '^GOOD (?<name>.+)$'
[[verdict]]
is = 'failed'
pattern = '^some bad$'
[[verdict]]
is = 'verified'
pattern = '^all good$'
";

#[test]
fn names_and_bytes_of_a_verifier_are_text_in_every_format() {
    let plan = "name = 'hostile'\n[seeds]\npaths = ['seed.bpl']\n[[batch]]\nname = 'L5'\n\
                mutants = 1\n[[tool]]\nname = 'tool'\nverifier = './fake.toml'\nprogram = './tool'\n";
    let sandbox =
        Sandbox::new(&[("seed.bpl", SEED), ("plan.toml", plan), ("fake.toml", DEFINITION)]);
    // Bytes that are not UTF-8, and line breaks other than that of Unix.
    let name =
        b"\x1b]0;owned\x07 \xff\xfe </script><img src=x onerror=alert(1)> ]]> ::error::x %0A \
                 \xe2\x80\xa8 \xc2\x85 \x0b \xe2\x80\xae {0} [a](b) '\"& \\ $x_1 #~^";
    fs::write(sandbox.path("name"), name).unwrap();
    let tool = "
for file; do :; done
small=$(grep -n 'requires x > 0' \"$file\" | cut -d: -f1)
great=$(grep -n 'requires x < 9' \"$file\" | cut -d: -f1)
if [ ${small:-0} -gt ${great:-0} ]; then word=BAD all='some bad'; else word=GOOD all='all good'; fi
printf '%s ' $word; cat NAME; echo; echo \"$all\"";
    let at = fs::canonicalize(sandbox.path("name")).unwrap();
    script(&sandbox, "tool", &tool.replace("NAME", at.to_str().unwrap()));
    let words = ["test", "seed.bpl", "--verifier", "./fake.toml", "--program", "./tool"];
    let words = [&words[..], &["--operators", "L5", "-n", "1", "--max-attempts", "50"]].concat();
    check_formats(&sandbox, &words, &String::from_utf8_lossy(name));
    for words in [
        &["campaign", "run", "plan.toml", "--no-fail"][..],
        &["campaign", "report", "plan.toml"],
        &["campaign", "table", "plan.toml", "all"],
    ] {
        let run = sandbox.run(words);
        assert_eq!(run.code, 0, "{run:?}");
        assert_shown(&(run.stdout + &run.stderr));
    }
    check_page(&sandbox, &String::from_utf8_lossy(name));
    // A very long name does not fill the screen.
    fs::write(sandbox.path("name"), "x".repeat(1 << 20)).unwrap();
    let run = sandbox.run(&[&words[..], &["--no-cache"]].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    let longest = run.stdout.lines().map(str::len).max().unwrap();
    assert!(longest < 2_000, "{longest}");
}
