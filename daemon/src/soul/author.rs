//! Who writes the summary of a talk: a language model where there is one, else its most telling sentences.

use std::sync::Arc;

use serde_json::Value;
use soulmem_engine::consolidate::{Line, summarise};
use soulmem_engine::text::Segmenter;

use super::character::Soul;
use super::error::Result;
use super::summary::Material;
use crate::llm::prompts::{Tongue, summary, summary_steps};
use crate::llm::{Ask, LlmError, LlmFailure, Task, replies};
use crate::store::{Message, StoreError};

/// Whoever writes the summaries that are due.
pub(super) struct Author<'s> {
    soul: &'s Soul,
    /// A model that did not answer is not asked again before the next time that summaries are due.
    asks: bool,
}

/// A summary, and what wrote it.
pub(super) struct Written {
    pub text: String,
    /// `llm` or `sentences`.
    pub by: &'static str,
}

impl<'s> Author<'s> {
    /// Asks a model where there is one.
    pub fn new(soul: &'s Soul) -> Self {
        let asks = soul.world().llm.model_for(Task::Summarise).is_some();
        Self { soul, asks }
    }

    /// Sums up the first of what was said, as much as goes into one summary; the rest is taken out of the material and
    /// waits for the next.
    pub async fn write(&mut self, material: &mut Material) -> Result<Written> {
        if self.asks
            && let Some(text) = self.ask(material).await?
        {
            return Ok(Written { text, by: "llm" });
        }
        let budget = self.soul.settings().summary_tokens;
        let (old, said) = (material.old.clone(), material.said.clone());
        let text = self.soul.world().pool.run(move || {
            let lines: Vec<Line<'_>> = said.iter().map(line).collect();
            summarise(&old, &lines, &Segmenter::new(), budget)
        });
        Ok(Written {
            text: text.await,
            by: "sentences",
        })
    }

    /// What a model makes of it: of a line that is too long for one prompt in several steps, each from the summary of the
    /// one before. None where it cannot.
    async fn ask(&mut self, material: &mut Material) -> Result<Option<String>> {
        let count = Arc::clone(&self.soul.world().tokens);
        let said: Vec<Line<'_>> = material.said.iter().map(line).collect();
        let (steps, lines) = summary_steps(&said, &*count);
        let mut text = material.old.clone();
        for step in &steps {
            match self.step(&text, step, material.locale.as_deref()).await? {
                Ok(next) => text = next,
                Err(error) => {
                    let soul = self.soul.name();
                    tracing::warn!(%soul, %error, "the summary is made of sentences");
                    self.asks = matches!(error.reason, LlmFailure::Reply(_));
                    return Ok(None);
                }
            }
        }
        material.said.truncate(lines);
        Ok(Some(text))
    }

    async fn step(
        &self,
        old: &str,
        said: &[Line<'_>],
        locale: Option<&str>,
    ) -> Result<std::result::Result<String, LlmError>> {
        let (world, budget) = (self.soul.world(), self.soul.settings().summary_tokens);
        let count = Arc::clone(&world.tokens);
        let prompt = {
            let text: String = said.iter().map(|line| line.text).collect();
            summary(old, said, budget, Tongue::of(locale, &text), &*count)
        };
        let read = |value: &Value| replies::summary(value, budget, &*count);
        let ask = Ask {
            task: Task::Summarise,
            soul: self.soul.name().as_str(),
            prompt: &prompt,
            timeout: None,
        };
        let asking = world.llm.ask(ask, read);
        let asked = self.soul.jobs().ending().run_until_cancelled(asking).await;
        let asked = asked.ok_or(StoreError::Closed)?;
        Ok(asked.map(|answer| answer.value))
    }
}

fn line(message: &Message) -> Line<'_> {
    Line {
        speaker: message.name.as_deref().unwrap_or_default(),
        text: &message.text,
    }
}
