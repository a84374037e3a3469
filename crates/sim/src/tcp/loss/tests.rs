//! Loss detection through its interface, whatever the evidence.

use congestion::{Duration, Time};

use super::fixtures::{Connection, ms};
use super::{LossDetection, ReoWndRule, Transmission, TransmissionKind};
use crate::net::packet::Kind;
use crate::tcp::loss::Evidence;

const RTO_AT: Time = Time(ms(500).0);

fn connection(evidence: Evidence, outstanding: u32) -> Connection {
    Connection::new(evidence, outstanding)
}

fn retransmission(segment: u32) -> Transmission {
    Transmission { segment, kind: TransmissionKind::Retransmission }
}

/// Width of RACK's reordering window.
fn reo_wnd(connection: &Connection) -> Duration {
    connection.loss.rack().expect("it is RACK").reo_wnd.width(&connection.rtt)
}

/// Connection by RACK, three segments outstanding, whose reordering window adapts.
fn adaptive() -> Connection {
    let mut connection = connection(Evidence::Rack, 3);
    connection.options.reo_wnd = ReoWndRule::Adaptive;
    connection
}

/// So many more ACKs of everything below `seg_ack`.
fn duplicates(connection: &mut Connection, count: u32, seg_ack: u32) {
    for _ in 0..count {
        connection.ack(seg_ack, None);
    }
}

/// The probe leaves: new data, or the last segment again.
fn probe(connection: &mut Connection, is_new: bool) {
    connection.schedule_probe(RTO_AT);
    connection.now = connection.loss.deadline();
    assert!(connection.on_timer().probe_due);
    if is_new {
        connection.send_new();
    } else {
        let probe = connection.loss.next_unsacked(&connection.seq, connection.state).expect("a probe");
        connection.send(probe);
    }
}

/// An active flow has a bound on its memory (`region/memory.rs`), and this is the larger part of a sender's own.
#[test]
fn loss_detection_takes_at_most_32_bytes() {
    assert!(size_of::<LossDetection>() <= 32, "{}", size_of::<LossDetection>());
}

/// A loss that the controller has not heard of yet is in the outcome of the next ACK, once.
#[test]
fn deferred_losses_are_in_the_next_outcome() {
    for evidence in [Evidence::DupAck, Evidence::Sack, Evidence::Rack] {
        let mut connection = connection(evidence, 10);
        connection.loss.defer_lost(2);
        connection.loss.defer_lost(1);
        assert_eq!([1, 2].map(|seq| connection.ack(seq, None).lost), [3, 0], "{evidence:?}");
        // Segment 2 is lost by what the ACK says, too.
        connection.loss.defer_lost(4);
        connection.now = Time::ZERO + ms(40);
        let losses: u32 = (4..=6).map(|end| connection.ack(2, Some((3, end))).lost).sum();
        assert_eq!(losses, 5, "{evidence:?}");
    }
}

/// RFC 8985 section 6.2, step 4: a D-SACK widens the window by a quarter of the least round trip, where it adapts; 16
/// recoveries without one bring it back.
#[test]
fn the_reordering_window_adapts_where_it_is_to() {
    let mut fixed = connection(Evidence::Rack, 3);
    fixed.ack_of(Kind::AckOfDuplicate, 1, None);
    assert_eq!(reo_wnd(&fixed), ms(10));
    let mut connection = adaptive();
    connection.ack(1, None);
    assert_eq!(reo_wnd(&connection), ms(10));
    connection.ack_of(Kind::AckOfDuplicate, 2, None);
    assert_eq!(reo_wnd(&connection), ms(20));
    for recovery in 1..=16 {
        assert_eq!(reo_wnd(&connection), ms(20), "recovery {recovery}");
        connection.enter_fast_recovery();
        connection.exit_recovery();
    }
    assert_eq!(reo_wnd(&connection), ms(10));
}

/// Linux, `tcp_dsack_seen`: RACK ignores D-SACKs "that match TLP probes". A probe of new data has no duplicate.
#[test]
fn the_duplicate_of_a_probe_says_nothing_of_reordering() {
    for (is_new, width) in [(false, ms(10)), (true, ms(20))] {
        let mut connection = adaptive();
        probe(&mut connection, is_new);
        connection.ack_of(Kind::AckOfDuplicate, 2, None);
        assert_eq!(reo_wnd(&connection), width, "new data: {is_new}");
    }
}

/// RFC 8985 section 7.1, `TLP_init`: fast recovery and a timeout forget the probe, so that no repair is found by it.
#[test]
fn recoveries_forget_the_probe() {
    for timeout in [false, true] {
        let mut connection = connection(Evidence::Rack, 3);
        probe(&mut connection, false);
        if timeout {
            connection.on_rto();
        } else {
            connection.enter_fast_recovery();
        }
        assert!(!connection.ack(3, None).probe_repaired);
        connection.exit_recovery();
        connection.send_new();
        assert!(!connection.ack(4, None).probe_repaired);
    }
}

/// RFC 8985 section 6.2: every segment that was overtaken by `DupThresh` others is lost, and repaired from the lowest up.
#[test]
fn rack_repairs_the_lowest_segment_first() {
    let mut connection = connection(Evidence::Rack, 10);
    connection.now = Time::ZERO + ms(40);
    let outcome = connection.ack(0, Some((2, 5)));
    assert_eq!((outcome.delivered, outcome.lost, connection.pipe()), (3, 2, 5));
    connection.enter_fast_recovery();
    assert_eq!([(); 3].map(|()| connection.retransmit()), [Some(0), Some(1), None]);
    assert_eq!(connection.pipe(), 7);
    let rack = connection.loss.rack().expect("it goes by time");
    assert!(rack.is_retransmission_out() && rack.is_repairing() && !rack.awaits_original(0, 5));
    let partial = connection.ack(1, None);
    assert_eq!((partial.delivered, connection.pipe()), (1, 6));
    assert_eq!(connection.ack(6, None).delivered, 2, "segments 1 and 5");
}

/// RFC 8985 section 6.2, step 5: what is not lost yet is when the reordering timer expires, and not before. Linux,
/// `tcp_rack_mark_lost`: `TCP_TIMEOUT_MIN_US` later.
#[test]
fn the_reordering_timer_finds_losses_when_it_expires() {
    let mut connection = connection(Evidence::Rack, 10);
    connection.now = Time::ZERO + ms(40);
    assert_eq!(connection.ack(0, Some((1, 2))).lost, 0);
    assert_eq!(connection.loss.deadline(), Time::ZERO + ms(40 + 10 + 2));
    connection.now = Time::ZERO + ms(51);
    assert_eq!(connection.on_timer().lost, None);
    connection.now = Time::ZERO + ms(52);
    assert_eq!(connection.on_timer().lost, Some(1));
}

/// Linux, `tcp_xmit_retransmit_queue`: the retransmission timer starts anew with the oldest segment, with RACK.
#[test]
fn the_timer_starts_anew_when_the_oldest_segment_is_sent_again() {
    let mut connection = connection(Evidence::Rack, 0);
    connection.seq.take_new();
    let new = Transmission { segment: 0, kind: TransmissionKind::New };
    assert!(!connection.send(new), "new data, though they are the oldest");
    (1..10).for_each(|_| connection.send_new());
    connection.now = Time::ZERO + ms(40);
    connection.ack(0, Some((2, 5)));
    connection.enter_fast_recovery();
    assert_eq!([0, 1].map(|segment| connection.send(retransmission(segment))), [true, false]);
}

/// RFC 6582 section 3.2, step 3, of a partial ACK: what it acknowledges beyond the hole had been told of by duplicate
/// ACKs, and stands for them no more.
#[test]
fn a_partial_ack_leaves_the_duplicates_of_what_is_still_outstanding() {
    let mut connection = connection(Evidence::DupAck, 10);
    duplicates(&mut connection, 3, 0);
    connection.enter_fast_recovery();
    connection.retransmit();
    // Segments 0 and 4 are lost: eight have arrived.
    duplicates(&mut connection, 5, 0);
    assert_eq!(connection.pipe(), 1 + 1, "the retransmission, and segment 4");
    connection.ack(4, None);
    assert_eq!(connection.pipe(), 0, "segments 5 to 9 have arrived");
    assert_eq!((connection.retransmit(), connection.pipe()), (Some(4), 1));
}

/// Linux, `tcp_limit_reno_sacked`: duplicate ACKs stand for no more than what is outstanding beside the hole.
#[test]
fn duplicate_acks_never_empty_the_pipe() {
    let mut connection = connection(Evidence::DupAck, 3);
    let losses: u32 = (0..6).map(|_| connection.ack(0, None).lost).sum();
    assert_eq!((losses, connection.pipe()), (0, 1));
}

/// Connection by duplicate ACKs in fast recovery: the first of ten segments has left again, and five new ones.
fn repairing() -> Connection {
    let mut connection = connection(Evidence::DupAck, 10);
    duplicates(&mut connection, 3, 0);
    connection.enter_fast_recovery();
    connection.retransmit();
    (0..5).for_each(|_| connection.send_new());
    connection
}

/// RFC 6582 section 3.2, step 2: fast recovery, too, sets `recover`, and duplicate ACKs at it are of its own repairs.
#[test]
fn duplicate_acks_at_the_end_of_a_recovery_begin_no_other() {
    let mut connection = repairing();
    connection.ack(10, None);
    connection.exit_recovery();
    assert_eq!(connection.pipe(), 5, "a full ACK leaves what was sent since");
    assert_eq!((0..4).map(|_| connection.ack(10, None).lost).sum::<u32>(), 0);
    connection.ack(11, None);
    assert_eq!((0..3).map(|_| connection.ack(11, None).lost).sum::<u32>(), 1);
}

/// RFC 6582 section 3.2, step 3, of a full ACK: the window is the controller's again, and the duplicates are forgotten.
#[test]
fn a_full_ack_forgets_duplicate_acks() {
    let mut connection = repairing();
    // All of 1 to 14 have told of themselves.
    duplicates(&mut connection, 11, 0);
    connection.ack(10, None);
    connection.exit_recovery();
    assert_eq!(connection.pipe(), 5);
}

/// Floyd 1994: after a timeout every third duplicate ACK is a loss for Tahoe of 1988, and for no other.
#[test]
fn duplicate_acks_after_a_timeout_are_losses_of_1988() {
    for evidence in [Evidence::DupAck, Evidence::AnyDupAck, Evidence::Sack] {
        let mut connection = connection(evidence, 5);
        connection.on_rto();
        let losses = [(); 4].map(|()| connection.ack(0, None).lost_retransmission);
        assert_eq!(losses, [false, false, evidence == Evidence::AnyDupAck, false], "{evidence:?}");
        assert!(connection.loss.rack().is_none());
    }
}

/// A connection that has ended holds no scoreboard.
#[test]
fn a_scoreboard_that_went_back_is_held_no_more() {
    for evidence in [Evidence::Sack, Evidence::Rack] {
        let mut connection = connection(evidence, 10);
        connection.ack(0, Some((1, 4)));
        connection.loss.retire(&mut connection.pool);
        assert!(connection.loss.scoreboard().is_none() && connection.pool.len() == 1, "{evidence:?}");
    }
}

/// Linux, `tcp_ack`: an ACK that delivers nothing does not call off a probe, nor does it put one off.
#[test]
fn an_ack_without_news_leaves_the_probe() {
    let mut connection = connection(Evidence::Rack, 3);
    connection.schedule_probe(RTO_AT);
    connection.now = connection.loss.deadline();
    assert!(connection.on_timer().probe_due);
    assert!(!connection.ack(0, None).probe_cancelled && connection.ack(1, None).probe_cancelled);
}
