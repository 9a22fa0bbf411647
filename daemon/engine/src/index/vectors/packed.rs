//! The packed form of the vectors, block by block: they are most of an index, so that no copy of all is ever made.
//!
//! Rows with many zeros, as hashed words give, are packed as their other components, with their places; other rows as they
//! are. The small form is made again from the scale.

use std::hash::Hash;

use super::{BLOCK_ROWS, Block, RowScale, VectorIndex};
use crate::pack::{Pack, take};

/// What stands for the number of components of a row that is packed as it is.
const WHOLE: u16 = u16::MAX;

impl<K: Pack + Clone + Ord + Hash> VectorIndex<K> {
    /// The packed forms of its blocks, in order.
    pub fn packed_blocks(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        let blocks = self.blocks.iter().zip(self.keys.chunks(BLOCK_ROWS));
        blocks.map(|(block, keys)| {
            let mut packed = Vec::new();
            keys.to_vec().pack(&mut packed);
            block.pack(self.dimension, &mut packed);
            packed
        })
    }

    /// Adds a block in its packed form, in the order of [`packed_blocks`](Self::packed_blocks). Answers whether it is one.
    #[must_use]
    pub fn add_packed(&mut self, mut packed: &[u8]) -> bool {
        if !self.keys.len().is_multiple_of(BLOCK_ROWS) {
            return false;
        }
        let from = &mut packed;
        let Some(keys) = Vec::<K>::unpack(from).filter(|keys| keys.len() <= BLOCK_ROWS) else {
            return false;
        };
        let Some(block) = Block::unpack(self.dimension, keys.len(), from) else {
            return false;
        };
        self.blocks.push(block);
        for key in &keys {
            self.by_key.insert(key.clone(), self.keys.len());
            self.keys.push(key.clone());
        }
        from.is_empty() && self.by_key.len() == self.keys.len()
    }
}

impl Block {
    fn pack(&self, dimension: usize, into: &mut Vec<u8>) {
        for (row, scale) in self.rows.chunks_exact(dimension).zip(&self.scales) {
            scale.pack(into);
            pack_row(row, into);
        }
    }

    fn unpack(dimension: usize, count: usize, from: &mut &[u8]) -> Option<Self> {
        let mut block = Self::with_dimension(dimension);
        for _ in 0..count {
            let scale = RowScale::unpack(from)?;
            match u16::unpack(from)? {
                WHOLE => block.whole_row(dimension, from)?,
                parts => block.sparse_row(dimension, usize::from(parts), from)?,
            }
            block.push_scale(scale);
        }
        Some(block)
    }

    fn whole_row(&mut self, dimension: usize, from: &mut &[u8]) -> Option<()> {
        let values = take(from, dimension.checked_mul(size_of::<f32>())?)?;
        let (values, _) = values.as_chunks();
        self.rows
            .extend(values.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        Some(())
    }

    fn sparse_row(&mut self, dimension: usize, parts: usize, from: &mut &[u8]) -> Option<()> {
        let start = self.rows.len();
        self.rows.resize(start + dimension, 0.0);
        let row = &mut self.rows[start..];
        let (places, _) = take(from, parts * size_of::<u16>())?.as_chunks();
        let (values, _) = take(from, parts * size_of::<f32>())?.as_chunks();
        for (place, value) in places.iter().zip(values) {
            let place = usize::from(u16::from_le_bytes(*place));
            *row.get_mut(place)? = f32::from_le_bytes(*value);
        }
        Some(())
    }
}

fn pack_row(row: &[f32], into: &mut Vec<u8>) {
    // A zero with a sign is packed, so that a row is read back to the bit.
    let is_there = |value: &f32| value.to_bits() != 0;
    let parts = row.iter().filter(|value| is_there(value)).count();
    let sparse = parts * (size_of::<u16>() + size_of::<f32>());
    if row.len() > usize::from(u16::MAX) || sparse >= size_of_val(row) {
        WHOLE.pack(into);
        into.extend(row.iter().flat_map(|value| value.to_le_bytes()));
        return;
    }
    (parts as u16).pack(into);
    for (place, _) in row.iter().enumerate().filter(|(_, value)| is_there(value)) {
        (place as u16).pack(into);
    }
    for value in row.iter().filter(|value| is_there(value)) {
        value.pack(into);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Many zeros of either sign, a few, or none.
    fn vector() -> impl Strategy<Value = Vec<f32>> {
        let number = |zeros: u32| {
            prop_oneof![
                zeros => prop_oneof![Just(0.0_f32), Just(-0.0)],
                10 => -1.0_f32..1.0,
            ]
        };
        prop_oneof![
            prop::collection::vec(number(200), 70),
            prop::collection::vec(number(10), 70),
            prop::collection::vec(number(1), 70),
        ]
    }

    fn again(index: &VectorIndex<u32>) -> VectorIndex<u32> {
        let mut read = VectorIndex::new(index.dimension());
        for block in index.packed_blocks() {
            assert!(read.add_packed(&block));
        }
        read
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn vectors_are_read_back_to_the_bit_in_both_forms(
            vectors in prop::collection::vec(vector(), 1..40),
            removed in prop::collection::vec(0_u32..40, 0..10),
            query in vector(),
        ) {
            let mut index = VectorIndex::new(70);
            for (key, vector) in (0..).zip(&vectors) {
                index.put(key, vector).unwrap();
            }
            for key in removed {
                index.remove(&key);
            }
            let read = again(&index);
            prop_assert_eq!(read.len(), index.len());
            for key in 0..40 {
                let bits = |index: &VectorIndex<u32>| {
                    index.get(&key).map(|row| row.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
                };
                prop_assert_eq!(bits(&read), bits(&index));
            }
            for (read, block) in read.blocks.iter().zip(&index.blocks) {
                prop_assert_eq!(&read.codes, &block.codes);
            }
            let found = |index: &VectorIndex<u32>| index.search(&query, 5, |_| true).unwrap();
            prop_assert_eq!(found(&read), found(&index));
        }

        #[test]
        fn a_block_that_is_cut_is_refused(vectors in prop::collection::vec(vector(), 1..4), cut in 1_usize..50) {
            let mut index = VectorIndex::new(70);
            for (key, vector) in (0_u32..).zip(&vectors) {
                index.put(key, vector).unwrap();
            }
            for block in index.packed_blocks() {
                prop_assert!(!VectorIndex::<u32>::new(70).add_packed(&block[..block.len() - cut]));
            }
        }
    }

    /// Blocks are of 1,024 rows: the next one begins where the last one ends.
    #[test]
    fn more_than_one_block_is_read_back() {
        let mut index = VectorIndex::new(3);
        for key in 0..2_100_u32 {
            index.put(key, &[key as f32, 0.0, 1.0]).unwrap();
        }
        let mut read = again(&index);
        assert_eq!(read.packed_blocks().count(), 3);
        read.put(9_999, &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(read.get(&2_099), Some(&[2_099.0, 0.0, 1.0][..]));
        assert_eq!(read.get(&9_999), Some(&[1.0, 2.0, 3.0][..]));
    }
}
