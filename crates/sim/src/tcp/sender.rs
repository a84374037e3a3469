//! The sending end of a connection: loss detection and repair, and what to send next.
//!
//! Sequence numbers count segments. Loss recovery follows RFC 6675 with its names: `pipe`, `NextSeg`,
//! `IsLost`; a segment is lost once `DupThresh` segments above it are SACKed, so all holes below one mark
//! (`lost_below`) are lost, and since lost segments are repaired in order, all holes below another
//! (`high_rxt`) were retransmitted. Those two marks replace per-segment flags.
//! <https://www.rfc-editor.org/rfc/rfc6675>
//!
//! With RACK-TLP (RFC 8985) sendings are remembered one by one instead: `sender/timed.rs`.

mod episodes;
mod losses;
mod next;
mod timed;

use congestion::{AckSample, CongestionControl, CongestionEvent, Duration, Feedback, Flow, Phase, Time};

use crate::measure::counters::Counters;
use crate::net::packet::{self, Packet};
use crate::spec::{Recovery, Transport};
use crate::tcp::ranges::{Pool, Ranges};
use crate::tcp::rate::RateSampler;
use crate::tcp::round::Round;
use crate::tcp::rtt::{RtoBounds, RttEstimator};
use crate::tcp::sender::timed::Timed;

/// What all senders of a run share.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "five options, asked for one at a time on every ACK")]
pub struct Mechanism {
    /// Payload of a segment [bytes].
    pub smss: u32,
    /// Bounds of the retransmission timeout.
    pub rto: RtoBounds,
    /// SACKed segments or duplicate ACKs that mean loss.
    pub dup_thresh: u32,
    /// SACK scoreboard rather than duplicate ACKs only.
    pub sack: bool,
    /// Losses are found by time, and lost tails by a probe (RFC 8985).
    pub rack: bool,
    /// Duplicate ACKs that mean loss are answered as a timeout is.
    pub tahoe: bool,
    /// Tahoe as it was released: also those that answer what was sent again though it had arrived.
    pub successive: bool,
    /// Receive window [segments].
    pub rwnd: u32,
    /// The window grows only while it limits sending.
    pub cwnd_validation: bool,
}

impl Mechanism {
    /// The mechanism that a scenario asks for.
    #[must_use]
    pub fn new(transport: &Transport, smss: u32) -> Self {
        Self {
            smss,
            rto: RtoBounds::from(transport),
            dup_thresh: transport.dup_thresh,
            sack: matches!(transport.recovery, Recovery::Sack | Recovery::Rack),
            rack: transport.recovery == Recovery::Rack,
            tahoe: matches!(transport.recovery, Recovery::Tahoe | Recovery::Tahoe1988),
            successive: transport.recovery == Recovery::Tahoe1988,
            rwnd: transport.receive_window.unwrap_or(u32::MAX),
            cwnd_validation: transport.cwnd_validation,
        }
    }
}

/// Progress of loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Episode {
    /// No loss outstanding.
    Open,
    /// Fast recovery (RFC 6675, RFC 6582).
    Fast,
    /// After a retransmission timeout.
    Timeout,
}

/// A sending end with something to send.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "six facts that do not exclude each other")]
pub struct Sender {
    /// Oldest unacknowledged segment.
    pub una: u32,
    /// Duplicate ACKs since the last one that was none, whatever the episode.
    repeats: u32,
    /// Next new segment.
    pub next: u32,
    /// One past the last segment of the transfer.
    pub limit: u32,
    /// Window in force [segments].
    pub cwnd: u32,
    /// The same, unrounded [bytes].
    pub window: f64,
    lost_below: u32,
    high_rxt: u32,
    /// Retransmitted segments in flight.
    retransmitted: u32,
    /// The controller has not been told of a segment that duplicate ACKs declared lost.
    untold: bool,
    /// SACKed segments at or above `lost_below`; without SACK duplicate ACKs in a row, which stand for them.
    reported: u32,
    recovery_point: u32,
    /// Loss recovery in progress.
    pub episode: Episode,
    force: bool,
    rescue: bool,
    /// Retransmission timer [ps]; `u64::MAX` when off.
    pub rto_at: u64,
    /// Earliest time of the next segment when paced [ps].
    pub pace_at: u64,
    pace_gap: u64,
    /// Round-trip times.
    pub rtt: RttEstimator,
    round: Round,
    /// First segment sent again in the round in progress; `u32::MAX` if there is none.
    round_repair: u32,
    board: Option<Box<Ranges>>,
    /// Sendings one by one, where losses are found by time.
    timed: Option<Box<Timed>>,
    rate: Option<Box<RateSampler>>,
    /// Segments are sent as ECN-capable.
    pub ecn: bool,
    /// Marks on segments below this belong to an episode that the controller knows of.
    ecn_point: u32,
    /// Segments carry congestion headers.
    pub stamps: bool,
    /// The algorithm in charge.
    pub control: Box<dyn CongestionControl>,
    /// No loss so far: still in the initial slow start, unless `ssthresh` ended it.
    pub lossless: bool,
    /// Data segments sent, with retransmissions.
    pub sent: u64,
    /// Data segments sent again.
    pub resent: u64,
    /// Segments acknowledged or SACKed.
    pub delivered: u64,
}

impl Sender {
    /// A sender of `limit` segments that has sent nothing yet.
    #[must_use]
    pub fn new(
        control: Box<dyn CongestionControl>,
        limit: u32,
        rtt: RttEstimator,
        mechanism: &Mechanism,
    ) -> Self {
        let needs = control.needs();
        let mut sender = Self {
            una: 0,
            next: 0,
            limit,
            cwnd: 1,
            window: 0.0,
            lost_below: 0,
            high_rxt: 0,
            retransmitted: 0,
            untold: false,
            reported: 0,
            repeats: 0,
            recovery_point: 0,
            episode: Episode::Open,
            force: false,
            rescue: false,
            rto_at: u64::MAX,
            pace_at: 0,
            pace_gap: 0,
            rtt,
            round: Round::starting(0),
            round_repair: u32::MAX,
            board: None,
            timed: mechanism.rack.then(Box::default),
            rate: needs.rate_samples.then(Box::default),
            ecn: needs.ecn,
            ecn_point: 0,
            stamps: needs.feedback.is_some(),
            control,
            lossless: true,
            sent: 0,
            resent: 0,
            delivered: 0,
        };
        sender.obey(mechanism);
        sender
    }

    /// Segments in the network as far as the sender can tell (RFC 6675 section 4, `SetPipe`).
    #[must_use]
    pub fn pipe(&self) -> u32 {
        if let Some(timed) = &self.timed {
            return timed.rack.flying();
        }
        (self.next - self.lost_below.max(self.una)).saturating_sub(self.reported) + self.retransmitted
    }

    /// Bytes of memory held beyond its own: controller, scoreboard, delivery rates.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(&*self.control)
            + self.board.as_ref().map_or(0, |board| board.memory())
            + self.timed.as_ref().map_or(0, |timed| timed.memory())
            + self.rate.as_ref().map_or(0, |rate| rate.memory())
    }

    /// Whether everything has been acknowledged.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.una >= self.limit
    }

    /// The congestion header of the segment just chosen.
    #[cold]
    pub fn stamp(&mut self, mechanism: &Mechanism, now: u64) -> Feedback {
        let mut header = Feedback::None;
        let flow = self.flow(now, mechanism);
        self.control.on_send(&mut header, &flow);
        header
    }

    /// An ACK arrived at `now`; `feedback` is its congestion header.
    pub fn on_ack(
        &mut self,
        ack: &Packet,
        feedback: &Feedback,
        now: u64,
        mechanism: &Mechanism,
        pool: &mut Pool,
        counters: &mut Counters,
    ) {
        let rtt = packet::since(Time(now), ack.stamp).0;
        self.rtt.sample(rtt, &mechanism.rto);
        let pipe = self.pipe();
        let una = self.una;
        let delivered = self.take(ack, now, mechanism, pool, counters);
        let mut lost = self.detect_losses(now, mechanism) + u32::from(std::mem::take(&mut self.untold));
        if self.timed.is_some() {
            lost += self.hear_of_probe(ack, una, now, mechanism, counters);
        }
        if self.episode == Episode::Open && self.has_losses() {
            counters.recoveries += 1;
            if mechanism.tahoe {
                self.restart(now, mechanism);
            } else {
                self.enter_recovery(now, mechanism);
            }
        }
        if mechanism.successive
            && self.episode == Episode::Timeout
            && self.una == una
            && self.repeats == mechanism.dup_thresh
        {
            counters.recoveries += 1;
            self.restart(now, mechanism);
        }
        if self.una > una {
            self.rto_at = if self.una == self.next { u64::MAX } else { now + self.rtt.timeout() };
        }
        self.delivered += u64::from(delivered);
        counters.acked += u64::from(delivered);
        if ack.echoes_ce() {
            self.on_mark(now, mechanism);
        }
        if delivered > 0 {
            let advanced = self.una > una;
            self.tell(ack, now, mechanism, Told { rtt, pipe, delivered, lost, advanced, feedback }, counters);
        } else {
            self.remember_untold(lost);
        }
        if self.episode != Episode::Open && self.una >= self.recovery_point {
            self.episode = Episode::Open;
            if !mechanism.sack {
                self.reported = 0;
            }
            let flow = self.flow(now, mechanism);
            self.control.on_congestion(CongestionEvent::ExitRecovery, &flow);
            self.obey(mechanism);
        }
        if self.timed.is_some() && delivered > 0 {
            self.arm_probe(now, mechanism);
        }
        if self.board.as_ref().is_some_and(|board| board.is_empty()) {
            pool.extend(self.board.take());
        }
    }

    fn tell(
        &mut self,
        ack: &Packet,
        now: u64,
        mechanism: &Mechanism,
        told: Told<'_>,
        counters: &mut Counters,
    ) {
        let smss = u64::from(mechanism.smss);
        let highest = self.board.as_ref().map_or(self.una, |board| board.end().max(self.una));
        let (delivered, lost) = (u64::from(told.delivered) * smss, u64::from(told.lost) * smss);
        let ce_marked = if ack.echoes_ce() { delivered } else { 0 };
        self.round.on_mark(ce_marked);
        let repaired = self.round_repair < u32::MAX && self.is_delivered(self.round_repair);
        let round = self.round.on_ack(delivered, lost, told.rtt, highest, repaired, self.next);
        if round.is_some() {
            self.round_repair = u32::MAX;
        }
        let newest = ack.sack_block().map_or(ack.seq.saturating_sub(1), |(_, end)| end - 1);
        let forward_delay = ack.arrival().map(|arrival| packet::between(ack.stamp, arrival));
        let rate = match &mut self.rate {
            Some(rate) => rate.on_ack(newest, told.delivered, self.una, now, self.rtt.min, mechanism.smss),
            None => None,
        };
        let sample = AckSample {
            delivered,
            lost,
            ce_marked,
            rtt: Some(Duration(told.rtt)),
            forward_delay,
            rate,
            round,
            feedback: *told.feedback,
        };
        let mut flow = self.flow(now, mechanism);
        // Slow start after a timeout goes by what is acknowledged, not by what is SACKed meanwhile: while the
        // oldest segment is missing, nothing says that the network takes more (RFC 5681 section 3.1).
        flow.cwnd_limited = (self.episode != Episode::Timeout || told.advanced)
            && (!mechanism.cwnd_validation || self.was_limited(told.pipe));
        self.control.on_ack(&sample, &flow);
        let before = self.window;
        self.obey(mechanism);
        counters.cwnd_increases += u64::from(self.window > before);
    }

    fn is_delivered(&self, segment: u32) -> bool {
        let sacked = |board: &Ranges| board.count_within(segment, segment + 1) > 0;
        segment < self.una || self.board.as_deref().is_some_and(sacked)
    }

    /// Whether the window, rather than the application, limited the last flight (RFC 7661; Linux's rule).
    fn was_limited(&self, pipe: u32) -> bool {
        match self.control.phase() {
            Phase::SlowStart => 2 * u64::from(pipe) > u64::from(self.cwnd),
            Phase::Standard | Phase::Alternate => pipe + 1 >= self.cwnd,
        }
    }

    /// The controller's timer expired at `now`.
    pub fn on_wakeup(&mut self, now: u64, mechanism: &Mechanism) {
        let flow = self.flow(now, mechanism);
        self.control.on_wakeup(&flow);
        self.obey(mechanism);
    }

    /// Facts for the controller.
    fn flow(&self, now: u64, mechanism: &Mechanism) -> Flow {
        let smss = u64::from(mechanism.smss);
        Flow {
            now: Time(now),
            smss: mechanism.smss,
            in_flight: u64::from(self.pipe()) * smss,
            flight_size: u64::from(self.next - self.una) * smss,
            srtt: Duration(self.rtt.srtt),
            min_rtt: Duration(if self.rtt.min == u64::MAX { 0 } else { self.rtt.min }),
            in_recovery: self.episode != Episode::Open,
            cwnd_limited: true,
        }
    }

    /// Put the controller's decision in force.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer casts saturate, and a window beyond 2^32 segments is no limit"
    )]
    fn obey(&mut self, mechanism: &Mechanism) {
        let decision = self.control.decision();
        self.window = decision.cwnd;
        self.cwnd = ((decision.cwnd / f64::from(mechanism.smss)) as u32).max(1);
        self.pace_gap = match decision.pacing_rate {
            Some(rate) => Duration::from_seconds(f64::from(mechanism.smss) / rate.0).0.max(1),
            None => 0,
        };
    }

    /// Give back what was borrowed from `pool`, empty.
    pub fn retire(&mut self, pool: &mut Pool) {
        if let Some(mut board) = self.board.take() {
            board.clear();
            pool.push(board);
        }
    }
}

/// What one ACK told, for the controller.
#[derive(Clone, Copy, Debug)]
struct Told<'a> {
    rtt: u64,
    pipe: u32,
    delivered: u32,
    lost: u32,
    /// The ACK acknowledges more than the one before it, not only selectively.
    advanced: bool,
    feedback: &'a Feedback,
}
