//! The scores of a stretch of documents, small enough to stay in the fastest memory.

/// The longest stretch.
pub(super) const WINDOW: u32 = 2_048;

const BITS: usize = u64::BITS as usize;

/// Scores of documents numbered from the beginning of a stretch.
pub(super) struct Window {
    scores: [f64; WINDOW as usize],
    /// A bit for each document that has a score.
    touched: [u64; WINDOW as usize / BITS],
}

impl Window {
    pub(super) fn new() -> Self {
        Self {
            scores: [0.0; WINDOW as usize],
            touched: [0; WINDOW as usize / BITS],
        }
    }

    #[inline]
    pub(super) fn add(&mut self, at: usize, gain: f64) {
        self.scores[at] += gain;
        self.touched[at / BITS] |= 1 << (at % BITS);
    }

    /// Hands every score over, in the order of the documents, and is empty again.
    pub(super) fn drain(&mut self, mut visit: impl FnMut(usize, f64)) {
        for (word, bits) in self.touched.iter_mut().enumerate() {
            while *bits != 0 {
                let at = word * BITS + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                visit(at, std::mem::take(&mut self.scores[at]));
            }
        }
    }
}
