//! `soulmem eval`: the evaluation.

mod args;
mod compare;
mod progress;
mod recall;
mod report;
mod run;

use std::process::ExitCode;

pub use args::EvalArgs;
use args::EvalCommand;

use crate::cli::args::GlobalArgs;
use crate::cli::failure::Failure;
use crate::eval::EvalError;

/// Runs or compares. The exit code is 1 where a threshold is not reached.
pub fn run(args: &EvalArgs, global: &GlobalArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        EvalCommand::Run(args) => run::run(args, global),
        EvalCommand::Compare(args) => compare::run(args, global),
        EvalCommand::Recall(args) => recall::run(args, global),
    }
}

fn passed(passed: bool) -> ExitCode {
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn failure(error: &EvalError) -> Failure {
    let message = error.to_string();
    match error {
        EvalError::Read { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
            Failure::new(sysexits::ExitCode::NoInput, message)
        }
        EvalError::Read { .. } => Failure::new(sysexits::ExitCode::IoErr, message),
        EvalError::Write { .. } => Failure::new(sysexits::ExitCode::CantCreat, message),
        EvalError::Embed { .. }
        | EvalError::Recall { .. }
        | EvalError::Index { .. }
        | EvalError::Soul { .. } => Failure::new(sysexits::ExitCode::Software, message),
        EvalError::Json { .. }
        | EvalError::Value { .. }
        | EvalError::Graph { .. }
        | EvalError::Line { .. }
        | EvalError::Nothing { .. }
        | EvalError::Several(_) => Failure::data(message),
    }
}
