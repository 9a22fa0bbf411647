//! A place, a person, an air, an event: the structured elements that situations are made of.

use super::Scorer;
use super::blend::blend;
use crate::model::{Environment, Event, Field, Location, NoteId, Participant};
use crate::recall::query::{EnvironmentQuery, EventQuery, LocationQuery, ParticipantQuery};

impl Scorer<'_> {
    pub(super) fn location(
        &self,
        asked: &LocationQuery,
        note: NoteId,
        own: &Location,
    ) -> Option<f64> {
        let coordinates = own.coordinates.as_deref().unwrap_or("");
        blend(&[
            (
                self.weights.sit_location_name,
                self.part(asked.name.as_ref(), note, Field::LocationName, &own.name),
            ),
            (
                self.weights.sit_location_coordinates,
                self.part(
                    asked.coordinates.as_ref(),
                    note,
                    Field::LocationCoordinates,
                    coordinates,
                ),
            ),
        ])
    }

    pub(super) fn participant(
        &self,
        asked: &ParticipantQuery,
        note: NoteId,
        own: &Participant,
    ) -> Option<f64> {
        blend(&[
            (
                self.weights.sit_participant_name,
                self.part(asked.name.as_ref(), note, Field::ParticipantName, &own.name),
            ),
            (
                self.weights.sit_participant_role,
                self.part(asked.role.as_ref(), note, Field::ParticipantRole, &own.role),
            ),
        ])
    }

    pub(super) fn environment(
        &self,
        asked: &EnvironmentQuery,
        note: NoteId,
        own: &Environment,
    ) -> Option<f64> {
        let atmosphere = self.part(
            asked.atmosphere.as_ref(),
            note,
            Field::EnvironmentAtmosphere,
            &own.atmosphere,
        );
        let tone = self.part(asked.tone.as_ref(), note, Field::EnvironmentTone, &own.tone);
        blend(&[
            (self.weights.sit_environment_atmosphere, atmosphere),
            (self.weights.sit_environment_tone, tone),
        ])
    }

    pub(super) fn event(&self, asked: &EventQuery, note: NoteId, own: &Event) -> Option<f64> {
        let initiator = self.part(
            asked.initiator.as_ref(),
            note,
            Field::EventRole,
            &own.initiator,
        );
        let target = self.part(asked.target.as_ref(), note, Field::EventRole, &own.target);
        blend(&[
            (
                self.weights.sit_event_action,
                self.part(asked.action.as_ref(), note, Field::EventAction, &own.action),
            ),
            (
                self.weights.sit_event_roles,
                blend(&[(0.5, initiator), (0.5, target)]),
            ),
        ])
    }
}
