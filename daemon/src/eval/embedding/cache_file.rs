//! The file of an embedding cache.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SMVECTR1` |
//! | 4 | dimension of the vectors, little-endian as every number here |
//! | 32 + 4·dimension each | SHA-256 of side and text, and the vector as f32; ascending by the first |
//! | 32 | SHA-256 of all that comes before |

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{Key, Vectors};

const MAGIC: &[u8; 8] = b"SMVECTR1";
const DIGEST: usize = 32;

/// The file's bytes; the same for the same vectors.
pub(super) fn encode(vectors: &Vectors, dimension: usize) -> Vec<u8> {
    let mut sorted: Vec<_> = vectors.iter().collect();
    sorted.sort_by_key(|(key, _)| **key);
    let mut bytes = Vec::with_capacity(sorted.len() * (DIGEST + 4 * dimension) + 44);
    bytes.extend(MAGIC);
    bytes.extend(u32::try_from(dimension).unwrap_or(u32::MAX).to_le_bytes());
    for (key, vector) in sorted {
        bytes.extend(key);
        bytes.extend(vector.iter().flat_map(|component| component.to_le_bytes()));
    }
    let digest = Sha256::digest(&bytes);
    bytes.extend(digest);
    bytes
}

/// The vectors of a file, or nothing where any of it is not as it was written.
pub(super) fn decode(bytes: &[u8], dimension: usize) -> Option<Vectors> {
    let (body, digest) = bytes.split_last_chunk::<DIGEST>()?;
    if Sha256::digest(body).as_slice() != digest {
        return None;
    }
    let entries = body.strip_prefix(MAGIC)?;
    let (stored, entries) = entries.split_first_chunk::<4>()?;
    if u32::from_le_bytes(*stored) as usize != dimension {
        return None;
    }
    let entries = entries.chunks(DIGEST + 4 * dimension);
    entries
        .map(|entry| decode_entry(entry, dimension))
        .collect()
}

fn decode_entry(entry: &[u8], dimension: usize) -> Option<(Key, Arc<[f32]>)> {
    let (key, components) = entry.split_first_chunk::<DIGEST>()?;
    let (components, rest) = components.as_chunks::<4>();
    let whole = rest.is_empty() && components.len() == dimension;
    let vector = components.iter().map(|bytes| f32::from_le_bytes(*bytes));
    whole.then(|| (*key, vector.collect()))
}

/// Writes a file beside the old one and puts it in its place, so that no half of it is ever seen.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    written.write_all(bytes)?;
    written.as_file().sync_all()?;
    written.persist(file).map_err(|error| error.error)?;
    Ok(())
}
