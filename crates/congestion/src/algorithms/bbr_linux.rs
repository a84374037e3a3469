//! Arithmetic and parts that both versions of BBR have in Linux: rates in segments per microsecond times 2^24, gains in
//! 1/256, windows in segments.

use crate::control::{AckSample, RateSample};
use crate::units::{Duration, Time};

/// One segment per microsecond (`BW_UNIT`).
pub const BW_UNIT: u64 = 1 << 24;

/// Gain of one (`BBR_UNIT`).
pub const UNIT: u64 = 1 << 8;

/// Smallest window [segments] (`bbr_cwnd_min_target`).
pub const CWND_MIN_TARGET: u64 = 4;

/// Window before the first RTT sample [segments] (`TCP_INIT_CWND`).
pub const INIT_CWND: u64 = 10;

/// RTT before the first sample [us].
pub const FIRST_RTT: u64 = 1000;

/// Longest time whose worth of ACKs may come at once and still open the window [us] (`bbr_extra_acked_max_us`).
const EXTRA_ACKED_MAX: u64 = 100_000;

/// Rounds of one slot of the filter of aggregation (`bbr_extra_acked_win_rtts`).
const EXTRA_ACKED_ROUNDS: u32 = 5;

/// Segments after which an epoch of aggregation begins anew (`bbr_ack_epoch_acked_reset_thresh`).
const EPOCH_LIMIT: u64 = 1 << 20;

/// Part of a second whose worth of data a burst holds, as a power of two (`sk_pacing_shift`).
const PACING_SHIFT: u32 = 10;

/// Largest burst [bytes] (`GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER`).
pub const LARGEST_BURST: u64 = 65_536 - 1 - 320;

/// Microseconds of a time.
pub fn micros(span: Duration) -> u64 {
    span.0 / 1_000_000
}

/// Microseconds between two times, each in whole ones.
pub fn micros_since(now: Time, then: Time) -> u64 {
    (now.0 / 1_000_000).saturating_sub(then.0 / 1_000_000)
}

/// Round-trip time by a time stamp in milliseconds, as one that is ambiguous otherwise is measured (`tcp_rtt_tsopt_us`).
pub fn stamped(rtt: Duration, now: Time) -> Duration {
    let millis = |picoseconds: u64| picoseconds / 1_000_000_000;
    let sent = now.0.saturating_sub(rtt.0);
    Duration::from_millis((millis(now.0) - millis(sent)).max(1))
}

/// Round-trip time that an ACK tells: of the last segment that it acknowledges, by its stamp if that was sent again.
pub fn rtt(ack: &AckSample, now: Time) -> Option<Duration> {
    match ack.rate {
        Some(RateSample { rtt: None, .. }) => ack.rtt.map(|rtt| stamped(rtt, now)),
        Some(rate) => rate.rtt,
        None => ack.rtt,
    }
}

/// `number * factor / divisor` without overflow.
pub fn scale(number: u64, factor: u64, divisor: u64) -> u64 {
    let scaled = u128::from(number) * u128::from(factor) / u128::from(divisor.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// Gain in 1/256, without what is finer.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "gains are positive and small")]
pub fn gain(number: f64) -> u64 {
    (number * 256.0) as u64
}

/// `gain` bandwidth-delay products, rounded up [segments] (`bbr_bdp`).
pub fn bdp(bw: u64, min_rtt: u64, gain: u64) -> u64 {
    let volume = (u128::from(bw) * u128::from(min_rtt)).saturating_mul(u128::from(gain)) / u128::from(UNIT);
    u64::try_from(volume.div_ceil(u128::from(BW_UNIT))).unwrap_or(u64::MAX)
}

/// Segments of one burst at a pacing rate [bytes/s], `least` of them at least (`bbr_tso_segs_goal`).
pub fn burst(pacing_rate: u64, smss: u64, least: u64) -> u64 {
    ((pacing_rate >> PACING_SHIFT).min(LARGEST_BURST) / smss).max(least).min(0x7f)
}

/// Segments in the network when the next one leaves, at `interval` from now [us], if `in_flight` are now and `added`
/// leave then (`bbr_packets_in_net_at_edt`).
pub fn in_net_at_departure(in_flight: u64, added: u64, bw: u64, interval: u64) -> u64 {
    (in_flight + added).saturating_sub(scale(bw, interval, BW_UNIT))
}

/// Aggregation of ACKs (`bbr_update_ack_aggregation`): what arrives at once beyond the bandwidth. Two slots of five rounds
/// hold the largest of five to ten.
#[derive(Clone, Debug, Default)]
pub struct Aggregation {
    /// Start of the epoch (`ack_epoch_mstamp`); the first ACK begins one.
    start: Time,
    /// Segments acknowledged in it (`ack_epoch_acked`).
    acked: u64,
    slots: [u64; 2],
    current: usize,
    rounds: u32,
}

impl Aggregation {
    /// Takes in an ACK of `acked` segments at bandwidth `bw`; a slot lasts one round before the pipe was full.
    pub fn on_ack(&mut self, acked: u64, bw: u64, cwnd: u64, round_start: bool, was_full: bool, now: Time) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= if was_full { EXTRA_ACKED_ROUNDS } else { 1 } {
                self.rounds = 0;
                self.current = 1 - self.current;
                self.slots[self.current] = 0;
            }
        }
        let mut expected = scale(bw, micros_since(now, self.start), BW_UNIT);
        if self.acked <= expected || self.acked + acked >= EPOCH_LIMIT {
            (self.acked, self.start, expected) = (0, now, 0);
        }
        self.acked = (self.acked + acked).min(EPOCH_LIMIT - 1);
        let extra = (self.acked - expected.min(self.acked)).min(cwnd);
        self.slots[self.current] = self.slots[self.current].max(extra);
    }

    /// Begins an epoch after idle time (`bbr_cwnd_event`).
    pub fn restart(&mut self, now: Time) {
        (self.start, self.acked) = (now, 0);
    }

    /// Largest aggregation of recent rounds [segments].
    pub fn extra_acked(&self) -> u64 {
        self.slots[0].max(self.slots[1])
    }

    /// Segments by which aggregation opens the window (`bbr_ack_aggregation_cwnd`).
    pub fn cwnd(&self, gain: u64, bw: u64) -> u64 {
        scale(self.extra_acked(), gain, UNIT).min(scale(bw, EXTRA_ACKED_MAX, BW_UNIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A segment per millisecond.
    const BW: u64 = BW_UNIT / 1000 + 1;

    fn ms(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Linux, `bbr_bdp`: rounded up, so that a flow does not lose a segment per estimate.
    #[test]
    fn products_are_rounded_up() {
        assert_eq!(bdp(BW, 19_900, UNIT), 20);
        assert_eq!(bdp(BW, 20_100, UNIT), 21);
        assert_eq!(bdp(BW, 19_900, 2 * UNIT), 40);
        assert_eq!(bdp(u64::MAX, u64::MAX, 1023), u64::MAX);
    }

    /// Linux, `tcp_rtt_tsopt_us`: stamps count milliseconds, so a round trip may look shorter than it is, never nought.
    #[test]
    fn stamps_round_to_milliseconds() {
        let at = |micros: u64| Time(micros * 1_000_000);
        let rtt = Duration(40_340_000_000);
        assert_eq!(stamped(rtt, at(100_400)), Duration::from_millis(40));
        assert_eq!(stamped(rtt, at(100_300)), Duration::from_millis(41));
        assert_eq!(stamped(Duration(5), at(100_300)), Duration::from_millis(1));
    }

    /// Linux, `bbr_tso_segs_goal`: a millisecond's worth, two segments at least; `GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER`
    /// bytes and `0x7FU` segments at most.
    #[test]
    fn bursts_are_a_millisecond_long() {
        assert_eq!(burst(1_250_000, 1448, 2), 2);
        assert_eq!(burst(12_500_000, 1448, 2), 8);
        assert_eq!(burst(66_700_000, 1448, 2), 44);
        for (smss, segments) in [(1448, 45), (1460, 44), (512, 127)] {
            assert_eq!(burst(1_000_000_000, smss, 2), segments);
        }
        assert_eq!(burst(100_000, 1448, 1), 1);
    }

    /// Linux, `bbr_packets_in_net_at_edt`: what is delivered until the next departure is out of the network then.
    #[test]
    fn the_network_empties_until_the_next_departure() {
        assert_eq!(in_net_at_departure(20, 2, BW, 5999), 17);
        assert_eq!(in_net_at_departure(3, 0, BW, 5000), 0);
    }

    /// Linux, `bbr_update_ack_aggregation`: eight segments at once open the window by as many, for five to ten rounds.
    #[test]
    fn bursts_of_acks_open_the_window_for_some_rounds() {
        let mut seen = Aggregation::default();
        seen.on_ack(1, BW, 100, true, true, ms(10));
        seen.on_ack(8, BW, 100, false, true, ms(11));
        assert_eq!(seen.cwnd(UNIT, BW), 8);
        let gone = (0..20).find(|round| {
            seen.on_ack(1, BW, 100, true, true, ms(100 + 10 * round));
            seen.cwnd(UNIT, BW) < 8
        });
        assert!(gone.is_some_and(|rounds| (4..10).contains(&rounds)), "{gone:?}");
        assert_eq!(seen.cwnd(2 * UNIT, BW / 1000), 0, "a tenth of a second's worth at most");
    }

    /// Linux, `bbr_update_ack_aggregation`: `ack_epoch_acked + acked_sacked >= bbr_ack_epoch_acked_reset_thresh` begins an
    /// epoch anew, and 3000 segments are far from it.
    #[test]
    fn acks_of_an_epoch_add_up() {
        let mut seen = Aggregation::default();
        for acked in [2000, 1000] {
            seen.on_ack(acked, BW, u64::MAX, true, true, ms(10));
        }
        assert_eq!(seen.extra_acked(), 3000);
    }

    /// Linux, `bbr_update_ack_aggregation`: an epoch counts 0xFFFFF segments at most.
    #[test]
    fn an_epoch_counts_so_many_segments() {
        let mut seen = Aggregation::default();
        seen.on_ack(1 << 21, BW, u64::MAX, true, true, ms(10));
        assert_eq!(seen.extra_acked(), 0xF_FFFF);
    }
}
