//! Features of a record, which observations are made of.

use super::record::{Record, ratio};

/// A number that an observation may contain.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Name in settings.
    pub name: &'static str,
    /// Unit of the number that a policy sees, "1" of a pure number.
    pub unit: &'static str,
    /// Least value; what is below becomes it.
    pub low: f64,
    /// Largest value; what is above becomes it.
    pub high: f64,
    /// Meaning, in a phrase.
    pub doc: &'static str,
    /// Publication of an observation that has it, or something like it.
    pub source: &'static str,
    of: fn(&Record) -> f64,
}

impl Feature {
    /// Feature of a record, in its range.
    #[expect(clippy::cast_possible_truncation, reason = "policies compute in single precision")]
    pub fn of(&self, record: &Record) -> f32 {
        (self.of)(record).clamp(self.low, self.high) as f32
    }

    /// Feature called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        FEATURES.iter().find(|feature| feature.name == name)
    }
}

const AURORA: &str = "Jay et al., ICML 2019 (Aurora)";
const ORCA: &str = "Abbasloo, Yen, Chao, Sigcomm 2020 (Orca), and its published code";
const MVFST: &str = "Sivakumar et al., 2019 (MVFST-RL)";
const OURS: &str = "mesonet";

/// Base of the units of times and rates, so that usual values are about one.
const TENTH: f64 = 0.1;
const RATE: f64 = 12_500_000.0;
const WINDOW: f64 = 1024.0;

macro_rules! features {
    ($($name:literal [$unit:literal, $low:literal, $high:literal] $source:ident, $doc:literal, $of:expr;)*) => {
        /// Features that an observation may contain.
        pub const FEATURES: &[Feature] = &[$(Feature {
            name: $name, unit: $unit, low: $low, high: $high, doc: $doc, source: $source, of: $of,
        }),*];
    };
}

features! {
    "rtt_gradient" ["s/s", -10.0, 10.0] AURORA,
        "slope of the round-trip time over time, by least squares over the samples of the interval",
        |record| record.rtt.gradient;
    "rtt_ratio" ["1", 0.0, 100.0] AURORA,
        "mean round-trip time over the least of the connection (Aurora: over the least mean of an interval)",
        |record| ratio(record.rtt.mean, record.rtt.least, 1.0);
    "send_ratio" ["1", 0.0, 10.0] AURORA,
        "data sent over data acknowledged; where nothing was acknowledged 10, or 1 if nothing was sent either",
        |record| {
            let idle = if record.counts.sent > 0.0 { 10.0 } else { 1.0 };
            ratio(record.counts.sent, record.counts.delivered, idle)
        };
    "rate_ratio" ["1", 0.0, 1.0] ORCA,
        "delivery rate over the largest of an interval so far",
        |record| ratio(record.rate(), record.state.greatest_rate, 0.0);
    "pacing_ratio" ["1", 0.0, 10.0] ORCA,
        "pacing rate over the largest delivery rate so far; zero without pacing",
        |record| ratio(record.state.pacing_rate, record.state.greatest_rate, 0.0);
    "least_rtt_ratio" ["1", 0.0, 1.0] ORCA,
        "least round-trip time of the connection over the smoothed one",
        |record| ratio(record.rtt.least, record.rtt.smoothed, 1.0);
    "delivered_ratio" ["1", 0.0, 100.0] ORCA,
        "data acknowledged in the interval over the window",
        |record| ratio(record.counts.delivered, record.state.window, 0.0);
    "elapsed" ["100 ms", 0.0, 100.0] ORCA,
        "length of the interval",
        |record| record.elapsed / TENTH;
    "loss_ratio" ["1", 0.0, 1.0] MVFST,
        "data declared lost over all that left the flight",
        Record::loss_ratio;
    "rate" ["100 Mbit/s", 0.0, 1000.0] MVFST,
        "delivery rate",
        |record| record.rate() / RATE;
    "queueing_delay" ["100 ms", 0.0, 100.0] MVFST,
        "mean round-trip time less the least of the connection",
        |record| (record.rtt.mean - record.rtt.least) / TENTH;
    "srtt" ["100 ms", 0.0, 100.0] MVFST,
        "smoothed round-trip time",
        |record| record.rtt.smoothed / TENTH;
    "least_rtt" ["100 ms", 0.0, 100.0] MVFST,
        "least round-trip time of the connection",
        |record| record.rtt.least / TENTH;
    "window" ["1024 segments", 0.0, 16384.0] MVFST,
        "congestion window",
        |record| ratio(record.state.window, record.smss * WINDOW, 0.0);
    "window_log" ["1", 0.0, 2.4] OURS,
        "logarithm to the base 2 of the window in segments, over 10",
        |record| libm::log2(ratio(record.state.window, record.smss, 1.0)) / 10.0;
    "flight_ratio" ["1", 0.0, 10.0] OURS,
        "data in flight over the window",
        |record| ratio(record.state.in_flight, record.state.window, 0.0);
    "bdp_ratio" ["1", 0.0, 100.0] OURS,
        "window over the product of the largest delivery rate and the least round-trip time so far",
        |record| ratio(record.state.window, record.state.greatest_rate * record.rtt.least, 1.0);
    "ce_ratio" ["1", 0.0, 1.0] OURS,
        "data reported as marked \"congestion experienced\" over data acknowledged (the quantity of DCTCP, RFC 8257)",
        |record| ratio(record.counts.marked, record.counts.delivered, 0.0);
    "timeout" ["1", 0.0, 1.0] OURS,
        "one if the retransmission timer expired, otherwise zero",
        |record| record.counts.timeouts;
    "in_recovery" ["1", 0.0, 1.0] OURS,
        "one while a loss is being repaired, otherwise zero",
        |record| record.state.in_recovery;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_a_value_in_their_range_even_of_nothing() {
        for feature in FEATURES {
            let value = f64::from(feature.of(&Record::default()));
            assert!((feature.low..=feature.high).contains(&value), "{} is {value}", feature.name);
            assert_eq!(FEATURES.iter().filter(|other| other.name == feature.name).count(), 1);
        }
    }

    #[test]
    fn values_beyond_the_range_become_its_end() {
        let mut record = Record::default();
        record.rtt.gradient = 1e9;
        let feature = Feature::named("rtt_gradient").expect("a feature");
        assert!((feature.of(&record) - 10.0).abs() < 1e-6);
    }
}
