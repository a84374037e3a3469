//! ACKs and connections for tests of loss detection.

use congestion::{Duration, Time};

use super::{
    Ack, AckOutcome, Evidence, LossDetection, LossOptions, ReoWndRule, Transmission, TransmissionKind, View,
};
use crate::net::packet::{Kind, Packet, Report};
use crate::tcp::ranges::Pool;
use crate::tcp::recovery::RecoveryState;
use crate::tcp::rtt::{RtoBounds, RtoRule, RttEstimator};
use crate::tcp::send_time::SendTime;
use crate::tcp::sequence::SequenceSpace;

pub(super) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Loss detection with what it reads of a connection; round trips take 40 ms.
pub(super) struct Connection {
    pub loss: LossDetection,
    pub options: LossOptions,
    pub rto: RtoBounds,
    pub seq: SequenceSpace,
    pub rtt: RttEstimator,
    pub state: RecoveryState,
    pub now: Time,
    pub pool: Pool,
}

impl Connection {
    /// Connection that has sent `outstanding` segments, all at once.
    pub fn new(evidence: Evidence, outstanding: u32) -> Self {
        let rto = RtoBounds {
            initial: ms(1000),
            min: ms(200),
            max: ms(60_000),
            rule: RtoRule::Linux,
            ack_delay: Duration::ZERO,
        };
        let options = LossOptions { evidence, dup_thresh: 3, reo_wnd: ReoWndRule::Fixed };
        let (rtt, _) = RttEstimator::of_handshake(ms(40), &rto);
        let seq = SequenceSpace::new(u32::MAX);
        let loss = LossDetection::new(evidence);
        let (state, now, pool) = (RecoveryState::Open, Time::ZERO, Pool::new());
        let mut connection = Self { loss, options, rto, seq, rtt, state, now, pool };
        for _ in 0..outstanding {
            connection.send_new();
        }
        connection
    }

    pub fn send_new(&mut self) {
        let segment = self.seq.take_new();
        self.send(Transmission { segment, kind: TransmissionKind::New });
    }

    pub fn send(&mut self, sent: Transmission) -> bool {
        self.loss.on_sent(sent, &self.seq, self.now)
    }

    /// Retransmit the next lost segment.
    pub fn retransmit(&mut self) -> Option<u32> {
        let segment = self.loss.next_lost(&self.seq)?;
        self.send(Transmission { segment, kind: TransmissionKind::Retransmission });
        Some(segment)
    }

    /// Cumulative ACK, with a SACK block if there is one.
    pub fn ack(&mut self, seg_ack: u32, sacked: Option<(u32, u32)>) -> AckOutcome {
        self.ack_of(Kind::Ack, seg_ack, sacked)
    }

    pub fn ack_of(&mut self, kind: Kind, seg_ack: u32, sacked: Option<(u32, u32)>) -> AckOutcome {
        let packet = Packet { seq: seg_ack, kind, ..Packet::default() };
        let report = sacked.map_or(Report::arrival(0), |(start, end)| Report::block(start, end));
        let packet = packet.reporting(report, false);
        let prior_una = self.seq.snd_una;
        self.seq.acknowledge(seg_ack);
        let Self { loss, options, rto, seq, rtt, state, now, pool } = self;
        let view = View { seq, rtt, send_time: SendTime::default(), state: *state, options, rto, now: *now };
        loss.on_ack(&Ack { packet: &packet, prior_una }, &view, pool)
    }

    pub fn schedule_probe(&mut self, rto_at: Time) {
        let Self { loss, options, rto, seq, rtt, state, now, .. } = self;
        loss.schedule_probe(
            &View { seq, rtt, send_time: SendTime::default(), state: *state, options, rto, now: *now },
            rto_at,
        );
    }

    pub fn on_timer(&mut self) -> super::TimerOutcome {
        let Self { loss, options, rto, seq, rtt, state, now, .. } = self;
        loss.on_timer(&View {
            seq,
            rtt,
            send_time: SendTime::default(),
            state: *state,
            options,
            rto,
            now: *now,
        })
    }

    /// Expiry of the probe timeout up to `now`.
    pub fn probe_is_due_at(&mut self, now: Time) -> bool {
        self.now = now;
        self.on_timer().probe_due
    }

    pub fn enter_fast_recovery(&mut self) {
        self.state = RecoveryState::FastRecovery { recovery_point: self.seq.snd_nxt };
        self.loss.on_fast_recovery(&self.seq);
    }

    pub fn exit_recovery(&mut self) {
        self.state = RecoveryState::Open;
        self.loss.on_recovery_exit();
    }

    pub fn on_rto(&mut self) {
        self.state = RecoveryState::RtoRecovery { recovery_point: self.seq.snd_nxt };
        self.loss.on_rto(&self.seq, self.now);
    }

    pub fn pipe(&self) -> u32 {
        self.loss.pipe(&self.seq)
    }
}
