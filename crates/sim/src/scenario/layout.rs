//! Routes and channels of a scenario: the facts that its checks and its regions share.

use std::num::TryFromIntError;

use congestion::Duration;

use crate::net::service::Service;
use crate::region::{Channel, ChannelMap};
use crate::spec::Spec;
use crate::world::{AckExit, Exit, Exits, Paths};

/// Tables for walking routes.
pub fn paths(spec: &Spec) -> Paths {
    let bytes = spec.packet.smss + spec.packet.header;
    Paths {
        next: spec.next_link.clone(),
        links: spec.links.iter().map(|link| (link.to, Duration::from_seconds(link.delay))).collect(),
        service: spec.stations.iter().map(|station| Service::new(station.rate).time(bytes)).collect(),
    }
}

/// Channels of every region.
#[derive(Debug)]
pub struct Layout {
    maps: Vec<ChannelMap>,
    /// Station of the scenario -> station within its region.
    pub local: Vec<u16>,
    /// Stations of each region that deliver to hosts a delay away, in order, with their channel to the hosts of the
    /// first interface class.
    access: Vec<Vec<(u16, u16)>>,
    pub exits: Exits,
    /// Link -> exit of the region it leaves, if it has a delay.
    pub link_exits: Vec<Option<u16>>,
    /// Channel of the path behind a station, if it has one.
    pub paths: Vec<Option<u16>>,
}

/// The channels of all regions, and the exits of links, ACKs and releases.
///
/// # Errors
/// A region has more channels or exits than have numbers.
pub fn lay_out(spec: &Spec, paths: &Paths) -> Result<Layout, TryFromIntError> {
    let mut layout = Layout::new(spec)?;
    let delays = ack_delays(spec, paths);
    for (at, &(from, to, delay)) in delays.iter().enumerate() {
        if !spec.transport.ack_cost {
            let exit = layout.add_exit(from, to, delay, Channel::Acks)?;
            layout.exits.acks[from].push(AckExit { region: to.try_into()?, delay, exit });
        }
        // Releases go the other way, with the longest delay between the two regions.
        if delays.get(at + 1).is_none_or(|&(f, t, _)| (f, t) != (from, to)) {
            layout.exits.releases[to][from] = layout.add_exit(to, from, delay, Channel::Releases)?;
        }
    }
    Ok(layout)
}

/// `true` if some hosts are a delay away from their stations.
pub fn some_far(spec: &Spec) -> bool {
    spec.interfaces.iter().any(|interface| interface.delay > 0.0)
}

impl Layout {
    /// Stations, interfaces and links.
    fn new(spec: &Spec) -> Result<Self, TryFromIntError> {
        let regions = spec.regions as usize;
        let (kinds, local) = station_channels(spec)?;
        let delivering = delivering(spec, &local);
        let mut layout = Self {
            maps: Vec::with_capacity(regions),
            local,
            access: Vec::with_capacity(regions),
            exits: Exits {
                lines: vec![Vec::new(); regions],
                acks: vec![Vec::new(); regions],
                releases: vec![vec![u16::MAX; regions]; regions],
            },
            link_exits: Vec::new(),
            paths: Vec::new(),
        };
        for (kinds, delivering) in kinds.into_iter().zip(delivering) {
            layout.add_interfaces(kinds, &delivering, spec.interfaces.len())?;
        }
        layout.add_links(spec)?;
        layout.add_paths(spec)?;
        Ok(layout)
    }

    /// Channels of the region that has most.
    pub fn most_channels(&self) -> usize {
        self.maps.iter().map(|map| map.kinds.len()).max().unwrap_or(0)
    }

    /// Channels of the interfaces of a region, after those of its stations.
    fn add_interfaces(
        &mut self,
        mut kinds: Vec<Channel>,
        delivering: &[u16],
        interfaces: usize,
    ) -> Result<(), TryFromIntError> {
        let mut add = |kind, each: usize| {
            let first = kinds.len().try_into();
            kinds.extend(std::iter::repeat_n(kind, each * interfaces));
            first
        };
        let transmit = add(Channel::Transmit, 1)?;
        let access: u16 = add(Channel::Access, delivering.len())?;
        // With this number, those of the channels before it fit, too.
        let receive = add(Channel::Receive, 1)?;
        self.access.push(delivering.iter().copied().zip(access..).collect());
        self.maps.push(ChannelMap { kinds, transmit, receive, delivering: delivering.len().try_into()? });
        Ok(())
    }

    /// Exits of the links that have a delay.
    fn add_links(&mut self, spec: &Spec) -> Result<(), TryFromIntError> {
        for link in &spec.links {
            let exit = if link.delay > 0.0 {
                let region = |station: u32| spec.stations[station as usize].region as usize;
                let kind = Channel::Link(self.local[link.to as usize]);
                let delay = Duration::from_seconds(link.delay).max(Duration(1));
                Some(self.add_exit(region(link.from), region(link.to), delay, kind)?)
            } else {
                None
            };
            self.link_exits.push(exit);
        }
        Ok(())
    }

    /// Channels of the paths, which have numbers within their region in the order of the stations.
    fn add_paths(&mut self, spec: &Spec) -> Result<(), TryFromIntError> {
        let mut numbers = vec![0..; spec.regions as usize];
        for station in &spec.stations {
            let region = station.region as usize;
            let kinds = &mut self.maps[region].kinds;
            let number = if station.path.is_some() || !station.routes.is_empty() {
                numbers[region].next()
            } else {
                None
            };
            self.paths.push(number.map(|_| kinds.len().try_into()).transpose()?);
            kinds.extend(number.map(Channel::Path));
        }
        Ok(())
    }

    fn add_exit(
        &mut self,
        from: usize,
        to: usize,
        delay: Duration,
        kind: Channel,
    ) -> Result<u16, TryFromIntError> {
        let channel = self.maps[to].kinds.len().try_into()?;
        self.maps[to].kinds.push(kind);
        self.exits.lines[from].push(Exit { region: to.try_into()?, channel, delay });
        (self.exits.lines[from].len() - 1).try_into()
    }

    /// Channels of a region.
    pub fn map(&self, index: u16) -> ChannelMap {
        self.maps[usize::from(index)].clone()
    }

    /// Channel from a station of a region to hosts of the first interface class, 0 if none is a delay away.
    pub fn access(&self, index: u16, station: u16) -> u16 {
        let delivering = &self.access[usize::from(index)];
        delivering
            .binary_search_by_key(&station, |&(station, _)| station)
            .map_or(0, |rank| delivering[rank].1)
    }
}

/// Channels of timers and stations by region, and every station's number within its region.
fn station_channels(spec: &Spec) -> Result<(Vec<Vec<Channel>>, Vec<u16>), TryFromIntError> {
    let mut kinds = vec![vec![Channel::Timers]; spec.regions as usize];
    let mut local = Vec::with_capacity(spec.stations.len());
    for station in &spec.stations {
        let kinds = &mut kinds[station.region as usize];
        let number = (kinds.len() - 1).try_into()?;
        local.push(number);
        kinds.push(Channel::Station(number));
    }
    Ok((kinds, local))
}

/// Stations of each region that deliver to hosts a delay away, in order.
fn delivering(spec: &Spec, local: &[u16]) -> Vec<Vec<u16>> {
    let mut delivering = vec![Vec::new(); spec.regions as usize];
    if some_far(spec) {
        for (at, _) in spec.next_link.iter().enumerate().filter(|(_, hops)| hops.contains(&-1)) {
            delivering[spec.stations[at].region as usize].push(local[at]);
        }
    }
    delivering
}

/// Delays of ACKs between pairs of regions, from all pairs of sites that may talk.
fn ack_delays(spec: &Spec, paths: &Paths) -> Vec<(usize, usize, Duration)> {
    let region = |site: usize| spec.stations[spec.sites[site].station as usize].region as usize;
    let access = |interface: usize| Duration::from_seconds(spec.interfaces[interface].delay) * 2;
    // Who may be sent to by each site, over which interface.
    let mut partners: Vec<Vec<(usize, usize)>> = vec![Vec::new(); spec.sites.len()];
    for flow in &spec.flows {
        partners[flow.source as usize].push((flow.receiver as usize, flow.interface as usize));
    }
    let receivers: Vec<usize> = match spec.population {
        Some(_) => (0..spec.sites.len()).filter(|&site| spec.sites[site].receivers > 0).collect(),
        None => Vec::new(),
    };
    let elsewhere = spec.population.as_ref().is_some_and(|all| all.receivers_in_other_regions);
    let mut delays = Vec::new();
    let mut from_here = Vec::new();
    for (sender, mut partners) in partners.into_iter().enumerate() {
        if spec.sites[sender].sources > 0 {
            let allowed =
                receivers.iter().filter(|&&receiver| !(elsewhere && region(receiver) == region(sender)));
            partners.extend(allowed.flat_map(|&receiver| [(receiver, 0), (receiver, 1)]));
        }
        if partners.is_empty() {
            continue;
        }
        let ways =
            paths.from_all(sender, |_, rest| rest.map_or(Duration::ZERO, |(more, delay)| delay + more));
        from_here.extend(partners.into_iter().filter_map(|(receiver, interface)| {
            let delay = ways[spec.sites[receiver].station as usize]?;
            Some((region(receiver), region(sender), delay + access(interface)))
        }));
        // Many sites of a region are equally far away: of millions of pairs, thousands are left.
        from_here.sort_unstable();
        from_here.dedup();
        delays.append(&mut from_here);
    }
    delays.sort_unstable();
    delays.dedup();
    delays
}
