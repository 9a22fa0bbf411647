//! The operations without a socket: what a command does by itself where no daemon runs.

use std::sync::Arc;
use std::time::Duration;

use soulmem_proto::{ErrorCode, ErrorPayload, Event, Reply, Request, Value};

use super::lock::DataDirLock;
use super::session::{Session, Writer, without_socket};
use super::shutdown::Shutdown;
use super::{Plan, ServeError, Server, dispatch, server_for};

/// Holds the data directory as a daemon does, and answers one request after the other.
pub struct Local {
    server: Arc<Server>,
    session: Arc<Session>,
    told: Writer,
    _lock: DataDirLock,
}

impl Local {
    /// Takes the data directory, if nobody has it.
    pub async fn open(plan: &Plan) -> Result<Self, ServeError> {
        let lock = DataDirLock::acquire(&plan.data_dir, Duration::ZERO).await?;
        let server = server_for(plan, Shutdown::default())?;
        let (session, told) = without_socket(&server.settings);
        Ok(Self {
            server,
            session,
            told,
            _lock: lock,
        })
    }

    /// The answer to a request, and on the way to it the events that were subscribed to.
    pub async fn ask(
        &mut self,
        request: Request,
        mut on_event: impl FnMut(Event),
    ) -> Result<Value, ErrorPayload> {
        let call = dispatch::answer(&self.server, &self.session, request);
        let mut working = tokio::spawn(call);
        loop {
            tokio::select! {
                outcome = &mut working => {
                    let died = |_| ErrorPayload::new(ErrorCode::Internal, "the operation met a bug in itself");
                    return outcome.map_err(died)?;
                }
                Some(frame) = self.told.next() => {
                    if let Ok(Reply::Event(event)) = Reply::parse(&frame) {
                        on_event(event);
                    }
                }
            }
        }
    }

    /// Closes every character: what waits is finished, the logs are emptied.
    pub async fn close(self) {
        self.server.souls.close().await;
    }
}
