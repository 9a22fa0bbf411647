//! Random lives of a memory, compared with a plain model after every operation, across reopenings, kills and clock jumps.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use soulmem::store::{
    Erase, Idempotency, Links, NewMessage, NewSoul, NoteWrite, OnExisting, Recalled, Store,
    StoreOptions, Tx, View,
};
use soulmem_engine::model::{Clock, MemoryNote, Source};
use tempfile::{TempDir, tempdir};

use crate::dump::dump;
use crate::model::Model;
use crate::support::{
    TestClock, link, link_id, message, message_id, note, note_id, options_at, with_window,
};

const CAPACITY: u32 = 3;

/// An operation, with ids small enough that they meet.
#[derive(Debug, Clone)]
pub enum Op {
    Push(Vec<NewMessage>),
    PushOnce(u8, Vec<NewMessage>),
    Put(Box<MemoryNote>, Links),
    Link(u128, u128, u128),
    Unlink(u128),
    Intensity(u128, f64),
    Delete(u128),
    Supersede(u128, u128),
    Recall(Vec<u128>),
    Archive(u128),
    Summarise(String, u128),
    ClearSummary,
    Erase(Vec<u128>, Vec<u128>),
    Checkpoint,
    Compact,
    Reopen,
    Kill,
    Turn(i64),
}

fn a_message() -> impl Strategy<Value = NewMessage> {
    let text = prop_oneof![Just("你好"), Just(""), Just("a\0b"), Just("👩‍👩‍👧 e\u{301}")];
    (0..40_u128, text, any::<Option<bool>>(), any::<bool>()).prop_map(|(n, text, tag, in_talk)| {
        NewMessage {
            tag,
            session: in_talk.then(|| "talk".to_owned()),
            ..message(n, text)
        }
    })
}

fn a_note() -> impl Strategy<Value = MemoryNote> {
    let links = prop::collection::vec((0..12_u128, 0..8_u128), 0..3);
    (
        0..6_u128,
        "[a-c]{1,2}",
        0..3_u64,
        links,
        prop::collection::vec(0..40_u128, 0..3),
    )
        .prop_map(|(n, content, count, links, messages)| {
            let mut note = note(n, &content);
            note.retrieval_count = count;
            note.mem_links = links.into_iter().map(|(id, to)| link(id, n, to)).collect();
            if !messages.is_empty() {
                note.source = messages
                    .into_iter()
                    .map(|n| Source::Message { id: message_id(n) })
                    .collect();
            }
            note
        })
}

pub fn an_op() -> impl Strategy<Value = Op> {
    let messages = || prop::collection::vec(a_message(), 0..4);
    let some = |range| prop::collection::vec(range, 0..3);
    prop_oneof![
        6 => messages().prop_map(Op::Push),
        3 => (0..4_u8, messages()).prop_map(|(key, messages)| Op::PushOnce(key, messages)),
        6 => (a_note(), any::<bool>())
            .prop_map(|(note, set)| Op::Put(Box::new(note), if set { Links::Set } else { Links::Keep })),
        3 => (0..12_u128, 0..6_u128, 0..8_u128).prop_map(|(id, from, to)| Op::Link(id, from, to)),
        1 => (0..12_u128).prop_map(Op::Unlink),
        1 => (0..12_u128, 0.0..2.0).prop_map(|(id, x)| Op::Intensity(id, x)),
        2 => (0..6_u128).prop_map(Op::Delete),
        2 => (0..6_u128, 0..6_u128).prop_map(|(old, new)| Op::Supersede(old, new)),
        2 => some(0..6_u128).prop_map(Op::Recall),
        1 => (0..6_u128).prop_map(Op::Archive),
        2 => ("[d-f]{1,3}", 0..40_u128).prop_map(|(text, through)| Op::Summarise(text, through)),
        1 => Just(Op::ClearSummary),
        1 => (some(0..40_u128), some(0..6_u128)).prop_map(|(messages, notes)| Op::Erase(messages, notes)),
        1 => Just(Op::Checkpoint),
        1 => Just(Op::Compact),
        2 => Just(Op::Reopen),
        2 => Just(Op::Kill),
        2 => (-200_000..200_000_i64).prop_map(Op::Turn),
    ]
}

/// A memory and its model, side by side.
pub struct Life {
    home: TempDir,
    clock: Arc<TestClock>,
    store: Store,
    model: Model,
    lives: u32,
}

impl Life {
    pub fn new(name: &str) -> Self {
        let home = tempdir().unwrap();
        let clock = TestClock::new();
        let about = NewSoul::named(name.parse().unwrap());
        let store = Store::create(&home.path().join("0"), about, &how(&clock)).unwrap();
        Self {
            home,
            clock,
            store,
            model: Model::with_window(u64::from(CAPACITY)),
            lives: 0,
        }
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Tx) -> soulmem::store::Result<T> + Send + 'static,
    ) -> Result<T, ()> {
        self.store.write(work).wait().map_err(|_| ())
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Does the same to both.
    pub fn take(&mut self, op: Op) {
        let now = self.now();
        match op {
            Op::Push(messages) => {
                let expected = self.model.attempt(|model| model.push(&messages));
                assert_eq!(
                    self.write(move |tx| tx.push(&messages).map(|_| ())),
                    expected
                );
            }
            Op::PushOnce(key, messages) => self.push_once(key, messages),
            Op::Put(note, links) => {
                let expected = self.model.attempt(|model| model.put(&note, links));
                let write = NoteWrite {
                    note: *note,
                    on_existing: OnExisting::Replace,
                    links,
                };
                assert_eq!(
                    self.write(move |tx| tx.put_notes(std::slice::from_ref(&write)).map(|_| ())),
                    expected
                );
            }
            Op::Link(id, from, to) => {
                let link = link(id, from, to);
                let expected = self.model.attempt(|model| model.link(&link));
                assert_eq!(
                    self.write(move |tx| tx.put_links(std::slice::from_ref(&link))),
                    expected
                );
            }
            Op::Unlink(id) => {
                self.model.links.retain(|link| link.id != link_id(id));
                self.write(move |tx| tx.delete_links(&[link_id(id)]))
                    .unwrap();
            }
            Op::Intensity(id, intensity) => {
                let link = self
                    .model
                    .links
                    .iter_mut()
                    .find(|link| link.id == link_id(id));
                let there = link.map(|link| link.intensity = intensity).is_some();
                assert_eq!(
                    self.write(move |tx| tx.set_intensity(link_id(id), intensity, None)),
                    Ok(there)
                );
            }
            Op::Delete(id) => {
                self.model.delete(note_id(id));
                self.write(move |tx| tx.delete_notes(&[note_id(id)]))
                    .unwrap();
            }
            Op::Supersede(old, new) => {
                let expected = self.model.supersede(note_id(old), note_id(new), now);
                let done =
                    self.write(move |tx| tx.supersede(note_id(old), note_id(new), now).map(|_| ()));
                assert_eq!(done, expected);
            }
            Op::Recall(ids) => {
                let notes: Vec<_> = ids.into_iter().map(note_id).collect();
                self.model.recall(&notes, now);
                let recalled = Recalled {
                    notes,
                    messages: vec![],
                    at: now,
                    mode: "retrieve".to_owned(),
                };
                self.write(move |tx| tx.record_recall(&recalled)).unwrap();
            }
            Op::Archive(id) => {
                self.model.archive(note_id(id));
                self.write(move |tx| tx.archive_notes(&[note_id(id)]))
                    .unwrap();
            }
            other => self.take_rare(other),
        }
    }

    fn take_rare(&mut self, op: Op) {
        match op {
            Op::Summarise(text, through) => {
                let expected = self.model.summarise(&text, message_id(through));
                let done =
                    self.write(move |tx| tx.set_summary(&text, message_id(through)).map(|_| ()));
                assert_eq!(done, expected);
            }
            Op::ClearSummary => {
                self.model.summary = None;
                self.write(Tx::clear_summary).unwrap();
            }
            Op::Erase(messages, notes) => {
                let messages: Vec<_> = messages.into_iter().map(message_id).collect();
                let notes: Vec<_> = notes.into_iter().map(note_id).collect();
                self.model.erase(&messages, &notes);
                self.store
                    .erase(&Erase { notes, messages }, &mut |_| ())
                    .unwrap();
            }
            Op::Checkpoint => drop(self.store.checkpoint().wait().unwrap()),
            Op::Compact => self.store.compact().wait().unwrap(),
            Op::Reopen => {
                let folder = self.store.folder().to_owned();
                self.store.close();
                self.store = Store::open(&folder, &how(&self.clock)).unwrap();
                self.model.opened(self.now());
            }
            Op::Kill => {
                let folder = self.as_killed();
                self.store = Store::open(&folder, &how(&self.clock)).unwrap();
                self.model.opened(self.now());
            }
            Op::Turn(seconds) => self.clock.turn(SignedDuration::from_secs(seconds)),
            other => unreachable!("{other:?}"),
        }
    }

    fn push_once(&mut self, key: u8, messages: Vec<NewMessage>) {
        // A key that is used for another request is refused, which basics.rs tests; here the request is the key.
        let idempotency = Idempotency::new(key.to_string(), "push", &[key]);
        let expected = self.model.push_once(key, &messages, self.now());
        let done = self
            .store
            .write_once(Some(idempotency), move |tx| tx.push(&messages))
            .wait();
        let done = done
            .map(|outcome| (outcome.value.ids, outcome.duplicate))
            .map_err(|_| ());
        assert_eq!(done, expected);
    }

    /// The files as a kill leaves them, in a folder of their own.
    fn as_killed(&mut self) -> PathBuf {
        self.lives += 1;
        let folder = self.home.path().join(self.lives.to_string());
        fs::create_dir(&folder).unwrap();
        for name in ["memory.db", "memory.db-wal", "memory.mark"] {
            let from = self.store.folder().join(name);
            if from.exists() {
                fs::copy(from, folder.join(name)).unwrap();
            }
        }
        folder
    }

    /// Whether both hold the same.
    pub fn compare(&self) {
        let model = &self.model;
        let held = dump(&self.store).unwrap();
        assert!(held.messages.is_sorted_by(|a, b| a.seq < b.seq));
        let said = |message: &soulmem::store::Message| {
            let seq = message.seq;
            move |new: &NewMessage, tag: bool| new.at_seq(seq, tag)
        };
        let same = |held: &[soulmem::store::Message], model: &[crate::model::Said]| {
            held.len() == model.len()
                && held
                    .iter()
                    .zip(model)
                    .all(|(held, model)| *held == said(held)(&model.message, model.tag))
        };
        assert!(
            same(&held.messages, &model.messages),
            "{:?}\n{:?}",
            held.messages,
            model.messages
        );
        assert!(same(&held.window, model.window()));
        let due = self.store.read(View::summaries_due).unwrap();
        assert_eq!(
            due.iter().map(|message| message.id).collect::<Vec<_>>(),
            model.due()
        );
        assert_eq!(
            held.summary.map(|summary| summary.text),
            model.summary.as_ref().map(|summary| summary.text.clone())
        );
        let notes: Vec<_> = held
            .notes
            .iter()
            .map(|stored| (stored.note.clone(), stored.archived_at.is_some()))
            .collect();
        let expected: Vec<_> = model
            .notes
            .iter()
            .map(|known| {
                (
                    MemoryNote {
                        mem_links: model.links_of(known.note.id),
                        ..known.note.clone()
                    },
                    known.archived,
                )
            })
            .collect();
        assert_eq!(notes, expected);
        let links: Vec<_> = held.links.into_iter().map(|stored| stored.link).collect();
        assert_eq!(links, model.links);
        let recalls: Vec<_> = held
            .recalls
            .into_iter()
            .map(|recall| recall.notes)
            .collect();
        assert_eq!(recalls, model.recalled());
    }

    pub fn is_healthy(&self) {
        assert_eq!(self.store.check(&mut |_| ()).unwrap().findings, []);
    }
}

fn how(clock: &Arc<TestClock>) -> StoreOptions {
    with_window(options_at(clock), CAPACITY)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_memory_is_what_the_model_says(ops in prop::collection::vec(an_op(), 1..40)) {
        let mut life = Life::new("xiaohong");
        for op in ops {
            life.take(op);
            life.compare();
        }
        life.is_healthy();
    }

    #[test]
    fn nothing_crosses_between_two_memories(ops in prop::collection::vec((any::<bool>(), an_op()), 1..30)) {
        let mut lives = [Life::new("xiaohong"), Life::new("tom")];
        for (second, op) in ops {
            lives[usize::from(second)].take(op);
            lives.iter().for_each(Life::compare);
        }
        lives.iter().for_each(Life::is_healthy);
    }
}
