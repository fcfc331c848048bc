//! Supervised runs of a verifier that misbehaves: each ends as it should and leaves nothing.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed test should panic")]

mod cases;

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor};
use mugie_verifiers::{CommandLine, Ending, Limit, Limits, Run};

use cases::{
    Case, MISBEHAVE, MUGIE_KEEPER, keeper, processes_with, run, seconds, supervising, wait_until,
};

/// A limit that no run here reaches unless the test wants it to.
fn generous() -> Limits {
    Limits { time: Duration::from_mins(2), ..Limits::default() }
}

/// The fields of `/proc/PID/stat` after the name: state, parent, and so on.
fn stat(pid: &str) -> Vec<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().map(str::to_owned).collect()
}

/// A figure of this process in `/proc/self/status`, in KiB.
fn own_status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn quiet_success_is_an_exit() {
    let run = run("exit", &["0"], &generous());
    assert_eq!(run.ending, Ending::Exited(0));
    assert_eq!((run.stdout.text.as_str(), run.stderr.text.as_str()), ("", ""));
    assert!(!run.stdout.truncated && !run.stderr.truncated);
    assert!(run.usage.wall > Duration::ZERO && run.usage.memory > 0);
}

#[test]
fn exit_codes_are_kept() {
    for code in [1, 42, 255] {
        assert_eq!(run("exit", &[&code.to_string()], &generous()).ending, Ending::Exited(code));
    }
}

#[test]
fn streams_are_kept_apart() {
    let run = run("say", &[], &generous());
    assert_eq!(run.ending, Ending::Exited(0));
    assert_eq!(run.stdout.text, "to stdout\n");
    assert_eq!(run.stderr.text, "to stderr\n");
}

#[test]
fn death_by_signal_is_told() {
    assert_eq!(run("die", &[], &generous()).ending, Ending::Signaled(6));
}

#[test]
fn death_by_a_signal_without_a_name_is_told() {
    let case = Case::new("exit", &["0"]);
    let arguments = ["-c", "kill -40 $$", &case.marker].map(OsString::from).to_vec();
    let command = CommandLine { program: "/bin/sh".into(), arguments, ..case.command.clone() };
    let run = Supervisor::new(keeper()).run(&command, &generous());
    assert_eq!(run.ending, Ending::Signaled(40));
}

#[test]
fn garbage_is_survived() {
    let run = run("garbage", &[], &generous());
    assert_eq!(run.ending, Ending::Exited(0));
    assert!(run.stdout.text.contains('\u{fffd}'));
    assert_eq!(run.stdout, run.stderr);
}

#[test]
fn sleep_ends_at_the_time_limit() {
    let run = run("sleep", &[], &seconds(0.3));
    assert_eq!(run.ending, Ending::Limited(Limit::Time));
    assert!(run.usage.wall >= Duration::from_millis(300));
    assert!(run.usage.cpu < Duration::from_millis(200));
}

#[test]
fn work_ends_at_the_limit_of_processor_time() {
    let limits = Limits { cpu: Some(Duration::from_millis(200)), ..generous() };
    let run = run("burn", &[], &limits);
    assert_eq!(run.ending, Ending::Limited(Limit::Cpu));
    assert!(run.usage.cpu >= Duration::from_millis(200));
}

#[test]
fn time_on_a_crowded_machine_is_processor_time() {
    let supervisor = Supervisor::new(keeper());
    let crowd = 2 * thread::available_parallelism().unwrap().get().min(4);
    thread::scope(|scope| {
        let runs: Vec<_> = (0..crowd)
            .map(|_| scope.spawn(|| Case::new("burn", &[]).run(&supervisor, &seconds(0.5))))
            .collect();
        for run in runs {
            let Run { ending, usage, .. } = run.join().unwrap();
            let got_its_time = usage.cpu >= Duration::from_millis(450);
            match ending {
                Ending::Limited(Limit::Time) => assert!(got_its_time, "{usage:?}"),
                // On a busy machine.
                Ending::Limited(Limit::Overload) => assert!(usage.wall >= Duration::from_secs(5)),
                other => panic!("{other:?}"),
            }
        }
    });
}

#[test]
fn endless_allocation_ends_at_the_memory_limit() {
    let run = run("allocate", &[], &Limits { memory: Some(200 << 20), ..generous() });
    assert_eq!(run.ending, Ending::Limited(Limit::Memory));
    assert!(run.usage.memory > 200 << 20);
}

#[test]
fn flood_ends_at_the_output_limit() {
    let run = run("flood", &["1000000000"], &Limits { output: 5 << 20, ..generous() });
    assert_eq!(run.ending, Ending::Limited(Limit::Output));
    assert!(run.stdout.truncated);
    assert!(run.stdout.text.len() < 3 << 20);
}

#[test]
fn output_just_over_the_limit_is_too_much_even_if_the_run_was_faster() {
    assert_eq!(
        run("flood", &["1000"], &Limits { output: 999, ..generous() }).ending,
        Ending::Limited(Limit::Output)
    );
    let limits = Limits { output: 1000, ..generous() };
    assert_eq!(run("flood", &["1000"], &limits).ending, Ending::Exited(0));
}

#[test]
fn flood_is_not_stored() {
    let run = run("flood", &["1000000000"], &Limits { output: u64::MAX, ..generous() });
    assert_eq!(run.ending, Ending::Exited(0));
    assert!(run.stdout.truncated);
    assert!(run.stdout.text.starts_with("0123456789"));
    assert!(run.stdout.text.len() < 3 << 20);
    assert!(own_status("VmHWM") < 200 << 10);
}

#[test]
fn closed_streams_do_not_end_a_run() {
    let run = run("close-streams", &[], &seconds(0.3));
    assert_eq!(run.ending, Ending::Limited(Limit::Time));
}

#[test]
fn child_that_holds_the_streams_does_not_delay_the_end() {
    assert_eq!(run("leave", &[], &generous()).ending, Ending::Exited(3));
}

#[test]
fn children_that_escaped_are_ended() {
    assert_eq!(run("leave-escaped", &[], &generous()).ending, Ending::Exited(4));
    assert_eq!(run("wait-with-escaped", &[], &seconds(0.5)).ending, Ending::Limited(Limit::Time));
}

#[test]
fn processes_that_run_away_are_caught() {
    let run = run("flee", &[], &generous());
    assert_eq!(run.ending, Ending::Exited(0));
}

#[test]
fn usage_includes_that_of_grandchildren() {
    let run = run("delegate", &["1"], &generous());
    assert_eq!(run.ending, Ending::Exited(0));
    assert!(run.usage.cpu >= Duration::from_millis(500), "{:?}", run.usage);
    assert!(run.usage.memory >= 100 << 20, "{:?}", run.usage);
}

#[test]
fn program_that_cannot_start_is_lost() {
    let supervisor = Supervisor::new(keeper());
    let case = Case::new("exit", &["0"]);
    let lost = |program: &str, directory: &Path| {
        let (program, directory) = (program.into(), directory.into());
        let command = CommandLine { program, directory, ..case.command.clone() };
        match supervisor.run(&command, &generous()).ending {
            Ending::Lost(reason) => reason,
            other => panic!("{other:?}"),
        }
    };
    let here = case.directory.path();
    assert_eq!(lost("/no/such", here), "cannot start /no/such: No such file or directory");
    assert_eq!(lost("/etc/passwd", here), "cannot start /etc/passwd: Permission denied");
    assert_eq!(
        lost(MISBEHAVE, Path::new("/no/such")),
        "cannot run in /no/such: No such file or directory"
    );
    assert!(lost("sh", here).starts_with("cannot start /"), "names are not searched for");
    assert!(lost(MISBEHAVE, Path::new(".")).contains(" contains the current directory, "));
    assert!(lost("/bin/\0", here).starts_with("cannot start /bin/\0: "));
    assert!(here.join("mutant.bpl").exists());
}

#[test]
fn run_without_a_keeper_is_lost() {
    let case = Case::new("exit", &["0"]);
    let lost = |program: &str, arguments: &[&str]| {
        let arguments = arguments.iter().map(OsString::from).collect();
        let environment = Vec::new();
        let supervisor =
            Supervisor::new(Keeper { program: program.into(), arguments, environment });
        match case.run(&supervisor, &generous()).ending {
            Ending::Lost(reason) => reason,
            other => panic!("{other:?}"),
        }
    };
    assert!(lost("/no/such", &[]).starts_with("cannot start its keeper: "));
    assert_eq!(lost("/bin/true", &[]), "its keeper ended early (exit status: 0)");
    assert_eq!(
        lost("/bin/sh", &["-c", "kill -9 $$"]),
        "its keeper ended early (signal: 9 (SIGKILL))"
    );
}

#[test]
fn this_program_can_be_its_own_keeper() {
    let Keeper { program, arguments, .. } = Keeper::this_program();
    assert_eq!(program.canonicalize().unwrap(), std::env::current_exe().unwrap());
    assert_eq!(arguments, [KEEPER]);
}

#[test]
fn keeper_that_is_asked_to_end_ends_its_run() {
    for (signal, reason) in [
        ("TERM", "its keeper was ended by SIGTERM"),
        ("KILL", "its keeper ended early (signal: 9 (SIGKILL))"),
    ] {
        let case = Case::new("sleep", &[]);
        let supervisor = Supervisor::new(keeper());
        let run = thread::scope(|scope| {
            let run = scope.spawn(|| supervisor.run(&case.command, &generous()));
            wait_until("the verifier runs", || !processes_with(&case.marker).is_empty());
            let verifier = processes_with(&case.marker)[0];
            let keeper = &stat(&verifier.to_string())[1];
            wait_until("the keeper waits", || stat(keeper)[0] == "S");
            let status = Command::new("kill").args(["-s", signal, keeper]).status().unwrap();
            assert!(status.success());
            run.join().unwrap()
        });
        assert_eq!(run.ending, Ending::Lost(reason.to_owned()));
        wait_until("no process is left", || processes_with(&case.marker).is_empty());
        assert!(case.directory.path().join("mutant.bpl").exists());
    }
}

/// A run that prints its keeper, and the process id that it prints.
fn keeper_of_a_run(supervisor: &Supervisor) -> (Run, String) {
    let mut case = Case::new("exit", &["0"]);
    case.command.program = "/bin/sh".into();
    case.command.arguments = ["-c", "echo $PPID"].map(OsString::from).into();
    let run = case.run(supervisor, &generous());
    assert_eq!(run.ending, Ending::Exited(0));
    let keeper = run.stdout.text.trim().to_owned();
    (run, keeper)
}

#[test]
fn a_keeper_does_one_run_after_another() {
    let supervisor = Supervisor::new(keeper());
    let (_, keeper) = keeper_of_a_run(&supervisor);
    let large = Case::new("delegate", &["1"]).run(&supervisor, &generous());
    assert!(large.usage.memory >= 100 << 20, "{:?}", large.usage);
    // Each run is measured by itself, and its output is its own.
    let (small, same) = keeper_of_a_run(&supervisor);
    assert_eq!(same, keeper);
    assert!(small.usage.memory < 50 << 20, "{:?}", small.usage);
    assert!(small.usage.cpu < large.usage.cpu / 2, "{:?}", small.usage);
    let surroundings = || {
        let case = Case::new("surroundings", &[]);
        let text = case.run(&supervisor, &generous()).stdout.text;
        let text = text.replace(&case.directory.path().display().to_string(), "DIRECTORY");
        // All but the list of open files itself.
        text.lines().filter(|line| !line.contains("/proc/")).collect::<Vec<_>>().join("\n")
    };
    let first = surroundings();
    assert_eq!(first, surroundings());
    assert_eq!(keeper_of_a_run(&supervisor).1, keeper);
    // A keeper that was told to end its run is not asked again.
    let flood = Case::new("flood", &["1000000"]);
    let limits = Limits { output: 1000, ..generous() };
    assert_eq!(flood.run(&supervisor, &limits).ending, Ending::Limited(Limit::Output));
    assert_ne!(keeper_of_a_run(&supervisor).1, keeper);
    wait_until("the first keeper is gone", || !Path::new("/proc").join(&keeper).exists());
}

#[test]
fn a_waiting_keeper_ends_with_its_supervisor_and_is_replaced_if_it_was_killed() {
    let supervisor = Supervisor::new(keeper());
    let (_, first) = keeper_of_a_run(&supervisor);
    assert!(Command::new("kill").args(["-KILL", &first]).status().unwrap().success());
    wait_until("the keeper has ended", || stat(&first)[0] == "Z");
    let (_, second) = keeper_of_a_run(&supervisor);
    assert_ne!(first, second);
    assert!(Path::new("/proc").join(&second).exists());
    drop(supervisor);
    assert!(!Path::new("/proc").join(&second).exists());
}

#[test]
fn arguments_need_not_be_text() {
    let odd = OsString::from_vec(vec![b'%', b's', 0xff]);
    let case = Case::new("exit", &["0"]);
    let command = CommandLine {
        program: "/usr/bin/printf".into(),
        arguments: vec![odd, "x".into()],
        ..case.command
    };
    let run = Supervisor::new(keeper()).run(&command, &generous());
    assert_eq!((run.ending, run.stdout.text.as_str()), (Ending::Exited(0), "x\u{fffd}"));
}

#[test]
fn a_run_has_its_own_variables() {
    let case = Case::new("exit", &["0"]);
    let arguments = vec!["-c".into(), "echo $MUGIE_ODD$HOME".into()];
    let environment = vec![("MUGIE_ODD".into(), "a b".into()), ("HOME".into(), "/c".into())];
    let command = CommandLine { program: "/bin/sh".into(), arguments, environment, ..case.command };
    let run = Supervisor::new(keeper()).run(&command, &generous());
    assert_eq!((run.ending, run.stdout.text.as_str()), (Ending::Exited(0), "a b/c\n"));
}

#[test]
fn long_command_lines_are_passed_on() {
    let case = Case::new("exit", &["0"]);
    let arguments =
        [&["exit".into(), "x".into(), "7".into()][..], &vec!["y".repeat(1000).into(); 1000]];
    let command = CommandLine { arguments: arguments.concat(), ..case.command };
    assert_eq!(Supervisor::new(keeper()).run(&command, &generous()).ending, Ending::Exited(7));
}

#[test]
fn verifier_inherits_nothing_of_the_supervision() {
    let supervisor = Supervisor::new(keeper());
    let texts: Vec<String> = thread::scope(|scope| {
        let runs = [(); 4].map(|()| {
            scope.spawn(|| {
                let case = Case::new("surroundings", &[]);
                let run = case.run(&supervisor, &generous());
                assert_eq!(run.ending, Ending::Exited(0), "{}", run.stderr.text);
                let directory = case.directory.path().canonicalize().unwrap();
                run.stdout.text.replace(directory.to_str().unwrap(), "DIRECTORY")
            })
        });
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let own = |text: &str| {
        let line = |line: &&str| {
            !["file 1 ", "file 2 "].iter().any(|own| line.starts_with(own))
                && !line.contains("/proc/")
        };
        text.lines().filter(line).map(str::to_owned).collect::<Vec<_>>()
    };
    for text in &texts {
        assert!(text.starts_with("directory DIRECTORY\nTMPDIR DIRECTORY\n"), "{text}");
        assert!(text.contains("\nSigBlk: 0000000000000000\n"), "{text}");
        assert!(text.contains("\nfile 0 /dev/null\n"), "{text}");
        assert!(text.contains("\ncore 0\n"), "{text}");
        // Leaked sockets and pipes would show: their numbers differ between runs.
        assert_eq!(own(text), own(&texts[0]));
    }
}

#[test]
fn hundred_timeouts_leave_nothing() {
    let supervisor = Supervisor::new(keeper());
    let next = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < 100 {
                    let run = Case::new("sleep", &[]).run(&supervisor, &seconds(0.05));
                    assert_eq!(run.ending, Ending::Limited(Limit::Time));
                }
            });
        }
    });
}

#[test]
fn cancelling_ends_all_runs_and_starts_none() {
    let supervisor = Supervisor::new(keeper());
    let cases = [(); 3].map(|()| Case::new("wait-with-escaped", &[]));
    thread::scope(|scope| {
        let runs = cases.each_ref().map(|case| scope.spawn(|| case.run(&supervisor, &generous())));
        for case in &cases {
            wait_until("the run is under way", || case.directory.path().join("ready").exists());
        }
        supervisor.cancel();
        for run in runs {
            assert_eq!(run.join().unwrap().ending, Ending::Cancelled);
        }
    });
    assert!(supervisor.is_cancelled());
    let after = Case::new("exit", &["0"]).run(&supervisor, &generous());
    assert_eq!(after.ending, Ending::Cancelled);
}

#[test]
fn nothing_outlives_the_supervising_process() {
    for shared in [false, true] {
        let case = Case::new("exit", &["0"]);
        let outer = case.directory.path().join("outer");
        let (mut child, directory) = supervising(&case, &["wait-with-escaped"], &outer);
        wait_until("the run is under way", || directory.join("ready").exists());
        if shared {
            fs::create_dir(outer.join("another")).unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        wait_until("no process is left", || processes_with(&case.marker).is_empty());
        wait_until("the directory is gone", || !directory.exists());
        wait_until("and the one around it, if empty", || outer.exists() == shared);
        assert!(case.directory.path().join("mutant.bpl").exists());
    }
}

/// The supervising process adopts all processes that a keeper leaves, zombies included, and prints
/// their number.
#[test]
fn not_even_a_zombie_is_left() {
    for (how, ending) in [
        (&["exit", "5"][..], "Exited(5)"),
        (&["leave-escaped"], "Exited(4)"),
        (&["flee"], "Exited(0)"),
    ] {
        let case = Case::new("exit", &["0"]);
        let (child, _) = supervising(&case, how, case.directory.path());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{ending}, 0 left"));
    }
}

#[test]
fn supervision_works_where_the_ends_of_children_are_ignored() {
    let case = Case::new("exit", &["0"]);
    let directory = case.directory.path().join("run");
    fs::create_dir(&directory).unwrap();
    let output = Command::new("sh")
        .args(["-c", "trap '' CHLD; exec \"$@\"", "sh"])
        .args([MISBEHAVE, "supervise", &case.marker, MUGIE_KEEPER, "leave-escaped"])
        .arg(&directory)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Exited(4), 0 left");
    assert_eq!(processes_with(&case.marker), [0; 0]);
}
