//! Senders of QUIC (RFC 9002) over a wire and in whole runs; sections are those of the RFC.

use sim::spec::{PacingRule, Transport, ValidationRule};

use crate::determinism::{bytes, world};
use crate::support::{QUIC, RACK, algorithm, recovering};
use crate::wire::{Fates, MS, Wire, transport};

/// Receivers hold every second ACK back, for 25 ms at most; windows count while they are used.
pub fn quic(initial_window: f64) -> Transport {
    Transport {
        ack_every: 2,
        ack_delay: 0.025,
        restart_window: 2.0,
        cwnd_validation: true,
        validation_rule: ValidationRule::Rfc9002,
        pacing: PacingRule::Rfc9002,
        ..recovering(QUIC, &transport(QUIC, initial_window))
    }
}

fn wire(limit: u32, initial_window: f64, data: Vec<Option<u64>>) -> Wire {
    let acks = Fates::new(Vec::new(), 50);
    Wire::new(limit, &quic(initial_window), Fates::new(data, 50), acks)
}

/// Section 7.2: "ten times the maximum datagram size (`max_datagram_size`), while limiting the window to the larger of 14,720
/// bytes or twice the maximum datagram size".
#[test]
fn the_initial_window_has_a_limit_in_bytes() {
    let transport = quic(10.0);
    let bytes = |smss: u32| (transport.parts(smss).initial.window * f64::from(smss)).round() as u32;
    assert_eq!([1200, 1460, 1472].map(bytes), [12_000, 14_600, 14_720]);
    assert_eq!([1500, 4000, 7360, 8960].map(bytes), [14_720, 14_720, 14_720, 17_920]);
    let of_tcp = Transport { recovery: RACK, ..transport.clone() }.parts(8960).initial.window;
    assert!((of_tcp - 10.0).abs() < 1e-9);
}

/// Sections 6.2.1 and 7.6: two probes at each timeout, each after twice the time, and two packets of window when the network
/// is back.
#[test]
fn a_blackout_is_persistent_congestion() {
    let mut wire = wire(400, 14.0, vec![None; 14 + 3 * 2]);
    let _ = wire.run(0);
    while wire.counters.timeouts == 0 {
        wire.step();
    }
    let mut times: Vec<u64> = wire.sent[..22].iter().map(|sent| sent.time / MS).collect();
    times.dedup();
    // The handshake took 100 ms: a timeout of 100 + 4 x 50 + 25 ms, doubled at every expiry.
    assert_eq!(times, [0, 325, 325 + 650, 325 + 650 + 1300, 325 + 650 + 1300 + 2600]);
    // Slow start begins with the packet that is acknowledged (appendix A.7).
    assert_eq!((wire.counters.recoveries, wire.sender.control.cwnd), (1, 2 + 1));
    assert_eq!(wire.sender.control.algorithm.ssthresh(), Some(7000.0), "half of the window before");
    assert!(wire.run(10_000));
    assert_eq!((wire.counters.timeouts, wire.counters.recoveries), (1, 1));
}

/// Section 6.2: a lost tail is found by a probe, and is an ordinary loss.
#[test]
fn a_lost_tail_is_found_by_a_probe() {
    let mut wire = wire(10, 10.0, (0..10).map(|segment| (segment < 8).then_some(50)).collect());
    assert!(wire.run(1000));
    let again: Vec<_> = wire.sent[10..].iter().map(|sent| sent.segment).collect();
    assert_eq!(again, [8, 9]);
    assert_eq!((wire.counters.timeouts, wire.counters.recoveries), (0, 1));
}

/// Section 4.3: "QUIC will do it once for every round trip that experiences loss, while TCP may only do it once across
/// multiple round trips."
#[test]
fn a_repair_that_is_lost_is_a_loss_of_another_round_trip() {
    let recoveries = |transport: &Transport| {
        let [data, acks] = [50, 50].map(|usual| Fates::new(Vec::new(), usual));
        let mut wire = Wire::new(400, transport, data, acks);
        wire.lose(&[(5, 3)]);
        assert!(wire.run(10_000));
        assert_eq!((wire.counters.timeouts, wire.sender.counts.retransmitted), (0, 3));
        wire.counters.recoveries
    };
    assert_eq!(recoveries(&quic(14.0)), 3);
    assert_eq!(recoveries(&transport(RACK, 14.0)), 1);
}

/// A network in eleven regions with losses, paced senders and receivers that report their delays.
#[test]
fn the_number_of_threads_changes_nothing_with_quic() {
    let mut spec = world();
    spec.transport = Transport { ack_cost: true, ..quic(10.0) };
    spec.algorithms = vec![algorithm("cubic"), algorithm("bbr3")];
    let alone = bytes(&spec, 7, 1);
    assert!(alone.len() > 100_000, "the run is not trivial");
    assert!([2, 4].iter().all(|&threads| bytes(&spec, 7, threads) == alone));
}
