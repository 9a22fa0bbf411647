//! `doctor`: checks what is on the disk of a character, and repairs it.

use soulmem_proto::ops::doctor::{DoctorRequest, DoctorResponse, Finding, Repair, Severity};

use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::Diagnosis;
use crate::store::{self, RepairReport};

/// Answers with what is wrong, and with what was done about it.
pub async fn run(mut call: Call) -> Outcome {
    call.refuse_key()?;
    let name = call.name()?;
    let DoctorRequest { repair } = call.payload()?;
    let souls = &call.server.souls;
    let Diagnosis { report, repair } = if repair {
        souls.repair(&name).await?
    } else {
        souls.examine(&name).await?
    };
    let findings = report.findings.into_iter().map(|finding| Finding {
        severity: match finding.severity {
            store::Severity::Derived => Severity::Derived,
            store::Severity::Truth => Severity::Truth,
        },
        what: finding.what,
    });
    done(&DoctorResponse {
        rows: report.rows,
        findings: findings.collect(),
        repair: repair.map(told),
    })
}

fn told(report: RepairReport) -> Repair {
    let RepairReport {
        kept,
        aside,
        lost,
        remade,
        saved,
        ..
    } = report;
    Repair {
        kept,
        aside,
        lost,
        remade,
        saved: saved.map(|folder| folder.display().to_string()),
    }
}
