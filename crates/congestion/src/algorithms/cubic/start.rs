//! The initial slow start of CUBIC, and what ends it: `HyStart`++, Linux's `HyStart`, SEARCH, or a loss.

use crate::control::{AckSample, CongestionEvent, Flow};
use crate::hystart::HyStart;
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
}

impl SlowStart {
    /// `hystart`: it may end before a loss, by the detectors of Linux if `linux` is true; `search` takes their place.
    pub(super) fn new(hystart: bool, linux: bool, search: bool) -> Self {
        let hystart = hystart && !search;
        Self {
            plus_plus: HyStart::new(hystart && !linux),
            linux: (hystart && linux).then(Box::default),
            search: search.then(Box::default),
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

    /// A loss, mark or timeout ends the initial slow start; Linux looks at later ones, too.
    pub(super) fn on_congestion(&mut self, event: CongestionEvent) {
        self.plus_plus.stop();
        if let Some(search) = &mut self.search {
            search.stop();
        }
        match &mut self.linux {
            Some(hystart) if event == CongestionEvent::Rto => hystart.restart(),
            Some(hystart) => hystart.end_epoch(),
            None => {}
        }
    }
}
