//! Whole-number CUBIC against `net/ipv4/tcp_cubic.c`.

use super::*;

/// State with Linux's parameters.
fn kernel(hz: f64) -> Kernel {
    Kernel::new(&Params { hz, ..Params::DEFAULT })
}

/// One segment acknowledged `ms` after the start of the connection, with a smallest RTT of 100 ms.
fn ack(kernel: &mut Kernel, cwnd: u64, ms: u64, segments: u64) -> u64 {
    let now = Time::ZERO + Duration::from_millis(ms);
    kernel.sample(Duration::from_millis(100), now);
    kernel.on_ack(cwnd, segments, now)
}

/// Linux, packetdrill `cubic-bulk-166k`: two segments acknowledged every 100 ms, from 48 segments at the end of slow
/// start on. Windows after so many ACKs, and then one segment more for each.
#[test]
fn windows_of_a_slow_path_are_those_of_linux() {
    let mut kernel = kernel(250.0);
    let mut cwnd = 48;
    let mut windows = Vec::new();
    for number in 20..=70 {
        cwnd += ack(&mut kernel, cwnd, 100 * number, 2);
        if number % 10 == 0 {
            windows.push(cwnd);
        }
    }
    assert_eq!(windows, [48, 49, 50, 52, 58, 68]);
}

/// Linux, `cubictcp_cwnd_event`: 4 s without anything in flight after ACK 20 earn nothing; windows grow as without
/// them.
#[test]
fn idle_time_earns_no_growth() {
    let mut kernel = kernel(250.0);
    let mut cwnd = 48 + ack(&mut kernel, 48, 2000, 2);
    kernel.on_restart(Duration::from_millis(4500), Time::ZERO + Duration::from_millis(6000));
    let mut windows = Vec::new();
    for number in 21..=60 {
        cwnd += ack(&mut kernel, cwnd, 4000 + 100 * number, 2);
        if number % 10 == 0 {
            windows.push(cwnd);
        }
    }
    assert_eq!(windows, [49, 50, 52, 58]);
}

/// Linux, `bictcp_update`: K is 2^-10 s times the cubic root of 2^40/410 per segment below the last window.
#[test]
fn the_window_returns_to_the_last_one_after_k() {
    let mut kernel = kernel(1000.0);
    assert_eq!(kernel.on_loss(1000), 700);
    let mut cwnd = 700;
    for ms in 0..9000 {
        cwnd += ack(&mut kernel, cwnd, 1000 + ms, 10);
    }
    // K = cbrt(300 / 0.4004) = 9.08 s.
    assert_eq!(kernel.k, 9300);
    assert!((998..=1000).contains(&cwnd), "{cwnd}");
}

/// Linux, `cubictcp_recalc_ssthresh`: 717/1024 of the window, two segments at least, and less to return to after a
/// loss below the last.
#[test]
fn losses_reduce_in_whole_segments() {
    let mut kernel = kernel(250.0);
    assert_eq!((kernel.on_loss(10), kernel.windows().0), (7, 10));
    assert_eq!((kernel.on_loss(9), kernel.windows().0), (6, 7));
    // `cwnd < last_max_cwnd`: not where the loss comes at the last one.
    assert_eq!((kernel.on_loss(7), kernel.windows().0), (4, 7));
    kernel.params.fast_convergence = false;
    assert_eq!((kernel.on_loss(6), kernel.windows().0), (4, 6));
    assert_eq!(kernel.on_loss(2), 2);
}

/// Linux, `tcp_init_cwnd_reduction`: `tp->snd_cwnd_cnt = 0`. Segments acknowledged where the function was flat count for
/// nothing after a loss, where it is steep.
#[test]
fn a_loss_forgets_what_was_acknowledged() {
    let until_growth = |before: u64| {
        let mut kernel = kernel(250.0);
        assert_eq!(kernel.on_loss(20), 14);
        (0..before).for_each(|number| assert_eq!(ack(&mut kernel, 20, 4000 + number, 1), 0));
        assert_eq!(kernel.on_loss(20), 14);
        (1..=20).find(|&number| ack(&mut kernel, 14, 9000 + number, 1) > 0)
    };
    assert_eq!(until_growth(0), Some(14));
    assert_eq!(until_growth(13), Some(14));
}

/// Linux, `bictcp_update`: Reno's window gains a segment per 15/8 of the window acknowledged, and CUBIC keeps up.
#[test]
fn it_keeps_up_with_reno() {
    let mut kernel = kernel(250.0);
    assert_eq!(kernel.on_loss(20), 14);
    (0..55).for_each(|_| assert!(ack(&mut kernel, 14, 1000, 1) <= 1));
    ack(&mut kernel, 14, 1040, 1);
    // 56 acknowledged are two times 15/8 of 14 and some; two segments ahead of 14 ask for one in 7.
    assert_eq!((kernel.windows().1, kernel.cnt), (16, 7));
}

/// Parameters other than Linux's are taken in 1/1024; small ones end no loop.
#[test]
fn other_parameters_count_in_whole_parts() {
    let params = Params { hz: 250.0, c: 1e-6, beta: 0.1, reno_friendly: true, ..Params::DEFAULT };
    let mut kernel = Kernel::new(&params);
    assert_eq!((kernel.params.c, kernel.params.beta, kernel.params.friendly), (1, 102, 3));
    assert_eq!(kernel.on_loss(1 << 31), 213_909_504);
    for number in 0..100 {
        assert!(ack(&mut kernel, 2, 40 * number, 2) <= 1);
    }
    let alone = Params { reno_friendly: false, ..params };
    let mut kernel = Kernel::new(&alone);
    kernel.on_loss(20);
    (0..100).for_each(|_| assert!(ack(&mut kernel, 14, 1000, 1) <= 1));
    assert_eq!(kernel.windows().1, 14);
}

/// Linux, `bictcp_update`: `while (ca->ack_cnt > delta)`, so Reno's window waits for more than its 15/8.
#[test]
fn reno_gains_a_segment_after_its_worth() {
    let mut kernel = kernel(250.0);
    assert_eq!(kernel.on_loss(20), 14);
    for (ms, segments, window) in [(1000, 25, 14), (1040, 1, 14), (1080, 1, 15)] {
        ack(&mut kernel, 14, ms, segments);
        assert_eq!(kernel.windows().1, window);
    }
}

/// Linux, `cubictcp_cwnd_event`: `ca->epoch_start += delta`, but `if (after(ca->epoch_start, now))` no later than now.
/// `delta` is the difference of two readings, so 1003 ms may be 251 ticks of 4 ms.
#[test]
fn idle_time_moves_the_epoch() {
    for (idle, start) in [(1000, 750), (1003, 751), (3000, 1000)] {
        let mut kernel = kernel(250.0);
        ack(&mut kernel, 48, 2000, 1);
        assert_eq!(kernel.epoch_start, Some(500));
        kernel.on_restart(Duration::from_millis(idle), Time::ZERO + Duration::from_millis(4000));
        assert_eq!(kernel.epoch_start, Some(start));
    }
}

/// Linux, `bictcp_update`: `ca->last_cwnd == cwnd && (s32)(tcp_jiffies32 - ca->last_time) <= HZ / 32` computes nothing
/// anew, which are 31 ticks of a millisecond.
#[test]
fn an_unchanged_window_is_computed_anew_after_a_32nd_of_a_second() {
    let mut kernel = kernel(1000.0);
    for (ms, cwnd, computed) in [(1000, 48, 1000), (1031, 48, 1000), (1032, 48, 1032), (1033, 49, 1033)] {
        ack(&mut kernel, cwnd, ms, 1);
        assert_eq!(kernel.last_time, computed);
    }
}

/// Linux, `cubictcp_acked`: the smallest RTT is of data, without those of an epoch's first second, and a timeout begins it
/// anew; `usecs_to_jiffies` rounds up.
#[test]
fn the_smallest_delay_is_that_of_data_in_whole_ticks() {
    let mut kernel = kernel(250.0);
    let micros = |micros: u64| Duration(micros * 1_000_000);
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    assert_eq!(kernel.delay_ticks(), 0);
    for (rtt, ms, ticks) in [(20_001, 100, 6), (20_000, 200, 5), (24_001, 300, 5)] {
        kernel.sample(micros(rtt), at(ms));
        assert_eq!(kernel.delay_ticks(), ticks);
    }
    kernel.on_ack(48, 1, at(1000));
    for (ms, ticks) in [(1999, 5), (2000, 3)] {
        kernel.sample(micros(9000), at(ms));
        assert_eq!(kernel.delay_ticks(), ticks);
    }
    kernel.reset();
    kernel.sample(micros(30_000), at(3000));
    assert_eq!(kernel.delay_ticks(), 8);
}
