//! What the model refuses, and the field it names for it; what it accepts.

// Defaults are given, not computed: they come back exactly or not at all.
#![allow(clippy::float_cmp)]

use serde_json::{Value, json};
use soulmem_engine::model::*;

const NOTE: &str = "00000000-0000-7000-8000-000000000001";
const OTHER: &str = "00000000-0000-7000-8000-000000000002";

fn build(draft: Value) -> Result<MemoryNote, ModelError> {
    let draft: NoteDraft = serde_json::from_value(draft).expect("the draft has the right shape");
    let now = "2026-06-01T08:00:00Z".parse().expect("a time");
    draft.build(&FixedClock(now), &SequentialIds::new())
}

fn semantic() -> Value {
    json!({"id": NOTE, "mem_type": {"Semantic": {"content": "雨", "concept_type": "Entity"}}})
}

fn specific() -> Value {
    json!({"id": NOTE, "mem_type": {"Situation": {"SpecificSituation": {
    "narrative": "We got wet on the way home.",
    "time_span": {"start": "2026-05-01T10:00:00Z", "end": "2026-05-01T11:00:00Z"},
    "context": {
        "location": {"name": "the bridge", "coordinates": "north"},
        "participants": [{"name": "Ann", "role": "friend"}, {"name": "Bo", "role": ""}],
        "emotions": [{"name": "joy", "intensity": 0.8}],
        "sensory_data": [{"name": "cold drops", "intensity": 1}],
        "environment": {"atmosphere": "stormy", "tone": "merry"},
        "event": [{"action": "ran", "action_intensity": 0.9, "initiator": "Ann", "target": "home"}]
    }}}}})
}

fn pattern(element: &Value) -> Value {
    json!({"id": NOTE, "mem_type": {"Situation": {"AbstractSituation": element}}})
}

fn procedure() -> Value {
    json!({"id": NOTE, "mem_type": {"Procedure": {"action": {
        "content": "opens the umbrella", "action_type": {"Skill": {}}}}}})
}

/// `base` with the value at the JSON pointer `place` replaced or added.
fn with(mut base: Value, place: &str, value: Value) -> Value {
    let (parent, key) = place.rsplit_once('/').expect("a pointer has a slash");
    base.pointer_mut(parent).expect("the parent is there")[key] = value;
    base
}

#[test]
fn every_refusal_names_its_field() {
    const SEM: &str = "/mem_type/Semantic";
    const SPE: &str = "/mem_type/Situation/SpecificSituation";
    let sem_link = |to: &str, intensity: Value, confidence: Value| {
        json!([{"to": to, "intensity": intensity,
                "link_type": {"Sem": {"verb": "near", "confidence": confidence}}}])
    };
    let long = "x".repeat(MAX_TEXT_BYTES + 1);
    #[rustfmt::skip]
    let cases = [
        (with(semantic(), &format!("{SEM}/content"), json!("")), "mem_type.Semantic.content"),
        (with(semantic(), &format!("{SEM}/content"), json!(" \n\u{3000}\u{200b}")), "mem_type.Semantic.content"),
        (with(semantic(), &format!("{SEM}/content"), json!(long)), "mem_type.Semantic.content"),
        (with(semantic(), &format!("{SEM}/description"), json!(long)), "mem_type.Semantic.description"),
        (with(semantic(), &format!("{SEM}/aliases"), json!(["rain", ""])), "mem_type.Semantic.aliases[1]"),
        (with(semantic(), "/tags", json!(["a", " "])), "tags[1]"),
        (with(specific(), &format!("{SPE}/narrative"), json!("")), "mem_type.Situation.SpecificSituation.narrative"),
        (with(specific(), &format!("{SPE}/time_span/end"), json!("2026-05-01T09:59:59Z")), "mem_type.Situation.SpecificSituation.time_span.end"),
        (with(specific(), &format!("{SPE}/context/location/name"), json!("")), "mem_type.Situation.SpecificSituation.context.location.name"),
        (with(specific(), &format!("{SPE}/context/participants/1/name"), json!("")), "mem_type.Situation.SpecificSituation.context.participants[1].name"),
        (with(specific(), &format!("{SPE}/context/emotions/0/name"), json!("")), "mem_type.Situation.SpecificSituation.context.emotions[0].name"),
        (with(specific(), &format!("{SPE}/context/emotions/0/intensity"), json!(1.01)), "mem_type.Situation.SpecificSituation.context.emotions[0].intensity"),
        (with(specific(), &format!("{SPE}/context/sensory_data/0/intensity"), json!(-0.01)), "mem_type.Situation.SpecificSituation.context.sensory_data[0].intensity"),
        (with(specific(), &format!("{SPE}/context/sensory_data/0/name"), json!("\0")), "mem_type.Situation.SpecificSituation.context.sensory_data[0].name"),
        (with(specific(), &format!("{SPE}/context/environment/tone"), json!(long)), "mem_type.Situation.SpecificSituation.context.environment.tone"),
        (with(specific(), &format!("{SPE}/context/event/0/action"), json!("")), "mem_type.Situation.SpecificSituation.context.event[0].action"),
        (with(specific(), &format!("{SPE}/context/event/0/action_intensity"), json!(2)), "mem_type.Situation.SpecificSituation.context.event[0].action_intensity"),
        (pattern(&json!({"Location": {"name": ""}})), "mem_type.Situation.AbstractSituation.Location.name"),
        (pattern(&json!({"Participant": {"name": "", "role": "friend"}})), "mem_type.Situation.AbstractSituation.Participant.name"),
        (pattern(&json!({"Environment": {"atmosphere": "", "tone": ""}})), "mem_type.Situation.AbstractSituation.Environment.atmosphere"),
        (pattern(&json!({"Event": {"action": "", "action_intensity": 0.5}})), "mem_type.Situation.AbstractSituation.Event.action"),
        (with(procedure(), "/mem_type/Procedure/action/content", json!("")), "mem_type.Procedure.action.content"),
        (with(with(semantic(), "/created_at", json!("2026-06-01T08:00:00Z")), "/last_accessed_at", json!("2026-06-01T07:00:00Z")), "last_accessed_at"),
        (with(with(semantic(), "/valid_from", json!("2026-06-01T08:00:00Z")), "/valid_until", json!("2026-06-01T07:00:00Z")), "valid_until"),
        (with(semantic(), "/superseded_by", json!(NOTE)), "superseded_by"),
        (with(semantic(), "/affect", json!({"importance": 0})), "affect.importance"),
        (with(semantic(), "/affect", json!({"importance": 11})), "affect.importance"),
        (with(semantic(), "/affect", json!({"valence": 1.5})), "affect.valence"),
        (with(semantic(), "/affect", json!({"arousal": -1})), "affect.arousal"),
        (with(semantic(), "/affect", json!({"model_valence": 2})), "affect.model_valence"),
        (with(semantic(), "/affect", json!({"activation_count": -0.3})), "affect.activation_count"),
        (with(semantic(), "/affect", json!({"domain": ["work", "love", "home"]})), "affect.domain"),
        (with(semantic(), "/affect", json!({"domain": [""]})), "affect.domain[0]"),
        (with(semantic(), "/affect", json!({"name": ""})), "affect.name"),
        (with(semantic(), "/affect", json!({"name": "雨".repeat(81)})), "affect.name"),
        (with(semantic(), "/anchors", json!([{"field": "tag", "start": 0, "end": 1}])), "anchors[0].field"),
        (with(semantic(), "/anchors", json!([{"field": "narrative", "start": 0, "end": 1}])), "anchors[0].field"),
        (with(semantic(), "/anchors", json!([{"field": "content", "start": 0, "end": 1}])), "anchors[0].end"),
        (with(semantic(), "/anchors", json!([{"field": "content", "start": 1, "end": 3}])), "anchors[0].start"),
        (with(semantic(), "/anchors", json!([{"field": "content", "start": 3, "end": 3}])), "anchors[0].end"),
        (with(semantic(), "/anchors", json!([{"field": "content", "start": 0, "end": 4}])), "anchors[0].end"),
        (with(semantic(), "/anchors", json!([{"field": "content", "start": 0, "end": 3, "gist": ""}])), "anchors[0].gist"),
        (with(semantic(), "/mem_links", sem_link(NOTE, json!(1), json!(1))), "mem_links[0].to"),
        (with(semantic(), "/mem_links", sem_link(OTHER, json!(-0.1), json!(1))), "mem_links[0].intensity"),
        (with(semantic(), "/mem_links", sem_link(OTHER, json!(1e300), json!(1))), "mem_links[0].intensity"),
        (with(semantic(), "/mem_links", sem_link(OTHER, json!(1), json!(1.5))), "mem_links[0].link_type.Sem.confidence"),
        (with(semantic(), "/mem_links", json!([{"to": OTHER, "link_type": {"Sem": {"verb": "", "confidence": 1}}}])), "mem_links[0].link_type.Sem.verb"),
        (with(semantic(), "/mem_links", json!([{"to": OTHER, "link_type": {"Proc": {"TrigToAction": {"prob": -1}}}}])), "mem_links[0].link_type.Proc.TrigToAction.prob"),
        (with(semantic(), "/mem_links", json!([{"from": OTHER, "to": NOTE, "link_type": {"Situation": {"AbstractToSpecific": {}}}}])), "mem_links[0].from"),
    ];
    for (draft, field) in cases {
        match build(draft) {
            Err(error) => assert_eq!(error.field, field, "{error}"),
            Ok(note) => panic!("{field} was accepted: {}", note.summary_text()),
        }
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let to: NoteId = OTHER.parse().unwrap();
    let from: NoteId = NOTE.parse().unwrap();
    let kind = || LinkType::Situation(SituationLink::AbstractToSpecific {});
    for intensity in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let link = LinkDraft::new(to, kind())
            .starting_from(from)
            .with_intensity(intensity);
        let error = link.build(&SequentialIds::new()).unwrap_err();
        assert_eq!(error.field, "intensity", "{intensity}");
    }
    let sure = LinkType::Sem(SemLink {
        verb: "is".into(),
        confidence: f64::NAN,
    });
    let link = LinkDraft::new(to, sure).starting_from(from);
    let error = link.build(&SequentialIds::new()).unwrap_err();
    assert_eq!(error.field, "link_type.Sem.confidence");
}

#[test]
fn every_kind_builds_and_says_which_it_is() {
    let cases = [
        (semantic(), "semantic", "雨"),
        (
            specific(),
            "specific_situation",
            "We got wet on the way home.",
        ),
        (
            pattern(&json!({"Location": {"name": "school", "coordinates": "Beijing"}})),
            "abstract_situation",
            "school (Beijing)",
        ),
        (
            pattern(&json!({"Participant": {"name": "Ann", "role": "pupil"}})),
            "abstract_situation",
            "Ann (pupil)",
        ),
        (
            pattern(&json!({"Environment": {"atmosphere": "", "tone": "cosy"}})),
            "abstract_situation",
            "cosy",
        ),
        (
            pattern(
                &json!({"Event": {"action": "learns", "action_intensity": 0.7,
                                     "initiator": "Ann", "target": "maths"}}),
            ),
            "abstract_situation",
            "learns (Ann → maths)",
        ),
        (procedure(), "procedure", "opens the umbrella"),
    ];
    for (draft, kind, summary) in cases {
        let note = build(draft).unwrap();
        assert_eq!(note.kind().as_str(), kind);
        assert_eq!(note.summary_text(), summary);
    }
}

#[test]
fn text_fields_are_all_texts_in_order() {
    let note = build(with(specific(), "/tags", json!(["storm"]))).unwrap();
    let texts: Vec<(Field, String)> = note
        .text_fields()
        .into_iter()
        .map(|(field, text)| (field, text.into_owned()))
        .collect();
    let expected = [
        (Field::Narrative, "We got wet on the way home."),
        (Field::LocationName, "the bridge"),
        (Field::LocationCoordinates, "north"),
        (Field::ParticipantName, "Ann"),
        (Field::ParticipantRole, "friend"),
        (Field::ParticipantName, "Bo"),
        (Field::Emotion, "joy"),
        (Field::Sensory, "cold drops"),
        (Field::EnvironmentAtmosphere, "stormy"),
        (Field::EnvironmentTone, "merry"),
        (Field::EventAction, "ran"),
        (Field::EventRole, "Ann"),
        (Field::EventRole, "home"),
        (Field::Tag, "storm"),
    ];
    assert_eq!(
        texts,
        expected.map(|(field, text)| (field, text.to_owned()))
    );
}

#[test]
fn a_note_with_only_a_creation_time_is_valid() {
    let created = "2020-01-01T00:00:00Z";
    let note = build(with(semantic(), "/created_at", json!(created))).unwrap();
    assert_eq!(note.created_at.to_string(), created);
    assert_eq!(note.last_accessed_at.to_string(), created);
    assert_eq!(note.valid_from.to_string(), created);
    assert_eq!(note.affect.last_active_at.to_string(), created);
}

#[test]
fn what_is_left_out_takes_its_default() {
    let note = build(semantic()).unwrap();
    assert_eq!(note.created_at.to_string(), "2026-06-01T08:00:00Z");
    assert_eq!(note.retrieval_count, 0);
    assert_eq!(note.revision, 1);
    assert_eq!(note.source, [Source::Given]);
    assert_eq!(note.affect.importance, 5);
    assert_eq!(
        (note.affect.valence, note.affect.arousal),
        (0.5, 0.3),
        "memory model, section 7"
    );
    assert_eq!(note.affect.activation_count, 0.0);
    assert_eq!(note.affect.bucket, Bucket::Dynamic);
    assert!(!note.affect.pinned && !note.affect.resolved && !note.affect.digested);
}

#[test]
fn given_zeros_win_over_defaults() {
    let affect = json!({"valence": 0, "arousal": 0, "activation_count": 0, "domain": []});
    let note = build(with(semantic(), "/affect", affect)).unwrap();
    assert_eq!((note.affect.valence, note.affect.arousal), (0.0, 0.0));
}

#[test]
fn a_link_needs_no_more_than_its_target_and_kind() {
    let links = json!([{"to": OTHER, "link_type": {"Situation": {"SpecificToAbstract": {}}}}]);
    let note = build(with(semantic(), "/mem_links", links)).unwrap();
    assert_eq!(note.mem_links[0].from.to_string(), NOTE);
    assert_eq!(note.mem_links[0].intensity, 1.0);
    let alone = LinkDraft::new(
        OTHER.parse().unwrap(),
        LinkType::Situation(SituationLink::SpecificToAbstract {}),
    );
    assert_eq!(
        alone.build(&SequentialIds::new()).unwrap_err().field,
        "from"
    );
}

#[test]
fn unknown_keys_and_nulls_are_ignored_on_the_wire() {
    let draft = json!({"id": null, "tags": null, "of a newer version": 1, "affect": null,
        "mem_type": {"Semantic": {"content": "雨", "aliases": null, "concept_type": "Entity", "new": []}}});
    let note = build(draft).unwrap();
    assert!(note.tags.is_empty());
}

#[test]
fn an_abstract_situation_is_exactly_one_element() {
    let two = pattern(&json!({"Location": {"name": "a"}, "Participant": {"name": "b"}}));
    assert!(serde_json::from_value::<NoteDraft>(two).is_err());
    assert!(serde_json::from_value::<NoteDraft>(pattern(&json!({}))).is_err());
}

#[test]
fn the_json_is_the_documented_shape() {
    let links = json!([{"id": OTHER, "from": NOTE, "to": OTHER, "intensity": 0.8,
        "link_type": {"Proc": {"TrigToAction": {"prob": 0.8}}}}]);
    let note = build(with(procedure(), "/mem_links", links.clone())).unwrap();
    let expected = json!({
        "id": NOTE,
        "tags": [],
        "mem_type": {"Procedure": {"action": {"content": "opens the umbrella", "action_type": {"Skill": {}}}}},
        "created_at": "2026-06-01T08:00:00Z",
        "last_accessed_at": "2026-06-01T08:00:00Z",
        "retrieval_count": 0,
        "revision": 1,
        "source": ["Given"],
        "valid_from": "2026-06-01T08:00:00Z",
        "affect": {"importance": 5, "valence": 0.5, "arousal": 0.3, "activation_count": 0.0,
            "last_active_at": "2026-06-01T08:00:00Z", "pinned": false, "protected": false,
            "resolved": false, "digested": false, "bucket": "dynamic", "domain": []},
        "anchors": [],
        "mem_links": links
    });
    assert_eq!(serde_json::to_value(&note).unwrap(), expected);
}

#[test]
fn field_names_are_the_ones_written() {
    for field in Field::ALL {
        assert_eq!(field.as_str().parse::<Field>().unwrap(), field);
        assert_eq!(serde_json::to_value(field).unwrap(), field.as_str());
    }
    assert!("narative".parse::<Field>().is_err());
}
