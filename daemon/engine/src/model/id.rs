//! Identifiers: of notes, links and messages, and where new ones come from.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;
use uuid::Uuid;

/// A text that is not a hyphenated UUID.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not an id: expected a UUID such as 0190163d-8694-739b-aea5-966c26f8ad91, in lower case"
)]
pub struct IdError(String);

/// Length of a hyphenated UUID, in characters.
const HYPHENATED_LENGTH: usize = 36;

fn parse_hyphenated(text: &str) -> Result<Uuid, IdError> {
    // The other spellings that `Uuid` reads (braces, no hyphens, URNs, capitals) are refused, so
    // that one id has one spelling wherever it is compared as text.
    let refused = || IdError(text.chars().take(2 * HYPHENATED_LENGTH).collect());
    if text.len() != HYPHENATED_LENGTH || text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(refused());
    }
    Uuid::try_parse(text).map_err(|_| refused())
}

struct HyphenatedVisitor;

impl Visitor<'_> for HyphenatedVisitor {
    type Value = Uuid;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a UUID as lower-case hyphenated text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Uuid, E> {
        parse_hyphenated(text).map_err(E::custom)
    }
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// Serialised as a lower-case hyphenated string in every format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(formatter)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                parse_hyphenated(text).map(Self)
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(HyphenatedVisitor).map(Self)
            }
        }
    };
}

id_type!(
    /// Identifies a note within everything a character remembers.
    NoteId
);
id_type!(
    /// Identifies a link.
    LinkId
);
id_type!(
    /// Identifies a message of the log.
    MessageId
);

/// Where new identifiers come from; passed in, so that the engine itself has no randomness.
pub trait IdSource {
    /// An identifier that this source has not given before.
    fn next_uuid(&self) -> Uuid;

    /// A new note id.
    fn note_id(&self) -> NoteId {
        NoteId(self.next_uuid())
    }

    /// A new link id.
    fn link_id(&self) -> LinkId {
        LinkId(self.next_uuid())
    }

    /// A new message id.
    fn message_id(&self) -> MessageId {
        MessageId(self.next_uuid())
    }
}

/// Identifiers that count upwards: the same in every run, for evaluations and tests.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl SequentialIds {
    /// Counts from 1.
    pub fn new() -> Self {
        Self::default()
    }
}

impl IdSource for SequentialIds {
    fn next_uuid(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "0190163d-8694-739b-aea5-966c26f8ad91";

    #[test]
    fn an_id_is_lower_case_hyphenated_text() {
        let id: NoteId = TEXT.parse().unwrap();
        assert_eq!(id.to_string(), TEXT);
        assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{TEXT}\""));
        assert_eq!(
            serde_json::from_str::<NoteId>(&format!("\"{TEXT}\"")).unwrap(),
            id
        );
    }

    #[test]
    fn other_spellings_are_refused() {
        for bad in [
            "",
            "mem_rust",
            "0190163d8694739baea5966c26f8ad91",
            "{0190163d-8694-739b-aea5-966c26f8ad91}",
            "0190163D-8694-739B-AEA5-966C26F8AD91",
            "0190163d-8694-739b-aea5-966c26f8ad9",
        ] {
            assert!(bad.parse::<NoteId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sequential_ids_count_from_one() {
        let ids = SequentialIds::new();
        assert_eq!(
            ids.note_id().to_string(),
            "00000000-0000-0000-0000-000000000001"
        );
        assert_eq!(
            ids.link_id().to_string(),
            "00000000-0000-0000-0000-000000000002"
        );
    }
}
