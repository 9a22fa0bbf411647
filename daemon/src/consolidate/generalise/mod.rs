//! Step 6: what several situations share becomes a pattern; what recurs in a pattern becomes a way of acting.

mod elements;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use soulmem_engine::model::{
    AbstractSituation, Action, ActionType, Clock, Event, IdSource, LinkDraft, LinkType, MemoryLink,
    MemoryNote, MemoryType, NoteDraft, NoteId, NoteKind, ProcLink, ProcMemory, SituationLink,
    SituationMemory, Source,
};
use soulmem_engine::text::key;
use uuid::Uuid;

use self::elements::{Aspect, elements, has, lived};
use super::fail_here;
use super::known::Known;
use crate::store::Result;

/// Situations that must share an element, and acts that must recur.
const RECURS: usize = 3;
/// Situations that are looked through for one element.
const LOOKED_AT: usize = 64;

/// What is new in the end.
#[derive(Debug, Default)]
pub struct Generalised {
    /// Patterns and ways of acting.
    pub notes: Vec<MemoryNote>,
    /// Links between them and what they were seen in.
    pub links: Vec<MemoryLink>,
}

/// A pattern with the situations that follow it.
struct Pattern {
    id: NoteId,
    followers: Vec<Arc<MemoryNote>>,
}

/// Finds patterns in the new situations and those like them. The character itself takes part in everything it
/// remembers: `own` names make no pattern.
pub fn find(
    new: &[Arc<MemoryNote>],
    own: &BTreeSet<String>,
    known: &dyn Known,
    clock: &dyn Clock,
    ids: &dyn IdSource,
    job: Uuid,
) -> Result<Generalised> {
    fail_here!("consolidate::generalise");
    let mut generalised = Generalised::default();
    let source = Source::Consolidation {
        job: job.to_string(),
    };
    for ((aspect, name), shown) in elements(new, own) {
        let Some(pattern) = pattern(aspect, &name, &shown, new, known)? else {
            continue;
        };
        let id = if let Some(id) = pattern.known {
            id
        } else {
            let body = MemoryType::Situation(SituationMemory::AbstractSituation(shown));
            let draft = NoteDraft::new(body).from_source(source.clone());
            let Ok(note) = draft.build(clock, ids) else {
                continue;
            };
            let id = note.id;
            generalised.notes.push(note);
            id
        };
        generalised.link_followers(id, &pattern.followers, ids);
        let pattern = Pattern {
            id,
            followers: pattern.followers,
        };
        generalised.add_habits(&pattern, own, known, (clock, ids), &source)?;
    }
    Ok(generalised)
}

struct Found {
    known: Option<NoteId>,
    followers: Vec<Arc<MemoryNote>>,
}

/// The pattern of an element, and the situations that share it: where there is one already only the new ones have to
/// join it, else it takes three.
fn pattern(
    aspect: Aspect,
    name: &str,
    shown: &AbstractSituation,
    new: &[Arc<MemoryNote>],
    known: &dyn Known,
) -> Result<Option<Found>> {
    let mut followers: BTreeMap<NoteId, Arc<MemoryNote>> = new
        .iter()
        .filter(|note| has(note, aspect, name))
        .map(|note| (note.id, Arc::clone(note)))
        .collect();
    for note in known.alike(name, NoteKind::SpecificSituation, LOOKED_AT)? {
        if note.superseded_by.is_none() && has(&note, aspect, name) {
            followers.insert(note.id, note);
        }
    }
    let named = known.named(name)?;
    let there = named.iter().find(|note| {
        matches!(&note.mem_type,
            MemoryType::Situation(SituationMemory::AbstractSituation(other))
                if std::mem::discriminant(other) == std::mem::discriminant(shown))
    });
    if there.is_none() && followers.len() < RECURS {
        return Ok(None);
    }
    Ok(Some(Found {
        known: there.map(|note| note.id),
        followers: followers.into_values().collect(),
    }))
}

impl Generalised {
    fn link_followers(
        &mut self,
        pattern: NoteId,
        followers: &[Arc<MemoryNote>],
        ids: &dyn IdSource,
    ) {
        for note in followers {
            let both = [
                (pattern, note.id, SituationLink::AbstractToSpecific {}),
                (note.id, pattern, SituationLink::SpecificToAbstract {}),
            ];
            let there = note.mem_links.iter().any(|link| link.to == pattern);
            for (from, to, kind) in both.into_iter().filter(|_| !there) {
                let draft = LinkDraft::new(to, LinkType::Situation(kind)).starting_from(from);
                self.links.extend(draft.build(ids));
            }
        }
    }

    /// What the character did three times in a pattern it tends to do there, as often as it did.
    fn add_habits(
        &mut self,
        pattern: &Pattern,
        own: &BTreeSet<String>,
        known: &dyn Known,
        (clock, ids): (&dyn Clock, &dyn IdSource),
        source: &Source,
    ) -> Result<()> {
        let mut acts: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for lived in pattern.followers.iter().filter_map(|note| lived(note)) {
            let done: BTreeMap<String, &Event> = lived
                .context
                .event
                .iter()
                .filter(|event| own.contains(&key(&event.initiator)))
                .map(|event| (key(&event.action), event))
                .collect();
            for (name, event) in done {
                acts.entry(name)
                    .or_insert_with(|| (event.action.clone(), 0))
                    .1 += 1;
            }
        }
        for (name, (action, times)) in acts.into_iter().filter(|(_, (_, times))| *times >= RECURS) {
            let prob = times as f64 / pattern.followers.len() as f64;
            let there = known.alike(&action, NoteKind::Procedure, LOOKED_AT)?;
            let there = there.iter().find(|note| {
                matches!(&note.mem_type, MemoryType::Procedure(own) if key(&own.action.content) == name)
            });
            let habit = match there {
                Some(note) => note.id,
                None => match self.procedure(&name, &action, (clock, ids), source) {
                    Some(id) => id,
                    None => continue,
                },
            };
            let link_type = LinkType::Proc(ProcLink::TrigToAction { prob });
            self.links.extend(
                LinkDraft::new(habit, link_type)
                    .starting_from(pattern.id)
                    .build(ids),
            );
        }
        Ok(())
    }

    fn procedure(
        &mut self,
        name: &str,
        action: &str,
        (clock, ids): (&dyn Clock, &dyn IdSource),
        source: &Source,
    ) -> Option<NoteId> {
        let pending = self.notes.iter().find(|note| {
            matches!(&note.mem_type, MemoryType::Procedure(own) if key(&own.action.content) == name)
        });
        if let Some(note) = pending {
            return Some(note.id);
        }
        let body = MemoryType::Procedure(ProcMemory {
            action: Action {
                content: action.to_owned(),
                action_type: ActionType::Skill {},
            },
        });
        let note = NoteDraft::new(body)
            .from_source(source.clone())
            .build(clock, ids)
            .ok()?;
        let id = note.id;
        self.notes.push(note);
        Some(id)
    }
}
