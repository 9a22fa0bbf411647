//! What is there before a consolidation: something said, and something recalled.

use std::path::Path;

use soulmem::soul::{Soul, WriteOrder};
use soulmem::store::{NewSoul, Recalled};
use soulmem_engine::model::NoteId;
use soulmem_proto::ops::push::{PushMessage, PushRequest, Role};

use super::{name, souls};

/// Two batches of talk: likings, a correction, one place three times, a sentence again and again.
fn talk() -> PushRequest {
    let mut texts: Vec<String> = (0..60)
        .map(|number| format!("I sold {number} jars of honey in the kitchen on Monday."))
        .collect();
    texts.push("I love flat whites.".to_owned());
    texts.extend(std::iter::repeat_n(
        "My flatmate is called Idris and he plays the trumpet.".to_owned(),
        50,
    ));
    texts.push("I can't stand flat whites any more.".to_owned());
    let message = |text: String| PushMessage {
        role: Role::User,
        text,
        name: Some("Bo".to_owned()),
        at: Some("2026-06-05T12:00:00Z".parse().unwrap()),
        tz: None,
        session: None,
        tag: Some(false),
        source: None,
    };
    PushRequest {
        messages: texts.into_iter().map(message).collect(),
        origin: None,
    }
}

/// A character with something to think over, and with something recalled.
pub async fn prepared(folder: &Path) {
    let souls = souls(folder, None);
    souls.create(NewSoul::named(name()), None).await.unwrap();
    let soul = souls.open(&name()).await.unwrap();
    soul.push(talk(), WriteOrder::default()).await.unwrap();
    let seeds: Vec<NoteId> = seeds(&soul).await;
    for _ in 0..2 {
        let recalled = Recalled {
            notes: seeds.clone(),
            messages: Vec::new(),
            at: "2026-06-05T13:00:00Z".parse().unwrap(),
            mode: "retrieve".to_owned(),
        };
        soul.store()
            .write(move |tx| tx.record_recall(&recalled))
            .await
            .unwrap();
    }
    souls.close().await;
}

/// Two notes that are linked.
async fn seeds(soul: &Soul) -> Vec<NoteId> {
    use soulmem_engine::model::{
        ConceptType, LinkDraft, LinkType, MemoryType, NoteDraft, SemLink, SemMemory,
    };
    let note = |content: &str| {
        NoteDraft::new(MemoryType::Semantic(SemMemory {
            content: content.to_owned(),
            aliases: Vec::new(),
            concept_type: ConceptType::Entity,
            description: String::new(),
        }))
    };
    let sea = soul
        .put_notes(vec![note("the sea")], WriteOrder::default())
        .await
        .unwrap()[0]
        .id;
    let link_type = LinkType::Sem(SemLink {
        verb: "near".to_owned(),
        confidence: 1.0,
    });
    let pier = note("the pier").linked(LinkDraft::new(sea, link_type));
    let pier = soul
        .put_notes(vec![pier], WriteOrder::default())
        .await
        .unwrap()[0]
        .id;
    vec![sea, pier]
}
