//! The evaluation measures what the daemon does: for every case of a sample character both give the same notes and actions,
//! with the same scores to the last bit.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use soulmem::eval::Suite;
use soulmem::eval::data::query_file::{QueryFile, SOUL};
use soulmem::eval::embedding::CachedModel;
use soulmem::eval::report::results::CaseResult;
use soulmem::eval::run::Run;
use soulmem_embed::LexicalModel;
use soulmem_engine::model::graph_file;
use soulmem_proto::ops::retrieve::{RetrieveRequest, RetrieveResponse};
use soulmem_proto::ops::retrieve_options::RetrieveOptions;
use soulmem_proto::{Op, from_value, to_value};
use support::Daemon;
use uuid::Uuid;

/// Ids and the bits of the scores, best first.
type Hits = Vec<(Uuid, u64)>;

fn evaluated(file: &Path) -> Vec<CaseResult> {
    let model = LexicalModel::new();
    let run = Run {
        suite: Suite::RetrieveFull,
        files: &[file.to_owned()],
        weights: None,
        workers: NonZeroUsize::MIN,
        model: &CachedModel::new(&model),
    };
    let mut results = run.results(&|_| ()).unwrap();
    results.files.remove(0).variations.remove(0).cases
}

fn imported(graph: &Path) -> Daemon {
    let daemon = Daemon::start_with(&["--set", "forget.profile=none"]);
    let graph = graph.to_str().unwrap();
    for arguments in [
        &["soul", "create", SOUL][..],
        &["import", "--soul", SOUL, graph],
    ] {
        let output = daemon.command(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    daemon
}

#[test]
fn the_daemon_recalls_what_the_evaluation_measures() {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/queries/tom.json");
    let queries = QueryFile::read(&file).unwrap();
    let daemon = imported(&queries.graph_file);
    let mut client = daemon.connect();
    for (case, evaluated) in queries.cases.iter().zip(evaluated(&file)) {
        let request = RetrieveRequest {
            queries: case.sub_queries.clone(),
            text: None,
            options: RetrieveOptions {
                limit: Some(queries.config.max_results.try_into().unwrap()),
                record: Some(false),
                ..RetrieveOptions::default()
            },
        };
        let payload = to_value(&request).unwrap();
        let answer = client.call(Op::Retrieve, Some(SOUL), payload).unwrap();
        let answer: RetrieveResponse = from_value(answer).unwrap();
        let named = |id: &String, score: f64| (graph_file::note_id(SOUL, id).0, score.to_bits());
        let notes: Hits = answer
            .notes
            .iter()
            .map(|hit| (hit.id, hit.score.to_bits()))
            .collect();
        let measured = evaluated.answer.notes.iter();
        let measured: Hits = measured.map(|hit| named(&hit.id, hit.score)).collect();
        assert_eq!(notes, measured, "{}", case.name);
        let actions: Hits = answer
            .actions
            .iter()
            .map(|hit| (hit.id, hit.score.to_bits()))
            .collect();
        let measured = evaluated.answer.actions.iter();
        let measured: Hits = measured.map(|hit| named(&hit.id, hit.score)).collect();
        assert_eq!(actions, measured, "{}", case.name);
    }
}
