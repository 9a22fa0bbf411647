//! The built-in model: hashed words.

use soulmem_engine::text::{Segmenter, TokenKind};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::pooling::{chunks, normalise, pool};
use crate::{EmbedError, EmbeddingModel, ModelIdentity, Pooling};

/// Raised whenever the same text would get another vector: stored vectors of an older version are then rebuilt.
const VERSION: u32 = 1;

/// The length of the vectors.
const DIMENSION: usize = 512;

/// Seed of the hash, "SOULMEM1" in ASCII; any constant would do, and none may ever change within a version.
const SEED: u64 = 0x534F_554C_4D45_4D31;

/// Parts of longer texts are embedded on their own, so that one sentence of a page can still be found.
const TOKEN_LIMIT: usize = 256;

/// The 99th percentile of the cosine of unrelated lines, measured by the test `the_floor_is_what_was_measured`.
const FLOOR: f32 = 0.151;

/// Features of each kind of token weigh this much. Words carry the meaning; bigrams repeat them and bridge what the
/// dictionary cut otherwise; characters and function words only keep texts apart that have nothing else.
const fn weight(kind: TokenKind) -> f32 {
    match kind {
        TokenKind::Name | TokenKind::Word | TokenKind::Stem => 1.0,
        TokenKind::Bigram | TokenKind::Symbol => 0.5,
        TokenKind::Char => 0.2,
        TokenKind::Stop => 0.05,
    }
}

/// Feature hashing (Weinberger et al. 2009) of the segmented words, bigrams and characters of a text into 512
/// dimensions, each feature with a sign of its own and in two places, weighted by kind and by the square root of its
/// count, scaled to length 1.
///
/// It knows no synonyms; what it adds to exact word search is a graded likeness of whole texts. It needs no files, takes
/// microseconds, and gives the same bits everywhere: the hash is XXH3, and of the arithmetic only operations that
/// IEEE 754 rounds exactly are used.
///
/// ```
/// use soulmem_embed::{EmbeddingModel, LexicalModel};
/// use soulmem_engine::index::dot;
/// let model = LexicalModel::new();
/// let found = model.embed_passages(&["她爱喝咖啡", "The train was late"])?;
/// let asked = model.embed_queries(&["咖啡"])?;
/// assert!(dot(&asked[0], &found[0]) > model.floor());
/// assert!(dot(&asked[0], &found[1]) < model.floor());
/// # Ok::<(), soulmem_embed::EmbedError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct LexicalModel {
    segmenter: Segmenter,
}

impl LexicalModel {
    /// The model; all of them are alike.
    pub fn new() -> Self {
        Self::default()
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let parts: Vec<Vec<f32>> = chunks(text, TOKEN_LIMIT)
            .into_iter()
            .map(|part| self.embed_part(part))
            .collect();
        pool(&parts, DIMENSION)
    }

    fn embed_part(&self, text: &str) -> Vec<f32> {
        let features = self.features(text);
        let mut vector = project(&features, Signs::Hashed);
        // Features can cancel each other out in a very short text, but a text with a token is never nothing.
        if !features.is_empty() && vector.iter().all(|value| *value == 0.0) {
            vector = project(&features, Signs::Positive);
        }
        normalise(&mut vector);
        vector
    }

    /// The features of a text: hash of the term and weight, in the order of the hashes.
    fn features(&self, text: &str) -> Vec<(u64, f32)> {
        let mut tokens: Vec<(u64, f32)> = Vec::new();
        self.segmenter.for_each_token(text, |token| {
            tokens.push((hash(token.text), weight(token.kind)));
        });
        tokens.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        tokens
            .chunk_by(|a, b| a.0 == b.0)
            .filter_map(|same| {
                same.last()
                    .map(|heaviest| (heaviest.0, heaviest.1 * (same.len() as f32).sqrt()))
            })
            .collect()
    }
}

fn hash(term: &str) -> u64 {
    xxh3_64_with_seed(term.as_bytes(), SEED)
}

#[derive(Clone, Copy)]
enum Signs {
    Hashed,
    Positive,
}

/// Adds each feature in two places. Two features that meet in one place rarely meet in the other, which halves the
/// noise that collisions bring.
fn project(features: &[(u64, f32)], signs: Signs) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSION];
    for (hash, weight) in features {
        for (place, negative) in places(*hash) {
            let negative = negative && matches!(signs, Signs::Hashed);
            vector[place] += if negative { -weight } else { *weight };
        }
    }
    vector
}

/// The two places of a feature and whether it is subtracted there: bits 0–8 and 9, bits 10–18 and 19 of its hash.
fn places(hash: u64) -> [(usize, bool); 2] {
    [hash, hash >> 10].map(|bits| ((bits % DIMENSION as u64) as usize, bits >> 9 & 1 == 1))
}

fn identity(version: u32) -> ModelIdentity {
    let weights = TokenKind::ALL.map(weight);
    let algorithm = format!("lexical {version} {DIMENSION} {SEED:x} {TOKEN_LIMIT} {weights:?}");
    ModelIdentity {
        name: "lexical".to_owned(),
        digest: format!("{:016x}", xxh3_64_with_seed(algorithm.as_bytes(), SEED)),
        pooling: Pooling::Mean,
    }
}

impl EmbeddingModel for LexicalModel {
    fn identity(&self) -> ModelIdentity {
        identity(VERSION)
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn token_limit(&self) -> usize {
        TOKEN_LIMIT
    }

    fn floor(&self) -> f32 {
        FLOOR
    }

    fn embed_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed_passages(texts)
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.embed(text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by the reference implementation: `xxhash.xxh3_64_intdigest(term.encode(), seed=0x534F554C4D454D31)`
    /// of the Python package xxhash.
    #[test]
    fn the_hash_is_xxh3() {
        for (term, expected) in [
            ("咖啡", 0x6a12_a429_5bb4_80e8),
            ("memori", 0x5e8e_87cb_e799_e933),
            ("🐱", 0x3f39_cfe6_a976_55df),
            ("", 0x6e46_61b4_e5d4_d17e),
        ] {
            assert_eq!(hash(term), expected, "{term}");
        }
        // 0x…80e8: low nine bits 0e8 = 232, bit 9 clear; shifted by ten 0x…120 = 288, bit 19 clear.
        assert_eq!(places(hash("咖啡")), [(232, false), (288, false)]);
        assert_eq!(places(hash("memori")), [(307, false), (122, true)]);
    }

    #[test]
    fn the_digest_follows_the_version() {
        assert_ne!(identity(VERSION).digest, identity(VERSION + 1).digest);
        assert_eq!(
            identity(VERSION).to_string(),
            format!("lexical@{}/mean", identity(VERSION).digest)
        );
    }

    #[test]
    fn a_text_whose_features_cancel_is_not_nothing() {
        let opposite = |a: u64, b: u64| {
            let (a, b) = (places(a), places(b));
            (0..2).all(|i| a[i].0 == b[i].0 && a[i].1 != b[i].1)
        };
        let words: Vec<(String, u64)> = (0..20_000)
            .map(|n| n.to_string())
            .map(|word| (word.clone(), hash(&word)))
            .collect();
        let mut by_place: std::collections::HashMap<_, Vec<usize>> =
            std::collections::HashMap::new();
        for (index, (_, hash)) in words.iter().enumerate() {
            by_place
                .entry(places(*hash).map(|place| place.0))
                .or_default()
                .push(index);
        }
        let pair = by_place.values().find_map(|same| {
            let pairs = same.iter().flat_map(|a| same.iter().map(move |b| (*a, *b)));
            pairs
                .into_iter()
                .find(|(a, b)| opposite(words[*a].1, words[*b].1))
        });
        let (a, b) = pair.expect("20,000 words hold a pair that cancels");
        let vector = LexicalModel::new().embed(&format!("{} {}", words[a].0, words[b].0));
        let length: f32 = vector.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
}
