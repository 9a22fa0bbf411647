//! Payloads as tests write and read them.

use soulmem_proto::{ErrorPayload, Op, Value};

use crate::support::{Client, Daemon, map};

pub fn message(text: &str) -> Value {
    map([("role", "user".into()), ("text", text.into())])
}

pub fn messages<const N: usize>(messages: [Value; N]) -> Value {
    map([("messages", Value::Array(messages.into()))])
}

pub fn created(daemon: &Daemon, soul: &str) -> Client {
    let mut client = daemon.connect();
    client.call(Op::SoulCreate, Some(soul), map([])).unwrap();
    client
}

pub fn push(client: &mut Client, soul: &str, text: &str) -> Value {
    client
        .call(Op::Push, Some(soul), messages([message(text)]))
        .unwrap()
}

pub fn list(answer: &Value, key: &str) -> Vec<Value> {
    match answer.get(key) {
        Some(Value::Array(items)) => items.clone(),
        other => panic!("{key} is {other:?} in {answer:?}"),
    }
}

pub fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no text {key} in {value:?}"))
}

pub fn number(value: &Value, path: &[&str]) -> u64 {
    let found = path
        .iter()
        .fold(value, |value, key| value.get(key).unwrap_or(&Value::Nil));
    found
        .as_u64()
        .unwrap_or_else(|| panic!("no number {path:?} in {value:?}"))
}

/// The texts of the whole log, page by page.
pub fn log(client: &mut Client, soul: &str) -> Vec<String> {
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

pub fn note(content: &str) -> Value {
    let semantic = map([
        ("content", content.into()),
        ("concept_type", "Entity".into()),
        ("description", "".into()),
    ]);
    map([("mem_type", map([("Semantic", semantic)]))])
}

pub fn put(client: &mut Client, soul: &str, notes: Vec<Value>) -> Result<Vec<Value>, ErrorPayload> {
    let answer = client.call(
        Op::NotePut,
        Some(soul),
        map([("notes", Value::Array(notes))]),
    )?;
    Ok(list(&answer, "notes"))
}

pub fn with(value: &Value, key: &str, entry: Value) -> Value {
    let mut entries = value.as_map().unwrap().to_vec();
    entries.retain(|(name, _)| name != key);
    entries.push((key.to_owned(), entry));
    Value::Map(entries)
}

pub fn retrieve(client: &mut Client, payload: Value) -> Value {
    client.call(Op::Retrieve, Some("ann"), payload).unwrap()
}

pub fn texts(answer: &Value, key: &str) -> Vec<String> {
    list(answer, key)
        .iter()
        .map(|hit| text(hit, "text").to_owned())
        .collect()
}
