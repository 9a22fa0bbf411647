//! Waiting for what will come, and failing where it does not.

use std::thread;
use std::time::{Duration, Instant};

/// How long anything is waited for before the test fails instead of hanging. Nothing is expected to take it.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How often what tells nobody is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Looks until there is something. For what the operating system does not tell by itself.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "in vain: {what}");
        thread::sleep(LOOK);
    }
}
