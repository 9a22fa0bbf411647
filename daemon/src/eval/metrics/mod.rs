//! What is measured: ranked lists, actions, abstract situations.
//!
//! - [`ranking`]: recall, precision, reciprocal rank and nDCG of one list.
//! - [`metric`]: the names of everything that is measured, and what each means.
//! - [`judge`]: one case's answer against its expectations.

pub mod judge;
pub mod metric;
pub mod ranking;

pub use judge::{Answer, Verdict, judge};
pub use metric::{Metric, Scores};
