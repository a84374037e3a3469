//! Answers of receiving ends, and their beginning and end. From: `deliver`. To: `forward` where ACKs cost capacity,
//! else a delay line that leads straight to the sender's `deliver`.

use congestion::Time;

use super::Region;
use super::receivers::{Holding, Peer};
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::measure::packets::Cause;
use crate::net::packet::{Kind, Packet};
use crate::tcp::receiver::Reply;

impl<C: Channels<Packet>> Region<C> {
    /// A delayed ACK is due, unless it has gone or has been put off.
    pub(super) fn on_delayed_ack(&mut self, slot: u32, generation: u16, now: Time) {
        if self.receivers[slot].timing().is_some() {
            return self.on_timed_ack(slot, generation, now);
        }
        let Some(receiver) = self.receivers.current(slot, generation) else { return };
        receiver.host.holding = Holding::Idle;
        if receiver.due <= now {
            let reply = receiver.reply();
            self.acknowledge(slot, reply, now);
        } else if receiver.due != Time::NEVER {
            receiver.host.holding = Holding::Pending;
            let due = receiver.due;
            self.receiving().set_timer(due, TimerKind::DelayedAck, slot, generation);
        }
    }

    /// Send an ACK.
    #[inline]
    pub(super) fn acknowledge(&mut self, slot: u32, reply: Reply, now: Time) {
        self.recorder.counters.acks_sent += 1;
        let entry = &self.receivers[slot];
        let Some(receiver) = &entry.state else { return };
        let (peer, has_feedback) = (receiver.host, entry.has_feedback());
        let kind = if reply.duplicate { Kind::AckOfDuplicate } else { Kind::Ack };
        let packet = peer.packet(kind, reply.next, reply.stamp);
        let plain = receiver.fill(packet, &reply, has_feedback);
        let mut packet = plain;
        if self.world.recording.packets {
            self.capture_at_receiver(slot, &packet, Cause::Ordinary, now);
        }
        if has_feedback {
            packet = self.with_feedback(slot, packet);
        }
        self.send_back(packet, peer.way, now);
        if self.world.traffic.misbehaves && !has_feedback {
            self.send_more(slot, plain, peer.way, now);
        }
    }

    /// An ACK with the feedback that the receiving end has got since the last one.
    #[cold]
    fn with_feedback(&mut self, slot: u32, ack: Packet) -> Packet {
        let feedback = self.receivers[slot].take_feedback();
        self.headers.attach(ack, feedback)
    }

    /// ACKs go through the stations or, free of charge, straight back with propagation delay only.
    pub(super) fn send_back(&mut self, packet: Packet, way: u16, now: Time) {
        if self.world.acks.through_stations {
            self.enter(way, packet, now);
        } else {
            self.leave(usize::from(way), packet, now);
        }
    }

    /// A SYN reaches its receiver, which answers; a new one begins a receiving end.
    pub(super) fn on_syn(&mut self, packet: &Packet, now: Time) {
        let source = packet.seq;
        let slot = if let Some(slot) = self.receivers.of_source(source) {
            let cycle = self.receivers[slot].cycle;
            if cycle != packet.cycle() {
                if packet.cycle().wrapping_sub(cycle) > u16::MAX / 2 {
                    return; // A SYN of an older connection, long delayed.
                }
                self.receivers.forget(slot, &mut self.pool);
                self.open(slot, packet, now);
            }
            slot
        } else {
            let slot = self.receivers.connect(source);
            self.open(slot, packet, now);
            slot
        };
        let entry = &self.receivers[slot];
        let Some(peer) = entry.state.as_ref().map(|receiver| receiver.host) else { return };
        let span = entry.generation;
        let answer = Packet { span, ..peer.packet(Kind::SynAck, slot, packet.stamp) };
        self.capture_at_receiver(slot, packet, Cause::Ordinary, now);
        self.capture_at_receiver(slot, &answer, Cause::Ordinary, now);
        self.send_back(answer, peer.way, now);
    }

    /// Begin the receiving end that a SYN asks for.
    fn open(&mut self, slot: u32, packet: &Packet, now: Time) {
        let world = &self.world;
        let sender_site = world.site_of_source(packet.seq);
        let timing = self.timing(now);
        let peer = Peer {
            slot: packet.slot,
            generation: packet.generation,
            site: sender_site,
            way: self.way_back(packet, sender_site),
            interface: packet.interface,
            holding: if timing.is_some() { Holding::Timed } else { Holding::Idle },
        };
        self.receivers.open(slot, packet.cycle(), peer, timing);
    }

    /// The way of ACKs to the sender of a packet: a station, or an exit where they cost nothing.
    #[expect(clippy::inline_always, reason = "calls that adapt, which are rare, call it, too")]
    #[inline(always)]
    pub(super) fn way_back(&self, packet: &Packet, sender_site: u16) -> u16 {
        let world = &self.world;
        if world.acks.through_stations {
            return world.sites[usize::from(packet.site)].station;
        }
        let (path, _) = world.path(packet.site, sender_site);
        let delay = path + world.interfaces[usize::from(packet.interface)].delay;
        world.exits.ack(self.index, world.sites[usize::from(sender_site)].region, delay)
    }

    /// The sender has finished: the receiving end is freed.
    pub(super) fn on_release(&mut self, packet: &Packet, now: Time) {
        if self.receivers.current(packet.slot, packet.generation).is_some() {
            self.capture_at_receiver(packet.slot, packet, Cause::Ordinary, now);
            self.receivers.forget(packet.slot, &mut self.pool);
            self.receivers.release(packet.slot, packet.seq);
        }
    }
}
