//! Step 1: what is to be thought over.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;
use soulmem_engine::consolidate::{RecalledTogether, Utterance};
use soulmem_engine::model::MessageId;
use soulmem_proto::ops::push::Role;

use super::fail_here;
use crate::store::{Message, Result, Seq, View};

/// Messages that are thought over in one transaction.
pub const BATCH: usize = 100;
/// Recalls that one run learns from; older ones are let go.
const MAX_RECALLS: usize = 10_000;

/// What one batch is made from.
#[derive(Debug, Clone)]
pub struct Material {
    /// The summary of the talk, empty where there is none.
    pub summary: String,
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// What was recalled since the last run.
    pub recalls: Vec<RecalledTogether>,
    /// The last of these recalls.
    pub recalled_through: Seq,
    /// What the character is called where a message of its own does not say.
    pub character: String,
    /// The language that it lives in, a BCP 47 tag.
    pub locale: Option<String>,
}

impl Material {
    /// Reads it.
    pub fn take(view: &View) -> Result<Self> {
        fail_here!("consolidate::take");
        let recalls = view.recalls(0, MAX_RECALLS)?;
        let profile = view.profile()?;
        Ok(Self {
            summary: view
                .summary()?
                .map(|summary| summary.text)
                .unwrap_or_default(),
            messages: view.unconsolidated(BATCH)?,
            recalled_through: recalls.last().map_or(0, |recall| recall.seq),
            recalls: recalls
                .into_iter()
                .map(|recall| RecalledTogether {
                    at: recall.at,
                    notes: recall.notes.into_iter().collect(),
                })
                .collect(),
            character: profile
                .display_name
                .unwrap_or_else(|| profile.soul.to_string()),
            locale: profile.locale,
        })
    }

    /// The messages as extraction reads them: with who spoke to whom, and in whose zone. A frame of the talk that no
    /// one says is left out.
    pub fn utterances(&self) -> Vec<Utterance<'_>> {
        let speakers: Vec<&str> = self
            .messages
            .iter()
            .map(|message| self.speaker(message))
            .collect();
        let said = self.messages.iter().enumerate();
        said.filter(|(_, message)| message.role != Role::System)
            .map(|(place, message)| utterance(message, &speakers, place))
            .collect()
    }

    /// The messages as they were said, those that no one says among them.
    pub fn ids(&self) -> Vec<MessageId> {
        self.messages.iter().map(|message| message.id).collect()
    }

    /// The names that the character goes by in these messages.
    pub fn own_names(&self) -> BTreeSet<&str> {
        let own = self
            .messages
            .iter()
            .filter(|message| message.role == Role::Assistant)
            .map(|message| self.speaker(message));
        own.chain([self.character.as_str()]).collect()
    }

    fn speaker<'m>(&'m self, message: &'m Message) -> &'m str {
        match (&message.name, message.role) {
            (Some(name), _) => name,
            (None, Role::Assistant) => &self.character,
            (None, _) => "",
        }
    }
}

fn utterance<'m>(message: &'m Message, speakers: &[&'m str], place: usize) -> Utterance<'m> {
    let speaker = speakers[place];
    // The nearest other voice, first before, then after.
    let before = speakers[..place].iter().rev();
    let after = speakers[place..].iter();
    let listener = before
        .chain(after)
        .find(|other| **other != speaker && !other.is_empty())
        .copied()
        .unwrap_or_default();
    Utterance {
        id: message.id,
        speaker,
        listener,
        text: &message.text,
        at: message.at.to_zoned_datetime(zone(message.tz.as_deref())),
    }
}

/// The zone of that name; UTC where none is told. What is kept was checked when it came in, but the machine's list of
/// zones may have changed since.
fn zone(name: Option<&str>) -> TimeZone {
    name.and_then(|name| TimeZone::get(name).ok())
        .unwrap_or(TimeZone::UTC)
}
