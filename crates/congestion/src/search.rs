//! SEARCH ("Slow start Exit At Right Chokepoint", draft-chung-ccwg-search by Chung, Kachooei, Li and Claypool, in the form
//! of June 2024, SEARCH 3.0): ends the initial slow start when what is delivered no longer doubles from round trip to
//! round trip. It goes by rates, not by delays, for paths whose round-trip times vary.
//!
//! Later drafts differ: draft 09 compares with what was sent, has 0.26 for 0.35, and lets the window go down slowly.

use crate::control::{AckSample, Flow};
use crate::units::{Duration, Time};
use crate::window::Window;

/// Bins of the window that deliveries are compared over (W), and more to look back by a round trip (`EXTRA_BINS`).
const W: u64 = 10;
const EXTRA_BINS: u64 = 15;
const BINS: usize = 25;

/// First RTTs per window (`WINDOW_SIZE`).
const WINDOW: f64 = 3.5;

/// Part of twice the earlier deliveries that may be missing (`THRESH`).
const THRESH: f64 = 0.35;

/// Whole bins of two first RTTs, after which the end of slow start is noticed.
const LATE: u64 = 5;

/// The least window that it leaves [segments].
const LEAST: f64 = 2.0;

/// Deliveries of one flow.
#[derive(Clone, Debug)]
pub struct Search {
    /// Slow start is over.
    is_over: bool,
    /// Bytes delivered in each bin.
    bins: [f64; BINS],
    /// Bins begun so far; the last one is `passed - 1`.
    passed: u64,
    /// Bytes delivered since the last bin ended.
    delivered: f64,
    /// Length of a bin; zero before the first sample of the RTT.
    length: Duration,
    /// End of the bin under way.
    end: Time,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            is_over: false,
            bins: [0.0; BINS],
            passed: 0,
            delivered: 0.0,
            length: Duration::ZERO,
            end: Time::ZERO,
        }
    }
}

impl Search {
    /// Leave slow start if `ack` says so, before the window grows by it.
    pub fn on_ack(&mut self, window: &mut Window, ack: &AckSample, flow: &Flow) {
        let Some(rtt) = ack.rtt else { return };
        if self.is_over || !window.in_slow_start() {
            return;
        }
        if self.length == Duration::ZERO {
            self.length = Duration::from_seconds(rtt.seconds() * WINDOW / 10.0).max(Duration(1));
            self.end = flow.now + self.length;
        }
        self.delivered += to_float(ack.delivered);
        if flow.now > self.end {
            self.pass(flow.now);
            self.check(window, rtt);
        }
    }

    /// A loss, mark or timeout ends the initial slow start. Returns true if it was over.
    pub fn stop(&mut self) -> bool {
        std::mem::replace(&mut self.is_over, true)
    }

    /// The loss that ended the initial slow start was none. Begin anew, as SEARCH 3.1 does on "several missed bins", for
    /// nothing was counted since.
    pub fn resume(&mut self) {
        *self = Self::default();
    }

    /// Begin anew after a pause of the application, in which nothing was delivered; as SEARCH 3.1 does.
    pub fn restart(&mut self) {
        *self = Self { is_over: self.is_over, ..Self::default() };
    }

    /// End the bin under way, and those that passed without an ACK.
    fn pass(&mut self, now: Time) {
        let passed = now.since(self.end) / self.length + 1;
        self.end += self.length * passed;
        for _ in 0..passed.min(BINS as u64) {
            let at = place(self.passed);
            self.bins[at] = 0.0;
            self.passed += 1;
        }
        self.passed += passed.saturating_sub(BINS as u64);
        let last = place(self.passed - 1);
        self.bins[last] = std::mem::take(&mut self.delivered);
    }

    /// Compare the deliveries of a window with those of the one a round trip before.
    fn check(&mut self, window: &mut Window, rtt: Duration) {
        let (current, shift) = (self.passed - 1, rtt / self.length);
        let Some(previous) = current.checked_sub(shift).filter(|&at| at >= W) else { return };
        if shift > EXTRA_BINS - 1 {
            return;
        }
        let fraction = rtt.seconds() / self.length.seconds() - to_float(shift);
        let expected = 2.0 * self.sum(previous - W, previous, fraction);
        let delivered = self.sum(current - W, current, 0.0);
        if expected > 0.0 && (expected - delivered) / expected >= THRESH {
            self.is_over = true;
            // "Detection of the chokepoint condition is delayed by almost exactly two RTTs".
            let overshoot = self.sum(current - LATE, current, 0.0);
            window.close((window.cwnd() - overshoot).max(LEAST * window.smss()));
        }
    }

    /// Bytes delivered after bin `from` up to bin `to`, both moved back by a fraction of a bin.
    fn sum(&self, from: u64, to: u64, fraction: f64) -> f64 {
        let bin = |at: u64| self.bins[place(at)];
        let between: f64 = (from + 1..to).map(bin).sum();
        between + bin(from) * fraction + bin(to) * (1.0 - fraction)
    }
}

/// Place of a bin in the ring.
fn place(bin: u64) -> usize {
    usize::try_from(bin % BINS as u64).unwrap_or(0)
}

#[expect(clippy::cast_precision_loss, reason = "bytes of a round trip and counts of bins are far below 2^52")]
fn to_float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{SMSS, initial};

    /// Round trips of 100 ms on a path of `rate` segments per round trip, each segment acknowledged, spread evenly; the
    /// window at the end of slow start, if it ends, and the round trip.
    fn run(rate: u64, rounds: u64, rtt_ms: impl Fn(u64) -> u64) -> Option<(f64, u64)> {
        let (mut search, mut window) = (Search::default(), Window::new(&initial(10.0)));
        let mut arrived = 10;
        for round in 1..=rounds {
            let start = Time::ZERO + Duration::from_millis(100 * round);
            for number in 0..arrived {
                let now = start + Duration::from_millis(100) * number / arrived;
                let rtt = Some(Duration::from_millis(rtt_ms(round)));
                let ack = AckSample { delivered: u64::from(SMSS), rtt, ..AckSample::default() };
                search.on_ack(&mut window, &ack, &Flow { now, smss: SMSS, ..Flow::default() });
                if !window.in_slow_start() {
                    return Some((window.segments(), round));
                }
                let _ = window.slow_start(f64::from(SMSS));
            }
            arrived = (2 * arrived).min(rate);
        }
        None
    }

    /// The draft: doubling deliveries end nothing, however long.
    #[test]
    fn deliveries_that_double_end_no_slow_start() {
        assert_eq!(run(u64::MAX, 12, |_| 100), None);
    }

    /// The draft: found "about 2 RTTs" after the capacity is reached, here 640 segments per round trip in the seventh;
    /// what was delivered in two round trips is taken off the window.
    #[test]
    fn deliveries_that_level_off_end_slow_start() {
        let (window, round) = run(640, 20, |_| 100).expect("slow start ends");
        assert!((9..=10).contains(&round), "{round}");
        assert!((500.0..1500.0).contains(&window), "{window}");
    }

    /// A rise of the RTT alone ends nothing; one above the bins ends the search.
    #[test]
    fn delays_end_no_slow_start() {
        assert_eq!(run(u64::MAX, 12, |round| if round > 6 { 150 } else { 100 }), None);
        assert_eq!(run(640, 20, |round| if round > 6 { 600 } else { 100 }), None);
    }

    #[test]
    fn a_loss_stops_it() {
        let mut search = Search::default();
        search.stop();
        let mut window = Window::new(&initial(10.0));
        let rtt = Some(Duration::from_millis(100));
        let ack = AckSample { delivered: 1000, rtt, ..AckSample::default() };
        search.on_ack(&mut window, &ack, &Flow::default());
        assert_eq!(search.length, Duration::ZERO);
    }

    /// The draft: bins that pass without an ACK are counted, and empty; the next one ends a whole number of bins later.
    #[test]
    fn silence_passes_empty_bins() {
        let (mut search, mut window) = (Search::default(), Window::new(&initial(10.0)));
        // Bins of 35 ms.
        for (ms, passed, last) in [
            (0, 0, 0.0),
            (35, 0, 0.0),
            (36, 1, 3.0),
            (150, 4, 1.0),
            (174, 4, 1.0),
            (176, 5, 2.0),
            (3711, 106, 1.0),
            (3746, 107, 1.0),
        ] {
            let now = Time::ZERO + Duration::from_millis(ms);
            let rtt = Some(Duration::from_millis(100));
            let ack = AckSample { delivered: u64::from(SMSS), rtt, ..AckSample::default() };
            search.on_ack(&mut window, &ack, &Flow { now, smss: SMSS, ..Flow::default() });
            assert_eq!(search.passed, passed, "at {ms} ms");
            let bin = if passed > 0 { search.bins[place(passed - 1)] } else { 0.0 };
            assert_eq!((bin / f64::from(SMSS)).to_bits(), f64::to_bits(last), "at {ms} ms");
        }
        assert_eq!(search.bins.iter().filter(|&&bytes| bytes > 0.0).count(), 2);
    }

    /// The draft: the bin at the left end counts with the fraction, the one at the right end with the rest of one.
    #[test]
    fn ends_of_a_window_count_in_part() {
        let mut search = Search::default();
        search.bins[..4].copy_from_slice(&[1000.0, 200.0, 30.0, 4.0]);
        assert_eq!(search.sum(0, 3, 0.25).to_bits(), (250.0_f64 + 230.0 + 3.0).to_bits());
    }

    /// The draft: what was delivered in two round trips is taken off the window, but two segments stay.
    #[test]
    fn two_segments_are_left() {
        let (length, bins) = (Duration::from_millis(35), [10_000.0; BINS]);
        let mut search = Search { bins, passed: 25, length, ..Search::default() };
        for (before, after) in [(80.0, 30.0), (40.0, 2.0)] {
            let mut window = Window::new(&initial(before));
            search.check(&mut window, Duration::from_millis(100));
            assert_eq!(window.segments().to_bits(), f64::to_bits(after));
        }
    }

    /// The draft: `(curr_idx - prev_idx) < SEARCH_EXTRA_BINS`, so that a round trip of fifteen bins or more is not compared.
    /// Deliveries that stay the same end slow start otherwise.
    #[test]
    fn round_trips_beyond_the_bins_are_not_compared() {
        let (length, bins) = (Duration::from_millis(35), [1000.0; BINS]);
        for (shift, is_compared) in [(14, true), (15, false), (16, false)] {
            let mut search = Search { bins, passed: 30, length, ..Search::default() };
            search.check(&mut Window::new(&initial(80.0)), length * shift);
            assert_eq!(search.is_over, is_compared, "{shift} bins");
        }
    }

    /// SEARCH 3.1, "Resets algorithm on: several missed bins; app-limited state": bins of a pause, or until an undo, in which
    /// nothing was counted, are no deliveries that level off.
    #[test]
    fn a_pause_ends_no_slow_start() {
        let undo = |search: &mut Search| {
            search.stop();
            search.resume();
        };
        for (pause, ends) in
            [(Search::restart as fn(&mut Search), false), (undo, false), (|_: &mut Search| {}, true)]
        {
            let (mut search, mut window) = (Search::default(), Window::new(&initial(10.0)));
            for round in 0..12 {
                if round == 6 {
                    pause(&mut search);
                }
                let late = if round < 6 { 0 } else { 300 };
                let now = Time::ZERO + Duration::from_millis(late + 100 * round);
                // The first ACK after the pause is of one segment.
                let delivered = u64::from(SMSS) * if round == 6 { 1 } else { 10 * (1 << round) };
                let rtt = Some(Duration::from_millis(100));
                let ack = AckSample { delivered, rtt, ..AckSample::default() };
                search.on_ack(&mut window, &ack, &Flow { now, smss: SMSS, ..Flow::default() });
            }
            assert_eq!((!window.in_slow_start(), search.is_over), (ends, ends));
        }
    }
}
