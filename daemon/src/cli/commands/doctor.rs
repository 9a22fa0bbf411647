//! `soulmem doctor`: checks everything that is on the disk, and repairs it.

use std::fmt::Write as _;

use serde_json::json;
use soulmem_proto::ops::doctor::{DoctorRequest, DoctorResponse, Severity};
use soulmem_proto::{Op, SoulName};
use sysexits::ExitCode;

use crate::cli::args::DoctorArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::session::{Session, steps};
use crate::cli::table::escape;

/// Checks one character after the other. What is left wrong is a failure.
pub async fn run(session: &mut Session, args: &DoctorArgs) -> Result<(), Failure> {
    let souls = session.souls_or_all(&args.souls).await?;
    session.client.watch(&souls, steps()).await?;
    let payload = &DoctorRequest {
        repair: args.repair,
    };
    let mut sick = Vec::new();
    for soul in souls {
        let found: DoctorResponse = session
            .client
            .call(Op::Doctor, Some(&soul), payload)
            .await?;
        if session.json {
            output::json(&json!({"soul": soul, "doctor": found}))?;
        } else {
            output::text(&told(&soul, &found))?;
        }
        if !found.findings.is_empty() && found.repair.is_none() {
            sick.push(soul.to_string());
        }
    }
    if sick.is_empty() {
        return Ok(());
    }
    let message = format!(
        "something is wrong with {}; `soulmem doctor --repair` builds it anew and keeps the old files",
        sick.join(", ")
    );
    Err(Failure::new(ExitCode::IoErr, message))
}

fn told(soul: &SoulName, found: &DoctorResponse) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    if found.findings.is_empty() {
        let _ = writeln!(text, "{soul}: all is well, {} rows", found.rows);
    } else {
        let _ = writeln!(text, "{soul}: {} findings", found.findings.len());
    }
    for finding in &found.findings {
        let worth = match finding.severity {
            Severity::Derived => "can be made again",
            Severity::Truth => "damaged",
        };
        let _ = writeln!(text, "  {worth}: {}", escape(&finding.what));
    }
    if let Some(repair) = &found.repair {
        let _ = writeln!(text, "  repaired: {} rows taken over", repair.kept);
        let lists = [
            ("set aside", &repair.aside),
            ("lost", &repair.lost),
            ("made again", &repair.remade),
        ];
        for (what, list) in lists {
            for entry in list {
                let _ = writeln!(text, "  {what}: {}", escape(entry));
            }
        }
        if let Some(folder) = &repair.saved {
            let _ = writeln!(text, "  the old files are in {folder}");
        }
    }
    text
}
