//! The words of the wire: operations, events, error codes, souls and limits.

use soulmem_proto::{ErrorCode, EventName, Limits, Op, SoulName, Value, to_value};

#[test]
fn operations_are_those_of_the_protocol() {
    let table: Vec<(&str, bool, bool)> = Op::ALL
        .into_iter()
        .map(|op| (op.as_str(), op.needs_soul(), op.writes()))
        .collect();
    let protocol = [
        ("hello", false, false),
        ("ping", false, false),
        ("health", false, false),
        ("soul.create", true, true),
        ("soul.list", false, false),
        ("soul.owner", true, false),
        ("shutdown", false, false),
        ("push", true, true),
        ("retrieve", true, false),
        ("consolidate", true, true),
        ("checkpoint", true, true),
        ("note.get", true, false),
        ("note.put", true, true),
        ("note.list", true, false),
        ("link.put", true, true),
        ("link.delete", true, true),
        ("note.delete", true, true),
        ("feedback", true, true),
        ("forget", true, true),
        ("message.list", true, false),
        ("stats", true, false),
        ("subscribe", true, false),
        ("unsubscribe", true, false),
        ("import", true, true),
        ("soul.drop", true, true),
        ("note.supersede", true, true),
        ("erase", true, true),
        ("backup", false, false),
        ("restore", false, false),
        ("doctor", true, false),
        ("export", true, false),
    ];
    assert_eq!(table, protocol);
}

#[test]
fn names_are_found_again() {
    assert!(
        Op::ALL
            .into_iter()
            .all(|op| Op::parse(op.as_str()) == Some(op))
    );
    assert!(
        EventName::ALL
            .into_iter()
            .all(|event| EventName::parse(event.as_str()) == Some(event))
    );
    assert_eq!(Op::parse("fly"), None);
    assert_eq!(Op::parse("Push"), None);
}

#[test]
fn names_are_written_as_they_are_called() {
    for code in ErrorCode::ALL {
        assert_eq!(to_value(&code).unwrap(), Value::from(code.as_str()));
    }
    for event in EventName::ALL {
        assert_eq!(to_value(&event).unwrap(), Value::from(event.as_str()));
    }
}

#[test]
fn only_what_may_pass_is_retryable() {
    let retryable: Vec<&str> = ErrorCode::ALL
        .into_iter()
        .filter(|code| code.retryable())
        .map(ErrorCode::as_str)
        .collect();
    assert_eq!(
        retryable,
        ["overloaded", "deadline_exceeded", "unavailable"]
    );
}

#[test]
fn souls_have_1_to_64_plain_characters() {
    let longest = "a".repeat(64);
    for good in ["a", "xiao-hong_2", "-", "_", "0", &longest] {
        assert_eq!(good.parse::<SoulName>().unwrap().as_str(), good);
    }
    let too_long = "a".repeat(65);
    for bad in [
        "", "A", "a b", "a.b", "..", "a/b", "é", "小红", "a\0", "a\n", &too_long,
    ] {
        assert!(bad.parse::<SoulName>().is_err(), "{bad:?}");
    }
}

#[test]
fn limits_are_those_of_the_protocol() {
    let Limits {
        frame_bytes,
        text_bytes,
        push_messages,
        put_notes,
        put_links,
        ids,
        list_entries,
        in_flight_bytes,
        in_flight,
        write_queue_bytes,
        open_souls,
    } = Limits::default();
    assert_eq!(
        (frame_bytes, text_bytes, write_queue_bytes),
        (16 << 20, 1 << 20, 32 << 20)
    );
    assert_eq!((push_messages, in_flight, open_souls), (1_000, 256, 64));
    assert_eq!(
        (put_notes, put_links, ids, list_entries, in_flight_bytes),
        (1_000, 10_000, 10_000, 1_000, 256 << 20)
    );
}
