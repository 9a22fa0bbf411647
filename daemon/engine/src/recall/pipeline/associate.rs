//! Association: the walk from what is alike.

use super::{RecallError, Run};
use crate::graph::{MemoryGraph, walk};
use crate::model::{NoteId, NoteKind};
use crate::recall::merge::{Scored, Stage, behind, stages};
use crate::recall::why::{Asked, Reached};

/// The share of the best score that a seed must have. What is half as good as the best is in the result, but an association
/// from it would bring up what belongs to something else.
const SEED_SHARE: f64 = 0.5;

/// Notes kept of a walk, at least: what actions are triggered by, beyond what is shown.
const WALKED: usize = 32;

impl Run<'_> {
    /// The walk from the best hits over the floor, merged with the hits it started from.
    pub(super) fn associate(
        &mut self,
        asked: Asked,
        mut similar: Vec<(NoteId, f64)>,
    ) -> Result<Vec<Scored>, RecallError> {
        let (memory, options) = (self.memory, self.options);
        similar.retain(|&(_, score)| score >= options.floor);
        similar.truncate(options.limit);
        let seeds = seeds(&similar, options.seed_k);
        for (id, _) in seeds {
            self.why.entry(*id).or_default().seed = true;
        }
        let walk = walk(
            &memory.indexes.graph,
            seeds,
            &options.walk,
            memory.retention,
            self.scratch,
        )?;
        let walked: Vec<_> = walk
            .top_of(options.limit.max(WALKED), |node| {
                memory.admits_note(node.id)
            })
            .into_iter()
            .map(|hit| (hit.note, hit.score))
            .collect();
        // A path that starts from something known triggers no action, wherever it leads.
        let lived = seeds
            .iter()
            .any(|&(id, _)| is_situation(&memory.indexes.graph, id));
        let hits = match asked {
            Asked::Query(_) => stages(&similar, &walked),
            Asked::Line => behind(&similar, &walked),
        };
        // What stands lower here is not in the result, or is there by another sub-query.
        let reached: Vec<NoteId> = hits
            .iter()
            .take(options.limit)
            .filter(|hit| hit.stage != Stage::Similarity)
            .map(|hit| hit.id)
            .collect();
        for (id, path) in reached.iter().zip(walk.paths(&reached)) {
            let reached = path.map(|path| Reached {
                asked,
                score: walk.score(*id),
                path,
            });
            self.why.entry(*id).or_default().walks.extend(reached);
        }
        // What was lived and answers by itself is in mind whatever else does: a line may ask for what is known and meet both.
        let answers =
            |hit: &Scored| hit.stage != Stage::Walk && is_situation(&memory.indexes.graph, hit.id);
        for hit in hits.iter().filter(|hit| lived || answers(hit)) {
            let best = self.mind.entry(hit.id).or_default();
            *best = best.max(hit.score);
        }
        Ok(hits)
    }
}

/// The best of what is alike: those that the walk starts from.
fn seeds(similar: &[(NoteId, f64)], seed_k: usize) -> &[(NoteId, f64)] {
    let worthy = similar.first().map_or(0.0, |&(_, best)| best * SEED_SHARE);
    let seeds = similar
        .iter()
        .take(seed_k)
        .take_while(|&&(_, score)| score >= worthy)
        .count();
    &similar[..seeds]
}

fn is_situation(graph: &MemoryGraph, id: NoteId) -> bool {
    let node = graph.index_of(id).and_then(|index| graph.note(index));
    node.is_some_and(|node| {
        matches!(
            node.kind,
            NoteKind::SpecificSituation | NoteKind::AbstractSituation
        )
    })
}
