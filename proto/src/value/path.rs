use std::fmt;

use super::Value;

/// Where in a message something stands, written as `messages[3].text`.
///
/// It grows on the stack on the way down and becomes text only when there is something to report.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(Path::Root, key) => f.write_str(key),
            Path::Key(parent, key) => write!(f, "{parent}.{key}"),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// Path of the first NaN or infinity in the value, if there is one.
pub(crate) fn first_non_finite(value: &Value, path: Path<'_>) -> Option<String> {
    match value {
        Value::Float(number) if !number.is_finite() => Some(path.to_string()),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| first_non_finite(item, Path::Index(&path, index)))
        }
        Value::Map(entries) => entries
            .iter()
            .find_map(|(key, value)| first_non_finite(value, Path::Key(&path, key))),
        _ => None,
    }
}
