//! Reading fields of an object as loosely as models write them.

use serde_json::Value;

/// What models write where there is nothing to say.
const NOTHING: [&str; 12] = [
    "null",
    "none",
    "n/a",
    "na",
    "nil",
    "unknown",
    "undefined",
    "无",
    "没有",
    "未知",
    "不详",
    "空",
];

/// A text that says something. A number is a text too.
pub fn text(object: &Value, name: &str) -> Option<String> {
    object.get(name).and_then(as_text)
}

/// A value as a text that says something.
pub fn as_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim(),
        Value::Number(number) => return Some(number.to_string()),
        _ => return None,
    };
    let nothing = text.is_empty() || NOTHING.contains(&text.to_lowercase().as_str());
    (!nothing).then(|| text.to_owned())
}

/// A finite number, be it written as a number, as a text (`"0.7"`), or as a share (`"70%"`).
pub fn number(object: &Value, name: &str) -> Option<f64> {
    object.get(name).and_then(as_number)
}

/// A value as a finite number.
pub fn as_number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => {
            let text = text.trim();
            match text.strip_suffix(['%', '％']) {
                Some(share) => share.trim().parse::<f64>().ok()? / 100.0,
                None => text.parse().ok()?,
            }
        }
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// A truth, in any of the usual words.
pub fn truth(object: &Value, name: &str) -> Option<bool> {
    match object.get(name)? {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) => number.as_f64().map(|number| number != 0.0),
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" | "yes" | "y" | "1" | "是" | "对" => Some(true),
            "false" | "no" | "n" | "0" | "否" | "不是" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// The entries of a list. One thing that is not in a list is a list of one, nothing a list of none.
pub fn list<'v>(object: &'v Value, name: &str) -> &'v [Value] {
    match object.get(name) {
        Some(Value::Array(entries)) => entries,
        None | Some(Value::Null) => &[],
        Some(Value::String(text)) if text.trim().is_empty() => &[],
        Some(one) => std::slice::from_ref(one),
    }
}

/// The texts of a list that say something.
pub fn texts(object: &Value, name: &str) -> Vec<String> {
    list(object, name).iter().filter_map(as_text).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_may_be_texts() {
        let object = json!({"a": 0.5, "b": "0.5", "c": "50%", "d": " 50 ％", "e": "half", "f": null, "g": "NaN", "h": "inf"});
        for name in ["a", "b", "c", "d"] {
            assert_eq!(number(&object, name), Some(0.5), "{name}");
        }
        for name in ["e", "f", "g", "h", "missing"] {
            assert_eq!(number(&object, name), None, "{name}");
        }
    }

    #[test]
    fn texts_that_say_nothing_are_none() {
        let object =
            json!({"a": " tea ", "b": 7, "c": "N/A", "d": "", "e": null, "f": "未知", "g": ["x"]});
        assert_eq!(text(&object, "a"), Some("tea".to_owned()));
        assert_eq!(text(&object, "b"), Some("7".to_owned()));
        for name in ["c", "d", "e", "f", "g", "missing"] {
            assert_eq!(text(&object, name), None, "{name}");
        }
    }

    #[test]
    fn one_thing_is_a_list_of_one() {
        let object =
            json!({"a": ["x", " ", null, "y"], "b": "x", "c": null, "d": "", "e": {"k": 1}});
        assert_eq!(texts(&object, "a"), ["x", "y"]);
        assert_eq!(texts(&object, "b"), ["x"]);
        assert!(texts(&object, "c").is_empty());
        assert!(texts(&object, "d").is_empty());
        assert_eq!(list(&object, "e").len(), 1);
        assert!(list(&object, "missing").is_empty());
    }

    #[test]
    fn truths_come_in_many_words() {
        let object = json!({"a": true, "b": "Yes", "c": "是", "d": 0, "e": "不是", "f": "maybe"});
        let found = ["a", "b", "c", "d", "e", "f"].map(|name| truth(&object, name));
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(found, [yes, yes, yes, no, no, None]);
    }
}
