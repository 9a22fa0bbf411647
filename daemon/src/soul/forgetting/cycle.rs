//! The round over all notes: what matters little is resolved, what no longer surfaces falls dormant, what is nearly gone and
//! loose leaves recall.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;
use soulmem_engine::forget::decay::settle;
use soulmem_engine::forget::{MemoryTrace, Profile, Ties, is_to_be_archived};
use soulmem_engine::model::NoteId;
use soulmem_proto::EventName;
use soulmem_proto::ops::forget::ForgetReport;
use uuid::Uuid;

use super::assess::{Assessed, Batch, assess};
use crate::soul::character::Soul;
use crate::soul::error::{Result, SoulError};
use crate::soul::write::WriteOrder;
use crate::store::{Job, JobState, Seq, Tx, View};

/// What its jobs are called.
const JOB: &str = "forget";

/// How long after one round the next is due.
const EVERY: SignedDuration = SignedDuration::from_hours(24);

/// How long after a failure it is tried again.
const AGAIN: Duration = Duration::from_secs(3_600);

/// What was written of one batch.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Written {
    archived: Vec<NoteId>,
    resolved: u64,
    dormant: u64,
}

impl Soul {
    /// Goes through all notes as they are at `now`, or by the clock. Done as a job: a crash leaves it open, and doing it again
    /// changes nothing twice. One round runs at a time; everything else goes on meanwhile.
    pub async fn forget(&self, now: Option<Timestamp>, order: WriteOrder) -> Result<ForgetReport> {
        let now = now.unwrap_or_else(|| self.world().outside.clock.now());
        let (id, input) = (
            self.world().outside.ids.next_uuid(),
            json!({"now": now}).to_string(),
        );
        let queued = self
            .write(order, move |tx| Ok(tx.queue_job(id, JOB, &input)?.id))
            .await?;
        self.run_job(queued.value, now).await
    }

    /// Does a round if one is due by the clock, and says after which time the next one is.
    pub(crate) async fn forget_when_due(&self) -> Duration {
        match self.forget_if_due().await {
            Ok(wait) => wait,
            Err(SoulError::Store(crate::store::StoreError::Closed)) => AGAIN,
            Err(error) => {
                self.failed("the round of forgetting failed", &error);
                AGAIN
            }
        }
    }

    async fn forget_if_due(&self) -> Result<Duration> {
        let now = self.world().outside.clock.now();
        let last = self.read(|view| view.last_done_job(JOB)).await?;
        let since = last.map(|job| now.duration_since(job.updated_at));
        if let Some(left) = since
            .map(|since| EVERY - since)
            .filter(SignedDuration::is_positive)
        {
            return Ok(left.unsigned_abs());
        }
        let open = self.read(View::open_jobs).await?;
        match open.into_iter().find(|job| job.kind == JOB) {
            // Cut short by a crash, or by the end of the daemon.
            Some(job) => self.run_job(job.id, now).await?,
            None => self.forget(Some(now), WriteOrder::default()).await?,
        };
        Ok(EVERY.unsigned_abs())
    }

    async fn run_job(&self, id: Uuid, now: Timestamp) -> Result<ForgetReport> {
        let _one_at_a_time = self.forgetting.lock().await;
        if let Some(report) = self
            .read(move |view| view.job(id))
            .await?
            .and_then(|job| done(&job))
        {
            return Ok(report);
        }
        self.write(WriteOrder::default(), move |tx| Ok(tx.start_job(id)?.id))
            .await?;
        let report = self.round(now).await;
        let (kept, failure) = match &report {
            Ok(report) => (serde_json::to_string(report).unwrap_or_default(), None),
            Err(error) => (String::new(), Some(error.to_string())),
        };
        self.write(WriteOrder::default(), move |tx| {
            match &failure {
                None => tx.finish_job(id, &kept)?,
                Some(failure) => tx.fail_job(id, failure)?,
            };
            Ok(())
        })
        .await?;
        let report = report?;
        self.publish(EventName::Forgotten, &report);
        tracing::info!(soul = %self.name(), ?report, "a round of forgetting ended");
        Ok(report)
    }

    async fn round(&self, now: Timestamp) -> Result<ForgetReport> {
        let mut report = ForgetReport::default();
        let mut after = None;
        loop {
            let Batch { notes, next } = self.batch(now, after).await?;
            for assessed in &notes {
                assessed.count(&mut report);
            }
            let written = self.settle(notes, now).await?;
            report.archived += written.archived.len() as u64;
            report.resolved += written.resolved;
            report.dormant += written.dormant;
            self.tell_changed(written.archived);
            after = next;
            if after.is_none() {
                return Ok(report);
            }
            // Whoever waits for a processor comes first.
            tokio::task::yield_now().await;
        }
    }

    pub(super) async fn batch(&self, now: Timestamp, after: Option<Seq>) -> Result<Batch> {
        let (store, mind) = (self.store().clone(), Arc::clone(self.mind()));
        self.world()
            .pool
            .run(move || assess(&store, &mind, now, after))
            .await
    }

    async fn settle(&self, notes: Vec<Assessed>, now: Timestamp) -> Result<Written> {
        let affected: Vec<(NoteId, bool)> = notes
            .into_iter()
            .filter(|assessed| assessed.archive || assessed.settled.is_some())
            .map(|assessed| (assessed.note.id, assessed.archive))
            .collect();
        if affected.is_empty() {
            return Ok(Written::default());
        }
        let profile = self.mind().curves().notes;
        let work = move |tx: &Tx| write_back(tx, &affected, &profile, now);
        Ok(self.write(WriteOrder::default(), work).await?.value)
    }
}

/// Judges the notes anew as they are by now, and writes what comes of it.
fn write_back(
    tx: &Tx,
    affected: &[(NoteId, bool)],
    profile: &Profile,
    now: Timestamp,
) -> crate::store::Result<Written> {
    let mut written = Written::default();
    let mut loose = Vec::new();
    for (id, archive) in affected {
        let Some(stored) = tx.note(*id)? else {
            continue;
        };
        let note = stored.note;
        if let Some(settled) = settle(&note.affect, now) {
            tx.set_affect(*id, &settled.affect)?;
            written.resolved += u64::from(settled.resolved);
            written.dormant += u64::from(settled.dormant);
        }
        let left = profile.retention(&MemoryTrace::of_note(&note), now);
        if *archive && is_to_be_archived(&note, left, Ties::Loose) {
            loose.push(*id);
        }
    }
    written.archived = tx.archive_notes(&loose)?;
    Ok(written)
}

fn done(job: &Job) -> Option<ForgetReport> {
    let report = job
        .report
        .as_deref()
        .filter(|_| job.state == JobState::Done);
    report.and_then(|report| serde_json::from_str(report).ok())
}
