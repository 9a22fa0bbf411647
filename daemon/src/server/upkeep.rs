//! What the daemon does by itself beside answering: backups on a schedule, emptying the trash, and making sure that its
//! data directory is still the one that it holds.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::lock::DataDirLock;
use super::{ServeError, Server};

/// How often it looks whether the data directory is still there.
const LOOK: Duration = Duration::from_secs(1);
/// How often it looks whether a backup is due or something in the trash is.
const CHORES: Duration = Duration::from_secs(60);

/// Waits until the daemon is told to end. It ends by itself, with an error, when it lost its data directory.
pub async fn until_draining(server: &Arc<Server>, lock: &DataDirLock) -> Result<(), ServeError> {
    let chores = tokio::spawn(chores(Arc::clone(server)));
    let draining = server.shutdown.draining();
    let gone = tokio::select! {
        () = draining.cancelled() => Ok(()),
        () = lost(lock) => Err(ServeError::DataDirGone(server.data_dir.clone())),
    };
    if let Err(error) = &gone {
        tracing::error!(%error, "shutting down");
        draining.cancel();
    }
    chores.abort();
    gone
}

/// Comes back when the file that was locked is not the one in the data directory any more.
async fn lost(lock: &DataDirLock) {
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while lock.still_holds() {
        looks.tick().await;
    }
}

async fn chores(server: Arc<Server>) {
    let mut turns = interval(CHORES);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        // Why it failed is logged and told in `health`.
        let _ = server.souls.back_up_if_due().await;
        if let Err(error) = server.souls.empty_trash().await {
            tracing::warn!(%error, "the trash cannot be emptied");
        }
    }
}
