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
    /// The code of a component of the row: its small form.
    pub(super) fn code(self, value: f32) -> i8 {
        code(value, self.step) as i8
    }
}

/// The scale of the small form of `row`.
pub(super) fn scale_of(row: &[f32]) -> RowScale {
    let step = step(row, CODE_MAX);
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
    /// The places and codes of the components that are not 0, filled up to whole rounds with some that count nothing.
    codes: Vec<(usize, i16)>,
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
        let codes = query.iter().map(|value| code(*value, step) as i16);
        let mut codes: Vec<(usize, i16)> =
            codes.enumerate().filter(|(_, code)| *code != 0).collect();
        codes.resize(codes.len().next_multiple_of(COLUMNS), (0, 0));
        Self {
            codes,
            step: f64::from(step),
            length: f64::from(length(query).next_up()),
            error: f64::from(error(query, step).next_up()),
            rounding: (query.len() + 1) as f64 * f64::from(f32::EPSILON),
        }
    }

    /// The products with rows in small form, before scaling. `codes` are the first components of all rows, then the second
    /// ones, and so on, `stride` of each.
    pub(super) fn sums(&self, codes: &[i8], stride: usize, sums: &mut [i32]) {
        sums.fill(0);
        let column = |place: usize| &codes[place * stride..(place + 1) * stride];
        let (rounds, _) = self.codes.as_chunks::<COLUMNS>();
        for round in rounds {
            add_products(
                round.map(|(place, _)| column(place)),
                round.map(|(_, code)| i32::from(code)),
                sums,
            );
        }
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

/// Components in one round of [`add_products`].
const COLUMNS: usize = 4;

/// Adds to the sum of each row the products of some of its components with those of a query, exact, because they are of
/// integers.
///
/// This is where a search spends its time. It goes over components and not over rows, so that those that the query does not
/// have cost nothing: hashed words have few. Several at once, so that a sum is not fetched for each; and the function is
/// compiled once more for processors with wider registers.
#[multiversion(targets("x86_64+avx512bw+avx512vl", "x86_64+avx2"))]
fn add_products(columns: [&[i8]; COLUMNS], query: [i32; COLUMNS], sums: &mut [i32]) {
    let columns = columns.map(|column| &column[..sums.len()]);
    for (row, sum) in sums.iter_mut().enumerate() {
        for lane in 0..COLUMNS {
            *sum += i32::from(columns[lane][row]) * query[lane];
        }
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
            let scale = scale_of(&row);
            let codes: Vec<i8> = row.iter().map(|value| scale.code(*value)).collect();
            let small = QuantisedQuery::new(&query);
            let mut sums = [0];
            small.sums(&codes, 1, &mut sums);
            let (near, error) = small.product(sums[0], scale);
            prop_assert!((f64::from(dot(&row, &query)) - near).abs() <= error, "{} {near} {error}", dot(&row, &query));
        }
    }
}
