//! The answer to a write that is under way.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use super::error::{Result, StoreError};

/// A write under way: it is going to be done whether or not anybody waits for it.
///
/// Once it has answered `Ok`, the write is on the disk. Await it in async code, [`wait`](Self::wait)
/// for it elsewhere, or drop it where the answer does not matter.
#[must_use = "a write is only known to be on the disk once its answer has come"]
pub struct Pending<T> {
    answer: oneshot::Receiver<Result<T>>,
}

impl<T> Pending<T> {
    pub(super) fn new() -> (oneshot::Sender<Result<T>>, Self) {
        let (sender, answer) = oneshot::channel();
        (sender, Self { answer })
    }

    /// Waits for the answer, blocking the thread; not to be called from async code.
    pub fn wait(self) -> Result<T> {
        self.answer
            .blocking_recv()
            .unwrap_or(Err(StoreError::Closed))
    }

    /// Lets the write go on without waiting for its answer.
    pub fn forget(self) {}
}

impl<T> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answer)
            .poll(context)
            .map(|answer| answer.unwrap_or(Err(StoreError::Closed)))
    }
}
