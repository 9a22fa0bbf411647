//! How well rankings answer the questions, by category.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::eval::metrics::ranking::{ndcg_at, recall_at, reciprocal_rank};

/// Means over questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Means {
    /// How many questions.
    pub queries: usize,
    /// Share of what answers that is among the first one, five and ten.
    pub recall_at_1: f64,
    /// See `recall_at_1`.
    pub recall_at_5: f64,
    /// See `recall_at_1`.
    pub recall_at_10: f64,
    /// One by the place of the first that answers.
    pub mrr: f64,
    /// Normalised discounted cumulative gain of the first ten.
    pub ndcg_at_10: f64,
    /// Share of the questions of which all that answers is among the first ten.
    pub all_at_10: f64,
}

/// Sums over questions, of the measures in [`Means`] and in their order.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    queries: usize,
    values: [f64; 6],
}

impl Sums {
    fn add(&mut self, values: [f64; 6]) {
        self.queries += 1;
        for (sum, value) in self.values.iter_mut().zip(values) {
            *sum += value;
        }
    }

    fn means(&self) -> Means {
        let mean = |sum: f64| sum / self.queries.max(1) as f64;
        let [one, five, ten, mrr, ndcg, all] = self.values.map(mean);
        Means {
            queries: self.queries,
            recall_at_1: one,
            recall_at_5: five,
            recall_at_10: ten,
            mrr,
            ndcg_at_10: ndcg,
            all_at_10: all,
        }
    }
}

/// Means over all questions that count, and over those of each category.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measured {
    /// Over all but those of the categories that are reported apart.
    pub total: Means,
    /// Over each category, those apart too.
    pub categories: BTreeMap<String, Means>,
}

/// Measures rankings: for each question its category, its ranking and what answers it. Those that nothing answers are
/// left out, as are the `apart` categories of the total.
pub fn measure<'a>(
    answers: impl IntoIterator<Item = (&'a str, &'a [String], &'a [String])>,
    apart: &[String],
) -> Measured {
    let mut total = Sums::default();
    let mut categories: BTreeMap<String, Sums> = BTreeMap::new();
    for (category, ranked, gold) in answers {
        let Some(values) = values(ranked, gold) else {
            continue;
        };
        categories
            .entry(category.to_owned())
            .or_default()
            .add(values);
        if !apart.iter().any(|name| name == category) {
            total.add(values);
        }
    }
    Measured {
        total: total.means(),
        categories: categories
            .into_iter()
            .map(|(name, sums)| (name, sums.means()))
            .collect(),
    }
}

fn values(ranked: &[String], gold: &[String]) -> Option<[f64; 6]> {
    let ten = recall_at(ranked, gold, 10)?;
    Some([
        recall_at(ranked, gold, 1)?,
        recall_at(ranked, gold, 5)?,
        ten,
        reciprocal_rank(ranked, gold)?,
        ndcg_at(ranked, gold, 10)?,
        f64::from(u8::from(ten >= 1.0)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_apart_are_measured_and_do_not_count() {
        let ids = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (ranked, good, bad, none) = (ids(&["a", "b"]), ids(&["a"]), ids(&["x"]), ids(&[]));
        let answers = [
            ("plain", &*ranked, &*good),
            ("trick", &*ranked, &*bad),
            ("plain", &*ranked, &*none),
        ];
        let measured = measure(answers, &ids(&["trick"]));
        assert_eq!(measured.total.queries, 1);
        assert!((measured.total.recall_at_1 - 1.0).abs() < 1e-12);
        assert!((measured.categories["trick"].recall_at_10).abs() < 1e-12);
        assert_eq!(measured.categories["plain"].queries, 1);
    }
}
