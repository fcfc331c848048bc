//! Ends a run in place of a keeper that does not work, because the run stopped or killed it.
//!
//! As long as a keeper exists, stopped or not, all processes of its run descend from it. When it is
//! killed, they are re-parented to the supervising process, which is the next subreaper.

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

/// Time between two looks at a keeper; raising it saves CPU and delays the discovery of a dead one.
pub(super) const LOOK: Duration = Duration::from_millis(200);

/// Time that a keeper may be late, in addition to the time that processes may take to die; raising
/// it delays the discovery of a keeper that hangs.
const GRACE: Duration = Duration::from_secs(5);

/// Number of times that a stopped keeper is continued. Somebody may have stopped all processes for
/// a while, but only a run stops its keeper again and again.
const STOPS: u32 = 2;

/// Pause before the next look at processes that were killed.
const PAUSE: Duration = Duration::from_millis(5);

/// Checks that a keeper does its work.
#[derive(Debug)]
pub(super) struct Vigil {
    keeper: Pid,
    limits: Limits,
    /// When the keeper must have reported the end of its run, if ever.
    deadline: Option<Instant>,
    looked: Instant,
    stops: u32,
}

/// What is wrong with a keeper.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It has ended.
    Ended,
    /// It exists but does nothing, for this reason.
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

    /// Sets the deadline for a part of the run that begins now.
    pub(super) fn restart(&mut self) {
        self.deadline = Instant::now().checked_add(self.limits.most_wall() + DYING + GRACE);
    }

    /// Shortens the deadline after the keeper was asked to end its run.
    pub(super) fn hurry(&mut self) {
        let soon = Instant::now() + DYING + GRACE;
        self.deadline = Some(self.deadline.map_or(soon, |deadline| deadline.min(soon)));
    }

    /// Looks at the keeper if that is due, and returns what is wrong with it.
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
        // The keeper has not been reaped, so nothing else can have its process id.
        let _ = kill(self.keeper, Signal::SIGCONT);
        None
    }
}

/// Kills a run in place of its keeper, and the keeper too. Returns the processes that cannot be
/// killed.
///
/// If the keepers of several runs were killed, the orphans of all these runs are killed.
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
        // As long as no process of the run has been re-parented, all are easy to find.
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

/// Makes this process adopt the orphans of its descendants. Where that is impossible, orphans
/// cannot be found.
pub(crate) fn adopt_orphans() {
    let _ = set_child_subreaper(true);
}

/// Kills all adopted orphans that are in other sessions.
pub(crate) fn end_adopted() {
    // Processes that cannot be killed are left alone.
    end_orphans(&Processes::new(), Instant::now() + DYING);
}

/// Kills all adopted orphans, for at most the given time. Returns those that are left.
fn end_orphans(processes: &Processes, until: Instant) -> Vec<i32> {
    loop {
        strike(&|each| processes.each_orphan(each));
        let mut left = Vec::new();
        processes.each_orphan(&mut |orphan| left.push(orphan.pid));
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        for &orphan in &left {
            // Orphans with another parent are re-parented to this process when that parent is gone.
            let _ = waitpid(Pid::from_raw(orphan), Some(WaitPidFlag::WNOHANG));
        }
        sleep(PAUSE);
    }
}
