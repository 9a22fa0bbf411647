//! What an index file must have been made by and for.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::LazyLock;

use soulmem_embed::{EmbeddingModel, unrelated_lines};
use soulmem_engine::pack_fields;
use soulmem_engine::text::Segmenter;
use uuid::Uuid;
use xxhash_rust::xxh3::Xxh3;

/// The program (its version, and its file: another build may lay things out differently), how it cuts texts, the
/// model, and the database.
#[derive(Debug, PartialEq, Eq)]
pub struct Stamp(String);

/// A database file as it was when it was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Untouched {
    inode: u64,
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
}

pack_fields!(Untouched {
    inode,
    bytes,
    seconds,
    nanoseconds
});

static PROGRAM: LazyLock<Option<Untouched>> =
    LazyLock::new(|| Untouched::of(&std::env::current_exe().ok()?));

/// A digest of how lines of both languages are cut: a change of rule or dictionary shows in it.
static CUTTING: LazyLock<u64> = LazyLock::new(|| {
    let mut hash = Xxh3::new();
    let segmenter = Segmenter::new();
    for line in unrelated_lines().concat() {
        segmenter.for_each_token(line, |token| {
            hash.update(token.text.as_bytes());
            hash.update(&[0xFF, token.kind as u8]);
        });
    }
    hash.digest()
});

impl Stamp {
    /// That of this program, with this model, for this database.
    pub fn new(model: &dyn EmbeddingModel, database: Option<Uuid>) -> Self {
        Self(format!(
            "SoulMem index, {} {:?} {:016x} {} {} {database:?}",
            env!("CARGO_PKG_VERSION"),
            *PROGRAM,
            *CUTTING,
            model.identity(),
            model.dimension(),
        ))
    }

    /// As it stands in the file.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Untouched {
    /// A file as it is now.
    pub fn of(file: &Path) -> Option<Self> {
        let found = fs::metadata(file).ok()?;
        Some(Self {
            inode: found.ino(),
            bytes: found.len(),
            seconds: found.mtime(),
            nanoseconds: found.mtime_nsec(),
        })
    }
}
