//! The table of all rounds, in Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use mugie_boogie::operators;
use mugie_core::Set;

use crate::boogie::Release;
use crate::explained::CAUSES;
use crate::round::Counts;
use crate::state::RoundRecord;

/// The table of the given rounds.
pub fn table(records: &[RoundRecord]) -> String {
    let mut text = String::from(
        "# Soundness by experiment\n\n\
         `make soundness` writes this page. Real Boogies verify random programs whose verdicts do not depend on luck, and\n\
         their mutants by every operator but G2; the outcome of each implementation must be the same. See\n\
         [ARCHITECTURE.md](../ARCHITECTURE.md) and `crates/mugie-soundness`.\n",
    );
    for release in Release::ALL {
        let of_release: Vec<&RoundRecord> =
            records.iter().filter(|r| r.release == release).collect();
        if !of_release.is_empty() {
            section(&mut text, release, &of_release);
        }
    }
    text
}

fn section(text: &mut String, release: Release, records: &[&RoundRecord]) {
    let mut sums = Counts::default();
    let mut versions: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for record in records {
        sums.add(&record.counts);
        let (rounds, mutants, unexplained) = versions.entry(&record.version).or_default();
        *rounds += 1;
        *mutants += record.counts.mutants();
        *unexplained += record.counts.unexplained;
    }
    let hours: f64 = records.iter().map(|record| record.seconds).sum::<f64>() / 3600.0;
    let reported: BTreeSet<&str> =
        records.iter().map(|record| record.boogie.as_str()).filter(|b| !b.is_empty()).collect();
    let reported = reported.into_iter().collect::<Vec<_>>().join(", ");
    let _ = write!(
        text,
        "\n## {}\n\n| what | count |\n|---|--:|\n| reported version | {reported} |\n",
        release.name()
    );
    let rows = [
        ("rounds", records.len() as u64),
        ("random programs", sums.seeds),
        ("... refused by mugie or Boogie", sums.refused_seeds),
        ("implementations in them", sums.goals),
        ("... that verify", sums.verified_goals),
        ("... vacuously, because their end is unreachable", sums.vacuous_goals),
        ("mutants", sums.mutants()),
        ("... by one edit at one place", sums.singles.values().sum()),
        ("... by one edit at many places", sums.strong.values().sum()),
        ("... by 5 to 40 edits", sums.chains),
        ("mutants dropped by mugie's validation", sums.dropped),
        ("differences in a shared process only", sums.shared_only),
        ("differences explained", sums.explained.values().sum()),
        ("**differences not explained**", sums.unexplained),
    ];
    let _ = writeln!(text, "| hours | {hours:.2} |");
    for (what, count) in rows {
        let _ = writeln!(text, "| {what} | {count} |");
    }
    if !sums.explained.is_empty() {
        text.push_str("\n| cause in Boogie | defect | differences |\n|---|---|--:|\n");
    }
    for (name, count) in &sums.explained {
        let words = CAUSES.iter().find(|cause| cause.name == name).map_or("", |cause| cause.words);
        let link = format!("[{name}](../crates/mugie-soundness/explained/{name}.bpl)");
        let _ = writeln!(text, "| {link} | {words} | {count} |");
    }
    text.push_str("\n| operator | mutants by it alone | at many places | edits in chains |\n|---|--:|--:|--:|\n");
    for about in operators::abouts().iter().filter(|about| about.set != Set::Apart) {
        let label = about.code.unwrap_or(about.name);
        let count = |counts: &BTreeMap<String, u64>| counts.get(label).copied().unwrap_or(0);
        let (singles, strong, chains) =
            (count(&sums.singles), count(&sums.strong), count(&sums.in_chains));
        let _ = writeln!(text, "| {label} | {singles} | {strong} | {chains} |");
    }
    text.push_str("\n| construct | programs | mutants |\n|---|--:|--:|\n");
    for (construct, programs) in &sums.constructs {
        let mutants = sums.construct_mutants.get(construct).copied().unwrap_or(0);
        let _ = writeln!(text, "| {construct} | {programs} | {mutants} |");
    }
    text.push_str("\n| version of mugie | rounds | mutants | not explained |\n|---|--:|--:|--:|\n");
    for (version, (rounds, mutants, unexplained)) in versions {
        let _ = writeln!(text, "| {version} | {rounds} | {mutants} | {unexplained} |");
    }
}
