//! The similarity floor: one meaning for every model.
//!
//! A floor is the cosine that 99 % of pairs of texts stay under which have nothing to do with each other. It is
//! measured on lines written for it, sixty in Chinese and sixty in English, each on a subject of its own, in the
//! manner of what is said to a companion. Only pairs of one language count: across languages every model finds less
//! in common, and the floor would come out too low where it matters.

use soulmem_engine::index::dot;

use crate::{EmbedError, EmbeddingModel};

const CHINESE: &str = include_str!("../calibration/unrelated.zh.txt");
const ENGLISH: &str = include_str!("../calibration/unrelated.en.txt");

/// The share of unrelated pairs that stay under a floor.
pub const UNRELATED_SHARE: f64 = 0.99;

/// The lines that floors are measured on: one list for each language, no two lines of a list on one subject.
pub fn unrelated_lines() -> [Vec<&'static str>; 2] {
    [CHINESE, ENGLISH].map(|text| text.lines().filter(|line| !line.is_empty()).collect())
}

/// Measures the floor of a model on [`unrelated_lines`]: every line as a query against every other of its language as
/// a passage, and of all those cosines the smallest that at least [`UNRELATED_SHARE`] of them do not exceed.
pub fn calibrate(model: &dyn EmbeddingModel) -> Result<f32, EmbedError> {
    let mut cosines = Vec::new();
    for lines in unrelated_lines() {
        let queries = model.embed_queries(&lines)?;
        let passages = model.embed_passages(&lines)?;
        for (at, query) in queries.iter().enumerate() {
            let others = passages
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at);
            cosines.extend(others.map(|(_, passage)| dot(query, passage)));
        }
    }
    cosines.sort_unstable_by(f32::total_cmp);
    let rank = (cosines.len() as f64 * UNRELATED_SHARE).ceil() as usize;
    Ok(cosines.get(rank.saturating_sub(1)).copied().unwrap_or(0.0))
}
