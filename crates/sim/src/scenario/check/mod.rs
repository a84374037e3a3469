//! Everything that can be wrong with a scenario, found in one pass and named with its place.

mod applications;
mod changes;
mod checker;
mod network;
mod traffic;
mod transport;

use congestion::{Duration, Time};

use super::factories::factories;
use super::problem::Problem;
use super::tables::Tables;
use crate::kernel::tree::WinnerTree;
use crate::plugin::Plugins;
use crate::spec::{Buffer, RateChanges, ServiceRate, Spec, Station};
use applications::check_applications;
use changes::{check_outage, check_path, check_protocol, check_times};
use checker::Checker;
use network::{check_network, check_protocols};
use traffic::{check_flow, check_population};
use transport::{check_needs, check_transport};

/// Most regions. Each has a table of ways to all others, which takes memory in the square of their number.
const MAX_REGIONS: u32 = 4096;
/// Largest part of a packet [bytes].
const MAX_BYTES: u32 = 1_000_000;

/// Tables of a scenario, or everything that is wrong with it.
pub(super) fn check(spec: &Spec, plugins: &Plugins) -> Result<Tables, Vec<Problem>> {
    let mut checker = Checker(Vec::new());
    let c = &mut checker;
    check_whole(spec, c);
    check_packet(spec, c);
    check_stations(spec, c);
    check_network(spec, c);
    check_transport(spec, c);
    c.require(
        u16::try_from(spec.algorithms.len()).is_ok(),
        "algorithms",
        "range",
        format!("expected at most 65535, got {}", spec.algorithms.len()),
    );
    if let Err(problems) = factories(spec, plugins) {
        c.0.extend(problems);
    }
    if let Some(population) = &spec.population {
        check_population(spec, population, c);
    }
    for (at, flow) in spec.flows.iter().enumerate() {
        check_flow(spec, flow, &format!("flows[{at}]"), c);
    }
    check_applications(spec, c);
    if c.0.is_empty() {
        check_protocols(spec, plugins, c);
    }
    check_needs(spec, plugins, c);
    check_measure(spec, c);
    if c.0.is_empty() {
        match Tables::new(spec) {
            Ok(tables) => match horizon_problem(spec, tables.layout.most_channels()) {
                None => return Ok(tables),
                Some(problem) => c.0.push(problem),
            },
            Err(_) => c.0.push(Problem {
                loc: "stations".into(),
                kind: "range",
                message:
                    "expected fewer than 65535 stations, interfaces, and delays of links and ACKs in a region"
                        .into(),
            }),
        }
    }
    let mut problems = checker.0;
    // One route may be missed by the population and by a named flow.
    let mut seen = std::collections::BTreeSet::new();
    problems.retain(|problem| seen.insert((problem.loc.clone(), problem.message.clone())));
    Err(problems)
}

/// A run must not be too long for the channels of its regions, whose numbers share a word with times: 80 h with up to 64 of
/// them, half of that with twice as many.
fn horizon_problem(spec: &Spec, channels: usize) -> Option<Problem> {
    let horizon = WinnerTree::horizon(channels);
    let beyond = horizon.since(Time::ZERO) <= Duration::from_seconds(spec.duration);
    (beyond || channels >= usize::from(u16::MAX)).then(|| Problem {
        loc: "duration".into(),
        kind: "horizon",
        message: format!(
            "expected less than {:.1} h, which the clock of a network of this size holds, got {} s",
            horizon.seconds() / 3600.0,
            spec.duration
        ),
    })
}

/// Version, length of the run and number of regions.
fn check_whole(spec: &Spec, c: &mut Checker) {
    c.require(spec.version == 1, "version", "version", format!("expected 1, got {}", spec.version));
    c.positive(spec.duration, "duration", "s");
    c.require(
        spec.duration <= 1e6,
        "duration",
        "range",
        format!("expected at most 1000000 s, got {}", spec.duration),
    );
    c.require(
        (1..=MAX_REGIONS).contains(&spec.regions),
        "regions",
        "range",
        format!("expected 1 to {MAX_REGIONS}, got {}", spec.regions),
    );
    c.require(!spec.stations.is_empty(), "stations", "empty", "expected at least one station, got none");
}

fn check_packet(spec: &Spec, c: &mut Checker) {
    let packet = &spec.packet;
    for (name, value, least) in
        [("smss", packet.smss, 1), ("header", packet.header, 0), ("control", packet.control, 1)]
    {
        c.require(
            (least..=MAX_BYTES).contains(&value),
            format!("packet.{name}"),
            "range",
            format!("expected {least} to {MAX_BYTES} bytes, got {value}"),
        );
    }
}

fn check_stations(spec: &Spec, c: &mut Checker) {
    for (at, station) in spec.stations.iter().enumerate() {
        let loc = format!("stations[{at}]");
        c.index(station.region, spec.regions as usize, format!("{loc}.region"), "regions");
        c.rate(station.rate, format!("{loc}.rate"));
        check_rate_changes(station, &loc, c);
        check_path(spec, at, c);
        c.probability(station.loss, format!("{loc}.loss"));
        let empty = matches!(station.buffer, Some(Buffer::Packets(0) | Buffer::Bytes(0)));
        c.require(!empty, format!("{loc}.buffer"), "range", "expected room for at least one packet, got 0");
        let largest = spec.packet.largest();
        // Thresholds count packets, so the room does, too.
        let room = station.buffer.map(|buffer| Buffer::Packets(buffer.in_packets(largest)));
        let packet_faults = station.discipline.packet_faults(largest);
        for fault in station.discipline.faults(room).into_iter().chain(packet_faults) {
            let loc = format!("{loc}.discipline.{}", fault.parameter);
            c.0.push(Problem { loc, kind: "parameter", message: fault.message });
        }
    }
}

/// Changes of a rate: in order, at rates that sums of service times can bear, and no outage without an end.
fn check_rate_changes(station: &Station, loc: &str, c: &mut Checker) {
    let Some(RateChanges { times, rates, period }) = &station.rate_changes else { return };
    let loc = format!("{loc}.rate_changes");
    check_times(times, ("rates", rates.len()), *period, &loc, c);
    for (at, &rate) in rates.iter().enumerate().filter(|(_, rate)| **rate != 0.0) {
        let rate = match station.rate {
            ServiceRate::PacketsPerSecond(_) => ServiceRate::PacketsPerSecond(rate),
            ServiceRate::BitsPerSecond(_) => ServiceRate::BitsPerSecond(rate),
        };
        c.rate(rate, format!("{loc}.rates[{at}]"));
    }
    check_outage(times, rates, *period, format!("{loc}.rates"), c);
    check_protocol(station, loc, c);
}

fn check_measure(spec: &Spec, c: &mut Checker) {
    c.positive(spec.measure.interval, "measure.interval", "s");
    c.require(
        spec.measure.interval <= 0.0 || spec.duration / spec.measure.interval <= 1e7,
        "measure.interval",
        "range",
        "expected at most 10 million intervals in a run",
    );
    c.require(
        !spec.measure.segments || spec.regions == 1,
        "measure.segments",
        "range",
        "segments are recorded in networks of one region only",
    );
    for (at, &station) in spec.measure.stations.iter().enumerate() {
        c.index(station, spec.stations.len(), format!("measure.stations[{at}]"), "stations");
    }
}
