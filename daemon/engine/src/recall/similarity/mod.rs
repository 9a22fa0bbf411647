//! How alike a sub-query and a note are, field by field: the Similarity stage's score.
//!
//! - Each text of the query meets the note's texts of the same field; of several, the best counts.
//! - Texts that share a field (a person's name and role) are averaged with their weights; a part the query leaves out is
//!   not counted in the divisor.
//! - The fields of a situation, and the elements of a query, combine by maximum.
//! - Tags are blended in, where the query has any.
//! - The string channel can only add: `max(e, α·e + (1 − α)·s)`, with a floor of its own under which s is 0.

mod blend;
mod elements;
mod pattern;
mod specific;
#[cfg(test)]
mod tests;
mod time;

use std::ops::Deref;
use std::sync::Arc;

use hashbrown::HashMap;

use self::blend::{best, blend, cosine, shown};
use crate::model::{Field, MemoryNote, MemoryType, NoteId, SemMemory, SituationMemory};
use crate::recall::query::{QueryVariant, SemanticQuery, SubQuery};
use crate::recall::weights::BlendWeights;
use crate::text::Spelling;

/// The floor of the string channel: names that are written less alike resemble each other by chance, and say nothing.
pub(super) const WRITTEN_ALIKE: f64 = 0.7;

/// Where similarity gets its vectors from. All of one call have the same dimension and unit length (or are all zero, for
/// a text in which the model sees nothing).
pub trait Vectors {
    /// The query-side vector of a text of the query.
    fn query(&self, text: &str) -> Option<Arc<[f32]>>;
    /// The passage-side vector of a text of a note.
    fn passage(&self, note: NoteId, field: Field, text: &str) -> Option<Vector<'_>>;
}

/// A vector of a text of a note.
#[derive(Clone, Debug)]
pub enum Vector<'a> {
    /// One that stays where it is.
    AtHand(&'a [f32]),
    /// One that may go meanwhile.
    Shared(Arc<[f32]>),
}

impl Deref for Vector<'_> {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Self::AtHand(vector) => vector,
            Self::Shared(vector) => vector,
        }
    }
}

/// What a score is made of, each part from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Similarity {
    /// The blended score.
    pub score: f64,
    /// Cosine of the tags, where the query has tags.
    pub tags: Option<f64>,
    /// Blended cosines of the fields.
    pub vectors: f64,
    /// String similarity of names, 0 where it is under the channel's floor or the channel does not apply.
    pub strings: f64,
}

/// Scores notes against a sub-query.
pub struct Scorer<'a> {
    weights: &'a BlendWeights,
    vectors: &'a dyn Vectors,
    query: &'a SubQuery,
    /// The vectors of the sub-query's texts, and how its names are written: each looked at once for all notes.
    asked: HashMap<&'a str, Option<Arc<[f32]>>>,
    written: HashMap<&'a str, Spelling>,
}

impl<'a> Scorer<'a> {
    /// A scorer with checked weights.
    pub fn new(weights: &'a BlendWeights, vectors: &'a dyn Vectors, query: &'a SubQuery) -> Self {
        let texts = query.texts().into_iter();
        let names = query.names().into_iter();
        Self {
            weights,
            vectors,
            query,
            asked: texts.map(|text| (text, vectors.query(text))).collect(),
            written: names.map(|name| (name, Spelling::new(name))).collect(),
        }
    }

    /// How alike the note is to what is asked. A note of a kind that the query does not ask for, a procedure above all,
    /// scores 0.
    pub fn score(&self, note: &MemoryNote) -> Similarity {
        let (vectors, strings) = match (&self.query.variant, &note.mem_type) {
            (QueryVariant::Semantic(concepts), MemoryType::Semantic(known)) => {
                self.semantic(concepts, note.id, known)
            }
            (
                QueryVariant::Situation(situations),
                MemoryType::Situation(SituationMemory::SpecificSituation(lived)),
            ) => (self.specific(situations, note.id, lived), 0.0),
            (
                QueryVariant::Situation(situations),
                MemoryType::Situation(SituationMemory::AbstractSituation(element)),
            ) => self.abstract_situation(situations, note, element),
            _ => return Similarity::default(),
        };
        let tags = self.tags(&self.query.tag, note);
        let blended =
            blend(&[(self.weights.tag, tags), (self.weights.variant, vectors)]).unwrap_or(0.0);
        let alpha = self.weights.string_blend_alpha;
        let score = blended.max(alpha * blended + (1.0 - alpha) * strings);
        Similarity {
            score,
            tags,
            vectors: vectors.unwrap_or(0.0),
            strings,
        }
    }

    /// Each tag asked for meets the note's best; the mean over the tags asked for.
    fn tags(&self, asked: &[String], note: &MemoryNote) -> Option<f64> {
        let asked: Vec<&str> = asked
            .iter()
            .map(String::as_str)
            .filter(|tag| !tag.trim().is_empty())
            .collect();
        if asked.is_empty() {
            return None;
        }
        let sum: f64 = asked
            .iter()
            .map(|tag| {
                note.tags
                    .iter()
                    .map(|own| self.cosine(tag, note.id, Field::Tag, own))
                    .fold(0.0, f64::max)
            })
            .sum();
        Some(sum / asked.len() as f64)
    }

    fn cosine(&self, asked: &str, note: NoteId, field: Field, own: &str) -> f64 {
        let asked = self.asked.get(asked).and_then(Option::as_deref);
        match (asked, self.vectors.passage(note, field, own)) {
            (Some(a), Some(b)) => cosine(a, &b),
            _ => 0.0,
        }
    }

    /// String similarity of a name that is asked for, 0 where it is left out or only resembles by chance.
    fn spelt(&self, asked: Option<&String>, own: &str) -> f64 {
        let asked = asked.and_then(|asked| self.written.get(asked.as_str()));
        let alike = asked.map(|asked| asked.similarity(&Spelling::new(own)));
        alike.filter(|alike| *alike >= WRITTEN_ALIKE).unwrap_or(0.0)
    }

    /// Cosine of a part, or `None` where the query leaves it out; 0 where only the note does.
    fn part(&self, asked: Option<&String>, note: NoteId, field: Field, own: &str) -> Option<f64> {
        let asked = shown(asked)?;
        Some(if own.trim().is_empty() {
            0.0
        } else {
            self.cosine(asked, note, field, own)
        })
    }

    fn semantic(
        &self,
        concepts: &[SemanticQuery],
        note: NoteId,
        known: &SemMemory,
    ) -> (Option<f64>, f64) {
        let mut vectors = None;
        let mut strings = 0.0_f64;
        for concept in concepts {
            let name = Some(&concept.concept_identifier);
            let named = known
                .aliases
                .iter()
                .map(|alias| self.part(name, note, Field::Alias, alias))
                .fold(self.part(name, note, Field::Content, &known.content), best);
            let described = self.part(
                concept.description.as_ref(),
                note,
                Field::Description,
                &known.description,
            );
            let score = blend(&[
                (self.weights.sem_concept, named),
                (self.weights.sem_description, described),
            ]);
            vectors = best(vectors, score);
            let own_names = known.aliases.iter().chain([&known.content]);
            strings = own_names
                .map(|own| self.spelt(name, own))
                .fold(strings, f64::max);
        }
        (vectors, strings)
    }
}
