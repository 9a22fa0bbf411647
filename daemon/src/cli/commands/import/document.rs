//! A titled text, and the notes that it becomes.

use serde::Serialize;
use soulmem_engine::model::{ConceptType, MemoryType, SemMemory, Source};
use soulmem_engine::text::{estimate_tokens, pieces, sentences};
use uuid::Uuid;

/// Namespace of the entries' ids. Fixed for ever: a change would make every repeated import a second memory.
const NAMESPACE: Uuid = Uuid::from_u128(0x1d0e_77c2_94b3_5a41_8c6f_e05b_23a9_4f18);

/// A note holds at most so many tokens of text: some paragraphs, of which one vector can still say what they are about.
const MAX_TOKENS: usize = 400;

/// A text under a title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    /// The file it comes from.
    pub(super) file: String,
    /// The line it begins at, where the file holds several.
    pub(super) line: Option<usize>,
    /// What its file calls it.
    pub(super) id: String,
    /// What it is about.
    pub(super) title: String,
    /// Other names of that.
    pub(super) aliases: Vec<String>,
    /// Labels.
    pub(super) tags: Vec<String>,
    /// What it says.
    pub(super) text: String,
}

/// A note as a graph file writes it.
#[derive(Debug, Serialize)]
pub(super) struct Note {
    /// Depends on the title and the text alone.
    pub(super) id: String,
    tags: Vec<String>,
    mem_type: MemoryType,
    source: Vec<Source>,
}

impl Document {
    /// The notes: one, or several of bounded length where the text is long. Those after the first are numbered and have
    /// the title as an alias.
    pub(super) fn notes(&self) -> Vec<Note> {
        let parts = parts(&self.text);
        parts
            .into_iter()
            .zip(1..)
            .map(|(text, number)| self.note(text, number))
            .collect()
    }

    fn note(&self, text: &str, number: usize) -> Note {
        let title = self.title.trim();
        let mut aliases = self.names();
        let content = if number == 1 {
            title.to_owned()
        } else {
            aliases.insert(0, title.to_owned());
            format!("{title} ({number})")
        };
        aliases.dedup();
        let said = serde_json::json!([title, text]).to_string();
        Note {
            id: format!("document/{}", Uuid::new_v5(&NAMESPACE, said.as_bytes())),
            tags: self.tags.clone(),
            mem_type: MemoryType::Semantic(SemMemory {
                content,
                aliases,
                concept_type: ConceptType::Entity,
                description: text.to_owned(),
            }),
            source: vec![Source::Import {
                file: self.file.clone(),
                id: self.id.clone(),
            }],
        }
    }

    /// The aliases given, and the title without what stands in brackets at its end: "Mercury (planet)" is called Mercury.
    fn names(&self) -> Vec<String> {
        let title = self.title.trim();
        let bare = title
            .strip_suffix([')', '）'])
            .and_then(|open| open.rfind(['(', '（']).map(|at| open[..at].trim()))
            .filter(|bare| !bare.is_empty());
        let given = self.aliases.iter().map(|alias| alias.trim());
        let mut names: Vec<String> = Vec::new();
        for name in given.chain(bare) {
            if !name.is_empty() && name != title && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }
}

/// A text in parts of at most [`MAX_TOKENS`], cut between sentences; a sentence longer than that is cut between words.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut cost = 0;
    for sentence in sentences(text) {
        let added = estimate_tokens(&text[sentence.clone()]);
        match open {
            Some((start, _)) if cost + added <= MAX_TOKENS => {
                open = Some((start, sentence.end));
                cost += added;
            }
            _ => {
                parts.extend(open.map(|(start, end)| &text[start..end]));
                open = Some((sentence.start, sentence.end));
                cost = added;
            }
        }
    }
    parts.extend(open.map(|(start, end)| &text[start..end]));
    let bounded = parts.into_iter().flat_map(|part| pieces(part, MAX_TOKENS));
    bounded
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(title: &str, text: &str) -> Document {
        Document {
            file: "f.md".to_owned(),
            line: None,
            id: "f.md".to_owned(),
            title: title.to_owned(),
            aliases: vec!["水星".to_owned(), title.to_owned(), String::new()],
            tags: vec![],
            text: text.to_owned(),
        }
    }

    fn bodies(document: &Document) -> Vec<SemMemory> {
        let semantic = |note: Note| match note.mem_type {
            MemoryType::Semantic(body) => body,
            other => panic!("{other:?}"),
        };
        document.notes().into_iter().map(semantic).collect()
    }

    #[test]
    fn a_short_text_is_one_note_with_its_names() {
        let notes = bodies(&document("Mercury (planet)", "It is small. It is near."));
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].content, "Mercury (planet)");
        assert_eq!(notes[0].aliases, ["水星", "Mercury"]);
        assert_eq!(notes[0].description, "It is small. It is near.");
    }

    #[test]
    fn a_long_text_is_cut_between_sentences_and_nothing_is_lost() {
        // Sixty sentences of twelve characters are 720 tokens.
        let sentence = "今天下雨我们没有出去玩。";
        let notes = bodies(&document("雨", &sentence.repeat(60)));
        assert!(notes.len() > 1);
        assert_eq!(notes[1].content, "雨 (2)");
        assert!(notes[1].aliases.contains(&"雨".to_owned()));
        for note in &notes {
            assert!(note.description.ends_with('。'));
            assert!(estimate_tokens(&note.description) <= MAX_TOKENS);
        }
        let joined: String = notes.iter().map(|note| note.description.as_str()).collect();
        assert_eq!(joined, sentence.repeat(60));
    }

    #[test]
    fn one_endless_sentence_is_bounded_too() {
        let notes = bodies(&document("x", &"字".repeat(1_000)));
        assert_eq!(notes.len(), 3);
    }

    #[test]
    fn the_same_text_has_the_same_id_wherever_it_stands() {
        let here = document("Rain", "Wet.");
        let there = Document {
            file: "other.md".to_owned(),
            ..here.clone()
        };
        assert_eq!(here.notes()[0].id, there.notes()[0].id);
        assert_ne!(here.notes()[0].id, document("Rain", "Dry.").notes()[0].id);
    }
}
