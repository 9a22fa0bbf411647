//! The command line: `main`, the commands, configuration, logging.

mod args;
mod client;
mod commands;
pub mod config;
pub mod failure;
mod input;
pub mod logging;
mod output;
mod session;
mod table;
mod when;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use self::args::{Cli, Command, DoctorArgs, DoctorCommand};
use self::config::{Effective, Folders};
use self::failure::Failure;
use self::session::{Session, with_daemon, with_or_without_daemon};

/// Runs the command that the process was started with and gives its exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_a_command(&error),
    };
    match run(&cli) {
        Ok(code) => code,
        Err(failure) => {
            tell(&failure);
            failure.exit.into()
        }
    }
}

/// Says why on standard error. What the message repeats of a file or of stored text cannot play with the terminal.
fn tell(failure: &Failure) {
    let lines: Vec<String> = failure.message.lines().map(table::escape).collect();
    // Where even this cannot be written there is nobody to tell.
    let _ = writeln!(io::stderr(), "soulmem: {}", lines.join("\n"));
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
    let global = &cli.global;
    let asking = match &cli.command {
        Command::Serve(serve) => return commands::serve::run(&effective, serve).map(succeeded),
        Command::Config => return commands::config::run(&effective, global).map(succeeded),
        Command::Doctor(DoctorArgs {
            about: Some(DoctorCommand::Llm),
            ..
        }) => return commands::doctor_llm::run(&effective, global).map(succeeded),
        Command::Eval(eval) => return commands::eval::run(eval, global),
        Command::Forget(forget) if commands::forget::draw_profile(forget)? => {
            return Ok(ExitCode::SUCCESS);
        }
        asking => asking,
    };
    if let Command::Restore(restore) = asking
        && restore.snapshot
    {
        return commands::restore::snapshot(&effective, global, restore).map(succeeded);
    }
    let alone = matches!(
        asking,
        Command::Backup(_)
            | Command::Restore(_)
            | Command::Doctor(_)
            | Command::Erase(_)
            | Command::Export(_)
            | Command::Soul(_)
    );
    let run = async |session: &mut Session| match asking {
        Command::Push(push) => commands::push::run(session, push).await,
        Command::Retrieve(retrieve) => commands::retrieve::run(session, retrieve).await,
        Command::Consolidate(consolidate) => commands::consolidate::run(session, consolidate).await,
        Command::Note(note) => commands::note::run(session, note).await,
        Command::Link(link) => commands::link::run(session, link).await,
        Command::Soul(soul) => commands::soul::run(session, soul).await,
        Command::Import(import) => commands::import::run(session, import).await,
        Command::Backup(backup) => commands::backup::run(session, backup).await,
        Command::Restore(restore) => commands::restore::run(session, restore).await,
        Command::Doctor(doctor) => commands::doctor::run(session, doctor).await,
        Command::Erase(erase) => commands::erase::run(session, erase).await,
        Command::Export(export) => commands::export::run(session, export).await,
        Command::Forget(forget) => commands::forget::run(session, forget).await,
        Command::Status | Command::Serve(_) | Command::Config | Command::Eval(_) => {
            commands::status::run(session).await
        }
    };
    if alone {
        with_or_without_daemon(&effective, global, run).map(succeeded)
    } else {
        with_daemon(&effective, global, run).map(succeeded)
    }
}

fn succeeded((): ()) -> ExitCode {
    ExitCode::SUCCESS
}
