//! From a mutant in the store to what people want to see of it: the program again, its difference to
//! the seed, and where in the seed to look.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mugie_operators::{Subject, hex};
use mugie_verifiers::{Outcome, Verdict};

use super::data::{CauseData, Data, Detail, DetailChange};
use super::rows::{BatchRow, FlipKey, StoredFlip};
use super::store::{Store, StoreError};
use crate::explain::Explained;
use crate::group::{Failing, Found, group};
use crate::judge::Profile;
use crate::minimise::{Symptom, cause};
use crate::seed::{Seed, path};
use crate::witness::{self, Recipe};

/// Mutants shown of a seed with a tool.
const EACH: usize = 12;

/// Failing mutants of a seed and tool that are grouped by cause, at most.
const GROUPED: usize = 200;

/// What people want to know of the mutants whose verdict is not their seed's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// A few of each seed and tool: the first ones of each batch.
    pub mutants: Vec<Detail>,
    /// Failing mutants by cause, as far as mutants with one edit tell it.
    pub causes: Vec<CauseData>,
    /// Seeds that are not there any more, or not as they were: of their mutants, there are no
    /// texts.
    pub missing: Vec<usize>,
}

/// The flips of a campaign in detail. `open` reads a seed, if it is still there.
pub fn details(
    store: &Store,
    data: &Data,
    mut open: impl FnMut(usize) -> Option<Seed>,
) -> Result<Details, StoreError> {
    let (commands, batches) = (store.commands()?, store.batches()?);
    let Details { mutants: mut details, mut causes, mut missing } = Details::default();
    for (number, by_tool) in flips(data) {
        let (hash, baselines) = store.seed_verdicts(&data.seeds[number].name)?;
        let seed = open(number).filter(|seed| hex(&seed.subject().hash()) == hash);
        match &seed {
            Some(seed) => {
                for (tool, flips) in &by_tool {
                    causes.extend(causes_of(store, data, seed, (number, *tool), flips)?);
                }
            }
            None => missing.push(number),
        }
        let chosen = by_tool
            .iter()
            .flat_map(|(tool, mutants)| mutants.iter().take(EACH).map(|mutant| (*mutant, *tool)));
        for (mutant, tool) in chosen {
            let at = data.mutants[mutant];
            let (batch, tool_name) = (&batches[at.batch as usize], &data.tools[tool].name);
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
                && let Some(subject) = made_again(seed, &flip)
            {
                let shown = Shown { seed, subject, number: at.number as usize, batch };
                shown.add_text(&mut detail, &commands[tool]);
                if let (Some(found), Some(before)) = (&flip.details, baselines.get(tool_name)) {
                    shown.add_changes(&mut detail, before, &found.verdict);
                }
            } else if let Some(found) = &flip.details {
                detail.changes = named_changes(&found.verdict);
            }
            details.push(detail);
        }
    }
    Ok(Details { mutants: details, causes, missing })
}

/// What a mutant of a campaign is called: after its seed, its batch and its number.
pub fn name_of(data: &Data, mutant: usize) -> String {
    let at = data.mutants[mutant];
    let (seed, batch) = (&data.seeds[at.seed as usize], &data.batches[at.batch as usize]);
    format!("{}-{}-{:04}", seed.name, batch.name, at.number)
}

/// Failing mutants of a seed by cause. A mutant with one edit is its own cause, and explains
/// others; nothing is run.
fn causes_of(
    store: &Store,
    data: &Data,
    seed: &Seed,
    (number, tool): (usize, usize),
    flips: &[usize],
) -> Result<Vec<CauseData>, StoreError> {
    let mut failing = Vec::new();
    for &mutant in flips.iter().take(GROUPED) {
        let at = data.mutants[mutant];
        let stored = store.flip(&FlipKey {
            seed: &data.seeds[number].name,
            batch: &data.batches[at.batch as usize].name,
            number: at.number,
            tool: &data.tools[tool].name,
        })?;
        let symptom =
            stored.details.as_ref().zip(made_again(seed, &stored)).and_then(|(found, subject)| {
                let symptom = Symptom::new(&found.verdict, &subject, seed.subject())?;
                Some((symptom, subject.seed_order()))
            });
        if let Some((symptom, order)) = symptom {
            failing.push(Failing { edits: stored.edits, order, symptom });
        }
    }
    let groups = group(seed.subject(), &failing, |number| {
        let Failing { edits, symptom, .. } = &failing[number];
        (edits.len() == 1).then(|| Found {
            words: cause(seed.subject(), edits),
            edits: edits.clone(),
            symptom: symptom.clone(),
        })
    });
    let symptom = |symptom: &Symptom| match &symptom.procedure {
        Some(procedure) => format!("procedure {procedure} {}", symptom.outcome),
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
    }));
    Ok(causes)
}

/// The mutants to show of each seed, by tool, the first of each batch first.
fn flips(data: &Data) -> BTreeMap<usize, Vec<(usize, Vec<usize>)>> {
    let baselines: BTreeMap<(usize, usize), Outcome> =
        data.baselines.iter().map(|it| ((it.seed, it.tool), it.outcome)).collect();
    let mut flips = BTreeMap::<_, Vec<_>>::new();
    for verdict in &data.verdicts {
        let mutant = data.mutants[verdict.mutant as usize];
        let key = (mutant.seed as usize, verdict.tool as usize);
        let verified = verdict.outcome == Outcome::Verified;
        let is_flip = verdict.outcome.is_evidence()
            && baselines.get(&key).is_some_and(|seed| (*seed == Outcome::Verified) != verified);
        if is_flip {
            let place = (mutant.number, mutant.batch, verdict.mutant as usize);
            flips.entry(key).or_default().push(place);
        }
    }
    let mut by_seed = BTreeMap::<_, Vec<_>>::new();
    for ((seed, tool), mut flips) in flips {
        flips.sort_unstable();
        let mutants = flips.into_iter().map(|(.., mutant)| mutant).collect();
        by_seed.entry(seed).or_default().push((tool, mutants));
    }
    by_seed
}

/// The mutant that the edits lead to, if it is the one that was stored.
fn made_again(seed: &Seed, flip: &StoredFlip) -> Option<Arc<Subject>> {
    let mut edits = flip.edits.iter();
    let mut subject = seed.subject().apply(edits.next()?).ok()?.subject;
    for edit in edits {
        subject = subject.apply(edit).ok()?.subject;
    }
    (hex(&subject.hash()) == flip.hash).then(|| Arc::new(subject))
}

/// A mutant whose text is known.
struct Shown<'a> {
    seed: &'a Seed,
    subject: Arc<Subject>,
    number: usize,
    batch: &'a BatchRow,
}

impl Shown<'_> {
    fn files(&self) -> Vec<String> {
        self.seed.naming(self.batch.wanted).plain_files(self.number, &self.subject)
    }

    /// The difference to the seed, and how to see it again.
    fn add_text(&self, detail: &mut Detail, command: &[String]) {
        let BatchRow { operators, wanted, attempts, random_seed, .. } = self.batch;
        let naming = self.seed.naming(*wanted);
        detail.diff =
            witness::diff(self.seed.subject(), &self.subject, naming.source(), &self.files());
        let mutate: Vec<String> = [
            ("--force", None),
            ("-n", Some(wanted.to_string())),
            ("--operators", Some(operators.clone())),
            ("--seed", Some(random_seed.to_string())),
            ("--max-attempts", Some(attempts.to_string())),
        ]
        .into_iter()
        .flat_map(|(option, value)| [Some(option.to_owned()), value])
        .flatten()
        .collect();
        let recipe = Recipe { mutate: &mutate, verify: command, mutants: *wanted };
        let sources = self.seed.source().sources().files().iter();
        let sources: Vec<&Path> = sources.map(|file| path(&file.name)).collect();
        detail.reproduce = witness::commands(&recipe, &sources, self.number, &self.subject);
    }

    fn add_changes(&self, detail: &mut Detail, before: &Verdict, verdict: &Verdict) {
        let files = self.files();
        let explained = Explained {
            seed: self.seed.source(),
            names: self.subject.procedure_names(self.seed.subject()),
            subject: &self.subject,
            files: &files,
            verdict,
        };
        let changes = explained.changes(&Profile::new(before, str::to_owned));
        detail.changes = changes
            .into_iter()
            .map(|change| DetailChange {
                procedure: Some(change.procedure),
                outcome: change.mutant,
                failures: change.failures,
            })
            .collect();
        if detail.changes.is_empty() {
            detail.changes.push(DetailChange {
                procedure: None,
                outcome: verdict.outcome,
                failures: explained.messages(),
            });
        }
    }
}

/// The procedures that are not verified, where nothing is known of the text.
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
