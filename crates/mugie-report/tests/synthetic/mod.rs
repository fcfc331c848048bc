//! Made-up campaigns, with names that try to break out of the HTML.

use index_vec::index_vec;
use mugie_core::{LanguageOptions, Outcome};
use mugie_results::asked::{Asked, AskedTool, Kind, Session};
use mugie_results::data::{
    BaselineData, BatchData, BatchIx, CauseData, Data, Detail, DetailChange, MutantData, SeedData,
    SeedIx, ToolData, VerdictData,
};
use mugie_results::result::{Host, ReportedFailure, SeedPlace};

/// The name of a seed that tries to inject a script.
pub(crate) const HOSTILE: &str = "<script>alert(1)</script>";

const GROUPS: [(&str, &[&str]); 4] = [
    (
        "A",
        &[
            "binary-search",
            "bubble-sort",
            "dutch-flag",
            "gnome-sort",
            "heap-insert",
            "linear-search",
            "max-of-array",
            "merge",
            "partition",
            "quick-sort",
            "rotation-by-swap",
            "tree-insert",
        ],
    ),
    ("D", &["Dafny-priority-queue-with-a-long-name", "Dafny-ring-buffer"]),
    (
        "E",
        &[
            "axiom-order",
            "quantifier-nesting",
            "set-extensionality",
            "trigger-free",
            "trigger-loop",
        ],
    ),
    ("S", &["assignments-500", "conditionals-12", "variables-200", HOSTILE]),
];

const BATCHES: [&str; 12] = ["*", "S1", "S2", "S3", "L1", "L2", "L3", "L4", "L5", "G1", "G3", "G4"];

const OPERATORS: [&str; 16] = [
    "S1", "S2", "S3", "L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "G1", "G2", "G3", "G4", "G5",
];

/// Pseudo-random numbers that are always the same.
struct Noise(u64);

impl Noise {
    /// The next number, from 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 32).unwrap()) / f64::from(u32::MAX)
    }
}

/// The tools, and how likely a mutant of a brittle seed fails with each, relative to the first.
const TOOLS: [(&str, &str, f64); 4] = [
    ("z3-4.8", "Boogie 2.4.1 with Z3 4.8.12", 1.0),
    ("z3-4.13", "Boogie 2.4.1 with Z3 4.13.0", 0.6),
    ("cvc5", "Boogie 3.5.5 with cvc5 1.1.2", 0.3),
    ("z3-4.13-no-inference", "Boogie 3.5.5 with Z3 4.13.0", 0.9),
];

/// 23 seeds, a third of which are brittle, 12 batches and 2 tools.
pub(crate) fn campaign() -> Data {
    made("The paper's first half", 23, 2, |batch| if batch == "*" { 100 } else { 50 })
}

/// A campaign with some seeds and tools, and few mutants of each.
pub(crate) fn sized(seeds: usize, tools: usize) -> Data {
    let name = format!("A campaign of {seeds} seeds");
    made(&name, seeds, tools, |batch| if batch == "*" { 20 } else { 4 })
}

fn made(name: &str, seeds: usize, tools: usize, wanted: impl Fn(&str) -> usize) -> Data {
    let batch = |name: &str| BatchData {
        name: name.to_owned(),
        operators: if name == "*" { "paper" } else { name }.to_owned(),
        wanted: wanted(name),
    };
    let mut data = Data {
        name: name.to_owned(),
        batches: BATCHES.map(batch).into_iter().collect(),
        operators: OPERATORS.map(str::to_owned).into_iter().collect(),
        asked: asked(tools),
        ..Data::default()
    };
    for (name, title, _) in &TOOLS[..tools] {
        data.tools.push(ToolData { name: (*name).to_owned(), title: (*title).to_owned() });
    }
    let mut noise = Noise(7);
    let rounds = seeds.div_ceil(GROUPS.iter().map(|(_, seeds)| seeds.len()).sum());
    for (name, names) in &GROUPS {
        let group = data.groups.push((*name).to_owned());
        for round in 0..rounds {
            for seed in *names {
                // In turn over all groups, a seed is left out once there are enough.
                let missing = seeds.saturating_sub(data.seeds.len());
                let of_group = data.seeds.iter().filter(|seed| seed.group == group).count();
                let share = (seeds * names.len()).div_ceil(23);
                if missing == 0 || of_group >= share {
                    continue;
                }
                let seed =
                    if round == 0 { (*seed).to_owned() } else { format!("{seed}-{}", round + 1) };
                let lines = 20 + data.seeds.len() * 37 % 300;
                let index = data.seeds.push(SeedData {
                    files: vec![format!("seeds/{name}/{seed}.bpl")],
                    name: seed,
                    language: "boogie".to_owned(),
                    options: LanguageOptions::default(),
                    group,
                    lines,
                });
                add_seed(&mut data, &mut noise, index);
            }
        }
    }
    data
}

fn asked(tools: usize) -> Asked {
    let tool = |(name, _, _): &(&str, &str, f64)| AskedTool {
        command: vec![
            "/usr/bin/boogie".to_owned(),
            format!("/proverOpt:{name}"),
            "{files}".to_owned(),
        ],
        profile: (*name == "cvc5").then(|| "no-inference".to_owned()),
        solver_seed: None,
        seconds: Some(20.0),
        cpu_seconds: None,
        memory: Some(4 << 30),
        processes: Some(500),
        resource_limit: None,
        confirm: 10,
        shared: true,
        tapped: true,
    };
    let host = Host {
        name: "build-7".to_owned(),
        system: "Linux 6.1.0".to_owned(),
        processor: "AMD EPYC 7763 64-Core Processor".to_owned(),
        cores: 16,
    };
    let session = |day: &str| Session { day: Some(day.to_owned()), host: host.clone() };
    Asked {
        kind: Kind::Campaign,
        mugie: Some("0.1.0".to_owned()),
        random_seeds: vec![1],
        sessions: vec![session("2026-11-17"), session("2026-11-19")],
        tools: TOOLS[..tools].iter().map(tool).collect(),
        ..Asked::default()
    }
}

/// Adds the tools' verdicts on a seed and on its mutants.
fn add_seed(data: &mut Data, noise: &mut Noise, seed: SeedIx) {
    let name = data.seeds[seed].name.clone();
    for tool in data.tools.indices() {
        let fails = name.starts_with("trigger-free") && tool == 1;
        data.baselines.push(BaselineData {
            seed,
            tool,
            outcome: if fails { Outcome::TimedOut } else { Outcome::Verified },
            layout: seed == 4,
            seconds: 0.6,
            reason: fails.then(|| "no answer in 20 s".to_owned()),
        });
    }
    let brittle = seed.index() % 3 == 1 || name == HOSTILE;
    for batch in data.batches.indices() {
        let breaks = brittle && (batch == 0 || noise.next() < 0.35);
        let share = if breaks { noise.next().powi(2) } else { 0.0 };
        for number in 1..=data.batches[batch].wanted {
            add_mutant(data, noise, (seed, batch), number, share);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seconds are few")]
fn add_mutant(
    data: &mut Data,
    noise: &mut Noise,
    (seed, batch): (SeedIx, BatchIx),
    number: usize,
    share: f64,
) {
    let single = OPERATORS.iter().position(|operator| *operator == BATCHES[batch.index()]);
    let operators = match single {
        Some(operator) => 1 << operator,
        None => (0..16).filter(|_| noise.next() < 0.3).fold(1, |all, operator| all | 1 << operator),
    };
    let mutant = data.mutants.push(MutantData {
        seed,
        batch,
        number: u32::try_from(number).unwrap(),
        operators,
        edits: operators.count_ones(),
    });
    for (tool, (.., factor)) in TOOLS[..data.tools.len()].iter().enumerate() {
        let outcome = match (noise.next() < share * factor, noise.next() < 0.3) {
            (false, _) => Outcome::Verified,
            (true, true) => Outcome::TimedOut,
            (true, false) => Outcome::Failed,
        };
        let base = if outcome == Outcome::TimedOut { 20.0 } else { 0.45 };
        let seconds = Some((base + noise.next().powi(6) * 3.0) as f32);
        let unsteady = outcome == Outcome::TimedOut && noise.next() < 0.1;
        data.verdicts.push(VerdictData {
            mutant,
            tool: tool.into(),
            outcome,
            unsteady,
            seconds,
            problem: Some(mutant.index() as u64 % 7),
            effort: (outcome == Outcome::Verified)
                .then_some((0.8 + noise.next().powi(9) * 40.0) as f32),
        });
    }
}

/// The causes of failing mutants of one seed.
pub(crate) fn causes() -> Vec<CauseData> {
    let cause = |words: Option<&str>, mutants| CauseData {
        seed: 1_usize.into(),
        tool: 0_usize.into(),
        words: words.map(str::to_owned),
        symptom: "procedure Search</style><b> failed".to_owned(),
        mutants,
        minimised: mutants == 1,
    };
    vec![
        cause(Some("axiom #2 about `f` before axiom #1 about `<b>`"), 7),
        cause(Some("`assert true` at #3 in procedure Search"), 1),
        cause(None, 2),
    ]
}

/// The first failing mutants of each seed.
pub(crate) fn details(data: &Data) -> Vec<Detail> {
    let mut shown = index_vec![0; data.seeds.len()];
    let mut details = Vec::new();
    for verdict in data.verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Verified) {
        let mutant = data.mutants[verdict.mutant];
        shown[mutant.seed] += 1;
        if shown[mutant.seed] > 5 {
            continue;
        }
        let seed = &data.seeds[mutant.seed];
        let number = mutant.number;
        details.push(Detail {
            mutant: verdict.mutant,
            tool: verdict.tool,
            name: format!("{}.m{number}", seed.name),
            changes: vec![DetailChange {
                procedure: Some("Search</style><b>".to_owned()),
                outcome: verdict.outcome,
                failures: vec![ReportedFailure {
                    kind: None,
                    message: "postcondition".to_owned(),
                    mutant_place: None,
                    element: Some("a[r] == x".to_owned()),
                    tool_place: None,
                    seed_place: Some(SeedPlace {
                        file: seed.file(),
                        line: 12,
                        column: 3,
                        exact: true,
                    }),
                }],
            }],
            edits: vec![
                "S1: swap axiom #1 with axiom #2".to_owned(),
                "L3: swap operands of `==` in procedure Search".to_owned(),
            ],
            diff: DIFF.to_owned(),
            reproduce: vec![
                format!("mugie mutate '{}' --operators '*' --only {number} -o m.bpl", seed.file()),
                "boogie /nologo /timeLimit:20 m.bpl".to_owned(),
            ],
        });
    }
    details
}

const DIFF: &str = "--- seed.bpl
+++ mutant.bpl
@@ -3,12 +3,12 @@
 const n: int;
-axiom (forall i: int :: {f(i)} 0 <= i && i < n ==> f(i) <= f(i + 1));
-axiom 0 < n;
+axiom 0 < n;
+axiom (forall i: int :: {f(i)} 0 <= i && i < n ==> f(i) <= f(i + 1));
 
 // </style> ]]> <!-- </script><script>alert(2)</script>
 procedure Search(a: [int]int, x: int) returns (r: int)
   requires 0 <= n;
-  ensures 0 <= r ==> a[r] == x;
+  ensures 0 <= r ==> x == a[r];
 {
   var low, high: int;
   low, high := 0, n;
   while (low < high)
@@ -31,4 +31,5 @@
     } else {
       high := mid;
+      assert true;
     }
   }
";
