//! The query files of this project say what the format asks of them, and the memory answers them well enough.

#![allow(
    clippy::unwrap_used,
    reason = "a file that cannot be read fails the test"
)]

use std::num::NonZeroUsize;
use std::path::Path;

use soulmem::eval::Suite;
use soulmem::eval::data::case::Half;
use soulmem::eval::data::discover::{Depth, Kind, discover};
use soulmem::eval::data::query_file::QueryFile;
use soulmem::eval::embedding::CachedModel;
use soulmem::eval::metrics::Metric;
use soulmem::eval::report::summary::Split;
use soulmem::eval::report::threshold::{Threshold, missed};
use soulmem::eval::run::Run;
use soulmem_embed::LexicalModel;

fn query_files() -> Vec<QueryFile> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/queries");
    let found = discover(&folder, Kind::Queries, Depth::Folder).unwrap();
    let files = found
        .files
        .iter()
        .map(|file| QueryFile::read(file).unwrap());
    files.collect()
}

#[test]
fn every_query_file_is_read_with_its_graph() {
    let files = query_files();
    assert!(!files.is_empty());
    for file in files {
        assert!(file.cases.len() >= 40, "{}", file.name);
        let names: std::collections::BTreeSet<_> =
            file.cases.iter().map(|case| &case.name).collect();
        assert_eq!(
            names.len(),
            file.cases.len(),
            "{}: one name, one case",
            file.name
        );
    }
}

#[test]
fn half_of_the_cases_are_kept_aside() {
    for file in query_files() {
        let held = file.cases.iter().filter(|case| case.half == Half::Holdout);
        let (held, all) = (held.count(), file.cases.len());
        assert!(
            all.abs_diff(2 * held) <= 2,
            "{}: {held} of {all}",
            file.name
        );
    }
}

#[test]
fn every_case_argues_its_expectation() {
    for file in query_files() {
        for case in &file.cases {
            assert!(!case.description.is_empty(), "{}: {}", file.name, case.name);
        }
    }
}

#[test]
fn what_is_asked_of_the_held_out_half_is_reached() {
    let files: Vec<_> = query_files().into_iter().map(|file| file.file).collect();
    let model = LexicalModel::new();
    let run = Run {
        suite: Suite::RetrieveFull,
        files: &files,
        weights: None,
        workers: NonZeroUsize::MIN,
        model: &CachedModel::new(&model),
    };
    let results = run.results(&|_| ()).unwrap();
    let least = [(Metric::MustHit, 0.93), (Metric::ActionHit, 0.85)];
    let least = least.map(|(metric, least)| Threshold { metric, least });
    assert_eq!(missed(&results.groups, Split::Holdout, &least), []);
}

#[test]
fn every_forgetting_case_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/forget");
    let found = discover(&folder, Kind::Forgetting, Depth::Folder).unwrap();
    assert_eq!(found.files.len(), 2, "Chinese and English");
    let model = LexicalModel::new();
    let run = Run {
        suite: Suite::Forget,
        files: &found.files,
        weights: None,
        workers: NonZeroUsize::MIN,
        model: &CachedModel::new(&model),
    };
    let results = run.results(&|_| ()).unwrap();
    for (file, _, case) in results.cases() {
        assert!(
            case.missed.is_empty(),
            "{}/{}: {:?}",
            file.name,
            case.name,
            case.missed
        );
    }
    let least = |metric, least| Threshold { metric, least };
    let thresholds = [least(Metric::Passed, 1.0), least(Metric::Triggered, 1.0)];
    assert!(missed(&results.groups, Split::All, &thresholds).is_empty());
}
