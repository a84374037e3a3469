//! The initial slow start of CUBIC, and what ends it: `HyStart`++, Linux's `HyStart`, SEARCH, or a loss.

use crate::control::{AckSample, CongestionEvent, Flow};
use crate::hystart::{HyStart, Stage};
use crate::hystart_linux::HyStartLinux;
use crate::search::Search;
use crate::units::{Duration, Time};
use crate::window::Window;

/// Slow start of one flow.
#[derive(Debug)]
pub(super) struct SlowStart {
    plus_plus: HyStart,
    /// Detectors of Linux instead, where they are asked for.
    linux: Option<Box<HyStartLinux>>,
    /// SEARCH instead, where it is asked for.
    search: Option<Box<Search>>,
    /// Before the latest reduction: the stage of `HyStart`++, and whether SEARCH was over.
    before: (Stage, bool),
}

impl SlowStart {
    /// `hystart`: it may end before a loss, by the detectors of Linux if `linux` is true; `search` takes their place.
    pub(super) fn new(hystart: bool, linux: bool, search: bool) -> Self {
        let hystart = hystart && !search;
        Self {
            plus_plus: HyStart::new(hystart && !linux),
            linux: (hystart && linux).then(Box::default),
            search: search.then(Box::default),
            before: (Stage::Off, true),
        }
    }

    /// Slow start of `window` by what `ack` acknowledges. Returns the bytes left for congestion avoidance, as
    /// [`Window::slow_start`] does.
    #[must_use]
    pub(super) fn on_ack(&mut self, window: &mut Window, ack: &AckSample, flow: &Flow) -> f64 {
        if let Some(hystart) = &mut self.linux {
            hystart.on_ack(window, ack, flow);
        }
        if let Some(search) = &mut self.search {
            search.on_ack(window, ack, flow);
        }
        let credit = window.credit(ack, flow);
        self.plus_plus.slow_start(window, ack, flow, credit)
    }

    /// An epoch of congestion avoidance begins.
    pub(super) fn begin_epoch(&mut self, now: Time) {
        if let Some(hystart) = &mut self.linux {
            hystart.begin_epoch(now);
        }
    }

    /// Follows the end of an idle time.
    pub(super) fn on_restart(&mut self, idle: Duration, flow: &Flow) {
        if let Some(hystart) = &mut self.linux {
            hystart.on_restart(idle, flow.now);
        }
        if let Some(search) = self.search.as_mut().filter(|_| !flow.cwnd_limited) {
            search.restart();
        }
    }

    /// A loss, mark or timeout ends the initial slow start; Linux looks at later ones, too. An undo returns to the state
    /// before an earlier reduction that this one goes with.
    pub(super) fn on_congestion(&mut self, event: CongestionEvent, goes_with_earlier: bool) {
        let before = (self.plus_plus.stop(), self.search.as_mut().is_none_or(|search| search.stop()));
        if !goes_with_earlier {
            self.before = before;
        }
        match &mut self.linux {
            Some(hystart) if event == CongestionEvent::Rto => hystart.restart(),
            Some(hystart) => hystart.end_epoch(),
            None => {}
        }
    }

    /// The latest reduction has been taken back, and the initial slow start goes on if it was under way: the threshold is
    /// "at its initial value" again (RFC 9406 section 4.3). Linux does not restore its detectors.
    pub(super) fn restore(&mut self) {
        let (stage, is_over) = self.before;
        self.plus_plus.resume(stage);
        if let Some(search) = self.search.as_mut().filter(|_| !is_over) {
            search.resume();
        }
    }
}
