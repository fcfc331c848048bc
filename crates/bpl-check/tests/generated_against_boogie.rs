//! Generated programs checked against the real Boogie, which must find them well-typed as well.

#![expect(clippy::unwrap_used, reason = "only tests call these functions")]
#![expect(clippy::disallowed_methods, reason = "the tests read files and run Boogie")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use bpl_check::check;
use bpl_syntax::{Dialect, generate, print};

/// The number of programs; each is checked in a separate process.
const COUNT: u64 = 60;

/// The bytes of program number `seed`, the same in every run.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    };
    // Larger programs give more opportunities to disagree.
    (0..1_500 + 20 * seed).map(|_| byte()).collect()
}

/// Boogie's errors about a program, if any. A crash does not count as an answer.
fn objection(directory: &Path, text: &str, number: u64) -> Option<String> {
    let file = format!("{number}.bpl");
    fs::write(directory.join(&file), text).unwrap();
    let output = Command::new("boogie")
        // Boogie's default lambda lifting crashes on bit-vector extraction inside a lambda.
        .args(["/nologo", "/noVerify", "/noinfer", "/freeVarLambdaLifting", &file])
        .current_dir(directory)
        .output()
        .unwrap();
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    let answered = !answer.contains("UNHANDLED EXCEPTION") && !output.stdout.is_empty();
    (answered && !answer.contains(" 0 errors")).then_some(answer)
}

#[test]
fn generated_programs_are_well_typed_to_boogie() {
    let here = Command::new("boogie").arg("/help").output().is_ok();
    assert!(here || std::env::var_os("CI").is_none(), "`boogie` is not installed");
    if !here {
        eprintln!("SKIPPED: `boogie` is not installed");
        return;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    fs::create_dir_all(&directory).unwrap();
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for half in 0..2 {
            let (directory, failures) = (&directory, &failures);
            scope.spawn(move || {
                for number in (half..COUNT).step_by(2) {
                    let program = generate::program(&bytes(number), Dialect::Boogie2);
                    assert!(check(&program).is_ok(), "program {number}");
                    if let Some(answer) = objection(directory, &print(&program), number) {
                        failures.lock().unwrap().push(answer);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "see {}\n{}", directory.display(), failures.join("\n"));
}
