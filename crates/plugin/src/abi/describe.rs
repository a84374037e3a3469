//! Descriptions of a controller before a flow begins, and initial values of a flow.

use congestion::{Halve, Initial};

use super::Text;

/// A [`congestion::Algorithm`] without its parameters and its edition, in place of which a library's content counts.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawAlgorithm {
    /// Name in scenarios.
    pub name: Text,
    /// Name for people.
    pub display: Text,
    /// One sentence for lists.
    pub summary: Text,
    /// Publication of its rules.
    pub source: Text,
    /// Number of parameters.
    pub params: u32,
}

/// A [`congestion::Param`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawParam {
    /// Name in scenarios.
    pub name: Text,
    /// Unit.
    pub unit: Text,
    /// Meaning, in a phrase.
    pub doc: Text,
    /// Value unless the scenario sets it.
    pub default: f64,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
}

/// An [`Initial`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawInitial {
    pub(super) window: f64,
    pub(super) ssthresh: f64,
    pub(super) restart_window: f64,
    pub(super) seed: u64,
    pub(super) smss: u32,
    pub(super) halve: u32,
}

impl From<&Initial> for RawInitial {
    fn from(initial: &Initial) -> Self {
        let Initial { smss, window, ssthresh, restart_window, halve, seed } = *initial;
        let halve = match halve {
            Halve::Flight => 0,
            Halve::Window => 1,
        };
        Self { window, ssthresh, restart_window, seed, smss, halve }
    }
}

impl RawInitial {
    /// The other way; none if it makes no sense.
    #[must_use]
    pub fn read(&self) -> Option<Initial> {
        let Self { window, ssthresh, restart_window, seed, smss, halve } = *self;
        let halve = match halve {
            0 => Halve::Flight,
            1 => Halve::Window,
            _ => return None,
        };
        Some(Initial { smss, window, ssthresh, restart_window, halve, seed })
    }
}
