//! Validation of the window against the RFCs, the draft and Linux.

use super::*;

const RTO: Duration = Duration::from_millis(300);

fn ms(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn window(lowered: Option<Lowered>) -> Option<u32> {
    lowered.map(|lowered| lowered.cwnd)
}

const LINUX: ValidationOptions = ValidationOptions {
    rule: ValidationRule::Linux,
    idle_restart: IdleRestart::Linux,
    app_limited_decay: true,
};

fn state(flight_size: u32, cwnd: u32, now: Time) -> Use {
    let is_full = flight_size >= cwnd;
    Use { flight_size, snd_una: 100, snd_nxt: 100 + flight_size, is_full, cwnd, now }
}

/// Linux, `tcp_cwnd_restart`: half per RTO beyond the first, rounded down, not below the initial window.
#[test]
fn idle_time_halves_the_window_per_timeout() {
    let restart = |cwnd, idle| {
        window(Validation::new(10).restart(&LINUX, cwnd, Duration::from_millis(idle), RTO, ms(9000)))
    };
    assert_eq!(restart(100, 300), None);
    assert_eq!(restart(100, 301), Some(50));
    assert_eq!(restart(100, 600), Some(50));
    assert_eq!(restart(100, 601), Some(25));
    assert_eq!(restart(100, 5000), Some(10));
    assert_eq!(restart(8, 5000), Some(8));
}

/// The draft, section 3: "Upon a reduction of cwnd (for any reason), maxFS MUST be reset to zero", so that a window that is
/// not used after an idle time, or goes down unused, does not grow by what was in flight before it.
#[test]
fn flights_before_an_unused_window_went_down_justify_nothing() {
    let options = ValidationOptions {
        rule: ValidationRule::RateLimited,
        idle_restart: IdleRestart::Rfc5681,
        app_limited_decay: true,
    };
    let limits = |validation: &mut Validation, cwnd| {
        let flight = Flight { size: 5, pipe: 5, is_held_by_pacer: || false };
        validation.limits(&options, cwnd, &flight, || Phase::Standard)
    };
    for idle in [true, false] {
        let mut validation = Validation::new(10);
        validation.observe(&state(100, 100, ms(1)), || Phase::Standard);
        assert_eq!(limits(&mut validation, 100), Some(true), "a flight of 100 was seen");
        let lowered = if idle {
            validation.restart(&options, 100, RTO * 2, RTO, ms(900))
        } else {
            let part = Use { snd_una: 200, snd_nxt: 205, ..state(5, 100, ms(2)) };
            validation.observe(&part, || Phase::Standard);
            validation.decay(&options, 100, Phase::Standard, RTO, ms(900))
        };
        let cwnd = window(lowered).expect("it goes down");
        assert_eq!(limits(&mut validation, cwnd), Some(false), "{cwnd}");
    }
}

/// RFC 5681 section 4.1: "cwnd to no more than RW", the smaller of initial window and window.
#[test]
fn the_restart_window_of_rfc_5681_is_the_initial_one() {
    let restart = |idle_restart, cwnd| {
        let options = ValidationOptions { idle_restart, ..LINUX };
        window(Validation::new(10).restart(&options, cwnd, Duration::from_millis(301), RTO, ms(9000)))
    };
    assert_eq!(restart(IdleRestart::Rfc5681, 100), Some(10));
    assert_eq!(restart(IdleRestart::Rfc5681, 6), None);
    assert_eq!(restart(IdleRestart::None, 100), None);
}

/// Linux, `tcp_cwnd_application_limited`: half way to the largest flight, once per RTO.
#[test]
fn a_window_that_is_not_filled_goes_down() {
    let mut validation = Validation::new(10);
    validation.observe(&state(20, 100, ms(1000)), || Phase::Standard);
    assert_eq!(window(validation.decay(&LINUX, 100, Phase::Standard, RTO, ms(1000))), Some(60));
    assert_eq!(
        window(validation.decay(&LINUX, 60, Phase::Standard, RTO, ms(1000))),
        None,
        "not again for an RTO"
    );
    validation.observe(&state(4, 60, ms(1300)), || Phase::Standard);
    assert_eq!(
        window(validation.decay(&LINUX, 60, Phase::Standard, RTO, ms(1300))),
        Some(35),
        "the initial window counts"
    );
    validation.observe(&Use { snd_una: 300, ..state(35, 35, ms(1700)) }, || Phase::Standard);
    assert_eq!(window(validation.decay(&LINUX, 35, Phase::Standard, RTO, ms(1700))), None, "it is full");
}

/// The draft, section 3: twice the largest flight in slow start, one segment more in avoidance; a reduction measures
/// anew.
#[test]
fn flights_limit_the_window() {
    let mut validation = Validation::new(10);
    assert_eq!(validation.limit(Phase::SlowStart), 20);
    validation.observe(&state(14, 30, ms(1)), || Phase::Standard);
    assert_eq!((validation.limit(Phase::SlowStart), validation.limit(Phase::Standard)), (28, 15));
    validation.on_reduction();
    validation.measure(7);
    assert_eq!(validation.limit(Phase::Alternate), 8);
}

/// Linux, `tcp_cwnd_validate`: a window that was full stays so for its data, and a later window is measured anew.
#[test]
fn a_full_window_is_remembered_for_its_data() {
    let standard = || Phase::Standard;
    let mut validation = Validation::new(10);
    let at = |una, flight, cwnd| Use { snd_una: una, snd_nxt: una + flight, ..state(flight, cwnd, ms(1)) };
    validation.observe(&at(100, 10, 10), standard);
    assert!(validation.window_use.is_cwnd_limited(10, standard), "full, and of a new window at once");
    validation.observe(&at(101, 12, 20), standard);
    assert!(validation.window_use.is_cwnd_limited(20, standard), "a larger flight that is not full");
    validation.observe(&at(110, 5, 20), standard);
    assert!(!validation.window_use.is_cwnd_limited(20, standard), "the next window");
    assert!(!validation.window_use.is_cwnd_limited(9, standard), "twice the flight counts in slow start");
    assert!(validation.window_use.is_cwnd_limited(9, || Phase::SlowStart));
    assert!(!validation.window_use.is_cwnd_limited(10, || Phase::SlowStart));
    validation.observe(&at(112, 7, 20), standard);
    assert!(validation.window_use.is_cwnd_limited(13, || Phase::SlowStart), "the largest flight");
    validation.observe(&at(112, 4, 20), standard);
    assert!(validation.window_use.is_cwnd_limited(13, || Phase::SlowStart));
}

/// Windows that are full one after another: each is remembered for data of its own.
#[test]
fn each_full_window_is_measured_anew() {
    let mut validation = Validation::new(10);
    let full = |una| Use { snd_una: una, snd_nxt: una + 10, ..state(10, 10, ms(1)) };
    validation.observe(&full(100), || Phase::Standard);
    validation.observe(&full(110), || Phase::Standard);
    let less = Use { snd_una: 115, snd_nxt: 120, ..state(5, 10, ms(1)) };
    validation.observe(&less, || Phase::Standard);
    assert!(validation.window_use.is_cwnd_limited(10, || Phase::Standard));
    // A flight that is no larger begins no measurement.
    for (una, flight) in [(120, 5), (121, 5), (125, 3)] {
        let part = Use { snd_una: una, snd_nxt: una + flight, ..state(flight, 20, ms(1)) };
        validation.observe(&part, || Phase::Standard);
    }
    assert!(!validation.window_use.is_cwnd_limited(9, || Phase::SlowStart), "twice three");
}

/// A full window need not be observed again at the same time, with the same data sent.
#[test]
fn a_full_window_is_known_until_something_changes() {
    let mut validation = Validation::new(10);
    assert!(!validation.knows_full(110, ms(1)) && !ValidationOptions::default().is_on());
    validation.observe(&state(10, 10, ms(1)), || Phase::Standard);
    assert!(validation.knows_full(110, ms(1)));
    assert!(!validation.knows_full(111, ms(1)) && !validation.knows_full(110, ms(2)));
    validation.observe(&Use { snd_una: 110, snd_nxt: 120, ..state(10, 30, ms(1)) }, || Phase::Standard);
    assert!(!validation.knows_full(120, ms(1)), "not full");
}

/// Linux, `tcp_cwnd_application_limited`: only where an RTO has passed, and only where it is an option.
#[test]
fn a_window_goes_down_for_a_reason() {
    let decay = |options: ValidationOptions, now| {
        let mut validation = Validation::new(10);
        validation.observe(&state(20, 100, ms(1)), || Phase::Standard);
        window(validation.decay(&options, 100, Phase::Standard, RTO, ms(now)))
    };
    assert_eq!(decay(LINUX, 300), Some(60));
    assert_eq!(decay(LINUX, 299), None, "less than an RTO");
    let mut least = Validation::new(100);
    assert_eq!(
        window(least.decay(&LINUX, 100, Phase::Standard, RTO, ms(300))),
        None,
        "no less than the initial window"
    );
    assert_eq!(decay(ValidationOptions { app_limited_decay: false, ..LINUX }, 300), None);
}

/// Linux, `tcp_current_ssthresh`: "(cwnd >> 1) + (cwnd >> 2)".
#[test]
fn three_quarters_of_a_window_are_remembered() {
    assert_eq!([3, 11, 100].map(remembered), [1, 7, 75]);
}

/// RFC 9002 section 7.8: the window "SHOULD NOT be increased" while it is not used, unless by reason of "pacing delay".
#[test]
fn a_window_that_pacing_keeps_from_being_full_is_in_use() {
    let options = ValidationOptions { rule: ValidationRule::Rfc9002, ..ValidationOptions::default() };
    let limits = |pipe, is_held| {
        let flight = Flight { size: 30, pipe, is_held_by_pacer: || is_held };
        Validation::new(10).limits(&options, 20, &flight, || Phase::SlowStart)
    };
    for (pipe, is_held, limited) in
        [(20, false, true), (19, false, true), (18, false, false), (5, true, true)]
    {
        assert_eq!(limits(pipe, is_held), Some(limited), "{pipe} in flight of a window of 20");
    }
}
