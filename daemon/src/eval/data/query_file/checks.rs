//! Checks of cases against the graph they are asked of.

use std::collections::BTreeMap;

use soulmem_engine::model::graph_file::GraphFile;
use soulmem_engine::model::{ModelError, NoteKind, strict};

use super::raw::{CaseRaw, PerQueryRaw};
use crate::eval::data::case::{Case, Half, PerQuery};

/// Knows what the graph has.
pub(super) struct Checker<'a> {
    kinds: BTreeMap<&'a str, NoteKind>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(graph: &'a GraphFile) -> Self {
        let kinds: BTreeMap<_, _> = graph
            .notes
            .iter()
            .map(|note| (note.id, note.mem_type.kind()))
            .collect();
        let named = graph
            .ids
            .iter()
            .filter_map(|(name, id)| kinds.get(&Some(*id)).map(|kind| (name.as_str(), *kind)));
        Self {
            kinds: named.collect(),
        }
    }

    pub(super) fn cases(&self, cases: Vec<CaseRaw>) -> Result<Vec<Case>, ModelError> {
        if cases.is_empty() {
            return Err(ModelError::new("test_cases", "is empty: nothing to run"));
        }
        cases
            .into_iter()
            .enumerate()
            .map(|(position, case)| {
                self.case(case)
                    .map_err(|error| error.within(format_args!("test_cases[{position}]")))
            })
            .collect()
    }

    fn case(&self, raw: CaseRaw) -> Result<Case, ModelError> {
        if raw.sub_queries.is_empty() {
            return Err(ModelError::new("sub_queries", "is empty: nothing is asked"));
        }
        for (position, query) in raw.sub_queries.iter().enumerate() {
            query.check().map_err(|error| {
                ModelError::new(error.field, error.reason)
                    .within(format_args!("sub_queries[{position}]"))
            })?;
        }
        self.known("expected_combined_ranking", &raw.expected_combined_ranking)?;
        let must = raw
            .must
            .unwrap_or_else(|| raw.expected_combined_ranking.clone());
        self.known("must", &must)?;
        self.known("bonus", &raw.bonus)?;
        let actions = raw.expected_actions.as_deref().unwrap_or_default();
        self.of_kind("expected_actions", actions, NoteKind::Procedure)?;
        self.of_kind(
            "expected_abstract",
            &raw.expected_abstract,
            NoteKind::AbstractSituation,
        )?;
        let per_query = self.per_query(raw.expected_per_query, raw.sub_queries.len())?;
        Ok(Case {
            name: raw.name,
            description: raw.description,
            half: if raw.holdout {
                Half::Holdout
            } else {
                Half::Tuned
            },
            sub_queries: raw.sub_queries,
            per_query,
            combined: raw.expected_combined_ranking,
            must,
            bonus: raw.bonus,
            actions: raw.expected_actions,
            abstracts: raw.expected_abstract,
        })
    }

    fn per_query(
        &self,
        raw: Vec<PerQueryRaw>,
        queries: usize,
    ) -> Result<Vec<PerQuery>, ModelError> {
        let expectation = |(position, raw): (usize, PerQueryRaw)| {
            let place = format!("expected_per_query[{position}]");
            if raw.q >= queries {
                let reason = format!("is {}, but there are {queries} sub-queries, from 0", raw.q);
                return Err(ModelError::new("q", reason).within(place));
            }
            self.known("ranking", &raw.ranking)
                .map_err(|error| error.within(place))?;
            Ok(PerQuery {
                query: raw.q,
                ranking: raw.ranking,
            })
        };
        raw.into_iter().enumerate().map(expectation).collect()
    }

    /// Every id is in the graph, and stands once.
    fn known(&self, field: &str, ids: &[String]) -> Result<(), ModelError> {
        self.each(field, ids, |_| Ok(()))
    }

    fn of_kind(&self, field: &str, ids: &[String], wanted: NoteKind) -> Result<(), ModelError> {
        self.each(field, ids, |kind| {
            if kind == wanted {
                Ok(())
            } else {
                Err(format!("is of kind {kind}; give {wanted} notes alone"))
            }
        })
    }

    fn each(
        &self,
        field: &str,
        ids: &[String],
        check: impl Fn(NoteKind) -> Result<(), String>,
    ) -> Result<(), ModelError> {
        for (position, id) in ids.iter().enumerate() {
            let refused = |reason| Err(ModelError::new(format!("{field}[{position}]"), reason));
            if ids[..position].contains(id) {
                return refused(format!("`{id}` stands twice"));
            }
            match self.kinds.get(id.as_str()) {
                None => return refused(self.unknown(id)),
                Some(kind) => {
                    if let Err(reason) = check(*kind) {
                        return refused(format!("`{id}` {reason}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn unknown(&self, id: &str) -> String {
        let known: Vec<&str> = self.kinds.keys().copied().collect();
        let hint = strict::nearest(id, &known)
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        format!("the graph has no note `{id}`{hint}")
    }
}
