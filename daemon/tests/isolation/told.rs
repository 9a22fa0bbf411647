//! What subscribers were told, and answers in which made-up ids are named by when they first came up.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use serde_json::{Value as Json, json};
use soulmem::soul::events::Subscriber;
use soulmem_proto::{Reply, SoulName};
use uuid::Uuid;

/// Keeps every event. One for all characters, as one connection is.
#[derive(Default)]
pub struct Told(Mutex<Vec<(SoulName, Json)>>);

impl Told {
    /// What came since the last time.
    pub fn take(&self) -> Vec<(SoulName, Json)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Subscriber for Told {
    fn deliver(&self, soul: &SoulName, frame: Bytes) {
        let Reply::Event(event) = Reply::parse(&frame).unwrap() else {
            panic!("no event: {frame:?}");
        };
        assert_eq!(event.soul.as_ref(), Some(soul));
        let told = json!([event.name, event.payload]);
        self.0.lock().unwrap().push((soul.clone(), told));
    }
}

/// The ids that a house made up for one character, in the order in which they came up: the house counts through all of
/// its characters, so that the ids themselves say how much the other was given.
#[derive(Default)]
pub struct Named(HashMap<Uuid, usize>);

impl Named {
    /// The answer with each such id replaced by its number. Ids that the test chose stay.
    pub fn plain(&mut self, answer: Json) -> Json {
        match answer {
            Json::String(text) => Json::String(self.plain_text(&text)),
            Json::Array(values) => values.into_iter().map(|value| self.plain(value)).collect(),
            Json::Object(fields) => {
                let plain =
                    |(name, value): (String, Json)| (self.plain_text(&name), self.plain(value));
                fields.into_iter().map(plain).collect()
            }
            other => other,
        }
    }

    fn plain_text(&mut self, text: &str) -> String {
        const LENGTH: usize = 36;
        let mut plain = String::new();
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let id = rest.get(..LENGTH).filter(|id| id.as_bytes()[8] == b'-');
            match id.and_then(|id| id.parse::<Uuid>().ok()) {
                Some(id) if id.as_u128() < super::CHOSEN => {
                    let count = self.0.len();
                    let number = self.0.entry(id).or_insert(count);
                    plain.extend(["#".to_owned(), number.to_string()]);
                    rest = &rest[LENGTH..];
                }
                _ => {
                    plain.push(next);
                    rest = &rest[next.len_utf8()..];
                }
            }
        }
        plain
    }
}
