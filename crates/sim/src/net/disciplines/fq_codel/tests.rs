use congestion::{Duration, Time};

use super::*;
use crate::net::disciplines::testing::Desk;
use crate::net::packet::{Codepoint, Packet};

/// Perfect isolation: what is tested is the scheduler, not the hash.
fn isolated() -> FqCodelParameters {
    FqCodelParameters { flows: 0, ..FqCodelParameters::default() }
}

fn ms(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn packet(flow: u32, seq: u32, bytes: u32) -> Queued {
    let data = Desk::data(seq, Codepoint::Ect0);
    Queued { packet: Packet { slot: flow, ..data.packet }, bytes }
}

fn desk(parameters: FqCodelParameters, room: u64) -> Desk {
    Desk::new(parameters.mechanics(&Desk::server(room)))
}

/// The next `count` packets as (flow, sequence number).
fn served(desk: &mut Desk, now: Time, count: usize) -> Vec<(u32, u32)> {
    (0..count).map_while(|_| desk.dequeue(now)).map(|next| (next.packet.slot, next.packet.seq)).collect()
}

#[test]
fn flows_take_turns_in_their_own_order() {
    let mut desk = desk(isolated(), 100);
    for flow in [1, 2, 3] {
        (0..3).for_each(|seq| desk.enqueue(packet(flow, seq, 1500), Time::ZERO));
    }
    let order = served(&mut desk, ms(1), 20);
    assert_eq!(order, [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2)]);
    assert_eq!((desk.queue().len(), desk.queue().bytes()), (0, 0));
}

/// RFC 8290 section 4: queues share bytes, whatever the sizes of their packets, to within a quantum per round.
#[test]
fn greedy_flows_share_bytes_to_within_a_quantum() {
    let quantum = 1500;
    for sizes in [[1500, 1500], [100, 1500], [700, 1100]] {
        let mut desk = desk(isolated(), 100_000);
        for (flow, bytes) in (0..).zip(sizes) {
            (0..600_000 / bytes).for_each(|seq| desk.enqueue(packet(flow, seq, bytes), Time::ZERO));
        }
        let mut sent = [0u32; 2];
        while sent.iter().sum::<u32>() < 600_000 {
            let next = desk.dequeue(Time::ZERO).expect("both are backlogged");
            sent[next.packet.slot as usize] += next.bytes;
            assert!(sent[0].abs_diff(sent[1]) <= quantum + 1500, "{sizes:?}: {sent:?}");
        }
    }
}

/// RFC 8290 section 1.3: a flow whose packets are gone before its next turn is served before the backlogged ones.
#[test]
fn sparse_flow_waits_for_at_most_one_packet() {
    let mut desk = desk(isolated(), 100_000);
    (0..50).for_each(|flow| (0..20).for_each(|seq| desk.enqueue(packet(flow, seq, 1500), Time::ZERO)));
    served(&mut desk, Time::ZERO, 60);
    for seq in 0..10 {
        desk.enqueue(packet(99, seq, 100), Time::ZERO);
        assert_eq!(served(&mut desk, Time::ZERO, 1), [(99, seq)], "all others are old");
        let others = served(&mut desk, Time::ZERO, 60);
        assert!(others.iter().all(|&(flow, _)| flow < 50), "and its turn is over");
    }
    let mut newcomers = self::desk(isolated(), 100_000);
    (0..50).for_each(|flow| (0..20).for_each(|seq| newcomers.enqueue(packet(flow, seq, 1500), Time::ZERO)));
    newcomers.enqueue(packet(99, 0, 100), Time::ZERO);
    let order = served(&mut newcomers, Time::ZERO, 60);
    let place = order.iter().position(|&(flow, _)| flow == 99);
    assert_eq!(place, Some(50), "one packet of each backlogged new queue is before it");
}

/// RFC 8290 section 4.2: an emptied new queue goes to the old ones first, so that coming back does not pay.
#[test]
fn flow_that_comes_back_in_its_round_waits_for_its_turn() {
    let mut desk = desk(isolated(), 1000);
    (0..5).for_each(|seq| desk.enqueue(packet(1, seq, 1500), Time::ZERO));
    served(&mut desk, Time::ZERO, 1);
    desk.enqueue(packet(2, 0, 1400), Time::ZERO);
    // Flow 2 is served and empty; the look at it moves it behind flow 1 on the old list, with 100 bytes of credit.
    assert_eq!(served(&mut desk, Time::ZERO, 2), [(2, 0), (1, 1)]);
    desk.enqueue(packet(2, 1, 1400), Time::ZERO);
    desk.enqueue(packet(2, 2, 1400), Time::ZERO);
    assert_eq!(served(&mut desk, Time::ZERO, 4), [(2, 1), (1, 2), (2, 2), (1, 3)]);
}

/// RFC 8290 section 4.1: overflow takes from the head of the queue with the most bytes, half of it but at most a
/// batch.
#[test]
fn overflow_takes_half_of_the_fattest_flow_or_a_batch() {
    for (room, batch, expected) in [(101, 64, 46), (101, 10, 10), (201, 64, 64)] {
        let parameters = FqCodelParameters { drop_batch: batch, ..isolated() };
        let mut desk = desk(parameters, room);
        (0..10).for_each(|seq| desk.enqueue(packet(1, seq, 1500), Time::ZERO));
        let fat = u32::try_from(room).expect("small") - 10;
        (0..fat).for_each(|seq| desk.enqueue(packet(2, seq, 1500), Time::ZERO));
        assert_eq!(desk.dropped.len(), 0, "full, but not beyond");
        desk.enqueue(packet(3, 0, 100), Time::ZERO);
        let dropped: Vec<_> = desk.dropped.iter().map(|packet| (packet.slot, packet.seq)).collect();
        assert_eq!(dropped, (0..expected).map(|seq| (2, seq)).collect::<Vec<_>>());
        assert_eq!(desk.drops(Cause::Overlimit), u64::from(expected));
    }
}

#[test]
fn overflow_in_bytes_drops_until_there_is_room() {
    let mut server = Desk::server(1);
    server.buffer = Some(Buffer::Bytes(10_000));
    let mut desk = Desk::new(isolated().mechanics(&server));
    for seq in 0..200 {
        desk.enqueue(packet(seq % 7, seq, 100 + 200 * (seq % 8)), Time::ZERO);
        assert!(desk.queue().bytes() <= 10_000, "{}", desk.queue().bytes());
    }
    assert!(desk.drops(Cause::Overlimit) > 100);
}

/// Every queue has a CoDel of its own: the flow that builds a queue is marked, the sparse one is not.
#[test]
fn codel_acts_on_the_flow_that_builds_the_queue() {
    let mut desk = desk(isolated(), 10_000);
    (0..1000).for_each(|seq| desk.enqueue(packet(1, seq, 1500), Time::ZERO));
    let mut marked = 0u32;
    for time in 1..=500 {
        desk.enqueue(packet(2, time, 100), ms(time.into()));
        for _ in 0..2 {
            let next = desk.dequeue(ms(time.into())).expect("flow 1 is backlogged");
            assert!(next.packet.slot == 1 || !next.packet.is_ce());
            marked += u32::from(next.packet.is_ce());
        }
    }
    // 1 + the number of n with 100 ms x sum(1/sqrt(k)) <= 395 ms, from 105 ms on (RFC 8289's control law).
    assert_eq!(marked, 7);
    assert_eq!(desk.marks(Cause::Early), 7);
    assert_eq!(desk.queue().control().to_string(), "7");
}

/// A flow's CoDel is kept while it may resume its last dropping state, and not for longer.
#[test]
fn resting_flows_are_forgotten_when_nothing_depends_on_them() {
    let build = |desk: &mut Desk, from: u64| {
        (0..300).for_each(|seq| desk.enqueue(packet(1, seq, 1500), ms(from)));
        let marks = desk.marks(Cause::Early);
        (0..300).for_each(|step| assert!(desk.dequeue(ms(from + 2 * step)).is_some() || step > 200));
        desk.marks(Cause::Early) - marks
    };
    let mut soon = desk(isolated(), 10_000);
    let first = build(&mut soon, 1000);
    assert!(soon.dequeue(ms(1600)).is_none());
    let resumed = build(&mut soon, 1700);
    assert!(resumed > first, "{first} marks, then {resumed} at the rate of the last dropping state");
    let mut late = desk(isolated(), 10_000);
    build(&mut late, 1000);
    assert!(late.dequeue(ms(1600)).is_none());
    assert_eq!(build(&mut late, 4000), first, "as new");

    let mut many = desk(isolated(), 10_000);
    for flow in 0..100_000u64 {
        many.enqueue(packet(u32::try_from(flow).expect("small"), 0, 1500), ms(flow));
        many.dequeue(ms(flow));
        many.dequeue(ms(flow));
    }
    assert!(many.queue().memory() < 1000, "{} bytes for one flow at a time", many.queue().memory());
}

#[test]
fn flows_that_meet_in_one_queue_share_its_turn() {
    let single = FqCodelParameters { flows: 1, ..FqCodelParameters::default() };
    let mut desk = desk(single, 100);
    (0..6).for_each(|seq| desk.enqueue(packet(seq % 3, seq, 1500), Time::ZERO));
    let order: Vec<_> = served(&mut desk, Time::ZERO, 6).into_iter().map(|(_, seq)| seq).collect();
    assert_eq!(order, [0, 1, 2, 3, 4, 5], "first in, first out");
}

#[test]
fn idle_stations_hold_nothing_beyond_themselves() {
    let desk = desk(FqCodelParameters::default(), 10_240);
    assert_eq!(desk.queue().memory(), 0);
    assert_eq!((size_of::<FqCodel>(), FlowTable::<State>::SIZES), (208, (80, 40)));
}

#[test]
fn a_target_above_the_interval_is_a_fault() {
    let wrong = FqCodelParameters { target: 0.2, drop_batch: 0, ..FqCodelParameters::default() };
    let faults = wrong.faults(None);
    assert_eq!(faults.iter().map(|fault| fault.parameter).collect::<Vec<_>>(), ["drop_batch", "target"]);
    assert!(FqCodelParameters::default().faults(None).is_empty());
}

/// Two flows with one packet each beside the one in service: Linux's comparison counts both, RFC 8289's neither.
#[test]
fn the_last_packet_of_a_flow_is_dropped_only_where_all_queues_count() {
    for (own_backlog, dropped) in [(false, 2), (true, 0)] {
        let mut desk = desk(FqCodelParameters { ecn: false, own_backlog, ..isolated() }, 100);
        let backlog = |desk: &mut Desk, now| {
            (0..4).for_each(|flow| desk.enqueue(packet(flow, 0, 1500), now));
        };
        // Every look finds one packet of the flow that has waited for a second; the second look may drop.
        backlog(&mut desk, ms(0));
        served(&mut desk, ms(1000), 4);
        backlog(&mut desk, ms(1001));
        served(&mut desk, ms(2001), 4);
        assert_eq!(desk.dropped.len(), dropped, "own_backlog = {own_backlog}");
    }
}
