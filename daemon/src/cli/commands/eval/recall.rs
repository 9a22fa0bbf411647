//! `soulmem eval recall`.

use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::thread::available_parallelism;

use serde::Serialize;
use soulmem_engine::recall::plain::channel::FusionWeights;
use soulmem_engine::recall::query::QueryError;

use super::args::RecallArgs;
use super::failure;
use super::progress::Bar;
use crate::cli::args::GlobalArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::table::Table;
use crate::eval::EvalError;
use crate::eval::recall::metrics::{Means, Measured};
use crate::eval::recall::{Depth, Evaluation, Thought};
use crate::eval::run::Progress;

/// Fills memories, asks them, and prints how well they answered.
pub fn run(args: &RecallArgs, global: &GlobalArgs) -> Result<ExitCode, Failure> {
    let bar = Bar::new();
    let workers = args
        .workers
        .unwrap_or_else(|| available_parallelism().unwrap_or(NonZeroUsize::MIN));
    let weights: FusionWeights = args
        .weights
        .as_deref()
        .unwrap_or_default()
        .parse()
        .map_err(|error: QueryError| Failure::data(error.to_string()))?;
    let evaluation = Evaluation {
        messages: &args.messages,
        queries: &args.queries,
        weights,
        depth: match args.channels {
            Some(_) => Depth::Candidates,
            None => Depth::Hits,
        },
        thought: if args.unconsolidated {
            Thought::NotOver
        } else {
            Thought::Over
        },
        workers,
    };
    let evaluated = evaluation
        .run(
            |queries| bar.on(Progress::Ready(queries)),
            || bar.on(Progress::CaseDone),
        )
        .map_err(|error| failure(&error))?;
    drop(bar);
    if let Some(file) = &args.out {
        write_lines(file, evaluated.hits())?;
    }
    if let Some(file) = &args.channels {
        write_lines(file, evaluated.channels(&weights))?;
    }
    let measured = evaluated.measured(&args.apart);
    if global.json {
        output::json(&measured)?;
    } else {
        output::text(&Printed(&measured))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_lines<T: Serialize>(file: &Path, lines: impl Iterator<Item = T>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        failure(&EvalError::Write {
            file: file.to_owned(),
            error,
        })
    };
    let mut writer = BufWriter::new(File::create(file).map_err(failed)?);
    for line in lines {
        serde_json::to_writer(&mut writer, &line).map_err(|error| failed(error.into()))?;
        writer.write_all(b"\n").map_err(failed)?;
    }
    writer.flush().map_err(failed)
}

struct Printed<'a>(&'a Measured);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new([
            "category", "queries", "R@1", "R@5", "R@10", "MRR", "nDCG@10", "A@10",
        ]);
        let mut row = |name: &str, means: &Means| {
            let percent = |share: f64| format!("{:.1}", share * 100.0);
            let cells = [
                name.to_owned(),
                means.queries.to_string(),
                percent(means.recall_at_1),
                percent(means.recall_at_5),
                percent(means.recall_at_10),
                percent(means.mrr),
                percent(means.ndcg_at_10),
                percent(means.all_at_10),
            ];
            table.row(cells.each_ref().map(String::as_str));
        };
        for (name, means) in &self.0.categories {
            row(name, means);
        }
        row("total", &self.0.total);
        write!(f, "{table}")
    }
}
