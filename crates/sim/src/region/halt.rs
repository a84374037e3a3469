//! Ends of a run before its time: its watch halts it, or a controller never sleeps. From: the loop of events, bursts
//! of `send`, and wake-ups in `acknowledge`.

use congestion::{Duration, Time};

use super::Region;
use crate::kernel::channels::Channels;
use crate::net::packet::Packet;

/// Events, or segments of one burst, between two looks at the watch.
pub(super) const EVENTS_PER_LOOK: u64 = 256;

/// Wake-ups at one instant after which the controller wanted another at once; more of them are a fault. A controller
/// that works asks for none.
pub const MOST_OVERDUE: u32 = 10_000;

/// Progress of a region through simulated time.
#[derive(Debug, Default)]
pub struct Course {
    /// Everything before this time has happened.
    pub reached: Time,
    /// Source whose controller never sleeps, and the instant that it stays at.
    pub sleepless: Option<(Time, u32)>,
    /// Instant of the last overdue wake-up, and their number then.
    overdue: (Time, u32),
}

impl<C: Channels<Packet>> Region<C> {
    /// End of the window, given what is due next: the present instant is the last one if the run halts.
    #[cold]
    pub(super) fn look(&self, now: Time, end: Time) -> Time {
        if self.course.sleepless.is_some() {
            return now;
        }
        if self.world.watch.halts() { end.min(now + Duration(1)) } else { end }
    }

    /// A controller that was woken wants to be woken at once again.
    #[cold]
    pub(super) fn on_overdue(&mut self, slot: u32, now: Time) {
        let (instant, count) = &mut self.course.overdue;
        if *instant != now {
            (*instant, *count) = (now, 0);
        }
        *count += 1;
        if *count > MOST_OVERDUE && self.course.sleepless.is_none() {
            let source = self.connections[slot].source;
            self.course.sleepless = Some((now, self.sources[source].id));
        }
    }
}
