//! Reads the output of Boogie 2.x and 3.x.
//!
//! Boogie's exit code is nearly meaningless, so the verdict is in the text, and the text has traps:
//! a procedure that the solver refuses is missing from the sums in the last line, the solver's
//! complaints come *before* the procedure that they belong to, and a failure with a `{:msg}` of its
//! own may look like anything. So everything is counted twice, by procedure and in the last line,
//! and a difference is a tool error. With `/trace` (or `/tracePOs`) each procedure has a line;
//! without it, only procedures without a conclusive result are named.

mod details;

use std::collections::HashSet;
use std::fmt::Write as _;

use super::{Ended, Reader, first_line, no_error_is_printed, shortened, who};
use crate::run::Run;
use mugie_core::{
    Failure, FailureKind, GoalRun, Location, Message, Outcome, Procedure, Stage, Verdict,
};

/// Reads the output of Boogie, versions 2 and 3, on one program.
///
/// A program without implementations is [`Outcome::Verified`] with no procedures: there was nothing
/// to prove. A run without `/trace` that proves everything has no procedures either, because Boogie
/// does not name what it proves. A caller that expects procedures must treat the empty list as a
/// case of its own.
#[derive(Clone, Copy, Debug)]
pub struct Boogie;

impl Reader for Boogie {
    fn read(&self, run: &Run) -> Verdict {
        read(run)
    }

    fn names_goals(&self) -> bool {
        true
    }

    fn identity(&self) -> Vec<String> {
        vec!["boogie".to_owned()]
    }

    fn with_details(&self, verdict: Verdict, details: &str) -> Verdict {
        details::refine(verdict, details)
    }

    fn goals(&self, details: &str) -> Vec<GoalRun> {
        details::goals(details)
    }

    /// Standard output without the harmless complaints about `model_compress`, an option that
    /// Boogie 2.4 sets and newer versions of Z3 do not have, and without the lists of options that
    /// follow them.
    fn without_noise(&self, stdout: &str) -> String {
        let mut noise = Noise::default();
        stdout.split_inclusive('\n').filter(|line| !noise.has(line.trim_end())).collect()
    }
}

fn read(run: &Run) -> Verdict {
    let (cut, code) = match Ended::of(run) {
        Ended::Worthless(verdict) => return verdict,
        Ended::Cut(outcome, reason) => (Some((outcome, reason)), 0),
        Ended::Complete(code) => (None, code),
    };
    let mut lines = whole_lines(&run.stdout.text);
    let answer = Transcript::read(&mut lines);
    if let Some((outcome, reason)) = cut {
        return answer.until(outcome, reason);
    }
    let texts = [run.stderr.text.as_str(), run.stdout.text.as_str()];
    if let Some(reason) = texts.into_iter().find_map(usage) {
        return answer.until(Outcome::ToolError, reason);
    }
    if let Some(reason) = texts.into_iter().find_map(crash) {
        return answer.until(Outcome::Crashed, reason);
    }
    if code != 0 {
        return answer.until(Outcome::Crashed, format!("Boogie exited with code {code}"));
    }
    if let Some(line) = lines.find(|line| !line.trim().is_empty()) {
        let reason =
            format!("something follows the last line of the answer: `{}`", shortened(line));
        return answer.until(Outcome::ToolError, reason);
    }
    answer.verdict()
}

/// The complete lines: an incomplete line may mean the opposite of the whole one. `1 verified, 0
/// errors` is the beginning of `1 verified, 0 errors, 1 time out`.
fn whole_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// The message of an exception that ended Boogie.
fn crash(text: &str) -> Option<String> {
    const MARKS: [&str; 3] =
        ["[ERROR] FATAL UNHANDLED EXCEPTION: ", "Unhandled exception. ", "Fatal Error: "];
    let message =
        text.lines().find_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)))?;
    // `System.AggregateException: … ---> System.IO.IOException: …`: the original cause is last.
    let message = message.rsplit_once("---> ").map_or(message, |(_, cause)| cause);
    Some(format!("Boogie crashed: {}", shortened(message.trim())))
}

/// Boogie's complaint about its command line, its files, or a missing solver.
fn usage(text: &str) -> Option<String> {
    const MARKS: [&str; 2] = ["*** Error: ", "Boogie: Error: "];
    let message = text.lines().find_map(|line| {
        let usage = MARKS.iter().find_map(|mark| line.strip_prefix(mark));
        let file = || line.starts_with("Error opening file ").then_some(line);
        let solver = || Some(line.split_once("ProverException: ")?.1);
        let solver = || solver().filter(|message| message.starts_with("Cannot find "));
        usage.or_else(file).or_else(solver)
    })?;
    Some(format!("Boogie could not start: {}", shortened(message.trim())))
}

/// Recognises the harmless complaints.
#[derive(Default)]
enum Noise {
    #[default]
    Elsewhere,
    Complaint,
    Options,
}

impl Noise {
    /// Whether the next line is part of a harmless complaint.
    fn has(&mut self, line: &str) -> bool {
        let complaint = line.starts_with("Prover error: line ")
            && line.ends_with(": unknown parameter 'model_compress'");
        *self = match self {
            _ if complaint => Noise::Complaint,
            Noise::Complaint if line == "Legal parameters are:" => Noise::Options,
            Noise::Options if is_option(line) => Noise::Options,
            _ => Noise::Elsewhere,
        };
        !matches!(self, Noise::Elsewhere)
    }
}

/// Whether a line is in a list of Z3's options: `  auto_config (bool) (default: true)`.
fn is_option(line: &str) -> bool {
    line.strip_prefix("  ").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_lowercase()) && rest.contains(" (")
    })
}

/// Boogie's message about a solver that has died.
const DIED: &str = "Prover died";

/// Whether Boogie could not talk to its solver because the solver has died, in the words of Mono or
/// .NET.
fn is_broken_pipe(why: &str) -> bool {
    ["Write fault on path", "Read fault on path", "Broken pipe", "Pipe is broken"]
        .iter()
        .any(|words| why.contains(words))
}

/// Whether a complaint of the solver is known to have no effect: CVC4 does not know the names that
/// Boogie gives to quantifiers.
fn is_harmless(complaint: &str) -> bool {
    complaint.contains(": warning: Attribute ':") && complaint.contains("' not supported")
}

/// The word at the end of a procedure's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Verified,
    /// Exactly one error.
    Error,
    /// Two or more errors, or none if the solver refused the problem.
    Errors,
    TimedOut,
    OutOfResource,
    OutOfMemory,
    Inconclusive,
    SolverException,
}

impl Word {
    fn of(text: &str) -> Option<Word> {
        Some(match text {
            "verified" => Word::Verified,
            "error" => Word::Error,
            "errors" => Word::Errors,
            "timed out" => Word::TimedOut,
            "out of resource" => Word::OutOfResource,
            "out of memory" => Word::OutOfMemory,
            "inconclusive" => Word::Inconclusive,
            "solver exception" => Word::SolverException,
            _ => return None,
        })
    }

    fn outcome(self) -> Outcome {
        match self {
            Word::Verified => Outcome::Verified,
            Word::Error | Word::Errors => Outcome::Failed,
            Word::TimedOut => Outcome::TimedOut,
            Word::OutOfResource => Outcome::OutOfResource,
            Word::OutOfMemory => Outcome::OutOfMemory,
            Word::Inconclusive => Outcome::Inconclusive,
            Word::SolverException => Outcome::ToolError,
        }
    }
}

/// The sums in the last line of an answer.
#[derive(Debug, Default, PartialEq, Eq)]
struct Trailer {
    verified: usize,
    /// The number of failures, not of procedures.
    errors: usize,
    inconclusive: usize,
    timed_out: usize,
    out_of_memory: usize,
    out_of_resource: usize,
    solver_exceptions: usize,
}

impl Trailer {
    const START: &str = "Boogie program verifier finished with ";

    /// Parses the sums. `None` if one of the parts is unknown.
    fn of(text: &str) -> Option<Trailer> {
        let mut trailer = Trailer::default();
        for (position, part) in text.split(", ").enumerate() {
            let (count, what) = part.split_once(' ')?;
            let place = match (position, what) {
                (0, "verified") => &mut trailer.verified,
                (1, "error" | "errors") => &mut trailer.errors,
                (2.., "inconclusive" | "inconclusives") => &mut trailer.inconclusive,
                (2.., "time out" | "time outs") => &mut trailer.timed_out,
                (2.., "out of memory") => &mut trailer.out_of_memory,
                (2.., "out of resource") => &mut trailer.out_of_resource,
                (2.., "solver exception" | "solver exceptions") => &mut trailer.solver_exceptions,
                _ => return None,
            };
            *place = count.parse().ok()?;
        }
        text.contains(", ").then_some(trailer)
    }
}

/// What Boogie printed about one implementation.
#[derive(Debug, Default)]
struct Part {
    name: String,
    word: Option<Word>,
    seconds: Option<f64>,
    resources: Option<u64>,
    failures: Failures,
    /// Boogie's explanation of why there is no result.
    note: Option<String>,
    /// What is wrong with the output, and the outcome that follows from it.
    trouble: Option<(Outcome, String)>,
}

impl Part {
    fn trouble(&mut self, outcome: Outcome, reason: String) {
        if self.trouble.as_ref().is_none_or(|(known, _)| *known < outcome) {
            self.trouble = Some((outcome, reason));
        }
    }

    /// Checks the complete output about the procedure for contradictions.
    fn check(&mut self) {
        let name = &self.name;
        let (placed, all) = (self.failures.placed, self.failures.placed + self.failures.unplaced);
        let problem = match self.word {
            None => format!("`{name}` was begun, but has no result"),
            Some(Word::Error | Word::Errors) if all == 0 => no_error_is_printed(name),
            Some(Word::Error) if placed > 1 => {
                format!("`{name}` is said to have one error, but {placed} are printed")
            }
            Some(Word::Errors) if all == 1 => {
                format!("`{name}` is said to have several errors, but one is printed")
            }
            Some(Word::Verified) if placed > 0 => {
                format!("`{name}` is said to be verified, but an error is printed")
            }
            Some(Word::SolverException) => format!("the solver failed on `{name}`"),
            Some(_) => return,
        };
        self.trouble(Outcome::ToolError, problem);
    }

    fn outcome(&self) -> Outcome {
        match (&self.trouble, self.word) {
            (Some((outcome, _)), _) => *outcome,
            (None, Some(word)) => word.outcome(),
            (None, None) => Outcome::ToolError,
        }
    }
}

/// Failures, and how many of them were printed with a place and without.
#[derive(Debug, Default)]
struct Failures {
    list: Vec<Failure>,
    placed: usize,
    unplaced: usize,
    /// Whether the execution trace of the last failure is still to come.
    open: bool,
}

impl Failures {
    /// Adds a failure that Boogie counts.
    fn push(&mut self, failure: Failure) {
        match failure.location {
            Some(_) => self.placed += 1,
            None => self.unplaced += 1,
        }
        self.list.push(failure);
        self.open = true;
    }

    /// Adds an assertion that was not decided in time, which Boogie does not count as an error.
    fn push_undecided(&mut self, failure: Failure) {
        self.list.push(failure);
        self.open = true;
    }

    fn related(&mut self, location: Location) {
        if let Some(failure) = self.list.last_mut() {
            failure.related.get_or_insert(location);
        }
    }

    /// Processes the start of a trace. A trace that follows no failure belongs to a `{:msg ""}`,
    /// which is printed as an empty line.
    fn trace(&mut self) {
        if !self.open {
            self.push(Failure {
                kind: FailureKind::Other,
                message: String::new(),
                location: None,
                related: None,
            });
        }
        self.open = false;
    }

    /// The failures without duplicates: a procedure that is verified in parts may have the same
    /// failure in several parts.
    fn into_list(self) -> Vec<Failure> {
        let mut seen = HashSet::new();
        self.list.into_iter().filter(|failure| seen.insert(failure.clone())).collect()
    }
}

/// What Boogie printed about one program, up to and including the last line of the answer.
#[derive(Debug, Default)]
struct Transcript {
    parts: Vec<Part>,
    /// Whether procedures have lines of their own, as with `/trace`.
    traced: bool,
    /// Failures that belong to no part, because there was no `/trace`.
    loose: Failures,
    /// Errors before verification, with columns as printed.
    messages: Vec<(Message, Stage)>,
    rejection: Option<(Stage, String)>,
    trailer: Option<Trailer>,
    trouble: Option<(Outcome, String)>,
}

/// The state of reading the text.
#[derive(Default)]
struct Position {
    /// Whether the current lines belong to the last part.
    in_part: bool,
    /// Whether the current lines are an execution trace.
    in_trace: bool,
    /// A complaint of the solver about the procedure whose line is still to come.
    complaint: Option<(Outcome, String)>,
    noise: Noise,
}

impl Transcript {
    /// Reads lines until an answer is complete.
    fn read<'text>(lines: &mut impl Iterator<Item = &'text str>) -> Transcript {
        let mut answer = Transcript::default();
        let mut position = Position::default();
        for line in lines {
            if position.noise.has(line) {
                position.in_part &= answer.is_under_way();
                continue;
            }
            answer.line(line, &mut position);
            if answer.trailer.is_some() {
                break;
            }
        }
        if let Some((outcome, complaint)) = position.complaint {
            answer.trouble(outcome, complaint);
        }
        answer
    }

    /// Whether the last procedure has begun but has no result yet.
    fn is_under_way(&self) -> bool {
        self.traced && self.parts.last().is_some_and(|part| part.word.is_none())
    }

    fn trouble(&mut self, outcome: Outcome, reason: String) {
        if self.trouble.as_ref().is_none_or(|(known, _)| *known < outcome) {
            self.trouble = Some((outcome, reason));
        }
    }

    fn line(&mut self, line: &str, position: &mut Position) {
        if let Some(complaint) = line.strip_prefix("Prover error: ") {
            self.complaint(complaint.trim(), position);
            return;
        }
        if line.trim().is_empty() {
            position.in_trace = false;
            return;
        }
        if line == "Execution trace:" {
            position.in_trace = true;
            self.failures(position).trace();
            return;
        }
        if let Some(name) =
            line.strip_prefix("Verifying ").and_then(|rest| rest.strip_suffix(" ..."))
        {
            self.traced = true;
            let name = name.to_string();
            self.parts.push(Part { name, trouble: position.complaint.take(), ..Part::default() });
            position.in_part = true;
            position.in_trace = false;
            return;
        }
        if line.starts_with(' ') {
            if !position.in_trace {
                self.indented(line, position);
            }
            return;
        }
        position.in_trace = false;
        if let Some(sums) = line.strip_prefix(Trailer::START) {
            match Trailer::of(sums) {
                Some(trailer) => self.trailer = Some(trailer),
                None => self.trouble(
                    Outcome::ToolError,
                    format!("the last line is not understood: `{}`", shortened(line)),
                ),
            }
            return;
        }
        if let Some(rejection) = rejection(line) {
            self.rejection.get_or_insert(rejection);
            return;
        }
        if let Some(rest) = line.strip_prefix("Advisory: ") {
            // The result line of the procedure follows, with the word `inconclusive`.
            match rest.split_once(" SKIPPED because of internal error") {
                // An earlier complaint of the solver is more informative.
                Some((_, why)) if is_broken_pipe(why) && position.complaint.is_none() => {
                    self.complaint(DIED, position);
                }
                Some(_) => {}
                None => self.text(line, position),
            }
            return;
        }
        match placed(line) {
            Some((location, text)) => self.placed(location, text, position),
            None => self.text(line, position),
        }
    }

    /// Processes a complaint of the solver. It comes before the line of its procedure, and so ends
    /// the output about the previous procedure.
    fn complaint(&mut self, complaint: &str, position: &mut Position) {
        position.in_trace = false;
        position.in_part &= self.is_under_way();
        if is_harmless(complaint) {
            return;
        }
        let outcome = match complaint {
            "(error \"out of memory\")" => Outcome::OutOfMemory,
            DIED => Outcome::Crashed,
            _ => Outcome::ToolError,
        };
        let reason = match outcome {
            Outcome::OutOfMemory => "the solver ran out of memory".to_string(),
            _ => format!("the solver said `{}`", shortened(complaint)),
        };
        match self.parts.last_mut() {
            Some(part) if position.in_part => part.trouble(outcome, reason),
            _ => {
                if position.complaint.as_ref().is_none_or(|(known, _)| *known < outcome) {
                    position.complaint = Some((outcome, reason));
                }
            }
        }
    }

    /// The failures that a line belongs to.
    fn failures(&mut self, position: &Position) -> &mut Failures {
        match self.parts.last_mut() {
            Some(part) if position.in_part => &mut part.failures,
            _ => &mut self.loose,
        }
    }

    /// Processes an indented line. Only `  [0.023 s, 1 proof obligation]  verified` counts, and
    /// only as the result of a procedure that has none yet: a `{:msg}` may look like anything.
    fn indented(&mut self, line: &str, position: &Position) {
        let Some((bracket, word)) =
            line.strip_prefix("  [").and_then(|rest| rest.split_once("]  "))
        else {
            return;
        };
        if !bracket.contains(" proof obligation") {
            return;
        }
        match self.parts.last_mut() {
            Some(part) if position.in_part => {
                if part.word.is_some() {
                    return;
                }
                part.seconds = seconds(bracket);
                part.resources = resources(bracket);
                part.word = Word::of(word.trim_end());
                if part.word.is_none() {
                    let problem = format!("`{}` is said to be `{}`", part.name, shortened(word));
                    part.trouble(Outcome::ToolError, problem);
                }
            }
            _ => self.trouble(
                Outcome::ToolError,
                format!("a result belongs to no procedure: `{}`", shortened(line.trim())),
            ),
        }
    }

    /// Processes a line that begins with a place.
    fn placed(&mut self, location: Location, text: &str, position: &Position) {
        if let Some(text) = text.strip_prefix("error: ") {
            let text = text.to_string();
            self.messages.push((Message { text, location: Some(location) }, Stage::Syntax));
        } else if text.starts_with("Related ") {
            self.failures(position).related(location);
        } else if let Some(rest) = after_code(text, "Error") {
            if !self.traced
                && let Some(message) = text.strip_prefix("Error: ")
            {
                let location = Some(location.clone());
                let message = Message { text: message.to_string(), location };
                self.messages.push((message, Stage::Resolution));
            }
            let failure = failure(rest, Some(location));
            self.failures(position).push(failure);
        } else if let Some(rest) = undecided(text) {
            self.undecided(failure(rest, Some(location)), position);
        } else if let Some(part) = self.parts.last_mut()
            && position.in_part
        {
            if part.word.is_none() {
                part.note = Some(shortened(text));
            }
        } else if !self.traced
            && let Some((name, word)) = named(text)
        {
            let name = name.to_string();
            self.parts.push(Part { name, word: Some(word), ..Part::default() });
        }
    }

    /// Adds an assertion that was not decided in time.
    fn undecided(&mut self, failure: Failure, position: &Position) {
        match self.parts.last_mut() {
            // Without `/trace` it follows the line that names the procedure, and its trace is read
            // as that of a loose failure.
            Some(part) if position.in_part || !self.traced => {
                self.loose.open = !self.traced;
                part.failures.push_undecided(failure);
            }
            _ => self.loose.push_undecided(failure),
        }
    }

    /// Processes a line of no known form: a `{:msg}`, or talk.
    fn text(&mut self, line: &str, position: &Position) {
        let expected = match self.parts.last() {
            Some(part) if position.in_part => {
                matches!(part.word, Some(Word::Error | Word::Errors))
            }
            _ => !self.traced,
        };
        if let Some(rest) = undecided(line) {
            self.undecided(failure(rest, None), position);
        } else if expected && !is_talk(line) {
            let message = line.strip_prefix("Error: ").unwrap_or(line);
            let failure = failure(message, None);
            self.failures(position).push(failure);
        }
    }

    /// The verdict of an incomplete output: finished procedures keep their outcome, the current one
    /// and the program get `outcome`. If a limit ended the run, the reason names the current one.
    fn until(mut self, outcome: Outcome, mut reason: String) -> Verdict {
        if self.trailer.is_none()
            && let Some(last) = self.parts.last_mut()
            && last.trouble.is_none()
        {
            let failures = last.failures.placed + last.failures.unplaced;
            let unfinished = match last.word {
                None => true,
                Some(Word::Error | Word::Errors) => failures == 0,
                Some(_) => false,
            };
            if unfinished {
                if outcome.depends_on_machine() {
                    let _ = write!(reason, " while `{}` was verified", last.name);
                }
                last.trouble(outcome, reason.clone());
            }
        }
        for part in &mut self.parts {
            if part.trouble.is_none() {
                part.check();
            }
        }
        self.trouble = match self.trouble.take() {
            Some((known, problem)) if known > outcome => Some((known, problem)),
            _ => Some((outcome, reason)),
        };
        self.conclude()
    }

    /// The verdict of a complete output.
    fn verdict(mut self) -> Verdict {
        self.parts.iter_mut().for_each(Part::check);
        let begun = self.traced || !self.parts.is_empty();
        match (&self.trailer, self.rejection.take()) {
            (Some(_), None) => self.count(),
            (None, Some((stage, sum))) if !begun => return self.rejected(stage, sum),
            (_, Some((_, sum))) => {
                let problem = format!("Boogie says `{sum}`, but went on to verify");
                self.trouble(Outcome::ToolError, problem);
            }
            (None, None) => {
                let said = self.messages.first().map(|(message, _)| &message.text);
                // The line in which Boogie gave up, if it is of no known form.
                let left = self.loose.list.last().map(|failure| &failure.message);
                let problem = match (said, left) {
                    (Some(said), _) => format!("the last line is missing; Boogie says `{said}`"),
                    (None, _) if begun => "the last line is missing".to_string(),
                    (None, Some(left)) => {
                        format!("Boogie printed no answer; it says `{}`", shortened(left))
                    }
                    (None, None) => "Boogie printed no answer".to_string(),
                };
                self.trouble(Outcome::ToolError, problem);
            }
        }
        self.conclude()
    }

    /// Compares the counts of what was read with the sums in the last line.
    fn count(&mut self) {
        let Some(sums) = &self.trailer else { return };
        let words = |word: Word| self.parts.iter().filter(|part| part.word == Some(word)).count();
        let counts = [
            ("verified", words(Word::Verified), sums.verified),
            ("inconclusive", words(Word::Inconclusive), sums.inconclusive),
            ("timed out", words(Word::TimedOut), sums.timed_out),
            ("out of memory", words(Word::OutOfMemory), sums.out_of_memory),
            ("out of resource", words(Word::OutOfResource), sums.out_of_resource),
            ("solver exception", words(Word::SolverException), sums.solver_exceptions),
        ];
        // Without `/trace`, verified procedures have no line.
        let skipped = usize::from(!self.traced);
        let mut problem =
            counts[skipped..].iter().find(|(_, read, sum)| read != sum).map(|(what, read, sum)| {
                format!("the last line counts {sum} procedures as {what}, but {read} have a line")
            });

        let errors = sums.errors;
        let (mut placed, mut all) = (0, 0);
        for failures in self.counted() {
            placed += failures.placed;
            all += failures.placed + failures.unplaced;
        }
        if placed > errors || all < errors {
            problem.get_or_insert_with(|| {
                format!("the last line counts errors as {errors}, but {all} are printed")
            });
        }
        if self.traced && self.loose.placed > 0 {
            problem.get_or_insert_with(|| "an error belongs to no procedure".to_string());
        }
        // If the failures with a place account for all errors, the other lines were talk.
        if placed == errors {
            for failures in self.counted() {
                failures.list.retain(|failure| failure.location.is_some());
            }
        }
        if let Some(problem) = problem {
            self.trouble(Outcome::ToolError, problem);
        }
    }

    /// The failures that the last line counts.
    fn counted(&mut self) -> impl Iterator<Item = &mut Failures> {
        let loose = (!self.traced).then_some(&mut self.loose);
        self.parts
            .iter_mut()
            .filter(|part| matches!(part.word, Some(Word::Error | Word::Errors)))
            .map(|part| &mut part.failures)
            .chain(loose)
    }

    /// The verdict on a program that Boogie rejected.
    fn rejected(self, stage: Stage, sum: String) -> Verdict {
        let messages = self.messages.into_iter().map(|(mut message, printed)| {
            // The parser counts columns from 1, the name and type checkers from 0.
            if printed != Stage::Syntax
                && let Some(location) = &mut message.location
            {
                location.column = location.column.saturating_add(1);
            }
            message
        });
        Verdict {
            outcome: Outcome::Rejected,
            reason: Some(sum),
            stage: Some(stage),
            procedures: Vec::new(),
            messages: messages.collect(),
        }
    }

    /// The final verdict: the worst of the procedures' outcomes and of the problems with the
    /// output.
    fn conclude(self) -> Verdict {
        let (outcome, reason) = self.trouble.unzip();
        let of_parts = self.parts.iter().map(Part::outcome).max();
        let of_loose = self.trailer.filter(|trailer| trailer.errors > 0).map(|_| Outcome::Failed);
        let worst = of_parts.max(of_loose).max(outcome).unwrap_or(Outcome::Verified);

        let part_reason = self
            .parts
            .iter()
            .filter(|part| part.outcome() == worst)
            .find_map(|part| part.trouble.as_ref().map(|(_, reason)| reason).or(part.note.as_ref()))
            .cloned();
        let loose = self.loose.into_list();
        let loose_reason = loose.first().map(|failure| failure.message.clone());
        let messages = loose
            .into_iter()
            .filter(|_| !self.traced && of_loose.is_some())
            .map(|failure| Message { text: failure.message, location: failure.location })
            .collect();
        let procedures: Vec<Procedure> = self
            .parts
            .into_iter()
            .map(|part| Procedure {
                outcome: part.outcome(),
                name: part.name,
                seconds: part.seconds,
                resources: part.resources,
                failures: part.failures.into_list(),
            })
            .collect();
        let reason = match worst {
            Outcome::Verified => None,
            _ if outcome == Some(worst) => reason,
            _ => part_reason
                .or_else(|| who(&procedures, worst))
                .or_else(|| loose_reason.as_deref().and_then(first_line))
                .or_else(|| Some("Boogie counts errors".to_string())),
        };
        Verdict { outcome: worst, reason, stage: None, procedures, messages }
    }
}

/// Whether a line is one of Boogie's progress messages, which a run without `/trace` may print too.
fn is_talk(line: &str) -> bool {
    ["Boogie program verifier version ", "[TRACE] ", "Parsing ", "Legal parameters are:"]
        .iter()
        .any(|start| line.starts_with(start))
        || ["Coalescing blocks...", "Inlining...", "Running abstract interpretation..."]
            .contains(&line)
}

/// The last lines about programs that Boogie does not verify with the chosen encoding of types.
const UNENCODED: [&str; 2] = [
    "Datatypes only supported with monomorphic encoding",
    "Functions with :define attribute only supported with monomorphic encoding",
];

/// The stage and the number of errors in the last line about a rejected program.
fn rejection(line: &str) -> Option<(Stage, String)> {
    if line.starts_with("Unable to monomorphize input program") || UNENCODED.contains(&line) {
        let (first, rest) = line.split_at_checked(1)?;
        return Some((Stage::Type, shortened(&format!("{}{rest}", first.to_lowercase()))));
    }
    let (count, rest) = line.split_once(' ')?;
    count.parse::<usize>().ok()?;
    let (what, _) = rest.split_once(" detected in ")?;
    let (stage, one) = match what {
        "parse errors" => (Stage::Syntax, "parse error"),
        "name resolution errors" => (Stage::Resolution, "name resolution error"),
        "type checking errors" => (Stage::Type, "type checking error"),
        _ => return None,
    };
    Some((stage, if count == "1" { format!("1 {one}") } else { format!("{count} {what}") }))
}

/// Splits `a.bpl(3,14): text`.
fn placed(line: &str) -> Option<(Location, &str)> {
    line.match_indices("): ").find_map(|(end, mark)| {
        // A line and a column take at most 21 characters; looking no further keeps this linear.
        let start = line.as_bytes()[..end].iter().rev().take(22).position(|&byte| byte == b'(')?;
        let open = end - 1 - start;
        let (row, column) = line[open + 1..end].split_once(',')?;
        let location = Location {
            file: line[..open].to_string(),
            line: row.parse().ok()?,
            column: column.parse().ok()?,
        };
        Some((location, &line[end + mark.len()..]))
    })
}

/// `BP5001: text` of `Error BP5001: text`, or `text` of `Error: text`.
fn after_code<'text>(text: &'text str, start: &str) -> Option<&'text str> {
    let rest = text.strip_prefix(start)?;
    match rest.strip_prefix(": ") {
        Some(message) => Some(message),
        None => rest.strip_prefix(' ').filter(|rest| rest.starts_with("BP")),
    }
}

/// The failure in a line about an assertion that was not decided within the limits.
fn undecided(text: &str) -> Option<&str> {
    ["Timed out on", "Out of resource on", "Out of memory on"].iter().find_map(|start| {
        let rest = text.strip_prefix(start)?;
        after_code(text, start).or_else(|| rest.strip_prefix(' '))
    })
}

/// A failure, from `BP5001: text` or from the text alone.
fn failure(text: &str, location: Option<Location>) -> Failure {
    let (code, message) = match text.split_once(": ") {
        Some((code, message)) if is_code(code) => (Some(code), message),
        _ => (None, text),
    };
    let kind = match code {
        Some("BP5001") => FailureKind::Assertion,
        Some("BP5002") => FailureKind::Precondition,
        Some("BP5003") => FailureKind::Postcondition,
        Some("BP5004") => FailureKind::InvariantEntry,
        Some("BP5005") => FailureKind::InvariantMaintenance,
        Some(_) => FailureKind::Other,
        None => kind_by_text(message),
    };
    Failure { kind, message: message.to_string(), location, related: None }
}

fn is_code(text: &str) -> bool {
    text.strip_prefix("BP").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The kind of a failure by its text, for versions that print no codes.
fn kind_by_text(message: &str) -> FailureKind {
    let is = |start: &str| message.starts_with(start);
    if is("this assertion could not be proved") {
        FailureKind::Assertion
    } else if is("a precondition for this call could not be proved") {
        FailureKind::Precondition
    } else if is("a postcondition could not be proved on this return path") {
        FailureKind::Postcondition
    } else if is("this loop invariant could not be proved on entry") {
        FailureKind::InvariantEntry
    } else if is("this invariant could not be proved to be maintained by the loop") {
        FailureKind::InvariantMaintenance
    } else {
        FailureKind::Other
    }
}

/// The procedure and the outcome in `Verification of 'p' timed out after 3 seconds` and the like.
fn named(text: &str) -> Option<(&str, Word)> {
    let rest = text.strip_prefix("Verification ")?;
    if let Some(rest) = rest.strip_prefix("of '") {
        return Some((rest.rsplit_once("' timed out after ")?.0, Word::TimedOut));
    }
    let words = [
        ("out of resource (", Word::OutOfResource),
        ("out of memory (", Word::OutOfMemory),
        ("inconclusive (", Word::Inconclusive),
        ("encountered solver exception (", Word::SolverException),
    ];
    words
        .iter()
        .find_map(|(start, word)| Some((rest.strip_prefix(start)?.strip_suffix(')')?, *word)))
}

/// The seconds in `0.023 s, 1 proof obligation`; in some locales, `0,023 s`.
fn seconds(bracket: &str) -> Option<f64> {
    let (number, _) = bracket.split_once(" s, ")?;
    number.replace(',', ".").parse().ok().filter(|seconds: &f64| seconds.is_finite())
}

/// The count in `0.023 s, solver resource count: 4711, 1 proof obligation`.
fn resources(bracket: &str) -> Option<u64> {
    let (_, rest) = bracket.split_once("solver resource count: ")?;
    rest.split_once(',')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Captured, Ending, Limit, Usage};

    const VERIFIED: &str = "
Verifying p ...
  [0.023 s, 1 proof obligation]  verified

Boogie program verifier finished with 1 verified, 0 errors
";

    fn run(ending: Ending, stdout: &str) -> Run {
        let stdout = Captured { text: stdout.to_string(), truncated: false };
        Run { ending, usage: Usage::default(), stdout, stderr: Captured::default() }
    }

    /// The outcome of a run that exited with 0, and the reason for it.
    fn said(stdout: &str) -> (Outcome, String) {
        let verdict = read(&run(Ending::Exited(0), stdout));
        (verdict.outcome, verdict.reason.unwrap_or_default())
    }

    #[test]
    fn a_solver_that_is_gone_says_nothing_about_a_procedure() {
        let skipped = |why: &str| {
            said(&format!(
                "Advisory: p SKIPPED because of internal error: unexpected prover output: {why}\n\n\
                 Verifying p ...\n  [0.023 s, 1 proof obligation]  inconclusive\n\
                 a.bpl(1,1): Verification inconclusive (p)\n\n\
                 Boogie program verifier finished with 0 verified, 0 errors, 1 inconclusive\n"
            ))
            .0
        };
        assert_eq!(skipped("Write fault on path /tmp/[Unknown]"), Outcome::Crashed);
        assert_eq!(skipped("Broken pipe"), Outcome::Crashed);
        assert_eq!(skipped("(what)"), Outcome::Inconclusive);
    }

    #[test]
    fn only_a_run_that_exits_with_0_is_verified() {
        let outcome = |ending| read(&run(ending, VERIFIED)).outcome;
        assert_eq!(outcome(Ending::Exited(0)), Outcome::Verified);
        assert_eq!(outcome(Ending::Exited(1)), Outcome::Crashed);
        assert_eq!(outcome(Ending::Signaled(11)), Outcome::Crashed);
        assert_eq!(outcome(Ending::Limited(Limit::Time)), Outcome::TimedOut);
        assert_eq!(outcome(Ending::Limited(Limit::Cpu)), Outcome::TimedOut);
        assert_eq!(outcome(Ending::Limited(Limit::Memory)), Outcome::OutOfMemory);
        assert_eq!(outcome(Ending::Limited(Limit::Output)), Outcome::ToolError);
        assert_eq!(outcome(Ending::Limited(Limit::Overload)), Outcome::ToolError);
        assert_eq!(outcome(Ending::Limited(Limit::Processes(9))), Outcome::ToolError);
        assert_eq!(outcome(Ending::Limited(Limit::Files)), Outcome::ToolError);
        assert_eq!(outcome(Ending::Cancelled), Outcome::ToolError);
        let lost = read(&run(Ending::Lost("no such file".to_string()), VERIFIED));
        assert_eq!(lost, Verdict::of_program(Outcome::ToolError, "no such file"));
    }

    #[test]
    fn a_run_that_a_limit_ended_names_the_procedure_under_way() {
        let text = VERIFIED.replace(
            "\nBoogie program verifier finished with 1 verified, 0 errors\n",
            "\nVerifying q ...\n",
        );
        let verdict = read(&run(Ending::Limited(Limit::Time), &text));
        assert_eq!(verdict.outcome, Outcome::TimedOut);
        assert_eq!(verdict.reason.unwrap(), "the time limit was reached while `q` was verified");
        let outcomes: Vec<Outcome> = verdict.procedures.iter().map(|it| it.outcome).collect();
        assert_eq!(outcomes, [Outcome::Verified, Outcome::TimedOut]);
        // All procedures were finished.
        let verdict = read(&run(Ending::Limited(Limit::Time), VERIFIED));
        assert_eq!(verdict.reason.unwrap(), "the time limit was reached");
    }

    #[test]
    fn an_output_with_a_missing_part_is_a_tool_error() {
        for of_stdout in [true, false] {
            let mut run = run(Ending::Exited(0), VERIFIED);
            run.stdout.truncated = of_stdout;
            run.stderr.truncated = !of_stdout;
            assert_eq!(read(&run).outcome, Outcome::ToolError);
        }
    }

    #[test]
    fn a_last_line_without_its_end_does_not_count() {
        assert_eq!(said(VERIFIED.trim_end()).0, Outcome::ToolError);
        assert_eq!(said(&VERIFIED.replace('\n', "\r\n")).0, Outcome::Verified);
    }

    #[test]
    fn an_exception_on_stderr_is_a_crash_whatever_else_is_said() {
        let mut run = run(Ending::Exited(0), VERIFIED);
        run.stderr.text = "[ERROR] FATAL UNHANDLED EXCEPTION: A: b ---> C: d\n  at E\n".to_string();
        let verdict = read(&run);
        assert_eq!(verdict.outcome, Outcome::Crashed);
        assert_eq!(verdict.reason.unwrap(), "Boogie crashed: C: d");
    }

    #[test]
    fn sums_that_do_not_add_up_are_tool_errors() {
        for sums in [
            "2 verified, 0 errors",
            "0 verified, 0 errors",
            "1 verified, 1 error",
            "1 verified, 0 errors, 1 time out",
            "1 verified, 0 errors, 1 inconclusive",
            "1 verified, 0 errors, 1 out of memory",
            "1 verified, 0 errors, 1 out of resource",
            "1 verified, 0 errors, 1 solver exceptions",
            "1 verified, 0 errors, 1 surprise",
            "1 verified",
            "99999999999999999999999 verified, 0 errors",
            "0 errors",
            "",
        ] {
            let (outcome, reason) = said(&VERIFIED.replace("1 verified, 0 errors", sums));
            assert_eq!(outcome, Outcome::ToolError, "{sums}");
            assert!(!reason.is_empty(), "{sums}");
        }
    }

    #[test]
    fn answers_that_contradict_themselves_are_tool_errors() {
        let error = "a.bpl(1,2): Error BP5001: This assertion might not hold.\n";
        let result = "  [0.023 s, 1 proof obligation]  verified\n";
        let header = "Verifying p ...\n";
        for (text, with) in [
            (header, String::new()),
            (header, format!("{header}{header}")),
            (header, format!("{error}{header}")),
            (result, String::new()),
            (result, format!("{result}{error}")),
            (result, result.replace("verified", "errors")),
            (result, result.replace("verified", "error")),
            (result, result.replace("verified", "fine")),
            (result, format!("{result}Prover error: anything\n")),
            (header, format!("Prover error: anything\n{header}")),
            (header, format!("1 parse errors detected in a.bpl\n{header}")),
        ] {
            let (outcome, reason) = said(&VERIFIED.replace(text, &with));
            assert_eq!(outcome, Outcome::ToolError, "{with}");
            assert!(!reason.is_empty(), "{with}");
        }
        for after in [VERIFIED, error, "something\n"] {
            assert_eq!(said(&format!("{VERIFIED}{after}")).0, Outcome::ToolError, "{after}");
        }
    }

    #[test]
    fn nothing_and_garbage_are_tool_errors() {
        for text in ["", "\n\n", "Parsing a.bpl\n", "an incomplete line"] {
            assert_eq!(said(text), (Outcome::ToolError, "Boogie printed no answer".to_string()));
        }
        for text in ["\u{fffd}\0\u{1b}[2J\n", "{\"outcome\": \"verified\"}\n", "verified\n"] {
            let reason = format!("Boogie printed no answer; it says `{}`", text.trim_end());
            assert_eq!(said(text), (Outcome::ToolError, reason));
        }
    }

    #[test]
    fn a_program_that_boogie_cannot_encode_is_rejected() {
        for (line, reason) in [
            (
                "Datatypes only supported with monomorphic encoding",
                "datatypes only supported with monomorphic encoding",
            ),
            (
                "Unable to monomorphize input program: expanding type cycle detected",
                "unable to monomorphize input program: expanding type cycle detected",
            ),
        ] {
            let verdict = read(&run(Ending::Exited(0), &format!("Parsing a.bpl\n{line}\n")));
            assert_eq!((verdict.outcome, verdict.stage), (Outcome::Rejected, Some(Stage::Type)));
            assert_eq!(verdict.reason.as_deref(), Some(reason));
        }
    }

    #[test]
    fn errors_without_a_sum_are_quoted() {
        let (outcome, reason) = said("Parsing a.bpl\na.bpl(3,4): Error: f depends on itself\n");
        assert_eq!(outcome, Outcome::ToolError);
        assert_eq!(reason, "the last line is missing; Boogie says `f depends on itself`");
    }

    /// A quadratic reader would take hours on these answers.
    #[test]
    fn huge_answers_are_read() {
        for line in [
            "a.bpl(1,2): Error BP5001: This assertion might not hold.\n",
            "a.bpl(1,2): Timed out on BP5001: This assertion might not hold.\n",
            "Verifying p ...\n",
            "Execution trace:\n",
            "Prover error: anything\n",
            "): ): ): ): ): ): ): ): ): (((((((((((",
            "hello\n",
        ] {
            let mut text = VERIFIED.split_inclusive('\n').take(3).collect::<String>();
            text += &line.repeat(100_000);
            text += "\nBoogie program verifier finished with 1 verified, 0 errors\n";
            let (outcome, _) = said(&text);
            assert!(matches!(outcome, Outcome::ToolError | Outcome::Verified), "{line}");
        }
    }

    #[test]
    fn places_are_found_in_odd_names() {
        let at = |line| {
            let (location, text) = placed(line)?;
            Some((location.file, location.line, location.column, text))
        };
        assert_eq!(at("a.bpl(3,14): x"), Some(("a.bpl".to_string(), 3, 14, "x")));
        assert_eq!(at("a(1): b(2).bpl(3,14): x"), Some(("a(1): b(2).bpl".to_string(), 3, 14, "x")));
        assert_eq!(at("é(3,14): ü): (1,2): x"), Some(("é".to_string(), 3, 14, "ü): (1,2): x")));
        for line in ["a.bpl(3,14)", "a.bpl(3): x", "a.bpl(99999999999,1): x", "(é,1): x", "): x"] {
            assert_eq!(at(line), None, "{line}");
        }
    }

    #[test]
    fn only_known_noise_is_dropped() {
        let text = "before
Prover error: line 18 column 28: unknown parameter 'model_compress'
Legal parameters are:
  auto_config (bool) (default: true)
  model (bool) (default: true)

Prover error: line 18 column 28: unknown parameter 'other'
Legal parameters are:
  auto_config (bool) (default: true)
    checking split 1/1, 0.00%, (cost:1/1) ...
";
        let (before, rest) = text.split_once("Prover error").unwrap();
        let (_, after) = rest.split_once("\n\n").unwrap();
        assert_eq!(Boogie.without_noise(text), format!("{before}\n{after}"));
        assert_eq!(Boogie.without_noise("no end"), "no end");
    }
}
