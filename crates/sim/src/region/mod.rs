//! A region: stations without delay between them, the hosts attached to them, and their events.
//!
//! A region runs alone through a window of time no longer than the shortest delay to it from any other,
//! and hands what leaves it to its neighbours at the end of the window. Results depend on how the scenario
//! divides the network into regions, never on how many threads run them.

mod connect;
mod deliver;
mod forward;
mod memory;
mod sample;
mod send;
mod trace;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use rustc_hash::FxHasher;

use crate::kernel::channels::{Channels, Fifos};
use crate::kernel::rng::Sequence;
use crate::kernel::timers::{TimerKind, Timers};
use crate::measure::counters::Counters;
use crate::measure::groups::{Groups, PAIRS, Transfer};
use crate::measure::output::{FlowSample, Sample, SegmentEvent};
use crate::net::headers::{Batch, Headers};
use crate::net::packet::Packet;
use crate::net::station::Station;
use crate::tcp::ranges::Pool;
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::Sender;
use crate::world::{Exit, World};

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;

/// What a channel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Timers; the first channel.
    Timers,
    /// Output of a station.
    Station(u16),
    /// Sending side of an interface class.
    Transmit,
    /// Last propagation, from a station to the hosts of its sites.
    Access,
    /// Receiving side of an interface class.
    Receive,
    /// A link into a station.
    Link(u16),
    /// What reaches hosts with propagation delay only: ACKs and releases.
    Direct,
}

/// A host that offers transfers, one after another.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Number over all regions.
    pub id: u32,
    /// Transfer in progress or next.
    pub cycle: u32,
    /// Named flow, or `NONE` for a member of the population.
    pub flow: u32,
    /// Connection in use.
    pub slot: u32,
    pub site: u16,
    pub algorithm: u16,
    pub fast: bool,
    pub impatient: bool,
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Idle,
    Connecting,
    Sending,
}

/// The sending end of a connection, from the first SYN to the last ACK.
#[derive(Debug)]
pub(crate) struct Connection {
    pub state: State,
    pub generation: u16,
    /// Index of the source within the region.
    pub source: u32,
    /// Connection at the receiver, and its generation.
    pub receiver: u32,
    pub receiver_generation: u16,
    /// Receiving host within its region.
    pub host: u32,
    pub site: u16,
    pub station: u16,
    pub interface: u8,
    pub pair: u8,
    pub file: u8,
    pub tries: u8,
    /// The interface is serialising a packet.
    pub busy: bool,
    /// What happens to its segments is recorded.
    pub traced: bool,
    pub size: u64,
    /// First segment sent [ps].
    pub started: u64,
    /// RTT of an empty network [ps].
    pub base_rtt: u64,
    /// Earliest pending retransmission timer, and pacing timer [ps].
    pub rto_timer: u64,
    pub pace_timer: bool,
    pub wakeup_timer: u64,
    pub sender: Option<Sender>,
}

/// A receiving host's interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    pub busy: bool,
    /// Packets waiting for it, in `Region::waiting`.
    pub first: u32,
    pub last: u32,
}

/// A receiving end, or a free place for one.
#[derive(Debug, Default)]
pub(crate) struct ReceiverSlot {
    pub generation: u16,
    pub cycle: u16,
    pub state: Option<Receiver>,
}

/// A flow given by name.
#[derive(Debug, Default)]
pub(crate) struct Named {
    pub flow: u32,
    pub source: u32,
    pub done: u64,
    pub done_resent: u64,
    pub seen: u64,
    pub seen_resent: u64,
}

/// See the module.
pub struct Region<C: Channels = Fifos> {
    pub(crate) world: Arc<World>,
    pub(crate) index: u16,
    pub(crate) kinds: Vec<Channel>,
    pub(crate) channels: C,
    pub(crate) timers: Timers,
    pub(crate) stations: Vec<Station>,
    /// Which station of the scenario each one is.
    pub(crate) station_ids: Vec<u32>,
    /// First channel of the sending and of the receiving side of interfaces.
    pub(crate) transmit: u16,
    pub(crate) receive: u16,
    /// Stations that deliver to hosts a delay away; that many channels lead to an interface class.
    pub(crate) delivering: u16,
    pub(crate) sources: Vec<Source>,
    pub(crate) connections: Vec<Connection>,
    pub(crate) free_connections: Vec<u32>,
    pub(crate) receivers: Vec<ReceiverSlot>,
    pub(crate) free_receivers: Vec<u32>,
    pub(crate) by_source: HashMap<u32, u32, BuildHasherDefault<FxHasher>>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) waiting: Vec<(Packet, u32)>,
    pub(crate) free_waiting: u32,
    pub(crate) pool: Pool,
    pub(crate) ack_loss: Sequence,
    pub(crate) dropped: Vec<Packet>,
    pub(crate) exits: Vec<Exit>,
    /// What leaves the region in this window, per exit.
    pub(crate) outbox: Vec<Batch>,
    /// Congestion headers of packets that are here.
    pub(crate) headers: Headers,
    pub(crate) counters: Counters,
    pub(crate) totals: Counters,
    pub(crate) class_acked: [u64; PAIRS],
    pub(crate) thinking: u64,
    pub(crate) groups: Groups,
    pub(crate) groups_from: u64,
    pub(crate) transfers: Vec<Transfer>,
    /// In the order of time.
    pub(crate) segments: Vec<SegmentEvent>,
    pub(crate) named: Vec<Named>,
    pub(crate) watched: Vec<(usize, u16)>,
    /// Samples taken so far.
    pub samples: Vec<Sample>,
    pub(crate) queue_samples: Vec<Vec<(usize, u64)>>,
    pub(crate) flow_samples: Vec<Vec<(u32, FlowSample)>>,
}

impl<C: Channels> Region<C> {
    /// Process every event before `end` [ps].
    pub fn advance(&mut self, end: u64) {
        loop {
            let (now, channel) = self.channels.first();
            if now >= end {
                return;
            }
            self.counters.events += 1;
            if channel == 0 {
                self.on_timer(now);
                continue;
            }
            match self.kinds[channel] {
                Channel::Station(station) => {
                    let packet = self.channels.take(channel);
                    self.on_departure(station, packet, now);
                }
                Channel::Transmit => {
                    let packet = self.channels.take(channel);
                    self.on_transmitted(packet, now);
                }
                Channel::Access => {
                    let packet = self.channels.take(channel);
                    self.on_host(packet, now);
                }
                Channel::Receive => {
                    let packet = self.channels.take(channel);
                    self.on_received(packet, now);
                }
                Channel::Link(station) => {
                    let packet = self.channels.take_line(channel);
                    self.enter(station, packet, now);
                }
                Channel::Direct => {
                    let packet = self.channels.take_line(channel);
                    self.on_host(packet, now);
                }
                Channel::Timers => {}
            }
        }
    }

    /// Put a packet into a channel of this region; its time is set.
    #[inline]
    pub(crate) fn push(&mut self, channel: usize, packet: Packet) {
        self.channels.push(channel, packet);
    }

    /// Put a packet into a delay line; its time is set to `now` plus the delay.
    pub(crate) fn leave(&mut self, exit: usize, mut packet: Packet, now: u64) {
        let line = self.exits[exit];
        packet.time = now.saturating_add(line.delay);
        if line.region == self.index {
            self.channels.push_line(usize::from(line.channel), packet);
        } else {
            self.outbox[exit].push(packet, &mut self.headers);
        }
    }

    /// Take packets from another region; none is left in the batch.
    pub fn accept(&mut self, channel: u16, batch: &mut Batch) {
        self.channels.append(usize::from(channel), batch.unpack(&mut self.headers));
    }

    pub(crate) fn set_timer(&mut self, time: u64, kind: TimerKind, id: u32, generation: u16) {
        if time < self.world.end && self.timers.set(time, kind, id, generation) {
            self.channels.set_timer(time);
        }
    }

    fn on_timer(&mut self, now: u64) {
        let Some(timer) = self.timers.pop() else { return };
        self.channels.set_timer(self.timers.head_time());
        match timer.kind {
            TimerKind::Start => self.connect(timer.id, now),
            TimerKind::Stop => self.stop(timer.id, now),
            TimerKind::DelayedAck => self.on_delayed_ack(timer.id, timer.generation, now),
            _ => {
                let Some(connection) = self.connections.get(timer.id as usize) else { return };
                if connection.generation != timer.generation || connection.state == State::Idle {
                    return;
                }
                match timer.kind {
                    TimerKind::Syn => self.on_syn_timeout(timer.id, now),
                    TimerKind::Rto => self.on_rto_timer(timer.id, timer.time, now),
                    TimerKind::Pace => {
                        self.connections[timer.id as usize].pace_timer = false;
                        self.send(timer.id, now);
                    }
                    TimerKind::Wakeup => self.on_wakeup(timer.id, now),
                    _ => self.abandon(timer.id, now),
                }
            }
        }
    }

    /// Data segments and SYNs under way in this region.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        let (mut count, mut laden) = (0, 0);
        self.each(&mut |packet, entered| {
            count += u64::from(entered && packet.kind.is_forward());
            laden += usize::from(packet.kind.has_header());
        });
        debug_assert_eq!(laden, self.headers.len(), "headers of packets under way");
        count
    }

    /// Every packet here, and whether it has entered the network.
    fn each(&self, see: &mut dyn FnMut(&Packet, bool)) {
        for (channel, kind) in self.kinds.iter().enumerate() {
            // What an interface is still serialising has not entered the network.
            self.channels.all(channel).for_each(|packet| see(packet, *kind != Channel::Transmit));
        }
        for host in &self.hosts {
            let mut at = host.first;
            while at != NONE {
                let (packet, next) = &self.waiting[at as usize];
                see(packet, true);
                at = *next;
            }
        }
        for discipline in self.stations.iter().filter_map(|station| station.discipline.as_ref()) {
            discipline.each(&mut |packet| see(packet, true));
        }
    }
}
