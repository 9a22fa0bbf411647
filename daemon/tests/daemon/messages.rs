//! What is said goes in once, in order, whole, and stays.

use soulmem_proto::{ErrorCode, Op, Reply, Value};

use crate::support::{Daemon, map};
use crate::wire::{created, list, log, message, messages, push, text, with};

#[test]
fn what_was_pushed_is_there_after_a_clean_end_and_after_a_kill() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let answer = push(&mut client, "ann", "我昨天去了西湖");
    assert_eq!(list(&answer, "ids").len(), 1);
    assert_eq!(
        answer.get("window"),
        Some(&map([("capacity", 12_u64.into()), ("len", 1_u64.into())]))
    );
    assert_eq!(answer.get("duplicate"), Some(&false.into()));

    let daemon = Daemon::start_in(daemon.stop(), &[]);
    push(&mut daemon.connect(), "ann", "and then the museum");
    let daemon = Daemon::start_in(daemon.kill(), &[]);
    assert_eq!(
        log(&mut daemon.connect(), "ann"),
        ["我昨天去了西湖", "and then the museum"]
    );
}

#[test]
fn every_text_comes_back_as_it_went_in() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let texts = [
        String::new(),
        "NUL \0 in the middle".to_owned(),
        "👩‍👩‍👧‍👦 🏳️‍🌈 🇨🇳".to_owned(),
        "שלום עולם، مرحبا بالعالم".to_owned(),
        "e\u{301} n\u{303} \u{1112}\u{1161}\u{11ab}".to_owned(),
        "\u{202e}turned\u{202c}".to_owned(),
        "汉".repeat((1 << 20) / 3),
    ];
    for text in &texts {
        push(&mut client, "ann", text);
    }
    assert_eq!(log(&mut client, "ann"), texts);
    let daemon = Daemon::start_in(daemon.stop(), &[]);
    assert_eq!(log(&mut daemon.connect(), "ann"), texts);
}

#[test]
fn a_repeated_key_returns_the_first_answer_and_writes_nothing() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let mut request = client.request(Op::Push, Some("ann"), messages([message("once")]));
    request.idempotency_key = Some("key-1".to_owned());
    let first = client.ask(request.clone()).unwrap();
    let daemon = Daemon::start_in(daemon.kill(), &[]);
    let mut client = daemon.connect();
    request.msg_id += 1_000;
    let again = client.ask(request.clone()).unwrap();
    assert_eq!(again.get("ids"), first.get("ids"));
    assert_eq!(again.get("duplicate"), Some(&true.into()));
    assert_eq!(log(&mut client, "ann"), ["once"]);
    // The same key for something else is a mistake of the caller.
    request.msg_id += 1_000;
    request.payload = messages([message("something else")]);
    assert_eq!(client.ask(request).unwrap_err().code, ErrorCode::Conflict);
}

#[test]
fn a_push_that_waited_in_another_outbox_before_is_the_same_push_under_its_key() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let mut push = |text: &str, (outbox, seq): (&str, u64), key: Option<&str>| {
        let origin = map([("id", outbox.into()), ("seq", seq.into())]);
        let payload = with(&messages([message(text)]), "origin", origin);
        let mut request = client.request(Op::Push, Some("ann"), payload);
        request.idempotency_key = key.map(str::to_owned);
        client.ask(request)
    };
    let first = push("once", ("before", 4), Some("key-1")).unwrap();
    let again = push("once", ("after", 1), Some("key-1")).unwrap();
    assert_eq!(again.get("ids"), first.get("ids"));
    assert_eq!(again.get("duplicate"), Some(&true.into()));
    // Its number counts as seen there too, and will when the key is forgotten.
    let late = push("once", ("after", 1), None).unwrap();
    assert_eq!(list(&late, "ids"), []);
    // Another push under the key is refused, and its number not used up.
    let refused = push("twice", ("after", 2), Some("key-1")).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    push("twice", ("after", 2), None).unwrap();
    assert_eq!(log(&mut client, "ann"), ["once", "twice"]);
}

#[test]
fn a_push_that_is_not_right_names_the_field_and_keeps_nothing() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let too_long = "x".repeat((1 << 20) + 1);
    let cases = [
        (messages([]), ErrorCode::InvalidArgument, "messages"),
        (map([]), ErrorCode::InvalidArgument, "messages"),
        (
            messages([message("good"), map([("role", "user".into())])]),
            ErrorCode::InvalidArgument,
            "messages[1].text",
        ),
        (
            messages([with(&message("x"), "role", "robot".into())]),
            ErrorCode::InvalidArgument,
            "messages[0].role",
        ),
        (
            messages([with(&message("x"), "tz", "Mars/Base".into())]),
            ErrorCode::InvalidArgument,
            "messages[0].tz",
        ),
        (
            messages([with(&message("x"), "at", "yesterday".into())]),
            ErrorCode::InvalidArgument,
            "messages[0].at",
        ),
        (
            messages([message("good"), message(&too_long)]),
            ErrorCode::TooLarge,
            "messages[1].text",
        ),
        (
            messages([with(&message("x"), "name", "n".repeat(1_025).into())]),
            ErrorCode::TooLarge,
            "messages[0].name",
        ),
        (
            map([("messages", Value::Array(vec![message("x"); 1_001]))]),
            ErrorCode::TooLarge,
            "messages",
        ),
    ];
    for (payload, expected, field) in cases {
        let refused = client.call(Op::Push, Some("ann"), payload).unwrap_err();
        assert_eq!(
            (refused.code, refused.field()),
            (expected, Some(field)),
            "{}",
            refused.message
        );
    }
    assert_eq!(log(&mut client, "ann"), [""; 0]);
    let thousand = map([("messages", Value::Array(vec![message("x"); 1_000]))]);
    assert_eq!(
        list(
            &client.call(Op::Push, Some("ann"), thousand).unwrap(),
            "ids"
        )
        .len(),
        1_000
    );
}

#[test]
fn the_log_can_be_read_by_time_and_talk() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    for (text, at, session) in [
        ("one", "2026-05-01T10:00:00Z", "first"),
        ("two", "2026-05-02T10:00:00+08:00", "second"),
        ("three", "2026-05-03T10:00:00Z", "second"),
    ] {
        let full = with(
            &with(&message(text), "at", at.into()),
            "session",
            session.into(),
        );
        let full = with(
            &with(&full, "tz", "Asia/Shanghai".into()),
            "name",
            "Bo".into(),
        );
        client
            .call(Op::Push, Some("ann"), messages([full]))
            .unwrap();
    }
    let mut listed = |filter: Value| {
        let page = client.call(Op::MessageList, Some("ann"), filter).unwrap();
        list(&page, "messages")
            .iter()
            .map(|message| text(message, "text").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        listed(map([("session", "second".into())])),
        ["two", "three"]
    );
    assert_eq!(
        listed(map([("from", "2026-05-02T02:00:00Z".into())])),
        ["two", "three"]
    );
    assert_eq!(
        listed(map([("to", "2026-05-02T02:00:00Z".into())])),
        ["one"]
    );
    let page = client.call(Op::MessageList, Some("ann"), map([])).unwrap();
    let first = &list(&page, "messages")[1];
    assert_eq!(
        (text(first, "at"), text(first, "name"), text(first, "role")),
        ("2026-05-02T02:00:00Z", "Bo", "user")
    );
    assert_eq!(
        client
            .call(Op::MessageList, Some("ann"), map([("limit", 0_u64.into())]))
            .unwrap_err()
            .field(),
        Some("limit")
    );
}

#[test]
fn pipelined_pushes_of_one_connection_are_kept_in_their_order() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let texts: Vec<String> = (0..200).map(|n| format!("line {n}")).collect();
    for text in &texts {
        let request = client.request(Op::Push, Some("ann"), messages([message(text)]));
        client.send(request);
    }
    for _ in &texts {
        assert!(matches!(client.receive(), Some(Reply::Response { .. })));
    }
    assert_eq!(log(&mut client, "ann"), texts);
}

#[test]
fn eight_clients_at_once_lose_and_double_nothing() {
    let daemon = Daemon::start();
    created(&daemon, "ann");
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let mut client = daemon.connect();
            scope.spawn(move || {
                for n in 0..25 {
                    push(&mut client, "ann", &format!("{writer}:{n}"));
                }
            });
        }
    });
    let texts = log(&mut daemon.connect(), "ann");
    for writer in 0..8 {
        let own: Vec<&String> = texts
            .iter()
            .filter(|text| text.starts_with(&format!("{writer}:")))
            .collect();
        let expected: Vec<String> = (0..25).map(|n| format!("{writer}:{n}")).collect();
        assert_eq!(own, expected.iter().collect::<Vec<_>>());
    }
    assert_eq!(texts.len(), 200);
}
