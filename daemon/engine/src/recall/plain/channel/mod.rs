//! The channels that a plain line is answered by, and what each is worth.

mod fusion;
mod kind;
mod weights;

use serde::{Deserialize, Serialize};

pub use fusion::FusionWeights;
pub use kind::Kind;
pub use weights::{BaseWeights, ChannelWeights};

pub(super) use kind::Group;

/// What speaks for a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Words in common, by BM25.
    Words,
    /// The same for its best clause.
    Clause,
    /// Share of the line's words that it has, the rare ones counting no more than the common.
    Share,
    /// Cosine of the vectors.
    Vector,
    /// Said by the one participant that the line names.
    Speaker,
    /// What was said just before it fits.
    Before,
    /// What was said just after it fits.
    After,
    /// What was said just before it is a question that fits.
    Answers,
    /// The best turn of its talk fits.
    Talk,
    /// Words that its whole talk has in common.
    TalkWords,
    /// It is of the time that the line names.
    Time,
    /// It tells a time where the line asks for one.
    TellsTime,
    /// It tells a person, a place or a liking where the line asks for one.
    TellsKind,
    /// It is a question.
    Asks,
    /// How long it is.
    Length,
    /// Somebody speaks of themselves in it.
    Own,
    /// The one participant that the line names speaks of themselves in it.
    OfSelf,
    /// Reached over shared words from what fits best.
    Keywords,
    /// It is about, or mentions, what the line names.
    Entities,
    /// Reached over entities from those that the line names.
    EntityWalk,
}

/// How many channels there are.
pub const CHANNELS: usize = 20;

impl Channel {
    /// All of them, in the order of [`Channels`].
    pub const ALL: [Self; CHANNELS] = [
        Self::Words,
        Self::Clause,
        Self::Share,
        Self::Vector,
        Self::Speaker,
        Self::Before,
        Self::After,
        Self::Answers,
        Self::Talk,
        Self::TalkWords,
        Self::Time,
        Self::TellsTime,
        Self::TellsKind,
        Self::Asks,
        Self::Length,
        Self::Own,
        Self::OfSelf,
        Self::Keywords,
        Self::Entities,
        Self::EntityWalk,
    ];

    /// Its name in explanations and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Clause => "clause",
            Self::Share => "share",
            Self::Vector => "vector",
            Self::Speaker => "speaker",
            Self::Before => "before",
            Self::After => "after",
            Self::Answers => "answers",
            Self::Talk => "talk",
            Self::TalkWords => "talk_words",
            Self::Time => "time",
            Self::TellsTime => "tells_time",
            Self::TellsKind => "tells_kind",
            Self::Asks => "asks",
            Self::Length => "length",
            Self::Own => "own",
            Self::OfSelf => "of_self",
            Self::Keywords => "keywords",
            Self::Entities => "entities",
            Self::EntityWalk => "entity_walk",
        }
    }
}

/// What every channel says of one candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Channels([f64; CHANNELS]);

impl Channels {
    /// What one says.
    pub fn get(&self, channel: Channel) -> f64 {
        self.0[channel as usize]
    }

    /// Lets one say something.
    pub fn set(&mut self, channel: Channel, value: f64) {
        self.0[channel as usize] = value;
    }

    /// Every channel with what it says.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        Channel::ALL
            .iter()
            .map(|channel| (channel.as_str(), self.get(*channel)))
    }
}
