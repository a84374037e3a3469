//! Tables that all regions of a run share and nobody changes: sites, routes, ways back, traffic.

mod application;
mod exits;
mod numbering;
mod paths;
mod traffic;
mod watch;

use std::sync::Arc;

use congestion::{Duration, Factory, Initial, Time};

pub use self::application::{Adaptation, Application, Behaviour, Call, Law, Video};
pub use self::exits::{AckExit, Exit, Exits};
pub use self::numbering::Numbering;
pub use self::paths::Paths;
pub use self::traffic::{Bursts, Files, Flow, Jumbo, Patience, Population, Traffic};
pub use self::watch::{Unwatched, Watch};
use crate::kernel::rng::{self, Purpose, Streams};
use crate::net::packet::{Packet, PacketSizes};
use crate::net::service::Service;
use crate::tcp::linux::ack_timing::{AckRules, AckTimingOptions};
use crate::tcp::mechanism::Mechanism;

/// Tables shared by all regions.
pub struct World {
    /// Length of the run.
    pub end: Time,
    /// Sizes on the wire.
    pub sizes: PacketSizes,
    /// The TCP mechanism.
    pub mechanism: Mechanism,
    /// Acknowledgement by receivers.
    pub acks: Acks,
    /// Connection requests.
    pub handshake: Handshake,
    /// Congestion controllers.
    pub controllers: Controllers,
    /// Sites.
    pub sites: Vec<SiteInfo>,
    /// Interfaces.
    pub interfaces: Vec<InterfaceInfo>,
    /// Delay lines that leave regions.
    pub exits: Exits,
    /// Propagation delay and zero-load service between sites.
    pub paths: Paths,
    /// Numbers of sources and receivers.
    pub numbering: Numbering,
    /// Who sends how much to whom.
    pub traffic: Traffic,
    /// Measurements to be recorded.
    pub recording: Recording,
    /// Random numbers.
    pub streams: Streams,
    /// May end the run before its time.
    pub watch: Arc<dyn Watch>,
}

/// Acknowledgement by receivers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acks {
    /// Segments per ACK.
    pub every: u32,
    /// Segments of a connection that are acknowledged one by one at first.
    pub quick: u32,
    /// Longest time an ACK is held back.
    pub delay: Duration,
    /// Timing, where the time is not fixed.
    pub timing: AckTimingOptions,
    /// ACKs travel through the stations.
    pub through_stations: bool,
}

impl Acks {
    /// Rules for the timing of ACKs.
    pub fn rules(&self) -> AckRules {
        AckRules { every: self.every, quick: self.quick, delay: self.delay, timing: self.timing }
    }

    /// Segments per ACK where `segment` arrives. Linux acknowledges the first ones at once, for the window of a new flow
    /// to grow (`tcp_enter_quickack_mode`).
    #[inline]
    pub fn every_of(&self, segment: u32) -> u32 {
        if segment < self.quick { 1 } else { self.every }
    }
}

/// Connection requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Handshake {
    /// Wait before the first SYN retry.
    pub timeout: Duration,
    /// SYNs before failure.
    pub tries: u8,
    /// Waits as long as the first, after which they double.
    pub linear: u8,
    /// Initial window after more than one SYN was sent again, if it is another [segments].
    pub loss_window: Option<f64>,
}

impl Handshake {
    /// Wait for an answer to the SYN of this number, from 1 on. It doubles with every SYN (RFC 6298 section 5.5), in Linux
    /// after the first four (`tcp_syn_linear_timeouts`).
    pub fn wait(&self, tries: u8) -> Duration {
        self.timeout * (1 << tries.saturating_sub(1).saturating_sub(self.linear).min(16))
    }
}

/// Congestion controllers of the algorithms.
pub struct Controllers {
    /// Initial parameters; each controller gets its own seed.
    pub initial: Initial,
    /// Constructors, one per algorithm.
    pub factories: Vec<Factory>,
}

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
    /// Propagation between host and site, both ends of a flow together.
    pub delay: Duration,
    /// Way of a packet from a sending host to its site.
    pub sending: Sending,
}

/// Time that a packet takes from the decision to send it to the network.
#[derive(Clone, Copy, Debug)]
pub enum Sending {
    /// None: the line rate is infinite.
    AtOnce,
    /// Serialisation.
    Serial(Service),
    /// A random delay up to this limit, then serialisation, if the line rate is finite.
    Jittered(Duration),
}

impl Sending {
    /// Time that it takes at an interface of hosts with jitter up to `jitter`.
    pub fn new(service: Option<Service>, jitter: Duration) -> Self {
        match service {
            _ if jitter > Duration::ZERO => Self::Jittered(jitter),
            Some(service) => Self::Serial(service),
            None => Self::AtOnce,
        }
    }
}

/// Measurements to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct Recording {
    /// Measurement interval.
    pub interval: Duration,
    /// Every completed transfer.
    pub transfers: bool,
    /// Fate of every data segment of the named flows.
    pub segments: bool,
    /// Every packet of the named flows at both hosts, and the states of their senders.
    pub packets: bool,
    /// Statistics by group count transfers completed from here on.
    pub groups_from: Time,
}

impl World {
    /// Returns true if anything is recorded of packets of the named flows one by one.
    pub fn traces(&self) -> bool {
        self.recording.segments || self.recording.packets || !self.traffic.applications.is_empty()
    }

    /// Delay and zero-load service between two sites; zero where there is no route (checked earlier).
    pub fn path(&self, from: u16, to: u16) -> (Duration, Duration) {
        self.paths.walk(self.sites[usize::from(from)].global_station, usize::from(to)).unwrap_or_default()
    }

    /// RTT of a data segment and its ACK in an empty network.
    pub fn base_rtt(&self, from: u16, to: u16, interface: u8) -> Duration {
        let (there, service) = self.path(from, to);
        let (back, _) = self.path(to, from);
        let access = self.interfaces[usize::from(interface)].delay * 2;
        [there, back, access, service, self.serialisation(interface) * 2].into_iter().sum()
    }

    /// Time that a data segment takes at an interface.
    pub fn serialisation(&self, interface: u8) -> Duration {
        let service = self.interfaces[usize::from(interface)].service;
        service.map_or(Duration::ZERO, |service| service.time(self.data_bytes()))
    }

    /// Bytes of a data segment on the wire.
    pub fn data_bytes(&self) -> u32 {
        self.sizes.smss + self.sizes.header
    }

    /// Bytes of a packet on the wire.
    #[inline]
    pub fn bytes(&self, packet: &Packet) -> u32 {
        if packet.kind.is_data() { self.data_bytes() } else { self.sizes.control }
    }

    /// Propagation delay from a site to the packet's hosts.
    #[inline]
    pub fn access_delay(&self, packet: &Packet) -> Duration {
        self.interfaces[usize::from(packet.interface)].delay
    }

    /// Site of a source of the population, or of the named flow that follows them.
    pub fn site_of_source(&self, source: u32) -> u16 {
        let population = self.numbering.sources();
        if source < population {
            self.numbering.site_of_source(source)
        } else {
            self.traffic.flows[(source - population) as usize].source
        }
    }

    /// `true` if a receiver of the population has a fast interface.
    pub fn receiver_is_fast(&self, receiver: u32, fast_probability: f64) -> bool {
        rng::uniform(self.streams.block(Purpose::Receiver, receiver, 0)[0]) < fast_probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of SYNs and of the failure [s].
    fn schedule(tries: u8, linear: u8) -> Vec<u64> {
        let timeout = Duration::from_millis(1000);
        let handshake = Handshake { timeout, tries, linear, loss_window: None };
        let waits = (1..=tries).map(|number| handshake.wait(number).0 / timeout.0);
        std::iter::once(0)
            .chain(waits.scan(0, |at, wait| {
                *at += wait;
                Some(*at)
            }))
            .collect()
    }

    /// RFC 6298 section 5.5, with seven SYNs as in Linux before 6.5; then `tcp_syn_linear_timeouts` 4, whose sysctl
    /// documentation speaks of a last SYN after 67 s and a failure after 131 s.
    #[test]
    fn linear_timeouts_come_before_the_waits_double() {
        assert_eq!(schedule(7, 0), [0, 1, 3, 7, 15, 31, 63, 127]);
        assert_eq!(schedule(11, 4), [0, 1, 2, 3, 4, 5, 7, 11, 19, 35, 67, 131]);
    }
}
