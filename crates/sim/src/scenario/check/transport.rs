//! Demands on the options of the TCP mechanism.

use congestion::Ecn;

use super::checker::Checker;
use crate::net::disciplines::ParameterList;
use crate::plugin::{Plugins, needs};
use crate::spec::{
    PrrRule, Recovery, ReoWndRule, RtoRule, Spec, TimeoutRule, Transport, UndoRule, ValidationRule,
};
use crate::tcp::ecn::negotiate;

pub(super) fn check_transport(spec: &Spec, c: &mut Checker) {
    let t = &spec.transport;
    for fault in t.out_of_range() {
        c.require(false, format!("transport.{}", fault.parameter), "range", fault.message);
    }
    c.require(t.rto_min <= t.rto_max, "transport.rto_min", "range", "expected at most rto_max");
    check_combinations(t, c);
}

/// Options that exclude each other, or need what not every recovery has.
fn check_combinations(t: &Transport, c: &mut Checker) {
    let (has_sack, by_time) = (t.recovery.has_sack(), t.recovery == Recovery::Rack);
    let is_quic = t.recovery == Recovery::Quic;
    let delivered = "\"none\", as only the recoveries \"sack\" and \"rack\" have a reduction by deliveries";
    let in_flight = "\"rfc5681\", as only the recoveries \"sack\" and \"rack\" have Linux's timeout";
    let validation = "\"flight\", as cwnd_validation is false: windows grow on every ACK";
    let undo = "\"none\", as only the recovery \"rack\" tells a late segment from a lost one";
    let window = "\"fixed\", as only the recovery \"rack\" has a reordering window";
    let rule = if is_quic {
        "\"rfc9002\", as the recovery \"quic\" has its own estimate of the round trip"
    } else {
        "\"rfc6298\" or \"linux\", as only the recovery \"quic\" has receivers that report their delay"
    };
    let jitter = "1, as no ACK is late without \"ack_jitter\"";
    let frto = "false, as F-RTO finds reductions that only \"undo\" takes back";
    for (holds, name, kind, expected) in [
        (has_sack || t.prr == PrrRule::None, "prr", "sack", delivered),
        (has_sack || t.timeout_rule == TimeoutRule::Rfc5681, "timeout_rule", "sack", in_flight),
        (
            t.cwnd_validation || t.validation_rule == ValidationRule::Flight,
            "validation_rule",
            "validation",
            validation,
        ),
        (is_quic == (t.rto_rule == RtoRule::Rfc9002), "rto_rule", "quic", rule),
        (by_time || t.undo == UndoRule::None, "undo", "rack", undo),
        (by_time || t.reo_wnd == ReoWndRule::Fixed, "reo_wnd", "rack", window),
        (t.ack_jitter > 0.0 || t.ack_jitter_share >= 1.0, "ack_jitter_share", "jitter", jitter),
        (!t.frto || t.undo != UndoRule::None, "frto", "undo", frto),
    ] {
        c.require(holds, format!("transport.{name}"), kind, format!("expected {expected}"));
    }
}

/// Senders of L4S need receivers that report every mark, unless they fall back to classic ECN. Segments are told one by
/// one where ACKs tell which of them are delivered.
pub(super) fn check_needs(spec: &Spec, plugins: &Plugins, c: &mut Checker) {
    let options = spec.transport.ecn();
    for (at, algorithm) in spec.algorithms.iter().enumerate() {
        let Some(needs) = needs(algorithm, plugins) else { continue };
        let holds = needs.ecn != Ecn::L4s || needs.ecn_fallback || negotiate(&needs, &options).0 == Ecn::L4s;
        let message = format!(
            "algorithm \"{}\" sends ECT(1), and is not to fall back to classic ECN (parameter ecn_fallback): \
             expected transport.echo \"auto\", \"accurate\" or \"dctcp\", got \"classic\"",
            algorithm.name
        );
        c.require(holds, format!("algorithms[{at}]"), "echo", message);
        let recovery = spec.transport.recovery;
        let holds = !needs.segments || recovery.has_sack() || recovery == Recovery::Quic;
        let message = format!(
            "algorithm \"{}\" keeps books of single segments: expected transport.recovery \"sack\", \"rack\" or \"quic\"",
            algorithm.name
        );
        c.require(holds, format!("algorithms[{at}]"), "segments", message);
    }
}
