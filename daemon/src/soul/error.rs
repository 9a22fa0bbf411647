//! Every way in which a character's memory can refuse something.

use std::io;
use std::path::PathBuf;

use soulmem_engine::graph::WalkError;
use soulmem_engine::model::ModelError;
use soulmem_engine::recall::RecallError;
use soulmem_proto::ops::soul_owner::{OwnerState, Ownership};
use soulmem_proto::{ErrorCode, ErrorPayload, SoulName};
use thiserror::Error;

use super::ownership::reason;
use crate::store::StoreError;

/// Why something was not done.
#[derive(Debug, Error)]
pub enum SoulError {
    /// There is no such character. A misspelt name must not begin a new memory, so none is made by itself.
    #[error("there is no character `{name}`{}; soul.create makes one", meant(nearest.as_ref()))]
    Unknown {
        /// The name.
        name: SoulName,
        /// The character whose name is most like it, where one is.
        nearest: Option<SoulName>,
    },
    /// There is one already.
    #[error("there is a character `{0}` already")]
    Exists(SoulName),
    /// Every place for an open character is taken by one that is in use at this moment.
    #[error(
        "{0} characters are in use, which is all that may be open at once (souls.max_open); try again"
    )]
    AllInUse(usize),
    /// This copy of it is not the one that is written to.
    #[error("`{name}` is not written to: {}", reason(ownership))]
    NotOwner {
        /// The character.
        name: SoulName,
        /// What the copy is.
        ownership: Ownership,
    },
    /// The file that says whether a copy is the owner cannot be read or written.
    #[error("{0}")]
    Ownership(String),
    /// A field is missing or out of range.
    #[error("{field}: {reason}")]
    Invalid {
        /// Its path in the request.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What an uploaded file holds is not right; the message names the file, the place in it and the reason.
    #[error("{0}")]
    InFile(String),
    /// A text or a list is over its limit.
    #[error("{field}: {reason}")]
    TooLarge {
        /// Its path in the request.
        field: String,
        /// What it has and what it may have.
        reason: String,
    },
    /// Something that was asked for by id is not there.
    #[error("{0}")]
    NotFound(String),
    /// A folder cannot be read.
    #[error("{}: {_1}", _0.display())]
    Folder(PathBuf, io::Error),
    /// Something that must never happen.
    #[error("{0}")]
    Bug(String),
    /// The store said no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What operations on characters return.
pub type Result<T, E = SoulError> = std::result::Result<T, E>;

fn meant(nearest: Option<&SoulName>) -> String {
    nearest
        .map(|name| format!(" (did you mean `{name}`?)"))
        .unwrap_or_default()
}

impl SoulError {
    /// A field that is not as it must be.
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid {
            field: field.into(),
            reason: reason.into(),
        }
    }

    /// A note or link of the request that the model refuses; `place` is its path.
    pub fn model(place: &str, error: ModelError) -> Self {
        let field = if error.field.is_empty() {
            place.to_owned()
        } else {
            format!("{place}.{}", error.field)
        };
        Self::Invalid {
            field,
            reason: error.reason,
        }
    }
}

impl From<RecallError> for SoulError {
    fn from(error: RecallError) -> Self {
        match error {
            RecallError::Nothing => Self::invalid("text", error.to_string()),
            RecallError::Query { index, error } => {
                Self::invalid(format!("queries[{index}].{}", error.field), error.reason)
            }
            RecallError::Weights(error) => {
                Self::invalid(format!("options.{}", error.field), error.reason)
            }
            RecallError::Walk(WalkError::Damping(_)) => {
                Self::invalid("options.walk.damping", error.to_string())
            }
            RecallError::Walk(WalkError::Residue(_)) => {
                Self::invalid("options.walk.residue", error.to_string())
            }
            RecallError::Walk(_) | RecallError::Vector(_) => Self::Bug(error.to_string()),
            RecallError::Source(error) => match error.downcast::<StoreError>() {
                Ok(error) => Self::Store(*error),
                Err(error) => Self::Bug(error.to_string()),
            },
        }
    }
}

impl From<SoulError> for ErrorPayload {
    fn from(error: SoulError) -> Self {
        let message = error.to_string();
        match error {
            SoulError::Unknown { .. } => Self::new(ErrorCode::UnknownSoul, message),
            SoulError::Exists(_) => Self::new(ErrorCode::Conflict, message),
            SoulError::NotOwner { ownership, .. } => {
                Self::new(ErrorCode::Conflict, message).with_detail("ownership", state(&ownership))
            }
            SoulError::Ownership(_) => Self::new(ErrorCode::StorageFull, message),
            SoulError::AllInUse(_) => Self::new(ErrorCode::Overloaded, message),
            SoulError::Invalid { field, reason } => Self::invalid_argument(&field, reason),
            SoulError::InFile(_) => {
                Self::new(ErrorCode::InvalidArgument, message).with_detail("field", "bytes")
            }
            SoulError::TooLarge { field, .. } => {
                Self::new(ErrorCode::TooLarge, message).with_detail("field", field)
            }
            SoulError::Bug(_) => Self::new(ErrorCode::Internal, message),
            SoulError::Folder(..) => Self::new(ErrorCode::Unavailable, message),
            SoulError::NotFound(_) => Self::new(ErrorCode::NotFound, message),
            SoulError::Store(error) => of_store(error, message),
        }
    }
}

fn state(ownership: &Ownership) -> &'static str {
    match ownership.state {
        OwnerState::Owner => "owner",
        OwnerState::Contested => "contested",
        OwnerState::HandedOver => "handed_over",
        OwnerState::Arriving => "arriving",
    }
}

fn of_store(error: StoreError, message: String) -> ErrorPayload {
    match error {
        StoreError::Invalid { field, reason } => ErrorPayload::invalid_argument(&field, reason),
        error => ErrorPayload::new(error.code(), message),
    }
}
