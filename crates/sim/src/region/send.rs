//! The sending end: the interface, ACKs, timers.

use super::{NONE, Region, State};
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::measure::output::Fate;
use crate::net::packet::{self, Kind, Packet};

impl<C: Channels> Region<C> {
    /// Send whatever window, pacer and interface allow.
    pub(crate) fn send(&mut self, slot: u32, now: u64) {
        loop {
            let mechanism = &self.world.mechanism;
            let connection = &mut self.connections[slot as usize];
            if connection.busy {
                break;
            }
            let Some(sender) = &mut connection.sender else { break };
            if sender.pace_at > now {
                if !connection.pace_timer {
                    connection.pace_timer = true;
                    let (at, generation) = (sender.pace_at, connection.generation);
                    self.set_timer(at, TimerKind::Pace, slot, generation);
                }
                break;
            }
            let Some((segment, again)) = sender.next_segment(mechanism, now) else { break };
            self.counters.data_sent += 1;
            self.counters.retransmitted += u64::from(again);
            let data = Packet {
                time: now,
                slot,
                seq: segment,
                stamp: packet::stamp(now),
                extent: connection.host,
                span: 0,
                generation: connection.generation,
                site: connection.site,
                interface: connection.interface,
                kind: Kind::Data,
            };
            let mut data = data.with_flags(sender.ecn, connection.traced);
            if sender.stamps {
                data = self.headers.attach(data, sender.stamp(mechanism, now));
            }
            if connection.traced {
                self.trace(slot, if again { Fate::SentAgain } else { Fate::Sent }, segment, now);
            }
            self.transmit(slot, data, now);
        }
        self.arm(slot);
    }

    /// Give a packet to the interface.
    pub(crate) fn transmit(&mut self, slot: u32, mut packet: Packet, now: u64) {
        match self.world.interfaces[usize::from(packet.interface)].service {
            None => self.inject(slot, packet, now),
            Some(service) => {
                self.connections[slot as usize].busy = true;
                packet.time = now + service.time(self.bytes(&packet));
                self.push(usize::from(self.transmit + u16::from(packet.interface)), packet);
            }
        }
    }

    /// The interface is done with a packet: the network gets it, and the next one may follow.
    pub(crate) fn on_transmitted(&mut self, mut packet: Packet, now: u64) {
        let connection = &mut self.connections[packet.slot as usize];
        if connection.generation != packet.generation || connection.state == State::Idle {
            self.headers.detach(&mut packet);
            return; // The connection ended meanwhile, so the host has taken the packet back.
        }
        connection.busy = false;
        self.inject(packet.slot, packet, now);
        self.send(packet.slot, now);
    }

    #[inline]
    fn inject(&mut self, slot: u32, mut packet: Packet, now: u64) {
        self.counters.injected += 1;
        let connection = &self.connections[slot as usize];
        let station = connection.station;
        if packet.kind.is_data() {
            packet.slot = connection.receiver;
            packet.generation = connection.receiver_generation;
        }
        self.enter(station, packet, now);
    }

    /// An ACK reaches its sender.
    pub(crate) fn on_ack(&mut self, mut packet: Packet, now: u64) {
        self.counters.acks += 1;
        let feedback = self.headers.detach(&mut packet);
        if self.connections[packet.slot as usize].generation != packet.generation {
            return;
        }
        if self.connections[packet.slot as usize].traced {
            self.trace(packet.slot, Fate::Acknowledged, packet.seq, now);
        }
        let world = &self.world;
        let connection = &mut self.connections[packet.slot as usize];
        let Some(sender) = &mut connection.sender else { return };
        let before = sender.delivered;
        sender.on_ack(&packet, &feedback, now, &world.mechanism, &mut self.pool, &mut self.counters);
        if self.sources[connection.source as usize].flow == NONE {
            self.class_acked[usize::from(connection.pair)] += sender.delivered - before;
        }
        if sender.is_done() {
            self.complete(packet.slot, now);
            return;
        }
        if connection.wakeup_timer != u64::MAX || sender.control.wakeup().is_some() {
            self.schedule_wakeup(packet.slot);
        }
        self.send(packet.slot, now);
    }

    /// See that a timer is pending no later than the sender's deadline.
    fn arm(&mut self, slot: u32) {
        let connection = &mut self.connections[slot as usize];
        let Some(sender) = &connection.sender else { return };
        let at = sender.deadline();
        if at < connection.rto_timer {
            connection.rto_timer = at;
            let generation = connection.generation;
            self.set_timer(at, TimerKind::Rto, slot, generation);
        }
    }

    pub(crate) fn on_rto_timer(&mut self, slot: u32, time: u64, now: u64) {
        let world = self.world.clone();
        let connection = &mut self.connections[slot as usize];
        if connection.rto_timer != time {
            return; // An earlier timer has replaced this one.
        }
        connection.rto_timer = u64::MAX;
        let Some(sender) = &mut connection.sender else { return };
        if sender.deadline() <= now {
            sender.on_timer(now, &world.mechanism, &mut self.counters);
            self.schedule_wakeup(slot);
            self.send(slot, now);
        }
        self.arm(slot);
    }

    pub(crate) fn schedule_wakeup(&mut self, slot: u32) {
        let connection = &mut self.connections[slot as usize];
        let Some(at) = connection.sender.as_ref().and_then(|sender| sender.control.wakeup()) else { return };
        if at.0 < connection.wakeup_timer {
            connection.wakeup_timer = at.0;
            let generation = connection.generation;
            self.set_timer(at.0, TimerKind::Wakeup, slot, generation);
        }
    }

    pub(crate) fn on_wakeup(&mut self, slot: u32, now: u64) {
        let world = self.world.clone();
        let connection = &mut self.connections[slot as usize];
        connection.wakeup_timer = u64::MAX;
        let Some(sender) = &mut connection.sender else { return };
        if sender.control.wakeup().is_some_and(|at| at.0 <= now) {
            sender.on_wakeup(now, &world.mechanism);
        }
        self.schedule_wakeup(slot);
        self.send(slot, now);
    }
}
