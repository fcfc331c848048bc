//! Reports for tests.

use mugie_core::{Edit, Place};
use mugie_core::{FailureKind, Outcome, Stage};
use mugie_results::result::{
    Answer, Baseline, Counts, Flip, Host, KindCount, LayoutChange, OperatorCount, OrderRule,
    ProcedureChange, ProcedureCount, ProcedureOutcome, Question, RecordedOptions, ReportedFailure,
    SeedPlace, SeedReport, Share, Speed, TestReport, TestSettings, ToolTrouble, VerifierInfo,
    Witness,
};
use mugie_stats::Interval;

/// A report about some seeds.
pub(crate) fn report(seeds: Vec<SeedReport>) -> TestReport {
    TestReport {
        mugie: "0.1.0".to_owned(),
        host: Host {
            name: "host".to_owned(),
            system: "Linux 6.1".to_owned(),
            processor: "some processor".to_owned(),
            cores: 2,
        },
        verifier: VerifierInfo {
            name: "boogie".to_owned(),
            title: "Boogie 2.4.1 with Z3 4.8.12".to_owned(),
            program: "/usr/bin/boogie".to_owned(),
            version: Some("2.4.1".to_owned()),
            solver: None,
            command: vec!["boogie".to_owned(), "{files}".to_owned()],
            identity: "0123".to_owned(),
            options: RecordedOptions::default(),
        },
        settings: TestSettings {
            operators: "paper".to_owned(),
            mutants: 100,
            exhaustive: false,
            strength: None,
            random_seed: 0,
            max_attempts: 10_000,
            time_limit: 20.0,
            cpu_limit: None,
            memory_limit: None,
            process_limit: None,
            resource_limit: None,
            confirm: 2,
            until_failure: false,
            confidence: None,
            failing: false,
            tries: 0,
            park_after: None,
            procedures: Vec::new(),
            mutate: None,
            max_effort: None,
            speed: Speed::default(),
        },
        seeds,
        cross_check: None,
        below: None,
        part: None,
        known: None,
    }
}

/// A seed of one procedure that verifies, and of which no mutant was judged.
fn seed(name: &str, answer: Answer) -> SeedReport {
    SeedReport {
        hash: Some("0123".to_owned()),
        baseline: Some(baseline(&[("pick", Outcome::Verified)])),
        ..SeedReport::new(name.to_owned(), vec![name.to_owned()], answer)
    }
}

fn baseline(procedures: &[(&str, Outcome)]) -> Baseline {
    let procedures: Vec<ProcedureOutcome> = procedures
        .iter()
        .map(|(name, outcome)| ProcedureOutcome {
            procedure: (*name).to_owned(),
            outcome: *outcome,
            failures: Vec::new(),
        })
        .collect();
    Baseline {
        outcome: procedures.iter().map(|p| p.outcome).max().unwrap_or(Outcome::Verified),
        reason: None,
        procedures,
    }
}

/// An edit of some operator.
fn edit(operator: &str, words: &str) -> Edit {
    Edit::new(operator, Place::Program { at: 0 }, words)
}

/// An estimated share.
fn share(flips: u32, judged: u32) -> Share {
    Share {
        share: f64::from(flips) / f64::from(judged),
        interval: Some(mugie_stats::clopper_pearson(flips.into(), judged.into(), 0.95)),
    }
}

/// A seed with 100 mutants, none of which flips.
pub(crate) fn robust(name: &str) -> SeedReport {
    SeedReport {
        counts: Counts { judged: 100, ..Counts::default() },
        share: Some(share(0, 100)),
        ..seed(name, Answer::Robust)
    }
}

fn by_operator(operator: &str, name: &str, mutants: usize, flips: usize) -> OperatorCount {
    OperatorCount { operator: operator.to_owned(), name: Some(name.to_owned()), mutants, flips }
}

/// A seed with 119 mutants drawn at random, of which 60 flip.
pub(crate) fn brittle(name: &str) -> SeedReport {
    let failure = ReportedFailure {
        kind: Some(FailureKind::Postcondition),
        message: "A postcondition might not hold on this return path.".to_owned(),
        mutant_place: Some("brittle-0001.bpl:13:3".to_owned()),
        element: Some("ensures o > row[i];".to_owned()),
        tool_place: None,
        seed_place: Some(SeedPlace { file: name.to_owned(), line: 13, column: 3, exact: true }),
    };
    let flip = |number: usize, edits: Vec<Edit>| Flip {
        parts: Vec::new(),
        mutant: format!("brittle-{number:04}"),
        number,
        hash: "4567".to_owned(),
        edits,
        files: vec![format!("brittle-{number:04}.bpl")],
        outcome: Outcome::Failed,
        reason: None,
        stage: None,
        changes: vec![ProcedureChange {
            procedure: "pick".to_owned(),
            seed: Outcome::Verified,
            mutant: Outcome::Failed,
            failures: vec![failure.clone()],
        }],
        messages: Vec::new(),
    };
    SeedReport {
        counts: Counts { judged: 119, flips: 60, ..Counts::default() },
        share: Some(share(60, 119)),
        by_kind: vec![
            KindCount { outcome: Outcome::Failed, flips: 57 },
            KindCount { outcome: Outcome::TimedOut, flips: 3 },
        ],
        by_procedure: vec![ProcedureCount { procedure: "pick".to_owned(), flips: 60 }],
        by_operator: vec![
            by_operator("S1", "swap-declarations", 64, 60),
            by_operator("L5", "swap-clauses", 55, 0),
        ],
        rule: Some(OrderRule {
            first: "axiom #2".to_owned(),
            second: "axiom #1".to_owned(),
            first_line: Some(9),
            second_line: Some(5),
        }),
        witness: Some(Witness {
            mutant: "brittle-0001".to_owned(),
            diff: "--- seed\n+++ mutant\n@@ -1,2 +1,2 @@\n-axiom a;\n axiom b;\n+axiom a;\n"
                .to_owned(),
            reproduce: vec![
                "mugie mutate examples/brittle.bpl --out mutants".to_owned(),
                "boogie /nologo mutants/brittle-0001.bpl".to_owned(),
            ],
            reduced: None,
        }),
        flips: vec![
            flip(1, vec![edit("S1", "swap axiom #1 with axiom #2")]),
            flip(2, vec![edit("S1", "swap axiom #1 with axiom #2"), edit("L5", "swap clauses")]),
        ],
        ..seed(name, Answer::Brittle)
    }
}

/// The seed of the paper: half of all its orders fail.
pub(crate) fn half_of_all_orders() -> SeedReport {
    let seed = brittle("examples/brittle.bpl");
    SeedReport {
        counts: Counts { complete: true, ..seed.counts },
        share: seed.share.map(|share| Share { interval: None, ..share }),
        ..seed
    }
}

/// A seed with rejected mutants, a procedure whose verdict depends on the layout, and runs without
/// a verdict.
pub(crate) fn rejected(name: &str) -> SeedReport {
    let seed = brittle(name);
    let flip = Flip {
        parts: Vec::new(),
        edits: vec![edit("S3", "move procedure pick to another file")],
        outcome: Outcome::Rejected,
        reason: Some("1 name resolution error".to_owned()),
        stage: Some(Stage::Resolution),
        changes: Vec::new(),
        messages: vec![ReportedFailure {
            kind: None,
            message: "undeclared identifier: row".to_owned(),
            mutant_place: Some("brittle-0003.bpl:3:1".to_owned()),
            element: None,
            tool_place: None,
            seed_place: None,
        }],
        ..seed.flips[0].clone()
    };
    let trouble = |number: usize| ToolTrouble {
        mutant: format!("brittle-{number:04}"),
        outcome: Outcome::Crashed,
        reason: "Z3 died".to_owned(),
    };
    SeedReport {
        counts: Counts { judged: 98, flips: 1, troubles: 2, ..Counts::default() },
        share: Some(share(1, 98)),
        by_kind: vec![KindCount { outcome: Outcome::Rejected, flips: 1 }],
        by_procedure: Vec::new(),
        by_operator: vec![by_operator("S3", "move-to-file", 20, 1)],
        rule: None,
        flips: vec![flip],
        layout: vec![LayoutChange {
            procedure: Some("pick".to_owned()),
            original: Some(Outcome::Verified),
            printed: Some(Outcome::TimedOut),
        }],
        troubles: vec![trouble(7), trouble(8)],
        ..seed
    }
}

/// A seed that does not verify, but one of its mutants does.
pub(crate) fn passing(name: &str) -> SeedReport {
    let seed = brittle(name);
    let mut flip = seed.flips[0].clone();
    flip.outcome = Outcome::Verified;
    flip.changes[0].seed = Outcome::TimedOut;
    flip.changes[0].mutant = Outcome::Verified;
    flip.changes[0].failures.clear();
    SeedReport {
        question: Question::DoesAMutantPass,
        baseline: Some(baseline(&[("pick", Outcome::TimedOut), ("max", Outcome::Verified)])),
        counts: Counts { judged: 8, flips: 1, ..Counts::default() },
        share: Some(share(1, 8)),
        by_kind: vec![KindCount { outcome: Outcome::Verified, flips: 1 }],
        by_procedure: vec![ProcedureCount { procedure: "pick".to_owned(), flips: 1 }],
        by_operator: vec![by_operator("S1", "swap-declarations", 8, 1)],
        rule: None,
        flips: vec![flip],
        ..seed
    }
}

/// A seed that does not verify, so that nothing was tested.
pub(crate) fn failing(name: &str) -> SeedReport {
    SeedReport {
        reason: Some("1 of 2 procedures failed".to_owned()),
        help: Some("--failing asks whether a mutant verifies".to_owned()),
        baseline: Some(baseline(&[("pick", Outcome::Failed), ("max", Outcome::Verified)])),
        ..seed(name, Answer::SeedFails)
    }
}

/// A seed that is not a program.
pub(crate) fn could_not_run(name: &str) -> SeedReport {
    SeedReport {
        hash: None,
        baseline: None,
        reason: Some("syntax error at 3:1".to_owned()),
        help: Some("run `mugie check` for details".to_owned()),
        ..seed(name, Answer::CouldNotRun)
    }
}

/// A seed whose test was interrupted.
pub(crate) fn interrupted(name: &str) -> SeedReport {
    SeedReport {
        counts: Counts { judged: 12, interrupted: true, ..Counts::default() },
        share: Some(Share { share: 0.0, interval: Some(Interval { low: 0.0, high: 0.2646 }) }),
        ..seed(name, Answer::Interrupted)
    }
}

/// One seed of each kind.
pub(crate) fn several() -> TestReport {
    report(vec![
        robust("max.bpl"),
        brittle("bank.bpl"),
        rejected("files.bpl"),
        failing("bad.bpl"),
        could_not_run("garbage.bpl"),
        interrupted("slow.bpl"),
    ])
}

/// A seed with an answer that needs a reason.
pub(crate) fn with_reason(name: &str, answer: Answer, judged: usize) -> SeedReport {
    SeedReport {
        reason: Some("because".to_owned()),
        counts: Counts { judged, ..Counts::default() },
        ..seed(name, answer)
    }
}

/// A seed for each answer that only some tests can have.
pub(crate) fn rare() -> TestReport {
    report(vec![
        with_reason("moody.bpl", Answer::Nondeterministic, 0),
        with_reason("hard.bpl", Answer::BeyondLimit, 8),
        with_reason("unclear.bpl", Answer::Inconclusive, 3),
        with_reason("foreign.bpl", Answer::NotExpressible, 0),
    ])
}

/// Text that no name or message should contain.
pub(crate) const HOSTILE: &str = "<script>alert('\"&amp;')</script> ]]> --> <![CDATA[ 100%25 %0A \
     {0} [link](http://example.org) \r\n::error::no\n\u{1b}[31mred\u{7}\0\u{85}\u{2028}\u{202e}\
     \u{fffe}\u{ffff} \u{9b}1m größer 好 \u{1f600} ,:;|`$(x)";

/// A report with all kinds of seeds, and hostile text wherever there is text.
pub(crate) fn hostile() -> TestReport {
    let long = HOSTILE.repeat(40);
    let mut report = several();
    report.mugie = HOSTILE.to_owned();
    report.verifier.title = HOSTILE.to_owned();
    report.seeds.push(passing("pass.bpl"));
    for (number, seed) in report.seeds.iter_mut().enumerate() {
        let procedure = format!("{HOSTILE}{number}");
        let failure = |text: &str| ReportedFailure {
            kind: None,
            message: text.to_owned(),
            mutant_place: Some(text.to_owned()),
            element: Some(text.to_owned()),
            tool_place: None,
            seed_place: Some(SeedPlace {
                file: HOSTILE.to_owned(),
                line: 1,
                column: 1,
                exact: false,
            }),
        };
        seed.name = format!("{HOSTILE}{number}");
        seed.files = vec![HOSTILE.to_owned()];
        seed.goal = Some(HOSTILE.to_owned());
        seed.reason = Some(long.clone());
        seed.help = Some(HOSTILE.to_owned());
        for baseline in seed.baseline.iter_mut().flat_map(|baseline| &mut baseline.procedures) {
            baseline.procedure = format!("{procedure}{}", baseline.procedure);
        }
        for count in &mut seed.by_procedure {
            count.procedure = format!("{procedure}{}", count.procedure);
        }
        for count in &mut seed.by_operator {
            count.operator = HOSTILE.to_owned();
            count.name = Some(long.clone());
        }
        for change in &mut seed.layout {
            change.procedure = Some(HOSTILE.to_owned());
        }
        if let Some(rule) = &mut seed.rule {
            rule.first.clone_from(&long);
            HOSTILE.clone_into(&mut rule.second);
        }
        if let Some(witness) = &mut seed.witness {
            HOSTILE.clone_into(&mut witness.mutant);
            witness.diff = format!("-{HOSTILE}\n+{long}\n").repeat(200);
            witness.reproduce = vec![long.clone()];
        }
        for flip in &mut seed.flips {
            HOSTILE.clone_into(&mut flip.mutant);
            flip.reason = Some(long.clone());
            flip.edits = vec![edit(HOSTILE, &long); 200];
            flip.messages = vec![failure(&long); 100];
            for change in &mut flip.changes {
                change.procedure = format!("{procedure}{}", change.procedure);
                change.failures = vec![failure(&long), failure(HOSTILE)];
            }
        }
        for trouble in &mut seed.troubles {
            HOSTILE.clone_into(&mut trouble.mutant);
            trouble.reason.clone_from(&long);
        }
    }
    report
}
