//! The proxy itself: it stands between a verifier and its solver, each of which takes it for the
//! other.
//!
//! Commands of the verifier are collected until one needs an answer. If the answer is known,
//! nothing is sent to the solver. Otherwise the solver receives everything that it has not received
//! since the last `(reset)`, and answers. From a command that is not understood on, everything is
//! forwarded and nothing is cached.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitCode};
use std::time::{Duration, Instant};
use std::{env, thread};

use nix::sys::prctl;
use nix::sys::time::{TimeSpec, TimeValLike as _};
use nix::time::{ClockId, clock_gettime};

use super::answers::{Answers, Cache, Measured, SolverReply};
use super::prelude::Preludes;
use super::record::{self, QueryRecord};
use super::settings::{self, TapSettings};
use super::solver::{self, Heard, Solver};
use super::{Marker, TAP, query};
use crate::smt::Style;
use crate::smt::conversation::{Conversation, Key, Meaning, is_option, meaning};
use crate::smt::lex::{Piece, Splitter, TokenKind, line_ends, tokens, words};
use crate::verifier::field;

/// Maximum size of a conversation in bytes; a longer one is forwarded from there on.
const MAX_CONVERSATION: usize = 512 << 20;

/// A solver is killed when it used this many times its time limit, plus a second; raising it gives
/// the solver more time to notice its limit itself.
const OVERRUN: u32 = 2;

/// Pause between two reads while the verifier is not waiting for an answer. Boogie writes many
/// small chunks, and a wake-up for each of them costs both processes more than the read. Raising it
/// saves CPU and delays answers.
const READ_PAUSE: Duration = Duration::from_micros(500);

/// The main function of a tap.
///
/// The arguments are [`TAP`], the path of the tap, and the verifier's arguments to the solver.
pub fn tap() -> ExitCode {
    let mut arguments = env::args_os().skip(1).skip_while(|argument| argument == TAP);
    let path = PathBuf::from(arguments.next().unwrap_or_default());
    match run(&path, arguments.collect()) {
        Ok(code) => code,
        // The verifier is gone.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            // If this fails as well, nobody is left to report it to.
            let _ = writeln!(io::stderr(), "mugie: cannot tap the solver: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(path: &Path, arguments: Vec<OsString>) -> io::Result<ExitCode> {
    let settings = settings::read(path)?;
    let talks = arguments.iter().any(|argument| *argument == *settings.definition.conversation);
    let version = settings.version_arguments.as_ref();
    if talks {
        use_huge_pages(false);
        Tap::new(settings, arguments)?.serve()
    } else if version.is_some_and(|words| arguments.iter().eq(words.iter().map(String::as_str))) {
        tell_version(&settings, &arguments)
    } else {
        Err(Command::new(&settings.solver).args(arguments).exec())
    }
}

/// Sets whether this process and the processes that it starts may use huge pages. A tap lives for
/// milliseconds, one or two of which the kernel would spend on clearing huge pages. Solvers get
/// what they would get without a tap.
pub(super) fn use_huge_pages(allowed: bool) {
    // If this fails, the tap is merely slower.
    let _ = prctl::set_thp_disable(!allowed);
}

/// A hash of the solver and its arguments.
fn identity(settings: &TapSettings, arguments: &[OsString]) -> Key {
    let mut hasher = blake3::Hasher::new_derive_key("mugie 1 solver");
    field(&mut hasher, settings.identity.as_bytes());
    for argument in arguments {
        field(&mut hasher, argument.as_encoded_bytes());
    }
    *hasher.finalize().as_bytes()
}

fn cache(settings: &TapSettings) -> Option<Cache> {
    Some(Cache::new(PathBuf::from(settings.cache.as_ref()?), settings.capacity))
}

/// Answers the verifier's question for the solver's version, from the cache if possible.
fn tell_version(settings: &TapSettings, arguments: &[OsString]) -> io::Result<ExitCode> {
    const VERSION: &str = "version";
    let cache = cache(settings);
    let key = identity(settings, arguments);
    if let Some(SolverReply { text, .. }) =
        cache.as_ref().and_then(|cache| cache.get(&key).remove(VERSION))
    {
        reply(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let output = Command::new(&settings.solver).args(arguments).output()?;
    io::stderr().write_all(&output.stderr)?;
    if let Some(cache) = cache
        && output.status.success()
        && output.stderr.is_empty()
        && let Ok(text) = String::from_utf8(output.stdout.clone())
    {
        let answer = SolverReply { text, measured: None };
        // What cannot be kept is found out again.
        let _ = cache.put(&key, &[(VERSION.to_owned(), answer)].into());
    }
    reply(&output.stdout)?;
    Ok(ExitCode::from(solver::exit_code(output.status)))
}

fn reply(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// How to go on after a command.
enum Next {
    Go,
    /// The verifier sent this text, which is not understood.
    PassOn(Vec<u8>),
    End(u8),
}

/// A running tap.
struct Tap {
    settings: TapSettings,
    arguments: Vec<OsString>,
    started: i64,
    cache: Option<Cache>,
    solver: Option<Solver>,
    conversation: Conversation,
    /// A hash of the solver and its arguments.
    identity: Key,
    /// The solver's answer to the question for its name, if known.
    name: Option<String>,
    /// The preludes of the programs, if it is a shared process.
    preludes: Option<Preludes>,
    /// Number of lines received before this conversation, and in it.
    lines: (usize, usize),
    /// Number of bytes of the conversation's text that the solver has received.
    heard: usize,
    /// Cached answers to commands that the solver has not received yet: what it will print when it
    /// does.
    owed: Vec<u8>,
    /// Whether the solver would repeat every answer given so far in this conversation.
    is_steady: bool,
    /// Whether the solver was killed in this conversation.
    is_given_up: bool,
    /// The hash of everything received before the first answer.
    first: Option<Key>,
    answers: Answers,
    queries: u32,
    /// The last known resource count of the solver in this conversation.
    resources: u64,
}

impl Tap {
    fn new(settings: TapSettings, arguments: Vec<OsString>) -> io::Result<Tap> {
        let unknown = |name: &str| io::Error::other(format!("`{name}` is unknown"));
        let style = Style::find(&settings.style).ok_or_else(|| unknown(&settings.style))?;
        let marker = settings.marker.as_deref();
        let marker = marker.map(|name| Marker::find(name).ok_or_else(|| unknown(name)));
        let marker = marker.transpose()?;
        let identity = identity(&settings, &arguments);
        let keep_original = settings.queries.is_some() && settings.original;
        Ok(Tap {
            cache: cache(&settings),
            conversation: Conversation::new(style, identity, keep_original),
            identity,
            name: None,
            preludes: marker.map(|marker| Preludes::new(marker, settings.stale_preludes)),
            settings,
            arguments,
            started: now(),
            solver: None,
            lines: (0, 0),
            heard: 0,
            owed: Vec::new(),
            is_steady: true,
            is_given_up: false,
            first: None,
            answers: Answers::new(),
            queries: 0,
            resources: 0,
        })
    }

    /// Serves the verifier until the verifier or the solver exits.
    fn serve(mut self) -> io::Result<ExitCode> {
        let mut splitter = Splitter::default();
        let mut buffer = vec![0; 64 << 10];
        // The verifier has sent nothing so far.
        let mut has_said_all = true;
        loop {
            while let Some(piece) = splitter.next() {
                has_said_all = is_question(&piece);
                match self.take_piece(piece)? {
                    Next::Go if self.conversation.text().len() > MAX_CONVERSATION => {
                        return self.pass_on(splitter.rest());
                    }
                    Next::Go => {}
                    Next::PassOn(text) => {
                        return self.pass_on([text, splitter.rest()].concat());
                    }
                    Next::End(code) => return Ok(ExitCode::from(code)),
                }
            }
            if !has_said_all {
                thread::sleep(READ_PAUSE);
            }
            has_said_all = false;
            match io::stdin().read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => splitter.push(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(piece) = splitter.finish()
            && let Next::PassOn(text) = self.take_piece(piece)?
        {
            return self.pass_on(text);
        }
        self.end_solver();
        Ok(ExitCode::SUCCESS)
    }

    fn take_piece(&mut self, piece: Piece) -> io::Result<Next> {
        match piece {
            Piece::Command { lines, text } => self.take(lines, &text),
            Piece::Strange { lines, text } => Ok(Next::PassOn([vec![b'\n'; lines], text].concat())),
        }
    }

    /// Processes the next command.
    fn take(&mut self, lines: usize, command: &[u8]) -> io::Result<Next> {
        let [head, name, value] = words(command);
        if head == b"set-option" && is_option(name, "print-success") && value == b"true" {
            return Ok(Next::PassOn([vec![b'\n'; lines], command.to_vec()].concat()));
        }
        let meaning = meaning(command);
        if meaning == Meaning::Exit {
            self.end_solver();
            return Ok(Next::End(0));
        }
        if meaning == Meaning::Reset {
            self.restart();
        }
        self.lines.1 += lines + line_ends(command);
        if [head, name] == [&b"get-info"[..], b":name"] && !self.conversation.is_under_way() {
            return self.tell_name(lines, command);
        }
        let Some(before) = self.add_or_hold(lines, command, meaning) else { return Ok(Next::Go) };
        match meaning {
            Meaning::Check => self.answer(before, true),
            Meaning::Answered => self.answer(before, false),
            _ => Ok(Next::Go),
        }
    }

    /// Adds a command to the conversation. Returns its offset, unless it is held back.
    fn add_or_hold(&mut self, lines: usize, command: &[u8], meaning: Meaning) -> Option<usize> {
        let open = self.preludes.as_mut().filter(|it| it.is_open() && meaning != Meaning::Reset);
        let Some(preludes) = open else { return Some(self.add(lines, command)) };
        let prelude = preludes.hold(lines, command, meaning)?;
        if let Some(marked) = prelude.marked {
            self.conversation.mark(marked);
        }
        let add = |(lines, command): &(usize, Vec<u8>)| self.add(*lines, command);
        prelude.commands.iter().map(add).last()
    }

    fn add(&mut self, lines: usize, command: &[u8]) -> usize {
        let [head, name] = words(command);
        let mut dropped = self.settings.dropped_options.iter();
        let drop = head == b"set-option" && dropped.any(|option| is_option(name, option));
        self.conversation.add(lines, command, drop)
    }

    /// Answers the question for the solver's name before anything else was said, with which some
    /// verifiers make sure that the solver is there. It is not part of the conversation, because the
    /// answer depends on the solver alone.
    fn tell_name(&mut self, lines: usize, command: &[u8]) -> io::Result<Next> {
        const NAME: &str = "name";
        self.conversation.add(lines, command, true);
        if self.name.is_none()
            && let Some(cache) = &self.cache
        {
            self.name = cache.get(&self.identity).remove(NAME).map(|answer| answer.text);
        }
        if let Some(name) = &self.name {
            reply(name.as_bytes())?;
            return Ok(Next::Go);
        }
        match self.solver()?.ask(&[command], None)? {
            Heard::Answers(parts, noise) => {
                let text = parts.concat();
                reply(&text)?;
                self.name = String::from_utf8(text).ok().filter(|text| !noise && is_name(text));
                if let (Some(name), Some(cache)) = (&self.name, &self.cache) {
                    let answer = SolverReply { text: name.clone(), measured: None };
                    // What cannot be kept is found out again.
                    let _ = cache.put(&self.identity, &[(NAME.to_owned(), answer)].into());
                }
                Ok(Next::Go)
            }
            Heard::Gone(output) => {
                reply(&output)?;
                Ok(Next::End(self.solver.as_mut().map_or(1, Solver::exit_code)))
            }
            // There was no limit.
            Heard::Overrun => Ok(Next::End(1)),
        }
    }

    fn restart(&mut self) {
        // Options outlive a reset.
        for (lines, command) in self.preludes.as_mut().map(Preludes::restart).unwrap_or_default() {
            self.add(lines, &command);
        }
        self.conversation.restart();
        self.lines = (self.lines.0 + self.lines.1, 0);
        self.heard = 0;
        self.owed.clear();
        self.is_steady = true;
        self.is_given_up = false;
        self.first = None;
        self.answers.clear();
        self.queries = 0;
        self.resources = 0;
    }

    /// Answers the last command, which starts at offset `before` of the conversation's text.
    fn answer(&mut self, before: usize, is_query: bool) -> io::Result<Next> {
        let key = self.conversation.key();
        let name = blake3::Hash::from_bytes(key).to_hex().to_string();
        if self.first.is_none() {
            self.first = Some(key);
            self.answers = self.cache.as_ref().map(|cache| cache.get(&key)).unwrap_or_default();
        }
        let known = self.answers.get(&name).filter(|_| self.is_steady && !self.is_given_up);
        if let Some(answer) = known.cloned() {
            self.owed.extend_from_slice(answer.text.as_bytes());
            self.note(name, &answer, true)?;
            reply(&self.conversation.restore(answer.text.as_bytes()))?;
            return Ok(Next::Go);
        }
        let started = Instant::now();
        let heard = if self.is_given_up { Heard::Overrun } else { self.ask(before, is_query)? };
        match heard {
            Heard::Answers(parts, noise) => {
                let [earlier, text, statistics] = three(parts);
                self.compare_earlier(&earlier, noise)?;
                let reply_text = self.conversation.restore(&text);
                let Ok(text) = String::from_utf8(text) else {
                    self.is_steady = false;
                    reply(&reply_text)?;
                    return Ok(Next::Go);
                };
                let measured =
                    is_query.then(|| self.measured(&text, &statistics, started.elapsed()));
                let answer = SolverReply { text, measured };
                self.keep(&name, &answer);
                self.note(name, &answer, false)?;
                reply(&reply_text)?;
            }
            Heard::Gone(output) => {
                // The verifier may have received some of this output already, from the cache.
                let known = output.iter().zip(&self.owed).take_while(|(a, b)| a == b).count();
                reply(&self.conversation.restore(&output[known..]))?;
                let code = self.solver.as_mut().map_or(1, Solver::exit_code);
                return Ok(Next::End(code));
            }
            Heard::Overrun => {
                self.is_given_up = true;
                self.is_steady = false;
                self.solver = None;
                let text = self.excuse(before);
                let reason = Some("timeout".to_owned());
                let seconds = started.elapsed().as_secs_f64();
                let measured =
                    is_query.then(|| Measured { reason, seconds, ..Measured::default() });
                self.note(name, &SolverReply { text: text.to_owned(), measured }, false)?;
                reply(text.as_bytes())?;
            }
        }
        Ok(Next::Go)
    }

    /// Sends the solver everything that it has not received yet, including the command that starts
    /// at `before`, and waits for the answer.
    fn ask(&mut self, before: usize, is_query: bool) -> io::Result<Heard> {
        let time = self.patience().filter(|_| is_query);
        let missed = self.missed(before);
        let solver = self.solver()?;
        solver_ask(solver, &missed.0, &missed.1, is_query, time).inspect(|_| {
            self.heard = self.conversation.text().len();
        })
    }

    /// The text that the solver has not received: the part up to `before`, and the part from there
    /// on.
    fn missed(&self, before: usize) -> (Vec<u8>, Vec<u8>) {
        let text = self.conversation.text();
        let mut earlier = Vec::new();
        if self.heard == 0 {
            // Error messages of the solver contain line numbers, counted from the start of the
            // verifier's input.
            let told = self.solver.as_ref().map_or(0, Solver::lines);
            earlier.resize(self.lines.0.saturating_sub(told), b'\n');
        }
        earlier.extend_from_slice(&text[self.heard..before]);
        (earlier, text[before..].to_vec())
    }

    fn solver(&mut self) -> io::Result<&mut Solver> {
        if self.solver.is_none() {
            self.solver = Some(Solver::start(&self.settings.solver, &self.arguments)?);
        }
        self.solver.as_mut().ok_or_else(|| io::Error::other("there is no solver"))
    }

    /// Compares what the solver printed before the current answer with the cached answers that the
    /// verifier received.
    fn compare_earlier(&mut self, earlier: &[u8], noise: bool) -> io::Result<()> {
        let owed = std::mem::take(&mut self.owed);
        if noise {
            self.is_steady = false;
        }
        if earlier == owed {
            return Ok(());
        }
        self.is_steady = false;
        if let Some(complaints) = earlier.strip_prefix(owed.as_slice()) {
            return reply(&self.conversation.restore(complaints));
        }
        // The solver now answers differently from the cache, so the cached answers were not
        // repeatable.
        if let (Some(cache), Some(first)) = (&self.cache, &self.first) {
            let _ = cache.put(first, &Answers::new());
        }
        Ok(())
    }

    /// Caches an answer if the solver would repeat it.
    fn keep(&mut self, name: &str, answer: &SolverReply) {
        self.is_steady &=
            is_steady(answer, &self.settings.definition.repeatable, self.time_limit());
        if !self.is_steady {
            return;
        }
        self.answers.insert(name.to_owned(), answer.clone());
        // Answers before the first query are of no use on their own.
        if let (Some(cache), Some(first)) = (&self.cache, &self.first)
            && self.answers.values().any(|answer| answer.measured.is_some())
        {
            // What cannot be kept is found out again.
            let _ = cache.put(first, &self.answers);
        }
    }

    /// Records the command if it is a query.
    fn note(&mut self, fingerprint: String, answer: &SolverReply, cached: bool) -> io::Result<()> {
        let Some(measured) = &answer.measured else { return Ok(()) };
        let Measured { reason, seconds, memory, resources } = measured.clone();
        let counted = resources.unwrap_or_default();
        let record = QueryRecord {
            process: process::id(),
            between: (self.started, now()),
            program: self.conversation.program(),
            procedure: self.conversation.procedure().map(str::to_owned),
            goal: None,
            part: None,
            number: self.queries,
            fingerprint,
            answer: answer.text.trim().to_owned(),
            reason,
            seconds,
            memory,
            resources: resources.map(|_| counted.saturating_sub(self.resources)),
            cached,
        };
        self.queries += 1;
        self.resources = counted;
        if let Some(folder) = &self.settings.queries {
            let text = self.conversation.original().unwrap_or(self.conversation.text());
            query::write(Path::new(folder), &record, text)?;
        }
        record::append(Path::new(&self.settings.records), &record)
    }

    /// The measurements of a query: what the solver reported, and the time.
    fn measured(&self, answer: &str, statistics: &[u8], time: Duration) -> Measured {
        let definition = &self.settings.definition;
        let number = |name: &Option<String>| value(statistics, name.as_deref()?);
        let megabytes = number(&definition.memory).and_then(|text| text.parse::<f64>().ok());
        let reason = value(statistics, "reason-unknown").map(|text| text.trim_matches('"'));
        // After any other answer, the reason is that of an earlier query.
        let reason = reason.filter(|reason| answer.trim() == "unknown" && !reason.is_empty());
        Measured {
            reason: reason.map(str::to_owned),
            seconds: time.as_secs_f64(),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the cast saturates"
            )]
            memory: megabytes.map(|megabytes| (megabytes * f64::from(1 << 20)) as u64),
            resources: number(&definition.resources).and_then(|text| text.parse().ok()),
        }
    }

    /// The processor time that the solver may use for a query, if the verifier set a limit. It is
    /// well above that limit, because the solver should notice the limit itself.
    fn patience(&self) -> Option<Duration> {
        self.time_limit()?.checked_mul(OVERRUN)?.checked_add(Duration::from_secs(1))
    }

    /// The time limit of a query, if the verifier set one.
    fn time_limit(&self) -> Option<Duration> {
        let name = self.settings.definition.time_limit.as_deref()?;
        let value = std::str::from_utf8(self.conversation.option(name)?).ok()?;
        let milliseconds = value.parse().ok().filter(|&milliseconds| milliseconds > 0)?;
        Some(Duration::from_millis(milliseconds))
    }

    /// The answer in place of a solver that used too much time.
    fn excuse(&self, before: usize) -> &'static str {
        let command = self.conversation.text()[before..].trim_ascii_start();
        match words(command) {
            [b"check-sat" | b"check-sat-assuming", _] => "unknown\n",
            [b"get-info", b":reason-unknown"] => "(:reason-unknown \"timeout\")\n",
            [b"get-info", b":name"] => "(:name \"mugie\")\n",
            _ => "unsupported\n",
        }
    }

    /// Connects the verifier and the solver directly from here on, starting with `text`.
    fn pass_on(mut self, text: Vec<u8>) -> io::Result<ExitCode> {
        if let Some(preludes) = &mut self.preludes {
            for (lines, command) in preludes.give_up() {
                self.add(lines, &command);
            }
            // From here on nothing is renumbered or replaced. A record without a program signals
            // this to the reader.
            let record = QueryRecord { process: process::id(), ..QueryRecord::default() };
            record::append(Path::new(&self.settings.records), &record)?;
        }
        let end = self.conversation.text().len();
        let (mut earlier, _) = self.missed(end);
        let owed = !self.owed.is_empty();
        self.solver()?;
        let Some(mut solver) = self.solver.take() else { return Ok(ExitCode::FAILURE) };
        if owed {
            // The verifier has received these answers already.
            solver.ask(&[&earlier], None)?;
            earlier.clear();
        }
        let status = solver.pass_on([earlier, text].concat())?;
        Ok(ExitCode::from(solver::exit_code(status)))
    }

    fn end_solver(&mut self) {
        if let Some(solver) = &mut self.solver {
            solver.end();
        }
    }
}

/// The time in microseconds, on the same clock for all processes; 0 if there is no clock.
fn now() -> i64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC);
    time.map_or(0, |time| TimeSpec::num_microseconds(&time))
}

/// Whether a text is an answer to the question for a name, and nothing else.
fn is_name(text: &str) -> bool {
    text.starts_with("(:name ") && text.ends_with(")\n") && text.lines().count() == 1
}

/// Whether the verifier waits for an answer to this piece.
fn is_question(piece: &Piece) -> bool {
    match piece {
        Piece::Command { text, .. } => {
            matches!(meaning(text), Meaning::Check | Meaning::Answered | Meaning::Exit)
        }
        Piece::Strange { .. } => true,
    }
}

fn solver_ask(
    solver: &mut Solver,
    earlier: &[u8],
    command: &[u8],
    is_query: bool,
    time: Option<Duration>,
) -> io::Result<Heard> {
    const STATISTICS: &[u8] = b"(get-info :reason-unknown) (get-info :all-statistics)";
    let parts = [earlier, command, STATISTICS];
    let parts = if is_query { &parts[..] } else { &parts[..2] };
    // The mark of an empty part would end up on the line of the command.
    let missed_nothing = earlier.is_empty();
    let mut heard = solver.ask(&parts[usize::from(missed_nothing)..], time)?;
    if let Heard::Answers(answers, _) = &mut heard
        && missed_nothing
    {
        answers.insert(0, Vec::new());
    }
    Ok(heard)
}

fn three(parts: Vec<Vec<u8>>) -> [Vec<u8>; 3] {
    let mut parts = parts.into_iter();
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// Whether the solver would repeat an answer if it were asked the same again. An `unknown` may be a
/// matter of time, unless its reason contains one of the `repeatable` strings and the solver did not
/// use up the time: Z3 calls itself incomplete if a part of it was stopped at the limit.
fn is_steady(answer: &SolverReply, repeatable: &[String], limit: Option<Duration>) -> bool {
    let SolverReply { text, measured } = answer;
    let Some(measured) = measured else {
        let measures_the_run = [":time ", ":memory "].iter().any(|key| text.contains(key));
        return !measures_the_run && !text.lines().any(|line| line.starts_with("(error"));
    };
    match (text.trim(), &measured.reason) {
        ("sat" | "unsat", _) => true,
        ("unknown", Some(reason)) => {
            limit.is_none_or(|limit| measured.seconds < limit.as_secs_f64())
                && repeatable.iter().any(|part| reason.contains(part))
        }
        _ => false,
    }
}

/// The value that follows a keyword.
fn value<'t>(text: &'t [u8], keyword: &str) -> Option<&'t str> {
    let mut words = tokens(text).filter(|(kind, _)| *kind == TokenKind::Word).map(|(_, word)| word);
    words.find(|word| word.strip_prefix(b":") == Some(keyword.as_bytes()))?;
    std::str::from_utf8(words.next()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steady_answers_are_kept() {
        let repeatable = ["incomplete".to_owned(), "resource limit".to_owned()];
        let after = |seconds: f64, text: &str, reason: Option<&str>| {
            let reason = reason.map(str::to_owned);
            let measured = Some(Measured { reason, seconds, ..Measured::default() });
            let limit = Some(Duration::from_secs(2));
            is_steady(&SolverReply { text: text.to_owned(), measured }, &repeatable, limit)
        };
        let query = |text: &str, reason: Option<&str>| after(1.9, text, reason);
        assert!(query("unsat\n", None));
        assert!(query("sat\n", None));
        assert!(query("unknown\n", Some("(incomplete quantifiers)")));
        assert!(query("unknown\n", Some("max. resource limit exceeded")));
        for reason in ["timeout", "canceled", "memout", "interrupted from keyboard", ""] {
            assert!(!query("unknown\n", Some(reason)), "{reason}");
        }
        assert!(!query("unknown\n", None));
        assert!(!query("timeout\n", None));
        assert!(!query("", None));
        assert!(!query("(error \"line 1 column 2: no\")\nunsat\n", None));

        assert!(!after(2.0, "unknown\n", Some("(incomplete (theory arithmetic))")));
        assert!(after(2.0, "unsat\n", None));

        let other = |text: &str| {
            is_steady(&SolverReply { text: text.to_owned(), measured: None }, &repeatable, None)
        };
        assert!(other("(labels @1 +0)\n"));
        assert!(other(""));
        assert!(!other("(error \"model is not available\")\n"));
        assert!(!other("(:max-memory 1.0\n :memory 1.0\n)\n"));
    }

    #[test]
    fn numbers_are_found_among_statistics() {
        let text =
            b"(:reason-unknown \"(incomplete quantifiers)\")\n(:memory 18.87\n :rlimit-count  911)";
        assert_eq!(value(text, "rlimit-count"), Some("911"));
        assert_eq!(value(text, "memory"), Some("18.87"));
        assert_eq!(value(text, "reason-unknown"), Some("\"(incomplete quantifiers)\""));
        assert_eq!(value(text, "time"), None);
        assert_eq!(value(b"(:rlimit-count", "rlimit-count"), None);
    }
}
