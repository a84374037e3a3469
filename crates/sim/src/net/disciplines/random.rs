//! Signals at random: each packet is marked, or dropped, with one probability, whatever the queue; `loss random P ecn` of
//! netem. It shows how a sender responds to a given rate of marks or drops. Page: `docs/models/queues.md`.

use super::{DisciplineParameters, Mechanics, Server};
use crate::kernel::rng::Draws;
use crate::measure::queue::Cause;
use crate::net::arrival::{ArrivalRule, Backlog, Verdict};
use crate::net::queue::{Port, Queued};

parameters! {
    /// Parameters of signals at random.
    pub struct RandomParameters {
        probability: f64 = 0.01, [0.0, 1.0], "1", "Probability of a signal to a packet";
        ecn: bool = false, "ECN-capable packets are marked instead of dropped";
    }
}

impl DisciplineParameters for RandomParameters {
    const SOURCE: &'static str = "netem of Linux, `loss random` and `ecn`; RFC 3168 section 5";
    const CONTROL: &'static str = "probability of a signal";

    fn mechanics(&self, server: &Server) -> Mechanics {
        let draws = Draws::new(&server.streams, server.station);
        Mechanics {
            rule: Some(Box::new(Random { parameters: *self, arrivals: 0, draws })),
            ..Mechanics::default()
        }
    }
}

/// Signals at random before a drop-tail queue.
#[derive(Debug)]
struct Random {
    parameters: RandomParameters,
    /// Packets that have arrived: the number of a packet among the draws.
    arrivals: u64,
    draws: Draws,
}

impl ArrivalRule for Random {
    fn on_arrival(&mut self, arrival: &mut Queued, _backlog: &Backlog, port: &mut Port<'_>) -> Verdict {
        let hit = self.draws.uniform(self.arrivals, 0) < self.parameters.probability;
        self.arrivals += 1;
        if !hit || (self.parameters.ecn && port.mark(arrival, Cause::Random)) {
            Verdict::Pass
        } else {
            Verdict::Drop(Cause::Random)
        }
    }

    /// Probability of a signal.
    fn control(&self) -> f64 {
        self.parameters.probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::disciplines::testing::Desk;
    use crate::net::packet::Codepoint;

    /// Packets of a million that are signalled, by number.
    fn signalled(parameters: RandomParameters, codepoint: Codepoint) -> (Vec<u32>, Desk) {
        let mut desk = Desk::with_rule(parameters.mechanics(&Desk::server(100)).rule);
        let hit = |packet: &u32| {
            let (after, verdict) = desk.judge(codepoint, u64::from(packet % 7));
            verdict != Verdict::Pass || after != codepoint
        };
        let numbers = (0..1_000_000).filter(hit).collect();
        (numbers, desk)
    }

    #[test]
    fn signals_come_with_the_probability_whatever_waits() {
        let (hits, desk) = signalled(RandomParameters { probability: 0.01, ecn: false }, Codepoint::NotEct);
        // Standard deviation 99.5: five of them.
        assert!(hits.len().abs_diff(10_000) < 500, "{}", hits.len());
        assert_eq!((desk.drops(Cause::Random), desk.marks(Cause::Random)), (hits.len() as u64, 0));
        let close = hits.windows(2).filter(|pair| pair[1] - pair[0] == 1).count();
        assert!(close.abs_diff(100) < 50, "neighbours are signalled as others: {close}");
    }

    #[test]
    fn marks_and_drops_hit_the_same_packets() {
        let parameters = RandomParameters { probability: 0.003, ecn: true };
        let (marked, desk) = signalled(parameters, Codepoint::Ect1);
        assert_eq!((desk.marks(Cause::Random), desk.drops(Cause::Random)), (marked.len() as u64, 0));
        let (dropped, desk) = signalled(parameters, Codepoint::NotEct);
        assert_eq!((desk.marks(Cause::Random), desk.drops(Cause::Random)), (0, dropped.len() as u64));
        assert_eq!(marked, dropped);
    }

    #[test]
    fn a_probability_above_one_is_a_fault() {
        let faults = RandomParameters { probability: 1.5, ecn: false }.faults(None);
        assert_eq!(faults[0].parameter, "probability");
    }
}
