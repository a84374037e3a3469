//! A checked scenario becomes regions.

use std::sync::Arc;

use congestion::{Duration, Halve, Initial};

use super::check::Problem;
use crate::kernel::channels::Channels;
use crate::kernel::rng::{self, Purpose, Sequence, Streams};
use crate::kernel::timers::{TimerKind, Timers};
use crate::kernel::tree::WinnerTree;
use crate::measure::counters::Counters;
use crate::measure::groups::Groups;
use crate::net::disciplines::{DropTail, Vcp, Xcp};
use crate::net::headers::{Headers, Parcel};
use crate::net::queue::QueueDiscipline;
use crate::net::station::{Hop, Service, Station};
use crate::plugin::{self, Plugins};
use crate::region::{Channel, Host, NONE, Named, Region, Source};
use crate::spec::{DisciplineName, HalveSpec, Link, Spec};
use crate::tcp::sender::Mechanism;
use crate::world::{Exit, InterfaceInfo, Paths, SiteInfo, World};

/// Tables for walking routes.
#[must_use]
pub fn paths(spec: &Spec) -> Paths {
    let bytes = spec.packet.smss + spec.packet.header;
    Paths {
        next: spec.next_link.clone(),
        links: spec.links.iter().map(|link| (link.to, Duration::from_seconds(link.delay).0)).collect(),
        service: spec.stations.iter().map(|station| Service::new(station.rate).time(bytes)).collect(),
    }
}

/// How the channels of every region are laid out.
struct Layout {
    kinds: Vec<Vec<Channel>>,
    /// Station of the scenario -> station within its region.
    local: Vec<u16>,
    transmit: Vec<u16>,
    /// First channel of the region's last propagation: per interface, one per station that delivers.
    access: Vec<u16>,
    /// Stations of each region that deliver to hosts, in order.
    delivering: Vec<Vec<u16>>,
    receive: Vec<u16>,
    exits: Vec<Vec<Exit>>,
    /// Link -> exit of the region it leaves, if it has a delay.
    link_exits: Vec<Option<u16>>,
}

fn narrow(value: usize) -> u16 {
    u16::try_from(value).unwrap_or(u16::MAX)
}

impl Layout {
    fn new(spec: &Spec) -> Self {
        let regions = spec.regions as usize;
        let mut kinds = vec![vec![Channel::Timers]; regions];
        let mut local = Vec::with_capacity(spec.stations.len());
        for station in &spec.stations {
            let kinds = &mut kinds[station.region as usize];
            local.push(narrow(kinds.len() - 1));
            kinds.push(Channel::Station(narrow(kinds.len() - 1)));
        }
        let mut delivering = vec![Vec::new(); regions];
        if some_far(spec) {
            for (at, _) in spec.next_link.iter().enumerate().filter(|(_, hops)| hops.contains(&-1)) {
                delivering[spec.stations[at].region as usize].push(local[at]);
            }
        }
        let (mut transmit, mut access, mut receive) = (Vec::new(), Vec::new(), Vec::new());
        for (kinds, delivering) in kinds.iter_mut().zip(&delivering) {
            for (first, kind, each) in [
                (&mut transmit, Channel::Transmit, 1),
                (&mut access, Channel::Access, delivering.len()),
                (&mut receive, Channel::Receive, 1),
            ] {
                first.push(narrow(kinds.len()));
                kinds.extend(std::iter::repeat_n(kind, each * spec.interfaces.len()));
            }
        }
        let mut layout = Self {
            kinds,
            local,
            transmit,
            access,
            delivering,
            receive,
            exits: vec![Vec::new(); regions],
            link_exits: Vec::new(),
        };
        for link in &spec.links {
            let exit = (link.delay > 0.0).then(|| {
                let to = spec.stations[link.to as usize].region;
                let kind = Channel::Link(layout.local[link.to as usize]);
                let delay = Duration::from_seconds(link.delay).0.max(1);
                layout.add_exit(spec.stations[link.from as usize].region as usize, to as usize, delay, kind)
            });
            layout.link_exits.push(exit);
        }
        layout
    }

    fn add_exit(&mut self, from: usize, to: usize, delay: u64, kind: Channel) -> u16 {
        let channel = narrow(self.kinds[to].len());
        self.kinds[to].push(kind);
        self.exits[from].push(Exit { region: narrow(to), channel, delay });
        narrow(self.exits[from].len() - 1)
    }
}

/// Delays of ACKs between pairs of regions, from all pairs of sites that may talk.
fn ack_delays(spec: &Spec, paths: &Paths) -> Vec<(usize, usize, u64)> {
    let region = |site: usize| spec.stations[spec.sites[site].station as usize].region as usize;
    let access = |interface: usize| 2 * Duration::from_seconds(spec.interfaces[interface].delay).0;
    let mut delays = Vec::new();
    let mut pair = |receiver: usize, sender: usize, interface: usize| {
        if let Some((delay, _)) = paths.walk(spec.sites[receiver].station, sender) {
            delays.push((region(receiver), region(sender), delay + access(interface)));
        }
    };
    if let Some(population) = &spec.population {
        for receiver in (0..spec.sites.len()).filter(|&site| spec.sites[site].receivers > 0) {
            for sender in (0..spec.sites.len()).filter(|&site| spec.sites[site].sources > 0) {
                if !(population.receivers_in_other_regions && region(receiver) == region(sender)) {
                    pair(receiver, sender, 0);
                    pair(receiver, sender, 1);
                }
            }
        }
    }
    for flow in &spec.flows {
        pair(flow.receiver as usize, flow.source as usize, flow.interface as usize);
    }
    delays.sort_unstable();
    delays.dedup();
    delays
}

/// What all regions share, and the regions.
pub type Built<C> = (Arc<World>, Vec<Region<C>>);

/// Per region: exits of ACKs that are free, as in [`World::ack_exits`].
type AckExits = Vec<Vec<(u16, u64, u16)>>;

/// The channels of all regions, exits of ACKs, and exits of releases by region of origin.
fn lay_out(spec: &Spec, paths: &Paths) -> (Layout, AckExits, Vec<Vec<u16>>) {
    let mut layout = Layout::new(spec);
    let regions = spec.regions as usize;
    let delays = ack_delays(spec, paths);
    let mut ack_exits = vec![Vec::new(); regions];
    let mut release_exits = vec![vec![u16::MAX; regions]; regions];
    for (at, &(from, to, delay)) in delays.iter().enumerate() {
        if !spec.transport.ack_cost {
            let exit = layout.add_exit(from, to, delay, Channel::Direct);
            ack_exits[from].push((narrow(to), delay, exit));
        }
        // Releases go the other way, with the longest delay between the two regions.
        if delays.get(at + 1).is_none_or(|&(f, t, _)| (f, t) != (from, to)) {
            release_exits[to][from] = layout.add_exit(to, from, delay, Channel::Direct);
        }
    }
    (layout, ack_exits, release_exits)
}

/// Whether a run of an otherwise valid scenario is too long for the channels of its regions, whose numbers share
/// a word with times.
#[must_use]
pub fn beyond_the_horizon(spec: &Spec) -> Option<Problem> {
    let (layout, ..) = lay_out(spec, &paths(spec));
    let channels = layout.kinds.iter().map(Vec::len).max().unwrap_or(0);
    let horizon = WinnerTree::horizon(channels);
    let beyond = horizon <= Duration::from_seconds(spec.duration).0;
    (beyond || channels >= usize::from(u16::MAX)).then(|| Problem {
        loc: "duration".into(),
        kind: "horizon",
        message: format!(
            "expected less than {:.0} s for a region with {channels} channels, got {}",
            Duration(horizon).seconds(),
            spec.duration
        ),
    })
}

/// Build the regions of a run of a valid scenario.
///
/// # Errors
/// An algorithm cannot be made.
pub fn build<C: Channels>(spec: &Spec, seed: u64, plugins: &Plugins) -> Result<Built<C>, Vec<Problem>> {
    let paths = paths(spec);
    let (layout, ack_exits, release_exits) = lay_out(spec, &paths);
    let world = Arc::new(world(spec, seed, plugins, paths, &layout, ack_exits, release_exits)?);
    let built = (0..spec.regions as usize).map(|index| region(spec, &world, &layout, index)).collect();
    Ok((world, built))
}

fn world(
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

fn region<C: Channels>(spec: &Spec, world: &Arc<World>, layout: &Layout, index: usize) -> Region<C> {
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
        outbox: layout.exits[index].iter().map(|_| Parcel::default()).collect(),
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

/// Whether some hosts are a delay away from their stations.
fn some_far(spec: &Spec) -> bool {
    spec.interfaces.iter().any(|interface| interface.delay > 0.0)
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
