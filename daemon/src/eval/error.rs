//! Why an evaluation cannot be run.

use std::path::{Path, PathBuf};

use soulmem_embed::EmbedError;
use soulmem_engine::model::ModelError;
use soulmem_engine::model::graph_file::GraphFileError;
use soulmem_engine::recall::indexes::IndexError;
use soulmem_engine::recall::pipeline::RecallError;
use thiserror::Error;

use crate::soul::SoulError;

/// Why an evaluation cannot be run. Every variant names the file.
#[derive(Debug, Error)]
pub enum EvalError {
    /// A file or folder cannot be read.
    #[error("{}: {error}", file.display())]
    Read {
        /// Which one.
        file: PathBuf,
        /// What the system says.
        #[source]
        error: std::io::Error,
    },
    /// A file is not JSON.
    #[error("{}: not valid JSON: {error}", file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// What is wrong, with line and column.
        #[source]
        error: serde_json::Error,
    },
    /// A line of a file is not what it should be.
    #[error("{}:{line}: {error}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        error: serde_json::Error,
    },
    /// A memory refuses what it is given or asked.
    #[error("memory `{memory}`: {error}")]
    Soul {
        /// Which one.
        memory: String,
        /// Why.
        #[source]
        error: SoulError,
    },
    /// A value in a file is refused.
    #[error("{}: {error}", file.display())]
    Value {
        /// The file.
        file: PathBuf,
        /// Where in it, as a path such as `test_cases[3].must[0]`, and why.
        #[source]
        error: ModelError,
    },
    /// The graph that a file of queries names is refused.
    #[error("{}: graph_path: {error}", file.display())]
    Graph {
        /// The file of queries.
        file: PathBuf,
        /// What is wrong with the graph.
        #[source]
        error: GraphFileError,
    },
    /// A file cannot be written.
    #[error("{}: cannot be written: {error}", file.display())]
    Write {
        /// Which one.
        file: PathBuf,
        /// What the system says.
        #[source]
        error: std::io::Error,
    },
    /// The embedding model failed on the texts of a file.
    #[error("{}: {error}", file.display())]
    Embed {
        /// The file.
        file: PathBuf,
        /// What the model says.
        #[source]
        error: EmbedError,
    },
    /// A note of a graph cannot be indexed.
    #[error("{}: {error}", file.display())]
    Index {
        /// The graph.
        file: PathBuf,
        /// Why.
        #[source]
        error: IndexError,
    },
    /// A case cannot be run.
    #[error("{}: case `{case}`: {error}", file.display())]
    Recall {
        /// The file.
        file: PathBuf,
        /// Which case.
        case: String,
        /// Why.
        #[source]
        error: RecallError,
    },
    /// There is nothing to run.
    #[error("{}: {reason}", path.display())]
    Nothing {
        /// The file or folder that was given.
        path: PathBuf,
        /// Why it holds nothing for this suite.
        reason: String,
    },
    /// Several files are refused.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<EvalError>),
}

impl EvalError {
    pub(super) fn value(file: &Path, error: ModelError) -> Self {
        Self::Value {
            file: file.to_owned(),
            error,
        }
    }
}
