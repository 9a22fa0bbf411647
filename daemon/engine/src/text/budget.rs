//! What a text costs in a prompt, and how to cut it to a cost.

use unicode_segmentation::UnicodeSegmentation;

use super::script::Class;

/// Costs are counted in quarters of a token: one token of a language model covers about four bytes of Latin text,
/// numbers and punctuation.
const QUARTERS: usize = 4;

/// Estimates how many tokens of a language model a text takes: one for each character of a script written without
/// spaces, two for an emoji, one for every four bytes of everything else, rounded up.
///
/// The common tokenisers spend 0.6 to 1.3 tokens on a Chinese character and one on four to five letters of English,
/// so a budget kept by this estimate is kept in fact by nearly every model. It depends on no model.
///
/// ```
/// use soulmem_engine::text::estimate_tokens;
/// assert_eq!(estimate_tokens("你好"), 2);
/// assert_eq!(estimate_tokens("twelve bytes"), 3);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    quarters(text).div_ceil(QUARTERS)
}

/// Cuts a text into pieces of at most `limit` tokens (by [`estimate_tokens`]): at the last white space of a piece if
/// there is any, else between grapheme clusters. The pieces follow each other without a gap; one cluster that costs
/// more than `limit` is a piece by itself.
///
/// ```
/// use soulmem_engine::text::pieces;
/// assert_eq!(pieces("今天下雨", 2), ["今天", "下雨"]);
/// assert_eq!(pieces("one two three", 2), ["one two ", "three"]);
/// ```
pub fn pieces(text: &str, limit: usize) -> Vec<&str> {
    let budget = limit.max(1) * QUARTERS;
    let mut pieces = Vec::new();
    let (mut start, mut cost) = (0, 0);
    // The last white space of the piece under way: where it ends, and the cost up to there.
    let mut space = None;
    for (at, cluster) in text.grapheme_indices(true) {
        let added = quarters(cluster);
        while cost + added > budget && at > start {
            let (end, spent) = space.take().unwrap_or((at, cost));
            pieces.push(&text[start..end]);
            (start, cost) = (end, cost - spent);
        }
        cost += added;
        if cluster.chars().all(char::is_whitespace) {
            space = Some((at + cluster.len(), cost));
        }
    }
    if start < text.len() {
        pieces.push(&text[start..]);
    }
    pieces
}

fn quarters(text: &str) -> usize {
    text.chars()
        .map(|c| match Class::of(c) {
            class if class.is_unspaced() => QUARTERS,
            Class::Symbol => 2 * QUARTERS,
            _ => c.len_utf8(),
        })
        .sum()
}
