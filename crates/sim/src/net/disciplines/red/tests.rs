//! RED against its papers and the directions of ns-3's `red-queue-disc-test-suite`.

use super::*;
use crate::net::departures::Waiting;
use crate::net::disciplines::testing::Desk;
use crate::net::packet::Codepoint;
use crate::net::service::ServiceRate;
use crate::net::transmitter::Transmitter;

/// A server of so many packets of 1500 bytes per second.
fn server(rate: f64, room: u64) -> Server {
    Server {
        transmitter: Transmitter::new(ServiceRate::BitsPerSecond(12_000.0 * rate), None),
        ..Desk::server(room)
    }
}

fn red(parameters: &RedParameters, rate: f64) -> Red {
    Red::new(parameters, &server(rate, 1000))
}

fn seconds(seconds: f64) -> Time {
    Time::ZERO + Duration::from_seconds(seconds)
}

/// Gaps between the drops of 10^6 packets at a raw probability of 1 %: packets from one drop to the next.
fn gaps(wait: bool) -> Vec<f64> {
    let parameters = RedParameters { w_q: Some(1.0), wait, ..RedParameters::default() };
    let mut desk = Desk::with_rule(parameters.mechanics(&server(1000.0, 1000)).rule);
    let (mut gaps, mut last) = (Vec::new(), None);
    for packet in 0..1_000_000 {
        // Half of the way from 5 to 15 packets, so half of 2 %.
        if desk.judge(Codepoint::NotEct, 10).1 != Verdict::Pass {
            gaps.extend(last.map(|last: i32| f64::from(packet - last)));
            last = Some(packet);
        }
    }
    gaps
}

/// The gaps are uniform on the whole numbers from `low` to `high`: range, mean and deciles.
fn assert_uniform(gaps: &[f64], low: f64, high: f64) {
    let count = packets(gaps.len() as u64);
    let (least, most) =
        gaps.iter().fold((f64::MAX, 0f64), |(least, most), &gap| (least.min(gap), most.max(gap)));
    assert!(least >= low && most <= high && least < low + 2.0 && most > high - 2.0, "{least} to {most}");
    let mean = gaps.iter().sum::<f64>() / count;
    let error = (high - low) / (12.0 * count).sqrt();
    println!("{count} gaps, mean {mean:.2}, expected {}", f64::midpoint(low, high));
    assert!((mean - f64::midpoint(low, high)).abs() < 4.0 * error, "{mean}");
    for decile in 1..10 {
        let below = low + (high - low + 1.0) * f64::from(decile) / 10.0;
        let share = packets(gaps.iter().filter(|&&gap| gap < below).count() as u64) / count;
        assert!((share - f64::from(decile) / 10.0).abs() < 0.03, "{share} below {below}");
    }
}

/// Floyd and Jacobson, section 7: with `p_a` = `p_b` / (1 - count `p_b`) the gaps are uniform on 1 to 1 / `p_b`.
#[test]
fn gaps_without_wait_are_uniform_up_to_one_in_p() {
    assert_uniform(&gaps(false), 1.0, 100.0);
}

/// With `wait` they are uniform on 1 / p to 2 / p.
#[test]
fn gaps_with_wait_are_uniform_between_one_and_two_in_p() {
    assert_uniform(&gaps(true), 101.0, 200.0);
}

/// Raw probability at an average queue.
fn raw(parameters: &RedParameters, avg: f64) -> f64 {
    Red { avg, ..red(parameters, 1000.0) }.raw()
}

#[test]
fn probability_rises_with_the_average_queue() {
    let gentle = RedParameters::default();
    for (avg, expected) in
        [(5.0, 0.0), (10.0, 0.01), (14.999, 0.019_998), (15.0, 0.02), (22.5, 0.51), (30.0, 1.0)]
    {
        assert!((raw(&gentle, avg) - expected).abs() < 1e-12, "at {avg}: {}", raw(&gentle, avg));
    }
    let nonlinear = RedParameters { nonlinear: true, ..gentle };
    assert!((raw(&nonlinear, 10.0) - 0.02 * 1.5 * 0.25).abs() < 1e-15);
}

/// Section 4: an idle time is counted as m small packets that find an empty queue.
#[test]
fn the_average_decays_while_the_server_is_idle() {
    let mut red = red(&RedParameters { w_q: Some(0.002), ..RedParameters::default() }, 1000.0);
    red.avg = 12.0;
    red.average(0.0, Some(seconds(1.0)), seconds(1.0505));
    assert!((red.avg - 12.0 * 0.998f64.powi(51)).abs() < 1e-12, "{}", red.avg);
    red.average(4.0, None, seconds(1.1));
    assert!((red.avg - (12.0 * 0.998f64.powi(52) + 0.008)).abs() < 1e-12, "{}", red.avg);
}

/// Drops and marks of 300 packets that nobody serves.
fn burst(parameters: RedParameters, codepoint: Codepoint) -> (u64, u64) {
    let mut desk = Desk::with_rule(parameters.mechanics(&server(1000.0, 300)).rule);
    let mut waiting = 0;
    for _ in 0..300 {
        waiting += u64::from(desk.judge(codepoint, waiting).1 == Verdict::Pass);
    }
    (desk.counts.drops(), desk.counts.marks())
}

fn suite() -> RedParameters {
    RedParameters { min_th: Some(70.0), max_th: Some(150.0), w_q: Some(0.02), ..RedParameters::default() }
}

#[test]
fn drops_follow_the_parameters_as_in_ns3s_suite() {
    let drops = |parameters| burst(parameters, Codepoint::NotEct).0;
    let base = drops(suite());
    let more = [
        ("thresholds", RedParameters { min_th: Some(30.0), max_th: Some(60.0), ..suite() }),
        ("weight", RedParameters { w_q: Some(0.08), ..suite() }),
        ("max_p", RedParameters { max_p: 0.2, ..suite() }),
        ("gentle", RedParameters { gentle: false, ..suite() }),
        ("wait", RedParameters { wait: false, ..suite() }),
    ];
    for (name, parameters) in more {
        assert!(drops(parameters) > base, "{name}: {} against {base}", drops(parameters));
    }
    let eager = RedParameters { max_p: 0.2, wait: false, ..suite() };
    let fewer = [
        ("nonlinear", RedParameters { nonlinear: true, ..eager }),
        ("feng", RedParameters { feng: true, ..eager }),
    ];
    let auto = RedParameters { adaptive: true, ..RedParameters::default() };
    assert!(drops(auto) < drops(RedParameters::default()), "{}", drops(auto));
    for (name, parameters) in fewer {
        assert!(drops(parameters) < drops(eager), "{name}: {} against {}", drops(parameters), drops(eager));
    }
}

/// The suite's test of ECN: packets that are not ECN-capable are dropped, others marked; above the upper threshold all
/// are dropped (RFC 3168 section 7), unless `hard_drop` is off.
#[test]
fn ecn_capable_packets_are_marked_below_the_upper_threshold() {
    let ecn = RedParameters { ecn: true, max_p: 0.2, ..suite() };
    let (drops, marks) = burst(ecn, Codepoint::NotEct);
    assert!(drops > 0 && marks == 0);
    let (drops, marks) = burst(ecn, Codepoint::Ect0);
    assert!(drops == 0 && marks > 0, "{drops}, {marks}");
    let tight = RedParameters { max_th: Some(80.0), w_q: Some(0.5), ..ecn };
    let (drops, marks) = burst(tight, Codepoint::Ect1);
    assert!(drops > 0 && marks > 0, "{drops}, {marks}");
    let (drops, marks) = burst(RedParameters { hard_drop: false, ..tight }, Codepoint::Ect1);
    assert!(drops == 0 && marks > 0, "{drops}, {marks}");
}

/// Adaptive RED, section 5: `min_th` is half of the queue at the target delay, `max_th` three times that, and the average has a
/// time constant of a second.
#[test]
fn adaptive_parameters_follow_from_the_rate() {
    let fast = red(&RedParameters { adaptive: true, ..RedParameters::default() }, 1e5);
    assert!((fast.min_th - 250.0).abs() < 1e-3 && (fast.max_th - 750.0).abs() < 1e-2, "{fast:?}");
    assert!((fast.w_q - 1e-5).abs() < 1e-9, "{}", fast.w_q);
    let slow = red(&RedParameters { adaptive: true, ..RedParameters::default() }, 100.0);
    assert!((slow.min_th - 5.0).abs() + (slow.max_th - 15.0).abs() < 1e-12, "{slow:?}");
    let set = red(&RedParameters { adaptive: true, min_th: Some(20.0), ..RedParameters::default() }, 1e5);
    assert!((set.max_th - 60.0).abs() < 1e-12, "{}", set.max_th);
}

/// Adaptive RED, figure 1.
#[test]
fn max_p_rises_by_a_step_and_falls_by_a_factor() {
    let parameters = RedParameters { adaptive: true, w_q: Some(1.0), ..RedParameters::default() };
    let mut red = red(&parameters, 1000.0);
    let mut after = |queue, time| {
        red.average(queue, None, seconds(time));
        red.average(queue, None, seconds(time));
        red.max_p
    };
    // The average of the packet before counts: 12 is above 60 % of the way from 5 to 15, 8 is below 40 %.
    assert!((after(12.0, 0.1) - 0.02).abs() < 1e-15);
    assert!((after(12.0, 0.5) - 0.025).abs() < 1e-15, "a quarter of it");
    assert!((after(12.0, 1.2) - 0.031_25).abs() < 1e-15);
    assert!((after(8.0, 1.4) - 0.031_25).abs() < 1e-15);
    assert!((after(10.0, 1.5) - 0.028_125).abs() < 1e-15);
    assert!((after(10.0, 9.9) - 0.028_125).abs() < 1e-15, "within the band");
    assert!((after(100.0, 10.0) - 0.028_125).abs() < 1e-15);
    assert!((after(100.0, 100.0) - 0.5).abs() < 1e-15, "the top");
    assert!((after(0.0, 100.1) - 0.5).abs() < 1e-15);
    assert!((after(0.0, 1000.0) - 0.01).abs() < 1e-15, "the bottom");
}

/// An idle day at once and in steps gives the same average and the same `max_p`.
#[test]
fn idle_times_are_made_up_for_exactly() {
    let parameters = RedParameters { adaptive: true, max_p: 0.3, ..RedParameters::default() };
    let mut jumped = red(&parameters, 1000.0);
    jumped.avg = 14.0;
    let mut expected = (0.3, 14.0);
    let idle = seconds(0.7);
    for tick in 1..=172_800u32 {
        let at = 0.5 * f64::from(tick);
        let gone = libm::floor((at - 0.7).max(0.0) * 1000.0 + 1e-6);
        let avg = 14.0 * libm::pow(1.0 - jumped.w_q, gone);
        let before: f64 = expected.0;
        expected.0 = match avg {
            low if low < 9.0 => (before * 0.9).max(0.01),
            high if high > 11.0 => (before + 0.01).min(0.5),
            _ => before,
        };
        expected.1 = avg;
    }
    jumped.average(0.0, Some(idle), seconds(86_400.0));
    assert!((jumped.max_p - expected.0).abs() < 1e-12, "{} {}", jumped.max_p, expected.0);
    assert!(jumped.avg < 1e-12 && expected.1 < 1e-12);
    let mut next = jumped.adaptation;
    assert_eq!(next.due(seconds(86_401.0)), Some(seconds(86_400.5)));
}

/// Feng and others: `max_p` is divided by three below the band and doubled above it, once per crossing.
#[test]
fn max_p_of_feng_changes_once_per_crossing() {
    let mut red =
        red(&RedParameters { feng: true, w_q: Some(1.0), max_p: 0.1, ..RedParameters::default() }, 1000.0);
    let path = [
        (10.0, 0.1),
        (3.0, 0.1 / 3.0),
        (2.0, 0.1 / 3.0),
        (10.0, 0.1 / 3.0),
        (20.0, 0.2 / 3.0),
        (25.0, 0.2 / 3.0),
    ];
    for (queue, expected) in path {
        red.average(queue, None, seconds(1.0));
        assert!((red.max_p - expected).abs() < 1e-15, "at {queue}: {}", red.max_p);
    }
}

/// Byte mode: the queue counts in mean packets, and small packets are dropped less.
#[test]
fn byte_mode_counts_bytes() {
    let red = red(&RedParameters { byte_mode: true, wait: false, ..RedParameters::default() }, 1000.0);
    let backlog = Backlog { waiting: Waiting { packets: 30, bytes: 15_000 }, idle_since: None };
    assert!((red.queue(&backlog) - 10.0).abs() < 1e-12);
    assert!((red.spaced(0.01, 1500) - 0.01).abs() < 1e-15 && (red.spaced(0.01, 150) - 0.001).abs() < 1e-15);
}

#[test]
fn parameters_that_do_not_go_together_are_faults() {
    let message = |parameters: RedParameters| parameters.faults(Some(Buffer::Packets(100))).remove(0).message;
    assert!(RedParameters::default().faults(Some(Buffer::Packets(100))).is_empty());
    assert!(RedParameters { adaptive: true, ..RedParameters::default() }.faults(None).is_empty());
    let wrong = RedParameters { min_th: Some(20.0), max_th: Some(20.0), ..RedParameters::default() };
    assert_eq!(message(wrong), "expected more than min_th of 20 packets, got 20");
    let wrong = RedParameters { min_th: Some(100.0), ..RedParameters::default() };
    assert_eq!(message(wrong), "expected less than the buffer of 100 packets, got 100");
    let wrong = RedParameters { adaptive: true, max_th: Some(50.0), ..RedParameters::default() };
    assert_eq!(message(wrong), "expected min_th beside it with adaptive = true");
    let wrong = RedParameters { adaptive: true, feng: true, ..RedParameters::default() };
    assert_eq!(message(wrong), "expected false with adaptive = true, got true");
    let wrong = RedParameters { adaptive: true, bottom: Some(0.6), ..RedParameters::default() };
    assert_eq!(message(wrong), "expected at most the top of 0.5, got 0.6");
    assert_eq!(RedParameters { max_p: 0.0, ..RedParameters::default() }.faults(None)[0].parameter, "max_p");
}
