//! The keeper: the watchdog process of a run, which leaves nothing of the run behind.
//!
//! When its run is over, it waits for the next one, and ends when its supervisor has none for it. It has one
//! thread, prints nothing, and does nothing else. It talks to the supervisor
//! over the socket that is its standard input; its standard output and error are those of the
//! verifier.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::sysinfo::sysinfo;
use nix::unistd::{Pid, setsid};

use super::clock::Clock;
use super::group::{Group, Place};
use super::litter;
use super::processes::{Processes, any_ready, reap_one};
use super::sweep::{Priority, strike};
use super::wire::{self, LAP, Message, Request, Stop};
use super::{DYING, SHARED, why};
use crate::run::{Ending, Limit, Limits, Usage};

/// Time between two looks at the process table; raising it saves CPU and delays the kill of a run
/// that reached a limit.
const TICK: Duration = Duration::from_millis(100);

/// Time between two cheap checks for too many processes; raising it saves CPU, but a fork bomb
/// doubles and gets far in a short time.
const GLANCE: Duration = Duration::from_millis(10);

/// Minimum time between two looks, however near a limit is.
const SHORTEST_TICK: Duration = Duration::from_millis(5);

/// The main function of a keeper.
///
/// A [`Supervisor`](super::Supervisor) starts it, in a process that has no other thread or child.
pub fn keep() -> ExitCode {
    match keep_a_run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If this fails as well, nobody is left to report it to.
            let _ = writeln!(io::stderr(), "mugie: cannot watch a run: {error}");
            ExitCode::FAILURE
        }
    }
}

fn keep_a_run() -> io::Result<()> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    set_child_subreaper(true)?;
    // If this process is stopped and then its supervisor dies, the signal lets it continue and
    // clean up.
    set_pdeathsig(Signal::SIGCONT)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    wait_for_children()?;
    let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
    let setting = Setting {
        socket: &socket,
        signals: SignalFd::with_flags(&awaited_signals(), flags)?,
        processes: Processes::new(),
        place: Place::find(),
        priority: Priority::first(),
    };
    while let Some(request) = wire::receive::<Request>(&socket)? {
        let over = match Watched::start(&request, &setting) {
            Ok(run) => run.finish(),
            Err(reason) => Some(Message::Over(Ending::Lost(reason), Usage::default())),
        };
        let told = over.is_some_and(|message| wire::send(&socket, &message).is_ok());
        if !told {
            remove(Path::new(&request.directory));
            break;
        }
    }
    Ok(())
}

/// What is the same in all runs of a keeper.
struct Setting<'a> {
    socket: &'a UnixStream,
    signals: SignalFd,
    processes: Processes,
    /// Where control groups can be created, if the system allows that.
    place: Option<Place>,
    /// The priority of the supervisor, which verifiers get.
    priority: Priority,
}

/// Why a run is over.
enum End {
    /// The verifier exited, or has to be killed, with this ending.
    With(Ending),
    /// The supervisor is gone.
    Abandoned,
}

/// A run, as its keeper sees it.
struct Watched<'a> {
    limits: Limits,
    directory: &'a Path,
    setting: &'a Setting<'a>,
    /// The control group that limits the number of processes, where the system allows one.
    group: Option<Group>,
    verifier: Child,
    /// How the verifier ended, once it has been reaped.
    ended: Option<Ending>,
    /// The processor time of all processes that were reaped, and the peak memory of the largest of them.
    reaped: (Duration, u64),
    clock: Clock,
    /// The time of the last look at the process table.
    looked: Instant,
    /// The number of threads of the run at the last look.
    threads: u64,
    /// The number of threads on the whole machine at the last look, modulo 65,536.
    crowd: u16,
    lap: Lap,
}

/// The counters at the start of the current part of the run, to which the limits apply.
struct Lap {
    started: Instant,
    /// The time that the clock had counted.
    counted: Duration,
    cpu: Duration,
    /// The peak memory since the start of the part.
    memory: u64,
}

impl<'a> Watched<'a> {
    /// Starts the verifier, or returns the reason why that failed.
    fn start(request: &'a Request, setting: &'a Setting<'a>) -> Result<Watched<'a>, String> {
        // Without this check, the error of a missing directory would read like that of a missing
        // program.
        fs::read_dir(&request.directory)
            .map_err(|error| cannot("run in", &request.directory, &error))?;
        // The verifier inherits the signal mask, so signals are blocked only after it was started.
        SigSet::empty().thread_set_mask().map_err(|error| format!("cannot run it: {error}"))?;
        let started = Instant::now();
        let mut command = Command::new(&request.program);
        let group = setting
            .place
            .as_ref()
            .and_then(|place| Group::make(place, Pid::this().as_raw(), request.limits.processes));
        let entrance = group.as_ref().and_then(|group| group.entrance().ok());
        as_its_own(&mut command, setting.priority, entrance);
        let verifier = command
            .args(&request.arguments)
            .current_dir(&request.directory)
            .envs(request.environment.iter().map(|(name, value)| (name, value)))
            .env("TMPDIR", &request.directory)
            .stdin(Stdio::null())
            .spawn()
            .map_err(|error| cannot("start", &request.program, &error))?;
        // Cannot fail for such a set. If it did, the end of the verifier would be noticed at the
        // next look.
        let _ = awaited_signals().thread_block();
        Ok(Watched {
            limits: request.limits,
            directory: Path::new(&request.directory),
            setting,
            group,
            verifier,
            ended: None,
            reaped: (Duration::ZERO, 0),
            clock: Clock::default(),
            looked: started,
            threads: 0,
            crowd: crowd(),
            lap: Lap { started, counted: Duration::ZERO, cpu: Duration::ZERO, memory: 0 },
        })
    }

    /// Watches the run to its end and leaves nothing of it behind. Returns the message for the
    /// supervisor, if the supervisor is still there.
    fn finish(mut self) -> Option<Message> {
        let end = self.watch();
        let wall = self.lap.started.elapsed();
        // Asked first, because `end_all` closes the group, and then every fork is refused.
        let was_full = self.was_full();
        let left = self.end_all();
        let (cpu, memory) = self.reaped;
        let cpu = cpu.max(self.clock.cpu()).saturating_sub(self.lap.cpu);
        let usage = Usage { wall, cpu, memory: memory.max(self.lap.memory) };
        let ending = match end {
            End::Abandoned => return None,
            _ if !left.is_empty() => {
                Ending::Lost(format!("some of its processes cannot be killed: {left:?}"))
            }
            // The verifier was refused a process, so its answer is worthless.
            End::With(Ending::Exited(_) | Ending::Signaled(_)) if was_full => {
                Ending::Limited(Limit::Processes(self.limits.processes))
            }
            End::With(ending) => ending,
        };
        Some(Message::Over(ending, usage))
    }

    /// Waits for a reason to end the run.
    fn watch(&mut self) -> End {
        let mut next = self.looked + self.tick();
        loop {
            if let Some(signal) = self.take_signals() {
                return End::With(Ending::Lost(format!("its keeper was ended by {signal}")));
            }
            let others = self.reap();
            if let Some(ending) = self.ended.clone() {
                return End::With(ending);
            }
            if !others {
                return End::With(Ending::Lost("it ended in an unknown way".to_owned()));
            }
            let rest = next.saturating_duration_since(Instant::now());
            if self.wait_for_events(rest.min(GLANCE)) {
                let mut byte = [0];
                match (&*self.setting.socket).read(&mut byte) {
                    Ok(1..) if byte == [LAP] => {
                        self.next_lap();
                        next = self.looked + self.tick();
                    }
                    Ok(1..) => return End::With(Stop::ending(byte[0])),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => return End::Abandoned,
                }
            }
            if Instant::now() >= next || self.may_be_crowded() {
                if let Some(limit) = self.look() {
                    return End::With(Ending::Limited(limit));
                }
                next = self.looked + self.tick();
            }
        }
    }

    /// Time until the next look: the counted time cannot reach its limit before then.
    fn tick(&self) -> Duration {
        let rest = self.limits.time.saturating_sub(self.counted());
        rest.clamp(SHORTEST_TICK, TICK)
    }

    /// Counted time of the current part.
    fn counted(&self) -> Duration {
        self.clock.counted().saturating_sub(self.lap.counted)
    }

    /// Processor time of the current part.
    fn cpu(&self) -> Duration {
        self.clock.cpu().saturating_sub(self.lap.cpu)
    }

    /// Reports the usage of the part that is over. From now on the limits apply to the next part.
    fn next_lap(&mut self) {
        self.measure();
        let usage = Usage {
            wall: self.looked - self.lap.started,
            cpu: self.cpu(),
            memory: self.lap.memory,
        };
        self.lap = Lap {
            started: self.looked,
            counted: self.clock.counted(),
            cpu: self.clock.cpu(),
            memory: 0,
        };
        // If the supervisor is gone, `watch` notices.
        let _ = wire::send(self.setting.socket, &Message::Lap(usage));
    }

    /// Looks at the processes of the run. Returns their memory.
    fn measure(&mut self) -> u64 {
        let look = self.setting.processes.look(self.reaped.0);
        let now = Instant::now();
        self.clock.tick(now - self.looked, look.cpu, || any_ready(&look.pids));
        self.looked = now;
        (self.threads, self.crowd) = (look.threads, crowd());
        self.lap.memory = self.lap.memory.max(look.memory);
        look.memory
    }

    /// Looks at the processes of the run. Returns the limit that they have reached, if any.
    fn look(&mut self) -> Option<Limit> {
        let now_memory = self.measure();
        let Limits { time, cpu, memory, output: _, processes } = self.limits;
        if self.threads > processes.into() || self.was_full() {
            Some(Limit::Processes(processes))
        } else if memory.is_some_and(|most| now_memory > most) {
            Some(Limit::Memory)
        } else if litter::is_too_much(self.directory) {
            Some(Limit::Files)
        } else if cpu.is_some_and(|most| self.cpu() >= most) {
            Some(Limit::Cpu)
        } else if self.counted() >= time {
            Some(Limit::Time)
        } else if self.looked - self.lap.started >= self.limits.most_wall() {
            Some(Limit::Overload)
        } else {
            None
        }
    }

    /// Whether the control group refused the run a process.
    fn was_full(&self) -> bool {
        self.group.as_ref().is_some_and(Group::was_full)
    }

    /// Whether the run has too many processes if every process that was started on the machine
    /// since the last look belongs to it. This takes one system call, so it can be asked often.
    fn may_be_crowded(&self) -> bool {
        // The system reports the number modulo 65,536.
        let more = u64::try_from(crowd().wrapping_sub(self.crowd).cast_signed()).unwrap_or(0);
        self.threads + more > self.limits.processes.into()
    }

    /// Waits for a signal or the socket, for at most the given time. Returns whether the socket can
    /// be read.
    fn wait_for_events(&self, most: Duration) -> bool {
        let mut sources = [
            PollFd::new(self.setting.socket.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.setting.signals.as_fd(), PollFlags::POLLIN),
        ];
        poll(&mut sources, milliseconds(most)).is_ok() && sources[0].any().unwrap_or(true)
    }

    /// Takes all pending signals. Returns one that asks this process to end, if there is one.
    fn take_signals(&self) -> Option<Signal> {
        let mut end = None;
        while let Ok(Some(info)) = self.setting.signals.read_signal() {
            let signal = i32::try_from(info.ssi_signo).ok().and_then(|it| it.try_into().ok());
            end = end.or(signal.filter(|&signal| signal != Signal::SIGCHLD));
        }
        end
    }

    /// Reaps all children that have ended. Returns false if there are no children left.
    fn reap(&mut self) -> bool {
        let verifier = self.verifier.id().cast_signed();
        loop {
            match reap_one() {
                Ok(None) => return true,
                Ok(Some(child)) => {
                    let (cpu, memory) = self.reaped;
                    self.reaped = (cpu + child.cpu, memory.max(child.memory));
                    if child.pid == verifier {
                        self.ended = Some(ending(child.status));
                    }
                }
                Err(Errno::ECHILD) => return false,
                Err(_) => {}
            }
        }
    }

    /// Kills and reaps all processes of the run. Returns those that cannot be killed.
    fn end_all(&mut self) -> Vec<i32> {
        let begin = Instant::now();
        let mut is_closed = false;
        while self.reap() {
            if let Some(group) = self.group.as_ref().filter(|_| !is_closed) {
                group.close();
                is_closed = true;
            }
            let left =
                strike(&|each| self.setting.processes.each_below(Pid::this().as_raw(), each));
            if begin.elapsed() > DYING {
                return left;
            }
            // Waits for signals only: the socket does not matter any more.
            let mut source = [PollFd::new(self.setting.signals.as_fd(), PollFlags::POLLIN)];
            let _ = poll(&mut source, milliseconds(TICK));
            self.take_signals();
        }
        Vec::new()
    }
}

/// Makes a program start with a priority, in a control group, and in a session of its own, which is
/// also a process group. So it has no terminal, and its processes can be told from others wherever
/// they are re-parented to.
#[expect(unsafe_code, reason = "what is done between fork and exec is unsafe in general")]
fn as_its_own(command: &mut Command, priority: Priority, entrance: Option<File>) {
    let prepare = move || {
        priority.take();
        if let Some(mut entrance) = entrance.as_ref() {
            // If this fails, the keeper still counts the processes itself.
            let _ = entrance.write(b"0");
        }
        setsid().map(drop).map_err(io::Error::from)
    };
    // SAFETY: these are system calls, which allocate nothing and take no lock.
    unsafe { command.pre_exec(prepare) };
}

/// The number of threads on the machine, modulo 65,536, or 0 if unknown.
fn crowd() -> u16 {
    sysinfo().map_or(0, |info| info.process_count())
}

/// Makes sure that children become zombies and their usage is accounted for: the keeper may have
/// been started with `SIGCHLD` ignored.
#[expect(unsafe_code, reason = "changing the handling of a signal is unsafe in general")]
fn wait_for_children() -> nix::Result<()> {
    // SAFETY: no handler is installed, and there is no other thread that could rely on one.
    unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl) }.map(drop)
}

/// The signals that the keeper reads from a signal descriptor: ends of children, and requests to
/// end.
fn awaited_signals() -> SigSet {
    use Signal::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    [SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().collect()
}

fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, Some(signal)) => Ending::Signaled(signal),
        (None, None) => Ending::Lost(format!("it ended in an unknown way: {status}")),
    }
}

fn cannot(what: &str, path: &OsStr, error: &io::Error) -> String {
    format!("cannot {what} {}: {}", path.display(), why(error))
}

/// A duration in milliseconds, rounded up, so that a wait does not end too early.
fn milliseconds(duration: Duration) -> PollTimeout {
    let rounded = duration.as_micros().div_ceil(1000);
    PollTimeout::from(u16::try_from(rounded).unwrap_or(u16::MAX))
}

/// Removes the directory of a run for a supervisor that is gone, and the parent directory if this
/// was the last run in it. There is nobody to report errors to.
fn remove(directory: &Path) {
    let _ = fs::remove_dir_all(directory);
    let Some(parent) = directory.parent() else { return };
    let Ok(entries) = fs::read_dir(parent) else { return };
    let mut names = entries.map(|entry| entry.map(|entry| entry.file_name()));
    if names.all(|name| name.is_ok_and(|name| name == SHARED)) {
        let _ = fs::remove_dir_all(parent.join(SHARED));
        let _ = fs::remove_dir(parent);
    }
}
