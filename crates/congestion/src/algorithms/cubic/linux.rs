//! Congestion avoidance in the whole numbers of Linux (`net/ipv4/tcp_cubic.c`, `bictcp_update`; `net/ipv4/tcp_cong.c`,
//! `tcp_cong_avoid_ai`): windows in segments, time in ticks, an increase every `cnt` segments.
//!
//! One thing is more exact than there: the cubic root, which Linux takes from a table (mean error 0.2 %).

use super::start::SlowStart;
use crate::abe::{BETA_ECN, beta};
use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionEvent, Flow, Initial};
use crate::hystart::HYSTART;
use crate::units::{Duration, Time};
use crate::window::Window;
use crate::window_controller::WindowController;

/// Bits of the function's unit of time, 2^-10 s (`BICTCP_HZ`).
const BICTCP_HZ: u32 = 10;

/// Scale of C and `beta` (`BICTCP_BETA_SCALE`).
const SCALE: u64 = 1024;

/// Picoseconds.
const SECOND: u64 = 1_000_000_000_000;

pub(crate) const LINUX: Algorithm = Algorithm {
    name: "cubic:linux",
    display: "CUBIC (Linux)",
    edition: 1,
    summary: "CUBIC as in Linux, in whole segments and ticks: fixed friendliness, faster until the first loss",
    source: "Linux, net/ipv4/tcp_cubic.c; RFC 9438, RFC 9406",
    params: &Params::DEFAULT.list(),
    build: |values, initial| Box::new(LinuxCubic::new(Params::from_values(values), initial)),
};

params! {
    /// Parameters of CUBIC in Linux (`bic_scale` 41, `beta` 717).
    struct Params {
        c: f64 = 410.0 / 1024.0, [1e-6, 1e3], "segments/s^3", "Steepness of the cubic function (C)";
        beta: f64 = 717.0 / 1024.0, [0.1, 0.94], "1", "Part of the window kept on loss (beta_cubic)";
        fast_convergence: bool = true, "1",
            "1 makes room for new flows by aiming lower after a loss below the last one, 0 does not";
        reno_friendly: bool = true, "1", "1 keeps up with Reno in small networks, 0 does not";
        hystart: bool from HYSTART;
        hystart_linux: bool = false, "1", "1 leaves it by Linux's HyStart instead of HyStart++, 0 does not";
        search: bool = false, "1", "1 leaves it by SEARCH instead of HyStart++ or HyStart, 0 does not";
        hz: f64 = 250.0, [1.0, 1000.0], "1/s", "Ticks per second of the kernel's clock";
        beta_ecn: f64 from BETA_ECN;
    }
}

/// CUBIC of one flow, in whole segments and ticks.
#[derive(Debug)]
struct LinuxCubic {
    params: Params,
    window: Window,
    start: SlowStart,
    kernel: Kernel,
}

impl LinuxCubic {
    fn new(params: Params, initial: &Initial) -> Self {
        Self {
            window: Window::new(initial),
            start: SlowStart::new(params.hystart, params.hystart_linux, params.search),
            kernel: Kernel::new(&params),
            params,
        }
    }
}

impl WindowController for LinuxCubic {
    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> Option<&mut Window> {
        Some(&mut self.window)
    }

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if let Some(rtt) = ack.rtt {
            self.kernel.sample(rtt, flow.now);
        }
        let rest = self.start.on_ack(&mut self.window, ack, flow);
        let acked = whole(rest / self.window.smss());
        if !self.window.in_slow_start() && acked > 0 {
            if self.kernel.epoch_start.is_none() {
                self.start.begin_epoch(flow.now);
            }
            let growth = self.kernel.on_ack(whole(self.window.segments()), acked, flow.now);
            self.window.shift(to_float(growth) * self.window.smss());
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        if event == CongestionEvent::ExitRecovery {
            self.window.respond(event, 0.0);
            return;
        }
        let smss = self.window.smss();
        let cwnd = whole(self.window.reference(self.window.cwnd(), flow) / smss);
        let by_loss = to_float(self.kernel.on_loss(cwnd));
        // Linux has no ABE; with it, a mark reduces by its own factor.
        let part = beta(event, self.params.beta, self.params.beta_ecn, &self.window);
        let is_mark = event == CongestionEvent::EcnEcho;
        let target = if is_mark { libm::floor(part * to_float(cwnd)) } else { by_loss };
        self.start.on_congestion(event, self.window.goes_with_earlier(event));
        self.window.respond(event, target * smss);
        if event == CongestionEvent::Rto {
            self.kernel.reset();
        }
    }

    fn restore(&mut self) {
        self.start.restore();
    }

    fn on_restart(&mut self, idle: Duration, flow: &Flow) {
        self.kernel.on_restart(idle, flow.now);
        self.start.on_restart(idle, flow);
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let (w_max, w_est) = self.kernel.windows();
        record("w_max", to_float(w_max) * self.window.smss());
        record("w_est", to_float(w_est) * self.window.smss());
        record("k", to_float(self.kernel.k) / 1024.0);
    }
}

/// Whole part of a number that is not negative, below 2^32.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is not negative, and casts saturate"
)]
fn whole(number: f64) -> u64 {
    u64::from(number as u32)
}

/// Number of segments as a float; a signed one takes one instruction.
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^52 segments")]
fn to_float(segments: u64) -> f64 {
    segments.cast_signed() as f64
}

/// Parameters in a kernel's units.
#[derive(Clone, Debug)]
struct Scaled {
    /// Ticks per second.
    hz: u64,
    /// C in 1/1024 (`cube_rtt_scale`, which is ten times `bic_scale`).
    c: u64,
    /// Part of the window kept on loss, in 1/1024 (`beta`).
    beta: u64,
    /// Window that Reno needs for one segment of growth, in eighths (`beta_scale`).
    friendly: u64,
    fast_convergence: bool,
    reno_friendly: bool,
}

impl Scaled {
    /// Where a parameter is finer than a kernel's, its whole part in 1/1024 counts.
    fn new(params: &Params) -> Self {
        let in_scale = |number: f64| whole(number * to_float(SCALE)).max(1);
        let beta = in_scale(params.beta);
        Self {
            hz: whole(params.hz).max(1),
            c: in_scale(params.c),
            beta,
            friendly: 8 * (SCALE + beta) / 3 / (SCALE - beta),
            fast_convergence: params.fast_convergence,
            reno_friendly: params.reno_friendly,
        }
    }
}

/// Whole-number state of one flow (`struct bictcp`).
#[derive(Clone, Debug)]
struct Kernel {
    params: Scaled,
    /// Segments to be acknowledged per segment of growth.
    cnt: u64,
    /// Segments acknowledged towards it (`snd_cwnd_cnt`).
    credit: u64,
    last_max_cwnd: u64,
    last_cwnd: u64,
    /// Tick of the last computation.
    last_time: u64,
    origin: u64,
    /// K [2^-10 s].
    k: u64,
    /// Tick at which the epoch began.
    epoch_start: Option<u64>,
    /// Segments acknowledged, for Reno's window.
    ack_cnt: u64,
    /// Window that Reno would have.
    tcp_cwnd: u64,
    /// Smallest RTT of data since the last timeout.
    delay_min: Option<Duration>,
}

impl Kernel {
    fn new(params: &Params) -> Self {
        Self {
            params: Scaled::new(params),
            cnt: 0,
            credit: 0,
            last_max_cwnd: 0,
            last_cwnd: 0,
            last_time: 0,
            origin: 0,
            k: 0,
            epoch_start: None,
            ack_cnt: 0,
            tcp_cwnd: 0,
            delay_min: None,
        }
    }

    /// Take in an RTT of data (`cubictcp_acked`); those of the first second of an epoch are discarded.
    fn sample(&mut self, rtt: Duration, now: Time) {
        let is_young = |start| self.ticks(now.0) - start < self.params.hz;
        if self.delay_min.is_none_or(|least| rtt < least) && !self.epoch_start.is_some_and(is_young) {
            self.delay_min = Some(rtt);
        }
    }

    /// Segments by which the window of `cwnd` segments grows when `acked` are acknowledged.
    fn on_ack(&mut self, cwnd: u64, acked: u64, now: Time) -> u64 {
        self.update(cwnd, acked, self.ticks(now.0));
        let mut growth = 0;
        if self.credit >= self.cnt {
            (self.credit, growth) = (0, 1);
        }
        self.credit += acked;
        let more = self.credit / self.cnt;
        self.credit -= more * self.cnt;
        growth + more
    }

    /// Window after a loss at `cwnd` segments (`cubictcp_recalc_ssthresh`). What was acknowledged towards the next segment
    /// is forgotten (`tcp_init_cwnd_reduction`).
    fn on_loss(&mut self, cwnd: u64) -> u64 {
        (self.epoch_start, self.credit) = (None, 0);
        let converges = self.params.fast_convergence && cwnd < self.last_max_cwnd;
        self.last_max_cwnd = if converges { cwnd * (SCALE + self.params.beta) / (2 * SCALE) } else { cwnd };
        (cwnd * self.params.beta / SCALE).max(2)
    }

    /// A timeout: the module begins anew (`bictcp_reset`).
    fn reset(&mut self) {
        (self.cnt, self.credit, self.last_max_cwnd, self.last_cwnd, self.last_time) = (0, 0, 0, 0, 0);
        (self.origin, self.k, self.epoch_start, self.ack_cnt, self.tcp_cwnd) = (0, 0, None, 0, 0);
        self.delay_min = None;
    }

    /// Leave time without anything in flight out of the epoch (`cubictcp_cwnd_event`, `CA_EVENT_TX_START`): the ticks
    /// between now and the last departure (`lsndtime`), each read on the clock.
    fn on_restart(&mut self, idle: Duration, now: Time) {
        let tick = self.ticks(now.0);
        let idle = tick - self.ticks(now.0.saturating_sub(idle.0));
        self.epoch_start = self.epoch_start.map(|start| (start + idle).min(tick));
    }

    /// Window at the last loss, perhaps less, and the one that Reno would have [segments].
    fn windows(&self) -> (u64, u64) {
        (self.last_max_cwnd, self.tcp_cwnd)
    }

    fn ticks(&self, picoseconds: u64) -> u64 {
        let (seconds, rest) = (picoseconds / SECOND, picoseconds % SECOND);
        seconds * self.params.hz + rest * self.params.hz / SECOND
    }

    /// Ticks of the smallest RTT, a tick begun counted whole (`usecs_to_jiffies`).
    fn delay_ticks(&self) -> u64 {
        let delay = u128::from(self.delay_min.unwrap_or_default().0);
        u64::try_from((delay * u128::from(self.params.hz)).div_ceil(u128::from(SECOND))).unwrap_or(u64::MAX)
    }

    /// Compute `cnt` anew: if the window has changed, or a 32nd of a second has passed, and once a tick at most.
    fn update(&mut self, cwnd: u64, acked: u64, tick: u64) {
        self.ack_cnt += acked;
        if self.last_cwnd == cwnd && tick - self.last_time <= self.params.hz / 32 {
            return;
        }
        if self.epoch_start.is_none() || tick != self.last_time {
            (self.last_cwnd, self.last_time) = (cwnd, tick);
            let start = match self.epoch_start {
                Some(start) => start,
                None => self.begin(cwnd, acked, tick),
            };
            self.cnt = self.follow(cwnd, tick - start + self.delay_ticks());
        }
        self.befriend(cwnd);
        // One segment of growth for two acknowledged at most.
        self.cnt = self.cnt.max(2);
    }

    fn begin(&mut self, cwnd: u64, acked: u64, tick: u64) -> u64 {
        (self.epoch_start, self.ack_cnt, self.tcp_cwnd) = (Some(tick), acked, cwnd);
        (self.k, self.origin) = match self.last_max_cwnd.checked_sub(cwnd) {
            // 2^40 / (C in 1/1024) per segment.
            Some(below @ 1..) => (
                cubic_root(((1 << (10 + 3 * BICTCP_HZ)) / self.params.c).saturating_mul(below)),
                self.last_max_cwnd,
            ),
            _ => (0, cwnd),
        };
        tick
    }

    /// Segments per segment of growth that lead to the cubic function `ticks` after its epoch began.
    fn follow(&self, cwnd: u64, ticks: u64) -> u64 {
        let t = (ticks << BICTCP_HZ) / self.params.hz;
        let offset = u128::from(t.abs_diff(self.k));
        let delta = (u128::from(self.params.c) * offset * offset * offset) >> (10 + 3 * BICTCP_HZ);
        let delta = u64::try_from(delta).unwrap_or(u64::MAX);
        let target =
            if t < self.k { self.origin.saturating_sub(delta) } else { self.origin.saturating_add(delta) };
        let cnt = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        // Until the first loss, 5 % per round trip at least.
        if self.last_max_cwnd == 0 { cnt.min(20) } else { cnt }
    }

    /// Keep up with Reno.
    fn befriend(&mut self, cwnd: u64) {
        if !self.params.reno_friendly {
            return;
        }
        // One at least: a small beta at a small window would make it none.
        let delta = ((cwnd * self.params.friendly) >> 3).max(1);
        while self.ack_cnt > delta {
            self.ack_cnt -= delta;
            self.tcp_cwnd += 1;
        }
        if self.tcp_cwnd > cwnd {
            self.cnt = self.cnt.min(cwnd / (self.tcp_cwnd - cwnd));
        }
    }
}

fn cubic_root(number: u64) -> u64 {
    whole(libm::cbrt(to_float(number)))
}

#[cfg(test)]
mod tests;
