//! An error at any point: nothing half-done stays, and the next attempt goes well.

use fail::FailScenario;
use tempfile::tempdir;

use crate::script::{Home, STEPS, check, take};
use crate::{MANY, POINTS};

/// Makes the point fail once, when it is reached for the time after `passes`; says whether it was reached.
fn live_with_a_fault(point: &str, passes: usize) -> bool {
    let home = tempdir().unwrap();
    let home = Home::at(home.path());
    fail::cfg(point, &format!("{passes}*off->1*return->off")).unwrap();
    let mut failed = false;
    for (step, name) in STEPS.iter().enumerate() {
        if let Err(error) = take(&home, step) {
            assert!(
                !failed,
                "{name} failed again after the fault had passed: {error}"
            );
            failed = true;
            check_and_repeat(&home, step);
        }
    }
    fail::remove(point);
    check(&home, STEPS.len());
    failed
}

fn check_and_repeat(home: &Home, step: usize) {
    check(home, step);
    let again = take(home, step);
    // What the failed attempt did after all is in the way of the second: then it is done.
    let done = matches!(
        again,
        Ok(())
            | Err(soulmem::store::StoreError::Conflict(_) | soulmem::store::StoreError::NotFound(_))
    );
    assert!(done, "{}: {again:?}", STEPS[step]);
}

#[test]
fn a_fault_at_any_point_is_an_error_and_passes() {
    let scenario = FailScenario::setup();
    for point in POINTS {
        let reached = (0..MANY)
            .take_while(|passes| live_with_a_fault(point, *passes))
            .count();
        assert!(reached > 0, "nothing reaches {point}");
    }
    scenario.teardown();
}
