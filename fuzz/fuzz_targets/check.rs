//! Every program that parses can be checked: no panic, and the same answer for its printed form.
#![no_main]

use bpl_check::check;
use bpl_syntax::parse_files;
use bpl_syntax::print::print;
use libfuzzer_sys::fuzz_target;
use mugie_fuzz::{DIALECTS, on_deep_stack, sources};

fuzz_target!(|bytes: &[u8]| {
    on_deep_stack(bytes, |bytes| {
        let Some(sources) = sources(bytes) else { return };
        for dialect in DIALECTS {
            let parse = parse_files(&sources, dialect);
            if !parse.errors.is_empty() {
                continue;
            }
            let accepted = check(&parse.program).is_ok();
            let again = bpl_syntax::parse(&print(&parse.program), dialect);
            assert!(check(&again.program).is_ok() == accepted);
        }
    });
});
