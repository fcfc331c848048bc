//! The clock that measures a run against its time limit, fair on an overloaded machine.
//!
//! It works on numbers only; `processes` takes the measurements.

use std::time::Duration;

/// Counted time and processor time of a process tree, updated at each look.
#[derive(Debug, Default)]
pub(super) struct Clock {
    counted: Duration,
    cpu: Duration,
    /// The processor time sum at the last update of `cpu`.
    sum: Duration,
    /// Number of smaller sums seen since then.
    smaller: u32,
}

impl Clock {
    /// The counted time: wall-clock time without the time in which the run was ready but other
    /// processes had the processors.
    pub(super) fn counted(&self) -> Duration {
        self.counted
    }

    /// Processor time of all processes, including those that have ended.
    pub(super) fn cpu(&self) -> Duration {
        self.cpu
    }

    /// Advances by a tick of length `wall`. `sum` is the processor time of the existing processes,
    /// including that of their reaped children. `ready` returns whether any of them waits for a
    /// processor or a disk; it is called only if that matters.
    pub(super) fn tick(&mut self, wall: Duration, sum: Duration, ready: impl FnOnce() -> bool) {
        let cpu = self.used(sum);
        let busy = cpu * 10 >= wall || ready();
        self.counted += if busy { cpu.min(wall) } else { wall };
    }

    /// The processor time used since the last tick.
    ///
    /// A sum can be smaller than the previous one. If a process ended and its parent has not reaped
    /// it yet, the sum soon recovers, and nothing must count twice. If the parent never reaps it,
    /// because it ignores the ends of its children, counting continues from the new sum.
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
