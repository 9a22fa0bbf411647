//! Vectors by their nearness: an exact search over all of them, in memory, incremental.
//!
//! Below some hundred thousand vectors a scan is as fast as a graph index and needs no building: what bounds it is how
//! many bytes it reads. So the scan reads a form of one byte for each component, and only rows that could be among
//! the best, going by the largest error this form can have, are compared in full.

mod packed;
mod promising;
mod quantised;

use std::hash::Hash;

use hashbrown::HashMap;
use promising::Promising;
use quantised::{QuantisedQuery, RowScale, scale_of};
use thiserror::Error;

use super::{Hit, dot};

/// Rows in one allocation: large enough to scan without pause, small enough that growing never copies much.
const BLOCK_ROWS: usize = 1_024;

/// A vector that the index cannot take.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VectorError {
    /// It has another dimension than the index.
    #[error("a vector of {given} components in an index of dimension {expected}")]
    Dimension {
        /// The dimension of the index.
        expected: usize,
        /// The number of components given.
        given: usize,
    },
    /// A component is infinite or not a number, or together they are too large for the vector to have a length.
    #[error("a vector without a finite length")]
    NotFinite,
}

/// Vectors of one dimension under keys of type `K`, searched by scalar product.
#[derive(Debug)]
pub struct VectorIndex<K> {
    dimension: usize,
    blocks: Vec<Block>,
    keys: Vec<K>,
    by_key: HashMap<K, usize>,
}

#[derive(Debug, Default)]
struct Block {
    rows: Vec<f32>,
    /// The small form: the first components of all rows that there is room for, then the second ones, and so on.
    codes: Vec<i8>,
    scales: Vec<RowScale>,
}

impl<K: Clone + Ord + Hash> VectorIndex<K> {
    /// An empty index for vectors of this dimension, which is taken as 1 at least.
    pub fn new(dimension: usize) -> Self {
        let dimension = dimension.max(1);
        Self {
            dimension,
            blocks: Vec::new(),
            keys: Vec::new(),
            by_key: HashMap::new(),
        }
    }

    /// The number of components of every vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys of all vectors, in the order in which they lie in memory.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.keys.iter()
    }

    /// The vector under a key.
    pub fn get(&self, key: &K) -> Option<&[f32]> {
        self.by_key.get(key).map(|row| self.row(*row))
    }

    /// Adds a vector, in place of the one that had this key.
    pub fn put(&mut self, key: K, vector: &[f32]) -> Result<(), VectorError> {
        self.check(vector)?;
        self.remove(&key);
        if self.keys.len().is_multiple_of(BLOCK_ROWS) {
            self.blocks.push(Block::with_dimension(self.dimension));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.rows.extend_from_slice(vector);
            block.push_scale(scale_of(vector));
        }
        self.by_key.insert(key.clone(), self.keys.len());
        self.keys.push(key);
        Ok(())
    }

    /// Takes a vector out. Answers whether it was there.
    pub fn remove(&mut self, key: &K) -> bool {
        let Some(row) = self.by_key.remove(key) else {
            return false;
        };
        self.keys.swap_remove(row);
        // The last row moves into the gap, so that rows stay dense and a scan never meets one that is gone.
        let last = self
            .blocks
            .last_mut()
            .and_then(|block| block.pop(self.dimension));
        if self
            .blocks
            .last()
            .is_some_and(|block| block.scales.is_empty())
        {
            self.blocks.pop();
        }
        if let (Some(moved), Some(last)) = (self.keys.get(row), last) {
            self.by_key.insert(moved.clone(), row);
            self.blocks[row / BLOCK_ROWS].overwrite(row % BLOCK_ROWS, &last);
        }
        true
    }

    /// The `limit` vectors with the largest scalar product with `query` among those whose key `accept`s, best first, of
    /// equal products the smaller key first. Exact: the same as comparing the query with every vector by [`dot`].
    pub fn search(
        &self,
        query: &[f32],
        limit: usize,
        accept: impl Fn(&K) -> bool,
    ) -> Result<Vec<Hit<K>>, VectorError> {
        self.check(query)?;
        if limit == 0 {
            return Ok(Vec::new());
        }
        let candidates = self.scan(&QuantisedQuery::new(query), limit, accept);
        let score = |row: usize| Hit {
            key: self.keys[row].clone(),
            score: f64::from(dot(query, self.row(row))),
        };
        Ok(Hit::best(
            candidates.into_iter().map(score).collect(),
            limit,
        ))
    }

    /// The rows that the best `limit` are certainly among.
    fn scan(
        &self,
        query: &QuantisedQuery,
        limit: usize,
        accept: impl Fn(&K) -> bool,
    ) -> Vec<usize> {
        let mut promising = Promising::new(limit);
        let mut sums = [0; BLOCK_ROWS];
        for (block, keys) in self.blocks.iter().zip(self.keys.chunks(BLOCK_ROWS)) {
            let sums = &mut sums[..keys.len()];
            query.sums(&block.codes, BLOCK_ROWS, sums);
            for ((sum, scale), key) in sums.iter().zip(&block.scales).zip(keys) {
                let (near, error) = query.product(*sum, *scale);
                promising.offer(near, error, || accept(key));
            }
        }
        promising.rows()
    }

    fn row(&self, row: usize) -> &[f32] {
        let start = row % BLOCK_ROWS * self.dimension;
        &self.blocks[row / BLOCK_ROWS].rows[start..start + self.dimension]
    }

    fn check(&self, vector: &[f32]) -> Result<(), VectorError> {
        if vector.len() != self.dimension {
            return Err(VectorError::Dimension {
                expected: self.dimension,
                given: vector.len(),
            });
        }
        let length = dot(vector, vector);
        if length.is_finite() {
            Ok(())
        } else {
            Err(VectorError::NotFinite)
        }
    }
}

/// One row on its way from one place to another.
struct Row {
    values: Vec<f32>,
    scale: RowScale,
}

impl Block {
    fn with_dimension(dimension: usize) -> Self {
        Self {
            rows: Vec::with_capacity(BLOCK_ROWS * dimension),
            codes: vec![0; BLOCK_ROWS * dimension],
            scales: Vec::with_capacity(BLOCK_ROWS),
        }
    }

    /// Makes the small form of the last row, which is there already.
    fn push_scale(&mut self, scale: RowScale) {
        let at = self.scales.len();
        self.scales.push(scale);
        self.set_codes(at, scale);
    }

    fn set_codes(&mut self, at: usize, scale: RowScale) {
        let dimension = self.codes.len() / BLOCK_ROWS;
        let row = &self.rows[at * dimension..(at + 1) * dimension];
        for (column, value) in self.codes.chunks_exact_mut(BLOCK_ROWS).zip(row) {
            column[at] = scale.code(*value);
        }
    }

    fn pop(&mut self, dimension: usize) -> Option<Row> {
        let scale = self.scales.pop()?;
        let at = self.scales.len();
        for column in self.codes.chunks_exact_mut(BLOCK_ROWS) {
            column[at] = 0;
        }
        let start = at * dimension;
        Some(Row {
            values: self.rows.split_off(start),
            scale,
        })
    }

    fn overwrite(&mut self, at: usize, row: &Row) {
        let range = at * row.values.len()..(at + 1) * row.values.len();
        self.rows[range].copy_from_slice(&row.values);
        self.scales[at] = row.scale;
        self.set_codes(at, row.scale);
    }
}
