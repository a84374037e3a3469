//! Single rules of `net/ipv4/tcp_bbr.c`, on segments of 1000 bytes and a path of 500 segments/s and 100 ms.

use super::super::*;
use super::{ack, flow, ms, reach, transport};
use crate::control::RateSample;
use crate::testing::{
    Path, Verdict, assert_near, create_with, initial, read, sampled_ack, segments, startup_is_over,
};

/// State after twenty round trips of 50 segments, in the cycle.
fn cycling() -> Bbr1Linux {
    let mut bbr = Bbr1Linux::new(&Params::DEFAULT, &initial(10.0));
    (1..=20).for_each(|round| bbr.on_ack(&ack(50, 0), &flow(100 * round, 50)));
    assert_eq!(bbr.mode, Mode::ProbeBw);
    bbr
}

/// Number of the ACK that shows a policer, and the rate then [segments/s], where so many are delivered by and lost before
/// some ACKs. They come every 125 ms, and their samples are of the round trip before.
fn policed(sizes: impl Fn(u64) -> [u64; 2]) -> Option<(u64, f64)> {
    let mut bbr = Bbr1Linux::new(&Params::DEFAULT, &initial(10.0));
    (1..=40).find_map(|round| {
        let [delivered, lost] = sizes(round);
        bbr.on_ack(&sampled_ack(delivered, lost, delivered), &flow(125 * round, 50));
        (read(&bbr, "policed") > 0.5).then(|| (round, read(&bbr, "bandwidth") / 1000.0))
    })
}

/// `bbr_lt_bw_sampling`: "Wait for the first loss before sampling", then two intervals of four rounds; what they
/// delivered in their time is the rate.
#[test]
fn intervals_begin_at_the_first_loss_and_give_the_rate() {
    let (ack, rate) = policed(|round| [50, if round < 7 { 0 } else { 20 }]).expect("a policer");
    assert_eq!(ack, 7 + 3 + 4);
    assert!((rate - 400.0).abs() < 1.0, "{rate}");
}

/// `bbr_lt_bw_sampling`: an interval may last sixteen rounds, and sampling begins anew when the "interval is too long".
#[test]
fn intervals_of_more_than_sixteen_rounds_are_given_up() {
    let at = |losses: [u64; 3]| policed(|round| [50, if losses.contains(&round) { 160 } else { 0 }]);
    assert_eq!(at([1, 16, 32]).map(|policer| policer.0), Some(32));
    assert_eq!(at([1, 16, 33]), None);
}

/// `bbr_lt_bw_interval_done`: two intervals are alike if they differ by an eighth of the first (`bbr_lt_bw_ratio`) or by 4
/// kbit/s (`bbr_lt_bw_diff`), "avg 2 intvls" is the rate, and one that differs by more is compared with the next.
#[test]
fn intervals_are_alike_up_to_an_eighth() {
    // The first interval ends at ACK 10 with 400 segments/s, and one delivered per ACK is 8 per second.
    let policer = |delivered| {
        policed(|round| [if round > 10 { delivered } else { 50 }, if round < 7 { 0 } else { 20 }])
            .expect("a policer")
    };
    for (delivered, ack, rate) in [(44, 14, 376.0), (43, 18, 344.0)] {
        let (found_at, found_rate) = policer(delivered);
        assert_eq!(found_at, ack);
        assert!((found_rate - rate).abs() < 1.0, "{found_rate}");
    }
}

/// `bbr_update_gains`: `bbr->lt_use_bw ? BBR_UNIT : bbr_pacing_gain[bbr->cycle_idx]`.
#[test]
fn the_rate_of_a_policer_is_not_probed() {
    let mut bbr = cycling();
    bbr.cycle.index = 0;
    for (use_bw, gain) in [(false, 320), (true, 256)] {
        bbr.long_term.use_bw = use_bw;
        bbr.update_gains();
        assert_eq!(bbr.gains.0, gain);
    }
}

/// `bbr_cwnd_event`: after a silence `bbr_set_pacing_rate(sk, bbr_bw(sk), BBR_UNIT)` in `PROBE_BW`, 99 % of 500 segments/s;
/// other modes keep their rate.
#[test]
fn a_restart_is_paced_by_the_bandwidth() {
    let silence = Flow { cwnd_limited: false, ..flow(2100, 0) };
    // The whole parts of 2^24 x 50 segments / 100,000 us, and of 0.99 of that in bytes per second.
    let bw = (50 << 24) / 100_000;
    for (mode, rate) in [(Mode::ProbeBw, (bw * 1000 * 990_000) >> 24), (Mode::ProbeRtt, 77)] {
        let mut bbr = cycling();
        (bbr.mode, bbr.pacing_rate) = (mode, 77);
        bbr.handle_restart_from_idle(&silence);
        assert_eq!(bbr.pacing_rate, rate, "{mode:?}");
    }
}

/// `bbr_update_min_rtt`: a smaller RTT counts at once, `rs->rtt_us < bbr->min_rtt_us`, a larger one once the filter has
/// expired.
#[test]
fn smaller_rtts_count_at_once_and_larger_ones_in_time() {
    for (now, rtt, expected) in [(2100, 90, 0.09), (2100, 110, 0.1), (10_100, 110, 0.11)] {
        let mut bbr = cycling();
        let rtt = Some(Duration::from_millis(rtt));
        let rate = RateSample { rtt, ..ack(1, 0).rate.expect("a sample") };
        bbr.on_ack(&AckSample { rate: Some(rate), ..ack(1, 0) }, &flow(now, 50));
        assert_near(read(&bbr, "min_rtt"), expected);
    }
    // Before the first sample there is none.
    let mut bbr = Bbr1Linux::new(&Params::DEFAULT, &initial(10.0));
    bbr.on_ack(
        &AckSample { rtt: None, rate: None, ..ack(1, 0) },
        &Flow { min_rtt: Duration::ZERO, ..flow(5, 9) },
    );
    assert!(read(&bbr, "min_rtt").is_nan());
}

/// `bbr_check_full_bw_reached`: "Startup" goes on while the bandwidth grows by a quarter within three rounds.
#[test]
fn growth_of_less_than_a_quarter_ends_startup() {
    assert!(startup_is_over(&LINUX, [100, 110, 117, 124]));
    assert!(!startup_is_over(&LINUX, [100, 110, 117, 126]));
}

/// `bbr_check_probe_rtt_done`: the state lasts until `after(tcp_jiffies32, bbr->probe_rtt_done_stamp)`, 50 ticks later;
/// `bbr_update_min_rtt`: an ACK that delivers nothing does not end the restart that puts it off.
#[test]
fn probe_rtt_ends_after_its_tick() {
    let mut bbr = cycling();
    (bbr.mode, bbr.probe_rtt.idle_restart) = (Mode::ProbeRtt, true);
    let rate = |delivered| Some(Delivery { delivered, interval: 100_000, app_limited: false });
    let ack = Arrival { delivered: 1, lost: 0, in_flight: 4, prior_in_flight: 5, rtt: None, rate: rate(0) };
    for (tick, mode) in
        [(500, Mode::ProbeRtt), (549, Mode::ProbeRtt), (550, Mode::ProbeRtt), (551, Mode::ProbeBw)]
    {
        bbr.counts.round_start = true;
        bbr.check_probe_rtt(false, &ack, tick, ms(4 * tick));
        assert_eq!(bbr.mode, mode, "at tick {tick}");
    }
    assert!(bbr.probe_rtt.idle_restart);
    bbr.check_probe_rtt(false, &Arrival { rate: rate(1), ..ack }, 552, ms(2208));
    assert!(!bbr.probe_rtt.idle_restart);
}

/// `bbr_set_cwnd`: in Startup the window grows `if (cwnd < target_cwnd || tp->delivered < TCP_INIT_CWND)`.
#[test]
fn the_window_of_startup_stops_at_its_target() {
    let mut bbr = cycling();
    (bbr.mode, bbr.full.is_reached) = (Mode::Startup, false);
    bbr.update_gains();
    let target = bbr.inflight(bbr.bw(), bbr.gains.1);
    let ack = Arrival { delivered: 5, lost: 0, in_flight: 50, prior_in_flight: 55, rtt: None, rate: None };
    for (before, after) in [(target - 1, target + 4), (target, target)] {
        bbr.cwnd = before;
        bbr.set_cwnd(&ack);
        assert_eq!(bbr.cwnd, after);
    }
}

/// `bbr_main` takes samples of the delivery rate; BBR has no answer to marks.
#[test]
fn it_needs_samples_of_the_rate_and_no_marks() {
    let needs = create_with(&LINUX, &initial(10.0), &[]).needs();
    assert!(needs.rate_samples);
    assert_eq!(needs.ecn, Ecn::None);
}

/// `bbr_update_min_rtt`: "Ignore low rate samples during this mode", however long it lasts; `bbr_update_bw`: a rate is
/// forgotten after ten rounds.
#[test]
fn low_rates_count_after_probe_rtt_but_not_within() -> Verdict {
    let mut transport = transport(Path::default(), &[("probe_rtt_duration", 2.0)]);
    reach(&mut transport, Mode::ProbeRtt, 15.0)?;
    let before = transport.read("bandwidth");
    reach(&mut transport, Mode::ProbeBw, 5.0)?;
    assert_near(transport.read("bandwidth"), before);
    transport.path.rate /= 2.0;
    transport.run(5.0)?;
    let after = transport.read("bandwidth") / before;
    assert!((after - 0.5).abs() < 0.01, "{after}");
    Ok(())
}

/// `bbr_update_ack_aggregation`: what is acknowledged at once counts, here more than the 50 segments of the ACKs
/// before, but without a rate sample nothing does.
#[test]
fn acks_at_once_are_aggregated() {
    let mut bbr = cycling();
    bbr.on_ack(&ack(1, 0), &flow(2200, 50));
    bbr.on_ack(&ack(60, 0), &flow(2200, 50));
    assert_near(read(&bbr, "extra_acked"), 61e3);
    bbr.on_ack(&AckSample { rate: None, ..ack(70, 0) }, &flow(2200, 50));
    assert_near(read(&bbr, "extra_acked"), 61e3);
}

/// `bbr_update_min_rtt`: `after(tcp_jiffies32, bbr->min_rtt_stamp + bbr_min_rtt_win_sec * HZ)`, in ticks of 4 ms.
#[test]
fn the_smallest_rtt_is_old_after_ten_seconds_and_a_tick() {
    for (now, mode) in [(10_003, Mode::ProbeBw), (10_004, Mode::ProbeRtt)] {
        let mut bbr = cycling();
        bbr.on_ack(&ack(1, 0), &flow(now, 50));
        assert_eq!(bbr.mode, mode, "at {now} ms");
        assert_near(read(&bbr, "min_rtt"), 0.1);
    }
}

/// `bbr_is_next_cycle_phase`: a phase lasts longer than the smallest RTT; probing also until the volume is there or
/// something is lost, and draining not after the queue is gone.
#[test]
fn phases_end_by_time_and_by_volume() {
    // Gain, microseconds, segments lost and before the ACK in flight. A product is 50 segments, three bursts are 6,
    // probing adds two; a burst of two leaves while it probes.
    for (gain, span, lost, prior_in_flight, is_over) in [
        (320, 100_000, 1, 90, false),
        (320, 100_001, 0, 69, false),
        (320, 100_001, 0, 70, true),
        (320, 100_001, 1, 10, true),
        (192, 1, 0, 57, false),
        (192, 1, 0, 56, true),
        (192, 100_001, 0, 90, true),
        (256, 100_000, 0, 10, false),
        (256, 100_001, 0, 10, true),
    ] {
        let mut bbr = cycling();
        bbr.enter_probe_bw(ms(3000));
        let index = match gain {
            320 => 0,
            192 => 1,
            _ => 2,
        };
        (bbr.cycle.index, bbr.gains.0) = (index, gain);
        let flow = Flow { now: Time(ms(3000).0 + span * 1_000_000), ..flow(0, 50) };
        let ack = Arrival { delivered: 1, lost, in_flight: 0, prior_in_flight, rtt: None, rate: None };
        bbr.update_cycle(&ack, &flow);
        assert_eq!(bbr.cycle.index != index, is_over, "{gain} {span} {lost} {prior_in_flight}");
    }
}

/// `bbr_reset_probe_bw_mode`: the cycle begins in any phase but the one that drains, by the seed.
#[test]
fn the_cycle_begins_in_any_phase_but_the_draining_one() {
    let entered = (0..100).map(|seed| {
        let mut bbr = Bbr1Linux::new(&Params::DEFAULT, &Initial { seed, ..initial(10.0) });
        bbr.enter_probe_bw(ms(0));
        bbr.cycle.index
    });
    assert_eq!(entered.collect::<std::collections::BTreeSet<_>>(), [0, 2, 3, 4, 5, 6, 7].into());
}

/// `bbr_min_tso_segs`: single segments below 1.2 Mbit/s, two from there on.
#[test]
fn bursts_of_slow_flows_are_single_segments() {
    let mut bbr = Bbr1Linux::new(&Params::DEFAULT, &initial(10.0));
    for (rate, burst) in [(149_999, 1), (150_000, 2)] {
        bbr.pacing_rate = rate;
        assert_eq!(bbr.burst(), burst);
    }
}

/// `bbr_set_cwnd`: until ten segments are delivered the window grows whatever the model says.
#[test]
fn the_first_segments_open_the_window() {
    let windows = |delivered| {
        let mut controller = create_with(&LINUX, &initial(50.0), &[("bursts", 0.0)]);
        [100, 200, 300].map(|now| {
            let rate = RateSample { delivered: 1000, ..ack(1, 0).rate.expect("a sample") };
            controller.on_ack(&AckSample { rate: Some(rate), ..ack(delivered, 0) }, &flow(now, 50));
            segments(&*controller)
        })
    };
    for (delivered, expected) in [(4, [54.0, 58.0, 58.0]), (5, [55.0, 55.0, 55.0])] {
        windows(delivered)
            .into_iter()
            .zip(expected)
            .for_each(|(window, expected)| assert_near(window, expected));
    }
}
