//! Random numbers of checks that play at random.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// Stream of uniform numbers, the one that the simulator gives a controller of this seed.
pub(super) struct Draws(ChaCha8Rng);

impl Draws {
    /// Stream of `flow` from its beginning.
    pub(super) fn new(seed: u64, flow: u32) -> Self {
        let mut key = *b"........mesonet random streams 1";
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(6 << 32 | u64::from(flow));
        Self(generator)
    }

    /// Next number in [0, 1), of 53 random bits.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64")]
    pub(super) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }
}
