//! Understanding a line of fifty characters with 50,000 names to look for: what a recall waits for before it can search.
//! The aim is under 1 ms.

mod corpus;

use std::hint::black_box;

use corpus::{Numbers, Vocabulary};
use criterion::{Criterion, criterion_group, criterion_main};
use soulmem_engine::text::{Line, Participant, Segmenter, time_expressions, understand};

const CHINESE: &str = "你还记得去年国庆前后我们和小满一起去江边那家咖啡馆的那天晚上吗？她说她最喜欢热巧克力，下周三还想再去。";
const ENGLISH: &str = "Do you remember what Mandy said two Fridays ago there?";
const MIXED: &str =
    "上周三小满的iPhone在3号线丢了，last night她用MacBook恢复了照片，你知道when吗😀？";

fn understanding(criterion: &mut Criterion) {
    let mut segmenter = Segmenter::new();
    let mut numbers = Numbers(7);
    let vocabulary = Vocabulary::new(&mut numbers);
    let mut added = 0;
    while added < 50_000 {
        added += usize::from(segmenter.add_name(&vocabulary.text(2, &mut numbers)));
    }
    let participants = ["林小满", "Jamie"].map(|name| Participant {
        name: name.to_owned(),
        aliases: vec!["小满".to_owned()],
    });
    let said = "2026-05-13T15:00[Asia/Shanghai]"
        .parse()
        .expect("a moment in a zone");
    let mut group = criterion.benchmark_group("understand");
    for (language, text) in [("chinese", CHINESE), ("english", ENGLISH), ("mixed", MIXED)] {
        let line = Line {
            text,
            said: &said,
            participants: &participants,
            speaker: Some(1),
            listener: None,
        };
        group.bench_function(language, |bencher| {
            bencher.iter(|| understand(black_box(&line), &segmenter));
        });
    }
    group.bench_function("chinese, times only", |bencher| {
        bencher.iter(|| time_expressions(black_box(CHINESE), &said));
    });
    group.finish();
}

criterion_group!(benches, understanding);
criterion_main!(benches);
