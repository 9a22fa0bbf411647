//! What a talk bears out: its words, its names, its times.

use std::collections::BTreeSet;

use super::{MAX_ENTRIES, MAX_NAME_CHARS, MAX_TEXT_CHARS, Unfounded, language_of};
use crate::consolidate::extract::moment;
use crate::consolidate::extract::rules::content_words;
use crate::consolidate::extract::sentence::tense;
use crate::consolidate::finding::Utterance;
use crate::model::TimeSpan;
use crate::model::check::is_blank;
use crate::text::{Segmenter, TokenKind, is_unspaced, key, sentences, words};

/// Content words that a text needs to say anything.
const MIN_WORDS: usize = 2;
/// The part of a text's content words that must stand in the messages that say it. A text in another language, or
/// about something else, shares nearly none; one in other words shares its names and its nouns.
const SHARED: f64 = 0.25;

/// A talk as the ground that findings stand on.
pub struct Ground<'t> {
    said: &'t [Utterance<'t>],
    /// Everything that was said and by whom, folded.
    text: String,
    /// Its words of scripts that are written with spaces.
    words: BTreeSet<String>,
}

impl<'t> Ground<'t> {
    /// That of a talk; names may also come from `beside`.
    pub fn new(said: &'t [Utterance<'t>], beside: &[&str]) -> Self {
        let own = said
            .iter()
            .flat_map(|line| [line.text, line.speaker, line.listener]);
        let text = key(&own
            .chain(beside.iter().copied())
            .collect::<Vec<_>>()
            .join("\n"));
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        Self { said, text, words }
    }

    /// The messages of these numbers, in order, each once. What is no number of a message is passed over.
    pub fn sources(&self, numbers: &[usize]) -> Result<Vec<&'t Utterance<'t>>, Unfounded> {
        let numbers: BTreeSet<usize> = numbers.iter().copied().collect();
        let found: Vec<_> = numbers
            .into_iter()
            .filter_map(|number| self.said.get(number.checked_sub(1)?))
            .collect();
        if found.is_empty() {
            Err(Unfounded::NoSource)
        } else {
            Ok(found)
        }
    }

    /// Whether a name stands in the talk. One that is made of several words does where each of them does, so that "Bo's
    /// mother" may come of Bo's "my mother".
    pub fn names(&self, name: &str) -> bool {
        let parts: Vec<String> = words(name)
            .into_iter()
            .map(|range| key(&name[range]))
            .collect();
        let mut telling = parts.iter().filter(|part| !is_particle(part)).peekable();
        !is_blank(name)
            && name.chars().count() <= MAX_NAME_CHARS
            && telling.peek().is_some()
            && telling.all(|part| self.holds(part))
    }

    fn holds(&self, part: &str) -> bool {
        if part.chars().any(is_unspaced) {
            return self.text.contains(part);
        }
        let owner = part
            .strip_suffix("'s")
            .or_else(|| part.strip_suffix("’s"))
            .unwrap_or(part);
        // Words are split at signs on both sides: "x-ray" stands where "x" and "ray" do.
        owner
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .all(|word| self.words.contains(word))
    }

    /// Of names those that stand in the talk, each once.
    pub fn known<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Vec<String> {
        let mut known: Vec<String> = Vec::new();
        for name in names {
            let name = name.trim();
            if known.len() < MAX_ENTRIES && self.names(name) && !known.iter().any(|own| own == name)
            {
                known.push(name.to_owned());
            }
        }
        known
    }

    /// Refuses a text that tells of somebody who does not stand in the talk. `names` are those that it is said to tell of.
    pub fn invents_nobody<'n>(
        &self,
        text: &str,
        names: impl IntoIterator<Item = &'n String>,
    ) -> Result<(), Unfounded> {
        let told = key(text);
        let invented = names.into_iter().any(|name| {
            !is_blank(name) && !self.names(name.trim()) && told.contains(&key(name.trim()))
        });
        if invented {
            Err(Unfounded::Invented)
        } else {
            Ok(())
        }
    }
}

/// Whether a text can be what these messages say.
pub fn borne_out(text: &str, sources: &[&Utterance<'_>]) -> Result<(), Unfounded> {
    if text.chars().count() > MAX_TEXT_CHARS {
        return Err(Unfounded::TooLong);
    }
    if content_words(text) < MIN_WORDS {
        return Err(Unfounded::Empty);
    }
    let said: Vec<&str> = sources
        .iter()
        .flat_map(|line| [line.text, line.speaker, line.listener])
        .collect();
    let said = content(&said.join("\n"));
    let told = content(text);
    let shared = told.iter().filter(|word| said.contains(*word)).count();
    if (shared as f64) < SHARED * told.len() as f64 {
        return Err(Unfounded::NotSaid);
    }
    Ok(())
}

/// The time that these words of a talk tell, resolved against when and where they were said. None where they stand in none
/// of the messages: a reader's own reckoning is not trusted.
pub fn resolved(when: &str, sources: &[&Utterance<'_>]) -> Option<TimeSpan> {
    let when = when.trim();
    if when.is_empty() {
        return None;
    }
    sources.iter().find_map(|said| {
        let sentence = sentences(said.text)
            .into_iter()
            .map(|range| &said.text[range])
            .find(|sentence| sentence.contains(when))?;
        let way = tense(sentence, language_of(sentence));
        moment::of_event(&moment::told(when, &said.at, way))
    })
}

/// The words of a text that say something.
fn content(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    Segmenter::new().for_each_token(text, |token| {
        let says = matches!(
            token.kind,
            TokenKind::Word | TokenKind::Stem | TokenKind::Name
        );
        if says {
            found.insert(token.text.to_owned());
        }
    });
    found
}

/// What joins the parts of a name: 的, "of", "the".
fn is_particle(part: &str) -> bool {
    ["的", "之", "家", "of", "the", "s", "and", "和", "与"].contains(&part)
}
