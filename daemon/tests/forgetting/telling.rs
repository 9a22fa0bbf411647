//! What is told of a memory that has faded, and what makes it fade more slowly.

use jiff::SignedDuration;
use serde_json::json;
use soulmem_engine::model::NoteId;
use soulmem_proto::ops::retrieve::RetrieveResponse;
use soulmem_proto::ops::retrieve_options::RetrieveOptions;

use crate::life::{Life, lived};

const NARRATIVE: &str = "We rowed to the heron island and the lantern went out on the way back";

fn usual() -> RetrieveOptions {
    RetrieveOptions::default()
}

fn degree(found: &RetrieveResponse, id: NoteId) -> f64 {
    let hit = found.notes.iter().find(|hit| hit.id == id.0).unwrap();
    hit.degree.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_faded_note_is_told_with_masks_and_kept_as_it_was() {
    let life = Life::begin(json!(null));
    let id = life.live(NARRATIVE).await;
    let fresh = life.glance("heron island lantern", usual()).await;
    assert_eq!(fresh.notes[0].text, NARRATIVE);
    assert_eq!(
        (fresh.notes[0].masked, fresh.notes[0].degree),
        (false, Some(0.0))
    );

    life.pass_days(20);
    // The companion's half-life of an ordinary memory is 111.6 days: 1 − 2^(−20/111.6) = 0.1168, of 15 words 2.
    let faded = life.glance("heron island lantern", usual()).await;
    let hit = &faded.notes[0];
    assert!(hit.masked);
    assert!((hit.degree.unwrap() - (1.0 - 2f64.powf(-20.0 / 111.6))).abs() < 1e-9);
    assert_eq!(hit.text.matches("[masked]").count(), 2, "{}", hit.text);

    let (note, remembered) = life.both(id).await;
    assert_eq!(note.summary_text(), NARRATIVE);
    assert_eq!(remembered.text, hit.text);
    assert!((remembered.half_life_hours.unwrap() - 111.6 * 24.0).abs() < 1e-6);
    assert_eq!(remembered.fades_since, Some(note.created_at));
    let context = RetrieveOptions {
        context: Some(true),
        ..usual()
    };
    let rendered = life
        .glance("heron island lantern", context)
        .await
        .context
        .unwrap();
    assert!(rendered.contains("masked") && !rendered.contains(NARRATIVE));
}

#[tokio::test(flavor = "multi_thread")]
async fn recalling_rehearses_and_looking_does_not() {
    let life = Life::begin(json!(null));
    let id = life.live(NARRATIVE).await;
    life.pass_days(20);
    let first = life.glance("heron island", usual()).await;
    let again = life.glance("heron island", usual()).await;
    assert_eq!(first.notes, again.notes, "a look changes nothing");

    let recalled = life.recall("heron island").await;
    assert!(
        recalled.notes[0].masked,
        "the answer is what was remembered until then"
    );
    let now = life.glance("heron island", usual()).await;
    assert_eq!(
        (now.notes[0].text.as_str(), now.notes[0].masked),
        (NARRATIVE, false)
    );
    assert!(degree(&now, id).abs() < 1e-12);
    // One recall: a half-life of 111.6 · 1.1 days, from the recall on.
    life.pass_days(20);
    let later = degree(&life.glance("heron island", usual()).await, id);
    assert!((later - (1.0 - 2f64.powf(-20.0 / (111.6 * 1.1)))).abs() < 1e-9);
    // And so it is for a character that was opened anew.
    let life = life.reopened();
    let (note, remembered) = life.both(id).await;
    assert_eq!(note.retrieval_count, 1);
    assert!((remembered.degree.unwrap() - later).abs() < 1e-12);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recall_asked_for_the_future_rehearses_now() {
    let life = Life::begin(json!(null));
    let id = life.live(NARRATIVE).await;
    life.pass_days(20);
    let in_a_year = RetrieveOptions {
        now: Some("2027-01-01T00:00:00Z".parse().unwrap()),
        ..usual()
    };
    let recalled = life.recall_with("heron island", in_a_year).await;
    assert!(degree(&recalled, id) > 0.2, "the answer is of that time");
    let (note, remembered) = life.both(id).await;
    assert_eq!(note.last_accessed_at, life.now());
    assert_eq!(remembered.fades_since, Some(life.now()));
    // 111.6 · 1.1 days from now on, as for any other recall.
    life.pass_days(20);
    let later = degree(&life.glance("heron island", usual()).await, id);
    assert!((later - (1.0 - 2f64.powf(-20.0 / (111.6 * 1.1)))).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_leaves_recall_by_its_wording_and_is_still_reached() {
    let life = Life::begin(json!(null));
    life.hear("the ferryman keeps a spare oar under the jetty", None)
        .await;
    let said = |found: RetrieveResponse| found.utterances.len();
    // 0.4 is left after log2(2.5) · 111.6 = 147.5 days.
    life.pass_days(147);
    assert_eq!(said(life.glance("spare oar jetty", usual()).await), 1);
    life.pass_days(1);
    assert_eq!(said(life.glance("spare oar jetty", usual()).await), 0);
    let verbatim = RetrieveOptions {
        verbatim: Some(true),
        ..usual()
    };
    assert_eq!(said(life.glance("spare oar jetty", verbatim).await), 1);
    let life = life.reopened();
    assert_eq!(said(life.glance("spare oar jetty", usual()).await), 0);
    // What was said long ago but is told only now is fresh.
    let long_ago = life.now() - SignedDuration::from_hours(24 * 900);
    life.hear("the old mill had a red weathercock", Some(long_ago))
        .await;
    assert_eq!(said(life.glance("red weathercock mill", usual()).await), 1);
    let life = life.reopened();
    assert_eq!(said(life.glance("red weathercock mill", usual()).await), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_fades_as_its_own_settings_say() {
    let archive = Life::begin(json!({"forget": {"profile": "none"}}));
    let seed = Life::begin(
        json!({"forget": {"profile": "seed", "utterances": "none", "base_half_life_hours": 48}}),
    );
    for life in [&archive, &seed] {
        life.live(NARRATIVE).await;
        life.hear("the ferryman keeps a spare oar under the jetty", None)
            .await;
        life.pass_days(2);
    }
    let kept = archive.glance("heron island", usual()).await;
    assert_eq!(
        (kept.notes[0].masked, kept.notes[0].degree),
        (false, Some(0.0))
    );
    let faded = seed.glance("heron island", usual()).await;
    assert!((faded.notes[0].degree.unwrap() - 0.5).abs() < 1e-12);
    seed.pass_days(900);
    assert_eq!(
        seed.glance("spare oar jetty", usual())
            .await
            .utterances
            .len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gist_of_a_companion_stays_and_what_is_held_stays_whole() {
    let life = Life::begin(json!(null));
    let id = life.live(NARRATIVE).await;
    let mut promise = lived("I promised to repair the boathouse door before the autumn storms");
    promise["tags"] = json!(["promise"]);
    let promise = life.put(promise).await.id;
    life.pass_days(2_000);
    let (_, remembered) = life.both(id).await;
    assert!((remembered.degree.unwrap() - 0.6).abs() < 1e-12);
    // ⌊0.6 · 15 + ½⌋ of 15 words.
    assert_eq!(remembered.text.matches("[masked]").count(), 9);
    let (note, remembered) = life.both(promise).await;
    assert_eq!(remembered.text, note.summary_text());
    assert_eq!((remembered.masked, remembered.degree), (false, None));
}
