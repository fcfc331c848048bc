//! Every program that parses can be printed: the text reads back as the same program and prints the
//! same again.
#![no_main]

use bpl_syntax::parse_files;
use bpl_syntax::print::print;
use libfuzzer_sys::fuzz_target;
use mugie_fuzz::{DIALECTS, on_deep_stack, sources};

fuzz_target!(|bytes: &[u8]| {
    on_deep_stack(bytes, |bytes| {
        let Some(sources) = sources(bytes) else { return };
        for dialect in DIALECTS {
            let first = parse_files(&sources, dialect);
            if !first.errors.is_empty() {
                continue;
            }
            let text = print(&first.program);
            let second = bpl_syntax::parse(&text, dialect);
            assert!(second.errors.is_empty(), "{:?}\n{text}", second.errors);
            assert!(first.program == second.program, "another program:\n{text}");
            assert!(print(&second.program) == text, "another layout:\n{text}");
        }
    });
});
