//! How many tokens a text takes: by a model's own tokeniser, or by an estimate where none is named.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use soulmem_engine::text::estimate_tokens;
use thiserror::Error;
use tokenizers::Tokenizer;

use crate::soul::CountTokens;

/// What any tokeniser is asked for that reads what people write: letters, Chinese, kana, an emoji, and a character that nearly
/// no vocabulary has.
const PROBE: &str = "tea 茶 おちゃ 🍵 𓎡";

/// Why a tokeniser cannot be used.
#[derive(Debug, Error)]
#[error(
    "context.tokenizer: {}: {reason}; give the path of a Hugging Face tokenizer.json, or leave it empty to estimate", file.display()
)]
pub struct TokenizerError {
    file: PathBuf,
    reason: String,
}

/// Counts by the `tokenizer.json` of a model, or estimates where none is named. A text that the tokeniser fails on is estimated, and
/// the log says so the first time.
pub fn counter(file: Option<&Path>) -> Result<CountTokens, TokenizerError> {
    let Some(file) = file else {
        return Ok(Arc::new(estimate_tokens));
    };
    let refused = |error: Box<dyn Error + Send + Sync>| TokenizerError {
        file: file.to_owned(),
        reason: error.to_string(),
    };
    let tokenizer = load(file).map_err(refused)?;
    count(&tokenizer, PROBE).map_err(refused)?;
    let told = AtomicBool::new(false);
    Ok(Arc::new(move |text: &str| {
        count(&tokenizer, text).unwrap_or_else(|error| {
            if !told.swap(true, Ordering::Relaxed) {
                tracing::warn!(%error, "context.tokenizer cannot count a text: such texts are estimated");
            }
            estimate_tokens(text)
        })
    }))
}

/// Without what a file may say for the input of a model: every text is counted to its end, and nothing that fills it up.
fn load(file: &Path) -> Result<Tokenizer, Box<dyn Error + Send + Sync>> {
    let mut tokenizer = Tokenizer::from_file(file)?;
    tokenizer.with_truncation(None)?;
    tokenizer.with_padding(None);
    Ok(tokenizer)
}

fn count(tokenizer: &Tokenizer, text: &str) -> Result<usize, Box<dyn Error + Send + Sync>> {
    Ok(tokenizer.encode_fast(text, false)?.len())
}

#[cfg(test)]
mod tests;
