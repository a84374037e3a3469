//! Single rules of samples, of the model, and of pacing rate and window, in both forms, on segments of 1000 bytes.

use super::super::sample::{Recent, Sample};
use super::super::{Bbr3, Form, LINUX, Params, Recovery, State};
use super::rules::with_full_pipe;
use crate::control::{AckSample, Ecn, Flow, Initial, RateSample};
use crate::testing::{ack, assert_near, create, flow, initial, read, sampled_ack};
use crate::units::Duration;

fn bbr(form: Form) -> Bbr3 {
    Bbr3::new(Params::DEFAULT, &initial(10.0), form)
}

/// State with a full pipe of 500 segments/s and 100 ms, which holds 50 segments.
fn full(form: Form, state: State) -> Bbr3 {
    with_full_pipe(form, state, 500e3)
}

/// Flow whose RTT is so many milliseconds, 0 before the first sample.
fn flow_of(rtt: u64) -> Flow {
    Flow { srtt: Duration::from_millis(rtt), ..flow() }
}

/// Draft section 4.1.2.4: RS.lost = C.lost - P.lost, so losses before the segment was sent do not count.
#[test]
fn older_losses_are_forgotten() {
    let mut losses = Recent::default();
    for (delivered, lost) in [(1000, 5), (2000, 7), (3000, 9)] {
        losses.add(delivered, lost);
    }
    assert_eq!([1000, 1001, 2001, 3001].map(|delivered| losses.since(delivered)), [21, 16, 9, 0]);
    // Of segments that left before an ACK that told of two losses, and right after it.
    let mut bbr = bbr(Form::Draft);
    for (acked, lost, delivered, expected) in [(4, 2, 4, 2e3), (1, 0, 5, 2e3), (1, 0, 2, 0.0)] {
        bbr.generate_rate_sample(&sampled_ack(acked, lost, delivered), &flow());
        assert_near(bbr.rs.lost, expected);
    }
}

/// Draft section 4.1.2: `RS.delivery_rate = RS.delivered / RS.interval`, and there is none without any time; what was in
/// flight at the departure was delivered or lost. `UpdateRound`: `BBR.round_count++`, `BBR.rounds_since_bw_probe++`.
#[test]
fn samples_tell_rate_flight_and_round() {
    let mut bbr = bbr(Form::Draft);
    bbr.cycle.rounds_since_bw_probe = 5;
    bbr.generate_rate_sample(&sampled_ack(10, 5, 10), &flow());
    assert_near(bbr.rs.delivery_rate, 100e3);
    assert_near(bbr.rs.tx_in_flight, 15e3);
    assert_eq!((bbr.rounds.round_count, bbr.cycle.rounds_since_bw_probe), (1, 6));
    let rate = RateSample { interval: Duration::ZERO, ..sampled_ack(1, 0, 1).rate.expect("a sample") };
    bbr.generate_rate_sample(&AckSample { rate: Some(rate), ..ack(1) }, &flow());
    assert_eq!(bbr.rs.prior_delivered, None);
    assert_near(bbr.rs.delivery_rate, 0.0);
    // C.is_cwnd_limited does not depend on what the ACK acknowledges.
    for app_limited in [true, false] {
        bbr.generate_rate_sample(&ack(1), &Flow { cwnd_limited: false, app_limited, ..flow() });
        assert_eq!(bbr.c.is_cwnd_limited, !app_limited);
    }
}

/// Draft section 2.3: RS.rtt is "based on the most recently-sent packet of the packets that have just been ACKed", as is
/// `rs->rtt_us` of Linux, `bbr_update_min_rtt`.
#[test]
fn round_trips_are_those_of_the_sample() {
    for form in [Form::Draft, Form::Linux] {
        let mut bbr = bbr(form);
        let plain = sampled_ack(1, 0, 1);
        let rtt = Some(Duration::from_millis(80));
        let rate = RateSample { rtt, ..plain.rate.expect("a sample") };
        bbr.generate_rate_sample(&AckSample { rate: Some(rate), ..plain }, &flow());
        assert_eq!(bbr.rs.rtt, rtt);
    }
}

/// `MarkConnectionAppLimited`: `C.app_limited = C.delivered + C.inflight`, here four segments: samples of what is sent until so
/// much is delivered are limited.
#[test]
fn samples_of_a_limited_connection_are_limited() {
    let mut bbr = bbr(Form::Draft);
    bbr.mark_connection_app_limited(&Flow { in_flight: 4000, ..flow() });
    // Each was sent one segment before it is delivered: after none, one, ... of the four.
    let limited = [0; 6].map(|_| {
        bbr.generate_rate_sample(&sampled_ack(1, 0, 1), &flow());
        bbr.rs.app_limited
    });
    assert_eq!(limited, [true, true, true, true, true, false]);
}

/// `UpdateMaxBw`: `if (RS.delivery_rate >= BBR.max_bw || !RS.is_app_limited)`, so a limited sample only raises it.
#[test]
fn limited_samples_only_raise_the_bandwidth() {
    for (rate, app_limited, expected) in
        [(5e5, true, 1e6), (5e5, false, 5e5), (2e6, true, 2e6), (1e6, true, 1e6)]
    {
        let mut bbr = bbr(Form::Draft);
        bbr.rs.delivery_rate = 1e6;
        bbr.update_congestion_signals();
        bbr.model.advance_max_bw_filter();
        bbr.rs = Sample { delivery_rate: rate, app_limited, ..Sample::default() };
        bbr.update_congestion_signals();
        // The cycle of the first rate is over, if this one has a sample.
        bbr.model.advance_max_bw_filter();
        assert_near(bbr.model.max_bw(), expected);
    }
}

/// `SetPacingRateWithGain`: `if (BBR.full_bw_reached || rate > C.pacing_rate)`, with a margin of 1 %.
#[test]
fn startup_does_not_slow_down() {
    for (full_bw_reached, before, after) in [(false, 4e5, 4.95e5), (false, 6e5, 6e5), (true, 6e5, 4.95e5)] {
        let mut bbr = full(Form::Draft, State::Startup);
        (bbr.startup.full_bw_reached, bbr.c.pacing_rate) = (full_bw_reached, before);
        bbr.set_pacing_rate_with_gain(1.0);
        assert_near(bbr.c.pacing_rate, after);
    }
}

/// Linux, `bbr_set_pacing_rate`: `if (unlikely(!bbr->has_seen_rtt && tp->srtt_us)) bbr_init_pacing_rate_from_rtt(sk)`, once;
/// the draft has 2.77 initial windows per millisecond until then.
#[test]
fn the_first_round_trip_sets_the_rate_once() {
    let mut bbr = bbr(Form::Draft);
    for (rtt, rate) in [(0, 2.77 * 10e3 / 1e-3), (100, 2.77 * 10e3 / 0.1), (10, 2.77 * 10e3 / 0.1)] {
        bbr.update_control_parameters(&flow_of(rtt));
        assert_near(bbr.c.pacing_rate, rate);
    }
}

/// `SetCwnd`: `C.cwnd = min(C.cwnd + RS.newly_acked, BBR.max_inflight)`, which is two products, and 2.25 and two segments in
/// `ProbeBW_UP`.
#[test]
fn the_window_grows_by_what_is_delivered_up_to_its_bound() {
    for (state, before, after) in [
        (State::ProbeBwCruise, 20e3, 25e3),
        (State::ProbeBwCruise, 200e3, 100e3),
        (State::ProbeBwUp, 200e3, 114.5e3),
    ] {
        let mut bbr = full(Form::Draft, state);
        (bbr.c.cwnd, bbr.rs.newly_acked) = (before, 5e3);
        bbr.update_control_parameters(&flow());
        assert_near(bbr.c.cwnd, after);
    }
}

/// `BoundCwndForProbeRTT`: `C.cwnd = min(C.cwnd, ProbeRTTCwnd())`, half a product, though the pipe was never full.
#[test]
fn probe_rtt_bounds_the_window() {
    let mut bbr = full(Form::Draft, State::ProbeRtt);
    (bbr.c.cwnd, bbr.startup.full_bw_reached) = (100e3, false);
    bbr.update_control_parameters(&flow());
    assert_near(bbr.c.cwnd, 25e3);
}

/// `UpdateMaxInflight`: `inflight_cap += BBR.extra_acked`; Linux, `bbr_ack_aggregation_cwnd`. Without a rate sample Linux
/// sees no aggregation: `if (... rs->acked_sacked <= 0 || rs->delivered < 0 || rs->interval_us <= 0) return`.
#[test]
fn acks_at_once_open_the_window() {
    for (form, prior_delivered, window) in
        [(Form::Draft, Some(0), 140e3), (Form::Linux, Some(0), 140e3), (Form::Linux, None, 100e3)]
    {
        let mut bbr = full(form, State::ProbeBwCruise);
        bbr.c.cwnd = 300e3;
        bbr.rs = Sample { newly_acked: 20e3, prior_delivered, ..Sample::default() };
        (0..2).for_each(|_| bbr.update_ack_aggregation(&flow()));
        bbr.update_control_parameters(&flow());
        assert_near(bbr.c.cwnd, window);
    }
}

/// `SaveCwnd`: the window as it is, but in recovery and in `ProbeRTT` the largest of both.
#[test]
fn the_window_to_return_to_is_not_that_of_a_recovery() {
    for (state, recovery, kept) in [
        (State::ProbeBwCruise, Recovery::Open, 50.0),
        (State::ProbeRtt, Recovery::Open, 80.0),
        (State::ProbeBwCruise, Recovery::Fast, 80.0),
        (State::ProbeBwCruise, Recovery::Timeout, 80.0),
    ] {
        let mut bbr = bbr(Form::Draft);
        (bbr.state, bbr.recovery, bbr.c.cwnd, bbr.prior_cwnd) = (state, recovery, 50.0, 80.0);
        bbr.save_cwnd();
        assert_near(bbr.prior_cwnd, kept);
    }
}

/// Linux, `bbr_set_state`: `if (!bbr_is_probing_bandwidth(sk) && bbr->inflight_lo == ~0U)` the volume is bounded by the
/// larger of `snd_cwnd` and `prior_cwnd`.
#[test]
fn a_timeout_bounds_the_volume_outside_of_probes() {
    for (state, before, after) in [
        (State::ProbeBwCruise, f64::INFINITY, 80e3),
        (State::ProbeBwCruise, 30e3, 30e3),
        (State::ProbeBwUp, f64::INFINITY, f64::INFINITY),
    ] {
        let mut bbr = full(Form::Linux, state);
        (bbr.c.cwnd, bbr.prior_cwnd, bbr.model.inflight_shortterm) = (50e3, 80e3, before);
        bbr.note_timeout();
        assert_eq!(bbr.model.inflight_shortterm.to_bits(), f64::to_bits(after), "{state:?} {before}");
    }
}

/// Linux, `bbr_tso_segs_goal`: `GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER` at most, 65,215 bytes, in whole segments of 100.
#[test]
fn bursts_leave_room_for_headers() {
    let mut bbr = Bbr3::new(Params::DEFAULT, &Initial { smss: 100, ..initial(10.0) }, Form::Linux);
    bbr.c.pacing_rate = 1e9;
    assert_near(bbr.burst(), 65_200.0);
}

/// Linux, `tcp_min_rtt` before the first sample: the handshake tells nothing.
#[test]
fn linux_knows_handshakes_with_a_round_trip() {
    let mut controller = create(&LINUX, &initial(10.0));
    controller.on_ack(&ack(1), &flow_of(0));
    assert!(read(&*controller, "min_rtt").is_nan());
}

/// Linux, `bbr_update_ecn_alpha`: alpha = (1 - 1/16) alpha + 1/16 of the marked part of a round, if anything was
/// delivered; `bbr_is_inflight_too_high`: `rs->delivered_ce > rs->delivered * bbr_ecn_thresh`, here a half.
#[test]
fn marks_count_by_their_part() {
    let params = Params { ecn: true, ..Params::DEFAULT };
    let mut bbr = Bbr3::new(params, &initial(10.0), Form::Linux);
    bbr.min_rtt.min_rtt = Some(Duration::from_millis(4));
    bbr.rounds.round_start = true;
    // The segment of the sample left right after the marks were told of, so they are none of its own.
    (bbr.rounds.delivered, bbr.rs.prior_delivered) = (8000, Some(8000));
    let flow = Flow { ecn: Ecn::Dctcp, ..flow() };
    for (delivered, marked, alpha) in [(8, 4000, 15.0 / 16.0 + 0.5 / 16.0), (0, 0, 15.0 / 16.0 + 0.5 / 16.0)]
    {
        bbr.follow_marks(&AckSample { ce_marked: marked, ..ack(delivered) }, &flow);
        assert_near(read(&bbr, "ecn_alpha"), alpha);
        assert_near(bbr.rs.delivered_ce, 0.0);
    }
    bbr.rs.delivered = 100e3;
    for (delivered_ce, is_too_much) in [(50e3, false), (51e3, true)] {
        bbr.rs.delivered_ce = delivered_ce;
        assert_eq!(bbr.is_marked_too_much(), is_too_much);
    }
}
