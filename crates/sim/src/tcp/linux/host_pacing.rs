//! Pacing by hosts as Linux has it (`net/ipv4/tcp_output.c`), of flows whose controllers do not pace, too.
//!
//! The first segments of a connection are not paced, and a segment that left late shortens the time to the next one, by
//! half at most (`tcp_update_skb_after_send`).

use congestion::{Duration, Time};

use crate::tcp::pacer::Pacer;

/// Segments of a connection that are not paced.
const UNPACED: u32 = 10;

/// Pacing rate in windows per smoothed RTT, while the window is below half of the threshold (`tcp_pacing_ss_ratio`) and
/// from there on (`tcp_pacing_ca_ratio`).
const SLOW_START_RATIO: f64 = 2.0;
const AVOIDANCE_RATIO: f64 = 1.2;

/// Flows that hosts pace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PacingRule {
    /// Those whose controllers ask for a rate, segment by segment.
    #[default]
    None,
    /// All, by the queue discipline `fq`, which releases at the times that TCP says.
    Fq,
    /// All, by a leaky bucket with room for an initial window (RFC 9002 section 7.7).
    Rfc9002,
}

/// Sender when a segment leaves.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Window [segments].
    pub cwnd: u32,
    /// Segments outstanding.
    pub flight_size: u32,
    /// Slow-start threshold [segments].
    pub ssthresh: f64,
    /// Smoothed RTT.
    pub srtt: Duration,
}

impl Pace {
    /// Time of one segment at the pacing rate that TCP gives a flow whose controller has none
    /// (`tcp_update_pacing_rate`).
    fn interval(&self) -> Duration {
        let ratio =
            if f64::from(self.cwnd) < self.ssthresh / 2.0 { SLOW_START_RATIO } else { AVOIDANCE_RATIO };
        let segments = ratio * f64::from(self.cwnd.max(self.flight_size).max(1));
        Duration::from_seconds(self.srtt.seconds() / segments).max(Duration(1))
    }
}

/// Pacing of one flow by `fq`.
#[derive(Clone, Copy, Debug, Default)]
pub struct FqPacing {
    /// Segments sent, as far as that matters.
    sent: u32,
    /// When the next one is due (`tcp_wstamp_ns`).
    due: Time,
}

impl FqPacing {
    /// Note that a segment leaves, and tell the pacer when the next one may. `pacer` has the interval of the controller.
    pub fn on_sent(&mut self, pace: &Pace, pacer: &mut Pacer, now: Time) {
        let own = pacer.interval();
        let interval = if own > Duration::ZERO { own } else { pace.interval() };
        self.sent = self.sent.saturating_add(1);
        let late = now.since(self.due);
        let wait = if self.sent < UNPACED { Duration::ZERO } else { interval - (interval / 2).min(late) };
        self.due = now + wait;
        pacer.wait_until(self.due);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Ten segments outstanding of a window of 20, round trips of 100 ms, no threshold.
    fn pace() -> Pace {
        Pace { cwnd: 20, flight_size: 10, ssthresh: f64::INFINITY, srtt: Duration::from_millis(100) }
    }

    /// State after ten segments.
    fn after_ten(pacer: &mut Pacer) -> FqPacing {
        let mut pacing = FqPacing::default();
        (0..9).for_each(|_| pacing.on_sent(&pace(), pacer, ms(0)));
        assert_eq!(pacer.next_send_time(), ms(0), "the first segments are not paced");
        pacing
    }

    /// Linux, `tcp_update_pacing_rate`: two windows per round trip, or 1.2 from half of the threshold on; what is
    /// outstanding counts if it is more than the window.
    #[test]
    fn rates_are_parts_of_the_window() {
        assert_eq!(pace().interval(), Duration::from_seconds(0.1 / 40.0));
        let near = Pace { ssthresh: 40.0, ..pace() };
        assert_eq!(near.interval(), Duration::from_seconds(0.1 / 24.0));
        let reduced = Pace { flight_size: 50, ..near };
        assert_eq!(reduced.interval(), Duration::from_seconds(0.1 / 60.0));
    }

    /// Linux, `tcp_update_skb_after_send`: from the tenth segment on each takes its time; one that leaves late shortens
    /// the time to the next, by half at most.
    #[test]
    fn late_segments_earn_up_to_half_an_interval() {
        let mut pacer = Pacer::default();
        let mut pacing = after_ten(&mut pacer);
        let us = |micros: u64| Time(micros * 1_000_000);
        for (at, next) in [(0, 2500), (2500, 5000), (6000, 7500), (100_000, 101_250)] {
            pacing.on_sent(&pace(), &mut pacer, us(at));
            assert_eq!(pacer.next_send_time(), us(next));
        }
    }
}
