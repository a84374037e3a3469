//! Send times of the segments that ACKs echo: stamps wrap, times do not.

use congestion::{Duration, Time};

use crate::net::packet::{self, WRAP};
use crate::tcp::sequence::SequenceSpace;

/// Bits of a picosecond clock that are left out, rounded down: to 0.27 s.
const SHIFT: u32 = 38;

/// Instant since which everything outstanding was sent, to tell stamps apart that are a wrap from each other. It is at
/// most two round trips ago: it moves on when all is acknowledged that had been sent when it last did. It is kept modulo
/// five hours.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendTime {
    /// That instant [0.27 s].
    oldest: u16,
    /// Instant to move on to [0.27 s], and SND.NXT then.
    next: u16,
    snd_nxt: u32,
}

impl SendTime {
    /// Note that a segment leaves while nothing is outstanding; `snd_nxt` is above it.
    #[inline]
    pub fn on_first_sent(&mut self, snd_nxt: u32, now: Time) {
        *self = Self { oldest: rounded_down(now), next: rounded_down(now), snd_nxt };
    }

    /// Note that SND.UNA has moved.
    #[inline]
    pub fn on_ack(&mut self, seq: &SequenceSpace, now: Time) {
        if seq.snd_una >= self.snd_nxt {
            *self = Self { oldest: self.next, next: rounded_down(now), snd_nxt: seq.snd_nxt };
        }
    }

    /// Time at which the segment left that an ACK echoes by `stamp`, to the grain of stamps. One of before what is
    /// outstanding is a duplicate, and the latest that it may be.
    #[must_use]
    #[inline]
    pub fn of(&self, stamp: u32, now: Time) -> Time {
        let oldest = self.oldest(now);
        let sent = oldest + packet::between(packet::stamp(oldest), stamp);
        if sent > now { Time(sent.0.saturating_sub(WRAP.0)) } else { sent }
    }

    /// Round trip of a segment that was outstanding; `None` if a wrap may have passed since it left. RFC 7323 section
    /// 5.5 has the same limit: a stamp that is too old for its clock says nothing.
    /// <https://www.rfc-editor.org/rfc/rfc7323#section-5.5>
    #[must_use]
    #[inline]
    pub fn round_trip(&self, stamp: u32, now: Time) -> Option<Duration> {
        let is_certain = u64::from(self.age(now)) << SHIFT < WRAP.0;
        is_certain.then(|| packet::since(now, stamp))
    }

    fn oldest(self, now: Time) -> Time {
        Time(((now.0 >> SHIFT).saturating_sub(u64::from(self.age(now)))) << SHIFT)
    }

    /// Age of that instant [0.27 s].
    fn age(self, now: Time) -> u16 {
        rounded_down(now).wrapping_sub(self.oldest)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "modulo five hours")]
fn rounded_down(now: Time) -> u16 {
    (now.0 >> SHIFT) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: f64) -> Time {
        Time::ZERO + Duration::from_seconds(seconds)
    }

    fn seq(snd_una: u32, snd_nxt: u32) -> SequenceSpace {
        SequenceSpace { snd_una, snd_nxt, limit: 100 }
    }

    /// Ten segments left at 5 s and wait for an outage to end. Beyond a wrap of 2^32 x 16.384 ns = 70.369 s nobody knows.
    #[test]
    fn round_trips_of_a_wrap_or_more_are_not_known() {
        let mut times = SendTime::default();
        times.on_first_sent(10, s(5.0));
        let stamp = packet::stamp(s(5.0));
        for (after, is_known) in [(0.04, true), (36.0, true), (70.0, true), (70.37, false), (100.0, false)] {
            let sample = times.round_trip(stamp, s(5.0 + after));
            assert_eq!(sample.is_some(), is_known, "{after} s");
            assert!(sample.is_none_or(|rtt| (rtt.seconds() - after).abs() < 1e-7), "{after} s");
            assert!((times.of(stamp, s(5.0 + after)).0).abs_diff(s(5.0).0) <= 1 << 14, "{after} s");
        }
    }

    /// Segments 10 to 19 leave after the outage, with the first ACK; when the tenth is acknowledged, all outstanding are
    /// of then.
    #[test]
    fn samples_come_back_when_what_was_outstanding_is_acknowledged() {
        let mut times = SendTime::default();
        times.on_first_sent(10, s(5.0));
        let back = s(105.0);
        times.on_ack(&seq(1, 11), back);
        assert_eq!(times.round_trip(packet::stamp(s(5.0)), back), None);
        times.on_ack(&seq(10, 20), back);
        assert_eq!(
            times.round_trip(packet::stamp(s(5.0)), back),
            None,
            "segment 10 may be as old, for all that is known"
        );
        times.on_ack(&seq(20, 30), s(105.04));
        let rtt = times.round_trip(packet::stamp(back), s(105.04)).expect("all are young");
        assert!((rtt.seconds() - 0.04).abs() < 1e-7);
    }

    /// After a pause, however long, the first segment begins anew.
    #[test]
    fn a_pause_is_no_age() {
        let mut times = SendTime::default();
        times.on_first_sent(1, s(0.0));
        times.on_ack(&seq(1, 1), s(0.04));
        times.on_first_sent(2, s(500.0));
        assert!(times.round_trip(packet::stamp(s(500.0)), s(500.04)).is_some());
    }

    /// RFC 2883: the duplicate of a segment that is acknowledged left before what is outstanding.
    #[test]
    fn duplicates_are_older() {
        let mut times = SendTime::default();
        times.on_first_sent(10, s(50.0));
        assert!(times.of(packet::stamp(s(49.0)), s(50.04)).0.abs_diff(s(49.0).0) <= 1 << 14);
    }
}
