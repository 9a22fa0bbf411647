//! The node as a service of its user, under a real service manager of its own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use soulmem_tests::{Guarded, release};

/// The service waits for watchdogs and restarts; a minute is usual.
const LIFE: Duration = Duration::from_secs(480);

const MANAGER: &str = "/lib/systemd/systemd";

/// Why there can be no service manager here.
fn hindrance() -> Option<&'static str> {
    if !rustix::process::geteuid().is_root() {
        return Some("a service manager in namespaces of its own needs root");
    }
    if !Path::new(MANAGER).exists() {
        return Some("there is no systemd (apt-get install systemd)");
    }
    // Under another hierarchy, as in some containers, the manager cannot make groups.
    let hierarchies = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"];
    let usable = hierarchies
        .iter()
        .any(|folder| Path::new(folder).join("cgroup.procs").exists());
    (!usable).then_some("there is no control group hierarchy of version 2")
}

#[test]
fn the_service_is_ready_with_its_daemon_survives_kills_and_keeps_the_memory() {
    if let Some(reason) = hindrance() {
        println!("left out: {reason}");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("service");
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new("bash");
    command
        .arg(here.join("with-manager.sh"))
        .arg(home.path())
        .arg(here.join("scenario.sh"))
        .arg(tree.canonicalize().unwrap())
        .env("SOULMEM_RELEASE", release::assembled())
        .env_remove("SOULMEM_DATA_DIR")
        .env_remove("SOULMEM_DAEMON")
        .env("USER", "root");
    let said = home.path().join("said");
    command.stdin(Stdio::null());
    command.stdout(File::create(&said).unwrap());
    let mut process = Guarded::start("a service manager", &mut command);
    assert!(
        process.ends_within(LIFE),
        "{}",
        fs::read_to_string(&said).unwrap()
    );
    let status = process.ended();
    let said = fs::read_to_string(&said).unwrap();
    assert!(
        status.success() && said.ends_with("held\n"),
        "{said}{}",
        process.log()
    );
}
