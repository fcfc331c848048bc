//! Any bytes can be parsed: no panic, and every error is at a place.
#![no_main]

use bpl_syntax::parse_files;
use libfuzzer_sys::fuzz_target;
use mugie_fuzz::{DIALECTS, with_sources};

fuzz_target!(|bytes: &[u8]| {
    with_sources(bytes, |sources| {
        for dialect in DIALECTS {
            for error in parse_files(sources, dialect).errors {
                assert!(error.span.start <= error.span.end);
                let location = sources.locate(error.span).expect("there is a file");
                let _ = location.file.line(location.line);
            }
        }
    });
});
