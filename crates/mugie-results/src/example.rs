//! A small unfinished campaign for tests: every number can be computed by hand.
//!
//! Six seeds in three groups, three batches, two tools, 45 mutants. A letter is an outcome:
//! **v**erified, **f**ailed, **t**imed out, **r**ejected, **i**nconclusive, out of **m**emory,
//! **c**rashed, or `.` for none yet. By seed: the baseline, then the batches.
//!
//! | group | seed | lines | old: seed | `*` | `S1` | `L6` | new: seed | `*` | `S1` | `L6` |
//! |-------|------|------:|-----------|------|----|----|---|------|----|----|
//! | A     | a1   |    10 | v         | vvvv | vv | vv | v | vvvv | vv | vm |
//! | A     | a2   |    20 | v         | vftf | vt | ff | v | vvtv | vv | vv |
//! | A     | a3   |    40 | v         | vvvv | fv | v  | f | fffv | fv | f  |
//! | B     | b1   |   100 | v         | rrvc | vv |    | v | rrv. | vi |    |
//! | B     | b2   |   201 | f         | fffv | ff | fv | t | tttt | tt | tv |
//! | C     | c1   |     5 | c         | .... | .. | .. | . | .... | .. | .. |
//!
//! There are no further mutants of a3 and b1 in `L6`. The four mutants of `*` use the operators S1; S1 and L6; L6; L6. The others use the operator of
//! their batch. The old tool's timeout of a2 in `S1` is flaky.

use index_vec::index_vec;
use mugie_core::{LanguageOptions, Outcome};

use crate::data::{
    BaselineData, BatchData, BatchIx, Data, MutantData, SeedData, SeedIx, ToolData, VerdictData,
};

/// A row of the table above, from the group on.
type ExampleSeed = (usize, &'static str, usize, [(&'static str, [&'static str; 3]); 2]);

const ROWS: [ExampleSeed; 6] = [
    (0, "a1", 10, [("v", ["vvvv", "vv", "vv"]), ("v", ["vvvv", "vv", "vm"])]),
    (0, "a2", 20, [("v", ["vftf", "vt", "ff"]), ("v", ["vvtv", "vv", "vv"])]),
    (0, "a3", 40, [("v", ["vvvv", "fv", "v"]), ("f", ["fffv", "fv", "f"])]),
    (1, "b1", 100, [("v", ["rrvc", "vv", ""]), ("v", ["rrv.", "vi", ""])]),
    (1, "b2", 201, [("f", ["fffv", "ff", "fv"]), ("t", ["tttt", "tt", "tv"])]),
    (2, "c1", 5, [("c", ["....", "..", ".."]), (".", ["....", "..", ".."])]),
];

/// The bits of S1 and L6.
const S1: u128 = 1;
const L6: u128 = 2;

/// For each batch, the operators of its mutants.
const OPERATORS: [&[u128]; 3] = [&[S1, S1 | L6, L6, L6], &[S1, S1], &[L6, L6]];

fn outcome(letter: char) -> Option<Outcome> {
    Some(match letter {
        'v' => Outcome::Verified,
        'f' => Outcome::Failed,
        't' => Outcome::TimedOut,
        'r' => Outcome::Rejected,
        'i' => Outcome::Inconclusive,
        'm' => Outcome::OutOfMemory,
        'c' => Outcome::Crashed,
        _ => return None,
    })
}

/// The campaign.
pub fn data() -> Data {
    let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let batch = |name: &str, operators: &str, wanted| BatchData {
        name: name.to_owned(),
        operators: operators.to_owned(),
        wanted,
    };
    let tool =
        |name: &str, title: &str| ToolData { name: name.to_owned(), title: title.to_owned() };
    let mut data = Data {
        name: "example".to_owned(),
        groups: strings(&["A", "B", "C"]).into(),
        batches: index_vec![batch("*", "S1,L6,G1", 4), batch("S1", "S1", 2), batch("L6", "L6", 2)],
        tools: index_vec![
            tool("old", "Boogie 2.4.1 with Z3 4.8.7"),
            tool("new", "Boogie 2.4.1 with Z3 4.8.12"),
        ],
        operators: strings(&["S1", "L6", "G1"]).into(),
        ..Data::default()
    };
    for (group, name, lines, tools) in ROWS {
        let seed = data.seeds.push(SeedData {
            name: name.to_owned(),
            files: vec![format!("{name}.bpl")],
            language: "boogie".to_owned(),
            options: LanguageOptions::default(),
            group: group.into(),
            lines,
        });
        for (tool, (baseline, _)) in tools.iter().enumerate() {
            let baseline = baseline.chars().find_map(outcome);
            data.baselines.extend(baseline.map(|outcome| BaselineData {
                seed,
                tool: tool.into(),
                outcome,
                layout: false,
                seconds: 1.0,
                reason: None,
            }));
        }
        for (batch, operators) in OPERATORS.into_iter().enumerate() {
            let drawn = tools[0].1[batch].len();
            data.drawn.insert((seed, batch.into()), drawn);
            let of_tools = tools.map(|(_, batches)| batches[batch].chars().map(outcome));
            let [old, new] = of_tools;
            for (place, (outcomes, &operators)) in old.zip(new).zip(operators).enumerate() {
                push_mutant(&mut data, (seed, batch.into()), place + 1, operators, outcomes.into());
            }
        }
    }
    data
}

fn push_mutant(
    data: &mut Data,
    (seed, batch): (SeedIx, BatchIx),
    number: usize,
    operators: u128,
    outcomes: [Option<Outcome>; 2],
) {
    let effort = [1.0, 2.5, 12.0][number % 3];
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    let edits = operators.count_ones();
    let mutant = data.mutants.push(MutantData { seed, batch, number, operators, edits });
    for (tool, outcome) in outcomes.into_iter().enumerate() {
        data.verdicts.extend(outcome.map(|outcome| VerdictData {
            mutant,
            tool: tool.into(),
            outcome,
            unsteady: batch == 1 && outcome == Outcome::TimedOut && tool == 0,
            seconds: Some(1.0),
            problem: match outcome {
                Outcome::Rejected => None,
                Outcome::Verified => Some(u64::from(number / 3)),
                _ => Some(100),
            },
            effort: (outcome == Outcome::Verified).then_some(effort),
        }));
    }
}
