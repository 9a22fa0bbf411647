//! The blend weights of similarity: how much each field of a query counts.

use serde::{Deserialize, Serialize};

use super::query::QueryError;

/// How the parts of a similarity score are blended. Each is finite and not negative; weights of a pair that share a
/// field are divided by the sum of those that the query asks for, so only their ratio matters.
///
/// | weight | blends |
/// |---|---|
/// | `tag`, `variant` | the tags against everything else |
/// | `string_blend_alpha` | vectors against string distance: `score = max(e, α·e + (1 − α)·s)` |
/// | `sem_*` | a concept's name against its description |
/// | `sit_*` | within one field of a situation; the fields themselves combine by maximum |
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the table above says what each blends")]
pub struct BlendWeights {
    pub tag: f64,
    pub variant: f64,
    pub string_blend_alpha: f64,
    pub sem_concept: f64,
    pub sem_description: f64,
    pub sit_narrative: f64,
    pub sit_location_name: f64,
    pub sit_location_coordinates: f64,
    pub sit_participant_name: f64,
    pub sit_participant_role: f64,
    pub sit_emotion: f64,
    pub sit_sensory: f64,
    pub sit_environment_atmosphere: f64,
    pub sit_environment_tone: f64,
    pub sit_event_action: f64,
    pub sit_event_roles: f64,
}

impl Default for BlendWeights {
    fn default() -> Self {
        Self {
            tag: 0.3,
            variant: 0.7,
            string_blend_alpha: 0.6,
            sem_concept: 0.7,
            sem_description: 0.3,
            sit_narrative: 1.0,
            sit_location_name: 0.8,
            sit_location_coordinates: 0.2,
            sit_participant_name: 0.7,
            sit_participant_role: 0.3,
            sit_emotion: 0.6,
            sit_sensory: 0.4,
            sit_environment_atmosphere: 0.6,
            sit_environment_tone: 0.4,
            sit_event_action: 0.7,
            sit_event_roles: 0.3,
        }
    }
}

impl BlendWeights {
    /// Every weight with its name, in the order of the fields.
    pub fn named(&self) -> [(&'static str, f64); 16] {
        [
            ("tag", self.tag),
            ("variant", self.variant),
            ("string_blend_alpha", self.string_blend_alpha),
            ("sem_concept", self.sem_concept),
            ("sem_description", self.sem_description),
            ("sit_narrative", self.sit_narrative),
            ("sit_location_name", self.sit_location_name),
            ("sit_location_coordinates", self.sit_location_coordinates),
            ("sit_participant_name", self.sit_participant_name),
            ("sit_participant_role", self.sit_participant_role),
            ("sit_emotion", self.sit_emotion),
            ("sit_sensory", self.sit_sensory),
            (
                "sit_environment_atmosphere",
                self.sit_environment_atmosphere,
            ),
            ("sit_environment_tone", self.sit_environment_tone),
            ("sit_event_action", self.sit_event_action),
            ("sit_event_roles", self.sit_event_roles),
        ]
    }

    /// Refuses weights that are not finite, negative, above 1 where they are a share (`string_blend_alpha`), or all
    /// zero where they divide each other.
    pub fn check(&self) -> Result<(), QueryError> {
        for (name, weight) in self.named() {
            if !weight.is_finite() || weight < 0.0 {
                return Err(wrong(
                    name,
                    format!("is {weight}; give a finite number that is not negative"),
                ));
            }
        }
        if self.string_blend_alpha > 1.0 {
            return Err(wrong(
                "string_blend_alpha",
                "is a share: give 0 to 1".into(),
            ));
        }
        if self.tag + self.variant == 0.0 {
            return Err(wrong(
                "variant",
                "and tag are both zero: nothing would be compared".into(),
            ));
        }
        Ok(())
    }
}

fn wrong(name: &str, reason: String) -> QueryError {
    QueryError {
        field: format!("weights.{name}"),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_defaults_are_those_of_the_specification() {
        let weights = BlendWeights::default();
        assert_eq!(weights.named().len(), 16);
        assert_eq!(
            (weights.tag, weights.variant, weights.string_blend_alpha),
            (0.3, 0.7, 0.6)
        );
        assert!(weights.check().is_ok());
    }

    #[test]
    fn bad_weights_are_named() {
        for bad in [f64::NAN, f64::INFINITY, -0.1] {
            let weights = BlendWeights {
                sit_emotion: bad,
                ..BlendWeights::default()
            };
            assert_eq!(weights.check().unwrap_err().field, "weights.sit_emotion");
        }
        let nothing = BlendWeights {
            tag: 0.0,
            variant: 0.0,
            ..BlendWeights::default()
        };
        assert!(nothing.check().is_err());
        let over = BlendWeights {
            string_blend_alpha: 1.5,
            ..BlendWeights::default()
        };
        assert_eq!(
            over.check().unwrap_err().field,
            "weights.string_blend_alpha"
        );
    }

    #[test]
    fn weights_left_out_keep_their_defaults_and_unknown_ones_are_refused() {
        let weights: BlendWeights = serde_json::from_str(r#"{"tag": 0.5}"#).unwrap();
        assert_eq!((weights.tag, weights.variant), (0.5, 0.7));
        assert!(serde_json::from_str::<BlendWeights>(r#"{"tags": 0.5}"#).is_err());
    }
}
