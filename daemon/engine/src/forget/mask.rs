//! A text with some of its words hidden.

use std::ops::Range;

use super::curve::REIMAGINE_FROM;
use super::permutation::permutation;
use crate::model::Anchor;
use crate::text::words;

/// What stands in the place of a word that is masked.
pub const MASK_WORD: &str = " [masked] ";

/// In which order the words of one text are lost: unanchored ones first, then anchored ones, each in the order of the
/// text's [`permutation`].
///
/// ```
/// use soulmem_engine::forget::Mask;
/// let text = "The ferry leaves at seven.";
/// let mask = Mask::new(text, None, &[]);
/// assert_eq!(mask.words(), 5);
/// assert_eq!(mask.told(text, 0.0), text);
/// assert_eq!(mask.told(text, 0.4).matches("[masked]").count(), 2); // ⌊0.4 · 5 + ½⌋
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    words: Vec<Word>,
    /// Places in `words`.
    order: Vec<usize>,
    /// Those of the anchors, in their order.
    gists: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    range: Range<usize>,
    anchored: bool,
    /// The first anchor over it that has a gist.
    gist: Option<usize>,
}

impl Word {
    fn under(range: Range<usize>, anchors: &[&Anchor]) -> Self {
        let over = |anchor: &Anchor| anchor.start < range.end && range.start < anchor.end;
        let anchored = anchors
            .iter()
            .any(|anchor| anchor.fades_last() && over(anchor));
        let gist = anchors
            .iter()
            .position(|anchor| over(anchor) && anchor.gist.is_some());
        Self {
            range,
            anchored,
            gist,
        }
    }
}

impl Mask {
    /// That of a text. `borders` are where its words start and end in bytes, as they were kept when it was first cut; they are
    /// cut anew where none are given, or where those given do not fit the text. `anchors` are those that stand in this text.
    pub fn new(text: &str, borders: Option<&[(u32, u32)]>, anchors: &[&Anchor]) -> Self {
        let kept = borders.and_then(|borders| fitting(text, borders));
        let words: Vec<Word> = kept
            .unwrap_or_else(|| words(text))
            .into_iter()
            .map(|range| Word::under(range, anchors))
            .collect();
        let mut order = permutation(text, words.len());
        // Stable: both groups keep the order of the permutation.
        order.sort_by_key(|place| words[*place].anchored);
        let gists = anchors.iter().map(|anchor| anchor.gist.clone());
        Self {
            words,
            order,
            gists: gists.map(Option::unwrap_or_default).collect(),
        }
    }

    /// How many words the text has.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Where the words start and end, in bytes of the text.
    pub fn borders(&self) -> Vec<(u32, u32)> {
        let border = |word: &Word| (word.range.start as u32, word.range.end as u32);
        self.words.iter().map(border).collect()
    }

    /// The places of the words that are masked at a missing degree, in the order of the text: `⌊degree · words + ½⌋` of them.
    pub fn covered(&self, degree: f64) -> Vec<usize> {
        let count = (degree.clamp(0.0, 1.0) * self.words.len() as f64 + 0.5).floor() as usize;
        let mut covered: Vec<usize> = self.order.iter().copied().take(count).collect();
        covered.sort_unstable();
        covered
    }

    /// The text as it is told at a missing degree. Under [`REIMAGINE_FROM`] the gist of an anchor stands in the place of those
    /// of its words that are masked; past it, the bare mask.
    pub fn told(&self, text: &str, degree: f64) -> String {
        let mut told = String::with_capacity(text.len());
        let mut at = 0;
        let mut said = None;
        for place in self.covered(degree) {
            let word = &self.words[place];
            told.push_str(text.get(at..word.range.start).unwrap_or_default());
            at = word.range.end;
            match word.gist.filter(|_| degree < REIMAGINE_FROM) {
                None => told.push_str(MASK_WORD),
                gist if gist == said => {}
                Some(gist) => {
                    told.extend([" [", &self.gists[gist], "] "]);
                    said = Some(gist);
                }
            }
        }
        told.push_str(text.get(at..).unwrap_or_default());
        told
    }
}

/// The borders as ranges, where each is a piece of the text and they come one after the other.
fn fitting(text: &str, borders: &[(u32, u32)]) -> Option<Vec<Range<usize>>> {
    let mut ranges = Vec::with_capacity(borders.len());
    let mut at = 0;
    for (start, end) in borders {
        let range = *start as usize..*end as usize;
        if range.start < at || range.is_empty() || text.get(range.clone()).is_none() {
            return None;
        }
        at = range.end;
        ranges.push(range);
    }
    Some(ranges)
}
