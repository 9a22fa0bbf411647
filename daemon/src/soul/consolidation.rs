//! Thinking over what was said: the job that makes memories of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use soulmem_engine::consolidate::{Finding, companions};
use soulmem_engine::model::{MemoryNote, NoteId, NoteKind};
use soulmem_engine::text::key;
use soulmem_proto::ops::consolidate::ConsolidationReport;
use soulmem_proto::{ConsolidatedEvent, EventName, NoteChangedEvent, ProgressEvent};
use uuid::Uuid;

use super::aide::Aide;
use super::character::Soul;
use super::error::{Result, SoulError};
use super::jobs::{JobOutcome, Teller, Ticket};
use super::understood::By;
use super::write::WriteOrder;
use crate::consolidate::associate::with_names;
use crate::consolidate::generalise::{self, Generalised};
use crate::consolidate::identify::Identified;
use crate::consolidate::known::Known;
use crate::consolidate::material::Material;
use crate::consolidate::write::{Batch, finish, progress};
use crate::store::{Job, JobState, StoreError, Tx, View};

/// The kind of this work, as jobs are kept.
pub(super) const CONSOLIDATE: &str = "consolidate";

impl Soul {
    /// Begins a consolidation, or joins the one that is under way.
    pub async fn consolidate(&self, order: WriteOrder) -> Result<Ticket> {
        let fresh = self.world().outside.ids.next_uuid();
        let job = self
            .write(order, move |tx| open_or_queue(tx, fresh))
            .await?
            .value;
        if let Some(ticket) = self.jobs().ticket(job).filter(|ticket| !ticket.has_ended()) {
            return Ok(ticket);
        }
        if let Some(outcome) = self.outcome_of(job).await? {
            return Ok(Ticket::of_ended(job, outcome));
        }
        let (ticket, teller) = self.jobs().ticket_or_issue(job);
        if let (Some(teller), Some(soul)) = (teller, self.own()) {
            tokio::spawn(soul.run_consolidation(job, teller));
        }
        Ok(ticket)
    }

    /// Takes up again what a crash cut short.
    pub(super) async fn go_on(self: Arc<Self>) {
        if !self.lives_here() {
            return;
        }
        let open = self.read(View::open_jobs).await;
        let left = open.is_ok_and(|jobs| jobs.iter().any(|job| job.kind == CONSOLIDATE));
        if left {
            self.consolidate_by_itself().await;
        }
    }

    /// The talk is over: what none has summed up is, and what was not thought over is.
    pub(super) async fn think_over(&self) {
        let waiting = self
            .read(|view| {
                Ok((
                    !view.unsummarised(1)?.is_empty(),
                    !view.unconsolidated(1)?.is_empty(),
                ))
            })
            .await;
        let Ok((to_sum_up, to_consolidate)) = waiting else {
            return;
        };
        if to_sum_up && let Some(_running) = self.jobs().begin(&self.world().jobs).await {
            self.summarise_now().await;
        }
        if to_consolidate {
            self.consolidate_by_itself().await;
        }
    }

    async fn consolidate_by_itself(&self) {
        match self.consolidate(WriteOrder::default()).await {
            // What it came to was told and kept by whoever ran it.
            Ok(ticket) => drop(ticket.outcome().await),
            Err(SoulError::Store(StoreError::Closed)) => {}
            Err(error) => self.failed("the consolidation could not begin", &error),
        }
    }

    async fn outcome_of(&self, job: Uuid) -> Result<Option<JobOutcome>> {
        let job = self.read(move |view| view.job(job)).await?;
        Ok(job.and_then(|job| match job.state {
            JobState::Done => Some(Ok(report_of(&job))),
            JobState::Failed => Some(Err(job.error.unwrap_or_default())),
            JobState::Queued | JobState::Running => None,
        }))
    }

    async fn run_consolidation(self: Arc<Self>, job: Uuid, teller: Teller) {
        let Some(_running) = self.jobs().begin(&self.world().jobs).await else {
            return;
        };
        match self.consolidate_all(job).await {
            Ok(report) => {
                let told: Vec<Uuid> = changed(&report);
                if !told.is_empty() {
                    self.publish(EventName::NoteChanged, &NoteChangedEvent { ids: told });
                }
                let event = ConsolidatedEvent {
                    job,
                    report: report.clone(),
                };
                self.publish(EventName::Consolidated, &event);
                teller.tell(Ok(report));
            }
            // It is being closed; the job goes on when it is opened again.
            Err(SoulError::Store(StoreError::Closed)) => {}
            Err(error) => {
                self.failed("the consolidation failed", &error);
                let reason = error.to_string();
                let kept = reason.clone();
                let given_up = self.store().write(move |tx| tx.fail_job(job, &kept)).await;
                if let Err(error) = given_up {
                    tracing::warn!(soul = %self.name(), %error, "the failure is not in the job's record");
                }
                teller.tell(Err(reason));
            }
        }
    }

    /// Goes through everything that was not thought over, batch by batch.
    async fn consolidate_all(&self, job: Uuid) -> Result<ConsolidationReport> {
        let started = self.store().write(move |tx| tx.start_job(job)).await?;
        let mut report = progress(&started);
        let mut aide = Aide::new(self, job);
        loop {
            if self.jobs().ending().is_cancelled() {
                return Err(StoreError::Closed.into());
            }
            let material = Arc::new(self.read(Material::take).await?);
            if material.messages.is_empty() {
                return self.end_consolidation(job, material, report).await;
            }
            report = self.consolidate_batch(&mut aide, material, report).await?;
            self.tell_progress(report.messages).await?;
        }
    }

    async fn consolidate_batch(
        &self,
        aide: &mut Aide<'_>,
        material: Arc<Material>,
        mut report: ConsolidationReport,
    ) -> Result<ConsolidationReport> {
        let understood = aide.understand(&material).await?;
        let found = Arc::new(understood.findings);
        let mut batch = self.make_batch(&material, &found).await?;
        let (gists, without) = aide.gists(&material, &batch.identified.created).await?;
        if !gists.is_empty() {
            // Asking takes long: what is remembered may be another by now.
            batch = self.make_batch(&material, &found).await?;
            gists.give(&mut batch.identified.created);
        }
        understood
            .by
            .tell(&mut report, understood.notice.or(without));
        let (job, ids) = (aide.job(), Arc::clone(&self.world().outside.ids));
        let write = move |tx: &Tx| batch.write(tx, job, &report, &*ids);
        Ok(self.write(WriteOrder::default(), write).await?.value)
    }

    async fn make_batch(
        &self,
        material: &Arc<Material>,
        findings: &Arc<Vec<Finding>>,
    ) -> Result<Batch> {
        let (mind, outside) = (Arc::clone(self.mind()), self.world().outside.clone());
        let (material, findings) = (Arc::clone(material), Arc::clone(findings));
        let make = move || {
            let findings = findings.to_vec();
            batch(&material, findings, &*mind, &*outside.clock, &*outside.ids)
        };
        Ok(self.world().pool.run(make).await?)
    }

    async fn end_consolidation(
        &self,
        job: Uuid,
        material: Arc<Material>,
        mut report: ConsolidationReport,
    ) -> Result<ConsolidationReport> {
        if report.by.is_empty() {
            By::Rules.tell(&mut report, None);
        }
        let (mind, outside) = (Arc::clone(self.mind()), self.world().outside.clone());
        let created: Vec<NoteId> = report.created.iter().copied().map(NoteId).collect();
        let own = material.own_names().into_iter().map(key).collect();
        let find = move || {
            let new = situations(&mind.notes(&created)?);
            generalise::find(&new, &own, &*mind, &*outside.clock, &*outside.ids, job)
        };
        let generalised: Generalised = self.world().pool.run(find).await?;
        let write = move |tx: &Tx| finish(tx, job, &material, &generalised, &report);
        Ok(self.write(WriteOrder::default(), write).await?.value)
    }

    async fn tell_progress(&self, done: u64) -> Result<()> {
        let left = self
            .read(|view| {
                view.unconsolidated(usize::MAX)
                    .map(|messages| messages.len())
            })
            .await?;
        let event = ProgressEvent {
            op: CONSOLIDATE.to_owned(),
            what: "messages".to_owned(),
            done,
            total: done + left as u64,
        };
        self.publish(EventName::Progress, &event);
        Ok(())
    }
}

/// The consolidation that is under way, or else a new one.
fn open_or_queue(tx: &Tx, fresh: Uuid) -> crate::store::Result<Uuid> {
    let open = tx.open_jobs()?;
    match open.iter().find(|job| job.kind == CONSOLIDATE) {
        Some(job) => Ok(job.id),
        None => Ok(tx.queue_job(fresh, CONSOLIDATE, "{}")?.id),
    }
}

/// Steps 3 and 4 of a batch. Blocks.
fn batch(
    material: &Material,
    findings: Vec<Finding>,
    known: &dyn Known,
    clock: &dyn soulmem_engine::model::Clock,
    ids: &dyn soulmem_engine::model::IdSource,
) -> crate::store::Result<Batch> {
    let identified = Identified::decide(findings, known, clock, ids)?;
    let links = with_names(&identified, known, ids)?;
    Ok(Batch {
        identified,
        links,
        companions: companions(&material.recalls),
        said: material.ids(),
    })
}

fn situations(notes: &[Arc<MemoryNote>]) -> Vec<Arc<MemoryNote>> {
    let lived = notes
        .iter()
        .filter(|note| note.kind() == NoteKind::SpecificSituation);
    lived.cloned().collect()
}

fn report_of(job: &Job) -> ConsolidationReport {
    job.report
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

fn changed(report: &ConsolidationReport) -> Vec<Uuid> {
    let all = [&report.created, &report.merged, &report.superseded];
    let ids: BTreeSet<Uuid> = all.into_iter().flatten().copied().collect();
    ids.into_iter().collect()
}
