//! Rules of the transport: timers, handshake, ACKs, recovery.

use sim::measure::output::Fate;
use sim::spec::{Buffer, RtoRule, ServiceRate, Spec};

use crate::support::{
    NEWRENO, NEWRENO_STEADY, RACK, SACK, TAHOE, TAHOE_1988, XCP, dumbbell, flow, internet, mean, results,
    run, two_flow_bench,
};
use crate::wire::{Fates, MS, Wire, transport};

/// RFC 6298 section 5.5: after a blackout the timer goes off at RTO, 2 RTO, 4 RTO ... up to the ceiling, each
/// time with one restart window.
#[test]
fn a_blackout_is_probed_at_doubling_intervals() {
    let mut transport = transport(SACK, 4.0);
    transport.rto_max = 20.0;
    let blackout = Fates::new(vec![None; 18], 50);
    let mut wire = Wire::new(100, &transport, blackout, Fates::new(Vec::new(), 50));
    assert!(wire.run(10_000));
    let mut times: Vec<u64> = wire.sent.iter().take(18).map(|sent| sent.time / MS).collect();
    times.dedup();
    // The floor of 1 s, doubled at every expiry, and the restart window of 2 segments each time.
    assert_eq!(times, [0, 1000, 3000, 7000, 15_000, 31_000, 51_000, 71_000]);
    assert_eq!(wire.counters.timeouts, 8);
    assert!(wire.sent[4..18].iter().all(|sent| sent.retransmitted));
    assert!(wire.sent[4..18].iter().all(|sent| sent.segment < 2));
}

/// "retry wait starts at 3 s and doubles"; after the third try the connection has failed.
#[test]
fn three_syns_then_failure() {
    let mut spec = dumbbell(10.0, 0.1, None, vec![flow("flow", 1.0)], 30.0);
    spec.stations[0].loss = 1.0;
    spec.measure.interval = 0.5;
    let output = run(&spec, 1);
    let at = |count: fn(&sim::measure::counters::Counters) -> u64| -> Vec<f64> {
        (0..)
            .zip(&output.series)
            .filter(|(_, s)| count(&s.counters) > 0)
            .map(|(k, _)| f64::from(k) * 0.5)
            .collect()
    };
    assert_eq!(at(|counters| counters.syns), [1.0, 4.0, 10.0]);
    assert_eq!(at(|counters| counters.connection_failures), [22.0]);
    assert_eq!(output.totals.connections, 0);
    assert_eq!(output.totals.dropped, 3);
}

/// RFC 6582: without SACK each partial ACK uncovers one more hole, so `n` holes take `n` round trips; RFC 6675 repairs
/// them in one.
#[test]
fn newreno_repairs_one_hole_per_round_trip() {
    for holes in 1..=6u32 {
        let repair = |recovery| {
            let transport = transport(recovery, 40.0);
            let list =
                (0..40).map(|segment| (segment % 4 != 2 || segment / 4 >= holes).then_some(50)).collect();
            let mut wire = Wire::new(400, &transport, Fates::new(list, 50), Fates::new(Vec::new(), 50));
            assert!(wire.run(10_000));
            assert_eq!(
                (wire.counters.timeouts, wire.counters.recoveries),
                (0, 1),
                "{recovery:?}, {holes} holes"
            );
            let again: Vec<_> = wire.sent.iter().filter(|sent| sent.retransmitted).collect();
            assert_eq!(again.len() as u32, holes, "{recovery:?}: each hole is repaired once");
            again.iter().map(|sent| sent.time / MS / 100).collect::<Vec<_>>()
        };
        let rounds = repair(NEWRENO);
        let expected: Vec<u64> = (0..u64::from(holes)).map(|k| rounds[0] + k).collect();
        assert_eq!(rounds, expected);
        let rounds = repair(SACK);
        assert!(rounds.iter().all(|&round| round == rounds[0]), "SACK: {rounds:?}");
    }
}

/// RFC 3782 section 4: after many losses of a window "the Slow-but-Steady variant can remain in Fast Recovery for N
/// round-trip times", while the timer of the Impatient one "will ultimately expire", and slow start repairs the rest.
#[test]
fn a_slow_start_that_overshot_is_repaired_by_the_timer() {
    let repair = |recovery| {
        // A path of 40 segments and a buffer of 100.
        let mut spec = dumbbell(1.0, 0.04, Some(100), vec![flow("red", 0.0)], 20.0);
        (spec.transport.recovery, spec.transport.rto_min) = (recovery, 0.2);
        spec.flows[0].size = Some(1000);
        let output = run(&spec, 1);
        (output.transfers[0].duration, output.totals.dropped, output.totals.timeouts)
    };
    let (impatient, steady) = (repair(NEWRENO), repair(NEWRENO_STEADY));
    println!("Impatient {impatient:?}, Slow-but-Steady {steady:?}: duration [s], dropped, timeouts");
    assert_eq!((impatient.1, impatient.2, steady.2), (steady.1, 1, 0));
    assert!(steady.1 > 80, "{} lost", steady.1);
    assert!(steady.0 > steady.1 as f64 * 0.04, "a round trip for each");
    // A second of data, the overshoot's queue, the timeout, and nine round trips of slow start at most.
    assert!(impatient.0 < 1.0 + 0.14 + 0.2 + 0.14 + 9.0 * 0.04, "{}", impatient.0);
}

/// RFC 6582 section 3.2, step 2: duplicate ACKs of what a timeout had sent again though it had arrived are no loss.
#[test]
fn newreno_takes_no_duplicate_of_its_own_repairs_for_a_loss() {
    let transport = transport(NEWRENO, 40.0);
    // Eight in a row, and the first repair: the timer goes off, and all that is outstanding is sent again.
    let gone = |sending| (10..18).contains(&sending) || sending == 62;
    let list = (0..63).map(|sending| (!gone(sending)).then_some(50)).collect();
    let mut wire = Wire::new(400, &transport, Fates::new(list, 50), Fates::new(Vec::new(), 50));
    assert!(wire.run(10_000));
    assert_eq!((wire.counters.timeouts, wire.counters.recoveries), (1, 1));
}

/// RFC 8985 section 6.2: lost retransmissions are found, too, of the oldest segment twice over; RFC 6675 waits for the timer.
#[test]
fn rack_repairs_lost_repairs_without_a_timeout() {
    let repair = |recovery| {
        let transport = transport(recovery, 40.0);
        // Segments 5 and 9 are lost, and of the former the repair, and the repair of that.
        let mut wire = Wire::new(400, &transport, Fates::new(vec![], 50), Fates::new(Vec::new(), 50));
        wire.lose(&[(5, 3), (9, 1)]);
        assert!(wire.run(10_000));
        let again: Vec<u32> =
            wire.sent.iter().filter(|sent| sent.retransmitted).map(|sent| sent.segment).collect();
        (wire.counters.timeouts, wire.counters.recoveries, again)
    };
    assert_eq!(repair(RACK), (0, 1, vec![5, 9, 5, 5]));
    let (timeouts, recoveries, _) = repair(SACK);
    assert_eq!((timeouts, recoveries), (2, 1));
}

/// RFC 8985 section 6.2, step 4: with fewer reports than `DupThresh`, a segment is lost a quarter of a round trip after it was
/// overtaken; RFC 6675 waits for the timer.
#[test]
fn rack_needs_one_report_of_a_later_segment() {
    let repaired = |recovery| {
        let mut wire =
            Wire::new(3, &transport(recovery, 10.0), Fates::new(vec![], 50), Fates::new(vec![], 50));
        wire.lose(&[(1, 1)]);
        assert!(wire.run(1000));
        assert_eq!(wire.counters.recoveries, u64::from(recovery == RACK));
        wire.sent.iter().find(|sent| sent.retransmitted).map(|sent| (sent.time + MS / 2) / MS)
    };
    assert_eq!(repaired(RACK), Some(100 + 25));
    assert_eq!(repaired(SACK), Some(100 + 1000));
}

/// RFC 8985 section 7: a lost tail is probed for after two round trips, not after the timeout.
#[test]
fn a_probe_repairs_a_lost_tail() {
    let probed = |lost: &[(u32, u32)]| {
        let mut transport = transport(RACK, 10.0);
        (transport.rto_min, transport.rto_rule) = (0.2, RtoRule::Linux);
        let mut wire = Wire::new(20, &transport, Fates::new(vec![], 50), Fates::new(vec![], 50));
        wire.lose(lost);
        assert!(wire.run(1000));
        assert_eq!(wire.counters.timeouts, 0);
        let again = wire.sent.iter().filter(|sent| sent.retransmitted);
        let again: Vec<_> = again.map(|sent| (sent.segment, sent.time / MS)).collect();
        (again, wire.counters.recoveries)
    };
    assert_eq!(probed(&[]), (vec![], 0));
    // Segments 10 to 19 leave at 100 ms, and the last ACK comes at 200 ms. The receiver may hold back the ACK of a lone
    // segment, so that the probe comes in the place of the timeout, of 100 + 200 ms.
    assert_eq!(probed(&[(19, 1)]), (vec![(19, 500)], 0));
    // Of two segments the second is the probe, two round trips and 2 ms later (Linux, `tcp_schedule_loss_probe`), and its
    // report tells of the other.
    assert_eq!(probed(&[(18, 1), (19, 1)]), (vec![(19, 402), (18, 502)], 1));
}

/// RFC 8985 section 7.4: what only a probe has repaired was a loss; where the original had arrived, nothing was.
#[test]
fn a_loss_that_a_probe_repaired_is_told() {
    let told = |lost: &[(u32, u32)], acks: Vec<Option<u64>>| {
        let mut transport = transport(RACK, 10.0);
        (transport.receive_window, transport.rto_min) = (Some(1), 0.2);
        let mut wire = Wire::new(5, &transport, Fates::new(vec![], 50), Fates::new(acks, 50));
        wire.lose(lost);
        assert!(wire.run(1000));
        (wire.sender.counts.retransmitted, wire.counters.recoveries, wire.counters.timeouts)
    };
    assert_eq!(told(&[(2, 1)], vec![]), (1, 1, 0));
    assert_eq!(told(&[], vec![Some(50), Some(50), None]), (1, 0, 0));
}

/// Fall and Floyd 1996, section 2.1: Tahoe answers three duplicate ACKs with slow start from the hole, and waits for no
/// timer.
#[test]
fn tahoe_restarts_from_the_hole_without_a_timeout() {
    let transport = transport(TAHOE, 40.0);
    let list = (0..40).map(|segment| (!(10..=20).contains(&segment)).then_some(50)).collect();
    let mut wire = Wire::new(400, &transport, Fates::new(list, 50), Fates::new(Vec::new(), 50));
    assert!(wire.run(10_000));
    assert_eq!((wire.counters.timeouts, wire.counters.recoveries), (0, 1));
    let again: Vec<_> = wire.sent.iter().filter(|sent| sent.retransmitted).collect();
    let rounds: Vec<u64> = again.iter().map(|sent| (sent.time - again[0].time) / MS / 100).collect();
    // Two segments, then four: slow start through the holes.
    assert_eq!(rounds[..7], [0, 0, 1, 1, 1, 1, 2]);
    assert_eq!(again[0].segment, 10);
}

/// Floyd 1994: what Tahoe sends again though it had arrived is acknowledged in duplicate; as released, it took that for
/// further losses.
#[test]
fn tahoe_as_released_mistakes_its_own_repairs_for_losses() {
    let recoveries = [TAHOE, TAHOE_1988].map(|recovery| {
        let transport = transport(recovery, 40.0);
        // A long hole, in which the window grows, and a short one: all between them had arrived, and leaves again.
        let is_lost = |segment| (10..=20).contains(&segment) || segment == 30;
        let list = (0..40).map(|segment| (!is_lost(segment)).then_some(50)).collect();
        let mut wire = Wire::new(400, &transport, Fates::new(list, 50), Fates::new(Vec::new(), 50));
        assert!(wire.run(10_000));
        assert_eq!(wire.counters.timeouts, 0);
        wire.counters.recoveries
    });
    assert_eq!(recoveries[0], 1);
    assert!(recoveries[1] > 1, "{recoveries:?}");
}

/// Acknowledging every second segment halves the ACKs.
#[test]
fn delayed_acks_are_half_as_many() {
    for (every, share) in [(1, 1.0), (2, 0.5), (3, 1.0 / 3.0)] {
        let mut spec = dumbbell(5.0, 0.04, Some(1000), vec![flow("flow", 0.0)], 30.0);
        spec.transport.ack_every = every;
        spec.transport.receive_window = Some(600);
        let totals = run(&spec, 1).totals;
        assert_eq!(totals.retransmitted, 0);
        let measured = totals.acks_sent as f64 / (totals.delivered - 1) as f64;
        assert!((measured - share).abs() < 0.01 * share, "every {every}: {measured}");
    }
}

/// A lone segment is acknowledged when the ACK can be held back no longer.
#[test]
fn a_held_ack_is_sent_in_time() {
    let mut spec = dumbbell(5.0, 0.04, None, vec![flow("flow", 0.0)], 5.0);
    spec.flows[0].size = Some(1);
    spec.transport.ack_every = 2;
    let output = run(&spec, 1);
    let duration = output.transfers[0].duration;
    // Service, round trip, delay.
    assert!((duration - (0.0002 + 0.04 + 0.2)).abs() < 1e-9, "{duration}");
}

/// Where ACKs share the routers with data, the two-flow bench carries 10.5 packets/ms of data, not 21.
#[test]
fn acks_that_cost_capacity_take_half_of_it() {
    let data_rate = |ack_cost| {
        let mut spec = two_flow_bench(0.162, "reno", 40.0);
        spec.transport.ack_cost = ack_cost;
        spec.transport.receive_window = Some(4000);
        for station in &mut spec.stations {
            station.buffer = None;
        }
        let output = run(&spec, 1);
        assert_eq!(output.totals.dropped, 0);
        mean(&spec, output.flows.iter().map(|row| row[0].acked as f64 / 0.2), 20.0, 40.0)
    };
    let (free, shared) = (data_rate(false), data_rate(true));
    println!("bench, ACKs free: {free:.0} packets/s, ACKs through the routers: {shared:.0}");
    assert!((free / 21_000.0 - 1.0).abs() < 0.001, "{free}");
    assert!((shared / 10_500.0 - 1.0).abs() < 0.001, "{shared}");
}

/// XCP, without a flow that speaks it, is drop-tail that holds its packets.
fn same_through_a_real_queue(mut spec: Spec, what: &str) {
    // The general path takes an event more for every packet into a delay line.
    let mut fast = run(&spec, 5);
    for station in &mut spec.stations {
        station.discipline = XCP;
    }
    let mut queued = run(&spec, 5);
    // Work in progress at the end of an interval is added up in another order: it differs by rounding.
    let samples = fast.queues.iter_mut().flatten().zip(queued.queues.iter_mut().flatten());
    for (sample, other) in samples {
        assert!((sample.used - other.used).abs() < 1e-8, "{what}: {} and {}", sample.used, other.used);
        (sample.used, other.used) = (0.0, 0.0);
    }
    let (fast, queued) = (results(&fast), results(&queued));
    let at =
        fast.bytes().zip(queued.bytes()).position(|(a, b)| a != b).unwrap_or(fast.len().min(queued.len()));
    let around = |text: &str| text[at.saturating_sub(60)..].chars().take(90).collect::<String>();
    assert!(
        fast == queued,
        "{what}: one event per hop and a real queue differ:\n{}\n{}",
        around(&fast),
        around(&queued)
    );
}

/// Departures computed on arrival are those of a real queue, to the byte of everything a run returns.
#[test]
fn drop_tail_without_departures_is_drop_tail() {
    let flows = || vec![flow("red", 0.0), flow("blue", 0.7)];
    same_through_a_real_queue(dumbbell(10.0, 0.05, Some(70), flows(), 20.0), "dumbbell");
    same_through_a_real_queue(dumbbell(10.0, 0.05, None, flows(), 5.0), "unlimited");
    let mut spec = dumbbell(10.0, 0.05, Some(1), flows(), 20.0);
    spec.transport.ack_cost = true;
    spec.stations[0].loss = 0.01;
    same_through_a_real_queue(spec, "one packet of buffer, loss, ACKs with cost");
    same_through_a_real_queue(two_flow_bench(0.162, "ctcp", 10.0), "bench");
    same_through_a_real_queue(internet(2.0), "internet");
}

/// The same with rates in bits and room in bytes, where packets of two sizes share a queue.
#[test]
fn drop_tail_by_bytes_is_drop_tail() {
    let mut spec = dumbbell(10.0, 0.05, None, vec![flow("red", 0.0), flow("blue", 0.7)], 20.0);
    spec.transport.ack_cost = true;
    let mut back = flow("back", 0.3);
    (back.source, back.receiver) = (1, 0);
    spec.flows.push(back);
    for station in &mut spec.stations {
        station.rate = ServiceRate::BitsPerSecond(120e6);
        station.buffer = Some(Buffer::Bytes(70 * 1500));
    }
    same_through_a_real_queue(spec, "bytes");
}

/// Every segment is followed from its first sending to its acknowledgement, and the counters agree.
#[test]
fn the_trace_of_segments_is_whole() {
    let mut spec = dumbbell(1.0, 0.04, Some(10), vec![flow("one", 0.0), flow("two", 0.1)], 6.0);
    spec.flows.iter_mut().for_each(|flow| flow.size = Some(500));
    spec.measure.segments = true;
    let output = run(&spec, 1);
    let of = |flow: u32, fate: Fate| {
        output.traces.segments.iter().filter(move |event| event.flow == flow && event.fate == fate)
    };
    let total = |fate: Fate| (of(0, fate).count() + of(1, fate).count()) as u64;
    let totals = &output.totals;
    assert!(totals.retransmitted > 0 && totals.completed == 2);
    assert_eq!(total(Fate::Sent) + total(Fate::SentAgain), totals.data_sent);
    assert_eq!(total(Fate::SentAgain), totals.retransmitted);
    assert_eq!(total(Fate::Dropped), totals.dropped);
    assert_eq!(total(Fate::Received) + total(Fate::Dropped), totals.data_sent);
    for flow in 0..2 {
        let sent: Vec<u32> = of(flow, Fate::Sent).map(|event| event.segment).collect();
        assert_eq!(sent, (0..500).collect::<Vec<_>>());
        assert_eq!(of(flow, Fate::Acknowledged).map(|event| event.segment).max(), Some(500));
    }
    assert!(output.traces.segments.is_sorted_by_key(|event| event.time));
    spec.measure.segments = false;
    assert!(run(&spec, 1).traces.segments.is_empty());
}
