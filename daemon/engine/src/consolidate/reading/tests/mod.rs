//! What of a reading holds, in both languages.

mod known;
mod lived;

use jiff::ZonedDateTime;
use jiff::civil::date;
use jiff::tz::TimeZone;

use super::*;
use crate::consolidate::finding::main_text;
use crate::model::{
    AnchorKind, ConceptType, MemoryType, MessageId, SituationMemory, SpecificSituation, TimeSpan,
};

fn zoned(text: &str, zone: &str) -> ZonedDateTime {
    let at: jiff::civil::DateTime = text.parse().unwrap();
    let zone = TimeZone::get(zone).unwrap();
    zone.to_timestamp(at).unwrap().to_zoned_datetime(zone)
}

fn said<'t>(number: u128, speaker: &'t str, text: &'t str, at: ZonedDateTime) -> Utterance<'t> {
    Utterance {
        id: MessageId(uuid::Uuid::from_u128(number)),
        speaker,
        listener: "Ann",
        text,
        at,
    }
}

fn lived(finding: &Finding) -> &SpecificSituation {
    match &finding.body {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => lived,
        other => panic!("{other:?}"),
    }
}

fn fact(content: &str, sources: &[usize]) -> ReadFact {
    ReadFact {
        content: content.to_owned(),
        sources: sources.to_vec(),
        ..ReadFact::default()
    }
}

fn situation(narrative: &str, sources: &[usize]) -> ReadSituation {
    ReadSituation {
        narrative: narrative.to_owned(),
        sources: sources.to_vec(),
        ..ReadSituation::default()
    }
}

fn of_facts(facts: Vec<ReadFact>) -> Reading {
    Reading {
        facts,
        ..Reading::default()
    }
}

fn of_situations(situations: Vec<ReadSituation>) -> Reading {
    Reading {
        situations,
        ..Reading::default()
    }
}
