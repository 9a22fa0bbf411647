//! Cutting a line of fifty characters: Chinese, English, mixed, and with 50,000 names to look for.

mod corpus;

use std::hint::black_box;

use corpus::{Numbers, Vocabulary};
use criterion::{Criterion, criterion_group, criterion_main};
use soulmem_engine::text::{Segmenter, words};

const CHINESE: &str = "昨天下午我和小满去了江边新开的那家咖啡馆，她点了一杯热巧克力，说下个月想去海边看日出，还要带上相机。";
const ENGLISH: &str = "Yesterday we went to the new café by the river bank.";
const MIXED: &str =
    "小满的iPhone手机在3号线丢了，她说C盘里还有备份，晚上用MacBook恢复一下照片😀就好。";

fn segmentation(criterion: &mut Criterion) {
    let plain = Segmenter::new();
    let mut named = Segmenter::new();
    let mut numbers = Numbers(7);
    let vocabulary = Vocabulary::new(&mut numbers);
    let mut added = 0;
    while added < 50_000 {
        added += usize::from(named.add_name(&vocabulary.text(2, &mut numbers)));
    }
    let mut group = criterion.benchmark_group("segmentation");
    for (language, line) in [("chinese", CHINESE), ("english", ENGLISH), ("mixed", MIXED)] {
        group.bench_function(language, |bencher| {
            bencher.iter(|| plain.segment(black_box(line)));
        });
    }
    group.bench_function("chinese, 50,000 names", |bencher| {
        bencher.iter(|| named.segment(black_box(CHINESE)));
    });
    group.bench_function("chinese, words for masks", |bencher| {
        bencher.iter(|| words(black_box(CHINESE)));
    });
    group.finish();
}

criterion_group!(benches, segmentation);
criterion_main!(benches);
