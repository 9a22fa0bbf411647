//! In which order the words of a text are lost.
//!
//! Written so that any language can do the same, with nothing but 64-bit integers:
//!
//! 1. The seed is the FNV-1a hash (64 bits) of the text's UTF-8 bytes
//!    (Fowler, Noll, Vo; <http://www.isthe.com/chongo/tech/comp/fnv/>).
//! 2. The generator is `SplitMix64` (Steele, Lea, Flood: *Fast Splittable Pseudorandom Number
//!    Generators*, 2014) started with the seed.
//! 3. The words `0 … n−1` are shuffled by Fisher and Yates (Knuth, TAOCP 2, algorithm P): for `i` from `n−1` down to 1, swap the
//!    words at `i` and at `j`, where `j` is the upper 64 bits of the next number times `i+1`.
//!
//! `fixtures/forget/generate.py` is a second writing of it, and `fixtures/forget/masks.json` what it gives.

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a over bytes, 64 bits.
///
/// ```
/// use soulmem_engine::forget::permutation::fnv1a;
/// assert_eq!(fnv1a(b"foobar"), 0x85944171f73967e8); // from the authors' test vectors
/// ```
pub fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
    bytes.iter().fold(FNV_OFFSET, step)
}

/// The generator `SplitMix64`.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Started with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number under `bound`, which must not be 0.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }
}

/// The order in which `words` words of a text are lost, as their places in the text. It depends on the text alone.
pub fn permutation(text: &str, words: usize) -> Vec<usize> {
    let mut generator = SplitMix64::new(fnv1a(text.as_bytes()));
    let mut order: Vec<usize> = (0..words).collect();
    for i in (1..words).rev() {
        let j = generator.below(i as u64 + 1) as usize;
        order.swap(i, j);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        // Seed 1234567, from the reference implementation by Vigna.
        let mut generator = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| generator.next_u64()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn every_word_is_in_the_order_once() {
        for words in [0, 1, 2, 7, 300] {
            let mut order = permutation("x", words);
            order.sort_unstable();
            assert_eq!(order, (0..words).collect::<Vec<_>>());
        }
    }
}
