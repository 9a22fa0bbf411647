//! A file of sections: each with its length and a hash of its bytes and its place, so that a reader sees nothing that was
//! damaged, cut off or put elsewhere.

use std::io::{self, Read, Write};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Length and hash, 8 bytes each.
const HEADER: usize = 16;

/// Writes sections, one after the other.
pub struct SectionWriter<W> {
    file: W,
    written: u64,
}

impl<W: Write> SectionWriter<W> {
    /// Begins a file.
    pub fn new(file: W) -> Self {
        Self { file, written: 0 }
    }

    /// Adds a section.
    pub fn add(&mut self, content: &[u8]) -> io::Result<()> {
        self.file.write_all(&header(content, self.written))?;
        self.file.write_all(content)?;
        self.written += 1;
        Ok(())
    }

    /// Ends it; returns how many sections it has.
    pub fn finish(mut self) -> io::Result<u64> {
        self.file.flush()?;
        Ok(self.written)
    }
}

/// A section that stands at a place, with its header: for one that is added to a finished file.
pub fn section_at(content: &[u8], place: u64) -> Vec<u8> {
    let mut section = header(content, place).to_vec();
    section.extend_from_slice(content);
    section
}

fn header(content: &[u8], place: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&(content.len() as u64).to_le_bytes());
    header[8..].copy_from_slice(&xxh3_64_with_seed(content, place).to_le_bytes());
    header
}

/// Reads sections in the order in which they were written.
pub struct SectionReader<R> {
    file: R,
    /// Bytes that the file has yet.
    left: u64,
    read: u64,
}

impl<R: Read> SectionReader<R> {
    /// Begins to read a file of so many bytes.
    pub fn new(file: R, bytes: u64) -> Self {
        let left = bytes;
        let read = 0;
        Self { file, left, read }
    }

    /// How many sections were read.
    pub fn place(&self) -> u64 {
        self.read
    }

    /// How many bytes were not read yet.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// The next section; `None` where there is none that is whole.
    pub fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(after_header) = self.left.checked_sub(HEADER as u64) else {
            return Ok(None);
        };
        let mut header = [0; HEADER];
        self.file.read_exact(&mut header)?;
        let [length, hash] = [&header[..8], &header[8..]].map(|half| {
            let half = half.try_into().unwrap_or_default();
            u64::from_le_bytes(half)
        });
        let Some(left) = after_header.checked_sub(length) else {
            return Ok(None);
        };
        let mut content = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        self.file.by_ref().take(length).read_to_end(&mut content)?;
        if content.len() as u64 != length || xxh3_64_with_seed(&content, self.read) != hash {
            return Ok(None);
        }
        self.left = left;
        self.read += 1;
        Ok(Some(content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = SectionWriter::new(&mut file);
        for content in [&b"one"[..], b"", b"three"] {
            writer.add(content).unwrap();
        }
        file.extend(section_at(b"last", 3));
        file
    }

    fn read(file: &[u8]) -> Vec<Vec<u8>> {
        let mut reader = SectionReader::new(file, file.len() as u64);
        std::iter::from_fn(|| reader.next().unwrap()).collect()
    }

    #[test]
    fn sections_come_back_as_they_were_written() {
        assert_eq!(read(&written()), [&b"one"[..], b"", b"three", b"last"]);
    }

    #[test]
    fn nothing_is_read_from_where_a_bit_was_flipped_or_the_end_is_missing() {
        let whole = read(&written());
        for place in 0..written().len() {
            let mut damaged = written();
            damaged[place] ^= 0x10;
            let seen = read(&damaged);
            assert!(
                seen.len() < whole.len() && whole.starts_with(&seen),
                "{place}"
            );
            let cut = read(&written()[..place]);
            assert!(
                cut.len() < whole.len() && whole.starts_with(&cut),
                "{place}"
            );
        }
    }

    #[test]
    fn a_section_in_the_place_of_another_is_not_read() {
        let mut swapped = section_at(b"two", 1);
        swapped.extend(section_at(b"one", 0));
        assert!(read(&swapped).is_empty());
    }
}
