//! Typed payloads: what each operation takes and gives, and how what does not fit is named.

use std::collections::HashMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_bytes::ByteBuf;
use soulmem_proto::{
    ConsolidatedEvent, EncodeError, LaggedEvent, NoteChangedEvent, PayloadError, ProgressEvent,
    Reply, Request, SoulChangedEvent, StateEvent, Value, WindowSummarisedEvent, from_value,
    ops::{
        backup::{BackupRequest, BackupResponse},
        checkpoint::{CheckpointRequest, CheckpointResponse},
        consolidate::{ConsolidateRequest, ConsolidateResponse},
        doctor::{DoctorRequest, DoctorResponse},
        erase::{EraseRequest, EraseResponse},
        export::{ExportRequest, ExportResponse},
        feedback::{FeedbackRequest, FeedbackResponse},
        forget::{ForgetReport, ForgetRequest, ForgetResponse},
        health::{HealthRequest, HealthResponse},
        hello::{HelloRequest, HelloResponse, Token},
        import::{ImportRequest, ImportResponse},
        link_delete::{LinkDeleteRequest, LinkDeleteResponse},
        link_put::{LinkPutRequest, LinkPutResponse},
        message_list::{MessageListRequest, MessageListResponse},
        note_delete::{NoteDeleteRequest, NoteDeleteResponse},
        note_get::{NoteGetRequest, NoteGetResponse},
        note_list::{NoteListRequest, NoteListResponse},
        note_put::{NotePutRequest, NotePutResponse},
        note_supersede::{NoteSupersedeRequest, NoteSupersedeResponse},
        ping::{PingRequest, PingResponse},
        push::{PushRequest, PushResponse, Role},
        restore::{RestoreRequest, RestoreResponse},
        retrieve::{RetrieveRequest, RetrieveResponse},
        shutdown::{ShutdownRequest, ShutdownResponse},
        soul_create::{SoulCreateRequest, SoulCreateResponse},
        soul_drop::{SoulDropRequest, SoulDropResponse},
        soul_list::{SoulListRequest, SoulListResponse},
        soul_owner::{SoulOwnerRequest, SoulOwnerResponse},
        stats::{StatsRequest, StatsResponse},
        subscribe::{SubscribeRequest, SubscribeResponse},
        unsubscribe::{UnsubscribeRequest, UnsubscribeResponse},
    },
    to_bytes, to_value,
};

use crate::vectors;

#[test]
fn an_error_does_not_repeat_what_was_said() {
    let refused = from_value::<bool>("my secret".into()).unwrap_err();
    assert_eq!(refused.message, "invalid type: text, expected a boolean");
}

#[test]
fn every_operation_takes_and_gives_what_its_vectors_hold() {
    operation::<HelloRequest, HelloResponse>("hello");
    operation::<PingRequest, PingResponse>("ping");
    operation::<HealthRequest, HealthResponse>("health");
    operation::<SoulCreateRequest, SoulCreateResponse>("soul_create");
    operation::<SoulListRequest, SoulListResponse>("soul_list");
    operation::<SoulOwnerRequest, SoulOwnerResponse>("soul_owner");
    operation::<ShutdownRequest, ShutdownResponse>("shutdown");
    operation::<PushRequest, PushResponse>("push");
    operation::<RetrieveRequest, RetrieveResponse>("retrieve");
    operation::<ConsolidateRequest, ConsolidateResponse>("consolidate");
    operation::<CheckpointRequest, CheckpointResponse>("checkpoint");
    operation::<NoteGetRequest, NoteGetResponse>("note_get");
    operation::<NotePutRequest, NotePutResponse>("note_put");
    operation::<NoteListRequest, NoteListResponse>("note_list");
    operation::<LinkPutRequest, LinkPutResponse>("link_put");
    operation::<LinkDeleteRequest, LinkDeleteResponse>("link_delete");
    operation::<NoteDeleteRequest, NoteDeleteResponse>("note_delete");
    operation::<FeedbackRequest, FeedbackResponse>("feedback");
    operation::<ForgetRequest, ForgetResponse>("forget");
    operation::<MessageListRequest, MessageListResponse>("message_list");
    operation::<StatsRequest, StatsResponse>("stats");
    operation::<SubscribeRequest, SubscribeResponse>("subscribe");
    operation::<UnsubscribeRequest, UnsubscribeResponse>("unsubscribe");
    operation::<ImportRequest, ImportResponse>("import");
    operation::<SoulDropRequest, SoulDropResponse>("soul_drop");
    operation::<NoteSupersedeRequest, NoteSupersedeResponse>("note_supersede");
    operation::<EraseRequest, EraseResponse>("erase");
    operation::<BackupRequest, BackupResponse>("backup");
    operation::<RestoreRequest, RestoreResponse>("restore");
    operation::<DoctorRequest, DoctorResponse>("doctor");
    operation::<ExportRequest, ExportResponse>("export");
}

/// The vectors name every field, so a field that the type lacks would not come back.
fn operation<Q, S>(name: &str)
where
    Q: Serialize + DeserializeOwned,
    S: Serialize + DeserializeOwned,
{
    let request = Request::parse(&vectors::named(&format!("frame_{name}_req")).bytes).unwrap();
    comes_back::<Q>(name, request.payload);
    match Reply::parse(&vectors::named(&format!("frame_{name}_res")).bytes).unwrap() {
        Reply::Response { payload, .. } => comes_back::<S>(name, payload),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn every_event_is_what_its_vector_holds() {
    event::<StateEvent>("state");
    event::<WindowSummarisedEvent>("window_summarised");
    event::<ConsolidatedEvent>("consolidated");
    event::<ForgetReport>("forgotten");
    event::<NoteChangedEvent>("note_changed");
    event::<SoulChangedEvent>("soul_changed");
    event::<ProgressEvent>("progress");
    event::<LaggedEvent>("lagged");
}

fn event<T: Serialize + DeserializeOwned>(name: &str) {
    match Reply::parse(&vectors::named(&format!("frame_event_{name}")).bytes).unwrap() {
        Reply::Event(event) => comes_back::<T>(name, event.payload),
        other => panic!("{name}: {other:?}"),
    }
}

fn comes_back<T: Serialize + DeserializeOwned>(name: &str, payload: Value) {
    let bytes = soulmem_proto::encode(&payload).unwrap();
    let typed: T = from_value(payload).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(to_bytes(&typed).unwrap(), bytes, "{name}");
}

#[test]
fn more_and_less_than_a_type_knows_is_taken() {
    let more = Request::parse(&vectors::named("frame_unknown_fields").bytes).unwrap();
    assert_eq!(
        more.payload::<PushRequest>().unwrap().messages[0].role,
        Role::User
    );
    let nil = Request::parse(&vectors::named("frame_nil_fields").bytes).unwrap();
    assert_eq!(nil.payload::<PushRequest>().unwrap().messages[0].name, None);
    let queries =
        from_value::<RetrieveRequest>(map(&[("queries", Value::Nil), ("options", Value::Nil)]));
    assert_eq!(
        queries.unwrap(),
        RetrieveRequest {
            queries: vec![],
            text: None,
            options: <_>::default()
        }
    );
}

#[test]
fn what_is_missing_or_wrong_is_named_by_its_path() {
    let said = map(&[("role", "user".into()), ("text", "hi".into())]);
    let push = |last: Value| {
        let messages = vec![said.clone(), said.clone(), said.clone(), last];
        refusal::<PushRequest>(map(&[("messages", Value::Array(messages))]))
    };
    assert_eq!(
        push(map(&[("role", "user".into())])).field,
        "messages[3].text"
    );
    assert_eq!(
        push(map(&[("role", "user".into()), ("text", Value::Nil)])).field,
        "messages[3].text"
    );
    assert_eq!(
        push(map(&[("role", "user".into()), ("text", 5_u64.into())])).field,
        "messages[3].text"
    );
    assert_eq!(
        push(map(&[("role", "usr".into()), ("text", "hi".into())])).field,
        "messages[3].role"
    );
    assert_eq!(push("hi".into()).field, "messages[3]");
    assert_eq!(refusal::<PushRequest>(map(&[])).field, "messages");
    assert_eq!(
        refusal::<PushRequest>(Value::Array(vec![])).field,
        "payload"
    );
}

#[test]
fn a_misspelt_option_is_refused_with_the_nearest_known_one() {
    let retrieve = |options: Value| refusal::<RetrieveRequest>(map(&[("options", options)]));
    let error = retrieve(map(&[("limt", 5_u64.into())]));
    assert_eq!(error.field, "options.limt");
    assert_eq!(
        error.message,
        "unknown field `limt`, the nearest known one is `limit`"
    );
    let error = retrieve(map(&[("walk", map(&[("dampng", 0.5.into())]))]));
    assert_eq!(error.field, "options.walk.dampng");
    assert_eq!(
        error.message,
        "unknown field `dampng`, the nearest known one is `damping`"
    );
    assert_eq!(
        retrieve(map(&[("weights", map(&[("tags", 0.5.into())]))])).field,
        "options.weights.tags"
    );
    assert_eq!(
        retrieve(map(&[("time", map(&[("since", "now".into())]))])).field,
        "options.time.since"
    );
    let unknown_role = refusal::<Role>("usr".into());
    assert_eq!(
        unknown_role.message,
        "unknown variant `usr`, the nearest known one is `user`"
    );
}

#[test]
fn an_unknown_event_is_refused() {
    let events = Value::from(vec!["state", "note.change"]);
    let error = refusal::<SubscribeRequest>(map(&[("events", events)]));
    assert_eq!(error.field, "events[1]");
    assert_eq!(
        error.message,
        "unknown variant `note.change`, the nearest known one is `note.changed`"
    );
}

#[test]
fn a_struct_is_never_taken_from_an_array() {
    let fields_in_order = Value::from(vec!["ambassador", "0.1.0"]);
    let hello = map(&[("token", "t".into()), ("client", fields_in_order)]);
    assert_eq!(refusal::<HelloRequest>(hello).field, "client");
}

#[test]
fn a_struct_without_fields_is_an_empty_map() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Nothing;
    assert_eq!(to_value(&Nothing).unwrap(), map(&[]));
    assert_eq!(
        from_value::<Nothing>(map(&[("later", 1_u64.into())])),
        Ok(Nothing)
    );
    assert!(from_value::<Nothing>(Value::Array(vec![])).is_err());
    assert_eq!(to_value(&PingRequest {}).unwrap(), map(&[]));
}

#[test]
fn text_and_raw_bytes_never_mix() {
    assert!(from_value::<String>(Value::Bin(b"abc".to_vec())).is_err());
    assert!(from_value::<ByteBuf>("abc".into()).is_err());
    assert_eq!(
        from_value::<ByteBuf>(Value::Bin(b"abc".to_vec())).unwrap(),
        b"abc"
    );
    assert_eq!(
        to_value(&ByteBuf::from(b"abc")).unwrap(),
        Value::Bin(b"abc".to_vec())
    );
}

#[test]
fn an_integer_does_for_a_float_but_no_float_for_an_integer() {
    assert_eq!(from_value::<f64>(3_u64.into()), Ok(3.0));
    assert_eq!(from_value::<f64>((-3_i64).into()), Ok(-3.0));
    assert!(from_value::<u64>(3.0.into()).is_err());
    assert!(from_value::<u64>((-3_i64).into()).is_err());
    assert!(from_value::<u8>(256_u64.into()).is_err());
    assert!(from_value::<i64>(u64::MAX.into()).is_err());
    assert_eq!(from_value::<i64>(i64::MIN.into()), Ok(i64::MIN));
    assert!(from_value::<bool>(1_u64.into()).is_err());
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Plain,
    Wrapped(u64),
    Pair(u64, u64),
    Fields { size: u64 },
}

#[test]
fn enums_are_externally_tagged() {
    let forms = [
        (Shape::Plain, "Plain".into()),
        (Shape::Wrapped(1), map(&[("Wrapped", 1_u64.into())])),
        (
            Shape::Pair(1, 2),
            map(&[("Pair", Value::from(vec![1_u64, 2]))]),
        ),
        (
            Shape::Fields { size: 3 },
            map(&[("Fields", map(&[("size", 3_u64.into())]))]),
        ),
    ];
    for (shape, written) in forms {
        assert_eq!(to_value(&shape).unwrap(), written);
        assert_eq!(from_value::<Shape>(written).unwrap(), shape);
    }
}

#[test]
fn what_is_no_variant_is_refused() {
    let array_of_fields = map(&[("Fields", Value::from(vec![3_u64]))]);
    let two = map(&[("Wrapped", 1_u64.into()), ("Fields", map(&[]))]);
    let refused = [
        Value::Nil,
        0_u64.into(),
        map(&[]),
        two,
        array_of_fields,
        "Fields".into(),
        "Wrapped".into(),
        map(&[("Plain", map(&[]))]),
        map(&[("Wrapped", Value::Nil)]),
        map(&[("Pair", Value::from(vec![1_u64, 2, 3]))]),
    ];
    for value in refused {
        assert!(from_value::<Shape>(value.clone()).is_err(), "{value:?}");
    }
    assert_eq!(
        refusal::<Shape>(map(&[("Fields", map(&[]))])).field,
        "Fields.size"
    );
}

#[test]
fn typed_messages_are_written_by_the_rules() {
    #[derive(Serialize)]
    struct Sample {
        narrow: f32,
        absent: Option<u64>,
        at: jiff::Timestamp,
        id: uuid::Uuid,
    }
    let sample = Sample {
        narrow: 0.1,
        absent: None,
        at: "2024-05-20T20:30:00+08:00".parse().unwrap(),
        id: "018F5A3E-8000-7000-8000-000000000003".parse().unwrap(),
    };
    let written = map(&[
        ("narrow", 0.100_000_001_490_116_12.into()),
        ("at", "2024-05-20T12:30:00Z".into()),
        ("id", "018f5a3e-8000-7000-8000-000000000003".into()),
    ]);
    assert_eq!(to_value(&sample).unwrap(), written);
}

#[test]
fn what_no_peer_may_read_is_not_written() {
    let scores = map(&[(
        "notes",
        Value::Array(vec![map(&[("score", f64::NAN.into())])]),
    )]);
    let error = EncodeError::NonFinite {
        field: "notes[0].score".to_owned(),
    };
    assert_eq!(to_bytes(&scores), Err(error));
    assert!(to_bytes(&f32::INFINITY).is_err());
    assert_eq!(
        to_bytes(&HashMap::from([(1, true)])),
        Err(EncodeError::KeyType)
    );
    let twice = Value::Map(vec![
        ("a".to_owned(), Value::Nil),
        ("a".to_owned(), 1_u64.into()),
    ]);
    assert_eq!(
        soulmem_proto::encode(&twice),
        Err(EncodeError::DuplicateKey {
            key: "a".to_owned()
        })
    );
}

#[test]
fn a_token_does_not_show_in_a_log() {
    let hello = Request::parse(&vectors::named("frame_hello_req").bytes)
        .unwrap()
        .payload::<HelloRequest>();
    let hello = hello.unwrap();
    assert_eq!(hello.token, Token("5f0c".repeat(16)));
    assert!(!format!("{hello:?}").contains("5f0c"));
}

fn refusal<T: DeserializeOwned + std::fmt::Debug>(payload: Value) -> PayloadError {
    from_value::<T>(payload).unwrap_err()
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(
        entries
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    )
}
