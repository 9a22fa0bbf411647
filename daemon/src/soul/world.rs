//! What the characters of one daemon share.

use std::num::NonZeroU32;
use std::sync::Arc;

use soulmem_embed::EmbeddingModel;
use tokio::sync::Semaphore;

use super::events::EventHub;
use super::forgetting::reimagining::Reimagine;
use super::outside::Outside;
use super::pool::Pool;
use crate::llm::Llm;
use crate::store::StoreOptions;

/// Tells how many tokens a text takes in the prompts of the language model that is spoken to.
pub type CountTokens = Arc<dyn Fn(&str) -> usize + Send + Sync>;

/// Everything around a character.
pub struct World {
    /// Time and ids.
    pub outside: Outside,
    /// Turns texts into vectors.
    pub model: Arc<dyn EmbeddingModel>,
    /// What budgets of rendered contexts are counted by: a tokeniser, or an estimate where there is none.
    pub tokens: CountTokens,
    /// Asks a language model, where one is configured.
    pub llm: Arc<Llm>,
    /// Tells blurred memories anew, where there is a language model to do so.
    pub reimagine: Option<Arc<dyn Reimagine>>,
    /// Tells subscribers what happens.
    pub events: Arc<EventHub>,
    /// Runs heavy work.
    pub pool: Pool,
    /// Places for jobs that run at once.
    pub jobs: Arc<Semaphore>,
}

impl World {
    /// How a memory whose window holds so many messages is opened here.
    pub fn store_options(&self, window_capacity: NonZeroU32) -> StoreOptions {
        StoreOptions {
            window_capacity,
            ..StoreOptions::new(
                Arc::clone(&self.outside.clock),
                Arc::clone(&self.outside.ids),
            )
        }
    }
}
