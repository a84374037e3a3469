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
    pub(super) forms: u32,
}

/// Bits of `forms`: what a loss halves is the window; ACKs count whole after a timeout.
const HALVES_WINDOW: u32 = 1;
const COUNTS_WHOLE_ACKS: u32 = 2;

impl From<&Initial> for RawInitial {
    fn from(initial: &Initial) -> Self {
        let Initial { smss, window, ssthresh, restart_window, halve, counts_whole_acks, seed } = *initial;
        let forms = if halve == Halve::Window { HALVES_WINDOW } else { 0 }
            | if counts_whole_acks { COUNTS_WHOLE_ACKS } else { 0 };
        Self { window, ssthresh, restart_window, seed, smss, forms }
    }
}

impl RawInitial {
    /// The other way; none if it makes no sense.
    #[must_use]
    pub fn read(&self) -> Option<Initial> {
        let Self { window, ssthresh, restart_window, seed, smss, forms } = *self;
        let halve = if forms & HALVES_WINDOW == 0 { Halve::Flight } else { Halve::Window };
        let counts_whole_acks = forms & COUNTS_WHOLE_ACKS != 0;
        let is_known = forms <= HALVES_WINDOW | COUNTS_WHOLE_ACKS;
        is_known.then_some(Initial { smss, window, ssthresh, restart_window, halve, counts_whole_acks, seed })
    }
}
