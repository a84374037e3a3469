//! The elementary functions that built-in algorithms compute with, for controllers written in Python.
//!
//! Those of a platform's C library, which Python's `math` calls, may differ in the last bit from machine to
//! machine. Outside their domain these give NaN or an infinity, as in C, and raise nothing.

use pyo3::prelude::*;

/// Cube root of `x`.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// e to the power of `x`.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// 2 to the power of `x`.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}

/// Natural logarithm of `x`; NaN for a negative one, minus infinity for zero.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn log(x: f64) -> f64 {
    libm::log(x)
}

/// Natural logarithm of 1 + `x`, accurate for a small `x`.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn log1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// `x` to the power of `y`.
#[pyfunction]
#[pyo3(signature = (x, y, /))]
pub(crate) fn power(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}
