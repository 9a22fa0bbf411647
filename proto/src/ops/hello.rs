//! `hello`: the first request of every connection. It needs no soul.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Limits, SoulName};

/// Payload of a `hello` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelloRequest {
    /// The token of the daemon's start-up line.
    pub token: Token,
    /// Who is calling.
    pub client: Peer,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelloResponse {
    /// Who answers.
    pub server: Peer,
    /// Protocol version that this connection speaks.
    pub protocol: u64,
    /// Names of the operations that the daemon has.
    pub ops: Vec<String>,
    /// The sizes that the daemon keeps to.
    pub limits: Limits,
    /// The characters that live here.
    pub souls: Vec<SoulName>,
}

/// A program at one end of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// Name of the program.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The secret that opens a connection. It never shows in a log: `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Token(pub String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}
