//! What all regions of a run share and nobody changes: sites, routes, ways back, traffic parameters.

use congestion::Factory;

use crate::kernel::rng::{self, Purpose, Streams};
use crate::net::packet::Packet;
use crate::net::service::Service;
use crate::spec::{FlowSpec, Measure, PacketSizes, Population};
use crate::tcp::sender::Mechanism;

/// A place where hosts attach.
#[derive(Clone, Debug)]
pub struct SiteInfo {
    /// Region of its station.
    pub region: u16,
    /// Its station, within the region.
    pub station: u16,
    /// Index of its station over all regions.
    pub global_station: u32,
    /// Class: 0 D, 1 F, 2 N.
    pub class: u8,
}

/// A kind of host interface.
#[derive(Clone, Copy, Debug)]
pub struct InterfaceInfo {
    /// Serialisation, if the line rate is finite.
    pub service: Option<Service>,
    /// Propagation between host and site, both ends of a flow together [ps].
    pub delay: u64,
}

/// A delay line that packets of a region leave into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Region at its end.
    pub region: u16,
    /// Channel there.
    pub channel: u16,
    /// Its delay [ps].
    pub delay: u64,
}

/// Tables shared by all regions.
pub struct World {
    /// Length of the run [ps].
    pub end: u64,
    /// Sizes on the wire.
    pub packet: PacketSizes,
    /// The TCP mechanism.
    pub mechanism: Mechanism,
    /// Segments per ACK.
    pub ack_every: u32,
    /// Longest time an ACK is held back [ps].
    pub ack_delay: u64,
    /// ACKs travel through the stations.
    pub ack_cost: bool,
    /// Probability that a free ACK is lost.
    pub ack_loss: f64,
    /// Wait before the first SYN retry [ps].
    pub syn_timeout: u64,
    /// SYNs before failure.
    pub syn_tries: u8,
    /// Initial window after more than one SYN was sent again, if it is another [segments].
    pub syn_loss_window: Option<f64>,
    /// Initial parameters of controllers; each gets its own seed.
    pub initial: congestion::Initial,
    /// Constructors of controllers, one per algorithm.
    pub factories: Vec<Factory>,
    /// Sites.
    pub sites: Vec<SiteInfo>,
    /// Interfaces.
    pub interfaces: Vec<InterfaceInfo>,
    /// Delay lines leaving each region.
    pub exits: Vec<Vec<Exit>>,
    /// Per region, exits for ACKs that travel with propagation delay only, sorted by (region, delay).
    pub ack_exits: Vec<Vec<(u16, u64, u16)>>,
    /// Per region, the exit for `Release` messages to each region.
    pub release_exits: Vec<Vec<u16>>,
    /// Propagation delay and zero-load service between sites.
    pub paths: Paths,
    /// Thinking, connecting, sending sources.
    pub population: Option<Population>,
    /// First source of every site that has any, in order; sources are numbered by region, then site.
    pub source_starts: Vec<(u32, u16)>,
    /// The same of receivers.
    pub receiver_starts: Vec<(u32, u16)>,
    /// Sources before each region, and in all at the end.
    pub sources_before: Vec<u32>,
    /// Receivers before each region, and in all at the end.
    pub receivers_before: Vec<u32>,
    /// Flows given one by one.
    pub flows: Vec<FlowSpec>,
    /// Receiving host of each of them within its region; they follow those of the population.
    pub flow_hosts: Vec<u32>,
    /// What is recorded.
    pub measure: Measure,
    /// Random numbers.
    pub streams: Streams,
}

/// Delay [ps] and service time of a data packet [ps] from station to site, by walking the routes.
#[derive(Debug)]
pub struct Paths {
    /// `next[station][site]` as in the scenario: link, -1 deliver, -2 none.
    pub next: Vec<Vec<i32>>,
    /// Per link: station it enters and delay [ps].
    pub links: Vec<(u32, u64)>,
    /// Per station: service time of a data packet [ps].
    pub service: Vec<u64>,
}

impl Paths {
    /// Delay and service from `station` to the hosts of `site`, if there is a route without a loop.
    #[must_use]
    pub fn walk(&self, station: u32, site: usize) -> Option<(u64, u64)> {
        self.visit(station, site, |_| ())
    }

    /// The same, telling `see` every station on the way.
    pub fn visit(&self, mut station: u32, site: usize, mut see: impl FnMut(u32)) -> Option<(u64, u64)> {
        let (mut delay, mut service) = (0, 0);
        for _ in 0..=self.next.len() {
            see(station);
            service = u64::saturating_add(service, self.service[station as usize]);
            match self.next[station as usize][site] {
                -1 => return Some((delay, service)),
                link => {
                    let &(to, more) = self.links.get(usize::try_from(link).ok()?)?;
                    delay = u64::saturating_add(delay, more);
                    station = to;
                }
            }
        }
        None
    }
}

impl World {
    /// Delay and zero-load service between two sites [ps]; zero where there is no route (checked earlier).
    #[must_use]
    pub fn path(&self, from: u16, to: u16) -> (u64, u64) {
        self.paths.walk(self.sites[usize::from(from)].global_station, usize::from(to)).unwrap_or_default()
    }

    /// Bytes of a data segment on the wire.
    #[must_use]
    pub fn data_bytes(&self) -> u32 {
        self.packet.smss + self.packet.header
    }

    /// Bytes of a packet on the wire.
    #[must_use]
    #[inline]
    pub fn bytes(&self, packet: &Packet) -> u32 {
        if packet.kind.is_data() { self.data_bytes() } else { self.packet.control }
    }

    /// Site of a receiver.
    #[must_use]
    pub fn site_of_receiver(&self, receiver: u32) -> u16 {
        site_at(&self.receiver_starts, receiver)
    }

    /// Site of a source of the population, or of the named flow that follows them.
    #[must_use]
    pub fn site_of_source(&self, source: u32) -> u16 {
        let population = self.population_sources();
        if source < population {
            site_at(&self.source_starts, source)
        } else {
            u16::try_from(self.flows[(source - population) as usize].source).unwrap_or(u16::MAX)
        }
    }

    /// Number of sources of the population.
    #[must_use]
    pub fn population_sources(&self) -> u32 {
        self.sources_before.last().copied().unwrap_or(0)
    }

    /// Whether a receiver of the population has a fast interface.
    #[must_use]
    pub fn receiver_is_fast(&self, receiver: u32, fast_probability: f64) -> bool {
        rng::uniform(self.streams.block(Purpose::Receiver, receiver, 0)[0]) < fast_probability
    }

    /// A receiver drawn uniformly from those a source in `region` may send to.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a 32-bit count fits 32 bits"
    )]
    pub fn draw_receiver(&self, word: u64, region: u16, other_regions: bool) -> u32 {
        let all = self.receivers_before.last().copied().unwrap_or(0);
        let region = usize::from(region);
        let (skip, skipped) = if other_regions {
            (self.receivers_before[region], self.receivers_before[region + 1] - self.receivers_before[region])
        } else {
            (0, 0)
        };
        let pick = ((rng::uniform(word) * f64::from(all - skipped)) as u32).min(all - skipped - 1);
        if pick < skip { pick } else { pick + skipped }
    }
}

fn site_at(starts: &[(u32, u16)], number: u32) -> u16 {
    starts[starts.partition_point(|&(first, _)| first <= number) - 1].1
}
