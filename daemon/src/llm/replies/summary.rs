//! The summary of what slides out of the window.

use serde_json::Value;

use super::told;
use crate::llm::prompts::Count;

/// The summary, which may take `budget` tokens.
pub fn summary(reply: &Value, budget: usize, count: Count<'_>) -> Result<String, String> {
    let summary = told(reply, "summary");
    if summary.is_empty() {
        return Err("`summary` is missing or empty".to_owned());
    }
    let tokens = count(&summary);
    if tokens > budget {
        return Err(format!(
            "`summary` is too long: it takes about {tokens} tokens, and {budget} is the most; shorten it"
        ));
    }
    Ok(summary)
}
