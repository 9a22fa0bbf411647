//! The scalar product that every vector comparison rests on.

/// Independent sums, so that the compiler can keep them in one vector register of any width.
const LANES: usize = 16;

/// The scalar product of two vectors; of vectors of length 1 it is their cosine. The longer one is cut to the shorter.
///
/// The order of the additions is fixed, so the result is the same to the bit on every machine.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}
