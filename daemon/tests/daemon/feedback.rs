//! Saying of hits whether they were right, and taking notes and links away, over the wire.

use soulmem_proto::ops::feedback::{FeedbackRequest, FeedbackResponse};
use soulmem_proto::ops::retrieve::{RetrieveResponse, Stage};
use soulmem_proto::{ErrorCode, ErrorPayload, Op, Value, from_value, to_value};
use uuid::Uuid;

use crate::support::{Client, Daemon, code, map};

const SOUL: Option<&str> = Some("mei");
const BIRD: Uuid = Uuid::from_u128(1);
const ISLAND: Uuid = Uuid::from_u128(2);
const REED: Uuid = Uuid::from_u128(3);
const NOBODY: Uuid = Uuid::from_u128(4);
const TO_ISLAND: Uuid = Uuid::from_u128(12);
const TO_REED: Uuid = Uuid::from_u128(13);

fn id(id: Uuid) -> Value {
    id.to_string().into()
}

fn ids(ids: &[Uuid]) -> Value {
    map([("ids", Value::Array(ids.iter().copied().map(id).collect()))])
}

fn note(own: Uuid, content: &str, links: Vec<Value>) -> Value {
    let known = map([
        ("content", content.into()),
        ("concept_type", "Entity".into()),
        ("description", "".into()),
    ]);
    map([
        ("id", id(own)),
        ("mem_type", map([("Semantic", known)])),
        ("mem_links", Value::Array(links)),
    ])
}

fn link(own: Uuid, to: Uuid, confidence: f64) -> Value {
    let sem = map([("verb", "in".into()), ("confidence", confidence.into())]);
    map([
        ("id", id(own)),
        ("to", id(to)),
        ("link_type", map([("Sem", sem)])),
    ])
}

/// A bird that lives on an island, in the reed that grows there.
fn created(daemon: &Daemon) -> Client {
    let mut client = daemon.connect();
    client.call(Op::SoulCreate, SOUL, map([])).unwrap();
    let notes = vec![
        note(BIRD, "parrotbill", vec![link(TO_ISLAND, ISLAND, 0.5)]),
        note(ISLAND, "Jiangxinzhou", vec![link(TO_REED, REED, 1.0)]),
        note(REED, "沼泽", vec![]),
    ];
    client
        .call(Op::NotePut, SOUL, map([("notes", Value::Array(notes))]))
        .unwrap();
    client
}

fn retrieve(client: &mut Client, options: Value) -> RetrieveResponse {
    let concept = map([("concept_identifier", "parrotbill".into())]);
    let query = map([("variant", map([("Semantic", Value::Array(vec![concept]))]))]);
    let asked = map([("queries", Value::Array(vec![query])), ("options", options)]);
    from_value(client.call(Op::Retrieve, SOUL, asked).unwrap()).unwrap()
}

fn found(client: &mut Client) -> Vec<Uuid> {
    let answer = retrieve(client, map([]));
    answer.notes.iter().map(|hit| hit.id).collect()
}

fn feedback(
    client: &mut Client,
    ids: &[Uuid],
    value: i64,
) -> Result<FeedbackResponse, ErrorPayload> {
    let request = FeedbackRequest {
        ids: ids.to_vec(),
        value,
    };
    let answer = client.call(Op::Feedback, SOUL, to_value(&request).unwrap())?;
    Ok(from_value(answer).unwrap())
}

fn moved(answer: &FeedbackResponse) -> Vec<(Uuid, f64)> {
    let links = answer.links.iter();
    links.map(|link| (link.id, link.intensity)).collect()
}

fn assert_moved(answer: &FeedbackResponse, expected: &[(Uuid, f64)]) {
    let moved = moved(answer);
    assert_eq!(moved.len(), expected.len(), "{moved:?}");
    for (found, expected) in moved.iter().zip(expected) {
        assert_eq!(found.0, expected.0);
        assert!((found.1 - expected.1).abs() < 1e-12, "{moved:?}");
    }
}

fn number(value: &Value, key: &str) -> f64 {
    match value.get(key) {
        Some(Value::Float(number)) => *number,
        other => panic!("{key} is {other:?}"),
    }
}

fn array<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).unwrap()
}

#[test]
fn a_hit_explains_itself_by_the_path_that_led_to_it() {
    let daemon = Daemon::start();
    let mut client = created(&daemon);
    let said = map([("role", "user".into()), ("text", "the reed is tall".into())]);
    let pushed = client
        .call(
            Op::Push,
            SOUL,
            map([("messages", Value::Array(vec![said]))]),
        )
        .unwrap();
    let source = array(&pushed, "ids")[0].clone();
    let Value::Map(mut reed) = note(REED, "沼泽", vec![]) else {
        unreachable!()
    };
    reed.push(("if_revision".into(), 1_u64.into()));
    let message = map([("Message", map([("id", source.clone())]))]);
    reed.push(("source".into(), Value::Array(vec![message])));
    let notes = map([("notes", Value::Array(vec![Value::Map(reed)]))]);
    client.call(Op::NotePut, SOUL, notes).unwrap();

    let answer = retrieve(&mut client, map([("explain", true.into())]));
    assert_eq!(answer.notes[2].stage, Stage::Walk);
    let trace = answer.trace.unwrap();
    let hits = array(&trace, "notes");
    let similar = &array(&hits[0], "similar")[0];
    assert_eq!(hits[0].get("seed"), Some(&true.into()));
    assert!((number(similar, "score") - 1.0).abs() < 1e-6);
    let reed = &hits[2];
    assert_eq!(reed.get("id"), Some(&id(REED)));
    // It was made some moments ago, and they have taken next to nothing of it.
    assert!((number(reed, "retention") - 1.0).abs() < 1e-4);
    let walk = &array(reed, "walks")[0];
    assert_eq!(walk.get("query"), Some(&0_u64.into()));
    assert_eq!(walk.get("seed"), Some(&id(BIRD)));
    // Between concepts: (0.8 · confidence + 0.5) / 1.3. Each is the only way on.
    let steps = [
        (TO_ISLAND, BIRD, ISLAND, (0.8 * 0.5 + 0.5) / 1.3),
        (TO_REED, ISLAND, REED, 1.0),
    ];
    let path = array(walk, "path");
    assert_eq!(path.len(), steps.len());
    for (step, (own, from, to, weight)) in path.iter().zip(steps) {
        assert_eq!(step.get("link"), Some(&id(own)));
        assert_eq!(
            (step.get("from"), step.get("to")),
            (Some(&id(from)), Some(&id(to)))
        );
        assert!((number(step, "weight") - weight).abs() < 1e-6);
        assert!((number(step, "share") - 1.0).abs() < 1e-6);
    }
    let message = &array(reed, "messages")[0];
    assert_eq!(message.get("id"), Some(&source));
    assert_eq!(message.get("text"), Some(&"the reed is tall".into()));
}

#[test]
fn praise_and_blame_move_the_links_of_the_path_by_a_tenth_of_what_is_left() {
    let daemon = Daemon::start();
    let mut client = created(&daemon);
    assert_eq!(found(&mut client), [BIRD, ISLAND, REED]);
    // From 1.0 a tenth of the way to 2.0; the link that both share moves once.
    let praised = feedback(&mut client, &[REED, ISLAND, BIRD, REED], 1).unwrap();
    assert_moved(&praised, &[(TO_ISLAND, 1.1), (TO_REED, 1.1)]);
    assert_eq!(praised.unmoved, [BIRD]);
    // From 1.1 a tenth of the way to 0.05.
    let blamed = feedback(&mut client, &[ISLAND], -1).unwrap();
    assert_moved(&blamed, &[(TO_ISLAND, 1.1 - 0.105)]);
    let got = client.call(Op::NoteGet, SOUL, ids(&[BIRD])).unwrap();
    let kept = &array(&array(&got, "notes")[0], "mem_links")[0];
    assert!((number(kept, "intensity") - 0.995).abs() < 1e-12);
    let answer = retrieve(&mut client, map([("explain", true.into())]));
    let trace = answer.trace.unwrap();
    let walk = &array(&array(&trace, "notes")[1], "walks")[0];
    let weight = number(&array(walk, "path")[0], "weight");
    assert!((weight - 0.995 * 0.9 / 1.3).abs() < 1e-6, "{weight}");
}

#[test]
fn feedback_with_the_same_key_is_heard_once() {
    let daemon = Daemon::start();
    let mut client = created(&daemon);
    found(&mut client);
    let payload = to_value(&FeedbackRequest {
        ids: vec![ISLAND],
        value: 1,
    })
    .unwrap();
    let mut praise = || {
        let mut request = client.request(Op::Feedback, SOUL, payload.clone());
        request.idempotency_key = Some("praise".to_owned());
        client.ask(request).unwrap()
    };
    assert_eq!(praise(), praise());
    let blamed = feedback(&mut client, &[ISLAND], -1).unwrap();
    assert_moved(&blamed, &[(TO_ISLAND, 1.1 - 0.105)]);
}

#[test]
fn what_did_not_come_up_or_only_for_a_look_is_not_moved() {
    let daemon = Daemon::start();
    let mut client = created(&daemon);
    retrieve(&mut client, map([("record", false.into())]));
    let heard = feedback(&mut client, &[ISLAND, NOBODY], 1).unwrap();
    assert!(heard.links.is_empty());
    assert_eq!(heard.unmoved, [ISLAND, NOBODY]);
    for (ids, value, field) in [(&[ISLAND][..], 2, "value"), (&[], 1, "ids")] {
        let error = feedback(&mut client, ids, value).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert_eq!(error.field(), Some(field));
    }
}

#[test]
fn a_link_that_was_taken_away_leads_nowhere_any_more() {
    let daemon = Daemon::start();
    let mut client = created(&daemon);
    assert_eq!(found(&mut client), [BIRD, ISLAND, REED]);
    let gone = client
        .call(Op::LinkDelete, SOUL, ids(&[TO_REED, NOBODY]))
        .unwrap();
    assert_eq!(gone, ids(&[TO_REED]));
    let heard = feedback(&mut client, &[REED], 1).unwrap();
    assert_moved(&heard, &[(TO_ISLAND, 1.1)]);
    assert_eq!(found(&mut client), [BIRD, ISLAND]);
    let got = client.call(Op::NoteGet, SOUL, ids(&[ISLAND])).unwrap();
    assert!(
        array(&got, "notes")[0]
            .get("mem_links")
            .and_then(Value::as_array)
            .is_none_or(<[Value]>::is_empty)
    );
    let nothing = client.call(Op::LinkDelete, SOUL, ids(&[TO_REED])).unwrap();
    assert_eq!(nothing, ids(&[]));
    let none = client.call(Op::LinkDelete, SOUL, ids(&[]));
    assert_eq!(none.unwrap_err().field(), Some("ids"));
}

#[test]
fn a_note_that_was_taken_away_is_gone_with_its_links_after_a_restart_too() {
    let daemon = Daemon::start();
    let mut client = created(&daemon);
    let gone = client
        .call(Op::NoteDelete, SOUL, ids(&[ISLAND, NOBODY]))
        .unwrap();
    assert_eq!(gone, ids(&[ISLAND]));
    assert_eq!(found(&mut client), [BIRD]);
    let daemon = Daemon::start_in(daemon.kill(), &[]);
    let mut client = daemon.connect();
    assert_eq!(found(&mut client), [BIRD]);
    assert_eq!(
        code(client.call(Op::NoteGet, SOUL, ids(&[ISLAND]))),
        ErrorCode::NotFound
    );
    let stats = client.call(Op::Stats, SOUL, map([])).unwrap();
    assert_eq!(stats.get("links"), Some(&0_u64.into()));
    let none = client.call(Op::NoteDelete, SOUL, ids(&[]));
    assert_eq!(none.unwrap_err().field(), Some("ids"));
}
