//! `soulmem doctor llm`: tries the endpoint of the language model, with or without a daemon.

use std::fmt::Write as _;

use sysexits::ExitCode;
use tokio::runtime;

use crate::cli::args::GlobalArgs;
use crate::cli::config::Effective;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::table::escape;
use crate::llm::{Finding, Ledger, Llm, Verdict};
use crate::soul::outside::Outside;

/// Prints what works and what to change. What has to be changed is a failure: 78 the configuration, 69 an endpoint that
/// does not answer, 65 replies that cannot be used.
pub fn run(effective: &Effective, global: &GlobalArgs) -> Result<(), Failure> {
    let ledger = Ledger::unkept(Outside::system().clock, 0);
    let llm = Llm::new(effective.config.llm.clone(), ledger);
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ExitCode::OsErr, format!("starting the runtime: {error}")))?;
    let found = runtime.block_on(llm.check());
    if global.json {
        output::json(&found)?;
    } else {
        output::text(&told(&found))?;
    }
    let worst = found.iter().max_by_key(|finding| finding.verdict);
    let exit = match worst.map(|finding| finding.verdict) {
        None | Some(Verdict::Good | Verdict::Poor) => return Ok(()),
        Some(Verdict::Misconfigured) => ExitCode::Config,
        Some(Verdict::Unreachable) => ExitCode::Unavailable,
        Some(Verdict::Unusable) => ExitCode::DataErr,
    };
    let message = "until that is changed, tasks use their fallback; nothing is lost meanwhile";
    Err(Failure::new(exit, message))
}

fn told(found: &[Finding]) -> String {
    let mut text = String::new();
    for finding in found {
        let mark = match finding.verdict {
            Verdict::Good => "good",
            Verdict::Poor => "note",
            Verdict::Misconfigured | Verdict::Unreachable | Verdict::Unusable => "BAD ",
        };
        let (what, said) = (escape(&finding.what), escape(&finding.said));
        let took = finding.millis.map(|millis| format!(" ({millis} ms)"));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{mark}  {what}: {said}{}", took.unwrap_or_default());
    }
    text
}
