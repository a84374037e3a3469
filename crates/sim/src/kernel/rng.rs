//! Named random streams with random access.
//!
//! Every draw is addressed: (seed, purpose, entity, index) gives one `ChaCha8` block of eight words. The n-th
//! transfer of a source therefore has the same size, think time and receiver whatever happened before,
//! so two scenarios that differ only in the algorithm see the same traffic (common random numbers).

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// Purpose of a stream; the number is part of the stream's address and must not change.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Purpose {
    /// Attributes of a source: algorithm, interface, patience, start-up.
    Source = 1,
    /// Attributes of a receiver: interface.
    Receiver = 2,
    /// The n-th transfer of a source: think time, file, receiver.
    Transfer = 3,
    /// Random loss at a station.
    Loss = 4,
    /// A controller's own stream.
    Controller = 6,
    /// Decisions of a queue discipline, by the number of the packet.
    Queue = 7,
    /// Salt of a station's hashes.
    Salt = 8,
    /// Delays at sending hosts, by the number of the packet.
    HostJitter = 9,
    /// Delays at receiving hosts, by the number of the ACK.
    AckJitter = 10,
    /// The n-th request of an application: size, and the gap before it.
    Request = 21,
    /// The n-th unit of an application: number of requests, and the pause after it.
    Unit = 22,
    /// The n-th stretch of a model of a link, by station.
    Path = 16,
    /// Jitter on a path, by station and the number of the packet.
    PathJitter = 17,
    /// Reordering on a path, by station and the number of the packet.
    PathOrder = 18,
    /// Loss of packets in the air, by station and the number of the packet.
    PathAir = 19,
}

/// All random numbers of a run.
#[derive(Clone, Debug)]
pub struct Streams {
    key: [u8; 32],
}

/// One block of eight random words.
pub type Block = [u64; 8];

impl Streams {
    /// The streams of `seed`.
    pub fn new(seed: u64) -> Self {
        let mut key = *b"........mesonet random streams 1";
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self { key }
    }

    /// Block `index` of the stream of `entity` for `purpose`.
    #[inline]
    pub fn block(&self, purpose: Purpose, entity: u32, index: u32) -> Block {
        let mut generator = self.generator(purpose, entity);
        generator.set_word_pos(u128::from(index) * 16);
        std::array::from_fn(|_| generator.next_u64())
    }

    /// The stream of `entity` for `purpose`, from its beginning.
    fn generator(&self, purpose: Purpose, entity: u32) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::from_seed(self.key);
        generator.set_stream((purpose as u64) << 32 | u64::from(entity));
        generator
    }
}

/// Sequential draws from one stream.
#[derive(Debug)]
pub struct Sequence {
    streams: Streams,
    purpose: Purpose,
    entity: u32,
    index: u32,
    block: Block,
    used: usize,
}

impl Sequence {
    /// The stream of `entity` for `purpose` from its beginning.
    pub fn new(streams: &Streams, purpose: Purpose, entity: u32) -> Self {
        Self { streams: streams.clone(), purpose, entity, index: 0, block: [0; 8], used: 8 }
    }

    /// The next number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        if self.used == self.block.len() {
            self.block = self.streams.block(self.purpose, self.entity, self.index);
            self.index = self.index.wrapping_add(1);
            self.used = 0;
        }
        self.used += 1;
        uniform(self.block[self.used - 1])
    }
}

/// Draws looked up by the number of a packet, `EACH` for a packet: whatever was drawn before, a packet has the same, so
/// alternatives that differ in a discipline's parameters share them.
///
/// The generator makes four blocks at once; twice as many are kept, since to ask for some costs as much as to make one.
#[derive(Clone, Debug)]
pub struct Draws<const EACH: usize = 2> {
    generator: ChaCha8Rng,
    /// First of the blocks, behind which the generator stands.
    index: Option<u32>,
    words: [[u8; 8]; 64],
}

impl Draws {
    /// The draws of a station's discipline.
    pub fn new(streams: &Streams, station: u32) -> Self {
        Self::of(Purpose::Queue, streams, station)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "blocks are reused after 2^34 packets")]
impl<const EACH: usize> Draws<EACH> {
    /// Packets whose draws are kept together.
    pub const TOGETHER: usize = 64 / EACH;

    /// The draws of a station for a purpose.
    pub fn of(purpose: Purpose, streams: &Streams, station: u32) -> Self {
        Self { generator: streams.generator(purpose, station), index: None, words: [[0; 8]; 64] }
    }

    /// Number in [0, 1) of a packet; the `n`-th of those that are drawn for it.
    #[inline]
    pub fn uniform(&mut self, packet: u64, n: usize) -> f64 {
        uniform(self.block(packet)[n])
    }

    /// Words of a packet.
    pub fn block(&mut self, packet: u64) -> [u64; EACH] {
        self.seek(packet);
        self.words.as_chunks().0[packet as usize % Self::TOGETHER].map(u64::from_le_bytes)
    }

    /// Words of each of the packets whose draws are kept together with this one's.
    #[inline]
    pub fn together(&mut self, packet: u64) -> impl Iterator<Item = [u64; EACH]> {
        self.seek(packet);
        self.words.as_chunks().0.iter().map(|words| words.map(u64::from_le_bytes))
    }

    #[inline]
    fn seek(&mut self, packet: u64) {
        let index = (packet / Self::TOGETHER as u64 * 8) as u32;
        if self.index != Some(index) {
            self.refill(index);
        }
    }

    #[inline(never)]
    fn refill(&mut self, index: u32) {
        // Behind the last ones it is there already.
        if self.index.is_none_or(|before| before.checked_add(8) != Some(index)) {
            self.generator.set_word_pos(u128::from(index) * 16);
        }
        self.generator.fill_bytes(self.words.as_flattened_mut());
        self.index = Some(index);
    }
}

/// A number in [0, 1) with 53 random bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64")]
pub fn uniform(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// How many of the `word >> 11` are [`uniform`] below a limit that is no larger than one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^53, and not negative")]
pub fn numbers_below(limit: f64) -> u64 {
    (limit * 9_007_199_254_740_992.0).ceil() as u64
}

/// Exponential with the given mean, by inversion.
pub fn exponential(word: u64, mean: f64) -> f64 {
    -mean * libm::log1p(-uniform(word))
}

/// Pareto with the given mean and shape above 1, by inversion.
pub fn pareto(word: u64, mean: f64, shape: f64) -> f64 {
    let scale = mean * (shape - 1.0) / shape;
    scale * libm::exp(-libm::log1p(-uniform(word)) / shape)
}

/// Lognormal with the given mean and standard deviation of the logarithm, by the transform of Box and Muller.
pub fn lognormal(words: [u64; 2], mean: f64, sigma: f64) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log1p(-uniform(words[0])));
    let normal = radius * libm::cos(std::f64::consts::TAU * uniform(words[1]));
    mean * libm::exp(sigma * normal - sigma * sigma / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_addressed_not_consumed() {
        let streams = Streams::new(7);
        let block = streams.block(Purpose::Transfer, 12, 3);
        let _ = streams.block(Purpose::Transfer, 12, 2);
        assert_eq!(block, streams.block(Purpose::Transfer, 12, 3));
        assert_ne!(block, streams.block(Purpose::Transfer, 13, 3));
        assert_ne!(block, streams.block(Purpose::Source, 12, 3));
        assert_ne!(block, Streams::new(8).block(Purpose::Transfer, 12, 3));
    }

    /// A block has the draws of four packets, two of each, as many as are kept beside it.
    #[test]
    fn draws_are_words_of_their_block() {
        let streams = Streams::new(7);
        let mut draws = Draws::new(&streams, 3);
        for packet in [0, 3, 4, 17, 15, 1000, 4 * (1 << 32) - 1] {
            let block = streams.block(Purpose::Queue, 3, u32::try_from(packet / 4).expect("a block"));
            for purpose in 0..2 {
                let word = block[usize::try_from(packet % 4).expect("four packets") * 2 + purpose];
                assert_eq!(draws.uniform(packet, purpose).to_bits(), uniform(word).to_bits());
            }
        }
    }

    #[test]
    fn numbers_below_a_limit_are_uniform_below_it() {
        for limit in [1e-300, 1e-16, 0.001, 0.5, 1.0 - f64::EPSILON] {
            let after = numbers_below(limit);
            assert!(uniform((after - 1) << 11 | 0x7ff) < limit && uniform(after << 11) >= limit, "{limit}");
        }
    }

    #[test]
    fn draws_of_packets_are_looked_up() {
        let streams = Streams::new(7);
        let (mut draws, mut others) = (Draws::new(&streams, 3), Draws::new(&streams, 4));
        let first: Vec<u64> = (0..20).map(|packet| draws.uniform(packet, 0).to_bits()).collect();
        for (packet, first) in (0..20).rev().zip(first.into_iter().rev()) {
            assert_eq!(draws.uniform(packet, 0).to_bits(), first);
            assert_ne!(draws.uniform(packet, 1).to_bits(), first);
            assert_ne!(others.uniform(packet, 0).to_bits(), first);
        }
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn draws_have_the_means_they_are_asked_for() {
        let mut sequence = Sequence::new(&Streams::new(1), Purpose::Loss, 0);
        let n = 200_000u32;
        let mean = (0..n).map(|_| sequence.uniform()).sum::<f64>() / f64::from(n);
        assert!((mean - 0.5).abs() < 0.003, "uniform mean {mean}");
        let streams = Streams::new(2);
        let words: Vec<u64> = (0..n / 8).flat_map(|i| streams.block(Purpose::Loss, 1, i)).collect();
        let mean = words.iter().map(|&w| exponential(w, 5.0)).sum::<f64>() / words.len() as f64;
        assert!((mean - 5.0).abs() < 0.05, "exponential mean {mean}");
        // The median is exact where the mean of a heavy tail is slow to converge.
        let scale = 100.0 * 0.5 / 1.5;
        let median = scale * libm::pow(2.0, 1.0 / 1.5);
        let above =
            words.iter().filter(|&&w| pareto(w, 100.0, 1.5) > median).count() as f64 / words.len() as f64;
        assert!((above - 0.5).abs() < 0.005, "share above the Pareto median {above}");
    }
}
