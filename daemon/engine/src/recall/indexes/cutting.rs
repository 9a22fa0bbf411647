//! Cutting texts into words, and cutting them again when a name comes or goes that stands in them.

use std::collections::BTreeSet;

use super::Indexes;
use crate::index::{DocKey, Interval, Said};
use crate::model::{MessageId, NoteId};
use crate::text::Segmenter;

impl Indexes {
    /// Says what the character itself is called, in place of what was said before.
    pub fn call(&mut self, names: impl IntoIterator<Item = String>) {
        self.dictionary.call(names);
    }

    /// Brings up to date what follows from several notes together: the links over names, and how texts are cut. To be called
    /// after a batch of changes; until then new notes are not found by their words, and the links are those of before.
    ///
    /// Notes that hold a name which came or went are cut again here. Messages are not at hand: those are [`uncut`](Self::uncut)
    /// until they are handed in again.
    pub fn settle(&mut self) {
        self.entities.settle();
        for key in self.renamed() {
            match key {
                DocKey::Message(id) => drop(self.uncut_messages.insert(id)),
                DocKey::Note(id) => {
                    if let Some(passage) = self.passages.get(&key) {
                        self.uncut_notes.insert(id, passage.told);
                    }
                }
                DocKey::NoteText(..) => {}
            }
        }
        for (id, told) in std::mem::take(&mut self.uncut_notes) {
            self.cut_note(id, told);
        }
    }

    /// At most so many messages that hold a name which came or went since they were cut. They are found as before
    /// until they are cut again.
    pub fn uncut(&self, limit: usize) -> Vec<MessageId> {
        self.uncut_messages.iter().take(limit).copied().collect()
    }

    /// Cuts a message again.
    pub fn cut_again(&mut self, said: &Said<'_>) {
        self.uncut_messages.remove(&said.id);
        if self.words.contains(&DocKey::Message(said.id)) {
            self.cut_message(said);
        }
    }

    pub(super) fn cut_message(&mut self, said: &Said<'_>) {
        self.words
            .put_text(DocKey::Message(said.id), &self.segmenter, said.text);
        self.passages.put_said(&self.segmenter, said);
    }

    fn cut_note(&mut self, id: NoteId, told: Interval) {
        let Some(text) = self.entities.text_of(id) else {
            return;
        };
        let key = DocKey::Note(id);
        self.words.put_text(key, &self.segmenter, text);
        self.passages.put_note(key, &self.segmenter, text, told);
    }

    /// Tells the segmenter which names came and went. Gives every text that may hold one of them.
    fn renamed(&mut self) -> BTreeSet<DocKey> {
        let mut holding = BTreeSet::new();
        for (name, declared) in self.dictionary.take_changed() {
            let changed = if declared {
                self.segmenter.add_name(&name)
            } else {
                self.segmenter.remove_name(&name)
            };
            if changed {
                let terms = Segmenter::certain_terms(&name);
                holding.extend(self.words.holding(&terms));
            }
        }
        holding
    }
}
