//! Packets at hosts: the receiving interface, the receiving end of connections, and the way of ACKs back.

use super::{NONE, Region};
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::measure::output::Fate;
use crate::net::packet::{Kind, Packet};
use crate::tcp::receiver::{Receiver, Reply};

impl<C: Channels> Region<C> {
    /// A packet reaches a host.
    #[inline]
    pub(crate) fn on_host(&mut self, packet: Packet, now: u64) {
        match packet.kind {
            Kind::Data | Kind::DataWithHeader | Kind::Syn => self.receive(packet, now),
            Kind::Ack | Kind::AckWithHeader | Kind::AckOfDuplicate => self.on_ack(packet, now),
            Kind::SynAck => self.on_syn_ack(&packet, now),
            Kind::Release => self.release(&packet),
        }
    }

    /// The receiving interface takes a packet, or queues it.
    fn receive(&mut self, mut packet: Packet, now: u64) {
        let Some(service) = self.world.interfaces[usize::from(packet.interface)].service else {
            self.process(&packet, now);
            return;
        };
        let index = self.headers.extent(&packet) as usize;
        let host = &mut self.hosts[index];
        if !host.busy {
            host.busy = true;
            packet.time = now + service.time(self.bytes(&packet));
            self.push(usize::from(self.receive + u16::from(packet.interface)), packet);
            return;
        }
        let at = if self.free_waiting == NONE {
            self.waiting.push((packet, NONE));
            u32::try_from(self.waiting.len() - 1).unwrap_or(NONE)
        } else {
            let at = self.free_waiting;
            self.free_waiting = self.waiting[at as usize].1;
            self.waiting[at as usize] = (packet, NONE);
            at
        };
        let host = &mut self.hosts[index];
        if host.first == NONE {
            host.first = at;
        } else {
            self.waiting[host.last as usize].1 = at;
        }
        host.last = at;
    }

    /// The receiving interface is done with a packet.
    pub(crate) fn on_received(&mut self, packet: Packet, now: u64) {
        let host = &mut self.hosts[self.headers.extent(&packet) as usize];
        let at = host.first;
        if at == NONE {
            host.busy = false;
        } else {
            let (mut next, after) = self.waiting[at as usize];
            host.first = after;
            self.waiting[at as usize].1 = self.free_waiting;
            self.free_waiting = at;
            if let Some(service) = self.world.interfaces[usize::from(next.interface)].service {
                next.time = now + service.time(self.bytes(&next));
                self.push(usize::from(self.receive + u16::from(next.interface)), next);
            }
        }
        self.process(&packet, now);
    }

    fn process(&mut self, packet: &Packet, now: u64) {
        if packet.kind.has_header() {
            let plain = self.hear(*packet);
            return self.process(&plain, now);
        }
        self.counters.delivered += 1;
        if packet.kind == Kind::Syn {
            self.on_syn(packet, now);
            return;
        }
        if packet.is_traced() {
            self.trace_data(packet, Fate::Received, now);
        }
        let slot = &mut self.receivers[packet.slot as usize];
        if slot.generation != packet.generation {
            return;
        }
        let Some(receiver) = &mut slot.state else { return };
        let earlier = receiver.before(packet);
        let reply = receiver.on_data(packet, self.world.ack_every, &mut self.pool);
        if let Some(reply) = reply {
            if let Some(earlier) = earlier {
                self.acknowledge(packet.slot, earlier, now);
            }
            self.acknowledge(packet.slot, reply, now);
        } else if receiver.due == u64::MAX {
            receiver.due = now + self.world.ack_delay;
            if !receiver.timer {
                receiver.timer = true;
                let (due, generation) = (receiver.due, slot.generation);
                self.set_timer(due, TimerKind::DelayedAck, packet.slot, generation);
            }
        }
    }

    /// The receiving end keeps what the packet's header says for the next ACK; the packet without it.
    #[cold]
    fn hear(&mut self, mut packet: Packet) -> Packet {
        let feedback = self.headers.detach(&mut packet);
        let slot = &mut self.receivers[packet.slot as usize];
        if slot.generation == packet.generation
            && let Some(receiver) = &mut slot.state
        {
            receiver.hear(feedback);
        }
        packet
    }

    pub(crate) fn on_delayed_ack(&mut self, slot: u32, generation: u16, now: u64) {
        let entry = &mut self.receivers[slot as usize];
        if entry.generation != generation {
            return;
        }
        let Some(receiver) = &mut entry.state else { return };
        receiver.timer = false;
        if receiver.due <= now {
            let reply = receiver.reply();
            self.acknowledge(slot, reply, now);
        } else if receiver.due != u64::MAX {
            receiver.timer = true;
            let due = receiver.due;
            self.set_timer(due, TimerKind::DelayedAck, slot, generation);
        }
    }

    #[inline]
    fn acknowledge(&mut self, slot: u32, reply: Reply, now: u64) {
        self.counters.acks_sent += 1;
        let Some(receiver) = &self.receivers[slot as usize].state else { return };
        let packet = Packet {
            slot: receiver.sender,
            seq: reply.next,
            stamp: reply.stamp,
            extent: 0,
            span: 0,
            generation: receiver.generation,
            site: receiver.sender_site,
            interface: receiver.interface,
            kind: if reply.duplicate { Kind::AckOfDuplicate } else { Kind::Ack },
            time: 0,
        };
        let mut packet = packet.reporting(reply.report, reply.echo_ce);
        let way = receiver.way;
        if receiver.heard.is_some() {
            packet = self.echo(slot, packet);
        }
        self.send_back(packet, way, now);
    }

    /// An ACK with what the receiving end has heard since the last one.
    #[cold]
    fn echo(&mut self, slot: u32, ack: Packet) -> Packet {
        let receiver = self.receivers[slot as usize].state.as_mut();
        let heard =
            receiver.and_then(|receiver| receiver.heard.as_mut()).map(|heard| std::mem::take(&mut **heard));
        self.headers.attach(ack, heard.unwrap_or_default())
    }

    /// ACKs go through the stations or, free of charge, straight back with propagation delay only.
    fn send_back(&mut self, mut packet: Packet, way: u16, now: u64) {
        if self.world.ack_cost {
            self.enter(way, packet, now);
        } else if self.world.ack_loss == 0.0 || self.ack_loss.uniform() >= self.world.ack_loss {
            self.leave(usize::from(way), packet, now);
        } else {
            self.headers.detach(&mut packet);
        }
    }

    fn on_syn(&mut self, packet: &Packet, now: u64) {
        let source = packet.seq;
        let slot = if let Some(&slot) = self.by_source.get(&source) {
            let cycle = self.receivers[slot as usize].cycle;
            if cycle != packet.cycle() {
                if packet.cycle().wrapping_sub(cycle) > u16::MAX / 2 {
                    return; // A SYN of an older connection, long delayed.
                }
                self.forget(slot);
                self.open(slot, packet);
            }
            slot
        } else {
            let slot = self.free_receivers.pop().unwrap_or_else(|| {
                self.receivers.push(super::ReceiverSlot::default());
                u32::try_from(self.receivers.len() - 1).unwrap_or(NONE)
            });
            self.by_source.insert(source, slot);
            self.open(slot, packet);
            slot
        };
        let entry = &self.receivers[slot as usize];
        let Some(receiver) = &entry.state else { return };
        let answer = Packet {
            slot: receiver.sender,
            seq: slot,
            stamp: packet.stamp,
            extent: 0,
            span: entry.generation,
            generation: receiver.generation,
            site: receiver.sender_site,
            interface: receiver.interface,
            kind: Kind::SynAck,
            time: 0,
        };
        let way = receiver.way;
        self.send_back(answer, way, now);
    }

    fn open(&mut self, slot: u32, packet: &Packet) {
        let world = &self.world;
        let sender_site = world.site_of_source(packet.seq);
        let region = world.sites[usize::from(sender_site)].region;
        let (path, _) = world.path(packet.site, sender_site);
        let delay = path + world.interfaces[usize::from(packet.interface)].delay;
        let way = if world.ack_cost {
            world.sites[usize::from(packet.site)].station
        } else {
            let exits = &world.ack_exits[usize::from(self.index)];
            let at = exits.partition_point(|&(to, d, _)| (to, d) < (region, delay));
            exits[at].2
        };
        let entry = &mut self.receivers[slot as usize];
        entry.generation = entry.generation.wrapping_add(1);
        entry.cycle = packet.cycle();
        entry.state = Some(Receiver {
            generation: packet.generation,
            sender: packet.slot,
            sender_site,
            interface: packet.interface,
            way,
            next: 0,
            held: 0,
            held_stamp: 0,
            held_arrival: 0,
            due: u64::MAX,
            timer: false,
            marked: false,
            ahead: None,
            heard: None,
        });
    }

    fn forget(&mut self, slot: u32) {
        if let Some(mut receiver) = self.receivers[slot as usize].state.take()
            && let Some(mut ahead) = receiver.ahead.take()
        {
            ahead.clear();
            self.pool.push(ahead);
        }
    }

    /// The sender has finished: the receiving end is freed.
    fn release(&mut self, packet: &Packet) {
        let entry = &self.receivers[packet.slot as usize];
        if entry.generation != packet.generation || entry.state.is_none() {
            return;
        }
        self.forget(packet.slot);
        self.by_source.remove(&packet.seq);
        self.free_receivers.push(packet.slot);
    }
}
