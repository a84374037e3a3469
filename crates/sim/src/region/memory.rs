//! Memory of a region in bytes, and the ceilings that its structures keep to.

use super::Region;
use super::passes::Passes;
use super::receptions::Receptions;
use crate::kernel::channels::Channels;
use crate::measure::groups::Transfer;
use crate::net::packet::Packet;
use crate::net::station::Station;
use crate::tcp::sender::Sender;

impl<C: Channels<Packet>> Region<C> {
    /// Bytes of memory held, by part: what was asked of the allocator, unused capacity included.
    pub fn memory(&self) -> Vec<(&'static str, u64)> {
        let senders = self.connections.iter().filter_map(|connection| connection.sender.as_ref());
        let ahead = self.receivers.iter().filter_map(|receiver| receiver.ahead.as_ref());
        let sets = self.pool.iter().chain(ahead).map(|set| set.memory()).sum::<usize>();
        let (connections, free_connections) = self.connections.memory();
        let (receivers, receiver_lists) = self.receivers.memory();
        let receptions = self.passes.as_ref().map(|passes| &passes.receptions);
        let (hosts, waiting) = receptions.map_or_else(|| self.hosts.memory(), Receptions::memory);
        let remembered = self.stations.iter().map(Station::memory).sum::<usize>();
        let apart = self.passes.as_ref().map_or(0, Passes::memory);
        let parts = [
            ("rings", self.events.channels.memory() + apart + remembered),
            ("timers", self.events.timers.memory()),
            ("sources", self.sources.memory()),
            ("connections", connections),
            ("senders", senders.map(Sender::memory).sum()),
            ("receivers", receivers),
            ("sets", sets),
            ("lists", free_connections + receiver_lists),
            ("hosts", hosts),
            ("waiting", waiting),
            ("outbox", self.outlets.memory()),
            ("transfers", self.recorder.transfers.capacity() * size_of::<Transfer>()),
        ];
        parts.map(|(name, bytes)| (name, bytes as u64)).into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use congestion::{Halve, Initial, factory};

    use crate::kernel::timers::Timer;
    use crate::region::connections::Connection;
    use crate::region::receivers::ReceiverSlot;
    use crate::region::receptions::ReceivingHost;
    use crate::region::{Host, Source};

    /// Its own entry, and the timer that ends its thinking.
    #[test]
    fn a_thinking_source_takes_at_most_64_bytes() {
        assert!(size_of::<Source>() + size_of::<Timer>() <= 64);
    }

    #[test]
    fn a_receiving_host_takes_at_most_12_bytes() {
        assert!(size_of::<Host>() <= 12 && size_of::<ReceivingHost>() <= 12);
    }

    /// Both ends and the controller; tables, timers and the allocator come on top, scoreboards while there are holes.
    #[test]
    fn an_active_flow_takes_at_most_400_bytes() {
        let initial = Initial {
            smss: 1460,
            window: 2.0,
            ssthresh: 100.0,
            restart_window: 2.0,
            halve: Halve::Window,
            counts_whole_acks: false,
            seed: 1,
        };
        let reno = factory("reno", &BTreeMap::new()).expect("it is built in")(&initial);
        let ends = size_of::<Connection>() + size_of::<ReceiverSlot>();
        assert!(ends + size_of_val(&*reno) <= 400, "{ends} bytes for both ends");
    }
}
