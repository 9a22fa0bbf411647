//! The query files of this project say what the format asks of them.

#![allow(
    clippy::unwrap_used,
    reason = "a file that cannot be read fails the test"
)]

use std::path::Path;

use soulmem::eval::data::case::Half;
use soulmem::eval::data::discover::{Depth, Kind, discover};
use soulmem::eval::data::query_file::QueryFile;

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
