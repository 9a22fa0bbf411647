//! A blurred memory told anew.

use serde_json::Value;
use soulmem_engine::model::{ConceptType, Field};

use super::told;
use crate::llm::reply::fields::texts;

/// A memory as a model tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// Its texts, those of the fields that were asked for.
    pub texts: Vec<(Field, String)>,
    /// Its other names.
    pub aliases: Vec<String>,
    /// What it is taken for.
    pub concept_type: Option<ConceptType>,
}

/// The telling of a memory that has these texts.
pub fn reimagining(reply: &Value, asked: &[Field]) -> Result<Told, String> {
    let tellings = asked
        .iter()
        .map(|field| (*field, told(reply, field.as_str())));
    let texts_told: Vec<(Field, String)> = tellings.filter(|(_, text)| !text.is_empty()).collect();
    if texts_told.is_empty() && !asked.is_empty() {
        let names: Vec<&str> = asked.iter().map(|field| field.as_str()).collect();
        return Err(format!("`{}` is missing or empty", names.join("`, `")));
    }
    Ok(Told {
        texts: texts_told,
        aliases: texts(reply, "aliases"),
        concept_type: match told(reply, "concept_type").to_lowercase().as_str() {
            "entity" => Some(ConceptType::Entity),
            "abstract" => Some(ConceptType::Abstract),
            _ => None,
        },
    })
}
