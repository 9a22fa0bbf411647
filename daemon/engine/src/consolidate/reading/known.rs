//! Facts, likings, promises, things with a name, habits.

use super::ground::{Ground, borne_out, resolved};
use super::{FactKind, ReadFact, ReadHabit, ReadThing, ReadWeight, Unfounded, language_of};
use crate::consolidate::extract::anchors::anchors;
use crate::consolidate::extract::feeling::affect;
use crate::consolidate::extract::note::known::shown;
use crate::consolidate::extract::note::{LIKED, ORDINARY, PROMISED, tags};
use crate::consolidate::extract::preference::canonical;
use crate::consolidate::finding::{Finding, KNOWLEDGE, PREFERENCE, Polarity, Utterance, main_text};
use crate::model::{Action, AffectDraft, ConceptType, Field, MemoryType, ProcMemory, SemMemory};

/// Somebody or something with a name. What it is said to be is kept only in words of the talk: by them two of one name are
/// told apart.
pub fn thing(read: &ReadThing, ground: &Ground<'_>) -> Result<Finding, Unfounded> {
    let sources = ground.sources(&read.sources)?;
    let name = read.name.trim();
    if !ground.names(name) {
        return Err(Unfounded::Invented);
    }
    let aliases = ground.known(&read.aliases);
    let what = Some(read.what.trim()).filter(|what| ground.names(what));
    let body = MemoryType::Semantic(SemMemory {
        content: name.to_owned(),
        aliases: aliases.into_iter().filter(|alias| alias != name).collect(),
        concept_type: ConceptType::Entity,
        description: what.unwrap_or_default().to_owned(),
    });
    Ok(Finding {
        tags: tags(KNOWLEDGE, Polarity::Neutral),
        affect: affect("", ORDINARY),
        ..bare(body, &sources)
    })
}

/// Something that is so.
pub fn fact(read: &ReadFact, ground: &Ground<'_>) -> Result<Finding, Unfounded> {
    let sources = ground.sources(&read.sources)?;
    let content = read.content.trim();
    borne_out(content, &sources)?;
    ground.invents_nobody(content, [&read.who])?;
    let who = ground.known([&read.who]);
    let replaces = read.replaces.trim();
    let mut fact = Finding {
        replaces: (!replaces.is_empty()).then(|| replaces.to_owned()),
        names: who,
        ..bare(known(content), &sources)
    };
    let importance = match read.kind {
        FactKind::Fact => ORDINARY,
        FactKind::Like | FactKind::Dislike => LIKED,
        FactKind::Promise => PROMISED,
    };
    fact.affect = weighed(read.weight, &sources, importance);
    fact.polarity = match read.kind {
        FactKind::Fact => Polarity::Neutral,
        FactKind::Like => Polarity::Like,
        FactKind::Dislike => Polarity::Dislike,
        FactKind::Promise => Polarity::Promise,
    };
    let label = match read.kind {
        FactKind::Like | FactKind::Dislike => PREFERENCE,
        FactKind::Fact | FactKind::Promise => KNOWLEDGE,
    };
    fact.tags = tags(label, fact.polarity);
    if label == PREFERENCE {
        name_liking(&mut fact, read);
    } else {
        date(&mut fact, read, &sources);
    }
    fact.anchors = anchors(Field::Content, main_text(&fact.body), &fact.names);
    Ok(fact)
}

/// Gives a liking the names by which it, and its end, are found again.
fn name_liking(fact: &mut Finding, read: &ReadFact) {
    let (who, what) = (fact.names.first().cloned(), read.what.trim());
    let Some(who) = who.filter(|_| !what.is_empty()) else {
        return;
    };
    let language = language_of(&read.content);
    let names = |way| canonical(&who, way, what, language);
    let other = if fact.polarity == Polarity::Like {
        Polarity::Dislike
    } else {
        Polarity::Like
    };
    fact.ends.push(names(other));
    if let MemoryType::Semantic(known) = &mut fact.body {
        known.aliases.push(names(fact.polarity));
    }
}

/// Says since or for when a fact holds.
fn date(fact: &mut Finding, read: &ReadFact, sources: &[&Utterance<'_>]) {
    let (Some(span), Some(said)) = (resolved(&read.when, sources), sources.first()) else {
        return;
    };
    if read.kind == FactKind::Fact {
        fact.since = fact.since.min(span.start());
    }
    if let MemoryType::Semantic(known) = &mut fact.body {
        known.description = shown(span, said);
    }
}

/// What somebody tends to do.
pub fn habit(read: &ReadHabit, ground: &Ground<'_>) -> Result<Finding, Unfounded> {
    let sources = ground.sources(&read.sources)?;
    let content = read.content.trim();
    borne_out(content, &sources)?;
    let body = MemoryType::Procedure(ProcMemory {
        action: Action {
            content: content.to_owned(),
            action_type: read.means,
        },
    });
    let speakers: Vec<String> = sources.iter().map(|said| said.speaker.to_owned()).collect();
    Ok(Finding {
        tags: tags(KNOWLEDGE, Polarity::Neutral),
        names: ground.known(&speakers),
        affect: weighed(ReadWeight::default(), &sources, ORDINARY),
        ..bare(body, &sources)
    })
}

fn known(content: &str) -> MemoryType {
    MemoryType::Semantic(SemMemory {
        content: content.to_owned(),
        aliases: Vec::new(),
        concept_type: ConceptType::Abstract,
        description: String::new(),
    })
}

/// A finding of which only the body is known, and who says it.
pub fn bare(body: MemoryType, sources: &[&Utterance<'_>]) -> Finding {
    let first = sources.iter().map(|said| said.at.timestamp()).min();
    let mut ids: Vec<_> = sources.iter().map(|said| said.id).collect();
    ids.dedup();
    Finding {
        body,
        tags: Vec::new(),
        polarity: Polarity::Neutral,
        names: Vec::new(),
        timed: false,
        ends: Vec::new(),
        corrects: false,
        replaces: None,
        said: first.unwrap_or_default(),
        since: first.unwrap_or_default(),
        sources: ids,
        affect: AffectDraft::default(),
        anchors: Vec::new(),
    }
}

/// How it feels and matters: as it was read, and where that says nothing, by the words of the messages.
pub fn weighed(read: ReadWeight, sources: &[&Utterance<'_>], importance: u8) -> AffectDraft {
    let said: Vec<&str> = sources.iter().map(|said| said.text).collect();
    let usual = affect(&said.join("\n"), importance);
    let unit = |value: Option<f64>| value.filter(|value| (0.0..=1.0).contains(value));
    let matters = read.importance.filter(|value| (1.0..=10.0).contains(value));
    AffectDraft {
        importance: matters
            .map(|value| value.round() as u8)
            .or(usual.importance),
        valence: unit(read.valence).or(usual.valence),
        arousal: unit(read.arousal).or(usual.arousal),
        ..usual
    }
}
