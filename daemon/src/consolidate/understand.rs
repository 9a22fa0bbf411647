//! Step 2: findings out of what was said.

use std::collections::{BTreeSet, HashMap};

use soulmem_engine::consolidate::{Finding, extract};
use soulmem_engine::model::{ConceptType, MemoryNote, MemoryType, MessageId};
use soulmem_engine::text::{is_known_word, is_unspaced, key};

use super::fail_here;
use super::known::Known;
use super::material::Material;
use crate::store::Result;

/// Characters that a Chinese name has, from and to.
const NAME_CHARS: std::ops::RangeInclusive<usize> = 2..=4;

/// Which messages the rules read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ByRules {
    /// Every one.
    All,
    /// These, for want of anybody who understood them.
    Only(BTreeSet<MessageId>),
}

/// By rules: who, when, where, what was felt and done, liked, promised and corrected.
pub fn by_rules(material: &Material, which: &ByRules, known: &dyn Known) -> Result<Vec<Finding>> {
    fail_here!("consolidate::understand");
    if matches!(which, ByRules::Only(ids) if ids.is_empty()) {
        return Ok(Vec::new());
    }
    let names = remembered(material, known)?;
    let mut said = material.utterances();
    if let ByRules::Only(ids) = which {
        said.retain(|utterance| ids.contains(&utterance.id));
    }
    Ok(extract(&said, &names))
}

/// Puts findings from several sides into the order in which they were said.
pub fn in_order(mut findings: Vec<Finding>, material: &Material) -> Vec<Finding> {
    let places: HashMap<MessageId, usize> = material.ids().into_iter().zip(0..).collect();
    let first = |finding: &Finding| {
        finding
            .sources
            .iter()
            .filter_map(|id| places.get(id))
            .min()
            .copied()
    };
    // Stable: what was found in one message stays as it was found.
    findings.sort_by_key(first);
    findings
}

/// The names of remembered things that stand in the messages. What the dictionary has as a word is taken as one.
fn remembered(material: &Material, known: &dyn Known) -> Result<BTreeSet<String>> {
    let mut candidates: BTreeSet<String> = BTreeSet::new();
    for message in &material.messages {
        candidates.extend(possible(&message.text));
    }
    let mut names = BTreeSet::new();
    for candidate in candidates {
        let found = known.named(&candidate)?;
        if found.iter().any(|note| is_thing(note, &candidate)) {
            names.insert(candidate);
        }
    }
    Ok(names)
}

fn is_thing(note: &MemoryNote, name: &str) -> bool {
    match &note.mem_type {
        MemoryType::Semantic(semantic) => {
            semantic.concept_type == ConceptType::Entity
                && std::iter::once(&semantic.content)
                    .chain(&semantic.aliases)
                    .any(|own| key(own) == key(name))
        }
        _ => false,
    }
}

/// What in a text can be a name: capitalised words, and runs of two to four Chinese characters that are no words.
fn possible(text: &str) -> Vec<String> {
    let capitalised = text
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .filter(|word| word.chars().next().is_some_and(char::is_uppercase))
        .map(str::to_owned);
    let mut found: Vec<String> = capitalised.collect();
    for run in text.split(|c: char| !is_unspaced(c)) {
        let chars: Vec<char> = run.chars().collect();
        for length in NAME_CHARS {
            let runs = chars
                .windows(length)
                .map(|run| run.iter().collect::<String>());
            found.extend(runs.filter(|run| !is_known_word(run)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitalised_words_and_unknown_runs_can_be_names() {
        let found = possible("昨天苏晚问 Bug 的事");
        assert!(found.iter().any(|name| name == "苏晚"));
        assert!(found.iter().any(|name| name == "Bug"));
        assert!(!found.iter().any(|name| name == "昨天"));
    }
}
