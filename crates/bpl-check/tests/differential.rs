//! The table of small programs checked against the real Boogie, for the programs of its dialect.
//!
//! Skipped where Boogie is not installed, except under `CI`.

#![expect(clippy::disallowed_methods, reason = "the tests read files and run Boogie")]

mod programs;

use std::fmt::Write as _;
use std::process::Command;

use bpl_syntax::Dialect;

use crate::programs::{Case, cases};

#[test]
fn boogie_gives_the_same_answers() {
    let boogie = std::env::var("MUGIE_BOOGIE").unwrap_or_else(|_| "boogie".to_owned());
    if Command::new(&boogie).arg("/version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "`{boogie}` is not installed");
        eprintln!("SKIPPED: `{boogie}` is not installed");
        return;
    }
    let cases: Vec<Case> =
        cases().into_iter().filter(|case| case.dialects[0] == Dialect::Boogie2).collect();
    let folder = std::env::temp_dir().join(format!("bpl-check-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (index, case) in cases.iter().enumerate() {
        std::fs::write(folder.join(format!("{index}.bpl")), &case.program).unwrap();
    }
    // One process for all programs: starting Boogie takes longer than checking all of them.
    let output = Command::new(&boogie)
        .args(["/nologo", "/noVerify", "/verifySeparately"])
        .args((0..cases.len()).map(|index| format!("{index}.bpl")))
        .current_dir(&folder)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.contains("Boogie program verifier finished"), "Boogie crashed:\n{output}");
    let mut wrong = String::new();
    for (index, Case { fact, expected, .. }) in cases.iter().enumerate() {
        let answer = answer(&output, index);
        if answer != expected {
            let _ = writeln!(wrong, "{index}.bpl, {fact}: {answer}");
        }
    }
    assert!(wrong.is_empty(), "Boogie says otherwise:\n{wrong}\n{output}");
}

/// The class of the answer to one program. Boogie's exit code carries no information.
fn answer(output: &str, index: usize) -> &'static str {
    let detected = format!(" errors detected in {index}.bpl");
    match output.lines().find_map(|line| line.strip_suffix(&detected)) {
        None => "accepted",
        Some(line) if line.ends_with(" parse") => "syntax",
        Some(line) if line.ends_with(" name resolution") => "resolution",
        Some(_) => "type",
    }
}
