//! What the channels are worth for every kind of candidate: the defaults, and how they are written and read.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{BaseWeights, Channel, ChannelWeights, Kind};
use crate::recall::query::QueryError;

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
                words: 0.1,
                clause: 0.1,
                share: 1.0,
                speaker: 1.65,
                before: 0.2,
                after: 0.13,
                answers: 0.15,
                talk: 0.6,
                talk_words: 0.25,
                time: 3.6,
                tells_time: 2.2,
                tells_kind: 0.6,
                asks: -0.45,
                length: 0.18,
                own: -0.1,
                of_self: 1.1,
                keywords: 0.17,
                ..ChannelWeights::default()
            },
            said: ChannelWeights {
                words: 0.15,
                clause: 0.15,
                share: 8.5,
                vector: 0.1,
                speaker: 0.5,
                tells_time: 2.7,
                tells_kind: 1.0,
                asks: -1.8,
                length: -0.2,
                own: 1.4,
                keywords: 1.6,
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
    use super::super::CHANNELS;
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
