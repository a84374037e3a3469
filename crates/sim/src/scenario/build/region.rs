//! One region: its stations.

use std::sync::Arc;

use congestion::{Duration, Time};

use crate::kernel::channels::Channels;
use crate::kernel::rng::{Purpose, Sequence, Streams};
use crate::net::capacity::Capacity;
use crate::net::disciplines::Server;
use crate::net::packet::Packet;
use crate::net::paths::{Concern, Course, Place, Thinning, Travel, VaryingLoss, Ways};
use crate::net::service::Service;
use crate::net::station::{Hop, Station, StationSetup};
use crate::net::transmitter::Transmitter;
use crate::region::{Hosts, Recorder, Region, Stations, Watched};
use crate::scenario::checked::CheckedSpec;
use crate::scenario::layout::{Layout, some_far};
use crate::spec::{self, Link, Spec};
use crate::world::World;

pub(super) fn region<C: Channels<Packet>>(
    checked: &CheckedSpec,
    world: &Arc<World>,
    index: u16,
) -> Region<C> {
    let (spec, layout) = (checked.spec(), &checked.tables().layout);
    let flows = &world.traffic.flows;
    let named_receivers =
        flows.iter().filter(|flow| world.sites[usize::from(flow.receiver)].region == index).count();
    let receivers = world.numbering.receivers_of(index).len();
    let mut region = Region::new(
        world.clone(),
        index,
        layout.map(index),
        stations::<C>(spec, world, layout, index),
        Hosts::new(receivers + named_receivers),
        Recorder::new(world.recording, spec.algorithms.len(), watched(spec, world, layout, index)),
    );
    super::sources::add_population(checked, &mut region);
    super::sources::add_flows(&mut region);
    region
}

/// Stations whose queue is recorded.
fn watched(spec: &Spec, world: &World, layout: &Layout, index: u16) -> Vec<Watched> {
    let stations = spec.measure.stations.iter().enumerate();
    let here = stations.filter(|&(_, &id)| spec.stations[id as usize].region == u32::from(index));
    let watched = here.map(|(column, &id)| {
        let capacity = capacity(&spec.stations[id as usize], &world.streams, id);
        Watched { column, station: layout.local[id as usize], capacity, sampled: (Time::ZERO, 0.0) }
    });
    watched.collect()
}

/// Capacity of the station that has the number `id`.
pub(crate) fn capacity(station: &spec::Station, streams: &Streams, id: u32) -> Capacity {
    Capacity::new(station.rate, station.rate_changes.as_ref(), course(station, Concern::Service, streams, id))
}

fn course(station: &spec::Station, concern: Concern, streams: &Streams, id: u32) -> Option<Course> {
    let path = station.path.as_ref()?;
    Course::new(path, station.loss, concern, streams, id)
}

fn stations<C: Channels<Packet>>(spec: &Spec, world: &World, layout: &Layout, index: u16) -> Stations {
    let mut stations = Stations::new();
    for (id, station) in (0u32..).zip(&spec.stations).filter(|(_, s)| s.region == u32::from(index)) {
        let at = id as usize;
        let service = Service::new(station.rate);
        let streams = &world.streams;
        let service_course = course(station, Concern::Service, streams, id);
        let transmitter = Transmitter::on_link(station.rate, station.rate_changes.as_ref(), service_course);
        let mechanics = station.discipline.mechanics(&Server {
            buffer: station.buffer,
            transmitter: transmitter.clone(),
            sizes: spec.packet,
            streams: streams.clone(),
            station: id,
        });
        let mut hops = routes(spec, layout, &spec.next_link[at]);
        // Fates of segments are recorded in the order of time, and a short slack saves no event.
        let may_be_late = C::SHORTCUTS
            && mechanics.queue.is_some()
            && !world.recording.segments
            && station.rate_changes.is_none()
            && layout.paths[at].is_none();
        let slack = if may_be_late { slack(&hops, world, index) } else { None };
        let slack = slack.filter(|&slack| slack >= service.time(spec.packet.largest()) * 4);
        stations.slack = slack.map_or(stations.slack, |slack| slack.min(stations.slack));
        let draws = || Sequence::new(streams, Purpose::Loss, id);
        let mut rule = station.ecn_impairment.before(mechanics.rule);
        let mut loss = (station.loss > 0.0).then(|| (station.loss, draws()));
        if let Some(course) = course(station, Concern::Entrance, streams, id) {
            loss = None;
            rule = Some(Box::new(VaryingLoss::new(course, draws(), rule)));
        }
        if let Some(channel) = layout.paths[at] {
            let path = &station.path.clone().unwrap_or_default();
            if path.thin_acks > 1 {
                rule = Some(Box::new(Thinning::new(path.thin_acks, rule)));
            }
            let ways = ways(spec, layout, station, &hops);
            let place = Place { station: layout.local[at], channel, ways };
            stations.add_path(Travel::new(path, streams, id, place, world.end), &mut hops);
        }
        let setup = StationSetup {
            channel: layout.local[at] + 1,
            access: layout.access(index, layout.local[at]),
            transmitter,
            buffer: station.buffer,
            loss,
            mark_above: mechanics.mark_above,
            rule,
            discipline: mechanics.queue,
            observed: (spec.measure.queues && spec.measure.stations.contains(&id))
                .then_some(world.recording.groups_from),
            hops,
            shortcuts: C::SHORTCUTS,
            defers: slack.is_some(),
        };
        stations.push(Station::new(setup), id);
    }
    stations
}

/// Ways on from a station over time, which are `hops` at first.
fn ways(spec: &Spec, layout: &Layout, station: &spec::Station, hops: &[Hop]) -> Ways {
    let later = station.routes.iter().map(|change| {
        (Time::ZERO + Duration::from_seconds(change.at), routes(spec, layout, &change.next_link))
    });
    Ways::new(hops.to_vec(), later)
}

/// Least delay behind a station, whatever way a packet goes on.
fn slack(hops: &[Hop], world: &World, region: u16) -> Option<Duration> {
    let exits = &world.exits.lines[usize::from(region)];
    let delay = |hop: &Hop| match hop {
        Hop::Exit(exit) => Some(exits[usize::from(*exit)].delay),
        Hop::Access => world.interfaces.iter().map(|interface| interface.delay).min(),
        Hop::Deliver | Hop::Station(_) | Hop::Path(_) => Some(Duration::ZERO),
        Hop::None => None,
    };
    hops.iter().filter_map(delay).min()
}

/// The next hop towards every site, of a row of the routing table.
fn routes(spec: &Spec, layout: &Layout, row: &[i32]) -> Vec<Hop> {
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
    row.iter().map(hop).collect()
}
