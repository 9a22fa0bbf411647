//! A memory that was damaged on the disk: what can be read is served, nothing is taken in, and `health` says why.

use crate::support::{Daemon, code, map};
use rusqlite::Connection;
use soulmem_proto::{ErrorCode, Op, Value};

fn push(text: &str) -> Value {
    let message = map([("role", "user".into()), ("text", text.into())]);
    map([("messages", vec![message].into())])
}

#[test]
fn a_changed_message_is_noticed_and_the_others_are_still_recalled() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    client.call(Op::SoulCreate, Some("ann"), map([])).unwrap();
    for text in ["a kingfisher at the lake", "the dentist on Friday"] {
        client.call(Op::Push, Some("ann"), push(text)).unwrap();
    }
    let folder = daemon.stop();
    let database = Connection::open(folder.path().join("souls/ann/memory.db")).unwrap();
    let changed = database.execute(
        "UPDATE message SET text = 'never said' WHERE text LIKE 'the dentist%'",
        [],
    );
    assert_eq!(changed.unwrap(), 1);
    drop(database);

    let daemon = Daemon::start_in(folder, &[]);
    let mut client = daemon.connect();
    let asked = map([("text", "kingfisher".into())]);
    let found = client.call(Op::Retrieve, Some("ann"), asked).unwrap();
    let said = &found.get("utterances").and_then(Value::as_array).unwrap()[0];
    assert_eq!(
        said.get("text").and_then(Value::as_str),
        Some("a kingfisher at the lake")
    );
    // The window holds the damaged message: it is missing, and the answer says so.
    assert_eq!(found.get("short_history"), Some(&Value::Array(vec![])));
    let degraded = found.get("degraded").and_then(Value::as_str).unwrap();
    assert!(degraded.contains("table message"), "{degraded}");
    assert_eq!(
        code(client.call(Op::Push, Some("ann"), push("more"))),
        ErrorCode::Corrupt
    );
    let health = client.call(Op::Health, None, map([])).unwrap();
    let ann = &health.get("souls").and_then(Value::as_array).unwrap()[0];
    assert_eq!(ann.get("state").and_then(Value::as_str), Some("ReadOnly"));
    let error = ann.get("last_error").and_then(Value::as_str).unwrap();
    assert!(
        error.contains("memory.db") && error.contains("message"),
        "{error}"
    );
    client.call(Op::SoulCreate, Some("bo"), map([])).unwrap();
    client
        .call(Op::Push, Some("bo"), push("others go on"))
        .unwrap();
}
