//! Which part of a test was run: programs changed since a revision, or one of several shares; and the way back from
//! the shares to the whole.
//!
//! Must not know how programs are chosen, nor how a report is shown.

use std::collections::{BTreeMap, BTreeSet};

use mugie_core::Answer;
use serde::{Deserialize, Serialize};

use crate::result::{SeedReport, TestReport};

/// The part of a test that was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The commit since which the tested programs have changed, if only those were tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The share of the programs, if they were divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// One of several shares of the programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// The number of the share, from 1.
    pub number: usize,
    /// The number of shares.
    pub of: usize,
    /// The programs of all shares, in their order.
    pub programs: Vec<Shared>,
}

/// A program and its share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// The files, as given.
    pub files: Vec<String>,
    /// The number of the share.
    pub shard: usize,
}

/// Why results are not parts of one test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOneTest {
    /// There is nothing to put together.
    #[error("no result is given")]
    Nothing,
    /// The results differ in something that all parts of a test have in common.
    #[error("{0} is not that of the first result")]
    Other(&'static str),
    /// The same part is given twice.
    #[error("shard {0} is given twice")]
    Twice(usize),
    /// There are several results, and one is not a share.
    #[error("it is no shard: only results of `mugie test --shard` can be put together")]
    NoShard,
}

/// The shares that are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The numbers of the shares.
    pub shards: Vec<usize>,
    /// The number of their programs.
    pub programs: usize,
}

/// Puts the shares of a test together: the report that the whole test would have given, and what is missing.
/// Programs of missing shares are reported as not tested. An error comes with the index of the result that it is
/// about.
pub fn merge(parts: Vec<TestReport>) -> Result<(TestReport, Option<Missing>), (usize, NotOneTest)> {
    let mut parts = parts.into_iter();
    let mut whole = parts.next().ok_or((0, NotOneTest::Nothing))?;
    let Some(shard) = whole.part.as_mut().and_then(|part| part.shard.take()) else {
        return match parts.next() {
            None => Ok((whole, None)),
            Some(_) => Err((0, NotOneTest::NoShard)),
        };
    };
    whole.part = whole.part.filter(|part| *part != Part::default());
    let mut present = BTreeSet::from([shard.number]);
    for (index, mut other) in parts.enumerate() {
        let wrong = |why| (index + 1, why);
        let found = other.part.as_mut().and_then(|part| part.shard.take());
        let found = found.ok_or_else(|| wrong(NotOneTest::NoShard))?;
        other.part = other.part.filter(|part| *part != Part::default());
        same(&whole, &other, &shard, &found).map_err(|what| wrong(NotOneTest::Other(what)))?;
        if !present.insert(found.number) {
            return Err(wrong(NotOneTest::Twice(found.number)));
        }
        join(&mut whole, other);
    }
    let missing: Vec<usize> = (1..=shard.of).filter(|it| !present.contains(it)).collect();
    let left: Vec<&Shared> =
        shard.programs.iter().filter(|program| missing.contains(&program.shard)).collect();
    let programs = left.len();
    whole.seeds.extend(left.into_iter().map(untested));
    let places: BTreeMap<&str, usize> = shard
        .programs
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(place, program)| Some((program.files.first()?.as_str(), place)))
        .collect();
    let mut report = Some(&mut whole);
    while let Some(level) = report {
        level.seeds.sort_by_key(|seed| place(seed, &places));
        report = level.below.as_deref_mut();
    }
    let is_missing = !missing.is_empty();
    Ok((whole, is_missing.then_some(Missing { shards: missing, programs })))
}

/// What two shares of a test do not have in common.
fn same(
    one: &TestReport,
    other: &TestReport,
    shard: &Shard,
    found: &Shard,
) -> Result<(), &'static str> {
    let checks = [
        ("its release of mugie", one.mugie == other.mugie),
        ("its verifier", one.verifier.title == other.verifier.title),
        ("its options of the verifier", one.verifier.options == other.verifier.options),
        ("its settings", one.settings == other.settings),
        ("its revision", one.part == other.part),
        ("its number of shards", shard.of == found.of),
        ("its list of programs", shard.programs == found.programs),
    ];
    match checks.into_iter().find(|(_, is_same)| !is_same) {
        Some((what, _)) => Err(what),
        None => Ok(()),
    }
}

/// Adds the results of another share.
fn join(whole: &mut TestReport, other: TestReport) {
    whole.seeds.extend(other.seeds);
    match (&mut whole.cross_check, other.cross_check) {
        (Some(one), Some(other)) => {
            one.compared += other.compared;
            one.differences.extend(other.differences);
            one.differences.sort_by(|a, b| a.file.cmp(&b.file));
        }
        (one @ None, other) => *one = other,
        (Some(_), None) => {}
    }
    match (&mut whole.known, other.known) {
        (Some(one), Some(other)) => {
            one.again.extend(other.again);
            one.gone.extend(other.gone);
            one.stale.extend(other.stale);
            for list in [&mut one.again, &mut one.gone, &mut one.stale] {
                list.sort();
            }
        }
        // Without the list for one of them, nothing is known.
        (one, _) => *one = None,
    }
    match (&mut whole.below, other.below) {
        (Some(one), Some(other)) => join(one, *other),
        (one @ None, other) => *one = other,
        (Some(_), None) => {}
    }
}

/// The place of a seed's program in the whole test.
fn place(seed: &SeedReport, places: &BTreeMap<&str, usize>) -> usize {
    let files = seed.origin.as_ref().map_or(&seed.files, |origin| &origin.files);
    let names = files.first().into_iter().chain(seed.above.as_ref().map(|above| &above.seed));
    let parts = seed.name.rsplit_once([':', '#']).map(|(name, _)| name);
    let mut names = names.map(String::as_str).chain([seed.name.as_str()]).chain(parts);
    names.find_map(|name| places.get(name).copied()).unwrap_or(usize::MAX)
}

/// A program of a missing share.
fn untested(program: &Shared) -> SeedReport {
    let name = program.files.first().cloned().unwrap_or_default();
    SeedReport {
        reason: Some(format!("it is in shard {}, whose result is missing", program.shard)),
        help: Some("give the results of all shards".to_owned()),
        ..SeedReport::new(name, program.files.clone(), Answer::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::tests::report;

    fn names(report: &TestReport) -> Vec<&str> {
        report.seeds.iter().map(|seed| seed.name.as_str()).collect()
    }

    /// The shares of a test of `a`, `b` and `c`, of which the second has `b`.
    fn shards() -> Vec<TestReport> {
        let programs = [("a", 1), ("b", 2), ("c", 1)]
            .map(|(name, shard)| Shared { files: vec![name.to_owned()], shard });
        let share = |number: usize| {
            let own = programs.iter().filter(|program| program.shard == number);
            let seed = |program: &Shared| {
                SeedReport::new(program.files[0].clone(), program.files.clone(), Answer::Robust)
            };
            let shard = Shard { number, of: 2, programs: programs.to_vec() };
            TestReport {
                seeds: own.map(seed).collect(),
                part: Some(Part { since: None, shard: Some(shard) }),
                ..report()
            }
        };
        vec![share(2), share(1)]
    }

    #[test]
    fn all_shares_are_the_whole() {
        let (whole, missing) = merge(shards()).unwrap();
        assert_eq!((names(&whole), missing), (vec!["a", "b", "c"], None));
        assert_eq!(whole.part, None);
        assert_eq!(merge(vec![report()]).unwrap(), (report(), None));
    }

    #[test]
    fn what_is_missing_is_not_tested() {
        let (whole, missing) = merge(shards().split_off(1)).unwrap();
        assert_eq!(missing, Some(Missing { shards: vec![2], programs: 1 }));
        assert_eq!(names(&whole), ["a", "b", "c"]);
        assert_eq!(whole.seeds[1].answer, Answer::Interrupted);
    }

    #[test]
    fn other_tests_are_no_shares() {
        let with = |change: &dyn Fn(&mut TestReport)| {
            let mut parts = shards();
            change(&mut parts[1]);
            merge(parts).unwrap_err()
        };
        assert_eq!(with(&|it| it.settings.mutants = 6), (1, NotOneTest::Other("its settings")));
        assert_eq!(with(&|it| it.part = None), (1, NotOneTest::NoShard));
        let [one, _] = shards().try_into().unwrap();
        assert_eq!(merge(vec![one.clone(), one]).unwrap_err(), (1, NotOneTest::Twice(2)));
        assert_eq!(merge(Vec::new()).unwrap_err(), (0, NotOneTest::Nothing));
        assert_eq!(merge(vec![report(), report()]).unwrap_err(), (0, NotOneTest::NoShard));
    }
}
