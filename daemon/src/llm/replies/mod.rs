//! What language models reply, in types: one file for each task.
//!
//! Each reading takes the object that a reply holds and gives what it means, or says in words, with the name of the field,
//! what is wrong with it, for the model to do better. Single entries that are of no use are passed over; a reply is wrong
//! only as a whole. Whether what it says may be believed is not decided here.

mod extract;
mod gist;
mod reimagine;
mod sub_queries;
mod summary;

pub use self::extract::extraction;
pub use self::gist::gists;
pub use self::reimagine::{Told, reimagining};
pub use self::sub_queries::sub_queries;
pub use self::summary::summary;

use serde_json::Value;

use super::reply::fields::{as_number, list, text};

/// A text, empty where there is none.
fn told(object: &Value, name: &str) -> String {
    text(object, name).unwrap_or_default()
}

/// The whole positive numbers of a list.
fn numbers(object: &Value, name: &str) -> Vec<usize> {
    list(object, name).iter().filter_map(whole).collect()
}

/// A whole positive number, also one in words of its own such as `"message 3"`.
fn whole(value: &Value) -> Option<usize> {
    let number = as_number(value).or_else(|| {
        let text = value.as_str()?;
        let digits = text.trim_matches(|c: char| !c.is_ascii_digit());
        digits.parse().ok()
    })?;
    (number.fract() == 0.0 && (1.0..=1e6).contains(&number)).then_some(number as usize)
}

#[cfg(test)]
mod tests;
