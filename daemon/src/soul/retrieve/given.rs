//! Settings that a request gives in part: what it leaves out is as usual.

use soulmem_engine::graph::{Preference, WalkError, WalkOptions};
use soulmem_engine::recall::RecallError;
use soulmem_engine::recall::weights::BlendWeights;
use soulmem_proto::ops::retrieve_options::{
    BlendWeights as WireWeights, WalkOptions as WireWalk, WalkPreference,
};

use crate::soul::error::Result;

/// Settings of the walk. Refused here, and not only by the walk: a recall that finds nothing to walk from must refuse it too.
pub fn walk(given: &WireWalk) -> Result<WalkOptions> {
    let usual = WalkOptions::default();
    let options = WalkOptions {
        damping: given.damping.unwrap_or(usual.damping),
        residue: given.residue.unwrap_or(usual.residue),
        preference: match given.preference {
            Some(WalkPreference::Semantic) => Preference::Semantic,
            Some(WalkPreference::Situation) => Preference::Situation,
            None => usual.preference,
        },
    };
    if !(0.0..1.0).contains(&options.damping) {
        return Err(RecallError::from(WalkError::Damping(options.damping)).into());
    }
    if !(options.residue > 0.0 && options.residue <= 1.0) {
        return Err(RecallError::from(WalkError::Residue(options.residue)).into());
    }
    Ok(options)
}

/// Weights of similarity.
pub fn weights(given: &WireWeights) -> BlendWeights {
    let usual = BlendWeights::default();
    BlendWeights {
        tag: given.tag.unwrap_or(usual.tag),
        variant: given.variant.unwrap_or(usual.variant),
        string_blend_alpha: given.string_blend_alpha.unwrap_or(usual.string_blend_alpha),
        sem_concept: given.sem_concept.unwrap_or(usual.sem_concept),
        sem_description: given.sem_description.unwrap_or(usual.sem_description),
        sit_narrative: given.sit_narrative.unwrap_or(usual.sit_narrative),
        sit_location_name: given.sit_location_name.unwrap_or(usual.sit_location_name),
        sit_location_coordinates: given
            .sit_location_coordinates
            .unwrap_or(usual.sit_location_coordinates),
        sit_participant_name: given
            .sit_participant_name
            .unwrap_or(usual.sit_participant_name),
        sit_participant_role: given
            .sit_participant_role
            .unwrap_or(usual.sit_participant_role),
        sit_emotion: given.sit_emotion.unwrap_or(usual.sit_emotion),
        sit_sensory: given.sit_sensory.unwrap_or(usual.sit_sensory),
        sit_environment_atmosphere: given
            .sit_environment_atmosphere
            .unwrap_or(usual.sit_environment_atmosphere),
        sit_environment_tone: given
            .sit_environment_tone
            .unwrap_or(usual.sit_environment_tone),
        sit_event_action: given.sit_event_action.unwrap_or(usual.sit_event_action),
        sit_event_roles: given.sit_event_roles.unwrap_or(usual.sit_event_roles),
    }
}
