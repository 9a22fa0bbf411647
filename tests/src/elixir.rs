//! The BEAM and the ambassador.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::lan::Machine;

/// A command that runs a script with the ambassador at hand, outside of mix. Standard input is left to the script.
pub fn script(path: &Path) -> Command {
    let mut command = tool(Command::new("elixir"));
    command
        .args(["--erl", "-noinput", "-pa"])
        .arg(compiled())
        .arg(path);
    command
}

/// The same as a node of the cluster of a test's machines, on one of them: without epmd, as in the release, but it
/// notices within five seconds that another is gone.
pub fn script_on(machine: &Machine, path: &Path) -> Command {
    let mut command = tool(machine.command("elixir"));
    let interface = machine.address.to_string().replace('.', ",");
    let flags = format!(
        "-noinput -start_epmd false -erl_epmd_port 9137 -kernel inet_dist_use_interface {{{interface}}} \
         -kernel net_ticktime 4 -kernel prevent_overlapping_partitions false"
    );
    command
        .args([
            "--name",
            &node_on(machine),
            "--cookie",
            "of-a-test",
            "--erl",
        ])
        .arg(flags)
        .arg("-pa")
        .arg(compiled())
        .arg(path);
    command
}

/// The name of the node on a machine.
pub fn node_on(machine: &Machine) -> String {
    format!("soulmem@{}", machine.address)
}

/// The ambassador's folder.
pub fn ambassador() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../elixir_ambassador")
}

/// Compiles the ambassador as its own tests do, once, and gives the folder of its code. The lock keeps other
/// test programs from compiling into the same folder meanwhile.
pub fn compiled() -> &'static Path {
    static EBIN: OnceLock<PathBuf> = OnceLock::new();
    EBIN.get_or_init(|| {
        let lock = File::open(ambassador().join("mix.exs")).unwrap();
        lock.lock().unwrap();
        let output = mix()
            .arg("compile")
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

/// Mix, in the ambassador's folder.
pub fn mix() -> Command {
    let mut mix = tool(Command::new("mix"));
    mix.current_dir(ambassador());
    mix
}

/// What to do where it is not there.
pub const MISSING: &str =
    "this test needs Elixir; ./dev test installs it, or: apt-get install elixir";

fn tool(mut command: Command) -> Command {
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
