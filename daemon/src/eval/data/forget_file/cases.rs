//! Forgetting cases as they are written, told apart by their `kind`.

use serde::Deserialize;
use serde_json::Value;
use soulmem_engine::model::{ModelError, strict};

use super::{Effect, ForgetCase, ForgetKind, MemKind};

const KINDS: [&str; 5] = [
    "time_monotonic",
    "activation",
    "magnitude",
    "branch",
    "effect",
];

#[derive(Deserialize)]
struct TimeMonotonicRaw {
    name: String,
    text: String,
    time_offsets_hours: Vec<f64>,
    #[serde(default)]
    retrieval_count: u64,
}

#[derive(Deserialize)]
struct ActivationRaw {
    name: String,
    text: String,
    activation_counts: Vec<u64>,
    time_offset_hours: f64,
}

#[derive(Deserialize)]
struct MagnitudeRaw {
    name: String,
    text: String,
    time_offset_hours: f64,
    expected_missing_degree: f64,
    tolerance: f64,
    #[serde(default)]
    retrieval_count: u64,
}

#[derive(Deserialize)]
struct EffectRaw {
    name: String,
    text: String,
    mem_kind: MemKind,
    #[serde(default)]
    retrieval_count: u64,
    time_offset_hours: f64,
    expected: Effect,
}

/// Reads one case. Its `kind` is taken off first, so that each kind is read by a type of its own, with its own keys.
pub(super) fn read(mut value: Value) -> Result<ForgetCase, ModelError> {
    let Some(object) = value.as_object_mut() else {
        return Err(ModelError::new("", "is not an object"));
    };
    let kind = match object.remove("kind") {
        Some(Value::String(kind)) => kind,
        Some(_) => return Err(ModelError::new("kind", "is not a text")),
        None => {
            let reason = format!("is missing; give one of: {}", KINDS.join(", "));
            return Err(ModelError::new("kind", reason));
        }
    };
    let case = match kind.as_str() {
        "time_monotonic" => time_monotonic(strict::from_value(&value)?)?,
        "activation" => activation(strict::from_value(&value)?)?,
        "magnitude" => magnitude(strict::from_value(&value)?)?,
        "branch" => branch(strict::from_value(&value)?)?,
        "effect" => effect(strict::from_value(&value)?)?,
        other => return Err(unknown_kind(other)),
    };
    if case.text.trim().is_empty() {
        return Err(ModelError::new("text", "is empty: nothing is remembered"));
    }
    Ok(case)
}

fn unknown_kind(kind: &str) -> ModelError {
    let hint = strict::nearest(kind, &KINDS).map_or_else(
        || format!("give one of: {}", KINDS.join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    ModelError::new("kind", format!("`{kind}` is not known; {hint}"))
}

fn time_monotonic(raw: TimeMonotonicRaw) -> Result<ForgetCase, ModelError> {
    check_times(&raw.time_offsets_hours)?;
    Ok(ForgetCase {
        name: raw.name,
        text: raw.text,
        kind: ForgetKind::TimeMonotonic {
            time_offsets_hours: raw.time_offsets_hours,
            retrieval_count: raw.retrieval_count,
        },
    })
}

fn activation(raw: ActivationRaw) -> Result<ForgetCase, ModelError> {
    if raw.activation_counts.len() < 2 || !raw.activation_counts.is_sorted() {
        return Err(ModelError::new(
            "activation_counts",
            "needs two numbers or more, ascending",
        ));
    }
    check_time("time_offset_hours", raw.time_offset_hours)?;
    Ok(ForgetCase {
        name: raw.name,
        text: raw.text,
        kind: ForgetKind::Activation {
            activation_counts: raw.activation_counts,
            time_offset_hours: raw.time_offset_hours,
        },
    })
}

fn magnitude(raw: MagnitudeRaw) -> Result<ForgetCase, ModelError> {
    check_time("time_offset_hours", raw.time_offset_hours)?;
    for (field, value) in [
        ("expected_missing_degree", raw.expected_missing_degree),
        ("tolerance", raw.tolerance),
    ] {
        if !(0.0..=1.0).contains(&value) {
            return Err(ModelError::new(field, format!("is {value}; give 0 to 1")));
        }
    }
    Ok(ForgetCase {
        name: raw.name,
        text: raw.text,
        kind: ForgetKind::Magnitude {
            time_offset_hours: raw.time_offset_hours,
            expected_missing_degree: raw.expected_missing_degree,
            tolerance: raw.tolerance,
            retrieval_count: raw.retrieval_count,
        },
    })
}

/// A branch has the keys of a monotonic case, and exactly three times.
fn branch(raw: TimeMonotonicRaw) -> Result<ForgetCase, ModelError> {
    check_times(&raw.time_offsets_hours)?;
    let given = raw.time_offsets_hours.len();
    let time_offsets_hours = raw.time_offsets_hours.try_into().map_err(|_| {
        ModelError::new(
            "time_offsets_hours",
            format!("has {given} times; a branch needs three: for nothing, for the mask, for the revision"),
        )
    })?;
    Ok(ForgetCase {
        name: raw.name,
        text: raw.text,
        kind: ForgetKind::Branch {
            time_offsets_hours,
            retrieval_count: raw.retrieval_count,
        },
    })
}

fn effect(raw: EffectRaw) -> Result<ForgetCase, ModelError> {
    check_time("time_offset_hours", raw.time_offset_hours)?;
    Ok(ForgetCase {
        name: raw.name,
        text: raw.text,
        kind: ForgetKind::Effect {
            mem_kind: raw.mem_kind,
            retrieval_count: raw.retrieval_count,
            time_offset_hours: raw.time_offset_hours,
            expected: raw.expected,
        },
    })
}

fn check_times(hours: &[f64]) -> Result<(), ModelError> {
    for (position, hours) in hours.iter().enumerate() {
        check_time(&format!("time_offsets_hours[{position}]"), *hours)?;
    }
    if hours.len() < 2 || !hours.is_sorted() {
        return Err(ModelError::new(
            "time_offsets_hours",
            "needs two times or more, ascending",
        ));
    }
    Ok(())
}

fn check_time(field: &str, hours: f64) -> Result<(), ModelError> {
    if hours.is_finite() && hours >= 0.0 {
        return Ok(());
    }
    Err(ModelError::new(
        field,
        format!("is {hours}; give hours, 0 or more"),
    ))
}
