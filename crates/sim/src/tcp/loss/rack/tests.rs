//! RACK against RFC 8985 section 6.

use super::*;
use crate::tcp::rtt::{RtoBounds, RtoRule};

fn ms(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn stamp(millis: u64) -> Time {
    packet::to_grain(ms(millis))
}

const REO_WND: Duration = Duration::from_millis(10);

/// Ten segments, a millisecond apart.
fn ten() -> Rack {
    let mut rack = Rack::default();
    for segment in 0..10 {
        rack.on_sent(segment, ms(u64::from(segment)));
    }
    rack
}

/// RFC 8985 section 6.2, step 5.
#[test]
fn segments_sent_before_a_delivered_one_are_lost_after_the_reordering_window() {
    let mut rack = ten();
    rack.update(3, stamp(3), ms(43));
    assert_eq!(rack.detect_loss(ms(43), REO_WND), 0);
    // The last of 0, 1 and 2 was sent at 2 ms; 40 ms for the round trip and 10 ms of reordering window.
    assert_eq!(rack.deadline(), ms(52));
    assert_eq!(rack.detect_loss(ms(52), REO_WND), 3);
    assert_eq!((rack.in_flight(), rack.next_lost(), rack.deadline()), (6, Some(0), Time::NEVER));
}

/// Section 6.2 step 4: no reordering window in recovery while no reordering was seen; a quarter of the least
/// round trip otherwise, at most a smoothed one.
#[test]
fn reordering_once_seen_opens_the_reordering_window() {
    let round_trip = |min_rtt, srtt| {
        let zero = Duration::ZERO;
        let bounds =
            RtoBounds { initial: zero, min: zero, max: zero, rule: RtoRule::Rfc6298, ack_delay: zero };
        let mut rtt = RttEstimator::new(&bounds);
        (rtt.min_rtt, rtt.srtt) = (Duration::from_millis(min_rtt), Duration::from_millis(srtt));
        rtt
    };
    let mut rack = ten();
    assert_eq!(rack.update_reo_wnd(true, &round_trip(40, 40)), Duration::ZERO);
    assert_eq!(rack.update_reo_wnd(false, &round_trip(40, 40)), Duration::from_millis(10));
    assert_eq!(rack.update_reo_wnd(false, &round_trip(40, 8)), Duration::from_millis(8));
    rack.update(3, stamp(3), ms(43));
    rack.update(1, stamp(1), ms(44));
    assert_eq!(rack.update_reo_wnd(true, &round_trip(40, 40)), Duration::from_millis(10));
}

/// Section 6.2 makes no difference between first and further transmissions: a lost retransmission is found by any
/// segment that was sent after it.
#[test]
fn a_lost_retransmission_is_lost_again() {
    let zero = Duration::ZERO;
    let mut rack = ten();
    rack.update(1, stamp(1), ms(41));
    assert_eq!(rack.detect_loss(ms(41), zero), 1);
    rack.on_sent(0, ms(41));
    rack.on_sent(10, ms(42));
    rack.update(9, stamp(9), ms(49));
    let lost = rack.detect_loss(ms(49), zero);
    assert_eq!(lost, 7, "segments 2 to 8, but not the retransmission, which was sent later");
    rack.update(10, stamp(42), ms(82));
    assert_eq!(rack.detect_loss(ms(82), zero), 1);
    assert_eq!(rack.next_lost(), Some(0));
}

/// Section 6.2 step 2: an ACK of the original is not taken for one of the retransmission.
#[test]
fn an_older_echo_is_no_ack_of_the_retransmission() {
    let zero = Duration::ZERO;
    let mut rack = ten();
    rack.update(1, stamp(1), ms(41));
    rack.detect_loss(ms(41), zero);
    rack.on_sent(0, ms(41));
    // The original, late: segments sent between it and the retransmission have not been overtaken.
    rack.acknowledge(2, stamp(0), ms(42));
    assert_eq!(rack.detect_loss(ms(42), zero), 0);
    assert_eq!(rack.in_flight(), 8);
}

/// Section 6.3: the oldest, and those for which a round trip has passed.
#[test]
fn a_timeout_spares_segments_sent_less_than_a_round_trip_ago() {
    let mut rack = ten();
    rack.acknowledge(1, stamp(0), ms(40));
    rack.on_sent(10, ms(230));
    rack.mark_losses_on_rto(ms(240));
    assert_eq!(rack.in_flight(), 1, "segment 10");
    assert_eq!(rack.next_lost(), Some(1));
    let mut rack = Rack::default();
    rack.on_sent(0, ms(0));
    rack.mark_losses_on_rto(ms(240));
    assert_eq!((rack.in_flight(), rack.next_lost()), (0, Some(0)));
}

/// Section 6.1: a segment is found by its place above SND.UNA.
#[test]
fn segments_are_found_above_snd_una() {
    let mut rack = ten();
    rack.acknowledge(4, stamp(3), ms(43));
    rack.update(6, stamp(6), ms(46));
    assert_eq!(rack.in_flight(), 5, "4, 5, 7, 8 and 9");
    assert_eq!(rack.detect_loss(ms(46), Duration::ZERO), 2);
    rack.on_sent(4, ms(46));
    assert_eq!((rack.in_flight(), rack.next_lost()), (4, Some(5)));
}

/// Section 6.2, step 5: `timeout` is that of segments sent before the latest one delivered.
#[test]
fn the_reordering_timer_waits_for_what_was_overtaken_and_no_more() {
    let mut rack = ten();
    rack.acknowledge(2, stamp(1), ms(41));
    assert_eq!(rack.detect_loss(ms(41), REO_WND), 0);
    rack.update(5, stamp(5), ms(45));
    assert_eq!(rack.detect_loss(ms(45), REO_WND), 0);
    assert_eq!(rack.deadline(), ms(4 + 40 + 10), "segment 4 left at 4 ms");
}

/// Section 6.2, step 2: an ACK that echoes the retransmission is one of it, and tells of all that was sent before.
#[test]
fn an_ack_of_the_retransmission_counts() {
    let mut rack = ten();
    rack.update(1, stamp(1), ms(41));
    rack.detect_loss(ms(41), Duration::ZERO);
    rack.on_sent(0, ms(41));
    rack.acknowledge(2, stamp(41), ms(81));
    assert_eq!(rack.detect_loss(ms(81), Duration::ZERO), 8, "segments 2 to 9");
}

/// Linux, `tcp_undo_cwnd_reduction`: what was taken for lost is in flight again, and only what is sent from then on
/// overtakes it.
#[test]
fn what_was_not_lost_is_in_flight_again() {
    let mut rack = ten();
    rack.acknowledge(2, stamp(1), ms(41));
    rack.update(5, stamp(5), ms(45));
    assert_eq!(rack.detect_loss(ms(45), Duration::ZERO), 3, "2, 3 and 4");
    assert_eq!(rack.in_flight(), 4);
    rack.unmark_lost(ms(46));
    assert_eq!((rack.in_flight(), rack.next_lost()), (7, None));
    assert_eq!(rack.detect_loss(ms(90), Duration::ZERO), 0);
    assert!(!rack.is_retransmission_out() && rack.awaits_original(2, 3), "none was sent again");
    rack.update(3, stamp(3), ms(91));
    assert!(rack.reordering_seen, "3 has arrived after 5");
    assert_eq!(
        (rack.rtt, rack.detect_loss(ms(140), Duration::ZERO)),
        (Duration::from_millis(40), 0),
        "3 left before 5"
    );
}

/// RFC 4138 appendix B: an original that is still awaited is one that was neither delivered nor sent again.
#[test]
fn originals_are_told_from_retransmissions() {
    let mut rack = ten();
    rack.update(1, stamp(1), ms(41));
    rack.detect_loss(ms(41), Duration::ZERO);
    assert!(!rack.is_retransmission_out() && rack.awaits_original(0, 1), "it is lost, and not sent again");
    rack.on_sent(0, ms(41));
    assert!(rack.is_retransmission_out());
    assert!(!rack.awaits_original(0, 2), "one was sent again, the other is delivered");
    assert!(rack.awaits_original(0, 3) && rack.awaits_original(9, 20) && !rack.awaits_original(3, 3));
    rack.acknowledge(2, stamp(41), ms(81));
    assert!(!rack.is_retransmission_out());
}
