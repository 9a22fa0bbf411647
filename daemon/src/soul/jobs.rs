//! The work of a character's own: at most one piece of it at once, and over all characters no more than a bound.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use soulmem_proto::ops::consolidate::ConsolidationReport;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// What a job came to: its report, or why it was given up.
pub type JobOutcome = Result<ConsolidationReport, String>;

/// A job that others may wait for too.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// Which job.
    pub id: Uuid,
    outcome: watch::Receiver<Option<JobOutcome>>,
}

/// Tells those who wait for a job what it came to.
#[derive(Debug)]
pub struct Teller(watch::Sender<Option<JobOutcome>>);

/// The right to run a job, given back when it is dropped.
pub struct Running<'j> {
    _turn: tokio::sync::MutexGuard<'j, ()>,
    _place: OwnedSemaphorePermit,
}

/// What a character works at by itself.
#[derive(Debug, Default)]
pub struct Jobs {
    /// Held by the job that runs.
    turn: tokio::sync::Mutex<()>,
    consolidation: Mutex<Option<Ticket>>,
    /// A summary was asked for and has not begun.
    summary_waits: AtomicBool,
    ending: CancellationToken,
}

impl Ticket {
    /// A job that is about to run, and what its outcome is to be told with.
    pub fn issue(id: Uuid) -> (Self, Teller) {
        let (teller, outcome) = watch::channel(None);
        (Self { id, outcome }, Teller(teller))
    }

    /// A job that ended before.
    pub fn of_ended(id: Uuid, outcome: JobOutcome) -> Self {
        let (_, outcome) = watch::channel(Some(outcome));
        Self { id, outcome }
    }

    /// Waits for its outcome.
    pub async fn outcome(mut self) -> JobOutcome {
        let told = self.outcome.wait_for(Option::is_some).await;
        let outcome = told.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or_else(|| Err("the job was cut short and goes on after a restart".into()))
    }

    /// Whether it ended.
    pub fn has_ended(&self) -> bool {
        self.outcome.borrow().is_some() || self.outcome.has_changed().is_err()
    }
}

impl Teller {
    /// Tells the outcome.
    pub fn tell(self, outcome: JobOutcome) {
        self.0.send_replace(Some(outcome));
    }
}

impl Jobs {
    /// Waits until no other job of the character runs and there is a place among the jobs of all. None once the
    /// character is being closed.
    pub async fn begin(&self, places: &Arc<Semaphore>) -> Option<Running<'_>> {
        let begin = async {
            let turn = self.turn.lock().await;
            let place = Arc::clone(places).acquire_owned().await.ok()?;
            Some(Running {
                _turn: turn,
                _place: place,
            })
        };
        self.ending.run_until_cancelled(begin).await.flatten()
    }

    /// Whether what runs is to stop at the next place where that is safe.
    pub fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// The ticket of this job if it is the one that was issued last.
    pub fn ticket(&self, id: Uuid) -> Option<Ticket> {
        self.consolidation()
            .as_ref()
            .filter(|ticket| ticket.id == id)
            .cloned()
    }

    /// The ticket of a job, and the teller for whoever is the first to ask for it and has to run it.
    pub fn ticket_or_issue(&self, id: Uuid) -> (Ticket, Option<Teller>) {
        let mut last = self.consolidation();
        if let Some(ticket) = last
            .as_ref()
            .filter(|ticket| ticket.id == id && !ticket.has_ended())
        {
            return (ticket.clone(), None);
        }
        let (ticket, teller) = Ticket::issue(id);
        *last = Some(ticket.clone());
        (ticket, Some(teller))
    }

    /// Asks for a summary. False where one that was asked for before has not begun: it will see everything.
    pub fn want_summary(&self) -> bool {
        !self.summary_waits.swap(true, Ordering::SeqCst)
    }

    /// Notes that the summary that was asked for begins: whatever is asked for from now on needs another.
    pub fn summary_begins(&self) {
        self.summary_waits.store(false, Ordering::SeqCst);
    }

    fn consolidation(&self) -> MutexGuard<'_, Option<Ticket>> {
        self.consolidation
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn places(count: usize) -> Arc<Semaphore> {
        Arc::new(Semaphore::new(count))
    }

    #[tokio::test]
    async fn one_job_of_a_character_waits_for_the_other() {
        let (jobs, places) = (Jobs::default(), places(8));
        let first = jobs.begin(&places).await.unwrap();
        assert!(jobs.begin(&places).now_or_never().is_none());
        drop(first);
        assert!(jobs.begin(&places).await.is_some());
    }

    #[tokio::test]
    async fn characters_share_the_places() {
        let (ann, bo, places) = (Jobs::default(), Jobs::default(), places(1));
        let first = ann.begin(&places).await.unwrap();
        assert!(bo.begin(&places).now_or_never().is_none());
        drop(first);
        assert!(bo.begin(&places).await.is_some());
    }

    #[tokio::test]
    async fn nothing_begins_once_the_character_is_closed() {
        let (jobs, places) = (Jobs::default(), places(1));
        let running = jobs.begin(&places).await.unwrap();
        let waiting = jobs.begin(&places);
        jobs.ending().cancel();
        assert!(waiting.await.is_none());
        drop(running);
        assert!(jobs.begin(&places).await.is_none());
    }

    #[tokio::test]
    async fn everyone_who_waits_for_a_job_is_told_the_same_and_one_runs_it() {
        let jobs = Jobs::default();
        let id = Uuid::from_u128(1);
        let (first, teller) = jobs.ticket_or_issue(id);
        let (second, none) = jobs.ticket_or_issue(id);
        assert!(none.is_none());
        let outcome = Err("the disk is full".to_owned());
        teller.unwrap().tell(outcome.clone());
        assert_eq!(first.outcome().await, outcome);
        assert_eq!(second.clone().outcome().await, outcome);
        assert!(second.has_ended());
    }

    #[tokio::test]
    async fn a_job_whose_runner_is_gone_is_not_waited_for_in_vain() {
        let jobs = Jobs::default();
        let (ticket, teller) = jobs.ticket_or_issue(Uuid::from_u128(1));
        drop(teller);
        assert!(ticket.clone().has_ended());
        assert!(ticket.outcome().await.is_err());
        let (_, again) = jobs.ticket_or_issue(Uuid::from_u128(1));
        assert!(again.is_some());
    }

    #[test]
    fn summaries_asked_for_before_one_begins_are_one() {
        let jobs = Jobs::default();
        assert!(jobs.want_summary());
        assert!(!jobs.want_summary());
        jobs.summary_begins();
        assert!(jobs.want_summary());
    }
}
