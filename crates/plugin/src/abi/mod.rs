//! C types of the border, and conversions to and from those of `congestion`.
//!
//! Here are the header and the functions that a library exports. `describe` has the properties of a controller before
//! a flow begins, `sample` and `segment` its inputs, `answer` its answers.
//!
//! A change here is a change of [`crate::ABI`]. Only the beginning of [`Header`], its [`Prelude`], stays as
//! it is in all versions: it identifies the version.

mod answer;
mod describe;
mod sample;
mod segment;
#[cfg(test)]
mod tests;

pub use answer::*;
pub use describe::*;
pub use sample::*;
pub use segment::*;

use std::ffi::c_void;

/// The symbol under which a library exports its [`Header`].
pub const SYMBOL: &str = "MESONET_PLUGIN";

/// First bytes of every header.
pub const MAGIC: [u8; 16] = *b"mesonet plugin\r\n";

/// A call did what it was asked.
pub const DONE: u32 = 0;
/// The controller panicked, or an argument made no sense. It must not be called again; [`Calls::message`] says
/// why it panicked.
pub const FAILED: u32 = 1;

/// UTF-8 text that lives as long as its owner says.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    start: *const u8,
    length: usize,
}

impl Text {
    /// Borrows `text`.
    #[must_use]
    pub const fn of(text: &str) -> Self {
        Self { start: text.as_ptr(), length: text.len() }
    }

    /// The text, or none if it is not UTF-8.
    ///
    /// # Safety
    /// The text that this borrows from must live for `'a`.
    #[expect(unsafe_code, reason = "text of the other side comes as a pointer")]
    #[must_use]
    pub unsafe fn read<'a>(self) -> Option<&'a str> {
        if self.start.is_null() || isize::try_from(self.length).is_err() {
            return None;
        }
        // SAFETY: not null, not too long, and alive by this function's contract.
        let bytes = unsafe { std::slice::from_raw_parts(self.start, self.length) };
        std::str::from_utf8(bytes).ok()
    }
}

/// The part of [`Header`] that is the same in all versions of the ABI.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Prelude {
    /// [`MAGIC`].
    pub magic: [u8; 16],
    /// Version of the ABI.
    pub abi: u32,
    /// Zero.
    pub reserved: u32,
    /// Version of this crate that the library was built with.
    pub plugin_version: Text,
    /// Name of the library's crate.
    pub name: Text,
    /// Version of the library's crate.
    pub version: Text,
}

/// Export of a library under [`SYMBOL`]. Made by [`crate::export::header`] and by nothing else.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub(crate) prelude: Prelude,
    /// Number of controllers.
    pub(crate) controllers: u32,
    pub(crate) calls: Calls,
}

#[expect(unsafe_code, reason = "a header holds pointers, which are not Sync by themselves")]
// SAFETY: a header is never written to, and neither is the text that it points to.
unsafe impl Sync for Header {}

#[expect(unsafe_code, reason = "a header holds pointers, which are not Send by themselves")]
// SAFETY: as for Sync; nothing in it belongs to a thread.
unsafe impl Send for Header {}

/// Writes down one quantity of a controller: context, name (of the library's lifetime), value.
pub type Record = unsafe extern "C" fn(*mut c_void, Text, f64);

/// The functions of a library.
///
/// A `state` comes from `create` and is used by one thread at a time; all other pointers live for the call.
/// Functions that return a number return [`DONE`] or [`FAILED`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// Describe a controller by its number.
    pub describe: unsafe extern "C" fn(u32, *mut RawAlgorithm) -> u32,
    /// Describe a parameter by the numbers of its controller and its own.
    pub parameter: unsafe extern "C" fn(u32, u32, *mut RawParam) -> u32,
    /// Create controller number so-and-so for one flow from the values of its parameters.
    pub create: unsafe extern "C" fn(u32, *const f64, usize, *const RawInitial, *mut RawCreated) -> u32,
    /// [`congestion::CongestionControl::on_ack`].
    pub on_ack: unsafe extern "C" fn(*mut c_void, *const RawAck, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::on_congestion`].
    pub on_congestion: unsafe extern "C" fn(*mut c_void, u32, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::on_send`].
    pub on_send: unsafe extern "C" fn(*mut c_void, *mut RawFeedback, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::on_wakeup`].
    pub on_wakeup: unsafe extern "C" fn(*mut c_void, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::on_segment_sent`].
    pub on_segment_sent:
        unsafe extern "C" fn(*mut c_void, *const RawSegment, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::on_delivery`].
    pub on_delivery:
        unsafe extern "C" fn(*mut c_void, *const RawDelivery, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::on_segment_lost`]; not zero if it starts a run.
    pub on_segment_lost:
        unsafe extern "C" fn(*mut c_void, *const RawSegment, u32, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::on_undo`]: window and threshold, which is NaN of a controller without.
    pub on_undo: unsafe extern "C" fn(*mut c_void, f64, f64, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::on_restart`]: idle time.
    pub on_restart: unsafe extern "C" fn(*mut c_void, u64, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::override_window`]: window and threshold. The flow is as it was last.
    pub override_window: unsafe extern "C" fn(*mut c_void, f64, f64, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`congestion::CongestionControl::state`].
    pub state: unsafe extern "C" fn(*mut c_void, *mut c_void, Record) -> u32,
    /// Why the last call failed; the text lives until the next call.
    pub message: unsafe extern "C" fn(*mut c_void) -> Text,
    /// Destroy what `create` made.
    pub destroy: unsafe extern "C" fn(*mut c_void),
}

fn bit(bit: u32, set: bool) -> u32 {
    if set { bit } else { 0 }
}
