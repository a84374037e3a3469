//! Demands on the population of sources and on flows given one by one.

use super::checker::{Checker, MAX_DELAY};
use crate::spec::{Files, FlowSpec, NextBurst, Population, Spec};

/// Shortest time from one burst to the next where none waits for ACKs [s].
const SHORTEST_GAP: f64 = 1e-6;

pub(super) fn check_population(spec: &Spec, population: &Population, c: &mut Checker) {
    c.positive(population.think_mean, "population.think_mean", "s");
    check_files(&population.files, c);
    check_shares(spec, population, c);
    c.probability(population.fast_probability, "population.fast_probability");
    c.require(spec.interfaces.len() >= 2, "interfaces", "range", "expected a normal and a fast interface");
    if let Some(jumbo) = population.jumbo {
        c.require(jumbo.start <= jumbo.end, "population.jumbo", "range", "expected start before end");
        c.positive(jumbo.factor, "population.jumbo.factor", "");
    }
    if let Some(patience) = population.patience {
        c.probability(patience.probability, "population.patience.probability");
        c.at_least_zero(patience.min_time, "population.patience.min_time", "s");
        c.positive(patience.factor, "population.patience.factor", "");
    }
    c.probability(population.startup.connecting, "population.startup.connecting");
    let early: f64 = population.startup.early.iter().map(|pair| pair[0]).sum();
    c.require(
        population.startup.connecting + early <= 1.0 + 1e-9
            && population.startup.early.iter().all(|pair| pair[0] >= 0.0 && pair[1] >= 0.0),
        "population.startup",
        "probability",
        "expected shares and factors of 0 or more, shares summing to at most 1",
    );
    check_receivers(spec, population, c);
}

fn check_files(files: &Files, c: &mut Checker) {
    c.positive(files.mean, "population.files.mean", "segments");
    let shape = files.shape;
    c.require(shape > 1.0, "population.files.shape", "range", format!("expected more than 1, got {shape}"));
    for (at, (&p, &factor)) in files.probability.iter().zip(&files.factor).enumerate() {
        c.probability(p, format!("population.files.probability[{at}]"));
        c.positive(factor, format!("population.files.factor[{at}]"), "");
    }
    let sum: f64 = files.probability.iter().sum();
    c.require(
        sum <= 1.0 + 1e-9,
        "population.files.probability",
        "probability",
        format!("expected a sum of at most 1, got {sum}"),
    );
}

fn check_shares(spec: &Spec, population: &Population, c: &mut Checker) {
    let shares = &population.algorithm_shares;
    c.require(
        shares.len() == spec.algorithms.len(),
        "population.algorithm_shares",
        "shape",
        format!("expected one share for each of {} algorithms, got {}", spec.algorithms.len(), shares.len()),
    );
    let sum: f64 = shares.iter().sum();
    c.require(
        (sum - 1.0).abs() < 1e-9 && shares.iter().all(|&share| share >= 0.0),
        "population.algorithm_shares",
        "probability",
        format!("expected shares of 0 or more that sum to 1, got {shares:?}"),
    );
}

/// Sources need receivers that they may send to.
fn check_receivers(spec: &Spec, population: &Population, c: &mut Checker) {
    let sources: u64 = spec.sites.iter().map(|site| u64::from(site.sources)).sum();
    if sources > 0 {
        let Some(regions) = spec.stations.iter().map(|station| station.region).max() else { return };
        if regions >= spec.regions {
            return; // Reported already, and perhaps too many to count.
        }
        let mut receivers = vec![0u64; regions as usize + 1];
        let mut senders = receivers.clone();
        for site in &spec.sites {
            let Some(station) = spec.stations.get(site.station as usize) else { return };
            let Some(place) = receivers.get_mut(station.region as usize) else { return };
            *place += u64::from(site.receivers);
            senders[station.region as usize] += u64::from(site.sources);
        }
        let all: u64 = receivers.iter().sum();
        let served = senders.iter().zip(&receivers).all(|(&senders, &here)| {
            senders == 0 || all > if population.receivers_in_other_regions { here } else { 0 }
        });
        c.require(
            served,
            "sites",
            "receivers",
            "expected a receiver that every source may send to, got none",
        );
    }
}

pub(super) fn check_flow(spec: &Spec, flow: &FlowSpec, loc: &str, c: &mut Checker) {
    c.index(flow.source, spec.sites.len(), format!("{loc}.source"), "sites");
    c.index(flow.receiver, spec.sites.len(), format!("{loc}.receiver"), "sites");
    c.index(flow.algorithm, spec.algorithms.len(), format!("{loc}.algorithm"), "algorithms");
    c.index(flow.interface, spec.interfaces.len(), format!("{loc}.interface"), "interfaces");
    c.at_least_zero(flow.start, format!("{loc}.start"), "s");
    c.require(flow.size != Some(0), format!("{loc}.size"), "range", "expected 1 segment or more, got 0");
    if let Some(bursts) = &flow.bursts {
        let loc = format!("{loc}.bursts");
        c.require(bursts.size > 0, format!("{loc}.size"), "range", "expected 1 segment or more, got 0");
        let (gap, least) = match bursts.next {
            NextBurst::After(gap) => (gap, 0.0),
            NextBurst::Every(gap) => (gap, SHORTEST_GAP),
        };
        let message = format!("expected {least} to {MAX_DELAY} s, got {gap}");
        c.require((least..=MAX_DELAY).contains(&gap), format!("{loc}.next"), "range", message);
    }
    if let Some(stop) = flow.stop {
        c.require(
            stop > flow.start,
            format!("{loc}.stop"),
            "range",
            format!("expected later than the start, got {stop} s"),
        );
    }
}
