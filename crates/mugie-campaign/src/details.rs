//! Prepares a stored mutant for people: recreates the program, its difference to the seed, and the
//! places in the seed.

use std::collections::BTreeMap;
use std::sync::Arc;

use mugie_core::{Outcome, Program, Symptom, Verdict, replay};
use mugie_experiment::explain::Explained;
use mugie_experiment::group::{Failing, Found, group};
use mugie_experiment::judge::Profile;
use mugie_experiment::minimise::cause;
use mugie_experiment::recipe::{Recipe, diff};
use mugie_experiment::seed::OpenSeed;
use mugie_results::data::{
    CauseData, Data, Detail, DetailChange, Details, MutantIx, SeedIx, ToolIx,
};
use mugie_results::flips;

use crate::rows::{BatchRow, FlipKey, StoredFlip, ToolSettings};
use crate::store::{Store, StoreError};

/// The most mutants shown per seed and tool. Raising it enlarges the report.
const EACH: usize = 12;

/// The most failing mutants per seed and tool that are grouped by cause. Raising it takes more time.
const GROUPED: usize = 200;

/// The flips of a campaign in detail. `open` reads a seed, if it still exists.
pub fn details(
    store: &Store,
    data: &Data,
    mut open: impl FnMut(SeedIx) -> Option<OpenSeed>,
) -> Result<Details, StoreError> {
    let (settings, batches) = (store.tool_settings()?, store.batches()?);
    let (mut details, mut causes, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for (number, by_tool) in flips_by_seed(data) {
        let (hash, baselines) = store.seed_verdicts(&data.seeds[number].name)?;
        let seed = open(number).filter(|seed| seed.hash() == hash);
        match &seed {
            Some(seed) => {
                for (tool, flips) in &by_tool {
                    causes.extend(causes_of(store, data, seed, number, *tool, flips)?);
                }
            }
            None => missing.push(number),
        }
        let chosen = by_tool
            .iter()
            .flat_map(|(tool, mutants)| mutants.iter().take(EACH).map(|mutant| (*mutant, *tool)));
        for (mutant, tool) in chosen {
            let at = data.mutants[mutant];
            let (batch, tool_name) = (&batches[at.batch.index()], &data.tools[tool].name);
            let flip = store.flip(&FlipKey {
                seed: &data.seeds[number].name,
                batch: &batch.name,
                number: at.number,
                tool: tool_name,
            })?;
            let name = name_of(data, mutant);
            let edits = flip.edits.iter();
            let mut detail = Detail {
                mutant,
                tool,
                name,
                changes: Vec::new(),
                edits: edits.map(|edit| format!("{}: {}", edit.operator, edit.words)).collect(),
                diff: String::new(),
                reproduce: Vec::new(),
            };
            if let Some(seed) = &seed
                && let Some(program) = made_again(seed, &flip)
            {
                let shown = Shown { seed, program, number: at.number as usize, batch };
                let found = flip.details.as_ref().map(|details| details.verdict.outcome);
                shown.add_text(&mut detail, &settings[tool.index()], found);
                match (&flip.details, baselines.get(tool_name)) {
                    (Some(found), Some(before)) => {
                        shown.add_changes(&mut detail, before, &found.verdict);
                    }
                    (None, Some(before)) => shown.add_mended(&mut detail, before),
                    (_, None) => {}
                }
            } else if let Some(found) = &flip.details {
                detail.changes = named_changes(&found.verdict);
            }
            details.push(detail);
        }
    }
    Ok(Details { mutants: details, causes, missing, remarks: Vec::new() })
}

/// The name of a mutant in a campaign: its seed, its batch and its number.
pub fn name_of(data: &Data, mutant: MutantIx) -> String {
    let at = data.mutants[mutant];
    let (seed, batch) = (&data.seeds[at.seed], &data.batches[at.batch]);
    format!("{}-{}-{:04}", seed.name, batch.name, at.number)
}

/// Groups the failing mutants of a seed by cause. A mutant with a single edit is its own cause, and
/// explains others; nothing is run.
fn causes_of(
    store: &Store,
    data: &Data,
    seed: &OpenSeed,
    number: SeedIx,
    tool: ToolIx,
    flips: &[MutantIx],
) -> Result<Vec<CauseData>, StoreError> {
    let mut failing = Vec::new();
    for &mutant in flips.iter().take(GROUPED) {
        let at = data.mutants[mutant];
        let stored = store.flip(&FlipKey {
            seed: &data.seeds[number].name,
            batch: &data.batches[at.batch].name,
            number: at.number,
            tool: &data.tools[tool].name,
        })?;
        let symptom =
            stored.details.as_ref().zip(made_again(seed, &stored)).and_then(|(found, program)| {
                let symptom = Symptom::new(&found.verdict, &*program, &**seed.program())?;
                Some((symptom, program.unit_order()))
            });
        if let Some((symptom, order)) = symptom {
            failing.push(Failing { edits: stored.edits, order, symptom });
        }
    }
    let groups = group(&**seed.program(), &failing, |number| {
        let Failing { edits, symptom, .. } = &failing[number];
        (edits.len() == 1).then(|| Found {
            words: cause(&**seed.program(), edits),
            edits: edits.clone(),
            symptom: symptom.clone(),
        })
    });
    let language = seed.seed().language();
    let symptom = |symptom: &Symptom| match &symptom.procedure {
        Some(goal) => format!("{} {goal} {}", language.words().goal, symptom.outcome),
        None => symptom.outcome.to_string(),
    };
    let mut causes: Vec<CauseData> = groups
        .causes
        .into_iter()
        .map(|cause| CauseData {
            seed: number,
            tool,
            symptom: symptom(&cause.symptom),
            words: Some(cause.words),
            mutants: cause.mutants.len(),
            minimised: false,
        })
        .collect();
    let mut unexplained = BTreeMap::<String, usize>::new();
    for number in groups.unexplained {
        *unexplained.entry(symptom(&failing[number].symptom)).or_default() += 1;
    }
    causes.extend(unexplained.into_iter().map(|(symptom, mutants)| CauseData {
        seed: number,
        tool,
        words: None,
        symptom,
        mutants,
        minimised: false,
    }));
    Ok(causes)
}

/// The mutants to show of each seed, by tool, taking the first of each batch first.
fn flips_by_seed(data: &Data) -> BTreeMap<SeedIx, Vec<(ToolIx, Vec<MutantIx>)>> {
    let baselines: BTreeMap<(SeedIx, ToolIx), Outcome> =
        data.baselines.iter().map(|it| ((it.seed, it.tool), it.outcome)).collect();
    let mut found = BTreeMap::<_, Vec<_>>::new();
    for verdict in &data.verdicts {
        let mutant = data.mutants[verdict.mutant];
        let key = (mutant.seed, verdict.tool);
        let baseline = baselines.get(&key);
        if baseline.is_some_and(|seed| flips(*seed, verdict.outcome) == Some(true)) {
            let place = (mutant.number, mutant.batch, verdict.mutant);
            found.entry(key).or_default().push(place);
        }
    }
    let mut by_seed = BTreeMap::<_, Vec<_>>::new();
    for ((seed, tool), mut places) in found {
        places.sort_unstable();
        let mutants = places.into_iter().map(|(.., mutant)| mutant).collect();
        by_seed.entry(seed).or_default().push((tool, mutants));
    }
    by_seed
}

/// Recreates a mutant from its edits, if the result is the stored one.
fn made_again(seed: &OpenSeed, flip: &StoredFlip) -> Option<Arc<dyn Program>> {
    replay(seed.program(), &flip.edits, &flip.hash).ok()
}

/// A mutant whose text is known.
struct Shown<'a> {
    seed: &'a OpenSeed,
    program: Arc<dyn Program>,
    number: usize,
    batch: &'a BatchRow,
}

impl Shown<'_> {
    fn files(&self) -> Vec<String> {
        self.seed.naming(self.batch.wanted).plain_files(self.number, &*self.program)
    }

    /// Adds the difference to the seed, and the commands that reproduce the mutant.
    fn add_text(&self, detail: &mut Detail, tool: &ToolSettings, found: Option<Outcome>) {
        let naming = self.seed.naming(self.batch.wanted);
        let seed = &**self.seed.program();
        detail.diff = diff(seed, &*self.program, naming.source(), &self.files());
        let (command, time_limit) = (tool.command.clone(), tool.limits.time.as_secs_f64());
        let translate = tool.translate.clone();
        let recipe = Recipe { draw: self.batch.draw(), command, translate, time_limit };
        let recipe = recipe.for_outcome(found.unwrap_or(Outcome::Verified));
        detail.reproduce = recipe.commands(self.seed, self.number, &*self.program);
    }

    /// Adds the changes of a mutant that verifies although its seed does not.
    fn add_mended(&self, detail: &mut Detail, before: &Verdict) {
        let mut verdict = Verdict { outcome: Outcome::Verified, ..before.clone() };
        for procedure in &mut verdict.procedures {
            procedure.outcome = Outcome::Verified;
            procedure.failures.clear();
        }
        // Treat the seed as verified, so that the names are the seed's own.
        let explained = Explained::new(self.seed, &**self.seed.program(), &[], &verdict);
        detail.changes = changes(&explained, before);
    }

    fn add_changes(&self, detail: &mut Detail, before: &Verdict, verdict: &Verdict) {
        let files = self.files();
        let explained = Explained::new(self.seed, &*self.program, &files, verdict);
        detail.changes = changes(&explained, before);
        if detail.changes.is_empty() {
            detail.changes.push(DetailChange {
                procedure: None,
                outcome: verdict.outcome,
                failures: explained.messages(),
            });
        }
    }
}

/// The procedures whose verdict changed.
fn changes(explained: &Explained<'_>, before: &Verdict) -> Vec<DetailChange> {
    let changes = explained.changes(&Profile::new(before, str::to_owned)).into_iter();
    changes
        .map(|change| DetailChange {
            procedure: Some(change.procedure),
            outcome: change.mutant,
            failures: change.failures,
        })
        .collect()
}

/// The procedures that are not verified, for a mutant whose text is not known.
fn named_changes(verdict: &Verdict) -> Vec<DetailChange> {
    let change = |procedure: Option<String>, outcome| DetailChange {
        procedure,
        outcome,
        failures: Vec::new(),
    };
    let failing =
        verdict.procedures.iter().filter(|procedure| procedure.outcome != Outcome::Verified);
    let changes: Vec<DetailChange> =
        failing.map(|it| change(Some(it.name.clone()), it.outcome)).collect();
    if changes.is_empty() { vec![change(None, verdict.outcome)] } else { changes }
}
