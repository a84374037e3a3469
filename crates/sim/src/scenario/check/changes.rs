//! Values that change at known times, and the paths that they make.

use super::super::problem::Problem;
use super::checker::Checker;
use crate::net::paths::Concern;
use crate::spec::{By, Changes, Link, Model, ReorderingParameters, Spec, Station, WhileOff};

/// Shortest time at one value [s], in which something is sent at the slowest rate: the account of a packet in service has parts
/// of 2^-32 byte or packet.
const SHORTEST_STRETCH: f64 = 1e-6;
/// Longest delay, and longest mean of a jitter [s].
const LONGEST: f64 = 1000.0;

/// Times of changes: in order, within the period, and not too close. `values` has the name of the values and their number.
pub(super) fn check_times(
    times: &[f64],
    values: (&str, usize),
    period: Option<f64>,
    loc: &str,
    c: &mut Checker,
) {
    let (name, count) = values;
    let fits = times.len() == count && !times.is_empty();
    let message = format!("expected as many times as {name}, one at least, got {} and {count}", times.len());
    c.require(fits, loc, "shape", message);
    let in_order =
        times.first().is_none_or(|&first| first >= 0.0) && times.is_sorted_by(|time, next| time < next);
    let end = period.unwrap_or(1e6);
    c.positive(end, format!("{loc}.period"), "s");
    let within = times.iter().all(|&time| time < end);
    let message = format!("expected increasing times from 0 to less than {end} s");
    c.require(in_order && within, format!("{loc}.times"), "range", message);
    let apart = |from: f64, to: f64| to - from >= SHORTEST_STRETCH * (1.0 - 1e-6);
    let own = times.first().is_some_and(|&first| first > 0.0).then_some(&0.0);
    let begins: Vec<f64> = own.into_iter().chain(times).copied().collect();
    let close = begins.windows(2).position(|pair| !apart(pair[0], pair[1])).filter(|_| in_order);
    if let Some(at) = close {
        let (number, time) = (at + 1 + times.len() - begins.len(), begins[at + 1] - begins[at]);
        let message =
            format!("expected at least {SHORTEST_STRETCH} s from one change to the next, got {time}");
        c.0.push(Problem { loc: format!("{loc}.times[{number}]"), kind: "range", message });
    }
    let last = begins.last().copied().unwrap_or(0.0);
    let message =
        format!("expected at least {SHORTEST_STRETCH} s after the last change, at {last} s, got {end}");
    c.require(!within || apart(last, end), format!("{loc}.period"), "range", message);
}

/// No outage, a value of zero, is without an end.
pub(super) fn check_outage(times: &[f64], values: &[f64], period: Option<f64>, loc: String, c: &mut Checker) {
    let starts_later = period.is_some() && times.first().is_some_and(|&first| first > 0.0);
    let last =
        if period.is_none() { values.last().copied() } else { values.iter().copied().reduce(f64::max) };
    let message = "expected a value above 0 after an outage, or a period in which there is one";
    c.require(starts_later || last.is_none_or(|value| value > 0.0), loc, "range", message);
}

/// A router that reckons with its rate has one that does not change.
pub(super) fn check_protocol(station: &Station, loc: String, c: &mut Checker) {
    if let Some(protocol) = station.discipline.protocol() {
        let message = format!("routers of {} know one rate, so it cannot change", protocol.discipline());
        c.0.push(Problem { loc, kind: "conflict", message });
    }
}

/// Conditions of a path: values in their ranges, and no end of sending.
pub(super) fn check_path(spec: &Spec, at: usize, c: &mut Checker) {
    let station = &spec.stations[at];
    let Some(path) = &station.path else { return };
    let loc = format!("stations[{at}].path");
    let quantities = [
        ("delay", &path.delay, LONGEST),
        ("jitter", &path.jitter, LONGEST),
        ("loss", &path.loss, 1.0),
        ("on", &path.on, 1.0),
    ];
    for (name, changes, most) in quantities {
        let Some(Changes { times, values, period }) = changes else { continue };
        let loc = format!("{loc}.{name}");
        check_times(times, ("values", values.len()), *period, &loc, c);
        for (at, value) in values.iter().enumerate() {
            let message = format!("expected 0 to {most}, got {value}");
            c.require((0.0..=most).contains(value), format!("{loc}.values[{at}]"), "range", message);
        }
    }
    if path.while_off == WhileOff::Wait
        && let Some(Changes { times, values, period }) = &path.on
    {
        check_outage(times, values, *period, format!("{loc}.on"), c);
        check_protocol(station, format!("{loc}.on"), c);
    }
    check_reordering(spec, at, &loc, c);
    if path.model.as_ref().is_some_and(|model| model.concerns(Concern::Service)) {
        check_protocol(station, format!("{loc}.model"), c);
    }
    for (name, message) in path.model.iter().flat_map(Model::faults) {
        c.0.push(Problem { loc: format!("{loc}.model.{name}"), kind: "range", message });
    }
}

/// Reordering in its range, where no packet leaves the region: other regions take packets in order.
fn check_reordering(spec: &Spec, at: usize, loc: &str, c: &mut Checker) {
    let station = &spec.stations[at];
    let Some(reordering) = station.path.as_ref().and_then(|path| path.reordering) else { return };
    let ReorderingParameters { probability, by } = reordering;
    let loc = format!("{loc}.reordering");
    c.probability(probability, format!("{loc}.probability"));
    let (name, fits) = match by {
        By::Delay(longest) => ("delay", longest > 0.0 && longest <= LONGEST),
        By::Depth(packets) => ("depth", packets > 0),
    };
    let message = format!("expected a delay above zero of at most {LONGEST} s, or a packet at least");
    c.require(fits, format!("{loc}.by.{name}"), "range", message);
    let region = |station: u32| spec.stations.get(station as usize).map(|station| station.region);
    let leaves = |link: &Link| link.from as usize == at && region(link.to) != Some(station.region);
    let message = "packets that go on to another region keep their order";
    c.require(!spec.links.iter().any(leaves), loc, "conflict", message);
}
