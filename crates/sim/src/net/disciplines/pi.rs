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
    /// Controller at p' = 0. `target` in seconds, `t_update` in seconds, gains in 1/s, `most` is the largest p'.
    pub fn new(target: f64, t_update: f64, [alpha, beta]: [f64; 2], most: f64) -> Self {
        let t_update = Duration::from_seconds(t_update);
        let next = Time::ZERO + t_update;
        Self { target, t_update, alpha, beta, most, p: 0.0, previous: 0.0, next }
    }

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

/// RFC 9332 appendix A.1, figure 4, `recur`: `true` with a likelihood, evenly spaced instead of at random.
#[inline]
pub fn recur(count: &mut f64, likelihood: f64) -> bool {
    *count += likelihood;
    let hit = *count > 1.0;
    if hit {
        *count -= 1.0;
    }
    hit
}
