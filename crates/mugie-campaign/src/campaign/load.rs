//! From a store to the data that tables and reports are made from.

use std::collections::{BTreeMap, BTreeSet};

use mugie_operators::operators;
use mugie_verifiers::Outcome;

use super::data::{BaselineData, BatchData, Data, MutantData, SeedData, ToolData, VerdictData};
use super::store::{Store, StoreError, outcome_of};

impl Store {
    /// All that is known, for tables and reports.
    pub fn load(&self) -> Result<Data, StoreError> {
        let connection = self.lock();
        // One moment of the campaign, whatever is added meanwhile.
        let transaction = connection.unchecked_transaction()?;
        let (name, until_failure) = transaction
            .prepare("SELECT name, until_failure FROM campaign")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .next()
            .transpose()?
            .unwrap_or_default();
        let mut data = Data {
            name,
            until_failure,
            operators: operators::ALL
                .iter()
                .map(|operator| operator.about().id().to_owned())
                .collect(),
            ..Data::default()
        };
        let mut groups = BTreeMap::new();
        let mut seeds = BTreeMap::new();
        let mut statement = transaction
            .prepare("SELECT id, name, file, grp, lines FROM seed ORDER BY grp, name")?;
        let rows = statement.query_map([], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get::<_, String>(3)?,
                row.get::<_, i64>(4)?,
            ))
        })?;
        for row in rows {
            let (id, name, file, group, lines) = row?;
            let next = groups.len();
            let group = *groups.entry(group.clone()).or_insert_with(|| {
                data.groups.push(group);
                next
            });
            seeds.insert(id, data.seeds.len());
            let lines = usize::try_from(lines).unwrap_or_default();
            data.seeds.push(SeedData { name, file, group, lines });
        }
        let mut batches = BTreeMap::new();
        let mut statement =
            transaction.prepare("SELECT id, name, operators, wanted FROM batch ORDER BY id")?;
        let rows = statement.query_map([], |row| {
            Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)?))
        })?;
        for row in rows {
            let (id, name, operators, wanted) = row?;
            batches.insert(id, data.batches.len());
            let wanted = usize::try_from(wanted).unwrap_or_default();
            data.batches.push(BatchData { name, operators, wanted });
        }
        let mut tools = BTreeMap::new();
        let mut statement = transaction.prepare("SELECT id, name, title FROM tool ORDER BY id")?;
        let rows =
            statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?)))?;
        for row in rows {
            let (id, name, title) = row?;
            tools.insert(id, data.tools.len());
            data.tools.push(ToolData { name, title });
        }
        let missing = || StoreError::Damaged("a row refers to one that is not there".to_owned());
        let mut statement = transaction
            .prepare("SELECT seed, tool, outcome, layout, seconds, reason FROM baseline")?;
        let rows = statement.query_map([], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, String>(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
            ))
        })?;
        for row in rows {
            let (seed, tool, outcome, layout, seconds, reason) = row?;
            data.baselines.push(BaselineData {
                seed: *seeds.get(&seed).ok_or_else(missing)?,
                tool: *tools.get(&tool).ok_or_else(missing)?,
                outcome: outcome_of(&outcome)?,
                layout,
                seconds,
                reason,
            });
        }
        data.baselines.sort_by_key(|baseline| (baseline.seed, baseline.tool));
        let mut mutants = Vec::new();
        let mut statement = transaction.prepare(
            "SELECT mutant.id, seed, batch, number, mutant.operators, json_array_length(edits)
             FROM mutant JOIN batch ON batch.id = mutant.batch WHERE number <= batch.wanted",
        )?;
        let rows = statement.query_map([], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, i64>(2)?,
                row.get(3)?,
                row.get::<_, i64>(4)?,
                row.get(5)?,
            ))
        })?;
        for row in rows {
            let (id, seed, batch, number, operators, edits) = row?;
            let seed = u32::try_from(*seeds.get(&seed).ok_or_else(missing)?);
            let batch = u32::try_from(*batches.get(&batch).ok_or_else(missing)?);
            let (Ok(seed), Ok(batch)) = (seed, batch) else { return Err(missing()) };
            let operators = operators.cast_unsigned();
            mutants.push((id, MutantData { seed, batch, number, operators, edits }));
        }
        mutants.sort_by_key(|(_, mutant)| (mutant.seed, mutant.batch, mutant.number));
        let mut numbers = rustc_hash::FxHashMap::default();
        for (number, (id, mutant)) in mutants.into_iter().enumerate() {
            numbers.insert(id, u32::try_from(number).map_err(|_| missing())?);
            data.mutants.push(mutant);
        }
        let mut statement = transaction.prepare(
            "SELECT mutant, tool, outcome, unsteady, seconds, problem, effort FROM verdict",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // Mutants that the plan does not ask for any more are left out.
            let Some(mutant) = numbers.get(&row.get(0)?) else { continue };
            let tool = u32::try_from(*tools.get(&row.get(1)?).ok_or_else(missing)?);
            let outcome = row.get_ref(2)?.as_str().map_err(|error| {
                StoreError::Damaged(format!("an outcome cannot be read: {error}"))
            })?;
            #[expect(clippy::cast_possible_truncation, reason = "these need no more digits")]
            let short = |number: Option<f64>| number.map(|number| number as f32);
            let problem = row.get_ref(5)?.as_str_or_null().unwrap_or_default();
            data.verdicts.push(VerdictData {
                mutant: *mutant,
                tool: tool.map_err(|_| missing())?,
                outcome: outcome_of(outcome)?,
                unsteady: row.get(3)?,
                seconds: short(row.get(4)?),
                problem: problem.and_then(|name| u64::from_str_radix(name, 16).ok()),
                effort: short(row.get(6)?),
            });
        }
        data.verdicts.sort_unstable_by_key(|verdict| (verdict.mutant, verdict.tool));
        if until_failure {
            cut_at_first_flips(&mut data);
        }
        Ok(data)
    }
}

/// Leaves out what was run beyond the first flip of a batch, because several runs were under way:
/// so the number of threads does not matter.
fn cut_at_first_flips(data: &mut Data) {
    let verified: BTreeMap<(usize, usize), bool> = data
        .baselines
        .iter()
        .map(|it| ((it.seed, it.tool), it.outcome == Outcome::Verified))
        .collect();
    let mut is_over = BTreeSet::new();
    // They are by mutant: by seed, batch and number.
    data.verdicts.retain(|verdict| {
        let mutant = data.mutants[verdict.mutant as usize];
        let key = (mutant.seed, mutant.batch, verdict.tool);
        let keep = !is_over.contains(&key);
        let seed = verified.get(&(mutant.seed as usize, verdict.tool as usize));
        if verdict.outcome.is_evidence()
            && seed.is_some_and(|seed| *seed != (verdict.outcome == Outcome::Verified))
        {
            is_over.insert(key);
        }
        keep
    });
}
