//! A note as the character still tells it.

use std::borrow::Cow;

use super::curve::{Retention, Stage};
use super::exempt::fades;
use super::mask::Mask;
use super::profile::Profile;
use crate::model::{Anchor, Field, MemoryNote, MemoryType, SituationMemory};
use crate::text::words;

/// A content of so many words is a sentence, whatever it ends with: names are shorter.
const SENTENCE_WORDS: usize = 8;

/// The marks that end a sentence.
const SENTENCE_ENDS: [char; 8] = ['.', '!', '?', '…', '。', '！', '？', '．'];

/// What was kept of how one text of a note is worded.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// Which text.
    pub field: Field,
    /// Where its words start and end, in bytes.
    pub borders: Vec<(u32, u32)>,
    /// The character's own telling and the missing degree that it was made for, where there is one.
    pub reimagined: Option<(String, f64)>,
}

/// A note as it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Blurred {
    /// The note with its fading texts as they are told. Everything else is as it was.
    pub note: MemoryNote,
    /// Whether any word is masked or any text told anew.
    pub masked: bool,
    /// The missing degree at which it is told, from 0 to 1.
    pub degree: f64,
    /// The texts whose words were cut for it, because nothing was kept of them: to be kept from now on.
    pub cut: Vec<(Field, Vec<(u32, u32)>)>,
    /// Whether a telling anew is due: there is none yet, or the memory has faded by much since.
    pub reimagining_due: bool,
}

/// How much further a memory must have faded until it is told anew once more.
pub const REIMAGINE_AGAIN: f64 = 0.15;

/// The texts of a note that fade: the narrative of a situation; the description of something known, and its content where that
/// is a sentence. Never a name.
pub fn told_fields(note: &MemoryNote) -> Vec<(Field, &str)> {
    let told: Vec<(Field, &str)> = match &note.mem_type {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => {
            vec![(Field::Narrative, lived.narrative.as_str())]
        }
        MemoryType::Semantic(known) => {
            let mut told = vec![(Field::Description, known.description.as_str())];
            if is_sentence(&known.content) {
                told.insert(0, (Field::Content, known.content.as_str()));
            }
            told
        }
        MemoryType::Situation(SituationMemory::AbstractSituation(_)) | MemoryType::Procedure(_) => {
            Vec::new()
        }
    };
    told.into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .collect()
}

/// Whether the content of something known is a sentence and no name.
pub fn is_sentence(content: &str) -> bool {
    content.trim_end().ends_with(SENTENCE_ENDS) || words(content).len() >= SENTENCE_WORDS
}

/// The anchors that stand in one text of a note.
pub fn anchors_in(note: &MemoryNote, field: Field) -> Vec<&Anchor> {
    let anchors = note.anchors.iter();
    anchors.filter(|anchor| anchor.field == field).collect()
}

/// The note as it is told under a profile, with so much of it left; nothing where it is told as it was. `versions` is what was
/// kept of its wording.
pub fn blurred(
    note: &MemoryNote,
    profile: &Profile,
    retention: Retention,
    versions: &[Version],
) -> Option<Blurred> {
    let degree = profile.shown_degree(retention);
    let stage = Stage::at(degree);
    if stage == Stage::Whole || !fades(note) {
        return None;
    }
    let mut blurred = Blurred {
        note: note.clone(),
        masked: false,
        degree,
        cut: Vec::new(),
        reimagining_due: false,
    };
    for (field, text) in told_fields(note) {
        let kept = versions.iter().find(|version| version.field == field);
        let told = blurred.tell(field, text, kept, stage);
        blurred.masked |= told != text;
        set_text(&mut blurred.note.mem_type, field, told.into_owned());
    }
    Some(blurred)
}

impl Blurred {
    fn tell<'t>(
        &mut self,
        field: Field,
        text: &'t str,
        kept: Option<&'t Version>,
        stage: Stage,
    ) -> Cow<'t, str> {
        let own = kept.and_then(|version| version.reimagined.as_ref());
        if stage == Stage::Reimagined {
            self.reimagining_due |=
                own.is_none_or(|(_, made_for)| self.degree - made_for >= REIMAGINE_AGAIN);
            if let Some((own, _)) = own {
                return Cow::Borrowed(own);
            }
        }
        let borders = kept.map(|version| version.borders.as_slice());
        let mask = Mask::new(text, borders, &anchors_in(&self.note, field));
        if kept.is_none() {
            self.cut.push((field, mask.borders()));
        }
        Cow::Owned(mask.told(text, self.degree))
    }
}

fn set_text(body: &mut MemoryType, field: Field, text: String) {
    match (body, field) {
        (MemoryType::Situation(SituationMemory::SpecificSituation(lived)), Field::Narrative) => {
            lived.narrative = text;
        }
        (MemoryType::Semantic(known), Field::Content) => known.content = text,
        (MemoryType::Semantic(known), Field::Description) => known.description = text,
        _ => {}
    }
}
