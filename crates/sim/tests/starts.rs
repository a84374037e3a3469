//! Timeouts, pacing and the start of CUBIC in Linux, as the scripts of packetdrill have them.
//!
//! Facts: <https://github.com/google/packetdrill>, `gtests/net/tcp`, at 2c4001c. Segments are numbered from 1 here.

use congestion::Duration;
use sim::spec::{PacingRule, TimeoutRule, Transport};

use crate::scripts::{Script, cubic, linux};

/// Threshold [segments].
fn ssthresh(script: &Script) -> u64 {
    (script.sender.control.algorithm.ssthresh().expect("CUBIC has a threshold") / 1000.0) as u64
}

/// `cubic/cubic-rto-ss-ca-cwnd-bump`: a segment without an answer is probed for after 300 ms and sent again 300 ms later.
/// The window is one segment then, grows to 7, and has 8 only sixteen ACKs later.
#[test]
fn a_timeout_restarts_at_one_segment() {
    let mut script = Script::with(&Transport { timeout_rule: TimeoutRule::Linux, ..linux() }, 1, 100);
    script.wait(100);
    script.ack(1, None, 1);
    assert_eq!((script.cwnd(), script.write(1)), (10, vec![2]));
    let written = script.now;
    assert_eq!(script.expire(), [2]);
    let ms = |script: &Script| (script.now.since(written).seconds() * 1000.0).round() as u64;
    assert_eq!(ms(&script), 300);
    assert_eq!(script.expire(), [2]);
    assert_eq!(ms(&script), 600);
    assert_eq!((script.cwnd(), ssthresh(&script)), (1, 7));
    script.wait(100);
    script.ack(2, None, 2);
    assert_eq!((script.cwnd(), ssthresh(&script)), (2, 7));
    assert_eq!(script.write(200), [3, 4]);
    // Gaps before single ACKs [ms].
    let slow_start = [100, 2, 98, 2, 2];
    let avoidance = [2, 98, 2, 2, 2, 2, 2, 2, 98, 3, 2, 2, 2, 2, 2, 98];
    let mut windows = Vec::new();
    for (acked, gap) in (3..).zip(slow_start.into_iter().chain(avoidance)) {
        script.wait(gap);
        script.ack(acked, None, acked);
        windows.push(script.cwnd());
    }
    assert_eq!(windows[..5], [3, 4, 5, 6, 7]);
    assert_eq!(windows[5..20], [7; 15]);
    assert_eq!(windows[20], 8);
}

/// Linux, `tcp_cong_avoid` in `TCP_CA_Loss`: an ACK of two segments opens the window by two, up to the threshold. RFC 3465
/// section 2.3 has one segment for each ACK "when TCP is in slow start following an RTO".
#[test]
fn repairs_open_the_window_by_all_that_is_delivered() {
    for (timeout_rule, expected) in [(TimeoutRule::Linux, [2, 4, 6, 7]), (TimeoutRule::Rfc5681, [2, 3, 4, 5])]
    {
        let transport = Transport { timeout_rule, restart_window: 1.0, ..linux() };
        let mut script = Script::with(&transport, 10, 100);
        while script.counters.timeouts == 0 {
            script.expire();
        }
        assert_eq!((script.cwnd(), ssthresh(&script)), (1, 7));
        let windows = [1, 3, 5, 7].map(|acked| {
            script.wait(100);
            script.ack(acked, None, acked);
            script.cwnd()
        });
        assert_eq!(windows, expected, "{timeout_rule:?}");
    }
}

/// Linux, `tcp_enter_loss`: segments that RACK spares stay in flight, and the window has one more; RFC 5681 has one. A
/// timeout in fast recovery leaves the threshold, where RFC 5681 section 4.3 wants half once more.
#[test]
fn a_timeout_in_a_recovery_keeps_the_threshold() {
    for (timeout_rule, expected) in [(TimeoutRule::Linux, 7), (TimeoutRule::Rfc5681, 4)] {
        let mut script = Script::with(&Transport { timeout_rule, ..linux() }, 10, 100);
        script.wait(100);
        assert_eq!(script.ack(0, Some((2, 4)), 4), [1]);
        assert_eq!(ssthresh(&script), 7);
        while script.counters.timeouts == 0 {
            script.expire();
        }
        assert_eq!(ssthresh(&script), expected, "{timeout_rule:?}");
    }
}

/// Sender on a host with the queue discipline `fq`: segments leave as its pacer lets them.
struct Paced {
    script: Script,
    acked: u32,
}

impl Paced {
    fn new(segments: u32) -> Self {
        Self::with(&Transport { pacing: PacingRule::Fq, ..linux() }, true, segments)
    }

    /// Without `HyStart`, and with slow start up to 48 segments.
    fn from_48(segments: u32) -> Self {
        let transport = Transport { pacing: PacingRule::Fq, initial_ssthresh: Some(48.0), ..linux() };
        Self::with(&transport, false, segments)
    }

    fn with(transport: &Transport, hystart: bool, segments: u32) -> Self {
        let mut script = Script::of(cubic(transport, hystart), transport, 10, 100);
        script.sender.seq.limit = segments;
        Self { script, acked: 0 }
    }

    /// `ms` pass, in which the sender sends what it may.
    fn wait(&mut self, ms: u64) {
        let end = self.script.now + Duration::from_millis(ms);
        loop {
            self.script.now = self.script.sender.pacer.next_send_time().max(self.script.now);
            if self.script.now >= end || self.script.send_one().is_none() {
                break;
            }
        }
        self.script.now = end;
    }

    /// Windows after ACKs of two segments each, every 100 ms, by the numbers of these ACKs.
    fn windows<const N: usize>(&mut self, numbers: [u32; N]) -> [u32; N] {
        numbers.map(|number| {
            while self.acked < 2 * number {
                self.wait(100);
                self.acked += 2;
                self.script.take_ack(self.acked, self.acked);
            }
            self.script.cwnd()
        })
    }
}

/// `cubic/cubic-bulk-166k`. The script is older than commit 25c1a9ca53db of Linux 6.14: its slow start ends at the ninth sample of a round that begins at 16 segments, with 48. Rounds
/// begin everywhere since, and the ninth sample of the second one comes at 36.
#[test]
fn hystart_on_a_slow_path() {
    let mut paced = Paced::new(400);
    assert_eq!(paced.windows([5, 10, 13, 14, 19]), [20, 30, 36, 36, 36]);
    assert_eq!(ssthresh(&paced.script), 36);
}

/// The same from the end of slow start on, 48 segments as in the script: the window grows by the cubic function, and then by
/// a segment for every two that are acknowledged.
#[test]
fn cubic_on_a_slow_path() {
    let mut paced = Paced::from_48(400);
    assert_eq!(paced.windows([5, 10, 15, 19, 20]), [20, 30, 40, 48, 48]);
    assert_eq!(paced.windows([30, 40, 50, 60]), [49, 50, 52, 58]);
    for number in (61..=70).chain([80, 90, 100, 120, 140, 160, 180, 200]) {
        assert_eq!(paced.windows([number]), [number - 2]);
    }
}

/// `cubic/cubic-bulk-166k-idle-restart`: four seconds without anything to send earn no growth.
#[test]
fn cubic_earns_nothing_while_idle() {
    let mut paced = Paced::from_48(40);
    assert_eq!(paced.windows([5, 10, 15, 19, 20]), [20, 30, 40, 48, 48]);
    paced.wait(4000);
    paced.script.sender.seq.limit += 160;
    assert_eq!(paced.windows([30, 40, 50, 60]), [48, 49, 52, 58]);
}
