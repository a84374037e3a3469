//! Shaper: a queue whose head waits for tokens. Page: `docs/models/token-bucket.md`.

use congestion::Time;

use super::bucket::TokenBucket;
use super::policer::burst_below_one_packet;
use super::{DisciplineParameters, Fault, Fifo, Mechanics, ParameterList, Server};
use crate::measure::queue::Cause;
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of a shaper.
    pub struct ShaperParameters {
        rate: f64 = 1e6, [1.0, 1e15], "bit/s", "Rate at which tokens flow in";
        burst: u64 = 125_000, [1.0, 1e12], "bytes", "Tokens that the bucket holds";
        peak_rate: Option<f64> = None, [1.0, 1e15], "bit/s", "Rate of a second bucket, which limits bursts";
        mtu: Option<u64> = None, [1.0, 1e12], "bytes", "Tokens that the second bucket holds; one of the largest packets unless set";
    }
}

impl DisciplineParameters for ShaperParameters {
    const SOURCE: &'static str = "RFC 2475 section 2.3.3.3; Linux tbf, ns-3 tbf";
    const CONTROL: &'static str = "tokens (bytes)";

    fn faults(&self, _buffer: Option<Buffer>) -> Vec<Fault> {
        let mut faults = self.out_of_range();
        if let Some(peak) = self.peak_rate.filter(|&peak| peak <= self.rate) {
            let message = format!("expected more than the rate of {} bit/s, got {peak}", self.rate);
            faults.push(Fault { parameter: "peak_rate", message });
        }
        if self.mtu.is_some() && self.peak_rate.is_none() {
            let message = "expected none without a peak_rate".into();
            faults.push(Fault { parameter: "mtu", message });
        }
        faults
    }

    fn packet_faults(&self, mtu: u32) -> Vec<Fault> {
        let burst = burst_below_one_packet("burst", self.burst, mtu);
        let peak = self.mtu.and_then(|depth| burst_below_one_packet("mtu", depth, mtu));
        burst.into_iter().chain(peak).collect()
    }

    fn mechanics(&self, server: &Server) -> Mechanics {
        let depth = self.mtu.unwrap_or_else(|| u64::from(server.mtu()));
        let queue = Shaper {
            queue: Fifo::new(server.buffer),
            bucket: TokenBucket::new(self.rate, self.burst),
            peak: self.peak_rate.map(|rate| TokenBucket::new(rate, depth)),
            starts: Time::ZERO,
        };
        Mechanics { queue: Some(Box::new(queue)), ..Mechanics::default() }
    }
}

/// See the module.
#[derive(Debug)]
struct Shaper {
    queue: Fifo,
    bucket: TokenBucket,
    peak: Option<TokenBucket>,
    /// Service of the packet taken out last begins.
    starts: Time,
}

impl Shaper {
    /// Let a packet wait for its tokens. While it does, it is the one in service.
    fn shape(&mut self, next: Queued, now: Time) -> Queued {
        let ready = self.bucket.ready(next.bytes, now);
        let peak = self.peak.map_or(now, |peak| peak.ready(next.bytes, now));
        self.starts = ready.max(peak);
        let taken = self.bucket.take(next.bytes, self.starts);
        let taken = self.peak.as_mut().is_none_or(|peak| peak.take(next.bytes, self.starts)) && taken;
        debug_assert!(taken, "the bucket holds a packet, so there are tokens when it is ready");
        next
    }
}

impl QueueDiscipline for Shaper {
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        if !self.queue.push(arrival) {
            port.drop(&arrival, Cause::Overlimit);
        }
    }

    fn pass(&mut self, arrival: Queued, port: &mut Port<'_>) -> Option<Queued> {
        Some(self.shape(arrival, port.now))
    }

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        let next = self.queue.pop()?;
        Some(self.shape(next, port.now))
    }

    fn service_starts(&self, now: Time) -> Time {
        self.starts.max(now)
    }

    fn empty_is_final(&self) -> bool {
        true
    }

    answers_of!(queue);

    /// Tokens when the packet taken out last began to be served [bytes].
    fn control(&self) -> f64 {
        self.bucket.tokens(self.starts)
    }
}

#[cfg(test)]
mod tests {
    use congestion::Duration;

    use super::*;
    use crate::net::disciplines::testing::Desk;
    use crate::net::headers::Headers;
    use crate::net::packet::Codepoint;
    use crate::net::service::{Service, ServiceRate};
    use crate::net::station::{Hands, Station, StationSetup};
    use crate::net::transmitter::Transmitter;

    /// Departures of `packets` packets of 1500 bytes that arrive at once at a shaper before a line of 1 Gbit/s: the times
    /// at which service begins.
    fn begins(parameters: ShaperParameters, packets: u32) -> Vec<Time> {
        let line = Service::new(ServiceRate::BitsPerSecond(1e9));
        let server = Server { transmitter: Transmitter::steady(line), buffer: None, ..Desk::server(1) };
        let mut station = Station::new(StationSetup {
            discipline: parameters.mechanics(&server).queue,
            ..StationSetup::drop_tail(0, line, None)
        });
        let (mut headers, mut dropped) = (Headers::default(), Vec::new());
        let mut departs = Vec::new();
        for seq in 0..packets {
            let mut hands = Hands { now: Time::ZERO, headers: &mut headers, dropped: &mut dropped };
            departs.extend(station.admit_queued(Desk::data(seq, Codepoint::NotEct), &mut hands));
        }
        while let Some(last) = departs.last() {
            let mut hands = Hands { now: last.time, headers: &mut headers, dropped: &mut dropped };
            let Some(next) = station.serve(&mut hands) else { break };
            departs.push(next);
        }
        assert!(departs.iter().zip(0..).all(|(packet, seq)| packet.seq == seq), "in order");
        departs.iter().map(|packet| Time(packet.time.0 - line.time(1500).0)).collect()
    }

    /// From a full bucket of ten packets: ten at the rate of the line, then one every 12 ms.
    #[test]
    fn the_head_waits_for_its_tokens() {
        let begins = begins(ShaperParameters { rate: 1e6, burst: 15_000, ..ShaperParameters::default() }, 12);
        let micros: Vec<u64> = begins.iter().map(|begin| begin.0 / 1_000_000).collect();
        assert_eq!(micros, [0, 12, 24, 36, 48, 60, 72, 84, 96, 108, 12_000, 24_000]);
    }

    #[test]
    fn the_peak_rate_limits_the_burst() {
        let peak = ShaperParameters { peak_rate: Some(1e7), burst: 15_000, ..ShaperParameters::default() };
        let micros: Vec<u64> = begins(peak, 13).iter().map(|begin| begin.0 / 1_000_000).collect();
        // Every 1.2 ms until the tokens of 15,000 bytes and those of the time are used up.
        assert_eq!(micros[..11], [0, 1200, 2400, 3600, 4800, 6000, 7200, 8400, 9600, 10_800, 12_000]);
        assert_eq!(micros[11..], [24_000, 36_000]);
    }

    #[test]
    fn keeps_its_rate_in_the_long_run() {
        let begins =
            begins(ShaperParameters { rate: 7e6, burst: 1500, ..ShaperParameters::default() }, 100_001);
        let time = begins[100_000].since(begins[0]);
        let rate = 1.2e9 / time.seconds();
        assert!((rate / 7e6 - 1.0).abs() < 1e-6, "{rate}");
        assert!(begins.iter().is_sorted() && time > Duration::ZERO);
    }

    #[test]
    fn parameters_that_do_not_go_together_are_faults() {
        assert!(ShaperParameters::default().faults(None).is_empty());
        let wrong = ShaperParameters { peak_rate: Some(5e5), ..ShaperParameters::default() };
        assert_eq!(wrong.faults(None)[0].message, "expected more than the rate of 1000000 bit/s, got 500000");
        let wrong = ShaperParameters { mtu: Some(40), burst: 1000, ..ShaperParameters::default() };
        assert_eq!(wrong.faults(None)[0].parameter, "mtu");
        let names: Vec<_> = wrong.packet_faults(1500).iter().map(|fault| fault.parameter).collect();
        assert_eq!(names, ["burst", "mtu"]);
    }
}
