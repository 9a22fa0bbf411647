//! The language model as the aide of one consolidation: it understands, and nothing else.
//!
//! Each reply is kept with the job before it is used, so that a run that is cut short asks nothing twice. An aide that does
//! not answer is not asked again in the same run: the rules do the rest. No writer and no thread of the pool waits for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use soulmem_engine::consolidate::reading::{Reading, Taken, read};
use soulmem_engine::consolidate::{Finding, Utterance};
use soulmem_engine::model::{MemoryNote, MessageId};
use uuid::Uuid;

use super::character::Soul;
use super::error::Result;
use super::understood::{By, Understood};
use crate::consolidate::gists::{Gists, Wanted};
use crate::consolidate::material::Material;
use crate::consolidate::understand::{ByRules, by_rules, in_order};
use crate::llm::prompts::{GistText, Tongue, extraction, gists, talk_parts};
use crate::llm::{Ask, LlmFailure, Prompt, Task, replies, reply};
use crate::store::{StoreError, Tx};

/// The aide of one run.
pub(super) struct Aide<'s> {
    soul: &'s Soul,
    job: Uuid,
    /// Why it is not asked any more.
    gone: Option<String>,
}

/// What came of asking: what was read, or why there is nothing.
type Asked<T> = std::result::Result<T, String>;

impl<'s> Aide<'s> {
    /// That of a run, not asked yet.
    pub fn new(soul: &'s Soul, job: Uuid) -> Self {
        Self {
            soul,
            job,
            gone: None,
        }
    }

    /// The run.
    pub fn job(&self) -> Uuid {
        self.job
    }

    /// Step 2: by the aide, and where it cannot by rules.
    pub async fn understand(&mut self, material: &Arc<Material>) -> Result<Understood> {
        if self.soul.world().llm.model_for(Task::Extract).is_none() {
            let findings = self.by_rules(material, ByRules::All).await?;
            return Ok(Understood {
                findings,
                by: By::Rules,
                notice: None,
            });
        }
        let said = material.utterances();
        let count = Arc::clone(&self.soul.world().tokens);
        let (mut findings, mut left) = (Vec::new(), BTreeSet::new());
        let mut notice = None;
        let parts = talk_parts(&said, &*count);
        for part in &parts {
            match self.take_from(material, part).await? {
                Ok(taken) => findings.extend(taken),
                Err(reason) => {
                    left.extend(part.iter().map(|said| said.id));
                    notice.get_or_insert(reason);
                }
            }
        }
        let by = match (left.is_empty(), findings.is_empty()) {
            (true, _) if parts.is_empty() => By::Rules,
            (true, _) => By::Llm,
            (false, true) if left.len() == ids(&said).len() => By::Rules,
            (false, _) => By::Mixed,
        };
        findings.extend(self.by_rules(material, ByRules::Only(left)).await?);
        Ok(Understood {
            findings: in_order(findings, material),
            by,
            notice,
        })
    }

    async fn by_rules(&self, material: &Arc<Material>, which: ByRules) -> Result<Vec<Finding>> {
        let (mind, material) = (Arc::clone(self.soul.mind()), Arc::clone(material));
        let work = move || by_rules(&material, &which, &*mind);
        Ok(self.soul.world().pool.run(work).await?)
    }

    /// The findings in a part of a batch.
    async fn take_from(
        &mut self,
        material: &Material,
        part: &[Utterance<'_>],
    ) -> Result<Asked<Vec<Finding>>> {
        let prompt = {
            let text: String = part.iter().map(|said| said.text).collect();
            let tongue = Tongue::of(material.locale.as_deref(), &text);
            let count = &*self.soul.world().tokens;
            extraction(&material.character, &material.summary, part, tongue, count)
        };
        let beside = [material.character.as_str(), material.summary.as_str()];
        let taken = |value: &Value| {
            let reading = replies::extraction(value)?;
            let taken = read(&reading, part, &beside);
            usable(&reading, taken)
        };
        let asked = self.ask(material, Task::Extract, &prompt, taken).await?;
        Ok(asked.map(|taken| taken.findings))
    }

    /// What the words of new notes that are the first to go come down to, and why some were not said. None where no model is
    /// named for it.
    pub async fn gists(
        &mut self,
        material: &Material,
        new: &[MemoryNote],
    ) -> Result<(Gists, Option<String>)> {
        let (mut found, mut notice) = (Gists::default(), None);
        if self.soul.world().llm.model_for(Task::Gist).is_none() {
            return Ok((found, notice));
        }
        let wanted: Vec<Wanted> = new.iter().filter_map(Wanted::of).collect();
        let texts: Vec<GistText> = wanted.iter().map(text_of).collect();
        let prompts = {
            let all: String = texts.iter().map(|text| text.text.as_str()).collect();
            let tongue = Tongue::of(material.locale.as_deref(), &all);
            gists(&texts, tongue, &*self.soul.world().tokens)
        };
        for (prompt, part) in prompts {
            let asked: Vec<(&Wanted, usize)> = part
                .iter()
                .filter_map(|place| wanted.get(*place))
                .flat_map(|wanted| (0..wanted.spans.len()).map(move |place| (wanted, place)))
                .collect();
            let read = |value: &Value| replies::gists(value, asked.len());
            let given = match self.ask(material, Task::Gist, &prompt, read).await? {
                Ok(given) => given,
                Err(reason) => {
                    notice.get_or_insert(reason);
                    continue;
                }
            };
            for (number, gist) in given {
                if let Some((wanted, place)) = asked.get(number - 1) {
                    found.take(wanted, *place, &gist);
                }
            }
        }
        Ok((found, notice))
    }

    /// Asks, or takes the reply that was kept when the run was cut short. An error only where the run cannot go on.
    async fn ask<T>(
        &mut self,
        material: &Material,
        task: Task,
        prompt: &Prompt,
        read: impl Fn(&Value) -> std::result::Result<T, String>,
    ) -> Result<Asked<T>> {
        let soul = self.soul;
        let request = digest(soul.world().llm.model_for(task), prompt);
        let job = self.job;
        if let Some(raw) = soul.read(move |view| view.llm_reply(job, request)).await? {
            return Ok(kept(&raw, prompt, read));
        }
        if let Some(reason) = &self.gone {
            return Ok(Err(reason.clone()));
        }
        fail::fail_point!("consolidate::ask", |_| Err(StoreError::injected().into()));
        let ask = Ask {
            task,
            soul: soul.name().as_str(),
            prompt,
            timeout: None,
        };
        let asking = soul.world().llm.ask(ask, read);
        let Some(asked) = soul.jobs().ending().run_until_cancelled(asking).await else {
            return Err(StoreError::Closed.into());
        };
        let (outcome, raw) = match asked {
            Ok(answer) => (Ok(answer.value), Some(answer.raw)),
            Err(error) => {
                let reason = error.to_string();
                tracing::warn!(soul = %soul.name(), reason, "the language model is of no help");
                let is_reply = matches!(error.reason, LlmFailure::Reply(_));
                if !is_reply {
                    self.gone = Some(reason.clone());
                }
                (Err(reason), error.raw.filter(|_| is_reply))
            }
        };
        if let Some(raw) = raw {
            let made_of = material.ids();
            soul.store()
                .write(move |tx| keep(tx, job, request, &raw, &made_of))
                .await?;
            fail::fail_point!("consolidate::answered", |_| Err(
                StoreError::injected().into()
            ));
        }
        Ok(outcome)
    }
}

fn ids(said: &[Utterance<'_>]) -> BTreeSet<MessageId> {
    said.iter().map(|said| said.id).collect()
}

fn text_of(wanted: &Wanted) -> GistText {
    GistText {
        text: wanted.text.clone(),
        words: wanted
            .spans
            .iter()
            .map(|(_, words)| words.clone())
            .collect(),
    }
}

/// A reading of which nothing holds is no reading: the model is told why.
fn usable(reading: &Reading, taken: Taken) -> std::result::Result<Taken, String> {
    if taken.dropped > 0 {
        tracing::debug!(dropped = taken.dropped, reason = ?taken.reason, "parts of a reading do not hold");
    }
    match taken.reason {
        Some(reason) if taken.findings.is_empty() && *reading != Reading::default() => {
            Err(format!("no entry can be used: {}", reason.as_str()))
        }
        _ => Ok(taken),
    }
}

/// What a reply that was kept means.
fn kept<T>(
    raw: &str,
    prompt: &Prompt,
    read: impl Fn(&Value) -> std::result::Result<T, String>,
) -> Asked<T> {
    let values = reply::values(raw, &prompt.schema).map_err(|error| error.to_string())?;
    let mut wrong = String::new();
    for value in values {
        match read(&value) {
            Ok(read) => return Ok(read),
            Err(said) => wrong = said,
        }
    }
    Err(format!("what the model wrote could not be used: {wrong}"))
}

/// Keeps a reply with the job, unless something that it may repeat was erased meanwhile.
fn keep(
    tx: &Tx,
    job: Uuid,
    request: [u8; 32],
    raw: &str,
    made_of: &[MessageId],
) -> crate::store::Result<()> {
    for id in made_of {
        if tx.message(*id)?.is_none() {
            return Ok(());
        }
    }
    tx.put_llm_reply(job, request, raw)
}

fn digest(model: Option<&str>, prompt: &Prompt) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in [
        model.unwrap_or_default(),
        prompt.schema_name,
        &prompt.system,
        &prompt.user,
    ] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    digest.finalize().into()
}
