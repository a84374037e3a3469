//! Single rules of the draft and of Linux, with the numbers of their formulas, on segments of 1000 bytes.

use super::super::probe_bw::AckPhase;
use super::super::sample::Sample;
use super::super::{Bbr3, Form, Params, Recovery, State};
use crate::control::{AckSample, Flow};
use crate::testing::{ack, assert_near, flow, initial};
use crate::units::{Duration, Time};

fn bbr(form: Form) -> Bbr3 {
    Bbr3::new(Params::DEFAULT, &initial(10.0), form)
}

/// State with a full pipe, of so many bytes/s and 100 ms.
pub(super) fn with_full_pipe(form: Form, state: State, rate: f64) -> Bbr3 {
    let mut bbr = bbr(form);
    bbr.rs.delivery_rate = rate;
    bbr.update_congestion_signals();
    bbr.min_rtt.min_rtt = Some(Duration::from_millis(100));
    bbr.startup.full_bw_reached = true;
    bbr.state = state;
    bbr
}

/// A sample of 100 segments in flight, of which so many were lost.
fn sample(lost: f64) -> Sample {
    Sample { tx_in_flight: 100e3, lost, ..Sample::default() }
}

/// The long-term bound after losses in a probe.
fn bound(form: Form, lost: f64) -> f64 {
    let mut bbr = bbr(form);
    bbr.rs = sample(lost);
    bbr.cycle.bw_probe_samples = true;
    bbr.handle_lost_packet(&AckSample { lost: 1000, ..AckSample::default() }, &flow());
    assert_eq!(bbr.startup.loss_ranges, 1);
    bbr.model.inflight_longterm
}

/// Draft section 5.5.10.2, `InflightAtLoss`: without the lost segment 99 are in flight, of which 2 % are 1.98; the
/// prefix is what may be sent until the losses are 2 %.
#[test]
fn losses_bound_the_volume_at_which_they_became_too_many() {
    assert_near(bound(Form::Draft, 4e3), 99e3 + (1.98e3 - 3e3) / 0.98);
    // Few losses bound nothing, and losses outside of probes neither.
    assert!(bound(Form::Draft, 2e3).is_infinite());
    let mut bbr = bbr(Form::Draft);
    bbr.rs = sample(50e3);
    bbr.handle_lost_packet(&AckSample { lost: 1000, ..AckSample::default() }, &flow());
    assert!(bbr.model.inflight_longterm.is_infinite());
}

/// Linux, `bbr_inflight_hi_from_lost_skb`: 2 % of 99 segments are 2, rounded up, and prefixes are whole segments.
#[test]
fn linux_bounds_whole_segments() {
    assert_near(bound(Form::Linux, 4e3), 99e3);
    let mut bbr = bbr(Form::Linux);
    bbr.params.loss_thresh = 0.05;
    bbr.rs = sample(6e3);
    bbr.cycle.bw_probe_samples = true;
    bbr.handle_lost_packet(&AckSample { lost: 1000, ..AckSample::default() }, &flow());
    // 5 segments may be lost and 5 were before this one.
    assert_near(bbr.model.inflight_longterm, 99e3);
    bbr.rs = Sample { tx_in_flight: 200e3, ..sample(11e3) };
    bbr.cycle.bw_probe_samples = true;
    bbr.params.loss_thresh = 0.054;
    bbr.handle_lost_packet(&AckSample { lost: 1000, ..AckSample::default() }, &flow());
    // 11 may be lost, 10 were: 1 / 0.946 segments are one whole one.
    assert_near(bbr.model.inflight_longterm, 200e3);
}

/// `NoteLoss`: the round with losses lasts until what was sent after its first loss is acknowledged.
#[test]
fn the_first_loss_begins_the_round_of_losses() {
    let mut bbr = bbr(Form::Draft);
    bbr.rounds.delivered = 5000;
    bbr.note_loss();
    bbr.rounds.delivered = 9000;
    bbr.note_loss();
    assert!(bbr.signals.loss_in_round);
    assert_eq!(bbr.signals.loss_round_delivered, 5000);
    bbr.rs.prior_delivered = Some(4999);
    bbr.update_latest_delivery_signals();
    assert!(!bbr.signals.loss_round_start);
    bbr.rs.prior_delivered = Some(5000);
    bbr.update_latest_delivery_signals();
    assert!(bbr.signals.loss_round_start);
    assert_eq!(bbr.signals.loss_round_delivered, 9000);
}

/// `AdvanceLatestDeliverySignals`: a new loss round forgets the signals of the one before.
#[test]
fn a_new_round_forgets_what_was_delivered_before() {
    let mut bbr = bbr(Form::Draft);
    bbr.signals.inflight_latest = 50e3;
    bbr.startup.loss_ranges = 4;
    bbr.rs.delivered = 20e3;
    bbr.advance_latest_delivery_signals();
    assert_near(bbr.signals.inflight_latest, 50e3);
    bbr.signals.loss_round_start = true;
    bbr.advance_latest_delivery_signals();
    assert_near(bbr.signals.inflight_latest, 20e3);
    assert_eq!(bbr.startup.loss_ranges, 0);
}

/// Draft section 5.3.1.3: six ranges lost in a round after that in which recovery began, and more than 2 % lost.
/// In Linux the round in which it began will do.
#[test]
fn startup_ends_by_losses_only_after_a_round_of_recovery() {
    let ends = |form, entered: Option<u64>, ranges, lost| {
        let mut bbr = bbr(form);
        bbr.rs = sample(lost);
        bbr.rounds.round_count = 7;
        bbr.startup.recovery_round = entered;
        bbr.startup.loss_ranges = ranges;
        bbr.signals.loss_round_start = true;
        bbr.recovery = Recovery::Fast;
        bbr.check_startup_done();
        bbr.state != State::Startup
    };
    assert!(ends(Form::Draft, Some(6), 6, 4e3));
    assert!(ends(Form::Draft, Some(3), 6, 4e3));
    assert!(!ends(Form::Draft, Some(7), 6, 4e3));
    assert!(ends(Form::Linux, Some(7), 6, 4e3));
    for form in [Form::Draft, Form::Linux] {
        assert!(!ends(form, None, 6, 4e3));
        assert!(!ends(form, Some(6), 5, 4e3));
        assert!(!ends(form, Some(6), 6, 1e3));
    }
}

/// `UpdateMinRTT`: the filter takes a smaller delay at once, and an equal one in Linux only, whose clock it restarts.
#[test]
fn equal_delays_restart_the_clock_of_linux() {
    // 10.5 s after the first sample it is forgotten, unless an equal one has come at 6 s.
    for (form, expected) in [(Form::Draft, 80), (Form::Linux, 50)] {
        let mut bbr = bbr(form);
        bbr.params.probe_rtt_interval = 5.0;
        let mut at = |second: f64, rtt_ms| {
            bbr.rs.rtt = Some(Duration::from_millis(rtt_ms));
            bbr.update_min_rtt(&Flow { now: Time::ZERO + Duration::from_seconds(second), ..flow() });
            bbr.min_rtt.min_rtt
        };
        assert_eq!(at(0.0, 50), Some(Duration::from_millis(50)));
        assert_eq!(at(1.0, 60), Some(Duration::from_millis(50)));
        assert_eq!(at(5.5, 50), Some(Duration::from_millis(50)));
        // `Now() > BBR.min_rtt_stamp + MinRTTFilterLen`, not at it.
        assert_eq!(at(10.0, 60), Some(Duration::from_millis(50)));
        assert_eq!(at(10.6, 80), Some(Duration::from_millis(expected)));
        assert_eq!(at(10.7, 20), Some(Duration::from_millis(20)));
    }
}

/// `InflightWithHeadroom`: 15 % of the long-term bound, a segment at least, are left to other flows; four are kept.
#[test]
fn headroom_is_a_share_and_at_least_a_segment() {
    let mut bbr = bbr(Form::Draft);
    for (bound, left) in [(100e3, 85e3), (6e3, 5e3), (4e3, 4e3)] {
        bbr.model.inflight_longterm = bound;
        assert_near(bbr.inflight_with_headroom(), left);
    }
    bbr.model.inflight_longterm = f64::INFINITY;
    assert!(bbr.inflight_with_headroom().is_infinite());
}

/// Draft section 5.3.3.6: a probe that stands more raises the bound, by a segment for each `probe_up_cnt` acknowledged,
/// and that count is the window over 1, 2, 4, ... from round to round.
#[test]
fn a_probe_raises_the_bound_twice_as_fast_in_each_round() {
    let mut bbr = bbr(Form::Draft);
    bbr.startup.full_bw_reached = true;
    bbr.state = State::ProbeBwUp;
    bbr.c.cwnd = 100e3;
    bbr.c.is_cwnd_limited = true;
    bbr.model.inflight_longterm = 100e3;
    let mut acknowledged = |segments: f64, round_start| {
        bbr.rs.newly_acked = segments * 1e3;
        bbr.rounds.round_start = round_start;
        bbr.update_probe_bw_cycle_phase(&flow());
        bbr.c.cwnd = bbr.model.inflight_longterm;
        bbr.state = State::ProbeBwUp;
        bbr.model.inflight_longterm
    };
    // No slope is set before the first round, but what it acknowledges counts.
    assert_near(acknowledged(100.0, true), 100e3);
    assert_near(acknowledged(250.0, false), 103e3);
    assert_near(acknowledged(49.0, false), 103e3);
    // The slope of the next round is two: half a window of 103 segments for each.
    assert_near(acknowledged(2.0, true), 104e3);
    assert_near(acknowledged(50.4, false), 104e3);
    assert_near(acknowledged(0.1, false), 105e3);
}

/// `AdaptLongTermModel`: losses seen after a probe has ended belong to it until a round has gone by.
#[test]
fn samples_of_a_probe_end_with_the_round_after_it() {
    let mut bbr = bbr(Form::Draft);
    bbr.startup.full_bw_reached = true;
    bbr.state = State::ProbeBwDown;
    bbr.cycle.bw_probe_samples = true;
    bbr.cycle.ack_phase = AckPhase::ProbeStopping;
    bbr.update_probe_bw_cycle_phase(&flow());
    assert!(bbr.cycle.bw_probe_samples);
    bbr.rounds.round_start = true;
    bbr.update_probe_bw_cycle_phase(&flow());
    assert!(!bbr.cycle.bw_probe_samples);
    assert_eq!(bbr.cycle.ack_phase, AckPhase::Init);
    bbr.generate_rate_sample(&ack(1), &flow());
    assert!(!bbr.rounds.round_start);
}

/// `HandleInflightTooHigh`: the bound is the volume in flight, or `BBR.Beta` of the target, here of ten segments, if
/// that is more; samples that the application limited set none.
#[test]
fn a_probe_leaves_at_least_a_part_of_the_target() {
    let bound = |tx_in_flight, app_limited| {
        let mut bbr = bbr(Form::Draft);
        bbr.rs = Sample { app_limited, tx_in_flight, ..Sample::default() };
        bbr.handle_inflight_too_high(&flow());
        bbr.model.inflight_longterm
    };
    assert_near(bound(2e3, false), 7e3);
    assert_near(bound(9e3, false), 9e3);
    assert!(bound(9e3, true).is_infinite());
}

/// Linux, `bbr_adapt_upper_bounds`: too many losses bound the volume by the samples of a probe, but not by others. The
/// draft has answered them when they were found.
#[test]
fn samples_of_a_probe_bound_the_volume_in_linux() {
    for (form, is_of_probe, bounds) in
        [(Form::Linux, true, true), (Form::Linux, false, false), (Form::Draft, true, false)]
    {
        let mut bbr = bbr(form);
        bbr.startup.full_bw_reached = true;
        bbr.state = State::ProbeBwCruise;
        bbr.rs = sample(50e3);
        bbr.cycle.bw_probe_samples = is_of_probe;
        bbr.update_probe_bw_cycle_phase(&flow());
        assert_eq!(bbr.model.inflight_longterm.is_finite(), bounds, "{form:?} {is_of_probe}");
    }
}

/// Linux, `bbr_start_bw_probe_cruise`: `bbr->inflight_lo = min(bbr->inflight_lo, bbr->inflight_hi)`, if there is one.
#[test]
fn cruising_keeps_to_the_long_term_bound_in_linux() {
    for (form, bound, expected) in [
        (Form::Linux, 90e3, 60e3),
        (Form::Linux, 50e3, 50e3),
        (Form::Linux, f64::INFINITY, f64::INFINITY),
        (Form::Draft, 90e3, 90e3),
    ] {
        let mut bbr = bbr(form);
        bbr.state = State::ProbeBwDown;
        (bbr.model.inflight_shortterm, bbr.model.inflight_longterm) = (bound, 60e3);
        bbr.start_probe_bw_cruise();
        assert_eq!(bbr.model.inflight_shortterm.to_bits(), expected.to_bits(), "{form:?} {bound}");
    }
}

/// `IsRenoCoexistenceProbeTime`: the next probe comes after as many rounds as the target has segments, 63 at most.
#[test]
fn probes_are_no_rarer_than_those_of_reno() {
    for (window, rounds) in [(10.0, 10), (100.0, 63)] {
        for (since, state) in [(rounds - 1, State::ProbeBwCruise), (rounds, State::ProbeBwRefill)] {
            let mut bbr = Bbr3::new(Params::DEFAULT, &initial(window), Form::Draft);
            bbr.startup.full_bw_reached = true;
            bbr.state = State::ProbeBwCruise;
            bbr.cycle.rounds_since_bw_probe = since;
            bbr.update_probe_bw_cycle_phase(&flow());
            assert_eq!(bbr.state, state, "{window} {since}");
        }
    }
}

/// `AdvanceMaxBwFilter`: rates are kept for two cycles; Linux, `bbr_advance_max_bw_filter`: "no samples in this window;
/// remember old window".
#[test]
fn cycles_without_samples_forget_no_rate() {
    let mut bbr = bbr(Form::Draft);
    bbr.rs.delivery_rate = 1e6;
    bbr.update_congestion_signals();
    (0..3).for_each(|_| bbr.model.advance_max_bw_filter());
    bbr.rs.delivery_rate = 5e5;
    bbr.update_congestion_signals();
    assert_near(bbr.model.max_bw(), 1e6);
    bbr.model.advance_max_bw_filter();
    assert_near(bbr.model.max_bw(), 5e5);
}

/// Draft section 5.5.10.3, `AdaptLowerBoundsFromCongestion`: once per round with losses, at its end, both bounds become
/// 0.7 of what they were, but not less than what was delivered. `if (BBRIsProbingBW()) return`.
#[test]
fn a_round_with_losses_lowers_the_bounds_once() {
    let mut bbr = bbr(Form::Draft);
    bbr.rs.delivery_rate = 1e6;
    bbr.update_congestion_signals();
    bbr.c.cwnd = 100e3;
    bbr.signals.inflight_latest = 60e3;
    for state in [State::Startup, State::ProbeBwRefill, State::ProbeBwUp] {
        bbr.state = state;
        (bbr.signals.loss_in_round, bbr.signals.loss_round_start) = (true, true);
        bbr.update_congestion_signals();
        assert!(bbr.model.bw_shortterm.is_infinite() && bbr.model.inflight_shortterm.is_infinite());
    }
    bbr.state = State::ProbeBwCruise;
    let mut after = |losses, is_end| {
        (bbr.signals.loss_in_round, bbr.signals.loss_round_start) = (losses, is_end);
        bbr.update_congestion_signals();
        assert_eq!(bbr.signals.loss_in_round, losses && !is_end);
        [bbr.model.bw_shortterm, bbr.model.inflight_shortterm]
    };
    assert!(after(true, false).iter().all(|bound| bound.is_infinite()));
    for (losses, expected) in [(true, [7e5, 70e3]), (false, [7e5, 70e3]), (true, [4.9e5, 60e3])] {
        after(losses, true)
            .into_iter()
            .zip(expected)
            .for_each(|(actual, expected)| assert_near(actual, expected));
    }
}

/// `QuantizationBudget`, and Linux, `bbr_quantization_budget`: two segments more while probing in `ProbeBW_UP`.
#[test]
fn probing_has_room_for_two_segments_more() {
    for form in [Form::Draft, Form::Linux] {
        let mut bbr = bbr(form);
        let [cruise, up] = [State::ProbeBwCruise, State::ProbeBwUp].map(|state| {
            bbr.state = state;
            bbr.inflight(1.0)
        });
        assert_near(up - cruise, 2e3);
    }
}

/// Linux, `bbr_tso_segs_goal`: a millisecond at the pacing rate, two segments at least (`tcp_min_tso_segs`).
#[test]
fn bursts_have_two_segments_at_least() {
    let mut bbr = bbr(Form::Linux);
    bbr.min_rtt.min_rtt = Some(Duration::from_millis(100));
    for (rate, burst) in [(1e6, 2e3), (5e6, 4e3)] {
        bbr.c.pacing_rate = rate;
        assert_near(bbr.burst(), burst);
    }
}

/// Linux, `bbr_packets_in_net_at_edt`: what is delivered until the next departure, at 500 segments/s, is out of the
/// network then, in whole segments; before the ACK more was in flight. The draft goes by what is in flight.
#[test]
fn linux_goes_by_the_volume_at_the_next_departure() {
    let volume = |form, micros: u64| {
        let mut bbr = bbr(form);
        bbr.state = State::ProbeBwCruise;
        bbr.rs.delivery_rate = 500e3;
        bbr.update_congestion_signals();
        let flow = Flow { in_flight: 50_000, next_send_time: Time(micros * 1_000_000), ..flow() };
        bbr.generate_rate_sample(&AckSample { lost: 2000, ..ack(3) }, &flow);
        bbr.volume(&flow)
    };
    assert_near(volume(Form::Linux, 0), 55e3);
    assert_near(volume(Form::Linux, 20_100), 45e3);
    assert_near(volume(Form::Draft, 20_100), 50e3);
}
