//! What models share: variates, and ranges of parameters.

use crate::kernel::rng::{exponential, uniform};

/// A parameter that has to lie in a range: its name and what would be right, if it does not.
pub(super) fn out_of(
    name: &'static str,
    value: f64,
    least: f64,
    most: f64,
) -> Option<(&'static str, String)> {
    let fits = (least..=most).contains(&value);
    (!fits).then(|| (name, format!("expected {least} to {most}, got {value}")))
}

/// Standard normal variate of two random words, after Box and Muller.
pub(super) fn normal(word: u64, other: u64) -> f64 {
    let radius = libm::sqrt(2.0 * exponential(word, 1.0));
    radius * libm::cos(std::f64::consts::TAU * uniform(other))
}

/// Log-normal variate of mean 1 with a coefficient of variation, of a standard normal one.
pub(super) fn log_normal(variation: f64, normal: f64) -> f64 {
    let variance = libm::log1p(variation * variation);
    libm::exp(libm::sqrt(variance) * normal - variance / 2.0)
}
