//! The structure of a memory: notes and links by id.

use hashbrown::HashMap;
use petgraph::Direction;
use petgraph::stable_graph::{EdgeIndex, NodeIndex, StableDiGraph};
use petgraph::visit::EdgeRef;
use thiserror::Error;

use super::adjacency::Adjacency;
use crate::model::{
    LinkId, LinkType, MemoryLink, ModelError, NoteId, NoteKind, ProcLink, SituationLink,
};

/// Every note and link of one character, without the bodies of the notes.
///
/// A link may lead to a note that is not there yet: it waits, keyed by the target's id, and joins
/// when the note comes. Links end with either of their notes.
///
/// ```
/// use soulmem_engine::graph::{LinkPlace, MemoryGraph};
/// use soulmem_engine::model::{
///     IdSource, LinkDraft, LinkType, NoteKind, SequentialIds, SituationLink,
/// };
///
/// let ids = SequentialIds::new();
/// let (rain, storm) = (ids.note_id(), ids.note_id());
/// let kind = LinkType::Situation(SituationLink::SpecificToAbstract {});
/// let link = LinkDraft::new(rain, kind).starting_from(storm).build(&ids)?;
///
/// let mut graph = MemoryGraph::new();
/// graph.add_note(storm, NoteKind::SpecificSituation);
/// assert_eq!(graph.put_link(&link)?, LinkPlace::Waiting);
/// graph.add_note(rain, NoteKind::AbstractSituation);
/// assert_eq!(graph.links_from(storm)[0].to, rain);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryGraph {
    pub(super) structure: StableDiGraph<NoteNode, GraphLink>,
    pub(super) notes: HashMap<NoteId, NodeIndex>,
    pub(super) links: HashMap<LinkId, Place>,
    /// Links without their target, by the target's id.
    pub(super) waiting: HashMap<NoteId, Vec<Waiting>>,
    pub(super) waiting_count: usize,
    pub(super) adjacency: Adjacency,
}

/// A note as the graph knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteNode {
    /// Which note.
    pub id: NoteId,
    /// What kind of note.
    pub kind: NoteKind,
    /// Its links that wait for their target.
    pub(super) waiting: Vec<LinkId>,
}

/// A link as the graph knows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphLink {
    /// Which link.
    pub id: LinkId,
    /// How strong it is.
    pub intensity: f64,
    /// What kind of link.
    pub kind: LinkKind,
}

/// What kind of link, without its words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinkKind {
    /// Between concepts.
    Sem {
        /// How sure it is, from 0 to 1.
        confidence: f64,
    },
    /// Towards an action.
    TrigToAction {
        /// How likely the action follows, from 0 to 1.
        prob: f64,
    },
    /// From a pattern to an experience.
    AbstractToSpecific,
    /// From an experience to a pattern.
    SpecificToAbstract,
}

impl From<&LinkType> for LinkKind {
    fn from(link_type: &LinkType) -> Self {
        match link_type {
            LinkType::Sem(sem) => Self::Sem {
                confidence: sem.confidence,
            },
            LinkType::Proc(ProcLink::TrigToAction { prob }) => Self::TrigToAction { prob: *prob },
            LinkType::Situation(SituationLink::AbstractToSpecific {}) => Self::AbstractToSpecific,
            LinkType::Situation(SituationLink::SpecificToAbstract {}) => Self::SpecificToAbstract,
        }
    }
}

impl From<&MemoryLink> for GraphLink {
    fn from(link: &MemoryLink) -> Self {
        Self {
            id: link.id,
            intensity: link.intensity,
            kind: (&link.link_type).into(),
        }
    }
}

/// A link with its two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkView {
    /// The note it starts from.
    pub from: NoteId,
    /// The note it leads to.
    pub to: NoteId,
    /// The link itself.
    pub link: GraphLink,
}

/// Whether a link is between two notes or waits for its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPlace {
    /// Both notes are there.
    Joined,
    /// The target is not there yet.
    Waiting,
}

/// Where a link is kept.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Joined(EdgeIndex),
    Waiting(NoteId),
}

/// A link that waits, with the note it starts from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub from: NodeIndex,
    pub link: GraphLink,
}

/// A change that the graph refuses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GraphError {
    /// The link is not a valid one.
    #[error("link {id}: {error}")]
    Link {
        /// Which link.
        id: LinkId,
        /// What is wrong with it.
        #[source]
        error: ModelError,
    },
    /// The note that the link starts from is not there.
    #[error("link {id}: there is no note {from} for it to start from")]
    NoSource {
        /// Which link.
        id: LinkId,
        /// The note it names.
        from: NoteId,
    },
    /// There is no such link.
    #[error("there is no link {0}")]
    NoLink(LinkId),
}

impl MemoryGraph {
    /// A memory with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many notes there are.
    pub fn note_count(&self) -> usize {
        self.structure.node_count()
    }

    /// How many links there are between notes.
    pub fn link_count(&self) -> usize {
        self.structure.edge_count()
    }

    /// How many links wait for their target.
    pub fn waiting_count(&self) -> usize {
        self.waiting_count
    }

    /// Whether the note is there.
    pub fn contains(&self, note: NoteId) -> bool {
        self.notes.contains_key(&note)
    }

    /// The note's index: the same until the note is removed, then given to another one.
    pub fn index_of(&self, note: NoteId) -> Option<NodeIndex> {
        self.notes.get(&note).copied()
    }

    /// The note with this index.
    pub fn note(&self, index: NodeIndex) -> Option<&NoteNode> {
        self.structure.node_weight(index)
    }

    /// One more than the largest index in use: the length of a slice that has room for every note.
    pub fn index_bound(&self) -> usize {
        self.adjacency.bound()
    }

    /// Where the link is, if it is there.
    pub fn link_place(&self, link: LinkId) -> Option<LinkPlace> {
        self.links.get(&link).map(|place| match place {
            Place::Joined(_) => LinkPlace::Joined,
            Place::Waiting(_) => LinkPlace::Waiting,
        })
    }

    /// The links that start from `note` and have their target, ordered by link id.
    pub fn links_from(&self, note: NoteId) -> Vec<LinkView> {
        self.views(note, Direction::Outgoing)
    }

    /// The links that lead to `note`, ordered by link id.
    pub fn links_to(&self, note: NoteId) -> Vec<LinkView> {
        self.views(note, Direction::Incoming)
    }

    /// The structure, for analysis with `petgraph`'s algorithms.
    pub fn structure(&self) -> &StableDiGraph<NoteNode, GraphLink> {
        &self.structure
    }

    fn views(&self, note: NoteId, direction: Direction) -> Vec<LinkView> {
        let Some(index) = self.index_of(note) else {
            return Vec::new();
        };
        let mut views: Vec<LinkView> = self
            .structure
            .edges_directed(index, direction)
            .map(|edge| LinkView {
                from: self.structure[edge.source()].id,
                to: self.structure[edge.target()].id,
                link: *edge.weight(),
            })
            .collect();
        views.sort_unstable_by_key(|view| view.link.id);
        views
    }
}
