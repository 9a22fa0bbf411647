//! What somebody who read a talk took from it, made into findings as far as the talk bears it out.
//!
//! A reader (a language model) is good at understanding and bad at keeping to the facts. So nothing that it gives is
//! believed for itself: a finding must name the messages that say it, share words with them, and tell only of people who
//! stand in them; times are worked out here, from the words that were said and when. What does not hold is dropped.
//!
//! - [`ground`]: what the talk bears out.
//! - [`known`]: facts, likings, promises, things with a name, habits.
//! - [`lived`]: what happened.

mod ground;
mod known;
mod lived;
#[cfg(test)]
mod tests;

use super::extract::clause::{Language, is_han};
use super::finding::{Finding, Utterance};
use crate::model::ActionType;
use ground::Ground;

/// Characters of one text of a finding; what is longer is a copy of the talk and no memory of it.
const MAX_TEXT_CHARS: usize = 600;
/// Characters of a name.
const MAX_NAME_CHARS: usize = 64;
/// Characters of an act.
const MAX_ACTION_CHARS: usize = 120;
/// Findings that a talk of any length may bring, and those that each of its messages may add.
const MIN_FINDINGS: usize = 8;
const FINDINGS_A_MESSAGE: usize = 2;
/// Entries of one list of a finding, such as those who took part.
const MAX_ENTRIES: usize = 16;

/// What a reader took from a talk. Messages are named by their place in it, from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// What happened.
    pub situations: Vec<ReadSituation>,
    /// What is so.
    pub facts: Vec<ReadFact>,
    /// People and things with a name.
    pub things: Vec<ReadThing>,
    /// What the one who remembers tends to do.
    pub habits: Vec<ReadHabit>,
}

/// Something that happened or will.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadSituation {
    /// What happened, in the third person.
    pub narrative: String,
    /// The words of the talk that tell when; empty for none.
    pub when: String,
    /// Where; empty for nowhere in particular.
    pub place: String,
    /// Who took part.
    pub people: Vec<String>,
    /// What was felt, and how strongly, from 0 to 1.
    pub feelings: Vec<(String, f64)>,
    /// What was seen, heard, smelt, tasted or touched, and how strongly.
    pub senses: Vec<(String, f64)>,
    /// The air of the place.
    pub atmosphere: String,
    /// The tone of what went on.
    pub tone: String,
    /// What was done.
    pub acts: Vec<ReadAct>,
    /// What went wrong, what was done about it, what came of that; empty where it is no such story.
    pub lesson: [String; 3],
    /// How it feels and matters, as far as that was said.
    pub weight: ReadWeight,
    /// Whether it says of something told before that it was otherwise.
    pub corrects: bool,
    /// The messages that say it.
    pub sources: Vec<usize>,
}

/// Something done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadAct {
    /// What.
    pub action: String,
    /// By whom.
    pub by: String,
    /// To whom or what.
    pub to: String,
}

/// How something feels and matters.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReadWeight {
    /// From 1 to 10.
    pub importance: Option<f64>,
    /// How pleasant, from 0 to 1.
    pub valence: Option<f64>,
    /// How stirring, from 0 to 1.
    pub arousal: Option<f64>,
}

/// Something that is so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadFact {
    /// The fact in a sentence, in the third person.
    pub content: String,
    /// Which way it is meant.
    pub kind: FactKind,
    /// Whose fact, liking or promise it is.
    pub who: String,
    /// What is liked or disliked.
    pub what: String,
    /// The words of the talk that tell since or until when.
    pub when: String,
    /// What is no longer so because of it, in the words in which it was told.
    pub replaces: String,
    /// How it feels and matters.
    pub weight: ReadWeight,
    /// The messages that say it.
    pub sources: Vec<usize>,
}

/// Which way a fact is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FactKind {
    /// As it is.
    #[default]
    Fact,
    /// Somebody likes it.
    Like,
    /// Somebody does not, or no longer, like it.
    Dislike,
    /// Somebody gave their word.
    Promise,
}

/// Somebody or something with a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadThing {
    /// The name.
    pub name: String,
    /// Other names of the same.
    pub aliases: Vec<String>,
    /// What it is, in a few words.
    pub what: String,
    /// The messages that say it.
    pub sources: Vec<usize>,
}

/// What somebody tends to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadHabit {
    /// What, with what brings it about.
    pub content: String,
    /// By which means.
    pub means: ActionType,
    /// The messages that say it.
    pub sources: Vec<usize>,
}

/// What of a reading holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Taken {
    /// The findings, in the order of the messages that say them.
    pub findings: Vec<Finding>,
    /// How many others there were, which the talk does not bear out or for which there is no room.
    pub dropped: usize,
    /// Why the last of them was dropped.
    pub reason: Option<Unfounded>,
}

/// Why something that was read is no finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfounded {
    /// It names no message of the talk.
    NoSource,
    /// It says hardly anything.
    Empty,
    /// It is longer than a memory may be.
    TooLong,
    /// It shares no words with the messages that it names.
    NotSaid,
    /// It tells of somebody who does not stand in the talk.
    Invented,
    /// There are more of them than a talk of this length can bring.
    TooMany,
}

impl Unfounded {
    /// In words, for whoever is asked to read again.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoSource => "`sources` names no message by its number",
            Self::Empty => "the text says hardly anything",
            Self::TooLong => "the text is too long: one short sentence, not a copy of the message",
            Self::NotSaid => {
                "the text shares no words with the messages in `sources`: use their language and their words"
            }
            Self::Invented => "it names somebody who does not stand in the messages",
            Self::TooMany => "there are too many entries",
        }
    }
}

/// Makes findings of a reading. `beside` are texts that names may come from too, such as the summary of the talk so far
/// and the character's own name.
pub fn read(reading: &Reading, said: &[Utterance<'_>], beside: &[&str]) -> Taken {
    let ground = Ground::new(said, beside);
    let mut all: Vec<(usize, Result<Finding, Unfounded>)> = Vec::new();
    for thing in &reading.things {
        all.push((first(&thing.sources), known::thing(thing, &ground)));
    }
    for fact in &reading.facts {
        all.push((first(&fact.sources), known::fact(fact, &ground)));
    }
    for situation in &reading.situations {
        all.push((
            first(&situation.sources),
            lived::situation(situation, &ground),
        ));
    }
    for habit in &reading.habits {
        all.push((first(&habit.sources), known::habit(habit, &ground)));
    }
    // Stable: a thing comes before what is told of it.
    all.sort_by_key(|(source, _)| *source);
    let room = MIN_FINDINGS.max(FINDINGS_A_MESSAGE * said.len());
    let mut taken = Taken::default();
    for (_, one) in all {
        match one {
            Ok(finding) if taken.findings.len() < room => taken.findings.push(finding),
            Ok(_) => taken.leave_out(Unfounded::TooMany),
            Err(reason) => taken.leave_out(reason),
        }
    }
    taken
}

fn first(sources: &[usize]) -> usize {
    sources.iter().copied().min().unwrap_or(usize::MAX)
}

impl Taken {
    fn leave_out(&mut self, reason: Unfounded) {
        self.dropped += 1;
        self.reason = Some(reason);
    }
}

/// The language of the rules that a text follows.
fn language_of(text: &str) -> Language {
    if text.chars().any(is_han) {
        Language::Chinese
    } else {
        Language::English
    }
}
