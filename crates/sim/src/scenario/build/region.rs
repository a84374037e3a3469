//! One region with its stations, sources and hosts.

use std::sync::Arc;

use congestion::Duration;

use crate::kernel::channels::Channels;
use crate::kernel::rng::{self, Purpose, Sequence};
use crate::kernel::timers::{TimerKind, Timers};
use crate::measure::counters::Counters;
use crate::measure::groups::Groups;
use crate::net::disciplines::{DropTail, Vcp, Xcp};
use crate::net::headers::{Batch, Headers};
use crate::net::queue::QueueDiscipline;
use crate::net::service::Service;
use crate::net::station::{Hop, Station};
use crate::region::{Host, NONE, Named, Region, Source};
use crate::scenario::layout::{Layout, narrow, some_far};
use crate::spec::{DisciplineName, Link, Spec};
use crate::world::World;

pub(super) fn region<C: Channels>(
    spec: &Spec,
    world: &Arc<World>,
    layout: &Layout,
    index: usize,
) -> Region<C> {
    let kinds = layout.kinds[index].clone();
    let mut stations = Vec::new();
    let mut station_ids = Vec::new();
    for (at, station) in spec.stations.iter().enumerate().filter(|(_, s)| s.region as usize == index) {
        let id = u32::try_from(at).unwrap_or(NONE);
        let loss =
            (station.loss > 0.0).then(|| (station.loss, Sequence::new(&world.streams, Purpose::Loss, id)));
        let service = Service::new(station.rate);
        let discipline: Option<Box<dyn QueueDiscipline>> = match station.discipline.name {
            DisciplineName::Droptail => None,
            DisciplineName::DroptailQueued => Some(Box::new(DropTail::new(station.buffer))),
            DisciplineName::Xcp => Some(Box::new(Xcp::new(station.buffer, service, spec.packet))),
            DisciplineName::Vcp => Some(Box::new(Vcp::new(station.buffer, service))),
        };
        let channel = layout.local[at] + 1;
        let mut built = Station::new(channel, service, station.buffer, discipline, loss);
        if !C::SHORTCUTS {
            built.count();
        }
        built.mark_above(station.discipline.mark_above);
        built.route(routes(spec, layout, at));
        if let Ok(rank) = layout.delivering[index].binary_search(&layout.local[at]) {
            built.access = layout.access[index] + narrow(rank);
        }
        stations.push(built);
        station_ids.push(id);
    }
    let receivers = world.receivers_before[index + 1] - world.receivers_before[index];
    let named_receivers =
        spec.flows.iter().filter(|f| usize::from(world.sites[f.receiver as usize].region) == index).count();
    let region_index = narrow(index);
    let mut built = Region {
        world: world.clone(),
        index: region_index,
        channels: C::new(kinds.len()),
        timers: Timers::default(),
        kinds,
        station_ids,
        transmit: layout.transmit[index],
        receive: layout.receive[index],
        delivering: narrow(layout.delivering[index].len()),
        sources: Vec::new(),
        connections: Vec::new(),
        free_connections: Vec::new(),
        receivers: Vec::new(),
        free_receivers: Vec::new(),
        by_source: std::collections::HashMap::default(),
        hosts: vec![Host { busy: false, first: NONE, last: NONE }; receivers as usize + named_receivers],
        waiting: Vec::new(),
        free_waiting: NONE,
        pool: Vec::new(),
        ack_loss: Sequence::new(&world.streams, Purpose::AckLoss, u32::from(region_index)),
        dropped: Vec::new(),
        exits: layout.exits[index].clone(),
        outbox: layout.exits[index].iter().map(|_| Batch::default()).collect(),
        headers: Headers::default(),
        counters: Counters::default(),
        totals: Counters::default(),
        class_acked: Default::default(),
        thinking: 0,
        groups: Groups::new(spec.algorithms.len()),
        groups_from: Duration::from_seconds(spec.measure.groups_from).0,
        transfers: Vec::new(),
        segments: Vec::new(),
        named: Vec::new(),
        watched: spec
            .measure
            .stations
            .iter()
            .enumerate()
            .filter(|&(_, &station)| spec.stations[station as usize].region as usize == index)
            .map(|(column, &station)| (column, layout.local[station as usize]))
            .collect(),
        samples: Vec::new(),
        queue_samples: Vec::new(),
        flow_samples: Vec::new(),
        stations,
    };
    add_population(spec, &mut built);
    add_flows(spec, &mut built);
    built
}

/// The next hop of a station towards every site.
fn routes(spec: &Spec, layout: &Layout, station: usize) -> Vec<Hop> {
    let far = some_far(spec);
    let hop = |&link: &i32| match usize::try_from(link) {
        Ok(at) => {
            let Link { to, .. } = spec.links[at];
            layout.link_exits[at].map_or(Hop::Station(layout.local[to as usize]), Hop::Exit)
        }
        Err(_) if link == -1 && far => Hop::Access,
        Err(_) if link == -1 => Hop::Deliver,
        Err(_) => Hop::None,
    };
    spec.next_link[station].iter().map(hop).collect()
}

fn add_population<C: Channels>(spec: &Spec, region: &mut Region<C>) {
    let world = region.world.clone();
    let Some(population) = &spec.population else { return };
    let index = usize::from(region.index);
    for id in world.sources_before[index]..world.sources_before[index + 1] {
        let draws = world.streams.block(Purpose::Source, id, 0);
        let mut pick = rng::uniform(draws[0]);
        let mut algorithm = 0;
        for (at, &share) in population.algorithm_shares.iter().enumerate() {
            if share > 0.0 {
                algorithm = at;
                if pick < share {
                    break;
                }
                pick -= share;
            }
        }
        let impatient =
            population.patience.is_some_and(|patience| rng::uniform(draws[2]) < patience.probability);
        region.sources.push(Source {
            id,
            cycle: 0,
            flow: NONE,
            slot: NONE,
            site: world.site_of_source(id),
            algorithm: narrow(algorithm),
            fast: rng::uniform(draws[1]) < population.fast_probability,
            impatient,
        });
        let mut pick = rng::uniform(draws[3]) - population.startup.connecting;
        let mut mean = if pick < 0.0 { 0.0 } else { population.think_mean };
        if pick >= 0.0 {
            for &[share, factor] in &population.startup.early {
                if pick < share {
                    mean *= factor;
                    break;
                }
                pick -= share;
            }
        }
        let think = rng::exponential(world.streams.block(Purpose::Transfer, id, 0)[0], mean);
        region.thinking += 1;
        let source = u32::try_from(region.sources.len() - 1).unwrap_or(NONE);
        region.set_timer(Duration::from_seconds(think).0, TimerKind::Start, source, 0);
    }
}

fn add_flows<C: Channels>(spec: &Spec, region: &mut Region<C>) {
    let world = region.world.clone();
    for (at, flow) in spec.flows.iter().enumerate() {
        let site = &world.sites[flow.source as usize];
        if site.region != region.index {
            continue;
        }
        let flow_index = u32::try_from(at).unwrap_or(NONE);
        let source = u32::try_from(region.sources.len()).unwrap_or(NONE);
        region.sources.push(Source {
            id: world.population_sources() + flow_index,
            cycle: 0,
            flow: flow_index,
            slot: NONE,
            site: narrow(flow.source as usize),
            algorithm: narrow(flow.algorithm as usize),
            fast: false,
            impatient: false,
        });
        region.named.push(Named { flow: flow_index, source, ..Named::default() });
        region.set_timer(Duration::from_seconds(flow.start).0, TimerKind::Start, source, 0);
        if let Some(stop) = flow.stop {
            region.set_timer(Duration::from_seconds(stop).0, TimerKind::Stop, source, 0);
        }
    }
}
