//! What can go wrong in a model.

use thiserror::Error;

/// An embedding model's failure. Recall goes on with the other channels.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model could not embed these texts.
    #[error("the embedding model {model} failed: {reason}")]
    Failed {
        /// The name of the model's identity.
        model: String,
        /// What the model or its server said.
        reason: String,
    },
}
