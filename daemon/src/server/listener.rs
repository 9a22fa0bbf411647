//! Taking connections, as many as are allowed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::{ServeError, Server, session};
use crate::soul::events::SubscriberId;

/// Pause after the system refused a connection, for example because too many files are open.
const REFUSED: Duration = Duration::from_millis(100);

/// Listens on `address` and gives the address that it got.
pub async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServeError> {
    let at = |source| ServeError::Bind { address, source };
    let listener = TcpListener::bind(address).await.map_err(at)?;
    let bound = listener.local_addr().map_err(at)?;
    Ok((listener, bound))
}

/// Takes connections until the daemon drains. Only so many that have not said hello are taken at once: the next ones wait
/// for a place at the door, which each of those gives back within moments, and cannot be held by strangers together with
/// the places inside.
pub async fn accept(server: Arc<Server>, listener: TcpListener) {
    let greeting = Arc::new(Semaphore::new(server.settings.max_greeting));
    let mut count = 0_u64;
    loop {
        let next = async {
            let place = Arc::clone(&greeting).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = server.shutdown.draining().cancelled() => return,
        };
        // The semaphore is never closed.
        let Ok(place) = place else { return };
        match accepted {
            Ok((stream, _)) => {
                count += 1;
                let session =
                    session::serve(Arc::clone(&server), SubscriberId(count), stream, place);
                server.shutdown.sessions().spawn(session);
            }
            Err(error) => {
                tracing::warn!(%error, "cannot take a connection");
                sleep(REFUSED).await;
            }
        }
    }
}
