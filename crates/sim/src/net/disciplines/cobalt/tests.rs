use super::*;
use crate::net::disciplines::testing::Desk;
use crate::net::packet::Codepoint::{self, Ect0, NotEct};
use crate::net::service::ServiceRate;
use crate::net::transmitter::Transmitter;

fn ms(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn desk(parameters: CobaltParameters, room: u64, arrivals: u32, codepoint: Codepoint) -> Desk {
    let mut desk = Desk::new(parameters.mechanics(&Desk::server(room)));
    (0..arrivals).for_each(|seq| desk.enqueue(Desk::data(seq, codepoint), Time::ZERO));
    desk
}

/// A state, its controller, and what they say of a packet that stayed for `sojourn` and is not the last.
fn signals(state: &mut State, c: &Controller, sojourn: u64, at: u64) -> bool {
    let mut desk = Desk::default();
    let mut packet = Desk::data(0, NotEct);
    packet.packet.time = ms(at - sojourn);
    desk.at(ms(at), |_, port| state.signal(c, &mut packet, false, port, || 1.0)).is_some()
}

/// The first signal comes an interval after the delay went above the target, the n-th gap is interval / sqrt(n + 1).
#[test]
fn drops_of_a_queue_that_stays_bad_come_ever_closer() {
    let mut desk = desk(CobaltParameters::default(), 100_000, 20_000, NotEct);
    desk.dequeue(ms(1));
    let mut times: Vec<f64> = Vec::new();
    for tenth in 0..6000 {
        let now = ms(50) + Duration(tenth * 100_000_000);
        let before = desk.dropped.len();
        desk.dequeue(now);
        times.extend((before..desk.dropped.len()).map(|_| now.since(ms(50)).seconds() * 1e3));
    }
    let expected = [100.0, 170.71, 228.45, 278.45, 323.17, 363.99, 401.79, 437.14, 470.48, 502.10];
    for (time, expected) in times.iter().zip(expected) {
        assert!((time - expected).abs() < 0.21, "{time} ms, expected {expected}");
    }
    assert_eq!(desk.queue().control().to_string(), (times.len() + 1).to_string());
}

/// Signals that `CoDel` forgets are taken back one by one, at the times at which it would have dropped.
#[test]
fn signals_decay_one_by_one() {
    let c = CobaltParameters::default().control(&Desk::server(100));
    let mut state = State { count: 4, drop_next: ms(1000), dropping: true, ..State::default() };
    for (at, count) in [(999, 4), (1000, 3), (1057, 3), (1058, 2), (1128, 2), (1129, 1), (1228, 1), (1229, 0)]
    {
        assert!(!signals(&mut state, &c, 1, at), "the delay is good");
        // Packets that come late do not shift the next time, as all but the last are early.
        assert_eq!(state.count, count, "at {at} ms");
        if count < 4 && at == 1000 {
            assert_eq!(state.drop_next, c.control_law(ms(1000), 3));
        }
    }
    let mut late = State { count: 4, drop_next: ms(1000), ..State::default() };
    signals(&mut late, &c, 1, 1200);
    assert_eq!(late.count, 1, "the steps that are due are taken at once");
    assert!(!late.is_at_rest(ms(1200)));
    late.queue_empty(&c, ms(2000));
    assert_eq!(late.count, 0);
}

#[test]
fn blue_rises_at_most_once_per_target_and_falls_on_an_empty_queue() {
    let c = CobaltParameters::default().control(&Desk::server(100));
    let mut state = State::default();
    for at in 100..=120 {
        state.queue_full(&c, ms(at));
    }
    // At 100, 106, 112 and 118 ms: more than 5 ms apart.
    assert_eq!(state.p_drop.to_string(), (4.0 / 256.0).to_string());
    assert_eq!(state.count, 1);
    for at in 200..=220 {
        state.queue_empty(&c, ms(at));
    }
    assert_eq!(state.p_drop.to_string(), (4.0 / 256.0 - 4.0 / 4096.0).to_string());
}

/// BLUE drops whatever the codepoint, with its probability, and its drops belong to the packets.
#[test]
fn blue_drops_ecn_capable_packets() {
    let dropped = |p_drop: f64| {
        let parameters = CobaltParameters { target: 9.0, interval: 10.0, ..CobaltParameters::default() };
        let Mechanics { queue, .. } = parameters.mechanics(&Desk::server(100_000));
        drop(queue);
        let mut cobalt = Cobalt {
            queue: Fifo::new(None),
            buffer: None,
            controller: parameters.control(&Desk::server(1)),
            state: State { p_drop, ..State::default() },
            draws: Draws::new(&Desk::server(1).streams, 0),
            taken: 0,
        };
        (0..20_000).for_each(|seq| cobalt.queue.append(Desk::data(seq, Ect0)));
        let mut desk = Desk::new(Mechanics { queue: Some(Box::new(cobalt)), ..Mechanics::default() });
        while desk.dequeue(ms(1)).is_some() {}
        assert_eq!(desk.drops(Cause::Overload), desk.dropped.len() as u64);
        desk.dropped.iter().map(|packet| packet.seq).collect::<Vec<_>>()
    };
    let (few, many) = (dropped(0.1), dropped(0.2));
    assert!(
        few.len().abs_diff(2000) < 170 && many.len().abs_diff(4000) < 230,
        "{} and {}",
        few.len(),
        many.len()
    );
    assert!(few.iter().all(|seq| many.contains(seq)), "a larger probability drops these and more");
}

/// `sch_cake` looks at the time of the next signal before it sets it: a queue whose first packet after an interval of quiet
/// is late signals at the second.
#[test]
fn late_packets_after_quiet_are_dropped_at_once() {
    let mut desk = desk(CobaltParameters::default(), 1000, 100, NotEct);
    assert_eq!(desk.dequeue(ms(50)).map(|next| next.packet.seq), Some(0));
    assert_eq!(desk.dequeue(ms(51)).map(|next| next.packet.seq), Some(2));
}

#[test]
fn ecn_capable_packets_are_marked_and_the_last_one_stays() {
    let mut marking = desk(CobaltParameters::default(), 1000, 400, Ect0);
    marking.dequeue(ms(1));
    (50..300).for_each(|at| assert!(marking.dequeue(ms(at)).is_some()));
    assert_eq!((marking.marks(Cause::Early), marking.dropped.len()), (3, 0));
    let mut last = desk(CobaltParameters::default(), 1000, 0, NotEct);
    for at in 0..100 {
        last.enqueue(Desk::data(0, NotEct), ms(100 * at));
        assert!(last.dequeue(ms(100 * at + 50)).is_some(), "alone, whatever its delay");
    }
    assert!(last.queue().control() > 2.0, "COBALT would have dropped it");
}

/// CAKE raises the target to the time of 1.5 full-sized packets.
#[test]
fn slow_servers_have_a_longer_target() {
    let mut server = Desk::server(100);
    server.transmitter = Transmitter::new(ServiceRate::BitsPerSecond(1e6), None);
    let c = CobaltParameters::default().control(&server);
    assert_eq!((c.target, c.interval), (Duration::from_millis(18), Duration::from_millis(113)));
    let c = CobaltParameters::default().control(&Desk::server(100));
    assert_eq!((c.target, c.interval), (Duration::from_millis(5), Duration::from_millis(100)));
}

#[test]
fn overflow_drops_at_the_head() {
    let desk = desk(CobaltParameters::default(), 5, 8, Ect0);
    let dropped: Vec<_> = desk.dropped.iter().map(|packet| packet.seq).collect();
    assert_eq!((dropped, desk.queue().len()), (vec![0, 1, 2], 5));
    assert_eq!(desk.drops(Cause::Overlimit), 3);
}

/// ns-3's `BlueThreshold`: BLUE also rises while packets stay longer than that.
#[test]
fn long_delays_raise_blue_where_a_threshold_is_set() {
    for (threshold, expected) in [(None, 0.0), (Some(0.4), 2.0 / 256.0)] {
        let parameters = CobaltParameters { blue_threshold: threshold, ..CobaltParameters::default() };
        let c = parameters.control(&Desk::server(100));
        let mut state = State::default();
        for at in 1000..1010 {
            signals(&mut state, &c, 401, at);
        }
        assert_eq!(state.p_drop.to_string(), f64::to_string(&expected));
    }
}
