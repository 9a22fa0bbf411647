//! The release of the node, as it is installed.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::{elixir, program};

/// Assembles the release with this workspace's daemon in it, once, and gives its folder.
pub fn assembled() -> &'static Path {
    static RELEASE: OnceLock<PathBuf> = OnceLock::new();
    RELEASE.get_or_init(|| assemble(&mut elixir::mix(), &elixir::ambassador()))
}

/// The same with libcluster, from the sources in that folder.
pub fn with_libcluster(sources: &OsStr) -> PathBuf {
    let project = elixir::ambassador().join("lan_node");
    let mut mix = elixir::mix();
    mix.current_dir(&project).env("SOULMEM_LIBCLUSTER", sources);
    assemble(&mut mix, &project)
}

fn assemble(mix: &mut Command, project: &Path) -> PathBuf {
    let lock = File::open(elixir::ambassador().join("mix.exs")).unwrap();
    lock.lock().unwrap();
    let output = mix
        .args(["release", "--overwrite", "--quiet"])
        .env("MIX_ENV", "prod")
        .env("SOULMEM_DAEMON", program::path())
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("mix cannot be run, {error}: {}", elixir::MISSING));
    assert!(
        output.status.success(),
        "the release is not assembled (MIX_ENV=prod mix release in {}):\n{}{}",
        project.display(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let built = project.join("_build/prod/rel/soulmem_node");
    built.canonicalize().unwrap()
}
