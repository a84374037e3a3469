//! Work that a busy server does over time, worked out from its rates alone: what measured work is held against.

use congestion::{Duration, Time};

use crate::net::paths::Course;
use crate::net::service::ServiceRate;
use crate::net::transmitter::RateChanges;

/// Capacity of a server over time, in packets or bytes.
#[derive(Clone, Debug)]
pub struct Capacity {
    counts_packets: bool,
    /// Work of a second, where that never changes.
    rate: f64,
    /// Begins of the stretches of one rate [s], the work done by then and the work of a second; none where it never changes.
    stretches: Vec<(f64, f64, f64)>,
    /// Length of the stretches together [s] and their work, where they repeat.
    period: Option<(f64, f64)>,
    /// The link is off, or sends a part of the rate.
    link: Option<Link>,
}

/// Course of a link with what was worked out of it.
#[derive(Clone, Debug)]
struct Link {
    course: Course,
    /// Begins of stretches, the work done by then and the part of the rate from then on.
    stretches: Vec<(Time, f64, f64)>,
    /// Largest part of the rate so far.
    most: f64,
}

impl Capacity {
    /// Capacity of a server.
    pub fn new(rate: ServiceRate, changes: Option<&RateChanges>, course: Option<Course>) -> Self {
        let (counts_packets, rate, unit) = match rate {
            ServiceRate::PacketsPerSecond(rate) => (true, rate, 1.0),
            ServiceRate::BitsPerSecond(rate) => (false, rate / 8.0, 8.0),
        };
        let mut capacity = Self { counts_packets, rate, stretches: Vec::new(), period: None, link: None };
        if let Some(RateChanges { times, rates, period }) = changes {
            capacity.stretches.push((0.0, 0.0, rate));
            for (&begin, &then) in times.iter().zip(rates) {
                capacity.stretches.push((begin, capacity.within(begin), then / unit));
            }
            capacity.period = period.map(|period| (period, capacity.within(period)));
        }
        capacity.link = course.map(|course| Link { course, stretches: Vec::new(), most: 0.0 });
        capacity
    }

    /// `true` if packets are counted, else bytes.
    pub fn counts_packets(&self) -> bool {
        self.counts_packets
    }

    /// Most work of a second, so far.
    pub fn most(&self) -> f64 {
        let most = self.stretches.iter().map(|&(_, _, rate)| rate).fold(self.rate, f64::max);
        most * self.link.as_ref().map_or(1.0, |link| link.most)
    }

    /// Work of a time.
    pub fn between(&mut self, from: Time, to: Time) -> f64 {
        let Some(mut link) = self.link.take() else { return self.at_rate(from, to) };
        link.follow(self, to);
        let work = link.by(self, to) - link.by(self, from.min(to));
        self.link = Some(link);
        work
    }

    /// Work done by the times at which the rate changes, from the beginning to `end`, between which it is a line.
    pub fn corners(&mut self, end: Time) -> Vec<(Time, f64)> {
        let turns = self.period.map_or(0, |(period, _)| end.0 / Duration::from_seconds(period).0.max(1));
        let period = self.period.map_or(0.0, |(period, _)| period);
        let own = (0..=turns).flat_map(|turn| {
            let begin = Duration::from_seconds(period) * turn;
            let changes = self.stretches.iter();
            changes.map(move |&(at, ..)| Time::ZERO + begin + Duration::from_seconds(at))
        });
        let mut times: Vec<Time> = own.chain([Time::ZERO, end]).collect();
        if let Some(mut link) = self.link.take() {
            link.follow(self, end);
            times.extend(link.stretches.iter().map(|&(begin, ..)| begin));
            self.link = Some(link);
        }
        times.sort_unstable();
        times.dedup();
        times.retain(|&time| time <= end);
        times.into_iter().map(|time| (time, self.between(Time::ZERO, time))).collect()
    }

    /// Nobody will ask for a time from before this one.
    pub fn forget(&mut self, time: Time) {
        if let Some(link) = &mut self.link {
            let after = link.stretches.partition_point(|&(begin, ..)| begin <= time);
            link.stretches.drain(..after.saturating_sub(1));
        }
    }

    /// Work from the beginning to a time; nobody will ask for an earlier one.
    pub fn until(&mut self, time: Time) -> f64 {
        let Some(mut link) = self.link.take() else { return self.at_rate(Time::ZERO, time) };
        link.skip(self, time);
        let work = link.by(self, time);
        self.link = Some(link);
        work
    }

    /// Work of a time at the rate.
    fn at_rate(&self, from: Time, to: Time) -> f64 {
        if self.stretches.is_empty() {
            self.rate * to.since(from).seconds()
        } else {
            self.by(to) - self.by(from.min(to))
        }
    }

    /// Work done by a time.
    fn by(&self, time: Time) -> f64 {
        let seconds = time.seconds();
        let Some((period, work)) = self.period else { return self.within(seconds) };
        let turns = libm::floor(seconds / period);
        turns * work + self.within(seconds - turns * period)
    }

    /// Work done by a time [s] of the first period.
    fn within(&self, seconds: f64) -> f64 {
        let after = self.stretches.partition_point(|&(begin, ..)| begin <= seconds);
        let (begin, work, rate) = self.stretches[after.saturating_sub(1)];
        work + rate * (seconds - begin).max(0.0)
    }
}

impl Link {
    /// Work out the stretches that begin by a time.
    fn follow(&mut self, rates: &Capacity, time: Time) {
        while self.stretches.is_empty() || self.begins_by(time) {
            let stretch = self.next(rates);
            self.stretches.push(stretch);
        }
    }

    /// The same for the last of them alone.
    fn skip(&mut self, rates: &Capacity, time: Time) {
        while self.stretches.is_empty() || self.begins_by(time) {
            let stretch = self.next(rates);
            self.stretches.clear();
            self.stretches.push(stretch);
        }
    }

    fn begins_by(&self, time: Time) -> bool {
        self.course.until <= time && self.course.until < Time::NEVER
    }

    fn next(&mut self, rates: &Capacity) -> (Time, f64, f64) {
        let begin = if self.stretches.is_empty() { Time::ZERO } else { self.course.until };
        let link = self.course.at(begin);
        let pace = if link.is_on { link.pace } else { 0.0 };
        self.most = self.most.max(pace);
        (begin, self.by(rates, begin), pace)
    }

    /// Work done by a time that was followed.
    fn by(&self, rates: &Capacity, time: Time) -> f64 {
        let after = self.stretches.partition_point(|&(begin, ..)| begin <= time);
        let Some(&(begin, work, pace)) = self.stretches[..after].last() else { return 0.0 };
        work + pace * rates.at_rate(begin, time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Time {
        Time::ZERO + congestion::Duration::from_seconds(seconds)
    }

    /// A period of 10 s: 1000 bytes a second, from 2 s on 250, from 6 s on none. It carries 2000 + 4 x 250 = 3000 bytes.
    #[test]
    fn work_is_the_integral_of_the_rate() {
        let changes = RateChanges { times: vec![2.0, 6.0], rates: vec![2000.0, 0.0], period: Some(10.0) };
        let mut capacity = Capacity::new(ServiceRate::BitsPerSecond(8000.0), Some(&changes), None);
        for (from, to, bytes) in
            [(0.0, 2.0, 2000.0), (1.0, 3.0, 1250.0), (5.0, 11.0, 1250.0), (0.0, 1000.0, 3e5)]
        {
            assert!((capacity.between(at(from), at(to)) - bytes).abs() < 1e-6, "{from} to {to}");
        }
        let corners: Vec<_> =
            capacity.corners(at(14.0)).iter().map(|&(time, work)| (time.seconds(), work)).collect();
        let expected =
            [(0.0, 0.0), (2.0, 2000.0), (6.0, 3000.0), (10.0, 3000.0), (12.0, 5000.0), (14.0, 5500.0)];
        assert_eq!(corners.len(), expected.len(), "{corners:?}");
        for (corner, (time, work)) in corners.iter().zip(expected) {
            assert!((corner.0 - time).abs() + (corner.1 - work).abs() < 1e-6, "{corner:?}");
        }
        let mut steady = Capacity::new(ServiceRate::PacketsPerSecond(0.5), None, None);
        assert!((steady.between(at(1.0), at(7.0)) - 3.0).abs() < 1e-12 && steady.counts_packets());
    }
}
