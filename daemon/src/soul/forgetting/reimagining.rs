//! Blurred memories told anew by somebody who can: a language model.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use jiff::Timestamp;
use lru::LruCache;
use serde_json::json;
use soulmem_engine::forget::blur::{REIMAGINE_AGAIN, anchors_in, told_fields};
use soulmem_engine::forget::reimagine::{Alignment, accepted, aligned};
use soulmem_engine::forget::{Mask, Retention, fades};
use soulmem_engine::model::{Field, MemoryNote, MemoryType, NoteId, SemMemory};
use soulmem_proto::SoulName;

use super::telling::tell;
use crate::soul::error::Result;
use crate::soul::mind::Mind;
use crate::store::{Reimagined, Store, StoredNote, View};

/// Notes of which it is remembered that nothing came of asking, so that it is not asked again at every turn.
const TRIED: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// Somebody who tells blurred memories anew.
///
/// What it is given is text that somebody once said, and may hold anything, instructions too. What it gives back is checked
/// before it is kept, and kept only as the telling of this one memory.
pub trait Reimagine: Send + Sync {
    /// Tells a memory anew, or says why it cannot. The memory then stays masked.
    fn tell<'a>(
        &'a self,
        memory: &'a BlurredMemory,
    ) -> BoxFuture<'a, std::result::Result<Suggestion, String>>;
}

/// A memory as far as it is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct BlurredMemory {
    /// Whose it is.
    pub soul: SoulName,
    /// The language that the character lives in, a BCP 47 tag.
    pub locale: Option<String>,
    /// Its texts with their masks.
    pub texts: Vec<(Field, String)>,
    /// Names and type, of something known.
    pub known: Option<SemMemory>,
    /// How much of it is missing, from 0 to 1.
    pub degree: f64,
}

/// How it might be told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suggestion {
    /// Its texts told anew.
    pub texts: Vec<(Field, String)>,
    /// Names and type of something known, where there is anything to say of them.
    pub alignment: Option<Alignment>,
}

/// Has the blurred memories of one character told anew, each once for how far it has faded.
pub struct Reteller {
    soul: SoulName,
    store: Store,
    mind: Arc<Mind>,
    model: Arc<dyn Reimagine>,
    /// The degrees that were tried last.
    tried: Mutex<LruCache<NoteId, f64>>,
}

/// A telling that is to be kept.
struct Kept {
    field: Field,
    borders: Vec<(u32, u32)>,
    version: Reimagined,
}

impl Reteller {
    /// Nothing tried yet.
    pub fn new(soul: SoulName, store: Store, mind: Arc<Mind>, model: Arc<dyn Reimagine>) -> Self {
        Self {
            soul,
            store,
            mind,
            model,
            tried: Mutex::new(LruCache::new(TRIED)),
        }
    }

    /// Has notes told anew that have faded far enough by `now`. One that cannot be stays masked.
    pub async fn retell(&self, ids: Vec<NoteId>, now: Timestamp) {
        for id in ids {
            if let Err(error) = self.retell_one(id, now).await {
                tracing::warn!(note = %id, %error, "a telling could not be kept");
            }
        }
    }

    async fn retell_one(&self, id: NoteId, now: Timestamp) -> Result<()> {
        let Some((stored, memory)) = self.due(id, now)? else {
            return Ok(());
        };
        let suggested = match self.model.tell(&memory).await {
            Ok(suggested) => suggested,
            Err(reason) => {
                tracing::info!(note = %id, reason, "a memory is not told anew; it stays masked");
                return Ok(());
            }
        };
        let kept = kept(&stored.note, &memory, &suggested);
        let revision = stored.note.revision;
        let write = self.store.write(move |tx| {
            for telling in &kept {
                tx.keep_telling(
                    id,
                    revision,
                    telling.field,
                    &telling.borders,
                    &telling.version,
                )?;
            }
            Ok(())
        });
        Ok(write.await?)
    }

    /// The memory as it is to be told anew, if that is due and was not tried for this degree.
    fn due(&self, id: NoteId, now: Timestamp) -> Result<Option<(StoredNote, BlurredMemory)>> {
        let left = self.mind.look(|indexes, fading| {
            let index = indexes.graph.index_of(id);
            index.map_or(Retention::FULL, |index| fading.retention(index, now))
        })?;
        let profile = self.mind.curves().notes;
        let found = self.store.read(|view| {
            let Some(stored) = view.note(id)? else {
                return Ok(None);
            };
            let told = tell(view, &profile, &Arc::new(stored.note.clone()), left)?;
            Ok(told.aftermath.reimagining_due.then_some(stored))
        })?;
        let degree = profile.shown_degree(left);
        let Some(stored) = found.filter(|stored| fades(&stored.note)) else {
            return Ok(None);
        };
        if !self.begin(id, degree) {
            return Ok(None);
        }
        let locale = self.store.read(View::profile)?.locale;
        let memory = BlurredMemory {
            soul: self.soul.clone(),
            locale,
            texts: masked(&stored.note, degree),
            known: known(&stored.note).cloned(),
            degree,
        };
        Ok(Some((stored, memory)))
    }

    /// Notes that a degree is tried; false where it was before, or one that is hardly less.
    fn begin(&self, id: NoteId, degree: f64) -> bool {
        let mut tried = self.tried();
        let before = tried.get(&id).copied();
        let anew = before.is_none_or(|before| (degree - before).abs() >= REIMAGINE_AGAIN);
        if anew {
            tried.put(id, degree);
        }
        anew
    }

    fn tried(&self) -> MutexGuard<'_, LruCache<NoteId, f64>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn masked(note: &MemoryNote, degree: f64) -> Vec<(Field, String)> {
    let masked = |(field, text): (Field, &str)| {
        let mask = Mask::new(text, None, &anchors_in(note, field));
        (field, mask.told(text, degree))
    };
    told_fields(note).into_iter().map(masked).collect()
}

fn known(note: &MemoryNote) -> Option<&SemMemory> {
    match &note.mem_type {
        MemoryType::Semantic(known) => Some(known),
        _ => None,
    }
}

/// What of a suggestion is kept: tellings of texts that the memory has, and names and type where they came out otherwise.
fn kept(note: &MemoryNote, memory: &BlurredMemory, suggested: &Suggestion) -> Vec<Kept> {
    let version = |text| Reimagined {
        text,
        degree: memory.degree,
    };
    let mut kept = Vec::new();
    for (field, original) in told_fields(note) {
        let telling = suggested.texts.iter().find(|(told, _)| *told == field);
        if let Some(text) = telling.and_then(|(_, telling)| accepted(original, telling)) {
            kept.push(Kept {
                field,
                borders: Mask::new(original, None, &[]).borders(),
                version: version(text),
            });
        }
    }
    if let (Some(known), Some(alignment)) = (known(note), &suggested.alignment) {
        let now = aligned(known, alignment, memory.degree);
        if (&now.aliases, now.concept_type) != (&known.aliases, known.concept_type) {
            let names = json!({"aliases": now.aliases, "concept_type": now.concept_type});
            kept.push(Kept {
                field: Field::Alias,
                borders: Vec::new(),
                version: version(names.to_string()),
            });
        }
    }
    kept
}
