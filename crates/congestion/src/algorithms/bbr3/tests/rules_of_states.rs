//! Single rules of the states, in both forms, on segments of 1000 bytes and a path of 505 segments/s and 100 ms, which
//! holds 50.5 segments.

use super::super::probe_bw::AckPhase;
use super::super::sample::Sample;
use super::super::{BBR3, Bbr3, Form, LINUX, Params, State};
use super::rules::with_full_pipe;
use crate::control::Flow;
use crate::testing::{SMSS, assert_near, flow, initial, startup_is_over};
use crate::units::{Duration, Time};

/// State of a flow whose pipe is full.
fn full(state: State) -> Bbr3 {
    with_full_pipe(Form::Draft, state, 505e3)
}

/// Flow with so many segments in flight, at a millisecond.
fn at(millis: u64, in_flight: u64) -> Flow {
    let now = Time::ZERO + Duration::from_millis(millis);
    Flow { now, in_flight: in_flight * u64::from(SMSS), ..flow() }
}

/// Draft section 5.3.1.2: Startup goes on while the rate grows by a quarter within three rounds.
#[test]
fn growth_of_less_than_a_quarter_ends_startup() {
    for algorithm in [&BBR3, &LINUX] {
        assert!(startup_is_over(algorithm, [100, 110, 117, 124]));
        assert!(!startup_is_over(algorithm, [100, 110, 117, 126]));
    }
}

/// `CheckDrainDone`: `C.inflight <= BBRInflight(1.0) or BBR.round_count > BBR.drain_start_round + 3`.
#[test]
fn drain_ends_by_volume_or_after_three_rounds() {
    for (rounds, in_flight, is_over) in
        [(0, 51, false), (0, 50, true), (3, 51, false), (4, 51, true), (5, 51, true)]
    {
        let mut bbr = full(State::Startup);
        bbr.rounds.round_count = 7;
        bbr.check_startup_done();
        assert_eq!(bbr.state, State::Drain);
        bbr.rounds.round_count += rounds;
        bbr.check_drain_done(&at(0, in_flight));
        assert_eq!(bbr.state == State::ProbeBwDown, is_over, "{rounds} {in_flight}");
    }
}

/// `IsTimeToCruise`: false if `C.inflight > InflightWithHeadroom()`, 85 % of the bound, or if
/// `C.inflight > Inflight(BBR.max_bw, 1.0)`, one product.
#[test]
fn cruising_begins_below_both_bounds() {
    for (bound, in_flight, begins) in
        [(100e3, 51, false), (100e3, 50, true), (50e3, 43, false), (50e3, 42, true)]
    {
        let mut bbr = full(State::Drain);
        bbr.model.inflight_longterm = bound;
        // The wait for the next probe is drawn here.
        bbr.start_probe_bw_down(&at(0, in_flight));
        bbr.update_probe_bw_cycle_phase(&at(1, in_flight));
        assert_eq!(bbr.state == State::ProbeBwCruise, begins, "{bound} {in_flight}");
    }
}

/// `StartProbeBW_REFILL`: `ResetShortTermModel`, so nothing bounds the flow while it refills.
#[test]
fn refilling_forgets_the_short_term_bounds() {
    let mut bbr = full(State::ProbeBwCruise);
    (bbr.model.bw_shortterm, bbr.model.inflight_shortterm) = (400e3, 40e3);
    bbr.cycle.rounds_since_bw_probe = 63;
    bbr.update_probe_bw_cycle_phase(&at(0, 50));
    assert_eq!(bbr.state, State::ProbeBwRefill);
    assert!(bbr.model.bw_shortterm.is_infinite() && bbr.model.inflight_shortterm.is_infinite());
}

/// `StartProbeBW_DOWN`: `ResetCongestionSignals`, as Linux does with marks, too (`bbr_reset_congestion_signals`).
#[test]
fn a_probe_that_ends_leaves_no_signals() {
    let mut bbr = Bbr3::new(Params { ecn: true, ..Params::DEFAULT }, &initial(10.0), Form::Linux);
    bbr.state = State::ProbeBwUp;
    (bbr.signals.loss_in_round, bbr.signals.inflight_latest) = (true, 30e3);
    bbr.signals.marks.as_mut().expect("it answers them").in_round = true;
    bbr.start_probe_bw_down(&at(0, 50));
    assert!(!bbr.signals.loss_in_round && !bbr.signals.marks.as_ref().expect("it answers them").in_round);
    assert_near(bbr.signals.inflight_latest, 0.0);
}

/// `IsTimeToGoDown`: a probe after one that went too high ends when the bound is in flight, and `AdaptLongTermModel` goes
/// on to the next one at once, unless losses have shown again that it was too high.
#[test]
fn a_cautious_probe_ends_at_the_bound_and_the_next_one_follows() {
    for (was_too_high, in_flight, ends) in [(true, 99, false), (true, 100, true), (false, 100, false)] {
        let mut bbr = full(State::ProbeBwUp);
        bbr.model.inflight_longterm = 100e3;
        bbr.cycle.prev_probe_too_high = was_too_high;
        bbr.update_probe_bw_cycle_phase(&at(0, in_flight));
        assert_eq!(bbr.state == State::ProbeBwDown, ends, "{was_too_high} {in_flight}");
        if !ends {
            continue;
        }
        assert_eq!(bbr.cycle.ack_phase, AckPhase::ProbeStopping);
        bbr.rounds.round_start = true;
        bbr.cycle.rounds_since_bw_probe = 0;
        let mut lossy = full(State::ProbeBwDown);
        lossy.cycle = bbr.cycle.clone();
        lossy.cycle.prev_probe_too_high = true;
        lossy.rounds.round_start = true;
        for (bbr, state) in [(&mut bbr, State::ProbeBwRefill), (&mut lossy, State::ProbeBwDown)] {
            bbr.update_probe_bw_cycle_phase(&at(1, 99));
            assert_eq!(bbr.state, state);
        }
    }
}

/// `ProbeInflightLongtermUpward`: `if (!C.is_cwnd_limited || C.cwnd < BBR.inflight_longterm) return`.
#[test]
fn only_a_bound_that_is_used_grows() {
    for (is_limited, cwnd, grows) in
        [(true, 99e3, false), (true, 100e3, true), (true, 101e3, true), (false, 100e3, false)]
    {
        let mut bbr = full(State::ProbeBwUp);
        bbr.model.inflight_longterm = 100e3;
        (bbr.c.cwnd, bbr.c.is_cwnd_limited) = (cwnd, is_limited);
        for (newly_acked, round_start) in [(0.0, true), (150e3, false)] {
            bbr.rs.newly_acked = newly_acked;
            bbr.rounds.round_start = round_start;
            bbr.update_probe_bw_cycle_phase(&at(0, 50));
        }
        // A segment for each window acknowledged.
        assert_near(bbr.model.inflight_longterm, if grows { 101e3 } else { 100e3 });
    }
}

/// `AdaptLongTermModel`: `if (IsInAProbeBWState() and !RS.is_app_limited) AdvanceMaxBwFilter()`, a round after a probe has
/// ended: then the rate of the cycle before is forgotten with the next cycle.
#[test]
fn only_probes_of_full_use_forget_rates() {
    for (state, app_limited, bandwidth) in [
        (State::ProbeBwDown, false, 250e3),
        (State::ProbeBwDown, true, 505e3),
        (State::ProbeRtt, false, 505e3),
    ] {
        let mut bbr = full(state);
        bbr.cycle.ack_phase = AckPhase::ProbeStopping;
        bbr.rounds.round_start = true;
        bbr.rs = Sample { app_limited, ..Sample::default() };
        bbr.update_probe_bw_cycle_phase(&at(0, 50));
        bbr.rs = Sample { delivery_rate: 250e3, ..Sample::default() };
        bbr.update_congestion_signals();
        bbr.model.advance_max_bw_filter();
        assert_near(bbr.model.max_bw(), bandwidth);
    }
}

/// `HandleProbeRTT`: the 200 ms begin when C.inflight <= `ProbeRTTCwnd`, half a product; the state ends with a round and
/// `Now() > BBR.probe_rtt_done_stamp`.
#[test]
fn probe_rtt_ends_after_a_round_and_its_time() {
    let mut bbr = full(State::ProbeRtt);
    for (now, in_flight, round_start, is_over) in [
        (2000, 26, true, false),
        (2300, 25, true, false),
        (2501, 25, false, false),
        (2500, 25, true, false),
        (2501, 25, false, true),
    ] {
        bbr.rounds.round_start = round_start;
        bbr.check_probe_rtt(&at(now, in_flight));
        assert_eq!(bbr.state != State::ProbeRtt, is_over, "{now} {in_flight} {round_start}");
    }
}
