//! Action: the procedures that the situations in mind trigger, and those that something known says are the character's way.

use std::collections::{BTreeMap, BTreeSet};

use super::{RecallError, RecalledAction, Run};
use crate::graph::LinkKind;
use crate::model::{MemoryType, NoteId, NoteKind};
use crate::recall::actions::{ScoredAction, TriggerSource, triggered};
use crate::recall::merge::{Scored, Stage};
use crate::recall::why::OwnWay;

/// What a procedure gets of the score of something known that says it is the character's way.
const SELF_KNOWLEDGE: f64 = 0.5;

impl Run<'_> {
    pub(super) fn actions(&mut self) -> Result<Vec<RecalledAction>, RecallError> {
        let graph = &self.memory.indexes.graph;
        let kind = |id: NoteId| {
            graph
                .index_of(id)
                .and_then(|index| graph.note(index))
                .map(|node| node.kind)
        };
        let sources: Vec<TriggerSource> = self
            .mind
            .iter()
            .filter_map(|(&id, &score)| {
                let is_abstract = match kind(id)? {
                    NoteKind::AbstractSituation => true,
                    NoteKind::SpecificSituation => false,
                    NoteKind::Semantic | NoteKind::Procedure => return None,
                };
                Some(TriggerSource {
                    id,
                    score,
                    is_abstract,
                })
            })
            .collect();
        let triggers = |id: NoteId| {
            graph
                .links_from(id)
                .into_iter()
                .filter_map(|view| match view.link.kind {
                    LinkKind::TrigToAction { prob } => Some((view.to, view.link.id, prob)),
                    _ => None,
                })
        };
        let admitted = |action: &ScoredAction| self.memory.admits_note(action.id);
        let mut actions = triggered(&sources, triggers, usize::MAX);
        actions.retain(admitted);
        actions.truncate(self.options.action_top_k);
        let ids: Vec<NoteId> = actions.iter().map(|action| action.id).collect();
        self.load(&ids)?;
        let recalled = |action: ScoredAction| {
            Some(RecalledAction {
                note: self.bodies.get(&action.id)?.clone(),
                score: action.score,
                triggers: action.triggers,
            })
        };
        Ok(actions.into_iter().filter_map(recalled).collect())
    }

    /// Procedures that are not among the hits, but that one of them, something known, is linked to.
    pub(super) fn own_ways(&mut self, hits: &[Scored]) -> Vec<Scored> {
        let graph = &self.memory.indexes.graph;
        let known: BTreeSet<NoteId> = hits.iter().map(|hit| hit.id).collect();
        let is_procedure = |id: NoteId| {
            let node = graph.index_of(id).and_then(|index| graph.note(index));
            node.is_some_and(|node| node.kind == NoteKind::Procedure)
        };
        let mut ways: BTreeMap<NoteId, (f64, OwnWay)> = BTreeMap::new();
        for hit in hits.iter().filter(|hit| self.is_semantic(hit.id)) {
            for view in graph.links_from(hit.id) {
                let LinkKind::Sem { confidence } = view.link.kind else {
                    continue;
                };
                if known.contains(&view.to)
                    || !is_procedure(view.to)
                    || !self.memory.admits_note(view.to)
                {
                    continue;
                }
                let way = OwnWay {
                    from: hit.id,
                    link: view.link.id,
                    weight: confidence * view.link.intensity.min(1.0) * SELF_KNOWLEDGE,
                };
                let score = hit.score * way.weight;
                let best = ways.entry(view.to).or_insert((score, way));
                if score > best.0 {
                    *best = (score, way);
                }
            }
        }
        let scored = |(id, (score, way))| {
            self.why.entry(id).or_default().way = Some(way);
            Scored {
                id,
                score,
                stage: Stage::Walk,
            }
        };
        ways.into_iter().map(scored).collect()
    }

    fn is_semantic(&self, id: NoteId) -> bool {
        let note = self.bodies.get(&id);
        note.is_some_and(|note| matches!(note.mem_type, MemoryType::Semantic(_)))
    }
}
