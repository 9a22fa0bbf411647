//! Trying again: whether, and after how long.

use std::time::Duration;

use super::fault::Fault;

/// The longest wait that an endpoint may ask for. One that wants more is given up for this time.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The longest wait that doubling leads to.
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

/// How often, and how long between.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retries {
    /// Attempts beyond the first.
    pub most: u32,
    /// The longest wait before the second attempt; it doubles with each.
    pub backoff: Duration,
}

impl Retries {
    /// How long to wait after a fault before attempt `done + 1`, `done` attempts after the first having been repeated
    /// already. None where it is given up. `chance`, from 0 to 1, spreads those who wait, from half of the time to all
    /// of it; what the endpoint itself asked for is waited in any case.
    pub fn wait(&self, fault: &Fault, done: u32, chance: f64) -> Option<Duration> {
        if done >= self.most || !fault.may_pass() {
            return None;
        }
        let longest = self.backoff.saturating_mul(1_u32 << done.min(16));
        let spread = longest.min(LONGEST_BACKOFF).mul_f64(0.5 + chance / 2.0);
        match fault {
            Fault::Status {
                retry_after: Some(asked),
                ..
            } => (*asked <= LONGEST_WAIT).then(|| spread.max(*asked)),
            _ => Some(spread),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRIES: Retries = Retries {
        most: 3,
        backoff: Duration::from_millis(500),
    };

    fn busy(retry_after: Option<u64>) -> Fault {
        Fault::Status {
            status: 429,
            message: String::new(),
            retry_after: retry_after.map(Duration::from_secs),
        }
    }

    #[test]
    fn waits_double_are_spread_and_come_to_an_end() {
        let wait = |done, chance| RETRIES.wait(&busy(None), done, chance);
        let millis = |millis| Some(Duration::from_millis(millis));
        assert_eq!([wait(0, 0.0), wait(0, 1.0)], [millis(250), millis(500)]);
        assert_eq!([wait(1, 0.0), wait(1, 1.0)], [millis(500), millis(1_000)]);
        assert_eq!(wait(2, 0.5), millis(1_500));
        assert_eq!(wait(3, 0.5), None);
    }

    #[test]
    fn no_wait_is_longer_than_half_a_minute() {
        let many = Retries {
            most: 100,
            ..RETRIES
        };
        assert_eq!(many.wait(&busy(None), 99, 1.0), Some(LONGEST_BACKOFF));
    }

    #[test]
    fn what_the_endpoint_asks_for_is_kept_within_reason() {
        assert_eq!(
            RETRIES.wait(&busy(Some(7)), 0, 0.0),
            Some(Duration::from_secs(7))
        );
        assert_eq!(RETRIES.wait(&busy(Some(0)), 0, 1.0), Some(RETRIES.backoff));
        assert_eq!(RETRIES.wait(&busy(Some(3_600)), 0, 0.0), None);
    }

    #[test]
    fn what_cannot_pass_is_not_waited_for() {
        assert_eq!(RETRIES.wait(&Fault::TooLong(1), 0, 0.0), None);
    }
}
