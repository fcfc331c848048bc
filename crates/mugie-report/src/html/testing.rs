//! Campaigns for the tests of this module.

use index_vec::{IndexVec, index_vec};
use mugie_core::{LanguageOptions, Outcome};
use mugie_results::asked::Asked;
use mugie_results::data::{
    BaselineData, BatchData, BatchIx, Data, Detail, DetailChange, MutantData, MutantIx, SeedData,
    SeedIx, ToolData, ToolIx, VerdictData,
};
use mugie_results::result::{ReportedFailure, SeedPlace};

/// The seed with the given number.
pub(super) fn seed(number: usize) -> SeedIx {
    number.into()
}

/// The tool with the given number.
pub(super) fn tool(number: usize) -> ToolIx {
    number.into()
}

fn campaign(seeds: usize, batches: &[(&str, usize)], tools: usize) -> Data {
    let seed_data = |number| SeedData {
        name: format!("seed{number}"),
        files: vec![format!("A/seed{number}.bpl")],
        language: "boogie".to_owned(),
        options: LanguageOptions::default(),
        group: 0_usize.into(),
        lines: 10 + number,
    };
    let batch = |(name, wanted): &(&str, usize)| BatchData {
        name: (*name).to_owned(),
        operators: (*name).to_owned(),
        wanted: *wanted,
    };
    let tool_data = |number| ToolData {
        name: format!("z3-{number}"),
        title: format!("Boogie 2.4.1 with Z3 4.{number}"),
    };
    let baseline = |number, by| BaselineData {
        seed: seed(number),
        tool: tool(by),
        outcome: Outcome::Verified,
        layout: false,
        seconds: 1.0,
        reason: None,
    };
    Data {
        until_failure: false,
        name: "test".to_owned(),
        groups: index_vec!["A".to_owned()],
        seeds: (0..seeds).map(seed_data).collect(),
        batches: batches.iter().map(batch).collect(),
        tools: (0..tools).map(tool_data).collect(),
        operators: ["S1", "S2", "L1"].map(str::to_owned).into_iter().collect(),
        baselines: (0..seeds)
            .flat_map(|seed| (0..tools).map(move |tool| baseline(seed, tool)))
            .collect(),
        mutants: IndexVec::new(),
        dropped: Vec::new(),
        efforts: Vec::new(),
        asked: Asked::default(),
        verdicts: Vec::new(),
        ..Data::default()
    }
}

/// Two seeds, the second of which the first tool does not verify, two batches and two tools.
pub(super) fn small() -> Data {
    let mut data = campaign(2, &[("*", 2), ("S1", 2)], 2);
    data.baselines[2].outcome = Outcome::Failed;
    let mutants = [(0, 0_usize, 0b1), (0, 0, 0b11), (0, 1, 0b1), (0, 1, 0b10), (1, 0, 0b1)];
    for (number, (of, batch, operators)) in (1..).zip(mutants) {
        let (seed, batch) = (seed(of), BatchIx::from(batch));
        data.mutants.push(MutantData { seed, batch, number, operators, edits: 1 });
    }
    let verdicts = [
        (0_usize, 0, Outcome::TimedOut, 40.0),
        (0, 1, Outcome::TimedOut, 40.0),
        (1, 0, Outcome::Failed, 2.0),
        (1, 1, Outcome::Verified, 2.0),
        (2, 0, Outcome::Verified, 0.5),
        (2, 1, Outcome::Crashed, 0.5),
        (3, 0, Outcome::Verified, 1.0),
        (3, 1, Outcome::Verified, 1.0),
        (4, 0, Outcome::Verified, 1.0),
    ];
    for (mutant, by, outcome, seconds) in verdicts {
        let seconds = Some(seconds);
        let verdict = VerdictData {
            mutant: MutantIx::from(mutant),
            tool: tool(by),
            outcome,
            unsteady: false,
            seconds,
            problem: None,
            effort: None,
        };
        data.verdicts.push(verdict);
    }
    data
}

/// A mutant of the first seed of [`small`].
pub(super) fn detail() -> Detail {
    Detail {
        mutant: 0_usize.into(),
        tool: tool(0),
        name: "seed0.m1".to_owned(),
        changes: vec![DetailChange {
            procedure: Some("P".to_owned()),
            outcome: Outcome::TimedOut,
            failures: vec![failure()],
        }],
        edits: vec!["S1: swap axiom #1 with axiom #2".to_owned()],
        diff: "@@ -1,2 +1,2 @@\n-axiom a;\n axiom b;\n+axiom a;\n".to_owned(),
        reproduce: vec!["mugie mutate A/seed0.bpl".to_owned()],
    }
}

/// The paper's campaign with four tools, in which a tenth of the mutants fails.
pub(super) fn large() -> Data {
    let names = ["*", "S1", "S2", "S3", "L1", "L2", "L3", "L4", "L5", "G1", "G3", "G4"];
    let batches = names.map(|name| (name, if name == "*" { 100 } else { 50 }));
    let mut data = campaign(135, &batches, 4);
    for seed in data.seeds.indices() {
        for (batch, (_, wanted)) in data.batches.indices().zip(&batches) {
            for (number, _) in (1..).zip(0..*wanted) {
                let mutant = MutantData { seed, batch, number, operators: 0b101, edits: 2 };
                data.mutants.push(mutant);
            }
        }
    }
    for mutant in data.mutants.indices() {
        for tool in data.tools.indices() {
            let fails = (mutant.index() / 7 + tool.index()).is_multiple_of(10);
            let outcome = if fails { Outcome::Failed } else { Outcome::Verified };
            data.verdicts.push(VerdictData {
                mutant,
                tool,
                outcome,
                unsteady: false,
                seconds: Some(1.5),
                problem: None,
                effort: None,
            });
        }
    }
    data
}

/// Details of a campaign, longer than a report has room for.
pub(super) fn many_details(data: &Data) -> Vec<Detail> {
    let mut diff = "@@ -1,200 +1,200 @@\n".to_owned();
    diff.push_str(&"-  assert x <= y && y <= z;\n+  assert y <= z && x <= y;\n".repeat(200));
    (data.mutants.indices())
        .step_by(40)
        .map(|mutant| Detail { mutant, diff: diff.clone(), ..detail() })
        .collect()
}

fn failure() -> ReportedFailure {
    ReportedFailure {
        kind: None,
        message: "assertion".to_owned(),
        mutant_place: None,
        element: Some("x > 0".to_owned()),
        tool_place: None,
        seed_place: Some(SeedPlace {
            file: "A/seed0.bpl".to_owned(),
            line: 3,
            column: 1,
            exact: true,
        }),
    }
}
