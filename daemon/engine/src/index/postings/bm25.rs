//! The formula.

/// The two constants of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3.4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How soon further occurrences of a term in a document stop counting; under 0 is taken as 0.
    pub k1: f64,
    /// How much of a document's length is held against it; taken into 0 to 1.
    pub b: f64,
}

impl Default for Bm25 {
    /// The constants that did best on conversations: short texts of one thought each.
    fn default() -> Self {
        Self { k1: 0.9, b: 0.4 }
    }
}

impl Bm25 {
    /// How rare a term is that stands in `frequency` of `documents`: `ln(1 + (N − n + ½) / (n + ½))`, always above 0.
    pub fn idf(documents: usize, frequency: usize) -> f64 {
        let (all, with) = (documents as f64, frequency as f64);
        ((all - with + 0.5) / (with + 0.5)).ln_1p()
    }

    /// The nearest constants under which a score grows with the count and falls with the length; 0 for NaN.
    fn sound(self) -> Self {
        Self {
            k1: self.k1.max(0.0),
            b: self.b.max(0.0).clamp(0.0, 1.0),
        }
    }
}

/// Documents of less length than this, which is nearly all, have what they need for the formula in a table.
const TABLE: usize = 128;

/// What occurrences of a term are worth, given the constants and the mean length of documents.
#[derive(Debug)]
pub(super) struct Gains {
    bm25: Bm25,
    documents: usize,
    total_length: u64,
    /// By length: what one occurrence is worth.
    of_one: [f64; TABLE],
}

impl Gains {
    pub(super) fn new(bm25: Bm25, documents: usize, total_length: u64) -> Self {
        let mut gains = Self {
            bm25: bm25.sound(),
            documents,
            total_length,
            of_one: [0.0; TABLE],
        };
        gains.of_one = std::array::from_fn(|length| gains.saturate(1, length as u32));
        gains
    }

    /// What `count` occurrences are worth in a document of this length: above 0, at most `k1 + 1`.
    #[inline]
    pub(super) fn of(&self, count: u32, length: u32) -> f64 {
        match self.of_one.get(length as usize) {
            Some(gain) if count == 1 => *gain,
            _ => self.saturate(count, length),
        }
    }

    fn saturate(&self, count: u32, length: u32) -> f64 {
        let Bm25 { k1, b } = self.bm25;
        // Where no document has a length, none is longer than another.
        let mean = self.total_length.max(1) as f64 / self.documents.max(1) as f64;
        let count = f64::from(count);
        count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * f64::from(length) / mean))
    }
}
