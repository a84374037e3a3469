//! ACKs at their senders, and the timers of senders. From: `deliver`. To: `send`, or `finish` after the last ACK.

use congestion::Time;

use super::Region;
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::measure::output::Fate;
use crate::measure::packets::Cause;
use crate::net::packet::Packet;

impl<C: Channels<Packet>> Region<C> {
    /// An ACK reaches its sender.
    pub(super) fn on_ack(&mut self, mut packet: Packet, now: Time) {
        self.recorder.counters.acks += 1;
        let feedback = self.headers.detach(&mut packet);
        if self.connections[packet.slot].generation != packet.generation {
            return;
        }
        if self.connections[packet.slot].traced {
            self.trace(packet.slot, Fate::Acknowledged, packet.seq, now);
            self.capture_at_sender(packet.slot, &packet, Cause::Ordinary, now);
        }
        let world = &self.world;
        let connection = &mut self.connections[packet.slot];
        let Some(sender) = &mut connection.sender else { return };
        // RFC 9293 section 3.10.7.4: "If the ACK acks something not yet sent (SEG.ACK > SND.NXT), then send an ACK, drop the
        // segment, and return." <https://www.rfc-editor.org/rfc/rfc9293#section-3.10.7.4>
        if world.traffic.misbehaves && packet.seq > sender.seq.snd_nxt {
            return;
        }
        let before = sender.counts.delivered;
        let counters = &mut self.recorder.counters;
        sender.on_ack(&packet, &feedback, now, &world.mechanism, &mut self.pool, counters);
        if connection.class.of_population {
            let acked = &mut self.recorder.class_acked[usize::from(connection.class.pair)];
            *acked += u64::from(sender.counts.delivered - before);
        }
        if sender.is_done() {
            self.on_done(packet.slot, now);
            return;
        }
        if connection.timers.wakeup != Time::NEVER || sender.control.algorithm.wakeup().is_some() {
            self.schedule_wakeup(packet.slot, now);
        }
        self.send(packet.slot, now);
    }

    /// Ask for the memory that the next ACKs of a line need: the connection of the second, and of the first, whose
    /// connection was asked for before, the controller.
    #[inline]
    pub(super) fn prefetch_senders(&self, channel: usize) {
        if let Some(ack) = self.events.channels.ahead(channel, 0) {
            self.connections.prefetch_controller(ack.slot);
        }
        if let Some(ack) = self.events.channels.ahead(channel, 1) {
            self.connections.prefetch(ack.slot);
        }
    }

    /// See that a timer is pending no later than the sender's deadline.
    #[inline]
    pub(super) fn arm(&mut self, slot: u32) {
        let connection = &mut self.connections[slot];
        let Some(sender) = &connection.sender else { return };
        let at = sender.deadline();
        if at < connection.timers.rto {
            connection.timers.rto = at;
            self.events.set_timer(at, TimerKind::Rto, slot, connection.generation);
        }
    }

    /// The timer that was set for `time` expires: the sender's deadline, unless that has moved.
    pub(super) fn on_rto_timer(&mut self, slot: u32, time: Time, now: Time) {
        let connection = &mut self.connections[slot];
        if connection.timers.rto != time {
            return; // An earlier timer has replaced this one.
        }
        connection.timers.rto = Time::NEVER;
        let Some(sender) = &mut connection.sender else { return };
        if sender.deadline() <= now {
            sender.on_timer(now, &self.world.mechanism, &mut self.recorder.counters);
            self.schedule_wakeup(slot, now);
            self.send(slot, now);
        }
        self.arm(slot);
    }

    /// See that a timer is pending no later than the controller wants to be woken.
    pub(super) fn schedule_wakeup(&mut self, slot: u32, now: Time) {
        let connection = &mut self.connections[slot];
        let Some(at) = connection.sender.as_ref().and_then(|sender| sender.control.algorithm.wakeup()) else {
            return;
        };
        // Time never goes back, whatever a controller asks for.
        let at = at.max(now);
        if at < connection.timers.wakeup {
            connection.timers.wakeup = at;
            self.events.set_timer(at, TimerKind::Wakeup, slot, connection.generation);
        }
    }

    /// The controller asked to be woken, unless it has changed its mind.
    pub(super) fn on_wakeup(&mut self, slot: u32, now: Time) {
        let connection = &mut self.connections[slot];
        connection.timers.wakeup = Time::NEVER;
        let Some(sender) = &mut connection.sender else { return };
        if sender.control.algorithm.wakeup().is_some_and(|at| at <= now) {
            sender.on_wakeup(now, &self.world.mechanism);
            if sender.control.algorithm.wakeup().is_some_and(|at| at <= now) {
                self.on_overdue(slot, now);
            }
        }
        self.schedule_wakeup(slot, now);
        self.send(slot, now);
    }
}
