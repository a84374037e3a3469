//! Counters and samples of a region. Nothing here influences a run.

use congestion::Time;

use crate::measure::counters::Counters;
use crate::measure::groups::{Groups, PAIRS, Transfer};
use crate::measure::output::{FlowSample, Sample, StationSample, Traces};
use crate::measure::queue::QueueSample;
use crate::net::capacity::Capacity;
use crate::world::Recording;

/// Measurements of a region.
#[derive(Debug)]
pub struct Recorder {
    /// Counts of the interval in progress.
    pub counters: Counters,
    /// Counts of the intervals before it.
    pub totals: Counters,
    /// Segments acknowledged in the interval in progress by pair class.
    pub class_acked: [u64; PAIRS],
    /// Statistics of transfers by group.
    pub groups: Groups,
    /// Completed transfers, if asked for.
    pub transfers: Vec<Transfer>,
    /// Events of named flows one by one, if asked for.
    pub traces: Traces,
    /// Flows given by name.
    pub flows: Vec<FlowRecord>,
    /// Stations whose queue is recorded.
    pub watched: Vec<Watched>,
    /// Samples taken so far.
    pub samples: Vec<Sample>,
    /// Queues of the watched stations, per sample.
    pub queue_samples: Vec<Vec<(usize, StationSample)>>,
    /// States of queues whose sojourn times are recorded: sample, column in the output, state.
    pub queue_states: Vec<(usize, usize, QueueSample)>,
    /// Flows given by name, per sample.
    pub flow_samples: Vec<Vec<(u32, FlowSample)>>,
    /// Segments that arrived here marked, where there are any: sample, flow given by name, number.
    pub ce_marked: Vec<(usize, u32, u64)>,
    /// Datagrams that arrived here, likewise.
    pub datagrams: Vec<(usize, u32, u64)>,
    recording: Recording,
}

/// A station whose queue is recorded.
#[derive(Debug)]
pub struct Watched {
    /// Its column in the output.
    pub column: usize,
    /// Its number within the region.
    pub station: u16,
    /// Work that it can do.
    pub capacity: Capacity,
    /// Time of the last sample, and the work done by then.
    pub sampled: (Time, f64),
}

/// Account of a flow given by name over all its transfers.
#[derive(Debug, Default)]
pub struct FlowRecord {
    /// Index of the flow.
    pub flow: u32,
    /// Its source within the region.
    pub source: u32,
    /// Segments delivered in transfers that have ended.
    pub delivered: u64,
    /// Segments retransmitted in transfers that have ended.
    pub retransmitted: u64,
    /// Segments delivered up to the last sample.
    pub sampled_delivered: u64,
    /// Segments retransmitted up to the last sample.
    pub sampled_retransmitted: u64,
    /// Beginning of the burst under way, where the application pauses.
    pub burst: BurstBegun,
}

/// State of a flow when its application offered a burst.
#[derive(Clone, Copy, Debug, Default)]
pub struct BurstBegun {
    /// Time of the offer; `None` for the first burst, which begins with the connection.
    pub at: Option<Time>,
    /// Segments offered before.
    pub segments: u32,
    /// Segments sent before, retransmissions included.
    pub sent: u64,
}

impl Recorder {
    /// Nothing recorded yet.
    pub fn new(recording: Recording, algorithms: usize, watched: Vec<Watched>) -> Self {
        Self {
            counters: Counters::default(),
            totals: Counters::default(),
            class_acked: [0; PAIRS],
            groups: Groups::new(algorithms),
            transfers: Vec::new(),
            traces: Traces::default(),
            flows: Vec::new(),
            watched,
            samples: Vec::new(),
            queue_samples: Vec::new(),
            queue_states: Vec::new(),
            flow_samples: Vec::new(),
            ce_marked: Vec::new(),
            datagrams: Vec::new(),
            recording,
        }
    }

    /// Record a transfer completed at `now`; groups are those of the population.
    pub fn complete(&mut self, transfer: Transfer, of_population: bool, now: Time) {
        if of_population && now >= self.recording.groups_from {
            self.groups.add(&transfer);
        }
        if self.recording.transfers {
            self.transfers.push(transfer);
        }
    }

    /// End the interval in progress; `departed` counts departures from stations since the beginning.
    pub fn end_interval(&mut self, mut sample: Sample, departed: u64) {
        self.counters.hops = departed - self.totals.hops;
        sample.counters = std::mem::take(&mut self.counters);
        sample.class_acked = std::mem::take(&mut self.class_acked);
        self.totals.add(&sample.counters);
        self.samples.push(sample);
    }
}
