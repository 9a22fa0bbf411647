//! What a masked span was about.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{told, whole};
use crate::llm::reply::fields::list;

/// The gists by the number of their words; `most` is the largest number that was asked about.
pub fn gists(reply: &Value, most: usize) -> Result<BTreeMap<usize, String>, String> {
    if reply.get("gists").is_none() {
        return Err("`gists` is missing".to_owned());
    }
    let mut found = BTreeMap::new();
    for entry in list(reply, "gists") {
        let number = entry.get("number").and_then(whole);
        let gist = told(entry, "gist");
        if let Some(number) = number.filter(|number| *number <= most && !gist.is_empty()) {
            found.entry(number).or_insert(gist);
        }
    }
    Ok(found)
}
