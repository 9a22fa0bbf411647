//! What a run found, for people. Both halves always stand beside each other.

pub mod comparison;

use std::fmt;
use std::path::PathBuf;

use super::args::CasesArg;
use crate::cli::table::{Table, escape};
use crate::eval::metrics::{Metric, Verdict};
use crate::eval::report::results::{CaseResult, Group, Results};
use crate::eval::report::summary::{Halves, Split, Summary};
use crate::eval::report::threshold::Missed;

/// The report of a run.
pub struct Report<'a> {
    pub results: &'a Results,
    /// JSON files that were passed over.
    pub others: &'a [PathBuf],
    pub split: Split,
    pub cases: CasesArg,
    pub missed: &'a [Missed],
}

/// What is shown of every file and of every set of weights.
const HEADLINES: [Metric; 3] = [Metric::MustHit, Metric::ActionHit, Metric::ReciprocalRank];

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let results = self.results;
        writeln!(f, "{} with {}", results.suite, escape(&results.model))?;
        for file in self.others {
            let name = escape(&file.display().to_string());
            writeln!(f, "passed over, no cases of this suite: {name}")?;
        }
        if self.cases != CasesArg::None {
            self.cases(f)?;
        }
        if results.files.len() > 1 {
            write!(f, "\n{}", files(results))?;
        }
        match results.groups.as_slice() {
            [group] => write!(f, "\n{}\n{}", escape(&group.weights), means(group))?,
            groups => write!(f, "\n{}", sweep(groups))?,
        }
        self.missed(f)
    }
}

impl Report<'_> {
    fn cases(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (file, variation, case) in self.results.cases() {
            let shown = self.cases == CasesArg::All || case.verdict == Verdict::Failed;
            if !shown || !self.split.has(case.half) {
                continue;
            }
            let verdict = match case.verdict {
                Verdict::Passed => "passed",
                Verdict::Failed => "FAILED",
                Verdict::Negative => "negative",
            };
            let weights = match self.results.groups.len() {
                1 => String::new(),
                _ => format!("  ({})", variation.weights),
            };
            let name = escape(&format!("{}/{}{weights}", file.name, case.name));
            writeln!(f, "\n{verdict}  {name}  [{}]", case.half.as_str())?;
            answer(f, case)?;
        }
        Ok(())
    }

    fn missed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for missed in self.missed {
            let reached = missed.reached.map_or_else(
                || "no case measured".to_owned(),
                |reached| format!("{reached:.3}"),
            );
            writeln!(
                f,
                "NOT REACHED: {} of {} cases is {reached}, at least {:.3} is asked for ({})",
                missed.metric,
                self.split.as_str(),
                missed.least,
                escape(&missed.weights)
            )?;
        }
        Ok(())
    }
}

/// What is missing, then what came up.
fn answer(f: &mut fmt::Formatter<'_>, case: &CaseResult) -> fmt::Result {
    for id in &case.missed {
        writeln!(f, "  missing  {}", escape(id))?;
    }
    for id in &case.missed_actions {
        writeln!(f, "  missing action  {}", escape(id))?;
    }
    let mut table = Table::new(["", "", "score", "by", "note"]);
    for (place, note) in (1..).zip(&case.answer.notes) {
        let place = format!("{place:>2}");
        let score = format!("{:.3}", note.score);
        table.row(["", &place, &score, note.stage.as_str(), &note.id]);
    }
    for action in &case.answer.actions {
        let score = format!("{:.3}", action.score);
        table.row(["", "", &score, "action", &action.id]);
    }
    write!(f, "{table}")
}

/// Every metric, the halves beside each other.
fn means(group: &Group) -> Table<4> {
    let mut table = Table::new(["metric", "tuned", "holdout", "all"]);
    let halves = &group.summary;
    let count = |summary: &Summary| summary.cases.to_string();
    table.row([
        "cases",
        &count(&halves.tuned),
        &count(&halves.holdout),
        &count(&halves.all),
    ]);
    let failed = |summary: &Summary| summary.failed.to_string();
    table.row([
        "failed",
        &failed(&halves.tuned),
        &failed(&halves.holdout),
        &failed(&halves.all),
    ]);
    for metric in halves.all.means.keys() {
        table.row([
            &metric.to_string(),
            &mean(&halves.tuned, *metric),
            &mean(&halves.holdout, *metric),
            &mean(&halves.all, *metric),
        ]);
    }
    table
}

fn files(results: &Results) -> Table<8> {
    let mut table = headline_table("file");
    for file in &results.files {
        for variation in &file.variations {
            let name = match file.variations.len() {
                1 => file.name.clone(),
                _ => format!("{} {}", file.name, variation.weights),
            };
            headline_row(&mut table, &name, &variation.summary);
        }
    }
    table
}

fn sweep(groups: &[Group]) -> Table<8> {
    let mut table = headline_table("weights");
    for group in groups {
        headline_row(&mut table, &group.weights, &group.summary);
    }
    table
}

fn headline_table(first: &'static str) -> Table<8> {
    Table::new([
        first,
        "cases",
        "must_hit tuned",
        "holdout",
        "action_hit tuned",
        "holdout",
        "mrr tuned",
        "holdout",
    ])
}

fn headline_row(table: &mut Table<8>, name: &str, halves: &Halves) {
    let [hit, action, rank] =
        HEADLINES.map(|metric| (mean(&halves.tuned, metric), mean(&halves.holdout, metric)));
    let cases = halves.all.cases.to_string();
    table.row([
        name, &cases, &hit.0, &hit.1, &action.0, &action.1, &rank.0, &rank.1,
    ]);
}

/// The mean and the number of cases it is over.
fn mean(summary: &Summary, metric: Metric) -> String {
    summary.means.get(&metric).map_or_else(
        || "-".to_owned(),
        |mean| format!("{:.3} ({})", mean.value, mean.cases),
    )
}

#[cfg(test)]
mod tests;
