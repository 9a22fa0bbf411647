//! What a `retrieve` asks for, checked and in the engine's terms.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use soulmem_engine::index::Interval;
use soulmem_engine::recall::context::DEFAULT_MAX_TOKENS;
use soulmem_engine::recall::plain::channel::FusionWeights;
use soulmem_engine::recall::query::SubQuery;
use soulmem_engine::recall::{Options, Question, Utterances};
use soulmem_proto::ops::retrieve::RetrieveRequest;
use soulmem_proto::ops::retrieve_options::{RetrieveOptions, TimeOption};

use super::given::{walk, weights};
use super::helped::Helped;
use crate::soul::error::{Result, SoulError};
use crate::soul::limits::{MAX_TEXT_BYTES, within_bytes};
use crate::soul::mind::{Admission, Archived, FadedWords};

/// Most notes in one answer.
const MAX_LIMIT: u32 = 1_000;
/// Most tokens of a rendered context.
const MAX_TOKENS: u32 = 1_000_000;
/// With a time that only weighs, so many times the notes compete: one from outside must not keep out one from inside.
const WEIGHED_WIDTH: usize = 3;

/// A checked question.
#[derive(Debug)]
pub struct Asked {
    /// What is asked.
    pub question: Question,
    /// How to go about it.
    pub options: Options,
    /// Most notes in the answer; `options` may ask the engine for more.
    pub limit: usize,
    /// What may come up.
    pub admission: Admission,
    /// The time that the question is about, where what lies outside of it is only ranked lower.
    pub around: Option<Interval>,
    /// Most tokens of the rendered context, where one is asked for.
    pub context: Option<usize>,
    /// Whether to tell how each hit was found.
    pub explain: Explain,
    /// Whether the answer counts as remembering.
    pub record: Record,
    /// Whether the answer waits until what is blurred was told anew.
    pub wait_revision: WaitRevision,
    /// What came of asking a language model for sub-queries.
    pub helped: Helped,
}

/// Whether an answer waits until what is blurred was told anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitRevision {
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// Whether to tell how each hit was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Explain {
    /// Tell.
    Yes,
    /// Do not.
    No,
}

/// Whether an answer counts as remembering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// It does.
    Yes,
    /// It does not.
    No,
}

impl Asked {
    /// Checks a request. `now` is the daemon's clock, `floor` the model's.
    pub fn new(
        request: RetrieveRequest<SubQuery>,
        now: Timestamp,
        floor: f64,
        fusion: &FusionWeights,
    ) -> Result<Self> {
        let RetrieveRequest {
            queries,
            text,
            options,
        } = request;
        if let Some(text) = &text {
            within_bytes(text, MAX_TEXT_BYTES, || "text".to_owned())?;
        }
        let limit = number("limit", options.limit, 1..=MAX_LIMIT, 10)?;
        let (within, around) = times(options.time.as_ref())?;
        let admission = Admission {
            now: options.now.unwrap_or(now),
            as_of: options.as_of,
            archived: if options.include_archived == Some(true) {
                Archived::Included
            } else {
                Archived::LeftOut
            },
            within,
            faded_words: if options.verbatim == Some(true) {
                FadedWords::Included
            } else {
                FadedWords::LeftOut
            },
        };
        let tokens = number(
            "max_tokens",
            options.max_tokens,
            1..=MAX_TOKENS,
            DEFAULT_MAX_TOKENS as u32,
        )?;
        Ok(Self {
            question: Question {
                queries,
                text,
                said: options.now.unwrap_or(now).to_zoned_datetime(TimeZone::UTC),
            },
            options: Options {
                fusion: *fusion,
                ..engine_options(&options, limit, around, floor)?
            },
            limit,
            admission,
            around,
            context: (options.context == Some(true)).then_some(tokens),
            explain: if options.explain == Some(true) {
                Explain::Yes
            } else {
                Explain::No
            },
            record: if options.record == Some(false) {
                Record::No
            } else {
                Record::Yes
            },
            wait_revision: if options.wait_revision == Some(true) {
                WaitRevision::Yes
            } else {
                WaitRevision::No
            },
            helped: Helped::Alone,
        })
    }
}

fn engine_options(
    options: &RetrieveOptions,
    limit: usize,
    around: Option<Interval>,
    floor: f64,
) -> Result<Options> {
    let width = if around.is_some() { WEIGHED_WIDTH } else { 1 };
    let usual = Options::with_floor(floor);
    let floor = options.floor.unwrap_or(floor);
    if !(0.0..=1.0).contains(&floor) {
        return Err(SoulError::invalid(
            "options.floor",
            format!("is {floor}, must be from 0 to 1"),
        ));
    }
    Ok(Options {
        limit: limit * width,
        seed_k: number("seed_k", options.seed_k, 1..=MAX_LIMIT, usual.seed_k as u32)?,
        floor,
        utterances: match options.utterances {
            Some(false) => Utterances::LeftOut,
            _ => Utterances::Searched,
        },
        fusion: usual.fusion,
        weights: options.weights.as_ref().map_or(usual.weights, weights),
        walk: options.walk.as_ref().map_or(Ok(usual.walk), walk)?,
        action_top_k: number(
            "action_top_k",
            options.action_top_k,
            0..=MAX_LIMIT,
            usual.action_top_k as u32,
        )?,
    })
}

fn number(
    name: &str,
    given: Option<u32>,
    range: std::ops::RangeInclusive<u32>,
    usual: u32,
) -> Result<usize> {
    let number = given.unwrap_or(usual);
    if range.contains(&number) {
        return Ok(number as usize);
    }
    let reason = format!(
        "is {number}, must be from {} to {}",
        range.start(),
        range.end()
    );
    Err(SoulError::invalid(format!("options.{name}"), reason))
}

/// The time that must be met, and the one that only weighs.
fn times(time: Option<&TimeOption>) -> Result<(Option<Interval>, Option<Interval>)> {
    let Some(time) = time else {
        return Ok((None, None));
    };
    let from = time.from.unwrap_or(Timestamp::MIN);
    let to = time.to.unwrap_or(Timestamp::MAX);
    if to < from {
        return Err(SoulError::invalid(
            "options.time.to",
            format!("{to} is before from, {from}"),
        ));
    }
    // The end is exclusive; times are kept to the microsecond.
    let last = to
        .checked_sub(jiff::SignedDuration::from_micros(1))
        .unwrap_or(to)
        .max(from);
    let interval = Interval::new(from, last);
    Ok(if time.hard {
        (Some(interval), None)
    } else {
        (None, Some(interval))
    })
}

#[cfg(test)]
mod tests {
    use soulmem_engine::recall::weights::BlendWeights;
    use soulmem_proto::ops::retrieve_options::BlendWeights as WireWeights;

    use super::*;

    fn asked(options: RetrieveOptions) -> Result<Asked> {
        let request = RetrieveRequest {
            queries: vec![],
            text: Some("x".to_owned()),
            options,
        };
        let now = "2026-05-01T00:00:00Z".parse().unwrap();
        Asked::new(request, now, 0.3, &FusionWeights::default())
    }

    fn field(options: RetrieveOptions) -> String {
        match asked(options).unwrap_err() {
            SoulError::Invalid { field, .. } => field,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_protocol() {
        let asked = asked(RetrieveOptions::default()).unwrap();
        assert_eq!(
            (asked.limit, asked.options.limit, asked.options.seed_k),
            (10, 10, 4)
        );
        assert!((asked.options.floor - 0.3).abs() < f64::EPSILON);
        assert_eq!(asked.options.action_top_k, 3);
        assert_eq!(
            (asked.context, asked.explain, asked.record),
            (None, Explain::No, Record::Yes)
        );
        assert_eq!(asked.admission.now, "2026-05-01T00:00:00Z".parse().unwrap());
    }

    #[test]
    fn an_option_out_of_range_is_named() {
        let some = RetrieveOptions::default;
        assert_eq!(
            field(RetrieveOptions {
                limit: Some(0),
                ..some()
            }),
            "options.limit"
        );
        assert_eq!(
            field(RetrieveOptions {
                limit: Some(1_001),
                ..some()
            }),
            "options.limit"
        );
        assert_eq!(
            field(RetrieveOptions {
                seed_k: Some(0),
                ..some()
            }),
            "options.seed_k"
        );
        assert_eq!(
            field(RetrieveOptions {
                floor: Some(1.5),
                ..some()
            }),
            "options.floor"
        );
        assert_eq!(
            field(RetrieveOptions {
                max_tokens: Some(0),
                ..some()
            }),
            "options.max_tokens"
        );
        let backwards = TimeOption {
            from: "2026-02-01T00:00:00Z".parse().ok(),
            to: "2026-01-01T00:00:00Z".parse().ok(),
            hard: true,
        };
        assert_eq!(
            field(RetrieveOptions {
                time: Some(backwards),
                ..some()
            }),
            "options.time.to"
        );
    }

    #[test]
    fn the_end_of_a_time_is_not_part_of_it() {
        let end: Timestamp = "2026-02-01T00:00:00Z".parse().unwrap();
        let time = TimeOption {
            from: None,
            to: Some(end),
            hard: true,
        };
        let within = asked(RetrieveOptions {
            time: Some(time),
            ..RetrieveOptions::default()
        });
        let within = within.unwrap().admission.within.unwrap();
        assert!(!within.overlaps(Interval::instant(end)));
        assert!(within.overlaps(Interval::instant(
            "2026-01-31T23:59:59.999999Z".parse().unwrap()
        )));
    }

    #[test]
    fn one_weight_changes_and_the_others_stay() {
        let tag = WireWeights {
            tag: Some(0.9),
            ..WireWeights::default()
        };
        let asked = asked(RetrieveOptions {
            weights: Some(tag),
            ..RetrieveOptions::default()
        })
        .unwrap();
        assert_eq!(
            asked.options.weights,
            BlendWeights {
                tag: 0.9,
                ..BlendWeights::default()
            }
        );
    }
}
