//! Data sets: what is asked of a memory and what should come of it.
//!
//! - [`query_file`]: retrieval cases over a graph file.
//! - [`forget_file`]: what should be observed of a memory that fades.
//! - [`sweep`]: the weights that every case of a file is run with.
//! - [`case`]: one case, checked against its graph.
//! - [`discover`]: finding the files of a folder.

pub mod case;
pub mod discover;
pub mod forget_file;
pub mod query_file;
pub mod sweep;

use std::path::Path;

use serde_json::Value;
use soulmem_engine::model::strict;

use super::error::EvalError;

/// Reads a JSON file in which no object holds a key twice.
pub(super) fn read_json(file: &Path) -> Result<Value, EvalError> {
    let bytes = read(file)?;
    strict::parse_json(&bytes).map_err(|error| EvalError::Json {
        file: file.to_owned(),
        error,
    })
}

/// Reads a file whole.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, EvalError> {
    std::fs::read(file).map_err(|error| EvalError::Read {
        file: file.to_owned(),
        error,
    })
}
