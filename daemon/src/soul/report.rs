//! How much a character has, and how it is.

use std::sync::Arc;

use soulmem_engine::model::NoteKind as ModelKind;
use soulmem_proto::SoulName;
use soulmem_proto::ops::health::{Condition, EmbeddingHealth, SoulHealth, State};
use soulmem_proto::ops::note_list::NoteKind;
use soulmem_proto::ops::stats::{ModelEntry, StatsResponse};

use super::character::Soul;
use super::error::Result;
use super::glance::Glance;
use super::registry::Souls;
use super::world::World;

impl Soul {
    /// Counts of everything.
    pub async fn stats(&self) -> Result<StatsResponse> {
        let now = self.world().outside.clock.now();
        let stats = self.read(move |view| view.stats(now)).await?;
        let mind = Arc::clone(self.mind());
        let index = self.world().pool.run(move || mind.sizes()).await?;
        let identity = self.world().model.identity();
        Ok(StatsResponse {
            notes_by_type: stats
                .notes_by_kind
                .iter()
                .map(|(kind, count)| (wire_kind(*kind), *count))
                .collect(),
            notes_by_state: stats.notes_by_state,
            links: stats.links,
            messages: stats.messages,
            index,
            model: ModelEntry {
                name: identity.name,
                digest: identity.digest,
                dimension: self.world().model.dimension() as u64,
            },
            schema_version: stats.schema.into(),
            llm: self.world().llm.uses(self.name().as_str()),
        })
    }
}

impl Soul {
    /// What can be told of it without asking it anything.
    pub async fn glance(&self) -> Result<Glance> {
        let now = self.world().outside.clock.now();
        self.read(move |view| Glance::of(view, now)).await
    }
}

impl Souls {
    /// How every character is. None is opened or woken for it.
    pub async fn health(self: &Arc<Self>) -> Vec<SoulHealth> {
        let mut souls = Vec::new();
        for name in self.names() {
            souls.push(self.health_of(name).await);
        }
        souls
    }

    async fn health_of(self: &Arc<Self>, soul: SoulName) -> SoulHealth {
        let (mut state, mut last_error) = match self.peek(&soul).await {
            Some(open) => (open.state(), open.last_error()),
            None => (State::Idle, None),
        };
        let (mut notes, mut links, mut last_consolidation) = (0, 0, None);
        match self.glance(&soul).await {
            Ok(glance) => {
                last_consolidation = glance.last_consolidation;
                notes = glance.stats.notes_by_kind.values().sum();
                links = glance.stats.links;
            }
            Err(error) => {
                state = State::ReadOnly;
                last_error.get_or_insert_with(|| error.to_string());
            }
        }
        SoulHealth {
            ownership: self.ownerships().exception(&soul),
            soul,
            state,
            notes,
            links,
            last_consolidation,
            last_error,
        }
    }
}

/// The embedding model's condition. The built-in one has none that could be bad.
pub fn embedding_health(world: &World) -> EmbeddingHealth {
    EmbeddingHealth {
        model: world.model.identity().name,
        dimension: world.model.dimension() as u64,
        condition: Condition::Ready,
        reason: None,
    }
}

/// The kind of a note as the wire calls it.
pub fn wire_kind(kind: ModelKind) -> NoteKind {
    match kind {
        ModelKind::Semantic => NoteKind::Semantic,
        ModelKind::SpecificSituation => NoteKind::SpecificSituation,
        ModelKind::AbstractSituation => NoteKind::AbstractSituation,
        ModelKind::Procedure => NoteKind::Procedure,
    }
}

/// The kind of a note that the wire calls so.
pub fn model_kind(kind: NoteKind) -> ModelKind {
    match kind {
        NoteKind::Semantic => ModelKind::Semantic,
        NoteKind::SpecificSituation => ModelKind::SpecificSituation,
        NoteKind::AbstractSituation => ModelKind::AbstractSituation,
        NoteKind::Procedure => ModelKind::Procedure,
    }
}
