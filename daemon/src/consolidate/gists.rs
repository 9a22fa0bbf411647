//! What spans of new notes come down to, by the text that they stand in.

use std::collections::HashMap;

use soulmem_engine::forget::gist::{self, Span, accepted};
use soulmem_engine::model::MemoryNote;

/// Gists that were given, by the shown text of the note and the span.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gists(HashMap<String, Vec<(Span, String)>>);

/// The spans of one note that gists are wanted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What the note says.
    pub text: String,
    /// The spans, with their words.
    pub spans: Vec<(Span, String)>,
}

impl Wanted {
    /// Those of a note; none where nothing of it fades soon.
    pub fn of(note: &MemoryNote) -> Option<Self> {
        let spans: Vec<(Span, String)> = gist::spans(note)
            .into_iter()
            .map(|(span, words)| (span, words.to_owned()))
            .collect();
        (!spans.is_empty()).then(|| Self {
            text: note.summary_text(),
            spans,
        })
    }
}

impl Gists {
    /// Whether none was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes one in, where it is a gist.
    pub fn take(&mut self, wanted: &Wanted, place: usize, gist: &str) {
        let Some((span, words)) = wanted.spans.get(place) else {
            return;
        };
        if let Some(gist) = accepted(words, gist) {
            let given = self.0.entry(wanted.text.clone()).or_default();
            given.push((span.clone(), gist));
        }
    }

    /// Gives them to the notes that they belong to. A span that a note does not have is passed over.
    pub fn give(&self, notes: &mut [MemoryNote]) {
        for note in notes {
            let Some(given) = self.0.get(&note.summary_text()) else {
                continue;
            };
            let own: Vec<Span> = gist::spans(note)
                .into_iter()
                .map(|(span, _)| span)
                .collect();
            for (span, gist) in given.iter().filter(|(span, _)| own.contains(span)) {
                gist::set(note, span, gist.clone());
            }
        }
    }
}
