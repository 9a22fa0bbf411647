//! A clock that tests turn, ids that count up, and short ways to make notes and messages.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::{SignedDuration, Timestamp};
use soulmem::store::{Links, NewMessage, NewSoul, NoteWrite, OnExisting, Store, StoreOptions};
use soulmem_engine::model::{
    Affect, Clock, ConceptType, LinkId, LinkType, MemoryLink, MemoryNote, MemoryType, MessageId,
    NoteId, SemLink, SemMemory, SequentialIds, Source,
};
use soulmem_proto::ops::push::Role;
use uuid::Uuid;

/// When the tests happen.
pub const START: &str = "2026-06-01T08:00:00Z";

/// A clock that stands still until a test turns it.
pub struct TestClock(AtomicI64);

impl TestClock {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(time(START).as_microsecond())))
    }

    pub fn turn(&self, by: SignedDuration) {
        self.0
            .fetch_add(i64::try_from(by.as_micros()).unwrap(), Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.0.load(Ordering::Relaxed)).unwrap()
    }
}

pub fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub fn options() -> StoreOptions {
    options_at(&TestClock::new())
}

pub fn options_at(clock: &Arc<TestClock>) -> StoreOptions {
    StoreOptions::new(Arc::clone(clock) as _, Arc::new(SequentialIds::new()))
}

pub fn with_window(mut options: StoreOptions, capacity: u32) -> StoreOptions {
    options.window_capacity = NonZeroU32::new(capacity).unwrap();
    options
}

pub fn create(folder: &Path) -> Store {
    Store::create(
        folder,
        NewSoul::named("xiaohong".parse().unwrap()),
        &options(),
    )
    .unwrap()
}

pub fn reopen(store: Store) -> Store {
    let folder = store.folder().to_owned();
    drop(store);
    Store::open(&folder, &options()).unwrap()
}

pub fn note_id(n: u128) -> NoteId {
    NoteId(Uuid::from_u128(n))
}

pub fn link_id(n: u128) -> LinkId {
    LinkId(Uuid::from_u128(n))
}

pub fn message_id(n: u128) -> MessageId {
    MessageId(Uuid::from_u128(n))
}

pub fn message(n: u128, text: &str) -> NewMessage {
    NewMessage {
        id: message_id(n),
        role: Role::User,
        name: Some("阿明".to_owned()),
        text: text.to_owned(),
        at: time(START),
        tz: Some("Asia/Shanghai".to_owned()),
        session: None,
        source: None,
        tag: None,
    }
}

pub fn note(n: u128, content: &str) -> MemoryNote {
    let at = time(START);
    MemoryNote {
        id: note_id(n),
        tags: vec!["饮食".to_owned()],
        mem_type: MemoryType::Semantic(SemMemory {
            content: content.to_owned(),
            aliases: vec![format!("{content} 2")],
            concept_type: ConceptType::Entity,
            description: "甜的".to_owned(),
        }),
        created_at: at,
        last_accessed_at: at,
        retrieval_count: 0,
        revision: 1,
        source: vec![Source::Given],
        valid_from: at,
        valid_until: None,
        superseded_by: None,
        affect: Affect {
            importance: 8,
            valence: 0.1 + 0.2,
            ..Affect::at(at)
        },
        anchors: Vec::new(),
        mem_links: Vec::new(),
    }
}

pub fn link(n: u128, from: u128, to: u128) -> MemoryLink {
    MemoryLink {
        id: link_id(n),
        from: note_id(from),
        to: note_id(to),
        intensity: 1.0,
        link_type: LinkType::Sem(SemLink {
            verb: "喜欢".to_owned(),
            confidence: 0.7,
        }),
    }
}

pub fn created(note: MemoryNote) -> NoteWrite {
    NoteWrite {
        note,
        on_existing: OnExisting::Refuse,
        links: Links::Set,
    }
}

pub fn replacing(note: MemoryNote, revision: u64) -> NoteWrite {
    NoteWrite {
        note,
        on_existing: OnExisting::ReplaceRevision(revision),
        links: Links::Set,
    }
}

/// Numbers that look random and are the same in every run (xorshift64*).
pub struct Lot(u64);

impl Lot {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number under `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }
}
