//! Calibrates the verifier for seeds that a tool made: runs the tool itself, and the verifier on the seeds, and compares
//! them. The result is kept with the cached verdicts, so that the tool runs once for a program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::{
    Answer, Artifact, Back, FrontDoor, GoalRun, Location, Obligation, ObligationBatch, OwnError,
    OwnRun, SeedPlace, escaped, hex,
};
use mugie_experiment::baseline::Step;
use mugie_experiment::calibrate::{Compared, compare};
use mugie_experiment::sources::{Reading, Source, door_of};
use mugie_results::Calibration;
use mugie_results::calibration::CalibratedGoal;
use mugie_results::result::{Baseline, SeedOrigin, SeedReport};
use mugie_verifiers::{Limits, Verifier, VerifierOptions, claim, input};
use serde::{Deserialize, Serialize};

use crate::doors::Doors;
use crate::messages::{Style, Trouble};
use crate::output;
use crate::parts::parts;
use crate::session::{Running, Session};
use crate::tool_spec::ToolSpec;

/// The folder with calibrations, inside a cache.
const FOLDER: &str = "calibrations";

/// Multiple of the time limit that the verifier may take for the comparison.
const PATIENCE: u32 = 10;

/// Bytes of a kept calibration, at most.
const MAX_SIZE: u64 = 1 << 28;

/// The calibrations of some seeds, by the names of the seeds.
pub(crate) type Calibrations = BTreeMap<String, Calibrated>;

/// The calibration of a seed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Calibrated {
    pub(crate) calibration: Calibration,
    /// The places of proof obligations: in the seed, and the same in the user's source.
    places: Vec<(Location, Obligation)>,
    /// The failures that the tool reports on the user's source.
    #[serde(default)]
    errors: Vec<OwnError>,
    /// The queries of goals on which tool and verifier disagree.
    #[serde(default)]
    pub(crate) queries: Vec<KeptQuery>,
}

impl Calibrated {
    /// Moves the failures of a seed that the tool rejects, too, to where the tool reports them: a postcondition fails
    /// where the method returns.
    pub(crate) fn correct(&self, baseline: &mut Baseline, back: &dyn Back) {
        let failures = baseline.procedures.iter_mut().flat_map(|procedure| &mut procedure.failures);
        for failure in failures {
            let Some(place) = &failure.seed_place else { continue };
            let is_there = |it: &Location| {
                it.file == place.file && (it.line, it.column) == (place.line, place.column)
            };
            if self.errors.iter().any(|error| is_there(&error.place)) {
                continue;
            }
            let Some(error) = self.errors.iter().find(|error| error.related.iter().any(is_there))
            else {
                continue;
            };
            let Location { file, line, column } = error.place.clone();
            let place = SeedPlace { file, line, column, exact: true };
            failure.tool_place = back.shown(&place);
            failure.seed_place = Some(place);
        }
    }
}

/// Both queries of a batch of proof obligations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptQuery {
    /// The name for files.
    pub(crate) name: String,
    /// The tool's query.
    pub(crate) tool: String,
    /// The verifier's.
    pub(crate) verifier: String,
}

/// Calibrates.
pub(crate) struct Calibrator<'c> {
    pub(crate) session: &'c Session<'c>,
    pub(crate) doors: &'c Doors<'c>,
    pub(crate) spec: &'c ToolSpec,
    pub(crate) running: &'c Running<'c, 'c>,
    pub(crate) reading: &'c Reading,
}

/// What the verifier does with a seed.
struct VerifierRun {
    goals: Vec<GoalRun>,
    /// Its queries, by the names of their logs.
    queries: BTreeMap<String, String>,
}

impl VerifierRun {
    /// Whether the verifier names a goal.
    fn names(&self, goal: &GoalRun) -> bool {
        self.goals.iter().any(|it| it.name == goal.name)
    }
}

impl Calibrator<'_> {
    /// Calibrates all seeds that a tool made, and tells their ways back the places of proof obligations.
    pub(crate) fn calibrate(&self, sources: &[Source]) -> Result<Calibrations, Trouble> {
        let mut all = Calibrations::new();
        let mut groups: BTreeMap<&[PathBuf], Vec<&Source>> = BTreeMap::new();
        for source in sources {
            if let Some(origin) = source.origin() {
                groups.entry(&origin.files).or_default().push(source);
            }
        }
        for (files, group) in groups {
            let Some(door) = door_of(parts().doors, files) else { continue };
            let key = self.key(door, files, &group);
            let kept = key.as_deref().and_then(read);
            let found = if let Some(kept) = kept {
                kept
            } else {
                let found = self.compare(door, files, &group)?;
                if let Some(path) = &key {
                    keep(self.session.style, path, &found);
                }
                found
            };
            for source in group {
                if let Some(calibrated) = found.get(source.name()) {
                    source.back().learn(calibrated.places.clone());
                }
            }
            all.extend(found);
        }
        Ok(all)
    }

    /// The file of a calibration in the cache: named by everything that it depends on.
    fn key(&self, door: &dyn FrontDoor, files: &[PathBuf], group: &[&Source]) -> Option<PathBuf> {
        let cache = self.running.cache?;
        let mut hasher = blake3::Hasher::new_derive_key("mugie 1 calibration");
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(env!("CARGO_PKG_VERSION").as_bytes());
        field(door.id().as_bytes());
        field(&self.running.verifier.identity());
        for argument in &self.doors.arguments.front_end_arg {
            field(argument.as_bytes());
        }
        for file in files {
            field(file.as_os_str().as_encoded_bytes());
            field(&input::read(file, MAX_SIZE).ok()?);
        }
        for source in group {
            field(source.name().as_bytes());
            field(source.origin()?.tool.as_bytes());
            for file in source.read().ok()? {
                field(&file.bytes);
            }
        }
        let name = format!("{}.json", hex(hasher.finalize().as_bytes()));
        Some(cache.folder().join(FOLDER).join(name))
    }

    /// Runs the tool, and the verifier on the seeds, and compares them.
    fn compare(
        &self,
        door: &dyn FrontDoor,
        files: &[PathBuf],
        group: &[&Source],
    ) -> Result<Calibrations, Trouble> {
        let names: Vec<String> = files.iter().map(|file| mugie_core::path_name(file)).collect();
        let tool =
            group.first().and_then(|source| source.origin()).map_or(door.title(), |it| &it.tool);
        output::talk(&format!(
            "{}\n",
            escaped(&format!("{tool} verifies {} itself, to compare", names.join(" ")))
        ));
        let Some(own) = self.own_run(door, files)? else { return Ok(Calibrations::new()) };
        let mut found = Calibrations::new();
        let mut again: Option<OwnRun> = None;
        let mut runs = Vec::new();
        for source in group {
            runs.extend(self.run(source)?.map(|run| (*source, run)));
        }
        let is_known = |goal: &GoalRun| runs.iter().any(|(_, run)| run.names(goal));
        for (source, run) in &runs {
            let goals = |own: &OwnRun| -> Vec<GoalRun> {
                let is_here = |goal: &&GoalRun| {
                    run.names(goal) || (!is_known(goal) && mentions(source, goal))
                };
                own.goals.iter().filter(is_here).cloned().collect()
            };
            let own_goals = goals(&own);
            let Compared { mut calibration, places } = compared(&own.tool, &own_goals, run);
            // A difference counts only if it is seen twice.
            if calibration.goals.iter().any(CalibratedGoal::has_other_verdict) {
                let second = match again.take() {
                    Some(second) => second,
                    None => self.own_run(door, files)?.unwrap_or_default(),
                };
                if let Some(run) = self.run(source)? {
                    let repeated = compared(&own.tool, &goals(&second), &run).calibration;
                    for goal in &mut calibration.goals {
                        let is_same = |it: &&CalibratedGoal| {
                            it.name == goal.name
                                && it.tool == goal.tool
                                && it.verifier == goal.verifier
                        };
                        goal.disagrees = goal.has_other_verdict()
                            && repeated.goals.iter().any(|it| is_same(&it));
                    }
                }
                again = Some(second);
            }
            let queries = kept_queries(&calibration, &own_goals, run);
            found.insert(
                source.name().to_owned(),
                Calibrated { calibration, places, errors: own.errors.clone(), queries },
            );
        }
        Ok(found)
    }

    fn own_run(&self, door: &dyn FrontDoor, files: &[PathBuf]) -> Result<Option<OwnRun>, Trouble> {
        let run = self.doors.request(|request| door.own_run(files, request));
        run.map_err(|error| Trouble { message: error.reason, help: error.help })
    }

    /// Runs the verifier on a seed as it is. `None` if the seed cannot be read, which is reported later.
    fn run(&self, source: &Source) -> Result<Option<VerifierRun>, Trouble> {
        let Ok(seed) = self.reading.open(source) else { return Ok(None) };
        let options = VerifierOptions { log_goals: true, ..self.spec.options.clone() };
        // Writing all queries takes a while.
        let limits = self.running.limits;
        let limits = Limits { time: limits.time.saturating_mul(PATIENCE), ..limits };
        let verifier: Arc<Verifier> =
            self.spec.resolve_with(&self.session.registry, &options).map(Arc::new)?;
        let executor = self.session.plain_executor(&Running {
            verifier: &verifier,
            limits,
            ..self.running.clone()
        })?;
        let request = seed.baseline_request(Step::Original { repetition: 0 });
        let Some(left) = executor.artifacts(&request.language, &request.files) else {
            return Err(Trouble::new("interrupted before there was an answer"));
        };
        let queries = left.iter().filter_map(|Artifact { name, text, .. }| {
            Some((verifier.batch_of(name)?.to_owned(), text.clone()))
        });
        let queries = queries.collect();
        let mut goals = verifier.goal_runs(&left);
        if goals.is_empty() {
            let settled = executor.settle(request);
            let procedures = settled.map(|settled| settled.verdict.procedures).unwrap_or_default();
            let goal = |procedure: mugie_core::Procedure| GoalRun {
                name: procedure.name,
                log: None,
                batches: vec![ObligationBatch {
                    outcome: procedure.outcome,
                    resources: procedure.resources,
                    obligations: Vec::new(),
                    query: None,
                }],
            };
            goals = procedures.into_iter().map(goal).collect();
        }
        Ok(Some(VerifierRun { goals, queries }))
    }
}

fn compared(tool: &str, own: &[GoalRun], run: &VerifierRun) -> Compared {
    compare(tool, own, &run.goals, &|name| run.queries.get(name).cloned())
}

/// Whether the text of a seed has the name of a goal.
fn mentions(source: &Source, goal: &GoalRun) -> bool {
    let quoted = format!("\"{}\"", goal.name);
    let texts = source.read().unwrap_or_default();
    texts.iter().any(|file| String::from_utf8_lossy(&file.bytes).contains(&quoted))
}

/// Both queries of the goals on which tool and verifier disagree.
fn kept_queries(calibration: &Calibration, own: &[GoalRun], run: &VerifierRun) -> Vec<KeptQuery> {
    let disagreeing =
        calibration.disagreements().filter_map(|goal| own.iter().find(|it| it.name == goal.name));
    let queries = disagreeing.flat_map(|goal| {
        let log = goal.log.clone().unwrap_or_default();
        let is_alone = goal.batches.len() == 1;
        goal.batches.iter().enumerate().filter_map(move |(number, batch)| {
            let split = format!("{log}_split{number}");
            let other =
                run.queries.get(&split).or_else(|| run.queries.get(&log).filter(|_| is_alone))?;
            Some(KeptQuery { name: split, tool: batch.query.clone()?, verifier: other.clone() })
        })
    });
    queries.collect()
}

fn read(path: &Path) -> Option<Calibrations> {
    // One that cannot be read is made again.
    serde_json::from_str(&input::read_to_string(path, MAX_SIZE).ok()?).ok()
}

fn keep(style: &Style, path: &Path, found: &Calibrations) {
    let Some(folder) = path.parent() else { return };
    let written = claim::create_private(folder)
        .map_err(|error| Trouble::new(error.to_string()))
        .and_then(|()| {
            let text =
                serde_json::to_string(found).map_err(|error| Trouble::new(error.to_string()))?;
            output::replace(path, &text)
        });
    if let Err(trouble) = written {
        output::talk(&style.warning(&format!("the comparison is not kept: {}", trouble.message)));
    }
}

/// Adds to a report where the seed comes from, and the comparison with the tool that made it. A disagreement of the two
/// is a finding.
pub(crate) fn add(report: &mut SeedReport, sources: &[Source], calibrations: &Calibrations) {
    let source = sources.iter().find(|source| source.name() == report.name);
    report.origin = source.and_then(|source| source.origin()).map(|origin| SeedOrigin {
        files: origin.files.iter().map(|file| mugie_core::path_name(file)).collect(),
        tool: origin.tool.clone(),
    });
    let calibrated = calibrations.get(&report.name);
    if let (Some(calibrated), Some(source), Some(baseline)) =
        (calibrated, source, &mut report.baseline)
    {
        calibrated.correct(baseline, &**source.back());
    }
    let mut found = calibrated.map(|found| found.calibration.clone());
    if let (Some(found), Some(source)) = (&mut found, source) {
        found.goals.retain(|goal| source.checks(&goal.name));
        for goal in &mut found.goals {
            goal.name = source.back().goal(&goal.name);
        }
    }
    let disagrees = found.as_ref().is_some_and(|found| found.disagreements().next().is_some());
    if disagrees && matches!(report.answer, Answer::Robust | Answer::SeedFails) {
        report.answer = Answer::Disagreement;
    }
    report.calibration = found;
}
