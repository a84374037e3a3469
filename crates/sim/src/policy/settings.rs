//! Settings of a policy: what it sees, when it decides, and what its answers mean.

use congestion::{Duration, Ecn, Needs, Time};
use serde::{Deserialize, Serialize};

use super::action::Action;
use super::features::Feature;
use super::record::Record;

/// Settings, as JSON has them. They go along with a trained policy.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Names of the features of an observation.
    pub observation: Vec<String>,
    /// Records that an observation holds, the oldest first.
    pub history: usize,
    /// Meaning of the answers.
    pub action: Action,
    /// Times of decisions.
    pub decide: Cadence,
    /// Name of the explicit congestion notification that the flow asks for.
    pub ecn: String,
}

/// Times of decisions.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Cadence {
    /// All multiples of an interval of simulated time, from the flow's first ACK on.
    Every {
        /// The interval [s].
        seconds: f64,
    },
    /// So many smoothed round trips after the decision before.
    RoundTrips {
        /// Their number.
        number: f64,
        /// Least time between two decisions [s].
        at_least: f64,
    },
}

/// Fault of settings: its place, and what was expected and found.
pub type Fault = (&'static str, String);

/// Settings without faults, ready for use.
#[derive(Clone, Debug)]
pub struct Policy {
    features: Vec<&'static Feature>,
    /// Records that an observation holds.
    pub history: usize,
    /// Meaning of the answers.
    pub action: Action,
    /// Times of decisions.
    pub cadence: Cadence,
    ecn: Ecn,
}

/// Most records of an observation.
pub const MOST_HISTORY: usize = 1000;
/// Shortest and longest time between decisions [s].
const SPAN: [f64; 2] = [1e-6, 1e6];

impl Settings {
    /// Settings from JSON.
    ///
    /// # Errors
    /// The faults, with their places.
    pub fn parse(json: &str) -> Result<Policy, Vec<Fault>> {
        let settings: Self = serde_json::from_str(json).map_err(|error| vec![("", error.to_string())])?;
        settings.policy()
    }

    /// Policy of these settings.
    ///
    /// # Errors
    /// All faults, with their places.
    pub fn policy(&self) -> Result<Policy, Vec<Fault>> {
        let mut faults = self.action.faults();
        let mut features = Vec::new();
        for name in &self.observation {
            match Feature::named(name) {
                Some(feature) => features.push(feature),
                None => faults.push(("observation", format!("there is no feature \"{name}\""))),
            }
        }
        if self.observation.is_empty() {
            faults.push(("observation", "expected one feature at least".into()));
        }
        if !(1..=MOST_HISTORY).contains(&self.history) {
            faults.push(("history", format!("expected from 1 to {MOST_HISTORY}, got {}", self.history)));
        }
        let mut span = |place, value: f64, unit| {
            if !(SPAN[0]..=SPAN[1]).contains(&value) {
                faults.push((place, format!("expected from {} to {}{unit}, got {value}", SPAN[0], SPAN[1])));
            }
        };
        match self.decide {
            Cadence::Every { seconds } => span("decide.every", seconds, " s"),
            Cadence::RoundTrips { number, at_least } => {
                span("decide.round_trips", number, "");
                span("decide.at_least", at_least, " s");
            }
        }
        let ecn = Ecn::ALL.into_iter().find(|ecn| ecn.name() == self.ecn);
        if ecn.is_none() {
            let names = Ecn::ALL.map(Ecn::name).join(", ");
            faults.push(("ecn", format!("expected one of {names}, got \"{}\"", self.ecn)));
        }
        let (true, Some(ecn)) = (faults.is_empty(), ecn) else { return Err(faults) };
        let (history, action, cadence) = (self.history, self.action.clone(), self.decide);
        Ok(Policy { features, history, action, cadence, ecn })
    }
}

impl Policy {
    /// Features of one record.
    pub fn features(&self) -> &[&'static Feature] {
        &self.features
    }

    /// Numbers of an observation.
    pub fn width(&self) -> usize {
        self.features.len() * self.history
    }

    /// Make the newest record the last of an observation; the oldest is forgotten.
    pub fn observe(&self, record: &Record, observation: &mut [f32]) {
        let count = self.features.len();
        observation.copy_within(count.., 0);
        let newest = observation.len() - count;
        for (value, feature) in observation[newest..].iter_mut().zip(&self.features) {
            *value = feature.of(record);
        }
    }

    /// Needs of the flow.
    pub fn needs(&self) -> Needs {
        Needs { ecn: self.ecn, ecn_fallback: true, segments: true, ..Needs::default() }
    }

    /// Time of the decision after one at `now`, given the smoothed RTT.
    pub fn next(&self, now: Time, srtt: Duration) -> Time {
        match self.cadence {
            Cadence::Every { seconds } => {
                let every = Duration::from_seconds(seconds);
                Time::ZERO + every * (now.since(Time::ZERO) / every + 1)
            }
            Cadence::RoundTrips { number, at_least } => {
                now + Duration::from_seconds((number * srtt.seconds()).max(at_least))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"observation": ["rtt_ratio", "loss_ratio"], "history": 2, "ecn": "classic",
        "action": {"target": "window", "rule": {"multiply": {"step": 0.1}}, "least": 1, "most": 1000},
        "decide": {"every": {"seconds": 0.05}}}"#;

    #[test]
    fn observations_hold_the_newest_records_oldest_first() {
        let policy = Settings::parse(GOOD).expect("good settings");
        let mut observation = vec![0.0; policy.width()];
        for lost in [1.0, 3.0] {
            let mut record = Record::default();
            record.counts.lost = lost;
            record.counts.delivered = 1.0;
            policy.observe(&record, &mut observation);
        }
        assert_eq!(observation, [1.0, 0.5, 1.0, 0.75]);
    }

    #[test]
    fn decisions_lie_on_a_grid_or_a_round_trip_apart() {
        let policy = Settings::parse(GOOD).expect("good settings");
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        assert_eq!(policy.next(at(100), Duration::ZERO), at(150));
        assert_eq!(policy.next(at(149), Duration::ZERO), at(150));
        let cadence = Cadence::RoundTrips { number: 2.0, at_least: 0.01 };
        let policy = Policy { cadence, ..policy };
        assert_eq!(policy.next(at(100), Duration::from_millis(20)), at(140));
        assert_eq!(policy.next(at(100), Duration::from_millis(1)), at(110));
    }

    #[test]
    fn all_faults_are_told_at_once() {
        let bad = GOOD
            .replace("rtt_ratio", "rtt_rato")
            .replace("\"history\": 2", "\"history\": 0")
            .replace("classic", "clasic")
            .replace("0.05", "-1");
        let places: Vec<_> =
            Settings::parse(&bad).expect_err("faults").into_iter().map(|fault| fault.0).collect();
        assert_eq!(places, ["observation", "history", "decide.every", "ecn"]);
    }
}
