//! Forgetting over the wire and from the command line.

use soulmem_proto::ops::forget::{ForgetReport, ForgetResponse};
use soulmem_proto::{ErrorCode, Op, Reply, Value, from_value};

use crate::support::{Daemon, code, map};
use crate::wire::{created, list, note, put, text};

#[test]
fn a_round_is_reported_told_and_done_once_for_a_key() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    put(&mut client, "ann", vec![note("rain"), note("snow")]).unwrap();
    let mut watcher = daemon.connect();
    let events = map([("events", vec!["forgotten"].into())]);
    watcher.call(Op::Subscribe, Some("ann"), events).unwrap();

    let later = || map([("now", "2100-01-01T00:00:00Z".into())]);
    let answer = client.call(Op::Forget, Some("ann"), later()).unwrap();
    let ForgetResponse { report, .. } = from_value(answer).unwrap();
    assert_eq!((report.checked, report.archived), (2, 2));
    match watcher.receive() {
        Some(Reply::Event(event)) => {
            assert_eq!(event.name, "forgotten");
            assert_eq!(from_value::<ForgetReport>(event.payload).unwrap(), report);
        }
        other => panic!("{other:?}"),
    }
    let restored = put_back(&mut client);
    assert_eq!(restored.len(), 2);
}

fn put_back(client: &mut crate::support::Client) -> Vec<Value> {
    let all = client.call(Op::NoteList, Some("ann"), map([])).unwrap();
    let ids: Vec<Value> = list(&all, "notes")
        .iter()
        .map(|note| text(note, "id").into())
        .collect();
    let answer = client
        .call(
            Op::Forget,
            Some("ann"),
            map([("restore", Value::Array(ids))]),
        )
        .unwrap();
    list(&answer, "restored")
}

#[test]
fn what_is_not_right_is_named() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    for (payload, field) in [
        (
            map([("limit", 0_u64.into()), ("dry_run", true.into())]),
            "limit",
        ),
        (
            map([
                ("dry_run", true.into()),
                (
                    "restore",
                    vec!["00000000-0000-7000-8000-000000000001"].into(),
                ),
            ]),
            "restore",
        ),
    ] {
        let error = client.call(Op::Forget, Some("ann"), payload).unwrap_err();
        assert_eq!(
            (error.code, error.field()),
            (ErrorCode::InvalidArgument, Some(field))
        );
    }
    let nobody = map([(
        "restore",
        vec!["00000000-0000-7000-8000-000000000001"].into(),
    )]);
    assert_eq!(
        code(client.call(Op::Forget, Some("ann"), nobody)),
        ErrorCode::NotFound
    );
}

#[test]
fn a_character_left_alone_forgets_by_itself() {
    let daemon = Daemon::start_with(&["--set", "souls.idle_after_ms=100"]);
    let mut watcher = created(&daemon, "ann");
    let events = map([("events", vec!["forgotten"].into())]);
    watcher.call(Op::Subscribe, Some("ann"), events).unwrap();
    put(&mut daemon.connect(), "ann", vec![note("rain")]).unwrap();
    match watcher.receive() {
        Some(Reply::Event(event)) => assert_eq!(event.name, "forgotten"),
        other => panic!("{other:?}"),
    }
}

fn both_sides_are_shown(run: &dyn Fn(&[&str]) -> String, id: &str) {
    let read = || -> serde_json::Value {
        serde_json::from_str(&run(&["note", "get", "-s", "ann", "--json", id])).unwrap()
    };
    assert_eq!(read().get("remembered"), None, "it is what it was");
    run(&["forget", "-s", "ann", "--now", "2100-01-01T00:00:00Z"]);
    let note = read();
    assert_eq!(note["id"], id);
    assert!(note["remembered"]["archived_at"].is_string(), "{note}");
    assert!(note["remembered"]["degree"].is_number(), "{note}");
    let table = run(&["note", "get", "-s", "ann", id]);
    assert!(table.contains("out of recall since"), "{table}");
    for _ in 0..2 {
        let back = run(&["forget", "-s", "ann", "--restore", id]);
        assert!(back.starts_with("1 note is in recall"), "{back}");
        assert_eq!(read().get("remembered"), None);
    }
}

#[test]
fn the_command_line_shows_forgets_and_draws() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let put = put(
        &mut client,
        "ann",
        vec![note("the heron stood in the shallows all afternoon long")],
    )
    .unwrap();
    let id = text(&put[0], "id");
    let run = |arguments: &[&str]| {
        let output = daemon.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = run(&[
        "forget",
        "-s",
        "ann",
        "--preview",
        "--now",
        "2100-01-01T00:00:00Z",
    ]);
    assert!(
        shown.contains(id) && shown.contains("out of recall"),
        "{shown}"
    );
    assert!(shown.contains("masked"), "{shown}");
    assert!(
        !shown
            .lines()
            .any(|line| line.contains(id) && line.contains("told anew")),
        "no model tells it anew: {shown}"
    );
    let done = run(&["forget", "-s", "ann"]);
    assert!(done.contains("checked"), "{done}");
    both_sides_are_shown(&run, id);
    for arguments in [
        &["forget", "--plot", "profile.svg", "--profile", "seed"][..],
        &["forget", "-s", "ann", "--note", id, "--plot", "note.svg"],
    ] {
        let mut command = daemon.command(arguments);
        let output = command.current_dir(daemon.folder()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let mut bitmap = daemon.command(&["forget", "--plot", "profile.png"]);
    let refused = bitmap.output().unwrap();
    assert_eq!(refused.status.code(), Some(64));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("--plot") && said.contains(".svg"), "{said}");
    for file in ["profile.svg", "note.svg"] {
        let picture = std::fs::read_to_string(daemon.folder().join(file)).unwrap();
        assert!(
            picture.contains("half-life") || picture.contains("recalled"),
            "{file}"
        );
    }
    let usage = daemon.command(&["forget"]).output().unwrap();
    assert_eq!(usage.status.code(), Some(64));
}
