//! Documents as a character knows them: what a passage says, under its title.

use soulmem_engine::model::{ConceptType, MemoryType, NoteDraft, SemMemory, Source};
use soulmem_engine::text::sentences;

/// Most bytes of one part of a longer text. A part is found and shown as a whole, so it must not be a page.
const PART_BYTES: usize = 2_400;

/// A passage with its title.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// What it is about.
    pub title: &'a str,
    /// What it says.
    pub text: &'a str,
    /// The file that it comes from.
    pub file: &'a str,
    /// What it is called there.
    pub id: &'a str,
}

impl Document<'_> {
    /// What is known by it: a note for each part of its text, all of them named by the title, and by the title without
    /// what stands in brackets at its end.
    pub fn notes(&self) -> Vec<NoteDraft> {
        let aliases: Vec<String> = bare(self.title).map(str::to_owned).into_iter().collect();
        let note = |part: &str| {
            let known = SemMemory {
                content: self.title.to_owned(),
                aliases: aliases.clone(),
                concept_type: ConceptType::Entity,
                description: part.to_owned(),
            };
            NoteDraft::new(MemoryType::Semantic(known)).from_source(Source::Import {
                file: self.file.to_owned(),
                id: self.id.to_owned(),
            })
        };
        parts(self.text).into_iter().map(note).collect()
    }
}

/// `Sirius (star)` without what tells it from others of the name.
fn bare(title: &str) -> Option<&str> {
    let open = title.rfind(['(', '（'])?;
    let closed = title.trim_end().ends_with([')', '）']);
    let bare = title.get(..open)?.trim_end();
    (closed && !bare.is_empty()).then_some(bare)
}

/// The text in parts that end with sentences, as long as one sentence is not longer than a part.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = None;
    let mut end = 0;
    for sentence in sentences(text) {
        let from = *start.get_or_insert(sentence.start);
        if sentence.end - from > PART_BYTES && end > from {
            parts.extend(text.get(from..end));
            start = Some(sentence.start);
        }
        end = sentence.end;
    }
    parts.extend(start.and_then(|from| text.get(from..end)));
    if parts.is_empty() {
        parts.push("");
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(title: &str, text: &str) -> Vec<SemMemory> {
        let document = Document {
            title,
            text,
            file: "stars.jsonl",
            id: "s1",
        };
        let known = |draft: NoteDraft| match draft.mem_type {
            MemoryType::Semantic(known) => known,
            other => panic!("{other:?}"),
        };
        document.notes().into_iter().map(known).collect()
    }

    #[test]
    fn what_tells_namesakes_apart_is_no_part_of_the_name() {
        let known = notes("Sirius (star)", "It is bright.");
        assert_eq!(known[0].content, "Sirius (star)");
        assert_eq!(known[0].aliases, ["Sirius"]);
        assert!(notes("Sirius", "It is bright.")[0].aliases.is_empty());
        assert!(notes("(star)", "It is bright.")[0].aliases.is_empty());
    }

    #[test]
    fn a_long_text_is_cut_between_sentences_and_nothing_is_lost() {
        let sentence = format!("{} end.", "word ".repeat(200));
        let text = [sentence.as_str(); 5].join(" ");
        let known = notes("Sirius", &text);
        assert_eq!(known.len(), 3, "two sentences of 1,004 bytes fit a part");
        assert!(
            known
                .iter()
                .all(|known| known.description.ends_with("end."))
        );
        let joined: Vec<&str> = known.iter().map(|known| &*known.description).collect();
        assert_eq!(joined.join(" "), text);
        assert_eq!(notes("Sirius", "").len(), 1);
    }
}
