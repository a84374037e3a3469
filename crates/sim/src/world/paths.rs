//! Paths between sites in an empty network.

use congestion::Duration;

/// Delay and service time of a data packet from station to site, by walking the routes.
#[derive(Clone, Debug)]
pub struct Paths {
    /// `next[station][site]` as in the scenario: link, -1 deliver, -2 none.
    pub next: Vec<Vec<i32>>,
    /// Per link: station it enters and delay.
    pub links: Vec<(u32, Duration)>,
    /// Per station: service time of a data packet.
    pub service: Vec<Duration>,
}

impl Paths {
    /// Delay and service from `station` to the hosts of `site`, if there is a route without a loop.
    pub fn walk(&self, mut station: u32, site: usize) -> Option<(Duration, Duration)> {
        let (mut delay, mut service) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..=self.next.len() {
            service += self.service[station as usize];
            match self.hop(station, site) {
                Hop::Deliver => return Some((delay, service)),
                Hop::Nowhere => return None,
                Hop::On(to, more) => {
                    delay += more;
                    station = to;
                }
            }
        }
        None
    }

    /// A value for the ways from every station to the hosts of `site`, worked out from its end: `of` has a
    /// station, and the delay of the link that leaves it with the value at that link's end, or nothing where
    /// the station delivers. `None` where there is no route without a loop. It takes one step for a station,
    /// however long the ways are.
    pub fn from_all<T: Copy>(
        &self,
        site: usize,
        mut of: impl FnMut(u32, Option<(Duration, T)>) -> T,
    ) -> Vec<Option<T>> {
        let mut known: Vec<Way<T>> = vec![Way::Unknown; self.next.len()];
        let mut under_way = Vec::new();
        for start in (0..).take(self.next.len()) {
            let mut here: u32 = start;
            let mut end = loop {
                match known[here as usize] {
                    Way::Known(value) => break value,
                    // A loop.
                    Way::Asked => break None,
                    Way::Unknown => {}
                }
                known[here as usize] = Way::Asked;
                match self.hop(here, site) {
                    Hop::Nowhere => {
                        known[here as usize] = Way::Known(None);
                        break None;
                    }
                    Hop::Deliver => {
                        let value = Some(of(here, None));
                        known[here as usize] = Way::Known(value);
                        break value;
                    }
                    Hop::On(to, delay) => {
                        under_way.push((here, delay));
                        here = to;
                    }
                }
            };
            while let Some((station, delay)) = under_way.pop() {
                end = end.map(|value| of(station, Some((delay, value))));
                known[station as usize] = Way::Known(end);
            }
        }
        known.into_iter().map(|way| if let Way::Known(value) = way { value } else { None }).collect()
    }

    /// The next step from a station to a site.
    fn hop(&self, station: u32, site: usize) -> Hop {
        match self.next[station as usize][site] {
            -1 => Hop::Deliver,
            link => {
                let link = usize::try_from(link).ok().and_then(|link| self.links.get(link));
                link.map_or(Hop::Nowhere, |&(to, delay)| Hop::On(to, delay))
            }
        }
    }
}

/// The next step of a packet.
enum Hop {
    /// To the hosts of this station.
    Deliver,
    /// To a station, after a delay.
    On(u32, Duration),
    /// There is no route.
    Nowhere,
}

/// A station while ways to a site are worked out.
#[derive(Clone, Copy)]
enum Way<T> {
    Unknown,
    /// On the way that is being followed.
    Asked,
    Known(Option<T>),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stations in a ring, each with a site; packets go one way around.
    fn ring(count: u32) -> Paths {
        let numbers = || (0..count).map(|at| i32::try_from(at).expect("few stations"));
        Paths {
            next: numbers()
                .map(|at| numbers().map(|site| if at == site { -1 } else { at }).collect())
                .collect(),
            links: (0..count).map(|at| ((at + 1) % count, Duration(1_000))).collect(),
            service: vec![Duration(7); count as usize],
        }
    }

    fn delays(paths: &Paths, site: usize) -> Vec<Option<Duration>> {
        paths.from_all(site, |_, rest| rest.map_or(Duration::ZERO, |(more, delay)| delay + more))
    }

    #[test]
    fn ways_from_all_stations_take_one_step_for_each() {
        let mut steps = 0;
        let counts = ring(500).from_all(123, |_, rest: Option<(Duration, u32)>| {
            steps += 1;
            rest.map_or(0, |(_, hops)| hops + 1)
        });
        assert_eq!(steps, 500);
        assert_eq!(counts.into_iter().flatten().max(), Some(499));
    }

    #[test]
    fn delays_are_those_of_walks() {
        let mut paths = ring(40);
        // Way to site 5: a dead end, a loop of two, and a loop of one.
        paths.next[30][5] = -2;
        paths.next[20][5] = 7;
        paths.links.push((15, Duration(3)));
        paths.next[11][5] = 40;
        paths.links.push((2, Duration(3)));
        paths.next[2][5] = 41;
        paths.next[33][5] = 10_000;
        for site in 0..40 {
            let walked: Vec<_> = (0..40).map(|at| paths.walk(at, site).map(|(delay, _)| delay)).collect();
            assert_eq!(delays(&paths, site), walked, "to site {site}");
        }
        assert_eq!(delays(&paths, 5).iter().flatten().count(), 3);
    }
}
