//! The round of forgetting: what it says it would do, what it does, and that all of it can be taken back.

use serde_json::{Value as Json, json};
use soulmem::soul::WriteOrder;
use soulmem_engine::model::{Bucket, NoteId};
use soulmem_proto::ops::forget::{ForgetAction, ForgetReport};
use soulmem_proto::ops::retrieve_options::RetrieveOptions;

use crate::life::{Life, lived};

fn trifle(narrative: &str) -> Json {
    let mut draft = lived(narrative);
    draft["affect"] = json!({"importance": 1, "arousal": 0.0});
    draft
}

async fn round(life: &Life) -> ForgetReport {
    life.soul.forget(None, WriteOrder::default()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_says_what_a_round_does_and_writes_nothing() {
    let life = Life::begin(json!(null));
    let loose = life
        .put(trifle("a grey afternoon with nothing in it"))
        .await
        .id;
    let held = life.put(trifle("the gate was painted green")).await.id;
    let mut pin = lived("the key lies under the third stone");
    pin["affect"] = json!({"pinned": true});
    let pinned = life.put(pin).await;
    let link = json!({"from": pinned.id, "to": held, "link_type": {"Sem": {"verb": "by", "confidence": 1.0}}});
    let link = serde_json::from_value(link).unwrap();
    life.soul
        .put_links(vec![link], WriteOrder::default())
        .await
        .unwrap();

    // A trifle's half-life is 90 · 0.6 = 54 days; a fiftieth is left after 54 · log2(50) = 304.8 of them.
    life.pass_days(305);
    let before = life.both(loose).await;
    let (would, notes) = life.soul.preview_forgetting(None, 10).await.unwrap();
    assert_eq!(life.both(loose).await, before);
    let expected = ForgetReport {
        checked: 3,
        masked: 2,
        archived: 1,
        resolved: 2,
        dormant: 2,
        ..ForgetReport::default()
    };
    assert_eq!(would, expected, "the link starts from what does not fade");
    let of = |id: NoteId| notes.iter().find(|note| note.id == id.0);
    assert!(of(pinned.id).is_none());
    let (loose_note, held_note) = (of(loose).unwrap(), of(held).unwrap());
    assert_eq!(
        loose_note.action,
        ForgetAction::Mask,
        "there is no model that tells it anew"
    );
    assert!(loose_note.archive && loose_note.resolve && loose_note.fall_dormant);
    assert!(!held_note.archive && held_note.resolve);
    assert!(loose_note.text.contains("[masked]"));

    assert_eq!(round(&life).await, expected);
    let (note, remembered) = life.both(loose).await;
    assert_eq!(note.affect.bucket, Bucket::Dormant);
    assert!(note.affect.resolved && remembered.archived_at == Some(life.now()));
    let again = ForgetReport {
        masked: 1,
        archived: 0,
        resolved: 0,
        dormant: 0,
        ..expected
    };
    assert_eq!(round(&life).await, again, "nothing is done twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_left_recall_is_found_by_its_id_and_when_asked_for_and_can_be_taken_back() {
    let life = Life::begin(json!(null));
    let text = "the tinker sold us a crooked copper kettle";
    let id = life.put(trifle(text)).await.id;
    life.pass_days(305);
    round(&life).await;
    let ask = |options| life.glance("crooked copper kettle", options);
    assert!(ask(RetrieveOptions::default()).await.notes.is_empty());
    let archived = RetrieveOptions {
        include_archived: Some(true),
        ..RetrieveOptions::default()
    };
    let found = ask(archived).await;
    assert_eq!(found.notes[0].id, id.0);
    assert!(found.notes[0].masked);

    let now = life.now();
    let restored = life
        .soul
        .restore(vec![id], None, WriteOrder::default())
        .await;
    assert_eq!(restored.unwrap(), [id]);
    let found = ask(RetrieveOptions::default()).await;
    assert_eq!(
        (found.notes[0].text.as_str(), found.notes[0].masked),
        (text, false)
    );
    let (note, remembered) = life.both(id).await;
    assert_eq!((note.last_accessed_at, remembered.archived_at), (now, None));
    assert_eq!(
        note.affect.bucket,
        Bucket::Dynamic,
        "what is found is awake"
    );
    let nobody = NoteId(uuid::Uuid::from_u128(7));
    let refused = life
        .soul
        .restore(vec![id, nobody], None, WriteOrder::default())
        .await;
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains(&nobody.to_string())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn links_lead_nowhere_once_their_source_is_gone_and_are_kept() {
    let life = Life::begin(json!({"forget": {"profile": "seed"}}));
    let from = life.live("the storm tore the awning off the market").await;
    let to = life.live("Ada keeps pigeons on her roof").await;
    let link = json!({"from": from, "to": to, "intensity": 0.8, "link_type": {"Sem": {"verb": "then", "confidence": 1.0}}});
    let link = serde_json::from_value(link).unwrap();
    life.soul
        .put_links(vec![link], WriteOrder::default())
        .await
        .unwrap();
    let reached = |found: soulmem_proto::ops::retrieve::RetrieveResponse| {
        found.notes.iter().any(|hit| hit.id == to.0)
    };
    life.pass_hours(24);
    assert!(reached(
        life.glance("storm awning market", RetrieveOptions::default())
            .await
    ));
    let report = round(&life).await;
    assert_eq!((report.edges_weakened, report.edges_pruned), (1, 0));
    // 0.8 · 2^−5 is half of the least that conducts.
    life.pass_hours(96);
    assert!(!reached(
        life.glance("storm awning market", RetrieveOptions::default())
            .await
    ));
    let report = round(&life).await;
    assert_eq!((report.edges_weakened, report.edges_pruned), (1, 1));
    let (note, _) = life.both(from).await;
    assert!(
        (note.mem_links[0].intensity - 0.8).abs() < 1e-12,
        "what is stored stays"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_of_many_batches_sees_every_note_once_while_others_are_served() {
    const NOTES: usize = 1_000;
    let life = Life::begin(json!(null));
    let drafts = (0..NOTES)
        .map(|place| serde_json::from_value(trifle(&format!("trifle number {place}"))).unwrap());
    life.soul
        .put_notes(drafts.collect(), WriteOrder::default())
        .await
        .unwrap();
    life.pass_days(40);
    let served = async {
        let mut asked = 0;
        for _ in 0..5 {
            let found = life
                .glance("trifle number", RetrieveOptions::default())
                .await;
            asked += usize::from(!found.notes.is_empty());
        }
        asked
    };
    let (report, asked) = tokio::join!(round(&life), served);
    assert_eq!(asked, 5);
    let counts = [
        report.checked,
        report.masked,
        report.resolved,
        report.dormant,
    ];
    assert_eq!(counts, [NOTES as u64; 4], "{report:?}");
    // Once a day is enough: the next is due a day later by the character's clock.
    let original = life
        .both(
            life.soul
                .list_notes(
                    <_>::default(),
                    soulmem::soul::Span {
                        after: None,
                        limit: 1,
                    },
                )
                .await
                .unwrap()
                .0[0]
                .id,
        )
        .await
        .0;
    assert_eq!(original.summary_text(), "trifle number 0");
}
