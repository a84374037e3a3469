//! Round-trip time and retransmission timeout (RFC 6298).

use congestion::Duration;

use crate::tcp::linux::variation::{Variation, shortened};
use crate::tcp::sequence::SequenceSpace;

/// Bounds of the retransmission timeout.
#[derive(Clone, Copy, Debug, Default)]
pub struct RtoBounds {
    /// RTO before the first sample.
    pub initial: Duration,
    /// Floor.
    pub min: Duration,
    /// Ceiling.
    pub max: Duration,
    /// Rule that the floor belongs to.
    pub rule: RtoRule,
    /// Longest time for which receivers hold ACKs back (`max_ack_delay`, RFC 9002).
    pub ack_delay: Duration,
}

impl RtoBounds {
    /// Time by which the timers of RACK-TLP expire later than RFC 8985 has it (Linux, `TCP_TIMEOUT_MIN_US`).
    #[must_use]
    pub fn timer_margin(&self) -> Duration {
        match self.rule {
            RtoRule::Rfc6298 | RtoRule::Rfc9002 => Duration::ZERO,
            RtoRule::Linux => Duration::from_millis(2),
        }
    }

    /// Returns true if the timer starts anew when fast recovery begins (Linux, `tcp_xmit_retransmit_queue`).
    #[must_use]
    pub fn restarts_in_recovery(&self) -> bool {
        self.rule == RtoRule::Linux
    }
}

/// Rule for the floor of the timeout, and for the timer when a loss is first repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RtoRule {
    /// The floor bounds the RTO (RFC 6298 section 2.4).
    #[default]
    Rfc6298,
    /// The floor bounds the part above SRTT, which goes down once per round trip ([`Variation`]), and the timer
    /// starts anew when fast recovery begins (`tcp_xmit_retransmit_queue`). With RACK, round trips are those of the last
    /// segment that an ACK delivers, but for SRTT (`tcp_clean_rtx_queue`), and its timers have a margin.
    Linux,
    /// The floor bounds four variations, the receiver's delay is added to the timeout, and what an ACK was held back is
    /// taken off round trips (RFC 9002 sections 5.3 and 6.2.1).
    Rfc9002,
}

/// Estimator of one connection.
#[derive(Clone, Copy, Debug)]
pub struct RttEstimator {
    /// Smoothed RTT (SRTT); zero before the first sample.
    pub srtt: Duration,
    /// Smallest sample; [`Duration::MAX`] before the first.
    pub min_rtt: Duration,
    rttvar: Duration,
    rto: Duration,
}

impl RttEstimator {
    /// Estimator before the first sample. Section 2.1: "Until a round-trip time (RTT) measurement has been made
    /// for a segment sent between the sender and receiver, the sender SHOULD set RTO <- 1 second"; ours is a
    /// parameter.
    /// <https://www.rfc-editor.org/rfc/rfc6298#section-2>
    #[must_use]
    pub fn new(bounds: &RtoBounds) -> Self {
        Self { srtt: Duration::ZERO, min_rtt: Duration::MAX, rttvar: Duration::ZERO, rto: bounds.initial }
    }

    /// Estimator after the handshake, which took `rtt`, and the variation that it needs in the form of Linux.
    #[must_use]
    pub fn of_handshake(rtt: Duration, bounds: &RtoBounds) -> (Self, Option<Variation>) {
        let mut estimator = Self::new(bounds);
        let mut variation = (bounds.rule == RtoRule::Linux).then(|| Variation::new(bounds.min));
        estimator.sample(rtt, variation.as_mut(), &SequenceSpace::new(0), bounds);
        if bounds.rule == RtoRule::Rfc9002 {
            estimator.end_back_off(bounds);
        }
        (estimator, variation)
    }

    /// Take `latest_rtt` of an ACK that was held back for so long. RFC 9002 section 5.3:
    ///
    /// ```text
    /// ack_delay = min(ack_delay, max_ack_delay)
    /// adjusted_rtt = latest_rtt
    /// if (latest_rtt >= min_rtt + ack_delay):
    ///     adjusted_rtt = latest_rtt - ack_delay
    /// ```
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-5.3>
    pub fn sample_less_delay(&mut self, latest_rtt: Duration, ack_delay: Duration, bounds: &RtoBounds) {
        self.min_rtt = self.min_rtt.min(latest_rtt);
        let ack_delay = ack_delay.min(bounds.ack_delay);
        let implausible = latest_rtt < self.min_rtt + ack_delay;
        let adjusted_rtt = if implausible { latest_rtt } else { latest_rtt - ack_delay };
        let rttvar_sample = Duration(self.srtt.0.abs_diff(adjusted_rtt.0));
        self.rttvar = self.rttvar - self.rttvar / 4 + rttvar_sample / 4;
        self.srtt = self.srtt - self.srtt / 8 + adjusted_rtt / 8;
    }

    /// Probe timeout. RFC 9002 section 6.2.1: "PTO = `smoothed_rtt` + max(4*rttvar, kGranularity) + `max_ack_delay`".
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-6.2.1>
    #[must_use]
    pub fn pto(&self, bounds: &RtoBounds) -> Duration {
        self.srtt + (self.rttvar * 4).max(bounds.min) + bounds.ack_delay
    }

    /// Let the timeout be the probe timeout. RFC 9002 section 6.2.1: "The PTO backoff factor is reset when an acknowledgment
    /// is received".
    pub fn end_back_off(&mut self, bounds: &RtoBounds) {
        self.rto = self.pto(bounds).min(bounds.max);
    }

    /// Take a sample R or R', from an ACK that moved SND.UNA to that of `seq`. With a variation the form is that of Linux.
    /// <https://www.rfc-editor.org/rfc/rfc6298#section-2>
    pub fn sample(
        &mut self,
        rtt: Duration,
        variation: Option<&mut Variation>,
        seq: &SequenceSpace,
        bounds: &RtoBounds,
    ) {
        self.min_rtt = self.min_rtt.min(rtt);
        if self.srtt == Duration::ZERO {
            // Section 2.2: "SRTT <- R, RTTVAR <- R/2".
            self.srtt = rtt.max(Duration(1));
            self.rttvar = rtt / 2;
        } else {
            // Section 2.3: "RTTVAR <- (1 - beta) * RTTVAR + beta * |SRTT - R'|" with beta 1/4, and then
            let deviation = Duration(self.srtt.0.abs_diff(rtt.0));
            self.rttvar = if variation.is_some() && rtt < self.srtt && deviation > self.rttvar {
                shortened(self.rttvar, deviation)
            } else {
                self.rttvar - self.rttvar / 4 + deviation / 4
            };
            // "SRTT <- (1 - alpha) * SRTT + alpha * R'" with alpha 1/8.
            self.srtt = self.srtt - self.srtt / 8 + rtt / 8;
        }
        // Sections 2.2 and 2.3: "RTO <- SRTT + max (G, K*RTTVAR)" with K 4; time has no granularity here.
        // Section 2.4 gives the floor, 2.5 the ceiling.
        let k_rttvar = self.rttvar * 4;
        let rto = match variation {
            None => (self.srtt + k_rttvar).max(bounds.min),
            Some(variation) => self.srtt + variation.on_sample(k_rttvar, seq, bounds.min),
        };
        self.rto = rto.min(bounds.max);
    }

    /// Round trip of the last segment that an ACK delivers, where the form is Linux's: controllers and the smallest RTT go
    /// by it, and a delayed ACK does not lengthen it (`tcp_clean_rtx_queue`, `tcp_update_rtt_min`).
    #[inline]
    pub fn last_sample(&mut self, rtt: Option<Duration>, bounds: &RtoBounds) -> Option<Duration> {
        let rtt = rtt.filter(|_| bounds.rule == RtoRule::Linux)?;
        self.min_rtt = self.min_rtt.min(rtt);
        Some(rtt)
    }

    /// Variation of the RTT (RTTVAR; in Linux a quarter of `mdev_us`, which is `tcpi_rttvar`).
    #[must_use]
    pub fn rttvar(&self) -> Duration {
        self.rttvar
    }

    /// Current retransmission timeout (RTO).
    #[must_use]
    #[inline]
    pub fn rto(&self) -> Duration {
        self.rto
    }

    /// Section 5.5: "The host MUST set RTO <- RTO * 2 ("back off the timer")".
    /// <https://www.rfc-editor.org/rfc/rfc6298#section-5>
    pub fn back_off(&mut self, bounds: &RtoBounds) {
        self.rto = (self.rto * 2).min(bounds.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn bounds() -> RtoBounds {
        RtoBounds {
            initial: ms(3000),
            min: ms(1000),
            max: ms(60_000),
            rule: RtoRule::Rfc6298,
            ack_delay: Duration::ZERO,
        }
    }

    /// Take a sample before anything is acknowledged.
    fn sample(estimator: &mut RttEstimator, rtt: Duration, bounds: &RtoBounds) {
        estimator.sample(rtt, None, &SequenceSpace::new(u32::MAX), bounds);
    }

    fn linux(rtt: Duration, bounds: &RtoBounds) -> (RttEstimator, Variation) {
        let (estimator, variation) = RttEstimator::of_handshake(rtt, bounds);
        (estimator, variation.expect("the rule is Linux's"))
    }

    /// RFC 6298 section 2: first sample gives SRTT = R, RTTVAR = R/2, so RTO = 3 R, and a floor of 1 s.
    #[test]
    fn first_sample_and_floor() {
        let mut rtt = RttEstimator::new(&bounds());
        assert_eq!(rtt.rto(), ms(3000));
        sample(&mut rtt, ms(800), &bounds());
        assert_eq!((rtt.srtt, rtt.rto()), (ms(800), ms(2400)));
        let mut rtt = RttEstimator::new(&bounds());
        sample(&mut rtt, ms(100), &bounds());
        assert_eq!(rtt.rto(), ms(1000));
    }

    /// `tcp_rtt_estimator` in Linux keeps RTTVAR at `tcp_rto_min` or above, so that steady round trips,
    /// however long, leave 200 ms between an ACK and the timeout.
    #[test]
    fn the_floor_of_linux_is_above_the_round_trip() {
        let bounds = RtoBounds { min: ms(200), rule: RtoRule::Linux, ..bounds() };
        let (mut rtt, mut variation) = linux(ms(600), &bounds);
        let last = (0..100).map(|round| timeouts(&mut rtt, &mut variation, round, ms(600))).last();
        assert_eq!(last.expect("a hundred rounds"), [800; 10]);
    }

    /// Ten samples of a round trip, with the timeout after each [ms], rounded.
    fn timeouts(rtt: &mut RttEstimator, variation: &mut Variation, round: u32, sample: Duration) -> Vec<u64> {
        let bounds = RtoBounds { min: ms(200), rule: RtoRule::Linux, ..bounds() };
        let mut seq = SequenceSpace::new(u32::MAX);
        let timeout = |at: u32| {
            (seq.snd_una, seq.snd_nxt) = (10 * round + at + 1, 10 * round + at + 11);
            rtt.sample(sample, Some(&mut *variation), &seq, &bounds);
            (rtt.rto().0 + ms(1).0 / 2) / ms(1).0
        };
        (0..10).map(timeout).collect()
    }

    /// Linux, `tcp_rtt_estimator`, with whole numbers of its own: steady round trips of 100 ms, one of 300 ms, and steady
    /// ones again. RTTVAR of RFC 6298 goes down with every ACK.
    #[test]
    fn the_variation_of_linux_goes_down_once_per_round_trip() {
        let bounds = RtoBounds { min: ms(200), rule: RtoRule::Linux, ..bounds() };
        let (mut rtt, mut variation) = linux(ms(100), &bounds);
        let above = |rtt: &RttEstimator| rtt.rto() - rtt.srtt;
        assert_eq!(above(&rtt), ms(200));
        for round in 0..4 {
            assert_eq!(timeouts(&mut rtt, &mut variation, round, ms(100)), [300; 10]);
        }
        let slow = timeouts(&mut rtt, &mut variation, 4, ms(300));
        // Errors of 200, 175, 153.1, 134.0 ... ms; four deviations of 200, 325, 396.9, 431.6, 441 ... ms.
        assert_eq!(slow[..4], [325, 472, 563, 614]);
        let peak = above(&rtt);
        assert_eq!(peak.0 / ms(1).0, 440);
        timeouts(&mut rtt, &mut variation, 5, ms(300));
        assert!(above(&rtt) * 100 > peak * 98, "the round trip that ends began near the peak");
        assert!(rtt.rttvar() * 4 * 2 < peak, "that of RFC 6298 does not remember");
        timeouts(&mut rtt, &mut variation, 6, ms(300));
        assert!(above(&rtt) < peak && above(&rtt) * 4 >= peak * 3);
    }

    /// Linux, `tcp_rtt_estimator`: "Like Eifel it also prevents growth of rto".
    #[test]
    fn shorter_round_trips_hardly_widen_the_variation_of_linux() {
        for (rule, rttvar) in [(RtoRule::Linux, ms(200) / 32), (RtoRule::Rfc6298, ms(200) / 4)] {
            let bounds = RtoBounds { rule, ..bounds() };
            let (mut rtt, mut variation) = RttEstimator::of_handshake(ms(300), &bounds);
            rtt.rttvar = Duration::ZERO;
            rtt.sample(ms(100), variation.as_mut(), &SequenceSpace::new(u32::MAX), &bounds);
            assert_eq!(rtt.rttvar(), rttvar);
        }
    }

    /// RFC 6298 section 2.3 and 5.5.
    #[test]
    fn later_samples_and_back_off() {
        let mut rtt = RttEstimator::new(&bounds());
        sample(&mut rtt, ms(800), &bounds());
        sample(&mut rtt, ms(1600), &bounds());
        // RTTVAR = 3/4 * 400 + 1/4 * 800 = 500, SRTT = 7/8 * 800 + 1/8 * 1600 = 900.
        assert_eq!((rtt.srtt, rtt.rto()), (ms(900), ms(2900)));
        rtt.back_off(&bounds());
        assert_eq!(rtt.rto(), ms(5800));
        for _ in 0..10 {
            rtt.back_off(&bounds());
        }
        assert_eq!(rtt.rto(), ms(60_000));
        sample(&mut rtt, ms(900), &bounds());
        assert!(rtt.rto() < ms(3000), "a new sample ends the back-off");
        assert_eq!(rtt.min_rtt, ms(800));
    }

    /// RFC 6298 section 2.2: "RTTVAR <- R/2".
    #[test]
    fn the_first_variation_is_half_a_round_trip() {
        let mut rtt = RttEstimator::new(&bounds());
        sample(&mut rtt, ms(800), &bounds());
        assert_eq!(rtt.rttvar(), ms(400));
    }

    /// RFC 9002 sections 5.2 and 5.3: what an ACK was held back is taken off, up to `max_ack_delay`, unless that leaves less
    /// than `min_rtt`, which goes by the round trips themselves.
    #[test]
    fn the_delay_of_an_ack_is_no_part_of_the_round_trip() {
        let bounds = RtoBounds { min: ms(1), rule: RtoRule::Rfc9002, ack_delay: ms(25), ..bounds() };
        for (latest_rtt, ack_delay, adjusted_rtt) in
            [(180, 20, 160), (180, 90, 155), (104, 20, 104), (120, 20, 100), (72, 20, 72)]
        {
            let (mut rtt, _) = RttEstimator::of_handshake(ms(100), &bounds);
            rtt.sample_less_delay(ms(latest_rtt), ms(ack_delay), &bounds);
            assert_eq!(rtt.min_rtt, ms(latest_rtt.min(100)));
            assert_eq!(rtt.srtt, (ms(100) * 7 + ms(adjusted_rtt)) / 8);
            assert_eq!(rtt.rttvar(), (ms(50) * 3 + ms(adjusted_rtt.abs_diff(100))) / 4);
        }
    }

    /// RFC 9002 section 6.2.1; 6.2.2: an initial round trip of 333 ms makes a probe timeout of about a second, of handshake
    /// packets, which are not held back.
    #[test]
    fn the_probe_timeout_has_a_floor_and_the_receivers_delay() {
        let bounds = RtoBounds { min: ms(1), rule: RtoRule::Rfc9002, ack_delay: ms(25), ..bounds() };
        let (mut rtt, _) = RttEstimator::of_handshake(ms(100), &bounds);
        assert_eq!(rtt.rto(), ms(100 + 200 + 25));
        rtt.back_off(&bounds);
        assert_eq!(rtt.rto(), ms(650));
        (0..80).for_each(|_| rtt.sample_less_delay(ms(100), ms(0), &bounds));
        assert_eq!(rtt.rto(), ms(650), "an ACK ends the back-off, no sample");
        rtt.end_back_off(&bounds);
        assert_eq!(rtt.rto() - rtt.srtt, ms(1 + 25), "kGranularity");
        let (initial, _) =
            RttEstimator::of_handshake(ms(333), &RtoBounds { ack_delay: Duration::ZERO, ..bounds });
        assert_eq!(initial.rto(), ms(999));
    }
}
