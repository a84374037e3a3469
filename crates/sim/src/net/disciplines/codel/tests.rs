use super::*;
use crate::net::disciplines::testing::Desk;

fn ms(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn desk(parameters: CodelParameters, room: u64, arrivals: u32, codepoint: Codepoint) -> Desk {
    let mut desk = Desk::new(parameters.mechanics(&Desk::server(room)));
    (0..arrivals).for_each(|seq| desk.enqueue(Desk::data(seq, codepoint), Time::ZERO));
    desk
}

/// RFC 8289 section 5.6: once in the dropping state, the n-th gap is interval / sqrt(n).
#[test]
fn drops_of_a_queue_that_stays_bad_come_ever_closer() {
    let mut desk = desk(CodelParameters::default(), 100_000, 100_000, Codepoint::NotEct);
    let mut times: Vec<f64> = Vec::new();
    for tenth in 0..8000 {
        let now = ms(1000) + Duration(tenth * 100_000_000);
        let before = desk.dropped.len();
        desk.dequeue(now);
        times.extend((before..desk.dropped.len()).map(|_| now.since(ms(1000)).seconds() * 1e3));
    }
    let first = times[0];
    assert!((first - 100.0).abs() < 0.11, "an interval after the first look: {first} ms");
    let expected = [0.0, 100.0, 170.71, 228.45, 278.45, 323.17, 363.99, 401.79, 437.14, 470.48, 502.10];
    for (time, expected) in times.iter().zip(expected) {
        assert!((time - first - expected).abs() < 0.21, "{} ms, expected {expected}", time - first);
    }
    assert!(times.len() > expected.len());
}

/// ns-3's `codel-queue-disc-test-suite`: what leaves at twice the target, then at two intervals after that.
#[test]
fn first_drop_comes_an_interval_after_the_delay_went_above_the_target() {
    let mut desk = desk(CodelParameters::default(), 500, 20, Codepoint::NotEct);
    assert_eq!(desk.dequeue(ms(10)).map(|queued| queued.packet.seq), Some(0));
    assert_eq!(desk.dequeue(ms(210)).map(|queued| queued.packet.seq), Some(2));
    assert_eq!((desk.drops(Cause::Early), desk.queue().len()), (1, 17));
    assert_eq!(desk.dequeue(ms(210)).map(|queued| queued.packet.seq), Some(3));
    assert_eq!(desk.drops(Cause::Early), 1);
    // From 310 ms on one every 100 ms / sqrt(n): at 310 and 380.7, and the next is due at 438.4 ms.
    desk.dequeue(ms(420));
    assert_eq!((desk.drops(Cause::Early), desk.queue().control()), (3, 3.0));
}

/// RFC 8289 section 5.4 with ECN: where a packet would be dropped an ECN-capable one is marked.
#[test]
fn ecn_capable_packets_are_marked_at_the_same_times() {
    let parameters = CodelParameters { ecn: true, ..CodelParameters::default() };
    let mut desk = desk(parameters, 500, 20, Codepoint::Ect0);
    let marked = |queued: Option<Queued>| queued.expect("a packet").packet.is_ce();
    let times = [10, 210, 210, 420, 420, 420];
    let marks: Vec<bool> = times.map(|time| marked(desk.dequeue(ms(time)))).into();
    assert_eq!(marks, [false, true, false, true, true, false]);
    assert_eq!((desk.marks(Cause::Early), desk.dropped.len()), (3, 0));
}

/// Linux's `ce_threshold`, as ns-3's suite has it: 2 ms.
#[test]
fn sojourn_above_the_ce_threshold_is_marked_at_once() {
    let parameters = CodelParameters { ecn: true, ce_threshold: Some(2e-3), ..CodelParameters::default() };
    let mut desk = desk(parameters, 500, 20, Codepoint::Ect1);
    for time in [1, 3, 10, 210] {
        desk.dequeue(ms(time));
    }
    assert_eq!((desk.marks(Cause::Step), desk.marks(Cause::Early)), (2, 1));
}

#[test]
fn never_acts_on_the_last_packet() {
    let mut desk = desk(CodelParameters::default(), 500, 2, Codepoint::NotEct);
    desk.dequeue(ms(500));
    desk.enqueue(Desk::data(2, Codepoint::NotEct), ms(500));
    desk.dequeue(ms(1000));
    desk.dequeue(ms(1500));
    assert_eq!(desk.dropped.len(), 0, "the backlog is at most one MTU");
}

/// RFC 8289 section 5.5: a new dropping state soon after the last one begins at its rate.
#[test]
fn dropping_resumes_at_the_rate_that_controlled_the_queue() {
    let mut desk = desk(CodelParameters::default(), 10_000, 5_000, Codepoint::NotEct);
    for time in 1000..1600 {
        desk.dequeue(ms(time));
    }
    let count = desk.queue().control();
    assert!(count >= 10.0, "{count}");
    // Fresh packets end the dropping state; then the delay rises again.
    while desk.dequeue(ms(1600)).is_some() {}
    (0..400).for_each(|seq| desk.enqueue(Desk::data(seq, Codepoint::NotEct), ms(1600)));
    for time in 1610..1715 {
        desk.dequeue(ms(time));
    }
    let resumed = desk.queue().control();
    assert_eq!(resumed.to_string(), (count - 1.0).to_string(), "count - lastcount, which was 1");
}

/// What FQ-CoDel drops where there is no room is counted, too: a first dropping state resumes none, however early it is.
#[test]
fn a_first_dropping_state_resumes_none() {
    let controller = CodelParameters::default().control(1500);
    for entered in [500, 5000] {
        let mut state = State { count: 64, ..State::default() };
        assert!(state.is_forgettable(&controller, ms(entered)));
        state.enter_dropping(&controller, ms(entered));
        assert_eq!(state.signals(), 1, "{entered} ms");
    }
}

#[test]
fn arrivals_beyond_the_room_are_dropped() {
    let desk = desk(CodelParameters::default(), 500, 503, Codepoint::Ect0);
    assert_eq!((desk.drops(Cause::Overlimit), desk.queue().len()), (3, 500));
}

#[test]
fn a_target_above_the_interval_is_a_fault() {
    let wrong = CodelParameters { target: 0.2, interval: 0.1, ..CodelParameters::default() };
    assert_eq!(wrong.faults(None)[0].message, "expected less than the interval of 0.1 s, got 0.2 s");
    assert!(CodelParameters::default().faults(None).is_empty());
}
