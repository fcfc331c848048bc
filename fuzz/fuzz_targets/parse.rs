//! Any bytes can be parsed: no panic, and every error has a valid position.
#![no_main]

use bpl_syntax::parse_files;
use libfuzzer_sys::fuzz_target;
use mugie_fuzz::{DIALECTS, on_deep_stack, sources};

fuzz_target!(|bytes: &[u8]| {
    on_deep_stack(bytes, |bytes| {
        let Some(sources) = sources(bytes) else { return };
        for dialect in DIALECTS {
            for error in parse_files(&sources, dialect).errors {
                assert!(error.span.start <= error.span.end);
                let location = sources.locate(error.span).expect("there is a file");
                let _ = location.file.line(location.line);
            }
        }
    });
});
