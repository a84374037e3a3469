//! Code that is shipped elsewhere: a function for each call of the transport, and no trait to implement.

use std::fmt;

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Delivery, Ecn, Flow, Initial, Needs, Phase,
    SentSegment, Time,
};

/// Calls to controllers of type `C`, for [`export_shipped!`](crate::export_shipped). They hear of segments one by one,
/// and their window is their own in a recovery.
pub struct Shipped<C> {
    /// Makes a controller for one flow.
    pub new: fn(&Initial) -> C,
    /// [`CongestionControl::on_segment_sent`], of segments that add to what is in flight: a probe that
    /// [`replaces`](SentSegment::replaces) one does not.
    pub sent: fn(&mut C, &SentSegment, &Flow),
    /// [`CongestionControl::on_delivery`].
    pub delivered: fn(&mut C, &Delivery, &Flow),
    /// [`CongestionControl::on_segment_lost`].
    pub lost: fn(&mut C, &SentSegment, &Flow),
    /// A mark was echoed. `None` of code without ECN: its segments are not ECN-capable.
    pub marked: Option<fn(&mut C, &Flow)>,
    /// [`CongestionControl::decision`].
    pub decision: fn(&C) -> Decision,
    /// [`CongestionControl::departure`], of code that paces by itself.
    pub departure: Option<fn(&C) -> Option<Time>>,
    /// Bytes in flight as it counts them. After each ACK the transport's have to be the same.
    pub in_flight: fn(&C) -> u64,
}

impl<C: Send + 'static> Shipped<C> {
    /// A controller for one flow.
    pub fn build(self, initial: &Initial) -> Box<dyn CongestionControl> {
        Box::new(Called { code: (self.new)(initial), calls: self })
    }
}

struct Called<C> {
    code: C,
    calls: Shipped<C>,
}

impl<C: Send> CongestionControl for Called<C> {
    fn on_segment_sent(&mut self, segment: &SentSegment, flow: &Flow) {
        if !segment.replaces {
            (self.calls.sent)(&mut self.code, segment, flow);
        }
    }

    fn on_delivery(&mut self, delivery: &Delivery, flow: &Flow) {
        (self.calls.delivered)(&mut self.code, delivery, flow);
    }

    fn on_segment_lost(&mut self, segment: &SentSegment, _starts_run: bool, flow: &Flow) {
        (self.calls.lost)(&mut self.code, segment, flow);
    }

    fn on_ack(&mut self, _ack: &AckSample, flow: &Flow) {
        let (ours, theirs) = (flow.in_flight, (self.calls.in_flight)(&self.code));
        assert!(ours == theirs, "{ours} bytes are in flight, and the controller counts {theirs}");
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        if let (CongestionEvent::EcnEcho, Some(marked)) = (event, self.calls.marked) {
            marked(&mut self.code, flow);
        }
    }

    fn decision(&self) -> Decision {
        (self.calls.decision)(&self.code)
    }

    fn departure(&self) -> Option<Time> {
        self.calls.departure.and_then(|departure| departure(&self.code))
    }

    fn phase(&self) -> Phase {
        Phase::Alternate
    }

    fn needs(&self) -> Needs {
        let ecn = if self.calls.marked.is_some() { Ecn::Classic } else { Ecn::None };
        Needs { ecn, segments: true, owns_recovery: true, ..Needs::default() }
    }
}

impl<C> fmt::Debug for Called<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::any::type_name::<C>())
    }
}
