//! The word index against a plain computation of the same formula, through any history of writes.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use soulmem_engine::index::{Bm25, Hit, KindWeights, Postings, WordQuery};
use soulmem_engine::text::{Segmenter, Token, TokenKind};

/// BM25 as the textbook has it, over whole documents.
fn naive(docs: &BTreeMap<u32, Vec<Token>>, query: &WordQuery, bm25: Bm25) -> Vec<Hit<u32>> {
    let length =
        |tokens: &[Token]| tokens.iter().filter(|token| token.kind.counts()).count() as f64;
    let n = docs.len() as f64;
    let mean = docs.values().map(|tokens| length(tokens)).sum::<f64>() / n;
    let count = |tokens: &[Token], term: &str| {
        tokens.iter().filter(|token| token.text == term).count() as f64
    };
    let mut hits: Vec<Hit<u32>> = docs
        .iter()
        .map(|(key, tokens)| {
            let score = query.terms().map(|(term, weight)| {
                let df = docs
                    .values()
                    .filter(|tokens| count(tokens, term) > 0.0)
                    .count() as f64;
                let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
                let tf = count(tokens, term);
                let relative = if mean > 0.0 {
                    length(tokens) / mean
                } else {
                    0.0
                };
                if tf == 0.0 {
                    0.0
                } else {
                    weight * idf * tf * (bm25.k1 + 1.0)
                        / (tf + bm25.k1 * (1.0 - bm25.b + bm25.b * relative))
                }
            });
            Hit {
                key: *key,
                score: score.sum(),
            }
        })
        .filter(|hit| hit.score > 0.0)
        .collect();
    hits.sort_by(Hit::rank);
    hits
}

fn assert_same(found: &[Hit<u32>], expected: &[Hit<u32>]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found.score - expected.score).abs() < 1e-9,
            "{found:?} {expected:?}"
        );
    }
    // Scores that differ by rounding only may change places; keys are compared as sets over such groups.
    let keys = |hits: &[Hit<u32>]| {
        let mut keys: Vec<(i64, u32)> = hits
            .iter()
            .map(|hit| ((hit.score * 1e7).round() as i64, hit.key))
            .collect();
        keys.sort_unstable();
        keys
    };
    let (found, expected) = (keys(found), keys(expected));
    let last = expected.first().map_or(0, |hit| hit.0);
    let above = |keys: &[(i64, u32)]| {
        keys.iter()
            .copied()
            .filter(|hit| hit.0 > last + 1)
            .collect::<Vec<_>>()
    };
    assert_eq!(above(&found), above(&expected));
}

fn token(term: usize) -> Token {
    let kind = TokenKind::ALL[term % TokenKind::ALL.len()];
    Token {
        text: format!("t{term}"),
        kind,
        range: 0..0,
    }
}

/// Terms as unevenly common as words are: the n-th is about n times rarer than the first.
fn term() -> impl Strategy<Value = usize> {
    (0.0_f64..1.0).prop_map(|x| (40.0_f64.powf(x) - 1.0) as usize)
}

#[derive(Debug, Clone)]
enum Step {
    Put(u32, Vec<usize>),
    Remove(u32),
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0_u32..60, prop::collection::vec(term(), 0..12)).prop_map(|(key, terms)| Step::Put(key, terms)),
        2 => (0_u32..60).prop_map(Step::Remove),
        1 => Just(Step::Compact),
    ]
}

proptest! {
    #[test]
    fn scores_are_those_of_the_plain_formula(
        steps in prop::collection::vec(step(), 0..120),
        asked in prop::collection::vec((term(), 0.1_f64..2.0), 1..10),
        (k1, b) in (0.0_f64..2.0, 0.0_f64..=1.0),
        limit in 1_usize..12,
    ) {
        let (mut index, mut docs) = (Postings::new(), BTreeMap::new());
        for step in steps {
            match step {
                Step::Put(key, terms) => {
                    let tokens: Vec<Token> = terms.into_iter().map(token).collect();
                    index.put_tokens(key, &tokens);
                    docs.insert(key, tokens);
                }
                Step::Remove(key) => prop_assert_eq!(index.remove(&key), docs.remove(&key).is_some()),
                Step::Compact => index.compact(),
            }
        }
        prop_assert_eq!(index.len(), docs.len());
        let query = WordQuery::new(asked.into_iter().map(|(term, weight)| (format!("t{term}"), weight)));
        let bm25 = Bm25 { k1, b };
        let expected = naive(&docs, &query, bm25);
        assert_same(&index.search(&query, bm25, usize::MAX, |_| true), &expected);
        assert_same(&index.search(&query, bm25, limit, |_| true), &expected[..limit.min(expected.len())]);
        let even: Vec<_> = expected.iter().copied().filter(|hit| hit.key % 2 == 0).collect();
        assert_same(&index.search(&query, bm25, limit, |key| key % 2 == 0), &even[..limit.min(even.len())]);

        // The same to the bit from an index that never knew anything else, whatever the limit, and document by document.
        let mut fresh = Postings::new();
        for (key, tokens) in docs.iter().rev() {
            fresh.put_tokens(*key, tokens);
        }
        let all = index.search(&query, bm25, usize::MAX, |_| true);
        prop_assert_eq!(&all, &fresh.search(&query, bm25, usize::MAX, |_| true));
        prop_assert_eq!(&index.search(&query, bm25, limit, |_| true), &all[..limit.min(all.len())]);
        for hit in all {
            prop_assert_eq!(index.score(&hit.key, &query, bm25).to_bits(), hit.score.to_bits());
        }
    }
}

#[test]
fn a_score_by_hand() {
    let segmenter = Segmenter::new();
    let mut index = Postings::new();
    index.put_text(1, &segmenter, "red fox");
    index.put_text(2, &segmenter, "red red hen house");
    let query = WordQuery::new([("red".to_owned(), 1.0), ("fox".to_owned(), 2.0)]);
    let hits = index.search(&query, Bm25 { k1: 1.0, b: 0.5 }, 10, |_| true);
    // N 2, mean length 3. idf(red) = ln(1 + 0.5/2.5) = 0.18232, idf(fox) = ln(1 + 1.5/1.5) = 0.69315.
    // Document 1 (length 2): norm 1·(0.5 + 0.5·2/3) = 0.83333; red 2/1.83333 = 1.09091, fox the same.
    //   0.18232·1.09091 + 2·0.69315·1.09091 = 1.71122
    // Document 2 (length 4): norm 0.5 + 0.5·4/3 = 1.16667; red twice: 4/3.16667 = 1.26316 → 0.23030
    assert_eq!(hits.iter().map(|hit| hit.key).collect::<Vec<_>>(), [1, 2]);
    assert!((hits[0].score - 1.711_22).abs() < 1e-4, "{hits:?}");
    assert!((hits[1].score - 0.230_30).abs() < 1e-4, "{hits:?}");
}

#[test]
fn equal_scores_are_in_the_order_of_their_keys_whatever_came_first() {
    let mut index = Postings::new();
    for key in [5, 3, 9, 1, 7] {
        index.put_tokens(key, &[token(1)]);
    }
    let query = WordQuery::new([("t1".to_owned(), 1.0)]);
    let keys = |limit| -> Vec<u32> {
        index
            .search(&query, Bm25::default(), limit, |_| true)
            .into_iter()
            .map(|hit| hit.key)
            .collect()
    };
    assert_eq!(keys(9), [1, 3, 5, 7, 9]);
    assert_eq!(keys(2), [1, 3]);
    assert!(keys(0).is_empty());
}

#[test]
fn a_large_index_prunes_without_changing_the_answer() {
    // 20,000 documents: a common term, three medium ones, and a rare one; a few replaced and removed.
    let (mut index, mut docs) = (Postings::new(), BTreeMap::new());
    for key in 0..20_000_u32 {
        let mut tokens = vec![token(1); 1 + key as usize % 3];
        tokens.extend(
            (2..5)
                .filter(|term| key % (17 * term) == 0)
                .map(|term| token(term as usize)),
        );
        tokens.extend((key % 1_999 == 7).then(|| token(30)));
        index.put_tokens(key, &tokens);
        docs.insert(key, tokens);
    }
    for key in (0..20_000).step_by(7) {
        index.remove(&key);
        docs.remove(&key);
    }
    let query = WordQuery::new([1, 2, 3, 4, 30].map(|term| (format!("t{term}"), 1.0)));
    let all = index.search(&query, Bm25::default(), usize::MAX, |_| true);
    assert_eq!(all.len(), docs.len(), "every document has the common term");
    for limit in [1, 5, 10, 100, 1_000] {
        assert_eq!(
            index.search(&query, Bm25::default(), limit, |_| true),
            all[..limit]
        );
    }
    assert_eq!(
        index.document_frequency("t30"),
        docs.values()
            .filter(|tokens| tokens.contains(&token(30)))
            .count()
    );
}

#[test]
fn many_replacements_leave_no_trace() {
    let (mut index, mut fresh) = (Postings::new(), Postings::new());
    for round in 0..40_usize {
        for key in 0..100_u32 {
            let tokens = [
                token(1),
                token(round),
                token(100 + key as usize),
                token(1_000 * round + key as usize),
            ];
            index.put_tokens(key, &tokens);
            if round == 39 {
                fresh.put_tokens(key, &tokens);
            }
        }
    }
    let query = WordQuery::new(
        ["t1", "t39", "t100", "t39005", "t38005"].map(|term| (term.to_owned(), 1.0)),
    );
    let hits = index.search(&query, Bm25::default(), 200, |_| true);
    assert_eq!(hits, fresh.search(&query, Bm25::default(), 200, |_| true));
    assert_eq!(
        hits.iter().take(2).map(|hit| hit.key).collect::<Vec<_>>(),
        [0, 5]
    );
    assert_eq!(index.document_frequency("t38005"), 0);
}

#[test]
fn a_search_inside_the_filter_of_a_search_is_not_disturbed() {
    let mut index = Postings::new();
    for key in 0..10 {
        index.put_tokens(key, &[token(1), token(key as usize)]);
    }
    let query = WordQuery::new([("t1".to_owned(), 1.0)]);
    let alone = index.search(&query, Bm25::default(), 10, |_| true);
    let nested = index.search(&query, Bm25::default(), 10, |_| {
        index.search(&query, Bm25::default(), 10, |_| true) == alone
    });
    assert_eq!(nested, alone);
}

#[test]
fn any_constants_give_an_answer() {
    let mut index = Postings::new();
    index.put_tokens(1, &[token(1)]);
    let query = WordQuery::new([("t1".to_owned(), 1.0)]);
    for (k1, b) in [
        (-1.0, 0.4),
        (0.9, 7.0),
        (0.9, -7.0),
        (f64::NAN, f64::NAN),
        (0.0, 0.0),
    ] {
        let hits = index.search(&query, Bm25 { k1, b }, 1, |_| true);
        assert!(
            hits[0].score.is_finite() && hits[0].score > 0.0,
            "{k1} {b}: {hits:?}"
        );
    }
}

#[test]
fn queries_fall_back_to_characters_and_then_to_function_words() {
    let segmenter = Segmenter::new();
    let mut index = Postings::new();
    let texts: HashMap<u32, &str> = HashMap::from([
        (1, "小猫咪睡着了"),
        (2, "他的书"),
        (3, "to be or not to be"),
        (4, "가방"),
    ]);
    for (key, text) in &texts {
        index.put_text(*key, &segmenter, text);
    }
    let first = |text: &str| {
        let query = WordQuery::from_text(&segmenter, text);
        index
            .search(&query, Bm25::default(), 1, |_| true)
            .first()
            .map(|hit| hit.key)
    };
    assert_eq!(first("猫"), Some(1));
    assert_eq!(first("방"), Some(4));
    assert_eq!(first("的"), Some(2));
    assert_eq!(first("be or not"), Some(3));
    assert_eq!(first("。"), None);
    assert_eq!(first("象"), None);
}

#[test]
fn weights_of_kinds_reach_the_query() {
    let tokens = Segmenter::new().segment("咖啡馆的味道");
    let weights = KindWeights {
        bigram: 0.25,
        char: 0.125,
        stop: 0.0,
        ..KindWeights::default()
    };
    let query = WordQuery::from_tokens(&tokens, &weights);
    let weight = |term: &str| {
        query
            .terms()
            .find(|(text, _)| *text == term)
            .map(|(_, weight)| weight)
    };
    assert_eq!(weight("咖啡馆"), Some(1.0));
    assert_eq!(weight("啡馆"), Some(0.25));
    assert_eq!(weight("馆"), Some(0.125));
    assert_eq!(weight("的"), None);
}
