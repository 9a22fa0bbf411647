//! A query file as it is written.

use serde::Deserialize;
use soulmem_engine::model::ModelError;
use soulmem_engine::recall::query::SubQuery;

use super::RetrieveConfig;
use crate::eval::data::sweep::BlendSweep;

#[derive(Deserialize)]
pub(super) struct QueryFileRaw {
    pub name: String,
    #[serde(default)]
    pub description: String,
    pub graph_path: String,
    #[serde(default)]
    pub config: ConfigRaw,
    pub blend_sweep: Option<BlendSweep>,
    pub test_cases: Vec<CaseRaw>,
}

#[derive(Deserialize)]
#[serde(default)]
pub(super) struct ConfigRaw {
    similarity_threshold: f64,
    max_results: usize,
    test_k_values: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct CaseRaw {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub holdout: bool,
    pub sub_queries: Vec<SubQuery>,
    #[serde(default)]
    pub expected_per_query: Vec<PerQueryRaw>,
    #[serde(default)]
    pub expected_combined_ranking: Vec<String>,
    pub must: Option<Vec<String>>,
    #[serde(default, alias = "bonus_combined_ranking")]
    pub bonus: Vec<String>,
    pub expected_actions: Option<Vec<String>>,
    #[serde(default)]
    pub expected_abstract: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct PerQueryRaw {
    pub q: usize,
    #[serde(default)]
    pub ranking: Vec<String>,
}

impl Default for ConfigRaw {
    fn default() -> Self {
        Self {
            similarity_threshold: 0.0,
            max_results: 10,
            test_k_values: vec![1, 3, 5],
        }
    }
}

impl ConfigRaw {
    pub(super) fn checked(self) -> Result<RetrieveConfig, ModelError> {
        if !(0.0..=1.0).contains(&self.similarity_threshold) {
            return Err(ModelError::new(
                "similarity_threshold",
                format!("is {}; give 0 to 1", self.similarity_threshold),
            ));
        }
        if self.max_results == 0 {
            return Err(ModelError::new(
                "max_results",
                "is 0: nothing could be found; give 1 or more",
            ));
        }
        let mut k_values = self.test_k_values;
        if k_values.is_empty() || k_values.contains(&0) {
            return Err(ModelError::new(
                "test_k_values",
                "needs at least one number, each 1 or more",
            ));
        }
        k_values.sort_unstable();
        k_values.dedup();
        Ok(RetrieveConfig {
            similarity_threshold: self.similarity_threshold,
            max_results: self.max_results,
            k_values,
        })
    }
}
