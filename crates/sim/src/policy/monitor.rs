//! Sums over the time between two decisions.

use congestion::{AckSample, Decision, Flow, Time};

use super::record::{Counts, Record, RoundTrips, State, ratio};

/// Sums of the present interval, and what outlasts it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Monitor {
    begin: Time,
    pub counts: Counts,
    samples: Samples,
    /// Mean RTT of the last record that had samples [s].
    mean: f64,
    greatest_rate: f64,
    /// Facts at the last call.
    last: Flow,
}

/// Sums for a line of least squares: RTT over time since the beginning.
#[derive(Clone, Copy, Debug, Default)]
struct Samples {
    count: f64,
    time: f64,
    rtt: f64,
    time_time: f64,
    time_rtt: f64,
}

impl Monitor {
    /// Begin with the first call that the controller gets.
    pub fn begin(&mut self, flow: &Flow) {
        *self = Self { begin: flow.now, last: *flow, ..Self::default() };
    }

    /// Take an ACK in.
    pub fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.counts.delivered += bytes(ack.delivered);
        self.counts.marked += bytes(ack.ce_marked);
        if let Some(rtt) = ack.rtt {
            let (time, rtt) = (flow.now.since(self.begin).seconds(), rtt.seconds());
            self.samples.count += 1.0;
            self.samples.time += time;
            self.samples.rtt += rtt;
            self.samples.time_time += time * time;
            self.samples.time_rtt += time * rtt;
        }
        self.last = *flow;
    }

    /// Facts of the flow at this moment.
    pub fn see(&mut self, flow: &Flow) {
        self.last = *flow;
    }

    /// Close the record at `now`, under the decision that was in force, and begin the next.
    pub fn close(&mut self, now: Time, decision: &Decision) -> Record {
        let flow = &self.last;
        let elapsed = now.since(self.begin).seconds();
        let counts = self.counts;
        self.greatest_rate = self.greatest_rate.max(ratio(counts.delivered, elapsed, 0.0));
        let samples = &self.samples;
        let srtt = flow.srtt.seconds();
        if samples.count > 0.0 {
            self.mean = samples.rtt / samples.count;
        } else if self.mean <= 0.0 {
            self.mean = srtt;
        }
        let record = Record {
            time: now.seconds(),
            elapsed,
            smss: f64::from(flow.smss),
            counts,
            rtt: RoundTrips {
                mean: self.mean,
                gradient: samples.gradient(),
                count: samples.count,
                least: flow.min_rtt.seconds(),
                smoothed: srtt,
            },
            state: State {
                window: decision.cwnd,
                pacing_rate: decision.pacing_rate.map_or(0.0, |rate| rate.0),
                in_flight: bytes(flow.in_flight),
                in_recovery: f64::from(u8::from(flow.in_recovery)),
                greatest_rate: self.greatest_rate,
            },
        };
        self.begin = now;
        self.counts = Counts::default();
        self.samples = Samples::default();
        record
    }
}

impl Samples {
    fn gradient(&self) -> f64 {
        let spread = self.count * self.time_time - self.time * self.time;
        // Samples of one instant have no slope, whatever rounding leaves of their spread.
        if self.count < 2.0 || spread <= 1e-12 * self.count * self.time_time {
            return 0.0;
        }
        (self.count * self.time_rtt - self.time * self.rtt) / spread
    }
}

#[expect(clippy::cast_precision_loss, reason = "data of a flow stay below 2^53 bytes")]
fn bytes(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use congestion::Duration;

    fn at(millis: u64, in_flight: u64) -> Flow {
        let now = Time::ZERO + Duration::from_millis(millis);
        Flow { now, smss: 1000, in_flight, min_rtt: Duration::from_millis(20), ..Flow::default() }
    }

    fn ack(delivered: u64, rtt: u64) -> AckSample {
        AckSample { delivered, rtt: Some(Duration::from_millis(rtt)), ..AckSample::default() }
    }

    #[test]
    fn a_record_holds_what_it_was_told() {
        let mut monitor = Monitor::default();
        monitor.begin(&at(0, 10_000));
        monitor.on_ack(&ack(2000, 20), &at(10, 10_000));
        monitor.counts.lost += 1000.0;
        monitor.counts.sent += 2000.0;
        monitor.on_ack(&ack(1000, 30), &at(20, 11_000));
        let decision = Decision { cwnd: 12_000.0, pacing_rate: None };
        let record = monitor.close(at(50, 0).now, &decision);
        let counts = Counts { delivered: 3000.0, lost: 1000.0, sent: 2000.0, ..Counts::default() };
        assert_eq!(record.counts, counts);
        assert!((record.rtt.mean - 0.025).abs() < 1e-15);
        assert!((record.rtt.gradient - 1.0).abs() < 1e-12, "10 ms more in 10 ms: {}", record.rtt.gradient);
        assert!((record.rate() - 60_000.0).abs() < 1e-9);
        assert!((record.loss_ratio() - 0.25).abs() < 1e-15);
        let next = monitor.close(at(100, 0).now, &decision);
        assert_eq!(next.counts, Counts::default());
        assert!((next.rtt.mean - 0.025).abs() < 1e-15, "without a sample that before");
        assert!((next.state.greatest_rate - 60_000.0).abs() < 1e-9);
    }

    #[test]
    fn samples_of_one_instant_have_no_slope() {
        let mut monitor = Monitor::default();
        monitor.begin(&at(0, 0));
        monitor.on_ack(&ack(1000, 20), &at(10, 0));
        monitor.on_ack(&ack(1000, 40), &at(10, 0));
        let record = monitor.close(at(20, 0).now, &Decision { cwnd: 1000.0, pacing_rate: None });
        assert!(record.rtt.gradient.abs() < 1e-300);
    }
}
