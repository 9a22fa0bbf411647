//! How far notes and messages have faded, at hand for every step of a walk.

use hashbrown::HashMap;
use jiff::Timestamp;
use soulmem_engine::forget::curve::UTTERANCE_HALF_LIVES;
use soulmem_engine::forget::{MemoryTrace, Pace, Retention, fades};
use soulmem_engine::graph::{MemoryGraph, NodeIndex};
use soulmem_engine::model::{MemoryNote, MessageId, NoteId};

use crate::soul::forgetting::Curves;
use crate::store::Uses;

/// What decides how far notes and messages have faded, by their ids.
pub type Traces = (
    HashMap<NoteId, MemoryTrace>,
    HashMap<MessageId, MemoryTrace>,
);

/// What decides how far each note and message has faded.
#[derive(Debug, Default)]
pub struct Fading {
    curves: Curves,
    /// By the note's index in the graph; nothing where it does not fade.
    notes: Vec<Option<MemoryTrace>>,
    /// The same by these curves, for walks: they ask for many notes at once, and this is a third as large.
    paces: Vec<Pace>,
    said: HashMap<MessageId, MemoryTrace>,
}

impl Fading {
    /// Nothing yet, to fade by these curves.
    pub fn new(curves: Curves) -> Self {
        Self {
            curves,
            ..Self::default()
        }
    }

    /// From what was kept of it, by ids, to fade by the usual curves.
    pub fn from_traces(traces: Traces, graph: &MemoryGraph) -> Self {
        let (notes, said) = traces;
        let mut fading = Self {
            said,
            ..Self::default()
        };
        for (id, trace) in notes {
            if let Some(index) = graph.index_of(id) {
                fading.set(index, Some(trace));
            }
        }
        fading
    }

    /// What is to be kept of it.
    pub fn traces(&self, graph: &MemoryGraph) -> Traces {
        let places = self.notes.iter().enumerate();
        let notes = places.filter_map(|(place, trace)| {
            let note = graph.note(NodeIndex::new(place))?;
            Some((note.id, (*trace)?))
        });
        (notes.collect(), self.said.clone())
    }

    /// Lets everything fade by other curves.
    pub fn fade_by(&mut self, curves: Curves) {
        self.curves = curves;
        let pace = |trace: &Option<MemoryTrace>| self.pace_of(trace.as_ref());
        self.paces = self.notes.iter().map(pace).collect();
    }

    fn pace_of(&self, trace: Option<&MemoryTrace>) -> Pace {
        trace.map_or(Pace::STEADY, |trace| self.curves.notes.pace(trace))
    }

    /// The curves.
    pub fn curves(&self) -> &Curves {
        &self.curves
    }

    /// Takes a note in, or what has become of it. A recall that was counted since it was read stays counted.
    pub fn put_note(&mut self, index: NodeIndex, note: &MemoryNote) {
        let mut trace = fades(note).then(|| MemoryTrace::of_note(note));
        if let (Some(trace), Some(known)) = (&mut trace, self.trace(index)) {
            trace.recalls = trace.recalls.max(known.recalls);
            trace.last_rehearsed_at = trace.last_rehearsed_at.max(known.last_rehearsed_at);
        }
        self.set(index, trace);
    }

    fn set(&mut self, index: NodeIndex, trace: Option<MemoryTrace>) {
        let place = index.index();
        if self.notes.len() <= place {
            self.notes.resize(place + 1, None);
            self.paces.resize(place + 1, Pace::STEADY);
        }
        self.paces[place] = self.pace_of(trace.as_ref());
        self.notes[place] = trace;
    }

    /// Forgets a note that is no more.
    pub fn remove_note(&mut self, index: NodeIndex) {
        if index.index() < self.notes.len() {
            self.set(index, None);
        }
    }

    /// Takes a message in. Its wording fades from when it was said, or from when it was taken in if that was later: nobody has
    /// forgotten what was read to them just now.
    pub fn put_message(&mut self, id: MessageId, said_at: Timestamp, taken_in_at: Timestamp) {
        let since = said_at.max(taken_in_at);
        let known = self.said.get(&id).copied();
        let trace = known.unwrap_or_else(|| MemoryTrace::of_utterance(since, since, 0));
        self.said.insert(id, trace);
    }

    /// Forgets a message that is no more.
    pub fn remove_message(&mut self, id: MessageId) {
        self.said.remove(&id);
    }

    /// Counts recalls of a note. Counts and times never go back.
    pub fn rehearse_note(&mut self, index: NodeIndex, uses: Uses) {
        if let Some(mut trace) = self.trace(index).copied() {
            rehearse(&mut trace, uses);
            self.set(index, Some(trace));
        }
    }

    /// Counts recalls of a message.
    pub fn rehearse_message(&mut self, id: MessageId, uses: Uses) {
        if let Some(trace) = self.said.get_mut(&id) {
            rehearse(trace, uses);
        }
    }

    /// How much of a note is left.
    pub fn retention(&self, index: NodeIndex, now: Timestamp) -> Retention {
        let pace = self.paces.get(index.index()).unwrap_or(&Pace::STEADY);
        pace.retention(now)
    }

    /// What decides how far a note has faded; nothing where it does not fade.
    pub fn trace(&self, index: NodeIndex) -> Option<&MemoryTrace> {
        self.notes.get(index.index()).and_then(Option::as_ref)
    }

    /// Whether what was said is still remembered word by word.
    pub fn is_worded(&self, id: MessageId, now: Timestamp) -> bool {
        self.said.get(&id).is_none_or(|trace| {
            let pace = self.curves.utterances.pace(trace);
            pace.outlasts(now, UTTERANCE_HALF_LIVES)
        })
    }
}

fn rehearse(trace: &mut MemoryTrace, uses: Uses) {
    trace.recalls = trace.recalls.max(uses.retrieval_count);
    trace.last_rehearsed_at = trace.last_rehearsed_at.max(uses.last_accessed_at);
}
