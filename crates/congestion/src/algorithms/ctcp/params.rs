//! The named sets of parameters of Compound TCP.

use super::build;
use crate::registry::{Algorithm, Param};

pub(crate) const CTCP: Algorithm = Algorithm {
    name: "ctcp",
    summary: "Compound TCP: Reno plus a delay-controlled window, gamma fixed",
    source: "draft-sridharan-tcpm-ctcp-02 (2008); Tan et al., IEEE Infocom 2006",
    params: &Set::DRAFT.params(),
    build,
};

pub(crate) const NIST: Algorithm = Algorithm {
    name: "ctcp:nist",
    summary: "Compound TCP as in the MesoNet study (low window 41, gamma fixed)",
    source: "NIST SP 500-282 (2010); draft-sridharan-tcpm-ctcp-02 (2008)",
    params: &Set { low_window: 41.0, ..Set::DRAFT }.params(),
    build,
};

pub(crate) const TUNED: Algorithm = Algorithm {
    name: "ctcp:tuned",
    summary: "Compound TCP with gamma tuned by emulation (lambda 0.5)",
    source: "draft-sridharan-tcpm-ctcp-02 (2008), section 5",
    params: &Set { lambda: 0.5, ..Set::DRAFT }.params(),
    build,
};

/// What the four sets below come from. It names the modifications; their formulas are our reading.
const SLAC: &str = "Yee-Ting Li, Testing TCP in the WAN (2007), rules read by us";

pub(crate) const SLAC_MUTED: Algorithm = Algorithm {
    name: "ctcp:slac-muted",
    summary: "Compound TCP whose delay window rests while few own segments queue (burst control)",
    source: SLAC,
    params: &Set::MUTED.params(),
    build,
};

pub(crate) const SLAC_PARTIAL: Algorithm = Algorithm {
    name: "ctcp:slac-partial",
    summary: "Compound TCP whose delay window grows half as fast while few own segments queue (burst control)",
    source: SLAC,
    params: &Set { burst: 0.5, ..Set::DRAFT }.params(),
    build,
};

pub(crate) const SLAC_DIFFWND: Algorithm = Algorithm {
    name: "ctcp:slac-diffwnd",
    summary: "ctcp:slac-muted with gamma tuned to the queue that both windows build (Diffwnd-based fairness)",
    source: SLAC,
    params: &Set { lambda: 0.5, tune_on_total: 1.0, ..Set::MUTED }.params(),
    build,
};

pub(crate) const SLAC_LOSSWND: Algorithm = Algorithm {
    name: "ctcp:slac-losswnd",
    summary: "ctcp:slac-muted with gamma tuned to the queue that cwnd builds (loss-window-based fairness)",
    source: SLAC,
    params: &Set { lambda: 0.5, ..Set::MUTED }.params(),
    build,
};

/// What the sets differ by.
struct Set {
    /// [segments]
    low_window: f64,
    lambda: f64,
    burst: f64,
    tune_on_total: f64,
}

impl Set {
    const DRAFT: Self = Self { low_window: 38.0, lambda: 0.0, burst: 1.0, tune_on_total: 0.0 };
    const MUTED: Self = Self { burst: 0.0, ..Self::DRAFT };

    const fn params(self) -> [Param; 11] {
        [
            Param::new(
                "alpha",
                0.125,
                0.0,
                10.0,
                "1",
                "Growth of the delay window per round: alpha * window^k - 1",
            ),
            Param::new(
                "beta",
                0.5,
                0.01,
                1.0,
                "1",
                "Part of the window given up on loss above the low window",
            ),
            Param::new(
                "eta",
                1.0,
                0.0,
                10.0,
                "1",
                "Part of the queued segments given up per round of congestion",
            ),
            Param::new("k", 0.75, 0.0, 1.0, "1", "Exponent of the growth"),
            Param::new(
                "gamma",
                30.0,
                0.0,
                1e9,
                "segments",
                "Own segments in queues from which on the path is congested",
            ),
            Param::new(
                "gamma_low",
                5.0,
                0.0,
                1e9,
                "segments",
                "Smallest gamma that tuning may choose; own segments in queues at which burst control begins",
            ),
            Param::new("gamma_high", 30.0, 0.0, 1e9, "segments", "Largest gamma that tuning may choose"),
            Param::new(
                "lambda",
                self.lambda,
                0.0,
                1.0,
                "1",
                "Weight of a new sample when gamma is tuned; 0 leaves gamma fixed",
            ),
            Param::new(
                "low_window",
                self.low_window,
                0.0,
                1e9,
                "segments",
                "At or below this window the rules are Reno's",
            ),
            Param::new(
                "burst",
                self.burst,
                0.0,
                1.0,
                "1",
                "Part of the delay window's growth left between gamma_low and gamma; 1 is no burst control",
            ),
            Param::new(
                "tune_on_total",
                self.tune_on_total,
                0.0,
                1.0,
                "1",
                "Gamma is tuned to the queue of both windows (1) or of cwnd alone (0)",
            ),
        ]
    }
}
