//! How large things may be.

use super::error::{Result, SoulError};

/// Largest text of one message, in bytes of UTF-8.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Largest name, talk or source of a message, in bytes of UTF-8.
pub const MAX_LABEL_BYTES: usize = 1 << 10;
/// Largest configuration of one character, in bytes of JSON.
pub const MAX_CONFIG_BYTES: usize = 1 << 16;
/// Most messages in one push.
pub const MAX_PUSH_MESSAGES: usize = 1_000;
/// Most notes in one request that writes notes.
pub const MAX_NOTES: usize = 1_000;
/// Most links in one request, those of its notes among them.
pub const MAX_LINKS: usize = 10_000;
/// Most ids in one request.
pub const MAX_IDS: usize = 10_000;

/// Refuses a list of more than `most` entries.
pub fn within_count(count: usize, most: usize, field: &str) -> Result<()> {
    if count <= most {
        return Ok(());
    }
    Err(SoulError::TooLarge {
        field: field.to_owned(),
        reason: format!("has {count} entries, at most {most} are taken at once"),
    })
}

/// Refuses a text of more than `most` bytes.
pub fn within_bytes(text: &str, most: usize, field: impl FnOnce() -> String) -> Result<()> {
    if text.len() <= most {
        return Ok(());
    }
    let reason = format!("has {} bytes, at most {most} are taken", text.len());
    Err(SoulError::TooLarge {
        field: field(),
        reason,
    })
}
