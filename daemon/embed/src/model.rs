//! What recall asks of a model.

use std::fmt;

use crate::EmbedError;

/// How a model makes one vector of a text out of its parts' vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pooling {
    /// The mean of all parts.
    Mean,
    /// The first part (BERT's `[CLS]`).
    First,
    /// The last part (decoder models).
    Last,
}

impl fmt::Display for Pooling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mean => "mean",
            Self::First => "first",
            Self::Last => "last",
        })
    }
}

/// What makes two vectors comparable: they come from models of equal identity, and from no others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelIdentity {
    /// What the model is called.
    pub name: String,
    /// A digest of everything its vectors depend on: weights, algorithm, version. Hexadecimal.
    pub digest: String,
    /// How parts become one vector.
    pub pooling: Pooling,
}

impl fmt::Display for ModelIdentity {
    /// `name@digest/pooling`, the form stored with vectors.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}/{}", self.name, self.digest, self.pooling)
    }
}

/// A model that turns text into vectors of one fixed dimension and of length 1, so that their scalar product is the
/// cosine. A text in which the model sees nothing may get the zero vector, whose cosine with everything is 0.
///
/// Queries and passages are embedded by different calls, because some models put an instruction before queries.
/// Text over the token limit is split on sentence ends and pooled ([`crate::chunks`], [`crate::pool`]), never cut off.
pub trait EmbeddingModel: Send + Sync {
    /// What the vectors are stamped with.
    fn identity(&self) -> ModelIdentity;

    /// The length of every vector.
    fn dimension(&self) -> usize;

    /// How many tokens the model takes at once.
    fn token_limit(&self) -> usize;

    /// The cosine that 99 % of unrelated pairs of texts stay under (see [`crate::calibrate`]).
    fn floor(&self) -> f32;

    /// Whether making a vector costs so much more than reading one that they are kept on the disk. A model that takes
    /// milliseconds for a text, or asks somebody else for it, is dear.
    fn is_dear(&self) -> bool {
        false
    }

    /// Embeds what is asked; one vector for each text, in order.
    fn embed_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Embeds what is remembered; one vector for each text, in order.
    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}
