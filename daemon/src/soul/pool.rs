//! A bounded pool for work that keeps a processor busy or waits for the disk.

use std::panic::resume_unwind;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, spawn_blocking};
use tracing::{Instrument, Span};

/// Runs blocking work beside the asynchronous threads, so many pieces at once and no more: what is over
/// waits its turn, in order, and can still be given up while it waits.
#[derive(Debug, Clone)]
pub struct Pool {
    permits: Arc<Semaphore>,
}

impl Pool {
    /// A pool that runs up to `width` pieces of work at once (at least one).
    pub fn new(width: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(width.max(1))),
        }
    }

    /// Runs `work` in the span of the caller and gives back what it returns. A panic in it goes on in the
    /// caller. Once started it runs to its end, even if the caller stops waiting.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let span = Span::current();
        let started = spawn_blocking(move || {
            let _permit = permit;
            span.in_scope(work)
        });
        unless_torn_down(started).await
    }
}

/// Runs blocking work that takes long and mostly waits for the disk, beside the pool: it must not take the place of what
/// answers requests.
pub async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let span = Span::current();
    unless_torn_down(spawn_blocking(move || span.in_scope(work))).await
}

/// Runs `work` to its end even if the caller stops waiting: for what must not be left half done.
pub async fn to_the_end<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    unless_torn_down(tokio::spawn(work.in_current_span())).await
}

/// What a task comes to; its panic goes on in the caller.
async fn unless_torn_down<T>(task: JoinHandle<T>) -> T {
    match task.await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // Only a runtime that is being torn down cancels these tasks: nobody waits any more.
            Err(_) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt;
    use futures::future::join_all;

    use super::*;

    #[tokio::test]
    async fn no_more_than_its_width_runs_at_once() {
        let pool = Pool::new(2);
        let running = Arc::new(AtomicUsize::new(0));
        let work = || {
            let running = Arc::clone(&running);
            pool.run(move || {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                std::thread::yield_now();
                running.fetch_sub(1, Ordering::SeqCst);
                now
            })
        };
        let seen = join_all((0..200).map(|_| work())).await;
        assert!(seen.iter().all(|at_once| *at_once <= 2), "{seen:?}");
    }

    #[tokio::test]
    async fn a_panic_reaches_the_caller_and_the_pool_goes_on() {
        let pool = Pool::new(1);
        let met = std::panic::AssertUnwindSafe(pool.run(|| panic!("met")))
            .catch_unwind()
            .await;
        assert_eq!(met.unwrap_err().downcast_ref::<&str>(), Some(&"met"));
        assert_eq!(pool.run(|| 7).await, 7);
    }
}
