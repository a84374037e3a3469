//! Needs of a controller, asked once, and its answers after each call.

use std::ffi::c_void;

use congestion::{CongestionControl, Decision, Ecn, Needs, Phase, Protocol, Rate, Time};

use super::bit;

/// Bit of [`RawCreated::needs`]: [`Needs::ecn`] is [`Ecn::Classic`]; with none of the three bits it is [`Ecn::None`].
pub const NEEDS_CLASSIC_ECN: u32 = 1;
/// Bit of [`RawCreated::needs`]: [`Needs::rate_samples`].
pub const NEEDS_RATE_SAMPLES: u32 = 2;
/// Bit of [`RawCreated::needs`]: [`Needs::feedback`] is XCP.
pub const NEEDS_XCP: u32 = 4;
/// Bit of [`RawCreated::needs`]: [`Needs::feedback`] is VCP.
pub const NEEDS_VCP: u32 = 8;
/// Bit of [`RawCreated::needs`]: [`Needs::ecn`] is [`Ecn::Dctcp`].
pub const NEEDS_DCTCP_ECN: u32 = 16;
/// Bit of [`RawCreated::needs`]: [`Needs::ecn`] is [`Ecn::L4s`].
pub const NEEDS_L4S_ECN: u32 = 32;
/// Bit of [`RawCreated::needs`]: [`Needs::ecn_fallback`].
pub const NEEDS_ECN_FALLBACK: u32 = 64;
/// Bit of [`RawCreated::needs`]: [`Needs::segments`].
pub const NEEDS_SEGMENTS: u32 = 128;
/// Bit of [`RawCreated::needs`]: [`Needs::owns_recovery`].
pub const NEEDS_OWN_RECOVERY: u32 = 256;

const ECN_BITS: u32 = NEEDS_CLASSIC_ECN | NEEDS_DCTCP_ECN | NEEDS_L4S_ECN;

/// Result of `create`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawCreated {
    /// Never null once `create` has returned, even if it failed.
    pub state: *mut c_void,
    /// First answer of the controller.
    pub answer: RawAnswer,
    /// Bits [`NEEDS_CLASSIC_ECN`] to [`NEEDS_OWN_RECOVERY`].
    pub needs: u32,
}

/// The bits of [`RawCreated::needs`].
#[must_use]
pub fn needs_bits(needs: Needs) -> u32 {
    let Needs { feedback, ecn, ecn_fallback, rate_samples, segments, owns_recovery } = needs;
    let protocol = match feedback {
        None => 0,
        Some(Protocol::Xcp) => NEEDS_XCP,
        Some(Protocol::Vcp) => NEEDS_VCP,
    };
    let ecn = match ecn {
        Ecn::None => 0,
        Ecn::Classic => NEEDS_CLASSIC_ECN,
        Ecn::Dctcp => NEEDS_DCTCP_ECN,
        Ecn::L4s => NEEDS_L4S_ECN,
    };
    protocol
        | ecn
        | bit(NEEDS_ECN_FALLBACK, ecn_fallback)
        | bit(NEEDS_RATE_SAMPLES, rate_samples)
        | bit(NEEDS_SEGMENTS, segments)
        | bit(NEEDS_OWN_RECOVERY, owns_recovery)
}

/// [`Needs`] from the bits of [`RawCreated::needs`].
#[must_use]
pub fn needs(bits: u32) -> Needs {
    let feedback = match bits & (NEEDS_XCP | NEEDS_VCP) {
        NEEDS_XCP => Some(Protocol::Xcp),
        NEEDS_VCP => Some(Protocol::Vcp),
        _ => None,
    };
    let ecn = match bits & ECN_BITS {
        NEEDS_CLASSIC_ECN => Ecn::Classic,
        NEEDS_DCTCP_ECN => Ecn::Dctcp,
        NEEDS_L4S_ECN => Ecn::L4s,
        _ => Ecn::None,
    };
    Needs {
        feedback,
        ecn,
        ecn_fallback: bits & NEEDS_ECN_FALLBACK != 0,
        rate_samples: bits & NEEDS_RATE_SAMPLES != 0,
        segments: bits & NEEDS_SEGMENTS != 0,
        owns_recovery: bits & NEEDS_OWN_RECOVERY != 0,
    }
}

/// Answer of a controller after a call: its decision, its phase, and what else it may be asked for.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RawAnswer {
    pub(super) cwnd: f64,
    pub(super) pacing_rate: f64,
    pub(super) wakeup: u64,
    pub(super) departure: u64,
    pub(super) ssthresh: f64,
    pub(super) phase: u32,
    pub(super) present: u32,
}

/// What a [`RawAnswer`] says.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// [`CongestionControl::decision`].
    pub decision: Decision,
    /// [`CongestionControl::phase`].
    pub phase: Phase,
    /// [`CongestionControl::wakeup`].
    pub wakeup: Option<Time>,
    /// [`CongestionControl::departure`].
    pub departure: Option<Time>,
    /// [`CongestionControl::ssthresh`].
    pub ssthresh: Option<f64>,
}

impl RawAnswer {
    const PACING: u32 = 1;
    const WAKEUP: u32 = 2;
    const DEPARTURE: u32 = 4;
    const SSTHRESH: u32 = 8;

    /// Asks a controller.
    #[must_use]
    pub fn of(controller: &dyn CongestionControl) -> Self {
        let Decision { cwnd, pacing_rate } = controller.decision();
        let (wakeup, departure) = (controller.wakeup(), controller.departure());
        let ssthresh = controller.ssthresh();
        let phase = match controller.phase() {
            Phase::SlowStart => 0,
            Phase::Standard => 1,
            Phase::Alternate => 2,
        };
        Self {
            cwnd,
            pacing_rate: pacing_rate.map_or(0.0, |rate| rate.0),
            wakeup: wakeup.map_or(0, |at| at.0),
            departure: departure.map_or(0, |at| at.0),
            ssthresh: ssthresh.unwrap_or(0.0),
            phase,
            present: bit(Self::PACING, pacing_rate.is_some())
                | bit(Self::WAKEUP, wakeup.is_some())
                | bit(Self::DEPARTURE, departure.is_some())
                | bit(Self::SSTHRESH, ssthresh.is_some()),
        }
    }

    /// Values of the answer; none if the phase is none.
    #[must_use]
    pub fn read(&self) -> Option<Answer> {
        let phase = match self.phase {
            0 => Phase::SlowStart,
            1 => Phase::Standard,
            2 => Phase::Alternate,
            _ => return None,
        };
        let has = |bit| self.present & bit != 0;
        let pacing_rate = has(Self::PACING).then_some(Rate(self.pacing_rate));
        Some(Answer {
            decision: Decision { cwnd: self.cwnd, pacing_rate },
            phase,
            wakeup: has(Self::WAKEUP).then_some(Time(self.wakeup)),
            departure: has(Self::DEPARTURE).then_some(Time(self.departure)),
            ssthresh: has(Self::SSTHRESH).then_some(self.ssthresh),
        })
    }
}
