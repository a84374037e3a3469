//! Congestion controllers in shared libraries that are loaded at run time.
//!
//! An author implements [`congestion::CongestionControl`], or [`congestion::WindowController`] for less, and lists
//! what others may name:
//!
//! ```
//! use mesonet_plugin::congestion::{
//!     AckSample, Algorithm, CongestionEvent, Flow, Window, WindowController,
//! };
//!
//! const MINE: Algorithm = Algorithm {
//!     name: "mine",
//!     display: "My controller",
//!     edition: 1,
//!     summary: "Slow start, and half the window on congestion",
//!     source: "a first attempt",
//!     params: &[],
//!     build: |_, initial| Box::new(Mine { window: Window::new(initial) }),
//! };
//!
//! #[derive(Debug)]
//! struct Mine {
//!     window: Window,
//! }
//!
//! impl WindowController for Mine {
//!     fn window(&self) -> &Window {
//!         &self.window
//!     }
//!
//!     fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
//!         let credit = self.window.credit(ack, flow);
//!         let _ = self.window.slow_start(credit);
//!     }
//!
//!     fn on_congestion(&mut self, event: CongestionEvent, _flow: &Flow) {
//!         self.window.respond(event, self.window.cwnd() / 2.0);
//!     }
//! }
//!
//! mesonet_plugin::export_controllers![MINE];
//! # fn main() {}
//! ```
//!
//! With `crate-type = ["cdylib"]` that is a library which mesonet loads. Nothing but C types crosses the
//! border, so library and mesonet may come from different compilers; what has to agree is [`ABI`].
//!
//! Code that is shipped elsewhere needs no trait but some functions: [`Shipped`].
//!
//! With the feature `testing`, `congestion::testing` has a scripted transport for unit tests of controllers; with
//! `conformance`, `congestion::conformance` has the demands on every controller that `mesonet check-controller`
//! plays.
//!
//! All unsafe code of the border is in this crate: `abi` (what crosses), `export` (the library's side) and
//! `host` (mesonet's side, with the feature of that name).

pub use congestion;

pub mod abi;
pub mod export;
#[cfg(feature = "host")]
pub mod host;
mod shipped;

pub use shipped::Shipped;

/// Version of what crosses the border; a library of another version is refused.
///
/// It counts up whenever a type or a function of [`abi`] changes in any way:
///
/// 1. the first;
/// 2. a controller has a name for people, and says what it needs in one answer;
/// 3. a controller says which ECN it works with, is told what the hosts agreed on, and a window may be a part of a
///    segment;
/// 4. a controller hears of segments one by one if it asks to, of what is taken back and of idle times, and the window
///    is its own in a recovery if it says so; all of [`congestion::CongestionControl`] crosses.
pub const ABI: u32 = 4;

/// Version of this crate, told in messages.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Exports algorithms from a `cdylib`: `export_controllers![ONE, OTHER]`, each a
/// [`congestion::Algorithm`]. Once per library.
#[macro_export]
macro_rules! export_controllers {
    ($($algorithm:expr),+ $(,)?) => {
        #[cfg(panic = "abort")]
        compile_error!("a controller that panics has to unwind: remove panic = \"abort\" from the profile");

        const _: () = {
            struct Exported;

            impl $crate::export::Controllers for Exported {
                const LIST: &'static [$crate::congestion::Algorithm] = &[$($algorithm),+];
            }

            /// Symbol that mesonet looks for.
            #[allow(unsafe_code, reason = "the name is that of the ABI, and its type is right")]
            #[unsafe(no_mangle)]
            pub static MESONET_PLUGIN: $crate::abi::Header =
                $crate::export::header::<Exported>(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        };
    };
}

/// Exports code that is shipped elsewhere, a [`Shipped`], as a controller with the name of this crate. In place of
/// [`export_controllers!`].
#[macro_export]
macro_rules! export_shipped {
    ($shipped:expr) => {
        $crate::export_controllers![$crate::congestion::Algorithm {
            name: env!("CARGO_PKG_NAME"),
            display: env!("CARGO_PKG_NAME"),
            edition: 1,
            summary: "Code that is shipped",
            source: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
            params: &[],
            build: |_, initial| $shipped.build(initial),
        }];
    };
}
