//! Frames of Wi-Fi that go out together.
//!
//! A station wins the medium now and then, and sends all that waits as one A-MPDU (IEEE 802.11n, 802.11ac), of which no packet is
//! there before the last. In between others have the medium: the time to win it is drawn, as often as there are contenders.
//! So what the server has sent since the end of the last turn arrives at the end of the next, all at once.

use congestion::Duration;
use serde::{Deserialize, Serialize};

use super::Conditions;
use super::variates::out_of;
use crate::kernel::rng::{Block, uniform};

/// Shortest and longest time in which a contender keeps the medium [s].
const ACCESS: [f64; 2] = [50e-6, 500e-6];

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct AggregationParameters {
    /// Air time of the frames that go out together [s].
    pub airtime: f64,
    /// Other stations.
    pub contenders: u32,
}

impl AggregationParameters {
    pub(super) fn faults(&self) -> Vec<(&'static str, String)> {
        let faults = [
            // A PPDU of 802.11n and 802.11ac takes 5.484 ms at most.
            out_of("airtime", self.airtime, 0.000_1, 0.005_484),
            out_of("contenders", f64::from(self.contenders), 1.0, 100.0),
        ];
        faults.into_iter().flatten().collect()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Aggregation(AggregationParameters);

impl Aggregation {
    pub fn new(parameters: &AggregationParameters) -> Self {
        Self(*parameters)
    }

    pub fn next(&mut self, draws: &Block) -> (Duration, Conditions) {
        let [least, most] = ACCESS;
        let AggregationParameters { airtime, contenders } = self.0;
        let access = f64::from(contenders) * (least + (most - least) * uniform(draws[0]));
        (Duration::from_seconds(airtime + access), Conditions::STEADY)
    }
}
