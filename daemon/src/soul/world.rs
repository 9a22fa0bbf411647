//! What the characters of one daemon share.

use std::sync::Arc;

use soulmem_embed::EmbeddingModel;

use super::events::EventHub;
use super::outside::Outside;
use super::pool::Pool;
use super::settings::SoulSettings;
use crate::store::StoreOptions;

/// Everything around a character.
pub struct World {
    /// Time and ids.
    pub outside: Outside,
    /// Turns texts into vectors.
    pub model: Arc<dyn EmbeddingModel>,
    /// Tells subscribers what happens.
    pub events: Arc<EventHub>,
    /// Runs heavy work.
    pub pool: Pool,
}

impl World {
    /// How memories are opened here.
    pub fn store_options(&self, settings: &SoulSettings) -> StoreOptions {
        StoreOptions {
            window_capacity: settings.window_capacity,
            ..StoreOptions::new(
                Arc::clone(&self.outside.clock),
                Arc::clone(&self.outside.ids),
            )
        }
    }
}
