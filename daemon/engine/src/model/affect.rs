//! The emotional layer of a note.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::check::{self, ModelError};
use super::nil::nil_as_default;

/// The most life domains that one note belongs to.
pub const MAX_DOMAINS: usize = 2;

/// The longest name of a note, in characters.
pub const MAX_NAME_CHARS: usize = 80;

/// How much a note matters, how it feels, and whether it is still open.
// The flags are independent of each other: every combination of them means something.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Affect {
    /// How much it matters, from 1 to 10.
    pub importance: u8,
    /// How pleasant it is, from 0 (bad) to 1 (good).
    pub valence: f64,
    /// How stirring it is, from 0 (calm) to 1.
    pub arousal: f64,
    /// The character's own view of how pleasant it is, once it has digested the note; from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_valence: Option<f64>,
    /// How often it was active. Recalls and edits count 1, ripples a part of it.
    pub activation_count: f64,
    /// When it was last active.
    pub last_active_at: Timestamp,
    /// Always shown first, never faded.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub pinned: bool,
    /// Never faded.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub protected: bool,
    /// No longer open.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub resolved: bool,
    /// The character has come to a feeling about it.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub digested: bool,
    /// Which life it leads.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub bucket: Bucket,
    /// Which parts of life it belongs to, at most [`MAX_DOMAINS`].
    #[serde(default, deserialize_with = "nil_as_default")]
    pub domain: Vec<String>,
    /// A short title, at most [`MAX_NAME_CHARS`] characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Which life a note leads in the emotional layer.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Bucket {
    /// Fades and comes back.
    #[default]
    Dynamic,
    /// Stays.
    Permanent,
    /// A feeling of the character's own.
    Feel,
    /// Does not surface by itself.
    Dormant,
}

impl Affect {
    /// The neutral affect of a note that was last active at `at`.
    pub fn at(at: Timestamp) -> Self {
        Self {
            importance: 5,
            valence: 0.5,
            arousal: 0.3,
            model_valence: None,
            activation_count: 0.0,
            last_active_at: at,
            pinned: false,
            protected: false,
            resolved: false,
            digested: false,
            bucket: Bucket::Dynamic,
            domain: Vec::new(),
            name: None,
        }
    }

    pub(super) fn check(&self) -> Result<(), ModelError> {
        if !(1..=10).contains(&self.importance) {
            return Err(ModelError::new(
                "importance",
                format!("is {}, must be from 1 to 10", self.importance),
            ));
        }
        check::unit("valence", self.valence)?;
        check::unit("arousal", self.arousal)?;
        if let Some(valence) = self.model_valence {
            check::unit("model_valence", valence)?;
        }
        if !(self.activation_count.is_finite() && self.activation_count >= 0.0) {
            return Err(ModelError::new(
                "activation_count",
                format!("is {}, must be 0 or more", self.activation_count),
            ));
        }
        self.check_labels()
    }

    fn check_labels(&self) -> Result<(), ModelError> {
        if self.domain.len() > MAX_DOMAINS {
            return Err(ModelError::new(
                "domain",
                format!(
                    "has {} entries, the most is {MAX_DOMAINS}",
                    self.domain.len()
                ),
            ));
        }
        check::each("domain", &self.domain, |domain| check::text("", domain))?;
        let Some(name) = &self.name else {
            return Ok(());
        };
        check::text("name", name)?;
        let chars = name.chars().count();
        if chars > MAX_NAME_CHARS {
            return Err(ModelError::new(
                "name",
                format!("has {chars} characters, the most is {MAX_NAME_CHARS}"),
            ));
        }
        Ok(())
    }
}

/// An affect as far as a caller gives it; what is left out takes its default.
///
/// A given value always wins, zeros too, which is why each is optional here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AffectDraft {
    /// See [`Affect::importance`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<u8>,
    /// See [`Affect::valence`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<f64>,
    /// See [`Affect::arousal`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arousal: Option<f64>,
    /// See [`Affect::model_valence`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_valence: Option<f64>,
    /// See [`Affect::activation_count`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation_count: Option<f64>,
    /// See [`Affect::last_active_at`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_active_at: Option<Timestamp>,
    /// See [`Affect::pinned`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// See [`Affect::protected`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protected: Option<bool>,
    /// See [`Affect::resolved`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<bool>,
    /// See [`Affect::digested`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digested: Option<bool>,
    /// See [`Affect::bucket`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<Bucket>,
    /// See [`Affect::domain`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Vec<String>>,
    /// See [`Affect::name`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl AffectDraft {
    /// The affect of a note that was last active at `at`, unless the draft says otherwise.
    pub fn build(self, at: Timestamp) -> Affect {
        let neutral = Affect::at(at);
        Affect {
            importance: self.importance.unwrap_or(neutral.importance),
            valence: self.valence.unwrap_or(neutral.valence),
            arousal: self.arousal.unwrap_or(neutral.arousal),
            model_valence: self.model_valence,
            activation_count: self.activation_count.unwrap_or(neutral.activation_count),
            last_active_at: self.last_active_at.unwrap_or(neutral.last_active_at),
            pinned: self.pinned.unwrap_or(neutral.pinned),
            protected: self.protected.unwrap_or(neutral.protected),
            resolved: self.resolved.unwrap_or(neutral.resolved),
            digested: self.digested.unwrap_or(neutral.digested),
            bucket: self.bucket.unwrap_or(neutral.bucket),
            domain: self.domain.unwrap_or_default(),
            name: self.name,
        }
    }
}

impl From<Affect> for AffectDraft {
    fn from(affect: Affect) -> Self {
        Self {
            importance: Some(affect.importance),
            valence: Some(affect.valence),
            arousal: Some(affect.arousal),
            model_valence: affect.model_valence,
            activation_count: Some(affect.activation_count),
            last_active_at: Some(affect.last_active_at),
            pinned: Some(affect.pinned),
            protected: Some(affect.protected),
            resolved: Some(affect.resolved),
            digested: Some(affect.digested),
            bucket: Some(affect.bucket),
            domain: Some(affect.domain),
            name: affect.name,
        }
    }
}
