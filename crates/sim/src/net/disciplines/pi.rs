//! Proportional integral controller of a base probability p', sampled at fixed times.

use congestion::{Duration, Time};

/// Controller and its state.
#[derive(Clone, Copy, Debug)]
pub struct Pi {
    /// Target of the queue delay [s].
    pub target: f64,
    /// Time between two updates.
    pub t_update: Duration,
    /// Integral gain [1/s].
    pub alpha: f64,
    /// Proportional gain [1/s].
    pub beta: f64,
    /// Largest p'.
    pub most: f64,
    /// Base probability p'.
    pub p: f64,
    /// Queue delay at the last update [s].
    pub previous: f64,
    /// Time of the next update.
    pub next: Time,
}

impl Pi {
    /// Make up the updates that are due by `now`, given the arrival of the packet that has waited longest. Between
    /// arrivals and departures neither changes, so this is exact.
    #[inline]
    pub fn advance(&mut self, now: Time, oldest: Option<Time>) {
        if self.next <= now {
            self.make_up(now, oldest);
        }
    }

    fn make_up(&mut self, now: Time, oldest: Option<Time>) {
        while self.next <= now {
            if oldest.is_none() && self.p == 0.0 && self.previous == 0.0 {
                // Nobody waits and nothing changes until now.
                self.next += self.t_update * (now.since(self.next) / self.t_update + 1);
                return;
            }
            self.update(oldest.map_or(0.0, |oldest| self.next.since(oldest).seconds()));
            self.next += self.t_update;
        }
    }

    /// RFC 9332 appendix A.1, figure 6: p' moves by the distance of the queue delay from the target and by its change.
    fn update(&mut self, delay: f64) {
        let change = self.alpha * (delay - self.target) + self.beta * (delay - self.previous);
        self.p = (self.p + change).clamp(0.0, self.most);
        self.previous = delay;
    }
}
