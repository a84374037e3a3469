// Appended to the source of a new controller: controllers that do what their parameter says.

use mesonet_plugin::congestion::{CongestionControl, Decision, Needs, Param, Phase, Protocol, Time};

const FAULTY: Algorithm = Algorithm {
    name: "faulty",
    display: "Faulty",
    edition: 1,
    summary: "Panics, or asks for nothing",
    source: "none",
    params: &[Param { name: "fault", default: 0.0, min: 0.0, max: 9.0, unit: "1", doc: "" }],
    build: |values, initial| {
        if values[0] == 1.0 {
            panic!("no such start");
        }
        Box::new(Faulty(values[0], initial.window * 1460.0))
    },
};

const SPEAKER: Algorithm = Algorithm {
    name: "speaker",
    display: "Speaker",
    edition: 1,
    summary: "Speaks XCP, and does nothing",
    source: "none",
    params: &[],
    build: |_, _| Box::new(Speaker),
};

#[derive(Debug)]
struct Speaker;

impl CongestionControl for Speaker {
    fn on_ack(&mut self, _ack: &AckSample, _flow: &Flow) {}

    fn on_congestion(&mut self, _event: CongestionEvent, _flow: &Flow) {}

    fn decision(&self) -> Decision {
        Decision { cwnd: 14600.0, pacing_rate: None }
    }

    fn phase(&self) -> Phase {
        Phase::Alternate
    }

    fn needs(&self) -> Needs {
        Needs { feedback: Some(Protocol::Xcp), ..Needs::default() }
    }
}

#[derive(Debug)]
struct Faulty(f64, f64);

impl CongestionControl for Faulty {
    fn on_ack(&mut self, ack: &AckSample, _flow: &Flow) {
        if self.0 == 2.0 {
            panic!("delivered {}", ack.delivered);
        }
        if self.0 == 3.0 {
            self.1 = f64::NAN;
        }
        while self.0 == 5.0 {
            std::hint::spin_loop();
        }
    }

    fn wakeup(&self) -> Option<Time> {
        (self.0 == 4.0).then_some(Time::ZERO)
    }

    fn on_congestion(&mut self, _event: CongestionEvent, _flow: &Flow) {}

    fn decision(&self) -> Decision {
        Decision { cwnd: self.1, pacing_rate: None }
    }

    fn phase(&self) -> Phase {
        Phase::Alternate
    }
}
