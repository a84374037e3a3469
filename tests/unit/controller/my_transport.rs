//! Slow start, then a segment per round trip; half the window once per round trip with losses.

pub struct Controller {
    window: u64,
    threshold: u64,
    in_flight: u64,
    mtu: u64,
    rtt: f64,
    cut: f64,
}

impl Controller {
    pub fn new(mtu: u32, _seed: u64) -> Self {
        let mtu = u64::from(mtu);
        Self { window: 10 * mtu, threshold: u64::MAX, in_flight: 0, mtu, rtt: 0.333, cut: -1.0 }
    }

    pub fn sent(&mut self, _packet: u32, bytes: u32, _now: f64) {
        self.in_flight += u64::from(bytes);
    }

    pub fn acked(&mut self, _newest: u32, bytes: u64, rtt: Option<f64>) {
        self.rtt = rtt.unwrap_or(self.rtt);
        if self.in_flight > self.window / 2 {
            let slow_start = self.window < self.threshold;
            self.window += if slow_start { bytes } else { bytes * self.mtu / self.window };
        }
        self.in_flight -= bytes;
    }

    pub fn lost(&mut self, _packet: u32, bytes: u32, now: f64) {
        self.in_flight -= u64::from(bytes);
        if now > self.cut + self.rtt {
            self.cut = now;
            self.window = (self.window / 2).max(2 * self.mtu);
            self.threshold = self.window;
        }
    }

    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    pub fn window(&self) -> u64 {
        self.window
    }
}
