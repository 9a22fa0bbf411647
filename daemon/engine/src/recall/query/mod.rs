//! Structured sub-queries: what a caller (or a query understood from plain text) asks for, field by field.
//!
//! Two shapes of `variant` are understood, and told apart by their keys alone:
//!
//! - *wrapped*: `{"Semantic": […]}` or `{"Situation": […]}` (one object instead of a list is taken as a list of one);
//! - *single*: the fields themselves, `{"concept_identifier": …}` or `{"narrative": …}`.
//!
//! The decoder looks at the first key before it looks at any value, so a wrapped query is never taken for a single one
//! with every field missing, which would search for nothing and find nothing.

mod decode;
mod fields;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use self::decode::one_or_many;
pub use self::fields::{
    EnvironmentQuery, EventQuery, FeelingQuery, IntervalQuery, LocationQuery, ParticipantQuery,
    SemanticQuery, SituationQuery,
};

/// One part of a structured query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubQuery {
    /// The larger, the more its hits are lifted when several sub-queries are merged (by at most 0.05).
    #[serde(default)]
    pub priority: u32,
    /// Tags the memory should carry.
    #[serde(default, deserialize_with = "one_or_many")]
    pub tag: Vec<String>,
    /// What is asked for.
    pub variant: QueryVariant,
}

/// What a sub-query asks for: things known or situations lived.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum QueryVariant {
    /// Any of these concepts.
    Semantic(Vec<SemanticQuery>),
    /// Any of these situations.
    Situation(Vec<SituationQuery>),
}

/// What is wrong with a sub-query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct QueryError {
    /// Path of the field inside the sub-query, such as `variant.Semantic[0].concept_identifier`.
    pub field: String,
    /// What is wrong and what to do.
    pub reason: String,
}

/// Sub-queries in one request at most, and elements in one sub-query.
pub const MAX_PARTS: usize = 64;

impl SubQuery {
    /// Checks that there is something to search for and that nothing is out of range.
    pub fn check(&self) -> Result<(), QueryError> {
        let elements = match &self.variant {
            QueryVariant::Semantic(concepts) => concepts.len(),
            QueryVariant::Situation(situations) => situations.len(),
        };
        if elements > MAX_PARTS {
            return Err(wrong(
                "variant",
                format!("has {elements} elements; {MAX_PARTS} at most"),
            ));
        }
        if self.is_empty() {
            return Err(wrong(
                "variant",
                "asks for nothing: give a tag or at least one field with text".into(),
            ));
        }
        self.check_intervals()
    }

    fn check_intervals(&self) -> Result<(), QueryError> {
        let QueryVariant::Situation(situations) = &self.variant else {
            return Ok(());
        };
        for (i, situation) in situations.iter().enumerate() {
            for (j, span) in situation.time_span.iter().enumerate() {
                if matches!((span.start, span.end), (Some(start), Some(end)) if start > end) {
                    let field = format!("variant.Situation[{i}].time_span[{j}]");
                    return Err(wrong(&field, "starts after it ends".into()));
                }
            }
        }
        Ok(())
    }

    /// Every text of the sub-query, in a fixed order and without repeats: what has to be embedded, and what candidates are
    /// searched by.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = self.tag.iter().map(String::as_str).collect();
        match &self.variant {
            QueryVariant::Semantic(concepts) => {
                texts.extend(concepts.iter().flat_map(SemanticQuery::texts));
            }
            QueryVariant::Situation(situations) => {
                texts.extend(situations.iter().flat_map(SituationQuery::texts));
            }
        }
        texts.retain(|text| !text.trim().is_empty());
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(*text));
        texts
    }

    /// The texts that name something: concepts, places, people, airs and acts.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = match &self.variant {
            QueryVariant::Semantic(concepts) => concepts
                .iter()
                .map(|concept| concept.concept_identifier.as_str())
                .collect(),
            QueryVariant::Situation(situations) => {
                situations.iter().flat_map(SituationQuery::names).collect()
            }
        };
        names.retain(|name| !name.trim().is_empty());
        names
    }

    /// True where neither a tag nor any field holds text or time.
    pub fn is_empty(&self) -> bool {
        let tags = self.tag.iter().all(|tag| tag.trim().is_empty());
        tags && match &self.variant {
            QueryVariant::Semantic(concepts) => concepts.iter().all(SemanticQuery::is_empty),
            QueryVariant::Situation(situations) => situations.iter().all(SituationQuery::is_empty),
        }
    }
}

fn wrong(field: &str, reason: String) -> QueryError {
    QueryError {
        field: field.to_owned(),
        reason,
    }
}
