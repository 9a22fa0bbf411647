//! Ending in good order: first nothing new is taken, then what runs may finish, then everything closes.

use std::time::Duration;

use tokio::time::timeout_at;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What is kept of the drain for closing databases after the last request.
const CLOSING: Duration = Duration::from_secs(1);
/// How long a slow reader may take to fetch the last answers.
const FLUSH: Duration = Duration::from_millis(500);

/// The stages of a shutdown, shared by everything that has to know.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    draining: CancellationToken,
    closing: CancellationToken,
    requests: TaskTracker,
    sessions: TaskTracker,
}

impl Shutdown {
    /// Cancelled when the daemon begins to end. Whoever cancels it begins the end.
    pub fn draining(&self) -> &CancellationToken {
        &self.draining
    }

    /// Cancelled when connections are to be closed: every request is answered or given up.
    pub fn closing(&self) -> &CancellationToken {
        &self.closing
    }

    /// Whether new requests are to be refused.
    pub fn has_begun(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// The tasks of running requests, which the drain waits for.
    pub fn requests(&self) -> &TaskTracker {
        &self.requests
    }

    /// The tasks of open connections, which are waited for until their last answers are out.
    pub fn sessions(&self) -> &TaskTracker {
        &self.sessions
    }

    /// Waits for the requests, then for the connections, and gives the time left until `drain` is over.
    /// Requests still running by then are given up: their connections close without an answer.
    pub async fn drain(&self, drain: Duration) -> Duration {
        let begun = tokio::time::Instant::now();
        let last = begun + drain.saturating_sub(CLOSING + FLUSH);
        self.requests.close();
        if timeout_at(last, self.requests.wait()).await.is_err() {
            tracing::warn!(
                requests = self.requests.len(),
                "gave up requests that took too long"
            );
        }
        self.closing.cancel();
        self.sessions.close();
        if timeout_at(tokio::time::Instant::now() + FLUSH, self.sessions.wait())
            .await
            .is_err()
        {
            tracing::warn!(
                connections = self.sessions.len(),
                "closed connections that did not read"
            );
        }
        drain.saturating_sub(begun.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::Instant;

    use super::*;

    const DRAIN: Duration = Duration::from_secs(5);

    /// Timers count in milliseconds and round up.
    fn near(left: Duration, expected: Duration) -> bool {
        left <= expected && left + Duration::from_millis(10) >= expected
    }

    #[tokio::test(start_paused = true)]
    async fn with_nothing_running_nothing_is_waited_for() {
        let begun = Instant::now();
        assert_eq!(Shutdown::default().drain(DRAIN).await, DRAIN);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_is_waited_for_and_the_connections_close_after_it() {
        let shutdown = Shutdown::default();
        let closing = shutdown.closing().clone();
        shutdown
            .sessions()
            .spawn(async move { closing.cancelled().await });
        shutdown
            .requests()
            .spawn(tokio::time::sleep(Duration::from_secs(2)));
        let left = shutdown.drain(DRAIN).await;
        assert!(near(left, Duration::from_secs(3)), "{left:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_never_ends_leaves_time_to_close_the_databases() {
        let shutdown = Shutdown::default();
        shutdown.requests().spawn(pending::<()>());
        shutdown.sessions().spawn(pending::<()>());
        let left = shutdown.drain(DRAIN).await;
        assert!(near(left, CLOSING), "{left:?}");
    }
}
