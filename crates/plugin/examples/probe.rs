//! A library for the tests: one controller that tells what it was told, one that misbehaves as asked, and
//! the rule of `reno`.

#![expect(clippy::float_cmp, reason = "faults are small whole numbers")]

use mesonet_plugin::congestion::{
    AckSample, Algorithm, BETA_RENO, CongestionControl, CongestionEvent, Decision, Delivery, Duration, Ecn,
    Feedback, Flow, Initial, Load, Needs, Param, Phase, Prior, Protocol, Rate, SentSegment, Time, Window,
    WindowController,
};

const ECHO: Algorithm = Algorithm {
    name: "echo",
    display: "Echo",
    edition: 1,
    summary: "Tells what it was told",
    source: "none",
    params: &[
        Param { name: "first", default: 1.0, min: 0.0, max: 9.0, unit: "s", doc: "Comes first" },
        Param { name: "second", default: 2.5, min: 2.0, max: 3.0, unit: "1", doc: "Comes second" },
    ],
    build: |values, initial| {
        let told = format!("{values:?} {initial:?}");
        Box::new(Echo { told, cwnd: 10.0 * f64::from(initial.smss), calls: 0 })
    },
};

const FAULTY: Algorithm = Algorithm {
    name: "faulty",
    display: "Faulty",
    edition: 1,
    summary: "Does what `fault` says",
    source: "none",
    params: &[Param { name: "fault", default: 0.0, min: 0.0, max: 9.0, unit: "1", doc: "What to do" }],
    build: |values, initial| {
        assert!(values[0] != 1.0, "no such start");
        Box::new(Faulty { fault: values[0], cwnd: initial.window * f64::from(initial.smss), pacing: 1e6 })
    },
};

const RENO: Algorithm = Algorithm {
    name: "reno",
    display: "Reno",
    edition: 1,
    summary: "One segment per round trip, half the window on loss",
    source: "RFC 5681",
    params: &[],
    build: |_, initial: &Initial| Box::new(Reno { window: Window::new(initial) }),
};

mesonet_plugin::export_controllers![RENO, FAULTY, ECHO];

/// Its answers differ from call to call, so that a stale one would show.
#[derive(Debug)]
struct Echo {
    told: String,
    cwnd: f64,
    calls: u32,
}

impl Echo {
    fn note(&mut self, told: String) {
        self.told = told;
        self.calls += 1;
        self.cwnd += 1.0;
    }
}

impl CongestionControl for Echo {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.note(format!("{ack:?} {flow:?}"));
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.note(format!("{event:?} {flow:?}"));
    }

    fn decision(&self) -> Decision {
        let pacing_rate = (self.calls % 2 == 1).then_some(Rate(self.cwnd / 4.0));
        Decision { cwnd: self.cwnd, pacing_rate }
    }

    fn phase(&self) -> Phase {
        [Phase::SlowStart, Phase::Standard, Phase::Alternate][self.calls as usize % 3]
    }

    fn on_send(&mut self, feedback: &mut Feedback, flow: &Flow) {
        self.note(format!("{feedback:?} {flow:?}"));
        *feedback = match *feedback {
            Feedback::None => Feedback::Vcp(Load::Over),
            Feedback::Vcp(load) => {
                Feedback::Xcp { cwnd: f64::from(load as u8), rtt: 0.25, feedback: f64::NEG_INFINITY }
            }
            Feedback::Xcp { .. } => Feedback::None,
        };
    }

    fn wakeup(&self) -> Option<Time> {
        self.calls.is_multiple_of(2).then_some(Time(u64::from(self.calls)))
    }

    fn on_wakeup(&mut self, flow: &Flow) {
        self.note(format!("wakeup {flow:?}"));
    }

    fn on_segment_sent(&mut self, segment: &SentSegment, flow: &Flow) {
        self.note(format!("sent {segment:?} {flow:?}"));
    }

    fn on_delivery(&mut self, delivery: &Delivery, flow: &Flow) {
        self.note(format!("{delivery:?} {flow:?}"));
    }

    fn on_segment_lost(&mut self, segment: &SentSegment, starts_run: bool, flow: &Flow) {
        self.note(format!("lost {starts_run} {segment:?} {flow:?}"));
    }

    fn on_undo(&mut self, prior: &Prior, flow: &Flow) {
        self.note(format!("{prior:?} {flow:?}"));
    }

    fn on_restart(&mut self, idle: Duration, flow: &Flow) {
        self.note(format!("idle {idle:?} {flow:?}"));
    }

    fn override_window(&mut self, cwnd: f64, ssthresh: f64) {
        self.note(format!("window {cwnd} {ssthresh}"));
    }

    fn departure(&self) -> Option<Time> {
        (self.calls % 2 == 1).then_some(Time(u64::from(self.calls)))
    }

    fn ssthresh(&self) -> Option<f64> {
        self.calls.is_multiple_of(2).then_some(self.cwnd / 2.0)
    }

    fn needs(&self) -> Needs {
        Needs { feedback: Some(Protocol::Vcp), rate_samples: true, ..Needs::default() }
    }

    /// The last thing told, letter by letter.
    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("calls", f64::from(self.calls));
        for letter in self.told.bytes() {
            record("letter", f64::from(letter));
        }
    }
}

#[derive(Debug)]
struct Faulty {
    fault: f64,
    cwnd: f64,
    pacing: f64,
}

impl CongestionControl for Faulty {
    fn on_ack(&mut self, ack: &AckSample, _flow: &Flow) {
        match self.fault {
            2.0 => panic!("delivered {}", ack.delivered),
            3.0 => self.cwnd = f64::NAN,
            4.0 => self.cwnd = 0.0,
            5.0 => self.pacing = 0.0,
            9.0 => self.cwnd = 1.5e300,
            _ => {}
        }
    }

    fn on_congestion(&mut self, _event: CongestionEvent, _flow: &Flow) {
        // What is thrown need not be text.
        if self.fault == 6.0 {
            std::panic::panic_any(6);
        }
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: Some(Rate(self.pacing)) }
    }

    fn phase(&self) -> Phase {
        Phase::Alternate
    }

    fn needs(&self) -> Needs {
        Needs { ecn: Ecn::Dctcp, ecn_fallback: true, ..Needs::default() }
    }

    fn state(&self, _record: &mut dyn FnMut(&'static str, f64)) {
        assert!(self.fault != 7.0, "nothing to tell");
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        assert!(self.fault != 8.0, "not like this");
    }
}

#[derive(Debug)]
struct Reno {
    window: Window,
}

impl WindowController for Reno {
    fn window(&self) -> &Window {
        &self.window
    }

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        self.window.avoid(rest, self.window.cwnd());
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
    }

    fn is_standard(&self) -> bool {
        true
    }
}
