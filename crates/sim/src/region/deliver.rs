//! Packets at hosts. From: `forward`, or a delay line that leads straight to hosts. To: the receiving end of a
//! connection and `reply`, for data and SYNs; else `acknowledge` or `connect`.

use congestion::Time;

use super::Region;
use super::receivers::Holding;
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::measure::output::Fate;
use crate::measure::packets::Cause;
use crate::net::packet::{Kind, Packet};
use crate::net::service::Service;

impl<C: Channels<Packet>> Region<C> {
    /// A packet reaches a host.
    #[inline]
    pub(super) fn deliver(&mut self, packet: Packet, now: Time) {
        match packet.kind {
            Kind::Data | Kind::DataWithHeader | Kind::Datagram | Kind::Syn => self.receive(packet, now),
            Kind::Ack
            | Kind::AckWithHeader
            | Kind::AckOfDuplicate
            | Kind::EctAck
            | Kind::EctAckOfDuplicate => self.on_ack(packet, now),
            Kind::SynAck => self.on_syn_ack(&packet, now),
            Kind::Release => self.on_release(&packet, now),
            Kind::Report => self.on_report(&packet, now),
        }
    }

    /// The receiving interface takes a packet, or queues it.
    #[expect(
        clippy::inline_always,
        reason = "the loop of a region that does not split has a copy of its own"
    )]
    #[inline(always)]
    pub(super) fn receive(&mut self, packet: Packet, now: Time) {
        let Some(service) = self.service(&packet) else { return self.process(&packet, now) };
        if self.hosts.receive(self.headers.extent(&packet), packet) {
            self.serve(packet, service, now);
        }
    }

    /// The receiving interface is done with a packet.
    #[expect(
        clippy::inline_always,
        reason = "the loop of a region that does not split has a copy of its own"
    )]
    #[inline(always)]
    pub(super) fn on_received(&mut self, packet: Packet, now: Time) {
        if let Some(next) = self.hosts.next(self.headers.extent(&packet))
            && let Some(service) = self.service(&next)
        {
            self.serve(next, service, now);
        }
        self.process(&packet, now);
    }

    /// Rate of the receiving interface, if it is finite.
    #[inline]
    fn service(&self, packet: &Packet) -> Option<Service> {
        self.world.interfaces[usize::from(packet.interface)].service
    }

    /// The receiving interface begins to serve a packet.
    #[inline]
    fn serve(&mut self, mut packet: Packet, service: Service, now: Time) {
        packet.time = now + service.time(self.world.bytes(&packet));
        self.events.push(self.events.map.receive(packet.interface), packet);
    }

    /// A host processes a SYN or a data segment.
    pub(super) fn process(&mut self, packet: &Packet, now: Time) {
        if packet.kind.has_header() {
            let plain = self.keep_feedback(*packet);
            return self.process(&plain, now);
        }
        self.recorder.counters.delivered += 1;
        match packet.kind {
            Kind::Syn => self.on_syn(packet, now),
            Kind::Datagram => self.on_datagram(packet, now),
            _ => self.on_data(packet, now),
        }
    }

    /// A data segment reaches its receiving end, which acknowledges it at once or holds the ACK back.
    #[inline]
    fn on_data(&mut self, packet: &Packet, now: Time) {
        if packet.is_traced() {
            self.trace_data(packet, Fate::Received, now);
            if self.receivers.current(packet.slot, packet.generation).is_some() {
                self.capture_at_receiver(packet.slot, packet, Cause::Ordinary, now);
                self.note_receipt(packet, now);
            }
        }
        if packet.is_ce() {
            self.receivers.count_mark(packet.slot, packet.generation);
        }
        if self.world.traffic.misbehaves {
            return self.misbehave(packet, now);
        }
        self.take_in(packet, now);
    }

    /// The receiving end takes a data segment in.
    #[expect(clippy::inline_always, reason = "receivers that misbehave, which are rare, call it, too")]
    #[inline(always)]
    pub(super) fn take_in(&mut self, packet: &Packet, now: Time) {
        let Some(receiver) = self.receivers.current(packet.slot, packet.generation) else { return };
        if receiver.host.holding.is_timed(packet.seq != receiver.next) {
            return self.on_data_timed(packet, now);
        }
        let earlier = receiver.before(packet);
        let reply = receiver.on_data(packet, self.world.acks.every_of(packet.seq), &mut self.pool);
        if let Some(reply) = reply {
            if let Some(earlier) = earlier {
                self.acknowledge(packet.slot, earlier, now);
            }
            self.acknowledge(packet.slot, reply, now);
        } else if receiver.due == Time::NEVER {
            let due = now + self.world.acks.delay;
            receiver.due = due;
            match receiver.host.holding {
                Holding::Idle => {
                    receiver.host.holding = Holding::Pending;
                    self.receiving().set_timer(due, TimerKind::DelayedAck, packet.slot, packet.generation);
                }
                Holding::Pending => {}
                Holding::OutOfOrder | Holding::Timed => self.arm_ack(packet.slot, packet.generation),
            }
        }
    }

    /// The receiving end keeps what the packet's header says for the next ACK; the packet without it.
    #[cold]
    fn keep_feedback(&mut self, mut packet: Packet) -> Packet {
        let feedback = self.headers.detach(&mut packet);
        if self.receivers.current(packet.slot, packet.generation).is_some() {
            self.receivers[packet.slot].keep_feedback(feedback);
        }
        packet
    }
}
