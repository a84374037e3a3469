//! Whatever the channel does, every segment arrives exactly once and in order.

use proptest::prelude::*;
use sim::net::packet::{Packet, Report};
use sim::spec::{
    Buffer, IdleRestart, Measure, PacingRule, PrrRule, Recovery, ReoWndRule, Spec, TimeoutRule, Transport,
    UndoRule, ValidationRule,
};

use crate::support::{
    NEWRENO, NEWRENO_STEADY, QUIC, RACK, SACK, TAHOE, TAHOE_1988, algorithm, dumbbell, flow, mesonet,
    recovering, run,
};
use crate::wire::{Fate, Fates, Wire};

/// Loss, delay and, as delays differ, reordering.
fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![2 => Just(None), 4 => Just(Some(50)), 3 => (1u64..400).prop_map(Some), 1 => (1u64..9000).prop_map(Some)]
}

pub fn fates() -> impl Strategy<Value = Fates> {
    let bursts = prop::collection::vec((fate(), 1usize..12), 0..40);
    (bursts, 1u64..200).prop_map(|(bursts, usual)| {
        Fates::new(bursts.into_iter().flat_map(|(fate, times)| vec![fate; times]).collect(), usual)
    })
}

fn recovery() -> impl Strategy<Value = Recovery> {
    prop_oneof![
        1 => Just(SACK),
        2 => Just(RACK),
        1 => Just(NEWRENO),
        1 => Just(NEWRENO_STEADY),
        1 => Just(TAHOE),
        1 => Just(TAHOE_1988),
        2 => Just(QUIC)
    ]
}

/// Rule of the reduction of windows, where the recovery has SACKs for it.
fn prr(recovery: Recovery) -> impl Strategy<Value = PrrRule> {
    let has_sack = recovery.has_sack();
    let rules = [PrrRule::None, PrrRule::Rfc9937, PrrRule::Linux];
    prop::sample::select(rules[..if has_sack { 3 } else { 1 }].to_vec())
}

/// Options of window validation; the rule counts only where windows are validated.
fn validated() -> impl Strategy<Value = Transport> {
    use ValidationRule::{Flight, Linux, RateLimited, Rfc9002};
    let rules = [Flight, Linux, RateLimited, Rfc9002];
    let restarts = [IdleRestart::None, IdleRestart::Rfc5681, IdleRestart::Linux];
    let rule = prop::sample::select(rules.to_vec());
    (any::<bool>(), rule, prop::sample::select(restarts.to_vec()), any::<bool>()).prop_map(
        |(cwnd_validation, rule, idle_restart, app_limited_decay)| Transport {
            cwnd_validation,
            validation_rule: if cwnd_validation { rule } else { ValidationRule::Flight },
            idle_restart,
            app_limited_decay,
            ..mesonet()
        },
    )
}

/// Timing of ACKs, on top of other options.
fn with_ack_timing() -> impl Strategy<Value = Transport> {
    let compression = prop_oneof![Just(0.0), Just(0.05), Just(0.33)];
    let jitter = prop_oneof![Just(0.0), Just(1e-4), Just(0.02)];
    (validated(), 0u32..17, compression, jitter).prop_map(
        |(validated, quick_acks, sack_compression, ack_jitter)| Transport {
            quick_acks,
            sack_compression,
            ack_jitter,
            ..validated
        },
    )
}

/// Pacing by hosts and jitter, on top of other options.
fn with_pacing() -> impl Strategy<Value = Transport> {
    let rule = prop::sample::select(vec![PacingRule::None, PacingRule::Fq, PacingRule::Rfc9002]);
    let jitter = prop_oneof![Just(0.0), Just(1e-4), Just(0.01)];
    (with_ack_timing(), rule, jitter).prop_map(|(timed, pacing, host_jitter)| Transport {
        pacing,
        host_jitter,
        ..timed
    })
}

/// Undo, F-RTO and the adaptive reordering window, where the recovery is RACK.
fn spurious(recovery: Recovery) -> impl Strategy<Value = (UndoRule, bool, ReoWndRule)> {
    let is_rack = recovery == RACK;
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(move |(undo, frto, adaptive)| {
        let undo = if is_rack && undo { UndoRule::Linux } else { UndoRule::None };
        let reo_wnd = if is_rack && adaptive { ReoWndRule::Adaptive } else { ReoWndRule::Fixed };
        (undo, frto && undo == UndoRule::Linux, reo_wnd)
    })
}

pub fn transports() -> impl Strategy<Value = Transport> {
    let window = prop_oneof![Just(1.0), Just(2.0), Just(10.0), Just(40.0)];
    let rwnd = prop::option::of(1u32..60);
    let recovery = recovery().prop_flat_map(|recovery| (Just(recovery), prr(recovery), spurious(recovery)));
    (recovery, 1u32..4, rwnd, window, 1u32..5, with_pacing()).prop_map(
        |((recovery, prr, repair), ack_every, receive_window, initial_window, dup_thresh, validated)| {
            let (undo, frto, reo_wnd) = repair;
            let timeout_rule = if frto { TimeoutRule::Linux } else { TimeoutRule::Rfc5681 };
            Transport {
                dup_thresh,
                ack_every,
                receive_window,
                initial_window,
                prr,
                undo,
                frto,
                reo_wnd,
                timeout_rule,
                ..recovering(recovery, &validated)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2500, ..ProptestConfig::default() })]

    /// The wire checks every step; here, that the transfer ends, with everything there.
    #[test]
    fn any_channel_that_recovers_delivers_everything_once(
        limit in 1u32..160,
        transport in transports(),
        data in fates(),
        acks in fates(),
    ) {
        let mut wire = Wire::new(limit, &transport, data, acks);
        prop_assert!(wire.run(200_000), "not done: {:?}", wire.sender);
        prop_assert_eq!(wire.receiver.next, limit);
        prop_assert_eq!(wire.sender.counts.delivered, limit);
        prop_assert_eq!(wire.sender.sent(), wire.sent.len() as u64);
        prop_assert_eq!(wire.sender.sent(), u64::from(limit) + u64::from(wire.sender.counts.retransmitted));
    }

    /// A channel that loses nothing and keeps the order makes nobody send anything twice.
    #[test]
    fn a_clean_channel_needs_no_retransmission(limit in 1u32..160, transport in transports(), delay in 1u64..200) {
        let clean = || Fates::new(Vec::new(), delay);
        let mut wire = Wire::new(limit, &transport, clean(), clean());
        prop_assert!(wire.run(200_000));
        prop_assert_eq!((wire.counters.timeouts, wire.counters.recoveries), (0, 0));
        // A receiver that waits for a third segment looks like a lost tail (RFC 8985 section 7.2 reckons with ACKs
        // of every second one).
        if transport.recovery != RACK || transport.ack_every <= 2 {
            prop_assert_eq!(wire.sender.counts.retransmitted, 0);
        }
    }
}

/// Sets of segments are handed on from finished connections to new ones; they must be empty by then, or the new
/// receiver acknowledges what never arrived.
#[test]
fn an_abandoned_connection_leaves_nothing_behind() {
    let transport = crate::wire::transport(SACK, 10.0);
    // The first segment is lost, the others are reported selectively, and then the sender gives up.
    let mut wire = Wire::new(10, &transport, Fates::new(vec![None], 50), Fates::new(Vec::new(), 50));
    let _ = wire.run(0);
    while wire.sender.counts.delivered < 9 {
        wire.step();
    }
    let mut pool = Vec::new();
    wire.sender.retire(&mut pool);
    let mut receiver = crate::wire::receiver();
    let data = |seq| Packet { seq, ..Packet::default() };
    let reply = receiver.on_data(&data(12), 1, &mut pool).expect("every segment is acknowledged");
    assert_eq!((reply.next, reply.report), (0, Report::block(12, 13)));
    let reply = receiver.on_data(&data(0), 1, &mut pool).expect("every segment is acknowledged");
    assert_eq!(reply.next, 1, "only segments 0 and 12 have arrived");
}

/// A small dumbbell with finite flows, long enough for all of them to end.
fn transfers() -> impl Strategy<Value = Spec> {
    let losses = (0.0..0.2f64, 0.0..0.2f64);
    let network = (0.1..20.0f64, 0.001..0.4f64, prop::option::of(1u64..60), losses);
    let flows = prop::collection::vec((1u64..200, 0.0..3.0f64, 0u32..3), 1..5);
    (network, flows, transports(), any::<bool>()).prop_map(
        |((rate, rtt, buffer, (loss, ack_loss)), offered, transport, ack_cost)| {
            let flows = (0..).zip(offered).map(|(at, (size, start, algorithm))| {
                let mut flow = flow(&format!("flow {at}"), start);
                flow.size = Some(size);
                flow.algorithm = algorithm;
                flow
            });
            let mut spec = dumbbell(rate, rtt, buffer, flows.collect(), 20_000.0);
            spec.algorithms = vec![algorithm("reno"), algorithm("scalable"), algorithm("ctcp")];
            (spec.stations[0].loss, spec.stations[1].loss) = (loss, ack_loss);
            spec.transport = Transport { ack_cost, syn_timeout: 1.0, syn_tries: 12, ..transport };
            spec.measure = Measure {
                interval: 1000.0,
                stations: vec![0, 1],
                queues: false,
                transfers: true,
                segments: false,
                packets: false,
                groups_from: 0.0,
            };
            spec
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn every_finite_flow_completes(spec in transfers(), seed in 0u64..1000, bytes in any::<bool>()) {
        let mut spec = spec;
        if let (true, Some(Buffer::Packets(room))) = (bytes, spec.stations[0].buffer) {
            spec.stations[0].buffer = Some(Buffer::Bytes(1500 * room));
        }
        let output = run(&spec, seed);
        let offered: u64 = spec.flows.iter().filter_map(|flow| flow.size).sum();
        prop_assert_eq!(output.totals.completed, spec.flows.len() as u64);
        prop_assert_eq!(output.totals.completed_size, offered);
        prop_assert_eq!(output.totals.acked, offered);
        prop_assert_eq!(output.in_flight, 0);
        for (at, flow) in spec.flows.iter().enumerate() {
            let acked: u64 = output.flows.iter().map(|row| row[at].acked).sum();
            prop_assert_eq!(Some(acked), flow.size);
        }
        let mut sizes: Vec<_> = output.transfers.iter().map(|transfer| Some(transfer.size)).collect();
        let mut expected: Vec<_> = spec.flows.iter().map(|flow| flow.size).collect();
        sizes.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(sizes, expected);
    }
}
