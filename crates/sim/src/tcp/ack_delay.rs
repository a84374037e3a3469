//! Delay of an ACK, as receivers of QUIC report it (RFC 9000 section 19.3, ACK Delay).
//!
//! An ACK has one word for the latest segment where nothing is missing. TCP's stands for the time of arrival. Here it
//! holds two delays: that of the ACK, in the 8 us of RFC 9000 (`ack_delay_exponent` 3), and the one-way delay, in 67 us.
//! The latter is none of RFC 9000's: controllers that go by it would have nothing to go by.
//! <https://www.rfc-editor.org/rfc/rfc9000#section-19.3>

use congestion::{Duration, Time};

use crate::net::packet::{self, Packet, Report};
use crate::tcp::receiver::Reply;

/// Bits by which stamps are coarser here: 2^9 stamps of 16.4 ns are 8.4 us, 2^12 are 67 us.
const ACK_SHIFT: u32 = 9;
const FORWARD_SHIFT: u32 = 12;

/// Delays that an ACK reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckDelay {
    /// From the arrival of the latest segment to the ACK; none where something is missing, as the ACK does not wait.
    pub held: Duration,
    /// From the sender to the receiver, where nothing is missing.
    pub forward: Option<Duration>,
}

impl AckDelay {
    /// Read the delays of an ACK.
    #[must_use]
    pub fn of(packet: &Packet) -> Self {
        packet.arrival().map_or_else(Self::default, |word| Self {
            held: packet::between(0, (word & 0xffff) << ACK_SHIFT),
            forward: Some(packet::between(0, (word >> 16) << FORWARD_SHIFT)),
        })
    }
}

/// The same reply with delays for the time of arrival, where it has that, as it leaves at `now`.
#[must_use]
pub fn with_delays(reply: Reply, now: Time) -> Reply {
    let Some(arrival) = reply.report.arrival_stamp() else { return reply };
    let parts = |from: u32, to: u32, shift: u32| (to.wrapping_sub(from) >> shift).min(0xffff);
    let held = parts(arrival, packet::stamp(now), ACK_SHIFT);
    let forward = parts(reply.stamp, arrival, FORWARD_SHIFT);
    Reply { report: Report::arrival(forward << 16 | held), ..reply }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ecn::AckFlags;

    fn delays(forward_us: u32, held_us: u32) -> AckDelay {
        let us = |micros: u32| Time::ZERO + Duration(u64::from(micros) * 1_000_000);
        let [sent, arrival] = [us(1000), us(1000 + forward_us)].map(packet::stamp);
        let report = Report::arrival(arrival);
        let reply = Reply { next: 1, stamp: sent, report, flags: AckFlags::default(), duplicate: false };
        let reply = with_delays(reply, us(1000 + forward_us + held_us));
        AckDelay::of(&Packet::default().reporting(reply.report, false))
    }

    /// RFC 9000 section 19.3: "a variable-length integer encoding the acknowledgment delay in microseconds", multiplied
    /// by 2^3 by default (section 18.2).
    #[test]
    fn delays_are_reported_to_8_and_67_microseconds() {
        for (forward, held) in [(0, 0), (20_000, 0), (20_013, 25_000), (3_999_999, 500_001)] {
            let reported = delays(forward, held);
            let short = |whole: u32, span: Duration| f64::from(whole) - span.seconds() * 1e6;
            let of_forward = short(forward, reported.forward.expect("nothing is missing"));
            assert!((-0.1..67.2).contains(&of_forward), "{of_forward} us of {forward}");
            let of_held = short(held, reported.held);
            assert!((-0.1..8.5).contains(&of_held), "{of_held} us of {held}");
        }
        let long = delays(10_000_000, 10_000_000);
        assert!(long.held.seconds() > 0.5 && long.forward.is_some_and(|delay| delay.seconds() > 4.0));
    }
}
