//! What a round of forgetting makes of each note: a batch at a time, so that memory is bounded and nobody waits.

use std::sync::Arc;

use jiff::Timestamp;
use soulmem_engine::forget::archive::effective_intensity;
use soulmem_engine::forget::decay::{Settled, settle};
use soulmem_engine::forget::{Profile, Retention, Stage, Ties, fades, is_to_be_archived};
use soulmem_engine::graph::MemoryGraph;
use soulmem_engine::model::{MemoryNote, NoteId};
use soulmem_proto::ops::forget::ForgetReport;

use crate::soul::error::Result;
use crate::soul::mind::{Fading, Mind};
use crate::store::{NoteFilter, Seq, Store, StoredNote, View};

/// Notes that are looked at in one go. Reading, judging and writing back so many takes a few milliseconds, and that is the
/// longest that anything else has to wait for it.
const BATCH: usize = 128;

/// Some notes, looked at.
#[derive(Debug)]
pub struct Batch {
    /// What was found, in the order of their writing.
    pub notes: Vec<Assessed>,
    /// Where the next batch goes on, if there is one.
    pub next: Option<Seq>,
}

/// A note, looked at.
#[derive(Debug)]
pub struct Assessed {
    /// The note.
    pub note: Arc<MemoryNote>,
    /// How much of it is left.
    pub retention: Retention,
    /// What is done to it when it is told.
    pub stage: Stage,
    /// Whether the character has words of its own for it.
    pub reimagined: bool,
    /// What the cycle makes of it, where it does not stay as it is.
    pub settled: Option<Settled>,
    /// Whether it is to be taken out of recall.
    pub archive: bool,
    /// Links that count for less because of it, and those among them that lead nowhere any more.
    links: (u64, u64),
}

/// Looks at the notes after a place in the sequence of writing. Blocks for two short reads.
pub fn assess(store: &Store, mind: &Mind, now: Timestamp, after: Option<Seq>) -> Result<Batch> {
    let page = store.read(|view| view.list_notes(&NoteFilter::default(), now, after, BATCH))?;
    let profile = mind.curves().notes;
    let mut notes: Vec<Assessed> = mind.look(|indexes, fading| {
        let assess = |stored| assess_one(stored, &profile, &indexes.graph, fading, now);
        page.items.into_iter().map(assess).collect()
    })?;
    store.read(|view| mark_reimagined(view, &mut notes))?;
    Ok(Batch {
        notes,
        next: page.next,
    })
}

fn assess_one(
    stored: StoredNote,
    profile: &Profile,
    graph: &MemoryGraph,
    fading: &Fading,
    now: Timestamp,
) -> Assessed {
    let left = |id: NoteId| {
        let index = graph.index_of(id);
        index.map_or(Retention::FULL, |index| fading.retention(index, now))
    };
    let retention = left(stored.note.id);
    let in_recall = stored.archived_at.is_none();
    let ties = || {
        let held = graph
            .links_to(stored.note.id)
            .into_iter()
            .any(|view| effective_intensity(view.link.intensity, left(view.from)).is_some());
        if held { Ties::Held } else { Ties::Loose }
    };
    // Only what is nearly gone is asked for what leads to it.
    let nearly_gone = is_to_be_archived(&stored.note, retention, Ties::Loose);
    let told = fades(&stored.note) && in_recall;
    let stage = Stage::at(profile.shown_degree(retention));
    Assessed {
        retention,
        stage: if told { stage } else { Stage::Whole },
        reimagined: false,
        settled: settle(&stored.note.affect, now).filter(|_| in_recall),
        archive: in_recall && nearly_gone && ties() == Ties::Loose,
        links: faded_links(&stored.note, retention),
        note: Arc::new(stored.note),
    }
}

fn faded_links(note: &MemoryNote, retention: Retention) -> (u64, u64) {
    if Stage::at(retention.missing_degree()) == Stage::Whole {
        return (0, 0);
    }
    let leads_nowhere = |intensity| effective_intensity(intensity, retention).is_none();
    let links = note.mem_links.iter();
    let pruned = links.filter(|link| leads_nowhere(link.intensity)).count();
    (note.mem_links.len() as u64, pruned as u64)
}

fn mark_reimagined(view: &View, notes: &mut [Assessed]) -> crate::store::Result<()> {
    let far = notes
        .iter_mut()
        .filter(|assessed| assessed.stage == Stage::Reimagined);
    for assessed in far {
        let versions = view.wordings_of(assessed.note.id)?;
        assessed.reimagined = versions.iter().any(|kept| kept.reimagined.is_some());
    }
    Ok(())
}

impl Assessed {
    /// Whether it is not what it was, or will not be.
    pub fn is_affected(&self) -> bool {
        self.stage != Stage::Whole || self.archive || self.settled.is_some()
    }

    /// Counts it. What is written is counted by who writes it.
    pub fn count(&self, report: &mut ForgetReport) {
        report.checked += 1;
        match self.stage {
            Stage::Whole => {}
            Stage::Masked | Stage::Reimagined if !self.reimagined => report.masked += 1,
            Stage::Masked | Stage::Reimagined => report.revised += 1,
        }
        report.edges_weakened += self.links.0;
        report.edges_pruned += self.links.1;
    }

    /// Counts what would be written.
    pub fn count_writes(&self, report: &mut ForgetReport) {
        report.archived += u64::from(self.archive);
        if let Some(settled) = &self.settled {
            report.resolved += u64::from(settled.resolved);
            report.dormant += u64::from(settled.dormant);
        }
    }
}
