//! The table of small programs against the real Boogie, as far as they are of its version.
//!
//! Skipped where Boogie is not installed, except under `CI`.

mod programs;

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bpl_syntax::Dialect;

use crate::programs::{Case, cases};

#[test]
#[expect(clippy::print_stdout, reason = "the place to say that nothing was tested")]
fn boogie_gives_the_same_answers() {
    let boogie = std::env::var("MUGIE_BOOGIE").unwrap_or_else(|_| "boogie".to_owned());
    if Command::new(&boogie).arg("/version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "`{boogie}` is not installed");
        println!("skipped: `{boogie}` is not installed");
        return;
    }
    let cases: Vec<Case> =
        cases().into_iter().filter(|case| case.dialects[0] == Dialect::Boogie2).collect();
    let folder = std::env::temp_dir().join(format!("bpl-check-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(index) else { break };
                    let file = folder.join(format!("{index}.bpl"));
                    std::fs::write(&file, &case.program).unwrap();
                    let output =
                        Command::new(&boogie).args(["/nologo", "/noVerify"]).arg(&file).output();
                    let output = String::from_utf8_lossy(&output.unwrap().stdout).into_owned();
                    if answer(&output) != case.expected {
                        let fact = &case.fact;
                        wrong.lock().unwrap().push(format!("{fact}:\n{output}"));
                    }
                }
            });
        }
    });
    std::fs::remove_dir_all(&folder).unwrap();
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "Boogie says otherwise:\n{}", wrong.join("\n"));
}

/// The class of an answer. Boogie's exit code says nothing.
fn answer(output: &str) -> &'static str {
    if output.contains(" parse errors detected") {
        "syntax"
    } else if output.contains(" name resolution errors detected") {
        "resolution"
    } else if output.contains(" type checking errors detected") {
        "type"
    } else if output.contains("Boogie program verifier finished") {
        "accepted"
    } else {
        "crash"
    }
}
