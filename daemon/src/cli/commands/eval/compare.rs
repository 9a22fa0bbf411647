//! `soulmem eval compare`.

use std::process::ExitCode;

use super::args::CompareArgs;
use super::report::comparison;
use super::{failure, passed};
use crate::cli::args::GlobalArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::eval::report::compare::{Change, compare};
use crate::eval::report::results::Results;

/// Compares two files of results.
pub fn run(args: &CompareArgs, global: &GlobalArgs) -> Result<ExitCode, Failure> {
    let read = |file| Results::read(file).map_err(|error| failure(&error));
    let (first, second) = (read(&args.first)?, read(&args.second)?);
    if first.suite != second.suite {
        let message = format!(
            "{} is of the suite {}, {} of {}: compare results of one suite",
            args.first.display(),
            first.suite,
            args.second.display(),
            second.suite
        );
        return Err(Failure::data(message));
    }
    let compared = compare(&first, &second);
    if global.json {
        output::json(&compared)?;
    } else {
        output::text(&comparison::Report(&compared))?;
    }
    let broken = compared.count(Change::Broken);
    Ok(passed(args.max_broken.is_none_or(|most| broken <= most)))
}
