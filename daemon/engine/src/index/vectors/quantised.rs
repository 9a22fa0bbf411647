//! The small form of vectors that a scan reads: a byte for each component, with what it can be wrong by.

use multiversion::multiversion;

use crate::pack_fields;

/// The largest magnitude of a stored component.
const CODE_MAX: f32 = 127.0;

/// The scale of a vector in small form, and how far that form is from the vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowScale {
    /// What a code is to be multiplied by.
    step: f32,
    /// The length of the vector, rounded up.
    length: f32,
    /// The length of the difference between the vector and its small form, rounded up.
    error: f32,
}

pack_fields!(RowScale {
    step,
    length,
    error
});

impl RowScale {
    /// The code of a component of the row, as [`quantise_row`] made it.
    pub(super) fn code(self, value: f32) -> i8 {
        code(value, self.step) as i8
    }
}

/// Appends the small form of `row` to `codes`.
pub(super) fn quantise_row(row: &[f32], codes: &mut Vec<i8>) -> RowScale {
    let step = step(row, CODE_MAX);
    codes.extend(row.iter().map(|value| code(*value, step) as i8));
    RowScale {
        step,
        length: length(row).next_up(),
        error: error(row, step).next_up(),
    }
}

/// A query in small form. It is finer than the rows: it is made small once, so its part of the error is not worth
/// having.
#[derive(Debug)]
pub(super) struct QuantisedQuery {
    codes: Vec<i16>,
    step: f64,
    length: f64,
    error: f64,
    /// How far, as a share of the product of the lengths, the sum that [`crate::index::dot`] rounds at every step can be from
    /// the product without rounding.
    rounding: f64,
}

impl QuantisedQuery {
    pub(super) fn new(query: &[f32]) -> Self {
        // As fine as the sum of all products may be without leaving 32 bits.
        let finest = i32::MAX as f32 / 2.0 / CODE_MAX / query.len().max(1) as f32;
        let step = step(query, finest.clamp(1.0, f32::from(i16::MAX)));
        Self {
            codes: query
                .iter()
                .map(|value| code(*value, step) as i16)
                .collect(),
            step: f64::from(step),
            length: f64::from(length(query).next_up()),
            error: f64::from(error(query, step).next_up()),
            rounding: (query.len() + 1) as f64 * f64::from(f32::EPSILON),
        }
    }

    /// The product with every row of a block in small form, before scaling, into `sums`.
    pub(super) fn sums(&self, codes: &[i8], sums: &mut Vec<i32>) {
        sums.clear();
        dot_rows(codes, &self.codes, sums);
    }

    /// The product with a row whose small form gave `sum`, and how far the exact product can be from it.
    ///
    /// With x = x̂ + dx and q = q̂ + dq: `|x·q − x̂·q̂| = |x·dq + dx·q̂| ≤ |x||dq| + |dx||q̂|`, and `|q̂| ≤ |q| + |dq|`.
    #[inline]
    pub(super) fn product(&self, sum: i32, row: RowScale) -> (f64, f64) {
        let near = f64::from(sum) * (f64::from(row.step) * self.step);
        let (length, error) = (f64::from(row.length), f64::from(row.error));
        let apart = length * self.error + error * (self.length + self.error);
        (near, apart + self.rounding * length * self.length)
    }
}

/// Components in one round of [`dot_rows`].
const LANES: usize = 16;

/// The products of consecutive rows with a query, exact, because they are of integers.
///
/// This is where a search spends its time. Rounds of sixteen, with the row widened first, are what compilers turn into
/// multiply-and-add of 16-bit pairs; the function is compiled once more for processors with wider registers.
#[multiversion(targets("x86_64+avx512bw+avx512vl", "x86_64+avx2"))]
fn dot_rows(rows: &[i8], query: &[i16], sums: &mut Vec<i32>) {
    let (query_rounds, query_rest) = query.as_chunks::<LANES>();
    for row in rows.chunks_exact(query.len()) {
        let (row_rounds, row_rest) = row.as_chunks::<LANES>();
        let mut sum = 0;
        for (row, query) in row_rounds.iter().zip(query_rounds) {
            let row = row.map(i16::from);
            for lane in 0..LANES {
                sum += i32::from(row[lane]) * i32::from(query[lane]);
            }
        }
        for (row, query) in row_rest.iter().zip(query_rest) {
            sum += i32::from(*row) * i32::from(*query);
        }
        sums.push(sum);
    }
}

/// The step with which the largest component gets the code `code_max`. A vector too small to have one gets none, and
/// then its whole length counts as error.
fn step(vector: &[f32], code_max: f32) -> f32 {
    let largest = vector
        .iter()
        .fold(0.0, |largest: f32, value| largest.max(value.abs()));
    Some(largest / code_max)
        .filter(|step| step.is_normal())
        .unwrap_or(0.0)
}

fn code(value: f32, step: f32) -> f32 {
    if step > 0.0 {
        (value / step).round()
    } else {
        0.0
    }
}

fn length(vector: &[f32]) -> f32 {
    error(vector, 0.0)
}

/// The length of the difference between a vector and its codes times `step`.
fn error(vector: &[f32], step: f32) -> f32 {
    let off = |value: f32| f64::from(value) - f64::from(code(value, step)) * f64::from(step);
    vector
        .iter()
        .map(|value| off(*value).powi(2))
        .sum::<f64>()
        .sqrt() as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::index::dot;

    proptest! {
        #[test]
        fn the_exact_product_is_within_the_bound(
            pairs in prop::collection::vec((-3.0_f32..3.0, -1.0_f32..1.0), 1..700),
            (small, large) in (-6_i32..1, 0_i32..6),
        ) {
            let row: Vec<f32> = pairs.iter().map(|pair| pair.0 * 10_f32.powi(small)).collect();
            let query: Vec<f32> = pairs.iter().map(|pair| pair.1 * 10_f32.powi(large)).collect();
            let mut codes = Vec::new();
            let scale = quantise_row(&row, &mut codes);
            let small = QuantisedQuery::new(&query);
            let mut sums = Vec::new();
            small.sums(&codes, &mut sums);
            let (near, error) = small.product(sums[0], scale);
            prop_assert!((f64::from(dot(&row, &query)) - near).abs() <= error, "{} {near} {error}", dot(&row, &query));
        }
    }
}
