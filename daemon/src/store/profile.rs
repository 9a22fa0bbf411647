//! What a memory says of itself: whose it is, and small facts that have a name.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use soulmem_proto::SoulName;
use uuid::Uuid;

use super::column::{from_json, json, kept};
use super::error::{Result, StoreError};
use super::seal::Sealed;
use super::tx::{Tx, View};

pub(super) static META: Sealed = Sealed::new("meta", 1, &["key", "value"]);

const PROFILE: &str = "profile";

/// The fact that rows were erased and the files are not yet free of them.
const ERASING: &str = "erasing";

/// Whose memory it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The character's name, which is its folder's name too.
    pub soul: SoulName,
    /// The name to show to people.
    pub display_name: Option<String>,
    /// The language it lives in, a BCP 47 tag.
    pub locale: Option<String>,
    /// Settings of this character that differ from the daemon's.
    pub config: serde_json::Value,
    /// When the memory was made.
    pub created_at: Timestamp,
    /// The id of this database and its copies: tells them from those of a namesake.
    pub database: Uuid,
}

/// What a new memory is told about its character.
#[derive(Debug, Clone)]
pub struct NewSoul {
    /// See [`Profile::soul`].
    pub soul: SoulName,
    /// See [`Profile::display_name`].
    pub display_name: Option<String>,
    /// See [`Profile::locale`].
    pub locale: Option<String>,
    /// See [`Profile::config`].
    pub config: serde_json::Value,
}

impl NewSoul {
    /// A character of which nothing but the name is given.
    pub fn named(soul: SoulName) -> Self {
        Self {
            soul,
            display_name: None,
            locale: None,
            config: serde_json::Value::Null,
        }
    }

    pub(super) fn profile(self, created_at: Timestamp, database: Uuid) -> Profile {
        let Self {
            soul,
            display_name,
            locale,
            config,
        } = self;
        Profile {
            soul,
            display_name,
            locale,
            config,
            created_at: kept(created_at),
            database,
        }
    }
}

impl View {
    /// Whose memory it is.
    pub fn profile(&self) -> Result<Profile> {
        let text = self.meta(PROFILE)?;
        let text = text.ok_or_else(|| StoreError::corrupt("table meta: the profile is missing"))?;
        from_json("value", &text)
            .map_err(|reason| StoreError::corrupt(format!("table meta, profile: {reason}")))
    }

    /// Whether an erasure was cut short: its rows are gone, older states of them may be there yet.
    pub fn is_erasing(&self) -> Result<bool> {
        Ok(self.meta(ERASING)?.is_some())
    }

    /// A fact that was kept under this name.
    pub fn meta(&self, key: &str) -> Result<Option<String>> {
        self.one(&format!("{} WHERE key = ?", META.select()), [key], |row| {
            META.check(row, 0)?;
            Ok(row.get(1)?)
        })
    }
}

impl Tx {
    /// Changes what the memory says of its character.
    pub fn set_profile(&self, profile: &Profile) -> Result<()> {
        self.journal("profile", None, None)?;
        self.write_profile(profile)
    }

    pub(super) fn write_profile(&self, profile: &Profile) -> Result<()> {
        META.put(&self.connection, &[&PROFILE, &json("profile", profile)?])
    }

    /// Notes that an erasure has begun. The journal says so in its own words.
    pub(super) fn begin_erasing(&self) -> Result<()> {
        META.put(&self.connection, &[&ERASING, &"1"])
    }

    /// Notes that it is complete.
    pub(super) fn end_erasing(&self) -> Result<()> {
        let sql = "DELETE FROM meta WHERE key = ?";
        self.connection.execute(sql, [ERASING])?;
        Ok(())
    }

    /// Keeps a fact under a name, in place of what was kept there.
    pub fn set_meta(&self, key: &str, value: &str) -> Result<()> {
        self.journal("meta", None, None)?;
        META.put(&self.connection, &[&key, &value])
    }
}
