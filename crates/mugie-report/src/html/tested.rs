//! The result of a test as the data of a page: one batch of mutants, and a tool for each level.
//!
//! A result names the mutants with another verdict than their seed's, and counts the others. Which of the
//! others an operator made is not known, only how many: they are given to the first ones, and nothing on the
//! page depends on which.

use std::fmt::Write as _;

use mugie_core::{Answer, Exit, Outcome};
use mugie_results::asked::{Asked, AskedTool, Kind, Session};
use mugie_results::data::{
    BaselineData, BatchData, BatchIx, CauseData, Data, Detail, DetailChange, Details, DroppedData,
    EffortData, GroupIx, MAX_OPERATORS, MutantData, SeedData, SeedIx, ToolData, ToolIx,
    VerdictData,
};
use mugie_results::result::{Effort, Flip, SeedReport, TestReport, ToolTrouble};

use crate::words;

/// The group of the seeds of the level below.
const QUERIES: &str = "queries";

/// The result of a test as data. `apart` has the operators that are kept apart.
pub(super) fn page(report: &TestReport, apart: &[&str]) -> (Data, Details) {
    let mut page = Page {
        data: Data { asked: asked(report), name: name(report), ..Data::default() },
        details: Details::default(),
        remarks: Vec::new(),
    };
    page.add_level(report, false);
    if let Some(below) = &report.below {
        page.add_level(below, true);
    }
    for (seed, of) in report.all_seeds().enumerate() {
        let known = crate::known::of_seed(report, of);
        page.remarks.extend(known.map(|words| (of.answer.exit(), seed.into(), words)));
    }
    let Page { mut data, mut details, mut remarks } = page;
    let bits = data.operators.iter_enumerated().filter(|(_, name)| apart.contains(&name.as_str()));
    data.apart = bits.fold(0, |bits, (index, _)| bits | 1 << index.index());
    data.until_failure = report.settings.until_failure;
    // Each level's seeds are no programs of the other level's tool.
    for seed in data.seeds.indices() {
        for tool in data.tools.indices() {
            if !data.baselines.iter().any(|it| (it.seed, it.tool) == (seed, tool)) {
                data.baselines.push(BaselineData {
                    seed,
                    tool,
                    outcome: Outcome::NotExpressible,
                    layout: false,
                    seconds: 0.0,
                    reason: Some("a program of another level".to_owned()),
                });
            }
        }
    }
    for seed in data.seeds.indices() {
        for batch in data.batches.indices() {
            data.drawn.entry((seed, batch)).or_insert(0);
        }
    }
    data.baselines.sort_by_key(|baseline| (baseline.seed, baseline.tool));
    // Findings first; within a kind, the order of the seeds.
    remarks.sort_by_key(|(exit, ..)| match exit {
        Exit::Finding => 0,
        Exit::NoAnswer => 1,
        Exit::SeedFails | Exit::Fine => 2,
    });
    details.remarks = remarks.into_iter().map(|(_, seed, words)| (seed, words)).collect();
    (data, details)
}

fn name(report: &TestReport) -> String {
    let of = |report: &TestReport, noun: &str| match report.seeds.as_slice() {
        [seed] => seed.name.clone(),
        seeds => words::count(seeds.len(), noun),
    };
    let mut name = of(report, "program");
    if let Some(below) = &report.below {
        let _ = write!(name, " and {}", words::count(below.seeds.len(), "query"));
    }
    name
}

fn asked(report: &TestReport) -> Asked {
    let settings = &report.settings;
    Asked {
        kind: Kind::Test,
        mugie: Some(report.mugie.clone()),
        random_seeds: vec![settings.random_seed],
        exhaustive: settings.exhaustive,
        confidence: settings.confidence,
        goals: settings.procedures.clone(),
        // A result has no times: verdicts may come from the cache.
        sessions: vec![Session { day: None, host: report.host.clone() }],
        tools: std::iter::once(report).chain(report.below.as_deref()).map(asked_tool).collect(),
    }
}

fn asked_tool(report: &TestReport) -> AskedTool {
    let (settings, options) = (&report.settings, &report.verifier.options);
    AskedTool {
        command: report.verifier.command.clone(),
        profile: options.profile.clone(),
        solver_seed: options.solver_seed,
        seconds: Some(settings.time_limit),
        cpu_seconds: settings.cpu_limit,
        memory: settings.memory_limit,
        processes: settings.process_limit,
        resource_limit: settings.resource_limit,
        confirm: settings.confirm,
        shared: settings.speed.batches,
        tapped: settings.speed.tap,
    }
}

/// A page under construction.
struct Page {
    data: Data,
    details: Details,
    /// What is to be known besides failing mutants, with the exit code of the answer.
    remarks: Vec<(Exit, SeedIx, String)>,
}

impl Page {
    fn add_level(&mut self, report: &TestReport, is_below: bool) {
        let tool = self.data.tools.push(ToolData {
            name: report.verifier.name.clone(),
            title: report.verifier.title.clone(),
        });
        let settings = &report.settings;
        let batch = BatchData {
            name: settings.operators.clone(),
            operators: settings.operators.clone(),
            wanted: settings.mutants,
        };
        let same = self.data.batches.position(|known| *known == batch);
        let batch = same.unwrap_or_else(|| {
            // Two batches must not have the same name.
            let is_taken = self.data.batches.iter().any(|known| known.name == batch.name);
            let name = if is_taken { format!("{} of {QUERIES}", batch.name) } else { batch.name };
            self.data.batches.push(BatchData { name, ..batch })
        });
        for seed in &report.seeds {
            let group = self.group(seed, is_below);
            let index = self.data.seeds.push(SeedData {
                name: seed.name.clone(),
                files: if seed.files.is_empty() {
                    vec![seed.name.clone()]
                } else {
                    seed.files.clone()
                },
                language: String::new(),
                options: seed.reading.clone(),
                group,
                lines: 0,
            });
            self.add_seed(seed, (index, batch, tool));
        }
    }

    /// The group of a seed: the folder of its first file.
    fn group(&mut self, seed: &SeedReport, is_below: bool) -> GroupIx {
        let file = seed.files.first().unwrap_or(&seed.name);
        let name = match file.rsplit_once('/') {
            _ if is_below => QUERIES,
            Some((folder, _)) => folder,
            None => ".",
        };
        let known = self.data.groups.position(|group| group == name);
        known.unwrap_or_else(|| self.data.groups.push(name.to_owned()))
    }

    fn add_seed(&mut self, seed: &SeedReport, at: (SeedIx, BatchIx, ToolIx)) {
        let (index, batch, tool) = at;
        let (outcome, reason) = outcome(seed);
        self.data.baselines.push(BaselineData {
            seed: index,
            tool,
            outcome,
            layout: !seed.layout.is_empty(),
            seconds: 0.0,
            reason,
        });
        if seed.answer == Answer::Nondeterministic {
            self.data.unstable.push((index, tool));
        }
        self.add_mutants(seed, outcome, at);
        for dropped in &seed.dropped {
            self.data.dropped.push(DroppedData {
                seed: index,
                batch,
                number: short(dropped.number),
                operator: dropped.operator.clone(),
                reason: dropped.reason.clone(),
            });
        }
        self.data.efforts.extend(effort(&seed.effort, index, tool));
        self.add_causes(seed, index, tool);
        let exit = seed.answer.exit();
        self.remarks.extend(remarks(seed).into_iter().map(|words| (exit, index, words)));
    }

    /// The index of an operator; `None` if there are too many.
    fn operator(&mut self, name: &str) -> Option<usize> {
        let known = self.data.operators.position(|operator| operator == name);
        let index = match known {
            Some(index) => index,
            None if self.data.operators.len() < MAX_OPERATORS => {
                self.data.operators.push(name.to_owned())
            }
            None => return None,
        };
        Some(index.index())
    }

    fn add_mutants(
        &mut self,
        seed: &SeedReport,
        of_seed: Outcome,
        (index, batch, tool): (SeedIx, BatchIx, ToolIx),
    ) {
        // Of each operator, how many mutants are left that agree with the seed.
        let mut left: Vec<(usize, usize)> = Vec::new();
        for counts in &seed.by_operator {
            if let Some(operator) = self.operator(&counts.operator) {
                left.push((operator, counts.mutants.saturating_sub(counts.flips)));
            }
        }
        let all = seed.counts.judged + seed.counts.troubles;
        let named: Vec<usize> = seed.flips.iter().map(|flip| flip.number).collect();
        let mut free = (1..).filter(|number| !named.contains(number));
        let mut mutants: Vec<(usize, u128, Outcome, Option<&Flip>)> = Vec::new();
        for flip in &seed.flips {
            let operators = flip.edits.iter().filter_map(|edit| self.operator(&edit.operator));
            let operators = operators.fold(0, |bits, operator| bits | 1_u128 << operator);
            mutants.push((flip.number, operators, flip.outcome, Some(flip)));
        }
        for _ in seed.flips.len()..seed.counts.judged {
            let mut operators = 0;
            for (operator, left) in left.iter_mut().filter(|(_, left)| *left > 0) {
                operators |= 1_u128 << *operator;
                *left -= 1;
            }
            mutants.push((free.next().unwrap_or(all), operators, of_seed, None));
        }
        for ToolTrouble { outcome, .. } in &seed.troubles {
            mutants.push((free.next().unwrap_or(all), 0, *outcome, None));
        }
        mutants.sort_by_key(|(number, ..)| *number);
        self.data.drawn.insert((index, batch), mutants.len() + seed.dropped.len());
        for (number, operators, outcome, flip) in mutants {
            let mutant = self.data.mutants.push(MutantData {
                seed: index,
                batch,
                number: short(number),
                operators,
                edits: short(flip.map_or(0, |flip| flip.edits.len())),
            });
            self.data.verdicts.push(VerdictData {
                mutant,
                tool,
                outcome,
                unsteady: false,
                seconds: None,
                problem: None,
                effort: None,
            });
            if let Some(flip) = flip {
                let witness = seed.witness.as_ref().filter(|it| it.mutant == flip.mutant);
                self.details.mutants.push(Detail {
                    mutant,
                    tool,
                    name: flip.mutant.clone(),
                    changes: changes(flip),
                    edits: (flip.edits.iter())
                        .map(|edit| format!("{}: {}", edit.operator, edit.words))
                        .collect(),
                    diff: witness.map(|witness| witness.diff.clone()).unwrap_or_default(),
                    reproduce: witness.map(|witness| witness.reproduce.clone()).unwrap_or_default(),
                });
            }
        }
    }

    /// Adds causes, which `mugie test` names only after it minimised them.
    fn add_causes(&mut self, seed: &SeedReport, index: SeedIx, tool: ToolIx) {
        let Some(causes) = &seed.causes else { return };
        let goal = words::goal(seed);
        for cause in &causes.groups.causes {
            self.details.causes.push(CauseData {
                seed: index,
                tool,
                words: Some(cause.words.clone()),
                symptom: match &cause.symptom.procedure {
                    Some(procedure) => format!("{goal} {procedure} {}", cause.symptom.outcome),
                    None => cause.symptom.outcome.to_string(),
                },
                mutants: cause.mutants.len(),
                minimised: true,
            });
        }
        let unexplained = causes.groups.unexplained.len();
        if unexplained > 0 {
            self.details.causes.push(CauseData {
                seed: index,
                tool,
                words: None,
                symptom: "the runs for causes were spent".to_owned(),
                mutants: unexplained,
                minimised: false,
            });
        }
    }
}

/// The outcome of a seed, which its mutants are compared with, and why it is not verified.
fn outcome(seed: &SeedReport) -> (Outcome, Option<String>) {
    let reason = seed.reason.clone();
    let outcome = match (&seed.baseline, seed.answer) {
        (_, Answer::NotExpressible) => Outcome::NotExpressible,
        (Some(_), Answer::Nondeterministic) | (None, _) => Outcome::ToolError,
        // There is nothing to verify, which is no evidence.
        (Some(baseline), Answer::SeedFails) if baseline.outcome == Outcome::Verified => {
            Outcome::ToolError
        }
        (Some(baseline), _) => {
            return (baseline.outcome, baseline.reason.clone().or(reason));
        }
    };
    (outcome, reason)
}

/// The procedures whose verdict changed in a mutant.
fn changes(flip: &Flip) -> Vec<DetailChange> {
    let mut changes: Vec<DetailChange> = (flip.changes.iter())
        .map(|change| DetailChange {
            procedure: Some(change.procedure.clone()),
            outcome: change.mutant,
            failures: change.failures.clone(),
        })
        .collect();
    if changes.is_empty() || !flip.messages.is_empty() {
        changes.push(DetailChange {
            procedure: None,
            outcome: flip.outcome,
            failures: flip.messages.clone(),
        });
    }
    changes
}

/// The work on the procedure in which it grows most.
fn effort(efforts: &[Effort], seed: SeedIx, tool: ToolIx) -> Option<EffortData> {
    let float = |count: u64| {
        #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^53")]
        let count = count as f64;
        count
    };
    let known = efforts.iter().filter(|effort| effort.seed > 0);
    let of_each = known.map(|effort| {
        let over = |count: u64| float(count) / float(effort.seed);
        let (least, median, most) = (over(effort.least), over(effort.median), over(effort.most));
        EffortData { seed, tool, least, median, most }
    });
    of_each.max_by(|a, b| a.most.total_cmp(&b.most))
}

/// What is to be known of a seed besides its failing mutants.
fn remarks(seed: &SeedReport) -> Vec<String> {
    let goal = words::goal(seed);
    let mut remarks: Vec<String> =
        seed.layout.iter().map(|change| words::layout(change, &goal)).collect();
    let is_told = match seed.answer {
        // The counts and the layout say it.
        Answer::Robust | Answer::Brittle => seed.counts.judged > 0 || !seed.layout.is_empty(),
        Answer::SeedFails => !words::is_void(seed),
        _ => false,
    };
    if !is_told {
        remarks.insert(0, words::answer(seed));
    }
    if !seed.contradictions.is_empty() {
        let mutants = words::count(seed.contradictions.len(), "mutant");
        remarks.push(format!("the solver contradicts itself on {mutants}"));
    }
    if let Some(luck) = seed.luck.as_ref().filter(|luck| !luck.flips.is_empty()) {
        remarks.push(format!(
            "depends on luck: another verdict with {} of {} of the solver",
            luck.flips.len(),
            words::count(luck.judged, "other random seed"),
        ));
    }
    remarks
}

/// A count of mutants, which are few.
fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use mugie_core::{Edit, Place, UnitId};
    use mugie_results::result::{Baseline, Counts as SeedCounts, OperatorCount};

    use super::*;
    use crate::html::counts::Counts;
    use crate::testing;

    fn tested() -> TestReport {
        let mut seed =
            SeedReport::new("a/x.bpl".to_owned(), vec!["a/x.bpl".to_owned()], Answer::Brittle);
        seed.baseline =
            Some(Baseline { outcome: Outcome::Verified, reason: None, procedures: Vec::new() });
        seed.counts = SeedCounts { judged: 5, flips: 1, troubles: 1, ..SeedCounts::default() };
        let count = |operator: &str, mutants, flips| OperatorCount {
            operator: operator.to_owned(),
            name: None,
            mutants,
            flips,
        };
        let place = Place::Inside { unit: UnitId::of_seed(0), at: 1 };
        seed.by_operator = vec![count("S1", 4, 1), count("L3", 2, 0)];
        seed.flips = vec![Flip {
            mutant: "x-2".to_owned(),
            number: 2,
            hash: String::new(),
            edits: vec![Edit::new("S1", place, "swap")],
            parts: Vec::new(),
            files: Vec::new(),
            outcome: Outcome::Failed,
            reason: None,
            stage: None,
            changes: Vec::new(),
            messages: Vec::new(),
        }];
        seed.troubles = vec![ToolTrouble {
            mutant: "x-3".to_owned(),
            outcome: Outcome::Crashed,
            reason: "no".to_owned(),
        }];
        let work = |procedure: &str, most| Effort {
            procedure: procedure.to_owned(),
            seed: 10,
            least: 5,
            median: 10,
            most,
            most_in: None,
            beyond: false,
            above_2: Vec::new(),
            above_10: Vec::new(),
        };
        seed.effort = vec![work("p", 20), work("q", 30)];
        let other = SeedReport::new("y.bpl".to_owned(), Vec::new(), Answer::Nondeterministic);
        testing::report(vec![other, seed])
    }

    #[test]
    fn counts_of_the_page_are_those_of_the_result() {
        let report = tested();
        let (data, details) = page(&report, &[]);
        let counts = Counts::new(&data);
        let (seed, tool) = (SeedIx::from(1_usize), ToolIx::from(0_usize));
        let all = counts.all(seed, tool);
        assert_eq!((all.judged, all.differ), (5, 1));
        assert_eq!((counts.kinds(seed, tool).failed, counts.kinds(seed, tool).trouble), (1, 1));
        for (operator, judged, differ) in [("S1", 4, 1), ("L3", 2, 0)] {
            let index = data.operators.position(|name| name == operator).unwrap();
            let tally = counts.by_operator(seed, tool, index);
            assert_eq!((tally.judged, tally.differ), (judged, differ), "{operator}");
        }
        let efforts = data.efforts.iter().map(|effort| (effort.seed, effort.most));
        assert_eq!(efforts.collect::<Vec<_>>(), [(seed, 3.0)]);
        assert!(details.mutants[0].name == "x-2" && details.mutants.len() == 1);
        assert_eq!(details.remarks.len(), 1, "{:?}", details.remarks);
        assert!(crate::overview::gap(&data).is_none(), "{:?}", crate::overview::gap(&data));
    }

    #[test]
    fn queries_are_seeds_of_their_own_tool() {
        let mut report = tested();
        let mut below = tested();
        below.verifier.name = "z3".to_owned();
        below.settings.mutants = 7;
        report.below = Some(Box::new(below));
        let (data, _) = page(&report, &["S1"]);
        assert_eq!((data.seeds.len(), data.tools.len(), data.batches.len()), (4, 2, 2));
        assert_ne!(data.batches[0].name, data.batches[1].name);
        assert_eq!(data.apart.count_ones(), 1);
        let counts = Counts::new(&data);
        let all = counts.all(3_usize.into(), 0_usize.into());
        assert_eq!(all.judged, 0, "a query is no program of the verifier's");
        assert!(crate::overview::gap(&data).is_none());
    }

    #[test]
    fn a_page_says_what_is_known() {
        let mut report = tested();
        let remarks = |report: &TestReport| page(report, &[]).1.remarks;
        assert_eq!(remarks(&report).len(), 1);
        report.known = Some(crate::known::compare(&report, "known.toml".to_owned(), &[]));
        let words = |report: &TestReport| {
            let seed = SeedIx::from(1_usize);
            let of_seed = remarks(report).into_iter().filter(|(of, _)| *of == seed);
            of_seed.map(|(_, words)| words).collect::<Vec<_>>()
        };
        assert_eq!(words(&report), ["has 1 finding that is not in known.toml"]);
        let all = crate::known::update(&report, Vec::new());
        report.known = Some(crate::known::compare(&report, "known.toml".to_owned(), &all));
        assert_eq!(words(&report), ["has no new finding: 1 is known in known.toml"]);
    }

    #[test]
    fn all_mutants_have_no_interval_anywhere_on_the_page() {
        let mut report = tested();
        let has_interval = |report: &TestReport| {
            let html = crate::html::test_report(report, &[]);
            let (_, html) = html.split_once("<main").unwrap();
            html.contains("interval") || html.contains("with 95 % confidence")
        };
        assert!(has_interval(&report));
        report.settings.exhaustive = true;
        assert!(!has_interval(&report));
    }
}
