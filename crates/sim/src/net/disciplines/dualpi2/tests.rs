use congestion::Duration;

use super::*;
use crate::net::disciplines::testing::Desk;
use crate::net::packet::Codepoint::{self, Ce, Ect0, Ect1, NotEct};

fn us(micros: u64) -> Time {
    Time::ZERO + Duration(micros * 1_000_000)
}

/// Linux's `sch_dualpi2`.
fn linux() -> DualPi2Parameters {
    DualPi2Parameters {
        t_update: 0.016,
        alpha: 41.0 / 256.0,
        beta: 819.0 / 256.0,
        min_th: 0.001,
        range: 0.0,
        th_len: 0,
        classic_weight: 0.1,
        min_backlog: 2,
        random: true,
        ..DualPi2Parameters::default()
    }
}

fn desk(parameters: DualPi2Parameters) -> Desk {
    Desk::new(parameters.mechanics(&Desk::server(1_000_000)))
}

/// A queue whose base probability stays where it is.
fn held(parameters: DualPi2Parameters, p: f64) -> Desk {
    let mut queue = parameters.queue(&Desk::server(1_000_000));
    queue.base.p = p;
    queue.base.next = Time(u64::MAX);
    Desk::new(Mechanics { queue: Some(Box::new(queue)), ..Mechanics::default() })
}

fn fill(desk: &mut Desk, packets: u32, codepoint: Codepoint) {
    (0..packets).for_each(|seq| desk.enqueue(Desk::data(seq, codepoint), Time::ZERO));
}

/// Packets that leave at `now`: in all, and those with a mark.
fn leave(desk: &mut Desk, now: Time) -> (u32, u32) {
    let (mut packets, mut marked) = (0, 0);
    while let Some(next) = desk.dequeue(now) {
        packets += 1;
        marked += u32::from(next.packet.is_ce());
    }
    (packets, marked)
}

/// RFC 9332 appendix A.1: the L4S queue's own marks rise from none at 800 us to all at 1200 us.
#[test]
fn ramp_marks_by_sojourn_time() {
    for (sojourn, expected) in
        [(500, 0), (800, 0), (900, 100), (1000, 200), (1100, 300), (1200, 400), (3000, 400)]
    {
        let mut desk = desk(DualPi2Parameters::default());
        fill(&mut desk, 401, Ect1);
        let (packets, marked) = leave(&mut desk, us(sojourn));
        assert_eq!(packets, 401);
        assert!(marked.abs_diff(expected) <= 1, "{sojourn} us: {marked} of 400, expected {expected}");
        assert_eq!(desk.marks(Cause::Step), u64::from(marked));
    }
}

#[test]
fn ramp_does_not_mark_a_packet_that_was_alone() {
    let mut desk = desk(DualPi2Parameters::default());
    for number in 0..10 {
        desk.enqueue(Desk::data(0, Ect1), us(1000 * number));
        let next = desk.dequeue(us(1000 * number + 10_000));
        assert!(next.is_some_and(|next| !next.packet.is_ce()));
    }
}

/// Linux marks every L4S packet whose sojourn time is above 1 ms.
#[test]
fn step_marks_all_above_it() {
    for (sojourn, expected) in [(1000, 0), (1001, 50)] {
        let mut desk = desk(linux());
        fill(&mut desk, 50, Ect1);
        assert_eq!(leave(&mut desk, us(sojourn)), (50, expected));
    }
}

/// p' += alpha (delay - target) + beta (delay - previous delay), from the packet that has waited longest in either queue.
#[test]
fn base_probability_follows_the_longer_delay() {
    for codepoints in [[NotEct, Ect1], [Ect1, NotEct]] {
        let mut desk = desk(DualPi2Parameters::default());
        desk.enqueue(Desk::data(0, codepoints[0]), us(0));
        desk.enqueue(Desk::data(1, codepoints[1]), us(5000));
        let (mut expected, mut previous) = (0.0, 0.0);
        for update in 1..=5 {
            let now = 15_000 * update;
            desk.enqueue(Desk::data(2, NotEct), us(now - 1));
            assert_eq!(desk.queue().control().to_string(), f64::to_string(&expected), "not before {now} us");
            desk.enqueue(Desk::data(2, NotEct), us(now));
            let delay = Duration(now * 1_000_000).seconds();
            expected += 0.15 * (delay - 0.015) + 3.0 * (delay - previous);
            previous = delay;
            assert!((desk.queue().control() - expected).abs() < 1e-12);
        }
        assert!((expected - 0.2475).abs() < 1e-9, "3 x 75 ms + 0.15 x (0 + 15 + 30 + 45 + 60) ms");
    }
}

/// Updates that nobody saw are made up: an idle queue gives the same whether it is looked at or not.
#[test]
fn updates_over_idle_periods_are_made_up() {
    let idle = |looks: u64| {
        let mut desk = desk(DualPi2Parameters::default());
        fill(&mut desk, 300, NotEct);
        leave(&mut desk, us(200_000));
        let mut values = Vec::new();
        for (from, until) in [(200_000u64, 250_000), (250_000, 1_300_000), (1_300_000, 50_000_007)] {
            for look in 1..=looks {
                assert!(desk.dequeue(us(from + (until - from) / (looks + 1) * look)).is_none());
            }
            desk.enqueue(Desk::data(0, Ect0), us(until));
            values.push(desk.queue().control().to_bits());
            desk.dequeue(us(until));
        }
        values
    };
    let values = idle(0);
    assert!(f64::from_bits(values[0]) > 0.1 && values[2] == 0, "{values:?}");
    assert_eq!(values, idle(37));
}

/// RFC 9332 section 2.1: `p_CL` = k p' and `p_C` = p'^2, so the classic queue has the square of `p_CL` / k.
#[test]
fn signals_are_coupled_by_the_square() {
    for (k, p) in [(2.0, 0.2), (2.0, 0.05), (1.5, 0.3), (3.0, 0.1)] {
        let parameters = DualPi2Parameters { k, ..DualPi2Parameters::default() };
        let share = |codepoint| {
            let mut desk = held(parameters, p);
            fill(&mut desk, 10_000, codepoint);
            let (left, marked) = leave(&mut desk, Time::ZERO);
            assert_eq!(u64::from(left) + desk.drops(Cause::Early), 10_000);
            (f64::from(marked) / 1e4, 1.0 - f64::from(left) / 1e4)
        };
        let near = |is: (f64, f64), marked: f64, dropped: f64| {
            assert!(
                (is.0 - marked).abs() <= 1.01e-4 && (is.1 - dropped).abs() <= 1.01e-4,
                "k {k}, p' {p}: {is:?}"
            );
        };
        near(share(Ect1), k * p, 0.0);
        near(share(Ect0), p * p, 0.0);
        near(share(NotEct), 0.0, p * p);
    }
}

/// Linux draws: once for an L4S packet, twice for a classic one. What is drawn belongs to the packet.
#[test]
fn signals_at_random_have_the_same_frequencies() {
    let parameters = DualPi2Parameters { random: true, ..DualPi2Parameters::default() };
    let marked = |codepoint, p| {
        let mut desk = held(parameters, p);
        fill(&mut desk, 40_000, codepoint);
        let mut marks = Vec::new();
        while let Some(next) = desk.dequeue(Time::ZERO) {
            marks.extend(next.packet.is_ce().then_some(next.packet.seq));
        }
        marks
    };
    for (codepoint, p, expected) in [(Ect1, 0.2, 0.4), (Ect0, 0.2, 0.04), (Ect0, 0.45, 0.2025)] {
        let marks = f64::from(u32::try_from(marked(codepoint, p).len()).expect("few"));
        let deviation = f64::sqrt(expected * (1.0 - expected) * 4e4);
        assert!((marks - expected * 4e4).abs() < 4.0 * deviation, "{codepoint:?}, p' {p}: {marks}");
    }
    let (few, many) = (marked(Ect0, 0.2), marked(Ect0, 0.3));
    assert!(few.iter().all(|seq| many.contains(seq)), "a larger p' marks these and more");
}

/// Appendix A.2: once `p_CL` saturates, packets of both queues are dropped with `p_C`, whatever their codepoint.
#[test]
fn overload_drops_from_both_queues() {
    for random in [false, true] {
        let parameters = DualPi2Parameters { random, ..DualPi2Parameters::default() };
        for codepoint in [Ect1, Ce, Ect0, NotEct] {
            let mut desk = held(parameters, 0.6);
            fill(&mut desk, 10_000, codepoint);
            let (left, marked) = leave(&mut desk, Time::ZERO);
            let dropped = f64::from(10_000 - left) / 1e4;
            assert!((dropped - 0.36).abs() < if random { 0.02 } else { 2e-4 }, "{codepoint:?}: {dropped}");
            assert_eq!(desk.drops(Cause::Overload), u64::from(10_000 - left));
            let l4s = matches!(codepoint, Ect1 | Ce);
            assert!(if l4s { marked + 1 >= left } else { marked == 0 }, "{marked} of {left}");
        }
        let mut below = held(parameters, 0.499);
        fill(&mut below, 1000, Ect1);
        leave(&mut below, Time::ZERO);
        assert_eq!(below.drops(Cause::Overload), 0);
    }
}

#[test]
fn without_drops_on_overload_the_queue_grows_and_marks_saturate() {
    let parameters = DualPi2Parameters { drop_overload: false, ..DualPi2Parameters::default() };
    let mut desk = desk(parameters);
    fill(&mut desk, 3000, Ect1);
    desk.enqueue(Desk::data(0, NotEct), us(5_000_000));
    assert_eq!(desk.queue().control().to_string(), "0.5", "1 / k");
    let (left, marked) = leave(&mut desk, us(5_000_000));
    assert!(left >= 3000 && marked >= 2998, "{marked} of {left}");
    assert_eq!(desk.drops(Cause::Overload), 0);
}

/// While both queues hold packets the classic one has its share to a packet, and neither waits long.
#[test]
fn scheduler_gives_the_classic_queue_its_weight() {
    for (weight, most) in [(1.0 / 16.0, 16), (0.1, 10), (0.5, 2)] {
        let parameters = DualPi2Parameters { classic_weight: weight, ..DualPi2Parameters::default() };
        let mut desk = desk(parameters);
        fill(&mut desk, 2000, Ect1);
        fill(&mut desk, 2000, NotEct);
        let (mut classic, mut waited) = (0, 0);
        for served in 1..=2000 {
            let next = desk.dequeue(Time::ZERO).expect("both are backlogged");
            let is_classic = next.packet.codepoint() == NotEct;
            waited = if is_classic { 0 } else { waited + 1 };
            classic += u32::from(is_classic);
            assert!((f64::from(classic) - weight * f64::from(served)).abs() <= 1.01, "{classic} of {served}");
            assert!(waited <= most, "the classic queue waited for {waited} packets");
        }
    }
}

#[test]
fn credit_moves_only_while_both_queues_hold_packets() {
    let order = |alone: u32| {
        let mut desk = desk(DualPi2Parameters { classic_weight: 0.25, ..DualPi2Parameters::default() });
        fill(&mut desk, alone, NotEct);
        (0..alone).for_each(|_| assert!(desk.dequeue(Time::ZERO).is_some()));
        fill(&mut desk, 12, Ect1);
        fill(&mut desk, 12, NotEct);
        let next = |_| desk.dequeue(Time::ZERO).expect("backlogged").packet.codepoint() == NotEct;
        (0..12).map(next).collect::<Vec<_>>()
    };
    assert_eq!(order(0), order(100), "the classic queue is not charged for the time alone");
    assert!(!order(0)[0], "the L4S queue begins");
}

/// Linux: no signals of p' below two full-sized packets.
#[test]
fn coupled_signals_need_a_backlog() {
    let mut desk = held(linux(), 1.0);
    fill(&mut desk, 2, NotEct);
    assert_eq!(leave(&mut desk, Time::ZERO).0, 2, "one packet is left behind, then none");
    fill(&mut desk, 3, NotEct);
    assert_eq!((leave(&mut desk, Time::ZERO).0, desk.drops(Cause::Overload)), (2, 1));
}

#[test]
fn both_queues_share_the_room() {
    let mut desk = Desk::new(DualPi2Parameters::default().mechanics(&Desk::server(10)));
    fill(&mut desk, 7, Ect1);
    fill(&mut desk, 7, Ect0);
    assert_eq!((desk.queue().len(), desk.drops(Cause::Overlimit)), (10, 4));
}

#[test]
fn a_threshold_that_the_buffer_never_reaches_is_a_fault() {
    let wrong = DualPi2Parameters { th_len: 10, k: 0.5, ..DualPi2Parameters::default() };
    let faults: Vec<_> =
        wrong.faults(Some(Buffer::Packets(10))).into_iter().map(|fault| fault.message).collect();
    assert_eq!(faults, ["expected 1 to 100, got 0.5", "expected less than the buffer of 10 packets, got 10"]);
    assert!(linux().faults(Some(Buffer::Packets(100))).is_empty());
}
