//! Checking a memory for damage, and repairing it.

mod check;
mod complete;
mod header;
mod repair;
mod salvage;

use super::files::Layout;

pub(super) use check::{evidence, integrity};
pub use repair::{RepairReport, examine, repair};

/// Something wrong with a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether something is lost by it.
    pub severity: Severity,
    /// What is wrong and where.
    pub what: String,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Only what can be made again is wrong; a repair loses nothing.
    Derived,
    /// Something that is kept nowhere else is damaged or missing.
    Truth,
}

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// What is wrong; nothing in a healthy memory.
    pub findings: Vec<Finding>,
    /// Rows that were read and found right.
    pub rows: u64,
}

impl CheckReport {
    /// Whether nothing is wrong.
    pub fn is_healthy(&self) -> bool {
        self.findings.is_empty()
    }

    fn add(&mut self, severity: Severity, what: impl Into<String>) {
        self.findings.push(Finding {
            severity,
            what: what.into(),
        });
    }
}
