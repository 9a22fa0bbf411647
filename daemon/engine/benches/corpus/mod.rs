//! Texts and vectors for the benches: made up, the same in every run.
//!
//! Texts follow Zipf's law twice: of 3,000 Chinese characters and of 20,000 words made of them (one to three characters) the
//! n-th commonest is n times rarer than the first; and two words in three are among the twenty that like to follow the one
//! before, as in language. A text has 30 words, about 60 characters. Vectors have independent components, scaled to length 1:
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

    /// A rank from 0 up to but not including `end`, the n-th with a share of about 1/n.
    pub fn rank(&mut self, end: usize) -> usize {
        (end as f64).powf(self.share()) as usize - 1
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
    const CHARACTERS: usize = 3_000;
    const FOLLOWERS: usize = 20;

    pub fn new(numbers: &mut Numbers) -> Self {
        let word = |numbers: &mut Numbers| {
            let length = [1, 2, 2, 2, 3][numbers.below(5)];
            let character = |numbers: &mut Numbers| {
                char::from_u32(0x4E00 + numbers.rank(Self::CHARACTERS) as u32)
            };
            (0..length).filter_map(|_| character(numbers)).collect()
        };
        Self((0..Self::WORDS).map(|_| word(numbers)).collect())
    }

    /// A text of `words` words.
    pub fn text(&self, words: usize, numbers: &mut Numbers) -> String {
        let mut text = String::new();
        let mut word = numbers.rank(Self::WORDS);
        for _ in 0..words {
            text.push_str(&self.0[word]);
            word = if numbers.below(3) < 2 {
                // The followers of a word are a sequence of their own.
                let mut followers =
                    Numbers((word * Self::FOLLOWERS + numbers.below(Self::FOLLOWERS)) as u64);
                followers.rank(Self::WORDS)
            } else {
                numbers.rank(Self::WORDS)
            };
        }
        text
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
