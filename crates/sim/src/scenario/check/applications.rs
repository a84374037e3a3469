//! Demands on applications, and on the flows that they have.

use super::checker::Checker;
use crate::spec::{Adaptation, Application, Behaviour, Law, Spec};

/// Shortest mean time from one request to the next that does not wait for it [s].
const SHORTEST_GAP: f64 = 1e-6;

pub(super) fn check_applications(spec: &Spec, c: &mut Checker) {
    let region = |site: u32| {
        let station = spec.sites.get(site as usize).map(|site| site.station as usize)?;
        spec.stations.get(station).map(|station| station.region)
    };
    let mut last: Option<(u32, Option<u32>)> = None;
    for (at, flow) in spec.flows.iter().enumerate() {
        let Some(application) = flow.application else { continue };
        let loc = format!("flows[{at}].application");
        if !c.index(application, spec.applications.len(), loc.clone(), "applications") {
            continue;
        }
        let region = region(flow.source);
        let follows = last.map_or(application == 0, |(before, other)| {
            application == before + 1 || (application == before && region == other)
        });
        let message = "expected flows of one application side by side, in its order, from one region";
        c.require(follows, loc.clone(), "order", message);
        let alone = flow.size.is_none() && flow.bursts.is_none() && flow.stop.is_none();
        c.require(alone, loc, "conflict", "an application has no size, bursts or stop of the flow beside it");
        last = Some((application, region));
    }
    let flows = last.map_or(0, |(application, _)| application as usize + 1);
    c.require(flows == spec.applications.len(), "applications", "shape", "expected a flow for each");
    for (at, application) in spec.applications.iter().enumerate() {
        check(application, &format!("applications[{at}]"), c);
    }
}

fn check(application: &Application, loc: &str, c: &mut Checker) {
    c.at_least_zero(application.start, format!("{loc}.start"), "s");
    let waits = matches!(application.behaviour, Behaviour::Closed { .. } | Behaviour::Video(_));
    let adapts = matches!(application.behaviour, Behaviour::Call(_));
    let fits = if application.datagrams { !application.separate && !waits } else { !adapts };
    let message = "expected datagrams for a call that adapts, and otherwise only where no request waits or has a connection";
    c.require(fits, format!("{loc}.datagrams"), "conflict", message);
    let loc = format!("{loc}.behaviour");
    match &application.behaviour {
        Behaviour::Open { gap, size } => {
            check_law(gap, SHORTEST_GAP, format!("{loc}.gap"), c);
            check_law(size, 0.0, format!("{loc}.size"), c);
        }
        Behaviour::Closed { pause, requests, size } => {
            check_law(pause, 0.0, format!("{loc}.pause"), c);
            check_law(requests, 0.0, format!("{loc}.requests"), c);
            check_law(size, 0.0, format!("{loc}.size"), c);
        }
        Behaviour::Listed { times, sizes } => {
            let fits = !times.is_empty() && times.len() == sizes.len();
            c.require(fits, format!("{loc}.sizes"), "shape", "expected a size for each of one or more times");
            let in_order = times.iter().all(|time| *time >= 0.0) && times.is_sorted();
            c.require(in_order, format!("{loc}.times"), "order", "expected times of 0 or more in order");
            let positive = sizes.iter().all(|&size| size > 0);
            c.require(positive, format!("{loc}.sizes"), "range", "expected 1 segment or more");
        }
        Behaviour::Call(call) => {
            let fits = call.frame >= SHORTEST_GAP && call.frame <= f64::MAX;
            c.require(fits, format!("{loc}.frame"), "range", "expected a microsecond or more");
            c.positive(call.least, format!("{loc}.least"), "segments/s");
            let fits = call.least <= call.most && call.most <= f64::MAX;
            c.require(fits, format!("{loc}.most"), "range", "expected no less than the least rate");
        }
        Behaviour::Video(video) => {
            c.positive(video.segment, format!("{loc}.segment"), "s");
            let least = 2.0 * video.segment;
            let message = format!("expected room for two segments ({least} s), got {}", video.buffer);
            c.require(video.buffer >= least, format!("{loc}.buffer"), "range", message);
            let rising = video.sizes.iter().is_sorted_by(|a, b| a < b);
            let positive = video.sizes.first().is_some_and(|&size| size > 0);
            c.require(
                rising && positive,
                format!("{loc}.sizes"),
                "order",
                "expected sizes above 0 that rise",
            );
            match video.adaptation {
                Adaptation::Buffer { reservoir, cushion } => {
                    c.at_least_zero(reservoir, format!("{loc}.reservoir"), "s");
                    c.positive(cushion, format!("{loc}.cushion"), "s");
                }
                Adaptation::Throughput(part) => c.positive(part, format!("{loc}.throughput"), ""),
            }
        }
    }
}

fn check_law(law: &Law, least: f64, loc: String, c: &mut Checker) {
    let (mean, fits) = (law.mean(), law.mean() >= least && law.mean() <= f64::MAX);
    c.require(fits, loc.clone(), "range", format!("expected a mean of {least} or more, got {mean}"));
    if let Law::Pareto(_, shape) = law {
        c.require(*shape > 1.0, loc, "range", format!("expected a shape above 1, got {shape}"));
    } else if let Law::Lognormal(_, sigma) = law {
        c.at_least_zero(*sigma, loc, "");
    }
}
