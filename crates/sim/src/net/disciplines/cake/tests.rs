use congestion::{Duration, Time};

use super::*;
use crate::net::disciplines::testing::Desk;
use crate::net::packet::{Codepoint, Kind};
use crate::net::service::ServiceRate;
use crate::net::transmitter::Transmitter;

fn ms(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// Data of a flow to a host.
fn packet(host: u32, flow: u32, seq: u32, bytes: u32) -> Queued {
    let data = Desk::data(seq, Codepoint::Ect0);
    Queued { packet: Packet { slot: flow, extent: host, ..data.packet }, bytes }
}

/// Neither marks nor drops.
fn patient() -> CakeParameters {
    CakeParameters { target: 9.0, interval: 10.0, ..CakeParameters::default() }
}

fn desk(parameters: CakeParameters, room: u64) -> Desk {
    Desk::new(parameters.mechanics(&Desk::server(room)))
}

/// Bytes of two hosts, one with ten flows and one with a single one, after `served` packets.
fn shares(parameters: CakeParameters, sizes: [u32; 2], served: u32) -> [f64; 2] {
    let mut desk = desk(parameters, 1_000_000);
    for flow in 0..11 {
        let host = u32::from(flow == 10);
        let packets = if host == 1 { 6000 } else { 1000 };
        (0..packets).for_each(|seq| desk.enqueue(packet(host, flow, seq, sizes[host as usize]), Time::ZERO));
    }
    let mut bytes = [0.0; 2];
    for _ in 0..served {
        let next = desk.dequeue(ms(1)).expect("both are backlogged");
        bytes[next.packet.extent as usize] += f64::from(next.bytes);
    }
    bytes
}

/// Dual-dsthost: a host with ten flows and a host with one get the same.
#[test]
fn hosts_share_equally_however_many_flows_they_have() {
    for sizes in [[1500, 1500], [1500, 300]] {
        let [many, single] = shares(patient(), sizes, 4000);
        assert!((many / single - 1.0).abs() < 0.02, "{sizes:?}: {many} and {single} bytes");
    }
    let [many, single] = shares(CakeParameters { hosts: false, ..patient() }, [1500, 1500], 4400);
    assert!((many / single - 10.0).abs() < 0.1, "without hosts flows share: {many} and {single} bytes");
}

/// The flows of a host share what the host gets.
#[test]
fn flows_of_a_host_share_equally() {
    let mut desk = desk(patient(), 1_000_000);
    (0..5).for_each(|flow| (0..1000).for_each(|seq| desk.enqueue(packet(0, flow, seq, 1500), Time::ZERO)));
    let mut sent = [0u32; 5];
    for _ in 0..2500 {
        sent[desk.dequeue(ms(1)).expect("backlogged").packet.slot as usize] += 1;
    }
    assert!(sent.iter().all(|sent| sent.abs_diff(500) <= 2), "{sent:?}");
}

/// A flow that does not use its quantum up stays sparse and does not count against its host.
#[test]
fn sparse_flow_is_served_ahead_of_bulk_flows() {
    let mut desk = desk(patient(), 10_000);
    (0..20).for_each(|flow| (0..50).for_each(|seq| desk.enqueue(packet(0, flow, seq, 1500), Time::ZERO)));
    (0..60).for_each(|_| assert!(desk.dequeue(ms(1)).is_some()));
    for seq in 0..10 {
        desk.enqueue(packet(0, 99, seq, 100), ms(1));
        assert_eq!(desk.dequeue(ms(1)).map(|next| next.packet.slot), Some(99));
        (0..30).for_each(|_| assert!(desk.dequeue(ms(1)).is_some_and(|next| next.packet.slot != 99)));
    }
}

/// Acknowledgements do not name a host: each connection's are a host of their own.
#[test]
fn acknowledgements_are_isolated_by_connection() {
    let mut desk = desk(patient(), 10_000);
    for flow in 0..3 {
        let ack = Packet { kind: Kind::Ack, slot: flow, extent: 7, ..Packet::default() };
        (0..300)
            .for_each(|seq| desk.enqueue(Queued { packet: Packet { seq, ..ack }, bytes: 1500 }, Time::ZERO));
    }
    let mut sent = [0u32; 3];
    for _ in 0..300 {
        sent[desk.dequeue(ms(1)).expect("backlogged").packet.slot as usize] += 1;
    }
    assert!(sent.iter().all(|sent| sent.abs_diff(100) <= 1), "{sent:?}");
}

#[test]
fn overflow_takes_from_the_head_of_the_longest_queue() {
    let mut desk = desk(CakeParameters::default(), 20);
    (0..5).for_each(|seq| desk.enqueue(packet(0, 1, seq, 1500), Time::ZERO));
    (0..15).for_each(|seq| desk.enqueue(packet(1, 2, seq, 1500), Time::ZERO));
    (0..3).for_each(|seq| desk.enqueue(packet(2, 3, seq, 100), Time::ZERO));
    let dropped: Vec<_> = desk.dropped.iter().map(|packet| (packet.slot, packet.seq)).collect();
    assert_eq!(dropped, [(2, 0), (2, 1), (2, 2)]);
    assert_eq!((desk.drops(Cause::Overlimit), desk.queue().len()), (3, 20));
}

/// COBALT acts on the flow that builds the queue, and marks it.
#[test]
fn cobalt_acts_on_the_flow_that_builds_the_queue() {
    let mut desk = desk(CakeParameters::default(), 10_000);
    (0..1000).for_each(|seq| desk.enqueue(packet(0, 1, seq, 1500), Time::ZERO));
    assert!(desk.dequeue(ms(1)).is_some());
    let mut marked = 0;
    for at in 50..400 {
        desk.enqueue(packet(0, 2, 0, 100), ms(at));
        for _ in 0..2 {
            let next = desk.dequeue(ms(at)).expect("flow 1 is backlogged");
            assert!(next.packet.slot == 1 || !next.packet.is_ce());
            marked += u64::from(next.packet.is_ce());
        }
    }
    // From 50 ms on: 100, 170.7, 228.4, 278.4 and 323.2 ms later.
    assert_eq!((marked, desk.marks(Cause::Early)), (5, 5));
}

/// Flows and hosts are forgotten when their COBALT is at rest.
#[test]
fn memory_does_not_grow_with_the_flows_that_have_been() {
    let mut desk = desk(CakeParameters::default(), 10_000);
    for flow in 0..20_000 {
        let now = ms(u64::from(flow));
        desk.enqueue(packet(flow / 2, flow, 0, 200), now);
        if flow > 0 {
            desk.dequeue(now);
        }
    }
    // 100 ms of flows decay, one look per packet.
    assert!(desk.queue().memory() < 100_000, "{} bytes", desk.queue().memory());
    let idle = self::desk(CakeParameters::default(), 10_000);
    assert_eq!((idle.queue().memory(), FlowTable::<CakeFlow>::SIZES), (0, (88, 40)));
}

#[test]
fn quantum_follows_the_rate() {
    let at = |rate| {
        let mut server = Desk::server(1);
        server.transmitter = Transmitter::new(ServiceRate::BitsPerSecond(rate), None);
        quantum(&server)
    };
    assert_eq!([at(1e6), at(20e6), at(100e6)], [300, 610, 1500]);
}
