//! Jitter of Wi-Fi, packet by packet.
//!
//! The law of the simulated links that picoquic and C4 are tested with (`sim_link.c` of private-octopus/picoquic), made after
//! measurements of a bad Wi-Fi: short waits for a medium that others use, and now and then one of some 90 ms.

use congestion::Duration;

use super::Conditions;
use crate::kernel::rng::{Draws, Purpose, Streams, numbers_below, uniform};

/// Unit of short waits, and mean of a jitter without long ones [s].
const SHORT: f64 = 0.001;
/// Unit of long waits [s].
const LONG: f64 = 0.0075;
/// Mean number of units in a short and in a long wait.
const MEANS: [f64; 2] = [1.0, 12.0];
/// Mean jitter beyond [`SHORT`] at which every packet has a long wait [s].
const SPAN: f64 = 0.084;

/// Packets whose delays are worked out at once.
pub(super) const TOGETHER: usize = 2 * Draws::<4>::TOGETHER;

/// Random delays of the packets of a path.
#[derive(Debug)]
pub(super) struct Jitter {
    draws: Draws<4>,
    /// Units in a short wait, by numbers of 53 bits, and in a long one.
    short: Box<[u64; 100]>,
    long: Box<[f64; 100]>,
    /// Packet, mean and spread that delays were asked for last.
    asked: Option<(u64, f64, f64)>,
}

impl Jitter {
    pub fn new(streams: &Streams, station: u32) -> Self {
        let draws = Draws::of(Purpose::PathJitter, streams, station);
        let [short, long] = MEANS.map(poisson);
        Self { draws, short: Box::new(short.map(numbers_below)), long: Box::new(long), asked: None }
    }

    /// Delays of packets in a row from this number on, where they are others than those that were asked for last.
    pub fn delays(&mut self, packet: u64, conditions: &Conditions, delays: &mut [Duration; TOGETHER]) {
        let &Conditions { jitter, spread, .. } = conditions;
        let asked = Some((packet, jitter, spread));
        if std::mem::replace(&mut self.asked, asked) == asked {
            return;
        }
        let share = ((jitter - SHORT) / SPAN).clamp(0.0, 1.0);
        let longs = numbers_below(share);
        for (delays, first) in delays.chunks_exact_mut(Draws::<4>::TOGETHER).zip(0..) {
            let draws = self.draws.together(packet + first * Draws::<4>::TOGETHER as u64);
            for (delay, words) in delays.iter_mut().zip(draws) {
                let mut seconds = 0.0;
                if jitter > 0.0 {
                    let [short, part, long, long_part] = words;
                    if let Some(units) = variate(&self.short, short >> 11) {
                        seconds = SHORT * (units - uniform(part));
                    }
                    if long >> 11 < longs {
                        // Below the share, the same number is uniform again.
                        let units = variate(&self.long, uniform(long) / share).unwrap_or(0.0);
                        seconds += LONG * (units - if units > 1.0 { uniform(long_part) } else { 0.0 });
                    }
                }
                if spread > 0.0 {
                    seconds += spread * uniform(words[3]);
                }
                *delay = Duration::from_short(seconds);
            }
        }
    }
}

/// Probabilities of Poisson variates no larger than the place says. Rounded, they may stay below one.
fn poisson(mean: f64) -> [f64; 100] {
    let mut probability = libm::exp(-mean);
    let (mut sum, mut number) = (probability, 0.0);
    let mut sums = [sum; 100];
    for next in &mut sums[1..] {
        number += 1.0;
        probability *= mean / number;
        sum += probability;
        *next = sum;
    }
    sums
}

/// A variate above zero by inversion.
#[inline]
fn variate<T: Copy + PartialOrd>([none, sums @ ..]: &[T; 100], draw: T) -> Option<f64> {
    let above = || sums.iter().zip(1_u32..).find(|(sum, _)| draw < **sum).map_or(100, |(_, number)| number);
    (draw >= *none).then(|| f64::from(above()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays of so many packets [s].
    fn delays(conditions: &Conditions, packets: u64) -> Vec<f64> {
        let mut jitter = Jitter::new(&Streams::new(3), 1);
        let mut some = [Duration::ZERO; TOGETHER];
        let firsts = (0..packets).step_by(TOGETHER);
        let each = firsts.flat_map(|first| {
            jitter.delays(first, conditions, &mut some);
            some
        });
        each.map(Duration::seconds).collect()
    }

    /// Whatever was asked for before, of these packets or of others.
    #[test]
    fn a_delay_is_that_of_the_packet_and_the_conditions() {
        let conditions = [0.0, 0.0125, 0.05].map(|jitter| Conditions { jitter, ..Conditions::STEADY });
        let mut asked = Jitter::new(&Streams::new(3), 1);
        for (first, at) in [(0, 1), (0, 0), (0, 1), (64, 1), (64, 2), (32, 2), (32, 2)] {
            let (mut some, mut alone) = ([Duration(7); TOGETHER], [Duration::ZERO; TOGETHER]);
            asked.delays(64, &conditions[0], &mut some);
            asked.delays(first, &conditions[at], &mut some);
            Jitter::new(&Streams::new(3), 1).delays(first, &conditions[at], &mut alone);
            assert_eq!(some, alone);
        }
    }

    /// 0.684 ms + 86.25 ms x, with x = (J - 1 ms) / 84 ms; of those with a long wait, some 86 ms.
    #[test]
    fn means_are_those_of_the_law() {
        for (mean, expected) in [(0.000_5, 0.000_684), (0.001, 0.000_684), (0.0125, 0.012_49), (0.05, 0.051)]
        {
            let delays = delays(&Conditions { jitter: mean, ..Conditions::STEADY }, 400_000);
            let sum: f64 = delays.iter().sum();
            assert!((sum / 4e5 / expected - 1.0).abs() < 0.02, "{mean}: {}", sum / 4e5);
            let long: Vec<f64> = delays.into_iter().filter(|delay| *delay > 0.03).collect();
            let share = ((mean - SHORT) / SPAN).max(0.0);
            let ratio = f64::from(u32::try_from(long.len()).expect("few")) / 4e5;
            assert!((ratio - share).abs() < 0.002 + 0.01 * share, "{mean}: share of long waits {ratio}");
            if !long.is_empty() {
                let mean = long.iter().sum::<f64>() / ratio / 4e5;
                assert!((mean / 0.087 - 1.0).abs() < 0.02, "a long wait takes {mean} s");
            }
        }
    }

    #[test]
    fn a_spread_is_uniform() {
        let delays = delays(&Conditions { spread: 0.02, ..Conditions::STEADY }, 100_000);
        let apart: f64 = delays.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
        assert!((delays.iter().sum::<f64>() / 1e5 / 0.01 - 1.0).abs() < 0.02);
        // The mean distance of two is a third.
        assert!((apart / 1e5 * 3.0 / 0.02 - 1.0).abs() < 0.02);
    }
}
