//! Why an attempt to reach the endpoint came to nothing.

use std::error::Error;
use std::time::Duration;

use async_openai::error::OpenAIError;
use thiserror::Error;

/// Characters of what an endpoint says that are told on.
const TOLD: usize = 300;

/// One attempt that brought no reply.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// There is no key, though one is configured.
    #[error("{0}")]
    Key(String),
    /// Nobody is there, or cannot be trusted.
    #[error("it cannot be reached: {0}; see llm.base_url and llm.proxy, and whether it runs")]
    Connect(String),
    /// It took too long.
    #[error("no reply within {} ms (llm.timeout_ms)", .0.as_millis())]
    Timeout(Duration),
    /// The connection ended before the reply did.
    #[error("the connection broke off: {0}")]
    Cut(String),
    /// It says that it will not.
    #[error("it answered {status}: {message}{}", what_to_do(*.status, message))]
    Status {
        /// The status of HTTP.
        status: u16,
        /// What it said.
        message: String,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// It did not stop.
    #[error("its reply is longer than {0} bytes (llm.max_reply_bytes)")]
    TooLong(usize),
    /// What it sent is not what this kind of endpoint sends.
    #[error(
        "its answer is not that of a chat completion ({0}); see llm.base_url, which usually ends with /v1"
    )]
    Garbled(String),
}

impl Fault {
    /// Whether another attempt may go better.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Timeout(_) | Self::Cut(_) | Self::Garbled(_) => true,
            Self::Status {
                status, message, ..
            } => match status {
                // Some say so when there is no money left: that does not pass by waiting.
                429 => !message.contains("insufficient_quota"),
                408 | 409 | 425 => true,
                501 | 505 => false,
                status => *status >= 500,
            },
            Self::Key(_) | Self::TooLong(_) => false,
        }
    }

    /// Whether the endpoint may have read the request and worked at it, though no reply came.
    pub fn may_have_cost(&self) -> bool {
        matches!(
            self,
            Self::Timeout(_) | Self::Cut(_) | Self::TooLong(_) | Self::Garbled(_)
        )
    }

    /// What the endpoint says against the request itself, if that is what it does.
    pub fn objection(&self) -> Option<&str> {
        match self {
            Self::Status {
                status: 400 | 413 | 415 | 422 | 501,
                message,
                ..
            } => Some(message),
            _ => None,
        }
    }
}

fn what_to_do(status: u16, message: &str) -> &'static str {
    match status {
        300..=399 => "; redirects are not followed: set llm.base_url to where it is",
        401 | 403 => "; see llm.key_env and llm.key_file",
        404 => "; see llm.base_url, which usually ends with /v1, and llm.model",
        429 if message.contains("insufficient_quota") => "; the account is empty",
        429 => "; it is asked too often (llm.concurrency, llm.daily_tokens)",
        _ => "",
    }
}

/// The first part of what an endpoint said, on one line.
pub(super) fn told(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TOLD) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// An error with everything that led to it, on one line.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_said = inner.to_string();
        if !said.contains(&inner_said) {
            said = format!("{said}: {inner_said}");
        }
        source = inner.source();
    }
    told(&said)
}

impl From<reqwest::Error> for Fault {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if error.is_connect() {
            Self::Connect(chain(&error))
        } else {
            Self::Cut(chain(&error))
        }
    }
}

impl From<Fault> for OpenAIError {
    fn from(fault: Fault) -> Self {
        Self::Boxed(Box::new(fault))
    }
}

impl From<OpenAIError> for Fault {
    fn from(error: OpenAIError) -> Self {
        match error {
            OpenAIError::Boxed(inner) => match inner.downcast::<Self>() {
                Ok(fault) => *fault,
                Err(other) => Self::Cut(chain(&*other)),
            },
            OpenAIError::Reqwest(error) => error.into(),
            other => Self::Garbled(chain(&other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, message: &str) -> Fault {
        Fault::Status {
            status,
            message: message.to_owned(),
            retry_after: None,
        }
    }

    #[test]
    fn what_may_pass_is_tried_again_and_what_cannot_is_not() {
        for passing in [408, 429, 500, 502, 503, 504, 529] {
            assert!(status(passing, "").may_pass(), "{passing}");
        }
        for lasting in [301, 400, 401, 403, 404, 413, 422, 501] {
            assert!(!status(lasting, "").may_pass(), "{lasting}");
        }
        assert!(!status(429, "insufficient_quota: add credit").may_pass());
        assert!(Fault::Cut("reset".to_owned()).may_pass());
        assert!(!Fault::TooLong(1).may_pass());
    }

    #[test]
    fn a_fault_says_which_key_to_look_at() {
        assert!(status(401, "no").to_string().contains("llm.key_env"));
        assert!(status(404, "no").to_string().contains("llm.model"));
        assert!(status(302, "no").to_string().contains("llm.base_url"));
    }

    #[test]
    fn what_an_endpoint_says_is_told_on_one_line_of_bounded_length() {
        assert_eq!(told("a\n  b\tc"), "a b c");
        let long = told(&"字".repeat(1_000));
        assert_eq!(long.chars().count(), TOLD + 1);
    }
}
