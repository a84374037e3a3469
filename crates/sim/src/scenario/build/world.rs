//! The tables that all regions share.

use congestion::{Duration, Halve, Initial};

use crate::kernel::rng::Streams;
use crate::net::service::Service;
use crate::plugin::{self, Plugins};
use crate::scenario::Problem;
use crate::scenario::layout::{AckExits, Layout, narrow};
use crate::spec::{HalveSpec, Spec};
use crate::tcp::sender::Mechanism;
use crate::world::{InterfaceInfo, Paths, SiteInfo, World};

pub(super) fn world(
    spec: &Spec,
    seed: u64,
    plugins: &Plugins,
    paths: Paths,
    layout: &Layout,
    ack_exits: AckExits,
    release_exits: Vec<Vec<u16>>,
) -> Result<World, Vec<Problem>> {
    let sites: Vec<SiteInfo> = spec
        .sites
        .iter()
        .map(|site| SiteInfo {
            region: narrow(spec.stations[site.station as usize].region as usize),
            station: layout.local[site.station as usize],
            global_station: site.station,
            class: site.class,
        })
        .collect();
    let regions = spec.regions as usize;
    let (mut source_starts, mut receiver_starts) = (Vec::new(), Vec::new());
    let (mut sources_before, mut receivers_before) = (vec![0u32], vec![0u32]);
    let (mut sources, mut receivers) = (0, 0);
    for region in 0..regions {
        for (at, site) in sites.iter().enumerate().filter(|(_, site)| usize::from(site.region) == region) {
            let _ = site;
            if spec.sites[at].sources > 0 {
                source_starts.push((sources, narrow(at)));
            }
            if spec.sites[at].receivers > 0 {
                receiver_starts.push((receivers, narrow(at)));
            }
            sources += spec.sites[at].sources;
            receivers += spec.sites[at].receivers;
        }
        sources_before.push(sources);
        receivers_before.push(receivers);
    }
    let mut hosts: Vec<u32> = receivers_before.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let flow_hosts = spec.flows.iter().map(|flow| {
        let host = &mut hosts[usize::from(sites[flow.receiver as usize].region)];
        *host += 1;
        *host - 1
    });
    let flow_hosts = flow_hosts.collect();
    let transport = &spec.transport;
    let mut factories = Vec::new();
    for (at, algorithm) in spec.algorithms.iter().enumerate() {
        factories.push(plugin::factory(algorithm, plugins).map_err(|error| {
            vec![Problem { loc: format!("algorithms[{at}]"), kind: "algorithm", message: error.to_string() }]
        })?);
    }
    Ok(World {
        end: Duration::from_seconds(spec.duration).0,
        packet: spec.packet,
        mechanism: Mechanism::new(transport, spec.packet.smss),
        ack_every: transport.ack_every,
        ack_delay: Duration::from_seconds(transport.ack_delay).0,
        ack_cost: transport.ack_cost,
        ack_loss: transport.ack_loss,
        syn_timeout: Duration::from_seconds(transport.syn_timeout).0,
        syn_tries: u8::try_from(transport.syn_tries).unwrap_or(u8::MAX),
        syn_loss_window: transport.syn_loss_window,
        initial: Initial {
            smss: spec.packet.smss,
            window: transport.initial_window,
            ssthresh: transport.initial_ssthresh.unwrap_or(f64::INFINITY),
            restart_window: transport.restart_window,
            halve: match transport.halve {
                HalveSpec::Flight => Halve::Flight,
                HalveSpec::Window => Halve::Window,
            },
            seed: 0,
        },
        factories,
        sites,
        interfaces: spec
            .interfaces
            .iter()
            .map(|interface| InterfaceInfo {
                service: interface.rate.map(Service::new),
                delay: 2 * Duration::from_seconds(interface.delay).0,
            })
            .collect(),
        exits: layout.exits.clone(),
        ack_exits,
        release_exits,
        paths,
        population: spec.population.clone(),
        source_starts,
        receiver_starts,
        sources_before,
        receivers_before,
        flows: spec.flows.clone(),
        flow_hosts,
        measure: spec.measure.clone(),
        streams: Streams::new(seed),
    })
}
