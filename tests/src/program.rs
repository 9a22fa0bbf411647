//! The daemon's executable.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value as Json;

/// Where it is: what `SOULMEM_DAEMON` names, else what cargo makes of this workspace now.
pub fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| match env::var_os("SOULMEM_DAEMON") {
        Some(named) => {
            let path = PathBuf::from(named);
            let message = "build it with `cargo build -p soulmem`, or unset SOULMEM_DAEMON";
            assert!(
                path.is_file(),
                "there is no daemon at SOULMEM_DAEMON={}: {message}",
                path.display()
            );
            path
        }
        None => built(),
    })
}

/// Cargo's own lock keeps several of these from building at once.
fn built() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "-p", "soulmem"])
        .args(["--bin", "soulmem", "--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output();
    let hint = "or build it by hand and name it with SOULMEM_DAEMON=<target>/debug/soulmem";
    let output = output.unwrap_or_else(|error| {
        panic!("the daemon cannot be built, {error}: install cargo, {hint}")
    });
    assert!(
        output.status.success(),
        "the daemon does not build (cargo build -p soulmem, {}): mend it, {hint}",
        output.status
    );
    executable(&output).unwrap_or_else(|| panic!("cargo does not say where the daemon is: {hint}"))
}

fn executable(output: &Output) -> Option<PathBuf> {
    let messages = output.stdout.split(|byte| *byte == b'\n');
    messages
        .filter_map(|line| serde_json::from_slice::<Json>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// A command of the daemon, with nothing of this machine's own configuration.
pub fn command() -> Command {
    let mut command = Command::new(path());
    command.env_clear().env("TZ", "UTC");
    command
}
