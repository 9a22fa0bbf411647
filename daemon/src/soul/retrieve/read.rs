//! What an answer needs from the disk besides the hits.

use std::collections::HashMap;

use soulmem_engine::model::MessageId;

use crate::store::{Message, Result, StoreError, View};

/// Read at one moment.
#[derive(Debug, Default)]
pub struct Read {
    /// The messages that came to mind, and those that notes were made from where that is to be told.
    pub said: HashMap<MessageId, Message>,
    /// The window, oldest first.
    pub window: Vec<Message>,
    /// Summary of what slid out of the window; empty where there is none.
    pub summary: String,
    /// What is damaged and therefore missing here.
    pub damage: Option<String>,
}

impl Read {
    /// Reads. A damaged part is missing and said to be; the rest of the answer stands.
    pub fn of(view: &View, ids: &[MessageId]) -> Result<Self> {
        let mut read = Self::default();
        let said = read.unless_damaged(view.messages(ids))?;
        read.said = said
            .into_iter()
            .map(|message| (message.id, message))
            .collect();
        read.window = read.unless_damaged(view.window())?;
        let summary = read.unless_damaged(view.summary())?;
        read.summary = summary.map(|summary| summary.text).unwrap_or_default();
        Ok(read)
    }

    fn unless_damaged<T: Default>(&mut self, part: Result<T>) -> Result<T> {
        match part {
            Err(StoreError::Corrupt { reason, .. }) => {
                self.damage
                    .get_or_insert_with(|| format!("part of the memory is damaged: {reason}"));
                Ok(T::default())
            }
            part => part,
        }
    }
}
