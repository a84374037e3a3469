//! `@NAME@`: a congestion controller for mesonet. At first it is AIMD, like the built-in `aimd`, and gives the same
//! runs bit for bit; change it from there.
//!
//! The transport finds losses, repairs them, measures round trips and rates, and paces. A controller is told of
//! every ACK and of every episode of congestion, and says how large the window is to be.

use mesonet_plugin::congestion::{
    AckSample, Algorithm, CongestionEvent, Flow, Window, WindowController, params,
};

mesonet_plugin::export_controllers![ALGORITHM];

/// What mesonet knows of this controller. `build` makes one for each flow: `values` has a value for each
/// parameter, in their order, within their ranges.
const ALGORITHM: Algorithm = Algorithm {
    name: "@NAME@",
    // For people; a scenario has the name above.
    display: "@NAME@",
    // A library is known by its content, so this stays 1.
    edition: 1,
    summary: "AIMD: additive increase, multiplicative decrease",
    source: "D.-M. Chiu, R. Jain, Computer Networks and ISDN Systems 17, 1989",
    params: &Params::DEFAULT.list(),
    build: |values, initial| {
        Box::new(Controller { params: Params::from_values(values), window: Window::new(initial) })
    },
};

params! {
    /// Name, default, range, unit and meaning of each parameter.
    struct Params {
        increase: f64 = 1.0, [0.0, 1e6], "segments per round trip", "Growth of the window";
        decrease: f64 = 0.5, [0.0, 1.0], "1", "Part of the window given up on congestion";
    }
}

/// The controller of one flow. All its memory is in here.
#[derive(Debug)]
struct Controller {
    params: Params,
    /// Congestion window and slow-start threshold [bytes], with what nearly every algorithm does to them.
    window: Window,
}

// A controller with pacing overrides `decision`: `Decision { cwnd, pacing_rate: Some(Rate(bytes_per_second)) }`.
// One with a timer of its own implements `CongestionControl` itself, of which this is the larger part.
impl WindowController for Controller {
    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> Option<&mut Window> {
        // The transport sets it: after idle times, and after a reduction that losses did not call for.
        Some(&mut self.window)
    }

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        // Nothing during recovery, and nothing while the application is what limits sending.
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        // Spread over the ACKs of a round trip, `increase` segments; not faster than slow start.
        let gain = (self.params.increase * self.window.smss() / self.window.cwnd()).min(1.0);
        self.window.scale(rest, gain);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        // Called once per episode, not once per lost segment. A mark (`EcnEcho`) counts as a loss, which is what hosts
        // with the ECN of RFC 3168 need; `fn needs` would ask for another one, or none.
        self.window.back_off(event, 1.0 - self.params.decrease, flow);
    }

    fn is_standard(&self) -> bool {
        // After slow start, not the rules of standard TCP but its own.
        false
    }

    fn record(&self, _record: &mut dyn FnMut(&'static str, f64)) {
        // For traces, besides `ssthresh`: `record("name", number)`.
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
