//! When something happened: one instant, or from a start to an end.

use std::fmt;

use jiff::Timestamp;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check::ModelError;

/// When something happened.
///
/// Written as one RFC 3339 string for an instant, and as `{"start": …, "end": …}` for a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeSpan {
    /// At one moment.
    Instant(Timestamp),
    /// From `start` to `end`, both included.
    Range {
        /// The first moment.
        start: Timestamp,
        /// The last moment, not before `start`.
        end: Timestamp,
    },
}

impl TimeSpan {
    /// The first moment.
    pub fn start(&self) -> Timestamp {
        match *self {
            Self::Instant(at) => at,
            Self::Range { start, .. } => start,
        }
    }

    /// The last moment.
    pub fn end(&self) -> Timestamp {
        match *self {
            Self::Instant(at) => at,
            Self::Range { end, .. } => end,
        }
    }

    pub(super) fn check(&self) -> Result<(), ModelError> {
        if self.end() < self.start() {
            return Err(ModelError::new(
                "end",
                format!("{} is before the start {}", self.end(), self.start()),
            ));
        }
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "TimeSpan")]
struct Bounds {
    start: Timestamp,
    end: Timestamp,
}

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Instant(at) => at.serialize(serializer),
            Self::Range { start, end } => Bounds { start, end }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Text and map are told apart by what comes, not by trying one after the other, so that
        // the error is about the shape that the writer meant.
        deserializer.deserialize_any(TimeSpanVisitor)
    }
}

struct TimeSpanVisitor;

impl<'de> Visitor<'de> for TimeSpanVisitor {
    type Value = TimeSpan;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an RFC 3339 time, or {start, end} of two")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<TimeSpan, E> {
        text.parse()
            .map(TimeSpan::Instant)
            .map_err(|error| E::custom(format_args!("`{text}` is not an RFC 3339 time: {error}")))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TimeSpan, A::Error> {
        let Bounds { start, end } = Bounds::deserialize(MapAccessDeserializer::new(map))?;
        Ok(TimeSpan::Range { start, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn an_instant_is_a_string() {
        let span: TimeSpan = serde_json::from_str("\"2026-06-01T16:00:00+08:00\"").unwrap();
        assert_eq!(span, TimeSpan::Instant(time("2026-06-01T08:00:00Z")));
        assert_eq!(
            serde_json::to_string(&span).unwrap(),
            "\"2026-06-01T08:00:00Z\""
        );
        assert_eq!(span.start(), span.end());
    }

    #[test]
    fn a_span_has_a_start_and_an_end() {
        let json = r#"{"start":"2026-06-01T08:00:00Z","end":"2026-06-02T08:00:00Z"}"#;
        let span: TimeSpan = serde_json::from_str(json).unwrap();
        assert_eq!(span.start(), time("2026-06-01T08:00:00Z"));
        assert_eq!(span.end(), time("2026-06-02T08:00:00Z"));
        assert_eq!(serde_json::to_string(&span).unwrap(), json);
    }

    #[test]
    fn an_end_before_the_start_is_refused() {
        let span = TimeSpan::Range {
            start: time("2026-06-02T00:00:00Z"),
            end: time("2026-06-01T00:00:00Z"),
        };
        assert_eq!(span.check().unwrap_err().field, "end");
    }

    #[test]
    fn anything_else_is_an_error_that_says_what_is_expected() {
        let error = serde_json::from_str::<TimeSpan>("5").unwrap_err();
        assert!(error.to_string().contains("RFC 3339"), "{error}");
        assert!(serde_json::from_str::<TimeSpan>(r#"{"start":"2026-06-01T08:00:00Z"}"#).is_err());
    }
}
