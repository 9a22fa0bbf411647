//! Whether a line speaks of what was or of what will be.

use super::calendar::Stretch;
use super::partial::Readings;
use super::token::Tokens;
use jiff::civil::DateTime;

/// Which way a line leans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lean {
    Past,
    Future,
    Neither,
}

#[rustfmt::skip]
const PAST: [&str; 44] = [
    "was", "were", "did", "didn't", "had", "went", "saw", "came", "took", "bought", "met", "ate", "told", "said",
    "got", "gave", "made", "left", "wrote", "found", "felt", "ago", "happened", "used", "been", "wasn't", "weren't",
    "knew", "lost", "won", "spent", "sold", "drove", "flew", "broke", "began", "started", "moved", "visited",
    "remember", "since", "last", "talked", "mentioned",
];
#[rustfmt::skip]
const FUTURE: [&str; 17] = [
    "will", "i'll", "you'll", "he'll", "she'll", "we'll", "they'll", "won't", "going", "gonna", "plan",
    "plans", "planning", "tomorrow", "upcoming", "next", "shall",
];
const CHINESE_PAST: [&str; 10] = [
    "了", "过", "曾经", "记得", "当时", "上次", "那次", "刚", "去年", "昨",
];
const CHINESE_FUTURE: [&str; 13] = [
    "要", "将", "打算", "准备", "计划", "会去", "会来", "想去", "明天", "下次", "下周", "明年",
    "约好",
];

impl Lean {
    /// Counts the signs of either.
    pub(super) fn of(tokens: &Tokens<'_>) -> Self {
        let (mut past, mut future) = (0, 0);
        for at in 0..tokens.len() {
            if let Some(word) = tokens.word(at) {
                past +=
                    usize::from(PAST.contains(&word) || (word.len() > 4 && word.ends_with("ed")));
                future += usize::from(FUTURE.contains(&word));
            } else if tokens.han(at).is_some() {
                let any = |phrases: &[&str]| {
                    phrases
                        .iter()
                        .any(|phrase| tokens.phrase(at, phrase).is_some())
                };
                past += usize::from(any(&CHINESE_PAST));
                future += usize::from(any(&CHINESE_FUTURE));
            }
        }
        match past.cmp(&future) {
            std::cmp::Ordering::Greater => Self::Past,
            std::cmp::Ordering::Less => Self::Future,
            std::cmp::Ordering::Equal => Self::Neither,
        }
    }

    /// Which of the times of something that comes again and again is meant: the last one past, the one under way, the
    /// next. A memory is asked what was more often than what will be.
    pub(super) fn choose(self, times: &[Stretch], now: DateTime) -> Readings {
        let past = times.iter().rfind(|time| time.end <= now);
        let current = times.iter().find(|time| time.holds(now));
        let future = times.iter().find(|time| time.start > now);
        let (before, during, after) = match (self, current.is_some()) {
            (Self::Past, false) => (0.8, 0.0, 0.2),
            (Self::Future, false) => (0.2, 0.0, 0.8),
            (Self::Neither, false) => (0.6, 0.0, 0.4),
            (Self::Past, true) => (0.4, 0.5, 0.1),
            (Self::Future, true) => (0.1, 0.5, 0.4),
            (Self::Neither, true) => (0.25, 0.6, 0.15),
        };
        let chosen = [(past, before), (current, during), (future, after)];
        chosen
            .into_iter()
            .filter_map(|(time, confidence)| Some((*time?, confidence)))
            .collect()
    }
}
