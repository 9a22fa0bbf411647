//! Reading requests: the greeting first, then each on its way without waiting for the one before.

use std::sync::Arc;

use bytes::BytesMut;
use futures::StreamExt;
use soulmem_proto::{
    ErrorCode, ErrorPayload, FrameCodec, FrameError, Op, Rejection, Request, to_value, weight,
};
use tokio::io::AsyncRead;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use tokio_util::codec::FramedRead;

use super::{NotTaken, Session};
use crate::server::{Server, dispatch, ops};

/// The largest frame before a client has shown the token.
pub const MAX_HELLO_BYTES: usize = 64 << 10;

/// How the reading of a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client sends no more.
    Finished,
    /// The client broke the protocol and was told so.
    Fault,
    /// The client let too many bytes wait.
    Overrun,
    /// The connection is lost.
    Gone,
    /// The daemon shuts down.
    Shutdown,
}

/// Reads until the connection or the daemon ends.
pub async fn read<R: AsyncRead + Unpin>(
    server: &Arc<Server>,
    session: &Arc<Session>,
    frames: &mut FramedRead<R, FrameCodec>,
    greeting: OwnedSemaphorePermit,
) -> End {
    let greeted = timeout(
        server.settings.hello_timeout,
        greet(server, session, frames),
    )
    .await;
    let _place = match greeted {
        Ok(Ok(place)) => place,
        Ok(Err(end)) => return end,
        Err(_) => {
            let message = "no hello came in time";
            return fault(
                session,
                ErrorPayload::new(ErrorCode::Unauthenticated, message),
            );
        }
    };
    // Whoever comes next may say hello.
    drop(greeting);
    *frames.decoder_mut() = FrameCodec::new(server.settings.max_frame_bytes);
    loop {
        match next(server, session, frames).await {
            Ok(frame) => take(server, session, &frame),
            Err(end) => return end,
        }
    }
}

/// The next frame, or how the connection ended. Its error was answered already.
async fn next<R: AsyncRead + Unpin>(
    server: &Server,
    session: &Session,
    frames: &mut FramedRead<R, FrameCodec>,
) -> Result<BytesMut, End> {
    let read = tokio::select! {
        read = frames.next() => read,
        () = server.shutdown.closing().cancelled() => {
            session.give_up(&shutting_down());
            return Err(End::Shutdown);
        }
    };
    match read {
        Some(Ok(frame)) => Ok(frame),
        None => Err(End::Finished),
        Some(Err(FrameError::TooLong { limit })) => {
            let message = format!("a frame has at most {limit} bytes here");
            Err(fault(
                session,
                ErrorPayload::new(ErrorCode::TooLarge, message),
            ))
        }
        Some(Err(FrameError::Cut | FrameError::Io(_))) => Err(End::Gone),
    }
}

/// Takes the first request, which must be a `hello` with the right token. Gives the connection its place.
async fn greet<R: AsyncRead + Unpin>(
    server: &Server,
    session: &Session,
    frames: &mut FramedRead<R, FrameCodec>,
) -> Result<OwnedSemaphorePermit, End> {
    let frame = next(server, session, frames).await?;
    let refused = |rejection: Rejection| {
        tracing::warn!(connection = session.id.0, error = %rejection.error, "a connection was refused");
        session.reject(rejection);
        Err(End::Fault)
    };
    let request = match Request::parse(&frame) {
        Ok(request) => request,
        Err(rejection) => return refused(no_hello(rejection)),
    };
    let (msg_id, op) = (request.msg_id, request.op);
    let answer = match op {
        Op::Hello => ops::hello::answer(server, request),
        _ => Err(hello_first()),
    };
    let placed = answer.and_then(|welcome| Ok((to_value(&welcome)?, place(server)?)));
    match placed {
        Ok((welcome, place)) => {
            session.respond(msg_id, op, Ok(welcome));
            Ok(place)
        }
        Err(error) => refused(Rejection {
            msg_id: Some(msg_id),
            op: Some(op.to_string()),
            error,
        }),
    }
}

/// One of the places for connections.
fn place(server: &Server) -> Result<OwnedSemaphorePermit, ErrorPayload> {
    let limit = server.settings.max_connections;
    let full = || {
        overloaded(&format!(
            "{limit} connections are open, which is all that server.max_connections allows"
        ))
    };
    Arc::clone(&server.places)
        .try_acquire_owned()
        .map_err(|_| full())
}

/// What cannot be read as an envelope is answered as such; any other request is one that was not `hello`.
fn no_hello(rejection: Rejection) -> Rejection {
    match rejection.error.code {
        ErrorCode::BadEnvelope | ErrorCode::UnsupportedVersion => rejection,
        _ if rejection.op.as_deref() == Some(Op::Hello.as_str()) => rejection,
        _ => Rejection {
            error: hello_first(),
            ..rejection
        },
    }
}

fn hello_first() -> ErrorPayload {
    let message = "the first request of a connection must be hello";
    ErrorPayload::new(ErrorCode::Unauthenticated, message)
}

/// Starts a request, or answers why not.
fn take(server: &Arc<Server>, session: &Arc<Session>, frame: &[u8]) {
    let weight = weight(frame);
    let most = server.settings.max_in_flight_bytes;
    if weight > most {
        return session.reject(Rejection {
            msg_id: None,
            op: None,
            error: ErrorPayload::new(
                ErrorCode::TooLarge,
                format!("a frame would take {weight} bytes in memory, the requests of a connection may take {most}"),
            ),
        });
    }
    let request = match Request::parse(frame) {
        Ok(request) => request,
        Err(rejection) => return session.reject(rejection),
    };
    let (msg_id, op) = (request.msg_id, request.op);
    let refused = |error| {
        session.reject(Rejection {
            msg_id: Some(msg_id),
            op: Some(op.to_string()),
            error,
        });
    };
    if server.shutdown.has_begun() {
        return refused(shutting_down());
    }
    if session.outgoing.is_congested() {
        return refused(overloaded("answers wait to be read: read them first"));
    }
    match session.take_in(msg_id, op, weight) {
        Ok(slot) => dispatch::start(server, session, request, slot),
        Err(NotTaken::Full) => refused(overloaded(
            "too many requests are unanswered on this connection",
        )),
        Err(NotTaken::TooHeavy) => refused(overloaded(
            "the unanswered requests on this connection take all the memory that they may",
        )),
        // Answering under this id would be taken for the answer to the other request.
        Err(NotTaken::Duplicate) => session.reject(Rejection {
            msg_id: None,
            op: None,
            error: ErrorPayload::new(
                ErrorCode::BadEnvelope,
                format!("msg_id {msg_id} belongs to a request that is not answered yet"),
            )
            .with_detail("msg_id", msg_id),
        }),
    }
}

fn fault(session: &Session, error: ErrorPayload) -> End {
    session.reject(Rejection {
        msg_id: None,
        op: None,
        error,
    });
    End::Fault
}

fn overloaded(message: &str) -> ErrorPayload {
    ErrorPayload::new(ErrorCode::Overloaded, message)
}

fn shutting_down() -> ErrorPayload {
    ErrorPayload::new(ErrorCode::Unavailable, "the daemon is shutting down")
}
