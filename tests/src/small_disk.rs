//! A small disk, to be filled, closed to writing and taken away.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A file system in memory, gone when dropped.
#[derive(Debug)]
pub struct SmallDisk {
    point: TempDir,
}

impl SmallDisk {
    /// None where mounting is not permitted; the test says so and holds nothing.
    pub fn mount(size: &str) -> Option<Self> {
        let point = tempfile::tempdir().unwrap();
        let options = format!("size={size},mode=700");
        let arguments = ["-t", "tmpfs", "-o", &options, "tmpfs"];
        if let Err(reason) = run("mount", &arguments, point.path()) {
            println!("left out: no file system can be mounted ({reason})");
            return None;
        }
        Some(Self { point })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.point.path()
    }

    /// Makes it read-only (`ro`), which nobody may be writing to then, or lets it be written to again (`rw`).
    pub fn remount(&self, how: &str) {
        run("mount", &["-o", &format!("remount,{how}")], self.path()).unwrap();
    }

    /// Makes it be in that folder too, for as long as the answer lives.
    pub fn also_at(&self, folder: &Path) -> Mounted {
        let disk = self.path().to_str().unwrap();
        run("mount", &["--bind", disk], folder).unwrap();
        Mounted(folder.to_owned())
    }

    /// Fills it with a file until that many bytes are left.
    pub fn fill(&self, left: u64) -> Ballast {
        let path = self.path().join("ballast");
        let file = File::create(&path).unwrap();
        let ballast = Ballast { path, file };
        ballast.grow();
        let length = ballast.file.metadata().unwrap().len();
        ballast.file.set_len(length - left).unwrap();
        ballast
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run("umount", &["--lazy"], self.path()).unwrap();
    }
}

/// A disk that is in a folder, until this is dropped. Whoever has a file on it open keeps that.
#[derive(Debug)]
pub struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        run("umount", &["--lazy"], &self.0).unwrap();
    }
}

/// A file that takes room away until it is dropped.
#[derive(Debug)]
pub struct Ballast {
    path: PathBuf,
    file: File,
}

impl Ballast {
    /// Takes all the room that there is.
    pub fn grow(&self) {
        loop {
            match (&self.file).write_all(&[1; 4_096]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => return,
                Err(error) => panic!("{}: {error}", self.path.display()),
            }
        }
    }
}

impl Drop for Ballast {
    fn drop(&mut self) {
        fs::remove_file(&self.path).unwrap();
    }
}

fn run(program: &str, arguments: &[&str], point: &Path) -> Result<(), String> {
    let output = Command::new(program).args(arguments).arg(point).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}
