//! The options of `retrieve`: checked, with their defaults, and what they mean for a note or a message.

use jiff::Timestamp;
use soulmem_engine::graph::{Preference, WalkError};
use soulmem_engine::index::DocKey;
use soulmem_engine::model::{MessageId, NoteId};
use soulmem_engine::recall::weights::BlendWeights;
use soulmem_engine::recall::{Options, RecallError, Recalled, Utterances, told_time};
use soulmem_proto::ops::retrieve_options::{
    BlendWeights as WireWeights, RetrieveOptions, TimeOption, WalkOptions, WalkPreference,
};

use super::error::{Result, SoulError};
use super::memory::Searched;
use crate::store::Message;

/// Most results that may be asked for.
const MAX_LIMIT: u32 = 1_000;

/// Most notes that a walk may start from.
const MAX_SEEDS: u32 = 64;

/// Tokens of the rendered context, where nothing else is asked for.
const CONTEXT_TOKENS: u32 = 1_200;

/// Most tokens that a context may be asked to have.
const MAX_CONTEXT_TOKENS: u32 = 100_000;

/// The share of its score that something far from the time asked for keeps.
const OUT_OF_TIME: f64 = 0.8;

/// Half of the match in time is gone after this many days outside the span.
const TIME_HALF_DAYS: f64 = 7.0;

/// How one recall is done.
pub struct Settings {
    /// What the engine is told.
    pub recall: Options,
    /// The time that the question is asked at.
    pub now: Timestamp,
    /// Whether what comes up counts as recalled.
    pub record: bool,
    /// Whether to tell why.
    pub explain: bool,
    /// The tokens of the rendered context, where one is wanted.
    pub context: Option<usize>,
    as_of: Option<Timestamp>,
    time: Option<TimeOption>,
    archived_too: bool,
}

impl Settings {
    /// Checks the options. `floor` is the model's.
    pub fn new(options: RetrieveOptions, now: Timestamp, floor: f64) -> Result<Self> {
        let mut recall =
            Options::with_floor(within("floor", options.floor.unwrap_or(floor), 0.0, 1.0)?);
        recall.limit = count("limit", options.limit, recall.limit, 1, MAX_LIMIT)?;
        recall.seed_k = count("seed_k", options.seed_k, recall.seed_k, 1, MAX_SEEDS)?;
        recall.action_top_k = count(
            "action_top_k",
            options.action_top_k,
            recall.action_top_k,
            0,
            MAX_LIMIT,
        )?;
        if options.utterances == Some(false) {
            recall.utterances = Utterances::LeftOut;
        }
        weigh(&mut recall.weights, &options.weights.unwrap_or_default());
        recall.weights.check().map_err(|error| {
            SoulError::invalid(format!("options.{}", error.field), error.reason)
        })?;
        set_walk(&mut recall, &options.walk.unwrap_or_default());
        let tokens = count(
            "max_tokens",
            options.max_tokens,
            CONTEXT_TOKENS as usize,
            1,
            MAX_CONTEXT_TOKENS,
        )?;
        Ok(Self {
            recall,
            now: options.now.unwrap_or(now),
            record: options.record.unwrap_or(true),
            explain: options.explain.unwrap_or(false),
            context: options.context.unwrap_or(false).then_some(tokens),
            as_of: options.as_of,
            time: options.time.map(checked_time).transpose()?,
            archived_too: options.include_archived.unwrap_or(false),
        })
    }

    /// Whether something may come up.
    pub fn admits(&self, searched: &Searched, key: DocKey) -> bool {
        match (key.note(), key.message()) {
            (Some(note), _) => self.admits_note(searched, note),
            (_, Some(message)) => self.admits_message(searched, message),
            (None, None) => false,
        }
    }

    fn admits_note(&self, searched: &Searched, id: NoteId) -> bool {
        let Some(note) = searched.note(id) else {
            return false;
        };
        let held = match self.as_of {
            Some(at) => {
                note.created_at <= at
                    && note.valid_from <= at
                    && note.valid_until.is_none_or(|until| at < until)
            }
            None => note.valid_until.is_none_or(|until| self.now < until),
        };
        // What has no time of its own lies in no span and outside of none.
        let in_time = note
            .span
            .is_none_or(|span| self.in_time(span.start(), span.end()));
        held && in_time && (self.archived_too || !note.archived)
    }

    fn admits_message(&self, searched: &Searched, id: MessageId) -> bool {
        let Some(at) = searched.message(id) else {
            return false;
        };
        self.as_of.is_none_or(|as_of| at <= as_of) && self.in_time(at, at)
    }

    fn in_time(&self, start: Timestamp, end: Timestamp) -> bool {
        let Some(time) = self.time.as_ref().filter(|time| time.hard) else {
            return true;
        };
        time.from.is_none_or(|from| end >= from) && time.to.is_none_or(|to| start < to)
    }

    /// Where a time is asked for softly, ranks what lies outside of it lower.
    pub fn lean_towards_time(&self, recalled: &mut Recalled, utterances: &mut [(Message, f64)]) {
        let Some(time) = self.time.as_ref().filter(|time| !time.hard) else {
            return;
        };
        for hit in &mut recalled.notes {
            hit.score *= share(time, told_time(&hit.note));
        }
        recalled
            .notes
            .sort_by(|a, b| b.score.total_cmp(&a.score).then(a.note.id.cmp(&b.note.id)));
        for (message, score) in utterances.iter_mut() {
            *score *= share(time, message.at);
        }
        utterances.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.id.cmp(&b.0.id)));
    }
}

/// 1 inside the span, down to [`OUT_OF_TIME`] far outside of it.
fn share(time: &TimeOption, at: Timestamp) -> f64 {
    let days = |earlier: Timestamp, later: Timestamp| {
        later.duration_since(earlier).as_secs_f64() / 86_400.0
    };
    let before = time.from.map_or(0.0, |from| days(at, from));
    let after = time.to.map_or(0.0, |to| days(to, at));
    let outside = before.max(after).max(0.0);
    OUT_OF_TIME + (1.0 - OUT_OF_TIME) * (-outside / TIME_HALF_DAYS).exp2()
}

fn checked_time(time: TimeOption) -> Result<TimeOption> {
    match (time.from, time.to) {
        (Some(from), Some(to)) if from >= to => Err(SoulError::invalid(
            "options.time.to",
            "must be after `from`",
        )),
        _ => Ok(time),
    }
}

fn count(name: &str, given: Option<u32>, default: usize, least: u32, most: u32) -> Result<usize> {
    match given {
        None => Ok(default),
        Some(count) if (least..=most).contains(&count) => Ok(count as usize),
        Some(count) => Err(SoulError::invalid(
            format!("options.{name}"),
            format!("is {count}; give {least} to {most}"),
        )),
    }
}

fn within(name: &str, value: f64, least: f64, most: f64) -> Result<f64> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(SoulError::invalid(
        format!("options.{name}"),
        format!("is {value}; give {least} to {most}"),
    ))
}

fn set_walk(recall: &mut Options, asked: &WalkOptions) {
    let walk = &mut recall.walk;
    walk.damping = asked.damping.unwrap_or(walk.damping);
    walk.residue = asked.residue.unwrap_or(walk.residue);
    walk.preference = match asked.preference {
        None => walk.preference,
        Some(WalkPreference::Semantic) => Preference::Semantic,
        Some(WalkPreference::Situation) => Preference::Situation,
    };
}

/// Weights that are given replace the defaults.
fn weigh(weights: &mut BlendWeights, asked: &WireWeights) {
    let set = |weight: &mut f64, asked: Option<f64>| *weight = asked.unwrap_or(*weight);
    set(&mut weights.tag, asked.tag);
    set(&mut weights.variant, asked.variant);
    set(&mut weights.string_blend_alpha, asked.string_blend_alpha);
    set(&mut weights.sem_concept, asked.sem_concept);
    set(&mut weights.sem_description, asked.sem_description);
    set(&mut weights.sit_narrative, asked.sit_narrative);
    set(&mut weights.sit_location_name, asked.sit_location_name);
    set(
        &mut weights.sit_location_coordinates,
        asked.sit_location_coordinates,
    );
    set(
        &mut weights.sit_participant_name,
        asked.sit_participant_name,
    );
    set(
        &mut weights.sit_participant_role,
        asked.sit_participant_role,
    );
    set(&mut weights.sit_emotion, asked.sit_emotion);
    set(&mut weights.sit_sensory, asked.sit_sensory);
    set(
        &mut weights.sit_environment_atmosphere,
        asked.sit_environment_atmosphere,
    );
    set(
        &mut weights.sit_environment_tone,
        asked.sit_environment_tone,
    );
    set(&mut weights.sit_event_action, asked.sit_event_action);
    set(&mut weights.sit_event_roles, asked.sit_event_roles);
}

/// What a client is told of a recall that was refused, with the path of the field.
pub fn refused(error: RecallError) -> SoulError {
    match error {
        RecallError::Nothing => SoulError::invalid(
            "text",
            "is missing or blank: give `text`, `queries`, or both",
        ),
        RecallError::Query { index, error } => {
            SoulError::invalid(format!("queries[{index}].{}", error.field), error.reason)
        }
        RecallError::Weights(error) => {
            SoulError::invalid(format!("options.{}", error.field), error.reason)
        }
        RecallError::Walk(error @ WalkError::Damping(_)) => {
            SoulError::invalid("options.walk.damping", error.to_string())
        }
        RecallError::Walk(error @ WalkError::Residue(_)) => {
            SoulError::invalid("options.walk.residue", error.to_string())
        }
        RecallError::Walk(error @ WalkError::SourceWeight { .. }) => {
            SoulError::Bug(error.to_string())
        }
        RecallError::Vector(error) => SoulError::Bug(error.to_string()),
        RecallError::Source(error) => match error.downcast() {
            Ok(error) => SoulError::Store(*error),
            Err(error) => SoulError::Bug(error.to_string()),
        },
    }
}
