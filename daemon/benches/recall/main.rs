//! A whole recall as a request costs it inside the process: structured, and from a plain line.
//!
//! Structured: candidates, similarity, walk, actions, merge and the paths that explain each hit; bodies and vectors at hand as
//! they happen to be. Beside it the brute force that it replaces: every note scored with the same scorer, all bodies and all
//! vectors in memory, without a walk. Every second question asks for a concept, the others for an experience, each in words of
//! one note. Plain: the line is understood too; it is made of words of one note, and every second one names somebody.
//!
//! Before criterion's means the percentiles of single questions are printed: asked for the first time, and then again. Before
//! those, how long opening takes: everything made anew from the rows, the indexes kept from before, and as after a kill, with
//! the last thousandth of the notes written since.
//!
//! `SOULMEM_BENCH_NOTES=10000` measures at one size alone.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::json;
use soulmem::soul::mind::Admission;
use soulmem_engine::model::{Field, MemoryNote, NoteKind};
use soulmem_engine::recall::{Options, Question};

use crate::corpus::{Numbers, resident_mib};
use crate::every_note::AtHand;

#[path = "../../engine/benches/corpus/mod.rs"]
mod corpus;
mod every_note;
mod memory;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const QUESTIONS: usize = 400;

/// What is asked: in some of the words of a note, with a word beside.
fn questions(notes: &[MemoryNote]) -> Vec<Question> {
    let mut numbers = Numbers(77);
    let mut query = |number: usize| loop {
        let note = &notes[numbers.below(notes.len())];
        let texts = note.text_fields();
        let text = |wanted: Field| {
            let found = texts.iter().find(|(field, _)| *field == wanted);
            let text: String = found.iter().flat_map(|(_, text)| text.chars()).collect();
            text
        };
        let part = |text: String| text.chars().take(16).collect::<String>();
        let variant = match (note.kind(), number % 2) {
            (NoteKind::Semantic, 0) => json!({"Semantic": [{
                "concept_identifier": text(Field::Content), "description": part(text(Field::Description))
            }]}),
            (NoteKind::SpecificSituation, 1) => json!({"Situation": [{
                "narrative": part(text(Field::Narrative)),
                "location": {"name": text(Field::LocationName)},
                "participants": [{"name": text(Field::ParticipantName)}]
            }]}),
            _ => continue,
        };
        return serde_json::from_value(json!({"variant": variant})).expect("a query");
    };
    (0..QUESTIONS)
        .map(|number| Question {
            queries: vec![query(number)],
            ..Question::default()
        })
        .collect()
}

/// Plain lines: words of a note, and every second time a name beside.
fn lines(notes: &[MemoryNote]) -> Vec<Question> {
    let mut numbers = Numbers(78);
    let mut line = |number: usize| loop {
        let texts = notes[numbers.below(notes.len())].text_fields();
        let told = |field| matches!(field, Field::Description | Field::Narrative);
        let Some((_, text)) = texts.iter().find(|(field, _)| told(*field)) else {
            continue;
        };
        let from = numbers.below(text.chars().count().saturating_sub(24).max(1));
        let said: String = text.chars().skip(from).take(24).collect();
        let names = texts
            .iter()
            .filter(|(field, _)| number % 2 == 1 && *field == Field::ParticipantName);
        return names.fold(said, |line, (_, name)| format!("{name}，{line}")) + "？";
    };
    (0..QUESTIONS)
        .map(|number| Question {
            text: Some(line(number)),
            ..Question::default()
        })
        .collect()
}

fn print_percentiles(size: usize, what: &str, ask: impl Fn(&Question), questions: &[Question]) {
    let mut times: Vec<Duration> = questions
        .iter()
        .map(|question| {
            let start = Instant::now();
            ask(question);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let percentile = |share: usize| times[(times.len() - 1) * share / 100];
    println!(
        "{size} notes, {} {what}: p50 {:?}, p90 {:?}, p99 {:?}, {:.0} MiB resident",
        times.len(),
        percentile(50),
        percentile(90),
        percentile(99),
        resident_mib()
    );
}

fn recalls(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("recall");
    group.sample_size(10);
    let only = std::env::var("SOULMEM_BENCH_NOTES").ok();
    for size in SIZES {
        if only.as_ref().is_some_and(|only| *only != size.to_string()) {
            continue;
        }
        let notes = memory::notes(size);
        let (_folder, mind) = memory::awake(&notes);
        let options = Options::with_floor(mind.model().floor().into());
        let admission = Admission::default();
        let ask = |question: &Question| {
            let found = mind.recall(question, &options, &admission);
            black_box(found.expect("a recall").recalled);
        };
        let questions = questions(&notes);
        for (what, asked) in [("structured", &questions), ("plain", &lines(&notes))] {
            print_percentiles(size, what, ask, asked);
            print_percentiles(size, what, ask, asked);
            let mut next = asked.iter().cycle();
            group.bench_function(BenchmarkId::new(what, size), |bencher| {
                bencher.iter(|| next.next().map(ask));
            });
        }
        let at_hand = AtHand::new(&notes);
        let mut next = questions.iter().cycle();
        group.bench_function(BenchmarkId::new("every note scored", size), |bencher| {
            bencher.iter(|| {
                let question = next.next()?;
                Some(black_box(every_note::best(question, &notes, &at_hand)))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, recalls);
criterion_main!(benches);
