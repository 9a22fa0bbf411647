//! What goes into a memory, and how it comes out again, over the wire.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use soulmem_proto::{ErrorCode, ErrorPayload, Op, Reply, Request, Value};
use support::{Client, Daemon, code, map};

fn message(text: &str) -> Value {
    map([("role", "user".into()), ("text", text.into())])
}

fn messages<const N: usize>(messages: [Value; N]) -> Value {
    map([("messages", Value::Array(messages.into()))])
}

fn created(daemon: &Daemon, soul: &str) -> Client {
    let mut client = daemon.connect();
    client.call(Op::SoulCreate, Some(soul), map([])).unwrap();
    client
}

fn push(client: &mut Client, soul: &str, text: &str) -> Value {
    client
        .call(Op::Push, Some(soul), messages([message(text)]))
        .unwrap()
}

fn list(answer: &Value, key: &str) -> Vec<Value> {
    match answer.get(key) {
        Some(Value::Array(items)) => items.clone(),
        other => panic!("{key} is {other:?} in {answer:?}"),
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no text {key} in {value:?}"))
}

fn number(value: &Value, path: &[&str]) -> u64 {
    let found = path
        .iter()
        .fold(value, |value, key| value.get(key).unwrap_or(&Value::Nil));
    found
        .as_u64()
        .unwrap_or_else(|| panic!("no number {path:?} in {value:?}"))
}

/// The texts of the whole log, page by page.
fn log(client: &mut Client, soul: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut cursor = Value::Nil;
    loop {
        let payload = map([("limit", 7_u64.into()), ("cursor", cursor)]);
        let page = client.call(Op::MessageList, Some(soul), payload).unwrap();
        texts.extend(
            list(&page, "messages")
                .iter()
                .map(|message| text(message, "text").to_owned()),
        );
        match page.get("cursor") {
            Some(next) => cursor = next.clone(),
            None => return texts,
        }
    }
}

fn note(content: &str) -> Value {
    let semantic = map([
        ("content", content.into()),
        ("concept_type", "Entity".into()),
        ("description", "".into()),
    ]);
    map([("mem_type", map([("Semantic", semantic)]))])
}

fn put(client: &mut Client, soul: &str, notes: Vec<Value>) -> Result<Vec<Value>, ErrorPayload> {
    let answer = client.call(
        Op::NotePut,
        Some(soul),
        map([("notes", Value::Array(notes))]),
    )?;
    Ok(list(&answer, "notes"))
}

fn with(value: &Value, key: &str, entry: Value) -> Value {
    let mut entries = value.as_map().unwrap().to_vec();
    entries.retain(|(name, _)| name != key);
    entries.push((key.to_owned(), entry));
    Value::Map(entries)
}

#[test]
fn a_character_must_be_made_and_is_made_once() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let about = map([("display_name", "小红".into()), ("locale", "zh-CN".into())]);
    let answer = client
        .call(Op::SoulCreate, Some("xiaohong"), about.clone())
        .unwrap();
    assert_eq!(answer, map([("soul", "xiaohong".into())]));
    assert_eq!(
        code(client.call(Op::SoulCreate, Some("xiaohong"), about)),
        ErrorCode::Conflict
    );
    client.call(Op::SoulCreate, Some("ann"), map([])).unwrap();

    let souls = list(&client.call(Op::SoulList, None, map([])).unwrap(), "souls");
    assert_eq!(souls[0], map([("soul", "ann".into())]));
    assert_eq!(text(&souls[1], "display_name"), "小红");
    assert_eq!(text(&souls[1], "locale"), "zh-CN");

    let refused = client
        .call(Op::Push, Some("xiaohogn"), messages([message("hi")]))
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::UnknownSoul);
    assert!(
        refused.message.contains("did you mean `xiaohong`?"),
        "{}",
        refused.message
    );
    assert!(
        refused.message.contains("soul.create"),
        "{}",
        refused.message
    );
    assert_eq!(
        list(&client.call(Op::SoulList, None, map([])).unwrap(), "souls").len(),
        2
    );
}

#[test]
fn making_a_character_again_with_the_same_key_is_the_same_answer() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let mut request = client.request(Op::SoulCreate, Some("ann"), map([("locale", "en".into())]));
    request.idempotency_key = Some("k1".to_owned());
    client.ask(request.clone()).unwrap();
    request.msg_id += 100;
    client.ask(request.clone()).unwrap();
    request.msg_id += 100;
    request.idempotency_key = Some("k2".to_owned());
    client.ask(request.clone()).unwrap();
    push(&mut client, "ann", "now it has something in it");
    request.msg_id += 100;
    request.idempotency_key = Some("k3".to_owned());
    assert_eq!(client.ask(request).unwrap_err().code, ErrorCode::Conflict);
}

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
fn notes_are_created_read_listed_and_replaced_by_revision() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let notes = put(
        &mut client,
        "ann",
        vec![
            note("rain"),
            with(&note("tea"), "tags", vec!["drink"].into()),
        ],
    )
    .unwrap();
    let (rain, tea) = (
        text(&notes[0], "id").to_owned(),
        text(&notes[1], "id").to_owned(),
    );
    assert_eq!(number(&notes[0], &["revision"]), 1);

    let ids = map([("ids", vec![tea.clone(), rain.clone()].into())]);
    let read = list(
        &client.call(Op::NoteGet, Some("ann"), ids).unwrap(),
        "notes",
    );
    assert_eq!(
        (text(&read[0], "id"), text(&read[1], "id")),
        (&*tea, &*rain)
    );

    let tagged = map([("filter", map([("tag", "drink".into())]))]);
    let listed = list(
        &client.call(Op::NoteList, Some("ann"), tagged).unwrap(),
        "notes",
    );
    assert_eq!(
        listed
            .iter()
            .map(|note| text(note, "id"))
            .collect::<Vec<_>>(),
        [&tea]
    );

    let again = with(&note("rain"), "id", rain.clone().into());
    assert_eq!(
        put(&mut client, "ann", vec![again.clone()])
            .unwrap_err()
            .code,
        ErrorCode::Conflict
    );
    let wrong = with(&again, "if_revision", 7_u64.into());
    assert_eq!(
        put(&mut client, "ann", vec![wrong]).unwrap_err().code,
        ErrorCode::Conflict
    );
    let right = with(
        &with(&again, "if_revision", 1_u64.into()),
        "tags",
        vec!["weather"].into(),
    );
    assert_eq!(
        number(
            &put(&mut client, "ann", vec![right]).unwrap()[0],
            &["revision"]
        ),
        2
    );

    let missing = "0190163d-8694-739b-aea5-966c26f8ad91";
    let refused = client.call(
        Op::NoteGet,
        Some("ann"),
        map([("ids", vec![rain, missing.to_owned()].into())]),
    );
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotFound);
    assert!(refused.message.contains(missing), "{}", refused.message);
}

#[test]
fn one_bad_note_keeps_the_good_ones_out_and_is_named() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let refused = put(&mut client, "ann", vec![note("good"), note("  ")]).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    assert_eq!(refused.field(), Some("notes[1].mem_type.Semantic.content"));
    assert_eq!(
        list(
            &client.call(Op::NoteList, Some("ann"), map([])).unwrap(),
            "notes"
        ),
        []
    );
}

#[test]
fn links_join_notes_and_wait_for_those_to_come() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let notes = put(&mut client, "ann", vec![note("rain"), note("umbrella")]).unwrap();
    let (from, to) = (text(&notes[0], "id"), text(&notes[1], "id"));
    let verb = map([("verb", "calls for".into()), ("confidence", 0.9.into())]);
    let link = map([
        ("from", from.into()),
        ("to", to.into()),
        ("link_type", map([("Sem", verb)])),
    ]);
    let later = with(&link, "to", "0190163d-8694-739b-aea5-966c26f8ad91".into());
    let links = map([("links", vec![link.clone(), later].into())]);
    let ids = list(
        &client.call(Op::LinkPut, Some("ann"), links).unwrap(),
        "ids",
    );
    assert_eq!(ids.len(), 2);
    let read = client
        .call(Op::NoteGet, Some("ann"), map([("ids", vec![from].into())]))
        .unwrap();
    assert_eq!(list(&list(&read, "notes")[0], "mem_links").len(), 2);

    let itself = with(&link, "to", from.into());
    let refused = client
        .call(
            Op::LinkPut,
            Some("ann"),
            map([("links", vec![itself].into())]),
        )
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    assert_eq!(refused.field(), Some("links[0].to"));
    let nowhere = with(&link, "from", "0190163d-8694-739b-aea5-966c26f8ad91".into());
    assert_eq!(
        code(client.call(
            Op::LinkPut,
            Some("ann"),
            map([("links", vec![nowhere].into())])
        )),
        ErrorCode::NotFound
    );
}

fn retrieve(client: &mut Client, payload: Value) -> Value {
    client.call(Op::Retrieve, Some("ann"), payload).unwrap()
}

fn texts(answer: &Value, key: &str) -> Vec<String> {
    list(answer, key)
        .iter()
        .map(|hit| text(hit, "text").to_owned())
        .collect()
}

#[test]
fn a_message_is_recalled_from_the_moment_it_is_pushed_and_after_a_restart() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    for said in [
        "我昨天在西湖边看到一只翠鸟",
        "The dentist moved my appointment to Friday",
        "今天吃了红烧肉",
    ] {
        push(&mut client, "ann", said);
        let found = retrieve(&mut client, map([("text", said.into())]));
        assert_eq!(texts(&found, "utterances")[0], said);
    }
    let daemon = Daemon::start_in(daemon.kill(), &[]);
    let mut client = daemon.connect();
    let found = retrieve(&mut client, map([("text", "翠鸟".into())]));
    assert_eq!(texts(&found, "utterances"), ["我昨天在西湖边看到一只翠鸟"]);
    let found = retrieve(&mut client, map([("text", "when is the dentist?".into())]));
    assert_eq!(
        texts(&found, "utterances"),
        ["The dentist moved my appointment to Friday"]
    );
    assert_eq!(texts(&found, "short_history").len(), 3);
    assert_eq!(text(&found, "summary"), "");
}

#[test]
fn notes_are_recalled_by_plain_text_and_by_structured_queries() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let notes = put(
        &mut client,
        "ann",
        vec![note("paragliding"), note("蘑菇汤")],
    )
    .unwrap();
    let found = retrieve(
        &mut client,
        map([("text", "does she like paragliding?".into())]),
    );
    assert_eq!(text(&list(&found, "notes")[0], "id"), text(&notes[0], "id"));
    let concept = map([("concept_identifier", "蘑菇汤".into())]);
    let query = map([("variant", map([("Semantic", Value::Array(vec![concept]))]))]);
    let found = retrieve(&mut client, map([("queries", Value::Array(vec![query]))]));
    let first = &list(&found, "notes")[0];
    assert_eq!(
        (text(first, "id"), text(first, "type")),
        (text(&notes[1], "id"), "semantic")
    );
}

#[test]
fn what_changed_is_recalled_as_it_is_now() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let id = text(
        &put(&mut client, "ann", vec![note("a green umbrella")]).unwrap()[0],
        "id",
    )
    .to_owned();
    retrieve(&mut client, map([("text", "umbrella".into())]));
    let red = with(
        &with(&note("a red parasol"), "id", id.into()),
        "if_revision",
        1_u64.into(),
    );
    put(&mut client, "ann", vec![red]).unwrap();
    let found = retrieve(&mut client, map([("text", "parasol".into())]));
    assert_eq!(texts(&found, "notes"), ["a red parasol"]);
    assert_eq!(
        texts(
            &retrieve(&mut client, map([("text", "green umbrella".into())])),
            "notes"
        ),
        [""; 0]
    );
}

#[test]
fn options_are_obeyed_and_wrong_ones_named() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    for (said, at) in [
        ("tea in March", "2026-03-10T10:00:00Z"),
        ("tea in May", "2026-05-10T10:00:00Z"),
    ] {
        let full = with(&message(said), "at", at.into());
        client
            .call(Op::Push, Some("ann"), messages([full]))
            .unwrap();
    }
    let mut asked = |options: Value| {
        client.call(
            Op::Retrieve,
            Some("ann"),
            map([("text", "tea".into()), ("options", options)]),
        )
    };
    let spring = map([
        ("from", "2026-05-01T00:00:00Z".into()),
        ("hard", true.into()),
    ]);
    let found = asked(map([("time", spring.clone())])).unwrap();
    assert_eq!(texts(&found, "utterances"), ["tea in May"]);
    let found = asked(map([("time", with(&spring, "hard", false.into()))])).unwrap();
    assert_eq!(texts(&found, "utterances"), ["tea in May", "tea in March"]);
    assert_eq!(
        texts(
            &asked(map([("utterances", false.into())])).unwrap(),
            "utterances"
        ),
        [""; 0]
    );
    assert_eq!(
        texts(
            &asked(map([("limit", 1_u64.into())])).unwrap(),
            "utterances"
        )
        .len(),
        1
    );
    let shown = asked(map([("context", true.into()), ("explain", true.into())])).unwrap();
    assert!(
        text(&shown, "context").contains("tea in March"),
        "{shown:?}"
    );
    assert!(
        shown
            .get("trace")
            .and_then(|trace| trace.get("utterances"))
            .is_some(),
        "{shown:?}"
    );

    for (options, field) in [
        (map([("limits", 1_u64.into())]), "options.limits"),
        (map([("limit", 0_u64.into())]), "options.limit"),
        (
            map([("walk", map([("damping", 1.0.into())]))]),
            "options.walk.damping",
        ),
        (
            map([("weights", map([("tag", (-1.0).into())]))]),
            "options.weights.tag",
        ),
    ] {
        let refused = asked(options).unwrap_err();
        assert_eq!(
            (refused.code, refused.field()),
            (ErrorCode::InvalidArgument, Some(field)),
            "{}",
            refused.message
        );
    }
    assert_eq!(
        client
            .call(Op::Retrieve, Some("ann"), map([]))
            .unwrap_err()
            .field(),
        Some("text")
    );
}

#[test]
fn remembering_is_recorded_unless_told_otherwise() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let id = text(
        &put(&mut client, "ann", vec![note("paragliding")]).unwrap()[0],
        "id",
    )
    .to_owned();
    let unrecorded = map([
        ("text", "paragliding".into()),
        ("options", map([("record", false.into())])),
    ]);
    assert_eq!(list(&retrieve(&mut client, unrecorded), "notes").len(), 1);
    assert_eq!(
        list(
            &retrieve(&mut client, map([("text", "paragliding".into())])),
            "notes"
        )
        .len(),
        1
    );
    // The record is written after the answer, and before the daemon ends in good order.
    let daemon = Daemon::start_in(daemon.stop(), &[]);
    let read = daemon
        .connect()
        .call(Op::NoteGet, Some("ann"), map([("ids", vec![id].into())]))
        .unwrap();
    assert_eq!(number(&list(&read, "notes")[0], &["retrieval_count"]), 1);
}

#[test]
fn subscribers_are_told_of_talk_rest_and_changed_notes() {
    let daemon = Daemon::start_with(&["--set", "souls.idle_after_ms=200"]);
    let mut client = created(&daemon, "ann");
    client.call(Op::SoulCreate, Some("bo"), map([])).unwrap();
    let mut watcher = daemon.connect();
    let events = map([("events", vec!["state", "note.changed"].into())]);
    watcher.call(Op::Subscribe, Some("ann"), events).unwrap();
    put(&mut client, "bo", vec![note("somebody else's")]).unwrap();
    let id = text(
        &put(&mut client, "ann", vec![note("rain")]).unwrap()[0],
        "id",
    )
    .to_owned();

    let mut next = || match watcher.receive() {
        Some(Reply::Event(event)) => {
            assert_eq!(event.soul.unwrap().as_str(), "ann");
            (event.name, event.payload)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(
        next(),
        ("state".to_owned(), map([("state", "Working".into())]))
    );
    assert_eq!(
        next(),
        ("note.changed".to_owned(), map([("ids", vec![id].into())]))
    );
    assert_eq!(
        next(),
        ("state".to_owned(), map([("state", "Idle".into())]))
    );

    watcher
        .call(
            Op::Unsubscribe,
            Some("ann"),
            map([("events", vec!["state"].into())]),
        )
        .unwrap();
    put(&mut client, "ann", vec![note("snow")]).unwrap();
    match watcher.receive() {
        Some(Reply::Event(event)) => assert_eq!(event.name, "note.changed"),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        code(watcher.call(
            Op::Subscribe,
            Some("nobody"),
            map([("events", vec!["state"].into())])
        )),
        ErrorCode::UnknownSoul
    );
    let wrong = watcher
        .call(
            Op::Subscribe,
            Some("ann"),
            map([("events", vec!["stae"].into())]),
        )
        .unwrap_err();
    assert_eq!(
        (wrong.code, wrong.field()),
        (ErrorCode::InvalidArgument, Some("events[0]"))
    );
}

#[test]
fn more_characters_than_may_be_open_are_served_all_the_same() {
    let daemon = Daemon::start_with(&["--set", "souls.max_open=2"]);
    let mut client = daemon.connect();
    let names: Vec<String> = (0..5).map(|n| format!("soul-{n}")).collect();
    for name in &names {
        client.call(Op::SoulCreate, Some(name), map([])).unwrap();
    }
    for round in 0..3 {
        for name in &names {
            push(&mut client, name, &format!("{name} {round}"));
        }
    }
    for name in &names {
        let expected: Vec<String> = (0..3).map(|round| format!("{name} {round}")).collect();
        assert_eq!(log(&mut client, name), expected);
    }
    let health = client.call(Op::Health, None, map([])).unwrap();
    assert_eq!(list(&health, "souls").len(), 5);
}

#[test]
fn health_and_stats_say_how_it_is() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    put(&mut client, "ann", vec![note("rain"), note("tea")]).unwrap();
    push(&mut client, "ann", "hello");
    let health = client.call(Op::Health, None, map([])).unwrap();
    let ann = &list(&health, "souls")[0];
    assert_eq!(
        (
            text(ann, "soul"),
            text(ann, "state"),
            number(ann, &["notes"])
        ),
        ("ann", "Working", 2)
    );
    assert_eq!(text(&health, "data_dir"), daemon.folder().to_str().unwrap());
    assert!(number(&health, &["free_bytes"]) > 0);
    assert_eq!(text(health.get("embedding").unwrap(), "condition"), "ready");
    assert_eq!(health.get("llm"), None);

    let stats = client.call(Op::Stats, Some("ann"), map([])).unwrap();
    assert_eq!(number(&stats, &["notes_by_type", "semantic"]), 2);
    assert_eq!(number(&stats, &["notes_by_state", "current"]), 2);
    assert_eq!(number(&stats, &["messages"]), 1);
    assert_eq!(number(&stats, &["index", "documents"]), 3);
    assert_eq!(
        text(&client.call(Op::Ping, None, map([])).unwrap(), "state"),
        "Working"
    );
    assert!(
        client
            .call(Op::Checkpoint, Some("ann"), map([]))
            .unwrap()
            .get("bytes")
            .is_some()
    );
}

#[test]
fn looking_does_not_wake_a_character() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    for op in [Op::Stats, Op::Subscribe] {
        client
            .call(op, Some("ann"), map([("events", vec!["state"].into())]))
            .unwrap();
    }
    client.call(Op::Health, None, map([])).unwrap();
    let health = client.call(Op::Health, None, map([])).unwrap();
    assert_eq!(text(&list(&health, "souls")[0], "state"), "Idle");
    assert_eq!(
        text(&client.call(Op::Ping, None, map([])).unwrap(), "state"),
        "Idle"
    );
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

#[test]
fn a_request_that_must_name_a_character_says_so() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let request = Request {
        soul: None,
        ..client.request(Op::Push, None, messages([message("hi")]))
    };
    let refused = client.ask(request).unwrap_err();
    assert_eq!(
        (refused.code, refused.field()),
        (ErrorCode::InvalidArgument, Some("soul"))
    );
}
