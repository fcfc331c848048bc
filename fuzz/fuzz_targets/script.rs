//! Any text is a script or an error with a place; a script that is printed reads back and prints the same again; and every
//! question about it is answered without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use smt_syntax::{Declarations, Dialect, Roles, Scopes, Script, Symbols, print};

fuzz_target!(|bytes: &[u8]| {
    let script = match Script::parse(bytes) {
        Ok(script) => script,
        Err(error) => {
            assert!(error.offset < bytes.len(), "{error}");
            return;
        }
    };
    let printed = print::script(&script);
    let again = Script::parse(printed.as_slice()).expect("what was printed is a script");
    assert!(again.nodes().len() == script.nodes().len());
    assert!(again.commands() == script.commands());
    assert!(print::script(&again) == printed);
    let symbols = Symbols::new(&script);
    let _ = Declarations::new(&script, &symbols, &Roles::new(&script));
    for dialect in [Dialect::Z3, Dialect::Cvc5] {
        let scopes = Scopes::new(&script, dialect);
        if let Some(last) = scopes.checks().len().checked_sub(1) {
            let live = scopes.live(last);
            let open: u64 = live.iter().filter_map(|live| live.scopes).sum();
            assert!(open == scopes.at(scopes.checks()[last]).depth);
        }
    }
});
