//! An archive carries everything that forgetting goes by, and nothing that was made after it was begun.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use soulmem::llm::Llm;
use soulmem::soul::events::EventHub;
use soulmem::soul::outside::{Outside, TimedIds};
use soulmem::soul::pool::Pool;
use soulmem::soul::{Answers, InUse, Soul, SoulSettings, Souls, World, WriteOrder};
use soulmem::store::{
    Idempotency, Links, NewMessage, NewSoul, NoteWrite, OnExisting, Recalled, Tx,
};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{
    Clock, FixedClock, LinkDraft, LinkId, MemoryNote, MessageId, NoteDraft, NoteId, SequentialIds,
};
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::SoulName;
use soulmem_proto::ops::import::{ImportFormat, ImportReport};
use soulmem_proto::ops::push::Role;
use tempfile::TempDir;
use tokio::sync::Semaphore;
use uuid::Uuid;

/// A clock that goes on when it is told to.
#[derive(Debug)]
struct Hands(Mutex<Timestamp>);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

impl Hands {
    fn go_on(&self, hours: i64) {
        *self.0.lock().unwrap() += SignedDuration::from_hours(hours);
    }
}

struct House {
    _folder: TempDir,
    clock: Arc<Hands>,
    souls: Arc<Souls>,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Hands(Mutex::new("2026-06-01T08:00:00Z".parse().unwrap())));
        let world = World {
            outside: Outside {
                clock: clock.clone(),
                ids: Arc::new(TimedIds),
            },
            model: Arc::new(LexicalModel::new()),
            tokens: Arc::new(estimate_tokens),
            events: Arc::new(EventHub::default()),
            reimagine: None,
            llm: Arc::new(Llm::none()),
            pool: Pool::new(2),
            jobs: Arc::new(Semaphore::new(1)),
        };
        let data = folder.path().join("data");
        let souls = Souls::find(world, &data, SoulSettings::default()).unwrap();
        Self {
            _folder: folder,
            clock,
            souls: Arc::new(souls),
        }
    }

    async fn create(&self, name: &str) -> InUse {
        let name: SoulName = name.parse().unwrap();
        let about = NewSoul::named(name.clone());
        self.souls.create(about, None).await.unwrap();
        self.souls.open(&name).await.unwrap()
    }
}

async fn write(soul: &Soul, work: impl Fn(&Tx) -> soulmem::store::Result<()> + Send + 'static) {
    soul.write(WriteOrder::default(), move |tx| work(tx))
        .await
        .unwrap();
}

async fn exported(soul: &Soul, answers: Answers) -> String {
    let (mut file, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let (bytes, next) = soul
            .export(ImportFormat::Archive, cursor.as_deref(), answers)
            .await
            .unwrap();
        file.extend(bytes);
        match next {
            Some(next) => cursor = Some(next),
            None => return String::from_utf8(file).unwrap(),
        }
    }
}

async fn import(soul: &Soul, archive: &str) -> ImportReport {
    let bytes = archive.as_bytes().to_vec();
    soul.import(bytes, ImportFormat::Archive, None, WriteOrder::default())
        .await
        .unwrap()
}

/// A push under a key, and whether it is a repeat.
async fn push_once(soul: &Soul) -> bool {
    let order = WriteOrder {
        key: Some(Idempotency::new("k", "push", b"rain")),
        ..WriteOrder::default()
    };
    let pushed = soul.write(order, |tx| tx.push(&[message(13, "rain again")]));
    pushed.await.unwrap().duplicate
}

fn note(id: u128, text: &str) -> MemoryNote {
    let body = json!({"Situation": {"SpecificSituation": {
        "time_span": "2026-05-01T20:00:00Z", "context": {}, "narrative": text
    }}});
    let link = json!({"id": LinkId(Uuid::from_u128(100 + id)), "from": NoteId(Uuid::from_u128(id)),
        "to": NoteId(Uuid::from_u128(3 - id)), "link_type": {"Sem": {"verb": "with", "confidence": 0.5}}});
    let link: LinkDraft = serde_json::from_value(link).unwrap();
    let draft = NoteDraft::new(serde_json::from_value(body).unwrap());
    draft
        .with_id(NoteId(Uuid::from_u128(id)))
        .linked(link)
        .build(
            &FixedClock("2026-06-01T08:00:00Z".parse().unwrap()),
            &SequentialIds::new(),
        )
        .unwrap()
}

fn message(id: u128, text: &str) -> NewMessage {
    NewMessage {
        id: MessageId(Uuid::from_u128(id)),
        role: Role::User,
        name: None,
        text: text.to_owned(),
        at: "2026-05-30T08:00:00Z".parse().unwrap(),
        tz: None,
        session: None,
        source: None,
        tag: None,
    }
}

/// Two notes, two messages; one of each was recalled twice; a link was weakened.
async fn lived(house: &House) -> InUse {
    let soul = house.create("ann").await;
    write(&soul, |tx| {
        let put = |note| NoteWrite {
            note,
            on_existing: OnExisting::Refuse,
            links: Links::Set,
        };
        tx.put_notes(&[put(note(1, "雨天的猫")), put(note(2, "老钟停在三点"))])?;
        tx.push(&[
            message(11, "a walk in the rain"),
            message(12, "다리 아래의 강"),
        ])?;
        Ok(())
    })
    .await;
    for _ in 0..2 {
        house.clock.go_on(30);
        let at = house.clock.now();
        write(&soul, move |tx| {
            tx.record_recall(&Recalled {
                notes: vec![NoteId(Uuid::from_u128(1))],
                messages: vec![MessageId(Uuid::from_u128(11))],
                at,
                mode: "retrieve".to_owned(),
            })?;
            tx.set_intensity(LinkId(Uuid::from_u128(101)), 0.7, Some(at))?;
            Ok(())
        })
        .await;
        let (note, message) = (NoteId(Uuid::from_u128(1)), MessageId(Uuid::from_u128(11)));
        soul.mind().rehearse(&[note], &[message]).unwrap();
    }
    soul
}

/// Everything that forgetting and consolidation go by.
fn traces(soul: &Soul) -> String {
    soul.store()
        .read(|view| {
            let (mut notes, mut messages) = (Vec::new(), Vec::new());
            view.for_each_note_use(|id, uses| {
                notes.push((id, uses));
                Ok(())
            })?;
            view.for_each_message(|message| {
                let uses = view.message_use(message.id)?;
                messages.push((message.id, view.taken_in_at(message.seq)?, uses));
                Ok(())
            })?;
            let recalls = view.recalls(0, 9)?;
            let recalls: Vec<_> = recalls
                .into_iter()
                .map(|recall| (recall.at, recall.mode, recall.notes))
                .collect();
            let link = view.link(LinkId(Uuid::from_u128(101)))?.unwrap();
            let link = (link.link.intensity, link.weakened_at);
            Ok(format!("{notes:?} {messages:?} {recalls:?} {link:?}"))
        })
        .unwrap()
}

/// What a line of an archive tells of.
fn kind(line: &str) -> String {
    let line: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
    line.into_iter().next().unwrap().0
}

/// How far each memory has faded, as it is recalled from.
fn faded(soul: &Soul, now: Timestamp) -> Vec<(String, bool)> {
    let ids = [1, 2].map(|id| NoteId(Uuid::from_u128(id)));
    let said = [11, 12].map(|id| MessageId(Uuid::from_u128(id)));
    soul.mind()
        .look(|indexes, fading| {
            let notes = ids.map(|id| {
                let index = indexes.graph.index_of(id).unwrap();
                (format!("{:?}", fading.retention(index, now)), true)
            });
            let said = said.map(|id| (id.to_string(), fading.is_worded(id, now)));
            notes.into_iter().chain(said).collect()
        })
        .unwrap()
}

#[tokio::test]
async fn forgetting_goes_on_elsewhere_as_it_would_have_here() {
    let house = House::new();
    let ann = lived(&house).await;
    let archive = exported(&ann, Answers::LeftOut).await;
    // Taken in long after, the memories are as old as they were.
    house.clock.go_on(24 * 40);
    let bo = house.create("bo").await;
    import(&bo, &archive).await;
    assert_eq!(traces(&bo), traces(&ann));
    let start: Timestamp = house.clock.now();
    for days in [0, 30, 90, 120, 400, 2_000] {
        let now = start + SignedDuration::from_hours(24 * days);
        assert_eq!(faded(&bo, now), faded(&ann, now), "after {days} days");
    }
}

#[tokio::test]
async fn a_copy_that_takes_a_character_over_knows_what_came_to_mind_and_what_was_answered() {
    let house = House::new();
    let ann = lived(&house).await;
    assert!(!push_once(&ann).await);
    let archive = exported(&ann, Answers::Included).await;
    let kinds: Vec<_> = archive.lines().map(kind).collect();
    let expected = "archive window message message message note note recall recall answer end";
    assert_eq!(kinds.join(" "), expected);
    let end: Value = serde_json::from_str(archive.lines().last().unwrap()).unwrap();
    let counts =
        json!({"end": {"words": 0, "messages": 3, "notes": 2, "recalls": 2, "answers": 1}});
    assert_eq!(end, counts);

    let bo = house.create("bo").await;
    import(&bo, &archive).await;
    assert_eq!(traces(&bo), traces(&ann));
    assert!(push_once(&bo).await, "it was answered before the move");
    // A file that is kept has what was recalled, and no answers.
    let kept = exported(&bo, Answers::LeftOut).await;
    let kinds: Vec<_> = kept.lines().map(kind).collect();
    assert_eq!(kinds.join(" "), expected.replace("answer ", ""));

    for (line, fewer) in [
        (7, "says 2 recalls, there are 1"),
        (9, "says 1 answers, there are 0"),
    ] {
        let mut lines: Vec<_> = archive.lines().collect();
        lines.remove(line);
        let bytes = lines.join("\n").into_bytes();
        let refused = bo.import(bytes, ImportFormat::Archive, None, WriteOrder::default());
        let refused = refused.await.unwrap_err().to_string();
        assert!(refused.contains(fewer), "{refused}");
    }
}

/// Also of a character to whom nothing was said.
#[tokio::test]
async fn what_came_to_mind_is_taken_in_once() {
    let house = House::new();
    let ann = lived(&house).await;
    let whole = exported(&ann, Answers::LeftOut).await;
    let notes_alone = whole
        .lines()
        .filter(|line| kind(line) != "message")
        .collect::<Vec<_>>()
        .join("\n")
        .replace("\"messages\":2", "\"messages\":0");
    for (name, archive) in [("bo", whole), ("di", notes_alone)] {
        let soul = house.create(name).await;
        import(&soul, &archive).await;
        let first = traces(&soul);
        let again = import(&soul, &archive).await;
        assert_eq!((again.notes, again.messages), (0, 0), "{name}");
        assert_eq!(traces(&soul), first, "{name}");
        let recalls = soul.store().read(|view| view.recalls(0, 9)).unwrap();
        assert_eq!(recalls.len(), 2, "{name}");
    }
}

#[tokio::test]
async fn a_summary_that_was_made_after_the_beginning_is_not_in_it() {
    let house = House::new();
    let ann = lived(&house).await;
    write(&ann, |tx| {
        tx.set_summary("two were said", MessageId(Uuid::from_u128(12)))
            .map(|_| ())
    })
    .await;
    for n in 0..7 {
        let long = message(1_000 + n, &"长".repeat(60_000));
        write(&ann, move |tx| {
            tx.push(std::slice::from_ref(&long)).map(|_| ())
        })
        .await;
    }
    let (mut file, cursor) = ann
        .export(ImportFormat::Archive, None, Answers::LeftOut)
        .await
        .unwrap();
    write(&ann, |tx| {
        tx.push(&[message(13, "meanwhile")])?;
        tx.set_summary("all was said", MessageId(Uuid::from_u128(13)))
            .map(|_| ())
    })
    .await;
    let mut cursor = cursor;
    while let Some(at) = cursor {
        let (bytes, next) = ann
            .export(ImportFormat::Archive, Some(&at), Answers::LeftOut)
            .await
            .unwrap();
        file.extend(bytes);
        cursor = next;
    }
    let file = String::from_utf8(file).unwrap();
    assert!(file.contains("two were said"));
    assert!(!file.contains("all was said") && !file.contains("meanwhile"));
}

/// As the program before wrote them: where the window stood is in the end, and nothing of recalls is there.
#[tokio::test]
async fn an_archive_of_the_first_format_is_read() {
    let house = House::new();
    let bo = house.create("bo").await;
    let id = MessageId(Uuid::from_u128(11));
    let lines = [
        json!({"archive": {"format": 1, "program": "0.1.0", "soul": "ann", "config": null}}),
        json!({"message": {"id": id, "role": "user", "text": "雨", "at": "2026-05-30T08:00:00Z", "tag": false}}),
        json!({"end": {"words": 0, "messages": 1, "notes": 0, "summary": {"text": "it rained", "through": id}}}),
    ];
    let archive = lines.map(|line| line.to_string()).join("\n");
    assert_eq!(import(&bo, &archive).await.messages, 1);
    let summary = bo.store().read(soulmem::store::View::summary).unwrap();
    assert_eq!(summary.unwrap().text, "it rained");
}
