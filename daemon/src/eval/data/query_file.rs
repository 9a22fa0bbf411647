//! Query files: retrieval cases over a graph file, as JSON.
//!
//! ```json
//! {"name": "smoke", "description": "…", "graph_path": "../characters/ann/graph.json",
//!  "config": {"similarity_threshold": 0.0, "max_results": 10, "test_k_values": [1, 3, 5]},
//!  "blend_sweep": {"tag_sweep": [0.3, 0.5]},
//!  "test_cases": [{
//!    "name": "rust", "holdout": false,
//!    "sub_queries": [{"priority": 1, "tag": ["Rust"], "variant": {"Semantic": [{"concept_identifier": "Rust"}]}}],
//!    "expected_per_query": [{"q": 0, "ranking": ["mem_rust"]}],
//!    "expected_combined_ranking": ["mem_rust"], "bonus": ["mem_c"], "expected_actions": []}]}
//! ```
//!
//! Unknown keys, ids that the graph does not have, actions that are no procedures and the like make the whole file refused.

mod checks;
mod raw;

use std::path::{Path, PathBuf};

use soulmem_engine::model::graph_file::{self, GraphFile};
use soulmem_engine::model::strict;

use super::super::error::EvalError;
use super::case::Case;
use super::sweep::Variation;
use super::{read, read_json};
use checks::Checker;
use raw::QueryFileRaw;

/// The character that graphs are read for. Ties between notes are broken by ids, which depend on it.
pub const SOUL: &str = "eval";

/// A query file with its graph, both checked.
#[derive(Clone, Debug)]
pub struct QueryFile {
    /// Where it was read from.
    pub file: PathBuf,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Where its graph was read from.
    pub graph_file: PathBuf,
    /// The graph.
    pub graph: GraphFile,
    /// How cases are run.
    pub config: RetrieveConfig,
    /// The weights that every case is run with; the defaults alone where the file sweeps nothing.
    pub variations: Vec<Variation>,
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
}

/// How the cases of a file are run and measured.
#[derive(Clone, Debug, PartialEq)]
pub struct RetrieveConfig {
    /// The least similarity that a result may have, 0 to 1. It can raise the floor of the embedding model, not lower it.
    pub similarity_threshold: f64,
    /// How many results a retrieval gives at most.
    pub max_results: usize,
    /// The `k` of the metrics at k, ascending.
    pub k_values: Vec<usize>,
}

impl QueryFile {
    /// Reads a query file and the graph it names, whose path is relative to the folder of the query file.
    ///
    /// # Errors
    ///
    /// [`EvalError`] for the first thing that is refused, in either file.
    pub fn read(file: &Path) -> Result<Self, EvalError> {
        let value = read_json(file)?;
        let refused = |error| EvalError::value(file, error);
        let raw: QueryFileRaw = strict::from_value(&value).map_err(refused)?;
        let config = raw
            .config
            .checked()
            .map_err(|error| refused(error.within("config")))?;
        let variations = match &raw.blend_sweep {
            Some(sweep) => sweep
                .expand()
                .map_err(|error| refused(error.within("blend_sweep")))?,
            None => vec![Variation::default()],
        };
        let graph_file = file.parent().unwrap_or(Path::new("")).join(&raw.graph_path);
        let graph = graph_file::parse(&read(&graph_file)?, &graph_file.to_string_lossy(), SOUL)
            .map_err(|error| EvalError::Graph {
                file: file.to_owned(),
                error,
            })?;
        let cases = Checker::new(&graph)
            .cases(raw.test_cases)
            .map_err(refused)?;
        Ok(Self {
            file: file.to_owned(),
            name: raw.name,
            description: raw.description,
            graph_file,
            graph,
            config,
            variations,
            cases,
        })
    }
}

#[cfg(test)]
mod tests;
