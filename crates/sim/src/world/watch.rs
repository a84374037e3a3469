//! The caller's way to end a run before its time.

/// Watch over a run, asked by every thread of it.
pub trait Watch: Send + Sync {
    /// The run ends before the next event. Asked once in a few hundred events, wherever these are in simulated
    /// time; once true, it stays so.
    fn halts(&self) -> bool;
}

/// Watch that lets every run come to its end.
pub struct Unwatched;

impl Watch for Unwatched {
    fn halts(&self) -> bool {
        false
    }
}
