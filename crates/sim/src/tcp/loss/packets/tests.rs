//! Loss detection of QUIC, packet by packet. Packets are numbered from 1 here, as in the examples of RFC 9002.

use super::*;
use crate::net::packet::{Kind, Packet as Acknowledgment, Report};
use crate::tcp::loss::{Evidence, LossOptions, ReoWndRule};
use crate::tcp::recovery::RecoveryState;
use crate::tcp::rtt::{RtoBounds, RtoRule, RttEstimator};
use crate::tcp::send_time::SendTime;
use crate::tcp::sequence::SequenceSpace;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Packets sent, and round trips whose probe timeout is known.
struct Path {
    packets: SentPackets,
    seq: SequenceSpace,
    rtt: RttEstimator,
    rto: RtoBounds,
    pool: Pool,
    sent_at: Vec<Time>,
}

impl Path {
    /// Round trips of 200 ms, and a probe timeout of `pto`.
    fn new(pto: Duration) -> Self {
        let (initial, rule) = (ms(999), RtoRule::Rfc9002);
        let rto = RtoBounds { initial, min: ms(1), max: ms(60_000), rule, ack_delay: Duration::ZERO };
        let (mut rtt, _) = RttEstimator::of_handshake(ms(200), &rto);
        (0..60).for_each(|_| rtt.sample_less_delay(ms(200), Duration::ZERO, &rto));
        let rto = RtoBounds { min: pto - rtt.srtt, ..rto };
        assert_eq!(rtt.pto(&rto), pto);
        let (seq, pool) = (SequenceSpace::new(u32::MAX), Pool::new());
        Self { packets: SentPackets::default(), seq, rtt, rto, pool, sent_at: Vec::new() }
    }

    /// A path on which ten packets left, one each 10 ms, and all have arrived but some.
    fn ten(pto: Duration) -> Self {
        let mut path = Self::new(pto);
        (0..10).for_each(|at| path.send_new(10 * at));
        path
    }

    fn send_new(&mut self, millis: u64) {
        let segment = self.seq.take_new();
        self.send(segment, millis);
    }

    fn send(&mut self, segment: u32, millis: u64) {
        self.packets.on_sent(segment, Time::ZERO + ms(millis));
        self.sent_at.push(Time::ZERO + ms(millis));
    }

    /// Take in an ACK of packet `number`: of everything below `seg_ack`, and of a block of segments.
    fn ack(
        &mut self,
        kind: Kind,
        number: usize,
        seg_ack: u32,
        block: Option<(u32, u32)>,
        millis: u64,
    ) -> Acked {
        let prior_una = self.seq.snd_una;
        self.seq.acknowledge(seg_ack);
        let report = block.map_or(Report::arrival(0), |(start, end)| Report::block(start, end));
        let acknowledgment = Acknowledgment { seq: seg_ack, kind, ..Acknowledgment::default() };
        let acknowledgment = acknowledgment.reporting(report, false);
        let sent = packet::to_grain(self.sent_at[number - 1]);
        let ack = Ack { packet: &acknowledgment, prior_una };
        let Self { packets, seq, rtt, rto, pool, .. } = self;
        packets.on_ack(&ack, sent, &view(seq, rtt, rto, millis), pool)
    }

    fn detect_loss(&mut self, latest_rtt: Duration, millis: u64) -> Losses {
        let Self { packets, seq, rtt, rto, .. } = self;
        packets.detect_loss(latest_rtt, &view(seq, rtt, rto, millis))
    }
}

fn view<'a>(seq: &'a SequenceSpace, rtt: &'a RttEstimator, rto: &'a RtoBounds, millis: u64) -> View<'a> {
    const OPTIONS: LossOptions =
        LossOptions { evidence: Evidence::PacketNumbers, dup_thresh: 3, reo_wnd: ReoWndRule::Fixed };
    let (state, send_time, now) = (RecoveryState::Open, SendTime::default(), Time::ZERO + ms(millis));
    View { seq, rtt, send_time, state, options: &OPTIONS, rto, now }
}

/// RFC 9002 section 7.6.3, the example: packets 2 to 8 are lost when 9 is acknowledged at t=12.2. "The congestion period
/// is calculated as the time between the oldest and newest lost packets: 8 - 1 = 7. The persistent congestion duration
/// is 2 * 3 = 6."
#[test]
fn the_example_of_persistent_congestion() {
    for (pto, persistent) in [(2000, true), (2333, true), (2334, false)] {
        let mut path = Path::new(ms(pto));
        for at in 0..2 {
            path.send_new(1000 * at);
        }
        path.ack(Kind::Ack, 1, 1, None, 1200);
        for at in 2..=6 {
            path.send_new(1000 * at);
        }
        // The probes: segments 1 and 2 again, as there is no new data.
        for (at, segment) in [(8, 1), (12, 2)] {
            path.packets.set_probes(1);
            assert_eq!(path.packets.probe(), Some(segment));
            path.send(segment, 1000 * at);
        }
        let outcome = path.ack(Kind::Ack, 9, 1, Some((2, 3)), 12_200);
        assert_eq!((outcome.delivered, outcome.rtt), (1, Some(ms(200))));
        let losses = path.detect_loss(ms(200), 12_200);
        assert_eq!(
            losses,
            Losses { count: 7, latest: Some(7), persistent },
            "packets 2 to 8, numbered from 0"
        );
        assert_eq!(path.packets.in_flight(), 0);
        let lost = std::iter::from_fn(|| {
            let segment = path.packets.next_lost()?;
            path.packets.on_sent(segment, Time::ZERO + ms(12_300));
            Some(segment)
        });
        assert_eq!(lost.collect::<Vec<_>>(), [1, 3, 4, 5, 6], "segment 2 has arrived by its probe");
    }
}

/// Section 7.6.2: "none of the packets sent between the send times of these two packets are acknowledged".
#[test]
fn an_acknowledged_packet_between_them_means_no_persistent_congestion() {
    let mut path = Path::new(ms(2000));
    (0..9).for_each(|at| path.send_new(1000 * at));
    path.ack(Kind::Ack, 5, 0, Some((4, 5)), 9000);
    assert_eq!(path.detect_loss(ms(200), 9000).count, 4);
    path.ack(Kind::Ack, 9, 0, Some((8, 9)), 9100);
    let losses = path.detect_loss(ms(200), 9100);
    assert_eq!((losses.count, losses.persistent), (3, false), "5 s before the fifth packet, 2 s after it");
}

/// Section 6.1.1: a packet "was sent kPacketThreshold packets before an acknowledged packet".
#[test]
fn three_packets_later_is_lost() {
    let mut path = Path::ten(ms(400));
    path.ack(Kind::Ack, 3, 0, Some((2, 3)), 200);
    assert_eq!(path.detect_loss(ms(200), 200), Losses::default());
    path.ack(Kind::Ack, 4, 0, Some((2, 4)), 201);
    assert_eq!(path.detect_loss(ms(200), 201), Losses { count: 1, latest: Some(0), persistent: false });
    path.ack(Kind::Ack, 10, 0, Some((9, 10)), 202);
    let losses = path.detect_loss(ms(200), 202);
    assert_eq!((losses.count, losses.latest), (4, Some(6)), "packets 2, 5, 6 and 7");
    assert_eq!(path.packets.in_flight(), 2, "packets 8 and 9 may have been overtaken");
}

/// Section 6.1.2: "max(kTimeThreshold * max(`smoothed_rtt`, `latest_rtt`), kGranularity)", and "a timer SHOULD be set for the
/// remaining time".
#[test]
fn nine_eighths_of_a_round_trip_later_is_lost() {
    for (latest_rtt, lost_at) in [(100, 225), (200, 225), (400, 450)] {
        let mut path = Path::ten(ms(400));
        path.ack(Kind::Ack, 2, 0, Some((1, 2)), 210);
        assert_eq!(path.detect_loss(ms(latest_rtt), 210).count, 0);
        assert_eq!(path.packets.deadline(), Time::ZERO + ms(lost_at));
        assert_eq!(path.detect_loss(ms(latest_rtt), lost_at - 1).count, 0);
        assert_eq!(path.detect_loss(ms(latest_rtt), lost_at).count, 1);
        assert_eq!(path.packets.deadline(), Time::NEVER, "nothing later is acknowledged");
    }
    let mut path = Path::new(ms(400));
    path.rtt.srtt = Duration(1000);
    path.rto.min = ms(1);
    (0..2).for_each(|_| path.send_new(10));
    path.ack(Kind::Ack, 2, 0, Some((1, 2)), 10);
    path.detect_loss(Duration(1000), 10);
    assert_eq!(path.packets.deadline(), Time::ZERO + ms(11), "kGranularity");
}

/// Section 5.1: a sample is "generated using only the largest acknowledged packet", if it is newly acknowledged.
#[test]
fn only_the_largest_packet_gives_a_sample() {
    let mut path = Path::ten(ms(400));
    assert_eq!(path.ack(Kind::Ack, 3, 0, Some((2, 3)), 220).rtt, Some(ms(200)));
    assert_eq!(path.ack(Kind::Ack, 2, 0, Some((1, 3)), 221).rtt, None, "it was overtaken");
    assert_eq!(path.ack(Kind::Ack, 4, 0, Some((1, 4)), 240).rtt, Some(ms(210)));
}

/// Section 3: "Packet numbers never repeat", so an ACK tells transmissions of a segment apart.
#[test]
fn a_segment_sent_twice_is_two_packets() {
    let mut path = Path::new(ms(400));
    path.send_new(0);
    path.send(0, 500);
    assert_eq!(path.packets.in_flight(), 2);
    // The first one arrives after all, and the second one as a duplicate.
    let outcome = path.ack(Kind::Ack, 1, 1, None, 600);
    assert_eq!((outcome.delivered, outcome.rtt), (1, Some(ms(600))));
    assert_eq!((outcome.newest, path.packets.in_flight()), (Some(0), 0));
    let outcome = path.ack(Kind::AckOfDuplicate, 2, 1, None, 700);
    assert_eq!((outcome.delivered, outcome.rtt), (0, Some(ms(200))));
    assert_eq!(path.packets.in_flight(), 0);
}

/// A duplicate that brings the first ACK says that both packets have arrived; another one that only it has.
#[test]
fn a_probe_tells_if_the_original_had_arrived() {
    for (kind, lost) in [(Kind::AckOfDuplicate, 0), (Kind::Ack, 1)] {
        let mut path = Path::new(ms(400));
        path.send_new(0);
        path.send(0, 500);
        assert_eq!(path.ack(kind, 2, 1, None, 700).delivered, 1);
        assert_eq!(path.detect_loss(ms(200), 700).count, lost);
    }
}

/// Section 6.2.4: "Sending different payloads each time reduces the chances of spurious retransmission."
#[test]
fn probes_carry_the_oldest_segments_in_flight_in_turn() {
    let mut path = Path::new(ms(400));
    (0..3).for_each(|_| path.send_new(0));
    assert_eq!(path.packets.probe(), None, "none is due");
    for probes in [[0, 1], [2, 0], [1, 2]] {
        path.packets.set_probes(2);
        for segment in probes {
            assert_eq!(path.packets.probe(), Some(segment));
            path.send(segment, 500);
        }
    }
    assert_eq!((path.packets.in_flight(), path.packets.probe()), (9, None));
}
