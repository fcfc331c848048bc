//! The real solver, behind the tap.
//!
//! Commands are sent in parts. After each part the solver is told to echo a mark, so that the end
//! of an answer is certain whatever the solver prints. This module must not know what the parts
//! mean.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{self, Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::serve::use_huge_pages;
use crate::smt::lex::line_ends;

/// Maximum size of an answer in bytes; a solver that prints more counts as gone.
const MAX_ANSWER: usize = 256 << 20;

/// Milliseconds between two looks at the solver's processor time; raising it saves CPU and delays
/// the end of a solver that overruns.
const TICK: u16 = 100;

/// Number of ticks that a solver may take to exit after it closed its output.
const PATIENCE: u32 = 10;

/// A running solver.
#[derive(Debug)]
pub(super) struct Solver {
    child: Child,
    /// The sender of input to the writer thread. A solver that complains may stop reading until its
    /// complaints are read, so writing must not block this thread.
    input: Option<Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    output: ChildStdout,
    errors: ChildStderr,
    marks: u64,
    /// Number of lines sent, not counting a line break that was sent before the verifier sent its
    /// own.
    lines: usize,
    /// Whether a line break was sent that the verifier has not sent yet.
    ended_line: bool,
}

/// What the solver did when it was asked something.
#[derive(Debug)]
pub(super) enum Heard {
    /// It answered: its output for each part, and whether it printed to standard error as well.
    Answers(Vec<Vec<u8>>, bool),
    /// It exited: the output before its end.
    Gone(Vec<u8>),
    /// It used more than its processor time and was killed.
    Overrun,
}

impl Solver {
    /// Starts the solver.
    pub(super) fn start(program: &OsString, arguments: &[OsString]) -> io::Result<Solver> {
        use_huge_pages(true);
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        use_huge_pages(false);
        let mut child = child?;
        let (Some(mut pipe), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("a pipe is missing"));
        };
        let (input, texts) = mpsc::channel::<Vec<u8>>();
        let writer = thread::spawn(move || {
            for text in texts {
                // A solver that reads no more is noticed when it should answer.
                if pipe.write_all(&text).is_err() {
                    break;
                }
            }
        });
        Ok(Solver {
            child,
            input: Some(input),
            writer: Some(writer),
            output,
            errors,
            marks: 0,
            lines: 0,
            ended_line: false,
        })
    }

    /// The number of the verifier's lines that were sent to the solver.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// Sends the parts and waits for the answers. `time` is a limit on the solver's processor time.
    pub(super) fn ask(&mut self, parts: &[&[u8]], time: Option<Duration>) -> io::Result<Heard> {
        let mut text = Vec::new();
        let mut marks = Vec::new();
        for part in parts {
            let mark = format!("mugie-tap-{}-{}", process::id(), self.marks);
            self.marks += 1;
            text.extend_from_slice(part);
            text.extend_from_slice(format!(" (echo \"{mark}\")").as_bytes());
            marks.push(mark);
        }
        let limit = time.and_then(|time| Some(self.used()? + time));
        self.say(text);
        self.end_line();
        let Some(last) = marks.last() else { return Ok(Heard::Answers(Vec::new(), false)) };
        let (mut answer, mut noise) = (Vec::new(), false);
        while !ends_with_line(&answer, last) {
            let (output, errors) = match self.wait(TICK) {
                Err(Errno::EINTR) => continue,
                ready => ready?,
            };
            if errors {
                noise |= self.pass_errors()?;
            }
            if output && (!read_piece(&mut self.output, &mut answer)? || answer.len() > MAX_ANSWER)
            {
                self.pass_rest_of_errors()?;
                return Ok(Heard::Gone(cut(&answer, &marks).concat()));
            }
            if limit.is_some_and(|limit| self.used().is_some_and(|used| used > limit)) {
                self.end();
                return Ok(Heard::Overrun);
            }
        }
        // Complaints that the solver printed before its answer have arrived by now.
        while self.wait(0).is_ok_and(|(_, errors)| errors) && self.pass_errors()? {
            noise = true;
        }
        Ok(Heard::Answers(cut(&answer, &marks), noise))
    }

    /// Sends `text`, and then forwards everything in both directions until the solver exits.
    pub(super) fn pass_on(mut self, text: Vec<u8>) -> io::Result<ExitStatus> {
        self.say(text);
        let Solver { mut child, input, mut output, mut errors, .. } = self;
        let feeder = thread::spawn(move || {
            let Some(input) = input else { return };
            let mut buffer = vec![0; 64 << 10];
            while let Ok(length @ 1..) = io::stdin().read(&mut buffer) {
                if input.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let complaints = thread::spawn(move || io::copy(&mut errors, &mut io::stderr()));
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = output.read(&mut buffer) {
            let mut stdout = io::stdout().lock();
            stdout.write_all(&buffer[..length])?;
            stdout.flush()?;
        }
        let _ = complaints.join();
        // The feeder waits for input that nobody will read; it ends with the process.
        drop(feeder);
        child.wait()
    }

    /// The exit code of a solver that closed its output, as a shell would report it.
    pub(super) fn exit_code(&mut self) -> u8 {
        self.input = None;
        for _ in 0..PATIENCE {
            match self.child.try_wait() {
                Ok(Some(status)) => return exit_code(status),
                Ok(None) => thread::sleep(Duration::from_millis(u64::from(TICK))),
                Err(_) => break,
            }
        }
        self.end();
        1
    }

    /// Kills the solver.
    pub(super) fn end(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }

    fn say(&mut self, mut text: Vec<u8>) {
        if std::mem::take(&mut self.ended_line) {
            self.lines += 1;
            if text.starts_with(b"\n") {
                text.remove(0);
            }
        }
        self.lines += line_ends(&text);
        if let Some(input) = &self.input {
            let _ = input.send(text);
        }
    }

    /// Ends the line, because a solver does not read half a line. If the verifier ends it as well,
    /// its line break is not sent again.
    fn end_line(&mut self) {
        if let Some(input) = &self.input {
            let _ = input.send(b"\n".to_vec());
        }
        self.ended_line = true;
    }

    /// Waits until there is something to read. Returns whether there is on standard output, and
    /// whether there is on standard error.
    fn wait(&self, milliseconds: u16) -> nix::Result<(bool, bool)> {
        let mut sources = [
            PollFd::new(self.output.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.errors.as_fd(), PollFlags::POLLIN),
        ];
        poll(&mut sources, PollTimeout::from(milliseconds))?;
        let readable =
            |source: &PollFd<'_>| source.revents().is_some_and(|events| !events.is_empty());
        Ok((readable(&sources[0]), readable(&sources[1])))
    }

    /// Forwards a chunk of the solver's standard error. Returns false at the end of the stream.
    fn pass_errors(&mut self) -> io::Result<bool> {
        let mut piece = Vec::new();
        let any = read_piece(&mut self.errors, &mut piece)?;
        io::stderr().write_all(&piece)?;
        Ok(any)
    }

    fn pass_rest_of_errors(&mut self) -> io::Result<()> {
        while self.wait(0).is_ok_and(|(_, errors)| errors) && self.pass_errors()? {}
        Ok(())
    }

    /// The processor time that the solver has used, if the system reports it.
    fn used(&self) -> Option<Duration> {
        let text = fs::read_to_string(format!("/proc/{}/schedstat", self.child.id())).ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }
}

/// The exit code that a shell would report.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Reads what is available. Returns false at the end of the stream.
fn read_piece(source: &mut impl Read, to: &mut Vec<u8>) -> io::Result<bool> {
    let mut buffer = [0; 16 << 10];
    let length = match source.read(&mut buffer) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
        length => length?,
    };
    to.extend_from_slice(&buffer[..length]);
    Ok(length > 0)
}

/// Whether the last line of a text is a mark, with or without quotes around it.
fn ends_with_line(text: &[u8], mark: &str) -> bool {
    text.strip_suffix(b"\n").is_some_and(|text| {
        let start = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        is_mark(&text[start..], mark)
    })
}

fn is_mark(line: &[u8], mark: &str) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let bare = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    bare.unwrap_or(line) == mark.as_bytes()
}

/// Splits a text at the marks, which appear in this order. The text after the last mark is a part,
/// too.
fn cut(text: &[u8], marks: &[String]) -> Vec<Vec<u8>> {
    let mut parts = vec![Vec::new()];
    let mut marks = marks.iter();
    let mut awaited = marks.next();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        if awaited.is_some_and(|mark| is_mark(bare, mark)) {
            awaited = marks.next();
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.extend_from_slice(line);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_cut_at_marks() {
        let marks = ["m-1".to_owned(), "m-2".to_owned(), "m-3".to_owned()];
        let text = b"one\ntwo\nm-1\nm-2\n(three\n\"m-1\n)\n\"m-3\"\n";
        let parts = cut(text, &marks);
        assert_eq!(parts, [&b"one\ntwo\n"[..], b"", b"(three\n\"m-1\n)\n", b""]);
        assert_eq!(cut(b"one\nm-1\ntw", &marks), [&b"one\n"[..], b"tw"]);
        assert!(ends_with_line(text, "m-3"));
        assert!(!ends_with_line(text, "-3"));
        assert!(!ends_with_line(b"m-3", "m-3"));
    }
}
