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
    #[must_use]
    pub fn walk(&self, station: u32, site: usize) -> Option<(Duration, Duration)> {
        self.visit(station, site, |_| ())
    }

    /// [`Paths::walk`] that shows `see` every station on the way.
    pub fn visit(
        &self,
        mut station: u32,
        site: usize,
        mut see: impl FnMut(u32),
    ) -> Option<(Duration, Duration)> {
        let (mut delay, mut service) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..=self.next.len() {
            see(station);
            service += self.service[station as usize];
            match self.next[station as usize][site] {
                -1 => return Some((delay, service)),
                link => {
                    let &(to, more) = self.links.get(usize::try_from(link).ok()?)?;
                    delay += more;
                    station = to;
                }
            }
        }
        None
    }
}
