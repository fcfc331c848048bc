//! Any output of a verifier can be read: no panic, and a run that was cut off never counts as verified.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use mugie_core::Outcome;
use mugie_verifiers::read::READERS;
use mugie_verifiers::{Captured, Definition, Ending, Limit, Origin, Reader, Run, Usage};

/// The named readers, and the patterns of a definition.
static ALL: LazyLock<Vec<Arc<dyn Reader>>> = LazyLock::new(|| {
    let text = include_str!("../../verifiers/command.toml").to_owned();
    let command = Definition::parse("command.toml", Origin::Shipped, text).expect("it is shipped");
    READERS.iter().map(|(_, make)| make()).chain([command.reader]).collect()
});

// The first byte determines how the run ended; a byte 1 separates the two output streams.
fuzz_target!(|bytes: &[u8]| {
    let Some((&how, printed)) = bytes.split_first() else { return };
    let mut streams = printed.splitn(2, |&byte| byte == 1);
    let mut stream = || Captured {
        text: String::from_utf8_lossy(streams.next().unwrap_or_default()).into_owned(),
        truncated: how & 0x80 != 0,
    };
    let (stdout, stderr) = (stream(), stream());
    let ending = match how & 0x7f {
        1 => Ending::Limited(Limit::Time),
        2 => Ending::Limited(Limit::Memory),
        3 => Ending::Signaled(11),
        4 => Ending::Cancelled,
        code => Ending::Exited(i32::from(code.saturating_sub(b' '))),
    };
    let is_whole = matches!(ending, Ending::Exited(_)) && !stdout.truncated;
    let run = Run { ending, usage: Usage::default(), stdout, stderr };
    for reader in &*ALL {
        let verdict = reader.read(&run);
        assert!(is_whole || verdict.outcome != Outcome::Verified, "{verdict:?}");
        let _ = reader.without_noise(&run.stdout.text);
    }
});
