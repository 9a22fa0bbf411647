//! The evaluation framework: data sets, suites, metrics and reports.
//!
//! A data set asks a memory things and says what should come of it; a suite runs one stage of recall, or all of it, over
//! the cases; metrics measure each case, and reports sum them up, those cases that were kept aside while weights were
//! tuned beside those that were not.
//!
//! - [`data`]: the files, read strictly and checked.
//! - [`suite`]: what is put to the test.
//! - [`embedding`], [`character`]: a memory made from a graph file.
//! - [`run`]: a suite over files, on several threads.
//! - [`recall`]: plain questions to memories of messages or documents, ranked lists measured.
//! - [`metrics`]: what is measured.
//! - [`report`]: what a run found, summed up and compared.

pub mod character;
pub mod data;
pub mod embedding;
pub mod error;
pub mod metrics;
mod parallel;
pub mod recall;
pub mod report;
pub mod run;
pub mod suite;

pub use error::EvalError;
pub use suite::Suite;
