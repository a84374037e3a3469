//! `@NAME@`: a congestion controller for mesonet. At first it is AIMD, like the built-in `aimd`, and gives the same
//! runs bit for bit; change it from there.
//!
//! The transport finds losses, repairs them, measures round trips and rates, and paces. A controller is told of
//! every ACK and of every episode of congestion, and says how large the window is to be.

use mesonet_plugin::congestion::{
    AckSample, Algorithm, CongestionControl, CongestionEvent, Decision, Flow, Param, Phase, Window,
};

mesonet_plugin::export_controllers![ALGORITHM];

/// What mesonet knows of this controller. `build` makes one for each flow: `values` has a value for each
/// parameter, in their order, within their ranges.
const ALGORITHM: Algorithm = Algorithm {
    name: "@NAME@",
    summary: "AIMD: additive increase, multiplicative decrease",
    source: "D.-M. Chiu, R. Jain, Computer Networks and ISDN Systems 17, 1989",
    params: &[INCREASE, DECREASE],
    build: |values, initial| {
        Box::new(Controller { increase: values[0], decrease: values[1], window: Window::new(initial) })
    },
};

const INCREASE: Param = Param {
    name: "increase",
    default: 1.0,
    min: 0.0,
    max: 1e6,
    unit: "segments per round trip",
    doc: "Growth of the window",
};

const DECREASE: Param = Param {
    name: "decrease",
    default: 0.5,
    min: 0.0,
    max: 1.0,
    unit: "1",
    doc: "Part of the window given up on congestion",
};

/// The controller of one flow. All its memory is in here.
#[derive(Debug)]
struct Controller {
    increase: f64,
    decrease: f64,
    /// Congestion window and slow-start threshold [bytes], with what nearly every algorithm does to them.
    window: Window,
}

impl CongestionControl for Controller {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        // Nothing during recovery, and nothing while the application is what limits sending.
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        // Spread over the ACKs of a round trip, `increase` segments; not faster than slow start.
        let gain = (self.increase * self.window.smss() / self.window.cwnd()).min(1.0);
        self.window.scale(rest, gain);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        // Called once per episode, not once per lost segment.
        let used = self.window.reference(self.window.cwnd(), flow);
        self.window.respond(event, (1.0 - self.decrease) * used);
    }

    fn decision(&self) -> Decision {
        // A controller that paces says `Decision { cwnd, pacing_rate: Some(Rate(bytes_per_second)) }`.
        self.window.decision()
    }

    fn phase(&self) -> Phase {
        // After slow start, not the rules of standard TCP but its own.
        self.window.phase(false)
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("ssthresh", self.window.ssthresh());
    }
}

#[cfg(test)]
mod tests {
    use mesonet_plugin::congestion::testing::{Path, SMSS, Transport, Verdict, avoiding, create};

    use super::*;

    /// Congestion avoidance from 64 segments on, on a path of 100 ms without a queue.
    fn transport() -> Transport {
        Transport::new(create(&ALGORITHM, &avoiding(64.0)), SMSS, Path::default())
    }

    #[test]
    fn a_round_trip_adds_a_segment() -> Verdict {
        let mut transport = transport();
        transport.round()?;
        assert!((transport.segments() - 65.0).abs() < 0.01);
        Ok(())
    }

    #[test]
    fn congestion_halves_the_window() -> Verdict {
        let mut transport = transport();
        transport.congestion(CongestionEvent::EnterRecovery)?;
        assert_eq!(transport.segments(), 32.0);
        Ok(())
    }

    /// 100 segments fill this path, and 100 more its buffer: half of them fill the path again.
    #[test]
    fn a_buffer_keeps_the_path_busy() -> Verdict {
        let path = Path { rate: 1000.0, buffer: 100.0, ..Path::default() };
        let mut transport = Transport::new(create(&ALGORITHM, &avoiding(64.0)), SMSS, path);
        transport.run(60.0)?;
        assert!(transport.lost > 0);
        assert!(transport.arrived > 58_000);
        Ok(())
    }
}
