//! A data directory that is taken away under its daemon.

use std::fs;
use std::path::Path;

use serde_json::json;
use soulmem_proto::{ErrorCode, Op, Value};
use soulmem_tests::{Client, Daemon, Failure, SmallDisk, until};

use crate::talk::{Talk, create};

/// The end of a daemon whose data directory is gone: nothing is acknowledged meanwhile, and it says why it goes.
fn goes_without_its_folder(daemon: Daemon, data: &Path, client: &mut Client, talk: &mut Talk) {
    if let Err(Failure::Refused(error)) = client.call::<Value>(Op::Health, None, &json!({}), None) {
        assert_eq!(error.code, ErrorCode::Unavailable, "{error}");
        assert!(error.message.contains(data.to_str().unwrap()), "{error}");
    }
    until("the daemon is gone", || match talk.push(client) {
        Err(Failure::Lost(_)) => Some(()),
        Err(Failure::Refused(error)) => {
            assert_eq!(error.code, ErrorCode::Unavailable, "{error}");
            None
        }
        Ok(()) => panic!("acknowledged, and gone with {}", data.display()),
    });
    let (status, log) = daemon.ended();
    assert_eq!(status.code(), Some(74), "{log}");
    let told = format!(
        "{}: the data directory was removed or replaced",
        data.display()
    );
    assert!(log.contains(&told), "{log}");
}

#[test]
fn a_daemon_whose_folder_vanishes_acknowledges_nothing_more_says_why_and_goes() {
    let folder = tempfile::tempdir().unwrap();
    let (data, away) = (folder.path().join("data"), folder.path().join("away"));
    let daemon = Daemon::start(&data);
    let (mut client, mut talk) = (daemon.connect(), Talk::default());
    create(&mut client, "mei").unwrap();
    talk.push(&mut client).unwrap();
    fs::rename(&data, &away).unwrap();
    goes_without_its_folder(daemon, &data, &mut client, &mut talk);
    assert!(!data.exists());

    fs::rename(&away, &data).unwrap();
    let daemon = Daemon::start(&data);
    talk.push(&mut daemon.connect()).unwrap();
    talk.hold_against(&mut daemon.connect());
}

#[test]
fn a_daemon_whose_disk_is_taken_away_acknowledges_nothing_more_says_why_and_goes() {
    let Some(disk) = SmallDisk::mount("24m") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mounted = disk.also_at(folder.path());
    let daemon = Daemon::start(folder.path());
    let (mut client, mut talk) = (daemon.connect(), Talk::default());
    create(&mut client, "mei").unwrap();
    talk.push(&mut client).unwrap();
    drop(mounted);
    goes_without_its_folder(daemon, folder.path(), &mut client, &mut talk);
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(left.is_empty(), "written beside the disk: {left:?}");

    let _mounted = disk.also_at(folder.path());
    let daemon = Daemon::start(folder.path());
    talk.push(&mut daemon.connect()).unwrap();
    talk.hold_against(&mut daemon.connect());
    drop(daemon);
}
