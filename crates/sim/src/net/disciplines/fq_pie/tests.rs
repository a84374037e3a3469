use congestion::{Duration, Time};

use super::*;
use crate::net::disciplines::testing::Desk;
use crate::net::packet::{Codepoint, Packet};

fn us(micros: u64) -> Time {
    Time::ZERO + Duration(micros * 1_000_000)
}

fn packet(flow: u32, seq: u32, codepoint: Codepoint) -> Queued {
    let data = Desk::data(seq, codepoint);
    Queued { packet: Packet { slot: flow, ..data.packet }, bytes: 1500 }
}

fn isolated() -> FqPieParameters {
    FqPieParameters { flows: 0, ..FqPieParameters::default() }
}

/// Flow 1 sends 1.5 times the rate, flow 2 a tenth of it, for two seconds of 1000 packets.
fn overloaded(parameters: FqPieParameters, codepoint: Codepoint) -> Desk {
    let mut desk = Desk::new(parameters.mechanics(&Desk::server(5000)));
    for step in 0..2000u32 {
        let now = u64::from(step) * 1000;
        desk.enqueue(packet(1, step, codepoint), us(now));
        if step % 2 == 0 {
            desk.enqueue(packet(1, step, codepoint), us(now));
        }
        if step % 10 == 0 {
            desk.enqueue(packet(2, step, codepoint), us(now));
        }
        desk.dequeue(us(now + 500));
    }
    desk
}

/// The flow that builds a queue has a drop probability, the other has none.
#[test]
fn each_flow_has_a_drop_probability_of_its_own() {
    let desk = overloaded(isolated(), Codepoint::NotEct);
    assert!(desk.drops(Cause::Early) > 100, "{}", desk.drops(Cause::Early));
    assert!(desk.dropped.iter().all(|packet| packet.slot == 1));
    assert!(desk.queue().control() > 0.1, "{}", desk.queue().control());
    let shared = overloaded(FqPieParameters { flows: 1, ..isolated() }, Codepoint::NotEct);
    assert!(shared.dropped.iter().any(|packet| packet.slot == 2), "in one queue both are dropped");
}

#[test]
fn ecn_capable_packets_are_marked_up_to_the_threshold() {
    let desk = overloaded(isolated(), Codepoint::Ect0);
    assert!(desk.marks(Cause::Early) > 0 && desk.drops(Cause::Early) > 0);
    let plain = overloaded(FqPieParameters { ecn: false, ..isolated() }, Codepoint::Ect0);
    assert_eq!(plain.marks(Cause::Early), 0);
}

#[test]
fn flows_take_turns_and_the_arrival_that_finds_no_room_is_dropped() {
    let mut desk = Desk::new(isolated().mechanics(&Desk::server(6)));
    for flow in [1, 2, 3] {
        (0..2).for_each(|seq| desk.enqueue(packet(flow, seq, Codepoint::NotEct), Time::ZERO));
    }
    desk.enqueue(packet(4, 0, Codepoint::NotEct), Time::ZERO);
    assert_eq!((desk.drops(Cause::Overlimit), desk.dropped[0].slot), (1, 4));
    let order: Vec<_> = (0..6).map_while(|_| desk.dequeue(us(1))).map(|next| next.packet.slot).collect();
    assert_eq!(order, [1, 2, 3, 1, 2, 3]);
    assert!(desk.dequeue(us(1)).is_none());
}

/// States that have decayed to that of a new flow are forgotten.
#[test]
fn memory_does_not_grow_with_the_flows_that_have_been() {
    let mut desk = Desk::new(isolated().mechanics(&Desk::server(100)));
    for flow in 0..10_000 {
        let now = u64::from(flow) * 1000;
        desk.enqueue(packet(flow, 0, Codepoint::NotEct), us(now));
        desk.dequeue(us(now));
        desk.dequeue(us(now));
    }
    assert!(desk.queue().memory() < 2000, "{} bytes", desk.queue().memory());
}
