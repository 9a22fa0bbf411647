//! Texts and vectors for the benches: made up, the same in every run.
//!
//! Texts follow Zipf's law: of 20,000 words (one to three Chinese characters out of 3,000), the n-th commonest is n times
//! rarer than the first; a text has 30 words, about 60 characters. Vectors have independent components, scaled to length 1:
//! the hardest case for a search that skips, because no direction is better than another.

// Each bench uses a part.
#![allow(dead_code)]

/// `SplitMix64` (Steele, Lea and Flood 2014).
pub struct Numbers(pub u64);

impl Numbers {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 up to but not including 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From 0 up to but not including `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.share() * end as f64) as usize
    }

    /// A vector of length 1.
    pub fn vector(&mut self, dimension: usize) -> Vec<f32> {
        let mut vector: Vec<f32> = (0..dimension)
            .map(|_| (self.share() - self.share()) as f32)
            .collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        for value in &mut vector {
            *value /= length;
        }
        vector
    }
}

/// Words by falling commonness.
pub struct Vocabulary(Vec<String>);

impl Vocabulary {
    const WORDS: usize = 20_000;

    pub fn new(numbers: &mut Numbers) -> Self {
        let word = |numbers: &mut Numbers| {
            let length = [1, 2, 2, 2, 3][numbers.below(5)];
            let character =
                |numbers: &mut Numbers| char::from_u32(0x4E00 + numbers.below(3_000) as u32);
            (0..length).filter_map(|_| character(numbers)).collect()
        };
        Self((0..Self::WORDS).map(|_| word(numbers)).collect())
    }

    /// A text of `words` words.
    pub fn text(&self, words: usize, numbers: &mut Numbers) -> String {
        // The inverse of the harmonic distribution: rank r has a share of about 1/r.
        let rank = |numbers: &mut Numbers| (Self::WORDS as f64).powf(numbers.share()) as usize - 1;
        (0..words).map(|_| self.0[rank(numbers)].as_str()).collect()
    }
}

/// What the process holds in memory, in mebibytes.
pub fn resident_mib() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = pages
        .split_whitespace()
        .nth(1)
        .and_then(|field| field.parse().ok())
        .unwrap_or(f64::NAN);
    pages * 4_096.0 / 1_048_576.0
}
