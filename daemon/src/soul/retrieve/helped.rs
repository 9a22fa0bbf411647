//! A plain line with the help of a language model: what it asks for, in sub-queries.
//!
//! Off unless a model is configured for it. The help is bounded in time, only adds, and is checked: a thing that neither the
//! line nor the memory has is not asked for, and a sub-query whose best hit is under the floor is dropped. Without it the
//! answer is what it would have been.

use std::sync::Arc;

use serde::Serialize;
use soulmem_engine::model::check::is_blank;
use soulmem_engine::recall::Dropped;
use soulmem_engine::recall::query::{QueryVariant, SituationQuery, SubQuery};
use soulmem_engine::text::key;

use super::asked::Asked;
use crate::consolidate::known::Known;
use crate::llm::prompts::{Tongue, sub_queries};
use crate::llm::{Ask, Task, replies};
use crate::soul::character::Soul;
use crate::soul::error::Result;
use crate::soul::mind::Mind;

/// What came of asking for help.
#[derive(Debug, Clone, PartialEq)]
pub enum Helped {
    /// Nobody was asked.
    Alone,
    /// The sub-queries of the question are the model's.
    ByModel,
    /// No help came in time.
    Failed(String),
}

/// A model's sub-query, as it is told to whoever wants to know.
#[derive(Debug, Serialize)]
pub struct SubQueryTrace {
    #[serde(flatten)]
    query: SubQuery,
    /// Whether nothing answered it well enough.
    dropped: bool,
}

impl Helped {
    /// The sub-queries that were added, where there are any.
    pub fn traced(&self, queries: &[SubQuery], dropped: &[Dropped]) -> Option<Vec<SubQueryTrace>> {
        let traced = |(place, query): (usize, &SubQuery)| SubQueryTrace {
            query: query.clone(),
            dropped: dropped.iter().any(|dropped| dropped.query == place),
        };
        let added = *self == Self::ByModel;
        added.then(|| queries.iter().enumerate().map(traced).collect())
    }
}

impl Soul {
    /// Adds what a model makes of a plain line, where one is configured for that.
    pub(super) async fn help(&self, asked: &mut Asked) -> Result<()> {
        let llm = &self.world().llm;
        let plain = asked.question.text.clone().filter(|text| !is_blank(text));
        let Some(text) = plain.filter(|_| asked.question.queries.is_empty()) else {
            return Ok(());
        };
        if llm.model_for(Task::SubQueries).is_none() {
            return Ok(());
        }
        let locale = self.read(|view| Ok(view.profile()?.locale)).await?;
        let prompt = {
            let tongue = Tongue::of(locale.as_deref(), &text);
            let day = asked.question.said.strftime("%Y-%m-%d %A").to_string();
            sub_queries(&text, &day, tongue, &*self.world().tokens)
        };
        let ask = Ask {
            task: Task::SubQueries,
            soul: self.name().as_str(),
            prompt: &prompt,
            timeout: Some(llm.sub_queries_timeout()),
        };
        let queries = match llm.ask(ask, replies::sub_queries).await {
            Ok(answer) => answer.value,
            Err(error) => {
                asked.helped = Helped::Failed(error.to_string());
                return Ok(());
            }
        };
        let mind = Arc::clone(self.mind());
        let check = move || known_only(queries, &text, &mind);
        asked.question.queries = self.world().pool.run(check).await?;
        asked.helped = Helped::ByModel;
        Ok(())
    }
}

/// The sub-queries without what neither the line nor the memory has. Blocks.
fn known_only(queries: Vec<SubQuery>, line: &str, mind: &Mind) -> Result<Vec<SubQuery>> {
    let line = key(line);
    let known = |name: &str| -> Result<bool> {
        Ok(line.contains(&key(name)) || !mind.named(name)?.is_empty())
    };
    let mut found = Vec::new();
    for mut query in queries {
        match &mut query.variant {
            QueryVariant::Semantic(things) => {
                let mut kept = Vec::new();
                for thing in things.drain(..) {
                    if known(&thing.concept_identifier)? {
                        kept.push(thing);
                    }
                }
                *things = kept;
            }
            QueryVariant::Situation(situations) => {
                for situation in situations {
                    forget_strangers(situation, &known)?;
                }
            }
        }
        if query.check().is_ok() {
            found.push(query);
        }
    }
    Ok(found)
}

fn forget_strangers(
    situation: &mut SituationQuery,
    known: &dyn Fn(&str) -> Result<bool>,
) -> Result<()> {
    let is_known = |name: Option<&String>| name.map_or(Ok(false), |name| known(name));
    let mut people = Vec::new();
    for person in situation.participants.drain(..) {
        if is_known(person.name.as_ref())? {
            people.push(person);
        }
    }
    situation.participants = people;
    let mut places = Vec::new();
    for place in situation.location.drain(..) {
        if is_known(place.name.as_ref())? {
            places.push(place);
        }
    }
    situation.location = places;
    Ok(())
}
