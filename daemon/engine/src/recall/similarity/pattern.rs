//! A situation asked for against an abstract one: a pattern distilled from many.

use super::Scorer;
use super::blend::{best, shown};
use crate::model::{AbstractSituation, Field, MemoryNote, NoteId};
use crate::recall::query::SituationQuery;

impl Scorer<'_> {
    /// An abstract situation meets the fields of its own element, and a narrative where the query tells one.
    pub(super) fn abstract_situation(
        &self,
        situations: &[SituationQuery],
        note: &MemoryNote,
        element: &AbstractSituation,
    ) -> (Option<f64>, f64) {
        let mut vectors = None;
        let mut strings = 0.0_f64;
        for asked in situations {
            vectors = best(
                vectors,
                best(
                    self.element(asked, note.id, element),
                    self.told(asked, note),
                ),
            );
            strings = strings.max(self.element_strings(asked, element));
        }
        (vectors, strings)
    }

    fn element(
        &self,
        asked: &SituationQuery,
        note: NoteId,
        element: &AbstractSituation,
    ) -> Option<f64> {
        match element {
            AbstractSituation::Location(own) => asked
                .location
                .iter()
                .map(|place| self.location(place, note, own))
                .fold(None, best),
            AbstractSituation::Participant(own) => asked
                .participants
                .iter()
                .map(|person| self.participant(person, note, own))
                .fold(None, best),
            AbstractSituation::Environment(own) => asked
                .environment
                .as_ref()
                .and_then(|air| self.environment(air, note, own)),
            AbstractSituation::Event(own) => asked
                .event
                .iter()
                .map(|event| self.event(event, note, own))
                .fold(None, best),
        }
    }

    /// A narrative against the texts of an abstract situation, the best of which counts.
    fn told(&self, asked: &SituationQuery, note: &MemoryNote) -> Option<f64> {
        let narrative = shown(asked.narrative.as_ref())?;
        let texts = note.text_fields();
        let own = texts.iter().filter(|(field, _)| *field != Field::Tag);
        own.map(|(field, own)| Some(self.cosine(narrative, note.id, *field, own)))
            .fold(None, best)
    }

    /// String similarity of the fields of an abstract situation with those asked for.
    fn element_strings(&self, asked: &SituationQuery, element: &AbstractSituation) -> f64 {
        match element {
            AbstractSituation::Location(own) => asked
                .location
                .iter()
                .map(|place| self.spelt(place.name.as_ref(), &own.name))
                .fold(0.0, f64::max),
            AbstractSituation::Participant(own) => asked
                .participants
                .iter()
                .map(|person| self.spelt(person.name.as_ref(), &own.name))
                .fold(0.0, f64::max),
            AbstractSituation::Environment(own) => asked.environment.as_ref().map_or(0.0, |air| {
                self.spelt(air.atmosphere.as_ref(), &own.atmosphere)
                    .max(self.spelt(air.tone.as_ref(), &own.tone))
            }),
            AbstractSituation::Event(own) => asked
                .event
                .iter()
                .map(|event| self.spelt(event.action.as_ref(), &own.action))
                .fold(0.0, f64::max),
        }
    }
}
