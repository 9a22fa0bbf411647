//! Where a running daemon can be reached: the ready line, and the files that local clients find it by.

use std::fs;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::token::Token;

/// The name of the endpoint file in the runtime folder and in the data directory.
pub const ENDPOINT_FILE: &str = "endpoint.json";

/// The ready line of a hosted daemon and the content of an endpoint file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Always `ready`.
    pub event: String,
    /// The loopback address; left out where it is 127.0.0.1.
    #[serde(default = "localhost", skip_serializing_if = "is_localhost")]
    pub host: IpAddr,
    /// The port.
    pub port: u16,
    /// What `hello` must show.
    pub token: String,
    /// The daemon's process.
    pub pid: u32,
    /// The protocol version.
    pub protocol: u64,
    /// The daemon's version.
    pub version: String,
}

fn localhost() -> IpAddr {
    Ipv4Addr::LOCALHOST.into()
}

fn is_localhost(host: &IpAddr) -> bool {
    *host == localhost()
}

impl Endpoint {
    /// The endpoint of this process, listening on `address`.
    pub fn of_this_process(address: SocketAddr, token: &Token, protocol: u64) -> Self {
        Self {
            event: "ready".to_owned(),
            host: address.ip(),
            port: address.port(),
            token: token.reveal().to_owned(),
            pid: std::process::id(),
            protocol,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Reads an endpoint file.
    pub fn read(path: &Path) -> io::Result<Self> {
        serde_json::from_slice(&fs::read(path)?).map_err(io::Error::from)
    }

    /// One line of JSON, with its line feed.
    pub fn line(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

/// Endpoint files that this process wrote. They go when it is dropped, each only if it is still ours: by
/// then another daemon may have written its own over it.
#[derive(Debug, Default)]
pub struct EndpointFiles {
    written: Vec<(PathBuf, String)>,
}

impl EndpointFiles {
    /// Writes the endpoint into a folder, over whatever a killed daemon left there.
    pub fn write(&mut self, endpoint: &Endpoint, folder: &Path) -> io::Result<()> {
        let line = endpoint.line()?;
        let path = folder.join(ENDPOINT_FILE);
        replace(folder, &path, &line).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        self.written.push((path, line));
        Ok(())
    }
}

impl Drop for EndpointFiles {
    fn drop(&mut self) {
        for (path, line) in &self.written {
            let still_ours = fs::read_to_string(path).is_ok_and(|content| content == *line);
            if still_ours && let Err(error) = fs::remove_file(path) {
                tracing::warn!(path = %path.display(), %error, "cannot remove the endpoint file");
            }
        }
    }
}

/// Puts a whole file in place at once, so that a client never reads half a token. It is made with mode
/// 0600.
fn replace(folder: &Path, path: &Path, content: &str) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn endpoint(port: u16) -> Endpoint {
        let token = Token::generate().unwrap();
        Endpoint::of_this_process(([127, 0, 0, 1], port).into(), &token, 1)
    }

    fn written(endpoint: &Endpoint, folder: &Path) -> EndpointFiles {
        let mut files = EndpointFiles::default();
        files.write(endpoint, folder).unwrap();
        files
    }

    #[test]
    fn a_file_is_private_readable_and_gone_with_its_daemon() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("soulmem");
        let ours = endpoint(1);
        let files = written(&ours, &place);
        let path = place.join(ENDPOINT_FILE);
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert!(Endpoint::read(&path).unwrap() == ours);
        drop(files);
        assert!(!path.exists());
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
    }

    #[test]
    fn a_stale_file_is_replaced_and_anothers_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_owned();
        fs::write(place.join(ENDPOINT_FILE), "half a li").unwrap();
        let first = written(&endpoint(1), &place);
        let second = written(&endpoint(2), &place);
        drop(first);
        assert_eq!(Endpoint::read(&place.join(ENDPOINT_FILE)).unwrap().port, 2);
        drop(second);
        assert!(!place.join(ENDPOINT_FILE).exists());
    }
}
