//! Metrics of one ranked list against the set of what is relevant, each counted once (binary relevance).
//!
//! Definitions after C. D. Manning, P. Raghavan, H. Schütze, *Introduction to Information Retrieval* (2008), chapter 8.
//! Every function returns `None` where nothing is relevant: there the metric says nothing, and a 0 or a 1 would only bend
//! the average.

/// Share of the relevant that stand among the first `k`.
pub fn recall_at<T: PartialEq>(ranked: &[T], relevant: &[T], k: usize) -> Option<f64> {
    share(found(ranked, relevant, k), relevant.len())
}

/// Share of the first `k` places that are taken by something relevant. The divisor is `k` itself, so that a list which
/// stops early is not rewarded for it.
pub fn precision_at<T: PartialEq>(ranked: &[T], relevant: &[T], k: usize) -> Option<f64> {
    if relevant.is_empty() {
        return None;
    }
    share(found(ranked, relevant, k), k)
}

/// One divided by the place of the first relevant one, from 1; 0 where none is found.
pub fn reciprocal_rank<T: PartialEq>(ranked: &[T], relevant: &[T]) -> Option<f64> {
    if relevant.is_empty() {
        return None;
    }
    let place = ranked.iter().position(|item| relevant.contains(item));
    Some(place.map_or(0.0, |place| 1.0 / (place + 1) as f64))
}

/// Normalised discounted cumulative gain: a relevant one at place `p`, from 1, gains `1 / log2(p + 1)`; the sum over the
/// first `k` is divided by the best sum that any order could reach.
pub fn ndcg_at<T: PartialEq>(ranked: &[T], relevant: &[T], k: usize) -> Option<f64> {
    let best: f64 = (0..relevant.len().min(k)).map(gain).sum();
    if best == 0.0 {
        return None;
    }
    let reached: f64 = ranked
        .iter()
        .take(k)
        .enumerate()
        .filter(|(_, item)| relevant.contains(item))
        .map(|(place, _)| gain(place))
        .sum();
    Some(reached / best)
}

/// How many of the relevant stand among the first `k`.
fn found<T: PartialEq>(ranked: &[T], relevant: &[T], k: usize) -> usize {
    let first = &ranked[..k.min(ranked.len())];
    relevant.iter().filter(|item| first.contains(item)).count()
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// What a relevant one gains at `place`, counted from 0.
fn gain(place: usize) -> f64 {
    ((place + 2) as f64).log2().recip()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A list, what is relevant in it, k, and by hand: recall, precision, reciprocal rank, nDCG.
    type Row = (
        &'static [char],
        &'static [char],
        usize,
        [Option<f64>; 4],
        &'static str,
    );

    const ROWS: &[Row] = &[
        (
            &['a', 'b', 'c'],
            &['a'],
            1,
            [Some(1.0), Some(1.0), Some(1.0), Some(1.0)],
            "the first is right",
        ),
        (
            &['x', 'a', 'y', 'b'],
            &['a', 'b'],
            3,
            // DCG 1/log2(3) = 0.630929753571; ideal 1 + 0.630929753571.
            [
                Some(0.5),
                Some(1.0 / 3.0),
                Some(0.5),
                Some(0.386_852_807_234_541_6),
            ],
            "one of two, at the second place",
        ),
        (
            &['x', 'a', 'y', 'b'],
            &['a', 'b'],
            5,
            // DCG 0.630929753571 + 1/log2(5) = 0.430676558073; ideal 1.630929753571.
            [
                Some(1.0),
                Some(0.4),
                Some(0.5),
                Some(0.650_920_929_807_097_4),
            ],
            "both, and k is longer than the list",
        ),
        (
            &['x', 'y'],
            &['a'],
            2,
            [Some(0.0), Some(0.0), Some(0.0), Some(0.0)],
            "none",
        ),
        (
            &['a', 'b', 'c', 'd'],
            &['d', 'c', 'b', 'a'],
            2,
            [Some(0.5), Some(1.0), Some(1.0), Some(1.0)],
            "more are relevant than places; their order does not count",
        ),
        (
            &[],
            &['a', 'b'],
            3,
            [Some(0.0), Some(0.0), Some(0.0), Some(0.0)],
            "an empty answer",
        ),
        (
            &['a'],
            &[],
            3,
            [None, None, None, None],
            "nothing is relevant: nothing to say",
        ),
    ];

    #[test]
    fn as_computed_by_hand() {
        for (ranked, relevant, k, expected, what) in ROWS {
            let computed = [
                recall_at(ranked, relevant, *k),
                precision_at(ranked, relevant, *k),
                reciprocal_rank(ranked, relevant),
                ndcg_at(ranked, relevant, *k),
            ];
            for (computed, expected) in computed.iter().zip(expected) {
                match (computed, expected) {
                    (Some(computed), Some(expected)) => {
                        assert!((computed - expected).abs() < 1e-12, "{what}: {computed}");
                    }
                    _ => assert_eq!(computed, expected, "{what}"),
                }
            }
        }
    }

    proptest! {
        #[test]
        fn all_stay_between_0_and_1_and_recall_grows_with_k(
            ranked in Just((0_u8..20).collect::<Vec<_>>()).prop_shuffle(),
            relevant in proptest::collection::btree_set(0_u8..30, 1..10),
        ) {
            let relevant: Vec<u8> = relevant.into_iter().collect();
            let mut last = 0.0;
            for k in 1..25 {
                let recall = recall_at(&ranked, &relevant, k).unwrap();
                prop_assert!(recall >= last && recall <= 1.0);
                last = recall;
                let precision = precision_at(&ranked, &relevant, k).unwrap();
                prop_assert!((0.0..=1.0).contains(&precision));
                let ndcg = ndcg_at(&ranked, &relevant, k).unwrap();
                prop_assert!((0.0..=1.0 + 1e-12).contains(&ndcg));
            }
        }

        #[test]
        fn moving_a_relevant_one_up_never_lowers_ndcg(
            ranked in Just((0_u8..10).collect::<Vec<_>>()).prop_shuffle(),
            place in 1_usize..10,
        ) {
            let relevant = [ranked[place]];
            let mut better = ranked.clone();
            better.swap(place, place - 1);
            prop_assert!(ndcg_at(&better, &relevant, 10) >= ndcg_at(&ranked, &relevant, 10));
        }
    }
}
