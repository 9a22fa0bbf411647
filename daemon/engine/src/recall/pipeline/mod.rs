//! The pipeline: Similarity, Association, Action, Merge, strictly in this order.

mod associate;
mod candidates;
mod question;
mod recalled;
mod tendencies;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use question::{Options, Question, RecallError, Utterances};
pub use recalled::{Dropped, Recalled, RecalledAction, RecalledNote, told_time};

use crate::graph::{Scratch, walk};
use crate::index::DocKey;
use crate::model::{MemoryNote, NoteId, Source};
use crate::recall::memory::Memory;
use crate::recall::merge::{Answer, Scored, combine, rank};
use crate::recall::plain::asked::Asked as Line;
use crate::recall::plain::{self, PlainScore};
use crate::recall::query::{QueryVariant, SubQuery};
use crate::recall::why::{Asked, Why};

/// What a note keeps of its score beside the talk that it was made of. It says the same in fewer words, and so fits any line
/// better than what was said.
const BESIDE_ITS_TALK: f64 = 0.65;

/// Recalls.
pub fn recall(
    memory: &Memory<'_>,
    question: &Question,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Recalled, RecallError> {
    question::check(question, options)?;
    // Refuses what it would refuse, also where nothing turns out to be walked from.
    walk(
        &memory.indexes.graph,
        &[],
        &options.walk,
        memory.retention,
        scratch,
    )?;
    let line = question
        .text
        .as_deref()
        .filter(|text| !text.trim().is_empty());
    let found = line
        .map(|text| {
            let line = Line::new(memory, text, &question.said);
            let found = plain::find(memory, &line, options)?;
            Ok::<_, RecallError>((found, line.understanding))
        })
        .transpose()?;
    let mut run = Run {
        memory,
        options,
        scratch,
        bodies: BTreeMap::new(),
        why: BTreeMap::new(),
        mind: BTreeMap::new(),
    };
    let (mut answers, dropped) = run.sub_queries(&question.queries)?;
    if let Some((found, _)) = &found {
        answers.extend(run.line(&found.notes, answers.is_empty())?);
    }
    let notes = combine(&answers, options.limit);
    let mut recalled = Recalled {
        dropped,
        ..Recalled::default()
    };
    recalled.actions = run.actions()?;
    recalled.notes = run.with_self_knowledge(notes)?;
    if let Some((found, understanding)) = found {
        if options.utterances == Utterances::Searched {
            recalled.utterances = found.messages;
            recalled.utterances.retain(|hit| hit.score >= options.floor);
        }
        recalled.understood = Some(understanding);
    }
    Ok(recalled)
}

/// One recall in progress.
struct Run<'a> {
    memory: &'a Memory<'a>,
    options: &'a Options,
    scratch: &'a mut Scratch,
    bodies: BTreeMap<NoteId, Arc<MemoryNote>>,
    why: BTreeMap<NoteId, Why>,
    /// Every note that a stage brought up, with its best score: what actions are triggered by.
    mind: BTreeMap<NoteId, f64>,
}

impl Run<'_> {
    fn sub_queries(
        &mut self,
        queries: &[SubQuery],
    ) -> Result<(Vec<Answer>, Vec<Dropped>), RecallError> {
        let (mut answers, mut dropped) = (Vec::new(), Vec::new());
        for (index, query) in queries.iter().enumerate() {
            let similar = self.similar(index, query)?;
            let best = similar.first().map(|&(_, score)| score);
            if best.is_none_or(|best| best < self.options.floor) {
                dropped.push(Dropped { query: index, best });
                continue;
            }
            let situations = matches!(query.variant, QueryVariant::Situation(_));
            answers.push(Answer {
                priority: query.priority,
                situations,
                hits: self.associate(Asked::Query(index), similar)?,
            });
        }
        Ok((answers, dropped))
    }

    /// The line's own answer. Beside sub-queries it has the lowest priority and nothing to lift it: they say more exactly
    /// what is meant.
    fn line(
        &mut self,
        found: &[PlainScore<NoteId>],
        alone: bool,
    ) -> Result<Option<Answer>, RecallError> {
        let similar: Vec<_> = found.iter().map(|hit| (hit.id, hit.score)).collect();
        if !alone
            && similar
                .first()
                .is_none_or(|&(_, score)| score < self.options.floor)
        {
            return Ok(None);
        }
        for hit in found {
            self.why.entry(hit.id).or_default().plain = Some(*hit);
        }
        let mut hits = self.associate(Asked::Line, similar)?;
        if self.options.utterances == Utterances::Searched {
            self.step_behind_talk(&mut hits)?;
        }
        Ok(Some(Answer {
            priority: 0,
            situations: true,
            hits,
        }))
    }

    /// Ranks notes lower that were made of messages which come up by themselves, but for what is worded exactly like the line.
    fn step_behind_talk(&mut self, hits: &mut Vec<Scored>) -> Result<(), RecallError> {
        hits.truncate(self.options.limit);
        let ids: Vec<NoteId> = hits.iter().map(|hit| hit.id).collect();
        self.load(&ids)?;
        for hit in hits.iter_mut() {
            let note = self.bodies.get(&hit.id);
            if hit.score < plain::EXACT && note.is_some_and(|note| self.has_its_talk(note)) {
                hit.score *= BESIDE_ITS_TALK;
                self.why.entry(hit.id).or_default().behind_talk = true;
            }
        }
        rank(hits);
        Ok(())
    }

    fn has_its_talk(&self, note: &MemoryNote) -> bool {
        let said = note.source.iter().filter_map(|source| match source {
            Source::Message { id } => Some(DocKey::Message(*id)),
            _ => None,
        });
        let passages = &self.memory.indexes.passages;
        let mut said = said.filter(|key| passages.get(key).is_some());
        said.any(|key| (self.memory.admits)(key))
    }

    fn load(&mut self, ids: &[NoteId]) -> Result<(), RecallError> {
        let missing: Vec<NoteId> = ids
            .iter()
            .copied()
            .filter(|id| !self.bodies.contains_key(id))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let bodies = self
            .memory
            .bodies
            .notes(&missing)
            .map_err(RecallError::Source)?;
        self.bodies
            .extend(bodies.into_iter().flatten().map(|note| (note.id, note)));
        Ok(())
    }

    /// The notes with their bodies, and among them the procedures that something known among them speaks of.
    fn with_self_knowledge(
        &mut self,
        mut hits: Vec<Scored>,
    ) -> Result<Vec<RecalledNote>, RecallError> {
        let ids: Vec<NoteId> = hits.iter().map(|hit| hit.id).collect();
        self.load(&ids)?;
        hits.extend(self.own_ways(&hits));
        rank(&mut hits);
        hits.truncate(self.options.limit);
        let ids: Vec<NoteId> = hits.iter().map(|hit| hit.id).collect();
        self.load(&ids)?;
        Ok(hits
            .into_iter()
            .filter_map(|hit| self.recalled(hit))
            .collect())
    }

    fn recalled(&mut self, hit: Scored) -> Option<RecalledNote> {
        let note = self.bodies.get(&hit.id)?.clone();
        let index = self.memory.indexes.graph.index_of(hit.id);
        let why = Why {
            retention: index.map_or(1.0, self.memory.retention),
            ..self.why.remove(&hit.id).unwrap_or_default()
        };
        Some(RecalledNote {
            note,
            score: hit.score,
            stage: hit.stage,
            why,
        })
    }
}
