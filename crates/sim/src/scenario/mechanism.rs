//! Options of the TCP mechanism that a scenario asks for.

use congestion::Duration;

use crate::net::ecn::Echo;
use crate::spec::{AckRule, EchoSpec, Transport};
use crate::tcp::ack_jitter::AckJitterOptions;
use crate::tcp::ack_timing::AckTimingOptions;
use crate::tcp::ecn::EcnOptions;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::pacing::PacingOptions;
use crate::tcp::rtt::RtoBounds;
use crate::tcp::undo::UndoOptions;
use crate::tcp::validation::ValidationOptions;

/// Mechanism of senders whose segments carry `smss` bytes.
#[must_use]
pub fn mechanism(transport: &Transport, smss: u32) -> Mechanism {
    let (evidence, response) = transport.recovery.parts();
    Mechanism {
        smss,
        rto: rto_bounds(transport),
        dup_thresh: transport.recovery.dup_thresh(),
        evidence,
        response,
        timeout_rule: transport.timeout_rule,
        prr: transport.prr,
        growth: transport.growth,
        undo: UndoOptions { rule: transport.undo, frto: transport.frto },
        reo_wnd: transport.reo_wnd,
        rwnd: transport.receive_window.unwrap_or(u32::MAX),
        cwnd_validation: transport.cwnd_validation,
        validation: ValidationOptions {
            rule: transport.validation_rule,
            idle_restart: transport.idle_restart,
            app_limited_decay: transport.app_limited_decay,
        },
        pacing: PacingOptions { rule: transport.pacing, tso: transport.tso },
        ecn: ecn(transport),
    }
}

/// Timing of ACKs of segments of `smss` bytes where a receiver does not hold them back for a fixed time.
#[must_use]
pub fn ack_timing(transport: &Transport, smss: u32) -> AckTimingOptions {
    let merging = Duration::from_seconds(transport.gro);
    AckTimingOptions {
        adaptive: transport.ack_rule == AckRule::Linux,
        merging,
        merged: if merging > Duration::ZERO { AckTimingOptions::merged_max(smss) } else { 0 },
        sack_compression: transport.sack_compression,
        jitter: ack_jitter(transport),
    }
}

/// Random delays of ACKs; the share counts only where there are any.
fn ack_jitter(transport: &Transport) -> AckJitterOptions {
    let limit = Duration::from_seconds(transport.ack_jitter);
    if limit > Duration::ZERO {
        AckJitterOptions { limit, share: transport.ack_jitter_share }
    } else {
        AckJitterOptions::default()
    }
}

fn ecn(transport: &Transport) -> EcnOptions {
    let echo = match transport.echo {
        EchoSpec::Auto => None,
        EchoSpec::Classic => Some(Echo::Classic),
        EchoSpec::Dctcp => Some(Echo::Dctcp),
        EchoSpec::Accurate => Some(Echo::Accurate),
    };
    EcnOptions { classic: transport.ecn, echo, plus_plus: transport.ecn_plus_plus }
}

fn rto_bounds(transport: &Transport) -> RtoBounds {
    RtoBounds {
        initial: Duration::from_seconds(transport.rto_initial),
        min: Duration::from_seconds(transport.rto_min),
        max: Duration::from_seconds(transport.rto_max),
        rule: transport.rto_rule,
    }
}
