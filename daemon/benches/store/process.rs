//! The parts of a measurement that run in processes of their own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{memories, opening, searching, stall};

/// What the first argument of such a process is.
const MARK: &str = "in-its-own-process";

/// One part.
pub enum Part {
    /// Writes the notes of these numbers.
    Write {
        folder: PathBuf,
        first: u64,
        end: u64,
    },
    /// Opens the memory, writes the notes of these numbers, and ends as a kill would have it.
    Killed {
        folder: PathBuf,
        dimension: usize,
        first: u64,
        end: u64,
    },
    /// Opens the memory, and closes it in order where it was opened anew.
    Open { folder: PathBuf, dimension: usize },
    /// Opens it and searches in it.
    Search {
        folder: PathBuf,
        dimension: usize,
        notes: u64,
    },
    /// Opens it and writes its indexes while it is used.
    Stall { folder: PathBuf, dimension: usize },
}

impl Part {
    /// The part that this process was started for, if it was.
    pub fn from_arguments(arguments: &[String]) -> Option<Self> {
        let mut arguments = arguments.iter().skip_while(|argument| *argument != MARK);
        arguments.next()?;
        let part = arguments.next()?;
        let folder = PathBuf::from(arguments.next()?);
        let mut number = || arguments.next()?.parse().ok();
        Some(match part.as_str() {
            "write" => Self::Write {
                folder,
                first: number()?,
                end: number()?,
            },
            "killed" => Self::Killed {
                folder,
                dimension: number()? as usize,
                first: number()?,
                end: number()?,
            },
            "open" => Self::Open {
                folder,
                dimension: number()? as usize,
            },
            "search" => Self::Search {
                folder,
                dimension: number()? as usize,
                notes: number()?,
            },
            _ => Self::Stall {
                folder,
                dimension: number()? as usize,
            },
        })
    }

    /// Does it and prints what was measured, as JSON.
    pub fn run(self) {
        let measured = match self {
            Self::Write { folder, first, end } => {
                memories::write(&folder, first, end);
                Value::Null
            }
            Self::Killed {
                folder,
                dimension,
                first,
                end,
            } => {
                let (store, _mind) = memories::open(&folder, dimension);
                memories::put(&store, first, end);
                println!("{}", Value::Null);
                // Nothing is closed, nothing is kept.
                std::process::exit(0);
            }
            Self::Open { folder, dimension } => opening::open(&folder, dimension),
            Self::Search {
                folder,
                dimension,
                notes,
            } => searching::search(&folder, dimension, notes),
            Self::Stall { folder, dimension } => stall::stall(&folder, dimension),
        };
        println!("{measured}");
    }
}

/// Runs a part in a process of its own and gives back what it measured.
pub fn in_its_own(part: &str, folder: &Path, numbers: &[u64]) -> Value {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(MARK).arg(part).arg(folder);
    command.args(numbers.iter().map(u64::to_string));
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{part} failed");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A number that was measured.
pub fn number(measured: &Value, name: &str) -> f64 {
    measured[name].as_f64().unwrap_or(f64::NAN)
}
