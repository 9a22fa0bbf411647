//! Taking connections, as many as are allowed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use soulmem_proto::{ErrorCode, ErrorPayload, FrameCodec, Rejection};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::codec::Encoder;

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

/// Takes connections until the daemon drains. One over the limit is closed at once.
pub async fn accept(server: Arc<Server>, listener: TcpListener) {
    let places = Arc::new(Semaphore::new(server.settings.max_connections));
    let mut count = 0_u64;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = server.shutdown.draining().cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                count += 1;
                start(&server, &places, SubscriberId(count), stream);
            }
            Err(error) => {
                tracing::warn!(%error, "cannot take a connection");
                sleep(REFUSED).await;
            }
        }
    }
}

fn start(server: &Arc<Server>, places: &Arc<Semaphore>, id: SubscriberId, stream: TcpStream) {
    let Ok(place) = Arc::clone(places).try_acquire_owned() else {
        return turn_away(server, &stream);
    };
    let session = session::serve(Arc::clone(server), id, stream);
    server.shutdown.sessions().spawn(async move {
        session.await;
        drop(place);
    });
}

/// Says why and closes. The answer fits into the empty buffer of a new connection, so nothing waits here.
fn turn_away(server: &Server, stream: &TcpStream) {
    let limit = server.settings.max_connections;
    tracing::warn!(limit, "a connection over the limit was turned away");
    let message =
        format!("{limit} connections are open, which is all that server.max_connections allows");
    let error = ErrorPayload::new(ErrorCode::Overloaded, message);
    let mut bytes = BytesMut::new();
    if let Ok(frame) = (Rejection {
        msg_id: None,
        op: None,
        error,
    })
    .to_frame()
        && FrameCodec::default()
            .encode(Bytes::from(frame), &mut bytes)
            .is_ok()
    {
        // It closes either way.
        let _ = stream.try_write(&bytes);
    }
}
