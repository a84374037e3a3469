//! Record of the time between two decisions.

/// Measurements of one flow between two decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record {
    /// End of the time [s since the start of the run].
    pub time: f64,
    /// Length of the time [s].
    pub elapsed: f64,
    /// Payload of a segment [bytes].
    pub smss: f64,
    /// Data by fate.
    pub counts: Counts,
    /// Round-trip times.
    pub rtt: RoundTrips,
    /// State at the end.
    pub state: State,
}

/// Data by fate, and timeouts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Acknowledged, cumulatively or selectively [bytes].
    pub delivered: f64,
    /// Declared lost, by ACKs or by timeouts [bytes].
    pub lost: f64,
    /// Reported as marked "congestion experienced" [bytes].
    pub marked: f64,
    /// Put on the network, again or for the first time [bytes].
    pub sent: f64,
    /// Expiries of the retransmission timer.
    pub timeouts: f64,
}

/// Round-trip times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundTrips {
    /// Mean of the samples [s]; without one the mean before.
    pub mean: f64,
    /// Slope of the line of least squares through the samples [s/s]; zero with less than two.
    pub gradient: f64,
    /// Samples.
    pub count: f64,
    /// Least sample of the connection [s].
    pub least: f64,
    /// Smoothed [s].
    pub smoothed: f64,
}

/// State of the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Congestion window that was in force [bytes].
    pub window: f64,
    /// Pacing rate that was in force [bytes/s]; zero without pacing.
    pub pacing_rate: f64,
    /// Data in the network as the sender estimates it [bytes].
    pub in_flight: f64,
    /// One while a loss is being repaired, otherwise zero.
    pub in_recovery: f64,
    /// Largest delivery rate of any record of the connection [bytes/s].
    pub greatest_rate: f64,
}

/// Quantity of a record.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Name in Python.
    pub name: &'static str,
    /// Unit, "1" of a pure number.
    pub unit: &'static str,
    /// Meaning, in a phrase.
    pub doc: &'static str,
    /// Value in a record.
    pub of: fn(&Record) -> f64,
}

/// Quantities of a record, in the order of the columns that Python gets.
pub const QUANTITIES: [Quantity; 17] = [
    quantity("time", "s", "end of the interval", |record| record.time),
    quantity("elapsed", "s", "length of the interval", |record| record.elapsed),
    quantity("delivered", "bytes", "acknowledged, cumulatively or selectively", |record| {
        record.counts.delivered
    }),
    quantity("lost", "bytes", "declared lost, by ACKs or by timeouts", |record| record.counts.lost),
    quantity("marked", "bytes", "reported as marked \"congestion experienced\"", |record| {
        record.counts.marked
    }),
    quantity("sent", "bytes", "put on the network, again or for the first time", |record| record.counts.sent),
    quantity("timeouts", "1", "expiries of the retransmission timer", |record| record.counts.timeouts),
    quantity("rtt", "s", "mean round-trip time; without a sample that before", |record| record.rtt.mean),
    quantity("rtt_gradient", "s/s", "slope of the round-trip time, by least squares", |record| {
        record.rtt.gradient
    }),
    quantity("rtt_samples", "1", "samples of the round-trip time", |record| record.rtt.count),
    quantity("least_rtt", "s", "least round-trip time of the connection", |record| record.rtt.least),
    quantity("srtt", "s", "smoothed round-trip time", |record| record.rtt.smoothed),
    quantity("window", "bytes", "congestion window in force", |record| record.state.window),
    quantity("pacing_rate", "bytes/s", "pacing rate in force; zero without", |record| {
        record.state.pacing_rate
    }),
    quantity("in_flight", "bytes", "data in the network, by the sender's estimate", |record| {
        record.state.in_flight
    }),
    quantity("in_recovery", "1", "one while a loss is being repaired", |record| record.state.in_recovery),
    quantity("greatest_rate", "bytes/s", "largest delivery rate of an interval so far", |record| {
        record.state.greatest_rate
    }),
];

const fn quantity(
    name: &'static str,
    unit: &'static str,
    doc: &'static str,
    of: fn(&Record) -> f64,
) -> Quantity {
    Quantity { name, unit, doc, of }
}

impl Record {
    /// Delivery rate [bytes/s].
    pub fn rate(&self) -> f64 {
        ratio(self.counts.delivered, self.elapsed, 0.0)
    }

    /// Part of the data that left the flight by being lost.
    pub fn loss_ratio(&self) -> f64 {
        ratio(self.counts.lost, self.counts.lost + self.counts.delivered, 0.0)
    }
}

/// Quotient, or `otherwise` where the divisor is not above zero.
pub fn ratio(dividend: f64, divisor: f64, otherwise: f64) -> f64 {
    if divisor > 0.0 { dividend / divisor } else { otherwise }
}
