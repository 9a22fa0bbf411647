//! The pipeline: Similarity, Association, Action, Merge, strictly in this order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::graph::{LinkKind, MemoryGraph, Scratch, WalkError, WalkOptions, walk};
use crate::index::{Bm25, DocKey, VectorError, WordQuery};
use crate::model::{MemoryNote, MemoryType, MessageId, NoteId, NoteKind, SituationMemory};
use crate::recall::actions::{ACTION_TOP_K, ScoredAction, Trigger, TriggerSource, triggered};
use crate::recall::memory::{Memory, SourceError};
use crate::recall::merge::{Answer, Scored, Stage, combine, stages};
use crate::recall::plain::{PlainQuery, PlainScore};
use crate::recall::query::{QueryError, QueryVariant, SubQuery};
use crate::recall::similarity::Scorer;
use crate::recall::weights::BlendWeights;
use crate::recall::why::{Asked, OwnWay, Reached, Why};

/// Notes taken from the word index, and from the vector index for each text of a sub-query, as candidates.
const CANDIDATES: usize = 64;

/// How alike a name must be written to make its note a candidate: under it the string channel lifts nothing over a floor.
const NAME_FLOOR: f64 = 0.7;

/// The share of the best score that a seed must have. What is half as good as the best is in the result, but an association
/// from it would bring up what belongs to something else.
const SEED_SHARE: f64 = 0.5;

/// Notes kept of a walk, at least: what actions are triggered by, beyond what is shown.
const WALKED: usize = 32;

/// What a procedure gets of the score of something known that says it is the character's way.
const SELF_KNOWLEDGE: f64 = 0.5;

/// How a recall goes about it.
#[derive(Clone, Debug)]
pub struct Options {
    /// Notes in the result at most; utterances as many again.
    pub limit: usize,
    /// How many of the likest notes the walk starts from.
    pub seed_k: usize,
    /// A score under which nothing competes; the model's own, calibrated one.
    pub floor: f64,
    /// Whether messages are searched too.
    pub utterances: Utterances,
    /// How the fields are blended.
    pub weights: BlendWeights,
    /// How the walk goes.
    pub walk: WalkOptions,
    /// Actions in the result at most.
    pub action_top_k: usize,
}

/// Whether messages are searched beside the notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utterances {
    /// They are.
    Searched,
    /// Only notes are.
    LeftOut,
}

impl Options {
    /// The defaults, with the floor of the model in use.
    pub fn with_floor(floor: f64) -> Self {
        Self {
            limit: 10,
            seed_k: 4,
            floor,
            utterances: Utterances::Searched,
            weights: BlendWeights::default(),
            walk: WalkOptions::default(),
            action_top_k: ACTION_TOP_K,
        }
    }
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Structured sub-queries.
    pub queries: Vec<SubQuery>,
    /// A plain line.
    pub text: Option<String>,
}

/// A note that came up.
#[derive(Clone, Debug)]
pub struct RecalledNote {
    /// The note.
    pub note: Arc<MemoryNote>,
    /// The better the larger; comparable within one recall.
    pub score: f64,
    /// Where it came from.
    pub stage: Stage,
    /// What the stages found.
    pub why: Why,
}

/// A procedure that the situations trigger.
#[derive(Clone, Debug)]
pub struct RecalledAction {
    /// The procedure.
    pub note: Arc<MemoryNote>,
    /// How strongly the situations call for it; comparable within one recall.
    pub score: f64,
    /// The situations that do.
    pub triggers: Vec<Trigger>,
}

/// A sub-query whose best hit was under the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropped {
    /// Its place among the sub-queries.
    pub query: usize,
    /// The score of its best hit, where it had one.
    pub best: Option<f64>,
}

/// What came to mind.
#[derive(Clone, Debug, Default)]
pub struct Recalled {
    /// Notes, best first.
    pub notes: Vec<RecalledNote>,
    /// Messages, best first.
    pub utterances: Vec<PlainScore<MessageId>>,
    /// Procedures that the situations trigger, likeliest first.
    pub actions: Vec<RecalledAction>,
    /// Sub-queries that found nothing good enough.
    pub dropped: Vec<Dropped>,
}

/// Why a recall failed.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// There is neither a sub-query nor a line with text.
    #[error("there is nothing to search for: give `text`, `queries`, or both")]
    Nothing,
    /// A sub-query is not one.
    #[error("queries[{index}].{error}")]
    Query {
        /// Its place.
        index: usize,
        /// What is wrong with it.
        error: QueryError,
    },
    /// A weight is out of range.
    #[error(transparent)]
    Weights(QueryError),
    /// The walk was given settings that it refuses.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A vector of the question does not fit those of the memory.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// The bodies of notes could not be read.
    #[error("notes could not be read: {0}")]
    Source(SourceError),
}

/// Recalls.
pub fn recall(
    memory: &Memory<'_>,
    question: &Question,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Recalled, RecallError> {
    check(question, options)?;
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
    let plain = line.map(|text| PlainQuery::new(memory, text));
    let mut run = Run {
        memory,
        options,
        scratch,
        bodies: BTreeMap::new(),
        why: BTreeMap::new(),
        mind: BTreeMap::new(),
    };
    let (mut answers, dropped) = run.sub_queries(&question.queries)?;
    if let Some(plain) = &plain {
        answers.extend(run.line(plain, answers.is_empty())?);
    }
    let notes = combine(&answers, options.limit);
    let mut recalled = Recalled {
        dropped,
        ..Recalled::default()
    };
    recalled.actions = run.actions()?;
    recalled.notes = run.with_self_knowledge(notes)?;
    if let (Some(plain), Utterances::Searched) = (&plain, options.utterances) {
        recalled.utterances = plain.messages(options.limit)?;
        recalled.utterances.retain(|hit| hit.score >= options.floor);
    }
    Ok(recalled)
}

fn check(question: &Question, options: &Options) -> Result<(), RecallError> {
    options.weights.check().map_err(RecallError::Weights)?;
    for (index, query) in question.queries.iter().enumerate() {
        query
            .check()
            .map_err(|error| RecallError::Query { index, error })?;
    }
    let silent = question
        .text
        .as_deref()
        .is_none_or(|text| text.trim().is_empty());
    if silent && question.queries.is_empty() {
        Err(RecallError::Nothing)
    } else {
        Ok(())
    }
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
    fn line(&mut self, plain: &PlainQuery<'_>, alone: bool) -> Result<Option<Answer>, RecallError> {
        let found = plain.notes(self.options.limit)?;
        let similar: Vec<_> = found.iter().map(|hit| (hit.id, hit.score)).collect();
        if !alone
            && similar
                .first()
                .is_none_or(|&(_, score)| score < self.options.floor)
        {
            return Ok(None);
        }
        for hit in &found {
            self.why.entry(hit.id).or_default().plain = Some((hit.words, hit.vector));
        }
        Ok(Some(Answer {
            priority: 0,
            situations: true,
            hits: self.associate(Asked::Line, similar)?,
        }))
    }

    /// Scores of all candidates of a sub-query that reach above zero, best first.
    fn similar(
        &mut self,
        index: usize,
        query: &SubQuery,
    ) -> Result<Vec<(NoteId, f64)>, RecallError> {
        let candidates: Vec<NoteId> = self.candidates(query)?.into_iter().collect();
        self.load(&candidates)?;
        let scorer = Scorer::new(&self.options.weights, self.memory.embedded);
        let mut found = Vec::new();
        for id in candidates {
            let Some(note) = self.bodies.get(&id) else {
                continue;
            };
            let similarity = scorer.score(query, note);
            if similarity.score > 0.0 {
                found.push((id, similarity.score));
                self.why
                    .entry(id)
                    .or_default()
                    .similar
                    .push((index, similarity));
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(found)
    }

    /// Notes that share a word with the sub-query, have a text near one of its texts, or a name written like one of its
    /// names. Only these are looked at, however large the memory is.
    fn candidates(&self, query: &SubQuery) -> Result<BTreeSet<NoteId>, RecallError> {
        let texts = query.texts();
        let accept = |key: &DocKey| key.note().is_some_and(|id| self.memory.admits_note(id));
        let words = WordQuery::from_text(&self.memory.indexes.segmenter, &texts.join("\n"));
        let worded = self
            .memory
            .indexes
            .words
            .search(&words, Bm25::default(), CANDIDATES, accept);
        let mut found: BTreeSet<NoteId> = worded
            .into_iter()
            .filter_map(|hit| hit.key.note())
            .collect();
        for vector in texts
            .iter()
            .filter_map(|text| self.memory.embedded.query(text))
        {
            let near = self
                .memory
                .indexes
                .vectors
                .search(&vector, CANDIDATES, accept)?;
            found.extend(near.into_iter().filter_map(|hit| hit.key.note()));
        }
        for name in query.names() {
            let alike = self
                .memory
                .indexes
                .names
                .similar(name, NAME_FLOOR, CANDIDATES);
            found.extend(
                alike
                    .into_iter()
                    .map(|hit| hit.key)
                    .filter(|&id| self.memory.admits_note(id)),
            );
        }
        Ok(found)
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

    /// The walk from the best hits over the floor, merged with the hits it started from.
    fn associate(
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
        let hits = stages(&similar, &walked);
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
        for hit in hits.iter().filter(|_| lived) {
            let best = self.mind.entry(hit.id).or_default();
            *best = best.max(hit.score);
        }
        Ok(hits)
    }

    fn actions(&mut self) -> Result<Vec<RecalledAction>, RecallError> {
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

    /// The notes with their bodies, and among them the procedures that something known among them speaks of.
    fn with_self_knowledge(
        &mut self,
        mut hits: Vec<Scored>,
    ) -> Result<Vec<RecalledNote>, RecallError> {
        let ids: Vec<NoteId> = hits.iter().map(|hit| hit.id).collect();
        self.load(&ids)?;
        hits.extend(self.own_ways(&hits));
        super::merge::rank(&mut hits);
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

    /// Procedures that are not among the hits, but that one of them, something known, is linked to.
    fn own_ways(&mut self, hits: &[Scored]) -> Vec<Scored> {
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

/// When a note was, as recall tells it: the time of a situation, else since when it holds.
pub fn told_time(note: &MemoryNote) -> jiff::Timestamp {
    match &note.mem_type {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => lived.time_span.start(),
        _ => note.valid_from,
    }
}
