//! Files that are on their way, piece by piece.

use std::collections::HashMap;
use std::time::Duration;

use soulmem_proto::SoulName;
use tokio::time::Instant;

use super::error::{Result, SoulError};

/// Longest name of an upload, in characters.
const MAX_NAME_CHARS: usize = 64;
/// How long an upload is kept without a new piece.
const KEPT: Duration = Duration::from_secs(10 * 60);

/// The uploads of all characters, in memory: what is cut off is begun again.
#[derive(Debug)]
pub struct Uploads {
    most_bytes: usize,
    begun: HashMap<(SoulName, String), Upload>,
}

#[derive(Debug)]
struct Upload {
    bytes: Vec<u8>,
    last_piece: Instant,
}

/// Where an upload stands.
#[derive(Debug, PartialEq, Eq)]
pub enum Stand {
    /// So many bytes have come, more will.
    Partial(u64),
    /// All of it has come, and is handed over.
    Whole(Vec<u8>),
    /// The piece does not begin the file and nothing of it is here: it was handed over already, given up, or
    /// never begun.
    Unknown,
}

impl Uploads {
    /// None yet; all together may hold so many bytes.
    pub fn new(most_bytes: usize) -> Self {
        Self {
            most_bytes,
            begun: HashMap::new(),
        }
    }

    /// Takes a piece that begins at `offset`. One at 0 begins the upload anew.
    pub fn take(
        &mut self,
        soul: &SoulName,
        name: &str,
        offset: u64,
        piece: &[u8],
        last: Last,
    ) -> Result<Stand> {
        if !(1..=MAX_NAME_CHARS).contains(&name.chars().count()) {
            return Err(SoulError::invalid(
                "upload",
                format!("must have 1 to {MAX_NAME_CHARS} characters"),
            ));
        }
        self.give_up_stale();
        let key = (soul.clone(), name.to_owned());
        if offset == 0 {
            self.begun.remove(&key);
        } else if !self.begun.contains_key(&key) {
            return Ok(Stand::Unknown);
        }
        if let Err(full) = self.check_room(piece.len()) {
            // It will never be whole: what came of it would only keep others out.
            self.begun.remove(&key);
            return Err(full);
        }
        let upload = self.begun.entry(key.clone()).or_insert_with(|| Upload {
            bytes: Vec::new(),
            last_piece: Instant::now(),
        });
        upload.append(offset, piece)?;
        let stand = Stand::Partial(upload.bytes.len() as u64);
        if last == Last::No {
            return Ok(stand);
        }
        Ok(self
            .begun
            .remove(&key)
            .map_or(Stand::Unknown, |upload| Stand::Whole(upload.bytes)))
    }

    /// Gives up what is on its way to a character that is no more.
    pub fn forget(&mut self, soul: &SoulName) {
        self.begun.retain(|(of, _), _| of != soul);
    }

    fn check_room(&self, more: usize) -> Result<()> {
        let total = self
            .begun
            .values()
            .map(|upload| upload.bytes.len())
            .sum::<usize>()
            .saturating_add(more);
        if total <= self.most_bytes {
            return Ok(());
        }
        let reason = format!(
            "{total} bytes are on their way, all uploads together may have {} (souls.max_upload_bytes)",
            self.most_bytes
        );
        Err(SoulError::TooLarge {
            field: "bytes".to_owned(),
            reason,
        })
    }

    fn give_up_stale(&mut self) {
        self.begun
            .retain(|_, upload| upload.last_piece.elapsed() < KEPT);
    }
}

/// Whether a piece is the last of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// It is.
    Yes,
    /// More will come.
    No,
}

impl Upload {
    /// A piece that came before, sent again because its answer was lost, changes nothing.
    fn append(&mut self, offset: u64, piece: &[u8]) -> Result<()> {
        self.last_piece = Instant::now();
        let length = self.bytes.len();
        let begins = usize::try_from(offset).unwrap_or(usize::MAX);
        if begins == length {
            self.bytes.extend_from_slice(piece);
            return Ok(());
        }
        let again = begins
            .checked_add(piece.len())
            .and_then(|ends| self.bytes.get(begins..ends));
        if again == Some(piece) {
            return Ok(());
        }
        Err(SoulError::invalid(
            "offset",
            format!("is {offset}, the next piece begins at {length}"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn soul() -> SoulName {
        "ann".parse().unwrap()
    }

    #[test]
    fn pieces_are_joined_in_order_and_a_repeat_is_harmless() {
        let mut uploads = Uploads::new(100);
        let mut take = |offset, piece: &[u8], last| uploads.take(&soul(), "u", offset, piece, last);
        assert_eq!(take(0, b"abc", Last::No).unwrap(), Stand::Partial(3));
        assert_eq!(take(3, b"de", Last::No).unwrap(), Stand::Partial(5));
        assert_eq!(take(3, b"de", Last::No).unwrap(), Stand::Partial(5));
        assert!(
            take(3, b"xy", Last::No)
                .unwrap_err()
                .to_string()
                .contains("begins at 5")
        );
        assert!(
            take(7, b"z", Last::No)
                .unwrap_err()
                .to_string()
                .contains("begins at 5")
        );
        assert_eq!(
            take(5, b"f", Last::Yes).unwrap(),
            Stand::Whole(b"abcdef".to_vec())
        );
        assert_eq!(take(6, b"g", Last::Yes).unwrap(), Stand::Unknown);
    }

    #[test]
    fn one_at_the_begin_begins_anew_and_names_do_not_meet() {
        let mut uploads = Uploads::new(100);
        uploads.take(&soul(), "u", 0, b"abc", Last::No).unwrap();
        uploads
            .take(&"bo".parse().unwrap(), "u", 0, b"xyz", Last::No)
            .unwrap();
        let whole = uploads.take(&soul(), "u", 0, b"new", Last::Yes).unwrap();
        assert_eq!(whole, Stand::Whole(b"new".to_vec()));
        assert!(uploads.take(&soul(), "", 0, b"", Last::No).is_err());
        assert!(
            uploads
                .take(&soul(), &"u".repeat(65), 0, b"", Last::No)
                .is_err()
        );
    }

    #[test]
    fn what_grows_over_the_room_makes_way_at_once() {
        let mut uploads = Uploads::new(5);
        uploads.take(&soul(), "u", 0, b"abcd", Last::No).unwrap();
        assert!(uploads.take(&soul(), "u", 4, b"ef", Last::No).is_err());
        assert_eq!(
            uploads.take(&soul(), "v", 0, b"abcde", Last::Yes).unwrap(),
            Stand::Whole(b"abcde".to_vec())
        );
    }

    #[tokio::test(start_paused = true)]
    async fn room_is_bounded_and_what_was_left_alone_makes_way() {
        let mut uploads = Uploads::new(5);
        uploads.take(&soul(), "u", 0, b"abcd", Last::No).unwrap();
        assert!(matches!(
            uploads.take(&soul(), "v", 0, b"ab", Last::No),
            Err(SoulError::TooLarge { .. })
        ));
        advance(KEPT).await;
        uploads.take(&soul(), "v", 0, b"ab", Last::No).unwrap();
        assert_eq!(
            uploads.take(&soul(), "u", 4, b"e", Last::No).unwrap(),
            Stand::Unknown
        );
    }
}
