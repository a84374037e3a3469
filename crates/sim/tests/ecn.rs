//! Marks instead of losses: RFC 8257's step marking, and its echo.

use sim::net::packet::{Codepoint, Packet};

use crate::support::{algorithm, dumbbell, flow, mark, mean, results, run};

/// RFC 8257 section 3.2, figure 1: with delayed ACKs the first segment marked, or not marked any more, is
/// acknowledged at once, after what was held back of the other kind; so no ACK reports both kinds.
#[test]
fn acks_report_marked_or_unmarked_segments() {
    let mut receiver = crate::wire::receiver();
    let mut pool = Vec::new();
    let mut acks = Vec::new();
    let marked = [3, 4, 5, 6, 9];
    for seq in 0..11 {
        let mut packet = Packet { seq, ..Packet::default() }.with_flags(Codepoint::Ect0, false);
        if marked.contains(&seq) {
            packet.mark();
        }
        let replies = [receiver.before(&packet), receiver.on_data(&packet, 2, &mut pool)];
        acks.extend(replies.into_iter().flatten().map(|reply| (reply.next, reply.echo_ce)));
    }
    acks.push((receiver.reply().next, false));
    let expected = [
        (2, false),
        (3, false),
        (4, true),
        (6, true),
        (7, true),
        (8, false),
        (9, false),
        (10, true),
        (11, false),
        (11, false),
    ];
    assert_eq!(acks, expected);
}

/// RFC 8257: with a marking threshold of K packets the queue of long DCTCP flows stays near K, nothing is
/// lost, and the link stays busy.
#[test]
fn dctcp_keeps_the_queue_at_the_threshold() {
    let mut spec = dumbbell(100.0, 0.01, Some(2000), vec![flow("red", 0.0), flow("blue", 0.3)], 20.0);
    spec.algorithms = vec![algorithm("dctcp")];
    spec.transport.initial_ssthresh = Some(200.0);
    mark(&mut spec.stations[0], Some(65));
    spec.measure.interval = 0.01;
    let output = run(&spec, 1);
    assert_eq!(output.totals.dropped, 0);
    let queue = mean(&spec, output.queues.iter().map(|row| row[0] as f64), 5.0, 20.0);
    let acked = mean(&spec, output.series.iter().map(|sample| sample.counters.acked as f64), 5.0, 20.0);
    println!("DCTCP, K 65: mean queue {queue:.1} packets, {:.4} of the link", acked / 1000.0);
    assert!((30.0..100.0).contains(&queue), "mean queue {queue}");
    assert!(acked / 1000.0 > 0.99, "{}", acked / 1000.0);
}

/// Whether a segment is followed stands beside its marks and does not touch them.
#[test]
fn segments_are_marked_alike_whether_they_are_recorded_or_not() {
    let results = |segments| {
        let mut spec = dumbbell(100.0, 0.01, Some(100), vec![flow("red", 0.0), flow("blue", 0.3)], 5.0);
        spec.algorithms = vec![algorithm("dctcp")];
        mark(&mut spec.stations[0], Some(20));
        spec.measure.segments = segments;
        let mut output = run(&spec, 1);
        let recorded = std::mem::take(&mut output.segments).len();
        assert_eq!(recorded > 10_000, segments, "{recorded} events of segments");
        results(&output)
    };
    assert!(results(true) == results(false), "recording segments changed the run");
}

/// RFC 3168: what is not ECN-capable is not marked; Reno fills the same queue until it overflows.
#[test]
fn flows_without_ecn_are_not_marked() {
    let run = |mark_above| {
        let mut spec = dumbbell(100.0, 0.01, Some(200), vec![flow("red", 0.0)], 5.0);
        mark(&mut spec.stations[0], mark_above);
        run(&spec, 1)
    };
    let (marking, plain) = (run(Some(65)), run(None));
    assert!(marking.totals.dropped > 0);
    assert_eq!(marking.totals, plain.totals);
}
