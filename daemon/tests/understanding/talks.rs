//! Memories out of a talk.

use serde_json::json;
use soulmem::llm::Task;
use soulmem_engine::model::{AnchorKind, MemoryType, SituationMemory};

use crate::home::{Home, facts, lines, only};
use crate::llm_endpoint::{Act, Asked, cut_off};

const TALK: [&str; 4] = [
    "Hello!",
    "I love flat whites.",
    "My flatmate is called Idris and he plays the trumpet.",
    "Yesterday I rowed to the island with Idris and I was nervous.",
];

fn reply() -> serde_json::Value {
    json!({
        "things": [{"name": "Idris", "aliases": [], "what": "Bo's flatmate", "sources": [3]},
                   {"name": "Mallory", "aliases": [], "what": "a stranger", "sources": [3]}],
        "facts": [{"content": "Bo loves flat whites", "kind": "like", "who": "Bo", "what": "flat whites", "when": "", "replaces": "",
                   "importance": 6, "valence": 0.8, "arousal": 0.4, "sources": [2]},
                  {"content": "Bo told of something on another day", "kind": "fact", "who": "Bo", "sources": [99]}],
        "situations": [{"narrative": "Bo rowed over to the island with Idris", "when": "Yesterday", "place": "the island",
                        "people": ["Bo", "Idris", "Mallory"], "feelings": [{"name": "nervous", "intensity": 0.7}], "senses": [],
                        "atmosphere": "", "tone": "", "acts": [{"action": "rowed", "by": "Bo", "to": "Idris"}],
                        "lesson": {"pain": "", "solution": "", "outcome": ""}, "corrects": false,
                        "importance": 7, "valence": 0.5, "arousal": 0.6, "sources": ["4"]}],
        "habits": [],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_understood_becomes_notes_as_far_as_the_talk_bears_it_out() {
    let home = Home::with(|asked| match asked.schema() {
        Some("memories") => Act::say(&reply()),
        Some("gists") => Act::say(&json!({"gists": [{"number": 1, "gist": "something dim"}]})),
        _ => Act::status(500),
    })
    .await;
    home.hear(&TALK).await;
    let report = home.consolidated().await;
    assert_eq!(
        (report.by.as_str(), report.messages, report.notice),
        ("llm", 4, None)
    );
    assert_eq!(
        home.texts().await,
        [
            "Bo loves flat whites",
            "Bo rowed over to the island with Idris",
            "Idris: Bo's flatmate"
        ]
    );
    let notes = home.notes().await;
    let lived = notes
        .iter()
        .find_map(|note| match &note.mem_type {
            MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => Some((note, lived)),
            _ => None,
        })
        .unwrap();
    assert_eq!(
        lived.1.time_span.start().to_string(),
        "2026-06-04T00:00:00Z"
    );
    let people: Vec<&str> = lived
        .1
        .context
        .participants
        .iter()
        .map(|person| person.name.as_str())
        .collect();
    assert_eq!(people, ["Bo", "Idris"]);
    assert!(!lived.0.mem_links.is_empty(), "it leads to Idris");
    // The one word that is masked before the memory is told anew: ⌊0.15 · 8 + ½⌋ of "Bo … Idris" is "island".
    let gists: Vec<_> = notes
        .iter()
        .flat_map(|note| &note.anchors)
        .filter_map(|anchor| Some((anchor.gist.as_deref()?, anchor.kind)))
        .collect();
    assert_eq!(gists, [("something dim", Some(AnchorKind::Unit))]);
    assert_eq!((home.asked("memories"), home.asked("gists")), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_finds_no_gists_is_told_of_and_its_memories_stay() {
    let home = Home::with(|asked| match asked.schema() {
        Some("memories") => Act::say(&reply()),
        _ => Act::Say("no".to_owned()),
    })
    .await;
    home.hear(&TALK).await;
    let report = home.consolidated().await;
    assert_eq!((report.by.as_str(), report.created.len()), ("llm", 3));
    let notice = report.notice.unwrap();
    assert!(notice.starts_with("gist: "), "{notice}");
    let notes = home.notes().await;
    let mut anchors = notes.iter().flat_map(|note| &note.anchors);
    assert!(anchors.all(|anchor| anchor.gist.is_none()));
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_wrong_with_the_model_the_rules_remember_and_say_why() {
    let half = reply().to_string();
    // The first memory is whole, the rest is not: repaired it would do for all of them.
    let half = &half[..half.find("\"situations\"").unwrap()];
    let moods: [(&str, Act); 12] = [
        (
            "cut off for its length",
            Act::Body(cut_off(half).to_string().into_bytes()),
        ),
        (
            "busy",
            Act::Status(429, vec![("retry-after", "0".to_owned())], "{}".to_owned()),
        ),
        ("broken", Act::status(500)),
        ("reset", Act::Reset),
        ("reset in the middle", Act::ResetInBody),
        ("cut in the middle", Act::EndInBody),
        ("endless", Act::Endless),
        ("not UTF-8", Act::Body(vec![0xff, 0xfe, 0x7b])),
        ("empty", Act::Say(String::new())),
        (
            "refusing",
            Act::Say("I'm sorry, I can't help with that.".to_owned()),
        ),
        (
            "in the wrong language",
            Act::say(&facts(&[("波说了一些关于天气的话", 2)])),
        ),
        (
            "inventing",
            Act::say(&facts(&[("The stock market fell in Tokyo", 2)])),
        ),
    ];
    for (mood, act) in moods {
        let home = Home::configured(json!(null), move |_| act.clone(), only(Task::Extract)).await;
        home.hear(&TALK).await;
        let report = home.consolidated().await;
        assert_eq!(
            (report.by.as_str(), report.messages),
            ("rules", 4),
            "{mood}"
        );
        assert!(
            report
                .notice
                .is_some_and(|notice| notice.starts_with("extract: ")),
            "{mood}"
        );
        assert!(
            home.texts()
                .await
                .contains(&"Bo loves flat whites".to_owned()),
            "{mood}"
        );
        assert_eq!(home.messages().await, 4, "{mood}");
        let again = home.consolidated().await;
        assert_eq!((again.messages, again.created.len()), (0, 0), "{mood}");
        let health = home.soul.world().llm.health().unwrap();
        assert!(health.reason.is_some(), "{mood}: {health:?}");
        home.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_better_the_second_time_is_told_what_was_wrong() {
    let mut first = true;
    let choose = move |_: &Asked| {
        if std::mem::take(&mut first) {
            Act::say(&json!({"facts": ["Bo"]}))
        } else {
            Act::say(&facts(&[("Bo loves flat whites", 2)]))
        }
    };
    let home = Home::configured(json!(null), choose, only(Task::Extract)).await;
    home.hear(&TALK).await;
    assert_eq!(home.consolidated().await.by, "llm");
    assert_eq!(home.texts().await, ["Bo loves flat whites"]);
    let asked = home.endpoint.asked();
    assert!(
        asked[1].message(3).contains("`facts[0]`"),
        "{}",
        asked[1].message(3)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_talk_is_asked_about_in_parts_and_one_that_fails_falls_to_the_rules() {
    // The second part fails; the rules find its liking, the model everything else.
    let choose = |asked: &Asked| {
        let lines = lines(asked);
        if lines
            .iter()
            .any(|line| line["text"] == "I love flat whites.")
        {
            return Act::say(&json!([]));
        }
        Act::say(&facts(&[("Bo sold jars of honey in the kitchen", 1)]))
    };
    let home = Home::configured(json!(null), choose, only(Task::Extract)).await;
    let mut talk = vec!["We sold seven jars of honey in the kitchen."; 40];
    talk[35] = "I love flat whites.";
    home.hear(&talk).await;
    let report = home.consolidated().await;
    assert_eq!((report.by.as_str(), report.messages), ("mixed", 40));
    assert!(report.notice.is_some());
    let texts = home.texts().await;
    assert!(
        texts.contains(&"Bo loves flat whites".to_owned()),
        "{texts:?}"
    );
    assert!(
        texts.contains(&"Bo sold jars of honey in the kitchen".to_owned()),
        "{texts:?}"
    );
    let parts: Vec<usize> = home
        .endpoint
        .asked()
        .iter()
        .map(|asked| lines(asked).len())
        .collect();
    assert_eq!(parts, [30, 10, 10]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_will_not_stop_makes_no_more_notes_than_there_is_room_for() {
    let many: Vec<String> = (0..1_000)
        .map(|number| format!("Bo loves flat whites, and so on to {number}"))
        .collect();
    let choose = move |_: &Asked| {
        let all: Vec<(&str, u64)> = many.iter().map(|text| (text.as_str(), 2)).collect();
        Act::say(&facts(&all))
    };
    let home = Home::configured(json!(null), choose, only(Task::Extract)).await;
    home.hear(&TALK).await;
    let report = home.consolidated().await;
    assert_eq!(report.by, "llm");
    assert!(
        home.notes().await.len() <= 8,
        "{}",
        home.notes().await.len()
    );
}
