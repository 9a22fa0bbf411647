//! The command line as it is typed.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::commands::eval::EvalArgs;
use super::config::Flags;

/// The memory of LLM characters, on this machine.
#[derive(Debug, Parser)]
#[command(
    name = "soulmem",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
pub struct GlobalArgs {
    /// Folder that holds the characters (default: `$XDG_DATA_HOME/soulmem`)
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Configuration file (default: `$XDG_CONFIG_HOME/soulmem/config.toml`, where there is one)
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Sets one key of the configuration; `soulmem config` lists them
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Endpoint file of the daemon to talk to (default: the one in `$XDG_RUNTIME_DIR/soulmem` or in the data folder)
    #[arg(long, global = true, value_name = "FILE")]
    pub endpoint: Option<PathBuf>,
    /// Form of the log on standard error: human or json
    #[arg(long, global = true, value_name = "FORMAT")]
    pub log_format: Option<String>,
    /// What is logged: error, warn, info, debug, trace, or directives such as soulmem=debug
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log_level: Option<String>,
    /// Prints the result as JSON, for programs
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs the daemon
    Serve(ServeArgs),
    /// Shows the configuration in effect and where each value came from
    Config,
    /// Puts the memory to the test, and compares the results
    Eval(EvalArgs),
}

/// What `serve` takes.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Serves the program that started it: a ready line on standard output, the end of standard input ends the daemon,
    /// any free port by default
    #[arg(long)]
    pub hosted: bool,
    /// Loopback address and port (default: 127.0.0.1:7411, hosted 127.0.0.1:0)
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
}

impl Cli {
    /// The flags that set keys of the configuration.
    pub fn flags(&self) -> Result<Flags, String> {
        let mut values = Vec::new();
        for setting in &self.global.settings {
            let (key, value) = setting
                .split_once('=')
                .ok_or_else(|| format!("--set {setting}: write it as KEY=VALUE"))?;
            values.push(("--set".to_owned(), key.to_owned(), value.to_owned()));
        }
        let mut flag = |flag: &str, key: &str, value: Option<String>| {
            values.extend(value.map(|value| (flag.to_owned(), key.to_owned(), value)));
        };
        let global = &self.global;
        flag(
            "--data-dir",
            "data_dir",
            global
                .data_dir
                .as_ref()
                .map(|dir| dir.to_string_lossy().into_owned()),
        );
        flag("--log-format", "log.format", global.log_format.clone());
        flag("--log-level", "log.level", global.log_level.clone());
        if let Command::Serve(serve) = &self.command {
            flag(
                "--listen",
                "server.listen",
                serve.listen.map(|address| address.to_string()),
            );
        }
        Ok(Flags {
            file: global.config.clone(),
            values,
        })
    }
}
