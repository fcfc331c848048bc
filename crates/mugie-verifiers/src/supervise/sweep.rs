//! Kills processes that may try to escape, by forking all the time or by being many.
//!
//! The caller names the processes, and reaps its children itself.

use std::collections::BTreeSet;

use nix::libc;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getsid};

use super::processes::Member;

/// Maximum number of searches for new processes before the stopped ones are killed. Processes that
/// multiply faster than they can be stopped are caught by the next [`strike`].
const ROUNDS: u32 = 50;

/// A function that visits every process to be killed, each as soon as it is found.
pub(super) type Find<'f> = &'f dyn Fn(&mut dyn FnMut(Member));

/// Stops processes until no new ones are found, and then kills them. Returns the killed processes.
///
/// Killing alone would make room for others to multiply. A stopped process starts no other process,
/// and one signal to a process group reaches all of it, including children that are being started,
/// however many there are. Each stopped process leaves more processor time for finding the others,
/// so processes are stopped as soon as they are found.
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

/// The processes and process groups that were sent a signal.
#[derive(Default)]
struct Struck {
    pids: BTreeSet<i32>,
    groups: BTreeSet<i32>,
}

impl Struck {
    /// Sends a signal to a process and its process group, unless they have received it already.
    fn strike(&mut self, member: Member, signal: Signal) {
        if member.is_zombie || !self.pids.insert(member.pid) {
            return;
        }
        // A process group in the session of this process has other members.
        let is_foreign = getsid(None).is_ok_and(|here| here.as_raw() != member.session);
        if is_foreign && member.group > 1 && self.groups.insert(member.group) {
            // An error means that the group is gone.
            let _ = killpg(Pid::from_raw(member.group), signal);
        }
        // The process may have left the group.
        let _ = kill(Pid::from_raw(member.pid), signal);
    }
}

/// The priority of a thread: the lower the number, the sooner its turn comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Priority(i32);

impl Priority {
    /// Gives this thread the highest priority, as far as that is allowed, and returns the previous
    /// one. Among hundreds of busy processes it would get its turn only once in a second.
    pub(super) fn first() -> Priority {
        let before = Priority::own();
        Priority(-20).take();
        before
    }

    /// The priority of this thread.
    #[expect(unsafe_code, reason = "there is no safe function for it")]
    fn own() -> Priority {
        // SAFETY: this only reads a value.
        Priority(unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) })
    }

    /// Gives this thread the priority, if that is allowed. Allocates nothing and takes no lock.
    #[expect(unsafe_code, reason = "there is no safe function for it")]
    pub(super) fn take(self) {
        // SAFETY: this changes nothing but the share of the processors that this thread gets.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, self.0) };
    }
}
