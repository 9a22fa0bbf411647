//! Two runs beside each other, for people.

use std::fmt;

use crate::cli::table::{Table, escape};
use crate::eval::metrics::Metric;
use crate::eval::report::compare::{CaseChange, Change, Comparison};
use crate::eval::report::summary::Summary;

/// The report of a comparison.
pub struct Report<'a>(pub &'a Comparison);

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let compared = self.0;
        for (change, name) in [
            (Change::Fixed, "fixed"),
            (Change::Broken, "BROKEN"),
            (Change::Unchanged, "moved"),
        ] {
            let cases = compared.cases.iter().filter(|case| case.change == change);
            for case in cases.filter(|case| change != Change::Unchanged || !case.deltas.is_empty())
            {
                line(f, name, case)?;
            }
        }
        for (run, cases) in [("A", &compared.only_first), ("B", &compared.only_second)] {
            for case in cases {
                writeln!(f, "only in {run}  {}", escape(case))?;
            }
        }
        writeln!(
            f,
            "{} fixed, {} broken, {} unchanged",
            compared.count(Change::Fixed),
            compared.count(Change::Broken),
            compared.count(Change::Unchanged)
        )?;
        write!(f, "\n{}", means(compared))
    }
}

fn line(f: &mut fmt::Formatter<'_>, change: &str, case: &CaseChange) -> fmt::Result {
    let name = escape(&format!("{}/{}", case.set, case.name));
    write!(f, "{change}  {name}  [{}]", case.half.as_str())?;
    for (metric, delta) in &case.deltas {
        write!(f, "  {metric} {delta:+.3}")?;
    }
    writeln!(f)
}

/// The means over the common cases, before, after and by how much, for both halves.
fn means(compared: &Comparison) -> Table<7> {
    let mut table = Table::new(["metric", "tuned A", "B", "B-A", "holdout A", "B", "B-A"]);
    for metric in compared.first.all.means.keys() {
        let (first, second) = (&compared.first, &compared.second);
        let tuned = cells(&first.tuned, &second.tuned, *metric);
        let held = cells(&first.holdout, &second.holdout, *metric);
        table.row([
            &metric.to_string(),
            &tuned[0],
            &tuned[1],
            &tuned[2],
            &held[0],
            &held[1],
            &held[2],
        ]);
    }
    table
}

fn cells(first: &Summary, second: &Summary, metric: Metric) -> [String; 3] {
    let (before, after) = (first.mean(metric), second.mean(metric));
    let shown =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    let delta = before.zip(after).map(|(before, after)| after - before);
    [
        shown(before),
        shown(after),
        delta.map_or_else(|| "-".to_owned(), |delta| format!("{delta:+.3}")),
    ]
}
