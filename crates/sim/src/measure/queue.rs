//! Measurements at one queue: drops and marks by cause, and sojourn times.

use congestion::{Duration, Time};

/// Cause of a drop or a mark at a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// The buffer was full.
    Overlimit,
    /// Active queue management: a signal to slow down.
    Early,
    /// Active queue management gave up on signals: too much traffic, or traffic that does not respond.
    Overload,
    /// A threshold: of packets waiting, or of sojourn time.
    Step,
    /// A token bucket was empty.
    Policed,
    /// Random loss of the link.
    Random,
}

/// Number of causes.
pub const CAUSES: usize = 6;

impl Cause {
    /// Every cause, in the order of the counts.
    pub const ALL: [Self; CAUSES] =
        [Self::Overlimit, Self::Early, Self::Overload, Self::Step, Self::Policed, Self::Random];

    /// Name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overlimit => "overlimit",
            Self::Early => "early",
            Self::Overload => "overload",
            Self::Step => "step",
            Self::Policed => "policed",
            Self::Random => "random",
        }
    }
}

/// Packets dropped and marked at a queue, by cause in the order of [`Cause::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Dropped.
    pub dropped: [u64; CAUSES],
    /// Marked "congestion experienced".
    pub marked: [u64; CAUSES],
}

impl QueueCounts {
    /// Packets dropped, whatever the cause.
    pub fn drops(&self) -> u64 {
        self.dropped.iter().sum()
    }

    /// Packets marked, whatever the cause.
    pub fn marks(&self) -> u64 {
        self.marked.iter().sum()
    }

    /// Counts since `earlier` ones.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let less =
            |now: [u64; CAUSES], then: [u64; CAUSES]| std::array::from_fn(|cause| now[cause] - then[cause]);
        Self { dropped: less(self.dropped, earlier.dropped), marked: less(self.marked, earlier.marked) }
    }
}

/// Bits that tell two sojourn times of one octave apart.
const PRECISION: u32 = 5;

/// State of a recorded queue at the end of a measurement interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QueueSample {
    /// Control variable of its queue management.
    pub control: f64,
    /// Packets dropped and marked during the interval.
    pub counts: QueueCounts,
    /// Packets whose sojourn time was counted during the interval, and the sum of those times [s].
    pub sojourns: u64,
    /// See `sojourns`.
    pub sojourn_sum: f64,
    /// The longest of them.
    pub longest: Duration,
}

/// Histogram of sojourn times: 32 classes per octave, so a quantile is within 1.6 % of the true one. Times below
/// 65 ns are one class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sojourns {
    /// The histogram begins then; sums and the longest do not wait.
    from: Time,
    counts: Vec<u64>,
    /// Packets.
    pub packets: u64,
    /// Sum over the packets [s].
    pub sum: f64,
    /// The longest since the last sample.
    pub longest: Duration,
}

impl Sojourns {
    /// Nothing counted yet; the histogram begins at `from`.
    pub fn new(from: Time) -> Self {
        Self { from, ..Self::default() }
    }

    /// Count a packet that arrived at `now`.
    pub fn add(&mut self, now: Time, sojourn: Duration) {
        self.packets += 1;
        self.sum += sojourn.seconds();
        self.longest = self.longest.max(sojourn);
        if now < self.from {
            return;
        }
        let class = Self::class(sojourn);
        if class >= self.counts.len() {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] += 1;
    }

    /// Lower and upper end [s] and packets of every class that has some, in the order of time.
    pub fn classes(&self) -> impl Iterator<Item = (f64, f64, u64)> + '_ {
        let present = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        present.map(|(class, &count)| {
            let start = class.checked_sub(1).map_or(Duration::ZERO, Self::end);
            (start.seconds(), Self::end(class).seconds(), count)
        })
    }

    /// Class of a time: the octave, and the bits below the highest.
    fn class(sojourn: Duration) -> usize {
        let coarse = sojourn.0 >> 16;
        let octave = coarse.checked_ilog2().unwrap_or(0);
        let (shift, base) = match octave.checked_sub(PRECISION) {
            None => return usize::try_from(coarse).unwrap_or(0),
            Some(shift) => (shift, u64::from(shift) << PRECISION),
        };
        usize::try_from(base + (coarse >> shift)).unwrap_or(0)
    }

    /// First time beyond a class.
    fn end(class: usize) -> Duration {
        let width = 1 << PRECISION;
        if class < width {
            return Duration((class as u64 + 1) << 16);
        }
        let shift = class / width - 1;
        Duration(((class % width + width) as u64 + 1) << (shift + 16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_ends_just_above_its_times() {
        for time in (0..62).flat_map(|bit| [1u64 << bit, (1 << bit) + (1 << bit) / 3, (2 << bit) - 1]) {
            let end = Sojourns::end(Sojourns::class(Duration(time))).0;
            assert!(end > time, "{time} ends at {end}");
            assert!(end - time <= (1 << 16).max(time / 31 + 1), "{time} ends at {end}");
        }
    }

    #[test]
    fn sojourns_are_counted_in_the_order_of_time() {
        let mut sojourns = Sojourns::new(Time(1));
        sojourns.add(Time(0), Duration::from_millis(5));
        for micros in [5000, 10, 5000, 0] {
            sojourns.add(Time(1), Duration(micros * 1_000_000));
        }
        let classes: Vec<_> = sojourns.classes().collect();
        assert_eq!(classes.iter().map(|&(_, _, count)| count).collect::<Vec<_>>(), [1, 1, 2]);
        assert!(
            classes[2].0 <= 5e-3 && classes[2].1 > 5e-3 && classes[2].1 < 1.04 * classes[2].0,
            "{classes:?}"
        );
        assert_eq!((sojourns.packets, sojourns.longest), (5, Duration::from_millis(5)));
    }
}
