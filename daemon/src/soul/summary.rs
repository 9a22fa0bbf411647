//! Summing up what slides out of the window, while nobody waits for it.

use std::sync::Arc;

use soulmem_engine::model::MessageId;
use soulmem_proto::{EventName, WindowSummarisedEvent};

use super::author::{Author, Written};
use super::character::Soul;
use super::error::{Result, SoulError};
use crate::store::{Message, StoreError, Tx, View};

/// Messages that one summary takes in at most; a longer talk is summed up in several steps.
const BATCH: usize = 200;

/// What a summary is made of.
pub(super) struct Material {
    pub old: String,
    pub said: Vec<Message>,
    pub locale: Option<String>,
}

impl Soul {
    /// Has a summary made of everything that none has seen yet, in the background and after those that were asked for
    /// before. What fails stays to be summed up by the next.
    pub fn summarise_soon(&self) {
        let Some(soul) = self.own().filter(|soul| soul.jobs().want_summary()) else {
            return;
        };
        tokio::spawn(async move {
            let Some(_running) = soul.jobs().begin(&soul.world().jobs).await else {
                return;
            };
            soul.jobs().summary_begins();
            soul.summarise_now().await;
        });
    }

    /// Sums up at once. For whoever holds the turn.
    pub(super) async fn summarise_now(&self) {
        match self.summarise_all().await {
            // It is being closed; the messages stay queued.
            Ok(()) | Err(SoulError::Store(StoreError::Closed)) => {}
            Err(error) => self.failed("the window could not be summed up", &error),
        }
    }

    async fn summarise_all(&self) -> Result<()> {
        let mut author = Author::new(self);
        while !self.jobs().ending().is_cancelled() {
            let mut material = self.read(material).await?;
            if material.said.is_empty() {
                return Ok(());
            }
            let Written { text, by } = author.write(&mut material).await?;
            let Some(last) = material.said.last().map(|message| message.id) else {
                return Ok(());
            };
            let (messages, material) = (material.said.len() as u64, Arc::new(material));
            if !self.keep_summary(text, last, material).await? {
                continue;
            }
            let event = WindowSummarisedEvent {
                messages,
                through: last.0,
                by: by.to_owned(),
            };
            self.publish(EventName::WindowSummarised, &event);
        }
        Ok(())
    }

    /// Keeps it. False where something that it is made of was erased meanwhile: then it is made again of what is left.
    async fn keep_summary(
        &self,
        text: String,
        through: MessageId,
        made_of: Arc<Material>,
    ) -> Result<bool> {
        let keep = move |tx: &Tx| {
            let old = tx.summary()?.map(|summary| summary.text);
            let mut there = old.unwrap_or_default() == made_of.old;
            for message in &made_of.said {
                there = there && tx.message(message.id)?.is_some();
            }
            if there {
                tx.set_summary(&text, through)?;
            }
            Ok(there)
        };
        Ok(self.store().write(keep).await?)
    }
}

fn material(view: &View) -> crate::store::Result<Material> {
    Ok(Material {
        old: view
            .summary()?
            .map(|summary| summary.text)
            .unwrap_or_default(),
        said: view.unsummarised(BATCH)?,
        locale: view.profile()?.locale,
    })
}
