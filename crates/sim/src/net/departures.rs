//! When packets leave a station where each takes its own time: what waits there, without looking into channels.

use std::collections::VecDeque;

use congestion::Time;

/// Packets that wait at a station behind the one in service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Departures to come from a server that knows them on arrival, in order.
///
/// Those that are past are forgotten when a packet arrives.
#[derive(Debug, Default)]
pub struct Departures {
    /// Time and size of the packet [bytes].
    list: VecDeque<(Time, u32)>,
    /// Sum of the sizes.
    bytes: u64,
}

impl Departures {
    /// A packet of `bytes` departs at `time`, after all others.
    #[inline]
    pub fn push(&mut self, time: Time, bytes: u32) {
        self.bytes += u64::from(bytes);
        self.list.push_back((time, bytes));
    }

    /// Packets that wait at `now`, `None` while nothing is in service. At one instant departures come first.
    #[inline]
    pub fn waiting(&mut self, now: Time) -> Option<Waiting> {
        while let Some(&(time, bytes)) = self.list.front() {
            if time > now {
                let packets = self.list.len() as u64 - 1;
                return Some(Waiting { packets, bytes: self.bytes - u64::from(bytes) });
            }
            self.bytes -= u64::from(bytes);
            self.list.pop_front();
        }
        None
    }

    /// Packets waiting or in service at `now`.
    pub fn present(&self, now: Time) -> u64 {
        (self.list.len() - self.list.partition_point(|&(time, _)| time <= now)) as u64
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.list.capacity() * size_of::<(Time, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_packet_in_service_does_not_wait() {
        let mut departures = Departures::default();
        assert_eq!(departures.waiting(Time(0)), None);
        departures.push(Time(10), 1500);
        departures.push(Time(22), 40);
        departures.push(Time(30), 1500);
        assert_eq!(departures.waiting(Time(9)), Some(Waiting { packets: 2, bytes: 1540 }));
        assert_eq!(departures.waiting(Time(10)), Some(Waiting { packets: 1, bytes: 1500 }));
        assert_eq!((departures.present(Time(22)), departures.present(Time(30))), (1, 0));
        assert_eq!(departures.waiting(Time(30)), None);
    }

    proptest! {
        /// Whenever it is asked, the answer is what a look at all departures gives.
        #[test]
        fn forgets_only_what_is_past(steps in prop::collection::vec((0u64..20, 0u64..20, 1u32..2000), 1..100)) {
            let mut departures = Departures::default();
            let mut all: Vec<(u64, u32)> = Vec::new();
            let (mut now, mut last) = (0, 0);
            for (wait, service, bytes) in steps {
                now += wait;
                let here: Vec<_> = all.iter().filter(|(time, _)| *time > now).collect();
                prop_assert_eq!(departures.present(Time(now)), here.len() as u64);
                let waiting = here.split_first().map(|(_, behind)| Waiting {
                    packets: behind.len() as u64,
                    bytes: behind.iter().map(|(_, bytes)| u64::from(*bytes)).sum(),
                });
                prop_assert_eq!(departures.waiting(Time(now)), waiting);
                last = now.max(last) + service;
                departures.push(Time(last), bytes);
                all.push((last, bytes));
            }
        }
    }
}
