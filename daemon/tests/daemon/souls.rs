//! Characters: making, naming, opening and looking at them.

use soulmem_proto::{ErrorCode, Op, Request};

use crate::support::{Daemon, code, map};
use crate::wire::{created, list, log, message, messages, note, number, push, put, text};

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
fn characters_that_are_closed_and_opened_under_many_clients_lose_nothing() {
    let daemon = Daemon::start_with(&["--set", "souls.max_open=2"]);
    let names: Vec<String> = (0..4).map(|n| format!("soul-{n}")).collect();
    for name in &names {
        created(&daemon, name);
    }
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (mut client, names) = (daemon.connect(), &names);
            scope.spawn(move || {
                // Four characters that are all in use do not fit into two places: whoever comes third waits.
                for n in 0..40 {
                    push(&mut client, &names[(writer + n) % 4], &n.to_string());
                }
            });
        }
    });
    let mut client = daemon.connect();
    for name in &names {
        assert_eq!(log(&mut client, name).len(), 40);
    }
}

#[test]
fn a_character_can_have_a_window_of_its_own() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let own = map([("window", map([("capacity", 3_u64.into())]))]);
    client
        .call(Op::SoulCreate, Some("ann"), map([("config", own.clone())]))
        .unwrap();
    let refused = client.call(
        Op::SoulCreate,
        Some("bo"),
        map([("config", map([("windows", own)]))]),
    );
    assert_eq!(refused.unwrap_err().field(), Some("config.windows"));
    let daemon = Daemon::start_in(daemon.stop(), &[]);
    let said = push(&mut daemon.connect(), "ann", "hello");
    assert_eq!(number(&said, &["window", "capacity"]), 3);
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

#[test]
fn what_a_character_says_of_itself_is_bounded() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let long = "x".repeat(1_025);
    for field in ["display_name", "locale"] {
        let about = map([(field, long.as_str().into())]);
        let refused = client.call(Op::SoulCreate, Some("ann"), about).unwrap_err();
        assert_eq!(refused.code, ErrorCode::TooLarge);
        assert_eq!(refused.field(), Some(field));
    }
    let about = map([("display_name", long[..1_024].into())]);
    client.call(Op::SoulCreate, Some("ann"), about).unwrap();
}

#[test]
fn a_damaged_character_does_not_hide_the_others() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    client.call(Op::SoulCreate, Some("bo"), map([])).unwrap();
    let folder = daemon.stop();
    std::fs::write(folder.path().join("souls/ann/memory.db"), "no database").unwrap();

    let daemon = Daemon::start_in(folder, &[]);
    let souls = daemon
        .connect()
        .call(Op::SoulList, None, map([]))
        .map(|answer| list(&answer, "souls"));
    let named = |soul: &str| map([("soul", soul.into())]);
    assert_eq!(souls, Ok(vec![named("ann"), named("bo")]));
}
