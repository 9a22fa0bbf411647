//! Whole characters and their files through the daemon: dropped, erased, backed up, brought back, exported, checked.

use std::fs;
use std::path::{Path, PathBuf};

use soulmem_proto::{ErrorCode, Op, Reply, Value};

use crate::shell::{err, json, out, run};
use crate::support::{Client, Daemon, code, map};
use crate::wire::{created, list, log, message, messages, note, number, push, put, text, with};

/// A text that nothing else contains.
const SECRET: &str = "他把钥匙\"藏在老钟后面\"从不提起";

/// Files under a folder that contain the text, in UTF-8 or UTF-16 either way round.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let wide: Vec<u16> = text.encode_utf16().collect();
    let needles = [
        text.as_bytes().to_vec(),
        wide.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        wide.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
    ];
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            let holds = |needle: &Vec<u8>| bytes.windows(needle.len()).any(|part| part == needle);
            if needles.iter().any(holds) {
                found.push(path);
            }
        }
    }
    found
}

fn ids(ids: &[&str]) -> Value {
    ids.to_vec().into()
}

fn ask(client: &mut Client, op: Op, payload: Value) -> Value {
    client.call(op, Some("ann"), payload).unwrap()
}

/// What the character says when asked about the clock: notes and utterances.
fn comes_up(client: &mut Client) -> (Vec<String>, Vec<String>) {
    let options = map([("record", false.into()), ("floor", 0.0.into())]);
    let asked = map([("text", "老钟后面的钥匙".into()), ("options", options)]);
    let answer = ask(client, Op::Retrieve, asked);
    let texts = |key: &str| {
        let hits = list(&answer, key);
        hits.iter()
            .map(|hit| text(hit, "text").to_owned())
            .collect()
    };
    (texts("notes"), texts("utterances"))
}

/// Makes it known in a message, a note that rests on it, a note of its own and an upload that was cut off.
fn confide(client: &mut Client) -> (String, String) {
    let mut request = client.request(Op::Push, Some("ann"), messages([message(SECRET)]));
    request.idempotency_key = Some("secret".to_owned());
    let said = client.ask(request).unwrap();
    let said = list(&said, "ids")[0].as_str().unwrap().to_owned();
    let source = map([("Message", map([("id", said.as_str().into())]))]);
    let rests = with(&note(SECRET), "source", Value::Array(vec![source]));
    let own = with(&note("另一件事"), "tags", vec![SECRET].into());
    let notes = put(client, "ann", vec![rests, own]).unwrap();
    let own = text(&notes[1], "id").to_owned();
    let piece = map([
        ("upload", "cut off".into()),
        ("offset", 0_u64.into()),
        ("bytes", Value::Bin(SECRET.as_bytes().to_vec())),
    ]);
    ask(client, Op::Import, piece);
    (said, own)
}

#[test]
fn what_is_erased_is_in_no_byte_of_the_data_directory_and_comes_up_no_more() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let (said, own) = confide(&mut client);
    push(&mut client, "ann", "今天下雨");
    let backups = tempfile::tempdir().unwrap();
    let folder = map([("folder", backups.path().to_str().unwrap().into())]);
    client.call(Op::Backup, None, folder).unwrap();
    // An earlier state of the same memory lies in the trash.
    let made = fs::read_dir(backups.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let back = map([
        ("folder", made.path().to_str().unwrap().into()),
        ("replace", true.into()),
    ]);
    client.call(Op::Restore, None, back).unwrap();
    let (notes, said_texts) = comes_up(&mut client);
    assert!(!notes.is_empty() && said_texts.iter().any(|text| text == SECRET));
    assert!(holding(daemon.folder(), SECRET).len() >= 2);

    let what = map([
        ("notes", ids(&[&own])),
        ("messages", ids(&[&said])),
        ("backups", ids(&[backups.path().to_str().unwrap()])),
    ]);
    let mut request = client.request(Op::Erase, Some("ann"), what);
    request.idempotency_key = Some("erase".to_owned());
    let erased = client.ask(request.clone()).unwrap();
    assert_eq!(holding(daemon.folder(), SECRET), Vec::<PathBuf>::new());
    assert_eq!(list(&erased, "messages"), [said.as_str().into()]);
    assert_eq!(
        list(&erased, "notes").len(),
        2,
        "one rested on the message alone"
    );
    assert_eq!(number(&erased, &["answers"]), 1);
    let [in_backup] = &list(&erased, "backups")[..] else {
        panic!("{erased:?}")
    };
    assert_eq!(text(in_backup, "folder"), made.path().to_str().unwrap());
    let (notes, said_texts) = comes_up(&mut client);
    assert_eq!(notes, Vec::<String>::new());
    assert!(
        !said_texts.iter().any(|text| text == SECRET),
        "{said_texts:?}"
    );
    request.msg_id += 1_000;
    let again = client.ask(request).unwrap();
    assert_eq!(list(&again, "messages"), list(&erased, "messages"));

    let daemon = Daemon::start_in(daemon.stop(), &[]);
    assert_eq!(holding(daemon.folder(), SECRET), Vec::<PathBuf>::new());
    assert_eq!(log(&mut daemon.connect(), "ann"), ["今天下雨"]);
}

#[test]
fn a_whole_character_is_erased_out_of_the_trash_too() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push(&mut client, "ann", SECRET);
    let confirm = map([("confirm", "ann".into())]);
    ask(&mut client, Op::SoulDrop, confirm.clone());
    client.call(Op::SoulCreate, Some("ann"), map([])).unwrap();
    push(&mut client, "ann", SECRET);

    let slip = map([("soul", true.into()), ("confirm", "bo".into())]);
    let refused = client.call(Op::Erase, Some("ann"), slip).unwrap_err();
    assert_eq!(refused.field(), Some("confirm"));
    let nothing = client.call(Op::Erase, Some("ann"), map([])).unwrap_err();
    assert_eq!(nothing.code, ErrorCode::InvalidArgument);

    let all = with(&confirm, "soul", true.into());
    let erased = ask(&mut client, Op::Erase, all.clone());
    assert_eq!(
        list(&erased, "files").len(),
        2,
        "its folder, and one in the trash"
    );
    assert_eq!(holding(daemon.folder(), SECRET), Vec::<PathBuf>::new());
    assert_eq!(
        code(client.call(Op::Erase, Some("ann"), all)),
        ErrorCode::UnknownSoul
    );
}

#[test]
fn a_dropped_character_is_gone_and_its_name_free() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push(&mut client, "ann", "before");
    let slip = map([("confirm", "anna".into())]);
    let refused = client.call(Op::SoulDrop, Some("ann"), slip).unwrap_err();
    assert_eq!(refused.field(), Some("confirm"));
    let confirm = map([("confirm", "ann".into())]);
    let mut drop = client.request(Op::SoulDrop, Some("ann"), confirm);
    drop.idempotency_key = Some("drop".to_owned());
    let dropped = client.ask(drop.clone()).unwrap();
    let folder = Path::new(text(&dropped, "folder"));
    assert!(folder.starts_with(daemon.folder().join("trash")) && folder.is_dir());
    assert_eq!(
        code(client.call(Op::Push, Some("ann"), messages([message("x")]))),
        ErrorCode::UnknownSoul
    );
    client.call(Op::SoulCreate, Some("ann"), map([])).unwrap();
    // The answer was lost and the client asks again: the new character stays.
    drop.msg_id += 1_000;
    assert_eq!(client.ask(drop).unwrap(), dropped);
    push(&mut client, "ann", "after");
    assert_eq!(log(&mut client, "ann"), ["after"]);
}

#[test]
fn writes_of_many_clients_meet_a_drop_and_none_is_half_done() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let mut writer = daemon.connect();
            scope.spawn(move || {
                for n in 0..50 {
                    let said = messages([message(&n.to_string())]);
                    match writer.call(Op::Push, Some("ann"), said) {
                        Ok(_) => {}
                        Err(refused) => assert!(
                            matches!(
                                refused.code,
                                ErrorCode::UnknownSoul | ErrorCode::Unavailable
                            ),
                            "{refused}"
                        ),
                    }
                }
            });
        }
        ask(&mut client, Op::SoulDrop, map([("confirm", "ann".into())]));
    });
    assert_eq!(
        code(client.call(Op::Stats, Some("ann"), map([]))),
        ErrorCode::UnknownSoul
    );
}

#[test]
fn a_correction_is_what_comes_up_and_what_was_believed_before_can_be_asked() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let old = put(&mut client, "ann", vec![note("老钟停在三点")]).unwrap();
    let old = text(&old[0], "id").to_owned();
    let correct = map([("old", old.as_str().into()), ("note", note("老钟停在五点"))]);
    let mut request = client.request(Op::NoteSupersede, Some("ann"), correct);
    request.idempotency_key = Some("right".to_owned());
    let answer = client.ask(request.clone()).unwrap();
    request.msg_id += 1_000;
    assert_eq!(
        client.ask(request).unwrap(),
        answer,
        "the same note, not a second one"
    );
    let (was, is) = (answer.get("old").unwrap(), answer.get("new").unwrap());
    assert_eq!(text(was, "superseded_by"), text(is, "id"));
    let (notes, _) = comes_up(&mut client);
    assert!(notes.iter().any(|text| text.contains("五点")), "{notes:?}");
    assert!(!notes.iter().any(|text| text.contains("三点")), "{notes:?}");
    // Just before the correction, as it was known then.
    let until: jiff::Timestamp = text(was, "valid_until").parse().unwrap();
    let before = until
        .checked_sub(jiff::SignedDuration::from_micros(1))
        .unwrap();
    let options = map([
        ("as_of", before.to_string().into()),
        ("record", false.into()),
    ]);
    let asked = map([("text", "老钟停在".into()), ("options", options)]);
    let notes = list(&ask(&mut client, Op::Retrieve, asked), "notes");
    assert!(text(&notes[0], "text").contains("三点"), "{notes:?}");

    let nothing = map([("old", old.as_str().into())]);
    let refused = client.call(Op::NoteSupersede, Some("ann"), nothing);
    assert_eq!(refused.unwrap_err().field(), Some("new"));
    let twice = map([("old", old.as_str().into()), ("note", note("又一个"))]);
    assert_eq!(
        code(client.call(Op::NoteSupersede, Some("ann"), twice)),
        ErrorCode::Conflict
    );
}

#[test]
fn a_backup_brings_back_what_was_and_the_others_go_on() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    client.call(Op::SoulCreate, Some("bo"), map([])).unwrap();
    push(&mut client, "ann", "in the backup");
    let backups = tempfile::tempdir().unwrap();
    let folder = map([("folder", backups.path().to_str().unwrap().into())]);
    let made = client.call(Op::Backup, None, folder.clone()).unwrap();
    assert_eq!(list(&made, "souls").len(), 2);
    push(&mut client, "ann", "after the backup");
    push(&mut client, "bo", "after the backup");

    let back = map([
        ("folder", text(&made, "folder").into()),
        ("souls", ids(&["ann"])),
    ]);
    assert_eq!(
        code(client.call(Op::Restore, None, back.clone())),
        ErrorCode::Conflict
    );
    let back = with(&back, "replace", true.into());
    let restored = client.call(Op::Restore, None, back.clone()).unwrap();
    let [ann] = &list(&restored, "souls")[..] else {
        panic!("{restored:?}")
    };
    assert_eq!(
        (number(ann, &["messages"]), ann.get("replaced")),
        (1, Some(&true.into()))
    );
    assert_eq!(log(&mut client, "ann"), ["in the backup"]);
    assert_eq!(log(&mut client, "bo"), ["after the backup"]);

    let mut with_key = client.request(Op::Restore, None, back);
    with_key.idempotency_key = Some("k".to_owned());
    assert_eq!(
        client.ask(with_key).unwrap_err().field(),
        Some("idempotency_key")
    );
    let nowhere = map([("folder", "backups".into())]);
    assert_eq!(
        client.call(Op::Backup, None, nowhere).unwrap_err().field(),
        Some("folder")
    );
    // One flipped byte in the copy: nothing is touched.
    let file = Path::new(text(&made, "folder")).join("ann.db");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let back = map([
        ("folder", text(&made, "folder").into()),
        ("replace", true.into()),
    ]);
    assert_eq!(
        code(client.call(Op::Restore, None, back)),
        ErrorCode::Corrupt
    );
    assert_eq!(log(&mut client, "ann"), ["in the backup"]);
    assert_eq!(log(&mut client, "bo"), ["after the backup"]);
}

#[test]
fn the_command_line_keeps_characters_with_a_daemon_and_without() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push(&mut client, "ann", "in the backup");
    let place = daemon.folder().join("kept");
    let place = place.to_str().unwrap();
    let made = json(&run(&daemon, &["backup", place, "--json"]));
    let folder = made["folder"].as_str().unwrap().to_owned();
    push(&mut client, "ann", "after");
    assert!(out(&run(&daemon, &["doctor"])).starts_with("ann: all is well"));
    let refused = run(&daemon, &["restore", &folder]);
    assert_eq!(refused.status.code(), Some(65), "{}", err(&refused));

    let mut daemon = daemon;
    daemon.close_stdin();
    daemon.wait();
    let restored = out(&run(&daemon, &["restore", &folder, "--replace"]));
    assert!(restored.contains("in the trash"), "{restored}");
    let again = json(&run(&daemon, &["backup", place, "--json", "--soul", "ann"]));
    assert_ne!(again["folder"].as_str().unwrap(), folder);
    assert_eq!(again["souls"][0]["messages"], 1);
    let checked = json(&run(&daemon, &["doctor", "--json"]));
    assert_eq!(checked["doctor"]["findings"], serde_json::json!([]));
    let dropped = run(&daemon, &["soul", "drop", "ann", "--confirm", "ann"]);
    assert!(out(&dropped).starts_with("ann is in "));
    let gone = run(
        &daemon,
        &["erase", "--soul", "ann", "--all", "--confirm", "ann"],
    );
    assert!(out(&gone).contains("still in the backup") || out(&gone).contains("removed "));
    assert_eq!(out(&run(&daemon, &["soul", "list"])).lines().count(), 1);
    let nothing = run(&daemon, &["erase", "--soul", "ann"]);
    assert_eq!(nothing.status.code(), Some(64));
}

#[test]
fn a_damaged_character_is_found_repaired_and_used_again() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push(&mut client, "ann", "kept");
    push(&mut client, "ann", "damaged");
    let folder = daemon.stop();
    let database = folder.path().join("souls/ann/memory.db");
    let tamper = rusqlite::Connection::open(&database).unwrap();
    let changed = tamper.execute("UPDATE message SET tz = 'x' WHERE text = 'damaged'", []);
    assert_eq!(changed, Ok(1));
    drop(tamper);

    let daemon = Daemon::start_in(folder, &[]);
    let found = run(&daemon, &["doctor", "--soul", "ann"]);
    assert_eq!(found.status.code(), Some(74));
    assert!(err(&found).contains("--repair"), "{}", err(&found));
    let repaired = json(&run(
        &daemon,
        &["doctor", "--soul", "ann", "--repair", "--json"],
    ));
    let repair = &repaired["doctor"]["repair"];
    assert_eq!(repair["aside"].as_array().unwrap().len(), 1, "{repaired}");
    assert!(Path::new(repair["saved"].as_str().unwrap()).is_dir());
    let mut client = daemon.connect();
    assert_eq!(log(&mut client, "ann"), ["kept"]);
    push(&mut client, "ann", "again");
    assert!(out(&run(&daemon, &["doctor"])).starts_with("ann: all is well"));
}

#[test]
fn an_index_that_is_not_what_the_rows_make_is_found() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push(&mut client, "ann", "stays");
    push(&mut client, "ann", "vanishes");
    let tamper = rusqlite::Connection::open(daemon.folder().join("souls/ann/memory.db")).unwrap();
    let gone = tamper.execute("DELETE FROM message WHERE text = 'vanishes'", []);
    assert_eq!(gone, Ok(1));
    drop(tamper);
    let found = ask(&mut client, Op::Doctor, map([]));
    let findings = list(&found, "findings");
    let severity = |part: &str| {
        let about = findings
            .iter()
            .find(|finding| text(finding, "what").contains(part));
        text(about.unwrap_or_else(|| panic!("{findings:?}")), "severity")
    };
    assert_eq!(severity("in memory, there is message"), "derived");
    assert_eq!(
        severity("table message has 1 rows, there must be 2"),
        "truth"
    );
}

#[test]
fn a_restore_that_was_cut_short_is_completed_at_the_next_start() {
    let daemon = Daemon::start();
    push(&mut created(&daemon, "ann"), "ann", "restored");
    let folder = daemon.stop();
    let souls = folder.path().join("souls");
    // Decided, and cut short before the character was in its place; another one was not even decided.
    let decided = souls.join(".restore-20260601T080000Z");
    fs::create_dir(&decided).unwrap();
    fs::rename(souls.join("ann"), decided.join("ann")).unwrap();
    let plan = r#"{"souls":["ann"],"aside":null,"stamp":"20260601T080000Z"}"#;
    fs::write(decided.join("plan.json"), plan).unwrap();
    let undecided = souls.join(".restore-20260601T080001Z");
    fs::create_dir_all(undecided.join("bo")).unwrap();

    let daemon = Daemon::start_in(folder, &[]);
    let mut client = daemon.connect();
    assert_eq!(log(&mut client, "ann"), ["restored"]);
    assert!(!decided.exists() && !undecided.exists());
}

#[test]
fn long_work_tells_how_far_it_has_come() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push(&mut client, "ann", "hello");
    let progress = map([("events", vec!["progress"].into())]);
    ask(&mut client, Op::Subscribe, progress);
    let place = daemon.folder().join("kept");
    let folder = map([("folder", place.to_str().unwrap().into())]);
    let backup = client.request(Op::Backup, None, folder);
    client.send(backup);
    let mut told = Vec::new();
    loop {
        match client.receive().unwrap() {
            Reply::Event(event) => {
                assert_eq!(
                    (&*event.name, text(&event.payload, "op")),
                    ("progress", "backup")
                );
                told.push(text(&event.payload, "what").to_owned());
            }
            Reply::Response { .. } => break,
            Reply::Error(refused) => panic!("{}", refused.error),
        }
    }
    assert!(told.iter().any(|what| what == "copying ann"), "{told:?}");
}

#[test]
fn going_back_to_a_snapshot_needs_no_daemon_and_lists_what_is_lost() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push(&mut client, "ann", "before");
    let folder = daemon.stop();
    let soul = folder.path().join("souls/ann");
    let connection = rusqlite::Connection::open(soul.join("memory.db")).unwrap();
    let number = |sql: &str| {
        connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let (schema, last) = (
        number("PRAGMA user_version"),
        number("SELECT max(seq) FROM journal"),
    );
    drop(connection);
    fs::create_dir(soul.join("snapshots")).unwrap();
    let snapshot = soul.join(format!("snapshots/schema-{schema}-{last}.db"));
    fs::copy(soul.join("memory.db"), &snapshot).unwrap();

    let mut daemon = Daemon::start_in(folder, &[]);
    let mut client = daemon.connect();
    let said = push(&mut client, "ann", "after");
    let said = list(&said, "ids")[0].as_str().unwrap().to_owned();
    let refused = run(&daemon, &["restore", "--snapshot", "--soul", "ann"]);
    assert_eq!(refused.status.code(), Some(75), "{}", err(&refused));
    daemon.close_stdin();
    daemon.wait();
    let back = json(&run(
        &daemon,
        &["restore", "--snapshot", "--soul", "ann", "--json"],
    ));
    let losses = back["losses"].as_array().unwrap();
    assert!(
        losses
            .iter()
            .any(|change| change["subject"] == said.as_str()),
        "{back}"
    );
    assert!(Path::new(back["kept"].as_str().unwrap()).is_file());
    let daemon = Daemon::start_in(daemon.kill(), &[]);
    assert_eq!(log(&mut daemon.connect(), "ann"), ["before"]);
}

#[test]
fn an_archive_carries_a_character_whole() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let (said, own) = confide(&mut client);
    push(&mut client, "ann", "第二句");
    let correct = map([("old", own.as_str().into()), ("note", note("改正"))]);
    ask(&mut client, Op::NoteSupersede, correct);
    let file = daemon.folder().join("ann.archive.jsonl");
    let file = file.to_str().unwrap();
    out(&run(&daemon, &["export", "--soul", "ann", file]));
    let refused = run(&daemon, &["export", "--soul", "ann", file]);
    assert_eq!(refused.status.code(), Some(73), "it is not overwritten");
    client.call(Op::SoulCreate, Some("bo"), map([])).unwrap();
    let report = json(&run(&daemon, &["import", "--json", "--soul", "bo", file]));
    assert_eq!(
        (&report["messages"], &report["notes"]),
        (&2.into(), &3.into()),
        "{report}"
    );
    let again = json(&run(&daemon, &["import", "--json", "--soul", "bo", file]));
    assert_eq!(
        (&again["known"], &again["messages"]),
        (&5.into(), &0.into()),
        "{again}"
    );

    // Exporting what came of it gives the same file, but for whose it is.
    let lines = |soul: &str| {
        let written = out(&run(&daemon, &["export", "--soul", soul]));
        written
            .lines()
            .skip(1)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines("bo"), lines("ann"));
    let notes = client.call(Op::NoteList, Some("bo"), map([])).unwrap();
    let rests = &list(&notes, "notes")[0];
    let source = &list(rests, "source")[0];
    assert_eq!(text(source.get("Message").unwrap(), "id"), said);

    // The other formats are those that import takes.
    client.call(Op::SoulCreate, Some("cy"), map([])).unwrap();
    for (format, name) in [("graph", "graph.json"), ("messages", "talk.jsonl")] {
        let path = daemon.folder().join(name);
        let path = path.to_str().unwrap();
        out(&run(
            &daemon,
            &["export", "--soul", "ann", "--format", format, path],
        ));
        out(&run(&daemon, &["import", "--soul", "cy", path]));
    }
    assert_eq!(log(&mut client, "cy"), log(&mut client, "ann"));
    let count = |client: &mut Client, soul: &str| {
        let stats = client.call(Op::Stats, Some(soul), map([])).unwrap();
        number(&stats, &["notes_by_type", "semantic"])
    };
    assert_eq!(count(&mut client, "cy"), 3);

    // One that was cut off, or changed, is refused as a whole.
    client.call(Op::SoulCreate, Some("di"), map([])).unwrap();
    let whole = fs::read_to_string(file).unwrap();
    let cut = whole.lines().count() - 1;
    let kept: Vec<&str> = whole.lines().take(cut).collect();
    let path = daemon.folder().join("cut.archive.jsonl");
    fs::write(&path, kept.join("\n")).unwrap();
    let refused = run(&daemon, &["import", "--soul", "di", path.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(65));
    assert!(err(&refused).contains("cut off"), "{}", err(&refused));
    let fewer = [&kept[..2], &kept[3..], &[whole.lines().last().unwrap()]].concat();
    fs::write(&path, fewer.join("\n")).unwrap();
    let refused = run(&daemon, &["import", "--soul", "di", path.to_str().unwrap()]);
    assert!(
        err(&refused).contains("says 2 messages, there are 1"),
        "{}",
        err(&refused)
    );
    assert_eq!(log(&mut client, "di"), Vec::<String>::new());
}

#[test]
fn an_export_is_whole_in_many_pieces_and_holds_nothing_that_came_after_its_beginning() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    for n in 0..30 {
        push(&mut client, "ann", &format!("{n} {}", "长".repeat(60_000)));
    }
    let mut file = Vec::new();
    let mut cursor = Value::Nil;
    let mut pieces = 0;
    loop {
        let payload = map([("format", "archive".into()), ("cursor", cursor)]);
        let piece = ask(&mut client, Op::Export, payload);
        let Some(Value::Bin(bytes)) = piece.get("bytes") else {
            panic!("no bytes")
        };
        file.extend_from_slice(bytes);
        pieces += 1;
        push(&mut client, "ann", "meanwhile");
        match piece.get("cursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert!(pieces > 3, "{pieces}");
    let file = String::from_utf8(file).unwrap();
    assert_eq!(file.lines().count(), 33, "head, window, 30 messages, end");
    let end: serde_json::Value = serde_json::from_str(file.lines().last().unwrap()).unwrap();
    assert_eq!(end["end"]["messages"], 30, "{end}");
    assert_eq!(end["end"]["notes"], 0, "{end}");
    let foreign = map([("cursor", "12".into())]);
    let refused = client.call(Op::Export, Some("ann"), foreign).unwrap_err();
    assert_eq!(refused.field(), Some("cursor"));
}

#[test]
fn a_checkpoint_with_a_key_is_answered_once() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    push(&mut client, "ann", "hello");
    let mut request = client.request(Op::Checkpoint, Some("ann"), map([]));
    request.idempotency_key = Some("k".to_owned());
    let first = client.ask(request.clone()).unwrap();
    assert!(number(&first, &["bytes"]) > 0);
    push(&mut client, "ann", "more");
    request.msg_id += 1_000;
    assert_eq!(client.ask(request).unwrap(), first);
}
