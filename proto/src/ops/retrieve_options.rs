//! The options of `retrieve`.
//!
//! All are optional: what a request leaves out is as the character's configuration says. An unknown option
//! is refused, because one that is misspelt would otherwise be ignored in silence.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How to go about a `retrieve`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrieveOptions {
    /// Most notes in the answer (default 10).
    pub limit: Option<u32>,
    /// How many of the likest notes start the walk (default 4).
    pub seed_k: Option<u32>,
    /// Score under which a candidate does not compete.
    pub floor: Option<f64>,
    /// Whether messages are searched beside the notes.
    pub utterances: Option<bool>,
    /// The time that the question is asked at; the daemon's clock if left out.
    pub now: Option<Timestamp>,
    /// Weights of similarity.
    pub weights: Option<BlendWeights>,
    /// Settings of the walk.
    pub walk: Option<WalkOptions>,
    /// Most actions in the answer (default 3).
    pub action_top_k: Option<u32>,
    /// Answer with what was believed at this time.
    pub as_of: Option<Timestamp>,
    /// The time that the question is about.
    pub time: Option<TimeOption>,
    /// Whether notes that faded out of recall take part (default false).
    pub include_archived: Option<bool>,
    /// Most tokens in the rendered context (default 1,200).
    pub max_tokens: Option<u32>,
    /// Whether to render the answer for a prompt (default false).
    pub context: Option<bool>,
    /// Whether to tell how each hit was found (default false).
    pub explain: Option<bool>,
    /// Whether to wait for blurred notes to be re-imagined (default false).
    pub wait_revision: Option<bool>,
    /// Whether messages are found whose wording has faded (default false).
    pub verbatim: Option<bool>,
    /// Whether the notes answered with count as recalled (default true).
    pub record: Option<bool>,
    /// Seed of anything random.
    pub seed: Option<u64>,
}

/// The weights of similarity; each one left out keeps its configured value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendWeights {
    /// Tags, against everything else.
    pub tag: Option<f64>,
    /// Everything else, against tags.
    pub variant: Option<f64>,
    /// Vectors, against string likeness.
    pub string_blend_alpha: Option<f64>,
    /// A semantic note's concept.
    pub sem_concept: Option<f64>,
    /// A semantic note's description.
    pub sem_description: Option<f64>,
    /// A situation's narrative.
    pub sit_narrative: Option<f64>,
    /// Name of a situation's place.
    pub sit_location_name: Option<f64>,
    /// Coordinates of a situation's place.
    pub sit_location_coordinates: Option<f64>,
    /// Names of those who take part.
    pub sit_participant_name: Option<f64>,
    /// Roles of those who take part.
    pub sit_participant_role: Option<f64>,
    /// Emotions.
    pub sit_emotion: Option<f64>,
    /// What was sensed.
    pub sit_sensory: Option<f64>,
    /// Atmosphere.
    pub sit_environment_atmosphere: Option<f64>,
    /// Tone.
    pub sit_environment_tone: Option<f64>,
    /// What was done.
    pub sit_event_action: Option<f64>,
    /// Who did it to whom.
    pub sit_event_roles: Option<f64>,
}

/// Settings of the walk along the links.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalkOptions {
    /// Share of the mass that goes on along the links at each step, at least 0 and under 1 (default 0.65).
    pub damping: Option<f64>,
    /// Residue at which the walk stops, as a share of the total (default 1e-5).
    pub residue: Option<f64>,
    /// The kind of notes that links lead to more easily (default situations).
    pub preference: Option<WalkPreference>,
}

/// The kind of notes that a walk prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WalkPreference {
    /// Things and ideas.
    Semantic,
    /// What happened and what happens.
    Situation,
}

/// The time that a question is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeOption {
    /// Begin of the span, inclusive; open if left out.
    pub from: Option<Timestamp>,
    /// End of the span, exclusive; open if left out.
    pub to: Option<Timestamp>,
    /// Whether what lies outside is left out (`true`) or only ranked lower (`false`, the default).
    #[serde(default)]
    pub hard: bool,
}
