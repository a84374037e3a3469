//! Routes and channels of a scenario: what its checks and its regions both follow from.

use congestion::Duration;

use crate::net::service::Service;
use crate::region::Channel;
use crate::spec::Spec;
use crate::world::{Exit, Paths};

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
pub struct Layout {
    /// By region.
    pub kinds: Vec<Vec<Channel>>,
    /// Station of the scenario -> station within its region.
    pub local: Vec<u16>,
    pub transmit: Vec<u16>,
    /// First channel of the region's last propagation: per interface, one per station that delivers.
    pub access: Vec<u16>,
    /// Stations of each region that deliver to hosts, in order.
    pub delivering: Vec<Vec<u16>>,
    pub receive: Vec<u16>,
    pub exits: Vec<Vec<Exit>>,
    /// Link -> exit of the region it leaves, if it has a delay.
    pub link_exits: Vec<Option<u16>>,
}

pub fn narrow(value: usize) -> u16 {
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

/// Per region: exits of ACKs that are free, as in [`World::ack_exits`].
pub type AckExits = Vec<Vec<(u16, u64, u16)>>;

/// The channels of all regions, exits of ACKs, and exits of releases by region of origin.
pub fn lay_out(spec: &Spec, paths: &Paths) -> (Layout, AckExits, Vec<Vec<u16>>) {
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

/// Whether some hosts are a delay away from their stations.
pub fn some_far(spec: &Spec) -> bool {
    spec.interfaces.iter().any(|interface| interface.delay > 0.0)
}

/// Channels of the region that has most.
#[must_use]
pub fn most_channels(spec: &Spec) -> usize {
    let (layout, ..) = lay_out(spec, &paths(spec));
    layout.kinds.iter().map(Vec::len).max().unwrap_or(0)
}
