//! Who is spoken of: participants by name, by alias, and as "I" and "you".

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::text::folded::{Folded, key};
use crate::text::names::Names;
use crate::text::script::Class;

/// Somebody who takes part in a talk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Participant {
    /// The name.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
}

/// How somebody is pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    /// By name or alias.
    Name,
    /// As the one who speaks: I, my, 我.
    FirstPerson,
    /// As the one spoken to: you, your, 你.
    SecondPerson,
}

/// Somebody pointed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Who, as a place in the participants.
    pub participant: usize,
    /// Where, in bytes of the text, on grapheme borders.
    pub range: Range<usize>,
    /// How.
    pub by: By,
}

const ENGLISH_FIRST: [&str; 9] = [
    "i", "me", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll",
];
const ENGLISH_SECOND: [&str; 8] = [
    "you", "your", "yours", "yourself", "you're", "you've", "you'd", "you'll",
];

/// Who speaks and who is spoken to, as places in the participants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) speaker: Option<usize>,
    pub(super) listener: Option<usize>,
}

impl Ends {
    /// The listener is the other one of two where it is not told.
    pub(super) fn new(
        speaker: Option<usize>,
        listener: Option<usize>,
        participants: usize,
    ) -> Self {
        let speaker = speaker.filter(|place| *place < participants);
        let other = || match (participants, speaker) {
            (2, Some(place)) => Some(1 - place),
            _ => None,
        };
        Self {
            speaker,
            listener: listener
                .filter(|place| *place < participants)
                .or_else(other),
        }
    }
}

/// The mentions in a text, in its order. A name that several participants have points at each of them.
pub(super) fn mentions(
    folded: &Folded,
    text: &str,
    participants: &[Participant],
    ends: Ends,
) -> Vec<Mention> {
    let mut mentions = named(folded, text, participants);
    let names: Vec<Range<usize>> = mentions
        .iter()
        .map(|mention| mention.range.clone())
        .collect();
    let inside = |range: &Range<usize>| {
        let next = names.partition_point(|name| name.end <= range.start);
        names.get(next).is_some_and(|name| name.start < range.end)
    };
    for (range, by) in pronouns(folded) {
        let place = match by {
            By::FirstPerson => ends.speaker,
            By::SecondPerson => ends.listener,
            By::Name => None,
        };
        if let Some(participant) = place.filter(|_| !inside(&range)) {
            mentions.push(Mention {
                participant,
                range,
                by,
            });
        }
    }
    mentions.sort_by_key(|mention| (mention.range.start, mention.participant));
    mentions
}

fn named(folded: &Folded, text: &str, participants: &[Participant]) -> Vec<Mention> {
    let mut owners: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let mut names = Names::default();
    for (place, participant) in participants.iter().enumerate() {
        for name in std::iter::once(&participant.name).chain(&participant.aliases) {
            names.add(name);
            owners.entry(key(name)).or_default().insert(place);
        }
    }
    let mut mentions = Vec::new();
    for span in names.find(folded, text) {
        let range = folded.source(span.start..span.end);
        let places = owners.get(names.text(span)).into_iter().flatten();
        mentions.extend(places.map(|&participant| Mention {
            participant,
            range: range.clone(),
            by: By::Name,
        }));
    }
    mentions
}

/// The singular pronouns of the first and second person in a text.
fn pronouns(folded: &Folded) -> Vec<(Range<usize>, By)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < folded.units.len() {
        let end = match folded.class(at) {
            Class::Latin => {
                let end = word_end(folded, at);
                let word = folded.slice(at..end);
                if ENGLISH_FIRST.contains(&word) {
                    found.push((folded.source(at..end), By::FirstPerson));
                } else if ENGLISH_SECOND.contains(&word) {
                    found.push((folded.source(at..end), By::SecondPerson));
                }
                end
            }
            Class::Han => {
                found.extend(chinese_pronoun(folded, at).map(|by| (folded.source(at..at + 1), by)));
                at + 1
            }
            _ => at + 1,
        };
        at = end;
    }
    found
}

fn chinese_pronoun(folded: &Folded, at: usize) -> Option<By> {
    // 我们 and 你们 are more than one; 自我 is a word of its own.
    if matches!(folded.slice(at + 1..at + 2), "们" | "們")
        || at
            .checked_sub(1)
            .is_some_and(|before| folded.slice(before..at) == "自")
    {
        return None;
    }
    match folded.slice(at..at + 1) {
        "我" | "俺" => Some(By::FirstPerson),
        "你" | "您" | "妳" => Some(By::SecondPerson),
        _ => None,
    }
}

fn word_end(folded: &Folded, start: usize) -> usize {
    let mut end = folded.run_end(start, |class| class == Class::Latin);
    if folded.slice(end..end + 1) == "'" && folded.class(end + 1) == Class::Latin {
        end = folded.run_end(end + 1, |class| class == Class::Latin);
    }
    end
}
