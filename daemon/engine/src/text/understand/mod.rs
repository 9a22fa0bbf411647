//! Understanding a line without a language model: what it is about, what it asks, what it does, who and when.
//!
//! Every rule is a table of phrases or a shape of characters that can be read in the file of its name; both languages
//! have the same rules, each with its own phrases. A text is brought into one form first (folded, traditional
//! characters simplified, words of alphabets between single spaces), so a phrase is found in any writing of it.

mod act;
mod cues;
mod instances;
mod intent;
mod intent_cues;
mod language;
mod normal;
mod persons;
mod question;
mod synonyms;

use std::ops::Range;

use jiff::ZonedDateTime;

use super::folded::Folded;
use super::when::{TimeExpression, time_expressions};
use super::{Segmenter, Token};
use normal::Normal;

pub use act::SpeechAct;
pub use instances::instances;
pub use intent::{Intent, IntentScores};
pub use language::{Language, LanguageRun, language_runs};
pub use persons::{By, Mention, Participant};
pub use question::QuestionKind;
pub use synonyms::synonyms;

/// Only so many bytes of a line are read for its intent, act and question: what asks stands in its first sentences or
/// its last, and a pasted page must not decide by its bulk.
const MAX_READ_BYTES: usize = 16 << 10;

/// A line and what is known about it.
#[derive(Debug, Clone, Copy)]
pub struct Line<'l> {
    /// What was said.
    pub text: &'l str,
    /// When and in which zone.
    pub said: &'l ZonedDateTime,
    /// Who takes part in the talk.
    pub participants: &'l [Participant],
    /// Who says it, as a place in `participants`.
    pub speaker: Option<usize>,
    /// To whom, as a place in `participants`. Left out, it is the other one where exactly two take part.
    pub listener: Option<usize>,
}

/// What a line was understood as.
#[derive(Debug, Clone, PartialEq)]
pub struct Understanding {
    /// Which language stands where.
    pub languages: Vec<LanguageRun>,
    /// The tokens of the line, function words among them.
    pub words: Vec<Token>,
    /// What it is about, as scores over the five intents that add up to 1.
    pub intents: IntentScores,
    /// What it asks for, where it asks.
    pub question: Option<QuestionKind>,
    /// What it does.
    pub act: SpeechAct,
    /// Who says it, as a place in the participants.
    pub speaker: Option<usize>,
    /// Whom it names or points at, in the order of the text.
    pub persons: Vec<Mention>,
    /// The expressions of time in it, resolved.
    pub times: Vec<TimeExpression>,
    /// Other words for words of the line, from the small dictionary of this room: where each stands, and the others.
    pub synonyms: Vec<(Range<usize>, Vec<&'static str>)>,
}

impl Understanding {
    /// What the line is about first of all.
    pub fn intent(&self) -> Intent {
        self.intents.top()
    }

    /// Whether the answer is a time: a memory that tells one is the likelier answer.
    pub fn asks_for_time(&self) -> bool {
        matches!(
            self.question,
            Some(QuestionKind::When | QuestionKind::HowLong)
        )
    }

    /// Whether the answer is a person.
    pub fn asks_for_person(&self) -> bool {
        self.question == Some(QuestionKind::Who)
    }

    /// Whether the answer is a place.
    pub fn asks_for_place(&self) -> bool {
        self.question == Some(QuestionKind::Where)
    }

    /// Whether it says or asks when.
    pub fn is_about_time(&self) -> bool {
        self.asks_for_time() || !self.times.is_empty()
    }

    /// Whether participant `place` is spoken of.
    pub fn speaks_of(&self, place: usize) -> bool {
        self.persons
            .iter()
            .any(|mention| mention.participant == place)
    }
}

/// Understands a line. `segmenter` has the names of the character; its words are cut by it.
///
/// ```
/// use soulmem_engine::text::{Intent, Line, Participant, QuestionKind, Segmenter, SpeechAct, understand};
/// let participants = ["林小满", "Jamie"].map(|name| Participant { name: name.to_owned(), aliases: vec![] });
/// let said = "2026-05-10T21:30[Asia/Shanghai]".parse().unwrap();
/// let line = Line {
///     text: "你还记得小满最喜欢吃什么吗？",
///     said: &said,
///     participants: &participants,
///     speaker: Some(1),
///     listener: None,
/// };
/// let understood = understand(&line, &Segmenter::new());
/// assert_eq!(understood.intent(), Intent::Preference);
/// assert_eq!(understood.question, Some(QuestionKind::What));
/// assert_eq!(understood.act, SpeechAct::Question);
/// assert!(understood.speaks_of(0), "the other one of two is the one called you");
/// ```
pub fn understand(line: &Line<'_>, segmenter: &Segmenter) -> Understanding {
    let folded = Folded::new(line.text);
    let words = segmenter.segment(line.text);
    let times = time_expressions(line.text, line.said);
    let read = head(line.text);
    let normal = Normal::new(&Folded::new(read));
    let question = question::kind(&normal);
    let signs = intent::Signs {
        question,
        tells_time: !times.is_empty(),
    };
    let ends = persons::Ends::new(line.speaker, line.listener, line.participants.len());
    Understanding {
        languages: language::runs(&folded),
        intents: intent::scores(read, &normal, signs),
        question,
        act: act::act(&normal, question),
        speaker: ends.speaker,
        persons: persons::mentions(&folded, line.text, line.participants, ends),
        synonyms: others(&words),
        words,
        times,
    }
}

/// What of a text is read for its intent, on a character border.
fn head(text: &str) -> &str {
    let end = (0..=text.len().min(MAX_READ_BYTES))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

fn others(words: &[Token]) -> Vec<(Range<usize>, Vec<&'static str>)> {
    let known = words.iter().filter_map(|word| {
        let others = synonyms(&word.text);
        (!others.is_empty()).then(|| (word.range.clone(), others.to_vec()))
    });
    known.collect()
}
