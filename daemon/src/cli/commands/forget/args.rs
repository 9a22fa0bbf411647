//! `soulmem forget` as it is typed.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use soulmem_engine::forget::ProfileName;
use soulmem_proto::SoulName;
use uuid::Uuid;

/// What `forget` takes.
#[derive(Debug, Args)]
pub struct ForgetArgs {
    /// The character
    #[arg(long, short, value_name = "NAME")]
    pub soul: Option<SoulName>,
    /// Only shows what would be forgotten, and how
    #[arg(long, visible_alias = "dry-run")]
    pub preview: bool,
    /// Most notes that are shown (default 100)
    #[arg(long, requires = "preview")]
    pub limit: Option<u32>,
    /// The time that it is done at, RFC 3339 (default: now)
    #[arg(long, value_name = "TIME")]
    pub now: Option<Timestamp>,
    /// Takes a note back into recall, as it was worded; may be given several times
    #[arg(long, value_name = "ID", conflicts_with_all = ["preview", "plot"])]
    pub restore: Vec<Uuid>,
    /// Draws curves into an SVG file: those of a profile, or that of a note
    #[arg(long, value_name = "FILE.svg", conflicts_with = "preview")]
    pub plot: Option<PathBuf>,
    /// The profile to draw: companion, seed or none
    #[arg(long, requires = "plot", conflicts_with = "note")]
    pub profile: Option<ProfileName>,
    /// The note to draw the curve of
    #[arg(long, value_name = "ID", requires = "plot", requires = "soul")]
    pub note: Option<Uuid>,
}
