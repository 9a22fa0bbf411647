//! One scale: standard deviations over the candidates of a question.

use super::Row;
use crate::recall::plain::channel::{Channel, Group};

/// Counts the channels of the texts themselves that have no unit in standard deviations over these rows, and of several
/// questions takes the one that a text answers best.
pub(super) fn standardise_texts(rows: &mut [Row]) {
    for row in &mut *rows {
        row.channels.set(Channel::Length, row.length);
    }
    standardise(rows, Channel::Length);
    let parts = rows.first().map_or(0, |row| row.parts.len());
    for (at, channel) in [Channel::Words, Channel::Clause, Channel::Vector]
        .into_iter()
        .enumerate()
    {
        let mut best = vec![f64::NEG_INFINITY; rows.len()];
        for part in 0..parts {
            for row in &mut *rows {
                row.channels.set(channel, row.parts[part][at]);
            }
            standardise(rows, channel);
            for (best, row) in best.iter_mut().zip(&*rows) {
                *best = best.max(row.channels.get(channel));
            }
        }
        for (row, best) in rows.iter_mut().zip(best) {
            row.channels.set(channel, best);
        }
    }
}

/// Counts a channel in standard deviations from its mean, over each group of candidates.
pub(in crate::recall::plain) fn standardise(rows: &mut [Row], channel: Channel) {
    for group in Group::ALL {
        let of_kind = |row: &&Row| row.kind.group() == group;
        let values = || {
            rows.iter()
                .filter(of_kind)
                .map(|row| row.channels.get(channel))
        };
        let count = values().count().max(1) as f64;
        let mean = values().sum::<f64>() / count;
        let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let deviation = variance.sqrt();
        for row in rows.iter_mut().filter(|row| row.kind.group() == group) {
            let value = row.channels.get(channel) - mean;
            let value = if deviation > 1e-9 {
                value / deviation
            } else {
                0.0
            };
            row.channels.set(channel, value);
        }
    }
}
