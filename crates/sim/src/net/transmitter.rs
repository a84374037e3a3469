//! Transmitter of a station: its service rate, which may change at known times.

use congestion::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::net::paths::Course;
use crate::net::service::{Service, ServiceRate};

/// Changes of a station's rate, in the unit of that rate.
///
/// The station's own rate is in force from the beginning to the first change, and again at each multiple of the period.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RateChanges {
    /// Times of the changes [s], increasing.
    pub times: Vec<f64>,
    /// Rates from then on; zero is an outage.
    pub rates: Vec<f64>,
    /// Time after which everything repeats [s]; `None` never does.
    #[serde(default)]
    pub period: Option<f64>,
}

/// Time that packets take to be sent.
#[derive(Clone, Debug)]
pub struct Transmitter {
    /// At the station's own rate.
    service: Service,
    varying: Option<Box<Varying>>,
    /// Bytes of the packets that were given to it.
    bytes: u64,
}

impl Transmitter {
    /// Transmitter of one rate.
    pub fn steady(service: Service) -> Self {
        Self { service, varying: None, bytes: 0 }
    }

    /// Transmitter of a rate that changes, where there are changes.
    pub fn new(rate: ServiceRate, changes: Option<&RateChanges>) -> Self {
        Self::on_link(rate, changes, None)
    }

    /// The same on a link that has a course.
    pub fn on_link(rate: ServiceRate, changes: Option<&RateChanges>, course: Option<Course>) -> Self {
        let varies = changes.is_some() || course.is_some();
        let varying = varies.then(|| Box::new(Varying::new(rate, changes, course)));
        Self { service: Service::new(rate), varying, bytes: 0 }
    }

    /// Service at the station's own rate.
    pub fn own_service(&self) -> Service {
        self.service
    }

    /// Service at the only rate; `None` if the rate changes.
    #[inline]
    pub fn only_service(&self) -> Option<Service> {
        if self.varying.is_some() { None } else { Some(self.service) }
    }

    /// Time at which a packet of `bytes` has been sent that begins at `starts`, no earlier than the end of the one before.
    #[inline]
    pub fn finish(&mut self, starts: Time, bytes: u32) -> Time {
        self.bytes += u64::from(bytes);
        match &mut self.varying {
            None => starts + self.service.time(bytes),
            Some(varying) => varying.finish(starts, bytes),
        }
    }

    /// Bytes of the packets that were given to it.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of memory held beyond its own.
    pub fn memory(&self) -> usize {
        self.varying
            .as_ref()
            .map_or(0, |varying| size_of_val(&**varying) + varying.stretches.len() * size_of::<Stretch>())
    }
}

/// Stretch of time with one rate.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// Its beginning within the period.
    from: Time,
    /// Parts of 2^-32 picosecond per byte, or per packet, of which 82 bits are used; `None` is an outage.
    per_unit: Option<u128>,
}

impl Stretch {
    /// Parts of 2^-32 byte, or packet, that are sent in a time at its rate.
    fn sent(&self, time: Duration) -> u128 {
        self.per_unit.map_or(0, |per_unit| (u128::from(time.0) << 64) / per_unit)
    }
}

/// Time of a unit at a part of a rate. At the whole rate nothing is rounded, at others to 53 bits.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of a rate is rounded to 53 bits"
)]
fn paced(whole: u128, pace: f64) -> u128 {
    if pace.to_bits() == 1.0_f64.to_bits() { whole } else { (whole as f64 / pace) as u128 }
}

/// A rate that changes: a packet in service goes on at the new one.
#[derive(Clone, Debug)]
struct Varying {
    stretches: Box<[Stretch]>,
    /// Its length, and the parts of 2^-32 byte or packet that are sent in it.
    period: Option<(Duration, u128)>,
    counts_packets: bool,
    /// Stretch in force where the last packet was sent, and the beginning of its period.
    at: usize,
    turn: Time,
    /// The link is off, or sends a part of the rate.
    course: Option<Course>,
    /// The stretch in force as the link sends it, and the end of either.
    now: Stretch,
    until: Time,
}

impl Varying {
    fn new(own: ServiceRate, changes: Option<&RateChanges>, course: Option<Course>) -> Self {
        let counts_packets = matches!(own, ServiceRate::PacketsPerSecond(_));
        let per_unit = |rate: ServiceRate| Service::new(rate).per_unit();
        let first = Stretch { from: Time::ZERO, per_unit: Some(per_unit(own)) };
        let later = changes.iter().flat_map(|changes| changes.times.iter().zip(&changes.rates));
        let later = later.map(|(&time, &rate)| {
            let named = if counts_packets {
                ServiceRate::PacketsPerSecond(rate)
            } else {
                ServiceRate::BitsPerSecond(rate)
            };
            let from = Time::ZERO + Duration::from_seconds(time);
            Stretch { from, per_unit: (rate > 0.0).then(|| per_unit(named)) }
        });
        let stretches: Box<[Stretch]> = std::iter::once(first).chain(later).collect();
        let period = changes.and_then(|changes| changes.period).map(|period| {
            let period = Duration::from_seconds(period);
            let ends = stretches.iter().skip(1).map(|next| next.from).chain([Time::ZERO + period]);
            let sent = stretches.iter().zip(ends).map(|(stretch, end)| stretch.sent(end.since(stretch.from)));
            (period, sent.sum())
        });
        let (now, until) = (stretches[0], Time::ZERO);
        Self { stretches, period, counts_packets, at: 0, turn: Time::ZERO, course, now, until }
    }

    fn finish(&mut self, starts: Time, bytes: u32) -> Time {
        let mut now = starts;
        // Parts of 2^-32 byte, or packet.
        let mut left = u128::from(if self.counts_packets { 1 } else { bytes }) << 32;
        while now < Time::NEVER {
            if self.until <= now {
                now = self.seek(now, &mut left);
                continue;
            }
            if let Some(per_unit) = self.now.per_unit {
                let takes = u64::try_from((left * per_unit) >> 64).unwrap_or(u64::MAX);
                let ends = now + Duration(takes);
                if ends <= self.until {
                    return ends;
                }
                left -= self.now.sent(self.until.since(now));
            }
            now = self.until;
        }
        now
    }

    /// Go on to the next stretch, or the next conditions of the link. The time, which is later where what is left of a packet
    /// takes whole periods.
    #[cold]
    fn seek(&mut self, mut now: Time, left: &mut u128) -> Time {
        if self.stretch_until() <= now {
            self.advance(now);
            if self.at == 0 && self.turn == now && self.course.is_none() {
                now = self.pass_periods(left);
            }
        }
        (self.now, self.until) = (self.stretches[self.at], self.stretch_until());
        if let Some(course) = &mut self.course {
            let link = *course.at(now);
            self.until = self.until.min(course.until);
            let sends = link.is_on && link.pace > 0.0;
            self.now.per_unit = self.now.per_unit.filter(|_| sends).map(|whole| paced(whole, link.pace));
        }
        now
    }

    /// End of the stretch in force; [`Time::NEVER`] if it has none.
    fn stretch_until(&self) -> Time {
        let after = |time: Time| self.turn + time.since(Time::ZERO);
        match (self.stretches.get(self.at + 1), self.period) {
            (Some(next), _) => after(next.from),
            (None, Some((period, _))) => self.turn + period,
            (None, None) => Time::NEVER,
        }
    }

    /// Go on to the next stretch; idle time passes over whole periods at once.
    fn advance(&mut self, now: Time) {
        self.at += 1;
        if self.at == self.stretches.len()
            && let Some((period, _)) = self.period
        {
            (self.at, self.turn) = (0, self.turn + period * (now.since(self.turn) / period));
        }
    }

    /// Pass over the whole periods that are not enough for what is left of a packet; the begin of the one in which it ends.
    fn pass_periods(&mut self, left: &mut u128) -> Time {
        if let Some((period, sent)) = self.period
            && let Some(turns) = (*left).saturating_sub(1).checked_div(sent)
        {
            *left -= turns * sent;
            self.turn += period * u64::try_from(turns).unwrap_or(u64::MAX);
        }
        self.turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 Mbit/s: a byte takes a microsecond.
    const OWN: ServiceRate = ServiceRate::BitsPerSecond(8e6);

    fn transmitter(changes: &[(f64, f64)], period: Option<f64>) -> Transmitter {
        let (times, rates) = changes.iter().copied().unzip();
        Transmitter::new(OWN, Some(&RateChanges { times, rates, period }))
    }

    fn us(micros: u64) -> Time {
        Time(micros * 1_000_000)
    }

    /// Times at which packets of so many bytes have been sent, one after the other [us].
    fn sent(transmitter: &mut Transmitter, bytes: u32, packets: usize) -> Vec<u64> {
        let mut now = Time::ZERO;
        let send = std::iter::from_fn(|| {
            now = transmitter.finish(now, bytes);
            Some(now.0 / 1_000_000)
        });
        send.take(packets).collect()
    }

    #[test]
    fn a_rate_that_stays_is_that_of_a_steady_transmitter() {
        let mut steady = Transmitter::steady(Service::new(ServiceRate::BitsPerSecond(7.77e6)));
        let changes = RateChanges { times: vec![0.001, 1.0], rates: vec![7.77e6; 2], period: Some(3.3) };
        let mut varying = Transmitter::new(ServiceRate::BitsPerSecond(7.77e6), Some(&changes));
        assert!(varying.only_service().is_none() && steady.only_service().is_some());
        let mut now = [Time::ZERO; 2];
        for bytes in (40..1500).cycle().take(20_000) {
            now = [steady.finish(now[0], bytes), varying.finish(now[1], bytes)];
            // A packet that is in service at a change loses at most a picosecond.
            assert!(now[1].0.abs_diff(now[0].0) <= 40, "{now:?}");
        }
        assert!(now[0] > Time::ZERO + Duration::from_seconds(15.0), "several periods");
    }

    /// A packet of 1000 bytes in service at the change: 500 bytes at the old rate, 500 at the new one.
    #[test]
    fn a_packet_in_service_goes_on_at_the_new_rate() {
        let mut halved = transmitter(&[(0.0015, 4e6)], None);
        assert_eq!(sent(&mut halved, 1000, 3), [1000, 2500, 4500]);
    }

    /// Nothing is sent in an outage, and nothing is lost of a packet in service.
    #[test]
    fn an_outage_holds_the_packet_in_service() {
        let mut outage = transmitter(&[(0.0015, 0.0), (0.0105, 8e6)], None);
        assert_eq!(sent(&mut outage, 1000, 3), [1000, 11_000, 12_000]);
        let mut idle = transmitter(&[(0.0015, 0.0), (0.0105, 8e6)], None);
        assert_eq!(idle.finish(us(5000), 1000), us(11_500));
    }

    /// A period repeats changes, from the own rate on; idle time passes over many of them.
    #[test]
    fn a_period_repeats_the_changes() {
        let mut periodic = transmitter(&[(0.001, 0.0)], Some(0.01));
        assert_eq!(sent(&mut periodic, 500, 5), [500, 1000, 10_500, 11_000, 20_500]);
        assert_eq!(periodic.finish(us(1_005_000), 1000), us(1_011_000));
        assert_eq!(periodic.finish(us(1_011_000), 2000), us(1_031_000));
    }

    /// The rate at time zero may be one of the changes.
    #[test]
    fn a_change_at_zero_replaces_the_own_rate() {
        assert_eq!(sent(&mut transmitter(&[(0.0, 4e6)], None), 1000, 2), [2000, 4000]);
    }

    #[test]
    fn packets_count_where_the_rate_does() {
        let changes = RateChanges { times: vec![0.0025], rates: vec![500.0], period: None };
        let mut counted = Transmitter::new(ServiceRate::PacketsPerSecond(1000.0), Some(&changes));
        assert_eq!(sent(&mut counted, 40, 4), [1000, 2000, 3500, 5500]);
    }

    /// From 1000 packets a second down to 0.001: a packet takes 1000 s, a time of which 32.32 fixed point held a ten-thousandth.
    #[test]
    fn slow_rates_are_slow() {
        for rate in [230.0, 100.0, 1.0, 0.001] {
            let changes = RateChanges { times: vec![0.0], rates: vec![rate], period: None };
            let mut faded = Transmitter::new(ServiceRate::PacketsPerSecond(1000.0), Some(&changes));
            let takes = faded.finish(Time::ZERO, 1500).seconds();
            assert!((takes * rate - 1.0).abs() < 1e-9, "{rate} packets/s: {takes} s");
        }
        for rate in [100.0, 1000.0, 1862.0, 9600.0] {
            let changes = RateChanges { times: vec![0.0], rates: vec![rate], period: None };
            let steady = Service::new(ServiceRate::BitsPerSecond(rate)).time(1500).seconds();
            let faded = Transmitter::new(OWN, Some(&changes)).finish(Time::ZERO, 1500).seconds();
            for takes in [steady, faded] {
                assert!((takes * rate / 12_000.0 - 1.0).abs() < 1e-9, "{rate} bit/s: {takes} s");
            }
        }
    }

    /// Of every 2 us the link sends for one, a byte: 10^5 bytes take 0.2 s less the last pause, in one event after 1000 s of
    /// idleness. Walked one by one these are 10^9 stretches.
    #[test]
    fn many_short_periods_take_no_longer_than_few() {
        let mut short = transmitter(&[(1e-6, 0.0)], Some(2e-6));
        let began = us(1_000_000_000);
        assert_eq!(short.finish(began, 100_000), us(1_000_000_000 + 199_999));
        assert_eq!(short.finish(us(2_000_000_001), 1), us(2_000_000_003));
    }

    #[test]
    fn an_outage_without_end_ends_never() {
        let mut dead = transmitter(&[(0.0005, 0.0)], None);
        assert_eq!(dead.finish(Time::ZERO, 1000), Time::NEVER);
    }
}
