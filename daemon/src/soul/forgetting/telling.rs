//! What came to mind, as it is still told.

use std::sync::Arc;

use soulmem_engine::forget::{Blurred, Profile, Retention, Stage, Version, blurred, fades};
use soulmem_engine::model::{Field, MemoryNote, NoteId};

use crate::store::{Result, View, Wording};

/// A note as it is told.
#[derive(Debug, Clone)]
pub struct Told {
    /// The note, with its fading texts as they are told.
    pub note: Arc<MemoryNote>,
    /// Whether any word is masked, or any text told anew.
    pub masked: bool,
    /// How much is missing of what is told; nothing for what does not fade.
    pub degree: Option<f64>,
    /// What is to be kept of it.
    pub aftermath: Aftermath,
}

/// What follows from telling a note.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aftermath {
    /// Word borders that were cut for it and are to be kept.
    pub cut: Vec<(Field, Vec<(u32, u32)>)>,
    /// Whether it should be told anew by somebody who can.
    pub reimagining_due: bool,
}

/// Word borders of a text of a note, to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The note.
    pub note: NoteId,
    /// Its revision when the text was cut.
    pub revision: u64,
    /// Which text.
    pub field: Field,
    /// Where its words start and end.
    pub borders: Vec<(u32, u32)>,
}

/// Tells a note of which so much is left. What was kept of its wording is read only where it has faded.
pub fn tell(
    view: &View,
    profile: &Profile,
    note: &Arc<MemoryNote>,
    retention: Retention,
) -> Result<Told> {
    let degree = profile.shown_degree(retention);
    let whole = Told {
        note: Arc::clone(note),
        masked: false,
        degree: fades(note).then_some(degree),
        aftermath: Aftermath::default(),
    };
    if Stage::at(degree) == Stage::Whole || whole.degree.is_none() {
        return Ok(whole);
    }
    let versions: Vec<Version> = view
        .wordings_of(note.id)?
        .into_iter()
        .map(version)
        .collect();
    let Some(told) = blurred(note, profile, retention, &versions) else {
        return Ok(whole);
    };
    let Blurred {
        note,
        masked,
        degree,
        cut,
        reimagining_due,
    } = told;
    Ok(Told {
        note: Arc::new(note),
        masked,
        degree: Some(degree),
        aftermath: Aftermath {
            cut,
            reimagining_due,
        },
    })
}

impl Told {
    /// The word borders that are to be kept.
    pub fn cuts(&self) -> impl Iterator<Item = Cut> {
        let (note, revision) = (self.note.id, self.note.revision);
        self.aftermath.cut.iter().map(move |(field, borders)| Cut {
            note,
            revision,
            field: *field,
            borders: borders.clone(),
        })
    }
}

/// What was kept of a text, in the engine's terms.
pub fn version(wording: Wording) -> Version {
    Version {
        field: wording.field,
        borders: wording.borders,
        reimagined: wording
            .reimagined
            .map(|version| (version.text, version.degree)),
    }
}
