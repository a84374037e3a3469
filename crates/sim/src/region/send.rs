//! Segments from a sender to the network. From: `connect`, and `acknowledge` for every ACK and timer of the sender.
//! To: `forward`.

use congestion::Time;

use super::Region;
use super::connections::State;
use super::halt::EVENTS_PER_LOOK;
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::measure::output::Fate;
use crate::net::packet::{Codepoint, Kind, Packet};
use crate::world::Sending;

impl<C: Channels<Packet>> Region<C> {
    /// Send whatever window, pacer and interface allow.
    pub(super) fn send(&mut self, slot: u32, now: Time) {
        let mut left = EVENTS_PER_LOOK;
        while self.send_next(slot, now) {
            left -= 1;
            if left == 0 {
                left = EVENTS_PER_LOOK;
                if self.world.watch.halts() {
                    break;
                }
            }
        }
        if self.connections[slot].traced {
            self.capture_state(slot, now);
        }
        self.arm(slot);
    }

    /// Send the next segment that may go, if there is one.
    #[inline]
    fn send_next(&mut self, slot: u32, now: Time) -> bool {
        let mechanism = &self.world.mechanism;
        let connection = &mut self.connections[slot];
        if connection.busy {
            return false;
        }
        let Some(sender) = &mut connection.sender else { return self.send_datagram(slot, now) };
        if sender.pacer.next_send_time() > now {
            if !sender.awaits_ack() {
                self.arm_pacer(slot);
            }
            return false;
        }
        let Some(sent) = sender.next_segment(mechanism, now) else { return false };
        let retransmitted = sent.is_retransmission();
        let counters = &mut self.recorder.counters;
        counters.data_sent += 1;
        counters.retransmitted += u64::from(retransmitted);
        let data = connection.path.packet(Kind::Data, slot, sent.segment, now);
        let (generation, interface) = (connection.generation, connection.class.interface);
        let mut data =
            Packet { generation, interface, ..data }.with_flags(Codepoint::NotEct, connection.traced);
        if sender.ecn.is_on() {
            data = sender.ecn.stamp(data, connection.traced, retransmitted);
        }
        if sender.control.sends_headers {
            data = self.headers.attach(data, sender.stamp(mechanism, now));
        }
        if connection.traced {
            let fate = if retransmitted { Fate::SentAgain } else { Fate::Sent };
            self.trace(slot, fate, sent.segment, now);
            self.capture_segment(slot, &data, sent.kind, now);
        }
        self.transmit(slot, data, now);
        true
    }

    /// See that a timer is pending for the time at which the pacer lets the next segment go.
    fn arm_pacer(&mut self, slot: u32) {
        let connection = &mut self.connections[slot];
        let Some(sender) = &connection.sender else { return };
        if !connection.pacing {
            connection.pacing = true;
            let at = sender.pacer.next_send_time();
            self.events.set_timer(at, TimerKind::Pace, slot, connection.generation);
        }
    }

    /// The pacer lets the next segment go.
    pub(super) fn on_pace_timer(&mut self, slot: u32, now: Time) {
        self.connections[slot].pacing = false;
        self.send(slot, now);
    }

    /// Give a packet to the interface.
    #[inline]
    pub(super) fn transmit(&mut self, slot: u32, mut packet: Packet, now: Time) {
        match self.world.interfaces[usize::from(packet.interface)].sending {
            Sending::AtOnce => self.inject_at_once(slot, packet, now),
            Sending::Jittered(limit) => self.transmit_jittered(slot, packet, limit, now),
            Sending::Serial(service) => {
                self.connections[slot].busy = true;
                packet.time = now + service.time(self.world.bytes(&packet));
                self.events.push(self.events.map.transmit(packet.interface), packet);
            }
        }
    }

    /// The interface is done with a packet: the network gets it, and the next one may follow.
    pub(super) fn on_transmitted(&mut self, mut packet: Packet, now: Time) {
        let connection = &mut self.connections[packet.slot];
        if connection.generation != packet.generation || connection.state == State::Idle {
            self.headers.detach(&mut packet);
            return; // The connection ended meanwhile, so the host has taken the packet back.
        }
        connection.busy = false;
        let slot = packet.slot;
        self.inject(slot, packet, now);
        if self.may_send(slot, now) {
            self.send(slot, now);
        }
    }

    /// `false` where a look at what may be sent finds nothing, and leaves no trace: the window is full.
    #[inline]
    fn may_send(&self, slot: u32, now: Time) -> bool {
        let connection = &self.connections[slot];
        match &connection.sender {
            Some(sender) => {
                sender.has_window()
                    || sender.has_options()
                    || sender.pacer.next_send_time() > now
                    || connection.traced
            }
            None => connection.state == State::Datagrams,
        }
    }

    /// The network gets a packet for which the interface takes no time.
    #[inline(never)]
    fn inject_at_once(&mut self, slot: u32, packet: Packet, now: Time) {
        self.inject(slot, packet, now);
    }

    /// The network gets a packet.
    #[expect(clippy::inline_always, reason = "the loop of events has a copy of its own")]
    #[inline(always)]
    fn inject(&mut self, slot: u32, mut packet: Packet, now: Time) {
        self.recorder.counters.injected += 1;
        let connection = &self.connections[slot];
        let station = connection.path.station;
        if packet.kind.is_data() {
            packet.slot = connection.peer.slot;
            packet.generation = connection.peer.generation;
        }
        match &mut self.passes {
            Some(passes) => passes.routers.inject(packet, station, now),
            None => self.enter(station, packet, now),
        }
    }
}
