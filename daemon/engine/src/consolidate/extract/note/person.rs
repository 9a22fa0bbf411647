//! Whoever is introduced by name, or mentioned again and again.

use std::collections::BTreeSet;

use super::super::feeling::affect;
use super::{ORDINARY, bare, semantic};
use crate::consolidate::finding::{Finding, KNOWLEDGE, Polarity, Utterance};
use crate::model::{ConceptType, MessageId};

/// A note of somebody who was introduced by name.
pub fn entity(name: &str, relation: &str, said: &Utterance<'_>) -> Finding {
    let body = semantic(
        name.to_owned(),
        Vec::new(),
        relation.to_owned(),
        ConceptType::Entity,
    );
    Finding {
        tags: vec![KNOWLEDGE.to_owned()],
        names: Vec::new(),
        anchors: Vec::new(),
        ..bare(body, said)
    }
}

/// A note of somebody who is mentioned again and again: what is told of them leads to it.
pub fn mentioned(name: &str, messages: &BTreeSet<MessageId>, said_at: jiff::Timestamp) -> Finding {
    let body = semantic(
        name.to_owned(),
        Vec::new(),
        String::new(),
        ConceptType::Entity,
    );
    Finding {
        body,
        tags: vec![KNOWLEDGE.to_owned()],
        polarity: Polarity::Neutral,
        names: Vec::new(),
        timed: false,
        ends: Vec::new(),
        corrects: false,
        replaces: None,
        said: said_at,
        since: said_at,
        sources: messages.iter().copied().collect(),
        affect: affect("", ORDINARY),
        anchors: Vec::new(),
    }
}
