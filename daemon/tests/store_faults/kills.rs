//! A kill at any point: what was acknowledged is there, what was not is there wholly or not at all.

use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use fail::FailScenario;
use tempfile::tempdir;

use crate::script::{Home, STEPS, check, take};
use crate::{MANY, POINTS};

/// Tells the child where to live; without it the child's test has nothing to do.
const FOLDER: &str = "STORE_FAULTS_FOLDER";
const POINT: &str = "STORE_FAULTS_POINT";
const PASSES: &str = "STORE_FAULTS_PASSES";
/// What the child writes once a step is acknowledged.
const DONE: &str = "done ";

/// The child: lives, and dies when it reaches its point.
#[test]
fn child() {
    let Some(folder) = env::var_os(FOLDER) else {
        return;
    };
    let scenario = FailScenario::setup();
    let passes: usize = env::var(PASSES).unwrap().parse().unwrap();
    let reached = AtomicUsize::new(0);
    fail::cfg_callback(env::var(POINT).unwrap(), move || {
        if reached.fetch_add(1, Ordering::SeqCst) == passes {
            std::process::abort();
        }
    })
    .unwrap();
    let home = Home::at(Path::new(&folder));
    for step in 0..STEPS.len() {
        take(&home, step).unwrap();
        println!("{DONE}{step}");
        io::stdout().flush().unwrap();
    }
    scenario.teardown();
}

/// Lets a child die at the point, and checks what it left. False if the child reached its end.
fn life_with_a_kill(point: &str, passes: usize) -> bool {
    let home = tempdir().unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "kills::child",
            "--nocapture",
            "--test-threads",
            "1",
        ])
        .env(FOLDER, home.path())
        .env(POINT, point)
        .env(PASSES, passes.to_string())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let acknowledged = said.matches(DONE).count();
    let alive = output.status.success();
    assert!(
        alive || acknowledged < STEPS.len(),
        "{point} after {passes}"
    );
    assert_eq!(
        alive,
        acknowledged == STEPS.len(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    check(&Home::at(home.path()), acknowledged);
    !alive
}

#[test]
fn a_kill_at_any_point_loses_nothing_that_was_acknowledged() {
    if env::var_os(FOLDER).is_some() {
        return;
    }
    // The parent arms no fail point, but it opens stores too: the scenario keeps out the points of the test beside it.
    let scenario = FailScenario::setup();
    for point in POINTS {
        let reached = (0..MANY)
            .take_while(|passes| life_with_a_kill(point, *passes))
            .count();
        assert!(reached > 0, "nothing reaches {point}");
    }
    scenario.teardown();
}
