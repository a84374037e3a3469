//! Rate of a call that adapts: NADA ([RFC 8698]). The receiving end makes one congestion signal of delay, loss and marks and
//! reports it; the sending end makes a rate of it. Times in seconds, rates in segments per second.
//!
//! [RFC 8698]: https://www.rfc-editor.org/rfc/rfc8698

use congestion::{Duration, Time};

use crate::world::Call;

// Section 6.1, figure 3, in seconds.
const XREF: f64 = 0.01;
const KAPPA: f64 = 0.5;
const ETA: f64 = 2.0;
const TAU: f64 = 0.5;
const DELTA: f64 = 0.1;
const QEPS: f64 = 0.01;
const DFILT: f64 = 0.12;
const QBOUND: f64 = 0.05;
const MULTILOSS: f64 = 7.0;
const QTH: f64 = 0.05;
const LAMBDA: f64 = 0.5;
const PLRREF: f64 = 0.01;
const PMRREF: f64 = 0.01;
const DLOSS: f64 = 0.01;
const DMARK: f64 = 0.002;
const BETA_S: f64 = 0.1;
const BETA_V: f64 = 0.1;
/// Part of the reference rate that what waits changes at most (equations 11 and 12).
const LARGEST_NUDGE: f64 = 0.05;
const ALPHA: f64 = 0.1;
/// Greatest signal, of the authors' simulation: where that of much loss fell, its change would raise the rate faster than
/// its offset lowers it.
const XMAX: f64 = 0.5;

/// Intervals of `DELTA` in LOGWIN, 500 ms.
const INTERVALS: usize = 5;
/// Delays whose least is the queueing delay (section 5.1.1).
const TAPS: usize = 15;
/// Weights of the last loss intervals (RFC 5348 section 5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// What the receiving end reports (section 4.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Report {
    /// Aggregate congestion signal, `x_curr` [s].
    pub signal: f32,
    /// Receiving rate, `r_recv`.
    pub rate: f32,
    /// No loss and no queue within LOGWIN: the rate may be ramped up.
    pub clear: bool,
}

/// Arrivals between two reports.
#[derive(Clone, Copy, Debug, Default)]
struct Interval {
    length: f64,
    received: u32,
    lost: u32,
    marked: u32,
    queued: bool,
}

/// The receiving end of a call.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    /// Number of the next datagram.
    next: u32,
    /// Least one-way delay so far [s].
    base: f64,
    /// The last one-way delays in turn, and the place of the next [s].
    delays: [f64; TAPS],
    at: usize,
    /// The last intervals, the one under way first.
    log: [Interval; INTERVALS],
    /// Beginning of the interval under way, and the time from which on a report is due.
    begun: Time,
    due: Time,
    /// Smoothed ratios of loss and marks.
    loss: f64,
    marks: f64,
    /// Datagrams since the last loss, and from each loss to the one before.
    runs: [u32; WEIGHTS.len() + 1],
    losses: usize,
}

impl Receiver {
    /// A receiving end whose first datagram arrives.
    pub fn new(now: Time) -> Self {
        Self {
            next: 0,
            base: f64::INFINITY,
            delays: [f64::INFINITY; TAPS],
            at: 0,
            log: [Interval::default(); INTERVALS],
            begun: now,
            due: now + Duration::from_seconds(DELTA),
            loss: 0.0,
            marks: 0.0,
            runs: [0; WEIGHTS.len() + 1],
            losses: 0,
        }
    }

    /// A datagram has come after a one-way delay [s]; the report that is due with it.
    pub fn take(&mut self, number: u32, delay: f64, marked: bool, now: Time) -> Option<Report> {
        self.base = self.base.min(delay);
        self.delays[self.at % TAPS] = delay;
        self.at += 1;
        let interval = &mut self.log[0];
        // The first datagram begins the interval; those that end one are of it.
        interval.received += u32::from(self.at > 1);
        interval.marked += u32::from(marked);
        interval.queued |= delay - self.base >= QEPS;
        if number >= self.next {
            let lost = number - self.next;
            self.next = number + 1;
            interval.lost += lost;
            if lost > 0 {
                self.runs.rotate_right(1);
                self.runs[0] = 0;
                self.losses += 1;
            }
            self.runs[0] += 1;
        }
        (now >= self.due).then(|| self.report(now))
    }

    fn report(&mut self, now: Time) -> Report {
        self.log[0].length = now.since(self.begun).seconds();
        self.begun = now;
        while self.due <= now {
            self.due += Duration::from_seconds(DELTA);
        }
        let of = |count: fn(&Interval) -> u32| f64::from(self.log.iter().map(count).sum::<u32>());
        let (received, lost, marked) = (of(|i| i.received), of(|i| i.lost), of(|i| i.marked));
        let length: f64 = self.log.iter().map(|interval| interval.length).sum();
        let clear = lost == 0.0 && !self.log.iter().any(|interval| interval.queued);
        self.loss += ALPHA * (lost / (received + lost) - self.loss);
        self.marks += ALPHA * (marked / (received + lost) - self.marks);
        self.log.rotate_right(1);
        self.log[0] = Interval::default();
        let square = |number: f64| number * number;
        // Equation (2).
        let penalty = DMARK * square(self.marks / PMRREF) + DLOSS * square(self.loss / PLRREF);
        let signal = XMAX.min(self.delay() + penalty);
        #[expect(clippy::cast_possible_truncation, reason = "a report has 32 bits for each")]
        Report { signal: signal as f32, rate: (received / length) as f32, clear }
    }

    /// Queueing delay; of a long one less, where there was a loss not long ago (section 4.2) [s].
    fn delay(&self) -> f64 {
        let queue = self.delays.iter().copied().fold(f64::INFINITY, f64::min) - self.base;
        if self.losses == 0 || queue < QTH {
            return queue;
        }
        // Equation (1).
        let warped = QTH * libm::exp(-LAMBDA * (queue - QTH) / QTH);
        let interval = self.loss_interval();
        // As the authors' simulation does: the warping goes within one more interval.
        let gone = (f64::from(self.runs[0]) / interval - MULTILOSS).clamp(0.0, 1.0);
        gone * queue + (1.0 - gone) * warped
    }

    /// Average number of datagrams from one loss to the next (RFC 5348 section 5.4), without those since the last: their
    /// weight is a sixth, so counted they would never be `MULTILOSS` times the average.
    fn loss_interval(&self) -> f64 {
        let weights = &WEIGHTS[..self.losses.min(WEIGHTS.len())];
        let runs = self.runs[1..].iter().zip(weights);
        runs.map(|(&run, weight)| f64::from(run) * weight).sum::<f64>() / weights.iter().sum::<f64>()
    }
}

/// The sending end of a call; all zero at the beginning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sender {
    /// Reference rate, `r_ref`; 0 before the first frame.
    rate: f64,
    /// Signal of the last report, and its time [s].
    signal: f64,
    at: f64,
    /// Part of a segment that frames so far have left.
    left: f64,
    /// When the next datagram may go.
    pub next: Time,
}

impl Sender {
    /// Segments of the frame at `now`, where `waiting` are not yet sent (section 5.2.2).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
    pub fn frame(&mut self, call: &Call, waiting: u32, now: Time) -> u32 {
        if self.rate == 0.0 {
            (self.rate, self.at) = (call.least, now.seconds());
        }
        let rate = (self.rate - self.nudge(BETA_V, call, waiting)).max(call.least);
        self.left += rate * call.frame;
        let whole = libm::floor(self.left);
        self.left -= whole;
        whole as u32
    }

    /// Rate at which datagrams leave, where `waiting` are not yet sent (section 5.2.2).
    pub fn pace(&self, call: &Call, waiting: u32) -> f64 {
        (self.rate + self.nudge(BETA_S, call, waiting)).min(call.most)
    }

    /// Change of the rate where `waiting` segments are not yet sent: equations (11) and (12).
    fn nudge(&self, beta: f64, call: &Call, waiting: u32) -> f64 {
        (LARGEST_NUDGE * self.rate).min(beta * f64::from(waiting) / call.frame)
    }

    /// Take in a report after a round trip of `rtt` [s] (section 4.3).
    pub fn take(&mut self, call: &Call, report: &Report, rtt: f64, now: Time) {
        let (signal, rate) = (f64::from(report.signal), self.rate);
        if report.clear {
            // Equations (3) and (4). With these values the quotient is less than GAMMA_MAX, 0.5, at any round trip.
            let gamma = QBOUND / (rtt + DELTA + DFILT);
            self.rate = rate.max((1.0 + gamma) * f64::from(report.rate));
        } else {
            // Equations (5) to (7), with PRIO = 1.
            let offset = signal - XREF * call.most / rate;
            let change = signal - self.signal;
            let delta = now.seconds() - self.at;
            self.rate -= KAPPA * (delta / TAU * offset / TAU + ETA * change / TAU) * rate;
        }
        self.rate = self.rate.clamp(call.least, call.most);
        (self.signal, self.at) = (signal, now.seconds());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Call = Call { frame: 0.02, least: 10.0, most: 100.0 };

    fn sender(rate: f64) -> Sender {
        Sender { rate, ..Sender::default() }
    }

    fn near(number: f64, expected: f64) {
        assert!((number - expected).abs() < 1e-6 * expected.max(1.0), "{number}, not {expected}");
    }

    /// Reports of a receiving end that datagrams reach every 10 ms, by number and delay.
    fn reports(datagrams: impl Iterator<Item = (u32, f64)>) -> Vec<Report> {
        let mut receiver = Receiver::new(Time::ZERO);
        let at = |number| Time::ZERO + Duration::from_millis(10 * u64::from(number));
        datagrams.filter_map(|(number, delay)| receiver.take(number, delay, false, at(number))).collect()
    }

    /// Equations (3) and (4) at a round trip of 100 ms: 50 ms / (100 + 100 + 120) ms is 0.15625.
    #[test]
    fn the_rate_is_ramped_up_from_what_arrives() {
        let mut sender = sender(20.0);
        let report = |rate| Report { signal: 0.0, rate, clear: true };
        sender.take(&CALL, &report(32.0), 0.1, Time(0));
        near(sender.rate, 37.0);
        sender.take(&CALL, &report(10.0), 0.1, Time(0));
        near(sender.rate, 37.0);
        sender.take(&CALL, &report(99.0), 0.1, Time(0));
        near(sender.rate, 100.0);
    }

    /// Equations (5) to (7) after 100 ms. At half of the greatest rate a signal of 20 ms is in balance. Of one that has risen
    /// to 30 ms, offset and change are 10 ms: of the rate go 0.5 (0.2 · 0.02 + 2 · 0.02).
    #[test]
    fn the_rate_follows_offset_and_change_of_the_signal() {
        let mut sender = Sender { signal: 0.02, ..sender(50.0) };
        let report = |signal| Report { signal, rate: 0.0, clear: false };
        sender.take(&CALL, &report(0.02), 0.1, Time::ZERO + Duration::from_millis(100));
        near(sender.rate, 50.0);
        sender.take(&CALL, &report(0.03), 0.1, Time::ZERO + Duration::from_millis(200));
        near(sender.rate, 50.0 * (1.0 - 0.022));
        sender.take(&CALL, &report(5.0), 0.1, Time::ZERO + Duration::from_millis(300));
        near(sender.rate, CALL.least);
    }

    /// Equations (11) to (14): 50 segments/s in frames of 20 ms, and with two segments left over 5 % less and more. In frames
    /// of 200 ms a segment counts for half a segment per second. Neither end of the range is crossed.
    #[test]
    fn what_waits_makes_frames_smaller_and_sending_faster() {
        let mut sender = sender(50.0);
        let frames: u32 = (0..100).map(|_| sender.frame(&CALL, 0, Time::ZERO)).sum();
        assert_eq!(frames, 100);
        let frames: u32 = (0..100).map(|_| sender.frame(&CALL, 2, Time::ZERO)).sum();
        assert_eq!((frames, sender.pace(&CALL, 2)), (95, 52.5));
        near(sender.pace(&Call { frame: 0.2, ..CALL }, 1), 50.5);
        near(super::Sender { rate: 99.0, ..Sender::default() }.pace(&CALL, 9), 100.0);
        let mut slow = Sender { rate: 10.0, ..Sender::default() };
        assert_eq!((0..100).map(|_| slow.frame(&CALL, 9, Time::ZERO)).sum::<u32>(), 20);
    }

    /// One datagram of 50 is lost, which is once in LOGWIN: 10 ms · (0.02 / 0.01)² by equation (2).
    #[test]
    fn loss_adds_its_penalty() {
        let list = reports((0..5000).filter(|number| number % 50 != 49).map(|number| (number, 0.05)));
        let newest = list[list.len() - 1];
        near(f64::from(newest.signal), 0.04);
        near(f64::from(newest.rate), 98.0);
        assert!(!newest.clear);
    }

    /// Equation (1): a queueing delay of 100 ms counts as 50 exp(-0.5) ms after a loss, until seven loss intervals have gone
    /// by and, in one more, it counts whole again.
    #[test]
    fn a_long_delay_counts_less_after_a_loss() {
        let delay = |number| if number < 10 { 0.05 } else { 0.15 };
        let steady = reports((0..300).map(|number| (number, delay(number))));
        near(f64::from(steady[20].signal), 0.1);
        let lossy = reports((0..1000).filter(|number| *number != 99).map(|number| (number, delay(number))));
        // 99 came before the loss, so up to 693 after it are in its shadow, and the next 99 leave it.
        let warped = 0.05 * libm::exp(-0.5);
        let gone = (840.0 - 99.0) / 99.0 - 7.0;
        for (number, expected) in [(790, warped), (840, warped + gone * (0.1 - warped)), (900, 0.1)] {
            near(f64::from(lossy[number / 10 - 1].signal), expected);
        }
    }

    /// A delay of 20 ms more once: the least of fifteen does not see it, but the rate is not ramped up for 500 ms.
    #[test]
    fn a_single_long_delay_ends_the_ramp_and_no_more() {
        let list = reports((0..200).map(|number| (number, if number == 55 { 0.07 } else { 0.05 })));
        assert!(list.iter().all(|report| report.signal == 0.0));
        let held: Vec<_> = (0..list.len()).filter(|&at| !list[at].clear).collect();
        assert_eq!(held, [5, 6, 7, 8, 9]);
    }
}
