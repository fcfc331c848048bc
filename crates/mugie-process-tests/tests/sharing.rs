//! Programs that share a process of the real Boogie have the verdicts and the queries that they have
//! alone, also where Boogie mixes the programs up.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed test should panic")]

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use mugie_core::{Files, Outcome, Sharing};
use mugie_exec::{Executor, Local, Request, Settled};
use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::tap::{self, Tap};
use mugie_verifiers::{Limits, Registry, Verifier, VerifierOptions};
use tempfile::TempDir;

/// A program about `f`, with the axiom that all of its values are the given one.
fn constant(value: u32) -> String {
    format!(
        "function f(x: int): int;\n\
         axiom (forall x: int :: {{f(x)}} f(x) == {value});\n\
         procedure p() {{ assert true; assert f(1) == f(2); }}\n\
         procedure q() {{ assert f(0) == 1; }}\n"
    )
}

/// Some of Dafny's options: what matters to sharing.
const DAFNY: [&str; 5] =
    ["/typeEncoding:a", "/prune:1", "/normalizeNames:1", "/emitDebugInformation:0", "/infer:j"];

/// Boogie 3: the program in `MUGIE_BOOGIE_3`, or the one that is unpacked in the cache. Prints a
/// message if there is none.
#[expect(clippy::print_stderr, reason = "a test says why it skips")]
fn boogie_3() -> Option<PathBuf> {
    let named = env::var_os("MUGIE_BOOGIE_3").map(PathBuf::from);
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".cache/boogie-3/bin/boogie"));
    let found = named.or_else(home).filter(|path| path.exists());
    if found.is_none() {
        eprintln!("SKIPPED: Boogie 3 is not installed; MUGIE_BOOGIE_3 can name it");
    }
    found
}

fn verifier(program: Option<PathBuf>, arguments: &[&str]) -> Arc<Verifier> {
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let options = VerifierOptions { program, arguments, ..VerifierOptions::default() };
    Arc::new(Registry::load().unwrap().resolve("boogie", &options).unwrap())
}

/// An executor of shared processes with a tap, whose answers are cached in a folder.
fn executor(verifier: &Arc<Verifier>, folder: &TempDir) -> Local {
    let keeper = Keeper {
        program: env!("CARGO_BIN_EXE_mugie-keeper").into(),
        arguments: Vec::new(),
        environment: Vec::new(),
    };
    let supervisor = Arc::new(Supervisor::new(keeper));
    let limits = Limits { time: Duration::from_mins(2), ..Limits::default() };
    let local = Local::new(Arc::clone(verifier), supervisor, limits, 0, NonZeroUsize::MIN);
    let tap = Tap {
        program: env!("CARGO_BIN_EXE_mugie-tap").into(),
        answers: Some(folder.path().join("answers")),
        capacity: tap::CAPACITY,
        queries: None,
    };
    local.unwrap().with_shared_processes().with_tap(tap).unwrap()
}

fn request(text: &str, sharing: Sharing) -> Request {
    let files = Files(vec![("a.bpl".to_owned(), text.to_owned())]);
    Request { sharing, ..Request::new("boogie", files) }
}

/// The results for programs in their order.
fn settled(executor: &Local, requests: &[Request]) -> Vec<Settled> {
    let mut found: Vec<Option<Settled>> = vec![None; requests.len()];
    executor.verify(requests, &mut |place, settled| {
        found[place] = Some(settled);
        ControlFlow::Continue(())
    });
    found.into_iter().map(Option::unwrap).collect()
}

/// For each program, its outcome, whether it shared a process, and its queries.
fn facts(all: &[Settled]) -> Vec<(Outcome, bool, Vec<String>)> {
    let fact = |settled: &Settled| {
        let queries = settled.queries.iter().map(|query| query.fingerprint.clone()).collect();
        (settled.verdict.outcome, settled.together, queries)
    };
    all.iter().map(fact).collect()
}

/// Verifies programs in a shared process, and each alone, and compares what the solver received.
fn is_as_if_alone(verifier: &Arc<Verifier>, requests: &[Request]) -> Vec<Outcome> {
    let folder = TempDir::new().unwrap();
    let shared = facts(&settled(&executor(verifier, &folder), requests));
    let each = requests.iter().flat_map(|request| {
        facts(&settled(&executor(verifier, &folder), std::slice::from_ref(request)))
    });
    for (number, (shared, alone)) in shared.iter().zip(each).enumerate() {
        assert!(shared.1 && !alone.1, "program {number}: {shared:?}, {alone:?}");
        assert!(!alone.2.is_empty(), "program {number}");
        assert_eq!((shared.0, &shared.2), (alone.0, &alone.2), "program {number}");
    }
    shared.into_iter().map(|(outcome, ..)| outcome).collect()
}

#[test]
fn boogie_3_verifies_a_program_with_the_axioms_of_another_one() {
    let Some(boogie) = boogie_3() else { return };
    let folder = TempDir::new().unwrap();
    let said = |arguments: &[&str]| {
        for value in [1, 2] {
            fs::write(folder.path().join(format!("{value}.bpl")), constant(value)).unwrap();
        }
        let verifier = verifier(Some(boogie.clone()), arguments);
        let paths = ["1.bpl", "2.bpl"].map(PathBuf::from);
        let line = verifier.batch_command_line(verifier.batch().unwrap(), &paths, folder.path());
        let mut command = std::process::Command::new(line.program);
        let output = command.args(line.arguments).current_dir(line.directory).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().rfind(|line| line.contains("finished with")).unwrap().to_owned()
    };
    // If this fails, Boogie has been mended, and `stale_preludes` in its definition may go.
    assert!(said(&[]).contains("with 2 verified, 0 errors"));
    assert!(said(&["/prune:1"]).contains("with 1 verified, 1 error"));
}

#[test]
fn programs_that_contradict_each_other_keep_their_axioms() {
    let boogies = [None, boogie_3()];
    let sets: [&[&str]; 3] = [&[], &["/prune:1"], &DAFNY];
    let requests = [1, 2, 1, 2].map(|value| request(&constant(value), Sharing::default()));
    let expected = [1, 2, 1, 2].map(|value| match value {
        1 => Outcome::Verified,
        _ => Outcome::Failed,
    });
    for (boogie, arguments) in
        [(&boogies[0], sets[0])].into_iter().chain(sets.map(|set| (&boogies[1], set)))
    {
        if boogie.is_none() && !arguments.is_empty() {
            continue;
        }
        let verifier = verifier(boogie.clone(), arguments);
        assert_eq!(is_as_if_alone(&verifier, &requests), expected, "{arguments:?}");
    }
}

#[test]
fn different_programs_get_the_queries_that_they_get_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/verified");
    let texts = |names: &[&str]| -> Vec<Request> {
        let text = |name: &&str| fs::read_to_string(folder.join(format!("{name}.bpl"))).unwrap();
        names.iter().map(text).map(|text| request(&text, Sharing::default())).collect()
    };
    let requests =
        texts(&["calls", "jumps", "maps", "max", "quantifiers", "search", "sum", "where", "calls"]);
    is_as_if_alone(&verifier(None, &[]), &requests);
    let Some(boogie) = boogie_3() else { return };
    for arguments in [&[][..], &["/prune:1"], &DAFNY] {
        is_as_if_alone(&verifier(Some(boogie.clone()), arguments), &requests);
    }
}

#[test]
fn what_boogie_3_cannot_keep_apart_has_processes_of_its_own() {
    let Some(boogie) = boogie_3() else { return };
    let generic = "type C _; var c: C int; procedure p() modifies c; { havoc c; assert c == c; }";
    for (text, feature) in [
        (generic, "generic-types"),
        (
            "function {:define} f(x: int): int { x } procedure p() { assert f(1) == 1; }",
            "definitions",
        ),
    ] {
        let request = request(text, Sharing::new([feature]));
        let requests = [request.clone(), request];
        let folder = TempDir::new().unwrap();
        let executor = executor(&verifier(Some(boogie.clone()), &[]), &folder);
        let found = facts(&settled(&executor, &requests));
        assert!(found.iter().all(|fact| fact.0 == Outcome::Verified && !fact.1), "{found:?}");
    }
}

/// The class of programs is wrong on purpose: the numbers in the names of instances run on, which the
/// comparison notices.
#[test]
fn a_difference_ends_the_sharing_of_processes() {
    let Some(boogie) = boogie_3() else { return };
    let generic = "type C _; var c: C int; procedure p() modifies c; { havoc c; assert c == c; }";
    let requests = [(); 3].map(|()| request(generic, Sharing::default()));
    let folder = TempDir::new().unwrap();
    let executor = executor(&verifier(Some(boogie), &["/prune:1"]), &folder);
    let first = settled(&executor, &requests);
    assert!(first.iter().all(|it| it.verdict.outcome == Outcome::Verified && !it.together));
    assert!(first.iter().all(|settled| settled.distrusted));
    assert_eq!(executor.unshared_seeds(), 1);
    // From now on nothing is tried.
    let second = settled(&executor, &requests);
    assert!(second.iter().all(|settled| !settled.distrusted && !settled.together));
}
