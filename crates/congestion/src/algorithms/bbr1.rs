//! BBR version 1 ([draft-cardwell-iccrg-bbr-congestion-control-00]): the largest delivery rate and the smallest
//! RTT of recent time set pacing rate and window; losses hardly matter.
//!
//! Functions bear the draft's names. Page: `docs/models/bbr1.md`.
//!
//! [draft-cardwell-iccrg-bbr-congestion-control-00]: https://datatracker.ietf.org/doc/html/draft-cardwell-iccrg-bbr-congestion-control-00

use super::bbr3::max_filter::MaxFilter;
use super::bbr3::random::Random;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Phase};
use crate::registry::{Algorithm, Param};
use crate::units::{Duration, Rate, Time};
use crate::window::to_float;

pub(crate) const BBR1: Algorithm = Algorithm {
    name: "bbr1",
    summary: "BBR version 1: paced by the largest delivery rate and the smallest RTT of recent time",
    source: "draft-cardwell-iccrg-bbr-congestion-control-00 (2017); Cardwell et al., ACM Queue 14(5), 2016",
    params: &[
        Param::new("high_gain", 2.885, 1.0, 10.0, "1", "Gain of pacing and window in Startup"),
        Param::new(
            "probe_gain",
            1.25,
            1.0,
            1.9,
            "1",
            "Pacing gain while probing; the phase after has 2 - it",
        ),
        Param::new("cwnd_gain", 2.0, 1.0, 10.0, "1", "Window in bandwidth-delay products"),
        Param::new("bw_rounds", 10.0, 1.0, 1e4, "round trips", "Time after which a rate is forgotten"),
        Param::new("min_rtt_filter", 10.0, 0.1, 1e4, "s", "Time after which the smallest RTT is forgotten"),
        Param::new("probe_rtt_duration", 0.2, 0.0, 10.0, "s", "Least duration of ProbeRTT"),
    ],
    build,
};

/// Smallest window [segments] (`BBRMinPipeCwnd`).
const MIN_PIPE: f64 = 4.0;

/// Growth of the bandwidth that counts as growth (draft section 4.3.2.2).
const GROWTH: f64 = 1.25;

/// Rounds without growth after which the pipe is full.
const PLATEAU: u32 = 3;

/// Phases of `ProbeBW` (section 4.3.4.3, `BBRGainCycleLen`).
const PHASES: u64 = 8;

/// RTT before the first sample [s] (section 4.2.1).
const FIRST_RTT: f64 = 0.001;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number of rounds is positive and small"
)]
fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let &[high_gain, probe_gain, cwnd_gain, bw_rounds, min_rtt_filter, probe_rtt_duration] = values else {
        unreachable!("one value per parameter")
    };
    let smss = f64::from(initial.smss);
    let window = initial.window * smss;
    Box::new(Bbr1 {
        rules: Rules {
            high_gain,
            probe_gain,
            cwnd_gain,
            bw_rounds: bw_rounds as u64,
            min_rtt_filter,
            probe_rtt_duration,
        },
        smss,
        initial_window: window,
        restart: initial.restart_window * smss,
        state: State::Startup,
        rounds: Rounds::default(),
        model: Model::default(),
        pipe: Pipe::default(),
        recovery: Recovery::Open,
        probe_rtt: ProbeRtt::default(),
        random: Random::new(initial.seed),
        cwnd: window,
        prior_cwnd: 0.0,
        pacing_rate: high_gain * window / FIRST_RTT,
    })
}

/// The parameters that stay as they are; times in seconds.
#[derive(Debug)]
struct Rules {
    high_gain: f64,
    probe_gain: f64,
    cwnd_gain: f64,
    bw_rounds: u64,
    min_rtt_filter: f64,
    probe_rtt_duration: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    /// A phase of the gain cycle and when it began.
    ProbeBw {
        phase: u64,
        since: Time,
    },
    ProbeRtt,
}

/// Packet-timed round trips.
#[derive(Debug, Default)]
struct Rounds {
    delivered: u64,
    next_delivered: u64,
    count: u64,
    /// This ACK begins a round.
    start: bool,
    /// Samples of segments sent until `delivered` passed this count are of `ProbeRTT`.
    app_limited_until: Option<u64>,
}

/// What the path carries.
#[derive(Debug, Default)]
struct Model {
    /// [bytes/s]
    bandwidth: MaxFilter,
    min_rtt: Option<Duration>,
    /// When it was measured; set by the first ACK.
    min_rtt_stamp: Option<Time>,
    min_rtt_expired: bool,
}

/// The search for a full pipe in Startup.
#[derive(Debug, Default)]
struct Pipe {
    is_full: bool,
    /// [bytes/s]
    full_bandwidth: f64,
    rounds: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovery {
    Open,
    /// Fast recovery; until a round later every segment that leaves the network lets one in.
    Fast {
        entered: u64,
    },
    /// After a timeout.
    Timeout,
}

#[derive(Debug, Default)]
struct ProbeRtt {
    /// When little has been in flight long enough.
    done: Option<Time>,
    round_done: bool,
    /// The connection was silent and starts again.
    idle_restart: bool,
}

/// BBR version 1 of one flow.
#[derive(Debug)]
struct Bbr1 {
    rules: Rules,
    smss: f64,
    /// [bytes]
    initial_window: f64,
    /// Largest window after a timeout [bytes].
    restart: f64,
    state: State,
    rounds: Rounds,
    model: Model,
    pipe: Pipe,
    recovery: Recovery,
    probe_rtt: ProbeRtt,
    random: Random,
    /// [bytes]
    cwnd: f64,
    /// The window before recovery or `ProbeRTT` [bytes].
    prior_cwnd: f64,
    /// [bytes/s]
    pacing_rate: f64,
}

impl Bbr1 {
    /// `BBRInflight`: `gain` bandwidth-delay products; hosts here send single segments, so no quanta are added.
    fn inflight(&self, gain: f64) -> f64 {
        match self.model.min_rtt {
            Some(min_rtt) => gain * self.model.bandwidth.max() * min_rtt.seconds(),
            None => self.initial_window,
        }
    }

    fn min_pipe(&self) -> f64 {
        MIN_PIPE * self.smss
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.rules.high_gain,
            State::Drain => 1.0 / self.rules.high_gain,
            State::ProbeBw { phase: 0, .. } => self.rules.probe_gain,
            State::ProbeBw { phase: 1, .. } => 2.0 - self.rules.probe_gain,
            State::ProbeBw { .. } | State::ProbeRtt => 1.0,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain => self.rules.high_gain,
            State::ProbeBw { .. } => self.rules.cwnd_gain,
            State::ProbeRtt => 1.0,
        }
    }

    /// `BBRUpdateRound` and `BBRUpdateBtlBw` (sections 4.1.1.3 and 4.1.1.5). Whether the ACK has a sample that
    /// the application did not limit.
    fn update_bandwidth(&mut self, ack: &AckSample) -> bool {
        let rounds = &mut self.rounds;
        rounds.delivered += ack.delivered;
        rounds.start = false;
        let Some(rate) = ack.rate.filter(|rate| rate.interval > Duration::ZERO) else { return false };
        let prior_delivered = rounds.delivered.saturating_sub(rate.delivered);
        if prior_delivered >= rounds.next_delivered {
            rounds.next_delivered = rounds.delivered;
            rounds.count += 1;
            rounds.start = true;
        }
        let app_limited =
            rate.app_limited || rounds.app_limited_until.is_some_and(|until| prior_delivered <= until);
        let sample = to_float(rate.delivered) / rate.interval.seconds();
        if sample >= self.model.bandwidth.max() || !app_limited {
            self.model.bandwidth.update(sample, rounds.count, self.rules.bw_rounds);
        }
        !app_limited
    }

    /// `BBRCheckFullPipe` (section 4.3.2.2).
    fn check_full_pipe(&mut self, has_sample: bool) {
        if self.pipe.is_full || !self.rounds.start || !has_sample {
            return;
        }
        let bandwidth = self.model.bandwidth.max();
        if bandwidth >= GROWTH * self.pipe.full_bandwidth {
            self.pipe.full_bandwidth = bandwidth;
            self.pipe.rounds = 0;
            return;
        }
        self.pipe.rounds += 1;
        self.pipe.is_full = self.pipe.rounds >= PLATEAU;
    }

    /// `BBRCheckDrain` (section 4.3.3), and the end of Startup.
    fn check_drain(&mut self, flow: &Flow) {
        if self.state == State::Startup && self.pipe.is_full {
            self.state = State::Drain;
        }
        if self.state == State::Drain && to_float(flow.in_flight) <= self.inflight(1.0) {
            self.enter_probe_bw(flow);
        }
    }

    /// `BBREnterProbeBW` (section 4.3.4.3): any phase but the one that drains, at random.
    fn enter_probe_bw(&mut self, flow: &Flow) {
        let phase = (PHASES - self.random.below(PHASES - 1)) % PHASES;
        self.state = State::ProbeBw { phase, since: flow.now };
    }

    /// `BBRCheckCyclePhase` and `BBRIsNextCyclePhase`.
    fn check_cycle_phase(&mut self, ack: &AckSample, flow: &Flow) {
        let State::ProbeBw { phase, since } = self.state else { return };
        let is_full_length = self.model.min_rtt.is_some_and(|min_rtt| flow.now.since(since) > min_rtt);
        // What was in flight before this ACK.
        let prior_inflight = to_float(flow.in_flight + ack.delivered + ack.lost);
        let is_next = match phase {
            0 => is_full_length && (ack.lost > 0 || prior_inflight >= self.inflight(self.pacing_gain())),
            1 => is_full_length || prior_inflight <= self.inflight(1.0),
            _ => is_full_length,
        };
        if is_next {
            self.state = State::ProbeBw { phase: (phase + 1) % PHASES, since: flow.now };
        }
    }

    /// `BBRUpdateRTprop` (section 4.1.2.3).
    fn update_min_rtt(&mut self, ack: &AckSample, flow: &Flow) {
        let model = &mut self.model;
        let stamp = *model.min_rtt_stamp.get_or_insert(flow.now);
        model.min_rtt_expired = flow.now.since(stamp).seconds() > self.rules.min_rtt_filter;
        if let Some(rtt) = ack.rtt {
            if model.min_rtt_expired || model.min_rtt.is_none_or(|least| rtt <= least) {
                model.min_rtt = Some(rtt);
                model.min_rtt_stamp = Some(flow.now);
            }
        }
    }

    /// `BBRCheckProbeRTT` and `BBRHandleProbeRTT` (section 4.3.5).
    fn check_probe_rtt(&mut self, ack: &AckSample, flow: &Flow) {
        if self.state != State::ProbeRtt && self.model.min_rtt_expired && !self.probe_rtt.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt.done = None;
        }
        if self.state == State::ProbeRtt {
            // The low rates of this state say nothing about the path.
            self.rounds.app_limited_until = Some(self.rounds.delivered + flow.in_flight);
            match self.probe_rtt.done {
                None if to_float(flow.in_flight) <= self.min_pipe() => {
                    let duration = Duration::from_seconds(self.rules.probe_rtt_duration);
                    self.probe_rtt.done = Some(flow.now + duration);
                    self.probe_rtt.round_done = false;
                    self.rounds.next_delivered = self.rounds.delivered;
                }
                None => {}
                Some(done) => {
                    self.probe_rtt.round_done |= self.rounds.start;
                    if self.probe_rtt.round_done && flow.now > done {
                        self.model.min_rtt_stamp = Some(flow.now);
                        self.cwnd = self.cwnd.max(self.prior_cwnd);
                        if self.pipe.is_full {
                            self.enter_probe_bw(flow);
                        } else {
                            self.state = State::Startup;
                        }
                    }
                }
            }
        }
        if ack.delivered > 0 {
            self.probe_rtt.idle_restart = false;
        }
    }

    /// `BBRSetPacingRateWithGain` (section 4.2.1).
    fn set_pacing(&mut self, gain: f64) {
        let rate = gain * self.model.bandwidth.max();
        // Without any bandwidth sample there is nothing better than the rate so far.
        if rate > 0.0 && (self.pipe.is_full || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// `BBRSetCwnd` (section 4.2.3.6).
    fn set_cwnd(&mut self, ack: &AckSample, flow: &Flow) {
        let (delivered, lost) = (to_float(ack.delivered), to_float(ack.lost));
        let target = self.inflight(self.cwnd_gain()).max(self.min_pipe());
        // `BBRModulateCwndForRecovery`: what was lost makes room for nothing.
        if lost > 0.0 && self.recovery != Recovery::Open {
            self.cwnd = (self.cwnd - lost).max(self.smss);
        }
        let conserves = match self.recovery {
            Recovery::Fast { entered } => self.rounds.count <= entered,
            Recovery::Open | Recovery::Timeout => false,
        };
        if conserves {
            self.cwnd = self.cwnd.max(to_float(flow.in_flight) + delivered);
        } else {
            if self.pipe.is_full {
                self.cwnd = (self.cwnd + delivered).min(target);
            } else if self.cwnd < target || to_float(self.rounds.delivered) < self.initial_window {
                self.cwnd += delivered;
            }
            self.cwnd = self.cwnd.max(self.min_pipe());
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.min_pipe());
        }
    }

    /// `BBRSaveCwnd`.
    fn save_cwnd(&mut self) {
        self.prior_cwnd = if self.recovery == Recovery::Open && self.state != State::ProbeRtt {
            self.cwnd
        } else {
            self.prior_cwnd.max(self.cwnd)
        };
    }
}

impl CongestionControl for Bbr1 {
    /// `BBRUpdateOnACK`.
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let has_sample = self.update_bandwidth(ack);
        self.check_cycle_phase(ack, flow);
        self.check_full_pipe(has_sample);
        self.check_drain(flow);
        self.update_min_rtt(ack, flow);
        self.check_probe_rtt(ack, flow);
        self.set_pacing(self.pacing_gain());
        self.set_cwnd(ack, flow);
        // Nothing is left in flight and the window is not in use: what comes next restarts from idle
        // (section 4.3.4.4).
        if flow.in_flight == 0 && !flow.cwnd_limited {
            self.probe_rtt.idle_restart = true;
            if matches!(self.state, State::ProbeBw { .. }) {
                self.set_pacing(1.0);
            }
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let in_flight = to_float(flow.in_flight);
        match event {
            // Section 4.2.3.4: a round of packet conservation.
            CongestionEvent::EnterRecovery => {
                self.save_cwnd();
                self.recovery = Recovery::Fast { entered: self.rounds.count };
                self.rounds.next_delivered = self.rounds.delivered;
                self.cwnd = self.cwnd.min((in_flight + self.smss).max(self.smss));
            }
            CongestionEvent::Rto => {
                self.save_cwnd();
                self.recovery = Recovery::Timeout;
                self.cwnd = self.cwnd.min((in_flight + self.smss).min(self.restart.max(self.smss)));
            }
            CongestionEvent::ExitRecovery => {
                if self.recovery != Recovery::Open {
                    self.recovery = Recovery::Open;
                    if self.state != State::ProbeRtt {
                        self.cwnd = self.cwnd.max(self.prior_cwnd);
                    }
                }
            }
            // Segments are not sent as ECN-capable.
            CongestionEvent::EcnEcho => {}
        }
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: Some(Rate(self.pacing_rate)) }
    }

    fn phase(&self) -> Phase {
        if self.state == State::Startup { Phase::SlowStart } else { Phase::Alternate }
    }

    fn wants_rate_samples(&self) -> bool {
        true
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let state = match self.state {
            State::Startup => 0.0,
            State::Drain => 1.0,
            State::ProbeBw { .. } => 2.0,
            State::ProbeRtt => 3.0,
        };
        record("state", state);
        record("bandwidth", self.model.bandwidth.max());
        record("min_rtt", self.model.min_rtt.map_or(f64::NAN, Duration::seconds));
        record("pacing_gain", self.pacing_gain());
    }
}

#[cfg(test)]
mod tests {
    use super::super::bbr3::wire::Wire;
    use super::*;
    use crate::testing::{SMSS, assert_near, create, initial, segments};

    const RATE: f64 = 1000.0;
    const PIPE: f64 = 100.0;

    /// 1000 segments/s and 100 ms, which holds 100 segments.
    fn wire(buffer: f64) -> Wire {
        Wire::new(create(&BBR1, &initial(10.0)), RATE, Duration::from_millis(100), buffer)
    }

    fn reach(wire: &mut Wire, state: f64, seconds: f64) {
        let found = wire.run_until(seconds, |wire| (wire.read("state") - state).abs() < 0.5);
        assert!(found, "state {state} was not reached");
    }

    fn assert_about(found: f64, expected: f64, tolerance: f64) {
        assert!((found / expected - 1.0).abs() <= tolerance, "expected about {expected}, found {found}");
    }

    fn pacing(wire: &Wire) -> f64 {
        wire.controller.decision().pacing_rate.expect("paced").0 / f64::from(SMSS)
    }

    /// Draft sections 4.3.2 and 4.3.3: Startup ends on a plateau, Drain when a pipe is in flight.
    #[test]
    fn startup_finds_the_bandwidth_and_drain_empties_the_queue() {
        let mut wire = wire(1e9);
        assert_about(pacing(&wire), 2.885 * 10.0 / 0.001, 1e-9);
        reach(&mut wire, 1.0, 5.0);
        assert_about(wire.read("bandwidth"), RATE * 1000.0, 0.02);
        assert_about(pacing(&wire), RATE / 2.885, 0.03);
        reach(&mut wire, 2.0, 3.0);
        assert!(wire.flow.in_flight <= 101_000, "{} bytes in flight", wire.flow.in_flight);
    }

    /// Section 4.3.4.3: gains 1.25, 0.75 and six times 1, two bandwidth-delay products of window, full use.
    #[test]
    fn cycle_probes_and_drains() {
        let mut wire = wire(1e9);
        reach(&mut wire, 2.0, 5.0);
        let mut gains = Vec::new();
        wire.run_until(3.0, |wire| {
            let gain = wire.read("pacing_gain");
            if gains.last().is_none_or(|&last: &f64| (last - gain).abs() > 1e-9) {
                gains.push(gain);
            }
            false
        });
        let start = gains.iter().position(|&gain| gain > 1.1).expect("it probes");
        assert_eq!(gains[start..start + 4], [1.25, 0.75, 1.0, 1.25]);
        assert_about(segments(&*wire.controller), 2.0 * PIPE, 0.05);
        let (start, now) = (wire.arrived, wire.flow.now);
        wire.run(20.0);
        let rate = to_float(wire.arrived - start) / wire.flow.now.since(now).seconds();
        assert!(rate > 0.95 * RATE, "{rate}");
    }

    /// Section 4.3.5: after ten seconds without a new minimum, 4 segments for 200 ms.
    #[test]
    fn probe_rtt_comes_and_goes() {
        let mut wire = wire(1e9);
        reach(&mut wire, 2.0, 5.0);
        wire.delay += Duration::from_millis(10).0;
        reach(&mut wire, 3.0, 13.0);
        assert_near(segments(&*wire.controller), 4.0);
        let start = wire.flow.now;
        reach(&mut wire, 2.0, 5.0);
        let duration = wire.flow.now.since(start).seconds();
        assert!((0.2..0.7).contains(&duration), "{duration}");
        assert!(segments(&*wire.controller) > 1.5 * PIPE);
        assert_about(wire.read("min_rtt"), 0.111, 0.02);
    }

    /// Losses do not slow it down: with a buffer of a fifth of the pipe it goes on losing, as is known of it.
    #[test]
    fn losses_hardly_matter() {
        let mut wire = wire(0.2 * PIPE);
        wire.run(10.0);
        let (start, lost) = (wire.arrived, wire.lost);
        wire.run(30.0);
        let sent = to_float(wire.arrived - start);
        assert!(sent > 0.9 * RATE * 30.0, "{sent} delivered");
        assert!(wire.lost > lost);
    }

    /// Section 4.2.3.4: one segment after a timeout, and the window before it once all is repaired.
    #[test]
    fn timeout_leaves_one_segment() {
        let mut controller = create(&BBR1, &initial(10.0));
        let flow = Flow { smss: SMSS, ..Flow::default() };
        controller.on_congestion(CongestionEvent::Rto, &flow);
        assert_near(segments(&*controller), 1.0);
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow);
        assert_near(segments(&*controller), 10.0);
    }
}
