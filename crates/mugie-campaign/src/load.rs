//! Loads a store into the data behind tables and reports. Rows become indices; nothing is counted
//! here.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use index_vec::{Idx, IndexVec};
use mugie_core::Outcome;
use mugie_experiment::baseline::{Baseline, Conclusion, Step};
use mugie_results::data::{
    BaselineData, BatchData, BatchIx, Data, DroppedData, Failing, MAX_OPERATORS, MutantData,
    MutantIx, OperatorIx, SeedData, SeedIx, ToolData, ToolIx, VerdictData,
};
use mugie_results::{flips, verifies};
use rusqlite::Transaction;
use rustc_hash::FxHashMap;

use crate::asked;
use crate::ids::{BatchId, MutantId, SeedId, ToolId};
use crate::planned::{failing, is_planned, place};
use crate::store::{Store, StoreError, from_json, outcome_of};

/// The indices of rows in memory, by their ids; `None` for rows that are not in the plan.
type Indices<Id, Ix> = FxHashMap<Id, Option<Ix>>;

impl Store {
    /// Loads all results that the plan asks for, for tables and reports. `known` has the operators of this
    /// release, in their order; those of other releases follow by name. `apart` has those that are kept
    /// apart.
    pub fn load(&self, known: &[&str], apart: &[&str]) -> Result<Data, StoreError> {
        let connection = self.lock();
        // A consistent snapshot, whatever is added meanwhile.
        let store = connection.unchecked_transaction()?;
        let mut data = Data::default();
        load_campaign(&store, &mut data)?;
        let seeds = load_seeds(&store, &mut data)?;
        let batches = load_batches(&store, &mut data)?;
        let tools = load_tools(&store, &mut data)?;
        data.failing = failing(&store)?;
        load_unusable(&store, &mut data)?;
        load_baselines(&store, &mut data, &seeds, &tools)?;
        load_unstable(&store, &mut data, &seeds, &tools)?;
        load_drawn(&store, &mut data, &seeds, &batches)?;
        load_dropped(&store, &mut data, &seeds, &batches)?;
        let mutants = load_mutants(&store, &mut data, &seeds, &batches, known)?;
        load_verdicts(&store, &mut data, &mutants, &tools)?;
        let names = data.operators.iter().enumerate();
        let are_apart = names.filter(|(_, name)| apart.contains(&name.as_str()));
        data.apart = are_apart.fold(0, |bits, (number, _)| bits | 1 << number);
        if !store.query_row("SELECT EXISTS (SELECT 1 FROM planned)", [], |row| row.get(0))? {
            count_what_was_drawn(&mut data);
        }
        keep_what_is_asked(&mut data);
        if data.until_failure {
            cut_at_first_flips(&mut data);
        }
        data.asked = asked::load(&store)?;
        Ok(data)
    }
}

/// Loads the description of the campaign, which is missing before the first run of a plan.
fn load_campaign(store: &Transaction<'_>, data: &mut Data) -> Result<(), StoreError> {
    let mut statement = store.prepare("SELECT name, until_failure FROM campaign")?;
    let mut rows = statement.query([])?;
    if let Some(row) = rows.next()? {
        (data.name, data.until_failure) = (row.get(0)?, row.get(1)?);
    }
    Ok(())
}

fn load_seeds(
    store: &Transaction<'_>,
    data: &mut Data,
) -> Result<Indices<SeedId, SeedIx>, StoreError> {
    let mut indices = Indices::default();
    let mut groups = BTreeMap::new();
    let mut statement = store.prepare(&format!(
        "SELECT id, name, files, grp, language, options, lines, {} FROM seed ORDER BY grp, name",
        is_planned("seed")
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if !row.get::<_, bool>(7)? {
            indices.insert(row.get(0)?, None);
            continue;
        }
        let group = row.get::<_, String>(3)?;
        let group = *groups.entry(group.clone()).or_insert_with(|| data.groups.push(group));
        let seed = SeedData {
            name: row.get(1)?,
            files: from_json(&row.get::<_, String>(2)?)?,
            language: row.get(4)?,
            options: from_json(&row.get::<_, String>(5)?)?,
            group,
            lines: row.get(6)?,
        };
        indices.insert(row.get(0)?, Some(next(&mut data.seeds, seed)?));
    }
    Ok(indices)
}

fn load_batches(
    store: &Transaction<'_>,
    data: &mut Data,
) -> Result<Indices<BatchId, BatchIx>, StoreError> {
    let mut indices = Indices::default();
    let mut statement = store.prepare(&format!(
        "SELECT id, name, operators, wanted, {} FROM batch ORDER BY {}",
        is_planned("batch"),
        place("batch"),
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if !row.get::<_, bool>(4)? {
            indices.insert(row.get(0)?, None);
            continue;
        }
        let (name, operators, wanted) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let batch = BatchData { name, operators, wanted };
        indices.insert(row.get(0)?, Some(next(&mut data.batches, batch)?));
    }
    Ok(indices)
}

fn load_tools(
    store: &Transaction<'_>,
    data: &mut Data,
) -> Result<Indices<ToolId, ToolIx>, StoreError> {
    let mut indices = Indices::default();
    let mut statement = store.prepare(&format!(
        "SELECT id, name, title, {} FROM tool ORDER BY {}",
        is_planned("tool"),
        place("tool"),
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if !row.get::<_, bool>(3)? {
            indices.insert(row.get(0)?, None);
            continue;
        }
        let tool = ToolData { name: row.get(1)?, title: row.get(2)? };
        indices.insert(row.get(0)?, Some(next(&mut data.tools, tool)?));
    }
    Ok(indices)
}

fn load_baselines(
    store: &Transaction<'_>,
    data: &mut Data,
    seeds: &Indices<SeedId, SeedIx>,
    tools: &Indices<ToolId, ToolIx>,
) -> Result<(), StoreError> {
    let mut statement =
        store.prepare("SELECT seed, tool, outcome, layout, seconds, reason FROM baseline")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (seed, tool) = (index_of(seeds, row.get(0)?)?, index_of(tools, row.get(1)?)?);
        let Some((seed, tool)) = seed.zip(tool) else { continue };
        data.baselines.push(BaselineData {
            seed,
            tool,
            outcome: outcome_of(&row.get::<_, String>(2)?)?,
            layout: row.get(3)?,
            seconds: row.get(4)?,
            reason: row.get(5)?,
        });
    }
    data.baselines.sort_by_key(|baseline| (baseline.seed, baseline.tool));
    Ok(())
}

/// Loads the programs of the plan that cannot be used.
fn load_unusable(store: &Transaction<'_>, data: &mut Data) -> Result<(), StoreError> {
    let mut statement = store.prepare("SELECT name, reason FROM unusable ORDER BY rowid")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    data.unusable = rows.collect::<rusqlite::Result<_>>()?;
    Ok(())
}

/// Finds the seeds without a verdict whose runs do not agree.
fn load_unstable(
    store: &Transaction<'_>,
    data: &mut Data,
    seeds: &Indices<SeedId, SeedIx>,
    tools: &Indices<ToolId, ToolIx>,
) -> Result<(), StoreError> {
    let mut statement = store.prepare(
        "SELECT baseline_run.seed, baseline_run.tool, step, baseline_run.verdict
         FROM baseline_run JOIN baseline USING (seed, tool) WHERE outcome = 'tool-error'",
    )?;
    let mut found: BTreeMap<(SeedIx, ToolIx), Baseline> = BTreeMap::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (seed, tool) = (index_of(seeds, row.get(0)?)?, index_of(tools, row.get(1)?)?);
        let Some(key) = seed.zip(tool) else { continue };
        let verdict = from_json(&row.get::<_, String>(3)?)?;
        found.entry(key).or_default().add(Step::numbered(row.get(2)?), verdict);
    }
    let is_unstable =
        |(_, runs): &(_, Baseline)| matches!(runs.conclude(false), Conclusion::Unstable { .. });
    data.unstable = found.into_iter().filter(is_unstable).map(|(key, _)| key).collect();
    Ok(())
}

/// Loads how many mutants exist.
fn load_drawn(
    store: &Transaction<'_>,
    data: &mut Data,
    seeds: &Indices<SeedId, SeedIx>,
    batches: &Indices<BatchId, BatchIx>,
) -> Result<(), StoreError> {
    let mut statement = store.prepare("SELECT seed, batch, mutants FROM drawn")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (seed, batch) = (index_of(seeds, row.get(0)?)?, index_of(batches, row.get(1)?)?);
        if let Some(key) = seed.zip(batch) {
            data.drawn.insert(key, row.get(2)?);
        }
    }
    Ok(())
}

/// Loads the mutants of the plan that were left out.
fn load_dropped(
    store: &Transaction<'_>,
    data: &mut Data,
    seeds: &Indices<SeedId, SeedIx>,
    batches: &Indices<BatchId, BatchIx>,
) -> Result<(), StoreError> {
    let mut statement = store.prepare(
        "SELECT seed, batch, number, operator, reason FROM dropped
         JOIN mutant ON mutant.id = dropped.mutant
         JOIN batch ON batch.id = mutant.batch WHERE number <= batch.wanted",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (seed, batch) = (index_of(seeds, row.get(0)?)?, index_of(batches, row.get(1)?)?);
        let Some((seed, batch)) = seed.zip(batch) else { continue };
        data.dropped.push(DroppedData {
            seed,
            batch,
            number: row.get(2)?,
            operator: row.get(3)?,
            reason: row.get(4)?,
        });
    }
    data.dropped.sort_by_key(|dropped| (dropped.seed, dropped.batch, dropped.number));
    Ok(())
}

/// Loads the mutants of the plan, without those that were left out, and their operators.
fn load_mutants(
    store: &Transaction<'_>,
    data: &mut Data,
    seeds: &Indices<SeedId, SeedIx>,
    batches: &Indices<BatchId, BatchIx>,
    known: &[&str],
) -> Result<Indices<MutantId, MutantIx>, StoreError> {
    let mut mutants = Vec::new();
    let mut sets = OperatorSets::default();
    let mut statement = store.prepare(
        "SELECT mutant.id, seed, batch, number, mutant.operators, json_array_length(edits)
         FROM mutant JOIN batch ON batch.id = mutant.batch WHERE number <= batch.wanted",
    )?;
    let is_dropped: BTreeSet<(SeedIx, BatchIx, u32)> =
        data.dropped.iter().map(|it| (it.seed, it.batch, it.number)).collect();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let operators = row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?;
        let (seed, batch) = (index_of(seeds, row.get(1)?)?, index_of(batches, row.get(2)?)?);
        let Some((seed, batch)) = seed.zip(batch) else { continue };
        let mutant =
            MutantData { seed, batch, number: row.get(3)?, operators: 0, edits: row.get(5)? };
        if !is_dropped.contains(&(mutant.seed, mutant.batch, mutant.number)) {
            mutants.push((row.get::<_, MutantId>(0)?, sets.number_of(operators), mutant));
        }
    }
    mutants.sort_by_key(|(.., mutant)| (mutant.seed, mutant.batch, mutant.number));
    let bits;
    (data.operators, bits) = sets.bits(known)?;
    let mut indices = Indices::default();
    for (id, set, mutant) in mutants {
        let mutant = MutantData { operators: bits[set], ..mutant };
        indices.insert(id, Some(next(&mut data.mutants, mutant)?));
    }
    Ok(indices)
}

/// The distinct sets of operators of mutants, by their texts; there are few.
#[derive(Default)]
struct OperatorSets {
    texts: Vec<String>,
    numbers: FxHashMap<String, usize>,
}

impl OperatorSets {
    /// The number of a set.
    fn number_of(&mut self, text: &str) -> usize {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len();
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// The operators of all sets, the known ones first and in their order; and each set as bits.
    fn bits(
        &self,
        known: &[&str],
    ) -> Result<(IndexVec<OperatorIx, String>, Vec<u128>), StoreError> {
        let sets: Vec<Vec<String>> =
            self.texts.iter().map(|text| from_json(text)).collect::<Result<_, _>>()?;
        let names: BTreeSet<&str> = sets.iter().flatten().map(String::as_str).collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        if names.len() > MAX_OPERATORS {
            return Err(StoreError::TooManyOperators(names.len()));
        }
        let place = |name: &str| known.iter().position(|it| *it == name).unwrap_or(known.len());
        // The names are sorted already, and a stable sort keeps that order.
        names.sort_by_key(|name| place(name));
        let numbers: FxHashMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let bits = sets.iter().map(|set| {
            set.iter().fold(0, |bits, operator| bits | 1_u128 << numbers[operator.as_str()])
        });
        let bits = bits.collect();
        Ok((names.into_iter().map(str::to_owned).collect(), bits))
    }
}

/// Loads the verdicts on these mutants. Mutants that are no longer in the plan are left out.
fn load_verdicts(
    store: &Transaction<'_>,
    data: &mut Data,
    mutants: &Indices<MutantId, MutantIx>,
    tools: &Indices<ToolId, ToolIx>,
) -> Result<(), StoreError> {
    let mut statement = store
        .prepare("SELECT mutant, tool, outcome, unsteady, seconds, problem, effort FROM verdict")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(Some(mutant)) = mutants.get(&row.get(0)?) else { continue };
        let Some(tool) = index_of(tools, row.get(1)?)? else { continue };
        let outcome = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
        let problem = row.get_ref(5)?.as_str_or_null().map_err(rusqlite::Error::from)?;
        #[expect(clippy::cast_possible_truncation, reason = "these need no more digits")]
        let short = |number: Option<f64>| number.map(|number| number as f32);
        data.verdicts.push(VerdictData {
            mutant: *mutant,
            tool,
            outcome: outcome_of(outcome)?,
            unsteady: row.get(3)?,
            seconds: short(row.get(4)?),
            problem: problem.map(problem_number).transpose()?,
            effort: short(row.get(6)?),
        });
    }
    data.verdicts.sort_unstable_by_key(|verdict| (verdict.mutant, verdict.tool));
    Ok(())
}

/// The hash of a problem as a number.
fn problem_number(name: &str) -> Result<u64, StoreError> {
    u64::from_str_radix(name, 16)
        .map_err(|error| StoreError::Damaged(format!("`{name}` is not a problem hash: {error}")))
}

/// Appends a row, unless its index would not fit.
fn next<Ix: Idx, T>(rows: &mut IndexVec<Ix, T>, row: T) -> Result<Ix, StoreError> {
    let too_many = |_| StoreError::Damaged("there are too many rows".to_owned());
    u32::try_from(rows.len()).map_err(too_many)?;
    Ok(rows.push(row))
}

/// The index of a row that another row refers to, if it is in the plan.
fn index_of<Id: Copy + Eq + Hash, Ix: Copy>(
    indices: &Indices<Id, Ix>,
    id: Id,
) -> Result<Option<Ix>, StoreError> {
    let missing = || StoreError::Damaged("a row refers to a missing row".to_owned());
    indices.get(&id).copied().ok_or_else(missing)
}

/// Takes the mutants in a store of an older release, which does not say what else is planned, for all.
fn count_what_was_drawn(data: &mut Data) {
    let batches = data.batches.indices();
    let keys =
        data.seeds.indices().flat_map(|seed| batches.clone().map(move |batch| (seed, batch)));
    data.drawn = keys.map(|key| (key, 0)).collect();
    let mutants = data.mutants.iter().map(|it| (it.seed, it.batch));
    for key in mutants.chain(data.dropped.iter().map(|it| (it.seed, it.batch))) {
        *data.drawn.entry(key).or_default() += 1;
    }
}

/// Drops verdicts on mutants of seeds for which the plan does not ask: with `failing`.
fn keep_what_is_asked(data: &mut Data) {
    let left_out = match data.failing {
        Failing::Last => return,
        Failing::Skip => false,
        Failing::Only => true,
    };
    let baselines = data.baselines.iter();
    let left_out: BTreeSet<(SeedIx, ToolIx)> = baselines
        .filter(|it| verifies(it.outcome) == Some(left_out))
        .map(|it| (it.seed, it.tool))
        .collect();
    let mutants = &data.mutants;
    data.verdicts.retain(|it| !left_out.contains(&(mutants[it.mutant].seed, it.tool)));
}

/// Drops verdicts beyond the first flip of a batch, which exist because several runs were under
/// way: so the number of threads does not matter.
fn cut_at_first_flips(data: &mut Data) {
    let baselines: BTreeMap<(SeedIx, ToolIx), Outcome> =
        data.baselines.iter().map(|it| ((it.seed, it.tool), it.outcome)).collect();
    let mut is_over = BTreeSet::new();
    // Verdicts are sorted by mutant, and mutants by seed, batch and number.
    data.verdicts.retain(|verdict| {
        let mutant = data.mutants[verdict.mutant];
        let key = (mutant.seed, mutant.batch, verdict.tool);
        let keep = !is_over.contains(&key);
        let seed = baselines.get(&(mutant.seed, verdict.tool));
        if seed.is_some_and(|seed| flips(*seed, verdict.outcome) == Some(true)) {
            is_over.insert(key);
        }
        keep
    });
}
