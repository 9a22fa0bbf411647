//! Blend sweeps: running every case of a file with several weights.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::Map;
use soulmem_engine::model::{ModelError, strict};
use soulmem_engine::recall::weights::BlendWeights;

/// The `blend_sweep` of a query file. Where both lists are given, `pairs` counts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct BlendSweep {
    /// Weights of the tags, each from 0 to 1; what it leaves is the weight of the rest.
    pub tag_sweep: Option<Vec<f64>>,
    /// Weights named one by one; those left out keep their defaults.
    pub pairs: Option<Vec<BlendWeights>>,
}

/// One set of weights that cases are run with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Variation(pub BlendWeights);

/// Decimals that tell two weights apart. `1 − 0.7` is not quite 0.3 in binary, and has to be the same as 0.3.
const DECIMALS: i32 = 9;

impl BlendSweep {
    /// The variations to run, in the order of the file.
    ///
    /// # Errors
    ///
    /// [`ModelError`] for a sweep that is empty, and for weights that cannot be blended.
    pub fn expand(&self) -> Result<Vec<Variation>, ModelError> {
        let (name, variations) = match (&self.pairs, &self.tag_sweep) {
            (Some(pairs), _) => ("pairs", pairs.iter().copied().map(Variation).collect()),
            (None, Some(tags)) => ("tag_sweep", of_tags(tags)?),
            (None, None) => return Err(ModelError::new("", "has neither tag_sweep nor pairs")),
        };
        let variations: Vec<Variation> = variations;
        if variations.is_empty() {
            return Err(ModelError::new(
                name,
                "is empty: no case would be run; leave blend_sweep out to run the defaults",
            ));
        }
        for (position, Variation(weights)) in variations.iter().enumerate() {
            weights.check().map_err(|error| {
                let weight = error.field.trim_start_matches("weights.").to_owned();
                ModelError::new(weight, error.reason).within(format_args!("{name}[{position}]"))
            })?;
        }
        Ok(variations)
    }
}

fn of_tags(tags: &[f64]) -> Result<Vec<Variation>, ModelError> {
    let variation = |(position, &tag): (usize, &f64)| {
        if !(0.0..=1.0).contains(&tag) {
            let field = format!("tag_sweep[{position}]");
            return Err(ModelError::new(field, format!("is {tag}; give 0 to 1")));
        }
        Ok(Variation(BlendWeights {
            tag,
            variant: rounded(1.0 - tag),
            ..BlendWeights::default()
        }))
    };
    tags.iter().enumerate().map(variation).collect()
}

fn rounded(weight: f64) -> f64 {
    let unit = 10_f64.powi(DECIMALS);
    (weight * unit).round() / unit
}

impl FromStr for Variation {
    type Err = ModelError;

    /// Reads weights as they are typed, `tag=0.5,variant=0.5`; those left out keep their defaults.
    fn from_str(text: &str) -> Result<Self, ModelError> {
        let mut weights = Map::new();
        for pair in text.split([',', ' ']).filter(|pair| !pair.is_empty()) {
            let written = || ModelError::new("", format!("`{pair}`: write it as NAME=NUMBER"));
            let (name, weight) = pair.split_once('=').ok_or_else(written)?;
            let weight: f64 = weight.parse().map_err(|_| written())?;
            weights.insert(name.to_owned(), weight.into());
        }
        let weights: BlendWeights = strict::from_value(&weights.into())?;
        weights
            .check()
            .map_err(|error| ModelError::new(error.field, error.reason))?;
        Ok(Self(weights))
    }
}

impl Variation {
    /// The weight of the tags against that of the rest, by which reports group.
    pub fn pair(&self) -> (f64, f64) {
        (self.0.tag, self.0.variant)
    }
}

impl fmt::Display for Variation {
    /// `tag=0.3 variant=0.7`, and every other weight that is not at its default.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tag, variant) = self.pair();
        write!(
            formatter,
            "tag={} variant={}",
            rounded(tag),
            rounded(variant)
        )?;
        let defaults = BlendWeights::default().named();
        for ((name, weight), (_, default)) in self.0.named().into_iter().zip(defaults) {
            let shown = name == "tag" || name == "variant";
            if !shown && rounded(weight).total_cmp(&rounded(default)).is_ne() {
                write!(formatter, " {name}={}", rounded(weight))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(value: &Value) -> Result<Vec<Variation>, ModelError> {
        strict::from_value::<BlendSweep>(value)?.expand()
    }

    fn labels(value: &Value) -> Vec<String> {
        let variations = read(value).unwrap();
        variations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_tag_sweep_leaves_the_rest_to_the_variant() {
        assert_eq!(
            labels(&json!({"tag_sweep": [0.3, 0.5, 0.7]})),
            [
                "tag=0.3 variant=0.7",
                "tag=0.5 variant=0.5",
                "tag=0.7 variant=0.3"
            ]
        );
    }

    #[test]
    fn pairs_win_over_a_tag_sweep_and_name_any_weight() {
        let sweep = json!({
            "tag_sweep": [0.1, 0.9],
            "pairs": [
                {"tag": 0.3, "variant": 0.7},
                {"tag": 0.5, "variant": 0.5, "sem_concept": 0.6, "sit_participant_name": 0.8, "sit_participant_role": 0.2}
            ]
        });
        assert_eq!(
            labels(&sweep),
            [
                "tag=0.3 variant=0.7",
                "tag=0.5 variant=0.5 sem_concept=0.6 sit_participant_name=0.8 sit_participant_role=0.2"
            ]
        );
    }

    #[test]
    fn a_tag_sweep_is_the_same_as_its_pairs() {
        let tags = read(&json!({"tag_sweep": [0.3, 0.7]})).unwrap();
        let pairs = json!({"pairs": [{"tag": 0.3, "variant": 0.7}, {"tag": 0.7, "variant": 0.3}]});
        assert_eq!(tags, read(&pairs).unwrap());
    }

    #[test]
    fn what_cannot_be_run_is_refused_by_name() {
        for (sweep, field, hint) in [
            (json!({}), "", "neither"),
            (json!({"tag_sweep": []}), "tag_sweep", "empty"),
            (json!({"pairs": [], "tag_sweep": [0.3]}), "pairs", "empty"),
            (json!({"tag_sweep": [0.3, 1.2]}), "tag_sweep[1]", "0 to 1"),
            (json!({"pairs": [{"tag": -0.1}]}), "pairs[0].tag", "-0.1"),
            (
                json!({"pairs": [{"tag": 0.0, "variant": 0.0}]}),
                "pairs[0].variant",
                "both zero",
            ),
            (
                json!({"tag_sweeps": [0.3]}),
                "tag_sweeps",
                "did you mean `tag_sweep`",
            ),
            (
                json!({"pairs": [{"sem_konzept": 1.0}]}),
                "pairs[0].sem_konzept",
                "did you mean `sem_concept`",
            ),
        ] {
            let error = read(&sweep).unwrap_err();
            assert_eq!(error.field, field, "{sweep}");
            assert!(error.reason.contains(hint), "{}", error.reason);
        }
    }

    #[test]
    fn weights_are_read_as_they_are_shown() {
        for text in [
            "tag=0.3 variant=0.7",
            "tag=0.5 variant=0.5 sem_concept=0.6 sit_event_roles=0",
        ] {
            assert_eq!(text.parse::<Variation>().unwrap().to_string(), text);
        }
        let typed: Variation = "tag=0.5,variant=0.5".parse().unwrap();
        assert_eq!(typed.pair(), (0.5, 0.5));
        for (bad, reason) in [
            ("tag", "NAME=NUMBER"),
            ("tag=x", "NAME=NUMBER"),
            ("tags=1", "did you mean `tag`"),
            ("tag=-1", "weights.tag"),
        ] {
            let error = bad.parse::<Variation>().unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
