//! The command line: `main`, the commands, configuration, logging.

mod args;
mod commands;
pub mod config;
pub mod failure;
pub mod logging;
mod output;
mod table;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use self::args::{Cli, Command};
use self::config::{Effective, Folders};
use self::failure::Failure;

/// Runs the command that the process was started with and gives its exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_a_command(&error),
    };
    match run(&cli) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("soulmem: {failure}");
            failure.exit.into()
        }
    }
}

/// Help and version are asked for and go to standard output; the rest is a usage error.
fn not_a_command(error: &clap::Error) -> ExitCode {
    // Where even this cannot be written there is nobody to tell.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => sysexits::ExitCode::Usage.into(),
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    let flags = cli.flags().map_err(Failure::usage)?;
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let effective = Effective::load(&flags, variable, Folders::from_env())
        .map_err(|error| Failure::config(error.to_string()))?;
    match &cli.command {
        Command::Serve(serve) => commands::serve::run(&effective, serve)?,
        Command::Config => commands::config::run(&effective, &cli.global)?,
        Command::Eval(eval) => return commands::eval::run(eval, &cli.global),
    }
    Ok(ExitCode::SUCCESS)
}
