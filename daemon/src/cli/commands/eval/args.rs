//! `soulmem eval` as it is typed.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::eval::Suite;
use crate::eval::data::sweep::Variation;
use crate::eval::metrics::Metric;
use crate::eval::report::summary::Split;
use crate::eval::report::threshold::Threshold;

/// What `eval` takes.
#[derive(Debug, Args)]
pub struct EvalArgs {
    #[command(subcommand)]
    pub command: EvalCommand,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// Runs a suite over files of cases; exits with 1 where a threshold is not reached
    Run(RunArgs),
    /// Compares two files of results case by case
    Compare(CompareArgs),
    /// Fills fresh characters with messages or passages, asks them plain lines and measures what comes up
    Recall(RecallArgs),
}

/// What `eval run` takes.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// retrieve/embedding, retrieve/association, retrieve/full or forget
    pub suite: Suite,
    /// A file of cases, or a folder of such files
    #[arg(value_name = "FILE-OR-FOLDER")]
    pub path: PathBuf,
    /// Looks into the folders inside the folder too
    #[arg(long)]
    pub batch: bool,
    /// Files and sets of weights that are run at once (default: one for each processor)
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
    /// Weights to run every case with instead of those in its file, such as tag=0.5,variant=0.5; may be given several times
    #[arg(long, value_name = "NAME=NUMBER,…")]
    pub weights: Vec<Variation>,
    /// Writes the results, case by case, to a file that `eval compare` reads
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The cases that thresholds are put to and that are shown one by one
    #[arg(long, value_enum, default_value = "all")]
    pub split: SplitArg,
    /// Which cases are shown one by one
    #[arg(long, value_enum, default_value = "failed")]
    pub cases: CasesArg,
    /// Least share of cases of which every `must` note is found
    #[arg(long, value_name = "0..1", value_parser = share)]
    pub min_hit_rate: Option<f64>,
    /// Least share of cases with expected actions in which one of them comes
    #[arg(long, value_name = "0..1", value_parser = share)]
    pub min_action_hit: Option<f64>,
    /// Least mean of any metric, such as mrr=0.8 or recall@5=0.9; may be given several times
    #[arg(long = "min", value_name = "METRIC=0..1", value_parser = threshold)]
    pub min: Vec<Threshold>,
    /// Folder that keeps the vectors of texts from one run to the next
    #[arg(long, value_name = "FOLDER")]
    pub embedding_cache: Option<PathBuf>,
}

/// What `eval compare` takes.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The results to measure by
    #[arg(value_name = "A")]
    pub first: PathBuf,
    /// The results to be measured
    #[arg(value_name = "B")]
    pub second: PathBuf,
    /// Exits with 1 where more cases than this are broken
    #[arg(long, value_name = "N")]
    pub max_broken: Option<usize>,
}

/// What `eval recall` takes.
#[derive(Debug, Args)]
pub struct RecallArgs {
    /// Messages or passages, one JSON object a line: id, text, speaker, time, session, conv; user and reply; title
    #[arg(long, value_name = "M.jsonl")]
    pub messages: PathBuf,
    /// Questions, one JSON object a line: id, text, gold (ids of messages), category, conv
    #[arg(long, value_name = "Q.jsonl")]
    pub queries: PathBuf,
    /// Writes what came up, a line for each question: id, ranked, scores
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Writes what every channel said of what came up, a line for each question, for tuning weights
    #[arg(long, value_name = "FILE")]
    pub channels: Option<PathBuf>,
    /// What channels are worth, as in the configuration: such as `turn.words=1,known.entity_walk=3`
    #[arg(long, value_name = "KIND.CHANNEL=NUMBER,…")]
    pub weights: Option<String>,
    /// Asks for what was said as it was said. Without this, notes are made of it first, by rules and without a language model
    #[arg(long)]
    pub unconsolidated: bool,
    /// A category that does not count in the total; may be given several times
    #[arg(long, value_name = "CATEGORY")]
    pub apart: Vec<String>,
    /// Characters that are asked at once (default: one for each processor)
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
}

/// [`Split`], as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SplitArg {
    /// All cases
    All,
    /// Those that were looked at while weights were tuned
    Tuned,
    /// Those that were kept aside
    Holdout,
}

impl From<SplitArg> for Split {
    fn from(split: SplitArg) -> Self {
        match split {
            SplitArg::All => Self::All,
            SplitArg::Tuned => Self::Tuned,
            SplitArg::Holdout => Self::Holdout,
        }
    }
}

/// Which cases are shown one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CasesArg {
    /// None
    None,
    /// Those that failed
    Failed,
    /// All, with what they brought up
    All,
}

impl RunArgs {
    /// All thresholds, however they were given.
    pub fn thresholds(&self) -> Vec<Threshold> {
        let named = [
            (Metric::MustHit, self.min_hit_rate),
            (Metric::ActionHit, self.min_action_hit),
        ];
        let named = named.into_iter().filter_map(|(metric, least)| {
            Some(Threshold {
                metric,
                least: least?,
            })
        });
        named.chain(self.min.iter().copied()).collect()
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("give a number from 0 to 1".to_owned()),
    }
}

fn threshold(text: &str) -> Result<Threshold, String> {
    let (metric, least) = text
        .split_once('=')
        .ok_or_else(|| "write it as METRIC=0..1".to_owned())?;
    Ok(Threshold {
        metric: metric.parse().map_err(|error| format!("{error}"))?,
        least: share(least)?,
    })
}
