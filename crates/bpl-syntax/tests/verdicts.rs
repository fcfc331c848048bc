//! The real Boogie gives a printed program the verdicts of the original, procedure by procedure.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "the tests read files and run Boogie")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use bpl_syntax::{Dialect, parse, print};

/// The number of seeds to verify in each group, fastest first.
const PER_GROUP: usize = 6;

/// Each procedure with its verdict, in the order of the program.
fn verdicts(path: &Path) -> Vec<(String, String)> {
    let mut boogie = Command::new("boogie");
    boogie.args(["/nologo", "/trace", "/errorTrace:0", "/timeLimit:60"]).arg(path);
    let output = String::from_utf8(boogie.output().unwrap().stdout).unwrap();
    let mut verdicts = Vec::new();
    let mut procedure = None;
    for line in output.lines() {
        if let Some(rest) = line.strip_prefix("Verifying ") {
            procedure = Some(rest.trim_end_matches(" ...").to_owned());
        } else if line.starts_with("  [")
            && let Some((_, verdict)) = line.split_once("]  ")
            && let Some(procedure) = procedure.take()
        {
            verdicts.push((procedure, verdict.to_owned()));
        }
    }
    assert!(output.contains("Boogie program verifier finished"), "{}: {output}", path.display());
    verdicts
}

/// The fastest seeds of each group, according to the recorded baseline.
fn fastest(seeds: &Path) -> Vec<PathBuf> {
    let baseline = fs::read_to_string(seeds.join("paper-baseline.csv")).unwrap();
    let mut groups: BTreeMap<&str, Vec<(f64, &str)>> = BTreeMap::new();
    for line in baseline.lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let [group, seed, _, "pass", _, _, seconds] = fields[..] else { continue };
        groups.entry(group).or_default().push((seconds.parse().unwrap(), seed));
    }
    let mut paths = Vec::new();
    for seeds_of_group in groups.values_mut() {
        seeds_of_group.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, seed) in seeds_of_group.iter().take(PER_GROUP) {
            let folder = fs::read_dir(seeds.join("paper").join(seed)).unwrap();
            paths.extend(folder.map(|entry| entry.unwrap().path()));
        }
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bpl"));
    paths
}

#[test]
fn printing_changes_no_verdict() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds");
    if !seeds.exists() {
        let seeds = seeds.display();
        eprintln!(
            "SKIPPED: printing_changes_no_verdict: there is no {seeds}: no verdict is compared"
        );
        return;
    }
    if Command::new("boogie").arg("/nologo").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "boogie is missing; see `make tools`");
        eprintln!("SKIPPED: printing_changes_no_verdict: boogie is not installed");
        return;
    }
    let paths = fastest(&seeds);
    assert!(paths.len() >= 30, "only {} seeds", paths.len());
    let folder = tempfile::tempdir().unwrap();
    let queue = Mutex::new(paths.iter().enumerate());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((number, path)) = queue.lock().unwrap().next() else { return };
                    let parse = parse(&fs::read_to_string(path).unwrap(), Dialect::Boogie2);
                    let printed = folder.path().join(format!("{number}.bpl"));
                    fs::write(&printed, print(&parse.program)).unwrap();
                    let original = verdicts(path);
                    assert!(!original.is_empty(), "{}", path.display());
                    assert_eq!(original, verdicts(&printed), "{}", path.display());
                }
            });
        }
    });
}
