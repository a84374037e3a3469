//! The tables that all regions share.

use congestion::{Duration, Halve, Initial, Time};

use crate::kernel::rng::Streams;
use crate::net::service::Service;
use crate::plugin::{self, Plugins};
use crate::scenario::Problem;
use crate::scenario::layout::{Layout, narrow};
use crate::scenario::mechanism::mechanism;
use crate::spec::{self, HalveSpec, Spec, Transport};
use crate::world::{
    Acks, Controllers, Files, Flow, Handshake, InterfaceInfo, Jumbo, Numbering, Paths, Patience, Population,
    Recording, SiteInfo, Traffic, World,
};

pub(super) fn world(
    spec: &Spec,
    seed: u64,
    plugins: &Plugins,
    paths: Paths,
    layout: &Layout,
) -> Result<World, Vec<Problem>> {
    let transport = &spec.transport;
    let sites = sites(spec, layout);
    let numbering = numbering(spec, &sites);
    let interface = |interface: &spec::Interface| InterfaceInfo {
        service: interface.rate.map(Service::new),
        delay: Duration::from_seconds(interface.delay) * 2,
    };
    Ok(World {
        end: instant(spec.duration),
        sizes: spec.packet,
        mechanism: mechanism(transport, spec.packet.smss),
        acks: Acks {
            every: transport.ack_every,
            delay: Duration::from_seconds(transport.ack_delay),
            through_stations: transport.ack_cost,
            loss: transport.ack_loss,
        },
        handshake: Handshake {
            timeout: Duration::from_seconds(transport.syn_timeout),
            tries: u8::try_from(transport.syn_tries).unwrap_or(u8::MAX),
            loss_window: transport.syn_loss_window,
        },
        controllers: Controllers {
            initial: initial(transport, spec.packet.smss),
            factories: factories(spec, plugins)?,
        },
        interfaces: spec.interfaces.iter().map(interface).collect(),
        exits: layout.exits.clone(),
        paths,
        traffic: Traffic {
            population: spec.population.as_ref().map(population),
            flows: flows(spec, &sites, &numbering),
        },
        sites,
        numbering,
        recording: Recording {
            interval: Duration::from_seconds(spec.measure.interval).max(Duration(1)),
            transfers: spec.measure.transfers,
            segments: spec.measure.segments,
            groups_from: instant(spec.measure.groups_from),
        },
        streams: Streams::new(seed),
    })
}

/// The instant `seconds` after the beginning of the run.
fn instant(seconds: f64) -> Time {
    Time::ZERO + Duration::from_seconds(seconds)
}

fn sites(spec: &Spec, layout: &Layout) -> Vec<SiteInfo> {
    let site = |site: &spec::Site| SiteInfo {
        region: narrow(spec.stations[site.station as usize].region as usize),
        station: layout.local[site.station as usize],
        global_station: site.station,
        class: site.class,
    };
    spec.sites.iter().map(site).collect()
}

fn numbering(spec: &Spec, sites: &[SiteInfo]) -> Numbering {
    let mut numbering =
        Numbering { sources_before: vec![0], receivers_before: vec![0], ..Numbering::default() };
    let (mut sources, mut receivers) = (0, 0);
    for region in 0..spec.regions as usize {
        for (at, _) in sites.iter().enumerate().filter(|(_, site)| usize::from(site.region) == region) {
            let site = &spec.sites[at];
            if site.sources > 0 {
                numbering.source_starts.push((sources, narrow(at)));
            }
            if site.receivers > 0 {
                numbering.receiver_starts.push((receivers, narrow(at)));
            }
            sources += site.sources;
            receivers += site.receivers;
        }
        numbering.sources_before.push(sources);
        numbering.receivers_before.push(receivers);
    }
    numbering
}

fn initial(transport: &Transport, smss: u32) -> Initial {
    Initial {
        smss,
        window: transport.initial_window,
        ssthresh: transport.initial_ssthresh.unwrap_or(f64::INFINITY),
        restart_window: transport.restart_window,
        halve: match transport.halve {
            HalveSpec::Flight => Halve::Flight,
            HalveSpec::Window => Halve::Window,
        },
        seed: 0,
    }
}

fn factories(spec: &Spec, plugins: &Plugins) -> Result<Vec<congestion::Factory>, Vec<Problem>> {
    let factory = |(at, algorithm)| {
        plugin::factory(algorithm, plugins).map_err(|error| {
            vec![Problem { loc: format!("algorithms[{at}]"), kind: "algorithm", message: error.to_string() }]
        })
    };
    spec.algorithms.iter().enumerate().map(factory).collect()
}

fn population(population: &spec::Population) -> Population {
    let files = &population.files;
    Population {
        think_mean: population.think_mean,
        files: Files {
            mean: files.mean,
            shape: files.shape,
            probability: files.probability,
            factor: files.factor,
        },
        fast_probability: population.fast_probability,
        jumbo: population.jumbo.map(|jumbo| Jumbo {
            start: instant(jumbo.start),
            end: instant(jumbo.end),
            factor: jumbo.factor,
        }),
        patience: population
            .patience
            .map(|patience| Patience { min_time: patience.min_time, factor: patience.factor }),
        receivers_in_other_regions: population.receivers_in_other_regions,
    }
}

fn flows(spec: &Spec, sites: &[SiteInfo], numbering: &Numbering) -> Vec<Flow> {
    let regions = 0..narrow(spec.regions as usize);
    // Receiving hosts of flows follow those of the population.
    let mut hosts: Vec<u32> = regions.map(|region| count(numbering.receivers_of(region))).collect();
    let flow = |flow: &spec::FlowSpec| {
        let host = &mut hosts[usize::from(sites[flow.receiver as usize].region)];
        *host += 1;
        Flow {
            source: narrow(flow.source as usize),
            receiver: narrow(flow.receiver as usize),
            host: *host - 1,
            algorithm: narrow(flow.algorithm as usize),
            interface: u8::try_from(flow.interface).unwrap_or(u8::MAX),
            size: flow.size.unwrap_or(u64::MAX),
            start: instant(flow.start),
            stop: flow.stop.map(instant),
        }
    };
    spec.flows.iter().map(flow).collect()
}

fn count(range: std::ops::Range<u32>) -> u32 {
    range.end - range.start
}
