//! Texts longer than a model's limit: split on sentence ends, embedded part by part, pooled.

use soulmem_engine::text::{estimate_tokens, pieces, sentences};

/// Splits a text into parts of at most `token_limit` tokens (estimated): whole sentences as long as they fit, a longer
/// sentence at its spaces. A text within the limit is one part; a text of white space alone is none.
pub fn chunks<'t>(text: &'t str, token_limit: usize) -> Vec<&'t str> {
    let mut chunks = Vec::new();
    let mut push = |part: &'t str| chunks.extend(pieces(part, token_limit));
    // The chunk under way. Its cost is a sum of rounded-up parts, so it is never less than the whole's.
    let (mut start, mut end, mut cost) = (0, 0, 0);
    for sentence in sentences(text) {
        let added = estimate_tokens(&text[end..sentence.end]);
        if cost + added > token_limit && start < end {
            push(&text[start..end]);
            (start, cost) = (sentence.start, estimate_tokens(&text[sentence.clone()]));
        } else {
            if start == end {
                start = sentence.start;
            }
            cost += added;
        }
        end = sentence.end;
    }
    if start < end {
        push(&text[start..end]);
    }
    chunks
}

/// One vector for the vectors of a text's parts: their mean, of length 1. Of a single part it is that part's, of no
/// parts the zero vector.
pub fn pool(parts: &[Vec<f32>], dimension: usize) -> Vec<f32> {
    let mut mean = vec![0.0; dimension];
    for part in parts {
        for (sum, value) in mean.iter_mut().zip(part) {
            *sum += value;
        }
    }
    normalise(&mut mean);
    mean
}

/// Scales a vector to length 1; the zero vector stays as it is.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}
