//! A hint to the processor that memory will be read soon.
//!
//! The only unsafe code of the crate: prefetching never faults and changes nothing but time, so any
//! address would do. Worth about a tenth of a run, because a region streams through some forty rings and
//! the hardware recognises fewer streams than that.

/// Ask for the cache line that holds `value`.
#[inline]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "a prefetch of a valid reference cannot fault and changes no state")
)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE, and the pointer comes from a reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
