//! Ends processes that may try to get away: by being other ones every moment, or many.
//!
//! Who is to be ended others say, and whoever waits for children does so elsewhere.

use std::collections::BTreeSet;

use nix::libc;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getsid};

use super::processes::Member;

/// How often new processes are looked for before those that are stopped are killed. Whatever
/// multiplies faster than it can be stopped is met again at the next blow.
const ROUNDS: u32 = 50;

/// What shows all processes that are to be ended, each as soon as it is found.
pub(super) type Find<'f> = &'f dyn Fn(&mut dyn FnMut(Member));

/// Stops all that is found until nothing new is found, and then kills it; gives what it killed.
///
/// Whoever is only killed makes room for those who go on to multiply. A process that was sent a
/// signal to stop starts no other one; one signal to a process group reaches all of it, children
/// that are just being started included, however many there are. Each one that stops leaves more of
/// the processors to whoever has to find the others, so nobody waits until all are found.
pub(super) fn strike(find: Find<'_>) -> Vec<i32> {
    let mut stopped = Struck::default();
    for _ in 0..ROUNDS {
        let before = stopped.pids.len();
        find(&mut |member| stopped.strike(member, Signal::SIGSTOP));
        if stopped.pids.len() == before {
            break;
        }
    }
    let mut killed = Struck::default();
    find(&mut |member| killed.strike(member, Signal::SIGKILL));
    killed.pids.into_iter().collect()
}

/// Who was sent a signal.
#[derive(Default)]
struct Struck {
    pids: BTreeSet<i32>,
    groups: BTreeSet<i32>,
}

impl Struck {
    /// Sends a signal to a process and all of its group, unless they have had it.
    fn strike(&mut self, member: Member, signal: Signal) {
        if member.is_zombie || !self.pids.insert(member.pid) {
            return;
        }
        // Groups of this process's session have others in them.
        let is_foreign = getsid(None).is_ok_and(|here| here.as_raw() != member.session);
        if is_foreign && member.group > 1 && self.groups.insert(member.group) {
            // Whoever is gone needs no signal.
            let _ = killpg(Pid::from_raw(member.group), signal);
        }
        // It may have left the group.
        let _ = kill(Pid::from_raw(member.pid), signal);
    }
}

/// The priority of a thread: the less, the sooner its turn comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Priority(i32);

impl Priority {
    /// Puts this thread before others, as far as that is allowed; gives what it had before. Among
    /// hundreds of processes at work it would have its turn once in a second.
    pub(super) fn first() -> Priority {
        let before = Priority::own();
        Priority(-20).take();
        before
    }

    /// That of this thread.
    #[expect(unsafe_code, reason = "there is no safe function for it")]
    fn own() -> Priority {
        // SAFETY: it is only asked for.
        Priority(unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) })
    }

    /// Gives this thread that priority, if it may have it. Allocates nothing and takes no lock.
    #[expect(unsafe_code, reason = "there is no safe function for it")]
    pub(super) fn take(self) {
        // SAFETY: this changes nothing but the share of the processors that this thread gets.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, self.0) };
    }
}
