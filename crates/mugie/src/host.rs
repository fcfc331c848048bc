//! The description of the machine, for `result.json`.

use std::fs;
use std::thread;

use mugie_results::result::Host;

/// Describes this machine.
pub(crate) fn host() -> Host {
    let line = |path: &str| {
        fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
    };
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned());
    let (system, release) = (line("/proc/sys/kernel/ostype"), line("/proc/sys/kernel/osrelease"));
    Host {
        name: line("/proc/sys/kernel/hostname"),
        system: format!("{system} {release}").trim().to_owned(),
        processor,
        cores: thread::available_parallelism().map_or(1, usize::from),
    }
}
