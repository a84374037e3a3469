//! A hint to the processor that memory will be read soon.
//!
//! The only unsafe code of the crate: prefetching never faults and changes nothing but time, so any
//! address would do. Worth about a tenth of a run, because a region streams through some forty rings and
//! the hardware recognises fewer streams than that.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Ask for the cache line that holds the first byte of `value`.
#[inline]
pub fn prefetch<T: ?Sized>(value: &T) {
    ask(std::ptr::from_ref(value).cast());
}

/// Ask for every cache line of `value`.
#[inline]
pub fn prefetch_whole<T>(value: &T) {
    let start = std::ptr::from_ref(value).cast::<i8>();
    for offset in (0..size_of::<T>()).step_by(LINE) {
        ask(start.wrapping_add(offset));
    }
}

#[inline]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "a prefetch cannot fault, whatever the address, and changes no state")
)]
fn ask(address: *const i8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE, and a prefetch reads nothing that the program sees.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
