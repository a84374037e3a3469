//! ACKs whose timing is not a fixed delay. From: `deliver`, and timers of receiving ends. To: `reply`.

use congestion::Time;

use super::Region;
use super::receivers::Holding;
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::net::packet::Packet;
use crate::tcp::linux::ack_timing::AckTiming;
use crate::tcp::receiver::Reply;

impl<C: Channels<Packet>> Region<C> {
    /// Timing of the ACKs of a receiving end that begins now, where it is not a fixed delay.
    pub(super) fn timing(&self, now: Time) -> Option<Box<AckTiming>> {
        let rules = self.world.acks.rules();
        rules.timing.is_on().then(|| Box::new(AckTiming::new(&rules, now)))
    }

    /// A data segment reaches its receiving end.
    #[cold]
    pub(super) fn on_data_timed(&mut self, packet: &Packet, now: Time) {
        let rules = self.world.acks.rules();
        let timed = self.receivers.current_timed(packet.slot, packet.generation);
        let Some((receiver, timing)) = timed else { return };
        let replies = timing.on_data(receiver, packet, &rules, &mut self.pool, now);
        for reply in replies.into_iter().flatten() {
            self.answer(packet.slot, reply, now);
        }
        self.arm_ack(packet.slot, packet.generation);
    }

    /// The timer of a receiving end expires, unless an earlier one has replaced it.
    #[cold]
    pub(super) fn on_timed_ack(&mut self, slot: u32, generation: u16, now: Time) {
        let Some((_, timing)) = self.receivers.current_timed(slot, generation) else { return };
        if timing.timer_at != now {
            return;
        }
        timing.timer_at = Time::NEVER;
        while let Some(reply) = self.release_jittered(slot, now) {
            self.acknowledge(slot, reply, now);
        }
        let rules = self.world.acks.rules();
        let Some((receiver, timing)) = self.receivers.current_timed(slot, generation) else { return };
        if receiver.due <= now {
            let reply = timing.on_due(receiver, &rules, now);
            self.answer(slot, reply, now);
        }
        self.arm_ack(slot, generation);
    }

    /// Send an ACK, unless the host is late.
    fn answer(&mut self, slot: u32, reply: Reply, now: Time) {
        let jitter = self.world.acks.timing.jitter;
        let leaves = if jitter.is_on() {
            let (source, cycle) = self.receivers[slot].transfer();
            let Some(timing) = self.receivers[slot].timing() else { return };
            let uniform = timing.jittered.draw(&self.world.streams, source, cycle);
            timing.jittered.hold(reply, &jitter, uniform, now)
        } else {
            Some(reply)
        };
        if let Some(reply) = leaves {
            self.acknowledge(slot, reply, now);
        }
    }

    /// The next late ACK that may leave.
    fn release_jittered(&mut self, slot: u32, now: Time) -> Option<Reply> {
        self.receivers[slot].timing()?.jittered.release(now)
    }

    /// See that a timer is pending no later than the next ACK is due.
    pub(super) fn arm_ack(&mut self, slot: u32, generation: u16) {
        let rests = self.world.acks.timing.rests();
        let Some((receiver, timing)) = self.receivers.current_timed(slot, generation) else { return };
        let out_of_order_only = rests && timing.rests();
        receiver.host.holding = if out_of_order_only { Holding::OutOfOrder } else { Holding::Timed };
        let due = receiver.due.min(timing.jittered.next());
        if due < timing.timer_at {
            timing.timer_at = due;
            self.receiving().set_timer(due, TimerKind::DelayedAck, slot, generation);
        }
    }
}
