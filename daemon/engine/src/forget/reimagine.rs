//! What a language model may change of a blurred memory, and what it may not.
//!
//! A model is given the masked text and asked to tell it whole. What it answers is no more than a suggestion: it is taken as
//! the telling of that one text, or not at all. Nothing in it names a note, a link or an action, so that whatever stands in a
//! remembered text, the worst that it can do is to be told badly itself.

use std::collections::BTreeSet;

use super::mask::MASK_WORD;
use crate::model::{ConceptType, SemMemory};
use crate::text::key;

/// The missing degree under which a memory may not gain names.
pub const NAMES_GROW_FROM: f64 = 0.6;

/// How much longer a telling may be than what is remembered.
const LONGER_AT_MOST: usize = 2;

/// Characters that any telling may have, however short the memory is.
const ROOM: usize = 80;

/// What a model makes of something known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alignment {
    /// The names it gives.
    pub aliases: Vec<String>,
    /// What it says of it.
    pub description: String,
    /// What it takes it for.
    pub concept_type: Option<ConceptType>,
}

/// A telling as it is kept: the original where it says the same. Nothing where the memory stays masked: for an empty telling, one
/// that still has masks in it, and one that is no telling of this memory by its length.
///
/// ```
/// use soulmem_engine::forget::reimagine::accepted;
/// let original = "We met at the pier before sunrise.";
/// assert_eq!(accepted(original, "We met by the water early on.").as_deref(), Some("We met by the water early on."));
/// assert_eq!(accepted(original, "we met at the PIER, before sunrise").as_deref(), Some(original));
/// assert_eq!(accepted(original, "We met at the [masked]."), None);
/// ```
pub fn accepted(original: &str, telling: &str) -> Option<String> {
    let telling: Vec<&str> = telling.split_whitespace().collect();
    let telling = telling.join(" ");
    let most = original
        .chars()
        .count()
        .saturating_mul(LONGER_AT_MOST)
        .max(ROOM);
    let refused =
        telling.is_empty() || telling.contains(MASK_WORD.trim()) || telling.chars().count() > most;
    if refused {
        return None;
    }
    if same_meaning(original, &telling) {
        return Some(original.to_owned());
    }
    Some(telling)
}

/// Whether two texts say the same, letter by letter: case, width, punctuation and space aside.
pub fn same_meaning(one: &str, other: &str) -> bool {
    let letters =
        |text: &str| -> String { key(text).chars().filter(|c| c.is_alphanumeric()).collect() };
    letters(one) == letters(other)
}

/// Something known as a character has come to know it at a missing degree.
///
/// Under [`NAMES_GROW_FROM`] only names that it had already are left of those suggested; a suggestion without names keeps all. A
/// description is replaced by a telling of it alone (see [`accepted`]), a type only where one is suggested. The content stays.
pub fn aligned(original: &SemMemory, suggested: &Alignment, degree: f64) -> SemMemory {
    let description = accepted(&original.description, &suggested.description);
    SemMemory {
        content: original.content.clone(),
        aliases: aliases(original, &suggested.aliases, degree),
        concept_type: suggested.concept_type.unwrap_or(original.concept_type),
        description: description.unwrap_or_else(|| original.description.clone()),
    }
}

fn aliases(original: &SemMemory, suggested: &[String], degree: f64) -> Vec<String> {
    let had: BTreeSet<String> = original.aliases.iter().map(|alias| key(alias)).collect();
    let mut seen = BTreeSet::from([key(&original.content)]);
    let kept: Vec<String> = suggested
        .iter()
        .map(|alias| alias.trim())
        .filter(|alias| !alias.is_empty() && alias.chars().count() <= ROOM)
        .filter(|alias| degree >= NAMES_GROW_FROM || had.contains(&key(alias)))
        .filter(|alias| seen.insert(key(alias)))
        .map(str::to_owned)
        .collect();
    if kept.is_empty() {
        original.aliases.clone()
    } else {
        kept
    }
}
