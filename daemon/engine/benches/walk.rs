//! How long a walk takes, against other ways to the same scores, and how right it is.
//!
//! - *walk*: [`soulmem_engine::graph::walk`], with its ten best notes; *walk, fading*: the same with
//!   a retention that is computed at each push.
//! - *flat push*: the barest forward push there is, in single precision and for nothing else.
//! - *petgraph push*: forward push over `petgraph`'s edge lists, weights computed on the way.
//! - *power iteration*: the textbook, over a sparse matrix made beforehand, until the change is
//!   under 1e-9.
//!
//! `cargo bench -p soulmem-engine --bench walk` measures each with criterion, then all in turn on the
//! same queries (medians and ratios of one run), and the ten best against the exact ones. In turn means block by block: what
//! disturbs one disturbs all, and each finds in the processor's caches what it has left there itself.
//! `SOULMEM_BENCH_NOTES=10000` measures at one size alone.

mod power_law;
mod rivals;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion};
use power_law::{PowerLaw, Sources};
use rivals::{FlatPush, Matrix, PetgraphPush};
use soulmem_engine::graph::{NodeIndex, Scratch, WalkOptions, walk};
use soulmem_engine::model::NoteId;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// How many best notes are compared.
const BEST: usize = 10;

/// How many queries each way is asked before it is the next one's turn.
const BLOCK: usize = 20;

/// Retention as forgetting computes it: `e^(−t/τ)`, here of a note's index for its age. From 1 down
/// to 0.09, so that more than half of the notes have inactive links.
fn fading(index: NodeIndex) -> f64 {
    (-((index.index() % 97) as f64) / 40.0).exp()
}

fn best(
    memory: &PowerLaw,
    sources: &Sources,
    retention: impl Fn(NodeIndex) -> f64,
    scratch: &mut Scratch,
) -> Vec<NoteId> {
    let options = WalkOptions::default();
    let found = walk(&memory.graph, sources, &options, retention, scratch).expect("good options");
    let top = found.top(BEST);
    top.into_iter().map(|scored| scored.note).collect()
}

fn main() {
    let only = std::env::var("SOULMEM_BENCH_NOTES").ok();
    let mut criterion = Criterion::default().configure_from_args();
    let mut rows = Vec::new();
    for size in SIZES {
        if only.as_ref().is_some_and(|only| *only != size.to_string()) {
            continue;
        }
        let memory = power_law::memory(size);
        let matrix = Matrix::of(&memory);
        with_criterion(&mut criterion, &memory, &matrix, size);
        rows.push(in_turn(&memory, &matrix, size));
        rows.push(rightness(&memory, &matrix, size));
    }
    criterion.final_summary();
    println!("\n{}", rows.join("\n"));
}

fn with_criterion(criterion: &mut Criterion, memory: &PowerLaw, matrix: &Matrix, size: usize) {
    let queries = memory.queries(64);
    let mut group = criterion.benchmark_group("walk");
    group.measurement_time(Duration::from_secs(3));
    group.warm_up_time(Duration::from_secs(1));
    let mut scratch = Scratch::new();
    let mut next = queries.iter().cycle();
    let mut query = move || next.next().expect("a cycle has no end");
    group.bench_function(BenchmarkId::new("walk", size), |bencher| {
        bencher.iter(|| best(memory, black_box(query()), |_| 1.0, &mut scratch));
    });
    group.bench_function(BenchmarkId::new("walk, fading", size), |bencher| {
        bencher.iter(|| best(memory, black_box(query()), fading, &mut scratch));
    });
    let mut flat = FlatPush::new(memory);
    group.bench_function(BenchmarkId::new("flat push", size), |bencher| {
        bencher.iter(|| flat.best(black_box(query()), BEST));
    });
    group.sample_size(10);
    let mut push = PetgraphPush::new(memory);
    group.bench_function(BenchmarkId::new("petgraph push", size), |bencher| {
        bencher.iter(|| push.best(black_box(query()), BEST));
    });
    group.bench_function(BenchmarkId::new("power iteration", size), |bencher| {
        bencher.iter(|| matrix.best(black_box(query()), 1e-9, BEST));
    });
    group.finish();
}

/// Each way in turn on the same queries, block by block: medians and ratios.
fn in_turn(memory: &PowerLaw, matrix: &Matrix, size: usize) -> String {
    let mut scratch = Scratch::new();
    let mut flat = FlatPush::new(memory);
    let mut push = PetgraphPush::new(memory);
    let queries = memory.queries((20_000_000 / size).clamp(5 * BLOCK, 20 * BLOCK));
    let mut times = [const { Vec::new() }; 5];
    for block in queries.chunks(BLOCK) {
        let mut run = |way: usize, block: &[Sources], best: &mut dyn FnMut(&Sources)| {
            times[way].extend(block.iter().map(|query| time(|| best(query))));
        };
        run(0, block, &mut |query| {
            black_box(best(memory, query, |_| 1.0, &mut scratch));
        });
        run(1, block, &mut |query| {
            black_box(best(memory, query, fading, &mut scratch));
        });
        run(2, block, &mut |query| {
            black_box(flat.best(query, BEST));
        });
        run(3, block, &mut |query| {
            black_box(push.best(query, BEST));
        });
        // It takes long, and the same whatever is asked.
        run(4, &block[..1], &mut |query| {
            black_box(matrix.best(query, 1e-9, BEST));
        });
    }
    let [walk, fading, flat, push, power] = times.map(median);
    format!(
        "{size} notes, median of {} queries: walk {walk:.0} µs, fading {fading:.0} µs, flat push {flat:.0} µs ({:.1}×), \
         petgraph push {push:.0} µs ({:.1}×), power iteration {power:.0} µs ({:.1}×)",
        queries.len(),
        flat / walk,
        push / walk,
        power / walk
    )
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e6
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The ten best against the exact ten best. Ranked overlap is the mean, over k from 1 to 10, of the
/// part that the first k of both have in common (average overlap; Webber, Moffat, Zobel 2010).
fn rightness(memory: &PowerLaw, matrix: &Matrix, size: usize) -> String {
    let mut scratch = Scratch::new();
    let queries = memory.queries((2_000_000 / size).clamp(20, 200));
    let (mut overlap, mut same) = (0.0, 0);
    for query in &queries {
        let found = best(memory, query, |_| 1.0, &mut scratch);
        let exact = matrix.best(query, 1e-13, BEST);
        let common = |k: usize| {
            found[..k]
                .iter()
                .filter(|note| exact[..k].contains(note))
                .count()
        };
        overlap += (1..=BEST).map(|k| common(k) as f64 / k as f64).sum::<f64>() / BEST as f64;
        same += usize::from(common(BEST) == BEST);
    }
    format!(
        "{size} notes, ten best of {} queries: ranked overlap {:.4}, the same ten in {same}",
        queries.len(),
        overlap / queries.len() as f64,
    )
}
