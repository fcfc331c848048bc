//! A store returns what was put into it, and detects damage.

use std::fs;

use mugie_core::{LanguageOptions, Place, Strengths};
use mugie_results::data::{Failing, MutantIx, SeedIx};
use mugie_results::work::GoalWork;
use mugie_verifiers::Limits;

use super::*;
use crate::ids::SeedId;
use crate::rows::{PlannedRows, SeedRow};

const KNOWN: [&str; 2] = ["S1", "G2"];

fn campaign(until_failure: bool) -> CampaignRow {
    let [name, mugie, plan] = ["c", "0.1", "plan"].map(str::to_owned);
    CampaignRow { name, mugie, plan, until_failure }
}

fn seed(name: &str, hash: &str) -> SeedRow {
    SeedRow {
        name: name.to_owned(),
        files: vec![format!("A_{name}/{name}.bpl"), "b.bpl".to_owned()],
        group: "A".to_owned(),
        language: "boogie".to_owned(),
        options: [("dialect".to_owned(), "2".to_owned())].into_iter().collect(),
        lines: 7,
        hash: hash.to_owned(),
    }
}

fn add(store: &Store, row: &SeedRow) -> Result<SeedId, StoreError> {
    Ok(store.seeds(std::slice::from_ref(row))?[0].0)
}

fn batch(wanted: usize) -> BatchRow {
    let (name, operators) = ("*".to_owned(), "paper".to_owned());
    BatchRow { name, operators, wanted, attempts: 100, random_seed: u64::MAX, strength: None }
}

fn tool(identity: &str) -> ToolRow {
    let [name, title] = ["t", "Tool 1"].map(str::to_owned);
    let (command, limits) = (Vec::new(), Limits::default());
    let settings =
        ToolSettings { command, translate: None, limits, confirm: 2, batches: true, tap: false };
    ToolRow { name, title, identity: identity.to_owned(), settings }
}

fn mutant(number: usize, operator: &str) -> MutantRow {
    let edit = Edit::new(operator, Place::Program { at: 1 }, "do");
    MutantRow { number, edits: vec![edit.clone(), edit], hash: format!("{number:x}") }
}

fn verdict(mutant: MutantId, tool: ToolId, outcome: Outcome) -> VerdictRow {
    VerdictRow {
        mutant,
        tool,
        outcome,
        unsteady: false,
        seconds: Some(0.5),
        details: None,
        work: None,
        effort: None,
    }
}

#[test]
fn what_is_added_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.sqlite");
    let store = Store::create(&file).unwrap();
    store.set_campaign(&campaign(false)).unwrap();
    let (b, a) = (add(&store, &seed("b", "1")).unwrap(), add(&store, &seed("a", "2")).unwrap());
    let (batch, tool) = (store.batch(&batch(3)).unwrap(), store.tool(&tool("x")).unwrap());
    let task = GoalWork { problem: Some("00000000000000ab".to_owned()), effort: Some(7) };
    let work = SolverWork([("p".to_owned(), task)].into());
    let row = BaselineRow {
        verdict: Verdict::of_program(Outcome::Verified, ""),
        layout: false,
        seconds: 1.5,
        work: Some(work.clone()),
    };
    store.add_baseline(a, tool, &row).unwrap();
    let ids = store.mutants(a, batch, &[mutant(1, "S1"), mutant(2, "G2")]).unwrap();
    let more = store.mutants(b, batch, &[mutant(1, "S1")]).unwrap();
    store
        .add_verdicts(&[
            verdict(ids[1], tool, Outcome::TimedOut),
            VerdictRow {
                work: Some(work.clone()),
                effort: Some(1.5),
                ..verdict(more[0], tool, Outcome::Verified)
            },
        ])
        .unwrap();
    drop(store);

    let store = Store::open(&file).unwrap();
    assert_eq!(store.baseline(a, tool).unwrap(), Some(row));
    assert_eq!(store.baseline(b, tool).unwrap(), None);
    // Adding an equal row again returns the same identifier.
    assert_eq!(add(&store, &seed("a", "2")).unwrap(), a);
    assert_eq!(store.mutants(a, batch, &[mutant(2, "G2")]).unwrap(), [ids[1]]);
    let known = store.known(a, batch, tool).unwrap();
    assert_eq!(known, BTreeMap::from([(ids[1], Outcome::TimedOut)]));
    let data = store.load(&KNOWN, &[]).unwrap();
    let names: Vec<_> = data.seeds.iter().map(|seed| seed.name.as_str()).collect();
    assert_eq!((data.name.as_str(), names), ("c", vec!["a", "b"]));
    assert_eq!(data.mutants.len(), 3);
    assert_eq!((data.mutants[0].seed, data.mutants[0].edits), (SeedIx::from(0_usize), 2));
    assert_eq!(data.operators, KNOWN);
    let bits: Vec<u128> = data.mutants.iter().map(|mutant| mutant.operators).collect();
    assert_eq!(bits, [1, 2, 1]);
    let seed = &data.seeds[0];
    assert_eq!(seed.files, ["A_a/a.bpl", "b.bpl"]);
    assert_eq!((seed.language.as_str(), seed.options.get("dialect")), ("boogie", Some("2")));
    let verdicts: Vec<_> = data.verdicts.iter().map(|it| (it.mutant, it.outcome)).collect();
    assert_eq!(
        verdicts,
        [
            (MutantIx::from(1_usize), Outcome::TimedOut),
            (MutantIx::from(2_usize), Outcome::Verified),
        ]
    );
    let problem = u64::from_str_radix(&work.problem().unwrap(), 16).ok();
    let solver: Vec<_> = data.verdicts.iter().map(|it| (it.problem, it.effort)).collect();
    assert_eq!(solver, [(None, None), (problem, Some(1.5))]);
}

#[test]
fn a_batch_can_grow_and_shrink() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
    let a = add(&store, &seed("a", "1")).unwrap();
    let id = store.batch(&batch(2)).unwrap();
    store.mutants(a, id, &[mutant(1, "S1"), mutant(2, "S1")]).unwrap();
    assert_eq!(store.batch(&batch(1)).unwrap(), id);
    assert_eq!(store.load(&KNOWN, &[]).unwrap().mutants.len(), 1);
    assert_eq!(store.batch(&batch(3)).unwrap(), id);
    assert_eq!(store.load(&KNOWN, &[]).unwrap().mutants.len(), 2);
}

#[test]
fn what_was_run_beyond_the_first_flip_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
    let a = add(&store, &seed("a", "1")).unwrap();
    let (batch, tool) = (store.batch(&batch(9)).unwrap(), store.tool(&tool("x")).unwrap());
    let verified = Verdict::of_program(Outcome::Verified, "");
    let row = BaselineRow { verdict: verified, layout: false, seconds: 0.1, work: None };
    store.add_baseline(a, tool, &row).unwrap();
    let ids = store.mutants(a, batch, &[1, 2, 3, 4].map(|number| mutant(number, "S1")));
    let outcomes = [Outcome::Verified, Outcome::Failed, Outcome::Verified, Outcome::Failed];
    let rows: Vec<_> = ids
        .unwrap()
        .into_iter()
        .zip(outcomes)
        .map(|(id, outcome)| verdict(id, tool, outcome))
        .collect();
    store.add_verdicts(&rows).unwrap();
    for (until_failure, known) in [(false, 4), (true, 2)] {
        store.set_campaign(&campaign(until_failure)).unwrap();
        assert_eq!(store.load(&KNOWN, &[]).unwrap().verdicts.len(), known);
    }
}

/// The reason for which an operation is refused.
fn refused<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn what_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
    let a = add(&store, &seed("a", "1")).unwrap();
    let batch_id = store.batch(&batch(3)).unwrap();
    store.tool(&tool("x")).unwrap();
    store.mutants(a, batch_id, &[mutant(1, "S1")]).unwrap();
    assert!(refused(add(&store, &seed("a", "2"))).contains("the seed `a` is not the one"));
    let other = BatchRow { random_seed: 2, ..batch(3) };
    assert!(refused(store.batch(&other)).contains("the batch `*` is not the one"));
    assert!(refused(store.tool(&tool("y"))).contains("the tool `t` is not the one"));
    let other = MutantRow { hash: "other".to_owned(), ..mutant(1, "S1") };
    let error = store.mutants(a, batch_id, &[other]).unwrap_err().to_string();
    assert!(error.contains("comes out different"), "{error}");
}

#[test]
fn a_batch_of_another_strength_is_another_batch() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
    let strong = BatchRow { strength: Some(Strengths::All), ..batch(3) };
    store.batch(&strong).unwrap();
    assert_eq!(store.batches().unwrap(), std::slice::from_ref(&strong));
    assert_eq!(strong.draw().strength, Some(Strengths::All));
    assert!(refused(store.batch(&batch(3))).contains("the batch `*` is not the one"));
}

#[test]
fn other_files_are_no_stores() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other");
    assert!(Store::open(&file).is_err());
    fs::write(&file, "not a database".repeat(1000)).unwrap();
    assert!(matches!(Store::create(&file), Err(StoreError::NoStore(_))));
    let file = folder.path().join("foreign");
    Connection::open(&file).unwrap().execute("CREATE TABLE t (x)", []).unwrap();
    assert!(matches!(Store::create(&file), Err(StoreError::NoStore(_))));
    let file = folder.path().join("newer");
    drop(Store::create(&file).unwrap());
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 9).unwrap();
    let error = Store::create(&file).unwrap_err().to_string();
    assert!(error.ends_with("a newer release made it"), "{error}");
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 1).unwrap();
    let error = Store::open(&file).unwrap_err();
    assert!(matches!(error, StoreError::OtherVersion { found: 1, .. }));
    assert!(error.to_string().ends_with("it is too old"), "{error}");
}

#[test]
fn outcomes_have_the_names_that_serde_gives_them() {
    for outcome in [
        Outcome::Verified,
        Outcome::Inconclusive,
        Outcome::OutOfResource,
        Outcome::OutOfMemory,
        Outcome::TimedOut,
        Outcome::Failed,
        Outcome::Rejected,
        Outcome::Crashed,
        Outcome::ToolError,
    ] {
        assert_eq!(outcome_of(outcome_name(outcome)).unwrap(), outcome);
    }
    assert!(matches!(outcome_of("fine"), Err(StoreError::Damaged(_))));
}

#[test]
fn how_a_seed_is_read_is_noted_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
    let id = add(&store, &seed("a", "1")).unwrap();
    let options: LanguageOptions = [("dialect".to_owned(), "3".to_owned())].into_iter().collect();
    let again = SeedRow { options: options.clone(), ..seed("a", "1") };
    assert_eq!(add(&store, &again).unwrap(), id);
    assert_eq!(store.load(&KNOWN, &[]).unwrap().seeds[0].options, options);
    // The same text in another language is another program.
    let other = SeedRow { language: "smt-lib".to_owned(), ..seed("a", "1") };
    assert!(add(&store, &other).is_err());
}

#[test]
fn four_runs_can_make_a_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
    let (seed, tool) = (add(&store, &seed("a", "1")).unwrap(), store.tool(&tool("x")).unwrap());
    let verdict = Verdict::of_program(Outcome::Verified, "");
    let run = BaselineRun { verdict, seconds: 0.5, work: None };
    for step in 0..4 {
        store.add_baseline_run(seed, tool, step, &run).unwrap();
        assert_eq!(store.baseline_run(seed, tool, step).unwrap().as_ref(), Some(&run));
    }
}

#[test]
fn damage_is_told_and_nothing_else_taken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.sqlite");
    let store = Store::create(&file).unwrap();
    let a = add(&store, &seed("a", "1")).unwrap();
    let (batch, tool) = (store.batch(&batch(9)).unwrap(), store.tool(&tool("x")).unwrap());
    let verified = Verdict::of_program(Outcome::Verified, "");
    let row = BaselineRow { verdict: verified, layout: false, seconds: 0.1, work: None };
    store.add_baseline(a, tool, &row).unwrap();
    let ids = store.mutants(a, batch, &[mutant(1, "S1")]).unwrap();
    store.add_verdicts(&[verdict(ids[0], tool, Outcome::Failed)]).unwrap();
    assert!(store.load(&KNOWN, &[]).is_ok());
    for (table, column, value, right) in [
        ("verdict", "outcome", "'fine'", "'failed'"),
        ("verdict", "problem", "'no number'", "NULL"),
        ("baseline", "outcome", "''", "'verified'"),
        ("mutant", "operators", "'S1'", "'[\"S1\"]'"),
        ("mutant", "number", "-1", "1"),
        ("seed", "lines", "-7", "7"),
        ("seed", "options", "'[]'", "'{}'"),
        ("batch", "wanted", "-1", "9"),
    ] {
        let set = |value| {
            store.lock().execute(&format!("UPDATE {table} SET {column} = {value}"), []).unwrap()
        };
        set(value);
        let error = store.load(&KNOWN, &[]).unwrap_err();
        assert!(matches!(error, StoreError::Damaged(_)), "{table}.{column}: {error:?}");
        set(right);
        assert!(store.load(&KNOWN, &[]).is_ok(), "{table}.{column}");
    }
}

#[test]
fn operators_of_other_releases_come_last() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
    let a = add(&store, &seed("a", "1")).unwrap();
    let batch = store.batch(&batch(999)).unwrap();
    let names = ["z", "G2", "S1", "a"];
    let rows: Vec<_> = (1..).zip(names).map(|(number, name)| mutant(number, name)).collect();
    store.mutants(a, batch, &rows).unwrap();
    let data = store.load(&KNOWN, &[]).unwrap();
    assert_eq!(data.operators, ["S1", "G2", "a", "z"]);
    let bits: Vec<u128> = data.mutants.iter().map(|mutant| mutant.operators).collect();
    assert_eq!(bits, [8, 2, 1, 4]);

    let many: Vec<_> = (5..140).map(|number| mutant(number, &format!("o{number}"))).collect();
    store.mutants(a, batch, &many).unwrap();
    assert!(matches!(store.load(&KNOWN, &[]), Err(StoreError::TooManyOperators(139))));
}

#[test]
fn a_seed_is_known_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
    let first = store.seeds(&[seed("a", "1"), seed("b", "2"), seed("c", "2")]).unwrap();
    // Under other names and files, also if two of them exchange theirs.
    let files = |files: &str, hash: &str| SeedRow {
        name: format!("new-{files}"),
        files: vec![files.to_owned()],
        group: "B".to_owned(),
        ..seed("x", hash)
    };
    let moved = store.seeds(&[files("moved/b", "2"), files("moved/a", "1"), files("c", "2")]);
    let ids = |found: &[(SeedId, String)]| found.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    let moved = moved.unwrap();
    assert_eq!(ids(&moved), [first[1].0, first[0].0, first[2].0]);
    assert_eq!(moved[1].1, "a", "it keeps its name");
    let again = store.seeds(&[files("moved/a", "2"), files("moved/b", "1")]).unwrap();
    assert_eq!(ids(&again), [first[1].0, first[0].0]);
    // The files and the groups are those of the plan that was run last.
    let planned = PlannedRows { seeds: ids(&again), ..PlannedRows::default() };
    store.set_planned(&planned).unwrap();
    let data = store.load(&KNOWN, &[]).unwrap();
    let seeds: Vec<_> = data.seeds.iter().map(|it| (it.name.as_str(), it.file())).collect();
    assert_eq!(seeds, [("a", "moved/b".to_owned()), ("b", "moved/a".to_owned())]);
    assert_eq!(data.groups, ["B"]);
    // Another program in the same file is refused.
    assert!(refused(store.seeds(&[files("moved/a", "3")])).contains("the seed `b` is not the one"));
}

#[test]
fn what_is_not_in_the_plan_is_kept_and_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.sqlite");
    let store = Store::create(&file).unwrap();
    let (a, b) = (add(&store, &seed("a", "1")).unwrap(), add(&store, &seed("b", "2")).unwrap());
    let (batch_id, tool) = (store.batch(&batch(3)).unwrap(), store.tool(&tool("x")).unwrap());
    let other = BatchRow { name: "S1".to_owned(), ..batch(3) };
    let other = store.batch(&other).unwrap();
    let verified = Verdict::of_program(Outcome::Verified, "");
    for seed in [a, b] {
        let row =
            BaselineRow { verdict: verified.clone(), layout: false, seconds: 0.1, work: None };
        store.add_baseline(seed, tool, &row).unwrap();
        for batch in [batch_id, other] {
            let ids = store.mutants(seed, batch, &[mutant(1, "S1"), mutant(2, "G2")]).unwrap();
            let rows = ids.iter().map(|id| verdict(*id, tool, Outcome::Failed));
            store.add_verdicts(&rows.collect::<Vec<_>>()).unwrap();
        }
    }
    let counts = |store: &Store| {
        let data = store.load(&KNOWN, &["G2"]).unwrap();
        (data.seeds.len(), data.batches.len(), data.mutants.len(), data.verdicts.len())
    };
    // Nothing says what was planned, as in stores of older releases.
    assert_eq!(counts(&store), (2, 2, 8, 8));
    let planned = PlannedRows {
        seeds: vec![b],
        batches: vec![other, batch_id],
        tools: vec![tool],
        failing: Failing::Only,
        unusable: vec![("c".to_owned(), "not well-formed".to_owned())],
    };
    store.set_planned(&planned).unwrap();
    store.set_drawn(b, other, Some(2)).unwrap();
    // Only failing seeds are asked for, and there is none.
    assert_eq!(counts(&store), (1, 2, 4, 0));
    let planned = PlannedRows { failing: Failing::Skip, ..planned };
    store.set_planned(&planned).unwrap();
    drop(store);
    let store = Store::open(&file).unwrap();
    assert_eq!(counts(&store), (1, 2, 4, 4));
    let data = store.load(&KNOWN, &["G2"]).unwrap();
    let names: Vec<_> = data.batches.iter().map(|batch| batch.name.as_str()).collect();
    assert_eq!((names, data.apart), (vec!["S1", "*"], 2));
    assert_eq!((data.unusable, data.failing), (planned.unusable, Failing::Skip));
    assert_eq!(data.drawn.into_values().collect::<Vec<_>>(), [2]);
    assert_eq!(store.batches().unwrap()[0].name, "S1");
}

#[test]
fn a_draft_leaves_the_store_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.sqlite");
    assert!(Store::draft(&file).unwrap().load(&KNOWN, &[]).unwrap().seeds.is_empty());
    assert!(!file.exists());
    let store = Store::create(&file).unwrap();
    add(&store, &seed("a", "1")).unwrap();
    let draft = Store::draft(&file).unwrap();
    add(&draft, &seed("b", "2")).unwrap();
    draft.set_planned(&PlannedRows::default()).unwrap();
    assert_eq!(store.load(&KNOWN, &[]).unwrap().seeds.len(), 1);
}

#[test]
fn a_seed_whose_runs_do_not_agree_is_no_trouble_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
    let (seed, tool) = (add(&store, &seed("a", "1")).unwrap(), store.tool(&tool("x")).unwrap());
    let trouble = Verdict::of_program(Outcome::ToolError, "no stable verdict");
    let row = BaselineRow { verdict: trouble, layout: false, seconds: 0.1, work: None };
    store.add_baseline(seed, tool, &row).unwrap();
    let outcomes = [Outcome::Verified, Outcome::Failed, Outcome::Verified];
    for (step, outcome) in (0..).zip(outcomes) {
        let run =
            BaselineRun { verdict: Verdict::of_program(outcome, ""), seconds: 0.5, work: None };
        store.add_baseline_run(seed, tool, step, &run).unwrap();
    }
    assert_eq!(store.load(&KNOWN, &[]).unwrap().unstable.len(), 1);
}
