//! The rules that more than one type obeys, and the error that names the offending field.

use std::fmt::Display;

use thiserror::Error;

/// The longest text that any field may hold, in bytes.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// The most entries that a list of one note may have where they are searched by, such as aliases and tags: each
/// costs a vector and postings, so that without a bound one small file could claim all memory of the machine.
pub const MAX_LIST_LENGTH: usize = 1_000;

/// A value that the model refuses, with the field it stands in.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field}: {reason}")]
pub struct ModelError {
    /// Path of the field from the checked value, such as
    /// `mem_type.Situation.SpecificSituation.context.participants[0].name`.
    pub field: String,
    /// What is wrong with it and what would be right.
    pub reason: String,
}

impl ModelError {
    /// An error about `field`.
    pub fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            reason: reason.into(),
        }
    }

    /// The same error seen from the value that holds the checked one under the name `parent`.
    #[must_use]
    pub fn within(self, parent: impl Display) -> Self {
        let field = match self.field.as_str() {
            "" => parent.to_string(),
            child if child.starts_with('[') => format!("{parent}{child}"),
            child => format!("{parent}.{child}"),
        };
        Self { field, ..self }
    }
}

/// Whether `text` shows nothing: only white space, control characters and zero-width characters.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    })
}

/// Refuses a text over [`MAX_TEXT_BYTES`].
pub(super) fn length(field: &str, text: &str) -> Result<(), ModelError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(ModelError::new(
            field,
            format!(
                "is {} bytes long, the limit is {MAX_TEXT_BYTES}",
                text.len()
            ),
        ));
    }
    Ok(())
}

/// Refuses a text that shows nothing or is too long.
pub(super) fn text(field: &str, text: &str) -> Result<(), ModelError> {
    if is_blank(text) {
        return Err(ModelError::new(field, "must not be empty"));
    }
    length(field, text)
}

/// Refuses a number that is not within `0..=1`.
pub(super) fn unit(field: &str, value: f64) -> Result<(), ModelError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(ModelError::new(
        field,
        format!("is {value}, must be from 0 to 1"),
    ))
}

/// Refuses a list of more than [`MAX_LIST_LENGTH`] items and checks each of one that is not.
pub(super) fn few<T>(
    list: &str,
    items: &[T],
    check: impl Fn(&T) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    if items.len() > MAX_LIST_LENGTH {
        return Err(ModelError::new(
            list,
            format!("has {} entries, the most is {MAX_LIST_LENGTH}", items.len()),
        ));
    }
    each(list, items, check)
}

/// Checks each item of a list, naming the position of the first that is refused.
pub(super) fn each<T>(
    list: &str,
    items: &[T],
    check: impl Fn(&T) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    items.iter().enumerate().try_for_each(|(position, item)| {
        check(item).map_err(|error| error.within(format_args!("{list}[{position}]")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_by_dots_and_brackets() {
        let error = ModelError::new("name", "must not be empty")
            .within("participants[2]")
            .within("context");
        assert_eq!(error.field, "context.participants[2].name");
        assert_eq!(
            ModelError::new("[1]", "x").within("aliases").field,
            "aliases[1]"
        );
        assert_eq!(ModelError::new("", "x").within("action").field, "action");
    }

    #[test]
    fn what_shows_nothing_is_blank() {
        for blank in ["", " ", "\u{3000}\n\t", "\0", "\u{200b}\u{feff}"] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for shown in ["a", " 雨 ", "🙂", "."] {
            assert!(!is_blank(shown), "{shown:?}");
        }
    }

    #[test]
    fn the_longest_text_is_one_mebibyte() {
        assert_eq!(text("content", &"x".repeat(1_048_576)), Ok(()));
        assert_eq!(
            text("content", &"x".repeat(1_048_577)).unwrap_err().field,
            "content"
        );
    }

    #[test]
    fn a_list_of_a_note_has_a_thousand_entries_at_most() {
        let check = |item: &&str| text("", item);
        assert_eq!(few("aliases", &["雨"; 1_000], check), Ok(()));
        assert_eq!(
            few("aliases", &["雨"; 1_001], check).unwrap_err(),
            ModelError::new("aliases", "has 1001 entries, the most is 1000")
        );
        assert_eq!(
            few("aliases", &["雨", ""], check).unwrap_err().field,
            "aliases[1]"
        );
    }

    #[test]
    fn a_unit_number_is_finite_and_from_zero_to_one() {
        for good in [0.0, 0.5, 1.0] {
            assert_eq!(unit("prob", good), Ok(()));
        }
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(unit("prob", bad).unwrap_err().field, "prob");
        }
    }
}
