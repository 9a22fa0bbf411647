//! The address of an endpoint.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;

/// An address such as `http://127.0.0.1:11434/v1`, to which `/chat/completions` is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// The address of one of its functions.
    pub fn join(&self, path: &str) -> String {
        format!("{self}{path}")
    }

    /// The address as text, with whatever slash it ends with.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether what is sent there is encrypted on the way.
    pub fn is_secure(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether what is sent there stays on this machine.
    pub fn is_local(&self) -> bool {
        let Some(host) = self.0.host_str() else {
            return false;
        };
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let address: Option<IpAddr> = bare.parse().ok();
        address.map_or(host == "localhost", |address| address.is_loopback())
    }

    /// Whether others on the way can read what is sent there.
    pub fn is_open_to_readers(&self) -> bool {
        !self.is_secure() && !self.is_local()
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "such as http://127.0.0.1:11434/v1";
        let url = Url::parse(text).map_err(|error| format!("is no address, {example}: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(format!("must be an http:// or https:// address, {example}"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "must not hold a user or a password; name a key by llm.key_env or llm.key_file"
                    .to_owned(),
            );
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!(
                "must end with the path, without `?` and `#`, {example}"
            ));
        }
        Ok(Self(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> BaseUrl {
        text.parse().unwrap()
    }

    #[test]
    fn functions_stand_below_it_whether_or_not_it_ends_with_a_slash() {
        for base in ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/"] {
            let found = url(base).join("/chat/completions");
            assert_eq!(found, "http://127.0.0.1:8080/v1/chat/completions");
        }
    }

    #[test]
    fn what_stays_on_the_machine_is_told_from_what_does_not() {
        for local in [
            "http://127.0.0.1/v1",
            "http://[::1]:1/v1",
            "http://localhost/v1",
        ] {
            assert!(url(local).is_local(), "{local}");
            assert!(!url(local).is_open_to_readers(), "{local}");
        }
        assert!(!url("http://127.0.0.1.example.org/v1").is_local());
        assert!(url("http://192.168.1.2/v1").is_open_to_readers());
        assert!(!url("https://192.168.1.2/v1").is_open_to_readers());
    }

    #[test]
    fn an_address_with_a_secret_or_of_another_kind_is_refused() {
        for wrong in [
            "127.0.0.1:8080",
            "ftp://127.0.0.1/v1",
            "https://me:secret@example.org/v1",
            "https://example.org/v1?key=secret",
            "",
        ] {
            assert!(BaseUrl::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
