//! An open character while somebody uses it.

use std::ops::Deref;
use std::sync::Arc;

use tokio::sync::Notify;

use super::character::Soul;

/// A character that stays open for as long as this lives; whoever waits for a place is told when it ends.
pub struct InUse {
    // Dropped first, so that it is unused when that is told.
    soul: Arc<Soul>,
    _release: Release,
}

struct Release(Arc<Notify>);

impl InUse {
    pub(super) fn new(soul: Arc<Soul>, released: Arc<Notify>) -> Self {
        Self {
            soul,
            _release: Release(released),
        }
    }
}

impl Deref for InUse {
    type Target = Soul;

    fn deref(&self) -> &Soul {
        &self.soul
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}
