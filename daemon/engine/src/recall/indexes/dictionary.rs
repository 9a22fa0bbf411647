//! The words of one character that no dictionary has: what it is called, and what is called something in its notes.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::forget::is_sentence;
use crate::model::{ConceptType, MemoryNote, MemoryType};
use crate::pack_fields;
use crate::text::{is_known_word, key};

/// Names, and how many give each of them. A name is a word for as long as anything is called so; one that is also a word of the
/// language is cut out by itself.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    /// By the [`key`] of each name, how many notes declare it; what the character itself is called counts as one more.
    declared: HashMap<String, u32>,
    /// What the character itself is called.
    own: BTreeSet<String>,
    /// Names of which the number changed since texts were last cut.
    changed: BTreeSet<String>,
}

pack_fields!(Dictionary {
    declared,
    own,
    changed
});

impl Dictionary {
    /// Counts names that a note declares.
    pub(super) fn declare(&mut self, names: &[String]) {
        for name in names {
            *self.declared.entry(name.clone()).or_default() += 1;
            self.changed.insert(name.clone());
        }
    }

    /// Counts them no more.
    pub(super) fn withdraw(&mut self, names: &[String]) {
        for name in names {
            if let Some(count) = self.declared.get_mut(name) {
                *count -= 1;
                if *count == 0 {
                    self.declared.remove(name);
                }
                self.changed.insert(name.clone());
            }
        }
    }

    /// Says what the character itself is called, in place of what was said before.
    pub(super) fn call(&mut self, names: impl IntoIterator<Item = String>) {
        let names: BTreeSet<String> = names
            .into_iter()
            .map(|name| key(&name))
            .filter(|name| is_word(name))
            .collect();
        let before = std::mem::replace(&mut self.own, names.clone());
        self.withdraw(&before.difference(&names).cloned().collect::<Vec<_>>());
        self.declare(&names.difference(&before).cloned().collect::<Vec<_>>());
    }

    /// Names that may have come or gone since the last time, each with whether it is one now.
    pub(super) fn take_changed(&mut self) -> Vec<(String, bool)> {
        let changed = std::mem::take(&mut self.changed).into_iter();
        changed
            .map(|name| {
                let declared = self.declared.contains_key(&name);
                (name, declared)
            })
            .collect()
    }
}

/// The keys of the names by which a note makes something known, each once: its content and aliases, where it is about an entity.
pub(super) fn declared_by(note: &MemoryNote) -> Vec<String> {
    let MemoryType::Semantic(known) = &note.mem_type else {
        return Vec::new();
    };
    if known.concept_type != ConceptType::Entity {
        return Vec::new();
    }
    let names: BTreeSet<String> = std::iter::once(&known.content)
        .chain(&known.aliases)
        .filter(|name| !is_sentence(name))
        .map(|name| key(name))
        .filter(|name| is_word(name))
        .collect();
    names.into_iter().collect()
}

/// Whether a name has to be told to the segmenter: a word of the language is cut out where it is one, and not where its
/// characters stand inside of another.
fn is_word(name: &str) -> bool {
    !is_known_word(name)
}
