//! The documents of one term, compressed.
//!
//! Postings are written in the order of document numbers, each as the distance from the one before and the number of
//! occurrences, in variable-length bytes (LEB128): `distance · 2` for a single occurrence, else `distance · 2 + 1` and
//! the occurrences less two. Most take one or two bytes. Every 128 postings a skip is noted, so that a reader can jump.

use smallvec::SmallVec;

use crate::pack::{Pack, pack_len, take, unpack_len};
use crate::pack_fields;

/// Postings between two skips.
const BLOCK: u32 = 128;

/// One document of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The document's number.
    pub(super) doc: u32,
    /// How often the term stands in it.
    pub(super) count: u32,
}

/// A place in the bytes from which reading can begin.
#[derive(Debug, Clone, Copy, Default)]
struct Skip {
    /// The last document before the place, plus one.
    before: u32,
    /// The first document after the place.
    first: u32,
    offset: u32,
}

/// The documents of one term, in ascending order of their numbers.
#[derive(Debug, Default)]
pub(super) struct List {
    /// Half of all terms stand in a few documents only and fit without an allocation.
    bytes: SmallVec<[u8; 16]>,
    /// How many postings were written.
    written: u32,
    /// How many of their documents are alive: the document frequency.
    pub(super) live: u32,
    /// The last document written, plus one.
    next_doc: u32,
    /// The largest count ever written and the smallest length of a document: what bounds the term's scores.
    pub(super) max_count: u32,
    pub(super) min_length: u32,
    /// Behind a pointer, because nearly all lists are too short to have any.
    skips: Option<Box<Skips>>,
}

#[derive(Debug, Default)]
struct Skips(Vec<Skip>);

impl List {
    /// Adds a document, whose number is larger than any before.
    pub(super) fn push(&mut self, posting: Posting, length: u32) {
        if self.written > 0 && self.written.is_multiple_of(BLOCK) {
            let offset = self.bytes.len() as u32;
            let skip = Skip {
                before: self.next_doc,
                first: posting.doc,
                offset,
            };
            self.skips.get_or_insert_default().0.push(skip);
        }
        let distance = u64::from(posting.doc - self.next_doc);
        self.reserve();
        if posting.count == 1 {
            write(&mut self.bytes, distance << 1);
        } else {
            write(&mut self.bytes, distance << 1 | 1);
            write(&mut self.bytes, u64::from(posting.count) - 2);
        }
        self.min_length = if self.written == 0 {
            length
        } else {
            self.min_length.min(length)
        };
        self.max_count = self.max_count.max(posting.count);
        self.next_doc = posting.doc + 1;
        self.written += 1;
        self.live += 1;
    }

    /// Grows by an eighth: lists are many, and doubling would leave a third of the memory empty.
    fn reserve(&mut self) {
        const LONGEST_POSTING: usize = 10;
        if self.bytes.spilled() && self.bytes.capacity() - self.bytes.len() < LONGEST_POSTING {
            self.bytes
                .reserve_exact(LONGEST_POSTING + self.bytes.len() / 8);
        }
    }

    /// Reads from the first document on.
    pub(super) fn reader(&self) -> Reader<'_> {
        let skips = self.skips.as_deref().map_or(&[][..], |skips| &skips.0);
        Reader {
            bytes: &self.bytes,
            skips,
            offset: 0,
            next_doc: 0,
            ahead: None,
        }
    }
}

/// Reads a list forwards.
#[derive(Debug)]
pub(super) struct Reader<'l> {
    bytes: &'l [u8],
    /// The skips that may still lie ahead.
    skips: &'l [Skip],
    offset: usize,
    next_doc: u32,
    /// A posting that was read and not yet wanted.
    ahead: Option<Posting>,
}

impl Reader<'_> {
    /// The next posting of a document before `end`.
    #[inline]
    pub(super) fn next_before(&mut self, end: u32) -> Option<Posting> {
        let posting = self.next()?;
        if posting.doc < end {
            return Some(posting);
        }
        self.ahead = Some(posting);
        None
    }

    /// How often the term stands in `doc`, if it does. Documents must be asked for in ascending order.
    pub(super) fn count_in(&mut self, doc: u32) -> Option<u32> {
        if self.ahead.is_some_and(|posting| posting.doc > doc) {
            return None;
        }
        self.jump(doc);
        loop {
            let posting = self.next()?;
            if posting.doc >= doc {
                self.ahead = Some(posting);
                return (posting.doc == doc).then_some(posting.count);
            }
        }
    }

    /// Jumps to the last skip that does not pass `doc`.
    fn jump(&mut self, doc: u32) {
        let (behind, ahead) = self
            .skips
            .split_at(self.skips.partition_point(|skip| skip.first <= doc));
        self.skips = ahead;
        if let Some(skip) = behind
            .last()
            .filter(|skip| skip.offset as usize > self.offset)
        {
            (self.offset, self.next_doc, self.ahead) = (skip.offset as usize, skip.before, None);
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        if let Some(posting) = self.ahead.take() {
            return Some(posting);
        }
        let head = read(self.bytes, &mut self.offset)?;
        let count = if head & 1 == 0 {
            1
        } else {
            read(self.bytes, &mut self.offset)? as u32 + 2
        };
        let doc = self.next_doc + (head >> 1) as u32;
        self.next_doc = doc + 1;
        Some(Posting { doc, count })
    }
}

/// Appends a number in LEB128: seven bits a byte, lowest first, the high bit set on all but the last.
pub(super) fn write(bytes: &mut impl Extend<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.extend([number as u8 | 0x80]);
        number >>= 7;
    }
    bytes.extend([number as u8]);
}

/// Reads a number in LEB128 and moves past it; `None` at the end of the bytes.
#[inline]
pub(super) fn read(bytes: &[u8], offset: &mut usize) -> Option<u64> {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let byte = *bytes.get(*offset)?;
        *offset += 1;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

impl Pack for SmallVec<[u8; 16]> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_len(self.len(), into);
        into.extend_from_slice(self);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let len = unpack_len(from)?;
        take(from, len).map(Self::from_slice)
    }
}

pack_fields!(Skip {
    before,
    first,
    offset
});

impl Pack for Box<Skips> {
    fn pack(&self, into: &mut Vec<u8>) {
        self.0.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(Self::new(Skips(Pack::unpack(from)?)))
    }
}

pack_fields!(List {
    bytes,
    written,
    live,
    next_doc,
    max_count,
    min_length,
    skips
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_written_as_leb128() {
        // DWARF 4, figure 22: examples of unsigned LEB128.
        for (number, bytes) in [
            (2, vec![2]),
            (127, vec![127]),
            (128, vec![0x80, 1]),
            (12_857, vec![0xB9, 0x64]),
        ] {
            let mut written = Vec::new();
            write(&mut written, number);
            assert_eq!(written, bytes);
            assert_eq!(read(&written, &mut 0), Some(number));
        }
    }

    proptest! {
        #[test]
        fn a_list_reads_back_what_was_pushed(
            gaps in prop::collection::vec((1_u32..300, 1_u32..5), 0..600),
            asked in prop::collection::btree_set(0_u32..100_000, 0..50),
        ) {
            let mut list = List::default();
            let mut pushed = Vec::new();
            let mut doc = 0;
            for (gap, count) in gaps {
                doc += gap;
                pushed.push(Posting { doc, count });
                list.push(Posting { doc, count }, 1);
            }
            prop_assert_eq!(list.reader().collect::<Vec<_>>(), pushed.clone());
            let mut reader = list.reader();
            for doc in asked {
                let posting = pushed.iter().find(|posting| posting.doc == doc);
                prop_assert_eq!(reader.count_in(doc), posting.map(|posting| posting.count));
            }
        }
    }
}
