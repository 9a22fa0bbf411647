//! The packed form of a memory graph: its notes and links. What walks run over is made again, each row at once.

use hashbrown::HashMap;
use petgraph::stable_graph::{EdgeIndex, NodeIndex, StableDiGraph};
use petgraph::visit::{EdgeRef, IntoEdgeReferences};

use super::memory_graph::{GraphLink, LinkKind, MemoryGraph, NoteNode, Place, Waiting};
use crate::model::{LinkId, NoteId, NoteKind};
use crate::pack::{Pack, pack_len, unpack_len};
use crate::pack_fields;

pack_fields!(GraphLink {
    id,
    intensity,
    kind
});

impl Pack for LinkKind {
    fn pack(&self, into: &mut Vec<u8>) {
        match self {
            Self::Sem { confidence } => (0_u8, *confidence).pack(into),
            Self::TrigToAction { prob } => (1_u8, *prob).pack(into),
            Self::AbstractToSpecific => 2_u8.pack(into),
            Self::SpecificToAbstract => 3_u8.pack(into),
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::unpack(from)? {
            0 => Self::Sem {
                confidence: f64::unpack(from)?,
            },
            1 => Self::TrigToAction {
                prob: f64::unpack(from)?,
            },
            2 => Self::AbstractToSpecific,
            3 => Self::SpecificToAbstract,
            _ => return None,
        })
    }
}

impl Pack for MemoryGraph {
    fn pack(&self, into: &mut Vec<u8>) {
        let Self {
            structure,
            notes: _,
            links: _,
            waiting,
            waiting_count: _,
            adjacency: _,
        } = self;
        // Indexes have gaps where notes went; packed notes are counted through.
        let mut numbers = vec![0_u32; self.index_bound()];
        pack_len(structure.node_count(), into);
        for (number, index) in (0..).zip(structure.node_indices()) {
            let NoteNode {
                id,
                kind,
                waiting: _,
            } = &structure[index];
            (*id, *kind).pack(into);
            numbers[index.index()] = number;
        }
        pack_len(structure.edge_count(), into);
        for edge in structure.edge_references() {
            let ends = [edge.source(), edge.target()].map(|end| numbers[end.index()]);
            (ends[0], ends[1]).pack(into);
            edge.weight().pack(into);
        }
        pack_len(waiting.len(), into);
        for (target, links) in waiting {
            target.pack(into);
            pack_len(links.len(), into);
            for Waiting { from, link } in links {
                numbers[from.index()].pack(into);
                link.pack(into);
            }
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let mut graph = Self::new();
        graph.unpack_notes(from)?;
        graph.unpack_links(from)?;
        graph.unpack_waiting(from)?;
        graph.lay_out();
        Some(graph)
    }
}

impl MemoryGraph {
    fn unpack_notes(&mut self, from: &mut &[u8]) -> Option<()> {
        let count = unpack_len(from)?;
        self.structure = StableDiGraph::with_capacity(count, 0);
        self.notes = HashMap::with_capacity(count);
        for _ in 0..count {
            let (id, kind) = <(NoteId, NoteKind)>::unpack(from)?;
            let waiting = Vec::new();
            let index = self.structure.add_node(NoteNode { id, kind, waiting });
            self.notes.insert(id, index);
        }
        self.adjacency.make_room(count);
        Some(())
    }

    fn unpack_links(&mut self, from: &mut &[u8]) -> Option<()> {
        let count = unpack_len(from)?;
        self.structure.reserve_edges(count);
        self.links.reserve(count);
        for _ in 0..count {
            let (source, target) = <(u32, u32)>::unpack(from)?;
            let link = GraphLink::unpack(from)?;
            let edge =
                self.structure
                    .add_edge(self.numbered(source)?, self.numbered(target)?, link);
            self.links.insert(link.id, Place::Joined(edge));
        }
        Some(())
    }

    fn unpack_waiting(&mut self, from: &mut &[u8]) -> Option<()> {
        for _ in 0..unpack_len(from)? {
            let target = NoteId::unpack(from)?;
            let mut links = Vec::new();
            for _ in 0..unpack_len(from)? {
                let from_note = self.numbered(u32::unpack(from)?)?;
                let link = GraphLink::unpack(from)?;
                self.structure[from_note].waiting.push(link.id);
                self.links.insert(link.id, Place::Waiting(target));
                links.push(Waiting {
                    from: from_note,
                    link,
                });
            }
            self.waiting_count += links.len();
            self.waiting.insert(target, links);
        }
        Some(())
    }

    fn numbered(&self, number: u32) -> Option<NodeIndex> {
        let index = NodeIndex::new(number as usize);
        self.structure.contains_node(index).then_some(index)
    }

    /// Fills the flat adjacency of a graph that has none yet.
    fn lay_out(&mut self) {
        let mut row: Vec<(LinkId, EdgeIndex, u32)> = Vec::new();
        for node in 0..self.structure.node_count() {
            row.clear();
            let edges = self.structure.edges(NodeIndex::new(node));
            row.extend(
                edges
                    .filter(|edge| self.conducts(edge.target(), edge.weight()))
                    .map(|edge| (edge.weight().id, edge.id(), edge.target().index() as u32)),
            );
            row.sort_unstable();
            let links = row
                .iter()
                .map(|(_, edge, target)| (*edge, *target, self.structure[*edge]));
            self.adjacency.fill(node, &links);
        }
    }
}
