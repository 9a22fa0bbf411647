//! What was understood of a batch, and by whom.

use soulmem_engine::consolidate::Finding;
use soulmem_proto::ops::consolidate::ConsolidationReport;

/// What understood the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Rules,
    Llm,
    Mixed,
}

/// What was understood of a batch.
pub(super) struct Understood {
    pub findings: Vec<Finding>,
    pub by: By,
    /// Why rules did a part of it.
    pub notice: Option<String>,
}

impl By {
    fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Llm => "llm",
            Self::Mixed => "mixed",
        }
    }

    /// Says in the report of a run who understood one more batch of it, and keeps the first reason for it.
    pub fn tell(self, report: &mut ConsolidationReport, notice: Option<String>) {
        let by = match report.by.as_str() {
            "" => self.as_str(),
            other if other == self.as_str() => other,
            _ => Self::Mixed.as_str(),
        };
        report.by = by.to_owned();
        if report.notice.is_none() {
            report.notice = notice;
        }
    }
}
