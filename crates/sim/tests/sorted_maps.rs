//! The reference path: a plain future-event set, and no shortcut at stations.

use std::collections::BTreeMap;

use congestion::Time;
use sim::kernel::Timed;
use sim::kernel::channels::Channels;

/// One sorted map per channel, and a look at all of them for every event. It keeps no head times, and
/// stations count what they hold. Slow, and plain enough to be believed.
#[derive(Debug)]
pub struct SortedMaps<T> {
    channels: Vec<BTreeMap<(Time, u64), T>>,
    arrivals: u64,
    timer: Time,
}

impl<T: Timed> Channels<T> for SortedMaps<T> {
    const SHORTCUTS: bool = false;

    fn new(channels: usize) -> Self {
        Self { channels: vec![BTreeMap::new(); channels], arrivals: 0, timer: Time::NEVER }
    }

    fn first(&self) -> (Time, usize) {
        let heads = self.channels.iter().enumerate().skip(1);
        heads
            .filter_map(|(at, packets)| packets.first_key_value().map(|(&(time, _), _)| (time, at)))
            .chain([(self.timer, 0)])
            .min()
            .unwrap_or((Time::NEVER, 0))
    }

    fn take(&mut self, channel: usize) -> T {
        self.channels[channel].pop_first().expect("a channel with a head time holds a packet").1
    }

    fn take_line(&mut self, channel: usize) -> T {
        self.take(channel)
    }

    fn ahead(&self, _channel: usize, _before: usize) -> Option<&T> {
        None
    }

    fn push(&mut self, channel: usize, packet: T) {
        self.arrivals += 1;
        self.channels[channel].insert((packet.time(), self.arrivals), packet);
    }

    fn push_line(&mut self, channel: usize, packet: T) {
        self.push(channel, packet);
    }

    fn append(&mut self, channel: usize, packets: &mut Vec<T>) {
        packets.drain(..).for_each(|packet| self.push(channel, packet));
    }

    fn set_timer(&mut self, time: Time) {
        self.timer = time;
    }

    fn packets(&self, channel: usize) -> impl Iterator<Item = &T> {
        self.channels[channel].values()
    }

    fn len(&self, channel: usize) -> usize {
        self.channels[channel].len()
    }

    fn all(&self, channel: usize) -> impl Iterator<Item = &T> {
        self.packets(channel)
    }

    fn memory(&self) -> usize {
        self.channels.iter().map(BTreeMap::len).sum::<usize>() * size_of::<((Time, u64), T)>()
    }
}
