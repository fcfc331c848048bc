//! The next mugie removes the files that a killed mugie has left, and no others.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use crate::support::{Sandbox, processes, script, wait_until};

const SEED: &str =
    "procedure p(x: int) { assert x == x; }\nprocedure q(x: int) { assert x == x; }\n";

/// A verifier that runs the shell code `before`, then verifies everything.
fn content(before: &str) -> String {
    format!(
        "{before}
         echo 'Verifying p ...  [1 proof obligation]  verified'
         echo 'it finished with 1 verified, 0 errors'"
    )
}

/// A sandbox with a seed and folders for temporary files and the cache.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(&[("seed.bpl", SEED)]);
    fs::create_dir(sandbox.path("tmp")).unwrap();
    sandbox
}

fn test_with(sandbox: &Sandbox, verifier: &str) -> Command {
    let mut command = sandbox.command();
    let program = format!("./{verifier}");
    command.args(["test", "seed.bpl", "-n", "1", "-j", "1", "--verifier", "command", "--program"]);
    command.arg(program).env("TMPDIR", sandbox.path("tmp"));
    command.env("MUGIE_CACHE", sandbox.path("cache"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The number of entries in the folder for temporary files.
fn temporary(sandbox: &Sandbox) -> usize {
    fs::read_dir(sandbox.path("tmp")).unwrap().count()
}

/// Starts a test and waits until its verifier runs, which the verifier notes in a file.
fn under_way(sandbox: &Sandbox, before: &str) -> Child {
    let log = sandbox.path("log");
    script(sandbox, "slow", &content(&format!("echo >> {}\n{before}", log.display())));
    let child = test_with(sandbox, "slow").spawn().unwrap();
    wait_until("the verifier runs", || log.exists());
    child
}

#[test]
fn a_watchdog_that_was_stopped_ends_with_the_next_run() {
    let sandbox = sandbox();
    let mut child = under_way(&sandbox, "kill -STOP $PPID; sleep 38.651");
    child.kill().unwrap();
    child.wait().unwrap();
    script(&sandbox, "quick", &content(""));
    let output = test_with(&sandbox, "quick").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let folder = sandbox.path("tmp");
    let of_run = || processes("38.651").len() + processes(folder.to_str().unwrap()).len();
    assert_eq!(of_run(), 0);
    assert_eq!(temporary(&sandbox), 0);
}

#[test]
fn the_next_run_leaves_what_another_one_is_at_work_with() {
    let sandbox = sandbox();
    let go = sandbox.path("go");
    // Wait for at most ten seconds.
    let wait = "for i in $(seq 100); do test -e \"$GO\" && break; sleep 0.1; done";
    let child = under_way(&sandbox, &wait.replace("$GO", go.to_str().unwrap()));
    let before = temporary(&sandbox);
    // A leftover folder in the directory that the running mugie also uses.
    fs::create_dir(sandbox.path("tmp/mugie-run-0123456789ab")).unwrap();
    script(&sandbox, "quick", &content(""));
    let output = test_with(&sandbox, "quick").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!((before, temporary(&sandbox)), (1, 1));
    fs::write(&go, "").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(temporary(&sandbox), 0);
}

#[test]
fn drafts_beside_what_is_written_go_and_other_files_stay() {
    let sandbox = sandbox();
    fs::create_dir_all(sandbox.path(".mugie-Ab12Cd.tmp/inside")).unwrap();
    fs::write(sandbox.path(".mugie-Ab12Cd34Ef56.tmp"), "").unwrap();
    for mine in [".mugie-notes.txt", "mugie-abcdef.tmp", "tmp/mugie-output"] {
        fs::write(sandbox.path(mine), "").unwrap();
    }
    let before = sandbox.names().len();
    let run = sandbox.run(&["mutate", "seed.bpl", "-n", "1"]);
    assert_eq!(run.code, 0, "{run:?}");
    let names = sandbox.names();
    assert_eq!(names.len(), before - 2 + 1, "{names:?}");
    // Drafts are also removed if the command fails and writes nothing.
    fs::write(sandbox.path(".mugie-Ab12Cd34Ef56.tmp"), "").unwrap();
    assert_eq!(sandbox.run(&["mutate", "seed.bpl", "-n", "1"]).code, 2);
    assert_eq!(sandbox.names(), names);
}

#[test]
fn folders_of_runs_and_the_cache_are_for_the_user_alone() {
    let sandbox = sandbox();
    let log = sandbox.path("modes");
    let look = format!("stat -c %a .. >> {}", log.display());
    script(&sandbox, "quick", &content(&look));
    let output = test_with(&sandbox, "quick").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let modes = fs::read_to_string(&log).unwrap();
    assert!(modes.lines().count() > 1 && modes.lines().all(|mode| mode == "700"), "{modes}");
    let mode = |name: &str| fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("cache"), mode("cache/verdicts-2.sqlite")), (0o700, 0o600));
}

#[test]
fn a_cache_that_others_may_write_to_is_not_used() {
    let sandbox = sandbox();
    script(&sandbox, "quick", &content(""));
    fs::create_dir(sandbox.path("cache")).unwrap();
    fs::set_permissions(sandbox.path("cache"), fs::Permissions::from_mode(0o777)).unwrap();
    let output = test_with(&sandbox, "quick").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("others may write to") && said.contains("chmod"), "{said}");
    assert_eq!(fs::read_dir(sandbox.path("cache")).unwrap().count(), 0);
}
