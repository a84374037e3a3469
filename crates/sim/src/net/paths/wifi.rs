//! Jitter of Wi-Fi, packet by packet.
//!
//! The law of the simulated links that picoquic and C4 are tested with (`sim_link.c` of private-octopus/picoquic), made after
//! measurements of a bad Wi-Fi: short waits for a medium that others use, and now and then one of some 90 ms.

use congestion::Duration;

use super::Conditions;
use crate::kernel::rng::{Draws, Purpose, Streams};

/// Unit of short waits, and mean of a jitter without long ones [s].
const SHORT: f64 = 0.001;
/// Unit of long waits [s].
const LONG: f64 = 0.0075;
/// Mean number of units in a short and in a long wait.
const MEANS: [f64; 2] = [1.0, 12.0];
/// Mean jitter beyond [`SHORT`] at which every packet has a long wait [s].
const SPAN: f64 = 0.084;

/// Random delays of the packets of a path.
#[derive(Debug)]
pub(super) struct Jitter {
    draws: Draws<4>,
}

impl Jitter {
    pub fn new(streams: &Streams, station: u32) -> Self {
        Self { draws: Draws::of(Purpose::PathJitter, streams, station) }
    }

    /// Delay of a packet.
    pub fn delay(&mut self, packet: u64, conditions: &Conditions) -> Duration {
        let draws = self.draws.uniforms(packet);
        let waits = if conditions.jitter > 0.0 { waits(conditions.jitter, draws) } else { 0.0 };
        Duration::from_seconds(waits + conditions.spread * draws[3])
    }
}

/// Waits of a packet [s], where `mean` is nearly their mean.
fn waits(mean: f64, draws: [f64; 4]) -> f64 {
    let [short, part, long, long_part] = draws;
    let units = poisson(MEANS[0], short);
    let mut wait = SHORT * (units - if units > 0.0 { part } else { 0.0 });
    let share = ((mean - SHORT) / SPAN).clamp(0.0, 1.0);
    if long < share {
        // Below the share, the same number is uniform again.
        let units = poisson(MEANS[1], long / share);
        wait += LONG * (units - if units > 1.0 { long_part } else { 0.0 });
    }
    wait
}

/// Poisson variate by inversion.
fn poisson(mean: f64, draw: f64) -> f64 {
    let mut probability = libm::exp(-mean);
    let (mut sum, mut number) = (probability, 0.0);
    // Rounded, the sum may stay below one.
    while draw >= sum && number < 100.0 {
        number += 1.0;
        probability *= mean / number;
        sum += probability;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.684 ms + 86.25 ms x, with x = (J - 1 ms) / 84 ms; of those with a long wait, some 86 ms.
    #[test]
    fn means_are_those_of_the_law() {
        for (mean, expected) in [(0.000_5, 0.000_684), (0.001, 0.000_684), (0.0125, 0.012_49), (0.05, 0.051)]
        {
            let mut jitter = Jitter::new(&Streams::new(3), 1);
            let conditions = Conditions { jitter: mean, ..Conditions::STEADY };
            let packets = 400_000;
            let delays: Vec<f64> =
                (0..packets).map(|packet| jitter.delay(packet, &conditions).seconds()).collect();
            let sum: f64 = delays.iter().sum();
            assert!((sum / 4e5 / expected - 1.0).abs() < 0.02, "{mean}: {}", sum / 4e5);
            let long: Vec<f64> = delays.into_iter().filter(|delay| *delay > 0.03).collect();
            let share = ((mean - SHORT) / SPAN).max(0.0);
            let found = f64::from(u32::try_from(long.len()).expect("few")) / 4e5;
            assert!((found - share).abs() < 0.002 + 0.01 * share, "{mean}: share of long waits {found}");
            if !long.is_empty() {
                let mean = long.iter().sum::<f64>() / found / 4e5;
                assert!((mean / 0.087 - 1.0).abs() < 0.02, "a long wait takes {mean} s");
            }
        }
    }

    #[test]
    fn a_spread_is_uniform() {
        let mut jitter = Jitter::new(&Streams::new(3), 1);
        let conditions = Conditions { spread: 0.02, ..Conditions::STEADY };
        let delays: Vec<f64> =
            (0..100_000).map(|packet| jitter.delay(packet, &conditions).seconds()).collect();
        let apart: f64 = delays.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
        assert!((delays.iter().sum::<f64>() / 1e5 / 0.01 - 1.0).abs() < 0.02);
        // The mean distance of two is a third.
        assert!((apart / 1e5 * 3.0 / 0.02 - 1.0).abs() < 0.02);
    }
}
