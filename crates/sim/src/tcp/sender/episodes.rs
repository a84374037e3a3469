//! Episodes of loss and of marks, and the timers that begin them.

use congestion::CongestionEvent;

use super::{Episode, Mechanism, Sender};
use crate::measure::counters::Counters;
use crate::tcp::round::Round;

impl Sender {
    pub(super) fn enter_recovery(&mut self, now: u64, mechanism: &Mechanism) {
        self.episode = Episode::Fast;
        self.lossless = false;
        self.recovery_point = self.next;
        // Holes that an earlier episode has repaired already are not sent a third time.
        self.high_rxt = self.high_rxt.max(self.una);
        self.force = true;
        self.rescue = true;
        if let Some(timed) = &mut self.timed {
            timed.give_up_probe();
        }
        if mechanism.rto.over_rtt {
            // Linux's timer runs from the moment in which the first lost segment is sent again.
            self.rto_at = now + self.rtt.timeout();
        }
        let flow = self.flow(now, mechanism);
        self.control.on_congestion(CongestionEvent::EnterRecovery, &flow);
        self.obey(mechanism);
    }

    /// A mark was echoed. The controller hears of one episode per window of data (RFC 3168 section 6.1.2).
    /// <https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2>
    pub(super) fn on_mark(&mut self, now: u64, mechanism: &Mechanism) {
        if self.episode == Episode::Open && self.una > self.ecn_point {
            self.ecn_point = self.next;
            self.lossless = false;
            let flow = self.flow(now, mechanism);
            self.control.on_congestion(CongestionEvent::EcnEcho, &flow);
            self.obey(mechanism);
        }
    }

    /// When a timer of this end expires next [ps]; `u64::MAX` if none is running.
    #[must_use]
    pub fn deadline(&self) -> u64 {
        self.timed.as_ref().map_or(self.rto_at, |timed| timed.deadline().min(self.rto_at))
    }

    /// A timer expired at `now`.
    pub fn on_timer(&mut self, now: u64, mechanism: &Mechanism, counters: &mut Counters) {
        if self.timed.as_ref().is_some_and(|timed| timed.deadline() <= now) {
            self.on_timed(now, mechanism, counters);
        }
        if self.rto_at <= now {
            self.on_timeout(now, mechanism, counters);
        }
    }

    /// The retransmission timer expired at `now` (RFC 6298 section 5.4 to 5.6); everything outstanding is lost.
    fn on_timeout(&mut self, now: u64, mechanism: &Mechanism, counters: &mut Counters) {
        counters.timeouts += 1;
        self.rtt.back_off(&mechanism.rto);
        self.restart(now, mechanism);
    }

    /// Take everything outstanding for lost and begin again at the oldest segment: after a timeout, and in
    /// Tahoe after any loss (K. Fall, S. Floyd, *Simulation-based Comparisons of Tahoe, Reno, and SACK TCP*,
    /// CCR 26(3), 1996, section 2.1).
    pub(super) fn restart(&mut self, now: u64, mechanism: &Mechanism) {
        self.rto_at = now + self.rtt.timeout();
        self.episode = Episode::Timeout;
        self.lossless = false;
        self.recovery_point = self.next;
        self.lost_below = self.next;
        self.high_rxt = self.una;
        self.retransmitted = 0;
        self.untold = false;
        self.reported = 0;
        // What RACK does not count as lost may fill the window, but the oldest segment has to be repaired.
        self.force = self.timed.is_some();
        self.rescue = false;
        if let Some(timed) = &mut self.timed {
            timed.on_timeout(now);
        }
        self.round = Round::starting(self.next);
        self.round_repair = u32::MAX;
        let flow = self.flow(now, mechanism);
        self.control.on_congestion(CongestionEvent::Rto, &flow);
        self.obey(mechanism);
    }
}
