//! One retrieval case: what is asked, and what should come of it.

use soulmem_engine::recall::query::SubQuery;

/// Which half of a data set a case belongs to.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Half {
    /// Looked at while weights are tuned.
    Tuned,
    /// Kept aside while weights are tuned, so that its numbers are not of one's own making.
    Holdout,
}

impl Half {
    /// The name in reports and files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tuned => "tuned",
            Self::Holdout => "holdout",
        }
    }
}

/// One retrieval case. Notes are named by the ids of the graph file.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name in the file.
    pub name: String,
    /// Why the expectation holds, in the author's words.
    pub description: String,
    /// Its half.
    pub half: Half,
    /// What is asked.
    pub sub_queries: Vec<SubQuery>,
    /// What single sub-queries should bring up.
    pub per_query: Vec<PerQuery>,
    /// What all sub-queries together should bring up.
    pub combined: Vec<String>,
    /// What must be among the results; `combined` where the file does not say.
    pub must: Vec<String>,
    /// What is welcome among the results.
    pub bonus: Vec<String>,
    /// Actions that should come; `None` where actions are not judged, empty where none may come.
    pub actions: Option<Vec<String>>,
    /// Abstract situations that should be among the results.
    pub abstracts: Vec<String>,
}

/// What one sub-query should bring up.
#[derive(Clone, Debug, PartialEq)]
pub struct PerQuery {
    /// Index of the sub-query, from 0.
    pub query: usize,
    /// The notes it should bring up; empty where it should find nothing.
    pub ranking: Vec<String>,
}

impl Case {
    /// True for a case that expects nothing to be found. By the format such a case never fails; what it brings up
    /// all the same is measured.
    pub fn is_negative(&self) -> bool {
        self.combined.is_empty() && self.must.is_empty()
    }
}
