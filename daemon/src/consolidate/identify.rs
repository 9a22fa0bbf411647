//! Step 3: each finding against what is known: new, the same again, or a correction.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use soulmem_engine::consolidate::{Finding, Polarity, main_text};
use soulmem_engine::model::{
    Clock, ConceptType, IdSource, MemoryNote, MemoryType, MessageId, NoteDraft, NoteId, NoteKind,
    SituationMemory, Source,
};
use soulmem_engine::text::{key, similarity};

use super::fail_here;
use super::known::Known;
use crate::store::Result;

/// From this fused similarity on two notes of a type are the same.
const SAME: f64 = 0.85;
/// Notes that are compared with a finding.
pub(super) const CANDIDATES: usize = 8;
/// The part that meaning has in a fused score; the rest is spelling, which can only add.
const BLEND: f64 = 0.6;

/// What a batch makes of its findings.
#[derive(Debug, Default)]
pub struct Identified {
    /// Notes to be written, in the order in which they were found.
    pub created: Vec<MemoryNote>,
    /// What notes that are there learn.
    pub merged: BTreeMap<NoteId, Learned>,
    /// Which note takes the place of which: the old one first.
    pub superseded: Vec<(NoteId, NoteId)>,
    /// What each finding became, with the names in it.
    pub named: Vec<(NoteId, Vec<String>)>,
    /// The places of the created notes by their names, folded.
    by_name: HashMap<String, Vec<usize>>,
}

/// What a note learns from being said again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learned {
    /// Where it was said.
    pub sources: BTreeSet<MessageId>,
    /// Other names.
    pub aliases: BTreeSet<String>,
    /// More labels.
    pub tags: BTreeSet<String>,
}

impl Identified {
    /// Decides on each finding in order, so that a later one sees the earlier ones.
    pub fn decide(
        findings: Vec<Finding>,
        known: &dyn Known,
        clock: &dyn Clock,
        ids: &dyn IdSource,
    ) -> Result<Self> {
        let mut identified = Self::default();
        for finding in findings {
            fail_here!("consolidate::identify");
            identified.take_in(finding, known, clock, ids)?;
        }
        Ok(identified)
    }

    fn take_in(
        &mut self,
        finding: Finding,
        known: &dyn Known,
        clock: &dyn Clock,
        ids: &dyn IdSource,
    ) -> Result<()> {
        let id = match self.same(&finding, known)? {
            Some(id) => {
                self.learn(id, &finding);
                self.end_opposites(&finding, id, known)?;
                id
            }
            None => match built(&finding, clock, ids) {
                Some(note) => {
                    let id = note.id;
                    self.correct(&finding, id, known)?;
                    self.add(note);
                    id
                }
                None => return Ok(()),
            },
        };
        self.named.push((id, finding.names));
        Ok(())
    }

    /// The note that says the same.
    fn same(&self, finding: &Finding, known: &dyn Known) -> Result<Option<NoteId>> {
        for name in names_of(&finding.body) {
            let mut pending = self.pending(name);
            if let Some(note) =
                pending.find(|note| !self.is_superseded(note.id) && agrees(finding, note))
            {
                return Ok(Some(note.id));
            }
            let found = known.named(name)?;
            if let Some(note) = found
                .iter()
                .find(|note| self.is_current(note) && agrees(finding, note))
            {
                return Ok(Some(note.id));
            }
        }
        let text = main_text(&finding.body);
        let alike = known.alike(text, finding.kind(), CANDIDATES)?;
        let same = alike.iter().find(|note| {
            self.is_current(note)
                && agrees(finding, note)
                && !contradicts(text, main_text(&note.mem_type))
                && fused(known, text, main_text(&note.mem_type)) >= SAME
        });
        Ok(same.map(|note| note.id))
    }

    /// The notes of this batch that are called so.
    pub(super) fn pending(&self, name: &str) -> impl Iterator<Item = &MemoryNote> {
        let places = self.by_name.get(&key(name)).into_iter().flatten();
        places.filter_map(|place| self.created.get(*place))
    }

    fn add(&mut self, note: MemoryNote) {
        let place = self.created.len();
        for name in names_of(&note.mem_type) {
            self.by_name.entry(key(name)).or_default().push(place);
        }
        self.created.push(note);
    }

    fn learn(&mut self, id: NoteId, finding: &Finding) {
        let learned = self.merged.entry(id).or_default();
        learned.sources.extend(&finding.sources);
        learned.tags.extend(finding.tags.iter().cloned());
        if let MemoryType::Semantic(semantic) = &finding.body {
            learned.aliases.extend(semantic.aliases.iter().cloned());
            if key(&semantic.content).len() <= 64 {
                learned.aliases.insert(semantic.content.clone());
            }
        }
    }

    pub(super) fn is_current(&self, note: &MemoryNote) -> bool {
        note.superseded_by.is_none() && note.valid_until.is_none() && !self.is_superseded(note.id)
    }

    pub(super) fn is_superseded(&self, id: NoteId) -> bool {
        self.superseded.iter().any(|(old, _)| *old == id)
    }
}

/// The note of a finding. One that the model refuses is no note: it stays in the log as it was said.
fn built(finding: &Finding, clock: &dyn Clock, ids: &dyn IdSource) -> Option<MemoryNote> {
    let mut draft = NoteDraft::new(finding.body.clone()).tagged(finding.tags.iter().cloned());
    draft.source = finding
        .sources
        .iter()
        .map(|id| Source::Message { id: *id })
        .collect();
    draft.valid_from = Some(finding.since.min(clock.now()));
    draft.affect = finding.affect.clone();
    draft.anchors.clone_from(&finding.anchors);
    draft
        .build(clock, ids)
        .inspect_err(|error| tracing::warn!(%error, "a finding was no note"))
        .ok()
}

/// The names that two notes of the same thing would share.
fn names_of(body: &MemoryType) -> Vec<&str> {
    match body {
        MemoryType::Semantic(semantic) => std::iter::once(&semantic.content)
            .chain(&semantic.aliases)
            .map(String::as_str)
            .collect(),
        other => vec![main_text(other)],
    }
}

/// Whether a finding and a note can be the same at all: of one kind, meant the same way, of one time, and (of two
/// people of one name) introduced as the same.
fn agrees(finding: &Finding, note: &MemoryNote) -> bool {
    finding.kind() == note.kind()
        && same_way(polarity_of(note), finding)
        && same_time(finding, note)
        && !namesakes(&finding.body, &note.mem_type)
}

/// What is no longer liked is not liked.
fn same_way(told: Option<&str>, finding: &Finding) -> bool {
    let way = |tag: Option<&'static str>| match tag {
        Some("correction") if finding.kind() == NoteKind::Semantic => Some("dislike"),
        tag => tag,
    };
    let told = told.and_then(|told| {
        ["like", "dislike", "promise", "correction"]
            .into_iter()
            .find(|tag| *tag == told)
    });
    way(told) == way(finding.polarity.tag())
}

fn polarity_of(note: &MemoryNote) -> Option<&'static str> {
    [
        Polarity::Like,
        Polarity::Dislike,
        Polarity::Promise,
        Polarity::Correction,
    ]
    .into_iter()
    .filter_map(Polarity::tag)
    .find(|tag| note.tags.iter().any(|own| own == tag))
}

fn same_time(finding: &Finding, note: &MemoryNote) -> bool {
    let span = |body: &MemoryType| match body {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => Some(lived.time_span),
        _ => None,
    };
    match (span(&finding.body), span(&note.mem_type)) {
        (Some(a), Some(b)) => !finding.timed || (a.start() <= b.end() && b.start() <= a.end()),
        _ => true,
    }
}

/// Two people (or things) of one name who were introduced as different ones.
fn namesakes(a: &MemoryType, b: &MemoryType) -> bool {
    let introduced = |body: &MemoryType| match body {
        MemoryType::Semantic(semantic)
            if !semantic.description.is_empty() && semantic.concept_type == ConceptType::Entity =>
        {
            Some((key(&semantic.content), key(&semantic.description)))
        }
        _ => None,
    };
    match (introduced(a), introduced(b)) {
        (Some((name, one)), Some((same_name, other))) => {
            name == same_name && relation(&one) != relation(&other)
        }
        _ => false,
    }
}

/// What a description says that somebody is: its last word.
fn relation(description: &str) -> String {
    let last = description.split_whitespace().last().unwrap_or_default();
    if last.is_ascii() {
        return last.to_owned();
    }
    let chars: Vec<char> = last.chars().collect();
    chars[chars.len().saturating_sub(2)..].iter().collect()
}

/// Whether two texts differ in a number or in being denied: alike as they look, they say something else.
fn contradicts(a: &str, b: &str) -> bool {
    let numbers = |text: &str| -> Vec<String> {
        key(text)
            .split(|c: char| !(c.is_ascii_digit() || "零一二三四五六七八九十百千万两".contains(c)))
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let denied = |text: &str| {
        let text = key(text);
        ["不", "没", "别", "not ", "n't", "never", "no longer"]
            .iter()
            .filter(|word| text.contains(*word))
            .count()
    };
    numbers(a) != numbers(b) || denied(a) != denied(b)
}

/// `max(e, 0.6·e + 0.4·s)`: meaning and spelling on one scale.
pub(super) fn fused(known: &dyn Known, a: &str, b: &str) -> f64 {
    let spelling = similarity(a, b);
    match known.likeness(a, b) {
        Some(meaning) => meaning.max(BLEND * meaning + (1.0 - BLEND) * spelling),
        None => spelling,
    }
}

/// Whether a note is a thing that others may be about.
pub fn is_entity(note: &MemoryNote) -> bool {
    note.kind() == NoteKind::Semantic
}
