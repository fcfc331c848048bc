//! Findings, one by one: the content of the formats for other programs.

use mugie_core::{Edit, Outcome};
use mugie_results::Circumstance;
use mugie_results::result::{
    Answer, DroppedMutant, Flip, ProcedureChange, Question, ReportedFailure, SeedPlace, SeedReport,
};

use crate::effort::{Strain, of_seed};
use crate::words::{
    BEYOND_LIMIT, INCONCLUSIVE, NONDETERMINISTIC, NOT_EXPRESSIBLE, capped, changes, count,
    difference, disagreement, escaped, failure, failure_with_place, goal, is_void,
    is_without_evidence, layout, left_out, luck_line, plain, reduced_of, smallest, troubles,
    what_changed, with_reason,
};

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Mutants change the verdict of a procedure or of the program.
    BrittleProof,
    /// The layout of the file alone changes a verdict.
    BrittleLayout,
    /// The name of a file alone changes a verdict.
    BrittleFileName,
    /// The name of the folder alone changes a verdict.
    BrittleFolder,
    /// A log of the solver's queries alone changes a verdict.
    BrittleLog,
    /// mugie's proxy alone changes a verdict.
    BrittleProxy,
    /// Other random seeds of the solver change the verdict on the program itself.
    Luck,
    /// The seed does not verify.
    SeedFails,
    /// A run ended without a verdict.
    ToolTrouble,
    /// The same program gets different verdicts.
    Nondeterministic,
    /// The tool that made the seed and the verifier disagree.
    Disagreement,
    /// Effort, luck or instability exceeds a limit that the user asked for.
    BeyondLimit,
    /// Mutants failed mugie's own check.
    LeftOut,
}

impl Rule {
    pub(crate) const ALL: [Rule; 13] = [
        Rule::BrittleProof,
        Rule::BrittleLayout,
        Rule::SeedFails,
        Rule::ToolTrouble,
        Rule::Nondeterministic,
        Rule::Disagreement,
        Rule::BeyondLimit,
        Rule::BrittleFileName,
        Rule::BrittleFolder,
        Rule::BrittleLog,
        Rule::BrittleProxy,
        Rule::Luck,
        Rule::LeftOut,
    ];

    /// The kind of a difference that a circumstance of a run makes.
    fn of(circumstance: Circumstance) -> Rule {
        match circumstance {
            Circumstance::FileName => Rule::BrittleFileName,
            Circumstance::Folder => Rule::BrittleFolder,
            Circumstance::Log => Rule::BrittleLog,
            Circumstance::Proxy => Rule::BrittleProxy,
        }
    }

    /// Whether any test can have this finding, rather than only a test that was asked to look for
    /// it.
    pub(crate) fn is_usual(self) -> bool {
        match self {
            Rule::BrittleProof | Rule::BrittleLayout | Rule::SeedFails | Rule::ToolTrouble => true,
            Rule::Nondeterministic
            | Rule::Disagreement
            | Rule::BeyondLimit
            | Rule::BrittleFileName
            | Rule::BrittleFolder
            | Rule::BrittleLog
            | Rule::BrittleProxy
            | Rule::Luck
            | Rule::LeftOut => false,
        }
    }

    /// The name for programs.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Rule::BrittleProof => "brittle-proof",
            Rule::BrittleLayout => "brittle-layout",
            Rule::SeedFails => "seed-fails",
            Rule::ToolTrouble => "tool-trouble",
            Rule::Nondeterministic => "nondeterministic",
            Rule::Disagreement => "disagreement",
            Rule::BeyondLimit => "beyond-limit",
            Rule::BrittleFileName => "brittle-file-name",
            Rule::BrittleFolder => "brittle-folder",
            Rule::BrittleLog => "brittle-log",
            Rule::BrittleProxy => "brittle-proxy",
            Rule::Luck => "solver-luck",
            Rule::LeftOut => "mutants-left-out",
        }
    }

    /// The name for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Rule::BrittleProof => "Brittle proof",
            Rule::BrittleLayout => "Brittle to layout",
            Rule::SeedFails => "Does not verify",
            Rule::ToolTrouble => "Not tested",
            Rule::Nondeterministic => "Nondeterministic",
            Rule::Disagreement => "Tool and verifier disagree",
            Rule::BeyondLimit => "Beyond a limit",
            Rule::BrittleFileName => "Brittle to file name",
            Rule::BrittleFolder => "Brittle to folder",
            Rule::BrittleLog => "Brittle to log",
            Rule::BrittleProxy => "Brittle to proxy",
            Rule::Luck => "Luck of the solver",
            Rule::LeftOut => "Mutants left out",
        }
    }

    /// The meaning of the finding, as a sentence.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Rule::BrittleProof => {
                "The verifier gives another verdict after a semantics-preserving change."
            }
            Rule::BrittleLayout => {
                "The verifier gives another verdict after the program is printed again, with the \
                 same tokens in another layout."
            }
            Rule::SeedFails => "The program itself does not verify, so nothing was tested.",
            Rule::ToolTrouble => {
                "A run ended without a verdict, which is no evidence about the program."
            }
            Rule::Nondeterministic => {
                "The verifier gives different verdicts in runs of the same program."
            }
            Rule::Disagreement => {
                "The tool that made the program and the verifier have different verdicts on it."
            }
            Rule::BeyondLimit => {
                "The solver's work, its luck or the share of other verdicts exceeds a requested \
                 limit."
            }
            Rule::BrittleFileName => {
                "The verifier gives another verdict on the same text in a file of another name."
            }
            Rule::BrittleFolder => {
                "The verifier gives another verdict on the same file in a folder of another name."
            }
            Rule::BrittleLog => {
                "The verifier gives another verdict on the same file if it writes a log of the \
                 solver's queries."
            }
            Rule::BrittleProxy => {
                "The verifier gives another verdict on the same file if its solver is behind \
                 mugie's proxy, or in a process that it shares with another program."
            }
            Rule::Luck => {
                "The program itself gets another verdict with other random seeds of the solver."
            }
            Rule::LeftOut => {
                "Mutants failed mugie's own check and were left out: a bug in mugie, which is no \
                 evidence about the program."
            }
        }
    }
}

/// Something that is wrong with a seed or its test.
#[derive(Clone, Debug)]
pub(crate) struct Finding<'r> {
    pub(crate) rule: Rule,
    /// Whether the finding is the reason why the seed has no good answer.
    pub(crate) severe: bool,
    /// The procedure concerned, if there is one.
    pub(crate) procedure: Option<&'r str>,
    /// The file concerned.
    pub(crate) file: &'r str,
    /// The place in the file, if it is known.
    pub(crate) place: Option<&'r SeedPlace>,
    /// What is wrong, on one line.
    pub(crate) message: String,
    /// Further details, one per line.
    pub(crate) details: Vec<String>,
}

/// Everything that is wrong with a seed or its test.
pub(crate) fn findings(seed: &SeedReport) -> Vec<Finding<'_>> {
    let mut findings = Vec::new();
    let base = Finding {
        rule: Rule::ToolTrouble,
        severe: true,
        procedure: None,
        file: seed.files.first().unwrap_or(&seed.name),
        place: None,
        message: String::new(),
        details: Vec::new(),
    };
    match seed.answer {
        Answer::Robust | Answer::Brittle => {}
        Answer::BeyondLimit => {}
        Answer::SeedFails => seed_fails(seed, &base, &mut findings),
        Answer::Nondeterministic => findings.push(Finding {
            rule: Rule::Nondeterministic,
            details: help(seed),
            ..base.because(NONDETERMINISTIC, seed)
        }),
        Answer::Disagreement => findings.push(Finding {
            rule: Rule::Disagreement,
            message: format!("{} {}", plain(&seed.name), disagreement(seed)),
            ..base.clone()
        }),
        Answer::CouldNotRun => {
            findings
                .push(Finding { details: help(seed), ..base.because("could not be tested", seed) });
        }
        Answer::Inconclusive => {
            findings.push(Finding { details: help(seed), ..base.because(INCONCLUSIVE, seed) });
        }
        Answer::NotExpressible => {
            findings.push(Finding { details: help(seed), ..base.because(NOT_EXPRESSIBLE, seed) });
        }
        Answer::Interrupted => findings.push(base.because("was not tested to the end", seed)),
    }
    // If verdicts vary, or too many mutants were left out, mutants are no evidence.
    if !is_without_evidence(seed) {
        brittle_proofs(seed, &base, &mut findings);
    }
    beyond_limit(seed, &base, &mut findings);
    of_the_same_bytes(seed, &base, &mut findings);
    findings.extend(seed.layout.iter().map(|change| Finding {
        rule: Rule::BrittleLayout,
        severe: false,
        procedure: change.procedure.as_deref(),
        message: layout(change, &goal(seed)),
        ..base.clone()
    }));
    if !seed.troubles.is_empty() {
        findings.push(Finding {
            severe: false,
            message: troubles(&seed.troubles),
            details: capped(seed.troubles.iter().map(|trouble| {
                format!(
                    "{}: {}: {}",
                    plain(&trouble.mutant),
                    trouble.outcome,
                    plain(&trouble.reason)
                )
            })),
            ..base.clone()
        });
    }
    if !seed.dropped.is_empty() {
        findings.push(Finding {
            rule: Rule::LeftOut,
            severe: false,
            message: left_out(&seed.dropped),
            details: capped(seed.dropped.iter().map(dropped_line)),
            ..base
        });
    }
    findings
}

/// A mutant that was left out, and why.
fn dropped_line(dropped: &DroppedMutant) -> String {
    format!("{}: {}", plain(&dropped.mutant), plain(&dropped.reason))
}

/// Whether other random seeds of the solver change the verdict, which is a finding of its own.
fn has_luck(seed: &SeedReport) -> bool {
    seed.luck.as_ref().is_some_and(|luck| !luck.flips.is_empty())
}

/// Adds a finding for each circumstance that changes the verdict on the seed's own bytes, and one for the
/// luck of the solver.
fn of_the_same_bytes<'r>(
    seed: &'r SeedReport,
    base: &Finding<'r>,
    findings: &mut Vec<Finding<'r>>,
) {
    let differences = seed.controls.iter().flat_map(|controls| &controls.differences);
    findings.extend(differences.map(|it| Finding {
        rule: Rule::of(it.circumstance),
        message: difference(it),
        ..base.clone()
    }));
    if let Some(luck) = seed.luck.as_ref().filter(|luck| !luck.flips.is_empty()) {
        let message = format!("{}: {}", plain(&seed.name), luck_line(luck));
        findings.push(Finding { rule: Rule::Luck, message, details: help(seed), ..base.clone() });
    }
}

fn help(seed: &SeedReport) -> Vec<String> {
    seed.help.iter().flat_map(|help| help.lines()).map(escaped).collect()
}

/// Adds a finding for each procedure on which the solver works harder than it may, or one for another limit.
fn beyond_limit<'r>(seed: &'r SeedReport, base: &Finding<'r>, findings: &mut Vec<Finding<'r>>) {
    findings.extend(of_seed(seed).filter(|strain| strain.effort.beyond).map(|strain| Finding {
        rule: Rule::BeyondLimit,
        procedure: Some(strain.effort.procedure.as_str()).filter(|name| !name.is_empty()),
        message: work(&strain),
        details: help(seed),
        ..base.clone()
    }));
    let is_said = has_luck(seed) || seed.effort.iter().any(|effort| effort.beyond);
    if seed.answer == Answer::BeyondLimit && !is_said {
        findings.push(Finding {
            rule: Rule::BeyondLimit,
            details: help(seed),
            ..base.because(BEYOND_LIMIT, seed)
        });
    }
}

/// What is said of such a procedure.
fn work(strain: &Strain<'_>) -> String {
    let Strain { seed, effort, times } = strain;
    let subject = match effort.procedure.as_str() {
        "" => "the program".to_owned(),
        name => format!("{} {}", goal(seed), plain(name)),
    };
    let place = effort.most_in.as_deref().map_or_else(|| "a mutant".to_owned(), plain);
    format!("{subject}: the solver works {times:.1} times as hard for {place} as for the original")
}

/// Adds a finding for each procedure that does not verify, or one for the program if there is no
/// such procedure.
fn seed_fails<'r>(seed: &'r SeedReport, base: &Finding<'r>, findings: &mut Vec<Finding<'r>>) {
    let before = findings.len();
    for procedure in seed.baseline.iter().flat_map(|baseline| &baseline.procedures) {
        if procedure.outcome != Outcome::Verified {
            findings.push(Finding {
                rule: Rule::SeedFails,
                procedure: Some(&procedure.procedure),
                message: format!(
                    "{} {} does not verify: {}",
                    goal(seed),
                    plain(&procedure.procedure),
                    procedure.outcome
                ),
                details: procedure
                    .failures
                    .iter()
                    .map(failure_with_place)
                    .chain(help(seed))
                    .collect(),
                ..base.at(procedure.failures.iter())
            });
        }
    }
    if findings.len() == before {
        let words = if is_void(seed) { "was not tested" } else { "the program does not verify" };
        findings.push(Finding {
            rule: Rule::SeedFails,
            details: help(seed),
            ..base.because(words, seed)
        });
    }
}

/// Adds a finding for each procedure whose verdict mutants change, and one for mutants that change
/// no procedure's.
fn brittle_proofs<'r>(seed: &'r SeedReport, base: &Finding<'r>, findings: &mut Vec<Finding<'r>>) {
    for procedure in &seed.by_procedure {
        let name = procedure.procedure.as_str();
        let of_procedure =
            |flip: &'r Flip| flip.changes.iter().find(|change| change.procedure == name);
        let flips = || seed.flips.iter().filter(move |flip| of_procedure(flip).is_some());
        let smallest = smallest(flips());
        let change = smallest.and_then(of_procedure);
        let failures = change.map_or(&[][..], |change| &change.failures);
        findings.push(Finding {
            rule: Rule::BrittleProof,
            procedure: Some(name),
            message: brittle_message(
                seed,
                &format!("{} {}", goal(seed), plain(name)),
                change,
                procedure.flips,
                smallest,
                failures,
            ),
            details: smallest.map_or_else(Vec::new, |flip| details(seed, flip)),
            ..base.at(failures
                .iter()
                .chain(flips().filter_map(of_procedure).flat_map(|change| &change.failures)))
        });
    }
    let of_program = || seed.flips.iter().filter(|flip| flip.changes.is_empty());
    if let Some(smallest) = smallest(of_program()) {
        findings.push(Finding {
            rule: Rule::BrittleProof,
            message: brittle_message(
                seed,
                "the program",
                None,
                of_program().count(),
                Some(smallest),
                &smallest.messages,
            ),
            details: details(seed, smallest),
            ..base.at(smallest.messages.iter())
        });
    }
}

impl<'r> Finding<'r> {
    /// The finding with the given words and the seed's reason as its message.
    fn because(&self, words: &str, seed: &SeedReport) -> Finding<'r> {
        Finding { message: with_reason(words, seed), ..self.clone() }
    }

    /// The finding at the best place that the failures have in the seed: the first exact one, or
    /// else the first.
    fn at(&self, failures: impl Iterator<Item = &'r ReportedFailure>) -> Finding<'r> {
        let mut places: Vec<&SeedPlace> = failures.filter_map(|f| f.seed_place.as_ref()).collect();
        places.sort_by_key(|place| !place.exact);
        match places.first() {
            Some(place) => Finding { file: &place.file, place: Some(place), ..self.clone() },
            None => self.clone(),
        }
    }
}

fn brittle_message(
    seed: &SeedReport,
    subject: &str,
    change: Option<&ProcedureChange>,
    flips: usize,
    smallest: Option<&Flip>,
    failures: &[ReportedFailure],
) -> String {
    let of = format!("{flips} of {}", count(seed.counts.judged, "equivalent mutant"));
    let seed_verifies = match change {
        Some(change) => change.seed == Outcome::Verified,
        None => seed.question == Question::DoesAMutantFail,
    };
    let mutant = change.map(|change| change.mutant).or_else(|| smallest.map(|flip| flip.outcome));
    let mut parts = vec![match (seed_verifies, mutant == Some(Outcome::Verified)) {
        (true, false) => format!("{subject} verifies, but not in {of}"),
        (false, true) => format!("{subject} does not verify, but does in {of}"),
        _ => format!("{subject} has another verdict in {of}"),
    }];
    if let Some(flip) = smallest.filter(|flip| !flip.edits.is_empty()) {
        parts.push(match reduced_of(seed, flip) {
            Some(reduced) if reduced.is_smallest() => {
                format!("smallest change: {}", plain(&reduced.cause))
            }
            Some(reduced) => format!("change: {}", plain(&reduced.cause)),
            None if flip.is_divisible() => format!("change: {}", changes(flip)),
            None => format!("smallest change: {}", changes(flip)),
        });
    }
    let outcome = mutant.filter(|outcome| *outcome != Outcome::Verified);
    match (outcome, failures.first()) {
        (Some(outcome), Some(first)) => parts.push(format!("then {outcome}: {}", failure(first))),
        (Some(outcome), None) => parts.push(format!("then {outcome}")),
        (None, _) => {}
    }
    parts.join("; ")
}

/// Describes a flip in lines: its edits, what changed, and, for the one to look at first, the
/// commands.
fn details(seed: &SeedReport, flip: &Flip) -> Vec<String> {
    let mut lines = vec![format!("mutant {}:", plain(&flip.mutant))];
    let edits = |edits: &[Edit]| {
        capped(edits.iter().enumerate().map(|(number, edit)| {
            format!("  {}. {}: {}", number + 1, plain(&edit.operator), plain(&edit.words))
        }))
    };
    lines.extend(edits(&flip.edits));
    lines.extend(what_changed(flip, &goal(seed)));
    if let Some(reduced) = reduced_of(seed, flip) {
        lines.push("what is left of it, failing as well:".to_owned());
        lines.extend(edits(&reduced.edits));
        if !reduced.reproduce.is_empty() {
            lines.push("to reproduce that:".to_owned());
            lines.extend(reduced.reproduce.iter().map(|it| format!("  {}", escaped(it))));
        }
    }
    if let Some(witness) = seed.witness.as_ref().filter(|witness| witness.mutant == flip.mutant) {
        lines.push("to reproduce it:".to_owned());
        lines.extend(witness.reproduce.iter().map(|command| format!("  {}", escaped(command))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use mugie_results::Controls;
    use mugie_results::controls::Difference;
    use mugie_results::result::Luck;

    use super::*;
    use crate::testing::{brittle, robust};

    fn rules(seed: &SeedReport) -> Vec<Rule> {
        findings(seed).iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn luck_is_a_finding_of_its_own_beside_mutants() {
        let luck = Some(Luck { judged: 20, flips: vec![7], searches: None });
        let seed = SeedReport { luck: luck.clone(), ..brittle("a.bpl") };
        assert_eq!(rules(&seed), [Rule::BrittleProof, Rule::Luck]);
        let seed = SeedReport { luck, answer: Answer::BeyondLimit, ..robust("a.bpl") };
        assert_eq!(rules(&seed), [Rule::Luck]);
        let words =
            "a.bpl: the original passes with 19 of 20 other random seeds of the solver, not with 7";
        assert_eq!(findings(&seed)[0].message, words);
    }

    #[test]
    fn verdicts_that_vary_accuse_no_procedure() {
        let seed = SeedReport { answer: Answer::Nondeterministic, ..brittle("a.bpl") };
        assert_eq!(rules(&seed), [Rule::Nondeterministic]);
    }

    #[test]
    fn a_file_name_that_explains_mutants_is_the_only_finding() {
        for (explains, wanted) in [
            (true, vec![Rule::BrittleFileName]),
            (false, vec![Rule::BrittleProof, Rule::BrittleFileName]),
        ] {
            let difference = Difference {
                circumstance: Circumstance::FileName,
                usual: Outcome::Verified,
                changed: Outcome::Failed,
                explains,
            };
            let controls = Controls { differences: vec![difference], ..Controls::default() };
            let seed = SeedReport { controls: Some(controls), ..brittle("a.bpl") };
            assert_eq!(rules(&seed), wanted);
            let message = "the same bytes: verified usually, failed in a file of another name";
            assert!(findings(&seed).iter().any(|it| it.message.starts_with(message)));
        }
    }
}
