//! The channels that a plain line is answered by, and what each is worth.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::recall::query::QueryError;

/// What speaks for a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Words in common, by BM25.
    Words,
    /// The same for its best clause.
    Clause,
    /// Cosine of the vectors.
    Vector,
    /// Said by the one participant that the line names.
    Speaker,
    /// What was said just before it fits.
    Before,
    /// What was said just after it fits.
    After,
    /// The best turn of its talk fits.
    Talk,
    /// Words that its whole talk has in common.
    TalkWords,
    /// It is of the time that the line names.
    Time,
    /// It tells a time where the line asks for one.
    TellsTime,
    /// It is a question.
    Asks,
    /// How long it is.
    Length,
    /// Somebody speaks of themselves in it.
    Own,
    /// Reached over shared words from what fits best.
    Keywords,
    /// It is about, or mentions, what the line names.
    Entities,
    /// Reached over entities from those that the line names.
    EntityWalk,
}

/// How many channels there are.
pub const CHANNELS: usize = 16;

impl Channel {
    /// All of them, in the order of [`Channels`].
    pub const ALL: [Self; CHANNELS] = [
        Self::Words,
        Self::Clause,
        Self::Vector,
        Self::Speaker,
        Self::Before,
        Self::After,
        Self::Talk,
        Self::TalkWords,
        Self::Time,
        Self::TellsTime,
        Self::Asks,
        Self::Length,
        Self::Own,
        Self::Keywords,
        Self::Entities,
        Self::EntityWalk,
    ];

    /// Its name in explanations and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Clause => "clause",
            Self::Vector => "vector",
            Self::Speaker => "speaker",
            Self::Before => "before",
            Self::After => "after",
            Self::Talk => "talk",
            Self::TalkWords => "talk_words",
            Self::Time => "time",
            Self::TellsTime => "tells_time",
            Self::Asks => "asks",
            Self::Length => "length",
            Self::Own => "own",
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

/// What a candidate is: what speaks for it differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something said in a talk.
    Turn,
    /// Something said outside of talks: each stands for itself.
    Said,
    /// A note of something known.
    Known,
    /// Any other note: something lived, a pattern of it, a way of acting.
    Lived,
}

/// Candidates that are counted and ranked among themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Messages,
    Known,
    Lived,
}

impl Group {
    pub(super) const ALL: [Self; 3] = [Self::Messages, Self::Known, Self::Lived];
}

impl Kind {
    pub(super) fn group(self) -> Group {
        match self {
            Self::Turn | Self::Said => Group::Messages,
            Self::Known => Group::Known,
            Self::Lived => Group::Lived,
        }
    }

    /// Whether it is a note.
    pub fn is_note(self) -> bool {
        self.group() != Group::Messages
    }
}

/// What each channel is worth for one kind of candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the channels")]
pub struct ChannelWeights {
    pub words: f64,
    pub clause: f64,
    pub vector: f64,
    pub speaker: f64,
    pub before: f64,
    pub after: f64,
    pub talk: f64,
    pub talk_words: f64,
    pub time: f64,
    pub tells_time: f64,
    pub asks: f64,
    pub length: f64,
    pub own: f64,
    pub keywords: f64,
    pub entities: f64,
    pub entity_walk: f64,
}

impl Default for ChannelWeights {
    fn default() -> Self {
        Self {
            words: 1.0,
            clause: 0.0,
            vector: 0.0,
            speaker: 0.0,
            before: 0.0,
            after: 0.0,
            talk: 0.0,
            talk_words: 0.0,
            time: 0.0,
            tells_time: 0.0,
            asks: 0.0,
            length: 0.0,
            own: 0.0,
            keywords: 0.0,
            entities: 0.0,
            entity_walk: 0.0,
        }
    }
}

impl ChannelWeights {
    /// In the order of [`Channel::ALL`].
    pub fn values(&self) -> [f64; CHANNELS] {
        [
            self.words,
            self.clause,
            self.vector,
            self.speaker,
            self.before,
            self.after,
            self.talk,
            self.talk_words,
            self.time,
            self.tells_time,
            self.asks,
            self.length,
            self.own,
            self.keywords,
            self.entities,
            self.entity_walk,
        ]
    }

    /// The weighted sum of what all channels say.
    pub fn sum(&self, channels: &Channels) -> f64 {
        let each = self.values().into_iter().zip(channels.0);
        each.map(|(weight, value)| weight * value).sum()
    }
}

/// What the text itself says, before what stands around it is asked: by this, what is around is judged, and walks start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the channels")]
pub struct BaseWeights {
    pub words: f64,
    pub clause: f64,
    pub vector: f64,
    pub speaker: f64,
}

impl Default for BaseWeights {
    fn default() -> Self {
        Self {
            words: 1.0,
            clause: 0.0,
            vector: 0.0,
            speaker: 0.8,
        }
    }
}

impl BaseWeights {
    fn values(&self) -> [(Channel, f64); 4] {
        [
            (Channel::Words, self.words),
            (Channel::Clause, self.clause),
            (Channel::Vector, self.vector),
            (Channel::Speaker, self.speaker),
        ]
    }

    /// The weighted sum of what these channels say.
    pub fn sum(&self, channels: &Channels) -> f64 {
        let each = self.values().into_iter();
        each.map(|(channel, weight)| weight * channels.get(channel))
            .sum()
    }
}

/// What the channels are worth, by what the memory holds. `tests/bench/tune_recall.py` tunes them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FusionWeights {
    /// For what the text itself says.
    pub base: BaseWeights,
    /// For turns of a talk.
    pub turn: ChannelWeights,
    /// For what was said outside of talks.
    pub said: ChannelWeights,
    /// For notes of something known.
    pub known: ChannelWeights,
    /// For the other notes.
    pub lived: ChannelWeights,
}

impl Default for FusionWeights {
    fn default() -> Self {
        Self {
            base: BaseWeights::default(),
            turn: ChannelWeights {
                words: 1.0,
                clause: -0.7,
                vector: -0.2,
                speaker: 1.75,
                before: 0.3,
                after: 0.15,
                talk: 0.4,
                talk_words: 0.25,
                time: 3.0,
                tells_time: 0.85,
                asks: -1.4,
                length: 0.25,
                own: 1.0,
                keywords: 0.3,
                ..ChannelWeights::default()
            },
            said: ChannelWeights {
                words: 1.0,
                vector: 0.4,
                speaker: 0.5,
                asks: -1.5,
                own: 0.7,
                keywords: 1.4,
                ..ChannelWeights::default()
            },
            known: ChannelWeights {
                words: 0.1,
                vector: 0.03,
                time: 0.3,
                entity_walk: 3.0,
                ..ChannelWeights::default()
            },
            lived: ChannelWeights {
                words: 1.0,
                vector: 0.3,
                time: 1.5,
                entities: 0.3,
                entity_walk: 0.3,
                ..ChannelWeights::default()
            },
        }
    }
}

impl fmt::Display for FusionWeights {
    /// Every weight as `KIND.CHANNEL=NUMBER`, with commas between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self.base.values().into_iter();
        let base = base.map(|(channel, weight)| ("base", channel, weight));
        let kinds = self.kinds();
        let kinds = kinds.into_iter().flat_map(|(kind, weights)| {
            let each = Channel::ALL.into_iter().zip(weights.values());
            each.map(move |(channel, weight)| (kind, channel, weight))
        });
        for (place, (kind, channel, weight)) in base.chain(kinds).enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{kind}.{}={weight}", channel.as_str())?;
        }
        Ok(())
    }
}

impl FromStr for FusionWeights {
    type Err = QueryError;

    /// Reads what [`Display`](fmt::Display) writes; a weight that is left out has its default.
    fn from_str(text: &str) -> Result<Self, QueryError> {
        let wrong = |field: &str, reason: String| QueryError {
            field: format!("recall.weights: {field}"),
            reason,
        };
        let defaults = serde_json::to_value(Self::default());
        let mut weights = defaults.map_err(|error| wrong("the defaults", error.to_string()))?;
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let given = part.split_once('=').and_then(|(name, number)| {
                let (kind, channel) = name.trim().split_once('.')?;
                Some((kind, channel, number.trim().parse::<f64>().ok()?))
            });
            let Some((kind, channel, number)) = given else {
                return Err(wrong(
                    part,
                    "is not KIND.CHANNEL=NUMBER, such as turn.words=1".into(),
                ));
            };
            match weights.get_mut(kind).and_then(|kind| kind.get_mut(channel)) {
                Some(weight) => *weight = number.into(),
                None => {
                    return Err(wrong(
                        part,
                        "is no weight: there is no such kind or channel".into(),
                    ));
                }
            }
        }
        let weights: Self =
            serde_json::from_value(weights).map_err(|error| wrong(text, error.to_string()))?;
        weights.check()?;
        Ok(weights)
    }
}

impl FusionWeights {
    /// The weights for one kind of candidate.
    pub fn of(&self, kind: Kind) -> &ChannelWeights {
        match kind {
            Kind::Turn => &self.turn,
            Kind::Said => &self.said,
            Kind::Known => &self.known,
            Kind::Lived => &self.lived,
        }
    }

    fn kinds(&self) -> [(&'static str, &ChannelWeights); 4] {
        [
            ("turn", &self.turn),
            ("said", &self.said),
            ("known", &self.known),
            ("lived", &self.lived),
        ]
    }

    /// Whether the best clause of a text counts for this kind of candidate.
    pub fn wants_clauses(&self, kind: Kind) -> bool {
        self.base.clause != 0.0 || self.of(kind).clause != 0.0
    }

    /// Refuses weights that are not finite.
    pub fn check(&self) -> Result<(), QueryError> {
        for (channel, weight) in self.base.values() {
            finite("base", channel, weight)?;
        }
        for (kind, weights) in self.kinds() {
            for (channel, weight) in Channel::ALL.iter().zip(weights.values()) {
                finite(kind, *channel, weight)?;
            }
        }
        Ok(())
    }
}

fn finite(kind: &str, channel: Channel, weight: f64) -> Result<(), QueryError> {
    if weight.is_finite() {
        return Ok(());
    }
    Err(QueryError {
        field: format!("recall.{kind}.{}", channel.as_str()),
        reason: format!("is {weight}; give a finite number"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_as_they_are_written() {
        let mut weights = FusionWeights::default();
        weights.turn.before = 0.125;
        weights.base.vector = 2.0;
        assert_eq!(weights.to_string().parse(), Ok(weights));
        assert_eq!("".parse(), Ok(FusionWeights::default()));
        let one: FusionWeights = "known.entity_walk=2.5".parse().unwrap();
        assert!((one.known.entity_walk - 2.5).abs() < 1e-12);
        assert_eq!(one.turn, FusionWeights::default().turn);
    }

    #[test]
    fn what_is_no_weight_is_named() {
        for bad in [
            "turn.word=1",
            "turns.words=1",
            "turn.words",
            "turn.words=many",
            "turn.words=NaN",
        ] {
            let refused = bad.parse::<FusionWeights>().unwrap_err();
            assert!(refused.field.starts_with("recall"), "{bad}: {refused}");
        }
    }

    #[test]
    fn every_channel_has_its_weight_in_its_place() {
        let names = serde_json::to_value(ChannelWeights::default()).unwrap();
        assert_eq!(names.as_object().unwrap().len(), CHANNELS);
        for (place, channel) in Channel::ALL.into_iter().enumerate() {
            let mut given = serde_json::Map::new();
            given.insert("words".into(), 0.0.into());
            given.insert(channel.as_str().into(), 7.0.into());
            let weights: ChannelWeights = serde_json::from_value(given.into()).unwrap();
            assert!(
                (weights.values()[place] - 7.0).abs() < 1e-12,
                "{}",
                channel.as_str()
            );
        }
    }
}
