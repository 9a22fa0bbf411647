//! Word search: ten of the best out of 1,000 and 100,000 texts for a question of five words, with the memory the index takes,
//! and for comparison the same search reading every posting (a result as large as the index leaves nothing to skip).

mod corpus;

use std::hint::black_box;

use corpus::{Numbers, Vocabulary, resident_mib};
use criterion::{Criterion, criterion_group, criterion_main};
use soulmem_engine::index::{Bm25, Postings, WordQuery};
use soulmem_engine::text::Segmenter;

fn postings(criterion: &mut Criterion) {
    let segmenter = Segmenter::new();
    segmenter.segment("词典");
    let mut group = criterion.benchmark_group("postings");
    for texts in [1_000_usize, 100_000] {
        let mut numbers = Numbers(1);
        let vocabulary = Vocabulary::new(&mut numbers);
        let before = resident_mib();
        let mut index = Postings::new();
        for key in 0..texts {
            index.put_text(key, &segmenter, &vocabulary.text(30, &mut numbers));
        }
        eprintln!(
            "postings: {texts} texts take {:.1} MiB",
            resident_mib() - before
        );
        let queries: Vec<WordQuery> = (0..64)
            .map(|_| WordQuery::from_text(&segmenter, &vocabulary.text(5, &mut numbers)))
            .collect();
        let mut next = queries.iter().cycle();
        let mut search = |limit| {
            let query = next.next().expect("a cycle has no end");
            index.search(black_box(query), Bm25::default(), limit, |_| true)
        };
        group.bench_function(format!("best 10 of {texts}"), |bencher| {
            bencher.iter(|| search(10));
        });
        group.bench_function(format!("every posting of {texts}"), |bencher| {
            bencher.iter(|| search(usize::MAX));
        });
        let mut key = texts;
        group.bench_function(format!("replace one of {texts}"), |bencher| {
            bencher.iter(|| {
                key += 1;
                index.put_text(key % texts, &segmenter, &vocabulary.text(30, &mut numbers));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, postings);
criterion_main!(benches);
