//! `doctor`: checks everything that a character's files hold, and repairs it where that is asked for.

use serde::{Deserialize, Serialize};

/// Payload of a `doctor` request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorRequest {
    /// Builds what is wrong anew; the character is closed for that long.
    #[serde(default)]
    pub repair: bool,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorResponse {
    /// Rows that were read and found right.
    pub rows: u64,
    /// What was wrong, before a repair; nothing in a healthy memory.
    pub findings: Vec<Finding>,
    /// What a repair did, where one was asked for and needed.
    pub repair: Option<Repair>,
}

/// Something wrong with a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Whether something is lost by it.
    pub severity: Severity,
    /// What is wrong and where.
    pub what: String,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Only what can be made again is wrong.
    Derived,
    /// Something that is kept nowhere else is damaged or missing.
    Truth,
}

/// What a repair did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// Rows that the new database took over.
    pub kept: u64,
    /// Rows that could be read but not trusted, which are set aside in the new database.
    pub aside: Vec<String>,
    /// What could not be read at all.
    pub lost: Vec<String>,
    /// What was made again.
    pub remade: Vec<String>,
    /// Where the old files are kept; absent where they were whole.
    pub saved: Option<String>,
}
