//! Random bytes from the seed of a flow (`SplitMix64`, G. Steele, D. Lea, C. Flood, OOPSLA 2014).

use s2n_quic_core::random::Generator;

/// Random bytes of one flow.
#[derive(Debug)]
pub struct Seeded(pub u64);

impl Seeded {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Generator for Seeded {
    fn public_random_fill(&mut self, dest: &mut [u8]) {
        for bytes in dest.chunks_mut(8) {
            let next = self.next().to_le_bytes();
            bytes.copy_from_slice(&next[..bytes.len()]);
        }
    }

    fn private_random_fill(&mut self, dest: &mut [u8]) {
        self.public_random_fill(dest);
    }
}
