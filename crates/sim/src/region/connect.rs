//! The cycle of a source: thinking, connecting, sending, thinking.

use congestion::{Duration, Initial};

use super::{Connection, NONE, Region, State};
use crate::kernel::channels::Channels;
use crate::kernel::rng::{self, Block, Purpose};
use crate::kernel::timers::TimerKind;
use crate::measure::groups::{GroupKey, Transfer, pair};
use crate::net::packet::{self, Kind, Packet};
use crate::tcp::rtt::RttEstimator;
use crate::tcp::sender::Sender;

/// What a source is about to transfer.
struct Offer {
    size: u64,
    site: u16,
    host: u32,
    interface: u8,
    file: u8,
}

impl<C: Channels> Region<C> {
    fn draws(&self, source: u32) -> Block {
        let source = &self.sources[source as usize];
        self.world.streams.block(Purpose::Transfer, source.id, source.cycle)
    }

    /// A source begins to think.
    pub(crate) fn think(&mut self, source: u32, now: u64) {
        let Some(population) = &self.world.population else { return };
        let time = rng::exponential(self.draws(source)[0], population.think_mean);
        self.thinking += 1;
        self.set_timer(now.saturating_add(Duration::from_seconds(time).0), TimerKind::Start, source, 0);
    }

    /// A source has finished thinking, or a named flow starts.
    pub(crate) fn connect(&mut self, source: u32, now: u64) {
        let offer = if self.sources[source as usize].flow == NONE {
            self.thinking -= 1;
            self.offer(source, now)
        } else {
            self.named_offer(source)
        };
        let world = self.world.clone();
        let origin = self.sources[source as usize].clone();
        let (there, service) = world.path(origin.site, offer.site);
        let (back, _) = world.path(offer.site, origin.site);
        let interface = &world.interfaces[usize::from(offer.interface)];
        let serialise = interface.service.map_or(0, |service| 2 * service.time(world.data_bytes()));
        let slot = self.free_connections.pop().unwrap_or_else(|| {
            self.connections.push(Connection::idle());
            u32::try_from(self.connections.len() - 1).unwrap_or(NONE)
        });
        let (from, to) = (&world.sites[usize::from(origin.site)], &world.sites[usize::from(offer.site)]);
        let connection = &mut self.connections[slot as usize];
        *connection = Connection {
            state: State::Connecting,
            generation: connection.generation,
            source,
            receiver: NONE,
            receiver_generation: 0,
            host: offer.host,
            site: offer.site,
            station: from.station,
            interface: offer.interface,
            pair: pair(from.class, to.class),
            file: offer.file,
            tries: 0,
            busy: false,
            traced: world.measure.segments && origin.flow != NONE,
            size: offer.size,
            started: 0,
            base_rtt: [there, back, 2 * interface.delay, service, serialise]
                .into_iter()
                .fold(0, u64::saturating_add),
            rto_timer: u64::MAX,
            pace_timer: false,
            wakeup_timer: u64::MAX,
            sender: None,
        };
        let (generation, base_rtt) = (connection.generation, connection.base_rtt);
        self.sources[source as usize].slot = slot;
        if origin.impatient
            && let Some(patience) = world.population.as_ref().and_then(|p| p.patience)
        {
            #[expect(clippy::cast_precision_loss, reason = "an estimate of patience, not an account")]
            let ideal =
                offer.size as f64 * Duration(serialise / 2).seconds() + 2.0 * Duration(base_rtt).seconds();
            let limit = patience.min_time.max(patience.factor * ideal);
            let at = now.saturating_add(Duration::from_seconds(limit).0);
            self.set_timer(at, TimerKind::Patience, slot, generation);
        }
        self.send_syn(slot, now);
    }

    /// What the next transfer of a member of the population is.
    fn offer(&self, source: u32, now: u64) -> Offer {
        let world = &self.world;
        let origin = &self.sources[source as usize];
        let draws = self.draws(source);
        let Some(population) = &world.population else { return self.named_offer(source) };
        let receiver = world.draw_receiver(draws[3], self.index, population.receivers_in_other_regions);
        let site = world.site_of_receiver(receiver);
        let to = &world.sites[usize::from(site)];
        let files = &population.files;
        let mut segments = rng::pareto(draws[2], files.mean, files.shape);
        let mut file = 0;
        let mut kind = rng::uniform(draws[1]);
        for (at, (probability, factor)) in (1..).zip(files.probability.iter().zip(files.factor)) {
            if kind < *probability {
                file = at;
                segments *= factor;
                break;
            }
            kind -= probability;
        }
        let class = world.sites[usize::from(origin.site)].class;
        if let Some(jumbo) = population.jumbo
            && pair(class, to.class) == 0
            && (Duration::from_seconds(jumbo.start).0..Duration::from_seconds(jumbo.end).0).contains(&now)
        {
            segments *= jumbo.factor;
        }
        let fast = origin.fast && world.receiver_is_fast(receiver, population.fast_probability);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
        let segments = (libm::ceil(segments) as u64).max(1);
        Offer {
            size: segments,
            site,
            host: receiver - world.receivers_before[usize::from(to.region)],
            interface: u8::from(fast),
            file,
        }
    }

    fn named_offer(&self, source: u32) -> Offer {
        let world = &self.world;
        let at = self.sources[source as usize].flow;
        let flow = &world.flows[at as usize];
        let site = u16::try_from(flow.receiver).unwrap_or(u16::MAX);
        Offer {
            size: flow.size.unwrap_or(u64::MAX),
            site,
            host: world.flow_hosts[at as usize],
            interface: u8::try_from(flow.interface).unwrap_or(u8::MAX),
            file: 0,
        }
    }

    fn send_syn(&mut self, slot: u32, now: u64) {
        let world = self.world.clone();
        let connection = &mut self.connections[slot as usize];
        connection.tries += 1;
        let (tries, generation) = (connection.tries, connection.generation);
        let source = &self.sources[connection.source as usize];
        #[expect(clippy::cast_possible_truncation, reason = "the cycle is compared modulo 2^16")]
        let packet = Packet {
            time: now,
            slot,
            seq: source.id,
            stamp: packet::stamp(now),
            extent: connection.host,
            span: source.cycle as u16,
            generation,
            site: connection.site,
            interface: connection.interface,
            kind: Kind::Syn,
        };
        self.counters.syns += 1;
        self.transmit(slot, packet, now);
        // The wait doubles with every SYN (RFC 6298 section 5.5).
        let wait = world.syn_timeout.saturating_mul(1 << (tries - 1).min(16));
        self.set_timer(now.saturating_add(wait), TimerKind::Syn, slot, generation);
    }

    pub(crate) fn on_syn_timeout(&mut self, slot: u32, now: u64) {
        let connection = &self.connections[slot as usize];
        if connection.state != State::Connecting {
            return;
        }
        if connection.tries < self.world.syn_tries {
            self.send_syn(slot, now);
        } else {
            self.counters.connection_failures += 1;
            self.close(slot, now);
        }
    }

    /// The connection is established: the transfer begins.
    pub(crate) fn on_syn_ack(&mut self, packet: &Packet, now: u64) {
        let world = self.world.clone();
        let connection = &mut self.connections[packet.slot as usize];
        if connection.generation != packet.generation || connection.state != State::Connecting {
            return;
        }
        let source = &self.sources[connection.source as usize];
        let seed = world.streams.block(Purpose::Controller, source.id, source.cycle)[0];
        // RFC 6928 section 2: one segment after "more than one SYN or SYN/ACK retransmissions".
        let window = match world.syn_loss_window {
            Some(window) if connection.tries > 2 => window.min(world.initial.window),
            _ => world.initial.window,
        };
        let control =
            world.factories[usize::from(source.algorithm)](&Initial { seed, window, ..world.initial });
        let mut rtt = RttEstimator::new(&world.mechanism.rto);
        rtt.sample(packet::since(now, packet.stamp), &world.mechanism.rto);
        // A file too large to number its segments cannot be finished within a run either.
        let limit = u32::try_from(connection.size).unwrap_or(u32::MAX);
        connection.sender = Some(Sender::new(control, limit, rtt, &world.mechanism));
        connection.state = State::Sending;
        connection.receiver = packet.seq;
        connection.receiver_generation = packet.receiver_generation();
        connection.started = now;
        self.counters.connections += 1;
        self.schedule_wakeup(packet.slot);
        self.send(packet.slot, now);
    }

    /// Everything is acknowledged.
    pub(crate) fn complete(&mut self, slot: u32, now: u64) {
        let connection = &self.connections[slot as usize];
        let source = &self.sources[connection.source as usize];
        let Some(sender) = &connection.sender else { return };
        self.counters.completed += 1;
        self.counters.completed_size += connection.size.min(u64::from(sender.limit));
        self.counters.completed_sent += sender.sent;
        let transfer = Transfer {
            source: source.id,
            site: connection.site,
            key: GroupKey {
                algorithm: source.algorithm,
                pair: connection.pair,
                interface: connection.interface,
                file: connection.file,
            },
            size: u64::from(sender.limit),
            sent: sender.sent,
            start: Duration(connection.started).seconds(),
            duration: Duration(now - connection.started).seconds(),
        };
        if source.flow == NONE && now >= self.groups_from {
            self.groups.add(&transfer);
        }
        if self.world.measure.transfers {
            self.transfers.push(transfer);
        }
        self.close(slot, now);
    }

    /// A source has lost patience.
    pub(crate) fn abandon(&mut self, slot: u32, now: u64) {
        self.counters.aborted += 1;
        self.close(slot, now);
    }

    /// A named flow offers no more data.
    pub(crate) fn stop(&mut self, source: u32, now: u64) {
        let slot = self.sources[source as usize].slot;
        let Some(connection) = self.connections.get_mut(slot as usize) else { return };
        let Some(sender) = &mut connection.sender else {
            if connection.state == State::Connecting {
                self.close(slot, now);
            }
            return;
        };
        sender.limit = sender.next;
        if sender.is_done() {
            self.complete(slot, now);
        }
    }

    /// The connection ends; its source thinks again.
    fn close(&mut self, slot: u32, now: u64) {
        let connection = &mut self.connections[slot as usize];
        let (site, receiver, generation) =
            (connection.site, connection.receiver, connection.receiver_generation);
        let source = connection.source;
        if let Some(mut sender) = connection.sender.take() {
            sender.retire(&mut self.pool);
            // Named flows are the last sources of a region, in the same order.
            let population = self.sources.len() - self.named.len();
            if let Some(named) = (source as usize).checked_sub(population).map(|at| &mut self.named[at]) {
                named.done += sender.delivered;
                named.done_resent += sender.resent;
            }
        }
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Idle;
        connection.generation = connection.generation.wrapping_add(1);
        self.free_connections.push(slot);
        let origin = &mut self.sources[source as usize];
        origin.slot = NONE;
        origin.cycle += 1;
        let (id, population) = (origin.id, origin.flow == NONE);
        if receiver != NONE {
            let release = Packet {
                slot: receiver,
                seq: id,
                generation,
                site,
                kind: Kind::Release,
                ..Packet::default()
            };
            let region = usize::from(self.world.sites[usize::from(site)].region);
            let exit = self.world.release_exits[usize::from(self.index)][region];
            self.leave(usize::from(exit), release, now);
        }
        if population {
            self.think(source, now);
        }
    }
}

impl Connection {
    fn idle() -> Self {
        Self {
            state: State::Idle,
            generation: 0,
            source: NONE,
            receiver: NONE,
            receiver_generation: 0,
            host: NONE,
            site: 0,
            station: 0,
            interface: 0,
            pair: 0,
            file: 0,
            tries: 0,
            busy: false,
            traced: false,
            size: 0,
            started: 0,
            base_rtt: 0,
            rto_timer: u64::MAX,
            pace_timer: false,
            wakeup_timer: u64::MAX,
            sender: None,
        }
    }
}
