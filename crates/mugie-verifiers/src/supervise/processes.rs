//! The descendants of a process, as `/proc` shows them.
//!
//! Processes come and go during a look: one that cannot be read counts as gone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::{Pid, SysconfVar, sysconf};

/// What one needs to know about the system to look at processes.
#[derive(Debug)]
pub(super) struct Processes {
    /// Whether the kernel lists the children of a thread.
    lists_children: bool,
    /// The unit in which `/proc` reports processor time.
    unit: Duration,
    /// The size of a memory page in bytes.
    page: u64,
}

/// A snapshot of all descendants.
#[derive(Debug)]
pub(super) struct Look {
    /// Process ids; parents come before their children.
    pub(super) pids: Vec<i32>,
    /// Processor time of all descendants, including those that were already reaped, by them or by
    /// us.
    pub(super) cpu: Duration,
    /// Resident memory in bytes. Shared memory counts once for each process.
    pub(super) memory: u64,
    /// Number of threads; each process has at least one.
    pub(super) threads: u64,
}

/// An existing process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) pid: i32,
    parent: i32,
    /// Its process group.
    pub(super) group: i32,
    pub(super) session: i32,
    /// Whether the process has ended but has not been reaped.
    pub(super) is_zombie: bool,
}

/// The relevant fields of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    state: char,
    parent: i32,
    group: i32,
    session: i32,
    /// Processor time of the process itself, in units.
    own: u64,
    /// Processor time of its reaped children, in units.
    waited: u64,
    threads: u64,
    /// Resident memory in pages.
    resident: u64,
}

impl Processes {
    pub(super) fn new() -> Processes {
        let setting = |variable, usual| match sysconf(variable) {
            Ok(Some(value)) => u64::try_from(value).unwrap_or(usual).max(1),
            _ => usual,
        };
        let own = Pid::this();
        Processes {
            lists_children: fs::exists(format!("/proc/{own}/task/{own}/children")).unwrap_or(false),
            unit: Duration::from_secs(1)
                / u32::try_from(setting(SysconfVar::CLK_TCK, 100)).unwrap_or(100),
            page: setting(SysconfVar::PAGE_SIZE, 4096),
        }
    }

    /// Visits all descendants of a process, parents before their children, each as soon as it is
    /// found.
    pub(super) fn each_below(&self, root: i32, each: &mut dyn FnMut(Member)) {
        self.walk(root, &|_| true, each);
    }

    /// Visits the children of this process that belong to another session, and all their
    /// descendants: processes that were re-parented when the keeper of a run was killed. There are
    /// no other such children, because keepers are in the session of this process and the processes
    /// that they start are not. A process cannot come back from another session.
    pub(super) fn each_orphan(&self, each: &mut dyn FnMut(Member)) {
        let own = Pid::this().as_raw();
        let Some(here) = member(own) else { return };
        self.walk(own, &|child| child.session != here.session, each);
    }

    /// Visits the wanted children of a process, and all their descendants.
    fn walk(&self, root: i32, is_wanted: &dyn Fn(&Member) -> bool, each: &mut dyn FnMut(Member)) {
        let mut found = |member: Member| {
            let is_found = member.parent != root || is_wanted(&member);
            if is_found {
                each(member);
            }
            is_found
        };
        if self.lists_children {
            let mut parents = vec![root];
            while let Some(parent) = parents.pop() {
                for child in listed_children(parent).into_iter().filter_map(member) {
                    if found(Member { parent, ..child }) {
                        parents.push(child.pid);
                    }
                }
            }
            return;
        }
        // Most children have higher process ids than their parents and are listed after them.
        let mut parents = BTreeSet::from([root]);
        let mut early = BTreeMap::<i32, Vec<Member>>::new();
        for seen in all_pids().filter_map(member) {
            if !parents.contains(&seen.parent) {
                early.entry(seen.parent).or_default().push(seen);
                continue;
            }
            let mut family = vec![seen];
            while let Some(next) = family.pop() {
                if found(next) {
                    parents.insert(next.pid);
                    family.extend(early.remove(&next.pid).unwrap_or_default());
                }
            }
        }
    }

    /// Takes a snapshot of all descendants of this process. Those that it has reaped used this much processor
    /// time.
    pub(super) fn look(&self, reaped: Duration) -> Look {
        let mut pids = Vec::new();
        self.each_below(Pid::this().as_raw(), &mut |member| pids.push(member.pid));
        let mut look = Look { pids, cpu: reaped, memory: 0, threads: 0 };
        // Parents first: a process that ends in the meantime is then missed once. In the opposite
        // order it would count twice, as a process and as a reaped child.
        for &pid in &look.pids {
            let Some(stat) = stat_of(pid) else { continue };
            look.cpu += exact_cpu(pid).unwrap_or_else(|| self.time(stat.own));
            look.cpu += self.time(stat.waited);
            look.memory += stat.resident * self.page;
            look.threads += stat.threads.max(1);
        }
        look
    }

    fn time(&self, units: u64) -> Duration {
        self.unit * u32::try_from(units).unwrap_or(u32::MAX)
    }
}

/// Whether any thread of these processes is running, or waiting for a processor or a disk.
pub(super) fn any_ready(pids: &[i32]) -> bool {
    pids.iter().flat_map(|&pid| threads(pid)).any(|thread| {
        stat(&format!("{thread}/stat")).is_some_and(|stat| matches!(stat.state, 'R' | 'D'))
    })
}

/// A child that ended and was reaped.
#[derive(Debug)]
pub(super) struct Reaped {
    pub(super) pid: i32,
    pub(super) status: ExitStatus,
    /// Its processor time, and that of all descendants that it reaped.
    pub(super) cpu: Duration,
    /// The peak resident memory of the largest of them in bytes.
    pub(super) memory: u64,
}

/// Reaps a child that has ended; `None` if none has.
#[expect(unsafe_code, reason = "there is no safe function that tells what a child has used")]
pub(super) fn reap_one() -> nix::Result<Option<Reaped>> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are valid, and zeros are a right `rusage`.
    let (pid, usage) = unsafe {
        let pid = libc::wait4(-1, &raw mut status, libc::WNOHANG, usage.as_mut_ptr());
        (Errno::result(pid)?, usage.assume_init())
    };
    let time = |time: libc::timeval| {
        let micros = time.tv_sec * 1_000_000 + time.tv_usec;
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    Ok((pid > 0).then(|| Reaped {
        pid,
        status: ExitStatus::from_raw(status),
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        memory: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
    }))
}

/// The processor time of a process without its children, to the nanosecond: the unit of `/proc` is
/// a large part of a tick.
fn exact_cpu(pid: i32) -> Option<Duration> {
    let clock = clock_getcpuclockid(Pid::from_raw(pid)).ok()?;
    clock_gettime(clock).ok().map(Duration::from)
}

/// The directories of a process's threads.
fn threads(pid: i32) -> impl Iterator<Item = String> {
    let names = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    names.map(move |name| format!("/proc/{pid}/task/{}", name.file_name().display()))
}

/// The children of a process, from the lists of its threads. The kernel may omit some while others
/// end.
fn listed_children(pid: i32) -> Vec<i32> {
    let list = |thread| fs::read_to_string(format!("{thread}/children")).unwrap_or_default();
    let lists: Vec<String> = threads(pid).map(list).collect();
    let numbers = lists.iter().flat_map(|list| list.split_ascii_whitespace());
    numbers.filter_map(|pid| pid.parse().ok()).collect()
}

/// The ids of all processes, in order.
fn all_pids() -> impl Iterator<Item = i32> {
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    names.filter_map(|name| name.file_name().to_str()?.parse().ok())
}

/// Whether a process is stopped, by a signal or by a debugger.
pub(super) fn is_stopped(pid: i32) -> bool {
    stat_of(pid).is_some_and(|stat| matches!(stat.state, 'T' | 't'))
}

/// Whether a process has ended; it need not have been reaped.
pub(super) fn has_ended(pid: i32) -> bool {
    member(pid).is_none_or(|member| member.is_zombie)
}

/// The process with this id, if it exists.
fn member(pid: i32) -> Option<Member> {
    let Stat { parent, group, session, state, .. } = stat_of(pid)?;
    Some(Member { pid, parent, group, session, is_zombie: matches!(state, 'Z' | 'X') })
}

fn stat_of(pid: i32) -> Option<Stat> {
    stat(&format!("/proc/{pid}/stat"))
}

fn stat(path: &str) -> Option<Stat> {
    parse_stat(&String::from_utf8_lossy(&fs::read(path).ok()?))
}

/// Parses `PID (NAME) STATE PARENT ...`. The name may contain anything, including parentheses.
fn parse_stat(text: &str) -> Option<Stat> {
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    // proc_pid_stat(5) numbers the fields from 1; the state is field 3.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Stat {
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        own: number(14)? + number(15)?,
        // These fields are signed in the kernel.
        waited: number(16).unwrap_or(0) + number(17).unwrap_or(0),
        threads: number(20).unwrap_or(0),
        resident: number(24).unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn names_cannot_fake_a_status() {
        let text = "7 (a) R 1 (b) c) S 3 7 8 0 -1 4194304 90 0 0 0 11 12 13 14 20 0 1 0 99 4096 250 \
                    18446744073709551615 0";
        let stat = Stat {
            state: 'S',
            parent: 3,
            group: 7,
            session: 8,
            own: 23,
            waited: 27,
            threads: 1,
            resident: 250,
        };
        assert_eq!(parse_stat(text), Some(stat));
    }

    #[test]
    fn what_is_no_status_is_nothing() {
        for text in ["", "7 (a", "7 (a)", "7 (a) R", "7 (a) R x y", "7 (a) R 1 2 3"] {
            assert_eq!(parse_stat(text), None, "{text}");
        }
    }

    #[test]
    fn both_ways_find_the_descendants() {
        let script = "sleep 60 & echo; wait";
        let mut shell =
            Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let mut newline = [0];
        std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut newline).unwrap();
        let pid = i32::try_from(shell.id()).unwrap();

        let mut found = Vec::new();
        for lists_children in [true, false] {
            let processes = Processes { lists_children, ..Processes::new() };
            let look = processes.look(Duration::ZERO);
            assert!(look.pids.contains(&pid));
            assert!(look.memory > 0);
            // Other tests run in this process at the same time; only this shell's child matters.
            let sleep: Vec<i32> = look
                .pids
                .into_iter()
                .filter(|&child| stat_of(child).is_some_and(|stat| stat.parent == pid))
                .collect();
            assert_eq!(sleep.len(), 1);
            found.push(sleep[0]);
        }
        assert_eq!(found[0], found[1]);

        nix::sys::signal::kill(Pid::from_raw(found[0]), nix::sys::signal::SIGKILL).unwrap();
        shell.wait().unwrap();
    }
}
