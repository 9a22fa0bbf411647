//! Whether a character is in talk or left alone.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use soulmem_proto::ops::health::State;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The state of a character and when it was last asked something. `Idle` until it is.
#[derive(Debug)]
pub struct Activity {
    idle_after: Duration,
    now: Mutex<Now>,
    woken: Notify,
}

#[derive(Debug)]
struct Now {
    working: bool,
    last_request: Instant,
}

impl Activity {
    /// A character that is idle, and will be again that long after a request.
    pub fn new(idle_after: Duration) -> Self {
        let now = Now {
            working: false,
            last_request: Instant::now(),
        };
        Self {
            idle_after,
            now: Mutex::new(now),
            woken: Notify::new(),
        }
    }

    /// `Working` or `Idle`.
    pub fn state(&self) -> State {
        if self.now().working {
            State::Working
        } else {
            State::Idle
        }
    }

    /// Notes a request. Calls `tell` if the character was idle until now.
    pub fn touch(&self, tell: impl FnOnce(State)) {
        let mut now = self.now();
        now.last_request = Instant::now();
        if !now.working {
            now.working = true;
            // Under the lock, so that the events come in the order of the changes.
            tell(State::Working);
            self.woken.notify_one();
        }
    }

    /// Waits until the character was left alone for long enough, makes it idle and calls `tell`.
    pub async fn rest(&self, tell: impl FnOnce(State)) {
        loop {
            let Some(due) = self.due() else {
                self.woken.notified().await;
                continue;
            };
            sleep_until(due).await;
            let mut now = self.now();
            if now.last_request + self.idle_after <= Instant::now() {
                now.working = false;
                tell(State::Idle);
                return;
            }
        }
    }

    /// Waits until the character is asked something.
    pub async fn woken(&self) {
        while self.state() == State::Idle {
            self.woken.notified().await;
        }
    }

    /// Makes the character idle at once and calls `tell` if it was not: it is being closed.
    pub fn end(&self, tell: impl FnOnce(State)) {
        let mut now = self.now();
        if now.working {
            now.working = false;
            tell(State::Idle);
        }
    }

    /// When it will be idle if nothing more comes; never while it is so already.
    fn due(&self) -> Option<Instant> {
        let now = self.now();
        now.working.then(|| now.last_request + self.idle_after)
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use futures::FutureExt;
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_wakes_and_two_minutes_without_one_rest() {
        let activity = Activity::new(Duration::from_secs(120));
        let told = RefCell::new(Vec::new());
        let tell = |state| told.borrow_mut().push(state);
        assert_eq!(activity.state(), State::Idle);
        assert!(activity.rest(tell).now_or_never().is_none());

        activity.touch(tell);
        assert_eq!(activity.state(), State::Working);
        advance(Duration::from_secs(100)).await;
        activity.touch(tell);
        advance(Duration::from_secs(119)).await;
        assert!(activity.rest(tell).now_or_never().is_none());
        assert_eq!(activity.state(), State::Working);
        activity.rest(tell).await;
        assert_eq!(activity.state(), State::Idle);
        activity.touch(tell);
        assert_eq!(
            *told.borrow(),
            [State::Working, State::Idle, State::Working]
        );
    }
}
