//! What the daemon says to clients that keep the protocol, and to those that do not.

use std::collections::HashSet;
use std::io::Write;

use crate::support::{Client, Daemon, assert_serves, code, hello, map};
use soulmem_proto::{ErrorCode, Op, Reply, Request, Value};

#[test]
fn hello_tells_who_answers_what_it_can_do_and_its_limits() {
    let daemon = Daemon::start();
    let token = daemon.ready()["token"].as_str().unwrap().to_owned();
    let answer = daemon.dial().call(Op::Hello, None, hello(&token)).unwrap();
    assert_eq!(answer.get("protocol").and_then(Value::as_u64), Some(1));
    let limits = answer.get("limits").unwrap();
    assert_eq!(
        limits.get("frame_bytes").and_then(Value::as_u64),
        Some(16 << 20)
    );
    assert_eq!(limits.get("in_flight").and_then(Value::as_u64), Some(256));
    let Some(Value::Array(ops)) = answer.get("ops") else {
        panic!("{answer:?}")
    };
    assert!(
        ops.contains(&"push".into()) && ops.contains(&"retrieve".into()),
        "{ops:?}"
    );
    assert_eq!(answer.get("souls"), Some(&Value::Array(vec![])));
}

#[test]
fn a_wrong_token_is_refused_and_the_connection_closed() {
    let daemon = Daemon::start();
    let token = daemon.ready()["token"].as_str().unwrap().to_owned();
    for wrong in ["", "0", &"0".repeat(64), &token[..63], &format!("{token}0")] {
        let mut client = daemon.dial();
        assert_eq!(
            code(client.call(Op::Hello, None, hello(wrong))),
            ErrorCode::Unauthenticated,
            "{wrong:?}"
        );
        assert!(client.is_closed());
    }
    assert_serves(&daemon);
}

#[test]
fn anything_before_hello_is_refused_and_the_connection_closed() {
    let daemon = Daemon::start();
    let mut client = daemon.dial();
    assert_eq!(
        code(client.call(Op::Ping, None, map([]))),
        ErrorCode::Unauthenticated
    );
    assert!(client.is_closed());

    let mut client = daemon.dial();
    let mut request = frame_of(&mut client, Op::Ping);
    replace(&mut request, b"ping", b"pong");
    client.send_frame(&request);
    assert_eq!(
        client.receive_error().error.code,
        ErrorCode::Unauthenticated
    );
    assert!(client.is_closed());
    assert_serves(&daemon);
}

#[test]
fn a_connection_that_says_nothing_is_told_and_closed() {
    let daemon = Daemon::start_with(&["--set", "server.hello_timeout_ms=50"]);
    let mut client = daemon.dial();
    assert_eq!(
        client.receive_error().error.code,
        ErrorCode::Unauthenticated
    );
    assert!(client.is_closed());
}

#[test]
fn another_version_is_refused_with_those_spoken() {
    let daemon = Daemon::start();
    let mut client = daemon.dial();
    let mut request = frame_of(&mut client, Op::Hello);
    replace(&mut request, b"\xa1v\x01", b"\xa1v\x02");
    client.send_frame(&request);
    let refused = client.receive_error();
    assert_eq!(refused.error.code, ErrorCode::UnsupportedVersion);
    assert_eq!(
        refused.error.details,
        Some(map([("versions", vec![1_u64].into())]))
    );
}

#[test]
fn an_unknown_op_is_an_error_and_nothing_more() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let mut request = frame_of(&mut client, Op::Ping);
    replace(&mut request, b"ping", b"sing");
    client.send_frame(&request);
    let refused = client.receive_error();
    assert_eq!(refused.error.code, ErrorCode::UnknownOp);
    assert_eq!(refused.op.as_deref(), Some("sing"));
    assert!(refused.msg_id.is_some());
    client.call(Op::Ping, None, map([])).unwrap();
}

/// NUL characters, of which a message that repeats them as escapes would be five times as long.
#[test]
fn an_error_is_short_however_long_what_it_is_about() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    client.call(Op::SoulCreate, Some("ann"), map([])).unwrap();
    let long = "\0".repeat(15 << 20);
    let wrong_type = map([
        ("role", "user".into()),
        ("text", "hi".into()),
        ("tag", long.as_str().into()),
    ]);
    let wrong_variant = map([("role", long.as_str().into()), ("text", "hi".into())]);
    for message in [wrong_type, wrong_variant] {
        let payload = map([("messages", vec![message].into())]);
        let refused = client.call(Op::Push, Some("ann"), payload).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument);
        assert!(refused.message.len() < 3_000, "{}", refused.message.len());
    }
    let options = Value::Map(vec![(long.clone(), 1_u64.into())]);
    let payload = map([("text", "hi".into()), ("options", options)]);
    let refused = client.call(Op::Retrieve, Some("ann"), payload).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    assert!(refused.field().unwrap().len() < 3_000);

    let envelope = map([
        ("v", 1_u64.into()),
        ("kind", "req".into()),
        ("msg_id", 77_u64.into()),
        ("op", long.into()),
    ]);
    client.send_frame(&soulmem_proto::encode(&envelope).unwrap());
    let refused = client.receive_error();
    assert_eq!(refused.error.code, ErrorCode::UnknownOp);
    assert_eq!((refused.msg_id, refused.op), (Some(77), None));
    client.call(Op::Ping, None, map([])).unwrap();
}

#[test]
fn garbage_in_a_good_frame_is_an_error_and_the_connection_goes_on() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    for garbage in [
        &b""[..],
        b"\xc1",
        b"\xc0",
        b"hello there",
        b"\xdf\xff\xff\xff\xff",
        &vec![0x91; 100_000],
    ] {
        client.send_frame(garbage);
        let refused = client.receive_error();
        assert_eq!(refused.error.code, ErrorCode::BadEnvelope, "{garbage:?}");
        assert_eq!(refused.msg_id, None);
    }
    client.call(Op::Ping, None, map([])).unwrap();
}

#[test]
fn garbage_instead_of_frames_closes_the_connection() {
    let daemon = Daemon::start();
    let mut client = daemon.dial();
    client.send_raw(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // "GET " is a length of a gigabyte.
    assert_eq!(client.receive_error().error.code, ErrorCode::TooLarge);
    assert!(client.is_closed());
    assert_serves(&daemon);
}

#[test]
fn a_length_of_four_gigabytes_is_answered_without_waiting_for_them() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    client.send_raw(&u32::MAX.to_be_bytes());
    let refused = client.receive_error();
    assert_eq!(refused.error.code, ErrorCode::TooLarge);
    assert_eq!(refused.msg_id, None);
    assert!(client.is_closed());
    assert_serves(&daemon);
}

#[test]
fn the_largest_frame_is_taken_and_one_byte_more_is_not() {
    let daemon = Daemon::start_with(&["--set", "server.max_frame_bytes=65536"]);
    let mut client = daemon.connect();
    let mut request = client.request(Op::Ping, None, map([("padding", "".into())]));
    let bare = request.clone().to_frame().unwrap().len();
    // A text of that length has a header of three bytes instead of one.
    let padding = 65_536 - bare - 2;
    request.payload = map([("padding", "x".repeat(padding).into())]);
    let frame = request.to_frame().unwrap();
    assert_eq!(frame.len(), 65_536);
    client.send_frame(&frame);
    assert!(matches!(client.receive(), Some(Reply::Response { .. })));
    client.send_frame(&[frame, vec![0]].concat());
    assert_eq!(client.receive_error().error.code, ErrorCode::TooLarge);
    assert!(client.is_closed());
}

#[test]
fn half_a_frame_harms_nobody() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let request = frame_of(&mut client, Op::Ping);
    client.send_raw(&[0, 0]);
    drop(client);
    let mut client = daemon.connect();
    client.send_raw(&u32::try_from(request.len()).unwrap().to_be_bytes());
    client.send_raw(&request[..request.len() / 2]);
    client.shutdown_write();
    assert!(client.is_closed());
    assert_serves(&daemon);
}

#[test]
fn a_frame_that_comes_byte_by_byte_is_answered() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let request = frame_of(&mut client, Op::Ping);
    client.stream().set_nodelay(true).unwrap();
    for byte in [
        &u32::try_from(request.len()).unwrap().to_be_bytes(),
        &request[..],
    ]
    .concat()
    {
        client.send_raw(&[byte]);
    }
    assert!(matches!(client.receive(), Some(Reply::Response { .. })));
}

#[test]
fn ten_thousand_pipelined_requests_get_one_answer_each() {
    const COUNT: u64 = 10_000;
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let first = client.request(Op::Ping, None, map([])).msg_id + 1;
    let requests: Vec<Request> = (0..COUNT)
        .map(|_| client.request(Op::Ping, None, map([])))
        .collect();
    let mut stream = client.stream().try_clone().unwrap();
    let sender = std::thread::spawn(move || {
        for request in requests {
            let frame = request.to_frame().unwrap();
            let length = u32::try_from(frame.len()).unwrap().to_be_bytes();
            stream.write_all(&[&length[..], &frame].concat()).unwrap();
        }
    });
    let mut answered = HashSet::new();
    for _ in 0..COUNT {
        let id = match client.receive().unwrap() {
            Reply::Response { msg_id, .. } => msg_id,
            // Sending faster than is answered meets the in-flight limit, which is an answer too.
            Reply::Error(refused) => {
                assert_eq!(refused.error.code, ErrorCode::Overloaded);
                assert!(refused.error.retryable);
                refused.msg_id.unwrap()
            }
            Reply::Event(event) => panic!("{event:?}"),
        };
        assert!(answered.insert(id), "two answers to {id}");
    }
    sender.join().unwrap();
    assert_eq!(answered, (first..first + COUNT).collect());
}

#[test]
fn requests_sent_before_any_answer_is_read_do_not_hang() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    for _ in 0..32 {
        let request = client.request(
            Op::Ping,
            None,
            map([("padding", "x".repeat(50_000).into())]),
        );
        client.send(request);
    }
    for _ in 0..32 {
        assert!(matches!(client.receive(), Some(Reply::Response { .. })));
    }
}

#[test]
fn a_client_that_never_reads_is_cut_off_and_others_are_served() {
    let daemon = Daemon::start_with(&["--set", "server.max_outgoing_bytes=1048576"]);
    let mut silent = daemon.connect();
    let mut refused = silent.request(Op::Ping, Some("nobody"), map([]));
    refused.payload = map([("padding", "x".into())]);
    let frame = refused.to_frame().unwrap();
    let framed = [
        &u32::try_from(frame.len()).unwrap().to_be_bytes()[..],
        &frame,
    ]
    .concat();
    // The daemon closes the connection once a megabyte of answers waits, which sending then meets.
    let mut stream = silent.stream();
    let cut_off = (0..10_000_000).any(|_| stream.write_all(&framed).is_err());
    assert!(cut_off);
    assert_serves(&daemon);
}

#[test]
fn a_client_that_leaves_in_the_middle_harms_nobody() {
    let daemon = Daemon::start();
    for _ in 0..20 {
        let mut client = daemon.connect();
        for _ in 0..50 {
            let request =
                client.request(Op::Ping, None, map([("padding", "x".repeat(1_000).into())]));
            client.send(request);
        }
        drop(client);
    }
    assert_serves(&daemon);
}

#[test]
fn a_client_that_only_stops_sending_gets_its_answers() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    for _ in 0..10 {
        let request = client.request(Op::Ping, None, map([]));
        client.send(request);
    }
    client.shutdown_write();
    for _ in 0..10 {
        assert!(matches!(client.receive(), Some(Reply::Response { .. })));
    }
    assert!(client.receive().is_none());
}

#[test]
fn a_deadline_that_has_passed_is_told() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let mut request = client.request(Op::Ping, None, map([]));
    request.deadline_ms = Some(0);
    let error = client.ask(request).unwrap_err();
    assert_eq!(error.code, ErrorCode::DeadlineExceeded);
    assert!(error.retryable);
    let mut request = client.request(Op::Ping, None, map([]));
    request.deadline_ms = Some(u64::MAX);
    client.ask(request).unwrap();
}

#[test]
fn connections_over_the_limit_are_turned_away() {
    let daemon = Daemon::start_with(&["--set", "server.max_connections=2"]);
    let first = daemon.connect();
    let _second = daemon.connect();
    let token = daemon.ready()["token"].as_str().unwrap().to_owned();
    let mut third = daemon.dial();
    let refused = third.call(Op::Hello, None, hello(&token)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Overloaded);
    assert!(third.is_closed());
    drop(first);
    // The place is free once the daemon has seen the connection go.
    let served = (0..10_000).any(|_| {
        let mut client = daemon.dial();
        matches!(client.call_or_closed(Op::Hello, hello(&token)), Some(Ok(_)))
    });
    assert!(served);
}

#[test]
fn strangers_who_say_nothing_do_not_keep_others_out() {
    let daemon = Daemon::start_with(&[
        "--set",
        "server.max_greeting=2",
        "--set",
        "server.max_connections=2",
        "--set",
        "server.hello_timeout_ms=1000",
    ]);
    let _silent: Vec<Client> = (0..6).map(|_| daemon.dial()).collect();
    assert_serves(&daemon);
}

#[test]
fn a_frame_of_tiny_values_costs_no_more_than_its_connection_may_take() {
    let daemon = Daemon::start_with(&["--set", "server.max_in_flight_bytes=1048576"]);
    let mut client = daemon.connect();
    let tiny = Value::Array(vec![0_u64.into(); 20_000]);
    let mut request = client.request(Op::Ping, None, map([("padding", tiny)]));
    client.send(request.clone());
    let refused = client.receive_error();
    assert_eq!(
        (refused.error.code, refused.msg_id),
        (ErrorCode::TooLarge, None)
    );
    request.payload = map([("padding", "x".repeat(20_000).into())]);
    client.ask(request).unwrap();
}

#[test]
fn lists_in_a_request_are_bounded_and_hello_tells_how_long() {
    let daemon = Daemon::start();
    let token = daemon.ready()["token"].as_str().unwrap().to_owned();
    let welcome = daemon.dial().call(Op::Hello, None, hello(&token)).unwrap();
    let most = |limit: &str| {
        let limit = welcome.get("limits").and_then(|limits| limits.get(limit));
        usize::try_from(limit.and_then(Value::as_u64).unwrap()).unwrap()
    };
    let mut client = daemon.connect();
    client.call(Op::SoulCreate, Some("ann"), map([])).unwrap();
    let id: Value = "0190163d-8694-739b-aea5-966c26f8ad91".into();
    let ids = |count: usize| map([("ids", Value::Array(vec![id.clone(); count]))]);
    for op in [Op::NoteGet, Op::NoteDelete, Op::LinkDelete] {
        let refused = client
            .call(op, Some("ann"), ids(most("ids") + 1))
            .unwrap_err();
        assert_eq!(
            (refused.code, refused.field()),
            (ErrorCode::TooLarge, Some("ids"))
        );
    }
    client
        .call(Op::NoteDelete, Some("ann"), ids(most("ids")))
        .unwrap();
    let note = crate::wire::note("tea");
    let notes = map([(
        "notes",
        Value::Array(vec![note.clone(); most("put_notes") + 1]),
    )]);
    let refused = client.call(Op::NotePut, Some("ann"), notes).unwrap_err();
    assert_eq!(
        (refused.code, refused.field()),
        (ErrorCode::TooLarge, Some("notes"))
    );
    let tags = Value::Array(vec!["t".into(); most("list_entries") + 1]);
    let many_tags = crate::wire::with(&note, "tags", tags);
    let notes = map([("notes", vec![many_tags].into())]);
    let refused = client.call(Op::NotePut, Some("ann"), notes).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    assert_eq!(refused.field(), Some("notes[0].tags"));
}

fn frame_of(client: &mut Client, op: Op) -> Vec<u8> {
    client.request(op, None, map([])).to_frame().unwrap()
}

fn replace(frame: &mut [u8], old: &[u8], new: &[u8]) {
    let at = frame
        .windows(old.len())
        .position(|part| part == old)
        .unwrap();
    frame[at..at + old.len()].copy_from_slice(new);
}
