//! Policer: packets beyond a token bucket are dropped on arrival. Page: `docs/models/token-bucket.md`.

use super::bucket::TokenBucket;
use super::{DisciplineParameters, Fault, Mechanics, Server};
use crate::measure::queue::Cause;
use crate::net::arrival::{ArrivalRule, Backlog, Verdict};
use crate::net::queue::{Port, Queued};

parameters! {
    /// Parameters of a policer.
    pub struct PolicerParameters {
        rate: f64 = 1e6, [1.0, 1e15], "bit/s", "Rate at which tokens flow in";
        burst: u64 = 125_000, [1.0, 1e12], "bytes", "Tokens that the bucket holds";
    }
}

/// Fault of a bucket that no packet of `mtu` bytes fits.
pub fn burst_below_one_packet(parameter: &'static str, burst: u64, mtu: u32) -> Option<Fault> {
    let message = format!("expected at least one packet of {mtu} bytes, got {burst}");
    (burst < u64::from(mtu)).then_some(Fault { parameter, message })
}

impl DisciplineParameters for PolicerParameters {
    const SOURCE: &'static str = "RFC 2475 section 2.3.3.4; token bucket of RFC 2697";
    const CONTROL: &'static str = "tokens (bytes)";

    fn packet_faults(&self, mtu: u32) -> Vec<Fault> {
        burst_below_one_packet("burst", self.burst, mtu).into_iter().collect()
    }

    fn mechanics(&self, _server: &Server) -> Mechanics {
        let rule = Policer { bucket: TokenBucket::new(self.rate, self.burst), tokens: whole(self.burst) };
        Mechanics { rule: Some(Box::new(rule)), ..Mechanics::default() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "bursts are far below 2^53")]
fn whole(bytes: u64) -> f64 {
    bytes as f64
}

/// A policer before a drop-tail queue.
#[derive(Debug)]
struct Policer {
    bucket: TokenBucket,
    /// After the last arrival [bytes].
    tokens: f64,
}

impl ArrivalRule for Policer {
    fn on_arrival(&mut self, arrival: &mut Queued, _backlog: &Backlog, port: &mut Port<'_>) -> Verdict {
        let conforms = self.bucket.take(arrival.bytes, port.now);
        self.tokens = self.bucket.tokens(port.now);
        if conforms { Verdict::Pass } else { Verdict::Drop(Cause::Policed) }
    }

    /// Tokens after the last arrival [bytes].
    fn control(&self) -> f64 {
        self.tokens
    }
}

#[cfg(test)]
mod tests {
    use congestion::Time;

    use super::*;
    use crate::net::departures::Waiting;
    use crate::net::disciplines::testing::Desk;
    use crate::net::packet::Codepoint;

    /// Packets of `bytes` offered at ten times the rate of 8 Mbit/s until `end` [s]: bytes that pass.
    fn passed(burst: u64, bytes: u32, end: f64) -> f64 {
        let parameters = PolicerParameters { rate: 8e6, burst };
        let mut desk = Desk::with_rule(parameters.mechanics(&Desk::server(100)).rule);
        let empty = Backlog { waiting: Waiting { packets: 0, bytes: 0 }, idle_since: None };
        let gap = f64::from(bytes) / 1e7;
        let mut passed = 0.0;
        let mut packet = 0u32;
        while f64::from(packet) * gap <= end {
            let now = Time::ZERO + congestion::Duration::from_seconds(f64::from(packet) * gap);
            let arrival = Queued { bytes, ..Desk::data(0, Codepoint::NotEct) };
            if desk.judge_at(arrival, empty, now).1 == Verdict::Pass {
                passed += f64::from(bytes);
            }
            packet += 1;
        }
        assert!(desk.drops(Cause::Policed) > 0);
        passed
    }

    /// From a full bucket b + r t bytes pass in time t.
    #[test]
    fn passes_the_burst_and_the_rate() {
        for (burst, bytes, end) in [(125_000, 1500, 1.0), (1500, 1500, 10.0), (30_000, 40, 0.25)] {
            let (expected, value) = (whole(burst) + 1e6 * end, passed(burst, bytes, end));
            assert!(value <= expected && value > expected - 2.0 * f64::from(bytes), "{value} of {expected}");
        }
    }

    #[test]
    fn keeps_its_rate_in_the_long_run() {
        let rate = (passed(1500, 1500, 1500.0) - 1500.0) / 1500.0;
        assert!((rate / 1e6 - 1.0).abs() < 1e-6, "{rate}");
    }

    #[test]
    fn a_burst_below_one_packet_is_a_fault() {
        let wrong = PolicerParameters { burst: 1000, ..PolicerParameters::default() };
        assert_eq!(
            wrong.packet_faults(1500)[0].message,
            "expected at least one packet of 1500 bytes, got 1000"
        );
        assert!(wrong.packet_faults(1000).is_empty());
        let slow = PolicerParameters { rate: 0.0, ..wrong };
        assert_eq!(slow.faults(None)[0].parameter, "rate");
    }
}
