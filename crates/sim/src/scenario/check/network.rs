//! Demands on stations, links and routes, and on the routers that flows need on their way.

use super::checker::Checker;
use crate::plugin::{Plugins, needs};
use crate::scenario::Problem;
use crate::scenario::layout;
use crate::spec::{Routes, Spec};

pub(super) fn check_network(spec: &Spec, c: &mut Checker) {
    check_links(spec, c);
    check_sites(spec, c);
    check_interfaces(spec, c);
    let shape = spec.next_link.len() == spec.stations.len()
        && spec.next_link.iter().all(|row| row.len() == spec.sites.len());
    c.require(
        shape,
        "next_link",
        "shape",
        format!("expected {} rows of {} sites", spec.stations.len(), spec.sites.len()),
    );
    if !c.0.is_empty() {
        return; // Routes cannot be walked over broken indices.
    }
    check_ways_out(spec, c);
    check_hops(spec, c);
    if c.0.is_empty() {
        check_routes(spec, c);
    }
}

fn check_links(spec: &Spec, c: &mut Checker) {
    let stations = spec.stations.len();
    for (at, link) in spec.links.iter().enumerate() {
        let loc = format!("links[{at}]");
        c.delay(link.delay, format!("{loc}.delay"));
        let ends = c.index(link.from, stations, format!("{loc}.from"), "stations")
            & c.index(link.to, stations, format!("{loc}.to"), "stations");
        if ends {
            let crosses = spec.stations[link.from as usize].region != spec.stations[link.to as usize].region;
            c.require(
                !crosses || link.delay > 0.0,
                format!("{loc}.delay"),
                "lookahead",
                "expected more than 0 s between two regions, got 0",
            );
        }
    }
}

/// Delay lines out of a region have numbers of 16 bits.
fn check_ways_out(spec: &Spec, c: &mut Checker) {
    let mut leaving = vec![0_usize; spec.regions as usize];
    for link in spec.links.iter().filter(|link| link.delay > 0.0) {
        let region = spec.stations[link.from as usize].region as usize;
        if let Some(count) = leaving.get_mut(region) {
            *count += 1;
        }
    }
    for (region, &count) in leaving.iter().enumerate() {
        c.require(
            u16::try_from(count).is_ok(),
            "links",
            "range",
            format!("expected at most 65535 links with a delay from region {region}, got {count}"),
        );
    }
}

fn check_sites(spec: &Spec, c: &mut Checker) {
    c.require(
        spec.sites.len() < usize::from(u16::MAX),
        "sites",
        "range",
        format!("expected fewer than 65535, got {}", spec.sites.len()),
    );
    for (at, site) in spec.sites.iter().enumerate() {
        c.index(site.station, spec.stations.len(), format!("sites[{at}].station"), "stations");
        c.index(u32::from(site.class), 3, format!("sites[{at}].class"), "classes");
    }
    let hosts: u64 = spec.sites.iter().map(|site| u64::from(site.sources) + u64::from(site.receivers)).sum();
    c.require(hosts <= 1 << 31, "sites", "range", format!("expected at most 2^31 hosts, got {hosts}"));
}

fn check_interfaces(spec: &Spec, c: &mut Checker) {
    c.require(
        spec.interfaces.len() <= 256 && !spec.interfaces.is_empty(),
        "interfaces",
        "range",
        format!("expected 1 to 256, got {}", spec.interfaces.len()),
    );
    for (at, interface) in spec.interfaces.iter().enumerate() {
        c.delay(interface.delay, format!("interfaces[{at}].delay"));
        if let Some(rate) = interface.rate {
            c.rate(rate, format!("interfaces[{at}].rate"));
        }
    }
}

/// Entries of the routing table, by themselves.
fn check_hops(spec: &Spec, c: &mut Checker) {
    for (at, row) in spec.next_link.iter().enumerate() {
        check_row(spec, at, row, &format!("next_link[{at}]"), c);
        let changes = &spec.stations[at].routes;
        let in_order = changes.first().is_none_or(|first| first.at >= 0.0 && first.at < 1e9)
            && changes.is_sorted_by(|change, next| change.at < next.at && next.at < 1e9);
        let loc = format!("stations[{at}].routes");
        c.require(in_order, &loc, "range", "expected increasing times from 0 s");
        for (change, Routes { next_link, .. }) in changes.iter().enumerate() {
            let loc = format!("{loc}[{change}].next_link");
            c.require(next_link.len() == row.len(), &loc, "shape", format!("expected {} sites", row.len()));
            check_row(spec, at, next_link, &loc, c);
            // Only who delivers from the beginning on has channels to hosts.
            let moves = next_link.iter().zip(row).any(|(&then, &first)| then == -1 && first != -1);
            c.require(!moves, loc, "route", "expected -1 only where it is from the beginning on");
        }
    }
}

fn check_row(spec: &Spec, at: usize, row: &[i32], loc: &str, c: &mut Checker) {
    for (site, &link) in row.iter().enumerate() {
        let holds = match usize::try_from(link) {
            Ok(link) => spec.links.get(link).is_some_and(|l| l.from as usize == at),
            Err(_) if link == -1 => {
                let there = spec.sites.get(site).map(|site| spec.stations[site.station as usize].region);
                there == Some(spec.stations[at].region)
            }
            Err(_) => link == -2,
        };
        // There are tens of thousands of these: words only for those that are wrong.
        if !holds {
            let message = format!("expected a link that leaves station {at}, -1 or -2, got {link}");
            c.0.push(Problem { loc: format!("{loc}[{site}]"), kind: "route", message });
        }
    }
}

/// Senders that follow what routers write into headers need a router that does, on every way they take.
pub(super) fn check_protocols(spec: &Spec, plugins: &Plugins, c: &mut Checker) {
    let paths = layout::paths(spec);
    for (at, algorithm) in spec.algorithms.iter().enumerate() {
        let Some(protocol) = needs(algorithm, plugins).and_then(|needs| needs.feedback) else { continue };
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for flow in spec.flows.iter().filter(|flow| flow.algorithm as usize == at) {
            pairs.push((flow.source as usize, flow.receiver as usize));
        }
        if let Some(population) = &spec.population
            && population.algorithm_shares.get(at).is_some_and(|&share| share > 0.0)
        {
            let (sites, region) = (&spec.sites, |site: u32| spec.stations[site as usize].region);
            for (from, source) in sites.iter().enumerate().filter(|(_, site)| site.sources > 0) {
                for (to, receiver) in sites.iter().enumerate().filter(|(_, site)| site.receivers > 0) {
                    let apart = region(source.station) != region(receiver.station);
                    if apart || !population.receivers_in_other_regions {
                        pairs.push((from, to));
                    }
                }
            }
        }
        let helps = |station: u32| spec.stations[station as usize].discipline.protocol() == Some(protocol);
        let mut served = vec![None; spec.sites.len()];
        let missed = pairs.into_iter().find(|&(from, to)| {
            let ways: &Vec<_> = served[to].get_or_insert_with(|| {
                paths.from_all(to, |here, rest| helps(here) || rest.is_some_and(|(_, further)| further))
            });
            ways[spec.sites[from].station as usize] != Some(true)
        });
        if let Some((from, to)) = missed {
            let name = |site: usize| &spec.stations[spec.sites[site].station as usize].name;
            let (discipline, algorithm) = (protocol.discipline(), &algorithm.name);
            let message = format!(
                "algorithm \"{algorithm}\" needs routers with queue = \"{discipline}\"; \
                 from {} to {} there is none",
                name(from),
                name(to)
            );
            c.0.push(Problem { loc: format!("algorithms[{at}]"), kind: "discipline", message });
        }
    }
}

/// Every site that sends must reach every site that receives, and the ACKs must come back.
fn check_routes(spec: &Spec, c: &mut Checker) {
    let paths = layout::paths(spec);
    // Of every site that is asked for: the stations that reach it.
    let mut reaching = vec![None; spec.sites.len()];
    let mut walk = |from: usize, to: usize| {
        let station = spec.sites[from].station;
        let ways: &Vec<_> = reaching[to].get_or_insert_with(|| paths.from_all(to, |_, _| ()));
        if ways[station as usize].is_none() {
            let name = |site: usize| &spec.stations[spec.sites[site].station as usize].name;
            let message = format!("expected a route from {} to {}, got none", name(from), name(to));
            c.0.push(Problem { loc: format!("next_link[{station}][{to}]"), kind: "route", message });
        }
    };
    if let Some(population) = &spec.population {
        for (from, sender) in spec.sites.iter().enumerate().filter(|(_, site)| site.sources > 0) {
            for (to, receiver) in spec.sites.iter().enumerate().filter(|(_, site)| site.receivers > 0) {
                let region = |site: u32| spec.stations[site as usize].region;
                if !(population.receivers_in_other_regions
                    && region(sender.station) == region(receiver.station))
                {
                    walk(from, to);
                    walk(to, from);
                }
            }
        }
    }
    for flow in &spec.flows {
        if (flow.source as usize) < spec.sites.len() && (flow.receiver as usize) < spec.sites.len() {
            walk(flow.source as usize, flow.receiver as usize);
            walk(flow.receiver as usize, flow.source as usize);
        }
    }
}
