//! The BEAM and the ambassador.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A command that runs a script with the ambassador at hand, outside of mix. Standard input is left to the script.
pub fn script(path: &Path) -> Command {
    let mut command = tool("elixir");
    command
        .args(["--erl", "-noinput", "-pa"])
        .arg(compiled())
        .arg(path);
    command
}

/// The ambassador's folder.
pub fn ambassador() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../elixir_ambassador")
}

/// Compiles the ambassador as its own tests do, once, and gives the folder of its code. The lock keeps other
/// test programs from compiling into the same folder meanwhile.
fn compiled() -> &'static Path {
    static EBIN: OnceLock<PathBuf> = OnceLock::new();
    EBIN.get_or_init(|| {
        let lock = File::open(ambassador().join("mix.exs")).unwrap();
        lock.lock().unwrap();
        let output = tool("mix")
            .arg("compile")
            .current_dir(ambassador())
            .env("MIX_ENV", "test")
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("mix cannot be run, {error}: {MISSING}"));
        assert!(
            output.status.success(),
            "the ambassador does not compile (MIX_ENV=test mix compile):\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        ambassador().join("_build/test/lib/soulmem/ebin")
    })
}

const MISSING: &str = "this test needs Elixir; ./dev test installs it, or: apt-get install elixir";

fn tool(name: &str) -> Command {
    let mut command = Command::new(name);
    for (variable, _) in std::env::vars_os() {
        // Neither another daemon nor another data directory may play a part.
        if variable.to_string_lossy().starts_with("SOULMEM_") {
            command.env_remove(variable);
        }
    }
    command.env("LANG", "C.UTF-8").env("LC_ALL", "C.UTF-8");
    command.env("ELIXIR_ERL_OPTIONS", "+fnu");
    command
}
