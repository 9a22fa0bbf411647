//! Files that the daemon's user may not write.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use soulmem_proto::ErrorCode;
use soulmem_tests::{Daemon, Guarded, program};

use crate::talk::{Talk, create, is_well, refused, tells};

/// A user who is nobody else here.
const NOBODY: &str = "65534";

/// A daemon of a user that is nobody else here, for whom root's rights do not stand in.
fn start_as_nobody(program: &Path, data: &Path) -> Result<Daemon, Guarded> {
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"])
        .arg(program)
        .args(["serve", "--hosted", "--data-dir"])
        .arg(data)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    Daemon::ready(Guarded::start("a daemon of nobody", &mut command))
}

#[test]
fn what_may_not_be_written_is_read_and_written_to_again_once_it_may_be() {
    let folder = tempfile::tempdir().unwrap();
    let (program, data) = (folder.path().join("soulmem"), folder.path().join("data"));
    let nobody = NOBODY.parse().unwrap();
    let given = chown(folder.path(), Some(nobody), Some(nobody));
    if given.is_err() || Command::new("setpriv").arg("--version").output().is_err() {
        return println!("left out: only root can start a daemon for another user (setpriv)");
    }
    fs::copy(program::path(), &program).unwrap();
    let daemon = start_as_nobody(&program, &data).unwrap();
    let (mut client, mut talk) = (daemon.connect(), Talk::default());
    create(&mut client, "mei").unwrap();
    talk.push(&mut client).unwrap();
    assert!(daemon.leave().success());

    let memory = data.join("souls/mei");
    let mode = |file: &Path, mode| fs::set_permissions(file, Permissions::from_mode(mode)).unwrap();
    // SQLite gives its own files the mode that the database has.
    let give_back = || {
        mode(&memory, 0o700);
        for entry in fs::read_dir(&memory).unwrap() {
            mode(&entry.unwrap().path(), 0o600);
        }
    };
    for closed in ["memory.db", "memory.lock", "."] {
        // A folder must be entered to read what is in it.
        mode(
            &memory.join(closed),
            if closed == "." { 0o500 } else { 0o400 },
        );
        let daemon = start_as_nobody(&program, &data).unwrap();
        client = daemon.connect();
        talk.hold_against(&mut client);
        let error = refused(talk.push(&mut client));
        assert_eq!(error.code, ErrorCode::Unavailable, "{closed}: {error}");
        assert!(
            tells(&mut client, "mei", &error.message),
            "{closed}: {error}"
        );
        talk.hold_against(&mut client);
        give_back();
        talk.push(&mut client).unwrap();
        is_well(&mut client, "mei");
        assert!(daemon.leave().success());
    }
    // Of this one nothing can be read either, and the daemon answers for it all the same.
    let daemon = start_as_nobody(&program, &data).unwrap();
    mode(&memory, 0);
    client = daemon.connect();
    let error = refused(talk.push(&mut client));
    assert!(error.message.contains("Permission denied"), "{error}");
    assert!(tells(&mut client, "mei", "Permission denied"));
    mode(&memory, 0o700);
    talk.push(&mut client).unwrap();
    talk.hold_against(&mut client);
    assert!(daemon.leave().success());

    mode(&data, 0o500);
    chown(&data, Some(0), Some(0)).unwrap();
    let mut denied = start_as_nobody(&program, &data).unwrap_err();
    assert_eq!(denied.ended().code(), Some(77));
    let told = format!("{}: Permission denied", data.join("daemon.lock").display());
    assert!(denied.log().contains(&told), "{}", denied.log());
}
