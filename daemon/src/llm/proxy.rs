//! What requests go through on their way to the endpoint.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

/// A proxy, or none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Proxy {
    /// Straight to the endpoint, whatever the environment says.
    #[default]
    None,
    /// The one that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).
    Environment,
    /// This one.
    Url(Url),
}

/// What is said for [`Proxy::Environment`].
const ENVIRONMENT: &str = "environment";

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Environment => f.write_str(ENVIRONMENT),
            Self::Url(url) => f.write_str(url.as_str()),
        }
    }
}

impl FromStr for Proxy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => return Ok(Self::None),
            ENVIRONMENT => return Ok(Self::Environment),
            _ => {}
        }
        let example = "such as http://127.0.0.1:3128, socks5h://127.0.0.1:1080 or `environment`";
        let url = Url::parse(text).map_err(|error| format!("is no address, {example}: {error}"))?;
        let known = ["http", "https", "socks5", "socks5h"].contains(&url.scheme());
        if !known || url.host_str().is_none() {
            return Err(format!("must be an address, {example}"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "must not hold a password: set HTTPS_PROXY in the daemon's environment and give `environment` here"
                    .to_owned(),
            );
        }
        Ok(Self::Url(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_takes_back_what_it_shows_and_holds_no_password() {
        for text in [
            "",
            "environment",
            "http://127.0.0.1:3128/",
            "socks5h://127.0.0.1:1080",
        ] {
            let proxy: Proxy = text.parse().unwrap();
            assert_eq!(proxy.to_string(), text);
        }
        for wrong in [
            "127.0.0.1:3128",
            "http://me:secret@127.0.0.1:3128",
            "gopher://x",
        ] {
            assert!(Proxy::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
