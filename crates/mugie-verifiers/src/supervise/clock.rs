//! The clock by which a run's time limit is measured, fair on an overloaded machine.
//!
//! Knows only numbers; what they are taken from is the business of `processes`.

use std::time::Duration;

/// Time that counts, and processor time, of a tree of processes that is looked at now and then.
#[derive(Debug, Default)]
pub(super) struct Clock {
    counted: Duration,
    cpu: Duration,
    /// The sum that `cpu` was last brought up to.
    sum: Duration,
    /// How many sums since then were smaller.
    smaller: u32,
}

impl Clock {
    /// The time that counts: on the wall, less what the machine gave to others while the run was
    /// ready to go on.
    pub(super) fn counted(&self) -> Duration {
        self.counted
    }

    /// Processor time of all processes, those that are gone included.
    pub(super) fn cpu(&self) -> Duration {
        self.cpu
    }

    /// Goes on by one tick, which was `wall` long. `sum` is the processor time of the processes
    /// that are there, with what they took over from their children. `ready` tells whether any of
    /// them waits for a processor or a disk; it is asked only if that matters.
    pub(super) fn tick(&mut self, wall: Duration, sum: Duration, ready: impl FnOnce() -> bool) {
        let cpu = self.used(sum);
        let busy = cpu * 10 >= wall || ready();
        self.counted += if busy { cpu.min(wall) } else { wall };
    }

    /// The processor time used since the last tick.
    ///
    /// A sum can be smaller than the one before. If a process ended and its parent has not taken
    /// over its time yet, the sum soon recovers, and nothing must count twice. If the parent never
    /// does, because it ignores the ends of its children, counting goes on from the new sum.
    fn used(&mut self, sum: Duration) -> Duration {
        if sum < self.sum && self.smaller < 2 {
            self.smaller += 1;
            return Duration::ZERO;
        }
        let used = sum.saturating_sub(self.sum);
        (self.sum, self.smaller) = (sum, 0);
        self.cpu += used;
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(50);

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn sleep_counts_as_on_the_wall() {
        let mut clock = Clock::default();
        clock.tick(TICK, milliseconds(4), || false);
        clock.tick(TICK, milliseconds(4), || false);
        assert_eq!(clock.counted(), 2 * TICK);
        assert_eq!(clock.cpu(), milliseconds(4));
    }

    #[test]
    fn work_counts_at_most_as_on_the_wall() {
        let mut clock = Clock::default();
        clock.tick(TICK, TICK * 4, || unreachable!("four threads are at work"));
        assert_eq!(clock.counted(), TICK);
        assert_eq!(clock.cpu(), TICK * 4);
    }

    #[test]
    fn waiting_for_a_processor_does_not_count() {
        let mut clock = Clock::default();
        clock.tick(TICK, milliseconds(20), || unreachable!("it had 40 % of a processor"));
        clock.tick(TICK, milliseconds(21), || true);
        assert_eq!(clock.counted(), milliseconds(21));
    }

    #[test]
    fn time_that_is_taken_over_late_counts_once() {
        let mut clock = Clock::default();
        for sum in [40, 80, 10, 120] {
            clock.tick(TICK, milliseconds(sum), || true);
        }
        assert_eq!(clock.cpu(), milliseconds(120));
        assert_eq!(clock.counted(), milliseconds(120));
    }

    #[test]
    fn time_that_is_never_taken_over_stays_counted() {
        let mut clock = Clock::default();
        for sum in [40, 80, 10, 10, 10, 50] {
            clock.tick(TICK, milliseconds(sum), || true);
        }
        assert_eq!(clock.cpu(), milliseconds(120));
    }
}
