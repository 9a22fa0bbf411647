//! What surfaces and what falls dormant: scores worked out by hand to 1e-9.

#![allow(clippy::unwrap_used, reason = "a test")]

use jiff::{SignedDuration, Timestamp};
use soulmem_engine::forget::decay::{score, settle, wake};
use soulmem_engine::model::{Affect, Bucket};

fn now() -> Timestamp {
    "2026-06-01T12:00:00Z".parse().unwrap()
}

fn idle(hours: i64) -> Affect {
    Affect::at(now() - SignedDuration::from_hours(hours))
}

#[test]
fn scores_are_those_of_the_formula() {
    let cases = [
        // 5 · 1 · 1 · (0.7·2 + 0.3·1.24)
        (idle(0), 8.86),
        // 36 h: 5 · e^(−0.075) · (0.7·(1 + 1/e) + 0.3·1.24)
        (idle(36), 6.167_247_230_275),
        // 72 h is still the short term: 5 · e^(−0.15) · (0.7·(1 + e^−2) + 0.3·1.24)
        (idle(72), 5.021_089_305_846),
        // 73 h is not: 5 · e^(−0.05·73/24) · (0.7·1.24 + 0.3·(1 + e^(−73/36)))
        (idle(73), 5.185_659_383_898),
        // 30 days: 5 · e^(−1.5) · (0.7·1.24 + 0.3·(1 + e^(−20)))
        (idle(720), 1.303_080_135_957),
        // Ten activations: 10^0.3 of it
        (
            Affect {
                activation_count: 10.0,
                ..idle(720)
            },
            1.303_080_135_957 * 1.995_262_314_968_879_5,
        ),
        // Less than one activation counts as one.
        (
            Affect {
                activation_count: 0.3,
                ..idle(0)
            },
            8.86,
        ),
        (
            Affect {
                resolved: true,
                ..idle(0)
            },
            8.86 * 0.05,
        ),
        (
            Affect {
                resolved: true,
                digested: true,
                ..idle(0)
            },
            8.86 * 0.02,
        ),
        // Digested alone changes nothing.
        (
            Affect {
                digested: true,
                ..idle(0)
            },
            8.86,
        ),
        // Urgent: 5 · (1.4 + 0.3·1.64) · 1.5
        (
            Affect {
                arousal: 0.8,
                ..idle(0)
            },
            14.19,
        ),
        // Over 0.7, not at it: 5 · (1.4 + 0.3·1.56)
        (
            Affect {
                arousal: 0.7,
                ..idle(0)
            },
            9.34,
        ),
        (
            Affect {
                pinned: true,
                ..idle(9_999)
            },
            999.0,
        ),
        (
            Affect {
                protected: true,
                ..idle(9_999)
            },
            999.0,
        ),
        (
            Affect {
                bucket: Bucket::Permanent,
                ..idle(9_999)
            },
            999.0,
        ),
        (
            Affect {
                bucket: Bucket::Feel,
                ..idle(9_999)
            },
            50.0,
        ),
        // What was active in the future is active now.
        (idle(-48), 8.86),
    ];
    for (affect, expected) in cases {
        let found = score(&affect, now());
        assert!(
            (found - expected).abs() < 1e-9,
            "{found} is not {expected}: {affect:?}"
        );
    }
}

#[test]
fn trifles_resolve_by_themselves_and_are_scored_so_at_once() {
    let trifle = |hours| Affect {
        importance: 4,
        ..idle(hours)
    };
    assert_eq!(settle(&trifle(719), now()), None);
    // 30 days: 4/5 of 1.303 resolved is 0.052, under 0.3.
    let settled = settle(&trifle(720), now()).unwrap();
    assert!(settled.resolved && settled.dormant);
    assert!(settled.affect.resolved);
    assert_eq!(settled.affect.bucket, Bucket::Dormant);
    assert_eq!(settle(&idle(720), now()), None, "five is no trifle");
    // Every turn after that finds nothing to do.
    assert_eq!(settle(&settled.affect, now()), None);
}

#[test]
fn what_no_longer_surfaces_falls_dormant_and_wakes_when_found() {
    // 5 · e^(−0.05·d) · 1.168 < 0.3 from d = 59.4 days on.
    assert_eq!(settle(&idle(59 * 24), now()), None);
    let settled = settle(&idle(60 * 24), now()).unwrap();
    assert!(settled.dormant && !settled.resolved);
    let mut found = settled.affect;
    assert!(wake(&mut found));
    assert_eq!(found.bucket, Bucket::Dynamic);
    assert!(!wake(&mut found));
}

#[test]
fn what_is_held_is_passed_over() {
    for held in [
        Affect {
            pinned: true,
            ..idle(9_999)
        },
        Affect {
            protected: true,
            ..idle(9_999)
        },
        Affect {
            bucket: Bucket::Permanent,
            ..idle(9_999)
        },
        Affect {
            bucket: Bucket::Feel,
            ..idle(9_999)
        },
    ] {
        let trifle = Affect {
            importance: 1,
            ..held
        };
        assert_eq!(settle(&trifle, now()), None);
    }
}
