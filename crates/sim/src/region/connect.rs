//! Connections are established. From: `think`, or the start of a named flow. SYNs go out by `send`, and the SYN+ACK
//! comes back by `deliver`; with it the transfer begins. To: `send`.

use congestion::{Duration, Initial, Time};

use super::Region;
use super::connections::{Class, Connection, Path, Peer, State};
use super::think::Offer;
use crate::kernel::channels::Channels;
use crate::kernel::rng::Purpose;
use crate::kernel::timers::TimerKind;
use crate::measure::groups::pair;
use crate::measure::packets::Cause;
use crate::net::packet::{self, Kind, Packet};
use crate::tcp::sender::Sender;

impl<C: Channels<Packet>> Region<C> {
    /// A source has finished thinking, or a named flow starts.
    pub(super) fn connect(&mut self, source: u32, now: Time) {
        let offer = self.offer(source, now);
        let slot = self.connections.open(self.connection(source, &offer));
        self.sources[source].slot = slot;
        self.set_patience(slot, now);
        self.send_syn(slot, now);
    }

    pub(super) fn connection(&self, source: u32, offer: &Offer) -> Connection {
        let world = &self.world;
        let origin = &self.sources[source];
        let (from, to) = (&world.sites[usize::from(origin.site)], &world.sites[usize::from(offer.site)]);
        Connection {
            state: State::Connecting,
            source,
            path: Path { station: from.station, site: offer.site, host: offer.host },
            class: Class {
                interface: offer.interface,
                pair: pair(from.class, to.class),
                file: offer.file,
                of_population: origin.is_of_population(),
            },
            traced: world.traces() && !origin.is_of_population(),
            size: offer.size,
            base_rtt: world.base_rtt(origin.site, offer.site, offer.interface),
            ..Connection::default()
        }
    }

    /// Set the timer that ends the transfer of an impatient source.
    fn set_patience(&mut self, slot: u32, now: Time) {
        let connection = &self.connections[slot];
        if !self.sources[connection.source].impatient {
            return;
        }
        let Some(patience) = self.world.traffic.population.and_then(|population| population.patience) else {
            return;
        };
        let serialisation = self.world.serialisation(connection.class.interface);
        #[expect(clippy::cast_precision_loss, reason = "an estimate of patience, not an account")]
        let ideal = connection.size as f64 * serialisation.seconds() + 2.0 * connection.base_rtt.seconds();
        let limit = patience.min_time.max(patience.factor * ideal);
        let at = now + Duration::from_seconds(limit);
        self.events.set_timer(at, TimerKind::Patience, slot, connection.generation);
    }

    fn send_syn(&mut self, slot: u32, now: Time) {
        let connection = &mut self.connections[slot];
        connection.tries += 1;
        let (tries, generation) = (connection.tries, connection.generation);
        let source = &self.sources[connection.source];
        #[expect(clippy::cast_possible_truncation, reason = "the cycle is compared modulo 2^16")]
        let span = source.cycle as u16;
        let packet = connection.path.packet(Kind::Syn, slot, source.id, now);
        let packet = Packet { span, generation, interface: connection.class.interface, ..packet };
        self.recorder.counters.syns += 1;
        let cause = if tries > 1 { Cause::Retransmission } else { Cause::Ordinary };
        self.capture_at_sender(slot, &packet, cause, now);
        self.transmit(slot, packet, now);
        let wait = self.world.handshake.wait(tries);
        self.events.set_timer(now + wait, TimerKind::Syn, slot, generation);
    }

    /// No SYN+ACK came in time.
    pub(super) fn on_syn_timeout(&mut self, slot: u32, now: Time) {
        let connection = &self.connections[slot];
        if connection.state != State::Connecting {
            return;
        }
        if connection.tries < self.world.handshake.tries {
            self.send_syn(slot, now);
        } else {
            self.recorder.counters.connection_failures += 1;
            let source = connection.source;
            self.close(slot, now);
            self.give_up(source, now);
        }
    }

    /// The connection is established: the transfer begins.
    pub(super) fn on_syn_ack(&mut self, packet: &Packet, now: Time) {
        let connection = &self.connections[packet.slot];
        if connection.generation != packet.generation || connection.state != State::Connecting {
            return;
        }
        let traced = connection.traced;
        let sender = self.sender(connection, packet, now);
        let connection = &mut self.connections[packet.slot];
        connection.sender = Some(sender);
        connection.state = State::Sending;
        connection.peer = Peer { slot: packet.seq, generation: packet.receiver_generation() };
        connection.started = now;
        self.recorder.counters.connections += 1;
        if traced {
            self.capture_at_sender(packet.slot, packet, Cause::Ordinary, now);
            self.capture_agreement(packet.slot);
        }
        self.begin_bursts(packet.slot, now);
        self.schedule_wakeup(packet.slot, now);
        self.send(packet.slot, now);
    }

    /// The sender of a connection that a SYN+ACK establishes.
    fn sender(&self, connection: &Connection, syn_ack: &Packet, now: Time) -> Sender {
        let world = &self.world;
        let source = &self.sources[connection.source];
        let seed = world.streams.block(Purpose::Controller, source.id, source.cycle)[0];
        let initial = &world.controllers.initial;
        // RFC 6928 section 2: one segment after "more than one SYN or SYN/ACK retransmissions".
        let window = match world.handshake.loss_window {
            Some(window) if connection.tries > 2 => window.min(initial.window),
            _ => initial.window,
        };
        let factory = &world.controllers.factories[usize::from(source.algorithm)];
        let control = factory(&Initial { seed, window, ..*initial });
        let rtt = packet::since(now, syn_ack.stamp);
        // A file too large to number its segments cannot be finished within a run either.
        let limit = u32::try_from(connection.size).unwrap_or(u32::MAX);
        let limit = self.first_burst(connection.source, limit);
        Sender::new(control, limit, rtt, &world.mechanism)
    }
}
