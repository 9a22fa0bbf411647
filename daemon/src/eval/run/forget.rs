//! Forgetting cases: what follows from the curve, looked at from outside.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use soulmem_engine::forget::{MemoryTrace, Profile, Stage, blurred, mask::Mask};
use soulmem_engine::model::{
    ConceptType, Context, FixedClock, MemoryNote, MemoryType, NoteDraft, SemMemory, SequentialIds,
    SituationMemory, SpecificSituation, TimeSpan,
};

use super::{Progress, Watcher};
use crate::eval::data::case::Half;
use crate::eval::data::forget_file::{
    Effect, ForgetAction, ForgetCase, ForgetConfig, ForgetFile, ForgetKind, MemKind,
};
use crate::eval::error::EvalError;
use crate::eval::metrics::{Answer, Metric, Scores, Verdict};
use crate::eval::report::results::{CaseResult, FileResults, VariationResults};
use crate::eval::report::summary::Halves;

/// Runs every case of the files.
pub(super) fn results(
    files: &[ForgetFile],
    watcher: Watcher<'_>,
) -> Result<Vec<FileResults>, EvalError> {
    watcher(Progress::Ready(
        files.iter().map(|file| file.cases.len()).sum(),
    ));
    files.iter().map(|file| of_file(file, watcher)).collect()
}

fn of_file(file: &ForgetFile, watcher: Watcher<'_>) -> Result<FileResults, EvalError> {
    let profile = profile(&file.config);
    let mut cases = Vec::with_capacity(file.cases.len());
    for case in &file.cases {
        let seen = observe(&profile, case).map_err(|error| EvalError::value(&file.file, error))?;
        cases.push(seen.result(case));
        watcher(Progress::CaseDone);
    }
    let ForgetConfig {
        base_half_life_hours,
        active_factor,
        max_activation_cap,
    } = file.config;
    let variation = VariationResults {
        weights: format!(
            "half-life {base_half_life_hours} h, factor {active_factor}, cap {max_activation_cap}"
        ),
        tag: 0.0,
        variant: 0.0,
        summary: Halves::of(&cases),
        cases,
    };
    Ok(FileResults {
        file: file.file.display().to_string(),
        name: file.name.clone(),
        variations: vec![variation],
    })
}

/// The curve of a file: it runs from the creation on, as the format has it.
fn profile(config: &ForgetConfig) -> Profile {
    Profile {
        base_half_life_hours: config.base_half_life_hours,
        active_factor: config.active_factor,
        max_activation_cap: config.max_activation_cap,
        ..Profile::SEED
    }
}

/// What was observed of one case.
#[derive(Default)]
struct Seen {
    degrees: Vec<f64>,
    triggered: Option<bool>,
    /// What should have been so and was not.
    missed: Vec<String>,
}

impl Seen {
    fn expect(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.missed.push(otherwise());
        }
    }

    fn result(self, case: &ForgetCase) -> CaseResult {
        let passed = self.missed.is_empty();
        let mean = self.degrees.iter().sum::<f64>() / self.degrees.len().max(1) as f64;
        let mut scores = Scores::from([
            (Metric::Passed, f64::from(u8::from(passed))),
            (Metric::MissingDegree, mean),
        ]);
        if let Some(triggered) = self.triggered {
            scores.insert(Metric::Triggered, f64::from(u8::from(triggered)));
        }
        CaseResult {
            name: case.name.clone(),
            half: Half::Tuned,
            verdict: if passed {
                Verdict::Passed
            } else {
                Verdict::Failed
            },
            scores,
            missed: self.missed,
            missed_actions: Vec::new(),
            answer: Answer::default(),
        }
    }
}

fn observe(
    profile: &Profile,
    case: &ForgetCase,
) -> Result<Seen, soulmem_engine::model::ModelError> {
    let mut seen = Seen::default();
    match &case.kind {
        ForgetKind::TimeMonotonic {
            time_offsets_hours,
            retrieval_count,
        } => {
            let at = |hours: &f64| degree(profile, *retrieval_count, *hours);
            seen.degrees = time_offsets_hours.iter().map(at).collect();
            ascending(&mut seen, &case.text, "hour", time_offsets_hours);
        }
        ForgetKind::Activation {
            activation_counts,
            time_offset_hours,
        } => {
            let after = |count: &u64| degree(profile, *count, *time_offset_hours);
            // The most recalled first, so that what should be seen is the same: no degree falls.
            let counts: Vec<u64> = activation_counts.iter().rev().copied().collect();
            seen.degrees = counts.iter().map(after).collect();
            ascending(&mut seen, &case.text, "recall count", &counts);
        }
        ForgetKind::Magnitude {
            time_offset_hours,
            expected_missing_degree,
            tolerance,
            retrieval_count,
        } => {
            let degree = degree(profile, *retrieval_count, *time_offset_hours);
            seen.degrees.push(degree);
            magnitude(&mut seen, &case.text, *expected_missing_degree, *tolerance);
        }
        ForgetKind::Branch {
            time_offsets_hours,
            retrieval_count,
        } => branch(&mut seen, profile, *retrieval_count, time_offsets_hours),
        ForgetKind::Effect {
            mem_kind,
            retrieval_count,
            time_offset_hours,
            expected,
        } => {
            let note = remembered(*mem_kind, &case.text, *retrieval_count)?;
            effect(&mut seen, profile, &note, *time_offset_hours, *expected);
        }
    }
    Ok(seen)
}

fn degree(profile: &Profile, recalls: u64, hours: f64) -> f64 {
    let trace = MemoryTrace::of_utterance(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH, recalls);
    profile.retention(&trace, after(hours)).missing_degree()
}

fn after(hours: f64) -> Timestamp {
    let span = SignedDuration::try_from_secs_f64(hours * 3_600.0).unwrap_or(SignedDuration::MAX);
    Timestamp::UNIX_EPOCH
        .checked_add(span)
        .unwrap_or(Timestamp::MAX)
}

/// From one step to the next no degree falls, and no word comes back.
fn ascending<T: std::fmt::Display>(seen: &mut Seen, text: &str, what: &str, steps: &[T]) {
    let mask = Mask::new(text, None, &[]);
    let words = |degree: &f64| -> BTreeSet<usize> { mask.covered(*degree).into_iter().collect() };
    let degrees = seen.degrees.clone();
    for (pair, degrees) in steps.windows(2).zip(degrees.windows(2)) {
        let ([from, to], [less, more]) = (pair, degrees) else {
            continue;
        };
        seen.expect(less <= more && words(less).is_subset(&words(more)), || {
            format!("no less from {what} {from} to {to}: {less:.4}, then {more:.4}")
        });
    }
}

/// The degree has the size that is asked for, and so has the share of the words that are masked, to half a word.
fn magnitude(seen: &mut Seen, text: &str, expected: f64, tolerance: f64) {
    let mask = Mask::new(text, None, &[]);
    for degree in seen.degrees.clone() {
        let words = mask.words().max(1) as f64;
        let share = mask.covered(degree).len() as f64 / words;
        let near = |value: f64, room: f64| (value - expected).abs() <= tolerance + room;
        let holds = near(degree, 0.0) && (mask.words() == 0 || near(share, 0.5 / words));
        seen.expect(holds, || {
            format!(
                "a degree of {expected} ± {tolerance}: {degree:.4}, {share:.4} of the words masked"
            )
        });
    }
}

fn branch(seen: &mut Seen, profile: &Profile, recalls: u64, hours: &[f64; 3]) {
    let due = [
        ForgetAction::NoAction,
        ForgetAction::MaskOnly,
        ForgetAction::Revised,
    ];
    for (hours, due) in hours.iter().zip(due) {
        let degree = degree(profile, recalls, *hours);
        let found = action(Stage::at(degree));
        seen.degrees.push(degree);
        seen.expect(found == due, || {
            format!("{due:?} at {hours} h: {found:?} at a degree of {degree:.4}")
        });
    }
}

fn effect(seen: &mut Seen, profile: &Profile, note: &MemoryNote, hours: f64, expected: Effect) {
    let retention = profile.retention(&MemoryTrace::of_note(note), after(hours));
    seen.degrees.push(retention.missing_degree());
    let told = blurred(note, profile, retention, &[]);
    let found = told.as_ref().map_or(ForgetAction::NoAction, |told| {
        action(Stage::at(told.degree))
    });
    let forgot = told.is_some_and(|told| told.masked);
    if expected.should_forget {
        seen.triggered = Some(forgot);
    }
    seen.expect(forgot == expected.should_forget, || {
        let should = if expected.should_forget { "" } else { "not " };
        format!("{should}to be forgotten after {hours} h")
    });
    seen.expect(found >= expected.min_action, || {
        format!("{:?} at {hours} h: {found:?}", expected.min_action)
    });
}

fn action(stage: Stage) -> ForgetAction {
    match stage {
        Stage::Whole => ForgetAction::NoAction,
        Stage::Masked => ForgetAction::MaskOnly,
        Stage::Reimagined => ForgetAction::Revised,
    }
}

/// A memory of this kind that holds the text, made when time began.
fn remembered(
    kind: MemKind,
    text: &str,
    recalls: u64,
) -> Result<MemoryNote, soulmem_engine::model::ModelError> {
    let body = match kind {
        MemKind::Semantic => MemoryType::Semantic(SemMemory {
            content: text.to_owned(),
            aliases: Vec::new(),
            concept_type: ConceptType::Abstract,
            description: String::new(),
        }),
        MemKind::Situation => {
            MemoryType::Situation(SituationMemory::SpecificSituation(SpecificSituation {
                narrative: text.to_owned(),
                time_span: TimeSpan::Instant(Timestamp::UNIX_EPOCH),
                context: Context::default(),
            }))
        }
    };
    let mut note =
        NoteDraft::new(body).build(&FixedClock(Timestamp::UNIX_EPOCH), &SequentialIds::new())?;
    note.retrieval_count = recalls;
    Ok(note)
}
