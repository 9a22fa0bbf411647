//! A stored database of every schema version opens, and holds what it held when it was written.

use std::fs;
use std::path::{Path, PathBuf};

use soulmem::store::{Condition, Store};
use tempfile::tempdir;

use crate::dump::{dump, full_memory};
use crate::support::{message, options};

/// Where the samples are, one folder a version.
fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/store")
}

/// Set to write the sample of the present schema, which is done once: when the version is new.
const WRITE: &str = "SOULMEM_WRITE_SAMPLE";

#[test]
fn every_schema_opens_and_holds_what_it_held() {
    let home = tempdir().unwrap();
    let fresh = full_memory(&home.path().join("fresh"), 30);
    let expected = dump(&fresh).unwrap();
    drop(fresh);
    for version in 1..=soulmem::store::SCHEMA {
        let sample = samples().join(format!("schema-{version}/memory.db"));
        if std::env::var_os(WRITE).is_some() && !sample.exists() {
            fs::copy(home.path().join("fresh/memory.db"), &sample).unwrap();
        }
        let folder = home.path().join(format!("{version}"));
        fs::create_dir(&folder).unwrap();
        fs::copy(&sample, folder.join("memory.db")).unwrap();
        let store = Store::open(&folder, &options()).unwrap();
        assert!(
            matches!(store.condition(), Condition::Ready),
            "{:?}",
            store.condition()
        );
        assert_eq!(dump(&store).unwrap(), expected, "schema {version}");
        assert!(store.check(&mut |_| ()).unwrap().is_healthy());
        store
            .write(|tx| tx.push(&[message(1_000, "and on")]))
            .wait()
            .unwrap();
    }
}
