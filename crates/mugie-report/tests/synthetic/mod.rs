//! A made-up campaign, with names that try to break out of the HTML.

use index_vec::index_vec;
use mugie_core::{LanguageOptions, Outcome};
use mugie_results::data::{
    BaselineData, BatchData, BatchIx, CauseData, Data, Detail, DetailChange, MutantData, SeedData,
    SeedIx, ToolData, VerdictData,
};
use mugie_results::result::{ReportedFailure, SeedPlace};

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

/// 23 seeds, a third of which are brittle, 12 batches and 2 tools.
pub(crate) fn campaign() -> Data {
    let batch = |name: &str| BatchData {
        name: name.to_owned(),
        operators: name.to_owned(),
        wanted: if name == "*" { 100 } else { 50 },
    };
    let tool =
        |name: &str, title: &str| ToolData { name: name.to_owned(), title: title.to_owned() };
    let mut data = Data {
        name: "The paper's first half".to_owned(),
        batches: BATCHES.map(batch).into_iter().collect(),
        tools: index_vec![
            tool("z3-4.8", "Boogie 2.4.1 with Z3 4.8.12"),
            tool("z3-4.13", "Boogie 2.4.1 with Z3 4.13.0"),
        ],
        operators: OPERATORS.map(str::to_owned).into_iter().collect(),
        ..Data::default()
    };
    let mut noise = Noise(7);
    for (name, seeds) in &GROUPS {
        let group = data.groups.push((*name).to_owned());
        for seed in *seeds {
            let file = format!("seeds/{name}/{seed}.bpl");
            let lines = 20 + data.seeds.len() * 37 % 300;
            let index = data.seeds.push(SeedData {
                name: (*seed).to_owned(),
                files: vec![file],
                language: "boogie".to_owned(),
                options: LanguageOptions::default(),
                group,
                lines,
            });
            add_seed(&mut data, &mut noise, index);
        }
    }
    data
}

/// Adds the tools' verdicts on a seed and on its mutants.
fn add_seed(data: &mut Data, noise: &mut Noise, seed: SeedIx) {
    let name = data.seeds[seed].name.clone();
    for tool in data.tools.indices() {
        let fails = name == "trigger-free" && tool == 1;
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
    for (tool, factor) in [(0_usize, 1.0), (1, 0.6)] {
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
            effort: Some(1.0),
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
    };
    vec![cause(Some("axiom #2 about `f` before axiom #1 about `<b>`"), 7), cause(None, 2)]
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
