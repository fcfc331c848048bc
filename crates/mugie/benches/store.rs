//! A campaign of the paper's size with made-up verdicts: the time to write its store, and to make its
//! tables and its report. The store is compared with the same rows as lines of JSON.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints, and may panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use mugie_boogie::BOOGIE;
use mugie_campaign::ids::{MutantId, ToolId};
use mugie_campaign::rows::{
    BaselineRow, BatchRow, CampaignRow, MutantRow, SeedRow, ToolRow, ToolSettings, VerdictDetails,
    VerdictRow,
};
use mugie_campaign::store::Store;
use mugie_core::{Edit, LanguageOptions, Outcome, Place, Verdict};
use mugie_results::{GoalWork, SolverWork};
use mugie_verifiers::Limits;

const SEEDS: usize = 135;
const MAIN: usize = 100;
const OTHERS: (usize, usize) = (11, 50);

/// A pseudo-random number that depends only on the argument.
fn noise(number: usize) -> usize {
    let number = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(number >> 40).unwrap()
}

fn mutant(seed: usize, batch: usize, number: usize) -> MutantRow {
    let all = BOOGIE.operators();
    let edits = if batch == 0 { 1 + noise(seed + number) % 6 } else { 1 };
    let edit = |index: usize| {
        let operator = all[if batch == 0 { noise(index + number) % 11 } else { batch - 1 }].id();
        let place = Place::Program { at: index as u64 };
        Edit::new(operator, place, format!("swap axiom #{index} with axiom #{number}"))
    };
    let hash = format!("{seed:032x}{batch:016x}{number:016x}");
    MutantRow { number, edits: (0..edits).map(edit).collect(), hash }
}

/// The verdict on a mutant: about a tenth of the mutants of every fifth seed fail.
fn verdict(id: MutantId, tool: ToolId, seed: usize, number: usize) -> VerdictRow {
    let fails = seed.is_multiple_of(5) && noise(seed * 1000 + number).is_multiple_of(10);
    let outcome = if fails { Outcome::Failed } else { Outcome::Verified };
    let details = fails.then(|| VerdictDetails {
        verdict: Verdict::of_program(Outcome::Failed, "`p` failed"),
        output: "seed.bpl(7,3): Error BP5001: This assertion might not hold.\n".repeat(5),
    });
    let task = |procedure: &str| {
        let problem = format!("{:016x}", number % 40);
        (
            procedure.to_owned(),
            GoalWork { problem: Some(problem), effort: Some(40_000 + number as u64) },
        )
    };
    let work = Some(SolverWork(["p", "q", "r"].map(task).into()));
    VerdictRow {
        mutant: id,
        tool,
        outcome,
        unsteady: false,
        seconds: None,
        details,
        work,
        effort: Some(1.0),
    }
}

/// Fills a store. Returns the number of mutants and verdicts written.
fn fill(file: &Path) -> usize {
    let store = Store::create(file).unwrap();
    let text = |words: &str| words.to_owned();
    store
        .set_campaign(&CampaignRow {
            name: text("synthetic"),
            mugie: text("0"),
            plan: String::new(),
            until_failure: false,
        })
        .unwrap();
    let mut batches = Vec::new();
    for batch in 0..=OTHERS.0 {
        let id = if batch == 0 { "*" } else { BOOGIE.operators()[batch - 1].id() };
        let wanted = if batch == 0 { MAIN } else { OTHERS.1 };
        let row = BatchRow {
            name: text(id),
            operators: text(id),
            wanted,
            attempts: 10_000,
            random_seed: 1,
            strength: None,
        };
        batches.push((store.batch(&row).unwrap(), wanted));
    }
    let (command, limits) = (Vec::new(), Limits::default());
    let settings =
        ToolSettings { command, translate: None, limits, confirm: 2, batches: true, tap: true };
    let [name, title, identity] = ["tool", "Tool 1", "x"].map(text);
    let tool = store.tool(&ToolRow { name, title, identity, settings }).unwrap();
    let mut rows = 0;
    for seed in 0..SEEDS {
        let name = format!("seed{seed}");
        let row = SeedRow {
            files: vec![format!("A_x/{name}.bpl")],
            name,
            language: "boogie".to_owned(),
            options: LanguageOptions::default(),
            group: ["A", "D", "E", "P", "S", "T"][seed % 6].to_owned(),
            lines: 10 + noise(seed) % 900,
            hash: format!("{seed:x}"),
        };
        let id = store.seeds(std::slice::from_ref(&row)).unwrap()[0].0;
        let verified = Verdict::of_program(Outcome::Verified, "");
        let baseline = BaselineRow { verdict: verified, layout: false, seconds: 0.5, work: None };
        store.add_baseline(id, tool, &baseline).unwrap();
        for (batch, (batch_id, wanted)) in batches.iter().enumerate() {
            let mutants: Vec<_> = (1..=*wanted).map(|number| mutant(seed, batch, number)).collect();
            let ids = store.mutants(id, *batch_id, &mutants).unwrap();
            let verdicts: Vec<_> =
                ids.iter().zip(1..).map(|(id, number)| verdict(*id, tool, seed, number)).collect();
            store.add_verdicts(&verdicts).unwrap();
            rows += mutants.len() + verdicts.len();
        }
    }
    rows
}

/// The same rows as lines of JSON.
fn write_lines(file: &Path) {
    let mut text = String::new();
    for seed in 0..SEEDS {
        for batch in 0..=OTHERS.0 {
            for number in 1..=if batch == 0 { MAIN } else { OTHERS.1 } {
                let MutantRow { edits, hash, .. } = mutant(seed, batch, number);
                let edits = serde_json::to_string(&edits).unwrap();
                writeln!(text, "[{seed},{batch},{number},{edits},\"{hash}\"]").unwrap();
                let VerdictRow { outcome, details, .. } =
                    verdict(MutantId(0), ToolId(0), seed, number);
                let details = serde_json::to_string(&details).unwrap();
                writeln!(text, "[{seed},{batch},{number},\"{outcome}\",{details}]").unwrap();
            }
        }
    }
    fs::write(file, text).unwrap();
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("campaign.sqlite");
    let start = Instant::now();
    let rows = fill(&file);
    let filled = start.elapsed().as_secs_f64();
    let start = Instant::now();
    write_lines(&folder.path().join("lines"));
    let lines = start.elapsed().as_secs_f64();
    let mutants = rows / 2;
    let bytes = fs::metadata(&file).unwrap().len();
    println!("{mutants} mutants with their verdicts, {} MB", bytes / 1_000_000);
    println!(
        "store   {:.0} rows/s, {:.1} times the time of the same rows as lines of JSON",
        f64::from(u32::try_from(rows).unwrap()) / filled,
        filled / lines
    );
    let mugie = |words: &[&str]| {
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_mugie"))
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        start.elapsed().as_secs_f64()
    };
    for table in mugie_report::tables::ALL {
        let seconds = mugie(&["campaign", "table", "campaign.sqlite", table.name]);
        println!("table   {:18} {seconds:.2} s, {:.1} times", table.name, seconds / filled);
    }
    let seconds = mugie(&["campaign", "report", "campaign.sqlite"]);
    let bytes = fs::metadata(folder.path().join("campaign.html")).unwrap().len();
    println!("report  {seconds:.2} s, {:.1} times, {} kB", seconds / filled, bytes / 1000);
}
