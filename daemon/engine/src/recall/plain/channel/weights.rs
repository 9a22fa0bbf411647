//! What each channel is worth, for one kind of candidate.

use serde::{Deserialize, Serialize};

use super::{CHANNELS, Channel, Channels};

/// What each channel is worth for one kind of candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the channels")]
pub struct ChannelWeights {
    pub words: f64,
    pub clause: f64,
    pub share: f64,
    pub vector: f64,
    pub speaker: f64,
    pub before: f64,
    pub after: f64,
    pub answers: f64,
    pub talk: f64,
    pub talk_words: f64,
    pub time: f64,
    pub tells_time: f64,
    pub tells_kind: f64,
    pub asks: f64,
    pub length: f64,
    pub own: f64,
    pub of_self: f64,
    pub keywords: f64,
    pub entities: f64,
    pub entity_walk: f64,
}

impl Default for ChannelWeights {
    fn default() -> Self {
        Self {
            words: 1.0,
            clause: 0.0,
            share: 0.0,
            vector: 0.0,
            speaker: 0.0,
            before: 0.0,
            after: 0.0,
            answers: 0.0,
            talk: 0.0,
            talk_words: 0.0,
            time: 0.0,
            tells_time: 0.0,
            tells_kind: 0.0,
            asks: 0.0,
            length: 0.0,
            own: 0.0,
            of_self: 0.0,
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
            self.share,
            self.vector,
            self.speaker,
            self.before,
            self.after,
            self.answers,
            self.talk,
            self.talk_words,
            self.time,
            self.tells_time,
            self.tells_kind,
            self.asks,
            self.length,
            self.own,
            self.of_self,
            self.keywords,
            self.entities,
            self.entity_walk,
        ]
    }

    /// The part of the sum that what stands around a text has.
    pub fn around(&self, channels: &Channels) -> f64 {
        let parts = [
            (self.before, Channel::Before),
            (self.after, Channel::After),
            (self.talk, Channel::Talk),
            (self.talk_words, Channel::TalkWords),
        ];
        let parts = parts.into_iter();
        parts
            .map(|(weight, channel)| weight * channels.get(channel))
            .sum()
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
    pub(super) fn values(&self) -> [(Channel, f64); 4] {
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
