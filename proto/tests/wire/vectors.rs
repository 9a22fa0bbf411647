//! Reads the golden vectors; their format is described in `fixtures/wire/README.md`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use soulmem_proto::Value;

/// One vector: the bytes and what their twin says of them.
pub struct Vector {
    pub name: String,
    pub bytes: Vec<u8>,
    pub twin: Twin,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twin {
    #[serde(rename = "about")]
    _about: String,
    #[serde(default, deserialize_with = "untagged")]
    pub value: Option<Value>,
    pub reencoded: Option<String>,
    pub rejection: Option<ExpectedRejection>,
    pub error: Option<String>,
    pub detail: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedRejection {
    pub code: String,
    pub field: Option<String>,
    pub msg_id: Option<u64>,
    pub op: Option<String>,
}

impl Vector {
    /// The bytes that a writer makes of the value.
    pub fn canonical(&self) -> Vec<u8> {
        match &self.twin.reencoded {
            Some(written) => from_hex(written),
            None => self.bytes.clone(),
        }
    }
}

/// Every vector, by name.
pub fn all() -> Vec<Vector> {
    let mut names: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_str()?
                .strip_suffix(".msgpack")
                .map(str::to_owned)
        })
        .collect();
    assert!(
        !names.is_empty(),
        "there are no vectors in {}",
        folder().display()
    );
    names.sort();
    names.into_iter().map(|name| named(&name)).collect()
}

/// Every vector with a value: those that a reader takes.
pub fn good() -> Vec<(Vector, Value)> {
    let with_value = |mut vector: Vector| vector.twin.value.take().map(|value| (vector, value));
    all().into_iter().filter_map(with_value).collect()
}

/// The vector of that name.
pub fn named(name: &str) -> Vector {
    let bytes = fs::read(folder().join(format!("{name}.msgpack"))).unwrap();
    let twin = fs::read(folder().join(format!("{name}.json"))).unwrap();
    let twin = serde_json::from_slice(&twin).unwrap_or_else(|error| panic!("{name}.json: {error}"));
    Vector {
        name: name.to_owned(),
        bytes,
        twin,
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/wire")
}

fn untagged<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    serde_json::Value::deserialize(deserializer).map(|json| Some(value_of(&json)))
}

fn value_of(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Nil,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => integer(&number.to_string()),
        Json::String(text) => Value::Str(text.clone()),
        Json::Array(items) => Value::Array(items.iter().map(value_of).collect()),
        Json::Object(entries) => match entries.iter().next() {
            Some((tag, inner)) if tag.starts_with('$') => tagged(tag, inner),
            _ => Value::Map(sorted(entries)),
        },
    }
}

fn sorted(entries: &serde_json::Map<String, serde_json::Value>) -> Vec<(String, Value)> {
    let mut entries: Vec<_> = entries
        .iter()
        .map(|(key, json)| (key.clone(), value_of(json)))
        .collect();
    entries.sort_by(|(first, _), (second, _)| first.as_bytes().cmp(second.as_bytes()));
    entries
}

fn tagged(tag: &str, inner: &serde_json::Value) -> Value {
    match tag {
        "$int" => integer(inner.as_str().unwrap()),
        "$f64" => {
            let bits = u64::from_str_radix(inner.as_str().unwrap(), 16).unwrap();
            Value::Float(f64::from_bits(bits))
        }
        "$bin" => Value::Bin(from_hex(inner.as_str().unwrap())),
        "$repeat" => {
            let count = usize::try_from(inner[1].as_u64().unwrap()).unwrap();
            match value_of(&inner[0]) {
                Value::Str(unit) => Value::Str(unit.repeat(count)),
                Value::Bin(unit) => Value::Bin(unit.repeat(count)),
                Value::Array(unit) => Value::Array(vec![unit[0].clone(); count]),
                unit => panic!("{unit:?} cannot be repeated"),
            }
        }
        _ => panic!("{tag} is no tag"),
    }
}

fn integer(written: &str) -> Value {
    match written.parse::<u64>() {
        Ok(natural) => natural.into(),
        Err(_) => written.parse::<i64>().unwrap().into(),
    }
}

fn from_hex(written: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&written[at..at + 2], 16).unwrap();
    (0..written.len()).step_by(2).map(digits).collect()
}
