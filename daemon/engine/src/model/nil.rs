//! Reading `null` as an absent key.

use serde::{Deserialize, Deserializer};

/// Reads a value, or its default where the key is there with `null` (the BEAM's `nil`).
///
/// For use beside `#[serde(default)]`, which covers the key that is left out altogether.
pub(super) fn nil_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
