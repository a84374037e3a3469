//! Segments one by one, for controllers that need them.

use congestion::{Delivery, Duration, SentSegment, Time};

use super::bit;

/// A [`SentSegment`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawSegment {
    pub(super) sent: u64,
    pub(super) in_flight: u64,
    pub(super) delivered: u64,
    pub(super) lost: u64,
    pub(super) ce_marked: u64,
    pub(super) number: u32,
    pub(super) flags: u32,
}

impl RawSegment {
    const APP_LIMITED: u32 = 1;
    const RETRANSMISSION: u32 = 2;
    const REPLACES: u32 = 4;
    const RESTORED: u32 = 8;

    /// The other way.
    #[must_use]
    pub fn read(&self) -> SentSegment {
        let has = |bit| self.flags & bit != 0;
        SentSegment {
            number: self.number,
            sent: Time(self.sent),
            in_flight: self.in_flight,
            delivered: self.delivered,
            lost: self.lost,
            ce_marked: self.ce_marked,
            app_limited: has(Self::APP_LIMITED),
            retransmission: has(Self::RETRANSMISSION),
            replaces: has(Self::REPLACES),
            restored: has(Self::RESTORED),
        }
    }
}

impl From<&SentSegment> for RawSegment {
    fn from(segment: &SentSegment) -> Self {
        let SentSegment { number, sent, in_flight, delivered, lost, ce_marked, .. } = *segment;
        let flags = bit(Self::APP_LIMITED, segment.app_limited)
            | bit(Self::RETRANSMISSION, segment.retransmission)
            | bit(Self::REPLACES, segment.replaces)
            | bit(Self::RESTORED, segment.restored);
        Self { sent: sent.0, in_flight, delivered, lost, ce_marked, number, flags }
    }
}

/// A [`Delivery`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawDelivery {
    pub(super) newest: RawSegment,
    pub(super) rtt: u64,
    pub(super) delivered: u64,
    pub(super) from_flight: u64,
    pub(super) prior_in_flight: u64,
    pub(super) first_unacknowledged: u32,
    pub(super) has_rtt: u32,
}

impl RawDelivery {
    /// The other way.
    #[must_use]
    pub fn read(&self) -> Delivery {
        Delivery {
            newest: self.newest.read(),
            rtt: (self.has_rtt != 0).then_some(Duration(self.rtt)),
            delivered: self.delivered,
            from_flight: self.from_flight,
            prior_in_flight: self.prior_in_flight,
            first_unacknowledged: self.first_unacknowledged,
        }
    }
}

impl From<&Delivery> for RawDelivery {
    fn from(delivery: &Delivery) -> Self {
        let Delivery { newest, rtt, delivered, from_flight, prior_in_flight, first_unacknowledged } =
            *delivery;
        Self {
            newest: RawSegment::from(&newest),
            rtt: rtt.map_or(0, |span| span.0),
            delivered,
            from_flight,
            prior_in_flight,
            first_unacknowledged,
            has_rtt: bit(1, rtt.is_some()),
        }
    }
}
