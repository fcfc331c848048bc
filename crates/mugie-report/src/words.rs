//! Phrases that several formats use: numbers, outcomes, changes and places, always on one line.

use std::fmt::Write as _;

use mugie_core::{FailureKind, Outcome};
pub(crate) use mugie_core::{escaped, is_visible};
use mugie_results::controls::{Controls, Difference};
use mugie_results::measures::CONFIDENCE;
use mugie_results::result::{
    Answer, DroppedMutant, Flip, LayoutChange, Luck, Question, ReducedWitness, ReportedFailure,
    SeedPlace, SeedReport, ToolTrouble,
};
use mugie_stats::bound_of_none;

/// The longest piece of untrusted text, in characters. Raising it makes lines longer.
const MAX_PIECE: usize = 300;

/// The most items shown of a list.
const MAX_ITEMS: usize = 12;

/// The most edits shown on one line.
const MAX_EDITS: usize = 3;

/// The most different reasons shown.
const MAX_TROUBLES: usize = 3;

/// The answer for a seed that gets different verdicts.
pub(crate) const NONDETERMINISTIC: &str = "the same program gets different verdicts";

/// The answer for a seed that exceeds a limit.
pub(crate) const BEYOND_LIMIT: &str = "exceeds a requested limit";

/// The answer for a seed whose runs do not decide the question.
pub(crate) const INCONCLUSIVE: &str = "is undecided after all runs";

/// The answer for a seed that the verifier's language cannot express.
pub(crate) const NOT_EXPRESSIBLE: &str = "cannot be expressed in the verifier's input language";

/// Untrusted text on one line: shortened if it is very long, and with escapes for characters that
/// are invisible or that change how others look.
pub(crate) fn plain(text: &str) -> String {
    match text.char_indices().nth(MAX_PIECE) {
        Some((end, _)) => escaped(&text[..end]) + "…",
        None => escaped(text),
    }
}

/// The word of the seed's language for a goal.
pub(crate) fn goal(seed: &SeedReport) -> String {
    plain(seed.goal())
}

/// A number and its noun: 1 mutant, 2 mutants.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {}", plural(noun)) }
}

/// The plural of a noun: mutants, queries.
pub(crate) fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(start) => format!("{start}ies"),
        None => format!("{noun}s"),
    }
}

/// A share in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// The verb for a number of flips.
pub(crate) fn do_what(question: Question, number: usize) -> &'static str {
    match (question, number) {
        (Question::DoesAMutantFail, 1) => "fails",
        (Question::DoesAMutantFail, _) => "fail",
        (Question::DoesAMutantPass, 1) => "verifies",
        (Question::DoesAMutantPass, _) => "verify",
    }
}

/// How many mutants flip: `60 of 119 mutants fail`.
pub(crate) fn flips_of_mutants(seed: &SeedReport) -> String {
    let counts = seed.counts;
    let verb = do_what(seed.question, counts.flips);
    format!("{} of {} {verb}", counts.flips, count(counts.judged, "mutant"))
}

/// The answer for a seed, without its name.
pub(crate) fn answer(seed: &SeedReport) -> String {
    match seed.answer {
        Answer::Robust | Answer::Brittle if seed.counts.flips == 0 => none_flips(seed),
        Answer::Robust | Answer::Brittle => some_flip(seed),
        Answer::Nondeterministic => with_reason(NONDETERMINISTIC, seed),
        Answer::Disagreement => with_counts(disagreement(seed), seed),
        Answer::BeyondLimit => with_counts(with_reason(BEYOND_LIMIT, seed), seed),
        Answer::SeedFails => with_reason(not_tested(seed), seed),
        Answer::CouldNotRun => with_reason("could not be tested", seed),
        Answer::Inconclusive => with_counts(with_reason(INCONCLUSIVE, seed), seed),
        Answer::NotExpressible => with_reason(NOT_EXPRESSIBLE, seed),
        Answer::Interrupted => {
            with_reason("was not tested to the end", seed) + &format!("; {}", none_flips(seed))
        }
    }
}

/// The disagreement between the tool that made a seed and the verifier.
pub(crate) fn disagreement(seed: &SeedReport) -> String {
    let Some(calibration) = &seed.calibration else { return "gets another verdict".to_owned() };
    let tool = plain(calibration.tool.split(' ').next().unwrap_or_default());
    let names: Vec<String> =
        calibration.disagreements().map(|goal| format!("`{}`", plain(&goal.name))).collect();
    let names = capped(names.into_iter()).join(", ");
    let fails = calibration.disagreements().any(|goal| goal.tool != Outcome::Verified);
    if fails {
        format!(
            "gets different verdicts: {tool}'s own run fails where the same program printed verifies: {names}"
        )
    } else {
        format!(
            "gets different verdicts: {tool}'s own run verifies where the same program printed fails: {names}"
        )
    }
}

/// The words, and how many mutants flip if any were judged.
fn with_counts(words: String, seed: &SeedReport) -> String {
    match seed.counts {
        counts if counts.judged == 0 => words,
        counts if counts.flips == 0 => format!("{words}; {}", none_flips(seed)),
        _ => format!("{words}; {}", some_flip(seed)),
    }
}

/// Whether a seed has nothing to verify, rather than something that does not verify.
pub(crate) fn is_void(seed: &SeedReport) -> bool {
    let outcome = seed.baseline.as_ref().map(|baseline| baseline.outcome);
    seed.answer == Answer::SeedFails && outcome == Some(Outcome::Verified)
}

fn not_tested(seed: &SeedReport) -> &'static str {
    if is_void(seed) {
        "was not tested"
    } else if seed.counts.judged > 0 {
        "does not verify, nor does a mutant"
    } else {
        "does not verify, so there is nothing to test"
    }
}

fn none_flips(seed: &SeedReport) -> String {
    let counts = seed.counts;
    let verb = do_what(seed.question, 1);
    if counts.judged == 0 {
        return if counts.complete && counts.troubles == 0 {
            "these operators yield no mutants".to_owned()
        } else {
            "no mutant was tested".to_owned()
        };
    }
    if counts.complete && counts.troubles == 0 {
        return match counts.judged {
            1 => format!("its only mutant does not {}", do_what(seed.question, 2)),
            judged => format!("none of all {judged} possible mutants {verb}"),
        };
    }
    let mut words = flips_of_mutants(seed);
    if seed.share.is_some_and(|share| share.interval.is_some()) {
        // "At most" is one-sided, as the rule that ends a test is.
        let bound = bound_of_none(counts.judged as u64, CONFIDENCE);
        let _ =
            write!(words, "; at most {} of such mutants do, with 95 % confidence", percent(bound));
    }
    words + others(seed)
}

/// That a set of mutants was cut off, if it was: only then is there a share without an interval, although
/// not all mutants were tested.
fn others(seed: &SeedReport) -> &'static str {
    let counts = seed.counts;
    let is_cut_off = !counts.complete
        && !counts.interrupted
        && counts.troubles + counts.dropped == 0
        && seed.share.is_some_and(|share| share.interval.is_none());
    if is_cut_off { "; there are more, which were not tested" } else { "" }
}

fn some_flip(seed: &SeedReport) -> String {
    let counts = seed.counts;
    let mut words = if counts.complete && counts.troubles == 0 {
        format!(
            "{} of {} programs {}, counting the original and all its {}",
            counts.flips,
            counts.judged + 1,
            do_what(seed.question, counts.flips),
            count(counts.judged, "mutant"),
        )
    } else {
        flips_of_mutants(seed)
    };
    if let Some(share) = seed.share
        && let Some(interval) = share.interval
    {
        let _ = write!(
            words,
            " ({}, 95 % interval {:.1} to {})",
            percent(share.share),
            interval.low * 100.0,
            percent(interval.high),
        );
    }
    words + others(seed)
}

/// The words, and the seed's reason if there is one.
pub(crate) fn with_reason(words: &str, seed: &SeedReport) -> String {
    match &seed.reason {
        Some(reason) => format!("{words}: {}", plain(reason)),
        None => words.to_owned(),
    }
}

/// The edits of a mutant on one line.
pub(crate) fn changes(flip: &Flip) -> String {
    let mut words: Vec<String> =
        flip.edits.iter().take(MAX_EDITS).map(|edit| plain(&edit.words)).collect();
    if flip.edits.len() > MAX_EDITS {
        words.push(format!("and {}", count(flip.edits.len() - MAX_EDITS, "more edit")));
    }
    words.join("; ")
}

/// What a circumstance of a run did.
pub(crate) fn difference(difference: &Difference) -> String {
    let Difference { circumstance, usual, changed, explains } = difference;
    let mutants = if *explains { ", and this alone makes mutants differ" } else { "" };
    format!(
        "the same bytes: {usual} usually, {changed} {}{mutants}; brittle to {}",
        circumstance.in_words(),
        circumstance.words()
    )
}

/// Whether what mutants did says nothing about the seed.
pub(crate) fn is_without_evidence(seed: &SeedReport) -> bool {
    let is_explained = seed.controls.as_ref().is_some_and(Controls::explain_mutants);
    is_explained || matches!(seed.answer, Answer::CouldNotRun | Answer::Nondeterministic)
}

/// The circumstances that change the verdict, if these are all that does: `file name`.
pub(crate) fn circumstances_alone(seed: &SeedReport) -> Option<String> {
    let controls = seed.controls.as_ref()?;
    let is_alone = seed.counts.flips == 0 || controls.explain_mutants();
    let names: Vec<&str> = controls.differences.iter().map(|it| it.circumstance.words()).collect();
    (is_alone && seed.layout.is_empty() && !names.is_empty()).then(|| names.join(" and "))
}

/// What other random seeds of the solver do, in a few words, if they change the verdict.
pub(crate) fn luck_in_short(seed: &SeedReport) -> Option<String> {
    let luck = seed.luck.as_ref().filter(|luck| !luck.flips.is_empty())?;
    let passes = luck.judged.saturating_sub(luck.flips.len());
    Some(format!("passes with {passes} of {}", count(luck.judged, "random seed")))
}

/// What other random seeds of the solver do.
pub(crate) fn luck_line(luck: &Luck) -> String {
    let Luck { judged, flips, searches } = luck;
    let mut words = format!(
        "the original passes with {} of {} of the solver",
        judged - flips.len().min(*judged),
        count(*judged, "other random seed")
    );
    if !flips.is_empty() {
        let flips = flips.iter().map(|seed| format!("{seed}"));
        let _ = write!(words, ", not with {}", capped(flips).join(", "));
    }
    if let Some(searches) = searches {
        let _ =
            write!(words, "; {}", count_as(*searches, "different search", "different searches"));
    }
    words
}

/// A number and its noun, with an unusual plural.
fn count_as(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// What the runs before an accusation showed, in lines.
pub(crate) fn controls_lines(seed: &SeedReport, controls: &Controls) -> Vec<String> {
    let Controls { alone, in_company, other, tried, differences, moved: _, interrupted } = controls;
    let verified = |outcomes: &[Outcome]| {
        let verified = outcomes.iter().filter(|it| **it == Outcome::Verified).count();
        format!("{verified} of {}", outcomes.len())
    };
    // Without a mutant, the other program is the seed in mugie's layout.
    let name = if seed.witness.is_some() { "mutant in" } else { "printed original in" };
    let runs = [(alone, "original in", ""), (in_company, "in", " in company"), (other, name, "")];
    let runs = runs.into_iter().filter(|(outcomes, ..)| !outcomes.is_empty());
    let runs: Vec<String> =
        runs.map(|(outcomes, what, how)| format!("{what} {}{how}", verified(outcomes))).collect();
    let same = tried.iter().filter(|it| differences.iter().all(|of| of.circumstance != **it));
    let same: Vec<&str> = same.map(|it| it.words()).collect();
    let mut parts = Vec::new();
    if !runs.is_empty() {
        parts.push(format!("verified in further runs: {}", runs.join(", ")));
    }
    if !same.is_empty() {
        parts.push(format!("no difference by {}", same.join(", ")));
    }
    if *interrupted {
        parts.push("interrupted before the end".to_owned());
    }
    parts
}

/// What a change of layout did. `goal` is the language's word for a goal.
pub(crate) fn layout(change: &LayoutChange, goal: &str) -> String {
    let subject = match &change.procedure {
        Some(procedure) => format!("{goal} {}", plain(procedure)),
        None => "the program".to_owned(),
    };
    let outcome = |outcome: Option<Outcome>| outcome.map_or("missing", Outcome::words);
    format!(
        "{subject}: {} as written, {} as re-printed; brittle to layout alone",
        outcome(change.original),
        outcome(change.printed),
    )
}

/// A failed proof obligation, without its place.
pub(crate) fn failure(failure: &ReportedFailure) -> String {
    let kind = failure.kind.filter(|kind| *kind != FailureKind::Other);
    match (kind, &failure.element) {
        (Some(kind), Some(element)) => format!("{kind} `{}`", plain(element)),
        (None, Some(element)) => format!("{} `{}`", plain(&failure.message), plain(element)),
        _ => plain(&failure.message),
    }
}

/// A place as `file:line:column`.
pub(crate) fn place(place: &SeedPlace) -> String {
    format!("{}:{}:{}", escaped(&place.file), place.line, place.column)
}

/// A failed proof obligation with its place.
pub(crate) fn failure_with_place(reported: &ReportedFailure) -> String {
    let mut words = failure(reported);
    match (&reported.seed_place, &reported.mutant_place) {
        _ if reported.tool_place.is_some() => {
            let _ = write!(
                words,
                " at {}",
                escaped(reported.tool_place.as_deref().unwrap_or_default())
            );
        }
        (Some(seed), _) if seed.exact => {
            let _ = write!(words, " at {}", place(seed));
        }
        (Some(seed), _) => {
            let _ = write!(words, " in the declaration at {}", place(seed));
        }
        (None, Some(mutant)) => {
            let _ = write!(words, " at {} of the mutant", escaped(mutant));
        }
        (None, None) => {}
    }
    words
}

/// The differences of a mutant, one per line. `goal` is the language's word for a goal.
pub(crate) fn what_changed(flip: &Flip, goal: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for change in &flip.changes {
        lines.push(format!(
            "{goal} {}: {} in the original, {} in the mutant",
            plain(&change.procedure),
            change.seed,
            change.mutant,
        ));
        let failures = capped(change.failures.iter().map(failure_with_place));
        lines.extend(failures.iter().map(|failure| format!("  {failure}")));
    }
    if flip.changes.is_empty() || !flip.messages.is_empty() {
        let mut line = format!("the program: {}", flip.outcome);
        if let Some(stage) = flip.stage {
            let _ = write!(line, " ({stage} error)");
        }
        if let Some(reason) = &flip.reason {
            let _ = write!(line, ": {}", plain(reason));
        }
        lines.push(line);
        let messages = capped(flip.messages.iter().map(failure_with_place));
        lines.extend(messages.iter().map(|message| format!("  {message}")));
    }
    lines
}

/// The first items, and the number of further ones.
pub(crate) fn capped(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut more = 0;
    for item in items {
        if lines.len() < MAX_ITEMS {
            lines.push(item);
        } else {
            more += 1;
        }
    }
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The number of mutants without a verdict, and the first reasons.
pub(crate) fn troubles(troubles: &[ToolTrouble]) -> String {
    let reasons = troubles.iter().map(|it| format!("{}: {}", it.outcome, plain(&it.reason)));
    format!("no verdict on {}: {}", count(troubles.len(), "mutant"), in_short(reasons))
}

/// The number of mutants that were left out, and the first reasons.
pub(crate) fn left_out(dropped: &[DroppedMutant]) -> String {
    let reasons = dropped.iter().map(|dropped| plain(&dropped.reason));
    let fail = if dropped.len() == 1 { "fails" } else { "fail" };
    format!(
        "{} {fail} mugie's own check, a bug in mugie: {}",
        count(dropped.len(), "mutant"),
        in_short(reasons)
    )
}

/// Distinct reasons with their counts, cut to the first few.
fn in_short(all: impl Iterator<Item = String>) -> String {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for reason in all {
        match reasons.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, number)) => *number += 1,
            None => reasons.push((reason, 1)),
        }
    }
    let more = reasons.len().saturating_sub(MAX_TROUBLES);
    let mut words: Vec<String> = reasons
        .into_iter()
        .take(MAX_TROUBLES)
        .map(|(reason, number)| if number == 1 { reason } else { format!("{reason} ({number})") })
        .collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join("; ")
}

/// The first of the flips with the fewest and weakest edits.
pub(crate) fn smallest<'r>(flips: impl Iterator<Item = &'r Flip>) -> Option<&'r Flip> {
    let strength = |flip: &Flip| flip.edits.iter().map(|edit| edit.strength).max();
    flips.min_by_key(|flip| (flip.edits.len(), strength(flip), flip.number))
}

/// The flip to look at first.
pub(crate) fn witness(seed: &SeedReport) -> Option<&Flip> {
    let named = seed.witness.as_ref().map(|witness| &witness.mutant);
    let flip = named.and_then(|name| seed.flips.iter().find(|flip| flip.mutant == *name));
    flip.or_else(|| smallest(seed.flips.iter()))
}

/// What is left of the flip to look at first, if it was taken apart.
pub(crate) fn reduced(seed: &SeedReport) -> Option<&ReducedWitness> {
    seed.witness.as_ref()?.reduced.as_ref()
}

/// What is left of a flip, if it is the one to look at first and was taken apart.
pub(crate) fn reduced_of<'r>(seed: &'r SeedReport, flip: &Flip) -> Option<&'r ReducedWitness> {
    let witness = seed.witness.as_ref().filter(|witness| witness.mutant == flip.mutant);
    witness.and_then(|witness| witness.reduced.as_ref())
}

/// Whether no part of the change that a report shows can be left out.
pub(crate) fn is_smallest(seed: &SeedReport) -> bool {
    match reduced(seed) {
        Some(reduced) => reduced.is_smallest(),
        None => seed.causes.is_some() || !witness(seed).is_some_and(Flip::is_divisible),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_nothing_invisible() {
        assert_eq!(plain("a\u{1b}[31m\r\n\tb\u{202e}\0"), r"a\u{1b}[31m\r\n\tb\u{202e}\u{0}");
        assert_eq!(plain("größer ≥ 好"), "größer ≥ 好");
    }

    #[test]
    fn plain_text_is_cut() {
        let text = plain(&"好".repeat(100_000));
        assert_eq!(text.chars().count(), MAX_PIECE + 1);
        assert!(text.ends_with('…'));
    }

    #[test]
    fn troubles_are_told_once_each() {
        let trouble = |reason: &str| ToolTrouble {
            mutant: "m".to_owned(),
            outcome: Outcome::Crashed,
            reason: reason.to_owned(),
        };
        let all = ["a", "b", "a", "c", "d", "e"].map(trouble);
        assert_eq!(
            troubles(&all),
            "no verdict on 6 mutants: crashed: a (2); crashed: b; crashed: c; 2 more"
        );
    }
}
