//! Traffic: a population of sources that think, connect and send, and flows given one by one.

use congestion::{Duration, Time};

use super::Application;
use crate::kernel::rng;
use crate::tcp::receiver::Conduct;

/// Who sends how much to whom.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Thinking, connecting, sending sources.
    pub population: Option<Population>,
    /// Flows given one by one.
    pub flows: Vec<Flow>,
    /// A receiver of theirs breaks the rules.
    pub misbehaves: bool,
    /// Applications, which offer data over some of them.
    pub applications: Vec<Application>,
}

/// Behaviour of the sources of the population.
#[derive(Clone, Copy, Debug)]
pub struct Population {
    /// Mean of the exponential think time [s].
    pub think_mean: f64,
    /// Distribution of file sizes.
    pub files: Files,
    /// Probability that a host's interface is the fast one.
    pub fast_probability: f64,
    /// Larger files on paths between two D sites, or from D sites, for part of the run.
    pub jumbo: Option<Jumbo>,
    /// When a source with finite patience gives up.
    pub patience: Option<Patience>,
    /// Receivers are drawn from regions other than the source's.
    pub receivers_in_other_regions: bool,
}

/// File sizes: Pareto, times a factor for the type of the file.
#[derive(Clone, Copy, Debug)]
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

/// Spatiotemporal congestion.
#[derive(Clone, Copy, Debug)]
pub struct Jumbo {
    /// Beginning.
    pub start: Time,
    /// End.
    pub end: Time,
    /// Factor on file sizes.
    pub factor: f64,
    /// Files from D sites to receivers of all classes, too.
    pub any_receiver: bool,
}

/// Finite patience.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// A transfer is abandoned once it has lasted longer than this [s] ...
    pub min_time: f64,
    /// ... and this many times the ideal time (size over line rate plus two base RTTs).
    pub factor: f64,
}

/// A flow given by name.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Site of its source.
    pub source: u16,
    /// Site of its receiver.
    pub receiver: u16,
    /// Receiving host within its region; they follow those of the population.
    pub host: u32,
    /// Index of its algorithm.
    pub algorithm: u16,
    /// Interface class of both ends.
    pub interface: u8,
    /// Segments to send; `u64::MAX` is without limit.
    pub size: u64,
    /// When it starts to connect.
    pub start: Time,
    /// When it stops offering new data, if it does.
    pub stop: Option<Time>,
    /// The application offers its data burst by burst.
    pub bursts: Option<Bursts>,
    /// What its receiver does against the rules.
    pub conduct: Conduct,
    /// Index of the application that offers its data.
    pub application: Option<u32>,
}

/// Bursts of an application.
#[derive(Clone, Copy, Debug)]
pub struct Bursts {
    /// Segments of one.
    pub size: u32,
    /// Time from the acknowledgement of one, or from its beginning, to the next.
    pub gap: Duration,
    /// The gap begins with the acknowledgement.
    pub waits: bool,
}

impl Files {
    /// Size [segments, not rounded] and type of a file, drawn with one random word each.
    pub fn draw(&self, size: u64, kind: u64) -> (f64, u8) {
        let segments = rng::pareto(size, self.mean, self.shape);
        let mut kind = rng::uniform(kind);
        for (at, (probability, factor)) in (1..).zip(self.probability.iter().zip(self.factor)) {
            if kind < *probability {
                return (segments * factor, at);
            }
            kind -= probability;
        }
        (segments, 0)
    }
}
