//! What a command that talks to the daemon has at hand.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use soulmem_proto::ops::soul_list::{SoulListRequest, SoulListResponse};
use soulmem_proto::{Op, SoulName};
use sysexits::ExitCode;
use tokio::runtime;

use super::args::GlobalArgs;
use super::client::Client;
use super::commands::serve::exit_code;
use super::config::Effective;
use super::failure::Failure;
use crate::server::local::Local;
use crate::server::lock::{DataDirLock, LockError};
use crate::server::{Hosting, Plan, ServeError};

/// A connection, and how results are to be shown.
pub struct Session {
    /// The daemon.
    pub client: Client,
    /// Whether results are for programs.
    pub json: bool,
}

impl Session {
    /// The characters that a command names, or all.
    pub async fn souls_or_all(&mut self, named: &[SoulName]) -> Result<Vec<SoulName>, Failure> {
        if !named.is_empty() {
            return Ok(named.to_vec());
        }
        let payload = &SoulListRequest {};
        let SoulListResponse { souls } = self.client.call(Op::SoulList, None, payload).await?;
        Ok(souls.into_iter().map(|entry| entry.soul).collect())
    }
}

/// Keeps daemons out of the data directory for as long as the answer lives.
pub fn hold_data_dir(effective: &Effective) -> Result<DataDirLock, Failure> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ExitCode::OsErr, error.to_string()))?;
    let lock = DataDirLock::acquire(&effective.config.data_dir, Duration::ZERO);
    runtime.block_on(lock).map_err(|error| {
        let error = ServeError::from(error);
        Failure::new(exit_code(&error), error.to_string())
    })
}

/// Connects and runs a command to its end.
pub fn with_daemon(
    effective: &Effective,
    global: &GlobalArgs,
    command: impl AsyncFnOnce(&mut Session) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ExitCode::OsErr, error.to_string()))?;
    runtime.block_on(async {
        let client = Client::connect(effective, global).await?;
        command(&mut Session {
            client,
            json: global.json,
        })
        .await
    })
}

/// The same, for a command that goes without a daemon too: where none runs, this process takes the data directory.
pub fn with_or_without_daemon(
    effective: &Effective,
    global: &GlobalArgs,
    command: impl AsyncFnOnce(&mut Session) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ExitCode::OsErr, error.to_string()))?;
    let done = runtime.block_on(async {
        let client = match Client::connect(effective, global).await {
            Err(nobody) if nobody.exit == ExitCode::Unavailable => here(effective, nobody).await?,
            client => client?,
        };
        let mut session = Session {
            client,
            json: global.json,
        };
        let done = command(&mut session).await;
        session.client.close().await;
        done
    });
    runtime.shutdown_background();
    done
}

/// Takes the data directory. `nobody` says that no daemon was found.
async fn here(effective: &Effective, nobody: Failure) -> Result<Client, Failure> {
    let config = &effective.config;
    if !config.data_dir.exists() {
        return Err(nobody);
    }
    let plan = Plan {
        hosting: Hosting::ByHand,
        settings: config.server.clone(),
        souls: config.souls.clone(),
        llm: config.llm.clone(),
        data_dir: config.data_dir.clone(),
        runtime_dir: None,
    };
    match Local::open(&plan).await {
        Ok(local) => Ok(Client::here(local)),
        Err(ServeError::Lock(LockError::Held { .. })) => Err(Failure::new(
            ExitCode::TempFail,
            format!(
                "{}\nbut its daemon does not answer: wait, or end it",
                nobody.message
            ),
        )),
        Err(error) => Err(Failure::new(exit_code(&error), error.to_string())),
    }
}

/// A bar over the steps of long work on standard error; invisible where that is no terminal.
pub fn steps() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent}% {elapsed}");
    ProgressBar::new(1).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A progress bar over bytes on standard error; invisible where that is no terminal.
pub fn progress(bytes: u64, what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(bytes).with_message(what.to_owned());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
