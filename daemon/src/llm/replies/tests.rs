//! One table for each task: what models write, and what it means.

use std::collections::BTreeMap;

use serde_json::json;
use soulmem_engine::consolidate::reading::{FactKind, Reading};
use soulmem_engine::model::{ActionType, ConceptType, Field};
use soulmem_engine::recall::query::QueryVariant;
use soulmem_engine::text::estimate_tokens;

use super::*;

#[test]
fn an_extraction_is_read_as_loosely_as_it_is_written() {
    let reply = json!({
        "things": [{"name": "Idris", "aliases": "Id", "what": null, "sources": "1"}],
        "facts": {"content": "Bo likes tea", "kind": "Like", "who": "Bo", "what": "tea", "sources": ["1", 2.0, "message 3", -1, 0, 1.5, "x"],
            "importance": "7", "valence": "80%", "more": {}},
        "situations": [{"narrative": "Bo fell", "feelings": ["afraid", {"name": "sad", "intensity": "0.4"}], "acts": ["fell", {"action": "rose", "by": "Bo"}],
            "corrects": "yes", "people": "Bo", "lesson": null, "sources": [1]}],
        "habits": [{"content": "Bo hums when he cooks", "means": "Speak", "sources": [2]}, {"content": "x", "means": 3}],
    });
    let read = extraction(&reply).unwrap();
    assert_eq!(read.things[0].aliases, ["Id"]);
    assert_eq!(read.things[0].sources, [1]);
    let fact = &read.facts[0];
    assert_eq!((fact.kind, fact.what.as_str()), (FactKind::Like, "tea"));
    assert_eq!(fact.sources, [1, 2, 3]);
    assert_eq!(
        (
            fact.weight.importance,
            fact.weight.valence,
            fact.weight.arousal
        ),
        (Some(7.0), Some(0.8), None)
    );
    let lived = &read.situations[0];
    assert_eq!(
        lived.feelings,
        [("afraid".to_owned(), 0.6), ("sad".to_owned(), 0.4)]
    );
    assert_eq!(
        (lived.acts[0].action.as_str(), lived.acts[1].by.as_str()),
        ("fell", "Bo")
    );
    assert!(lived.corrects);
    assert_eq!(lived.people, ["Bo"]);
    assert_eq!(lived.lesson, ["", "", ""]);
    assert_eq!(read.habits[0].means, ActionType::Speak);
    assert_eq!(read.habits[1].means, ActionType::Skill {});
}

#[test]
fn an_extraction_may_find_nothing_but_not_be_something_else() {
    let nothing = extraction(&json!({"facts": []})).unwrap();
    assert_eq!(nothing, Reading::default());
    for (reply, wrong) in [
        (json!({}), "none of the lists"),
        (json!({"notes": []}), "none of the lists"),
        (json!({"facts": ["Bo likes tea"]}), "`facts[0]`"),
        (
            json!({"facts": [], "situations": [{}, 3]}),
            "`situations[1]`",
        ),
    ] {
        let said = extraction(&reply).unwrap_err();
        assert!(said.contains(wrong), "{said}");
    }
}

#[test]
fn a_summary_is_there_and_within_its_bound() {
    let read = |reply| summary(&reply, 4, &estimate_tokens);
    assert_eq!(
        read(json!({"summary": " 下雨了 "})),
        Ok("下雨了".to_owned())
    );
    for reply in [
        json!({}),
        json!({"summary": "  "}),
        json!({"summary": ["x"]}),
        json!({"summary": "今天下大雨"}),
    ] {
        assert!(
            read(reply.clone()).unwrap_err().contains("`summary`"),
            "{reply}"
        );
    }
}

#[test]
fn gists_have_a_number_that_was_asked_about_and_the_first_of_one_counts() {
    let reply = json!({"gists": [
        {"number": 1, "gist": "an animal"}, {"number": "2", "gist": "a sum"}, {"number": 1, "gist": "another"},
        {"number": 9, "gist": "nobody asked"}, {"number": 3, "gist": ""}, {"gist": "no number"}, 5,
    ]});
    let read = gists(&reply, 3).unwrap();
    let expected = [(1, "an animal".to_owned()), (2, "a sum".to_owned())];
    assert_eq!(read, expected.into());
    assert!(
        gists(&json!({"gist": "x"}), 3)
            .unwrap_err()
            .contains("`gists`")
    );
    assert_eq!(gists(&json!({"gists": null}), 3), Ok(BTreeMap::new()));
}

#[test]
fn a_telling_has_the_texts_that_were_asked_for_and_no_others() {
    let reply = json!({"narrative": " a boat ", "content": "x", "aliases": ["Tern", ""], "concept_type": "entity"});
    let told = reimagining(&reply, &[Field::Narrative]).unwrap();
    assert_eq!(told.texts, [(Field::Narrative, "a boat".to_owned())]);
    assert_eq!(
        (told.aliases, told.concept_type),
        (vec!["Tern".to_owned()], Some(ConceptType::Entity))
    );
    let wrong = reimagining(&json!({"narrative": ""}), &[Field::Narrative]).unwrap_err();
    assert!(wrong.contains("`narrative`"), "{wrong}");
}

#[test]
fn sub_queries_ask_for_things_by_name_and_for_situations_with_something_in_them() {
    let reply = json!({
        "entities": ["Idris", {"name": "tea", "description": "what Bo likes"}, {"name": ""}, {"name": "x".repeat(300)}],
        "situations": [{"narrative": "", "people": []}, {"narrative": "Bo and Idris by the sea", "atmosphere": "calm", "acts": ["rowed"], "people": ["Bo"]}],
    });
    let read = sub_queries(&reply).unwrap();
    let names: Vec<Vec<&str>> = read.iter().map(|query| query.names()).collect();
    assert_eq!(names[..2], [vec!["Idris"], vec!["tea"]]);
    let QueryVariant::Situation(situations) = &read[2].variant else {
        panic!("{read:?}")
    };
    assert_eq!(
        situations[0].narrative.as_deref(),
        Some("Bo and Idris by the sea")
    );
    assert_eq!(
        situations[0]
            .environment
            .as_ref()
            .unwrap()
            .atmosphere
            .as_deref(),
        Some("calm")
    );
    assert_eq!(read.len(), 3);
    assert!(read.iter().all(|query| query.check().is_ok()));
    assert!(
        sub_queries(&json!({"queries": []}))
            .unwrap_err()
            .contains("`entities`")
    );
}
