//! What an open character answers, and everything that can be asked of one.

use serde_json::{Value as Json, json};
use soulmem::soul::{
    Answers, BackupPlan, Correction, RestorePlan, Soul, SoulError, Span, WriteOrder,
};
use soulmem::store::backup::Recipients;
use soulmem::store::{Idempotency, NoteFilter};
use soulmem_engine::model::{LinkDraft, MessageId, NoteDraft, NoteId};
use soulmem_engine::recall::feedback::Verdict;
use soulmem_proto::ops::import::ImportFormat;
use soulmem_proto::ops::message_list::MessageListRequest;
use soulmem_proto::ops::push::{Origin, PushMessage, PushRequest, Role};
use soulmem_proto::ops::retrieve::{RetrieveRequest, RetrieveResponse};
use soulmem_proto::{SoulName, from_value, to_value};

use crate::house::House;
use crate::step::Step;
use crate::{NOW, TEXTS, link_id, message_id, note_id};

/// Words that cut the texts otherwise.
const WORDS: [&str; 4] = ["停在三", "天的", "아래의강", "钟停"];

impl House {
    /// What an open character answers to a step.
    pub async fn answer(
        &self,
        soul: &Soul,
        step: &Step,
        mut order: WriteOrder,
    ) -> Result<Json, SoulError> {
        Ok(match step {
            Step::Push {
                text,
                tag,
                origin,
                key,
            } => {
                let request = pushed(*text, *tag, *origin);
                order.key = keyed(*key, "push", &json!([text, tag]));
                json!(soul.push(request, order).await?)
            }
            Step::Say { id, text } => {
                let line = message(*id, *text);
                taken_in(soul, &line, [0, 1], order).await?
            }
            Step::Word { word } => {
                let line = json!({"word": {"word": WORDS[usize::from(*word)]}});
                taken_in(soul, &line, [1, 0], order).await?
            }
            Step::Put {
                id,
                text,
                revision,
                key,
            } => {
                let draft = draft(*id, *text, *revision);
                order.key = keyed(*key, "note.put", &json!(draft));
                json!(soul.put_notes(vec![draft], order).await?)
            }
            Step::Get { id } => {
                let notes = soul.get_notes(vec![note_id(*id)]).await?;
                json!([notes, soul.remembered(notes.clone()).await?])
            }
            Step::Link { id, from, to } => {
                json!(soul.put_links(vec![link(*id, *from, *to)], order).await?)
            }
            Step::Unlink { id } => json!(soul.delete_links(vec![link_id(*id)], order).await?),
            Step::Hide { id } => json!(soul.delete_notes(vec![note_id(*id)], order).await?),
            Step::Correct { old, new } => {
                let by = Correction::There(note_id(*new));
                let corrected = soul.supersede(note_id(*old), by, None, order).await?;
                json!([corrected.old, corrected.new])
            }
            Step::Ask {
                text,
                record,
                hours_ago,
            } => json!(self.ask(soul, *text, *record, *hours_ago).await?),
            Step::Praise { id } => {
                let hits = vec![note_id(*id)];
                json!(soul.feedback(hits, Verdict::Good, order).await?)
            }
            Step::Consolidate => {
                let ticket = soul.consolidate(order).await?;
                json!([ticket.id, ticket.outcome().await])
            }
            Step::Forget => json!(soul.forget(None, order).await?),
            Step::Preview => json!(soul.preview_forgetting(None, 100).await?),
            Step::TakeBack { id } => json!(soul.restore(vec![note_id(*id)], None, order).await?),
            Step::Checkpoint => {
                soul.checkpoint_once(order).await?;
                Json::Null
            }
            other => unreachable!("{other:?} is about more than an open character"),
        })
    }

    /// What comes to mind. Where it counts as remembering, that has happened when this returns.
    async fn ask(
        &self,
        soul: &Soul,
        text: u8,
        record: bool,
        hours_ago: Option<i64>,
    ) -> Result<RetrieveResponse, SoulError> {
        let as_of = hours_ago.map(|hours| self.now() - jiff::SignedDuration::from_hours(hours));
        let options = json!({"record": record, "explain": true, "context": true, "as_of": as_of});
        let request = json!({"text": TEXTS[usize::from(text)], "options": options});
        let request: RetrieveRequest<_> = from_value(to_value(&request).unwrap()).unwrap();
        let answer = soul.retrieve(request).await?;
        if record {
            soul.finish_writing().await;
            let notes: Vec<_> = answer.notes.iter().map(|hit| NoteId(hit.id)).collect();
            let said = answer.utterances.iter();
            let said: Vec<_> = said.map(|hit| MessageId(hit.id)).collect();
            soul.mind().rehearse(&notes, &said)?;
        }
        Ok(answer)
    }

    /// A backup, and the restore of this character out of it, in its own place.
    pub async fn there_and_back(&self, name: &SoulName, of_all: bool) -> Result<Json, SoulError> {
        let plan = BackupPlan {
            folder: self.folder.path().join("backups"),
            souls: if of_all { vec![] } else { vec![name.clone()] },
            recipients: Recipients::default(),
        };
        let backup = self.souls.back_up(plan).await?;
        let plan = RestorePlan {
            folder: backup.folder,
            souls: vec![name.clone()],
            replace: true,
            identity: None,
        };
        let restored = self.souls.restore(plan).await?;
        Ok(json!(format!("{restored:?}")))
    }

    /// A whole file of a character.
    pub async fn exported(
        &self,
        soul: &Soul,
        format: ImportFormat,
        answers: Answers,
    ) -> Result<String, SoulError> {
        let (bytes, cursor) = soul.export(format, None, answers).await?;
        assert_eq!(cursor, None, "few things fit into one piece");
        Ok(String::from_utf8(bytes).unwrap())
    }

    /// Everything that can be asked of a character.
    pub async fn all_of(&self, name: &SoulName) -> Json {
        let soul = self.souls.open(name).await.unwrap();
        let span = Span::new(None, Some(1_000)).unwrap();
        let (notes, _) = soul.list_notes(NoteFilter::default(), span).await.unwrap();
        let everything = MessageListRequest::default();
        let messages = soul.list_messages(everything).await.unwrap();
        let stats = soul.stats().await.unwrap();
        let marks = soul.marks().await.unwrap();
        let mut answers = Vec::new();
        for text in 0..4 {
            answers.push(self.ask(&soul, text, false, None).await.unwrap());
        }
        let mut files = Vec::new();
        for format in [
            ImportFormat::Archive,
            ImportFormat::Graph,
            ImportFormat::Messages,
        ] {
            let file = self.exported(&soul, format, Answers::Included).await;
            files.push(file.unwrap());
        }
        let found = self.souls.examine(name).await.unwrap();
        assert!(found.report.is_healthy(), "{:?}", found.report);
        let ownership = self.souls.ownerships().of(name);
        let all = json!([notes, messages, stats, marks, answers, files, ownership]);
        self.plain(name, all)
    }
}

/// A key that both characters use.
fn keyed(key: Option<u8>, op: &str, asked: &Json) -> Option<Idempotency> {
    let asked = asked.to_string();
    key.map(|key| Idempotency::new(format!("k{key}"), op, asked.as_bytes()))
}

fn pushed(text: u8, tag: bool, origin: Option<u8>) -> PushRequest {
    let message = PushMessage {
        role: Role::User,
        text: TEXTS[usize::from(text)].to_owned(),
        name: Some("Tom".to_owned()),
        at: None,
        tz: None,
        session: Some("talk".to_owned()),
        tag: Some(tag),
        source: None,
    };
    let origin = origin.map(|seq| Origin {
        id: "outbox".to_owned(),
        seq: u64::from(seq) + 1,
    });
    PushRequest {
        messages: vec![message],
        origin,
    }
}

fn draft(id: u8, text: u8, revision: Option<u64>) -> NoteDraft {
    let content = TEXTS[usize::from(text)];
    let draft = json!({
        "id": note_id(id),
        "mem_type": {"Semantic": {"content": content, "concept_type": "Entity", "description": content}},
        "if_revision": revision,
    });
    serde_json::from_value(draft).unwrap()
}

fn link(id: u8, from: u8, to: u8) -> LinkDraft {
    let link = json!({
        "id": link_id(id),
        "from": note_id(from),
        "to": note_id(to),
        "link_type": {"Sem": {"verb": "calls for", "confidence": 0.5}},
    });
    serde_json::from_value(link).unwrap()
}

fn message(id: u8, text: u8) -> Json {
    json!({"message": {
        "id": message_id(id),
        "role": "user",
        "text": TEXTS[usize::from(text)],
        "at": NOW,
        "tag": false,
    }})
}

/// Takes in an archive of one line with so many words and messages.
async fn taken_in(
    soul: &Soul,
    line: &Json,
    [words, messages]: [u8; 2],
    order: WriteOrder,
) -> Result<Json, SoulError> {
    let head =
        json!({"archive": {"format": 1, "program": "test", "soul": soul.name(), "config": null}});
    let end = json!({"end": {"words": words, "messages": messages, "notes": 0}});
    let bytes = format!("{head}\n{line}\n{end}\n").into_bytes();
    let report = soul.import(bytes, ImportFormat::Archive, None, order);
    Ok(json!(report.await?))
}
