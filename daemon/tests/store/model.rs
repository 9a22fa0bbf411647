//! A plain model of a memory, in a few vectors and maps: what the store must be equal to after every operation.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use soulmem::store::{Links, NewMessage};
use soulmem_engine::model::{LinkId, MemoryLink, MemoryNote, MessageId, NoteId, Source};

/// A message, and whether it carries the summary tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub message: NewMessage,
    pub tag: bool,
    /// Counts the messages ever pushed, from 1.
    pub number: u64,
}

/// A note, and what happened to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Tells it from another of the same id that was there before.
    pub instance: u64,
    pub note: MemoryNote,
    pub archived: bool,
}

/// The running summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summed {
    pub text: String,
    pub first: u64,
    pub last: u64,
}

/// Why an operation is refused.
pub type Refused = ();

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    pub capacity: u64,
    pub messages: Vec<Said>,
    pub pushed: u64,
    pub summary: Option<Summed>,
    pub summarised: u64,
    pub notes: Vec<Known>,
    /// The revisions of deleted notes.
    pub deleted: BTreeMap<NoteId, u64>,
    pub links: Vec<MemoryLink>,
    /// The instances that came up together, by recall.
    pub recalls: Vec<Vec<u64>>,
    /// The first answer to each key, and when; none once what it named was erased.
    pub keys: BTreeMap<u8, (Option<Vec<MessageId>>, Timestamp)>,
    instances: u64,
}

impl Model {
    pub fn with_window(capacity: u64) -> Self {
        Self {
            capacity,
            ..Self::default()
        }
    }

    /// Does something wholly or not at all.
    pub fn attempt(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let mut copy = self.clone();
        work(&mut copy)?;
        *self = copy;
        Ok(())
    }

    pub fn push(&mut self, messages: &[NewMessage]) -> Result<(), Refused> {
        for message in messages {
            if self
                .messages
                .iter()
                .any(|said| said.message.id == message.id)
            {
                return Err(());
            }
            self.pushed += 1;
            let tag = message
                .tag
                .unwrap_or(self.pushed.is_multiple_of(self.capacity));
            self.messages.push(Said {
                message: message.clone(),
                tag,
                number: self.pushed,
            });
        }
        Ok(())
    }

    /// The answer to a push under a key, and whether it is the first one's.
    pub fn push_once(
        &mut self,
        key: u8,
        messages: &[NewMessage],
        now: Timestamp,
    ) -> Result<(Vec<MessageId>, bool), Refused> {
        if let Some((ids, at)) = self.keys.get(&key)
            && now.duration_since(*at) < SignedDuration::from_hours(24)
        {
            return ids.clone().map(|ids| (ids, true)).ok_or(());
        }
        self.attempt(|model| model.push(messages))?;
        let ids: Vec<_> = messages.iter().map(|message| message.id).collect();
        self.keys.insert(key, (Some(ids.clone()), now));
        Ok((ids, false))
    }

    /// Keys older than a day are forgotten at opening, for good: a clock that goes back does not bring them back.
    pub fn opened(&mut self, now: Timestamp) {
        self.keys
            .retain(|_, (_, at)| now.duration_since(*at) < SignedDuration::from_hours(24));
    }

    pub fn window(&self) -> &[Said] {
        let start = self.messages.len().saturating_sub(self.capacity as usize);
        &self.messages[start..]
    }

    /// Tagged messages that have left the window and that no summary has seen.
    pub fn due(&self) -> Vec<MessageId> {
        let left = self.messages.len() - self.window().len();
        let unseen = |said: &&Said| said.tag && said.number > self.summarised;
        // A window that is not full has lost nothing.
        self.messages[..left]
            .iter()
            .filter(unseen)
            .map(|said| said.message.id)
            .collect()
    }

    pub fn summarise(&mut self, text: &str, through: MessageId) -> Result<(), Refused> {
        let last = self
            .messages
            .iter()
            .find(|said| said.message.id == through)
            .ok_or(())?
            .number;
        let first = self
            .summary
            .as_ref()
            .map_or(self.summarised + 1, |old| old.first);
        self.summary = Some(Summed {
            text: text.to_owned(),
            first,
            last,
        });
        self.summarised = self.summarised.max(last);
        Ok(())
    }

    fn place(&self, id: NoteId) -> Option<usize> {
        self.notes.iter().position(|known| known.note.id == id)
    }

    pub fn put(&mut self, note: &MemoryNote, links: Links) -> Result<(), Refused> {
        if note.mem_links.iter().any(|link| link.from == link.to) {
            return Err(());
        }
        let mut kept = note.clone();
        kept.mem_links.clear();
        match self.place(note.id) {
            None => {
                kept.revision = self.deleted.remove(&note.id).unwrap_or(0) + 1;
                self.instances += 1;
                self.notes.push(Known {
                    instance: self.instances,
                    note: kept,
                    archived: false,
                });
                self.put_links_of(note, links)
            }
            Some(place) => {
                let old = self.notes[place].note.clone();
                let before = self.links_of(note.id);
                keep_use(&mut kept, &old);
                self.put_links_of(note, links)?;
                if kept != old || self.links_of(note.id) != before {
                    kept.revision += 1;
                }
                self.notes[place].note = kept;
                Ok(())
            }
        }
    }

    fn put_links_of(&mut self, note: &MemoryNote, links: Links) -> Result<(), Refused> {
        if links == Links::Set {
            let kept: Vec<LinkId> = note.mem_links.iter().map(|link| link.id).collect();
            self.links
                .retain(|link| link.from != note.id || kept.contains(&link.id));
            note.mem_links.iter().try_for_each(|link| self.link(link))?;
        }
        Ok(())
    }

    pub fn links_of(&self, id: NoteId) -> Vec<MemoryLink> {
        self.links
            .iter()
            .filter(|link| link.from == id)
            .cloned()
            .collect()
    }

    pub fn link(&mut self, link: &MemoryLink) -> Result<(), Refused> {
        if link.from == link.to || self.place(link.from).is_none() {
            return Err(());
        }
        match self.links.iter_mut().find(|old| old.id == link.id) {
            Some(old) if old.from != link.from => return Err(()),
            Some(old) => old.clone_from(link),
            None => self.links.push(link.clone()),
        }
        Ok(())
    }

    pub fn delete(&mut self, id: NoteId) {
        if let Some(place) = self.place(id) {
            let gone = self.notes.remove(place);
            self.deleted.insert(id, gone.note.revision);
            self.links.retain(|link| link.from != id && link.to != id);
        }
    }

    pub fn supersede(&mut self, old: NoteId, new: NoteId, at: Timestamp) -> Result<(), Refused> {
        let (Some(place), Some(_), true) = (self.place(old), self.place(new), old != new) else {
            return Err(());
        };
        let note = &mut self.notes[place].note;
        match note.superseded_by {
            Some(already) if already == new => Ok(()),
            Some(_) => Err(()),
            None => {
                note.superseded_by = Some(new);
                note.valid_until = Some(at.max(note.valid_from));
                note.revision += 1;
                Ok(())
            }
        }
    }

    pub fn recall(&mut self, ids: &[NoteId], at: Timestamp) {
        let mut together = Vec::new();
        for known in &mut self.notes {
            if ids.contains(&known.note.id) {
                known.note.retrieval_count += 1;
                known.note.last_accessed_at = known.note.last_accessed_at.max(at);
                known.note.affect.activation_count += 1.0;
                known.note.affect.last_active_at = known.note.affect.last_active_at.max(at);
                together.push(known.instance);
            }
        }
        self.recalls.push(together);
    }

    /// The recalls as ids of what is still there.
    pub fn recalled(&self) -> Vec<Vec<NoteId>> {
        let still = |instance: &u64| self.notes.iter().find(|known| known.instance == *instance);
        let ids = |recall: &Vec<u64>| {
            let mut ids: Vec<_> = recall
                .iter()
                .filter_map(still)
                .map(|known| known.note.id)
                .collect();
            ids.sort_unstable();
            ids
        };
        self.recalls.iter().map(ids).collect()
    }

    pub fn archive(&mut self, id: NoteId) {
        if let Some(place) = self.place(id) {
            self.notes[place].archived = true;
        }
    }

    pub fn erase(&mut self, messages: &[MessageId], notes: &[NoteId]) {
        let gone: Vec<Said> = self
            .messages
            .iter()
            .filter(|said| messages.contains(&said.message.id))
            .cloned()
            .collect();
        self.messages
            .retain(|said| !messages.contains(&said.message.id));
        let mut erased = notes.to_vec();
        for known in &mut self.notes {
            let before = known.note.source.len();
            let is_gone = |source: &Source| {
                gone.iter()
                    .any(|said| matches!(source, Source::Message { id } if *id == said.message.id))
            };
            known.note.source.retain(|source| !is_gone(source));
            if known.note.source.len() < before && known.note.source.is_empty() {
                erased.push(known.note.id);
            }
        }
        // Here a note and a message may have one id, and an answer that names it is gone with either.
        let named =
            |id: &MessageId| messages.contains(id) || erased.iter().any(|note| note.0 == id.0);
        for (ids, _) in self.keys.values_mut() {
            if ids.as_ref().is_some_and(|ids| ids.iter().any(named)) {
                *ids = None;
            }
        }
        for id in erased {
            self.delete(id);
            self.deleted.remove(&id);
        }
        if let Some(summary) = &self.summary
            && gone
                .iter()
                .any(|said| (summary.first..=summary.last).contains(&said.number))
        {
            self.summarised = self.summarised.min(summary.first - 1);
            self.summary = None;
        }
    }
}

/// Counts and times of use never go back when a note is replaced.
fn keep_use(note: &mut MemoryNote, old: &MemoryNote) {
    note.revision = old.revision;
    note.retrieval_count = note.retrieval_count.max(old.retrieval_count);
    note.last_accessed_at = note.last_accessed_at.max(old.last_accessed_at);
    note.affect.activation_count = note
        .affect
        .activation_count
        .max(old.affect.activation_count);
    note.affect.last_active_at = note.affect.last_active_at.max(old.affect.last_active_at);
}
