//! What a text costs in a prompt.

use super::script::Class;

/// Bytes of Latin text, numbers and punctuation that one token of a language model covers, about.
const BYTES_PER_TOKEN: usize = 4;

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
    let (mut tokens, mut bytes) = (0, 0);
    for c in text.chars() {
        match Class::of(c) {
            class if class.is_unspaced() => tokens += 1,
            Class::Symbol => tokens += 2,
            _ => bytes += c.len_utf8(),
        }
    }
    tokens + bytes.div_ceil(BYTES_PER_TOKEN)
}
