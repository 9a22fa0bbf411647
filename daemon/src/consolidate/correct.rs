//! Step 3, corrections: which notes a finding ends, or which one had ended it before it was heard of.
//!
//! Talk ends facts, and nothing else: no person or thing is ever ended, and nothing that is pinned or protected. What a language
//! model says is replaced is looked for and has to be like what takes its place; the model does not decide it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use soulmem_engine::consolidate::{Finding, main_text};
use soulmem_engine::model::{ConceptType, MemoryNote, MemoryType, NoteId, NoteKind};
use soulmem_engine::text::key;

use super::identify::{CANDIDATES, Identified, fused};
use super::known::Known;
use crate::store::Result;

/// From this fused similarity on a correction is taken to be about a note.
const MEANT: f64 = 0.35;
/// From this one on a note is what somebody described in words of their own.
const DESCRIBED: f64 = 0.6;
/// From this one on two facts can be about the same matter, where only a model says that they are: to keep both is the
/// smaller harm.
const RELATED: f64 = 0.5;

impl Identified {
    /// Finds what the new note ends. What was said later than it ends it instead: talk of long ago may come in late.
    pub(super) fn correct(
        &mut self,
        finding: &Finding,
        new: NoteId,
        known: &dyn Known,
    ) -> Result<()> {
        let mut ended = self.opposites(finding, known)?;
        if finding.corrects && ended.is_empty() {
            ended.extend(self.meant(finding, known)?);
        }
        if let Some(replaces) = &finding.replaces {
            ended.extend(self.replaced(finding, replaces, known)?);
        }
        ended.remove(&new);
        let later = |note: &&Arc<MemoryNote>| note.valid_from > finding.said;
        if let Some(later) = ended
            .values()
            .filter(later)
            .max_by_key(|note| note.valid_from)
        {
            self.superseded.push((new, later.id));
            return Ok(());
        }
        self.superseded
            .extend(ended.into_keys().map(|old| (old, new)));
        Ok(())
    }

    /// What is said again ends what was said against it before.
    pub(super) fn end_opposites(
        &mut self,
        finding: &Finding,
        again: NoteId,
        known: &dyn Known,
    ) -> Result<()> {
        let mut ended = self.opposites(finding, known)?;
        ended.retain(|old, note| *old != again && note.valid_from <= finding.said);
        self.superseded
            .extend(ended.into_keys().map(|old| (old, again)));
        Ok(())
    }

    /// The facts that go by one of the names of what is no longer so.
    fn opposites(
        &self,
        finding: &Finding,
        known: &dyn Known,
    ) -> Result<BTreeMap<NoteId, Arc<MemoryNote>>> {
        let mut found = Vec::new();
        for name in &finding.ends {
            found.extend(self.pending(name).cloned().map(Arc::new));
            found.extend(known.named(name)?);
        }
        found.retain(|note| self.may_end(note));
        Ok(found.into_iter().map(|note| (note.id, note)).collect())
    }

    /// The fact that a correction is about, where it does not say in so many words.
    fn meant(
        &self,
        finding: &Finding,
        known: &dyn Known,
    ) -> Result<Option<(NoteId, Arc<MemoryNote>)>> {
        let text = main_text(&finding.body);
        let names: BTreeSet<String> = finding.names.iter().map(|name| key(name)).collect();
        let score = |note: &MemoryNote| {
            let told = main_text(&note.mem_type);
            let folded = key(told);
            let shared = names
                .iter()
                .filter(|name| folded.contains(name.as_str()))
                .count();
            let score = (shared >= 2.min(names.len())).then(|| fused(known, text, told));
            score.filter(|score| *score >= MEANT)
        };
        self.likest(text, finding.kind(), known, score)
    }

    /// The fact that somebody says it takes the place of: described by them, and like what takes its place.
    fn replaced(
        &self,
        finding: &Finding,
        described: &str,
        known: &dyn Known,
    ) -> Result<Option<(NoteId, Arc<MemoryNote>)>> {
        let text = main_text(&finding.body);
        let score = |note: &MemoryNote| {
            let told = main_text(&note.mem_type);
            let score = fused(known, described, told);
            (score >= DESCRIBED && fused(known, text, told) >= RELATED).then_some(score)
        };
        self.likest(described, finding.kind(), known, score)
    }

    /// The note of a kind that may be ended and scores most, of those of this batch and those most like a text.
    fn likest(
        &self,
        text: &str,
        kind: NoteKind,
        known: &dyn Known,
        score: impl Fn(&MemoryNote) -> Option<f64>,
    ) -> Result<Option<(NoteId, Arc<MemoryNote>)>> {
        let pending = self.created.iter().filter(|note| note.kind() == kind);
        let mut found: Vec<Arc<MemoryNote>> = pending.cloned().map(Arc::new).collect();
        found.extend(known.alike(text, kind, CANDIDATES)?);
        let best = found
            .into_iter()
            .filter(|note| self.may_end(note))
            .filter_map(|note| Some((score(&note)?, note)))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.id.cmp(&a.1.id)));
        Ok(best.map(|(_, note)| (note.id, note)))
    }

    /// Whether talk may end a note: it is current, no person or thing, and nobody holds it fast.
    fn may_end(&self, note: &MemoryNote) -> bool {
        let is_thing = matches!(
            &note.mem_type,
            MemoryType::Semantic(known) if known.concept_type == ConceptType::Entity
        );
        self.is_current(note) && !is_thing && !note.affect.pinned && !note.affect.protected
    }
}
