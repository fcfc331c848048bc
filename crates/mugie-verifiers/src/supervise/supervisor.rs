//! The supervisor: starts keepers, takes what the runs print, and can end them all.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, PipeReader, Read as _, Write as _};
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{self, Path};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::capture::Capture;
use super::take_over::{LOOK, Trouble, Vigil, adopt_orphans, take_over};
use super::wire::{self, LAP, Message, Request, Stop};
use super::{Keeper, why, without_output};
use crate::run::{Captured, CommandLine, Ending, Limit, Limits, Part, Run, Usage};

/// How long streams are read after the keeper is gone, if some process still holds them.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a keeper may take to listen to what it is to do.
const LISTENING: Duration = Duration::from_secs(10);

/// Bytes that are taken from a stream at a time: what a pipe holds.
const PIECE: usize = 64 << 10;

/// A line that is longer begins no part.
const LINE: usize = 4 << 10;

/// Runs verifiers, from any number of threads at once.
///
/// The process that has one becomes the one to which orphans fall that its children leave
/// (`PR_SET_CHILD_SUBREAPER`). If the keeper of a run is killed, all children that belong to another
/// session are ended; so a process that supervises should have none but those of runs.
#[derive(Debug)]
pub struct Supervisor {
    keeper: Keeper,
    runs: Mutex<Runs>,
}

/// The runs that are under way.
#[derive(Debug, Default)]
struct Runs {
    cancelled: bool,
    sockets: BTreeMap<u64, Arc<UnixStream>>,
    next: u64,
}

impl Supervisor {
    /// A supervisor whose runs are watched by such keepers.
    pub fn new(keeper: Keeper) -> Supervisor {
        Supervisor { keeper, runs: Mutex::default() }
    }

    /// Runs a program to its end, or to the first limit it reaches. When this returns, no process
    /// of the run is left.
    ///
    /// The directory belongs to the run: should this process die before the run is over, the
    /// directory is removed with all that is in it, and then the one around it if that is empty.
    /// A directory in which this process itself is at home is refused.
    pub fn run(&self, command: &CommandLine, limits: &Limits) -> Run {
        self.run_with(command, limits, None)
    }

    /// Runs a program that does one thing after the other. A line of standard output that `begins`
    /// a part ends the one before, which `each` then gets; a break from it ends the run, as
    /// [`Ending::Cancelled`]. The limits are those of each part. What is returned is about the last
    /// one: all that came after the last line that began a part, or the whole run if there is none.
    ///
    /// A part is measured when its end is seen, a moment too late. Those whose end is seen only
    /// after that of the whole run share what was used.
    pub fn run_in_parts(
        &self,
        command: &CommandLine,
        limits: &Limits,
        begins: &mut dyn FnMut(&str) -> bool,
        each: &mut dyn FnMut(Part) -> ControlFlow<()>,
    ) -> Run {
        self.run_with(command, limits, Some(Parts::new(begins, each)))
    }

    fn run_with(&self, command: &CommandLine, limits: &Limits, parts: Option<Parts<'_>>) -> Run {
        if self.is_cancelled() {
            return without_output(Ending::Cancelled);
        }
        let started = request(command, limits).and_then(|request| {
            Launched::start(&self.keeper, &command.directory, &request)
                .map_err(|error| format!("cannot start its keeper: {}", why(&error)))
        });
        match started {
            Ok(started) => {
                let number = self.enter(&started.socket);
                let run = started.finish(limits, parts, &|| self.is_cancelled());
                self.runs().sockets.remove(&number);
                run
            }
            Err(reason) => without_output(Ending::Lost(reason)),
        }
    }

    /// Ends all runs that are under way, at once, and lets no new one start. Returns before they
    /// are over.
    pub fn cancel(&self) {
        let mut runs = self.runs();
        runs.cancelled = true;
        runs.sockets.values().for_each(|socket| stop(socket, Stop::Cancelled));
    }

    /// Whether [`Supervisor::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.runs().cancelled
    }

    /// Adds a run to those under way.
    fn enter(&self, socket: &Arc<UnixStream>) -> u64 {
        let mut runs = self.runs();
        if runs.cancelled {
            stop(socket, Stop::Cancelled);
        }
        let number = runs.next;
        runs.next += 1;
        runs.sockets.insert(number, Arc::clone(socket));
        number
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        // Nothing panics between two changes that belong together.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks a keeper to end its run. If it is gone, or does not listen, that is noticed elsewhere.
fn stop(mut socket: &UnixStream, why: Stop) {
    let _ = socket.write_all(&[why.byte()]);
}

/// What a keeper must know of a run, as bytes.
fn request(command: &CommandLine, limits: &Limits) -> Result<Vec<u8>, String> {
    let CommandLine { program, arguments, directory, environment } = command;
    let absolute = |path: &path::PathBuf| {
        path::absolute(path).map_err(|error| format!("cannot use {}: {error}", path.display()))
    };
    if let (Ok(directory), Ok(home)) = (fs::canonicalize(directory), env::current_dir())
        && home.starts_with(&directory)
    {
        return Err(format!("{} does not belong to the run alone", directory.display()));
    }
    let request = Request {
        program: absolute(program)?.into(),
        arguments: arguments.clone(),
        directory: absolute(directory)?.into(),
        environment: environment.clone(),
        limits: *limits,
    };
    wire::encode(&request).map_err(|error| format!("cannot ask for the run: {error}"))
}

/// The parts of a run.
struct Parts<'f> {
    begins: &'f mut dyn FnMut(&str) -> bool,
    each: &'f mut dyn FnMut(Part) -> ControlFlow<()>,
    /// The line of standard output that was not printed to its end yet, or the rest of it.
    line: Vec<u8>,
    /// Whether that is only the rest of it.
    is_rest: bool,
    /// What parts printed whose usage is not known yet.
    printed: VecDeque<[Captured; 2]>,
    /// Whether nobody wants any more of them.
    is_enough: bool,
}

impl<'f> Parts<'f> {
    fn new(
        begins: &'f mut dyn FnMut(&str) -> bool,
        each: &'f mut dyn FnMut(Part) -> ControlFlow<()>,
    ) -> Parts<'f> {
        Parts {
            begins,
            each,
            line: Vec::new(),
            is_rest: false,
            printed: VecDeque::new(),
            is_enough: false,
        }
    }

    /// Takes the next bytes of standard output, in which only the last may end a line. Gives what
    /// is to be kept, and whether it begins a part, once that is known.
    fn take(&mut self, bytes: &[u8]) -> Option<(Vec<u8>, bool)> {
        self.line.extend_from_slice(bytes);
        let is_whole = bytes.ends_with(b"\n");
        if !is_whole && self.line.len() <= LINE {
            return None;
        }
        let line = std::mem::take(&mut self.line);
        let begins = is_whole && !self.is_rest && !self.is_enough && {
            let line = String::from_utf8_lossy(&line);
            (self.begins)(line.trim_end_matches(['\r', '\n']))
        };
        self.is_rest = !is_whole;
        Some((line, begins))
    }

    /// The usage of the part that ended first is known.
    fn hand_out(&mut self, usage: Usage) -> ControlFlow<()> {
        let Some([stdout, stderr]) = self.printed.pop_front() else {
            return ControlFlow::Continue(());
        };
        if self.is_enough {
            return ControlFlow::Continue(());
        }
        let flow = (self.each)(Part { usage, stdout, stderr });
        self.is_enough = flow.is_break();
        flow
    }
}

/// A keeper that knows what to run.
struct Launched {
    keeper: Child,
    /// Never waits, neither for what the keeper says nor until it listens.
    socket: Arc<UnixStream>,
    /// What came from it, as far as it is no whole message.
    received: Vec<u8>,
    /// Parts whose end the keeper was not told yet.
    unsaid_laps: usize,
    /// Standard output and error.
    streams: [Stream; 2],
}

/// One stream of a run.
struct Stream {
    /// Until its end.
    pipe: Option<PipeReader>,
    capture: Capture,
}

/// How a run ended, and what it used since its last part began.
type Ended = (Ending, Usage);

impl Launched {
    fn start(keeper: &Keeper, directory: &Path, request: &[u8]) -> io::Result<Launched> {
        adopt_orphans();
        let (ours, theirs) = UnixStream::pair()?;
        // As much as possible is said before there is anyone to hear it: then a keeper knows what
        // to clean up even if this process dies at once.
        ours.set_nonblocking(true)?;
        let said = (&ours).write(request)?;
        ours.set_nonblocking(false)?;
        let mut keeper = Command::new(&keeper.program)
            .args(&keeper.arguments)
            .envs(keeper.environment.iter().map(|(name, value)| (name, value)))
            // By this the processes of a run are known, and the keeper is one of them.
            .env("TMPDIR", directory)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is for this process only.
            .process_group(0)
            .spawn()?;
        let stdout = keeper.stdout.take().map(OwnedFd::from);
        let stderr = keeper.stderr.take().map(OwnedFd::from);
        // If the keeper is gone, or does not listen, that shows when its answer is read.
        let _ = ours.set_write_timeout(Some(LISTENING));
        let _ = (&ours).write_all(&request[said..]);
        let _ = ours.set_nonblocking(true);
        let stream = |pipe: Option<OwnedFd>| Stream {
            pipe: pipe.map(Into::into),
            capture: Capture::default(),
        };
        Ok(Launched {
            keeper,
            socket: Arc::new(ours),
            received: Vec::new(),
            unsaid_laps: 0,
            streams: [stdout, stderr].map(stream),
        })
    }

    /// Reads all that comes, to the end of the run.
    fn finish(
        mut self,
        limits: &Limits,
        mut parts: Option<Parts<'_>>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Run {
        let mut buffer = vec![0; PIECE];
        let mut output = 0;
        let mut answer = None;
        let mut vigil = Vigil::new(&self.keeper, limits);
        // Set when the keeper has nothing more to say.
        let mut patience: Option<Instant> = None;
        while patience.is_none_or(|end| self.is_printing() && Instant::now() < end) {
            let ready = match self.wait(patience) {
                Ok(ready) => ready,
                Err(Errno::EINTR) => continue,
                Err(error) => {
                    answer =
                        Some(self.take_over(Trouble::Idle(format!("cannot watch it: {error}"))));
                    break;
                }
            };
            for index in (0..self.streams.len()).filter(|&index| ready[index]) {
                let length = self.streams[index].read(&mut buffer);
                let before = output;
                output += length as u64;
                match &mut parts {
                    Some(parts) if index == 0 => {
                        for bytes in buffer[..length].split_inclusive(|&byte| byte == b'\n') {
                            if self.take(bytes, parts) {
                                output = 0;
                                vigil.restart();
                            }
                        }
                    }
                    _ => self.streams[index].capture.push(&buffer[..length]),
                }
                if before <= limits.output && limits.output < output {
                    stop(&self.socket, Stop::Output);
                    vigil.hurry();
                }
            }
            if patience.is_some() {
                continue;
            }
            if is_cancelled() {
                vigil.hurry();
            }
            self.say_laps();
            let trouble = vigil.trouble();
            // After the look at the keeper: what it said before its end counts.
            let trouble = if self.listen() { trouble } else { Some(Trouble::Ended) };
            while answer.is_none()
                && let Some(message) = self.next_message()
            {
                match message {
                    Message::Lap(usage) => {
                        let flow = parts.as_mut().map(|parts| parts.hand_out(usage));
                        if flow.is_some_and(|flow| flow.is_break()) {
                            stop(&self.socket, Stop::Cancelled);
                            vigil.hurry();
                        }
                    }
                    Message::Over(ending, usage) => {
                        if matches!(ending, Ending::Lost(_)) {
                            // It may have left something.
                            take_over(&mut self.keeper);
                        }
                        answer = Some((ending, usage));
                    }
                }
            }
            if answer.is_none()
                && let Some(trouble) = trouble
            {
                let (ending, usage) = self.take_over(trouble);
                let ending = if is_cancelled() { Ending::Cancelled } else { ending };
                answer = Some((ending, usage));
            }
            if answer.is_some() {
                patience = Some(Instant::now() + PATIENCE);
            }
        }
        let mut answer = answer.unwrap_or_else(|| self.take_over(Trouble::Ended));
        if let Some(mut parts) = parts {
            self.streams[0].capture.push(&parts.line);
            let shared = share(&mut answer.1, parts.printed.len());
            while !parts.printed.is_empty() {
                // The run is over anyhow.
                let _ = parts.hand_out(shared);
            }
        }
        self.over(answer, output > limits.output)
    }

    /// Whether there may be more to read from the streams.
    fn is_printing(&self) -> bool {
        self.streams.iter().any(|stream| stream.pipe.is_some())
    }

    /// Takes the next bytes of standard output; says whether a part began.
    fn take(&mut self, bytes: &[u8], parts: &mut Parts<'_>) -> bool {
        let Some((line, begins)) = parts.take(bytes) else { return false };
        if begins {
            let ended = self.streams.each_mut().map(|stream| std::mem::take(&mut stream.capture));
            parts.printed.push_back(ended.map(Capture::finish));
            self.unsaid_laps += 1;
        }
        self.streams[0].capture.push(&line);
        begins
    }

    /// Tells the keeper of parts that are over, as far as it listens.
    fn say_laps(&mut self) {
        if self.unsaid_laps > 0 {
            // If the keeper is gone, that shows when its answer is read.
            let said = (&*self.socket).write(&vec![LAP; self.unsaid_laps]);
            self.unsaid_laps -= said.unwrap_or(0);
        }
    }

    /// Takes what the keeper has said; tells whether it may say more.
    fn listen(&mut self) -> bool {
        let mut bytes = [0; 4096];
        loop {
            match (&*self.socket).read(&mut bytes) {
                Ok(0) => return false,
                Ok(length) => self.received.extend_from_slice(&bytes[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
            }
        }
    }

    /// The next message of the keeper, if there is one. What makes no sense is none: then the keeper
    /// does not answer any more.
    fn next_message(&mut self) -> Option<Message> {
        wire::take(&mut self.received).ok().flatten()
    }

    /// Ends the run in the place of its keeper.
    fn take_over(&mut self, trouble: Trouble) -> Ended {
        let left = take_over(&mut self.keeper);
        let reason = match (trouble, self.keeper.try_wait()) {
            _ if !left.is_empty() => format!("some of its processes cannot be killed: {left:?}"),
            (Trouble::Idle(reason), _) => reason,
            (Trouble::Ended, Ok(Some(status))) => format!("its keeper ended early ({status})"),
            (Trouble::Ended, _) => "its keeper cannot be killed".to_owned(),
        };
        (Ending::Lost(reason), Usage::default())
    }

    /// Waits until a stream or the socket has something to read; tells which. None has if patience
    /// is at its end, or the keeper should be looked at.
    fn wait(&self, patience: Option<Instant>) -> nix::Result<[bool; 3]> {
        let pipes = self.streams.iter().map(|stream| stream.pipe.as_ref().map(|pipe| pipe.as_fd()));
        let socket = patience.is_none().then(|| self.socket.as_fd());
        let open: Vec<_> = pipes
            .chain([socket])
            .enumerate()
            .filter_map(|(index, source)| Some((index, source?)))
            .collect();
        let mut sources: Vec<_> =
            open.iter().map(|&(_, source)| PollFd::new(source, PollFlags::POLLIN)).collect();
        let most = patience.map_or(LOOK, |end| end.saturating_duration_since(Instant::now()));
        let timeout = PollTimeout::from(u16::try_from(most.as_millis()).unwrap_or(u16::MAX));
        poll(&mut sources, timeout)?;
        let mut ready = [false; 3];
        for ((index, _), source) in open.iter().zip(sources) {
            ready[*index] = source.any().unwrap_or(true);
        }
        Ok(ready)
    }

    /// The run, when there is no more to read.
    fn over(mut self, (ending, usage): Ended, flooded: bool) -> Run {
        drop(self.socket);
        // It has said all that it had to say, or is gone: there is nothing to wait for.
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
        // Whether the verifier or the request to end it was faster must not matter.
        let ending = match ending {
            Ending::Exited(_) | Ending::Signaled(_) if flooded => Ending::Limited(Limit::Output),
            ending => ending,
        };
        let [stdout, stderr] = self.streams.map(|stream| stream.capture.finish());
        Run { ending, usage, stdout, stderr }
    }
}

/// Takes from a usage that is that of the last part and `others` before it what belongs to each.
fn share(usage: &mut Usage, others: usize) -> Usage {
    let all = u32::try_from(others + 1).unwrap_or(u32::MAX);
    *usage = Usage { wall: usage.wall / all, cpu: usage.cpu / all, ..*usage };
    *usage
}

impl Stream {
    /// Takes what is there to read; says how much.
    fn read(&mut self, buffer: &mut [u8]) -> usize {
        let Some(pipe) = &mut self.pipe else { return 0 };
        match pipe.read(buffer) {
            Ok(0) => self.pipe = None,
            Ok(length) => return length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.pipe = None,
        }
        0
    }
}
