//! What one character does otherwise than the daemon's settings say.

use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::Value;

use super::error::{Result, SoulError};
use super::forgetting::{Curves, ForgetConfig};
use super::settings::{MAX_WINDOW, SoulSettings};

/// The `config` of `soul.create`. What is left out is as the daemon's settings say.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OwnConfig {
    window: WindowConfig,
    forget: ForgetConfig,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WindowConfig {
    /// Messages that the sliding window holds.
    capacity: Option<NonZeroU32>,
}

impl OwnConfig {
    /// Reads it from JSON, naming what is not right.
    pub fn read(config: &Value) -> Result<Self> {
        if config.is_null() {
            return Ok(Self::default());
        }
        // A list would be read as the fields of a struct in their order.
        for (place, part) in [
            ("config", Some(config)),
            ("config.window", config.get("window")),
            ("config.forget", config.get("forget")),
        ] {
            if part.is_some_and(|part| !part.is_object()) {
                return Err(SoulError::invalid(place, "must be a map"));
            }
        }
        let own: Self = serde_path_to_error::deserialize(config).map_err(|error| {
            let path = match error.path().to_string() {
                path if path == "." => "config".to_owned(),
                path => format!("config.{path}"),
            };
            SoulError::invalid(path, error.into_inner().to_string())
        })?;
        own.forget
            .check()
            .map_err(|error| SoulError::model("config.forget", error))?;
        match own.window.capacity {
            Some(capacity) if capacity.get() > MAX_WINDOW => Err(SoulError::invalid(
                "config.window.capacity",
                format!("is {capacity}, must be from 1 to {MAX_WINDOW}"),
            )),
            _ => Ok(own),
        }
    }

    /// How many messages the window holds.
    pub fn window_capacity(&self, settings: &SoulSettings) -> NonZeroU32 {
        self.window.capacity.unwrap_or(settings.window_capacity)
    }

    /// How its memories fade.
    pub fn curves(&self, settings: &SoulSettings) -> Curves {
        self.forget.over(settings.forget).curves()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(config: &Value) -> String {
        match OwnConfig::read(config).unwrap_err() {
            SoulError::Invalid { field, .. } => field,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn what_is_left_out_is_as_the_daemon_says() {
        let settings = SoulSettings::default();
        let capacity = |config: Value| {
            OwnConfig::read(&config)
                .unwrap()
                .window_capacity(&settings)
                .get()
        };
        assert_eq!(capacity(Value::Null), 12);
        assert_eq!(capacity(json!({})), 12);
        assert_eq!(capacity(json!({"window": {"capacity": 3}})), 3);
    }

    #[test]
    fn what_is_not_right_is_named() {
        assert_eq!(refused(&json!({"windows": {}})), "config.windows");
        assert_eq!(
            refused(&json!({"window": {"size": 3}})),
            "config.window.size"
        );
        assert_eq!(
            refused(&json!({"window": {"capacity": 0}})),
            "config.window.capacity"
        );
        assert_eq!(
            refused(&json!({"window": {"capacity": 10_001}})),
            "config.window.capacity"
        );
        assert_eq!(refused(&json!([])), "config");
        assert_eq!(refused(&json!({"window": [3]})), "config.window");
        assert_eq!(refused(&json!({"forget": []})), "config.forget");
        assert_eq!(
            refused(&json!({"forget": {"profile": "seeds"}})),
            "config.forget.profile"
        );
        assert_eq!(
            refused(&json!({"forget": {"base_half_life_hours": 0}})),
            "config.forget.base_half_life_hours"
        );
    }
}
