//! Requests, replies and what is neither.

use soulmem_proto::{
    ErrorCode, ErrorPayload, Event, Op, Rejection, Reply, Request, Value, encode, envelope,
    to_value,
};

use crate::vectors::{self, Vector};

#[test]
fn every_request_vector_is_taken_and_written_again() {
    let mut ops = Vec::new();
    for (vector, _) in frames("_req") {
        let request = Request::parse(&vector.bytes)
            .unwrap_or_else(|rejection| panic!("{}: {}", vector.name, rejection.error));
        assert_eq!(
            vector.name,
            format!("frame_{}_req", request.op.as_str().replace('.', "_"))
        );
        assert_eq!(request.msg_id, 7);
        ops.push(request.op);
        assert_eq!(request.to_frame().unwrap(), vector.bytes, "{}", vector.name);
    }
    assert!(
        Op::ALL.iter().all(|op| ops.contains(op)),
        "every operation has a vector"
    );
}

#[test]
fn every_reply_vector_is_taken_and_written_again() {
    let replies = frames("_res").chain(vectors::good().into_iter().filter(|(vector, _)| {
        vector.name.starts_with("frame_err") || vector.name.starts_with("frame_event")
    }));
    for (vector, _) in replies {
        let reply =
            Reply::parse(&vector.bytes).unwrap_or_else(|error| panic!("{}: {error}", vector.name));
        assert_eq!(reply.to_frame().unwrap(), vector.bytes, "{}", vector.name);
    }
}

#[test]
fn a_request_has_the_fields_of_its_vector() {
    let request = Request::parse(&vectors::named("frame_push_req").bytes).unwrap();
    assert_eq!((request.msg_id, request.op), (7, Op::Push));
    assert_eq!(request.soul.unwrap().as_str(), "xiaohong");
    assert_eq!(request.deadline_ms, Some(5_000));
    assert_eq!(request.idempotency_key.as_deref(), Some("push-一"));
    assert_eq!(
        request
            .payload
            .get("messages")
            .and_then(Value::as_array)
            .map(<[Value]>::len),
        Some(2)
    );
}

#[test]
fn replies_have_the_fields_of_their_vectors() {
    let error = Reply::parse(&vectors::named("frame_err").bytes).unwrap();
    let missing = ErrorPayload::invalid_argument("messages[3].text", "is missing");
    assert_eq!(
        error,
        Reply::Error(Rejection {
            msg_id: Some(7),
            op: Some("push".to_owned()),
            error: missing
        })
    );

    let Reply::Error(anonymous) =
        Reply::parse(&vectors::named("frame_err_anonymous").bytes).unwrap()
    else {
        panic!("an err frame is an error");
    };
    assert_eq!((anonymous.msg_id, anonymous.op), (None, None));
    assert_eq!(anonymous.error.code, ErrorCode::BadEnvelope);

    let event = Reply::parse(&vectors::named("frame_event_lagged").bytes).unwrap();
    let payload = Value::Map(vec![("dropped".to_owned(), 12_u64.into())]);
    assert_eq!(
        event,
        Reply::Event(Event {
            name: "lagged".to_owned(),
            soul: None,
            payload
        })
    );
}

#[test]
fn a_reader_takes_more_and_less_than_it_knows() {
    let more = Request::parse(&vectors::named("frame_unknown_fields").bytes).unwrap();
    assert_eq!(more.op, Op::Push);
    let nil = Request::parse(&vectors::named("frame_nil_fields").bytes).unwrap();
    assert_eq!((nil.deadline_ms, nil.idempotency_key), (None, None));
    let less = Request::parse(&vectors::named("frame_no_payload").bytes).unwrap();
    assert_eq!(
        (less.msg_id, less.op, less.payload),
        (0, Op::Ping, Value::Map(vec![]))
    );
}

#[test]
fn what_is_no_request_is_answered_as_its_vector_says() {
    for vector in vectors::all() {
        let Some(expected) = &vector.twin.rejection else {
            continue;
        };
        let rejection = Request::parse(&vector.bytes).expect_err(&vector.name);
        assert_eq!(
            rejection.error.code.as_str(),
            expected.code,
            "{}",
            vector.name
        );
        assert_eq!(
            rejection.error.field(),
            expected.field.as_deref(),
            "{}",
            vector.name
        );
        assert_eq!(rejection.msg_id, expected.msg_id, "{}", vector.name);
        assert_eq!(rejection.op, expected.op, "{}", vector.name);
    }
}

#[test]
fn an_unknown_version_is_told_those_that_are_known() {
    let rejection = Request::parse(&vectors::named("refused_version_2").bytes).unwrap_err();
    let details = rejection.error.details.unwrap();
    assert_eq!(
        details.get("versions"),
        Some(&Value::Array(vec![1_u64.into()]))
    );
}

#[test]
fn a_malformed_payload_does_not_hide_whose_request_it_was() {
    for vector in vectors::all() {
        let Some(code) = &vector.twin.error else {
            continue;
        };
        let rejection = Request::parse(&push_with_payload(&vector.bytes)).expect_err(&vector.name);
        assert_eq!(rejection.error.code.as_str(), code, "{}", vector.name);
        assert_eq!(
            (rejection.msg_id, rejection.op.as_deref()),
            (Some(7), Some("push")),
            "{}",
            vector.name
        );
    }
}

#[test]
fn an_id_that_comes_twice_is_nobodys() {
    let frame = b"\x83\xa6msg_id\x01\xa6msg_id\x02\xa2op\xa4ping";
    let rejection = Request::parse(frame).unwrap_err();
    assert_eq!(
        (rejection.msg_id, rejection.op.as_deref()),
        (None, Some("ping"))
    );
    assert_eq!(rejection.error.code, ErrorCode::BadEnvelope);
}

#[test]
fn a_number_that_is_not_finite_is_named_by_its_path() {
    let nan = b"\xcb\x7f\xf8\0\0\0\0\0\0";
    let field = |payload: &[u8]| {
        let rejection = Request::parse(&push_with_payload(payload)).unwrap_err();
        assert_eq!(rejection.error.code, ErrorCode::InvalidArgument);
        rejection.error.field().map(str::to_owned).unwrap()
    };
    assert_eq!(
        field(&[b"\x81\xa7options\x81\xa5floor".as_slice(), nan].concat()),
        "options.floor"
    );
    assert_eq!(
        field(&[b"\x81\xa5array\x92\x01".as_slice(), nan].concat()),
        "array[1]"
    );
    assert_eq!(field(nan), "payload");
}

#[test]
fn idempotency_keys_are_counted_in_characters() {
    let keyed = |characters: usize| Request {
        idempotency_key: Some("键".repeat(characters)),
        ..ping()
    };
    let longest = keyed(envelope::MAX_IDEMPOTENCY_KEY_CHARS);
    assert_eq!(
        Request::parse(&longest.clone().to_frame().unwrap()).unwrap(),
        longest
    );
    assert!(Request::parse(&keyed(65).to_frame().unwrap()).is_err());
}

#[test]
fn a_daemon_that_sends_what_no_daemon_sends_is_not_believed() {
    let request = vectors::named("frame_ping_req");
    assert_eq!(
        Reply::parse(&request.bytes).unwrap_err().code,
        ErrorCode::BadEnvelope
    );
    let no_id = encode(&map(&[("v", 1_u64.into()), ("kind", "res".into())])).unwrap();
    assert_eq!(
        Reply::parse(&no_id).unwrap_err().code,
        ErrorCode::BadEnvelope
    );
    let no_name = encode(&map(&[("v", 1_u64.into()), ("kind", "event".into())])).unwrap();
    assert_eq!(
        Reply::parse(&no_name).unwrap_err().code,
        ErrorCode::BadEnvelope
    );
    assert_eq!(
        Reply::parse(b"\x90").unwrap_err().code,
        ErrorCode::BadEnvelope
    );
}

#[test]
fn details_gather_in_one_map() {
    let error = ErrorPayload::new(ErrorCode::Conflict, "changed meanwhile")
        .with_detail("field", "notes[0].if_revision")
        .with_detail("revision", 4_u64);
    assert_eq!(error.field(), Some("notes[0].if_revision"));
    assert_eq!(
        error
            .details
            .as_ref()
            .and_then(|details| details.get("revision")),
        Some(&4_u64.into())
    );
    let written = to_value(&error).unwrap();
    assert_eq!(written.get("code"), Some(&"conflict".into()));
    assert_eq!(written.get("retryable"), Some(&false.into()));
}

fn frames(ending: &'static str) -> impl Iterator<Item = (Vector, Value)> {
    vectors::good().into_iter().filter(move |(vector, _)| {
        vector.name.starts_with("frame_") && vector.name.ends_with(ending)
    })
}

fn ping() -> Request {
    Request {
        msg_id: 7,
        op: Op::Ping,
        soul: None,
        payload: Value::Map(vec![]),
        deadline_ms: None,
        idempotency_key: None,
    }
}

/// A push by hand, whose payload comes last.
fn push_with_payload(payload: &[u8]) -> Vec<u8> {
    let head =
        b"\x86\xa1v\x01\xa4kind\xa3req\xa6msg_id\x07\xa2op\xa4push\xa4soul\xa3tom\xa7payload";
    [head.as_slice(), payload].concat()
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(
        entries
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    )
}
