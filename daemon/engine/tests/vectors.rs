//! The vector index against comparing with every vector, through any history of writes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use soulmem_engine::index::{Hit, VectorError, VectorIndex, dot};

fn brute_force(rows: &BTreeMap<u32, Vec<f32>>, query: &[f32], limit: usize) -> Vec<Hit<u32>> {
    let hits = rows.iter().map(|(key, row)| Hit {
        key: *key,
        score: f64::from(dot(query, row)),
    });
    let mut hits: Vec<_> = hits.collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    hits.truncate(limit);
    hits
}

/// A fixed sequence of numbers in -1..1 (`SplitMix64`), so that large tests are the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    fn vector(&mut self, dimension: usize) -> Vec<f32> {
        (0..dimension).map(|_| self.next()).collect()
    }
}

#[test]
fn the_product_is_the_sum_of_products() {
    // 1·4 + 2·5 + 3·6 = 32, and 17 ones against 0..17: 136.
    assert!((dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]) - 32.0).abs() < f32::EPSILON);
    let upward: Vec<f32> = (0..17_u8).map(f32::from).collect();
    assert!((dot(&[1.0; 17], &upward) - 136.0).abs() < f32::EPSILON);
    assert!(dot(&[], &[]) == 0.0);
}

#[test]
fn thousands_of_near_vectors_are_found_exactly() {
    // A crowd around one direction, nearer to each other than a byte for each component can tell.
    let mut numbers = Numbers(1);
    let (mut index, mut rows) = (VectorIndex::new(96), BTreeMap::new());
    let centre = numbers.vector(96);
    for key in 0..5_000_u32 {
        let spread = if key % 3 == 0 { 1.0 } else { 0.002 };
        let row: Vec<f32> = centre
            .iter()
            .map(|value| value + spread * numbers.next())
            .collect();
        index.put(key, &row).unwrap();
        rows.insert(key, row);
    }
    for key in (0..5_000).step_by(11) {
        assert!(index.remove(&key));
        rows.remove(&key);
    }
    for _ in 0..20 {
        let query = numbers.vector(96);
        for limit in [1, 10, 300] {
            assert_eq!(
                index.search(&query, limit, |_| true).unwrap(),
                brute_force(&rows, &query, limit)
            );
            let odd: BTreeMap<_, _> = rows
                .clone()
                .into_iter()
                .filter(|(key, _)| key % 2 == 1)
                .collect();
            assert_eq!(
                index.search(&query, limit, |key| key % 2 == 1).unwrap(),
                brute_force(&odd, &query, limit)
            );
        }
    }
    assert_eq!(
        index.search(&centre, 9_999, |_| true).unwrap(),
        brute_force(&rows, &centre, 9_999)
    );
}

#[test]
fn equal_vectors_are_in_the_order_of_their_keys() {
    let mut index = VectorIndex::new(2);
    for key in [4, 2, 9, 1] {
        index.put(key, &[0.6, 0.8]).unwrap();
    }
    let hits = index.search(&[1.0, 0.0], 3, |_| true).unwrap();
    assert_eq!(
        hits.iter().map(|hit| hit.key).collect::<Vec<_>>(),
        [1, 2, 4]
    );
    assert!(index.search(&[1.0, 0.0], 0, |_| true).unwrap().is_empty());
}

#[test]
fn what_is_no_vector_is_refused_and_changes_nothing() {
    let mut index = VectorIndex::new(2);
    index.put('a', &[1.0, 0.0]).unwrap();
    assert_eq!(
        index.put('a', &[1.0]),
        Err(VectorError::Dimension {
            expected: 2,
            given: 1
        })
    );
    assert_eq!(
        index.put('a', &[f32::NAN, 0.0]),
        Err(VectorError::NotFinite)
    );
    assert_eq!(
        index.put('a', &[f32::MAX, f32::MAX]),
        Err(VectorError::NotFinite)
    );
    assert_eq!(
        index.search(&[0.0, f32::INFINITY], 1, |_| true),
        Err(VectorError::NotFinite)
    );
    assert_eq!(index.get(&'a'), Some(&[1.0, 0.0][..]));
    assert_eq!(index.len(), 1);
}

#[test]
fn vectors_of_zeros_and_of_next_to_nothing_are_ordinary() {
    let mut index = VectorIndex::new(3);
    for (key, row) in [
        (1, [0.0; 3]),
        (2, [1e-40, 0.0, 0.0]),
        (3, [-1e-40; 3]),
        (4, [1e15, 0.0, 0.0]),
    ] {
        index.put(key, &row).unwrap();
    }
    let keys = |query: [f32; 3]| -> Vec<i32> {
        index
            .search(&query, 4, |_| true)
            .unwrap()
            .into_iter()
            .map(|hit| hit.key)
            .collect()
    };
    assert_eq!(keys([1e15, 0.0, 0.0]), [4, 2, 1, 3]);
    assert_eq!(keys([0.0; 3]), [1, 2, 3, 4]);
}

#[derive(Debug, Clone)]
enum Step {
    Put(u32, Vec<f32>),
    Remove(u32),
}

proptest! {
    #[test]
    fn every_search_is_that_of_brute_force(
        steps in prop::collection::vec(
            prop_oneof![
                3 => (0_u32..50, prop::collection::vec(-1.0_f32..1.0, 7)).prop_map(|(key, row)| Step::Put(key, row)),
                1 => (0_u32..50).prop_map(Step::Remove),
            ],
            0..120,
        ),
        query in prop::collection::vec(-1.0_f32..1.0, 7),
        limit in 0_usize..20,
    ) {
        let (mut index, mut rows) = (VectorIndex::new(7), BTreeMap::new());
        for step in steps {
            match step {
                Step::Put(key, row) => {
                    index.put(key, &row).unwrap();
                    rows.insert(key, row);
                }
                Step::Remove(key) => prop_assert_eq!(index.remove(&key), rows.remove(&key).is_some()),
            }
        }
        prop_assert_eq!(index.len(), rows.len());
        for (key, row) in &rows {
            prop_assert_eq!(index.get(key), Some(row.as_slice()));
        }
        prop_assert_eq!(index.search(&query, limit, |_| true).unwrap(), brute_force(&rows, &query, limit));
    }
}
