//! Chooses the number of programs per shared process, from the verdicts so far.
//!
//! Many programs make the start of a process cheap. Few programs give early results, keep all
//! threads busy to the end, and limit the damage of a process that hangs.

use crate::Settled;

/// Maximum number of programs per process. Raising it saves start-ups and delays results.
const MOST: usize = 64;

/// Programs that are run in shared processes before sharing is judged by how often it failed. Raising it
/// wastes more runs where sharing does not pay.
const SAMPLE: usize = 16;

/// The speed-up of a program in a shared process that is assumed until it has been measured.
const ASSUMED_SPEED_UP: f64 = 4.0;

/// Maximum of the seconds of processor time that a start is assumed to take. What takes longer is the work of a solver,
/// which a shared process does not save. Raising it starts with more programs per process where programs are slow.
const LONGEST_START: f64 = 1.5;

/// Seconds of processor time that a shared process should take. Raising it saves start-ups, and lets threads
/// run idle at the end of a seed.
const TARGET_SECONDS: f64 = 30.0;

/// The same for the first processes of a seed, whose verdicts count only after a comparison with runs alone: an
/// interrupt before it loses them. Raising it saves start-ups, and delays the first result.
const FIRST_SECONDS: f64 = 20.0;

/// Minimum work, in seconds of processor time, that justifies another process.
const MIN_SECONDS: f64 = 1.5;

/// The same in starts of a process. Raising either saves start-ups, and lets threads run idle at the end of a seed.
const MIN_STARTS: f64 = 3.0;

/// 1/20 of the programs is held back, so that threads that finish early have something left to do. Raising
/// the number holds back less.
const RESERVE: usize = 20;

/// Chooses the number of programs of one seed per process.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Seconds of processor time that a program takes alone, if known.
    alone: Option<f64>,
    /// Number of programs that shared a process, and their processor time in seconds.
    together: (usize, f64),
    /// Number of programs that had to be repeated alone.
    repeated: usize,
}

impl Pace {
    /// Records a run of the seed.
    pub fn note_seed(&mut self, settled: &Settled) {
        let seconds = settled.usage.last().filter(|_| !settled.together);
        self.alone = seconds.map(|usage| usage.cpu.as_secs_f64()).or(self.alone);
    }

    /// Records the result of a program that was meant to share a process.
    pub fn note(&mut self, settled: &Settled) {
        if settled.together {
            let (programs, seconds) = &mut self.together;
            *programs += 1;
            *seconds += settled.usage.last().map_or(0.0, |usage| usage.cpu.as_secs_f64());
        } else if !settled.cached {
            self.repeated += 1;
        }
    }

    /// The number of programs to give to the next process, if `left` programs are left for
    /// `threads` threads, which are still working on `running` others.
    pub fn programs(&self, left: usize, running: usize, threads: usize) -> usize {
        let (programs, seconds) = self.together;
        let all = programs + self.repeated;
        // If most programs have to be repeated, sharing costs more than it saves.
        if all >= SAMPLE && self.repeated * 10 > all * 6 {
            return 1;
        }
        let each = match programs {
            0 => self
                .alone
                .map_or(0.0, |seconds| (seconds / ASSUMED_SPEED_UP).max(seconds - LONGEST_START)),
            _ => seconds / count(programs),
        };
        let start = self.alone.map_or(0.0, |seconds| (seconds - each).clamp(0.0, LONGEST_START));
        let target = if all == 0 { FIRST_SECONDS } else { TARGET_SECONDS };
        let fitting = |seconds: f64| whole(seconds / each.max(1e-6));
        let worth = fitting(MIN_SECONDS.max(MIN_STARTS * start));
        let all = left + running;
        let rest =
            Some(all / RESERVE).filter(|&rest| rest > 0 && rest >= worth).unwrap_or_default();
        let share = (all - rest).div_ceil(threads.max(1)).max(worth);
        // A small rest goes with the others.
        let share = if left < share + worth.div_ceil(2) { left } else { share };
        // Nor is a share cut so that a small rest remains.
        let fit = fitting(target);
        let size = if share <= fit + worth { share } else { fit };
        MOST.min(size).min(left).max(1)
    }
}

#[expect(clippy::cast_precision_loss, reason = "far from the limits of either type")]
fn count(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small, not negative")]
fn whole(number: f64) -> usize {
    number.min(1e6) as usize
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mugie_verifiers::{Outcome, Usage, Verdict};

    use super::*;

    fn settled(seconds: f64, together: bool) -> Settled {
        let cpu = Duration::from_secs_f64(seconds);
        let usage = vec![Usage { cpu, ..Usage::default() }];
        let verdict = Verdict::of_program(Outcome::Verified, "");
        Settled { together, ..Settled::of_run(verdict, String::new(), usage) }
    }

    fn pace(seconds: f64, programs: usize) -> Pace {
        let mut pace = Pace::default();
        pace.note_seed(&settled(0.4, false));
        (0..programs).for_each(|_| pace.note(&settled(seconds, true)));
        pace
    }

    /// The number of programs of each process, if all threads start at once and each process ends
    /// when its thread's turn comes again.
    fn processes(pace: &Pace, programs: usize, threads: usize) -> Vec<usize> {
        let mut processes: Vec<usize> = Vec::new();
        let mut left = programs;
        while left > 0 {
            let running = processes.iter().rev().take(threads - 1).sum::<usize>();
            let running = if processes.len() < threads { running } else { 0 };
            processes.push(pace.programs(left, running, threads));
            left -= processes.last().unwrap();
        }
        processes
    }

    #[test]
    fn a_process_gets_as_many_programs_as_it_can_do_in_some_seconds() {
        // First an estimate, from the run time of the seed.
        assert_eq!(pace(0.05, 0).programs(1000, 0, 2), 64);
        assert_eq!(pace(0.05, 1).programs(1000, 64, 2), 64);
        assert_eq!(pace(1.0, 10).programs(1000, 30, 2), 30);
    }

    #[test]
    fn slow_programs_have_processes_of_their_own() {
        assert_eq!(pace(5.0, 10).programs(1000, 6, 2), 6);
        assert_eq!(pace(20.0, 10).programs(1000, 1, 2), 1);
        let mut slow = Pace::default();
        slow.note_seed(&settled(8.0, false));
        assert_eq!(slow.programs(1000, 0, 2), 3);
        slow.note_seed(&settled(150.0, false));
        assert_eq!(slow.programs(1000, 0, 2), 1);
    }

    #[test]
    fn threads_have_equal_shares_if_that_pays_but_for_a_rest() {
        assert_eq!(processes(&pace(0.05, 20), 100, 2), [50, 50]);
        assert_eq!(processes(&pace(0.4, 20), 100, 2), [48, 48, 4]);
        assert_eq!(processes(&pace(0.6, 20), 12, 4), [3, 3, 3, 3]);
        assert_eq!(processes(&pace(0.12, 20), 20, 4), [12, 8]);
        assert_eq!(processes(&pace(0.05, 20), 3, 4), [3]);
        // A thread that finishes early leaves programs for the threads that are about to finish.
        assert_eq!(pace(0.6, 20).programs(10, 6, 2), 8);
        assert_eq!(pace(0.6, 20).programs(0, 0, 4), 1);
    }

    #[test]
    fn where_a_start_takes_long_there_are_few_processes() {
        let mut pace = pace(0.3, 0);
        pace.note_seed(&settled(1.3, false));
        assert_eq!(processes(&pace, 100, 2), [50, 50]);
        pace.note_seed(&settled(1.7, false));
        assert_eq!(processes(&pace, 100, 2), [50, 50]);
        (0..20).for_each(|_| pace.note(&settled(0.3, true)));
        assert_eq!(processes(&pace, 100, 2), [50, 50]);
        assert_eq!(processes(&pace, 24, 8), [14, 10]);
        // The solver takes the time, not the start.
        let mut slow = Pace::default();
        slow.note_seed(&settled(8.0, false));
        assert_eq!(processes(&slow, 12, 4), [3, 3, 3, 3]);
    }

    #[test]
    fn where_most_are_repeated_nothing_is_shared() {
        let mut pace = pace(0.05, 6);
        (0..14).for_each(|_| pace.note(&settled(0.4, false)));
        assert_eq!(pace.programs(1000, 0, 2), 1);
    }
}
