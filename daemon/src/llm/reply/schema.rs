//! Comparing a value with the JSON schema that it was to follow.

use serde_json::{Map, Value};

/// How many of the schema's properties a value has, and the value as the object that it means. None where it is
/// something else.
///
/// A bare list stands for the one list that the schema asks for. An object that wraps the answer under one other name
/// stands for it, and so does one that puts the answer where a schema has its `properties`.
pub(super) fn fit(value: Value, schema: &Value) -> Option<(usize, Value)> {
    let asked = properties(schema);
    match value {
        Value::Array(_) => {
            let name = only_list(asked)?;
            let wrapped = Map::from_iter([(name.to_owned(), value)]);
            Some((1, Value::Object(wrapped)))
        }
        Value::Object(object) => {
            let known = known(&object, asked);
            if known > 0 {
                return Some((known, Value::Object(object)));
            }
            match inner(&object, asked) {
                Some((known, inner)) => Some((known, inner)),
                None => Some((0, Value::Object(object))),
            }
        }
        _ => None,
    }
}

/// Whether a value is the schema, given back.
pub(super) fn is_echo(value: &Value, schema: &Value) -> bool {
    if value == schema {
        return true;
    }
    let (Some(object), Some(asked)) = (value.as_object(), properties(schema)) else {
        return false;
    };
    let Some(Value::Object(given)) = object.get("properties") else {
        return false;
    };
    let is_schema = |value: &Value| {
        value.as_object().is_some_and(|inner| {
            ["type", "$ref", "anyOf", "enum", "items"]
                .iter()
                .any(|key| inner.contains_key(*key))
        })
    };
    !asked.contains_key("properties") && !given.is_empty() && given.values().all(is_schema)
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

fn known(object: &Map<String, Value>, asked: Option<&Map<String, Value>>) -> usize {
    let Some(asked) = asked else { return 0 };
    asked.keys().filter(|key| object.contains_key(*key)).count()
}

fn inner(
    object: &Map<String, Value>,
    asked: Option<&Map<String, Value>>,
) -> Option<(usize, Value)> {
    let inner = match object.get("properties") {
        Some(inner) => inner,
        None if object.len() == 1 => object.values().next()?,
        None => return None,
    };
    let known = known(inner.as_object()?, asked);
    (known > 0).then(|| (known, inner.clone()))
}

fn only_list(asked: Option<&Map<String, Value>>) -> Option<&str> {
    let is_list = |value: &Value| value.get("type").and_then(Value::as_str) == Some("array");
    let mut lists = asked?.iter().filter(|(_, value)| is_list(value));
    let (name, _) = lists.next()?;
    lists.next().is_none().then_some(name)
}
