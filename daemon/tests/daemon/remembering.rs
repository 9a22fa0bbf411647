//! What comes to mind, over the wire.

use soulmem_proto::{ErrorCode, Op, Value};

use crate::support::{Daemon, map};
use crate::wire::{
    created, list, message, messages, note, number, push, put, retrieve, text, texts, with,
};

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
