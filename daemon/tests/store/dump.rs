//! Everything that a memory holds, to be compared, and a memory that holds something of every kind.

use std::path::Path;

use soulmem::store::{
    Job, Message, MessageFilter, MessageVector, MessageWords, NoteVector, NoteWords, OwnWord,
    Profile, Recall, Recalled, Reimagined, Result, Store, StoredLink, StoredNote, Summary, Tx,
    VectorModel, View, Wording,
};
use soulmem_engine::model::{Field, MessageId, NoteId};
use uuid::Uuid;

use crate::support::{START, create, created, link, message, message_id, note, note_id, time};

/// The model that the vectors of these tests come from.
pub fn model() -> VectorModel {
    VectorModel {
        name: "lexical".to_owned(),
        digest: "1".to_owned(),
        pooling: "mean".to_owned(),
        dimension: 4,
    }
}

pub const SEGMENTER: &str = "test 1";

/// Everything that a memory holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Dump {
    pub profile: Profile,
    pub messages: Vec<Message>,
    pub message_uses: Vec<(MessageId, u64)>,
    pub window: Vec<Message>,
    pub summary: Option<Summary>,
    pub notes: Vec<StoredNote>,
    pub links: Vec<StoredLink>,
    pub wordings: Vec<(NoteId, Wording)>,
    pub note_vectors: Vec<NoteVector>,
    pub message_vectors: Vec<MessageVector>,
    pub note_words: Vec<NoteWords>,
    pub message_words: Vec<MessageWords>,
    pub own_words: Vec<OwnWord>,
    pub recalls: Vec<Recall>,
    pub jobs: Vec<Job>,
}

/// Reads everything, in one view.
pub fn dump(store: &Store) -> Result<Dump> {
    store.read(read_all)
}

fn read_all(view: &View) -> Result<Dump> {
    let notes = collect(|each| view.for_each_note(each))?;
    let mut wordings = Vec::new();
    view.for_each_wording(|note, wording| {
        wordings.push((note, wording));
        Ok(())
    })?;
    let mut message_uses = Vec::new();
    view.for_each_message_use(|id, uses| {
        message_uses.push((id, uses.retrieval_count));
        Ok(())
    })?;
    Ok(Dump {
        profile: view.profile()?,
        messages: view
            .list_messages(&MessageFilter::default(), None, usize::MAX)?
            .items,
        message_uses,
        window: view.window()?,
        summary: view.summary()?,
        notes,
        links: collect(|each| view.for_each_link(each))?,
        wordings,
        note_vectors: collect(|each| view.for_each_note_vector(&model(), each))?,
        message_vectors: collect(|each| view.for_each_message_vector(&model(), each))?,
        note_words: collect(|each| view.for_each_note_words(SEGMENTER, each))?,
        message_words: collect(|each| view.for_each_message_words(SEGMENTER, each))?,
        own_words: view.own_words()?,
        recalls: view.recalls(0, usize::MAX)?,
        jobs: view.open_jobs()?,
    })
}

fn collect<T>(each: impl FnOnce(&mut dyn FnMut(T) -> Result<()>) -> Result<()>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    each(&mut |item| {
        all.push(item);
        Ok(())
    })?;
    Ok(all)
}

/// A memory with something of every kind in it: `messages` messages and a third as many notes.
pub fn full_memory(folder: &Path, messages: u128) -> Store {
    let store = create(folder);
    for batch in 0..messages / 10 {
        store.write(move |tx| fill(tx, batch)).wait().unwrap();
    }
    store
        .write(move |tx| {
            tx.set_summary("他们谈了很久。", message_id(messages / 2))?;
            let job = Uuid::from_u128(9_000);
            tx.queue_job(job, "consolidate", "{}")?;
            tx.start_job(job)?;
            tx.put_llm_reply(job, [7; 32], "{\"notes\": []}")?;
            tx.put_own_words(&[OwnWord {
                word: "小红".to_owned(),
                weight: Some(3),
                tag: None,
            }])
        })
        .wait()
        .unwrap();
    store
}

fn fill(tx: &Tx, batch: u128) -> Result<()> {
    let first = batch * 10 + 1;
    let messages: Vec<_> = (first..first + 10)
        .map(|n| message(n, &format!("第{n}句话，说的是什么呢")))
        .collect();
    tx.push(&messages)?;
    let notes: Vec<_> = (first..first + 3)
        .map(|n| {
            let mut note = note(n, &format!("记忆{n}"));
            note.mem_links = vec![link(n, n, n + 1)];
            created(note)
        })
        .collect();
    tx.put_notes(&notes)?;
    let vector = vec![0.5, -0.25, batch as f32, 1.0];
    let note = note_id(first);
    tx.put_note_vectors(
        &model(),
        &[NoteVector {
            note,
            field: Field::Content,
            part: 0,
            revision: 1,
            vector: vector.clone(),
        }],
    )?;
    tx.put_message_vectors(
        &model(),
        &[MessageVector {
            message: message_id(first),
            vector,
        }],
    )?;
    tx.put_note_words(
        SEGMENTER,
        &[NoteWords {
            note,
            field: Field::Content,
            part: 0,
            words: "记忆\n1".to_owned(),
        }],
    )?;
    tx.put_message_words(
        SEGMENTER,
        &[MessageWords {
            message: message_id(first),
            words: "句话".to_owned(),
        }],
    )?;
    let version = Reimagined {
        text: "大概是甜的".to_owned(),
        degree: 0.3,
    };
    tx.put_wording(note, Field::Description, &[(0, 6), (6, 9)], Some(&version))?;
    let recalled = Recalled {
        notes: vec![note, note_id(first + 1)],
        messages: vec![message_id(first)],
        at: time(START),
        mode: "retrieve".to_owned(),
    };
    tx.record_recall(&recalled).map(|_| ())
}
