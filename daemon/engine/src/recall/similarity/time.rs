//! Time: soft, a scale on what the other fields say.

use jiff::Timestamp;

use super::blend::best;
use crate::model::TimeSpan;
use crate::recall::query::IntervalQuery;

/// The share of a score that a situation far from every time asked for keeps.
const OUT_OF_TIME: f64 = 0.8;

/// Half of the match in time is gone after this many days outside the interval.
const TIME_HALF_DAYS: f64 = 7.0;

/// Time is soft: it scales what the other fields say, and speaks alone only where they are silent.
pub(super) fn with_time(fields: Option<f64>, time: Option<f64>) -> Option<f64> {
    match (fields, time) {
        (Some(score), Some(time)) => Some(score * (OUT_OF_TIME + (1.0 - OUT_OF_TIME) * time)),
        (fields, time) => fields.or(time),
    }
}

/// 1 inside one of the intervals, falling by half with each week outside; `None` where no time is asked for.
pub(super) fn time_match(asked: &[IntervalQuery], own: TimeSpan) -> Option<f64> {
    asked
        .iter()
        .filter(|span| span.start.is_some() || span.end.is_some())
        .map(|span| {
            let before = span
                .start
                .map_or(0.0, |start| days_between(own.end(), start));
            let after = span.end.map_or(0.0, |end| days_between(end, own.start()));
            Some((-before.max(after) / TIME_HALF_DAYS).exp2())
        })
        .fold(None, best)
}

/// Days from `earlier` to `later`, 0 where they are the other way round.
fn days_between(earlier: Timestamp, later: Timestamp) -> f64 {
    (later.duration_since(earlier).as_secs_f64() / 86_400.0).max(0.0)
}
