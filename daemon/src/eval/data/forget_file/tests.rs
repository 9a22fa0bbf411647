//! All five kinds as the format writes them, and what is refused.

use serde_json::json;

use super::*;

fn read(value: &Value) -> Result<ForgetFile, EvalError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f.json");
    std::fs::write(&file, value.to_string()).unwrap();
    ForgetFile::read(&file)
}

fn with(case: &Value) -> Value {
    json!({
        "name": "curve",
        "config": {"base_half_life_hours": 24.0, "active_factor": 0.1, "max_activation_cap": 50},
        "test_cases": [case]
    })
}

#[test]
fn every_kind_is_read() {
    for (case, kind) in [
        (
            json!({"kind": "time_monotonic", "name": "T1", "text": "走在雨里", "time_offsets_hours": [0, 6, 168], "retrieval_count": 2}),
            ForgetKind::TimeMonotonic {
                time_offsets_hours: vec![0.0, 6.0, 168.0],
                retrieval_count: 2,
            },
        ),
        (
            json!({"kind": "activation", "name": "T2", "text": "雨", "activation_counts": [0, 5, 200], "time_offset_hours": 48}),
            ForgetKind::Activation {
                activation_counts: vec![0, 5, 200],
                time_offset_hours: 48.0,
            },
        ),
        (
            json!({"kind": "magnitude", "name": "T3", "text": "雨", "time_offset_hours": 24, "expected_missing_degree": 0.5, "tolerance": 0.08, "retrieval_count": 0}),
            ForgetKind::Magnitude {
                time_offset_hours: 24.0,
                expected_missing_degree: 0.5,
                tolerance: 0.08,
                retrieval_count: 0,
            },
        ),
        (
            json!({"kind": "branch", "name": "T4", "text": "雨", "time_offsets_hours": [0, 4, 96], "retrieval_count": 0}),
            ForgetKind::Branch {
                time_offsets_hours: [0.0, 4.0, 96.0],
                retrieval_count: 0,
            },
        ),
        (
            json!({"kind": "effect", "name": "T5", "mem_kind": "situation", "text": "雨", "retrieval_count": 0,
                   "time_offset_hours": 96, "expected": {"should_forget": true, "min_action": "Revised"}}),
            ForgetKind::Effect {
                mem_kind: MemKind::Situation,
                retrieval_count: 0,
                time_offset_hours: 96.0,
                expected: Effect {
                    should_forget: true,
                    min_action: ForgetAction::Revised,
                },
            },
        ),
    ] {
        let read = read(&with(&case)).unwrap();
        assert_eq!(read.cases[0].kind, kind);
        assert_eq!(read.config.max_activation_cap, 50);
    }
}

#[test]
fn an_error_names_the_place_and_the_reason() {
    let times = |kind: &str, hours: Value| json!({"kind": kind, "name": "T", "text": "雨", "time_offsets_hours": hours});
    for (case, place, reason) in [
        (json!({"name": "T"}), "test_cases[0].kind", "is missing"),
        (
            json!({"kind": "magnitud"}),
            "test_cases[0].kind",
            "did you mean `magnitude`",
        ),
        (json!(3), "test_cases[0]", "not an object"),
        (
            times("branch", json!([0, 4])),
            "test_cases[0].time_offsets_hours",
            "needs three",
        ),
        (
            times("time_monotonic", json!([6, 0])),
            "test_cases[0].time_offsets_hours",
            "ascending",
        ),
        (
            times("time_monotonic", json!([0, -1])),
            "test_cases[0].time_offsets_hours[1]",
            "is -1",
        ),
        (
            times("time_monotonic", json!([0, "x"])),
            "test_cases[0].time_offsets_hours[1]",
            "string",
        ),
        (
            times("activation", json!([0, 1])),
            "test_cases[0].time_offsets_hours",
            "not a known field",
        ),
        (
            json!({"kind": "time_monotonic", "name": "T", "text": " ", "time_offsets_hours": [0, 1]}),
            "test_cases[0].text",
            "empty",
        ),
        (
            json!({"kind": "effect", "name": "T", "mem_kind": "semantic", "text": "雨", "time_offset_hours": 1,
                   "expected": {"should_forget": true, "min_action": "Mask"}}),
            "test_cases[0].expected.min_action",
            "did you mean `MaskOnly`",
        ),
    ] {
        let message = read(&with(&case)).unwrap_err().to_string();
        let (_, rest) = message.split_once("f.json: ").unwrap();
        assert!(rest.starts_with(&format!("{place}:")), "{message}");
        assert!(rest.contains(reason), "{message}");
    }
}

#[test]
fn a_curve_that_cannot_be_is_refused() {
    for (key, value) in [
        ("base_half_life_hours", json!(0)),
        ("active_factor", json!(-0.1)),
    ] {
        let mut file = with(&json!({}));
        file["config"][key] = value;
        let message = read(&file).unwrap_err().to_string();
        assert!(message.contains(&format!("config.{key}")), "{message}");
    }
}
