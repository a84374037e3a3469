//! Active queue management with long Reno flows: probabilities and delays that theory gives.

use sim::net::disciplines::{Pi2Parameters, PieParameters, RedParameters};
use sim::spec::{Buffer, Discipline, ServiceRate, Spec};

use crate::support::{dumbbell, flow, mean, run};

/// Reno's response function with an ACK per segment: the window is `RENO` / sqrt(p) segments.
const RENO: f64 = 1.22;

/// Long flows through one queue, and what happens from a fifth of the time on.
struct Cell {
    flows: u32,
    /// Bottleneck [packets of 1500 bytes/s].
    rate: f64,
    /// Round trip without queue [s].
    rtt: f64,
}

/// Steady state of a bottleneck.
#[derive(Debug)]
struct Steady {
    /// Packets lost, of those that came.
    probability: f64,
    /// Mean wait [s].
    delay: f64,
    /// Part of the link in use.
    utilisation: f64,
}

impl Cell {
    fn new(flows: u32, megabits: f64, rtt: f64) -> Self {
        Self { flows, rate: megabits * 1e6 / 12_000.0, rtt }
    }

    fn spec(&self, discipline: Discipline, duration: f64) -> Spec {
        let flows = (0..self.flows).map(|at| flow(&format!("flow {at}"), 0.037 * f64::from(at))).collect();
        let mut spec = dumbbell(1.0, self.rtt, Some(20_000), flows, duration);
        for station in &mut spec.stations {
            station.rate = ServiceRate::PacketsPerSecond(self.rate);
        }
        spec.stations[0].discipline = discipline;
        spec.stations[0].buffer = Some(Buffer::Packets(20_000));
        spec.transport.initial_ssthresh = Some((self.window(0.015)).max(4.0));
        spec.measure.interval = 0.01;
        spec
    }

    /// Window of a flow with its share of the link and a queue of `delay` [segments].
    fn window(&self, delay: f64) -> f64 {
        self.rate * (self.rtt + delay) / f64::from(self.flows)
    }

    /// Loss at which Reno flows share the link with a queue of `delay`.
    fn equilibrium(&self, delay: f64) -> f64 {
        (RENO / self.window(delay)).powi(2)
    }

    fn measure(&self, discipline: Discipline, duration: f64) -> Steady {
        let spec = self.spec(discipline, duration);
        let output = run(&spec, 1);
        let steady = |values: &mut dyn Iterator<Item = f64>| mean(&spec, values, duration / 5.0, duration);
        let waiting = steady(&mut output.queues.iter().map(|row| row[0].saturating_sub(1) as f64));
        let lost = steady(&mut output.series.iter().map(|sample| sample.counters.dropped as f64));
        let came = steady(&mut output.series.iter().map(|sample| sample.counters.injected as f64));
        let acked = steady(&mut output.series.iter().map(|sample| sample.counters.acked as f64));
        Steady {
            probability: lost / came,
            delay: waiting / self.rate,
            utilisation: acked / (self.rate * spec.measure.interval),
        }
    }
}

/// RFC 8033: the drop probability settles where the senders' response fills the link at the target latency.
#[test]
fn pie_finds_the_drop_probability_of_renos_response() {
    let cells =
        [(5, 100.0, 0.02, false), (20, 100.0, 0.02, false), (50, 100.0, 0.1, false), (20, 100.0, 0.1, true)];
    for (flows, megabits, rtt, derandomize) in cells {
        let cell = Cell::new(flows, megabits, rtt);
        let pie = PieParameters { derandomize, ..PieParameters::default() };
        let steady = cell.measure(Discipline::Pie(pie), 100.0);
        let ratio = steady.probability / cell.equilibrium(0.015);
        println!("{flows} flows, {megabits} Mbit/s, {rtt} s: p {ratio:.3} of the expected, {steady:?}");
        assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
        assert!((steady.delay / 0.015 - 1.0).abs() < 0.1, "{}", steady.delay);
        assert!(steady.utilisation > 0.99, "{}", steady.utilisation);
    }
}

/// Windows of a few segments wait for timeouts, which the response function leaves out; the latency is kept all the same.
#[test]
fn pie_keeps_the_latency_of_small_windows() {
    for (flows, megabits, rtt) in [(5, 10.0, 0.02), (20, 10.0, 0.1), (50, 100.0, 0.02)] {
        let cell = Cell::new(flows, megabits, rtt);
        let steady = cell.measure(Discipline::Pie(PieParameters::default()), 50.0);
        println!("{flows} flows, {megabits} Mbit/s, {rtt} s: {steady:?}");
        assert!((steady.delay / 0.015 - 1.0).abs() < 0.1, "{}", steady.delay);
        assert!(steady.probability < cell.equilibrium(0.015), "{}", steady.probability);
    }
}

/// RFC 9332 appendix A: the square of the base probability settles where Reno's response fills the link at the target.
#[test]
fn pi2_squares_its_way_to_renos_response() {
    for (flows, megabits, rtt) in [(5, 10.0, 0.1), (5, 100.0, 0.02), (20, 100.0, 0.1), (50, 100.0, 0.1)] {
        let cell = Cell::new(flows, megabits, rtt);
        let steady = cell.measure(Discipline::Pi2(Pi2Parameters::default()), 100.0);
        let ratio = steady.probability / cell.equilibrium(0.015);
        println!("{flows} flows, {megabits} Mbit/s, {rtt} s: p {ratio:.3} of the expected, {steady:?}");
        assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
        assert!((steady.delay / 0.015 - 1.0).abs() < 0.1, "{}", steady.delay);
        assert!(steady.utilisation > 0.99, "{}", steady.utilisation);
    }
}

/// Floyd, Gummadi, Shenker 2001, section 5: `max_p` finds the value that keeps the average queue from 40 to 60 % of the
/// way between the thresholds, for any number of flows.
#[test]
fn adaptive_red_keeps_the_average_queue_in_its_band() {
    for flows in [10, 30, 100] {
        let cell = Cell::new(flows, 100.0, 0.05);
        let red = RedParameters { adaptive: true, ..RedParameters::default() };
        let steady = cell.measure(Discipline::Red(red), 60.0);
        // min_th is half of 5 ms of the link, max_th three times that.
        let (min_th, max_th) = (0.0025 * cell.rate, 0.0075 * cell.rate);
        let place = (steady.delay * cell.rate - min_th) / (max_th - min_th);
        println!("{flows} flows: {place:.3} of the way from min_th to max_th, {steady:?}");
        assert!((0.4..0.6).contains(&place), "{place}");
    }
}
