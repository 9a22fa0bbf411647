//! What a talk has told so far: who is known in it, of whom and of when it speaks.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::clause::{Language, Sentence, statements};
use super::note;
use super::person::{Named, people};
use super::retell::begins_with_third;
use super::sentence::Told;
use crate::consolidate::finding::{Finding, Utterance};
use crate::model::{MessageId, TimeSpan};

/// For how long what is told after a dated event is taken to have been with it.
const CONTINUES: SignedDuration = SignedDuration::from_mins(30);
/// Messages that must mention somebody for a note of them.
const MENTIONS: usize = 2;

/// When somebody was mentioned last, and by which messages.
type Mentions = (Option<Timestamp>, BTreeSet<MessageId>);

/// The state of extraction between messages.
pub struct Talk {
    known: BTreeSet<String>,
    /// The last dated thing that was told as past, and when it was told.
    told_of: Option<(TimeSpan, Timestamp)>,
    /// Who is mentioned, and where.
    mentioned: BTreeMap<String, Mentions>,
    introduced: BTreeSet<String>,
    findings: Vec<Finding>,
}

impl Talk {
    /// Nothing heard yet; `known` are names that are remembered already.
    pub fn new(known: &BTreeSet<String>) -> Self {
        Self {
            known: known.clone(),
            told_of: None,
            mentioned: BTreeMap::new(),
            introduced: BTreeSet::new(),
            findings: Vec::new(),
        }
    }

    /// Takes in a message.
    pub fn hear(&mut self, said: &Utterance<'_>) {
        for name in [said.speaker, said.listener] {
            if !name.is_empty() {
                self.known.insert(name.to_owned());
            }
        }
        let mut third: Option<String> = None;
        let mut unresolved = false;
        for sentence in statements(said.text) {
            let told = Told::new(&sentence, said, third.as_deref(), &self.known);
            self.take_in(&told, said);
            // Whom the next sentence means by "she": the last one named, unless this one spoke of somebody unnamed.
            unresolved |= third.is_none() && begins_with_third(sentence.text);
            let last = last_named(&sentence, said, &self.known);
            third = if unresolved { None } else { last.or(third) };
        }
    }

    fn take_in(&mut self, told: &Told<'_>, said: &Utterance<'_>) {
        let found = note::findings(told, said, self.current(said));
        if let Some(span) = told.past_time(said.at.timestamp()) {
            self.told_of = Some((span, said.at.timestamp()));
        }
        if !found.is_empty() {
            for name in told.participants.iter().filter(|name| is_name(name)) {
                let mentions = self.mentioned.entry(name.clone()).or_default();
                mentions.1.insert(said.id);
                mentions.0 = Some(said.at.timestamp());
            }
        }
        for (name, relation) in told.introductions() {
            self.known.insert(name.clone());
            self.introduced.insert(name.clone());
            self.findings.push(note::entity(&name, &relation, said));
        }
        self.findings.extend(found);
    }

    /// The time that is being told of, if the talk went on from there.
    fn current(&self, said: &Utterance<'_>) -> Option<TimeSpan> {
        let (span, at) = self.told_of?;
        (said.at.timestamp().duration_since(at).abs() <= CONTINUES).then_some(span)
    }

    /// Everything that was found, and a note of whoever is mentioned again and again.
    pub fn into_findings(mut self) -> Vec<Finding> {
        let mentioned = std::mem::take(&mut self.mentioned);
        for (name, (last, messages)) in mentioned {
            if let Some(last) = last
                && !self.introduced.contains(&name)
                && messages.len() >= MENTIONS
            {
                self.findings.push(note::mentioned(&name, &messages, last));
            }
        }
        self.findings
    }
}

/// The last one whom a sentence names, other than those who talk.
fn last_named(
    sentence: &Sentence<'_>,
    said: &Utterance<'_>,
    known: &BTreeSet<String>,
) -> Option<String> {
    let named = people(sentence.text, sentence.language, known);
    let mut others = named
        .into_iter()
        .filter(|named| named.name != said.speaker && named.name != said.listener);
    let last = others.next_back()?;
    Some(as_told(&last, sentence, said))
}

/// Whether it is a name of its own, and not what somebody is to somebody.
fn is_name(name: &str) -> bool {
    !name.contains('的') && !super::person::is_kin(name)
}

/// What somebody is called outside of the talk: "my aunt" is somebody's aunt.
pub fn as_told(named: &Named, sentence: &Sentence<'_>, said: &Utterance<'_>) -> String {
    let before = sentence.text.get(..named.range.start).unwrap_or_default();
    let is_kin = sentence.language == Language::Chinese && super::person::is_kin(&named.name);
    let owner = match before.chars().next_back() {
        Some('我') => said.speaker,
        Some('你') => said.listener,
        _ => "",
    };
    if is_kin && !owner.is_empty() {
        format!("{owner}的{}", named.name)
    } else {
        named.name.clone()
    }
}
