//! Vector search: ten of the nearest out of 1,000 and 100,000 vectors of 512 components, and beside it the plain scan that
//! computes every product in full, whose cost is that of reading all components once.

mod corpus;

use std::hint::black_box;

use corpus::{Numbers, resident_mib};
use criterion::{Criterion, criterion_group, criterion_main};
use soulmem_engine::index::{Hit, VectorIndex, dot};

const DIMENSION: usize = 512;

fn vectors(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("vectors");
    for count in [1_000_usize, 100_000] {
        let mut numbers = Numbers(3);
        let before = resident_mib();
        let mut index = VectorIndex::new(DIMENSION);
        for key in 0..count {
            index
                .put(key, &numbers.vector(DIMENSION))
                .expect("a vector of the index's dimension");
        }
        eprintln!("vectors: {count} take {:.1} MiB", resident_mib() - before);
        let rows: Vec<f32> = (0..count)
            .flat_map(|key| index.get(&key).expect("just added").to_vec())
            .collect();
        let queries: Vec<Vec<f32>> = (0..16).map(|_| numbers.vector(DIMENSION)).collect();
        let mut next = queries.iter().cycle();
        let mut query = || next.next().expect("a cycle has no end").as_slice();
        group.bench_function(format!("best 10 of {count}"), |bencher| {
            bencher.iter(|| index.search(black_box(query()), 10, |_| true));
        });
        group.bench_function(format!("plain scan of {count}"), |bencher| {
            bencher.iter(|| plain_scan(black_box(query()), &rows));
        });
    }
    group.finish();
}

fn plain_scan(query: &[f32], rows: &[f32]) -> Vec<Hit<usize>> {
    let products = rows
        .chunks_exact(DIMENSION)
        .map(|row| dot(query, row))
        .enumerate();
    Hit::best(
        products
            .map(|(key, product)| Hit {
                key,
                score: f64::from(product),
            })
            .collect(),
        10,
    )
}

criterion_group!(benches, vectors);
criterion_main!(benches);
