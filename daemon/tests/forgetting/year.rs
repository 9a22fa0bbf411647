//! A year of a companion's life, a day at a time: what is left of it, and why.

use serde_json::{Value as Json, json};
use soulmem::soul::WriteOrder;
use soulmem_engine::model::NoteId;
use soulmem_proto::ops::retrieve_options::RetrieveOptions;

use crate::life::{Life, lived};

const DAYS: usize = 365;

fn felt(narrative: &str, importance: u8, arousal: f64) -> Json {
    let mut draft = lived(narrative);
    draft["affect"] = json!({"importance": importance, "arousal": arousal});
    draft
}

/// Every day brings a trifle, said and noted. On the first day something happens that matters and is never spoken of again, and
/// something ordinary that is spoken of every week. Every week, at rest, a round of forgetting goes over all of it.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_year_the_rehearsed_is_sharp_what_mattered_is_there_and_trifles_are_gone() {
    let life = Life::begin(json!(null));
    let habit = life
        .put(felt("Oren hums the barcarole while mending nets", 5, 0.3))
        .await
        .id;
    let birth = life
        .put(felt(
            "The night our daughter Juniper arrived amid thunder",
            10,
            1.0,
        ))
        .await
        .id;
    let mut trifles: Vec<NoteId> = Vec::new();
    let mut archived = 0;
    for day in 0..DAYS {
        life.hear(&format!("errand of weekday {day}"), None).await;
        trifles.push(
            life.put(felt(&format!("errand {day} at the counter"), 1, 0.0))
                .await
                .id,
        );
        if day % 7 == 0 {
            let found = life.recall("Oren barcarole nets").await;
            assert_eq!(found.notes[0].id, habit.0);
            let report = life.soul.forget(None, WriteOrder::default()).await.unwrap();
            archived += report.archived;
        }
        life.pass_days(1);
    }
    // The last round was on day 364; now it is day 365.
    let (note, remembered) = life.both(habit).await;
    // Recalled on days 0, 7 … 364: 53 times, of which 50 count. One day since, against a half-life of 111.6 · 6 days: 0.001.
    assert_eq!(note.retrieval_count, 53);
    assert!(remembered.degree.unwrap() < 0.002 && !remembered.masked);

    let (_, remembered) = life.both(birth).await;
    // 90 · 1.5 · 1.8 = 243 days: 1 − 2^(−365/243) = 0.647, told at 0.6. It is in recall, and its gist is told.
    assert!((remembered.degree.unwrap() - 0.6).abs() < 1e-12);
    assert_eq!(remembered.archived_at, None);
    let found = life
        .glance("daughter Juniper thunder", RetrieveOptions::default())
        .await;
    assert_eq!(found.notes[0].id, birth.0, "search works on the original");

    // A trifle's half-life is 54 days, and a fiftieth of it is left after 304.8: on day 364 those of the days 0 to 59 have left
    // recall, unless a recall of the week touched one, which none did: they share no word with it.
    assert_eq!(archived, 60);
    let mut in_recall = 0;
    for (day, id) in trifles.iter().enumerate() {
        let (note, remembered) = life.both(*id).await;
        assert_eq!(
            note.summary_text(),
            format!("errand {day} at the counter"),
            "nothing is lost"
        );
        assert_eq!(remembered.archived_at.is_some(), day < 60, "day {day}");
        // Five words: from 54 · log2(1 / 0.9) = 8.2 days on one of them is masked (⌊0.1 · 5 + ½⌋).
        assert_eq!(remembered.masked, day < DAYS - 8, "day {day}");
        in_recall += usize::from(remembered.archived_at.is_none());
    }
    // However long the life, no more trifles are in recall than come in 305 days and the week until the next round.
    assert_eq!(in_recall, DAYS - 60);
    let stats = life.soul.stats().await.unwrap();
    assert_eq!(
        stats.links, 0,
        "forgetting makes no link and takes none away"
    );
    let notes: u64 = stats.notes_by_type.values().sum();
    assert_eq!(notes, DAYS as u64 + 2);
    // What was said more than 147.5 days ago has left recall by its wording.
    let said = |day: usize| life.glance_said(day);
    assert!(!said(0).await && !said(DAYS - 148).await && said(DAYS - 147).await);
}

impl Life {
    async fn glance_said(&self, day: usize) -> bool {
        let text = format!("errand of weekday {day}");
        let options = RetrieveOptions {
            limit: Some(200),
            ..RetrieveOptions::default()
        };
        let found = self.glance(&text, options).await;
        found.utterances.iter().any(|hit| hit.text == text)
    }
}
