//! A region: stations without delay between them, the hosts attached to them, and their events.
//!
//! A region runs alone through a window of time no longer than the shortest delay to it from any other,
//! and hands what leaves it to its neighbours at the end of the window. Results depend on how the scenario
//! divides the network into regions, never on how many threads run them.
//!
//! The parts (`events`, `stations`, `hosts`, `sources`, `connections`, `receivers`, `outlets`, `recorder`) own their
//! data. The other files are the cycle of a source and the way of its packets through the parts:
//!
//! ```text
//! think -> connect -> send -> forward -> deliver -> reply -> forward, or a delay line -> deliver -> acknowledge
//!   ^                  ^                                                                              |
//!   +---- finish <-----+------------------------------------------------------------------------------+
//! ```
//!
//! Where a region splits (`passes`), `routers` stand in the place of `forward` from `send` to `deliver`, and senders, routers and
//! receivers go through a window one after another.

mod acknowledge;
mod applications;
mod bursts;
mod capture;
mod connect;
mod connections;
mod datagrams;
mod deferred;
mod deliver;
mod events;
mod finish;
mod forward;
mod halt;
mod hosts;
mod jitter;
mod memory;
mod misbehave;
mod nada;
mod outlets;
mod passes;
mod player;
mod receivers;
mod receptions;
mod recorder;
mod reply;
mod routers;
mod sample;
mod send;
mod sources;
mod stations;
mod think;
mod timed;
mod trace;
mod travel;

use std::sync::Arc;

use congestion::Time;

use self::connections::Connections;
use self::deferred::Deferred;
pub use self::events::Channel;
pub(crate) use self::events::{ChannelMap, Events};
use self::halt::EVENTS_PER_LOOK;
pub use self::halt::{Course, MOST_OVERDUE};
pub(crate) use self::hosts::{Host, Hosts};
pub(crate) use self::outlets::Outlets;
use self::passes::Passes;
use self::receivers::Receivers;
pub use self::recorder::{FlowRecord, Recorder, Watched};
pub(crate) use self::sources::{Source, Sources};
pub(crate) use self::stations::Stations;
use crate::kernel::channels::{Channels, Fifos};
use crate::kernel::timers::TimerKind;
use crate::net::headers::{Batch, Headers};
use crate::net::packet::Packet;
use crate::tcp::ranges::Pool;
use crate::world::World;

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;

/// See the module.
pub struct Region<C: Channels<Packet> = Fifos<Packet>> {
    pub(crate) world: Arc<World>,
    pub(crate) index: u16,
    pub(crate) events: Events<C>,
    pub(crate) stations: Stations,
    pub(crate) hosts: Hosts,
    pub(crate) sources: Sources,
    connections: Connections,
    receivers: Receivers,
    pub(crate) outlets: Outlets,
    deferred: Deferred,
    /// Congestion headers of packets that are here.
    headers: Headers,
    /// Sets of segments to be used again.
    pool: Pool,
    pub(crate) recorder: Recorder,
    pub(crate) course: Course,
    /// Its routers and receivers, if it splits.
    passes: Option<Passes<C>>,
}

impl<C: Channels<Packet>> Region<C> {
    /// A region without sources, at the beginning of a run.
    pub(crate) fn new(
        world: Arc<World>,
        index: u16,
        map: ChannelMap,
        stations: Stations,
        hosts: Hosts,
        recorder: Recorder,
    ) -> Self {
        let mut region = Self {
            events: Events::new(map, world.end),
            deferred: Deferred::new(stations.slack),
            stations,
            hosts,
            sources: Sources::default(),
            connections: Connections::default(),
            receivers: Receivers::new(world.numbering.sources()),
            outlets: Outlets::new(world.exits.lines[usize::from(index)].clone()),
            headers: Headers::default(),
            pool: Pool::new(),
            recorder,
            course: Course::default(),
            passes: None,
            world,
            index,
        };
        region.split();
        region
    }

    /// Process every event before `end`, which is earlier if the run halts.
    pub fn advance(&mut self, end: Time) {
        let end = self.proceed(end);
        if self.passes.is_some() {
            self.route(end);
            self.receive_until(end);
        }
        self.course.reached = end;
        self.catch_up_all(end);
    }

    /// Process every event before `end`, those of senders where the region splits; an earlier end if the run halts.
    fn proceed(&mut self, mut end: Time) -> Time {
        loop {
            let (now, channel) = self.events.channels.first();
            if now >= end {
                return end;
            }
            self.recorder.counters.events += 1;
            if self.recorder.counters.events.is_multiple_of(EVENTS_PER_LOOK) {
                end = self.look(now, end);
            }
            if channel == 0 {
                self.on_timer(now);
                continue;
            }
            match self.events.map.kinds[channel] {
                Channel::Station(station) => {
                    let packet = self.events.channels.take(channel);
                    self.on_departure(station, packet, now);
                }
                Channel::Transmit => {
                    let packet = self.events.channels.take(channel);
                    self.on_transmitted(packet, now);
                }
                Channel::Access => {
                    let packet = self.events.channels.take(channel);
                    self.deliver(packet, now);
                }
                Channel::Receive => {
                    let packet = self.events.channels.take(channel);
                    self.on_received(packet, now);
                }
                Channel::Link(station) => {
                    let packet = self.events.channels.take_line(channel);
                    self.enter(station, packet, now);
                }
                Channel::Acks => {
                    let packet = self.events.channels.take_line(channel);
                    self.prefetch_senders(channel);
                    self.deliver(packet, now);
                }
                Channel::Releases => {
                    let packet = self.events.channels.take_line(channel);
                    self.deliver(packet, now);
                }
                Channel::Path(path) => {
                    let packet = self.events.channels.take(channel);
                    self.on_path(path, packet, now);
                }
                Channel::Timers => {}
            }
        }
    }

    fn on_timer(&mut self, now: Time) {
        let Some(timer) = self.events.take_timer() else { return };
        let (id, generation) = (timer.id, timer.generation);
        match timer.kind {
            TimerKind::Start => self.connect(id, now),
            TimerKind::Stop => self.stop(id, now),
            TimerKind::Application => self.on_application(id, now),
            TimerKind::CatchUp => self.on_catch_up(now),
            TimerKind::DelayedAck => self.on_delayed_ack(id, generation, now),
            _ if !self.connections.is_current(id, generation) => {}
            TimerKind::Burst => self.offer_burst(id, now),
            TimerKind::Syn => self.on_syn_timeout(id, now),
            TimerKind::Rto => self.on_rto_timer(id, timer.time, now),
            TimerKind::Pace => self.on_pace_timer(id, now),
            TimerKind::Wakeup => self.on_wakeup(id, now),
            TimerKind::Patience => self.abandon(id, now),
        }
    }

    /// Take packets from another region; none is left in the batch.
    pub fn accept(&mut self, channel: u16, batch: &mut Batch) {
        let packets = batch.unpack(&mut self.headers);
        let channel = usize::from(channel);
        match (&mut self.passes, self.events.map.kinds[channel]) {
            (Some(passes), Channel::Link(_)) => passes.routers.accept(channel, packets),
            (Some(passes), Channel::Releases) => passes.receiving.channels.append(channel, packets),
            _ => self.events.channels.append(channel, packets),
        }
    }

    /// Data segments and SYNs under way in this region.
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
        self.events.each(see);
        if let Some(passes) = &self.passes {
            passes.receiving.each(see);
            passes.receptions.each(&mut |packet| see(packet, true));
            passes.routers.each(&mut |packet| see(packet, true));
        }
        self.hosts.each(&mut |packet| see(packet, true));
        self.stations.each(&mut |packet| see(packet, true));
    }
}
