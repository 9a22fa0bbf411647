//! A blurred memory told anew.

use serde_json::{Value, json};
use soulmem_engine::model::{ConceptType, Field, SemMemory};

use super::{Count, DATA_TOKENS, Tongue, line, list, object, prompt, string};
use crate::llm::Prompt;

/// Other names that are shown.
const MAX_ALIASES: usize = 16;

/// Asks for the telling of a memory of which so much is missing (0 to 1). None where the memory is longer than a prompt.
pub fn reimagining(
    texts: &[(Field, String)],
    known: Option<&SemMemory>,
    degree: f64,
    tongue: Tongue,
    count: Count<'_>,
) -> Option<Prompt> {
    let words = tongue.words(
        include_str!("words/reimagine.zh.txt"),
        include_str!("words/reimagine.en.txt"),
    );
    let mut memory = json!({"missing": (degree * 100.0).round() / 100.0});
    let mut asked = json!({});
    for (field, text) in texts {
        memory[field.as_str()] = json!(text);
        asked[field.as_str()] = string();
    }
    if let Some(known) = known {
        // A sentence that fades stands above, as far as it is remembered.
        if !texts.iter().any(|(field, _)| *field == Field::Content) {
            memory["name"] = json!(known.content);
        }
        memory["aliases"] = json!(known.aliases.iter().take(MAX_ALIASES).collect::<Vec<_>>());
        memory["concept_type"] = json!(known.concept_type);
        asked["aliases"] = list(string());
        asked["concept_type"] = kinds();
    }
    let line = line(&memory);
    (count(&line) <= DATA_TOKENS).then(|| prompt(words, &[line], "telling", object(asked)))
}

fn kinds() -> Value {
    json!({"type": "string", "enum": [ConceptType::Entity, ConceptType::Abstract]})
}
