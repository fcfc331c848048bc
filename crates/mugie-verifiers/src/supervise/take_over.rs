//! What the supervisor does about a keeper that does not do its work, because the run that it keeps
//! stopped or killed it: it ends the run in the keeper's place.
//!
//! As long as a keeper is there, stopped or not, all of its run descends from it. When it is killed,
//! all of that falls to the supervising process, which is the next one to which orphans fall.

use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

use super::DYING;
use super::group::Group;
use super::processes::{Processes, has_ended, is_stopped};
use super::sweep::{Priority, strike};
use crate::run::Limits;

/// How often keepers are looked at.
pub(super) const LOOK: Duration = Duration::from_millis(200);

/// How long a keeper may be late, besides the time that processes may take to die.
const GRACE: Duration = Duration::from_secs(5);

/// How often a keeper that was stopped is told to go on. Someone may have stopped all there is for
/// a while; but who stops it again and again is the run.
const STOPS: u32 = 2;

/// How long to wait for processes that were killed, before the next look at them.
const PAUSE: Duration = Duration::from_millis(5);

/// Watches whether a keeper does its work.
#[derive(Debug)]
pub(super) struct Vigil {
    keeper: Pid,
    limits: Limits,
    /// When it must have told the end of its run, if ever.
    deadline: Option<Instant>,
    looked: Instant,
    stops: u32,
}

/// What is wrong with a keeper.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It is gone.
    Ended,
    /// It is there, but does nothing.
    Idle(String),
}

impl Vigil {
    pub(super) fn new(keeper: &Child, limits: &Limits) -> Vigil {
        let keeper = Pid::from_raw(keeper.id().cast_signed());
        let mut vigil =
            Vigil { keeper, limits: *limits, deadline: None, looked: Instant::now(), stops: 0 };
        vigil.restart();
        vigil
    }

    /// A part of the run begins, to which the limits apply anew.
    pub(super) fn restart(&mut self) {
        self.deadline = Instant::now().checked_add(self.limits.most_wall() + DYING + GRACE);
    }

    /// The keeper was asked to end its run.
    pub(super) fn hurry(&mut self) {
        let soon = Instant::now() + DYING + GRACE;
        self.deadline = Some(self.deadline.map_or(soon, |deadline| deadline.min(soon)));
    }

    /// Looks at the keeper, if that is due.
    pub(super) fn trouble(&mut self) -> Option<Trouble> {
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Trouble::Idle("its keeper does not answer".to_owned()));
        }
        if now < self.looked + LOOK {
            return None;
        }
        self.looked = now;
        if has_ended(self.keeper.as_raw()) {
            return Some(Trouble::Ended);
        }
        if !is_stopped(self.keeper.as_raw()) {
            return None;
        }
        if self.stops == STOPS {
            let reason = "its keeper was stopped again and again";
            return Some(Trouble::Idle(reason.to_owned()));
        }
        self.stops += 1;
        // It was not waited for, so the number is its own.
        let _ = kill(self.keeper, Signal::SIGCONT);
        None
    }
}

/// Ends a run in the place of its keeper, and the keeper too. Gives the processes that cannot be
/// killed.
///
/// If the keepers of several runs were killed, all that fell to this process is ended, whichever
/// run it is of.
pub(super) fn take_over(keeper: &mut Child) -> Vec<i32> {
    let before = Priority::first();
    let processes = Processes::new();
    let begin = Instant::now();
    let is_late = || begin.elapsed() > DYING;
    let root = keeper.id().cast_signed();
    let group = Group::of(root);
    if let Some(group) = &group {
        group.close();
    }
    if matches!(keeper.try_wait(), Ok(None)) {
        // As long as nothing of the run falls to another process, it is easy to find.
        while !strike(&|each| processes.each_below(root, each)).is_empty() && !is_late() {
            sleep(PAUSE);
        }
        let _ = keeper.kill();
        while matches!(keeper.try_wait(), Ok(None)) && !is_late() {
            sleep(PAUSE);
        }
    }
    let left = end_orphans(&processes, begin + DYING);
    before.take();
    left
}

/// Has orphans fall to this process that its children leave. Where that is impossible, they cannot be
/// found any more.
pub(crate) fn adopt_orphans() {
    let _ = set_child_subreaper(true);
}

/// Ends all that fell to this process, and has left its session.
pub(crate) fn end_adopted() {
    // What cannot be killed stays.
    end_orphans(&Processes::new(), Instant::now() + DYING);
}

/// The same, until some time; gives what is left.
fn end_orphans(processes: &Processes, until: Instant) -> Vec<i32> {
    loop {
        strike(&|each| processes.each_orphan(each));
        let mut left = Vec::new();
        processes.each_orphan(&mut |orphan| left.push(orphan.pid));
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        for &orphan in &left {
            // Those that have another parent fall to this process when that one is gone.
            let _ = waitpid(Pid::from_raw(orphan), Some(WaitPidFlag::WNOHANG));
        }
        sleep(PAUSE);
    }
}
