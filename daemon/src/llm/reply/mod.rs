//! Reading what a language model wrote, where JSON was asked for.
//!
//! Models wrap JSON into prose and fences, think aloud before it, forget its last brace, repeat the schema they were
//! given, or write no JSON at all. [`values`] finds every object that the reply may mean, the likeliest first; [`fields`]
//! reads what stands in one. Everything here is pure, and takes time in proportion to the reply.

pub mod fields;
mod find;
mod schema;

use serde_json::Value;
use thiserror::Error;

use self::find::{pieces, thoughtless};
use self::schema::{fit, is_echo};

/// Bytes of broken JSON that are repaired at most.
const MAX_REPAIRED: usize = 256 << 10;

/// A reply in which there is nothing to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// The model only thought.
    #[error("it holds thoughts, but no answer after them")]
    OnlyThoughts,
    /// There is no JSON in it, as when a model refuses.
    #[error("there is no JSON in it")]
    NoJson,
    /// It gives the schema back.
    #[error("it repeats the JSON schema instead of following it")]
    Echo,
}

/// The objects that a reply may mean, the likeliest first: those with more of the schema's properties, then those that
/// stand earlier. `schema` is the JSON schema that was asked for; its top level is an object.
pub fn values(reply: &str, schema: &Value) -> Result<Vec<Value>, Unreadable> {
    values_by(reply, schema, repaired)
}

/// The same of a reply that was cut off: only what it holds to its end. A repair would pass a part of what was meant for all
/// of it.
pub fn whole_values(reply: &str, schema: &Value) -> Result<Vec<Value>, Unreadable> {
    values_by(reply, schema, |piece| serde_json::from_str(piece).ok())
}

fn values_by(
    reply: &str,
    schema: &Value,
    read: impl Fn(&str) -> Option<Value>,
) -> Result<Vec<Value>, Unreadable> {
    // No JSON holds these, and no repair takes them.
    let reply = reply.replace(|sign: char| sign.is_control() && !sign.is_whitespace(), "");
    let reply = reply.trim_start_matches('\u{feff}').trim();
    if reply.is_empty() {
        return Err(Unreadable::Empty);
    }
    if let Ok(value) = serde_json::from_str(reply) {
        return chosen(vec![value], schema);
    }
    let answer = thoughtless(reply);
    if answer.is_empty() {
        return Err(Unreadable::OnlyThoughts);
    }
    let found = pieces(answer).into_iter().filter_map(read).collect();
    chosen(found, schema)
}

/// A piece of JSON, repaired where it has to be.
fn repaired(piece: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(piece) {
        return Some(value);
    }
    if piece.len() > MAX_REPAIRED {
        return None;
    }
    let repaired = jsonrepair_rs::jsonrepair(piece).ok()?;
    serde_json::from_str(&repaired).ok()
}

fn chosen(found: Vec<Value>, schema: &Value) -> Result<Vec<Value>, Unreadable> {
    let mut echoed = false;
    let mut fitting = Vec::new();
    for value in found {
        if is_echo(&value, schema) {
            echoed = true;
            continue;
        }
        fitting.extend(fit(value, schema));
    }
    // A stable sort: the earlier of two that fit alike stays first.
    fitting.sort_by_key(|(known, _)| std::cmp::Reverse(*known));
    match fitting.is_empty() {
        false => Ok(fitting.into_iter().map(|(_, value)| value).collect()),
        true if echoed => Err(Unreadable::Echo),
        true => Err(Unreadable::NoJson),
    }
}

#[cfg(test)]
mod tests;
