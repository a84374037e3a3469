//! Description of a station, before it is built.

use congestion::Time;

use super::Hop;
use crate::kernel::rng::Sequence;
use crate::net::arrival::ArrivalRule;
use crate::net::queue::{Buffer, QueueDiscipline};
use crate::net::service::Service;
use crate::net::transmitter::Transmitter;

/// Description of a station.
#[derive(Debug)]
pub struct StationSetup {
    /// Its output channel.
    pub channel: u16,
    /// Channel to hosts of the first interface class, where that is a delay away.
    pub access: u16,
    /// Time to serve packets.
    pub transmitter: Transmitter,
    /// Room for waiting packets, not counting the one in service; `None` is unlimited.
    pub buffer: Option<Buffer>,
    /// Random loss before the queue: its probability, and random numbers.
    pub loss: Option<(f64, Sequence)>,
    /// Packets that may wait before ECN-capable arrivals are marked.
    pub mark_above: Option<u64>,
    /// Rule on arrival, before such marks.
    pub rule: Option<Box<dyn ArrivalRule>>,
    /// The queue; `None` is drop-tail.
    pub discipline: Option<Box<dyn QueueDiscipline>>,
    /// Sojourn times are recorded, with a histogram from this time on.
    pub observed: Option<Time>,
    /// The way to each site.
    pub hops: Vec<Hop>,
    /// The number of packets here may follow from times; without, it is counted.
    pub shortcuts: bool,
    /// Decisions of the discipline on departing packets may be deferred.
    pub defers: bool,
}

impl StationSetup {
    /// A drop-tail station without routes.
    pub fn drop_tail(channel: u16, service: Service, buffer: Option<Buffer>) -> Self {
        Self {
            channel,
            access: 0,
            transmitter: Transmitter::steady(service),
            buffer,
            loss: None,
            mark_above: None,
            rule: None,
            discipline: None,
            observed: None,
            hops: Vec::new(),
            shortcuts: true,
            defers: false,
        }
    }
}
