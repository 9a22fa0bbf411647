//! `soulmem serve`: the daemon.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use sysexits::ExitCode;
use tokio::runtime;

use crate::cli::args::ServeArgs;
use crate::cli::config::{Effective, Origin};
use crate::cli::failure::Failure;
use crate::cli::logging;
use crate::server::lock::LockError;
use crate::server::{self, Hosting, Plan, ServeError, host};

/// Serves until told to end.
pub fn run(effective: &Effective, args: &ServeArgs) -> Result<(), Failure> {
    let config = &effective.config;
    let _log = logging::start(config.log_format, &config.log_level)?;
    let hosting = if args.hosted {
        Hosting::Hosted
    } else {
        Hosting::ByHand
    };
    if args.hosted {
        host::die_with_parent()
            .map_err(|error| Failure::new(ExitCode::OsErr, error.to_string()))?;
    }
    let mut settings = config.server.clone();
    if args.hosted && *effective.origin("server.listen") == Origin::Default {
        settings.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    }
    let plan = Plan {
        hosting,
        settings,
        souls: config.souls.clone(),
        llm: config.llm.clone(),
        data_dir: config.data_dir.clone(),
        runtime_dir: effective.folders.runtime.clone(),
    };
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ExitCode::OsErr, format!("starting the runtime: {error}")))?;
    let served = runtime.block_on(server::run(plan));
    // Whatever still runs now was given up by the drain.
    runtime.shutdown_background();
    served.map_err(|error| Failure::new(exit_code(&error), error.to_string()))
}

/// What a process that cannot have the data directory exits with.
pub fn exit_code(error: &ServeError) -> ExitCode {
    match error {
        ServeError::NotLoopback(_) | ServeError::Tokenizer(_) => ExitCode::Config,
        ServeError::Lock(LockError::Held { .. }) => ExitCode::TempFail,
        ServeError::Lock(LockError::Io { source, .. }) if is_denied(source) => ExitCode::NoPerm,
        ServeError::Lock(LockError::Open { .. }) => ExitCode::NoPerm,
        ServeError::Lock(LockError::Io { .. }) => ExitCode::CantCreat,
        ServeError::Bind { .. } => ExitCode::Unavailable,
        ServeError::Token(_) => ExitCode::OsErr,
        ServeError::Io { .. } | ServeError::Souls(_) | ServeError::DataDirGone(_) => {
            ExitCode::IoErr
        }
    }
}

fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}
