//! Models against their definitions, over long runs.

#![expect(
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "counts are small, and losses are those of the parameters"
)]

use congestion::{Duration, Time};

use super::*;
use crate::kernel::rng::Streams;
use crate::net::packet::Packet;

/// Stretches of a model until a time [s]: length [s] and conditions.
fn stretches(model: Model, until: f64) -> Vec<(f64, Conditions)> {
    let path = PathSpec { model: Some(model), ..PathSpec::default() };
    let concerns = [Concern::Entrance, Concern::Service, Concern::Travel];
    let concern =
        concerns.into_iter().find(|concern| path.model.as_ref().is_some_and(|it| it.concerns(*concern)));
    let streams = Streams::new(11);
    let course = Course::new(&path, 0.0, concern.expect("it makes something"), &streams, 4);
    let mut course = course.expect("it changes");
    let (mut list, mut now) = (Vec::new(), Time::ZERO);
    while now.seconds() < until {
        let conditions = *course.at(now);
        list.push((course.until.since(now).seconds(), conditions));
        now = course.until;
    }
    list
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Coefficient of variation.
fn variation(values: &[f64]) -> f64 {
    let mean = mean(values);
    libm::sqrt(values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64)
        / mean
}

fn autocorrelation(values: &[f64], lag: usize) -> f64 {
    let mean = mean(values);
    let pairs = values.iter().zip(&values[lag..]);
    let covariance = pairs.map(|(value, other)| (value - mean) * (other - mean)).sum::<f64>()
        / (values.len() - lag) as f64;
    covariance / (variation(values) * mean) / (variation(values) * mean)
}

#[track_caller]
fn close(what: &str, value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 0.02, "{what}: {value}, expected {expected}");
}

/// The case of a satellite in picoquic #1221: bad 2.56 % of the time, for 16.7 ms in the mean.
#[test]
fn gilbert_elliott_has_the_share_of_time_and_the_mean_bursts() {
    let parameters = GilbertElliottParameters { burst: 0.0167, gap: 0.6357, loss: 0.7 };
    let list = stretches(Model::GilbertElliott(parameters), 30_000.0);
    assert!(list.windows(2).all(|pair| (pair[0].1.loss > 0.0) != (pair[1].1.loss > 0.0)), "states alternate");
    let lengths = |bad: bool| -> Vec<f64> {
        list.iter().filter(|(_, now)| (now.loss > 0.0) == bad).map(|(length, _)| *length).collect()
    };
    let (bad, good) = (lengths(true), lengths(false));
    close("burst", mean(&bad), 0.0167);
    close("gap", mean(&good), 0.6357);
    // Exponential times vary as much as they last.
    close("variation of bursts", variation(&bad), 1.0);
    close("share of time", bad.iter().sum::<f64>() / 30_000.0, 0.0256);
    assert!(list.iter().all(|(_, now)| now.loss == 0.0 || now.loss == 0.7));
}

/// Rates between outages are log-normal with the autocorrelation of an Ornstein-Uhlenbeck process in the logarithm.
#[test]
fn cellular_has_the_rates_and_outages_of_its_parameters() {
    let parameters = CellularParameters { variation: 0.65, memory: 0.6, outage: 0.133, gap: 3.0 };
    let list = stretches(Model::Cellular(parameters), 40_000.0);
    let (mut paces, mut outages, mut gaps) = (Vec::new(), vec![0.0], vec![0.0]);
    let (mut carried, mut clock) = (0.0, 0.0);
    for (length, now) in &list {
        carried += if now.is_on { length * now.pace } else { 0.0 };
        let runs = if now.is_on { &mut gaps } else { &mut outages };
        if let Some(last) = runs.last_mut() {
            *last += length;
        }
        let other = if now.is_on { &mut outages } else { &mut gaps };
        if other.last().is_some_and(|last| *last > 0.0) {
            other.push(0.0);
        }
        clock += length;
        // Rates have a step of 20 ms.
        while (paces.len() as f64) * 0.02 + 0.01 < clock {
            paces.push(now.pace);
        }
    }
    close("mean rate", carried / clock, 1.0);
    close("variation", variation(&paces), 0.65);
    let variance = libm::log1p(0.65 * 0.65);
    for lag in [10usize, 30, 60] {
        let of_logarithm = libm::exp(-0.02 * lag as f64 / 0.6);
        let expected = libm::expm1(variance * of_logarithm) / libm::expm1(variance);
        let actual = autocorrelation(&paces, lag);
        assert!((actual - expected).abs() < 0.01, "autocorrelation {actual}, expected {expected}");
    }
    outages.retain(|length| *length > 0.0);
    gaps.retain(|length| *length > 0.0);
    close("outage", mean(&outages), 0.133);
    close("gap", mean(&gaps), 3.0);
}

/// Mahimahi's recording Verizon-LTE-short.down: in bins of 1 s a coefficient of variation of 0.64, and 9 gaps of more than
/// 100 ms in a minute.
#[test]
fn the_defaults_of_cellular_are_like_a_recorded_link() {
    let parameters = CellularParameters { variation: 0.65, memory: 2.6, outage: 0.133, gap: 3.0 };
    let (mut carried, mut left, mut sum, mut gaps, mut out) = (Vec::new(), 1.0, 0.0, 0.0, 0.0);
    for (mut length, now) in stretches(Model::Cellular(parameters), 60_000.0) {
        let pace = if now.is_on { now.pace } else { 0.0 };
        gaps += f64::from(u8::from(now.is_on && out > 0.1));
        out = if now.is_on { 0.0 } else { out + length };
        while length >= left {
            carried.push(sum + pace * left);
            length -= left;
            (left, sum) = (1.0, 0.0);
        }
        (left, sum) = (left - length, sum + pace * length);
    }
    assert!((variation(&carried) / 0.64 - 1.0).abs() < 0.05, "{}", variation(&carried));
    assert!((gaps / 1000.0 / 9.0 - 1.0).abs() < 0.1, "{gaps} in 1000 minutes");
}

/// Delays and interruptions are uniform, rates log-normal, and all of them change every 15 s.
#[test]
fn leo_has_a_satellite_every_period() {
    let parameters = LeoParameters {
        period: 15.0,
        delay: [0.01, 0.04],
        interruption: [0.02, 0.1],
        variation: 0.3,
        loss: 0.01,
        handover_loss: 0.5,
        jitter: 0.02,
    };
    let list = stretches(Model::Leo(parameters), 15.0 * 20_000.0);
    let (off, on): (Vec<&(f64, Conditions)>, Vec<_>) = list.iter().skip(1).partition(|(_, now)| !now.is_on);
    assert!((list[0].0 - 15.0).abs() < 1e-9 && list[0].1.is_on && off.len().abs_diff(on.len()) <= 1);
    for (gone, stays) in off.iter().zip(&on) {
        assert!((gone.0 + stays.0 - 15.0).abs() < 1e-9 && gone.1.delay == stays.1.delay);
    }
    let lengths: Vec<f64> = off.iter().map(|(length, _)| *length).collect();
    close("interruption", mean(&lengths), 0.06);
    close("variation of interruptions", variation(&lengths), 0.08 / libm::sqrt(12.0) / 0.06);
    let delays: Vec<f64> = on.iter().map(|(_, now)| now.delay.seconds()).collect();
    close("delay", mean(&delays), 0.025);
    close("variation of delays", variation(&delays), 0.03 / libm::sqrt(12.0) / 0.025);
    let paces: Vec<f64> = on.iter().map(|(_, now)| now.pace).collect();
    close("rate", mean(&paces), 1.0);
    close("variation of rates", variation(&paces), 0.3);
}

/// In the long run all delays from zero to the bound are alike, and steps within are uniform.
#[test]
fn a_walk_is_everywhere_alike() {
    let parameters = DelayWalkParameters { every: 0.1, step: 0.004, most: 0.02 };
    let list = stretches(Model::DelayWalk(parameters), 100_000.0);
    let delays: Vec<f64> = list.iter().map(|(_, now)| now.delay.seconds()).collect();
    close("mean", mean(&delays), 0.01);
    close("variation", variation(&delays), 0.02 / libm::sqrt(12.0) / 0.01);
    let inside = delays.windows(2).filter(|pair| (0.004..0.016).contains(&pair[0]));
    let steps: Vec<f64> = inside.map(|pair| (pair[1] - pair[0]).abs()).collect();
    close("step", mean(&steps), 0.002);
    assert!(steps.iter().all(|step| *step <= 0.004 + 1e-12));
}

/// Whoever follows a model sees the same, at whatever times they look.
#[test]
fn two_that_follow_a_model_see_the_same() {
    let path = PathSpec {
        model: Some(Model::Cellular(CellularParameters {
            variation: 1.0,
            memory: 1.0,
            outage: 0.1,
            gap: 1.0,
        })),
        ..PathSpec::default()
    };
    let course = || Course::new(&path, 0.0, Concern::Service, &Streams::new(1), 0).expect("it changes");
    let (mut first, mut other) = (course(), course());
    for millis in 0..20_000 {
        let now = Time(millis * 1_000_000_000);
        let conditions = first.at(now);
        if millis % 777 == 0 {
            assert_eq!(other.at(now), conditions);
        }
    }
}

/// Turns of the air time and of two contenders, 4 ms + 2 x 0.275 ms in the mean; packets of 0.1 ms arrive in groups of all that
/// were sent since the turn before, however long the delay behind.
#[test]
fn aggregation_lets_packets_of_a_turn_arrive_together() {
    let parameters = AggregationParameters { airtime: 0.004, contenders: 2 };
    let model = Model::Aggregation(parameters);
    let turns: Vec<f64> = stretches(model.clone(), 100.0).into_iter().map(|(length, _)| length).collect();
    close("turn", mean(&turns), 0.004_55);
    // A uniform time of 0.1 to 1 ms.
    close("variation of turns", variation(&turns), 0.9e-3 / libm::sqrt(12.0) / 0.004_55);
    let delay = Changes { times: vec![0.0], values: vec![0.05], period: None };
    let path = PathSpec { model: Some(model), delay: Some(delay), ..PathSpec::default() };
    let place = Place { station: 0, channel: 0, ways: Ways::new(Vec::new(), []) };
    let mut travel = Travel::new(&path, &Streams::new(11), 4, place, Time::NEVER);
    let (mut arrivals, mut waits) = (Vec::new(), Vec::new());
    for packet in 1..400_000_u64 {
        let departs = Time(packet * 100_000_000);
        let Passage::InOrder(arrives) = travel.carry(&Packet::default(), departs, Duration::ZERO) else {
            panic!("it arrives in order");
        };
        waits.push(arrives.since(departs).seconds() - 0.05);
        if arrivals.last() != Some(&arrives) {
            arrivals.push(arrives);
        }
    }
    close("packets of a group", 400_000.0 / arrivals.len() as f64, 45.5);
    assert!(waits.iter().all(|&wait| wait <= 0.005_001), "a packet waits for a turn at most");
    // Half of a turn, and of long ones more: the mean of squares over twice the mean.
    let squares = turns.iter().map(|turn| turn * turn).sum::<f64>() / turns.len() as f64;
    close("wait", mean(&waits), squares / 2.0 / mean(&turns));
}
