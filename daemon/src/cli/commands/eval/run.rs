//! `soulmem eval run`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::thread::available_parallelism;

use serde::Serialize;
use soulmem_embed::LexicalModel;

use super::args::RunArgs;
use super::progress::Bar;
use super::{failure, passed, report};
use crate::cli::args::GlobalArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::eval::data::discover::{Depth, Found, Kind, discover};
use crate::eval::embedding::CachedModel;
use crate::eval::report::results::Results;
use crate::eval::report::threshold::{Missed, missed};
use crate::eval::run::Run;
use crate::eval::{EvalError, Suite};

/// The results as programs get them: what `--out` writes, and the thresholds that are not reached.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    results: &'a Results,
    missed: &'a [Missed],
}

/// Runs a suite, prints what came of it, and says by the exit code whether the thresholds are reached.
pub fn run(args: &RunArgs, global: &GlobalArgs) -> Result<ExitCode, Failure> {
    let found = find(args).map_err(|error| failure(&error))?;
    let results = results(args, &found).map_err(|error| failure(&error))?;
    if let Some(file) = &args.out {
        write(file, &results)?;
    }
    let split = args.split.into();
    let missed = missed(&results.groups, split, &args.thresholds());
    if global.json {
        output::json(&Printed {
            results: &results,
            missed: &missed,
        })?;
    } else {
        let report = report::Report {
            results: &results,
            others: &found.others,
            split,
            cases: args.cases,
            missed: &missed,
        };
        output::text(&report)?;
    }
    Ok(passed(missed.is_empty()))
}

fn find(args: &RunArgs) -> Result<Found, EvalError> {
    let kind = match args.suite {
        Suite::Forget => Kind::Forgetting,
        Suite::RetrieveEmbedding | Suite::RetrieveAssociation | Suite::RetrieveFull => {
            Kind::Queries
        }
    };
    let depth = if args.batch {
        Depth::Below
    } else {
        Depth::Folder
    };
    discover(&args.path, kind, depth)
}

fn results(args: &RunArgs, found: &Found) -> Result<Results, EvalError> {
    let model = LexicalModel::new();
    let cached = match &args.embedding_cache {
        Some(folder) => CachedModel::open(&model, folder)?,
        None => CachedModel::new(&model),
    };
    let processors = || available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let bar = Bar::new();
    let run = Run {
        suite: args.suite,
        files: &found.files,
        weights: (!args.weights.is_empty()).then_some(&args.weights),
        workers: args.workers.unwrap_or_else(processors),
        model: &cached,
    };
    let results = run.results(&|progress| bar.on(progress))?;
    if let Some(folder) = &args.embedding_cache {
        cached.save(folder)?;
    }
    Ok(results)
}

fn write(file: &Path, results: &Results) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        failure(&EvalError::Write {
            file: file.to_owned(),
            error,
        })
    };
    let mut writer = BufWriter::new(File::create(file).map_err(failed)?);
    serde_json::to_writer_pretty(&mut writer, results).map_err(|error| failed(error.into()))?;
    writer
        .write_all(b"\n")
        .and_then(|()| writer.flush())
        .map_err(failed)
}
