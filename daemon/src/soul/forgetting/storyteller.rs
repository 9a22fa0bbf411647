//! The language model as the one who tells blurred memories anew.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;
use soulmem_engine::forget::reimagine::Alignment;
use soulmem_engine::model::Field;

use super::reimagining::{BlurredMemory, Reimagine, Suggestion};
use crate::llm::prompts::{Tongue, reimagining};
use crate::llm::{Ask, Llm, Task, replies};
use crate::soul::world::CountTokens;

/// Tells blurred memories by asking a language model, each by itself: nothing else that is remembered is in the prompt, and
/// nothing but the telling is taken from the reply.
pub struct Storyteller {
    llm: Arc<Llm>,
    tokens: CountTokens,
}

impl Storyteller {
    /// One that asks `llm`; none where that has no model for it.
    pub fn of(llm: &Arc<Llm>, tokens: &CountTokens) -> Option<Arc<dyn Reimagine>> {
        llm.model_for(Task::Reimagine)?;
        Some(Arc::new(Self {
            llm: Arc::clone(llm),
            tokens: Arc::clone(tokens),
        }))
    }

    async fn ask(&self, memory: &BlurredMemory) -> Result<Suggestion, String> {
        let text: String = memory.texts.iter().map(|(_, text)| text.as_str()).collect();
        let tongue = Tongue::of(memory.locale.as_deref(), &text);
        let (known, count) = (memory.known.as_ref(), &*self.tokens);
        let prompt = reimagining(&memory.texts, known, memory.degree, tongue, count)
            .ok_or("it is too long for a prompt")?;
        let asked: Vec<Field> = memory.texts.iter().map(|(field, _)| *field).collect();
        let ask = Ask {
            task: Task::Reimagine,
            soul: memory.soul.as_str(),
            prompt: &prompt,
            timeout: None,
        };
        let read = |value: &Value| replies::reimagining(value, &asked);
        let told = self
            .llm
            .ask(ask, read)
            .await
            .map_err(|error| error.to_string())?
            .value;
        let description = told
            .texts
            .iter()
            .find(|(field, _)| *field == Field::Description);
        let alignment = memory.known.as_ref().map(|_| Alignment {
            aliases: told.aliases.clone(),
            description: description
                .map(|(_, text)| text.clone())
                .unwrap_or_default(),
            concept_type: told.concept_type,
        });
        Ok(Suggestion {
            texts: told.texts,
            alignment,
        })
    }
}

impl Reimagine for Storyteller {
    fn tell<'a>(&'a self, memory: &'a BlurredMemory) -> BoxFuture<'a, Result<Suggestion, String>> {
        self.ask(memory).boxed()
    }
}
