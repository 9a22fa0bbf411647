//! A situation asked for against one that was lived.

use super::Scorer;
use super::blend::{asked_for, best, blend};
use super::time::{time_match, with_time};
use crate::model::{Context, Field, NoteId, SpecificSituation};
use crate::recall::query::{FeelingQuery, SituationQuery};

impl Scorer<'_> {
    pub(super) fn specific(
        &self,
        situations: &[SituationQuery],
        note: NoteId,
        lived: &SpecificSituation,
    ) -> Option<f64> {
        situations
            .iter()
            .map(|asked| self.one_specific(asked, note, lived))
            .fold(None, best)
    }

    fn one_specific(
        &self,
        asked: &SituationQuery,
        note: NoteId,
        lived: &SpecificSituation,
    ) -> Option<f64> {
        let narrative = self.part(
            asked.narrative.as_ref(),
            note,
            Field::Narrative,
            &lived.narrative,
        );
        let narrative = blend(&[(self.weights.sit_narrative, narrative)]);
        let fields = best(narrative, self.context(asked, note, &lived.context));
        with_time(fields, time_match(&asked.time_span, lived.time_span))
    }

    /// The best of the structured fields that are asked for.
    fn context(&self, asked: &SituationQuery, note: NoteId, own: &Context) -> Option<f64> {
        let places = asked.location.iter().map(|place| match &own.location {
            Some(own) => self.location(place, note, own),
            None => asked_for(place.name.as_ref().or(place.coordinates.as_ref())),
        });
        let people = asked.participants.iter().map(|person| {
            let met = own
                .participants
                .iter()
                .map(|own| self.participant(person, note, own))
                .fold(None, best);
            met.or_else(|| asked_for(person.name.as_ref().or(person.role.as_ref())))
        });
        let events = asked.event.iter().map(|event| {
            let done = own
                .event
                .iter()
                .map(|own| self.event(event, note, own))
                .fold(None, best);
            done.or_else(|| {
                asked_for(
                    event
                        .action
                        .as_ref()
                        .or(event.initiator.as_ref())
                        .or(event.target.as_ref()),
                )
            })
        });
        let air = asked
            .environment
            .iter()
            .map(|air| self.environment(air, note, &own.environment));
        places
            .chain(people)
            .chain(events)
            .chain(air)
            .chain([self.feelings(asked, note, own)])
            .fold(None, best)
    }

    fn feelings(&self, asked: &SituationQuery, note: NoteId, own: &Context) -> Option<f64> {
        let closest = |asked: &[FeelingQuery], field, own: Vec<&str>| {
            let names = asked
                .iter()
                .map(|feeling| feeling.name.as_str())
                .filter(|name| !name.trim().is_empty());
            let scores = names.map(|name| {
                Some(
                    own.iter()
                        .map(|own| self.cosine(name, note, field, own))
                        .fold(0.0, f64::max),
                )
            });
            scores.fold(None, best)
        };
        let emotions = own
            .emotions
            .iter()
            .map(|emotion| emotion.name.as_str())
            .collect();
        let sensed = own
            .sensory_data
            .iter()
            .map(|sensed| sensed.name.as_str())
            .collect();
        blend(&[
            (
                self.weights.sit_emotion,
                closest(&asked.emotions, Field::Emotion, emotions),
            ),
            (
                self.weights.sit_sensory,
                closest(&asked.sensory_data, Field::Sensory, sensed),
            ),
        ])
    }
}
