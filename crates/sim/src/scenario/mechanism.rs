//! Options of the TCP mechanism that a scenario asks for.

use congestion::Duration;

use crate::spec::{Recovery, RtoRule as RtoRuleSpec, Transport};
use crate::tcp::mechanism::{Evidence, Mechanism};
use crate::tcp::recovery::LossResponse;
use crate::tcp::rtt::{RtoBounds, RtoRule};

/// Mechanism of senders whose segments carry `smss` bytes.
#[must_use]
pub fn mechanism(transport: &Transport, smss: u32) -> Mechanism {
    let (evidence, response) = match transport.recovery {
        Recovery::Sack { .. } => (Evidence::Sack, LossResponse::FastRecovery),
        Recovery::Rack { .. } => (Evidence::Rack, LossResponse::FastRecovery),
        Recovery::Newreno { .. } => (Evidence::DupAck, LossResponse::FastRecovery),
        Recovery::Tahoe { successive: false, .. } => (Evidence::DupAck, LossResponse::Tahoe),
        Recovery::Tahoe { successive: true, .. } => (Evidence::DupAck, LossResponse::Tahoe1988),
    };
    Mechanism {
        smss,
        rto: rto_bounds(transport),
        dup_thresh: transport.recovery.dup_thresh(),
        evidence,
        response,
        rwnd: transport.receive_window.unwrap_or(u32::MAX),
        cwnd_validation: transport.cwnd_validation,
    }
}

fn rto_bounds(transport: &Transport) -> RtoBounds {
    RtoBounds {
        initial: Duration::from_seconds(transport.rto_initial),
        min: Duration::from_seconds(transport.rto_min),
        max: Duration::from_seconds(transport.rto_max),
        rule: match transport.rto_rule {
            RtoRuleSpec::Rfc6298 => RtoRule::Rfc6298,
            RtoRuleSpec::Linux => RtoRule::Linux,
        },
    }
}
