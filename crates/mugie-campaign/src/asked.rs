//! What a campaign asked, and with what, from its store: the tools' settings, the plan of the last run, and
//! the days and machines of all runs.

use mugie_results::asked::{Asked, AskedTool, Kind, Session};
use mugie_results::result::Host;
use rusqlite::{Transaction, params};
use serde::Deserialize;

use crate::plan::Tool;
use crate::rows::ToolSettings;
use crate::store::{Store, StoreError, from_json};

/// The table of days and machines. Older stores do not have it and get it when something is run.
const SESSION: &str = "CREATE TABLE IF NOT EXISTS session (
  day TEXT NOT NULL, mugie TEXT NOT NULL, name TEXT NOT NULL, system TEXT NOT NULL,
  processor TEXT NOT NULL, cores INTEGER NOT NULL,
  PRIMARY KEY (day, mugie, name, system, processor, cores)
) WITHOUT ROWID, STRICT";

impl Store {
    /// Records that a release of mugie ran on a machine today.
    pub fn ran(&self, mugie: &str, host: &Host) -> Result<(), StoreError> {
        let Host { name, system, processor, cores } = host;
        let connection = self.lock();
        connection.execute_batch(SESSION)?;
        connection.execute(
            "INSERT OR IGNORE INTO session VALUES (date('now'), ?1, ?2, ?3, ?4, ?5)",
            params![mugie, name, system, processor, cores],
        )?;
        Ok(())
    }
}

/// What the report needs of a plan. The rest was checked when the plan was run.
#[derive(Default, Deserialize)]
struct PlanTools {
    #[serde(default, rename = "tool")]
    tools: Vec<Tool>,
    #[serde(default)]
    limits: PlanLimits,
}

#[derive(Default, Deserialize)]
struct PlanLimits {
    resource_units: Option<u64>,
}

/// Loads what was asked. What the store does not have is left out.
pub(crate) fn load(store: &Transaction<'_>) -> Result<Asked, StoreError> {
    let mut asked = Asked { kind: Kind::Campaign, ..Asked::default() };
    let mut plan = PlanTools::default();
    let mut statement = store.prepare("SELECT mugie, plan FROM campaign")?;
    let mut rows = statement.query([])?;
    if let Some(row) = rows.next()? {
        asked.mugie = Some(row.get(0)?);
        // A plan of another release may have other keys.
        plan = toml::from_str(&row.get::<_, String>(1)?).unwrap_or_default();
    }
    let mut statement = store.prepare("SELECT random_seed FROM batch ORDER BY id")?;
    let seeds = statement.query_map([], |row| row.get::<_, i64>(0))?;
    for seed in seeds {
        let seed = seed?.cast_unsigned();
        if !asked.random_seeds.contains(&seed) {
            asked.random_seeds.push(seed);
        }
    }
    let mut statement = store.prepare("SELECT name, settings FROM tool ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let settings = from_json(&row.get::<_, String>(1)?)?;
        let planned = plan.tools.iter().find(|tool| tool.name == name);
        asked.tools.push(tool(settings, planned, plan.limits.resource_units));
    }
    asked.sessions = sessions(store)?;
    Ok(asked)
}

fn tool(settings: ToolSettings, planned: Option<&Tool>, resource_limit: Option<u64>) -> AskedTool {
    let ToolSettings { command, translate: _, limits, confirm, batches, tap } = settings;
    AskedTool {
        command,
        profile: planned.and_then(|tool| tool.profile.clone()),
        solver_seed: planned.and_then(|tool| tool.solver_seed),
        seconds: Some(limits.time.as_secs_f64()),
        cpu_seconds: limits.cpu.map(|limit| limit.as_secs_f64()),
        memory: limits.memory,
        processes: Some(limits.processes),
        // The limit is one of the whole plan.
        resource_limit: planned.and(resource_limit),
        confirm,
        shared: batches,
        tapped: tap,
    }
}

fn sessions(store: &Transaction<'_>) -> Result<Vec<Session>, StoreError> {
    let is_there = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'session'";
    if store.query_row(is_there, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(Vec::new());
    }
    let mut statement = store.prepare(
        "SELECT DISTINCT day, name, system, processor, cores FROM session
         ORDER BY day, name, system, processor, cores",
    )?;
    let sessions = statement.query_map([], |row| {
        let host = Host {
            name: row.get(1)?,
            system: row.get(2)?,
            processor: row.get(3)?,
            cores: row.get(4)?,
        };
        Ok(Session { day: Some(row.get(0)?), host })
    })?;
    Ok(sessions.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_machines_are_kept_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.sqlite");
        let store = Store::create(&file).unwrap();
        assert_eq!(store.load(&[], &[]).unwrap().asked.sessions, []);
        let host = |cores| Host {
            name: "m".to_owned(),
            system: "Linux".to_owned(),
            processor: "p".to_owned(),
            cores,
        };
        for cores in [4, 2, 4] {
            store.ran("0.1.0", &host(cores)).unwrap();
        }
        let sessions = store.load(&[], &[]).unwrap().asked.sessions;
        let cores: Vec<usize> = sessions.iter().map(|session| session.host.cores).collect();
        // Midnight may have passed between the calls.
        assert!(cores.starts_with(&[2, 4]) || cores.ends_with(&[2, 4]), "{sessions:?}");
        let day = sessions[0].day.as_deref().unwrap();
        assert_eq!((day.len(), day.matches('-').count()), (10, 2), "{day}");
    }
}
