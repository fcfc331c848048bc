//! Any solver log can be read: no panic, and the same text is the same problem.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mugie_core::ProblemDifference;
use mugie_verifiers::problems::problems;
use mugie_verifiers::smt::STYLES;

fuzz_target!(|bytes: &[u8]| {
    let log = String::from_utf8_lossy(bytes);
    for style in STYLES {
        let first = problems(&log, style);
        let second = problems(&log, style);
        assert!(first.len() == second.len());
        for (one, other) in first.iter().zip(&second) {
            assert!(one.difference(other) == ProblemDifference::None, "{one:?}");
        }
        for pair in first.windows(2) {
            let _ = pair[0].difference(&pair[1]);
        }
    }
});
