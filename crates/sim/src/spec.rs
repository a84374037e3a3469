//! The resolved scenario: everything a run needs but the seed, in SI units, as JSON.
//!
//! Names, units with suffixes, defaults and the twenty parameters live in Python; this is what they
//! resolve to. Unknown fields are errors. All times are in seconds, all rates in packets or bits per second.

use congestion::Protocol;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use crate::net::packet::PacketSizes;
pub use crate::net::queue::Buffer;
pub use crate::net::service::ServiceRate;

/// A whole world but for the seed.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Version of this format; 1.
    pub version: u32,
    /// Length of the run [s].
    pub duration: f64,
    /// Sizes of packets on the wire, for stations that count bits or bytes.
    #[serde(default)]
    pub packet: PacketSizes,
    /// Options of the TCP mechanism.
    #[serde(default)]
    pub transport: Transport,
    /// Number of regions; stations name theirs. Regions advance in parallel, so every link between two
    /// regions needs a delay above zero.
    pub regions: u32,
    /// The servers.
    pub stations: Vec<Station>,
    /// Directed hops between stations.
    pub links: Vec<Link>,
    /// `next_link[station][site]`: index into `links` of the next hop of a packet at `station` bound for
    /// `site`; -1 where `station` hands the packet to the site's hosts; -2 where there is no route.
    pub next_link: Vec<Vec<i32>>,
    /// Where hosts attach.
    pub sites: Vec<Site>,
    /// Kinds of host interface.
    pub interfaces: Vec<Interface>,
    /// Congestion-control algorithms with their parameters.
    pub algorithms: Vec<Algorithm>,
    /// Sources that think, connect and send, over and over.
    #[serde(default)]
    pub population: Option<Population>,
    /// Flows given one by one: long-lived flows, laboratory flows.
    #[serde(default)]
    pub flows: Vec<FlowSpec>,
    /// What is recorded.
    pub measure: Measure,
}

/// Options of the TCP mechanism; Python's profiles `mesonet`, `rfc` and `linux` are sets of these.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Transport {
    /// How lost segments are found and repaired.
    pub recovery: Recovery,
    /// Duplicate ACKs or SACKed segments that mean loss (RFC 6675 `DupThresh`).
    pub dup_thresh: u32,
    /// RTO before the first RTT sample [s].
    pub rto_initial: f64,
    /// Floor of the RTO [s].
    pub rto_min: f64,
    /// Ceiling of the RTO [s].
    pub rto_max: f64,
    /// What the floor is of, and when the timer starts.
    pub rto_rule: RtoRule,
    /// Wait before the first SYN retry [s]; doubles.
    pub syn_timeout: f64,
    /// SYNs sent before the connection fails.
    pub syn_tries: u32,
    /// Segments per ACK: 1 acknowledges every segment, 2 every second (RFC 5681 section 4.2).
    pub ack_every: u32,
    /// Longest time an ACK is held back [s] when `ack_every` is above 1.
    pub ack_delay: f64,
    /// ACKs and SYN+ACKs travel through the stations instead of with propagation delay only.
    pub ack_cost: bool,
    /// Probability that an ACK is lost when it does not travel through the stations.
    pub ack_loss: f64,
    /// Receive window [segments]; `None` is unlimited.
    pub receive_window: Option<u32>,
    /// Initial window [segments].
    pub initial_window: f64,
    /// Initial window [segments] if more than one SYN was sent again; `None` is the same.
    pub syn_loss_window: Option<f64>,
    /// Initial slow-start threshold [segments]; `None` is unlimited.
    pub initial_ssthresh: Option<f64>,
    /// Window after a retransmission timeout [segments].
    pub restart_window: f64,
    /// Loss halves `flight` or `window`.
    pub halve: HalveSpec,
    /// The window grows only while it limits sending (RFC 7661); `false` lets it grow on every ACK.
    pub cwnd_validation: bool,
}

impl Default for Transport {
    /// The profile `rfc`.
    fn default() -> Self {
        Self {
            recovery: Recovery::Sack,
            dup_thresh: 3,
            rto_initial: 1.0,
            rto_min: 1.0,
            rto_max: 60.0,
            rto_rule: RtoRule::Rfc6298,
            syn_timeout: 1.0,
            syn_tries: 6,
            ack_every: 2,
            ack_delay: 0.2,
            ack_cost: true,
            ack_loss: 0.0,
            receive_window: None,
            initial_window: 10.0,
            syn_loss_window: Some(1.0),
            initial_ssthresh: None,
            restart_window: 1.0,
            halve: HalveSpec::Flight,
            cwnd_validation: true,
        }
    }
}

/// How the retransmission timeout follows from round-trip times.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RtoRule {
    /// The sum of smoothed RTT and variation has a floor (RFC 6298 section 2.4).
    Rfc6298,
    /// What is added to the smoothed RTT has it (`tcp_rtt_estimator`), and the timer starts anew when a loss is
    /// first repaired (`tcp_xmit_retransmit_queue`).
    Linux,
}

/// Loss recovery.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Recovery {
    /// SACK scoreboard, RFC 6675.
    Sack,
    /// The same, with losses found by the time of sending, and probes of lost tails (RACK-TLP, RFC 8985).
    Rack,
    /// NewReno, RFC 6582.
    Newreno,
    /// Tahoe: no fast recovery; any loss restarts from the oldest segment in slow start.
    Tahoe,
    /// The same as released in 1988: every third duplicate ACK is a loss, also of what had to be sent again though
    /// it had arrived (S. Floyd, *TCP and Successive Fast Retransmits*, 1994).
    #[serde(rename = "tahoe-1988")]
    Tahoe1988,
}

/// What "half" refers to when loss is detected.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum HalveSpec {
    /// `FlightSize` (RFC 5681).
    Flight,
    /// `cwnd` (Linux).
    Window,
}

/// One FIFO server with a buffer.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Station {
    /// Unique name.
    pub name: String,
    /// Region it belongs to.
    pub region: u32,
    /// Service rate.
    pub rate: ServiceRate,
    /// Room for waiting packets, not counting the one in service; `None` is unlimited.
    pub buffer: Option<Buffer>,
    /// Probability that an arriving packet is lost at random, before the queue.
    #[serde(default)]
    pub loss: f64,
    /// What decides about packets when they come and go.
    #[serde(default)]
    pub discipline: DisciplineSpec,
}

/// Queue discipline by name.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct DisciplineSpec {
    /// What decides who is dropped.
    pub name: DisciplineName,
    /// ECN-capable packets that find more than this many packets waiting are marked "congestion
    /// experienced" (the step marking of RFC 8257); `None` never marks.
    pub mark_above: Option<u64>,
}

impl DisciplineName {
    /// The protocol that the discipline speaks with senders, if any.
    #[must_use]
    pub fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Droptail | Self::DroptailQueued => None,
            Self::Xcp => Some(Protocol::Xcp),
            Self::Vcp => Some(Protocol::Vcp),
        }
    }
}

/// Names of queue disciplines.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DisciplineName {
    /// First in, first out; arrivals beyond the buffer are dropped. One event per hop.
    #[default]
    Droptail,
    /// The same rule through the general path with a real queue; for testing that path.
    DroptailQueued,
    /// Drop-tail that grants changes of the window to flows of XCP.
    Xcp,
    /// Drop-tail that tells flows of VCP how loaded it is.
    Vcp,
}

/// A directed hop from the output of one station to the input of another.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Index of the station it leaves.
    pub from: u32,
    /// Index of the station it enters.
    pub to: u32,
    /// Propagation delay [s].
    pub delay: f64,
}

/// Where hosts attach to the network.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// Index of the station that packets from these hosts enter.
    pub station: u32,
    /// Class of the access router: 0 is D (direct), 1 is F (fast), 2 is N (normal).
    pub class: u8,
    /// Sources attached here; they belong to the population.
    #[serde(default)]
    pub sources: u32,
    /// Receivers attached here.
    #[serde(default)]
    pub receivers: u32,
}

/// A kind of host interface.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// Line rate; `None` is infinitely fast.
    pub rate: Option<ServiceRate>,
    /// Propagation delay between host and site, each way [s].
    #[serde(default)]
    pub delay: f64,
}

/// An algorithm and its parameters.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Algorithm {
    /// Name in the registry of algorithms.
    pub name: String,
    /// Parameters that differ from their defaults.
    #[serde(default)]
    pub params: BTreeMap<String, f64>,
}

/// Sources that cycle thinking, connecting, sending.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Population {
    /// Mean of the exponential think time [s].
    pub think_mean: f64,
    /// Distribution of file sizes [segments].
    pub files: Files,
    /// `shares[i]` of the sources use `algorithms[i]`; sums to 1.
    pub algorithm_shares: Vec<f64>,
    /// Probability that a host's interface is `interfaces[1]` (fast) rather than `interfaces[0]`.
    pub fast_probability: f64,
    /// Larger files on paths between two D sites for part of the run.
    #[serde(default)]
    pub jumbo: Option<Jumbo>,
    /// Finite patience.
    #[serde(default)]
    pub patience: Option<Patience>,
    /// How sources enter the run.
    #[serde(default)]
    pub startup: Startup,
    /// Receivers are drawn from regions other than the source's (all flows transit the backbone).
    pub receivers_in_other_regions: bool,
}

/// File sizes: Pareto with mean `mean` and shape `shape`, rounded up, at least 1 segment, times a factor.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// Mean size of a Web object [segments].
    pub mean: f64,
    /// Pareto shape, above 1.
    pub shape: f64,
    /// Probability of document, service pack and movie; the rest are Web objects.
    pub probability: [f64; 3],
    /// Their factors on the size.
    pub factor: [f64; 3],
}

/// Spatiotemporal congestion (X13).
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Jumbo {
    /// From [s].
    pub start: f64,
    /// To [s].
    pub end: f64,
    /// Factor on file sizes.
    pub factor: f64,
}

/// Finite patience (X10): when a source gives up.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Patience {
    /// Probability that a source has finite patience.
    pub probability: f64,
    /// A transfer is abandoned once it has lasted longer than this [s] ...
    pub min_time: f64,
    /// ... and this many times the ideal time (size over line rate plus two base RTTs).
    pub factor: f64,
}

/// Start-up pattern (X20): shares of sources by how they begin; the rest think a full exponential time.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Startup {
    /// Share that begins in the connecting state.
    pub connecting: f64,
    /// `[share, factor]`: this share leaves the first thinking early, its mean multiplied by `factor`.
    pub early: Vec<[f64; 2]>,
}

/// One flow.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Unique name.
    pub name: String,
    /// Index of the site of its source.
    pub source: u32,
    /// Index of the site of its receiver.
    pub receiver: u32,
    /// Index into `algorithms`.
    pub algorithm: u32,
    /// Index into `interfaces`, for both ends.
    pub interface: u32,
    /// When it starts to connect [s].
    pub start: f64,
    /// Segments to send; `None` is without limit.
    pub size: Option<u64>,
    /// When it stops offering new data [s], if it does.
    #[serde(default)]
    pub stop: Option<f64>,
}

/// What is recorded.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Measurement interval [s]; all series are sampled at its multiples.
    pub interval: f64,
    /// Indices of stations whose queue is recorded every interval.
    #[serde(default)]
    pub stations: Vec<u32>,
    /// Record one row per completed transfer.
    #[serde(default)]
    pub transfers: bool,
    /// Record what happens to every data segment of the named flows; in a network of one region.
    #[serde(default)]
    pub segments: bool,
    /// Flow statistics by group start here [s]; transfers completed earlier are not counted in groups.
    #[serde(default)]
    pub groups_from: f64,
}
