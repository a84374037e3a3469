//! Events of a region: packets in channels, and timers.

use congestion::Time;

use crate::kernel::channels::Channels;
use crate::kernel::timers::{Timer, TimerKind, Timers};
use crate::net::packet::Packet;

/// Use of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Timers; the first channel.
    Timers,
    /// Output of a station.
    Station(u16),
    /// Sending side of an interface class.
    Transmit,
    /// Last propagation, from a station to the hosts of its sites.
    Access,
    /// Receiving side of an interface class.
    Receive,
    /// A link into a station.
    Link(u16),
    /// The path of this number behind a station.
    Path(u16),
    /// Way to senders with propagation delay only: ACKs.
    Acks,
    /// Way to receivers with propagation delay only: releases.
    Releases,
}

/// Channels of a region by number.
#[derive(Clone, Debug)]
pub(crate) struct ChannelMap {
    pub kinds: Vec<Channel>,
    /// First channel of the sending side of interfaces.
    pub transmit: u16,
    /// First channel of the receiving side of interfaces.
    pub receive: u16,
    /// Stations that deliver to hosts a delay away; that many channels lead to an interface class.
    pub delivering: u16,
}

impl ChannelMap {
    /// Sending side of an interface class.
    #[inline]
    pub fn transmit(&self, interface: u8) -> usize {
        usize::from(self.transmit + u16::from(interface))
    }

    /// Receiving side of an interface class.
    #[inline]
    pub fn receive(&self, interface: u8) -> usize {
        usize::from(self.receive + u16::from(interface))
    }

    /// Last propagation to hosts of an interface class, from the station whose first such channel is `access`.
    #[inline]
    pub fn access(&self, access: u16, interface: u8) -> usize {
        usize::from(access + u16::from(interface) * self.delivering)
    }
}

/// The future-event set.
#[derive(Debug)]
pub(crate) struct Events<C> {
    pub map: ChannelMap,
    pub channels: C,
    pub timers: Timers,
    /// End of the run: later timers are not set.
    end: Time,
}

impl<C: Channels<Packet>> Events<C> {
    /// No event.
    pub fn new(map: ChannelMap, end: Time) -> Self {
        Self { channels: C::new(map.kinds.len()), map, timers: Timers::default(), end }
    }

    /// Put a packet into a queue; its time is set.
    #[inline]
    pub fn push(&mut self, channel: usize, packet: Packet) {
        self.channels.push(channel, packet);
    }

    /// Set a timer.
    pub fn set_timer(&mut self, time: Time, kind: TimerKind, id: u32, generation: u16) {
        if time < self.end && self.timers.set(time, kind, id, generation) {
            self.channels.set_timer(time);
        }
    }

    /// Take the first timer.
    pub fn take_timer(&mut self) -> Option<Timer> {
        let timer = self.timers.pop()?;
        self.channels.set_timer(self.timers.head_time());
        Some(timer)
    }

    /// Every packet in a channel, and whether it has entered the network.
    pub fn each(&self, see: &mut dyn FnMut(&Packet, bool)) {
        for (channel, kind) in self.map.kinds.iter().enumerate() {
            // What an interface is still serialising has not entered the network.
            self.channels.all(channel).for_each(|packet| see(packet, *kind != Channel::Transmit));
        }
    }
}
