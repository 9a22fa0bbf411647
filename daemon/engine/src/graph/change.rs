//! Changes of the memory graph, each keeping structure, waiting links and flat adjacency in step.

use std::collections::BTreeSet;

use petgraph::Direction;
use petgraph::stable_graph::{EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;

use super::memory_graph::{
    GraphError, GraphLink, LinkKind, LinkPlace, MemoryGraph, NoteNode, Place, Waiting,
};
use super::weight::CONDUCTS_FROM;
use crate::model::{LinkId, MemoryLink, MemoryNote, ModelError, NoteId, NoteKind};

impl MemoryGraph {
    /// Adds a note, or changes the kind of one that is there. Links that waited for it join.
    pub fn add_note(&mut self, id: NoteId, kind: NoteKind) {
        if let Some(index) = self.index_of(id) {
            self.set_kind(index, kind);
            return;
        }
        let index = self.structure.add_node(NoteNode {
            id,
            kind,
            waiting: Vec::new(),
        });
        self.notes.insert(id, index);
        self.adjacency.make_room(index.index() + 1);
        for waiting in self.waiting.remove(&id).unwrap_or_default() {
            self.waiting_count -= 1;
            self.structure[waiting.from]
                .waiting
                .retain(|link| *link != waiting.link.id);
            self.join(waiting.from, index, waiting.link);
        }
    }

    /// Adds a note with the links that start from it, or replaces both.
    ///
    /// # Errors
    ///
    /// [`GraphError::Link`] for the first link refused; then nothing has changed.
    pub fn put_note(&mut self, note: &MemoryNote) -> Result<(), GraphError> {
        for link in &note.mem_links {
            check(link)?;
            if link.from != note.id {
                return Err(GraphError::Link {
                    id: link.id,
                    error: ModelError::new("from", format!("is not the note {}", note.id)),
                });
            }
        }
        self.add_note(note.id, note.kind());
        let kept: BTreeSet<LinkId> = note.mem_links.iter().map(|link| link.id).collect();
        for link in self.all_links_of(note.id) {
            if !kept.contains(&link) {
                self.remove_link(link);
            }
        }
        for link in &note.mem_links {
            self.put_link(link)?;
        }
        Ok(())
    }

    /// Adds a link, or replaces the one with its id.
    ///
    /// # Errors
    ///
    /// [`GraphError::Link`] for a link that is not valid (to its own note; an intensity, a
    /// confidence or a probability out of range), [`GraphError::NoSource`] where the note it
    /// starts from is not there. Then nothing has changed.
    pub fn put_link(&mut self, link: &MemoryLink) -> Result<LinkPlace, GraphError> {
        check(link)?;
        let from = self.index_of(link.from).ok_or(GraphError::NoSource {
            id: link.id,
            from: link.from,
        })?;
        self.remove_link(link.id);
        let graph_link = GraphLink::from(link);
        if let Some(to) = self.index_of(link.to) {
            self.join(from, to, graph_link);
            return Ok(LinkPlace::Joined);
        }
        self.links.insert(link.id, Place::Waiting(link.to));
        self.structure[from].waiting.push(link.id);
        self.waiting.entry(link.to).or_default().push(Waiting {
            from,
            link: graph_link,
        });
        self.waiting_count += 1;
        Ok(LinkPlace::Waiting)
    }

    /// Changes the intensity of a link.
    ///
    /// # Errors
    ///
    /// [`GraphError::NoLink`] where there is none with this id, [`GraphError::Link`] for an
    /// intensity out of range. Then nothing has changed.
    pub fn set_intensity(&mut self, id: LinkId, intensity: f64) -> Result<(), GraphError> {
        crate::model::link::check_intensity(intensity)
            .map_err(|error| GraphError::Link { id, error })?;
        match self.links.get(&id).copied() {
            None => Err(GraphError::NoLink(id)),
            Some(Place::Joined(edge)) => {
                self.detach(edge);
                self.structure[edge].intensity = intensity;
                self.attach(edge);
                Ok(())
            }
            Some(Place::Waiting(target)) => {
                let waiting = self.waiting.get_mut(&target).into_iter().flatten();
                for it in waiting.filter(|it| it.link.id == id) {
                    it.link.intensity = intensity;
                }
                Ok(())
            }
        }
    }

    /// Removes a link, telling whether it was there.
    pub fn remove_link(&mut self, id: LinkId) -> bool {
        match self.links.remove(&id) {
            None => false,
            Some(Place::Joined(edge)) => {
                self.detach(edge);
                self.structure.remove_edge(edge);
                true
            }
            Some(Place::Waiting(target)) => {
                self.stop_waiting(id, target);
                true
            }
        }
    }

    /// Removes a note and every link at it, which are returned, ordered by id. `None` where there
    /// is no such note.
    pub fn remove_note(&mut self, id: NoteId) -> Option<Vec<LinkId>> {
        let index = self.index_of(id)?;
        let mut ended = self.all_links_of(id);
        let incoming = self.structure.edges_directed(index, Direction::Incoming);
        ended.extend(incoming.map(|edge| edge.weight().id));
        ended.sort_unstable();
        for link in &ended {
            self.remove_link(*link);
        }
        self.structure.remove_node(index);
        self.notes.remove(&id);
        Some(ended)
    }

    /// The links that start from `note`, waiting ones too.
    fn all_links_of(&self, note: NoteId) -> Vec<LinkId> {
        let Some(index) = self.index_of(note) else {
            return Vec::new();
        };
        let joined = self.structure.edges(index).map(|edge| edge.weight().id);
        joined
            .chain(self.structure[index].waiting.iter().copied())
            .collect()
    }

    fn stop_waiting(&mut self, id: LinkId, target: NoteId) {
        let Some(list) = self.waiting.get_mut(&target) else {
            return;
        };
        let Some(position) = list.iter().position(|waiting| waiting.link.id == id) else {
            return;
        };
        let waiting = list.swap_remove(position);
        if list.is_empty() {
            self.waiting.remove(&target);
        }
        self.waiting_count -= 1;
        self.structure[waiting.from]
            .waiting
            .retain(|link| *link != id);
    }

    fn join(&mut self, from: NodeIndex, to: NodeIndex, link: GraphLink) {
        let edge = self.structure.add_edge(from, to, link);
        self.links.insert(link.id, Place::Joined(edge));
        self.attach(edge);
    }

    /// A note that becomes a procedure, or stops being one, changes what its incoming links
    /// conduct.
    fn set_kind(&mut self, index: NodeIndex, kind: NoteKind) {
        if self.structure[index].kind == kind {
            return;
        }
        let incoming: Vec<EdgeIndex> = self
            .structure
            .edges_directed(index, Direction::Incoming)
            .map(|edge| edge.id())
            .collect();
        for edge in &incoming {
            self.detach(*edge);
        }
        self.structure[index].kind = kind;
        for edge in &incoming {
            self.attach(*edge);
        }
    }

    /// Puts an edge of the structure into the flat adjacency, if it can conduct.
    fn attach(&mut self, edge: EdgeIndex) {
        let Some((from, to)) = self.structure.edge_endpoints(edge) else {
            return;
        };
        let link = self.structure[edge];
        if !self.conducts(to, &link) {
            return;
        }
        if let Err(position) = self.position_of(from, link.id) {
            let target = to.index() as u32;
            self.adjacency
                .insert(from.index(), position, edge, target, &link);
        }
    }

    /// Whether a link to this note can conduct at all, however little its source has faded.
    pub(super) fn conducts(&self, to: NodeIndex, link: &GraphLink) -> bool {
        let leads_to_procedure = self.structure[to].kind == NoteKind::Procedure;
        let leads_to_action = matches!(link.kind, LinkKind::TrigToAction { .. });
        !leads_to_procedure && !leads_to_action && link.intensity >= CONDUCTS_FROM
    }

    /// Takes an edge of the structure out of the flat adjacency, if it is in it.
    fn detach(&mut self, edge: EdgeIndex) {
        let Some((from, _)) = self.structure.edge_endpoints(edge) else {
            return;
        };
        if let Ok(position) = self.position_of(from, self.structure[edge].id) {
            self.adjacency.remove(from.index(), position);
        }
    }

    /// Where in the flat adjacency of `from` the link is, or would be: links are ordered by id, so
    /// that a walk does not depend on the order in which they came.
    fn position_of(&self, from: NodeIndex, id: LinkId) -> Result<usize, usize> {
        let links = self.adjacency.links(from.index());
        links.binary_search_by_key(&id, |edge| self.structure[*edge].id)
    }
}

fn check(link: &MemoryLink) -> Result<(), GraphError> {
    link.check()
        .map_err(|error| GraphError::Link { id: link.id, error })
}
