//! Facts that a sender tells its controller and others.

use congestion::{CongestionEvent, Ecn, Feedback, Needs, Rate};

use super::{Policy, RTT, Script, at, mechanism, ms};
use crate::tcp::loss::Evidence;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::prr::PrrRule;
use crate::tcp::rtt::{RtoBounds, RtoRule};

/// RFC 5681 section 2 and RFC 6675 section 4: what is SACKed is outstanding, and not in the network.
#[test]
fn the_controller_hears_of_flight_and_pipe_in_bytes() {
    let mut script = Script::ten(mechanism(Evidence::Sack));
    script.ack(100, 2, None);
    script.ack(101, 2, Some((5, 7)));
    let (sample, flow) = script.heard();
    assert_eq!((sample.delivered, sample.lost, sample.ce_marked), (2000, 0, 0));
    assert_eq!((flow.in_flight, flow.flight_size, flow.smss), (6000, 8000, 1000));
    assert_eq!((script.sender.pipe(), flow.now, flow.in_recovery), (6, at(101), false));
    assert!(flow.srtt.0.abs_diff(RTT.0) < 100_000 && flow.min_rtt.0.abs_diff(RTT.0) < 100_000);
    script.ack(102, 2, Some((5, 8)));
    let (sample, flow) = script.heard();
    assert_eq!((sample.delivered, sample.lost, flow.in_flight), (1000, 3000, 2000), "2, 3 and 4 are lost");
    script.ack(103, 2, Some((5, 9)));
    assert!(script.heard().1.in_recovery);
}

#[test]
fn segments_are_counted() {
    let mut script = Script::ten(mechanism(Evidence::Sack));
    assert_eq!((script.sender.sent(), script.counters.duplicate_acks), (10, 0));
    script.ack(100, 0, Some((1, 4)));
    assert_eq!(script.send(), [0, 10, 11, 12]);
    assert_eq!((script.sender.sent(), script.sender.counts.retransmitted), (14, 1));
    script.ack(200, 4, None);
    assert_eq!((script.sender.counts.delivered, script.counters.acked), (4, 4));
    assert_eq!((script.counters.duplicate_acks, script.counters.recoveries), (1, 1));
}

/// RFC 5681 section 2 (a): an ACK is a duplicate only if "the receiver of the ACK has outstanding data".
#[test]
fn an_ack_is_a_duplicate_while_data_are_outstanding() {
    let mut script = Script::ten(mechanism(Evidence::DupAck));
    for (seg_ack, duplicates) in [(1, 0), (1, 1), (0, 1), (1, 2), (10, 2), (10, 2)] {
        script.ack(100, seg_ack, None);
        assert_eq!(script.counters.duplicate_acks, duplicates, "{seg_ack}");
    }
}

#[test]
fn a_transfer_is_done_when_all_of_it_is_acknowledged() {
    let mut script = Script::new(Policy::new(10.0), mechanism(Evidence::Rack), 3);
    script.send();
    script.ack(100, 2, None);
    assert!(!script.sender.is_done());
    script.ack(101, 3, None);
    assert!(script.sender.is_done());
}

/// Losses and timeouts are congestion; delivery is none.
#[test]
fn congestion_is_seen_at_the_first_loss() {
    let mut script = Script::ten(mechanism(Evidence::Sack));
    script.ack(100, 1, None);
    assert!(!script.sender.has_seen_congestion());
    script.ack(101, 1, Some((2, 5)));
    assert!(script.sender.has_seen_congestion());
    let mut script = Script::ten(mechanism(Evidence::Sack));
    script.expire();
    assert!(script.sender.has_seen_congestion());
    assert_eq!(script.policy().events, [CongestionEvent::Rto]);
}

#[test]
fn options_are_what_not_every_sender_has() {
    let plain = mechanism(Evidence::Sack);
    let plain = Mechanism { rto: RtoBounds { rule: RtoRule::Rfc6298, ..plain.rto }, ..plain };
    assert!(!Script::ten(plain).sender.has_options());
    assert!(Script::ten(Mechanism { prr: PrrRule::Linux, ..plain }).sender.has_options());
    assert!(Script::ten(mechanism(Evidence::Sack)).sender.has_options(), "timeouts of Linux");
}

/// The controller writes the header.
#[test]
fn congestion_headers_are_the_controllers() {
    let mut script = Script::ten(mechanism(Evidence::Sack));
    let header = script.sender.stamp(&script.mechanism, at(5));
    assert_eq!(header, Feedback::Xcp { cwnd: 10.0, rtt: RTT.seconds(), feedback: 0.0 });
}

#[test]
fn a_connection_that_ends_gives_its_scoreboard_back() {
    let mut script = Script::ten(mechanism(Evidence::Sack));
    script.ack(100, 0, Some((5, 7)));
    assert!(script.pool.is_empty());
    script.sender.retire(&mut script.pool);
    assert_eq!(script.pool.len(), 1);
}

/// Connection of L4S, with the window and the rate of its controller [segments, segments/s].
fn paced(cwnd: f64, rate: Option<f64>) -> Script {
    let mut policy = Policy::new(cwnd);
    policy.needs = Needs { ecn: Ecn::L4s, ..Needs::default() };
    policy.pacing_rate = rate.map(|segments| Rate(segments * 1000.0));
    Script::new(policy, mechanism(Evidence::Rack), 100)
}

/// RFC 9331 section 4.3: half a segment per round trip is a segment in two; the slower of window and rate counts.
#[test]
fn a_window_below_one_segment_spaces_segments() {
    for (cwnd, rate, interval) in [
        (0.5, None, ms(200)),
        (0.25, None, ms(400)),
        (0.5, Some(20.0), ms(200)),
        (0.5, Some(2.0), ms(500)),
        (2.0, Some(20.0), ms(50)),
    ] {
        assert_eq!(paced(cwnd, rate).sender.pacer.interval(), interval, "{cwnd} at {rate:?}");
    }
}

/// A window of a segment and more is not spaced any longer, but paced at the rate, from the segment that left last.
#[test]
fn a_window_that_has_grown_is_paced_at_once() {
    let mut script = paced(0.5, Some(20.0));
    script.now = at(1000);
    assert_eq!(script.send_one(), Some(0));
    assert_eq!(script.sender.pacer.next_send_time(), at(1200));
    script.policy().cwnd = 2.0;
    script.sender.on_wakeup(script.now, &script.mechanism);
    assert_eq!((script.sender.pacer.interval(), script.sender.pacer.next_send_time()), (ms(50), at(1050)));
    script.policy().cwnd = 0.5;
    script.sender.on_wakeup(script.now, &script.mechanism);
    assert_eq!((script.sender.pacer.interval(), script.sender.pacer.next_send_time()), (ms(200), at(1200)));
}

/// A window below one segment has one under way at a time, but for the retransmission after a timeout.
#[test]
fn a_segment_of_a_fractional_window_is_waited_for() {
    let mut script = paced(0.5, None);
    assert!(!script.sender.awaits_ack(), "nothing is out");
    script.send_one();
    assert!(script.sender.awaits_ack() && !script.sender.has_window());
    script.policy().cwnd = 1.0;
    script.sender.on_wakeup(script.now, &script.mechanism);
    assert!(!script.sender.awaits_ack(), "the window is a whole segment");
    let mut script = paced(0.5, None);
    script.send_one();
    script.expire();
    assert!(!script.sender.awaits_ack() && script.sender.has_window(), "a probe may leave");
    script.send_one();
    assert!(script.sender.awaits_ack());
}
