//! One connection: a task that reads requests and one that writes answers and events.

mod outgoing;
mod reader;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::SinkExt;
use soulmem_proto::{
    EncodeError, ErrorCode, ErrorPayload, FrameCodec, Op, Rejection, Reply, SoulName, Value,
};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::codec::{FramedRead, FramedWrite};

use self::outgoing::Outgoing;
pub(super) use self::outgoing::Writer;
use super::{Server, ServerSettings};
use crate::soul::events::SubscriberId;
use crate::soul::turns::{Turn, Turns};

/// How long a client that has stopped sending may take to fetch the last answers.
const LINGER: Duration = Duration::from_secs(10);
/// How long, and how many bytes, a connection that is closed for a fault is still read from: closing it over
/// unread bytes would destroy the answer that says why.
const DISCARD: (Duration, u64) = (Duration::from_millis(500), 1 << 20);

/// The unit in which the memory of requests is counted, in bytes.
const ROOM_UNIT: usize = 1024;

/// The part of a connection that its requests share.
pub struct Session {
    id: SubscriberId,
    outgoing: Outgoing,
    max_frame_bytes: usize,
    /// What is not answered yet.
    outstanding: Mutex<HashMap<u64, Op>>,
    /// A permit for each request that may work at once; one that is answered may still hold its own.
    slots: Arc<Semaphore>,
    /// A permit for each unit of memory that requests may take together.
    room: Arc<Semaphore>,
    turns: Mutex<Turns>,
}

/// What a request holds for as long as it works.
#[derive(Debug)]
pub(super) struct Slot {
    _count: OwnedSemaphorePermit,
    _room: OwnedSemaphorePermit,
}

/// Why a request was not taken into the table of outstanding ones.
#[derive(Debug)]
pub(super) enum NotTaken {
    Full,
    TooHeavy,
    Duplicate,
}

/// Serves one connection to its end.
pub async fn serve(
    server: Arc<Server>,
    id: SubscriberId,
    stream: TcpStream,
    greeting: OwnedSemaphorePermit,
) {
    // Answers are small and waited for. Without this the system would hold them back.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "the connection is gone already");
        return;
    }
    let (read, write) = stream.into_split();
    let (outgoing, writer) = outgoing::queue(server.settings.max_outgoing_bytes);
    let session = Arc::new(Session::new(id, outgoing, &server.settings));
    let overrun = session.outgoing.overrun().clone();
    let mut writing = tokio::spawn(write_all(writer, write, session.max_frame_bytes));
    let mut frames = FramedRead::new(read, FrameCodec::new(reader::MAX_HELLO_BYTES));
    let end = tokio::select! {
        end = reader::read(&server, &session, &mut frames, greeting) => end,
        () = overrun.cancelled() => reader::End::Overrun,
        // Nothing can be answered any more.
        _ = &mut writing => reader::End::Gone,
    };
    tracing::debug!(connection = id.0, ?end, "connection ends");
    server.souls.world().events.forget(id);
    // The writer ends once the last running request has let go of the session.
    drop(session);
    let lost = matches!(end, reader::End::Overrun | reader::End::Gone);
    if lost || timeout(LINGER, &mut writing).await.is_err() {
        writing.abort();
    } else if end == reader::End::Fault {
        discard(frames.into_inner()).await;
    }
}

/// Writes until nobody can send any more, then tells the client that nothing more will come.
async fn write_all(writer: Writer, write: OwnedWriteHalf, max_frame_bytes: usize) {
    let mut sink = FramedWrite::new(write, FrameCodec::new(max_frame_bytes));
    if let Err(error) = writer.run(&mut sink).await {
        tracing::debug!(%error, "the client went away");
    } else if let Err(error) = SinkExt::<Bytes>::close(&mut sink).await {
        tracing::debug!(%error, "the client went away before the last answer");
    }
}

async fn discard(read: OwnedReadHalf) {
    let (time, bytes) = DISCARD;
    let mut rest = read.take(bytes);
    // Whether it ends, fails or goes on: after this the connection is closed.
    let _ = timeout(time, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
}

impl Session {
    fn new(id: SubscriberId, outgoing: Outgoing, settings: &ServerSettings) -> Self {
        Self {
            id,
            outgoing,
            max_frame_bytes: settings.max_frame_bytes,
            outstanding: Mutex::default(),
            slots: Arc::new(Semaphore::new(settings.max_in_flight)),
            room: Arc::new(Semaphore::new(settings.max_in_flight_bytes / ROOM_UNIT)),
            turns: Mutex::default(),
        }
    }

    /// Who it is to the event hub.
    pub fn id(&self) -> SubscriberId {
        self.id
    }

    /// Where its events go.
    pub fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    /// The next place in the order of its writes to `soul`.
    pub fn take_turn(&self, soul: &SoulName) -> Turn {
        self.turns
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(soul)
    }

    /// Answers a request, unless that was done already.
    pub fn answer(&self, msg_id: u64, op: Op, outcome: Result<Value, ErrorPayload>) {
        if self.outstanding().remove(&msg_id).is_some() {
            self.respond(msg_id, op, outcome);
        }
    }

    fn respond(&self, msg_id: u64, op: Op, outcome: Result<Value, ErrorPayload>) {
        let frame = outcome
            .and_then(|payload| self.response(msg_id, op, payload))
            .unwrap_or_else(|error| rejection(Some(msg_id), Some(op.to_string()), error));
        self.outgoing.send(frame);
    }

    /// Answers a frame that is no request that can be run.
    fn reject(&self, rejection: Rejection) {
        self.outgoing.send(self::rejection(
            rejection.msg_id,
            rejection.op,
            rejection.error,
        ));
    }

    /// Answers everything that still runs with the same error.
    fn give_up(&self, error: &ErrorPayload) {
        let outstanding: Vec<(u64, Op)> = self
            .outstanding()
            .iter()
            .map(|(id, op)| (*id, *op))
            .collect();
        for (msg_id, op) in outstanding {
            self.answer(msg_id, op, Err(error.clone()));
        }
    }

    /// Takes a request that weighs so many bytes (see [`soulmem_proto::weight`]) into the table of outstanding ones.
    pub(super) fn take_in(&self, msg_id: u64, op: Op, weight: usize) -> Result<Slot, NotTaken> {
        match self.outstanding().entry(msg_id) {
            Entry::Occupied(_) => Err(NotTaken::Duplicate),
            Entry::Vacant(place) => {
                let count = Arc::clone(&self.slots)
                    .try_acquire_owned()
                    .map_err(|_| NotTaken::Full)?;
                let units = u32::try_from(weight.div_ceil(ROOM_UNIT)).unwrap_or(u32::MAX);
                let room = Arc::clone(&self.room)
                    .try_acquire_many_owned(units)
                    .map_err(|_| NotTaken::TooHeavy)?;
                place.insert(op);
                Ok(Slot {
                    _count: count,
                    _room: room,
                })
            }
        }
    }

    fn response(&self, msg_id: u64, op: Op, payload: Value) -> Result<Bytes, ErrorPayload> {
        let reply = Reply::Response {
            msg_id,
            op: Some(op.to_string()),
            payload,
        };
        let frame = reply.to_frame()?;
        if frame.len() > self.max_frame_bytes {
            let message = format!(
                "the answer would have {} bytes, a frame has at most {}: ask for less at once",
                frame.len(),
                self.max_frame_bytes
            );
            return Err(ErrorPayload::new(ErrorCode::TooLarge, message));
        }
        Ok(frame.into())
    }

    fn outstanding(&self) -> MutexGuard<'_, HashMap<u64, Op>> {
        self.outstanding
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The frame of an error. An error that cannot be written, which none of ours is, is said without details.
fn rejection(msg_id: Option<u64>, op: Option<String>, error: ErrorPayload) -> Bytes {
    let plain = |error: EncodeError| {
        tracing::error!(%error, "an error cannot be written");
        let error = ErrorPayload::new(ErrorCode::Internal, "the error cannot be written");
        Rejection {
            msg_id,
            op: None,
            error,
        }
        .to_frame()
        .unwrap_or_default()
    };
    Rejection { msg_id, op, error }
        .to_frame()
        .unwrap_or_else(plain)
        .into()
}

/// A session without a socket, and what it answers.
pub(super) fn without_socket(settings: &ServerSettings) -> (Arc<Session>, Writer) {
    let (outgoing, writer) = outgoing::queue(settings.max_outgoing_bytes);
    (
        Arc::new(Session::new(SubscriberId(1), outgoing, settings)),
        writer,
    )
}
