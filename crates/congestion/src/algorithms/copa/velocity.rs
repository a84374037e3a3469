//! Velocity of Copa's window.

/// Rounds in which the direction must last before the velocity doubles.
const LASTING: u32 = 3;

/// Velocity of the window, and its direction.
#[derive(Debug)]
pub(super) struct Velocity {
    pub value: f64,
    /// Direction of the last round trip.
    up: Option<bool>,
    /// Rounds it has lasted.
    lasting: u32,
    /// The window when the round began [bytes]; none before the first.
    start: Option<f64>,
}

impl Default for Velocity {
    fn default() -> Self {
        Self { value: 1.0, up: None, lasting: 0, start: None }
    }
}

impl Velocity {
    /// Doubles once the direction has been the same for three round trips: not in the first three in which the
    /// window moves one way.
    pub fn end_round(&mut self, cwnd: f64) {
        let Some(start) = self.start.replace(cwnd) else { return };
        let up = Some(cwnd > start);
        if up == self.up {
            self.lasting += 1;
            if self.lasting >= LASTING {
                self.value *= 2.0;
            }
        } else {
            self.up = up;
            self.lasting = 0;
            self.value = 1.0;
        }
    }

    /// True if the window gained a high velocity in the direction that is not wanted now.
    pub fn is_against(&self, up: bool) -> bool {
        self.value > 1.0 && self.up != Some(up)
    }

    /// Such a velocity is given up at once; at high rates the window would swing between nothing and twice the
    /// pipe otherwise. A new round begins with `cwnd` bytes.
    pub fn turn(&mut self, up: bool, cwnd: f64) {
        *self = Self { up: Some(up), start: Some(cwnd), ..Self::default() };
    }

    /// The velocity, at which the window at most doubles per round trip. The bound also takes effect on the
    /// velocity itself, which could double for ever otherwise.
    pub fn bounded(&mut self, delta: f64, segments: f64) -> f64 {
        self.value = self.value.min(delta * segments).max(1.0);
        self.value.min(delta * segments)
    }
}
