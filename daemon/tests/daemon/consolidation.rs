//! From what was said to what is remembered, over the wire.

use soulmem_proto::{Op, Reply, Value};

use crate::support::{Client, Daemon, map};
use crate::wire::{
    created, list, log, message, messages, number, push, retrieve, text, texts, with,
};

const ANN: Option<&str> = Some("ann");

fn consolidated(client: &mut Client) -> Value {
    let answer = client
        .call(Op::Consolidate, ANN, map([("wait", true.into())]))
        .unwrap();
    answer.get("report").unwrap().clone()
}

fn said(text: &str) -> Value {
    with(&message(text), "name", "Bo".into())
}

fn notes(client: &mut Client, filter: Value) -> Vec<Value> {
    let payload = map([("filter", filter), ("limit", 200_u64.into())]);
    list(&client.call(Op::NoteList, ANN, payload).unwrap(), "notes")
}

/// The contents of the semantic notes with a tag, those that are not current after a cross.
fn known(client: &mut Client, tag: &str) -> Vec<String> {
    let told = |note: &Value| {
        let semantic = note.get("mem_type").unwrap().get("Semantic")?;
        let ended = if note.get("superseded_by").is_some() {
            "✗ "
        } else {
            ""
        };
        Some(format!("{ended}{}", text(semantic, "content")))
    };
    notes(client, map([("tag", tag.into())]))
        .iter()
        .filter_map(told)
        .collect()
}

/// The next event of that name.
fn event(watcher: &mut Client, name: &str) -> Value {
    loop {
        match watcher.receive() {
            Some(Reply::Event(event)) if event.name == name => return event.payload,
            Some(Reply::Event(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn watching(daemon: &Daemon, events: &[&str]) -> Client {
    let mut watcher = daemon.connect();
    let payload = map([("events", events.to_vec().into())]);
    watcher.call(Op::Subscribe, ANN, payload).unwrap();
    watcher
}

#[test]
fn what_was_said_becomes_notes_and_small_talk_stays_in_the_log() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let talk = messages([
        said("Hello!"),
        said("I love flat whites."),
        said("I promise to bring you the map."),
        said("Ha ha."),
    ]);
    client.call(Op::Push, ANN, talk).unwrap();
    let mut watcher = watching(&daemon, &["consolidated"]);
    let report = consolidated(&mut client);
    assert_eq!(number(&report, &["messages"]), 4);
    assert_eq!(
        event(&mut watcher, "consolidated").get("report"),
        Some(&report)
    );
    assert_eq!(known(&mut client, "like"), ["Bo loves flat whites"]);
    assert_eq!(known(&mut client, "promise").len(), 1);
    assert_eq!(log(&mut client, "ann").len(), 4);
    // Nothing is thought over twice.
    let again = consolidated(&mut client);
    assert_eq!(number(&again, &["messages"]), 0);
    assert_eq!(list(&again, "created"), []);
}

#[test]
fn a_sentence_said_fifty_times_is_one_note_that_knows_each_time() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    for _ in 0..50 {
        client
            .call(Op::Push, ANN, messages([said("I love flat whites.")]))
            .unwrap();
    }
    consolidated(&mut client);
    let notes = notes(&mut client, map([("tag", "like".into())]));
    assert_eq!(notes.len(), 1);
    assert_eq!(list(&notes[0], "source").len(), 50);
}

#[test]
fn a_correction_leaves_one_current_note_and_one_past_whether_it_comes_at_once_or_later() {
    for apart in [false, true] {
        let daemon = Daemon::start();
        let mut client = created(&daemon, "ann");
        push_as_bo(&mut client, "I like coriander.");
        if apart {
            consolidated(&mut client);
        }
        push_as_bo(&mut client, "I cannot stand coriander now.");
        let report = consolidated(&mut client);
        assert_eq!(list(&report, "superseded").len(), 1, "{report:?}");
        let all = known(&mut client, "Preference");
        let past = all.iter().filter(|note| note.starts_with('✗')).count();
        assert_eq!((all.len(), past), (2, 1), "{all:?}");
        let found = retrieve(&mut client, map([("text", "coriander".into())]));
        let current: Vec<String> = texts(&found, "notes")
            .into_iter()
            .filter(|note| note.contains("coriander"))
            .collect();
        assert_eq!(current, ["Bo cannot stand coriander now"]);
    }
}

fn push_as_bo(client: &mut Client, text: &str) {
    client.call(Op::Push, ANN, messages([said(text)])).unwrap();
}

#[test]
fn two_people_of_one_name_who_were_introduced_as_different_ones_are_two_notes() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push_as_bo(
        &mut client,
        "My flatmate is called Idris and he plays the trumpet.",
    );
    push_as_bo(&mut client, "My dentist is called Idris and he hums.");
    push_as_bo(&mut client, "My flatmate is called Idris, as I said.");
    consolidated(&mut client);
    let named: Vec<Value> = notes(&mut client, map([("tag", "Knowledge".into())]))
        .into_iter()
        .filter(|note| {
            note.get("mem_type")
                .unwrap()
                .get("Semantic")
                .is_some_and(|semantic| text(semantic, "content") == "Idris")
        })
        .collect();
    assert_eq!(named.len(), 2, "{named:?}");
}

#[test]
fn two_consolidations_at_once_are_one_job() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    for _ in 0..30 {
        push(&mut client, "ann", "I sold my old boat to Nell on Monday.");
    }
    let mut answers = Vec::new();
    for _ in 0..2 {
        let request = client.request(Op::Consolidate, ANN, map([("wait", true.into())]));
        client.send(request);
    }
    for _ in 0..2 {
        match client.receive() {
            Some(Reply::Response { payload, .. }) => answers.push(payload),
            other => panic!("{other:?}"),
        }
    }
    // The second may also have come when the first was done; then it found nothing left to do.
    let messages: u64 = answers
        .iter()
        .map(|answer| number(answer, &["report", "messages"]))
        .sum();
    assert!(answers[0] == answers[1] || messages == 30, "{answers:?}");
}

#[test]
fn a_keyed_consolidation_is_done_once() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push_as_bo(&mut client, "I love flat whites.");
    let mut request = client.request(Op::Consolidate, ANN, map([("wait", true.into())]));
    request.idempotency_key = Some("tonight".to_owned());
    let first = client.ask(request.clone()).unwrap();
    push_as_bo(&mut client, "I hate hot tubs.");
    request.msg_id += 100;
    assert_eq!(client.ask(request).unwrap(), first);
    assert_eq!(known(&mut client, "dislike"), Vec::<String>::new());
}

#[test]
fn a_talk_that_is_over_is_summed_up_and_thought_over_by_itself() {
    let daemon = Daemon::start_with(&["--set", "souls.idle_after_ms=300"]);
    let mut client = created(&daemon, "ann");
    let mut watcher = watching(&daemon, &["state", "window.summarised", "consolidated"]);
    push_as_bo(&mut client, "I love flat whites.");
    let summarised = event(&mut watcher, "window.summarised");
    assert_eq!(number(&summarised, &["messages"]), 1);
    let told = event(&mut watcher, "consolidated");
    assert_eq!(number(&told, &["report", "messages"]), 1);
    assert_eq!(
        told.get("report").unwrap().get("summary_cleared"),
        Some(&true.into())
    );
}

#[test]
fn a_copy_that_is_not_the_owner_does_not_change_by_itself() {
    let daemon = Daemon::start_with(&["--set", "souls.idle_after_ms=2000"]);
    let mut client = created(&daemon, "ann");
    let mut watcher = watching(&daemon, &["state"]);
    push_as_bo(&mut client, "I love flat whites.");
    let handed_over = map([("state", "handed_over".into()), ("node", "desk".into())]);
    let set = client.call(Op::SoulOwner, ANN, map([("set", handed_over)]));
    let position = number(&set.unwrap(), &["position"]);
    let mut at_rest = || while text(&event(&mut watcher, "state"), "state") != "Idle" {};
    at_rest();
    log(&mut client, "ann");
    // What is done at rest is done before the next rest begins.
    at_rest();
    assert_eq!(known(&mut client, "like"), Vec::<String>::new());
    let owner = client.call(Op::SoulOwner, ANN, map([])).unwrap();
    assert_eq!(number(&owner, &["position"]), position);
}

#[test]
fn what_slides_out_of_the_window_is_summed_up_and_the_summary_shown() {
    let daemon = Daemon::start_with(&["--set", "souls.window_capacity=3"]);
    let mut client = created(&daemon, "ann");
    let mut watcher = watching(&daemon, &["window.summarised"]);
    for text in [
        "The ferry to Oban leaves at seven on Friday.",
        "ok",
        "ok",
        "ok",
        "ok",
        "ok",
    ] {
        push_as_bo(&mut client, text);
    }
    let told = event(&mut watcher, "window.summarised");
    assert!(number(&told, &["messages"]) >= 4, "{told:?}");
    let found = retrieve(&mut client, map([("text", "ferry".into())]));
    assert_eq!(
        text(&found, "summary"),
        "Bo: The ferry to Oban leaves at seven on Friday."
    );
}

#[test]
fn a_tag_ends_a_talk_and_has_it_summed_up_at_once() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let mut watcher = watching(&daemon, &["window.summarised"]);
    let last = with(
        &said("The ferry to Oban leaves at seven on Friday."),
        "tag",
        true.into(),
    );
    client.call(Op::Push, ANN, messages([last])).unwrap();
    assert_eq!(
        number(&event(&mut watcher, "window.summarised"), &["messages"]),
        1
    );
}

#[test]
fn the_command_line_shows_what_came_of_it() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push_as_bo(&mut client, "I love flat whites.");
    let output = daemon
        .command(&["consolidate", "--soul", "ann", "--wait"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.starts_with("1 messages, understood by rules\n"),
        "{told}"
    );
    assert!(told.contains("knows   Bo loves flat whites"), "{told}");
}
