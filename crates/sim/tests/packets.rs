//! Recorded packets: all of them, at both hosts, and a run that is none the other for it.

use sim::RunOutput;
use sim::measure::output::Traces;
use sim::measure::packets::{Cause, Host, PacketEvent, PacketKind};
use sim::spec::Spec;

use crate::support::{algorithm, dumbbell, flow, mark, results, run};

/// Two flows of 500 segments that lose some.
fn world() -> Spec {
    let mut spec = dumbbell(1.0, 0.04, Some(10), vec![flow("one", 0.0), flow("two", 0.1)], 8.0);
    spec.flows.iter_mut().for_each(|flow| flow.size = Some(500));
    spec.measure.packets = true;
    spec
}

fn count(output: &RunOutput, host: Host, kind: PacketKind, keep: impl Fn(&PacketEvent) -> bool) -> u64 {
    let seen = output.traces.packets.iter().filter(|event| (event.host, event.kind) == (host, kind));
    seen.filter(|event| keep(event)).count() as u64
}

#[test]
fn recording_packets_changes_nothing_else() {
    for ecn in [false, true] {
        let mut spec = world();
        if ecn {
            spec.algorithms = vec![algorithm("dctcp")];
            mark(&mut spec.stations[0], Some(5));
        }
        let mut recorded = run(&spec, 1);
        let traces = std::mem::take(&mut recorded.traces);
        spec.measure.packets = false;
        let plain = run(&spec, 1);
        assert!(results(&recorded) == results(&plain), "recording packets changed the run");
        let Traces { segments, packets, senders, .. } = &plain.traces;
        assert!(segments.is_empty() && packets.is_empty() && senders.is_empty());
        assert!(!traces.packets.is_empty() && !traces.senders.is_empty() && traces.segments.is_empty());
    }
}

#[test]
fn every_packet_of_named_flows_is_recorded_at_both_hosts() {
    let output = run(&world(), 1);
    let totals = &output.totals;
    let any = |_: &PacketEvent| true;
    assert!(totals.retransmitted > 0 && totals.completed == 2);
    assert_eq!(count(&output, Host::Sender, PacketKind::Data, any), totals.data_sent);
    let again = |event: &PacketEvent| event.cause != Cause::Ordinary;
    assert_eq!(count(&output, Host::Sender, PacketKind::Data, again), totals.retransmitted);
    assert_eq!(count(&output, Host::Sender, PacketKind::Ack, any), totals.acks);
    assert_eq!(count(&output, Host::Sender, PacketKind::Syn, any), totals.syns);
    let handshakes = count(&output, Host::Receiver, PacketKind::Syn, any);
    assert_eq!(count(&output, Host::Receiver, PacketKind::Data, any) + handshakes, totals.delivered);
    assert_eq!(count(&output, Host::Receiver, PacketKind::Ack, any), totals.acks_sent);
    for kind in [PacketKind::SynAck, PacketKind::Fin] {
        for host in [Host::Sender, Host::Receiver] {
            assert_eq!(count(&output, host, kind, any), 2, "{kind:?} at {host:?}");
        }
    }
    let block = |event: &PacketEvent| event.block != (0, 0);
    assert!(count(&output, Host::Sender, PacketKind::Ack, block) > 0, "SACK blocks");
    assert!(output.traces.packets.is_sorted_by_key(|event| event.time));
    assert!(output.traces.senders.is_sorted_by_key(|event| event.time));
}

/// Marks are seen where they arrive, and their echo at the sender.
#[test]
fn marks_and_their_echo_are_recorded() {
    let mut spec = world();
    spec.algorithms = vec![algorithm("dctcp")];
    mark(&mut spec.stations[0], Some(5));
    let output = run(&spec, 1);
    let marked: u64 = output.flows.iter().flatten().map(|flow| flow.ce_marked).sum();
    let ce = |event: &PacketEvent| event.codepoint == 3;
    assert_eq!(count(&output, Host::Receiver, PacketKind::Data, ce), marked);
    assert_eq!(count(&output, Host::Sender, PacketKind::Data, ce), 0);
    let echo = |event: &PacketEvent| event.flags & 1 > 0;
    assert!(marked > 0 && count(&output, Host::Sender, PacketKind::Ack, echo) > 0);
    let agreed = |event: &PacketEvent| event.flags == 2;
    assert_eq!(count(&output, Host::Sender, PacketKind::SynAck, agreed), 2);
}

/// A flow whose SYNs are all lost has no more than these.
#[test]
fn a_flow_that_never_connects_has_its_connection_requests() {
    let mut spec = world();
    spec.stations[0].loss = 0.999_999;
    let output = run(&spec, 1);
    assert!(output.traces.packets.iter().all(|event| event.kind == PacketKind::Syn));
    let again = |event: &PacketEvent| event.cause == Cause::Retransmission;
    assert_eq!(count(&output, Host::Sender, PacketKind::Syn, again), output.totals.syns - 2);
    assert!(output.traces.senders.is_empty() && output.totals.syns > 2);
}
