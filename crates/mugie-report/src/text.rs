//! The report for people at a terminal.

use std::fmt::Write as _;

use mugie_core::{Exit, Outcome, Scope, Strength};
use mugie_results::Controls;
use mugie_results::calibration::{CalibratedGoal, Calibration};
use mugie_results::result::{
    Answer, Baseline, Causes, Chance, Class, Effort, InFileOrder, Inert, OperatorCount, OrderRule,
    ProblemCount, Question, ScopeReport, Searches, SeedReport, TestReport, TestSettings, Texts,
};
use mugie_stats::Grade;

use crate::effort;
use crate::paint::Paint;
use crate::words::{
    answer, capped, changes, circumstances_alone, controls_lines, count, difference, do_what,
    escaped, failure_with_place, flips_of_mutants, goal, is_smallest, is_void, is_without_evidence,
    layout, left_out, luck_in_short, luck_line, plain, plural, reduced, troubles, witness,
};

/// The width of the labels before facts, in characters.
const LABEL_WIDTH: usize = 12;

/// The answers in the order of the summary.
const SUMMARY: [Answer; Answer::ALL.len()] = [
    Answer::Brittle,
    Answer::Nondeterministic,
    Answer::Disagreement,
    Answer::BeyondLimit,
    Answer::Robust,
    Answer::SeedFails,
    Answer::CouldNotRun,
    Answer::Inconclusive,
    Answer::NotExpressible,
    Answer::Interrupted,
];

/// The report as text.
pub(crate) fn render(report: &TestReport, colour: bool) -> String {
    if let [seed] = report.seeds.as_slice() {
        return in_full(report, seed, colour);
    }
    let mut text = String::new();
    for seed in &report.seeds {
        text += &seed_line(seed, colour);
        text.push('\n');
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text + &summary(report, colour)
}

/// The result of one seed among several, on one line without a line break.
pub fn seed_line(seed: &SeedReport, colour: bool) -> String {
    let paint = Paint { colour };
    let label = match seed.answer {
        Answer::Robust => paint.good("robust "),
        Answer::Brittle => paint.bad("BRITTLE"),
        Answer::Nondeterministic => paint.bad("VARIES "),
        Answer::Disagreement => paint.bad("DIFFERS"),
        Answer::BeyondLimit => paint.bad("BEYOND "),
        Answer::SeedFails if is_void(seed) => paint.unknown("nothing"),
        Answer::SeedFails => paint.unknown("fails  "),
        Answer::CouldNotRun => paint.unknown("TROUBLE"),
        Answer::Inconclusive => paint.unknown("unclear"),
        Answer::NotExpressible => paint.unknown("skipped"),
        Answer::Interrupted => paint.unknown("stopped"),
    };
    let mut line = format!("{label}  {}  ", plain(&seed.name));
    match seed.answer {
        Answer::Robust | Answer::Brittle if seed.counts.judged > 0 => {
            line += &flips_of_mutants(seed);
            if let Some(why) = procedures_and_operators(seed) {
                let _ = write!(line, ": {why}");
            }
        }
        Answer::Robust | Answer::Brittle => line += &answer(seed),
        Answer::Interrupted if seed.counts.judged == 0 => line += "nothing was tested yet",
        Answer::Interrupted => line += &flips_of_mutants(seed),
        Answer::Nondeterministic
        | Answer::Disagreement
        | Answer::BeyondLimit
        | Answer::Inconclusive => {
            line += &answer(seed);
        }
        Answer::SeedFails | Answer::CouldNotRun | Answer::NotExpressible => {
            line += &seed.reason.as_deref().map_or_else(|| answer(seed), plain);
        }
    }
    if !seed.contradictions.is_empty() {
        line += &paint.bad("; CONTRADICTION");
    }
    if !seed.layout.is_empty() {
        line += "; brittle to layout";
    }
    if let Some(luck) = luck_in_short(seed).filter(|_| seed.answer != Answer::BeyondLimit) {
        let _ = write!(line, "; {luck}");
    }
    for difference in seed.controls.iter().flat_map(|controls| &controls.differences) {
        let _ = write!(line, "; brittle to {}", difference.circumstance.words());
    }
    if !seed.troubles.is_empty() {
        let _ = write!(line, "; {} not judged", seed.troubles.len());
    }
    if !seed.dropped.is_empty() {
        let _ = write!(line, "; {} left out", seed.dropped.len());
    }
    if seed.counts.interrupted && seed.answer != Answer::Interrupted {
        line += "; interrupted";
    }
    line
}

/// The procedures that flip, and the operators behind it: `procedures p, q by S1`.
fn procedures_and_operators(seed: &SeedReport) -> Option<String> {
    let names: Vec<String> =
        seed.by_procedure.iter().map(|procedure| plain(&procedure.procedure)).collect();
    let goal = goal(seed);
    let mut words = match names.as_slice() {
        [] => return None,
        [one] => format!("{goal} {one}"),
        [one, two] => format!("{} {one}, {two}", plural(&goal)),
        [one, two, rest @ ..] => {
            format!("{} {one}, {two} and {} more", plural(&goal), rest.len())
        }
    };
    let mut operators: Vec<&str> = Vec::new();
    let edits = reduced(seed).map(|it| &it.edits).or_else(|| witness(seed).map(|flip| &flip.edits));
    for edit in edits.into_iter().flatten() {
        if !operators.contains(&edit.operator.as_str()) {
            operators.push(&edit.operator);
        }
    }
    if !operators.is_empty() {
        let _ = write!(words, " by {}", plain(&operators.join(" + ")));
    }
    Some(words)
}

/// The summary's words for seeds with an answer, after their number.
fn in_summary(answer: Answer) -> &'static str {
    match answer {
        Answer::Robust => "robust",
        Answer::Brittle => "brittle",
        Answer::Nondeterministic => "nondeterministic",
        Answer::Disagreement => "with another verdict than the tool's own",
        Answer::BeyondLimit => "beyond a limit",
        Answer::SeedFails => "not verified to begin with",
        Answer::CouldNotRun => "could not be tested",
        Answer::Inconclusive => "inconclusive",
        Answer::NotExpressible => "not expressible",
        Answer::Interrupted => "interrupted",
    }
}

/// The results of all seeds together.
pub fn summary(report: &TestReport, colour: bool) -> String {
    let paint = Paint { colour };
    let number_of = |answer: Answer| report.seeds.iter().filter(|s| s.answer == answer).count();
    let mut parts = Vec::new();
    for answer in SUMMARY {
        let number = number_of(answer);
        if number > 0 {
            let part = format!("{number} {}", in_summary(answer));
            parts.push(match answer.exit() {
                Exit::Finding => paint.bad(part),
                Exit::Fine => paint.good(part),
                Exit::NoAnswer | Exit::SeedFails => paint.unknown(part),
            });
        }
    }
    let mut text =
        format!("{} tested with {}", count(report.seeds.len(), "program"), title(report));
    if !parts.is_empty() {
        let _ = write!(text, ": {}", parts.join(", "));
    }
    text.push('\n');

    let work = effort::lines(report.seeds.iter());
    if !work.is_empty() {
        let _ = writeln!(text, "\n{}", paint.heading("The solver's work on mutants"));
        for line in work {
            let _ = writeln!(text, "  {line}");
        }
    }
    let brittle: Vec<&SeedReport> =
        report.seeds.iter().filter(|seed| seed.answer == Answer::Brittle).collect();
    let helps = helps(report);
    if !helps.is_empty() {
        let _ = writeln!(text, "\n{}", paint.heading("What helps where there is no answer"));
        for help in helps {
            let _ = writeln!(text, "  {help}");
        }
    }
    if !brittle.is_empty() {
        let heading = if brittle.iter().all(|seed| is_smallest(seed)) {
            "The smallest change that breaks each program"
        } else {
            "A change that breaks each program"
        };
        let _ = writeln!(text, "\n{}", paint.heading(heading));
        for seed in brittle {
            let causes = seed.causes.iter().flat_map(|causes| &causes.groups.causes);
            let causes: Vec<String> = causes.map(|cause| plain(&cause.words)).collect();
            let change = match (witness(seed), reduced(seed)) {
                _ if !causes.is_empty() => capped(causes.into_iter()).join("; "),
                (_, Some(reduced)) if !is_without_evidence(seed) => plain(&reduced.cause),
                (Some(flip), _) if !is_without_evidence(seed) => changes(flip),
                _ => {
                    let what = circumstances_alone(seed).or_else(|| layout_alone(seed));
                    format!("the {} alone", what.unwrap_or_default())
                }
            };
            let _ = writeln!(text, "  {}: {change}", plain(&seed.name));
        }
        text +=
            "\nRun `mugie test FILE` with the same options for the full report on one program.\n";
    }
    text
}

/// What the user can do about programs that could not be tested: each advice once, with the first of its programs.
fn helps(report: &TestReport) -> Vec<String> {
    let mut helps: Vec<(&SeedReport, &str)> = Vec::new();
    for seed in report.seeds.iter().filter(|seed| seed.answer == Answer::CouldNotRun) {
        if let Some(help) = &seed.help
            && helps.iter().all(|(_, known)| known != help)
        {
            helps.push((seed, help));
        }
    }
    let lines = helps.into_iter();
    capped(lines.map(|(seed, help)| format!("{}: {}", plain(&seed.name), plain(help))))
}

/// The full report on one seed.
pub fn in_full(report: &TestReport, seed: &SeedReport, colour: bool) -> String {
    let paint = Paint { colour };
    let name = escaped(&seed.name);
    let verdict = match seed.answer {
        Answer::Robust => format!("{name} is {}: {}", paint.good("robust"), answer(seed)),
        Answer::Brittle => {
            let alone = circumstances_alone(seed).or_else(|| layout_alone(seed));
            let alone = alone.map_or_else(String::new, |what| format!(" to {what} alone"));
            format!("{name} is {}{alone}: {}", paint.bad("BRITTLE"), answer(seed))
        }
        Answer::Nondeterministic => {
            format!("{name} is {}: {}", paint.bad("NONDETERMINISTIC"), answer(seed))
        }
        Answer::Disagreement | Answer::BeyondLimit => paint.bad(format!("{name} {}", answer(seed))),
        Answer::SeedFails
        | Answer::CouldNotRun
        | Answer::Inconclusive
        | Answer::NotExpressible
        | Answer::Interrupted => paint.unknown(format!("{name} {}", answer(seed))),
    };
    let mut text = format!("{verdict}\n\n");
    if let Some(words) = contradiction(seed, &title(report)) {
        let _ = writeln!(text, "{}\n", paint.bad(words));
    }
    for (label, lines) in facts(report, seed) {
        let mut label = paint.label(format!("{label:LABEL_WIDTH$}"));
        for line in lines {
            let _ = writeln!(text, "  {label} {line}");
            label = " ".repeat(LABEL_WIDTH);
        }
    }
    if let Some(causes) = &seed.causes {
        write_causes(&mut text, seed, causes, paint);
    }
    // If too many mutants were left out, the others are no evidence.
    if let (Some(flip), Some(seed_witness)) = (witness(seed), &seed.witness)
        && !is_without_evidence(seed)
    {
        crate::witness::write(&mut text, seed, flip, seed_witness, paint);
    }
    text
}

/// The layout, if it alone changes the verdict.
fn layout_alone(seed: &SeedReport) -> Option<String> {
    (seed.counts.flips == 0).then(|| "layout".to_owned())
}

/// Says that the solver contradicts itself, if it does.
fn contradiction(seed: &SeedReport, title: &str) -> Option<String> {
    let first = seed.contradictions.first()?;
    let more = match seed.contradictions.len() {
        1 => String::new(),
        number => format!(" and {} more", number - 1),
    };
    Some(format!(
        "CONTRADICTION: on {}{more}, {title} proves the opposite of what it proves on the original. Both \
         ask the same, so one of the answers is wrong: report both files to the authors of the solver.",
        plain(first)
    ))
}

/// Writes the causes of failures, which a reader wants to know first.
fn write_causes(text: &mut String, seed: &SeedReport, causes: &Causes, paint: Paint) {
    let Causes { groups, distinct_problems } = causes;
    let number = count(groups.causes.len(), "cause");
    let heading = format!("{}, {number}", count(seed.flips.len(), "failing mutant"));
    let _ = writeln!(text, "\n{}", paint.heading(heading));
    for cause in &groups.causes {
        let procedure = match &cause.symptom.procedure {
            Some(procedure) => {
                format!("{} {} {}", goal(seed), plain(procedure), cause.symptom.outcome)
            }
            None => cause.symptom.outcome.to_string(),
        };
        let mutants = count(cause.mutants.len(), "mutant");
        let _ = writeln!(text, "  {}: {mutants}, {procedure}", plain(&cause.words));
    }
    if !groups.unexplained.is_empty() {
        let mutants = count(groups.unexplained.len(), "mutant");
        let _ = writeln!(text, "  {mutants} not explained: raise --budget for more runs");
    }
    if let Some(distinct) = distinct_problems.filter(|_| seed.flips.len() > 1) {
        let problems = count(distinct, "distinct verification problem");
        let _ = writeln!(text, "  they pose {problems} to the solver");
    }
}

/// Which declarations the changes are in.
pub fn scope(ScopeReport { mutate, units, of }: &ScopeReport) -> String {
    match mutate {
        Scope::Named(pattern) => format!(
            "only {units} of {of} declarations are changed: those called `{}`",
            plain(pattern)
        ),
        Scope::User | Scope::All => format!(
            "half of the changes are in the user's part, {units} of {of} declarations, and in what it \
             mentions; --mutate all takes all alike"
        ),
    }
}

/// What the verifier does by chance.
fn chance_lines(report: &SeedReport, chance: &Chance) -> Vec<String> {
    let Chance { declarations, seed, mutant, in_file_order } = chance;
    let first = declarations.first().map(|it| plain(it)).unwrap_or_default();
    let more = match declarations.len() {
        0 | 1 => String::new(),
        number => format!(" and {} more", number - 1),
    };
    let mut lines = vec![format!(
        "{first}{more}: sorted by a hash that differs from run to run, because of large or \
         floating-point numbers"
    )];
    let verified = |outcomes: &[Outcome]| {
        let verified = outcomes.iter().filter(|it| **it == Outcome::Verified).count();
        format!("{verified} of {}", count(outcomes.len(), "run"))
    };
    // Without a mutant, the other program is the seed in mugie's layout.
    let other = if report.witness.is_some() { "mutant" } else { "printed original" };
    if !seed.is_empty() {
        let (seed, mutant) = (verified(seed), verified(mutant));
        lines.push(format!("verified in {seed} of the original, {mutant} of the {other}"));
    }
    if let Some(InFileOrder { seed, mutant }) = in_file_order {
        lines.push(format!("in the order of the file: original {seed}, {other} {mutant}"));
    }
    lines
}

/// The facts about a seed, each a label and lines.
fn facts(report: &TestReport, seed: &SeedReport) -> Vec<(String, Vec<String>)> {
    let mut facts: Vec<(&str, Vec<String>)> = Vec::new();
    let goal = goal(seed);
    let goals = plural(&goal);
    if let Some(baseline) = &seed.baseline {
        facts.push(("original", baseline_lines(baseline, &title(report), &goal)));
    }
    if let Some(calibration) = &seed.calibration {
        facts.push(("compared", calibration_lines(calibration, &goal)));
    }
    if seed.counts.judged > 0 {
        let mutants = count(seed.counts.judged, "equivalent program");
        facts.push(("mutants", vec![mutants]));
        facts.push(("scope", seed.scope.iter().map(scope).collect()));
    }
    facts.push((
        "chance",
        seed.chance.iter().flat_map(|chance| chance_lines(seed, chance)).collect(),
    ));
    if let Some(controls) = &seed.controls {
        facts.extend(control_lines(seed, controls));
    }
    facts.push(("layout", seed.layout.iter().map(|change| layout(change, &goal)).collect()));
    facts.push((
        "grade",
        seed.grade.map(|grade| grade_line(grade, &report.settings)).into_iter().collect(),
    ));
    facts.push(("texts", seed.texts.iter().map(texts_line).collect()));
    facts.push(("searches", seed.searches.iter().flat_map(searches_lines).collect()));
    facts.push(("luck", seed.luck.iter().map(luck_line).collect()));
    facts.push((
        "Mariposa",
        Class::of(seed)
            .map(|class| format!("would call the query {}", class.word()))
            .into_iter()
            .collect(),
    ));
    let kinds: Vec<String> =
        seed.by_kind.iter().map(|kind| format!("{} {}", kind.flips, kind.outcome)).collect();
    let label = match seed.question {
        Question::DoesAMutantFail => "failures",
        Question::DoesAMutantPass => "outcomes",
    };
    facts.push((label, if kinds.is_empty() { Vec::new() } else { vec![kinds.join(", ")] }));
    let judged = seed.counts.judged;
    facts.push((
        &goals,
        capped(seed.by_procedure.iter().map(|procedure| {
            format!("{}: {} of {judged}", plain(&procedure.procedure), procedure.flips)
        })),
    ));
    facts.push((
        "operators",
        capped(seed.by_operator.iter().filter(|operator| operator.flips > 0).map(|operator| {
            let OperatorCount { flips, mutants, .. } = operator;
            format!("{}: {flips} of {mutants}", operator_name(operator))
        })),
    ));
    facts.push(("problems", seed.problems.iter().flat_map(problems_lines).collect()));
    facts.push(("effort", effort_lines(&seed.effort)));
    facts.push(("order", seed.rule.iter().map(|rule| rule_line(rule, seed.question)).collect()));
    if !seed.troubles.is_empty() {
        facts.push(("trouble", vec![troubles(&seed.troubles)]));
    }
    if !seed.dropped.is_empty() {
        facts.push(("left out", vec![left_out(&seed.dropped)]));
    }
    if seed.unshared {
        let alone =
            "the mutants had processes of their own: shared ones are not as if each were alone";
        facts.push(("processes", vec![alone.to_owned()]));
    }
    if seed.counts.interrupted && seed.answer != Answer::Interrupted {
        let done = "the test was interrupted; this is what was found so far";
        facts.push(("interrupted", vec![done.to_owned()]));
    }
    if let Some(help) = &seed.help {
        facts.push(("help", help.lines().map(escaped).collect()));
    }
    facts.into_iter().map(|(label, lines)| (label.to_owned(), lines)).collect()
}

/// What the runs before an accusation showed, each a label and lines.
fn control_lines(seed: &SeedReport, controls: &Controls) -> [(&'static str, Vec<String>); 3] {
    let moved = controls.moved.map(|moved| moved.words().to_owned());
    [
        ("controls", controls_lines(seed, controls)),
        ("moved", moved.into_iter().collect()),
        ("same bytes", controls.differences.iter().map(difference).collect()),
    ]
}

/// The number of distinct solver problems.
fn problems_lines(problems: &ProblemCount) -> Vec<String> {
    let ProblemCount { mutants, as_seed, distinct, flips, inert, left_out } = problems;
    let fail = match *flips {
        0 => String::new(),
        1 => ", 1 of them fails".to_owned(),
        flips => format!(", {flips} of them fail"),
    };
    let problems = count(*distinct, "distinct problem");
    let new = mutants.saturating_sub(*as_seed);
    let were = if new == 1 { "was" } else { "were" };
    let mut lines = vec![format!(
        "{problems} for the solver{fail}; {new} of {} {were} new to it",
        count(*mutants, "mutant")
    )];
    lines.extend(inert_line(inert, *left_out));
    lines
}

/// The operators that change nothing for the solver.
fn inert_line(inert: &[Inert], left_out: usize) -> Option<String> {
    let name = |it: &Inert| match it.strength {
        Strength::One => format!("{} at one place", it.operator),
        Strength::Some => format!("{} at some places", it.operator),
        Strength::All => format!("{} everywhere", it.operator),
    };
    let names = capped(inert.iter().map(name));
    let rest = match left_out {
        0 => String::new(),
        left_out => format!("; {} of them left out", count(left_out, "more mutant")),
    };
    let names = plain(&names.join(", "));
    (!inert.is_empty()).then(|| format!("no difference to the solver: {names}{rest}"))
}

/// The solver's effort: the procedures that take much more work than in the original, or the
/// largest ratio if there are none.
fn effort_lines(efforts: &[Effort]) -> Vec<String> {
    let times = |effort: &Effort, count: u64| ratio(count) / ratio(effort.seed.max(1));
    let worst = |effort: &Effort| times(effort, effort.most);
    let mut efforts: Vec<&Effort> = efforts.iter().collect();
    efforts.sort_by(|a, b| worst(b).total_cmp(&worst(a)));
    let Some(first) = efforts.first() else { return Vec::new() };
    // Without names, there is one count for the whole program.
    let name = |effort: &Effort| match effort.procedure.as_str() {
        "" => "all together".to_owned(),
        name => plain(name),
    };
    if first.above_2.is_empty() {
        let most = worst(first);
        return vec![format!(
            "at most {most:.2} times the solver work of the original ({})",
            name(first)
        )];
    }
    capped(efforts.iter().filter(|effort| !effort.above_2.is_empty()).map(|effort| {
        let (median, most) = (times(effort, effort.median), worst(effort));
        let above = count(effort.above_2.len(), "mutant");
        let far_above = match effort.above_10.len() {
            0 => String::new(),
            number => format!(", {number} above 10"),
        };
        format!(
            "{}: up to {most:.1} times the work, median {median:.2}; {above} above 2 times{far_above}",
            name(effort)
        )
    }))
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn ratio(count: u64) -> f64 {
    count as f64
}

/// An operator with its name, as the paper's code alone says little.
fn operator_name(OperatorCount { operator, name, .. }: &OperatorCount) -> String {
    match name {
        Some(name) if name != operator => format!("{} {}", plain(operator), plain(name)),
        _ => plain(operator),
    }
}

fn title(report: &TestReport) -> String {
    plain(&report.verifier.title)
}

/// Whether the verifier is run as the tool that made the seed runs it.
fn calibration_lines(calibration: &Calibration, goal: &str) -> Vec<String> {
    let tool = plain(&calibration.tool);
    let name = tool.split(' ').next().unwrap_or_default().to_owned();
    let all = calibration.goals.len();
    let different: Vec<&CalibratedGoal> = calibration.different().collect();
    let mut lines = vec![if different.is_empty() {
        format!("as {name} runs it: {} the same as in a run of {tool}", are(all, goal))
    } else {
        let same = all - different.len();
        format!("{same} of {} as {name} runs it, by a run of {tool}", count(all, goal))
    }];
    lines.extend(capped(different.into_iter().map(|it| {
        let causes = plain(&it.causes.join(", "));
        let verdicts = match it.verifier {
            Some(verifier) if it.has_other_verdict() => {
                format!("{} by {name}, {verifier} here", it.tool)
            }
            _ => String::new(),
        };
        let parts: Vec<String> =
            [verdicts, causes].into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}: {}", plain(&it.name), parts.join("; "))
    })));
    let work = |it: &&CalibratedGoal| it.is_same() && it.tool_resources != it.verifier_resources;
    let mut causes: Vec<&str> = calibration
        .goals
        .iter()
        .filter(work)
        .flat_map(|it| &it.causes)
        .map(String::as_str)
        .collect();
    causes.sort_unstable();
    causes.dedup();
    let number = calibration.goals.iter().filter(work).count();
    if number > 0 {
        let causes = causes.join(", ");
        lines.push(format!("other solver work on {}: {}", count(number, goal), plain(&causes)));
    }
    lines
}

/// `all 3 procedures are`, `the procedure is`.
fn are(number: usize, goal: &str) -> String {
    match number {
        1 => format!("the {goal} is"),
        number => format!("all {} are", count(number, goal)),
    }
}

fn baseline_lines(baseline: &Baseline, title: &str, goal: &str) -> Vec<String> {
    let all = baseline.procedures.len();
    let verified = baseline.procedures.iter().filter(|p| p.outcome == Outcome::Verified).count();
    let first = if all == 0 {
        format!("{} by {title}", baseline.outcome)
    } else if verified == all {
        format!("{} verified by {title}", count(all, goal))
    } else {
        format!("{verified} of {} verified by {title}", count(all, goal))
    };
    let others = baseline.procedures.iter().filter(|p| p.outcome != Outcome::Verified);
    let others = others.flat_map(|other| {
        let first = format!("{}: {}", plain(&other.procedure), other.outcome);
        let failures = other.failures.iter().map(|it| format!("  {}", failure_with_place(it)));
        std::iter::once(first).chain(failures)
    });
    std::iter::once(first).chain(capped(others)).collect()
}

fn grade_line(grade: Grade, settings: &TestSettings) -> String {
    match (grade, settings.confidence) {
        (Grade::Stable, Some(level)) => format!(
            "stable: at least {} % of such mutants agree with the seed, with 95 % confidence",
            // Round to a thousandth of a percent, so that 0.975 is not shown as 97.50000000000001.
            (level * 100_000.0).round() / 1000.0,
        ),
        (Grade::Stable, None) => "stable: enough mutants agree with the seed".to_owned(),
        (Grade::Unstable, _) => "unstable: one such mutant in ten or more differs".to_owned(),
        (Grade::BrittleRare, _) => {
            "rare: some mutant differs, but it could not be shown that one in ten does".to_owned()
        }
        (Grade::Inconclusive, _) => {
            "inconclusive: too few mutants for the requested confidence".to_owned()
        }
    }
}

/// How many texts the verifier got, and how many mutants have that of the seed.
fn texts_line(texts: &Texts) -> String {
    let Texts { mutants, as_seed, distinct } = texts;
    let same = match as_seed {
        0 => "none with the text of the seed".to_owned(),
        1 => "1 of them has the text of the seed, so it says nothing".to_owned(),
        number => format!("{number} of them have the text of the seed, so they say nothing"),
    };
    let mutants = count(*mutants, "translated mutant");
    format!("{} for this verifier in {mutants}; {same}", count(*distinct, "different text"))
}

/// What the solver did on the mutants.
fn searches_lines(searches: &Searches) -> Vec<String> {
    let Searches { mutants, as_seed, distinct, inert, all_inert, left_out } = searches;
    if *mutants == 0 {
        return Vec::new();
    }
    let different = match distinct {
        1 => "1 search".to_owned(),
        number => format!("{number} different searches"),
    };
    let mut lines =
        vec![format!("{different} in {}, {as_seed} as on the seed", count(*mutants, "mutant"))];
    lines.extend(inert_line(inert, *left_out));
    if *all_inert {
        lines.push("no change makes a difference, so the answer says little".to_owned());
    }
    lines
}

fn rule_line(rule: &OrderRule, question: Question) -> String {
    let with_line = |words: &str, line: Option<u32>| match line {
        Some(line) => format!("{} (line {line})", plain(words)),
        None => plain(words),
    };
    format!(
        "a mutant {} exactly if {} comes after {}",
        do_what(question, 1),
        with_line(&rule.second, rule.second_line),
        with_line(&rule.first, rule.first_line),
    )
}

#[cfg(test)]
mod tests {
    use mugie_results::result::{Counts, LayoutChange};

    use mugie_core::Symptom;
    use mugie_results::cause::{Cause, Groups};

    use super::*;
    use crate::testing::{
        brittle, could_not_run, failing, half_of_all_orders, hostile, interrupted, passing, rare,
        rejected, report, robust, several,
    };

    fn in_full(seed: SeedReport) -> String {
        render(&report(vec![seed]), false)
    }

    #[track_caller]
    fn assert_starts(seed: SeedReport, start: &str) {
        let text = in_full(seed);
        assert_eq!(text.lines().next(), Some(start));
    }

    #[test]
    fn chance_is_told_with_what_it_does() {
        use Outcome::{Failed, Verified};
        let seed = SeedReport::new("a".to_owned(), Vec::new(), Answer::Nondeterministic);
        let mut chance =
            Chance { declarations: vec!["axiom #1".to_owned(); 3], ..Chance::default() };
        let lines = chance_lines(&seed, &chance);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with("axiom #1 and 2 more: sorted by a hash"), "{lines:?}");
        (chance.seed, chance.mutant) = (vec![Verified, Failed], vec![Failed, Failed]);
        chance.in_file_order = Some(InFileOrder { seed: Verified, mutant: Verified });
        assert_eq!(
            chance_lines(&seed, &chance)[1..],
            [
                "verified in 1 of 2 runs of the original, 0 of 2 runs of the printed original",
                "in the order of the file: original verified, printed original verified",
            ]
        );
    }

    #[test]
    fn a_scope_is_told() {
        let scope = |mutate: &str| {
            scope(&ScopeReport { mutate: Scope::from(mutate.to_owned()), units: 3, of: 46 })
        };
        assert_eq!(scope("M.*"), "only 3 of 46 declarations are changed: those called `M.*`");
        assert!(scope("user").contains("the user's part, 3 of 46 declarations"));
    }

    #[test]
    fn causes_come_before_mutants() {
        let symptom = Symptom {
            procedure: Some("pick".to_owned()),
            outcome: Outcome::Failed,
            stage: None,
            message: None,
        };
        let cause = Cause {
            words: "axiom #2 before axiom #1".to_owned(),
            edits: Vec::new(),
            symptom,
            mutants: vec![0],
        };
        let groups = Groups { causes: vec![cause], unexplained: vec![1, 2] };
        let causes = Some(Causes { groups, distinct_problems: Some(1) });
        let seed = SeedReport { causes, ..brittle("a.bpl") };
        let mutants = count(seed.flips.len(), "failing mutant");
        let text = in_full(seed.clone());
        let expected = format!(
            "\n{mutants}, 1 cause\n  axiom #2 before axiom #1: 1 mutant, procedure pick \
             failed\n  2 mutants not explained: raise --budget for more runs\n  they pose 1 \
             distinct verification problem to the solver\n\nThe failing mutant"
        );
        assert!(text.contains(&expected), "{text}");
        let text = summary(&report(vec![seed, robust("b.bpl")]), false);
        assert!(text.contains("  a.bpl: axiom #2 before axiom #1\n"), "{text}");
    }

    #[test]
    fn brittle_seed_is_shown_in_full() {
        insta::assert_snapshot!(in_full(brittle("examples/brittle.bpl")), @"
        examples/brittle.bpl is BRITTLE: 60 of 119 mutants fail (50.4 %, 95 % interval 41.1 to 59.7 %)

          original     1 procedure verified by Boogie 2.4.1 with Z3 4.8.12
          mutants      119 equivalent programs
          failures     57 failed, 3 timed out
          procedures   pick: 60 of 119
          operators    S1 swap-declarations: 60 of 64
          order        a mutant fails exactly if axiom #1 (line 5) comes after axiom #2 (line 9)

        The failing mutant with the fewest edits: brittle-0001, 1 edit
          1. S1: swap axiom #1 with axiom #2

          procedure pick: verified in the original, failed in the mutant
            postcondition `ensures o > row[i];` at examples/brittle.bpl:13:3

          --- seed
          +++ mutant
          @@ -1,2 +1,2 @@
          -axiom a;
           axiom b;
          +axiom a;

        To reproduce it
          mugie mutate examples/brittle.bpl --out mutants
          boogie /nologo mutants/brittle-0001.bpl
        ");
    }

    #[test]
    fn all_orders_are_counted_with_the_seed() {
        assert_starts(
            half_of_all_orders(),
            "examples/brittle.bpl is BRITTLE: 60 of 120 programs fail, counting the original and all its 119 mutants",
        );
    }

    #[test]
    fn robust_seed_says_what_that_is_worth() {
        insta::assert_snapshot!(in_full(robust("max.bpl")), @"
        max.bpl is robust: 0 of 100 mutants fail; at most 3.0 % of such mutants do, with 95 % confidence

          original     1 procedure verified by Boogie 2.4.1 with Z3 4.8.12
          mutants      100 equivalent programs
        ");
        let all = robust("max.bpl");
        let counts = Counts { complete: true, ..all.counts };
        assert_starts(
            SeedReport { counts, share: None, ..all.clone() },
            "max.bpl is robust: none of all 100 possible mutants fails",
        );
        let counts = Counts { judged: 0, complete: true, ..counts };
        assert_starts(
            SeedReport { counts, share: None, ..all },
            "max.bpl is robust: these operators yield no mutants",
        );
    }

    #[test]
    fn rejected_mutants_layout_and_troubles_are_told() {
        insta::assert_snapshot!(in_full(rejected("files.bpl")), @"
        files.bpl is BRITTLE: 1 of 98 mutants fails (1.0 %, 95 % interval 0.0 to 5.6 %)

          original     1 procedure verified by Boogie 2.4.1 with Z3 4.8.12
          mutants      98 equivalent programs
          layout       procedure pick: verified as written, timed out as re-printed; brittle to layout alone
          failures     1 rejected
          operators    S3 move-to-file: 1 of 20
          trouble      no verdict on 2 mutants: crashed: Z3 died (2)

        The failing mutant with the fewest edits: brittle-0001, 1 edit
          1. S3: move procedure pick to another file

          the program: rejected (resolution error): 1 name resolution error
            undeclared identifier: row at brittle-0003.bpl:3:1 of the mutant

          --- seed
          +++ mutant
          @@ -1,2 +1,2 @@
          -axiom a;
           axiom b;
          +axiom a;

        To reproduce it
          mugie mutate examples/brittle.bpl --out mutants
          boogie /nologo mutants/brittle-0001.bpl
        ");
    }

    #[test]
    fn layout_alone_can_be_brittle() {
        let layout = LayoutChange {
            procedure: None,
            original: Some(Outcome::Verified),
            printed: Some(Outcome::Rejected),
        };
        let seed =
            SeedReport { answer: Answer::Brittle, layout: vec![layout], ..robust("max.bpl") };
        insta::assert_snapshot!(in_full(seed), @"
        max.bpl is BRITTLE to layout alone: 0 of 100 mutants fail; at most 3.0 % of such mutants do, with 95 % confidence

          original     1 procedure verified by Boogie 2.4.1 with Z3 4.8.12
          mutants      100 equivalent programs
          layout       the program: verified as written, rejected as re-printed; brittle to layout alone
        ");
    }

    #[test]
    fn opposite_question_has_its_own_words() {
        insta::assert_snapshot!(in_full(passing("bad.bpl")), @"
        bad.bpl is BRITTLE: 1 of 8 mutants verifies (12.5 %, 95 % interval 0.3 to 52.7 %)

          original     1 of 2 procedures verified by Boogie 2.4.1 with Z3 4.8.12
                       pick: timed out
          mutants      8 equivalent programs
          outcomes     1 verified
          procedures   pick: 1 of 8
          operators    S1 swap-declarations: 1 of 8

        The verifying mutant with the fewest edits: brittle-0001, 1 edit
          1. S1: swap axiom #1 with axiom #2

          procedure pick: timed out in the original, verified in the mutant

          --- seed
          +++ mutant
          @@ -1,2 +1,2 @@
          -axiom a;
           axiom b;
          +axiom a;

        To reproduce it
          mugie mutate examples/brittle.bpl --out mutants
          boogie /nologo mutants/brittle-0001.bpl
        ");
    }

    #[test]
    fn seeds_without_a_test_say_why() {
        insta::assert_snapshot!(in_full(failing("bad.bpl")), @"
        bad.bpl does not verify, so there is nothing to test: 1 of 2 procedures failed

          original     1 of 2 procedures verified by Boogie 2.4.1 with Z3 4.8.12
                       pick: failed
          help         --failing asks whether a mutant verifies
        ");
        insta::assert_snapshot!(in_full(could_not_run("garbage.bpl")), @"
        garbage.bpl could not be tested: syntax error at 3:1

          help         run `mugie check` for details
        ");
        insta::assert_snapshot!(in_full(interrupted("slow.bpl")), @"
        slow.bpl was not tested to the end; 0 of 12 mutants fail; at most 22.1 % of such mutants do, with 95 % confidence

          original     1 procedure verified by Boogie 2.4.1 with Z3 4.8.12
          mutants      12 equivalent programs
        ");
    }

    #[test]
    fn grades_are_in_words() {
        let mut settings = report(Vec::new()).settings;
        settings.confidence = Some(0.975);
        let lines = [Grade::Stable, Grade::Unstable, Grade::BrittleRare, Grade::Inconclusive]
            .map(|grade| grade_line(grade, &settings));
        insta::assert_snapshot!(lines.join("\n"), @"
        stable: at least 97.5 % of such mutants agree with the seed, with 95 % confidence
        unstable: one such mutant in ten or more differs
        rare: some mutant differs, but it could not be shown that one in ten does
        inconclusive: too few mutants for the requested confidence
        ");
    }

    #[test]
    fn several_seeds_have_a_line_each_and_a_summary() {
        insta::assert_snapshot!(render(&several(), false), @"
        robust   max.bpl  0 of 100 mutants fail
        BRITTLE  bank.bpl  60 of 119 mutants fail: procedure pick by S1
        BRITTLE  files.bpl  1 of 98 mutants fails; brittle to layout; 2 not judged
        fails    bad.bpl  1 of 2 procedures failed
        TROUBLE  garbage.bpl  syntax error at 3:1
        stopped  slow.bpl  0 of 12 mutants fail

        6 programs tested with Boogie 2.4.1 with Z3 4.8.12: 2 brittle, 1 robust, 1 not verified to begin with, 1 could not be tested, 1 interrupted

        What helps where there is no answer
          garbage.bpl: run `mugie check` for details

        The smallest change that breaks each program
          bank.bpl: swap axiom #1 with axiom #2
          files.bpl: move procedure pick to another file

        Run `mugie test FILE` with the same options for the full report on one program.
        ");
        assert_eq!(
            render(&report(Vec::new()), false),
            "0 programs tested with Boogie 2.4.1 with Z3 4.8.12\n"
        );
    }

    #[test]
    fn long_differences_are_cut() {
        let mut seed = brittle("examples/brittle.bpl");
        if let Some(witness) = &mut seed.witness {
            witness.diff = "+x\n".repeat(100);
        }
        let text = in_full(seed);
        assert_eq!(text.matches("  +x\n").count(), crate::witness::MAX_DIFF_LINES);
        assert!(text.contains("  and 40 more lines\n"), "{text}");
    }

    #[test]
    fn rare_answers_have_words_of_their_own() {
        let report = rare();
        insta::assert_snapshot!(render(&report, false), @"
        VARIES   moody.bpl  the same program gets different verdicts: because
        BEYOND   hard.bpl  exceeds a requested limit: because; 0 of 8 mutants fail
        unclear  unclear.bpl  is undecided after all runs: because; 0 of 3 mutants fail
        skipped  foreign.bpl  because

        4 programs tested with Boogie 2.4.1 with Z3 4.8.12: 1 nondeterministic, 1 beyond a limit, 1 inconclusive, 1 not expressible
        ");
        let firsts: Vec<String> = report
            .seeds
            .iter()
            .map(|seed| in_full(seed.clone()).lines().next().unwrap().to_owned())
            .collect();
        insta::assert_snapshot!(firsts.join("\n"), @"
        moody.bpl is NONDETERMINISTIC: the same program gets different verdicts: because
        hard.bpl exceeds a requested limit: because; 0 of 8 mutants fail
        unclear.bpl is undecided after all runs: because; 0 of 3 mutants fail
        foreign.bpl cannot be expressed in the verifier's input language: because
        ");
    }

    #[test]
    fn every_answer_is_in_the_summary() {
        for answer in Answer::ALL {
            assert!(SUMMARY.contains(&answer), "{answer}");
        }
    }

    #[test]
    fn goals_have_the_words_of_their_language() {
        let seed = SeedReport { goal: Some("query".to_owned()), ..brittle("a.smt2") };
        let text = in_full(seed);
        for words in ["1 query verified by", "  queries ", "query pick: verified in the original"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!text.contains("procedure"), "{text}");
    }

    #[test]
    fn colours_only_add_escapes() {
        for report in [several(), report(vec![brittle("b.bpl")]), report(vec![robust("r.bpl")])] {
            let plain = render(&report, false);
            let coloured = render(&report, true);
            assert!(!plain.contains('\u{1b}'));
            assert!(coloured.contains('\u{1b}'));
            let mut stripped = String::new();
            for (index, part) in coloured.split('\u{1b}').enumerate() {
                let part = if index == 0 { part } else { part.split_once('m').unwrap().1 };
                stripped += part;
            }
            assert_eq!(stripped, plain);
        }
    }

    #[test]
    fn hostile_text_cannot_reach_the_terminal() {
        let all = hostile();
        let singles = all.seeds.iter().map(|seed| report(vec![seed.clone()]));
        for report in singles.chain([all.clone()]) {
            let text = render(&report, false);
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
            assert!(!text.lines().any(|line| line.starts_with("::")), "{text}");
            assert!(text.contains("größer 好"));
        }
    }
}
