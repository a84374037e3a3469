//! Random delays at sending hosts.

use sim::measure::packets::{Host, PacketEvent, PacketKind};
use sim::spec::{Interface, ServiceRate, Spec};

use crate::support::{algorithm, dumbbell, flow, results, run, run_on_both_paths};

/// Largest delay [s].
const LIMIT: f64 = 0.001;

/// One flow over a path that is fast beside the jitter: 1 µs per packet, 5 ms each way.
fn fast(name: &str, size: u64) -> Spec {
    let mut spec = dumbbell(1000.0, 0.01, None, vec![flow("one", 0.0)], 8.0);
    spec.flows[0].size = Some(size);
    spec.algorithms = vec![algorithm(name)];
    spec.transport.host_jitter = LIMIT;
    spec.measure.packets = true;
    spec
}

/// Delays of data segments between the hosts [ps], in the order of arrival, with their numbers.
fn delays(spec: &Spec, seed: u64) -> Vec<(u32, u64)> {
    let output = run_on_both_paths(spec, seed);
    assert_eq!(output.totals.completed, 1);
    let data = |host: Host| {
        let packets = output.traces.packets.iter();
        packets.filter(move |event| (event.host, event.kind) == (host, PacketKind::Data))
    };
    let sent: Vec<_> = data(Host::Sender).map(|event| (event.segment, event.time.0)).collect();
    let arrived: Vec<_> = data(Host::Receiver).map(|event| (event.segment, event.time.0)).collect();
    assert_eq!(sent.len(), arrived.len());
    sent.iter()
        .zip(arrived)
        .map(|(&(segment, left), (same, came))| {
            assert_eq!(segment, same, "segments leave in order");
            (segment, came - left)
        })
        .collect()
}

#[test]
fn segments_wait_up_to_the_limit_and_keep_their_order() {
    let waits = delays(&fast("reno", 400), 1);
    assert_eq!(waits.len(), 400);
    let (way, limit) = (5_000_000_000, 1_000_000_000);
    // A microsecond per packet at the router, and a burst at once there.
    assert!(waits.iter().all(|&(_, delay)| (way..way + limit + 500_000_000).contains(&delay)));
    let (low, high) = (waits.iter().min_by_key(|f| f.1), waits.iter().max_by_key(|f| f.1));
    assert!(low.is_some_and(|&(_, delay)| delay < way + limit / 5), "{low:?}");
    assert!(high.is_some_and(|&(_, delay)| delay > way + limit - limit / 5), "{high:?}");
}

#[test]
fn another_seed_draws_other_delays_and_none_without_jitter() {
    let mut spec = fast("reno", 50);
    assert_eq!(delays(&spec, 1), delays(&spec, 1));
    assert_ne!(delays(&spec, 1), delays(&spec, 2));
    spec.transport.host_jitter = 0.0;
    assert_eq!(delays(&spec, 1), delays(&spec, 2));
}

/// Draws are looked up by the number of the packet, so the first window is the same whoever controls it, and however
/// much a rival sends.
#[test]
fn alternatives_share_draws() {
    let first = |spec: &Spec| delays(spec, 3)[..2].to_vec();
    assert_eq!(first(&fast("reno", 400)), first(&fast("scalable", 60)));
    let mut narrow = fast("reno", 2);
    narrow.transport.initial_window = 1.0;
    let two = fast("reno", 2);
    assert_eq!(delays(&narrow, 3)[0], delays(&two, 3)[0]);
}

/// The slot of a connection that ended early goes to another, whose host waits for nothing of the former.
#[test]
fn a_host_waits_for_nothing_of_the_one_before_in_its_slot() {
    let first = |start: f64, stop: Option<f64>, seed: u64| {
        let mut spec = dumbbell(1000.0, 0.01, None, vec![flow("one", start), flow("two", 0.002)], 3.0);
        spec.flows[0].stop = stop;
        spec.transport.host_jitter = 0.5;
        spec.measure.packets = true;
        let packets = run(&spec, seed).traces.packets;
        let came = |it: &&PacketEvent| it.flow == 1 && it.host == Host::Receiver;
        packets.iter().find(came).map(|it| it.time)
    };
    for seed in 1..6 {
        assert_eq!(first(0.0, Some(0.001), seed), first(2.9, None, seed), "seed {seed}");
    }
}

/// A host whose interface is the bottleneck gets its packets ready while others leave: its rate is that of the interface.
#[test]
fn jitter_does_not_slow_an_interface_down() {
    let finished = |jitter: f64| {
        let mut spec = dumbbell(100.0, 0.01, None, vec![flow("one", 0.0)], 8.0);
        spec.interfaces =
            vec![Interface { rate: Some(ServiceRate::PacketsPerSecond(2000.0)), delay: 0.0025 }];
        spec.flows[0].size = Some(4000);
        spec.transport.host_jitter = jitter;
        let output = run_on_both_paths(&spec, 1);
        output.transfers[0].duration
    };
    let (without, with) = (finished(0.0), finished(LIMIT));
    assert!(with > without && with < without + 0.02, "{with} s beside {without} s");
}

/// Share of the first of two flows whose round trips are 20 ms and a little more, at 15 packets of buffer.
fn share(jitter: f64, more: f64) -> f64 {
    let mut spec = dumbbell(10.0 / 12.0, 0.02, Some(15), vec![flow("one", 0.0), flow("two", 1.37)], 60.0);
    spec.interfaces.push(Interface { rate: None, delay: (0.02 + more) / 4.0 });
    spec.flows[1].interface = 1;
    spec.transport.host_jitter = jitter;
    let flows = run(&spec, 1).flows;
    let acked = |at: usize| flows.iter().skip(50).map(|row| row[at].acked).sum::<u64>() as f64;
    acked(0) / (acked(0) + acked(1))
}

/// Phase effects (Floyd and Jacobson 1992): who loses at a drop-tail queue hangs on fractions of a packet's time, and
/// random delays of two such times end that.
#[test]
fn shares_do_not_hang_on_the_phase() {
    let range = |jitter: f64| {
        let shares = [0.0003, 0.0007, 0.001, 0.0015, 0.002, 0.0025].map(|more| share(jitter, more));
        shares.into_iter().fold((1.0_f64, 0.0_f64), |(low, high), share| (low.min(share), high.max(share)))
    };
    let (locked, free) = (range(0.0), range(0.0024));
    assert!(locked.0 < 0.1 && locked.1 > 0.5, "without jitter {locked:?}");
    assert!(free.0 > 0.25 && free.1 < 0.5, "with jitter {free:?}");
}

/// Times at which the receiver of a flow sends its ACKs, and their cumulative acknowledgements.
fn acks(jitter: f64, share: f64, seed: u64) -> Vec<(u64, u32)> {
    let mut spec = fast("reno", 400);
    (spec.transport.host_jitter, spec.transport.ack_jitter, spec.transport.ack_jitter_share) =
        (0.0, jitter, share);
    let output = run_on_both_paths(&spec, seed);
    assert_eq!(output.totals.completed, 1);
    let events = output.traces.packets.iter();
    let sent = events.filter(|event| (event.host, event.kind) == (Host::Receiver, PacketKind::Ack));
    sent.map(|event| (event.time.0, event.segment)).collect()
}

/// Share of ACKs that leave in bursts: at the same instant as the one before.
fn bursts(sent: &[(u64, u32)]) -> f64 {
    sent.windows(2).filter(|pair| pair[0].0 == pair[1].0).count() as f64 / sent.len() as f64
}

#[test]
fn acks_behind_a_late_one_leave_with_it() {
    let plain = acks(0.0, 1.0, 1);
    let late = acks(LIMIT, 0.05, 1);
    assert_eq!(plain.len(), 400);
    assert_eq!(late.len(), 400, "each is sent once");
    assert!(late.is_sorted(), "ACKs keep their order");
    assert!(bursts(&plain) < 0.01 && bursts(&late) > 0.1, "{} and {}", bursts(&plain), bursts(&late));
    assert_ne!(acks(LIMIT, 0.05, 2), late);
}

/// Receivers that might be late but never are send what others send.
#[test]
fn without_late_acks_nothing_moves() {
    assert_eq!(acks(LIMIT, 1e-12, 1), acks(0.0, 1.0, 1));
}

/// Where only SACKs are compressed, segments in order pass by the timing of ACKs. Receivers that might be late take all of
/// them through it, and nothing moves.
#[test]
fn segments_in_order_may_pass_by_compressed_sacks() {
    for quick_acks in [0, 22] {
        let mut spec = dumbbell(2.0, 0.04, Some(20), vec![flow("one", 0.0), flow("two", 0.3)], 20.0);
        spec.transport.sack_compression = 0.05;
        (spec.transport.quick_acks, spec.transport.ack_every, spec.transport.ack_delay) =
            (quick_acks, 2, 0.04);
        let passing = run_on_both_paths(&spec, 1);
        assert!(passing.totals.recoveries > 10 && passing.totals.acks_sent < passing.totals.delivered);
        (spec.transport.ack_jitter, spec.transport.ack_jitter_share) = (LIMIT, 1e-12);
        assert_eq!(results(&run_on_both_paths(&spec, 1)), results(&passing));
        spec.transport.sack_compression = 0.0;
        assert_ne!(results(&run_on_both_paths(&spec, 1)), results(&passing));
    }
}
