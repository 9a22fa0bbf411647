//! How strongly a memory comes up by itself.
//!
//! This score decides what surfaces unasked and what falls dormant. It never decides what can be recalled: that is the curve's.

use jiff::Timestamp;

use crate::model::{Affect, Bucket};

/// The score of what always comes up.
pub const ALWAYS: f64 = 999.0;

/// The score of a feeling of the character's own.
pub const FEELING: f64 = 50.0;

/// The score under which a memory falls dormant.
pub const DORMANT_UNDER: f64 = 0.3;

/// The importance up to which a memory resolves by itself.
pub const RESOLVES_UP_TO: u8 = 4;

/// After so many days without activity it does.
pub const RESOLVES_AFTER_DAYS: f64 = 30.0;

/// How much a day takes, as an exponent.
const PER_DAY: f64 = 0.05;
/// Exponent of the activations.
const ACTIVATION_EXPONENT: f64 = 0.3;
/// Hours in which the bonus of what is fresh falls to `1/e`.
const FRESH_HOURS: f64 = 36.0;
/// What arousal adds.
const AROUSAL: f64 = 0.8;
/// Days up to which freshness counts more than feeling.
const SHORT_TERM_DAYS: f64 = 3.0;
/// The part of the one that counts more.
const MAJOR: f64 = 0.7;
/// The part of the other.
const MINOR: f64 = 0.3;
/// What is left of something resolved.
const RESOLVED: f64 = 0.05;
/// What is left of something resolved and digested.
const DIGESTED: f64 = 0.02;
/// The arousal over which something unresolved is urgent.
const URGENT_OVER: f64 = 0.7;
/// What that multiplies by.
const URGENT: f64 = 1.5;

/// What a cycle makes of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// How it feels and matters now.
    pub affect: Affect,
    /// Whether it was resolved just now.
    pub resolved: bool,
    /// Whether it fell dormant just now.
    pub dormant: bool,
}

/// How strongly a memory comes up at `now`:
/// `importance · max(1, activations)^0.3 · e^(−0.05·days) · mix`, with the days since it was last active.
///
/// The mix is 0.7 of the one and 0.3 of the other of a time weight `1 + e^(−hours/36)` and an emotion weight
/// `1 + 0.8·arousal`: up to three days time counts more, then feeling. What is resolved has a twentieth of it, digested too a
/// fiftieth; what stirs (arousal over 0.7) and is unresolved half as much again.
pub fn score(affect: &Affect, now: Timestamp) -> f64 {
    if is_held(affect) {
        return ALWAYS;
    }
    if affect.bucket == Bucket::Feel {
        return FEELING;
    }
    let days = idle_days(affect, now);
    let active = libm::pow(affect.activation_count.max(1.0), ACTIVATION_EXPONENT);
    let base = f64::from(affect.importance) * active * libm::exp(-PER_DAY * days);
    base * mix(affect, days) * open(affect)
}

fn mix(affect: &Affect, days: f64) -> f64 {
    let time = 1.0 + libm::exp(-days * 24.0 / FRESH_HOURS);
    let emotion = 1.0 + AROUSAL * affect.arousal;
    if days <= SHORT_TERM_DAYS {
        MAJOR * time + MINOR * emotion
    } else {
        MAJOR * emotion + MINOR * time
    }
}

fn open(affect: &Affect) -> f64 {
    match (affect.resolved, affect.digested) {
        (true, true) => DIGESTED,
        (true, false) => RESOLVED,
        (false, _) if affect.arousal > URGENT_OVER => URGENT,
        (false, _) => 1.0,
    }
}

fn is_held(affect: &Affect) -> bool {
    affect.pinned || affect.protected || affect.bucket == Bucket::Permanent
}

/// Days since it was last active; what is active in the future is active now.
fn idle_days(affect: &Affect, now: Timestamp) -> f64 {
    let idle = now.duration_since(affect.last_active_at);
    idle.as_secs_f64().max(0.0) / 86_400.0
}

/// What a cycle at `now` makes of a memory; nothing where it stays as it is. What matters little and was left alone for thirty
/// days is resolved, and scored as such in the same cycle.
pub fn settle(affect: &Affect, now: Timestamp) -> Option<Settled> {
    if is_held(affect) || affect.bucket == Bucket::Feel {
        return None;
    }
    let mut settled = Settled {
        affect: affect.clone(),
        resolved: false,
        dormant: false,
    };
    let left_alone = idle_days(affect, now) >= RESOLVES_AFTER_DAYS;
    if affect.importance <= RESOLVES_UP_TO && left_alone && !affect.resolved {
        settled.affect.resolved = true;
        settled.resolved = true;
    }
    if affect.bucket == Bucket::Dynamic && score(&settled.affect, now) < DORMANT_UNDER {
        settled.affect.bucket = Bucket::Dormant;
        settled.dormant = true;
    }
    (settled.resolved || settled.dormant).then_some(settled)
}

/// A memory that was found is awake again. Answers whether it was dormant.
pub fn wake(affect: &mut Affect) -> bool {
    let was_dormant = affect.bucket == Bucket::Dormant;
    if was_dormant {
        affect.bucket = Bucket::Dynamic;
    }
    was_dormant
}
