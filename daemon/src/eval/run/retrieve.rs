//! One file of retrieval cases with one set of weights.

use soulmem_engine::graph::Scratch;
use soulmem_engine::model::NoteKind;
use soulmem_engine::recall::pipeline::{Options, Recalled, Utterances};
use soulmem_engine::recall::query::SubQuery;

use super::{Progress, Watcher};
use crate::eval::character::{AskError, Character};
use crate::eval::data::case::Case;
use crate::eval::data::query_file::QueryFile;
use crate::eval::data::sweep::Variation;
use crate::eval::embedding::CachedModel;
use crate::eval::error::EvalError;
use crate::eval::metrics::judge::{FoundAction, FoundNote, Judged, verdict};
use crate::eval::metrics::{Answer, judge};
use crate::eval::report::results::{CaseResult, VariationResults};
use crate::eval::report::summary::Halves;
use crate::eval::suite::Suite;

pub(super) struct Job<'a> {
    pub suite: Suite,
    pub file: &'a QueryFile,
    pub character: &'a Character,
    pub weights: &'a Variation,
    pub model: &'a CachedModel<'a>,
}

impl Job<'_> {
    pub(super) fn run(&self, watcher: Watcher<'_>) -> Result<VariationResults, EvalError> {
        let mut scratch = Scratch::new();
        let mut cases = Vec::with_capacity(self.file.cases.len());
        for case in &self.file.cases {
            let answer = self
                .answer(case, &mut scratch)
                .map_err(|error| self.failed(case, error))?;
            cases.push(self.result(case, answer));
            watcher(Progress::CaseDone);
        }
        let (tag, variant) = self.weights.pair();
        Ok(VariationResults {
            weights: self.weights.to_string(),
            tag,
            variant,
            summary: Halves::of(&cases),
            cases,
        })
    }

    fn answer(&self, case: &Case, scratch: &mut Scratch) -> Result<Answer, AskError> {
        let whole = self.ask(&case.sub_queries, scratch)?;
        let per_query = match case.sub_queries.as_slice() {
            [_] => vec![self.ids(&whole)],
            queries => queries
                .iter()
                .map(|query| Ok(self.ids(&self.ask(std::slice::from_ref(query), scratch)?)))
                .collect::<Result<_, AskError>>()?,
        };
        let actions = whole.actions.iter().map(|action| FoundAction {
            id: self.character.name(action.note.id),
            score: action.score,
        });
        Ok(Answer {
            notes: self.notes(&whole),
            actions: match self.judged() {
                Judged::Notes => Vec::new(),
                Judged::NotesAndActions => actions.collect(),
            },
            per_query,
        })
    }

    fn ask(&self, queries: &[SubQuery], scratch: &mut Scratch) -> Result<Recalled, AskError> {
        let options = self.options();
        self.character.ask(queries, &options, self.model, scratch)
    }

    /// Without a seed there is no walk, so similarity stands alone.
    fn options(&self) -> Options {
        let config = &self.file.config;
        let floor = f64::from(self.model.model().floor());
        let defaults = Options::with_floor(floor.max(config.similarity_threshold));
        Options {
            // Room for procedures, which the suites of single stages leave out again.
            limit: match self.suite {
                Suite::RetrieveFull => config.max_results,
                _ => config.max_results.saturating_mul(2),
            },
            seed_k: match self.suite {
                Suite::RetrieveEmbedding => 0,
                _ => defaults.seed_k,
            },
            utterances: Utterances::LeftOut,
            weights: self.weights.0,
            ..defaults
        }
    }

    /// Procedures among the notes are the character's knowledge of itself, which only the whole pipeline brings up.
    fn notes(&self, recalled: &Recalled) -> Vec<FoundNote> {
        recalled
            .notes
            .iter()
            .filter(|hit| {
                self.suite == Suite::RetrieveFull || hit.note.kind() != NoteKind::Procedure
            })
            .take(self.file.config.max_results)
            .map(|hit| FoundNote {
                id: self.character.name(hit.note.id),
                score: hit.score,
                stage: hit.stage,
            })
            .collect()
    }

    fn ids(&self, recalled: &Recalled) -> Vec<String> {
        let notes = self.notes(recalled).into_iter();
        notes.map(|note| note.id).collect()
    }

    fn judged(&self) -> Judged {
        match self.suite {
            Suite::RetrieveFull => Judged::NotesAndActions,
            _ => Judged::Notes,
        }
    }

    fn result(&self, case: &Case, answer: Answer) -> CaseResult {
        let scores = judge(case, &answer, &self.file.config.k_values, self.judged());
        let found = |id: &str| answer.notes.iter().any(|note| note.id == id);
        let acted = |id: &str| answer.actions.iter().any(|action| action.id == id);
        let missed = case.must.iter().filter(|id| !found(id)).cloned().collect();
        let expected = match self.judged() {
            Judged::Notes => &[],
            Judged::NotesAndActions => case.actions.as_deref().unwrap_or_default(),
        };
        let missed_actions = expected.iter().filter(|id| !acted(id)).cloned().collect();
        CaseResult {
            name: case.name.clone(),
            half: case.half,
            verdict: verdict(case, &scores),
            scores,
            missed,
            missed_actions,
            answer,
        }
    }

    fn failed(&self, case: &Case, error: AskError) -> EvalError {
        let file = self.file.file.clone();
        match error {
            AskError::Embed(error) => EvalError::Embed { file, error },
            AskError::Recall(error) => EvalError::Recall {
                file,
                case: case.name.clone(),
                error,
            },
        }
    }
}
