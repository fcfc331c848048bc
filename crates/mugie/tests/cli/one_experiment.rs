//! `mugie test` and `mugie campaign` are one experiment: for the same seed and mutants they report the
//! same results. With the real Boogie, and with verifiers whose verdict depends on the layout.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use mugie_boogie::BOOGIE;
use mugie_campaign::details::details;
use mugie_campaign::plan::Plan;
use mugie_campaign::rows::FlipKey;
use mugie_campaign::store::Store;
use mugie_core::{Languages, Outcome};
use mugie_exec::Draw;
use mugie_experiment::judge::Profile;
use mugie_experiment::sources::{Reading, Source};
use mugie_results::data::{Data, Detail, Details, SeedIx, VerdictData};
use mugie_results::result::{self, Flip, SeedReport, TestReport};
use mugie_results::{flips, verifies};
use serde_json::Value;

use crate::support::{Run, Sandbox, commands, json, root, script, unescaped};
use crate::test::{BRITTLE, ROBUST};

/// The settings for drawing mutants, the same for both commands.
const OPERATORS: &str = "paper,add-unused,L5=5";
const RANDOM_SEED: &str = "7";
const MUTANTS: &str = "12";
const ATTEMPTS: &str = "900";

/// Does not verify, but its only mutant by L5 does.
fn failing() -> String {
    let clauses = ["  requires j <= 5;\n", "  requires i <= j;\n"];
    BRITTLE.replace(&clauses.concat(), &[clauses[1], clauses[0]].concat())
}

/// Boogie 2.4 rejects a mutant that has the procedure after its caller.
const ORDERED: &str = "\
procedure swap<T>(x: T) returns (y: T);
procedure caller() { var a: int; call a := swap(3); }
procedure other(x: int) requires x > 0; requires x > 1; { assert x > 0; }
";

/// A sandbox with seeds and a plan for them.
fn sandbox(seeds: &[(&str, &str)]) -> Sandbox {
    let plan = format!(
        "name = 'both'\nfailing = 'last'\nrandom_seed = {RANDOM_SEED}\n[seeds]\npaths = ['seeds']\n\
         [limits]\nseconds = 30\nmegabytes = 2000\nconfirm = 1\n\
         [[batch]]\nname = 'b'\noperators = '{OPERATORS}'\nmutants = {MUTANTS}\n\
         attempts = {ATTEMPTS}\n[[tool]]\nname = 'boogie'\nsolver_seed = 3\n\
         arguments = ['/errorLimit:2']\n"
    );
    let sandbox = Sandbox::new(&[("plan.toml", plan)]);
    fs::create_dir(sandbox.path("seeds")).unwrap();
    for (name, text) in seeds {
        fs::write(sandbox.path("seeds").join(name), text).unwrap();
    }
    sandbox
}

/// The report of `mugie test` on the same seeds and mutants.
fn tested(sandbox: &Sandbox, operators: &str, more: &[&str]) -> TestReport {
    let limits = ["--time-limit", "30", "--memory-limit", "2000M", "--confirm", "1"];
    let draw = ["-n", MUTANTS, "--operators", operators, "--seed", RANDOM_SEED];
    let tool = ["--solver-seed", "3", "--arg", "/errorLimit:2"];
    let rest = ["--max-attempts", ATTEMPTS, "--no-cache", "--format", "json"];
    let all = [&["test", "./seeds"][..], &draw, &limits, &tool, &rest, more].concat();
    let run = sandbox.run(&all);
    result::read(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// The results of a campaign.
struct Found {
    store: Store,
    data: Data,
    details: Details,
    /// The folder of the seeds.
    folder: String,
}

impl Found {
    fn new(sandbox: &Sandbox) -> Found {
        let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
        assert_eq!(run.code, 0, "{run:?}");
        let store = Store::open(&sandbox.path("plan.sqlite")).unwrap();
        let languages = Languages(&[BOOGIE]);
        let operators: Vec<_> = BOOGIE.operators().iter().map(|about| about.id()).collect();
        let data = store.load(&operators, &[]).unwrap();
        let open = |seed: SeedIx| {
            let seed = &data.seeds[seed];
            let reading =
                Reading { languages, usual: seed.language.clone(), options: seed.options.clone() };
            let paths = seed.files.iter().map(|file| sandbox.path(file)).collect();
            reading.open(&Source::named(seed.files[0].clone(), paths)).ok()
        };
        let details = details(&store, &data, open).unwrap();
        let folder = sandbox.path("").display().to_string();
        Found { store, data, details, folder }
    }

    /// The index of the seed with this file name.
    fn seed(&self, file: &str) -> SeedIx {
        let name = Path::new(file).file_name().unwrap();
        let has = |files: &[String]| Path::new(&files[0]).file_name() == Some(name);
        self.data.seeds.position(|seed| has(&seed.files)).unwrap()
    }

    /// The verdicts on the mutants of a seed, each with the mutant's number.
    fn verdicts(&self, seed: SeedIx) -> Vec<(u32, &VerdictData)> {
        let number = |verdict: &VerdictData| {
            let mutant = self.data.mutants[verdict.mutant];
            (mutant.seed == seed).then_some(mutant.number)
        };
        self.data.verdicts.iter().filter_map(|it| Some((number(it)?, it))).collect()
    }

    fn key(&self, seed: SeedIx, number: usize) -> FlipKey<'_> {
        let number = u32::try_from(number).unwrap();
        FlipKey { seed: &self.data.seeds[seed].name, batch: "b", number, tool: "boogie" }
    }

    /// The details shown for a flip.
    fn detail(&self, seed: SeedIx, number: usize) -> &Detail {
        let is_it = |detail: &&Detail| {
            let mutant = self.data.mutants[detail.mutant];
            (mutant.seed, mutant.number as usize) == (seed, number)
        };
        self.details.mutants.iter().find(is_it).unwrap()
    }
}

/// Compares what both commands report about a seed's baseline.
fn compare_baseline(report: &SeedReport, found: &Found, seed: SeedIx) {
    let (hash, verdicts) = found.store.seed_verdicts(&found.data.seeds[seed].name).unwrap();
    assert_eq!(report.hash.as_ref(), Some(&hash));
    let (ours, theirs) = (report.baseline.as_ref().unwrap(), &verdicts["boogie"]);
    assert_eq!((ours.outcome, &ours.reason), (theirs.outcome, &theirs.reason));
    let procedures = ours.procedures.iter().map(|it| (it.procedure.as_str(), it.outcome));
    let profile = Profile::new(theirs, str::to_owned);
    assert_eq!(procedures.collect::<Vec<_>>(), profile.worst().collect::<Vec<_>>());
    let baseline = found.data.baselines.iter().find(|it| it.seed == seed).unwrap();
    assert_eq!(!report.layout.is_empty(), baseline.layout);
    assert_eq!(ours.outcome, baseline.outcome);
}

/// Compares the numbers of mutants of each kind.
fn compare_counts(report: &SeedReport, found: &Found, seed: SeedIx) {
    let base = report.baseline.as_ref().unwrap().outcome;
    let verdicts = found.verdicts(seed);
    let judged: Vec<_> = verdicts.iter().filter(|(_, it)| verifies(it.outcome).is_some()).collect();
    assert_eq!(report.counts.judged, judged.len());
    assert_eq!(report.counts.troubles, verdicts.len() - judged.len());
    let flipped = |it: &VerdictData| flips(base, it.outcome) == Some(true);
    let numbers = judged.iter().filter(|(_, it)| flipped(it)).map(|(number, _)| *number as usize);
    let ours: Vec<usize> = report.flips.iter().map(|flip| flip.number).collect();
    assert_eq!(ours, numbers.collect::<Vec<_>>());
    assert_eq!(report.counts.flips, ours.len());

    let mut by_operator: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (_, verdict) in &judged {
        let bits = found.data.mutants[verdict.mutant].operators;
        for (place, name) in found.data.operators.iter().enumerate() {
            if bits >> place & 1 == 1 {
                let (mutants, flips) = by_operator.entry(name).or_default();
                *mutants += 1;
                *flips += usize::from(flipped(verdict));
            }
        }
    }
    let ours = report.by_operator.iter().map(|it| (it.operator.as_str(), (it.mutants, it.flips)));
    assert_eq!(ours.collect::<BTreeMap<_, _>>(), by_operator);

    let asked: Vec<_> = judged.iter().filter_map(|(_, it)| Some((it.problem?, it))).collect();
    let distinct: BTreeSet<u64> = asked.iter().map(|(problem, _)| *problem).collect();
    let of_flips = asked.iter().filter(|(_, it)| flipped(it)).map(|(problem, _)| *problem);
    let of_flips: BTreeSet<u64> = of_flips.collect();
    match &report.problems {
        Some(problems) => {
            assert_eq!(problems.mutants, asked.len());
            assert_eq!((problems.distinct, problems.flips), (distinct.len(), of_flips.len()));
        }
        None => assert!(asked.is_empty()),
    }
    let twice = judged.iter().filter(|(_, it)| !flipped(it));
    let twice = twice.filter(|(_, it)| it.effort.is_some_and(|effort| effort > 2.0)).count();
    let above: BTreeSet<&String> = report.effort.iter().flat_map(|it| &it.above_2).collect();
    assert_eq!(above.len(), twice);
}

/// Compares what both commands report about a flip.
fn compare_flip(flip: &Flip, found: &Found, seed: SeedIx) {
    let stored = found.store.flip(&found.key(seed, flip.number)).unwrap();
    assert_eq!((&flip.hash, &flip.edits), (&stored.hash, &stored.edits));
    let verdicts = found.verdicts(seed);
    let (_, verdict) = verdicts.iter().find(|(number, _)| *number as usize == flip.number).unwrap();
    assert_eq!(verdict.outcome, flip.outcome);
    match stored.details {
        Some(details) => {
            let theirs = &details.verdict;
            assert_eq!(
                (flip.outcome, &flip.reason, flip.stage),
                (theirs.outcome, &theirs.reason, theirs.stage)
            );
        }
        None => assert_eq!(flip.outcome, Outcome::Verified),
    }
    let detail = found.detail(seed, flip.number);
    assert_eq!(detail.name, format!("{}-b-{:04}", found.data.seeds[seed].name, flip.number));
    let words = flip.edits.iter().map(|edit| format!("{}: {}", edit.operator, edit.words));
    assert_eq!(detail.edits, words.collect::<Vec<_>>());
    let theirs: Vec<_> = detail
        .changes
        .iter()
        .map(|it| (it.procedure.as_deref(), it.outcome, it.failures.as_slice()))
        .collect();
    let mut ours: Vec<_> = flip
        .changes
        .iter()
        .map(|it| (Some(it.procedure.as_str()), it.mutant, it.failures.as_slice()))
        .collect();
    if ours.is_empty() {
        ours.push((None, flip.outcome, &flip.messages));
    }
    // The campaign prints file names together with their folder.
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}").replace(&found.folder, ""));
}

/// Compares the flip that `mugie test` shows with the campaign's data and HTML report.
fn compare_witness(report: &SeedReport, found: &Found, seed: SeedIx, page: &str) {
    let witness = report.witness.as_ref().unwrap();
    let flip = report.flips.iter().find(|flip| flip.mutant == witness.mutant).unwrap();
    let detail = found.detail(seed, flip.number);
    assert_eq!(witness.diff, detail.diff);
    // The report names files relative to the directory in which it was requested.
    let shown = format!("<h4>{}</h4>", detail.name);
    let section = page.split_once(&shown).unwrap().1.split("<h4>").next().unwrap();
    assert_eq!(commands(section)[0], witness.reproduce[0]);
    assert!(unescaped(section).contains(&witness.reproduce[1]), "{witness:?}\n{section}");
}

#[test]
fn a_test_and_a_campaign_say_the_same_of_the_same_seeds() {
    let brittle = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    let failing = failing();
    let seeds = [
        ("axioms.bpl", brittle.as_str()),
        ("failing.bpl", &failing),
        ("inference.bpl", BRITTLE),
        ("ordered.bpl", ORDERED),
        ("robust.bpl", ROBUST),
    ];
    let sandbox = sandbox(&seeds);
    let report = tested(&sandbox, OPERATORS, &["--failing"]);
    let found = Found::new(&sandbox);
    assert_eq!(sandbox.run(&["campaign", "report", "plan.toml"]).code, 0);
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    let tool = &found.data.tools[0];
    assert_eq!(report.verifier.title, tool.title);
    assert_eq!(report.verifier.command, found.store.tool_settings().unwrap()[0].command);
    assert_eq!((report.seeds.len(), found.data.seeds.len()), (seeds.len(), seeds.len()));
    let mut kinds = BTreeSet::new();
    for seed in &report.seeds {
        let number = found.seed(&seed.name);
        compare_baseline(seed, &found, number);
        compare_counts(seed, &found, number);
        for flip in &seed.flips {
            compare_flip(flip, &found, number);
            kinds.insert(flip.outcome.words());
        }
        if !seed.flips.is_empty() {
            compare_witness(seed, &found, number, &page);
        }
    }
    // The comparison has covered every kind of outcome.
    let wanted = [Outcome::Failed, Outcome::Rejected, Outcome::Verified].map(Outcome::words);
    assert!(wanted.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    let answers = report.seeds.iter().map(|seed| seed.answer.words());
    assert_eq!(answers.collect::<Vec<_>>(), ["brittle", "brittle", "brittle", "brittle", "robust"]);
}

#[test]
fn a_test_and_a_campaign_find_the_same_causes() {
    let brittle = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    let sandbox = sandbox(&[("axioms.bpl", &brittle), ("inference.bpl", BRITTLE)]);
    let plan = fs::read_to_string(sandbox.path("plan.toml")).unwrap();
    fs::write(sandbox.path("plan.toml"), plan.replace(OPERATORS, "S1,L5")).unwrap();
    let report = tested(&sandbox, "S1,L5", &["--minimise"]);
    let found = Found::new(&sandbox);
    for seed in &report.seeds {
        let number = found.seed(&seed.name);
        let groups = &seed.causes.as_ref().unwrap().groups;
        let causes = found.details.causes.iter().filter(|cause| cause.seed == number);
        let theirs: BTreeMap<_, _> =
            causes.map(|it| ((it.words.clone(), it.symptom.clone()), it.mutants)).collect();
        let mut ours = BTreeMap::new();
        for cause in &groups.causes {
            let procedure = cause.symptom.procedure.as_ref().unwrap();
            let symptom = format!("procedure {procedure} {}", cause.symptom.outcome);
            // A campaign makes no runs to find causes: only mutants with a single edit reveal them.
            let tells = cause.mutants.iter().any(|&flip| seed.flips[flip].edits.len() == 1);
            let words = tells.then(|| cause.words.clone());
            *ours.entry((words, symptom)).or_default() += cause.mutants.len();
        }
        assert_eq!(groups.unexplained, [] as [usize; 0]);
        assert!(ours.keys().any(|(words, _)| words.is_some()), "{ours:?}");
        assert_eq!(ours, theirs, "{}", seed.name);
    }
}

/// A verifier that recognises the seed as it was written by a comment. The shell code `printed`
/// answers for the printed seed; the seed as written and all mutants verify.
fn by_layout(printed: &str) -> Sandbox {
    let plan = "name = 'layout'\n[seeds]\npaths = ['seed.bpl']\n[[batch]]\nname = 'L5'\n\
                mutants = 1\n[[tool]]\nname = 'tool'\nverifier = 'command'\nprogram = './tool'\n";
    let seed = format!("// as it was written\n{ROBUST}");
    let sandbox = Sandbox::new(&[("plan.toml", plan), ("seed.bpl", &seed)]);
    let body = format!(
        "fine() {{ echo 'it finished with 2 verified, 0 errors'; exit 0; }}
         wrong() {{ echo 'it finished with 1 verified, 1 error'; exit 1; }}
         state={}
         case \"$*\" in *-0*) fine;; esac
         grep -q 'as it was written' \"$@\" && fine
         echo run >> \"$state.printed\"
         {printed}",
        sandbox.path("state").display()
    );
    script(&sandbox, "tool", &body);
    sandbox
}

/// Runs the campaign. Returns the run, the data, and the number of runs of the printed seed.
fn campaign(sandbox: &Sandbox) -> (Run, Data, usize) {
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    let store = Store::open(&sandbox.path("plan.sqlite")).unwrap();
    let runs = fs::read_to_string(sandbox.path("state.printed")).unwrap().lines().count();
    (run, store.load(&[], &[]).unwrap(), runs)
}

/// The report of `mugie test` on the only seed.
fn test(sandbox: &Sandbox) -> Value {
    let _ = fs::remove_file(sandbox.path("state"));
    let args = ["test", "seed.bpl", "-n", "1", "--operators", "L5", "--no-cache"];
    let tool = ["--format", "json", "--verifier", "command", "--program", "./tool"];
    json(&sandbox.run(&[&args[..], &tool].concat()))["seeds"][0].clone()
}

#[test]
fn a_campaign_does_not_blame_the_layout_for_what_happens_once() {
    let once = "if [ -e \"$state\" ]; then fine; else touch \"$state\"; wrong; fi";
    let sandbox = by_layout(once);
    let (run, data, runs) = campaign(&sandbox);
    assert_eq!((run.code, runs), (0, 2), "{run:?}");
    let baseline = &data.baselines[0];
    assert!(!baseline.layout && !baseline.outcome.is_evidence(), "{baseline:?}");
    let reason = baseline.reason.as_ref().unwrap();
    assert!(reason.contains("as it is printed, has no stable verdict"), "{reason}");
    assert_eq!(data.verdicts, []);
    let seed = test(&sandbox);
    assert_eq!(
        (&seed["answer"], &seed["layout"]),
        (&"nondeterministic".into(), &Value::Array(vec![]))
    );
    assert_eq!(seed["reason"], reason.as_str());
}

#[test]
fn a_campaign_blames_the_layout_for_what_happens_twice() {
    let sandbox = by_layout("wrong");
    let (run, data, runs) = campaign(&sandbox);
    // Two runs for the layout. Mutants of seeds that do not verify are skipped.
    assert_eq!((run.code, runs), (0, 2), "{run:?}");
    let baseline = &data.baselines[0];
    assert!(baseline.layout && baseline.outcome == Outcome::Failed, "{baseline:?}");
    let seed = test(&sandbox);
    assert_eq!(seed["answer"], "brittle");
    assert_eq!(seed["layout"].as_array().unwrap().len(), 1, "{seed}");
}

#[test]
fn a_campaign_runs_the_printed_seed_once_if_the_layout_does_not_matter() {
    let sandbox = by_layout("fine");
    let (run, data, runs) = campaign(&sandbox);
    assert_eq!((run.code, runs), (0, 1), "{run:?}");
    assert!(!data.baselines[0].layout && data.verdicts.len() == 1);
}

#[test]
fn what_is_not_said_is_the_same_for_both() {
    let sandbox = Sandbox::new(&[("seed.bpl", ROBUST)]);
    script(&sandbox, "tool", "echo 'it finished with 2 verified, 0 errors'");
    // The operators are usual for each of them: campaigns are for the paper's.
    let args = ["test", "seed.bpl", "-n", "3", "--no-cache", "--format", "json"];
    let tool = ["--operators", "paper", "--verifier", "command", "--program", "./tool"];
    let run = sandbox.run(&[&args[..], &tool].concat());
    let settings = result::read(&run.stdout).unwrap().settings;
    let text = "name = 'usual'\n[seeds]\npaths = ['seed.bpl']\n[[batch]]\nname = '*'\n\
                mutants = 3\n[[tool]]\nname = 'tool'\n";
    let plan = Plan::parse(text, Languages(&[BOOGIE])).unwrap();
    assert_eq!(Duration::from_secs_f64(settings.time_limit), plan.limits.time);
    assert_eq!(settings.cpu_limit.map(Duration::from_secs_f64), plan.limits.cpu);
    assert_eq!(settings.memory_limit, plan.limits.memory);
    assert_eq!(settings.process_limit, Some(plan.limits.processes));
    assert_eq!((settings.resource_limit, settings.confirm), (plan.resource_limit, plan.confirm));
    let Draw { operators, random_seed, mutants, attempts, .. } =
        plan.batches[0].draw(plan.random_seed);
    assert_eq!((&settings.operators, settings.random_seed), (&operators, random_seed));
    assert_eq!((settings.mutants, settings.max_attempts), (mutants, attempts));
}

/// A verifier that fails, crashes, hangs, hangs once, prints nothing useful, or verifies, depending on
/// the number of the mutant.
const MOODY: &str = "
fine() { echo 'it finished with 2 verified, 0 errors'; exit 0; }
case \"$*\" in
  *-0002*) echo 'it finished with 1 verified, 1 error'; exit 1;;
  *-0003*) kill -9 $$;;
  *-0004*) exec sleep 64.91;;
  *-0005*) mkdir \"$HERE/once\" 2>/dev/null && exec sleep 64.91; fine;;
  *-0006*) echo nonsense; exit 0;;
  *) fine;;
esac";

#[test]
fn a_test_and_a_campaign_agree_on_trouble() {
    let plan = "name = 'moody'\n[seeds]\npaths = ['seed.bpl']\n[limits]\nseconds = 1\n\
                confirm = 1\n[[batch]]\nname = 'b'\noperators = 'paper'\nmutants = 8\n\
                [[tool]]\nname = 'tool'\nverifier = 'command'\nprogram = './tool'\n";
    let sandbox = Sandbox::new(&[("plan.toml", plan), ("seed.bpl", ROBUST)]);
    let here = sandbox.path(".").display().to_string();
    script(&sandbox, "tool", &MOODY.replace("$HERE", &here));
    let tool = ["--verifier", "command", "--program", "./tool", "--time-limit", "1"];
    let args = ["test", "seed.bpl", "-n", "8", "--confirm", "1", "--no-cache", "--format", "json"];
    let run = sandbox.run(&[&args[..], &tool].concat());
    let report = result::read(&run.stdout).unwrap();
    let seed = &report.seeds[0];
    fs::remove_dir(sandbox.path("once")).unwrap();
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 0, "{run:?}");
    let store = Store::open(&sandbox.path("plan.sqlite")).unwrap();
    let data = store.load(&[], &[]).unwrap();
    let of_campaign = data.verdicts.iter().map(|verdict| {
        let number = data.mutants[verdict.mutant].number;
        (format!("seed-{number:04}"), verdict.outcome)
    });
    let flips = seed.flips.iter().map(|flip| (flip.mutant.clone(), flip.outcome));
    let troubles = seed.troubles.iter().map(|it| (it.mutant.clone(), it.outcome));
    let of_test: BTreeMap<String, Outcome> = flips.chain(troubles).collect();
    let other: BTreeMap<String, Outcome> =
        of_campaign.filter(|(_, outcome)| *outcome != Outcome::Verified).collect();
    assert_eq!(of_test, other);
    assert_eq!(data.verdicts.len(), 8);
    assert_eq!((seed.counts.judged, seed.counts.flips, seed.counts.troubles), (6, 2, 2));
    for trouble in &seed.troubles {
        let number = trouble.mutant.rsplit('-').next().unwrap().parse().unwrap();
        let key = FlipKey { seed: "seed", batch: "b", number, tool: "tool" };
        let theirs = store.flip(&key).unwrap().details.unwrap().verdict;
        assert_eq!(theirs.reason.as_ref(), Some(&trouble.reason));
    }
}

#[test]
fn a_test_and_a_campaign_end_at_the_same_failure() {
    let brittle = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    let sandbox = sandbox(&[("axioms.bpl", &brittle)]);
    let plan = fs::read_to_string(sandbox.path("plan.toml")).unwrap();
    let plan = format!("until_failure = true\n{}", plan.replace(OPERATORS, "S1"));
    fs::write(sandbox.path("plan.toml"), plan).unwrap();
    let report = tested(&sandbox, "S1", &["--until-failure"]);
    let found = Found::new(&sandbox);
    let seed = &report.seeds[0];
    assert_eq!(seed.flips.len(), 1);
    let number = found.seed(&seed.name);
    compare_baseline(seed, &found, number);
    compare_counts(seed, &found, number);
    compare_flip(&seed.flips[0], &found, number);
}
