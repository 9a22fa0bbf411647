//! Step 7: everything that a batch came to, in one transaction with the place that it reaches to.

use std::collections::BTreeSet;

use soulmem_engine::model::{
    IdSource, MemoryLink, MemoryNote, MemoryType, MessageId, NoteId, Source,
};
use soulmem_engine::text::key;
use soulmem_proto::ops::consolidate::ConsolidationReport;
use uuid::Uuid;

use super::generalise::Generalised;
use super::identify::{Identified, Learned};
use super::material::Material;
use super::{associate, fail_here, strengthen};
use crate::store::{Job, Links, NoteWrite, OnExisting, Result, Tx};

/// Names that a note may have been called by.
const MAX_ALIASES: usize = 32;

/// What one batch writes.
#[derive(Debug)]
pub struct Batch {
    /// Its notes, and what notes learn.
    pub identified: Identified,
    /// Its links with what it names.
    pub links: Vec<MemoryLink>,
    /// What was in mind lately.
    pub companions: Vec<NoteId>,
    /// The messages that it is made from, oldest first.
    pub said: Vec<MessageId>,
}

impl Batch {
    /// Writes it, and notes in the job how far that is. Gives the report so far.
    ///
    /// Where one of its messages was erased meanwhile nothing is written: it has to be made again from what is left.
    pub fn write(
        &self,
        tx: &Tx,
        job: Uuid,
        so_far: &ConsolidationReport,
        ids: &dyn IdSource,
    ) -> Result<ConsolidationReport> {
        fail_here!("consolidate::write");
        let mut report = so_far.clone();
        for id in &self.said {
            if tx.message(*id)?.is_none() {
                return Ok(report);
            }
        }
        report.messages += self.said.len() as u64;
        let writes: Vec<NoteWrite> = self.identified.created.iter().map(new).collect();
        tx.put_notes(&writes)?;
        let created: Vec<NoteId> = writes.iter().map(|write| write.note.id).collect();
        for (id, learned) in &self.identified.merged {
            if teach(tx, *id, learned)? && !created.contains(id) {
                add_once(&mut report.merged, id.0);
            }
        }
        for (old, new) in &self.identified.superseded {
            let there = tx.note(*old)?;
            // It was erased or corrected by somebody else meanwhile.
            if there.is_some_and(|note| note.note.superseded_by.is_none()) {
                tx.supersede(*old, *new, tx.now())?;
                add_once(&mut report.superseded, old.0);
            }
        }
        let together = associate::with_companions(&created, &self.companions, ids);
        report.linked += associate::put(tx, &self.links)? + associate::put(tx, &together)?;
        report.created.extend(created.iter().map(|id| id.0));
        if let Some(last) = self.said.last() {
            tx.set_consolidated(*last)?;
        }
        keep_progress(tx, job, &report)?;
        fail_here!("consolidate::written");
        Ok(report)
    }
}

/// Ends the run: links move by use, patterns are written, what was learnt from is let go, the job is done.
pub fn finish(
    tx: &Tx,
    job: Uuid,
    material: &Material,
    generalised: &Generalised,
    so_far: &ConsolidationReport,
) -> Result<ConsolidationReport> {
    fail_here!("consolidate::finish");
    let mut report = so_far.clone();
    let moved = strengthen::by_use(tx, &material.recalls)?;
    report.strengthened += moved.strengthened;
    report.weakened += moved.weakened;
    report.pruned += moved.pruned;
    let writes: Vec<NoteWrite> = generalised.notes.iter().map(new).collect();
    tx.put_notes(&writes)?;
    report
        .created
        .extend(generalised.notes.iter().map(|note| note.id.0));
    report.linked += associate::put(tx, &generalised.links)?;
    tx.prune_recalls(material.recalled_through)?;
    report.summary_cleared = tx.clear_summary()?;
    tx.prune_llm_replies(job)?;
    let text = serde_json::to_string(&report).unwrap_or_default();
    tx.finish_job(job, &text)?;
    Ok(report)
}

/// What a job that was cut short had come to.
pub fn progress(job: &Job) -> ConsolidationReport {
    job.progress
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

fn keep_progress(tx: &Tx, job: Uuid, report: &ConsolidationReport) -> Result<()> {
    let text = serde_json::to_string(report).unwrap_or_default();
    tx.set_job_progress(job, &text).map(drop)
}

fn new(note: &MemoryNote) -> NoteWrite {
    NoteWrite {
        note: note.clone(),
        on_existing: OnExisting::Refuse,
        links: Links::Set,
    }
}

/// Lets a note learn. False where it is gone or knew it all.
fn teach(tx: &Tx, id: NoteId, learned: &Learned) -> Result<bool> {
    let Some(stored) = tx.note(id)? else {
        return Ok(false);
    };
    let mut note = stored.note;
    let before = note.source.len();
    let sources: BTreeSet<Source> = note.source.iter().cloned().collect();
    note.source.extend(
        learned
            .sources
            .iter()
            .map(|id| Source::Message { id: *id })
            .filter(|source| !sources.contains(source)),
    );
    // Each message that says it again is one more activation.
    note.affect.activation_count += (note.source.len() - before) as f64;
    for tag in &learned.tags {
        if !note.tags.contains(tag) {
            note.tags.push(tag.clone());
        }
    }
    if let MemoryType::Semantic(semantic) = &mut note.mem_type {
        let own: BTreeSet<String> = semantic
            .aliases
            .iter()
            .chain([&semantic.content])
            .map(|name| key(name))
            .collect();
        let more = learned
            .aliases
            .iter()
            .filter(|alias| !own.contains(&key(alias)));
        let room = MAX_ALIASES.saturating_sub(semantic.aliases.len());
        semantic.aliases.extend(more.take(room).cloned());
    }
    let written = tx.put_notes(&[NoteWrite {
        note,
        on_existing: OnExisting::Replace,
        links: Links::Keep,
    }])?;
    Ok(written
        .iter()
        .any(|note| note.change != crate::store::Change::Unchanged))
}

fn add_once(list: &mut Vec<Uuid>, id: Uuid) {
    if !list.contains(&id) {
        list.push(id);
    }
}
