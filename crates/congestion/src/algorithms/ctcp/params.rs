//! The named sets of parameters of Compound TCP.

use super::build;
use crate::algorithm::Algorithm;

pub(crate) const CTCP: Algorithm = Algorithm {
    name: "ctcp",
    display: "Compound TCP",
    edition: 1,
    summary: "Compound TCP: Reno plus a delay-controlled window, gamma fixed",
    source: "draft-sridharan-tcpm-ctcp-02 (2008); Tan et al., IEEE Infocom 2006",
    params: &Params::DEFAULT.list(),
    build,
};

pub(crate) const NIST: Algorithm = Algorithm {
    name: "ctcp:nist",
    display: "Compound TCP (NIST)",
    edition: 1,
    summary: "Compound TCP as in the MesoNet study (low window 41, gamma fixed)",
    source: "NIST SP 500-282 (2010); draft-sridharan-tcpm-ctcp-02 (2008)",
    params: &Params { low_window: 41.0, ..Params::DEFAULT }.list(),
    build,
};

pub(crate) const TUNED: Algorithm = Algorithm {
    name: "ctcp:tuned",
    display: "Compound TCP (tuned gamma)",
    edition: 1,
    summary: "Compound TCP with gamma tuned by emulation (lambda 0.5)",
    source: "draft-sridharan-tcpm-ctcp-02 (2008), section 5",
    params: &Params { lambda: 0.5, ..Params::DEFAULT }.list(),
    build,
};

/// Source of the four sets below. It names the modifications; their formulas are our interpretation.
const SLAC: &str = "Yee-Ting Li, Testing TCP in the WAN (2007), rules read by us";

pub(crate) const SLAC_MUTED: Algorithm = Algorithm {
    name: "ctcp:slac-muted",
    display: "Compound TCP (muted)",
    edition: 1,
    summary: "Compound TCP whose delay window rests while few own segments queue (burst control)",
    source: SLAC,
    params: &Params::MUTED.list(),
    build,
};

pub(crate) const SLAC_PARTIAL: Algorithm = Algorithm {
    name: "ctcp:slac-partial",
    display: "Compound TCP (partial)",
    edition: 1,
    summary: "Compound TCP whose delay window grows half as fast while few own segments queue (burst control)",
    source: SLAC,
    params: &Params { burst: 0.5, ..Params::DEFAULT }.list(),
    build,
};

pub(crate) const SLAC_DIFFWND: Algorithm = Algorithm {
    name: "ctcp:slac-diffwnd",
    display: "Compound TCP (gamma by diffwnd)",
    edition: 1,
    summary: "ctcp:slac-muted with gamma tuned to the queue that both windows build (Diffwnd-based fairness)",
    source: SLAC,
    params: &Params { lambda: 0.5, tune_on_total: true, ..Params::MUTED }.list(),
    build,
};

pub(crate) const SLAC_LOSSWND: Algorithm = Algorithm {
    name: "ctcp:slac-losswnd",
    display: "Compound TCP (gamma by loss window)",
    edition: 1,
    summary: "ctcp:slac-muted with gamma tuned to the queue that cwnd builds (loss-window-based fairness)",
    source: SLAC,
    params: &Params { lambda: 0.5, ..Params::MUTED }.list(),
    build,
};

params! {
    /// Parameters of Compound TCP.
    pub(super) struct Params {
        alpha: f64 = 0.125, [0.0, 10.0], "1", "Growth of the delay window per round: alpha * window^k - 1";
        beta: f64 = 0.5, [0.01, 1.0], "1", "Part of the window given up on loss above the low window";
        eta: f64 = 1.0, [0.0, 10.0], "1", "Part of the queued segments given up per round of congestion";
        k: f64 = 0.75, [0.0, 1.0], "1", "Exponent of the growth";
        gamma: f64 = 30.0, [0.0, 1e9], "segments",
            "Own segments in queues from which on the path is congested";
        gamma_low: f64 = 5.0, [0.0, 1e9], "segments",
            "Smallest gamma that tuning may choose; own segments in queues at which burst control begins";
        gamma_high: f64 = 30.0, [0.0, 1e9], "segments", "Largest gamma that tuning may choose";
        lambda: f64 = 0.0, [0.0, 1.0], "1",
            "Weight of a new sample when gamma is tuned; 0 leaves gamma fixed";
        low_window: f64 = 38.0, [0.0, 1e9], "segments", "At or below this window the rules are Reno's";
        burst: f64 = 1.0, [0.0, 1.0], "1",
            "Part of the delay window's growth left between gamma_low and gamma; 1 is no burst control";
        tune_on_total: bool = false, "1",
            "Gamma is tuned to the queue of both windows (1) or of cwnd alone (0)";
    }
}

impl Params {
    /// Burst control: the delay window rests between `gamma_low` and gamma.
    const MUTED: Self = Self { burst: 0.0, ..Self::DEFAULT };
}
