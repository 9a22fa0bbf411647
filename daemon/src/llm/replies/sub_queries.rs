//! Structured questions out of a plain one.

use serde_json::Value;
use soulmem_engine::recall::query::{
    EnvironmentQuery, EventQuery, LocationQuery, ParticipantQuery, QueryVariant, SemanticQuery,
    SituationQuery, SubQuery,
};

use super::told;
use crate::llm::reply::fields::{as_text, list, text, texts};

/// Things, and situations, that one line can ask for.
const MAX_ENTITIES: usize = 8;
const MAX_SITUATIONS: usize = 3;
/// Characters of one field; what is longer asks for nothing in particular.
const MAX_CHARS: usize = 200;

/// The sub-queries, things first.
pub fn sub_queries(reply: &Value) -> Result<Vec<SubQuery>, String> {
    if reply.get("entities").is_none() && reply.get("situations").is_none() {
        return Err("both `entities` and `situations` are missing".to_owned());
    }
    let entities: Vec<SemanticQuery> = list(reply, "entities")
        .iter()
        .filter_map(entity)
        .take(MAX_ENTITIES)
        .collect();
    let situations: Vec<SituationQuery> = list(reply, "situations")
        .iter()
        .map(situation)
        .filter(|situation| *situation != SituationQuery::default())
        .take(MAX_SITUATIONS)
        .collect();
    let things = entities
        .into_iter()
        .map(|one| QueryVariant::Semantic(vec![one]));
    let lived = situations
        .into_iter()
        .map(|one| QueryVariant::Situation(vec![one]));
    let sub_query = |variant| SubQuery {
        priority: 0,
        tag: Vec::new(),
        variant,
    };
    Ok(things.chain(lived).map(sub_query).collect())
}

/// A thing by name; a bare text is the name.
fn entity(entry: &Value) -> Option<SemanticQuery> {
    let name = as_text(entry).or_else(|| text(entry, "name"))?;
    Some(SemanticQuery {
        concept_identifier: short(name)?,
        description: text(entry, "description").and_then(short),
    })
}

fn situation(entry: &Value) -> SituationQuery {
    let place = text(entry, "place")
        .and_then(short)
        .map(|name| LocationQuery {
            name: Some(name),
            ..LocationQuery::default()
        });
    let people = texts(entry, "people").into_iter().filter_map(short);
    let acts = texts(entry, "acts").into_iter().filter_map(short);
    let (atmosphere, tone) = (short(told(entry, "atmosphere")), short(told(entry, "tone")));
    SituationQuery {
        narrative: text(entry, "narrative").and_then(short),
        location: place.into_iter().collect(),
        participants: people
            .map(|name| ParticipantQuery {
                name: Some(name),
                ..ParticipantQuery::default()
            })
            .collect(),
        environment: (atmosphere.is_some() || tone.is_some())
            .then_some(EnvironmentQuery { atmosphere, tone }),
        event: acts
            .map(|action| EventQuery {
                action: Some(action),
                ..EventQuery::default()
            })
            .collect(),
        ..SituationQuery::default()
    }
}

fn short(text: String) -> Option<String> {
    (!text.is_empty() && text.chars().count() <= MAX_CHARS).then_some(text)
}
