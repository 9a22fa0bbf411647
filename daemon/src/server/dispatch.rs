//! From a request to the operation that answers it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use soulmem_proto::{ErrorCode, ErrorPayload, Op, Request, SoulName, Value, to_value};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::Instrument;

use super::session::{Session, Slot};
use super::{Server, ops};
use crate::soul::turns::Turn;
use crate::soul::{InUse, WriteOrder};
use crate::store::Idempotency;

/// What an operation is given.
pub struct Call {
    /// The daemon.
    pub server: Arc<Server>,
    /// The connection that it came on.
    pub session: Arc<Session>,
    /// The request.
    pub request: Request,
    /// Its place in the order of writes; held until the write was handed to the store.
    pub turn: Option<Turn>,
}

/// What an operation comes to.
pub type Outcome = Result<Value, ErrorPayload>;

/// An operation.
pub type Handler = fn(Call) -> BoxFuture<'static, Outcome>;

/// The table of operations.
fn handler(op: Op) -> Handler {
    match op {
        Op::Hello => |call| async { ops::hello::run(call) }.boxed(),
        Op::Ping => |call| async { ops::ping::run(call) }.boxed(),
        Op::Health => |call| ops::health::run(call).boxed(),
        Op::SoulCreate => |call| ops::soul_create::run(call).boxed(),
        Op::SoulList => |call| ops::soul_list::run(call).boxed(),
        Op::SoulOwner => |call| ops::soul_owner::run(call).boxed(),
        Op::Shutdown => |call| async { ops::shutdown::run(call) }.boxed(),
        Op::Push => |call| ops::push::run(call).boxed(),
        Op::Consolidate => |call| ops::consolidate::run(call).boxed(),
        Op::Checkpoint => |call| ops::checkpoint::run(call).boxed(),
        Op::NoteGet => |call| ops::note_get::run(call).boxed(),
        Op::NotePut => |call| ops::note_put::run(call).boxed(),
        Op::NoteList => |call| ops::note_list::run(call).boxed(),
        Op::LinkPut => |call| ops::link_put::run(call).boxed(),
        Op::LinkDelete => |call| ops::link_delete::run(call).boxed(),
        Op::NoteDelete => |call| ops::note_delete::run(call).boxed(),
        Op::Feedback => |call| ops::feedback::run(call).boxed(),
        Op::Forget => |call| ops::forget::run(call).boxed(),
        Op::MessageList => |call| ops::message_list::run(call).boxed(),
        Op::Stats => |call| ops::stats::run(call).boxed(),
        Op::Subscribe => |call| async { ops::subscribe::run(call) }.boxed(),
        Op::Unsubscribe => |call| async { ops::unsubscribe::run(call) }.boxed(),
        Op::Import => |call| ops::import::run(call).boxed(),
        Op::Retrieve => |call| ops::retrieve::run(call).boxed(),
        Op::SoulDrop => |call| ops::soul_drop::run(call).boxed(),
        Op::NoteSupersede => |call| ops::note_supersede::run(call).boxed(),
        Op::Erase => |call| ops::erase::run(call).boxed(),
        Op::Backup => |call| ops::backup::run(call).boxed(),
        Op::Restore => |call| ops::restore::run(call).boxed(),
        Op::Doctor => |call| ops::doctor::run(call).boxed(),
        Op::Export => |call| ops::export::run(call).boxed(),
    }
}

impl Call {
    /// The character that the request names.
    pub fn name(&self) -> Result<SoulName, ErrorPayload> {
        let missing = || ErrorPayload::invalid_argument("soul", "is missing");
        self.request.soul.clone().ok_or_else(missing)
    }

    /// The character that the request is about, which is in talk from now on.
    pub async fn soul(&self) -> Result<InUse, ErrorPayload> {
        let soul = self.soul_undisturbed().await?;
        soul.touch();
        Ok(soul)
    }

    /// The character that the request is about, for a look that is no talk.
    pub async fn soul_undisturbed(&self) -> Result<InUse, ErrorPayload> {
        Ok(self.server.souls.open(&self.name()?).await?)
    }

    /// How the write that it asks for is to be done, where the character may be written to here. To be taken before the
    /// payload.
    pub async fn order(&mut self) -> Result<WriteOrder, ErrorPayload> {
        let leave = match &self.request.soul {
            Some(name) => {
                let ownerships = self.server.souls.ownerships();
                Some(ownerships.leave(name, self.request.op).await?)
            }
            None => None,
        };
        let Request {
            op,
            idempotency_key,
            payload,
            ..
        } = &mut self.request;
        let key = match idempotency_key.take() {
            Some(key) => {
                let asked = match op {
                    Op::Push => ops::push::asked(payload),
                    _ => Cow::Borrowed(&*payload),
                };
                let asked = soulmem_proto::encode(&asked)?;
                Some(Idempotency::new(key, op.as_str(), &asked))
            }
            None => None,
        };
        Ok(WriteOrder {
            key,
            turn: self.turn.take(),
            leave,
        })
    }

    /// Refuses a key on an operation that cannot keep it.
    pub fn refuse_key(&self) -> Result<(), ErrorPayload> {
        if self.request.idempotency_key.is_none() {
            return Ok(());
        }
        let reason = format!(
            "{} keeps none: leave it out, and look before you repeat",
            self.request.op
        );
        Err(ErrorPayload::invalid_argument("idempotency_key", reason))
    }

    /// The typed payload of the request.
    pub fn payload<T: DeserializeOwned>(&mut self) -> Result<T, ErrorPayload> {
        let payload = std::mem::take(&mut self.request.payload);
        Ok(soulmem_proto::from_value(payload)?)
    }
}

/// The answer of an operation that went well.
pub fn done(payload: &impl Serialize) -> Outcome {
    Ok(to_value(payload)?)
}

/// Starts a request beside those that run already. It keeps its `slot` for as long as it works.
pub fn start(server: &Arc<Server>, session: &Arc<Session>, request: Request, slot: Slot) {
    start_with(handler(request.op), server, session, request, slot);
}

/// Answers a request that nobody else waits beside.
pub fn answer(
    server: &Arc<Server>,
    session: &Arc<Session>,
    request: Request,
) -> BoxFuture<'static, Outcome> {
    let handler = handler(request.op);
    handler(Call {
        server: Arc::clone(server),
        session: Arc::clone(session),
        request,
        turn: None,
    })
}

fn start_with(
    handler: Handler,
    server: &Arc<Server>,
    session: &Arc<Session>,
    request: Request,
    slot: Slot,
) {
    let span = tracing::info_span!(
        "request",
        connection = session.id().0,
        msg_id = request.msg_id,
        op = request.op.as_str(),
        soul = request.soul.as_ref().map(tracing::field::display),
    );
    let turn = request
        .soul
        .as_ref()
        .filter(|_| request.op.writes())
        .map(|soul| session.take_turn(soul));
    let answer = Answer {
        session: Arc::clone(session),
        msg_id: request.msg_id,
        op: request.op,
        patience: request.deadline_ms.map(Duration::from_millis),
    };
    let call = Call {
        server: Arc::clone(server),
        session: Arc::clone(session),
        request,
        turn,
    };
    let requests = server.shutdown.requests();
    if answer.patience == Some(Duration::ZERO) {
        return span.in_scope(|| answer.give(Err(too_late())));
    }
    let work = async move {
        let _slot = slot;
        handler(call).await
    };
    let working = requests.spawn(work.instrument(span.clone()));
    requests.spawn(answer.wait_for(working).instrument(span));
}

/// Who waits for a request, and for how long.
struct Answer {
    session: Arc<Session>,
    msg_id: u64,
    op: Op,
    patience: Option<Duration>,
}

impl Answer {
    /// Answers with what the work comes to, or at the deadline. Past it a read is given up; a write goes on, so that
    /// whatever follows from it (indexes, events) follows.
    async fn wait_for(self, mut working: JoinHandle<Outcome>) {
        let outcome = match self.patience {
            None => Some((&mut working).await),
            Some(patience) => timeout(patience, &mut working).await.ok(),
        };
        if outcome.is_none() && !self.op.writes() {
            working.abort();
        }
        let outcome = outcome.unwrap_or_else(|| Ok(Err(too_late())));
        self.give(outcome.unwrap_or_else(|_| Err(bug())));
    }

    fn give(self, outcome: Outcome) {
        match &outcome {
            Ok(_) => tracing::debug!("answered"),
            Err(error) if error.code == ErrorCode::Internal => tracing::error!(%error, "failed"),
            Err(error) => tracing::debug!(%error, "refused"),
        }
        self.session.answer(self.msg_id, self.op, outcome);
    }
}

fn too_late() -> ErrorPayload {
    ErrorPayload::new(
        ErrorCode::DeadlineExceeded,
        "the deadline passed; a write may still have been applied: repeat it with the same idempotency key",
    )
}

/// What is said of a panic. The log has the rest, with the same `msg_id`.
fn bug() -> ErrorPayload {
    ErrorPayload::new(
        ErrorCode::Internal,
        "the daemon met a bug in itself; its log says more",
    )
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use soulmem_proto::Reply;

    use super::*;
    use crate::server::session::{NotTaken, Writer, without_socket};
    use crate::server::{Hosting, Plan, ServerSettings, server_for};

    fn server(folder: &tempfile::TempDir) -> Arc<Server> {
        let plan = Plan {
            hosting: Hosting::Hosted,
            settings: ServerSettings::default(),
            souls: crate::soul::SoulSettings::default(),
            llm: crate::llm::LlmSettings::default(),
            data_dir: folder.path().to_owned(),
            runtime_dir: None,
        };
        server_for(&plan, crate::server::shutdown::Shutdown::default()).unwrap()
    }

    fn request(msg_id: u64, deadline_ms: Option<u64>) -> Request {
        let payload = Value::Map(Vec::new());
        Request {
            msg_id,
            op: Op::Ping,
            soul: None,
            payload,
            deadline_ms,
            idempotency_key: None,
        }
    }

    fn begin(handler: Handler, server: &Arc<Server>, session: &Arc<Session>, request: Request) {
        let slot = session.take_in(request.msg_id, request.op, 1).unwrap();
        start_with(handler, server, session, request, slot);
    }

    async fn answer(writer: &mut Writer) -> Reply {
        Reply::parse(&writer.next().await.unwrap()).unwrap()
    }

    /// A log that a test can read.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_panic_is_answered_and_logged_with_its_msg_id_and_the_next_request_is_served() {
        let log = Log::default();
        let written = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .with_writer(move || written.clone())
            .finish();
        let _guard = tracing::subscriber::set_default(subscriber);
        let folder = tempfile::tempdir().unwrap();
        let server = server(&folder);
        let (session, mut writer) = without_socket(&server.settings);

        begin(
            |_| async { panic!("a bug") }.boxed(),
            &server,
            &session,
            request(4_711, None),
        );
        match answer(&mut writer).await {
            Reply::Error(refused) => {
                assert_eq!(
                    (refused.msg_id, refused.error.code),
                    (Some(4_711), ErrorCode::Internal)
                );
            }
            other => panic!("{other:?}"),
        }
        let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        assert!(logged.contains("\"msg_id\":4711"), "{logged}");

        begin(handler(Op::Ping), &server, &session, request(4_712, None));
        assert!(matches!(
            answer(&mut writer).await,
            Reply::Response { msg_id: 4_712, .. }
        ));
    }

    #[tokio::test]
    async fn one_request_too_many_and_one_id_twice_are_not_taken() {
        let settings = ServerSettings {
            max_in_flight: 2,
            ..ServerSettings::default()
        };
        let (session, _writer) = without_socket(&settings);
        let _first = session.take_in(1, Op::Ping, 1).unwrap();
        assert!(matches!(
            session.take_in(1, Op::Ping, 1),
            Err(NotTaken::Duplicate)
        ));
        let second = session.take_in(2, Op::Ping, 1).unwrap();
        assert!(matches!(
            session.take_in(3, Op::Ping, 1),
            Err(NotTaken::Full)
        ));
        // An answer frees the id, the end of the work frees the place.
        session.answer(2, Op::Ping, Err(too_late()));
        assert!(matches!(
            session.take_in(2, Op::Ping, 1),
            Err(NotTaken::Full)
        ));
        drop(second);
        let _again = session.take_in(2, Op::Ping, 1).unwrap();
    }

    #[tokio::test]
    async fn requests_that_take_too_much_memory_together_are_not_taken() {
        let settings = ServerSettings {
            max_in_flight_bytes: 10 << 10,
            ..ServerSettings::default()
        };
        let (session, _writer) = without_socket(&settings);
        let first = session.take_in(1, Op::Ping, 8 << 10).unwrap();
        assert!(matches!(
            session.take_in(2, Op::Ping, 3 << 10),
            Err(NotTaken::TooHeavy)
        ));
        let _third = session.take_in(3, Op::Ping, 2 << 10).unwrap();
        drop(first);
        session.take_in(2, Op::Ping, 8 << 10).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn work_past_its_deadline_is_given_up_and_answered() {
        let folder = tempfile::tempdir().unwrap();
        let server = server(&folder);
        let (session, mut writer) = without_socket(&server.settings);
        begin(
            |_| std::future::pending().boxed(),
            &server,
            &session,
            request(1, Some(5_000)),
        );
        match answer(&mut writer).await {
            Reply::Error(refused) => assert_eq!(refused.error.code, ErrorCode::DeadlineExceeded),
            other => panic!("{other:?}"),
        }
        server.shutdown.requests().close();
        // What was given up does not hold the drain back.
        server.shutdown.requests().wait().await;
    }
}
