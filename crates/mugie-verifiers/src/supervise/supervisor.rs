//! The supervisor: starts keepers, captures the output of runs, and can end all runs.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, PipeReader, Read as _, Write as _};
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{self, Path, PathBuf};
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

/// Time for which output is still read after the end of a run, if some process holds the pipe open;
/// raising it delays the result of such a run.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time that a keeper may take to read its request.
const LISTENING: Duration = Duration::from_secs(10);

/// Bytes read from a stream at a time: the capacity of a pipe.
const PIECE: usize = 64 << 10;

/// Bytes of an incomplete line that are held back. A line that is longer cannot begin a part;
/// raising it delays the capture of long lines.
const LINE: usize = 4 << 10;

/// Runs verifiers, from any number of threads at once.
///
/// A process with a supervisor adopts the orphans of its descendants (`PR_SET_CHILD_SUBREAPER`). If
/// the keeper of a run is killed, all children of this process that belong to another session are
/// killed, so a supervising process should have no other children in sessions of their own.
#[derive(Debug)]
pub struct Supervisor {
    keeper: Keeper,
    runs: Mutex<Runs>,
    /// Keepers that wait for their next run.
    idle: Mutex<Vec<Idle>>,
}

/// A keeper without a run.
#[derive(Debug)]
struct Idle {
    keeper: Child,
    socket: Arc<UnixStream>,
    /// Its standard output and error.
    pipes: [PipeReader; 2],
    /// The parent of its runs' directories, by which it is recognised as a process of such a run.
    parent: PathBuf,
}

impl Idle {
    fn end(mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        std::mem::take(&mut *self.idle()).into_iter().for_each(Idle::end);
    }
}

/// The current runs.
#[derive(Debug, Default)]
struct Runs {
    cancelled: bool,
    sockets: BTreeMap<u64, Arc<UnixStream>>,
    next: u64,
}

impl Supervisor {
    /// A supervisor that starts keepers like this.
    pub fn new(keeper: Keeper) -> Supervisor {
        Supervisor { keeper, runs: Mutex::default(), idle: Mutex::default() }
    }

    /// Runs a program to its end, or to the first limit that it reaches. When this returns, no
    /// process of the run is left.
    ///
    /// The directory belongs to the run: if this process dies before the run is over, the directory
    /// is removed with everything in it, and so is its parent directory if that is then empty. A
    /// directory that contains the current directory of this process is refused.
    pub fn run(&self, command: &CommandLine, limits: &Limits) -> Run {
        self.run_with(command, limits, None)
    }

    /// Runs a program that does several things one after another. A line of standard output for
    /// which `begins` returns true starts a part and ends the previous one, which is passed to
    /// `each`; if that returns a break, the run ends as [`Ending::Cancelled`]. The limits apply to
    /// each part. The returned run describes the last part: everything since the last line that
    /// started a part, or the whole run if there is no such line.
    ///
    /// A part is measured when its end is noticed, a moment too late. Parts whose end is noticed
    /// only after the end of the whole run share its remaining usage equally.
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
            let started = self.launch(&command.directory, &request);
            started.map_err(|error| format!("cannot start its keeper: {}", why(&error)))
        });
        match started {
            Ok(started) => {
                let number = self.enter(&started.socket);
                let (run, keeper) = started.finish(limits, parts, &|| self.is_cancelled());
                self.leave(number, keeper);
                run
            }
            Err(reason) => without_output(Ending::Lost(reason)),
        }
    }

    /// Starts a run, by a keeper that has done others if there is one: starting a process takes a while.
    fn launch(&self, directory: &Path, request: &[u8]) -> io::Result<Launched> {
        let parent = directory.parent().unwrap_or(directory);
        let found = {
            let mut idle = self.idle();
            let place = idle.iter().rposition(|idle| idle.parent == parent);
            place.map(|place| idle.swap_remove(place))
        };
        match found.and_then(|idle| Launched::again(idle, request)) {
            Some(started) => Ok(started),
            None => Launched::start(&self.keeper, directory, request),
        }
    }

    /// Removes a run from the current ones. Its keeper may do another, unless it was told to end.
    fn leave(&self, number: u64, keeper: Option<Idle>) {
        let mut runs = self.runs();
        runs.sockets.remove(&number);
        match keeper {
            Some(keeper) if runs.cancelled => keeper.end(),
            Some(keeper) => self.idle().push(keeper),
            None => {}
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all current runs at once and lets no new run start. Returns before the runs are over.
    pub fn cancel(&self) {
        let mut runs = self.runs();
        runs.cancelled = true;
        runs.sockets.values().for_each(|socket| stop(socket, Stop::Cancelled));
    }

    /// Whether [`Supervisor::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.runs().cancelled
    }

    /// Adds a run to the current ones and returns its number.
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

/// Asks a keeper to end its run. A keeper that is gone or does not read is noticed elsewhere.
fn stop(mut socket: &UnixStream, why: Stop) {
    let _ = socket.write_all(&[why.byte()]);
}

/// The encoded request to a keeper.
fn request(command: &CommandLine, limits: &Limits) -> Result<Vec<u8>, String> {
    let CommandLine { program, arguments, directory, environment } = command;
    let absolute = |path: &path::PathBuf| {
        path::absolute(path).map_err(|error| format!("cannot use {}: {error}", path.display()))
    };
    if let (Ok(directory), Ok(home)) = (fs::canonicalize(directory), env::current_dir())
        && home.starts_with(&directory)
    {
        return Err(format!(
            "{} contains the current directory, so it cannot be that of a run",
            directory.display()
        ));
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

/// The state of splitting a run into parts.
struct Parts<'f> {
    begins: &'f mut dyn FnMut(&str) -> bool,
    each: &'f mut dyn FnMut(Part) -> ControlFlow<()>,
    /// The last line of standard output, as long as it is incomplete, or the rest of a long line.
    line: Vec<u8>,
    /// Whether `line` is only the rest of a long line.
    is_rest: bool,
    /// The output of finished parts whose usage is not known yet.
    printed: VecDeque<[Captured; 2]>,
    /// Whether `each` asked for no more parts.
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

    /// Takes the next bytes of standard output, of which only the last may be a line break. Once
    /// the line is complete, or long enough, returns it and whether it begins a part.
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

    /// Passes the oldest finished part to `each`, now that its usage is known.
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

/// A keeper that has its request, and the streams of its run.
struct Launched {
    keeper: Child,
    /// The socket to the keeper. Neither reading nor writing blocks.
    socket: Arc<UnixStream>,
    /// Bytes received from the keeper that are not a complete message yet.
    received: Vec<u8>,
    /// Number of finished parts that have not been reported to the keeper yet.
    unsaid_laps: usize,
    /// Whether the keeper was told anything after its request, which it may not have read.
    has_spoken: bool,
    /// The parent of the run's directory.
    parent: PathBuf,
    /// Standard output and error.
    streams: [Stream; 2],
}

/// One stream of a run.
struct Stream {
    /// The pipe, until its end was read.
    pipe: Option<PipeReader>,
    capture: Capture,
}

/// How a run ended, and what it used since its last part began.
type Ended = (Ending, Usage);

impl Launched {
    fn start(keeper: &Keeper, directory: &Path, request: &[u8]) -> io::Result<Launched> {
        adopt_orphans();
        let (ours, theirs) = UnixStream::pair()?;
        // Most of the request is written before the keeper exists, so that the keeper knows what to
        // clean up even if this process dies at once.
        ours.set_nonblocking(true)?;
        let said = (&ours).write(request)?;
        ours.set_nonblocking(false)?;
        let mut keeper = Command::new(&keeper.program)
            .args(&keeper.arguments)
            .envs(keeper.environment.iter().map(|(name, value)| (name, value)))
            // The processes of a run are recognised by this variable, and the keeper is one of
            // them.
            .env("TMPDIR", directory)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is for this process only.
            .process_group(0)
            .spawn()?;
        let stdout = keeper.stdout.take().map(OwnedFd::from);
        let stderr = keeper.stderr.take().map(OwnedFd::from);
        // A keeper that is gone or does not read is noticed when its answer is read.
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
            has_spoken: false,
            parent: directory.parent().unwrap_or(directory).to_owned(),
            streams: [stdout, stderr].map(stream),
        })
    }

    /// Gives a keeper its next run. `None` if it does not take it.
    fn again(idle: Idle, request: &[u8]) -> Option<Launched> {
        let mut socket = &*idle.socket;
        let told = socket.set_nonblocking(false).and_then(|()| socket.write_all(request));
        if told.and_then(|()| socket.set_nonblocking(true)).is_err() {
            idle.end();
            return None;
        }
        let Idle { keeper, socket, pipes, parent } = idle;
        let streams = pipes.map(|pipe| Stream { pipe: Some(pipe), capture: Capture::default() });
        Some(Launched {
            keeper,
            socket,
            received: Vec::new(),
            unsaid_laps: 0,
            has_spoken: false,
            parent,
            streams,
        })
    }

    /// Takes the messages of the keeper that have arrived. Returns how the run ended, if one says so.
    fn take_messages(
        &mut self,
        mut parts: Option<&mut Parts<'_>>,
        vigil: &mut Vigil,
    ) -> Option<Ended> {
        while let Some(message) = self.next_message() {
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
                        // Some processes may be left.
                        take_over(&mut self.keeper);
                    }
                    return Some((ending, usage));
                }
            }
        }
        None
    }

    /// Reads all output and messages until the end of the run.
    fn finish(
        mut self,
        limits: &Limits,
        mut parts: Option<Parts<'_>>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> (Run, Option<Idle>) {
        let mut buffer = vec![0; PIECE];
        let mut output = 0;
        let mut answer = None;
        let mut vigil = Vigil::new(&self.keeper, limits);
        self.has_spoken = parts.is_some();
        // When to stop reading the streams. Set once the keeper has sent its last message.
        let mut patience: Option<Instant> = None;
        // Whether the keeper waits for its next run by then.
        let mut is_kept = false;
        while patience.is_none_or(|end| self.is_printing() && Instant::now() < end) {
            let ready = match self.wait(if is_kept { Some(Instant::now()) } else { patience }) {
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
                    self.has_spoken = true;
                    stop(&self.socket, Stop::Output);
                    vigil.hurry();
                }
            }
            if patience.is_some() {
                // Nothing is left that could print more, and the keeper does not close the streams.
                if is_kept && !ready[..2].contains(&true) {
                    break;
                }
                continue;
            }
            if is_cancelled() {
                vigil.hurry();
            }
            self.say_laps();
            let trouble = vigil.trouble();
            // Read after looking at the keeper, because messages that it sent before its end count.
            let trouble = if self.listen() { trouble } else { Some(Trouble::Ended) };
            if answer.is_none() {
                answer = self.take_messages(parts.as_mut(), &mut vigil);
            }
            if answer.is_none()
                && let Some(trouble) = trouble
            {
                let (ending, usage) = self.take_over(trouble);
                let ending = if is_cancelled() { Ending::Cancelled } else { ending };
                answer = Some((ending, usage));
            }
            if let Some((ending, _)) = &answer {
                is_kept = self.can_be_kept(ending);
                patience = Some(Instant::now() + PATIENCE);
            }
        }
        let mut answer = answer.unwrap_or_else(|| self.take_over(Trouble::Ended));
        if let Some(mut parts) = parts {
            self.streams[0].capture.push(&parts.line);
            let shared = share(&mut answer.1, parts.printed.len());
            while !parts.printed.is_empty() {
                // A break does not matter, since the run is over.
                let _ = parts.hand_out(shared);
            }
        }
        self.over(answer, output > limits.output, is_kept)
    }

    /// Whether the keeper of a run that ended like this waits for another one, and nothing but that.
    fn can_be_kept(&self, ending: &Ending) -> bool {
        let is_over = matches!(ending, Ending::Exited(_) | Ending::Signaled(_));
        is_over && !self.has_spoken && self.received.is_empty()
    }

    /// Whether there may be more to read from the streams.
    fn is_printing(&self) -> bool {
        self.streams.iter().any(|stream| stream.pipe.is_some())
    }

    /// Takes the next bytes of standard output. Returns whether they begin a part.
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

    /// Reports finished parts to the keeper, as far as that is possible without blocking.
    fn say_laps(&mut self) {
        if self.unsaid_laps > 0 {
            // A keeper that is gone is noticed when its answer is read.
            let said = (&*self.socket).write(&vec![LAP; self.unsaid_laps]);
            self.unsaid_laps -= said.unwrap_or(0);
        }
    }

    /// Reads what the keeper has sent. Returns whether it may send more.
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

    /// The next complete message of the keeper, if there is one. An invalid message is treated as a
    /// keeper that does not answer any more.
    fn next_message(&mut self) -> Option<Message> {
        wire::take(&mut self.received).ok().flatten()
    }

    /// Ends the run in place of its keeper.
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

    /// Waits until a stream or the socket can be read and returns which. Nothing can be read if the
    /// time until `patience` is over, or if it is time to look at the keeper.
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

    /// The result of the run, once there is nothing left to read, and the keeper if it is to be kept.
    fn over(mut self, (ending, usage): Ended, flooded: bool, is_kept: bool) -> (Run, Option<Idle>) {
        // The result must not depend on whether the verifier or the request to end it was faster.
        let ending = match ending {
            Ending::Exited(_) | Ending::Signaled(_) if flooded => Ending::Limited(Limit::Output),
            ending => ending,
        };
        let [(out, stdout), (err, stderr)] =
            self.streams.map(|stream| (stream.pipe, stream.capture.finish()));
        let idle = match (out, err) {
            (Some(out), Some(err)) if is_kept && !self.has_spoken => Some(Idle {
                keeper: self.keeper,
                socket: self.socket,
                pipes: [out, err],
                parent: self.parent,
            }),
            _ => {
                drop(self.socket);
                // The keeper has sent its last message or is gone: there is nothing to wait for.
                let _ = self.keeper.kill();
                let _ = self.keeper.wait();
                None
            }
        };
        (Run { ending, usage, stdout, stderr }, idle)
    }
}

/// Divides the usage of the last part and the `others` before it equally. Returns the share of one.
fn share(usage: &mut Usage, others: usize) -> Usage {
    let all = u32::try_from(others + 1).unwrap_or(u32::MAX);
    *usage = Usage { wall: usage.wall / all, cpu: usage.cpu / all, ..*usage };
    *usage
}

impl Stream {
    /// Reads what is available and returns its length.
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
