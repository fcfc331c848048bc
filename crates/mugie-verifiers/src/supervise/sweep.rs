//! Ends processes that may try to get away: by being other ones every moment, or many.
//!
//! Who is to be ended others say, and whoever waits for children does so elsewhere.

use std::collections::BTreeSet;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getsid};

use super::processes::Member;

/// How often new processes are looked for before those that are stopped are killed. Whatever
/// multiplies faster than it can be stopped is met again at the next blow.
const ROUNDS: u32 = 50;

/// Stops all that is found until nothing new is found, and then kills it; gives what it killed.
///
/// Whoever is only killed makes room for those who go on to multiply. A process that was sent a
/// signal to stop starts no other one; one signal to a process group reaches all of it, children
/// that are just being started included, however many there are.
pub(super) fn strike(find: impl Fn() -> Vec<Member>) -> Vec<i32> {
    let mut stopped = BTreeSet::new();
    for _ in 0..ROUNDS {
        let found = find();
        let new: Vec<Member> =
            found.into_iter().filter(|it| !it.is_zombie && !stopped.contains(&it.pid)).collect();
        if new.is_empty() {
            break;
        }
        signal_all(&new, Signal::SIGSTOP);
        stopped.extend(new.iter().map(|member| member.pid));
    }
    let members: Vec<Member> = find().into_iter().filter(|member| !member.is_zombie).collect();
    signal_all(&members, Signal::SIGKILL);
    members.iter().map(|member| member.pid).collect()
}

/// Sends a signal to processes, and to all of their groups.
fn signal_all(members: &[Member], signal: Signal) {
    // Groups of this process's session have others in them.
    let here = getsid(None).map_or(0, Pid::as_raw);
    let foreign = members.iter().filter(|it| it.session != here && it.group > 1);
    let groups: BTreeSet<i32> = foreign.map(|member| member.group).collect();
    for group in groups {
        // Whoever is gone needs no signal.
        let _ = killpg(Pid::from_raw(group), signal);
    }
    for member in members {
        let _ = kill(Pid::from_raw(member.pid), signal);
    }
}
