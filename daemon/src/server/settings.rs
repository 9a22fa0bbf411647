//! What can be set about the server, with the protocol's defaults.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// The port of a daemon that was started by hand.
pub const DEFAULT_PORT: u16 = 7411;

/// Listener, limits and times.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Where to listen. Anything but a loopback address is refused at start-up.
    pub listen: SocketAddr,
    /// The largest frame, in bytes.
    pub max_frame_bytes: usize,
    /// Requests that one connection may have outstanding; one more is answered `overloaded`.
    pub max_in_flight: usize,
    /// Bytes that the requests of one connection may take in memory before they are answered.
    pub max_in_flight_bytes: usize,
    /// Bytes that may wait for one slow reader. From half of it on, events are dropped and new requests
    /// answered `overloaded`; past it the connection is closed.
    pub max_outgoing_bytes: usize,
    /// Connections that may be open at once.
    pub max_connections: usize,
    /// Connections that may be open at once before they have said `hello`.
    pub max_greeting: usize,
    /// How long a connection may take to say `hello`.
    pub hello_timeout: Duration,
    /// How long a shutdown lets running requests finish.
    pub drain: Duration,
    /// How long to wait for another daemon to leave the data directory.
    pub lock_wait: Duration,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORT)),
            max_frame_bytes: 16 << 20,
            max_in_flight: 256,
            max_in_flight_bytes: 256 << 20,
            max_outgoing_bytes: 32 << 20,
            max_connections: 256,
            max_greeting: 16,
            hello_timeout: Duration::from_secs(5),
            drain: Duration::from_secs(5),
            lock_wait: Duration::from_secs(10),
        }
    }
}
