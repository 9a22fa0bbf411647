//! Results on standard output.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;
use sysexits::ExitCode;

use super::failure::Failure;

/// Prints a result for people.
pub fn text(result: &impl Display) -> Result<(), Failure> {
    write(&result.to_string())
}

/// Prints a result for programs: one line of JSON.
pub fn json(result: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(result).map_err(|error| {
        Failure::new(
            ExitCode::Software,
            format!("the result is no JSON: {error}"),
        )
    })?;
    write(&(line + "\n"))
}

/// A reader that has seen enough (`| head`) is no failure.
fn write(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            ExitCode::IoErr,
            format!("writing the result: {error}"),
        )),
        _ => Ok(()),
    }
}
