//! The result of a seed test: from verdicts to the report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mugie_core::{Answer, Dropped, Edit, FailureKind, Program, Strength, Symptom, Verdict, hex};
use mugie_results::result::{
    Baseline, Chance, Counts, DroppedMutant, Effort, Flip, Inert, KindCount, OperatorCount,
    ProblemCount, ProcedureCount, ProcedureOutcome, Question, ScopeReport, Searches, SeedReport,
    Share, StratumCount, Texts, ToolTrouble, Witness,
};
use mugie_results::{MAX_TROUBLE, Measurement, RunMeasurement, SolverWork};
use mugie_stats::clopper_pearson;
use mugie_verifiers::Usage;

use super::parking::{Search, search};
use super::{CHANCE_HELP, Judged, JudgedFlip, SeedTest, Stage, TestEnding};
use crate::controls::Varied;
use crate::explain::Explained;
use crate::judge::Judgement;
use crate::order::{OrderRuleSearch, order_rule};
use crate::recipe::{diff, quoted_path};
use crate::seed::OpenSeed;

/// The confidence of the reported interval.
const CONFIDENCE: f64 = 0.95;

/// The default word for a goal, which reports omit.
const USUAL_GOAL: &str = "procedure";

/// The usage of one run.
pub(crate) fn measured(usage: &Usage) -> RunMeasurement {
    RunMeasurement {
        wall_seconds: usage.wall.as_secs_f64(),
        cpu_seconds: usage.cpu.as_secs_f64(),
        memory_bytes: usage.memory,
    }
}

/// A finished seed test.
#[derive(Debug)]
pub struct Finished {
    /// The report.
    pub report: SeedReport,
    /// What else to keep.
    pub kept: SeedArtifacts,
}

/// The parts of a seed test to keep in files.
#[derive(Debug, Default)]
pub struct SeedArtifacts {
    /// The resource usage of the runs.
    pub measurements: Vec<Measurement>,
    /// The seed in its canonical layout.
    pub printed: String,
    /// The flips, in the order of the report.
    pub flips: Vec<FlipArtifacts>,
    /// The ill-formed mutants, in the order of the report.
    pub dropped: Vec<Dropped>,
    /// The seed.
    pub seed: Option<Arc<OpenSeed>>,
    /// Runs with different verdicts on the same bytes.
    pub varied: Option<Varied>,
}

/// A flip and what to keep of it.
#[derive(Debug)]
pub struct FlipArtifacts {
    /// The program.
    pub program: Arc<dyn Program>,
    /// The verifier's output.
    pub output: String,
    /// How the mutant fails, unless it verifies.
    pub symptom: Option<Symptom>,
    /// The mutant's solver work, if it is known.
    pub work: Option<SolverWork>,
}

impl SeedTest<'_> {
    /// Makes the report.
    pub(crate) fn finish(mut self) -> Finished {
        let order = std::mem::replace(&mut self.order, OrderRuleSearch::new(0));
        let counts = self.counts();
        let (answer, reason, help) = self.answer(&counts);
        let flips: Vec<(&Judged, &JudgedFlip)> =
            self.judged.iter().filter_map(|judged| Some((judged, judged.flip.as_ref()?))).collect();
        let reported: Vec<Flip> =
            flips.iter().map(|(judged, flip)| self.report_flip(judged.number, flip)).collect();
        let share = (counts.judged > 0).then(|| Share {
            share: ratio(counts.flips, counts.judged),
            // Only a random sample says something about other mutants.
            interval: (!counts.complete && !self.protocol.settings.exhaustive)
                .then(|| clopper_pearson(counts.flips as u64, counts.judged as u64, CONFIDENCE)),
        });
        let grade = self.grading.finish(counts.judged);
        let files = self.seed.sources().iter().map(|file| file.name.to_owned()).collect();
        let report = SeedReport {
            hash: Some(self.seed.hash()),
            reading: self.seed.seed().needed_options(),
            goal: goal_word(&self.seed),
            is_query: self.seed.seed().language().is_query(),
            reason,
            help,
            question: self.facts.question,
            baseline: self.baseline.printed().map(|printed| Baseline {
                outcome: printed.outcome,
                reason: printed.reason.as_deref().map(|reason| self.in_user_words(reason)),
                procedures: self.baseline_procedures(printed),
            }),
            layout: self.facts.layout.clone(),
            counts,
            share,
            grade,
            by_kind: by_kind(&reported),
            by_procedure: by_procedure(&reported),
            by_operator: self.by_operator(),
            strata: self.strata(),
            scope: self.scope(),
            chance: self.chance(),
            problems: self.problems(),
            effort: self.effort(),
            searches: self.searches(),
            texts: self.texts(),
            contradictions: self.contradictions(&flips),
            rule: order.finish().map(|pair| order_rule(&self.seed, pair)),
            witness: self.witness().and_then(|number| self.report_witness(number)),
            troubles: self.troubles(),
            dropped: self.dropped(),
            unshared: self.facts.unshared,
            flips: reported,
            ..SeedReport::new(self.seed.name().to_owned(), files, answer)
        };
        let flips = flips.iter().map(|(judged, flip)| FlipArtifacts {
            program: Arc::clone(&flip.program),
            output: flip.output.clone(),
            symptom: Symptom::new(&flip.verdict, &*flip.program, &**self.seed.program()),
            work: judged.work.clone(),
        });
        let flips = flips.collect();
        let mut measurements = self.measurements;
        measurements.sort_by_key(|(order, _)| *order);
        let measurements = measurements.into_iter().map(|(_, measurement)| measurement).collect();
        let printed = self.seed.printed();
        let (dropped, seed) = (self.dropped, Some(self.seed));
        let varied = self.facts.varied.map(|(varied, _)| varied);
        let kept = SeedArtifacts { measurements, printed, flips, dropped, seed, varied };
        Finished { report, kept }
    }

    /// The declarations that are sorted by chance, if there are any.
    fn chance(&self) -> Option<Chance> {
        let declarations = self.by_chance.clone();
        (!declarations.is_empty()).then(|| Chance { declarations, ..Chance::default() })
    }

    /// The scope of change, unless it is everything.
    fn scope(&self) -> Option<ScopeReport> {
        let units = self.scope_size?;
        let mutate = self.draw.scope.clone();
        Some(ScopeReport { mutate, units, of: self.seed.program().unit_count() })
    }

    /// The number of the flip to look at first.
    fn witness(&self) -> Option<usize> {
        match &self.stage {
            Stage::Done(ending) => ending.witness(),
            Stage::Baseline { .. } | Stage::Mutants | Stage::Witness { .. } => None,
        }
    }

    fn is_interrupted(&self) -> bool {
        matches!(self.stage, Stage::Done(TestEnding::Interrupted { .. }))
    }

    fn counts(&self) -> Counts {
        let count = |wanted: fn(&Judgement) -> bool| {
            self.judged.iter().filter(|judged| wanted(&judged.judgement)).count()
        };
        let troubles = count(|judgement| matches!(judgement, Judgement::Trouble(..)));
        Counts {
            judged: self.judged.len() - troubles,
            flips: count(|judgement| *judgement == Judgement::Flip),
            troubles,
            dropped: self.dropped.len(),
            complete: self.sampling.is_complete && troubles == 0 && self.dropped.is_empty(),
            interrupted: self.is_interrupted(),
        }
    }

    /// A reason of the verifier, with the names of goals in the user's source.
    fn in_user_words(&self, reason: &str) -> String {
        let named = self.baseline.printed().into_iter().flat_map(|verdict| &verdict.procedures);
        named.fold(reason.to_owned(), |reason, procedure| {
            let told = self.seed.back().goal(&procedure.name);
            reason.replace(&format!("`{}`", procedure.name), &format!("`{told}`"))
        })
    }

    fn answer(&self, counts: &Counts) -> (Answer, Option<String>, Option<String>) {
        if let Stage::Done(TestEnding::Failed { answer, reason, help }) = &self.stage {
            return (*answer, Some(self.in_user_words(reason)), help.clone());
        }
        if let Some((_, reason)) = &self.facts.varied {
            let help = (!self.by_chance.is_empty()).then(|| CHANCE_HELP.to_owned());
            return (Answer::Nondeterministic, Some(self.in_user_words(reason)), help);
        }
        // A difference by layout alone has nothing to do with mutants.
        if !self.facts.layout.is_empty() {
            return (Answer::Brittle, None, None);
        }
        let drawn = counts.judged + counts.troubles + counts.dropped;
        if Dropped::are_too_many(counts.dropped, drawn) {
            let first = self.dropped.first().map(ToString::to_string).unwrap_or_default();
            let reason = format!(
                "{} of {drawn} mutants were left out, because they fail mugie's own check, the \
                 first: {first}",
                counts.dropped
            );
            let help = "this is a bug in mugie: please report it".to_owned();
            return (Answer::CouldNotRun, Some(reason), Some(help));
        }
        if counts.flips > 0 {
            return (Answer::Brittle, None, None);
        }
        if let Some((reason, help)) = &self.facts.failure {
            let reason = self.in_user_words(reason);
            return (Answer::SeedFails, Some(reason), Some(help.clone()));
        }
        if self.is_interrupted() {
            let reason = "interrupted before an answer was found".to_owned();
            let help = "run the same command again to continue".to_owned();
            return (Answer::Interrupted, Some(reason), Some(help));
        }
        let all = counts.judged + counts.troubles;
        if all == 0 {
            let reason = "there are no mutants: no chosen operator applies to the seed".to_owned();
            let paths = self.seed.paths();
            let paths: Vec<String> = paths.iter().map(|path| quoted_path(path)).collect();
            let help = format!("`mugie mutate {} --list` shows which do", paths.join(" "));
            return (Answer::CouldNotRun, Some(reason), Some(help));
        }
        if ratio(counts.troubles, all) > MAX_TROUBLE {
            let first = self.troubles().into_iter().next();
            let first = first.map(|trouble| trouble.reason).unwrap_or_default();
            let reason =
                format!("{} of {all} mutants have no verdict; the first: {first}", counts.troubles);
            return (Answer::CouldNotRun, Some(reason), None);
        }
        (Answer::Robust, None, None)
    }

    fn troubles(&self) -> Vec<ToolTrouble> {
        let trouble = |judged: &Judged| match &judged.judgement {
            Judgement::Trouble(outcome, reason) => Some(ToolTrouble {
                mutant: self.naming.name(judged.number),
                outcome: *outcome,
                reason: reason.clone(),
            }),
            _ => None,
        };
        self.judged.iter().filter_map(trouble).collect()
    }

    fn dropped(&self) -> Vec<DroppedMutant> {
        let dropped = self.dropped.iter().map(|dropped| DroppedMutant {
            mutant: self.naming.name(dropped.number),
            number: dropped.number,
            operator: dropped.operator().to_owned(),
            reason: dropped.to_string(),
            edits: dropped.edits.clone(),
        });
        dropped.collect()
    }

    fn by_operator(&self) -> Vec<OperatorCount> {
        let judged = |judged: &&Judged| !matches!(judged.judgement, Judgement::Trouble(..));
        let abouts = self.seed.program().operators().iter().enumerate();
        let counts = abouts.map(|(number, about)| {
            let with = self.judged.iter().filter(judged);
            let with = with.filter(|judged| judged.operators.contains(&number));
            let (mut mutants, mut flips) = (0, 0);
            for judged in with {
                mutants += 1;
                flips += usize::from(judged.judgement == Judgement::Flip);
            }
            let operator = about.id().to_owned();
            let name = about.code.map(|_| about.name.to_owned());
            OperatorCount { operator, name, mutants, flips }
        });
        counts.filter(|count| count.mutants > 0).collect()
    }

    /// The mutants with a verdict and known solver work.
    fn solver_work(&self) -> impl Iterator<Item = (&Judged, &SolverWork)> {
        let judged = |judged: &&Judged| !matches!(judged.judgement, Judgement::Trouble(..));
        let judged = self.judged.iter().filter(judged);
        judged.filter_map(|judged| Some((judged, judged.work.as_ref()?)))
    }

    /// The number of distinct solver problems.
    fn problems(&self) -> Option<ProblemCount> {
        let seed = self.facts.work.as_ref()?.problem()?;
        let mut distinct: BTreeMap<String, bool> = BTreeMap::new();
        let (mut mutants, mut as_seed) = (0, 0);
        for (judged, work) in self.solver_work() {
            let Some(problem) = work.problem() else { continue };
            mutants += 1;
            as_seed += usize::from(problem == seed);
            *distinct.entry(problem).or_default() |= judged.judgement == Judgement::Flip;
        }
        let flips = distinct.values().filter(|is_flip| **is_flip).count();
        let (inert, left_out) = (self.inert(), self.sampling.left_out);
        let distinct = distinct.len();
        let count = ProblemCount { mutants, as_seed, distinct, flips, inert, left_out };
        (mutants > 0).then_some(count)
    }

    /// The mutants whose verdict contradicts the seed's.
    fn contradictions(&self, flips: &[(&Judged, &JudgedFlip)]) -> Vec<String> {
        let is_one = |flip: &JudgedFlip| {
            let failures = flip.verdict.procedures.iter().flat_map(|goal| &goal.failures);
            failures.into_iter().any(|failure| failure.kind == FailureKind::Contradiction)
        };
        if self.facts.question != Question::DoesAMutantFail {
            return Vec::new();
        }
        let found = flips.iter().filter(|(_, flip)| is_one(flip));
        found.map(|(judged, _)| self.naming.name(judged.number)).collect()
    }

    /// How many different things the solver did on the mutants, if that is known and the problems are not, which say
    /// more.
    fn searches(&self) -> Option<Searches> {
        if self.facts.work.as_ref().and_then(SolverWork::problem).is_some() {
            return None;
        }
        let of_seed = self.baseline.printed().and_then(search)?;
        let with_stratum = self.judged.iter().filter(|judged| judged.stratum.is_some());
        let found: Vec<&Search> = with_stratum.filter_map(|it| it.search.as_ref()).collect();
        let distinct: BTreeSet<&Search> = found.iter().copied().collect();
        Some(Searches {
            mutants: found.len(),
            as_seed: found.iter().filter(|search| ***search == of_seed).count(),
            distinct: distinct.len(),
            all_inert: self.sampling.parking.are_all_parked(),
            inert: self.inert(),
            left_out: self.sampling.left_out,
        })
    }

    /// How many mutants the verifier cannot tell from the seed, because their translations are equal.
    fn texts(&self) -> Option<Texts> {
        let of_seed = self.facts.text.as_ref()?;
        let texts: Vec<&String> =
            self.judged.iter().filter_map(|judged| judged.text.as_ref()).collect();
        (!texts.is_empty()).then(|| Texts {
            mutants: texts.len(),
            as_seed: texts.iter().filter(|text| **text == of_seed).count(),
            distinct: texts.iter().collect::<BTreeSet<_>>().len(),
        })
    }

    /// The operators, each at one strength, that change nothing for the solver.
    fn inert(&self) -> Vec<Inert> {
        let parked = self.sampling.parking.parked().into_iter();
        parked.map(|(operator, strength)| Inert { operator, strength }).collect()
    }

    /// The mutants that are one edit of the seed, by operator and strength; none if all edits are at one place.
    fn strata(&self) -> Vec<StratumCount> {
        let of_seed = self.facts.work.as_ref().and_then(SolverWork::problem);
        let mut counts: BTreeMap<(Option<usize>, Strength), StratumCount> = BTreeMap::new();
        for judged in &self.judged {
            let Some((operator, strength)) = &judged.stratum else { continue };
            if matches!(judged.judgement, Judgement::Trouble(..)) {
                continue;
            }
            let key = (judged.operators.first().copied(), *strength);
            let count = counts.entry(key).or_insert_with(|| StratumCount {
                operator: operator.clone(),
                strength: *strength,
                mutants: 0,
                flips: 0,
                as_seed: of_seed.as_ref().map(|_| 0),
            });
            count.mutants += 1;
            count.flips += usize::from(judged.judgement == Judgement::Flip);
            let problem = judged.work.as_ref().and_then(SolverWork::problem);
            if let Some(as_seed) = &mut count.as_seed {
                *as_seed += usize::from(problem == of_seed);
            }
        }
        if counts.keys().all(|(_, strength)| strength.is_one()) {
            return Vec::new();
        }
        counts.into_values().collect()
    }

    /// The solver's work on each procedure.
    fn effort(&self) -> Vec<Effort> {
        let seed = self.facts.work.iter().flat_map(|SolverWork(tasks)| tasks);
        let efforts = seed.filter_map(|(procedure, task)| {
            let seed = task.effort?;
            // Failing mutants are reported anyway.
            let like_seed =
                self.solver_work().filter(|(judged, _)| judged.judgement != Judgement::Flip);
            let mutants = like_seed.filter_map(|(judged, SolverWork(tasks))| {
                Some((judged.number, tasks.get(procedure)?.effort?))
            });
            let mutants: Vec<(usize, u64)> = mutants.collect();
            let mut counts: Vec<u64> = mutants.iter().map(|(_, count)| *count).collect();
            counts.sort_unstable();
            let most = *counts.last()?;
            let most_in = mutants.iter().find(|(_, count)| *count == most);
            let above = |times: u64| {
                let above = mutants.iter().filter(|(_, count)| *count > seed.saturating_mul(times));
                above.map(|(number, _)| self.naming.name(*number)).collect()
            };
            Some(Effort {
                procedure: self.seed.back().goal(procedure),
                seed,
                least: *counts.first()?,
                median: counts[(counts.len() - 1) / 2],
                most,
                most_in: most_in.map(|(number, _)| self.naming.name(*number)),
                beyond: false,
                above_2: above(2),
                above_10: above(10),
            })
        });
        efforts.collect()
    }

    /// The outcome of each procedure of the seed.
    fn baseline_procedures(&self, printed: &Verdict) -> Vec<ProcedureOutcome> {
        let files = self.seed.printed_files().names();
        let explained = Explained::new(&self.seed, &**self.seed.program(), &files, printed);
        explained
            .profile()
            .worst()
            .map(|(name, outcome)| ProcedureOutcome {
                procedure: self.seed.back().goal(name),
                outcome,
                failures: explained.failures(name),
            })
            .collect()
    }

    fn report_flip(&self, number: usize, flip: &JudgedFlip) -> Flip {
        let JudgedFlip { edits, program, verdict, .. } = flip;
        let files = self.naming.plain_files(number, &**program);
        let explained = Explained::new(&self.seed, &**program, &files, verdict);
        Flip {
            mutant: self.naming.name(number),
            number,
            hash: hex(&program.hash()),
            parts: parts(&self.seed, edits),
            edits: edits.clone(),
            outcome: verdict.outcome,
            reason: verdict.reason.clone(),
            stage: verdict.stage,
            changes: explained.changes(&self.facts.profile),
            messages: explained.messages(),
            files,
        }
    }

    fn report_witness(&self, number: usize) -> Option<Witness> {
        let flip = self.flip(number)?;
        let program = &*flip.program;
        let files = self.naming.plain_files(number, program);
        Some(Witness {
            mutant: self.naming.name(number),
            diff: diff(&**self.seed.program(), program, self.naming.source(), &files),
            reproduce: self
                .recipe()
                .for_outcome(flip.verdict.outcome)
                .commands(&self.seed, number, program),
            reduced: None,
        })
    }
}

/// The part of the user's source that each edit is in. Empty if the user wrote the seed.
pub(crate) fn parts(seed: &OpenSeed, edits: &[Edit]) -> Vec<String> {
    let part = |edit: &Edit| {
        let units = edit.place.units();
        let numbers = units.iter().filter_map(|unit| unit.seed_number());
        let lines = numbers.filter_map(|unit| seed.seed().unit_line(unit));
        let mut parts: Vec<String> = lines.filter_map(|line| seed.back().part(line)).collect();
        parts.dedup();
        parts.join(" and ")
    };
    let parts: Vec<String> = edits.iter().map(part).collect();
    if parts.iter().all(String::is_empty) { Vec::new() } else { parts }
}

/// The language's word for a goal, if it is not the default.
fn goal_word(seed: &OpenSeed) -> Option<String> {
    let word = seed.seed().language().words().goal;
    (word != USUAL_GOAL).then(|| word.to_owned())
}

#[expect(clippy::cast_precision_loss, reason = "far from the limits of either type")]
fn ratio(part: usize, all: usize) -> f64 {
    part as f64 / all as f64
}

/// Flips by outcome, most first.
fn by_kind(flips: &[Flip]) -> Vec<KindCount> {
    let mut counts = BTreeMap::new();
    for flip in flips {
        *counts.entry(flip.outcome).or_default() += 1;
    }
    let mut counts: Vec<_> =
        counts.into_iter().map(|(outcome, flips)| KindCount { outcome, flips }).collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.flips));
    counts
}

/// Flips by procedure, most first.
fn by_procedure(flips: &[Flip]) -> Vec<ProcedureCount> {
    let mut counts = BTreeMap::new();
    for change in flips.iter().flat_map(|flip| &flip.changes) {
        *counts.entry(&change.procedure).or_default() += 1;
    }
    let mut counts: Vec<_> = counts
        .into_iter()
        .map(|(procedure, flips)| ProcedureCount { procedure: procedure.clone(), flips })
        .collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.flips));
    counts
}
