//! The commands' side of the wire: finding the daemon and asking it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use futures::{SinkExt, StreamExt};
use indicatif::ProgressBar;
use serde::Serialize;
use serde::de::DeserializeOwned;
use soulmem_proto::ops::hello::{HelloRequest, HelloResponse, Peer, Token};
use soulmem_proto::ops::subscribe::{SubscribeRequest, SubscribeResponse};
use soulmem_proto::{
    ErrorCode, ErrorPayload, Event, EventName, FrameCodec, Op, ProgressEvent, Reply, Request,
    SoulName, Value, from_value, to_value,
};
use sysexits::ExitCode;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::codec::Framed;

use super::args::GlobalArgs;
use super::config::{Effective, Origin};
use super::failure::Failure;
use crate::server::endpoint::{ENDPOINT_FILE, Endpoint};
use crate::server::local::Local;

/// How long a local connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// How long a daemon that took the connection may take to greet. One that is there does so at once, whatever else
/// it does; one that was stopped, or a stranger on its port, never does.
const GREETING: Duration = Duration::from_secs(10);

/// Who answers: a running daemon, or this process where none runs.
pub struct Client {
    way: Way,
    next_id: u64,
    /// Shows how far long work has come.
    bar: ProgressBar,
}

enum Way {
    /// A connection to the daemon, greeted.
    Wire(Framed<TcpStream, FrameCodec>),
    /// The data directory, held by this process.
    Here(Box<Local>),
}

/// One request of a command.
pub struct Ask<'a, P> {
    /// The operation.
    pub op: Op,
    /// The character that it is about.
    pub soul: Option<&'a SoulName>,
    /// Its payload.
    pub payload: &'a P,
    /// Makes a repeat of it harmless.
    pub key: Option<String>,
}

impl Client {
    /// Connects to the daemon that the command line or the usual places name.
    pub async fn connect(effective: &Effective, global: &GlobalArgs) -> Result<Self, Failure> {
        let places = places(effective, global);
        let mut silent = None;
        for place in &places {
            let endpoint = match Endpoint::read(place) {
                Ok(endpoint) => endpoint,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(unreadable(place, &error)),
            };
            match dial(&endpoint).await {
                Ok(stream) => {
                    return timeout(GREETING, Self::greet(stream, endpoint))
                        .await
                        .unwrap_or_else(|_| Err(nobody(&places, Some(place))));
                }
                Err(_) => silent = Some(place),
            }
        }
        Err(nobody(&places, silent))
    }

    async fn greet(stream: TcpStream, endpoint: Endpoint) -> Result<Self, Failure> {
        let frames = Framed::new(stream, FrameCodec::default());
        let mut client = Self::over(Way::Wire(frames));
        let client_name = Peer {
            name: "soulmem-cli".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let hello = HelloRequest {
            token: Token(endpoint.token),
            client: client_name,
        };
        let welcome: HelloResponse = client.call(Op::Hello, None, &hello).await?;
        let limit = usize::try_from(welcome.limits.frame_bytes).unwrap_or(usize::MAX);
        if let Way::Wire(frames) = &mut client.way {
            *frames.codec_mut() = FrameCodec::new(limit);
        }
        Ok(client)
    }

    /// Answers by itself, with the data directory held for so long.
    pub fn here(local: Local) -> Self {
        Self::over(Way::Here(Box::new(local)))
    }

    fn over(way: Way) -> Self {
        Self {
            way,
            next_id: 1,
            bar: ProgressBar::hidden(),
        }
    }

    /// Shows on a bar how far long work on these characters comes.
    pub async fn watch(&mut self, souls: &[SoulName], bar: ProgressBar) -> Result<(), Failure> {
        self.bar = bar;
        let payload = SubscribeRequest {
            events: vec![EventName::Progress],
        };
        for soul in souls {
            let SubscribeResponse {} = self.call(Op::Subscribe, Some(soul), &payload).await?;
        }
        Ok(())
    }

    /// Lets go of the daemon, or of the data directory.
    pub async fn close(self) {
        self.bar.finish_and_clear();
        if let Way::Here(local) = self.way {
            local.close().await;
        }
    }

    /// Asks, and gives the typed answer.
    pub async fn call<T: DeserializeOwned>(
        &mut self,
        op: Op,
        soul: Option<&SoulName>,
        payload: &impl Serialize,
    ) -> Result<T, Failure> {
        let answer = self
            .ask(Ask {
                op,
                soul,
                payload,
                key: None,
            })
            .await?;
        typed(answer)
    }

    /// Asks, and gives the answer as it came.
    pub async fn ask<P: Serialize>(&mut self, ask: Ask<'_, P>) -> Result<Value, Failure> {
        let msg_id = self.next_id;
        self.next_id += 1;
        let request = Request {
            msg_id,
            op: ask.op,
            soul: ask.soul.cloned(),
            payload: to_value(ask.payload).map_err(|error| Failure::data(error.to_string()))?,
            deadline_ms: None,
            idempotency_key: ask.key,
        };
        let bar = &self.bar;
        let show = |event: Event| show_progress(bar, event);
        match &mut self.way {
            Way::Wire(frames) => over_the_wire(frames, request, show).await,
            Way::Here(local) => {
                let answer = local.ask(request, show).await;
                answer.map_err(|error| refused(&error))
            }
        }
    }
}

async fn over_the_wire(
    frames: &mut Framed<TcpStream, FrameCodec>,
    request: Request,
    show: impl Fn(Event),
) -> Result<Value, Failure> {
    let msg_id = request.msg_id;
    let frame = request
        .to_frame()
        .map_err(|error| Failure::data(error.to_string()))?;
    frames
        .send(Bytes::from(frame))
        .await
        .map_err(|error| lost(&error.to_string()))?;
    loop {
        let frame = frames
            .next()
            .await
            .ok_or_else(|| lost("it closed the connection"))?;
        let frame = frame.map_err(|error| lost(&error.to_string()))?;
        match Reply::parse(&frame).map_err(|error| refused(&error))? {
            Reply::Response {
                msg_id: id,
                payload,
                ..
            } if id == msg_id => return Ok(payload),
            Reply::Error(rejection) => return Err(refused(&rejection.error)),
            Reply::Event(event) => show(event),
            Reply::Response { .. } => {}
        }
    }
}

fn show_progress(bar: &ProgressBar, event: Event) {
    if let Ok(ProgressEvent {
        what, done, total, ..
    }) = from_value(event.payload)
    {
        bar.set_message(what);
        bar.set_length(total.max(1));
        bar.set_position(done);
    }
}

/// An answer as the type that it is meant to be.
pub fn typed<T: DeserializeOwned>(answer: Value) -> Result<T, Failure> {
    from_value(answer).map_err(|error| {
        let message = format!(
            "the daemon's answer is not understood: {}: {}",
            error.field, error.message
        );
        Failure::new(ExitCode::Protocol, message)
    })
}

/// Where an endpoint file can be, the likeliest first.
fn places(effective: &Effective, global: &GlobalArgs) -> Vec<PathBuf> {
    if let Some(file) = &global.endpoint {
        return vec![file.clone()];
    }
    let in_data = effective.config.data_dir.join(ENDPOINT_FILE);
    if *effective.origin("data_dir") != Origin::Default {
        return vec![in_data];
    }
    let in_runtime = effective
        .folders
        .runtime
        .as_ref()
        .map(|folder| folder.join(ENDPOINT_FILE));
    in_runtime.into_iter().chain([in_data]).collect()
}

async fn dial(endpoint: &Endpoint) -> io::Result<TcpStream> {
    let address = (endpoint.host, endpoint.port);
    let stream = timeout(CONNECT, TcpStream::connect(address))
        .await
        .map_err(io::Error::from)??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn unreadable(place: &std::path::Path, error: &io::Error) -> Failure {
    let exit = match error.kind() {
        io::ErrorKind::PermissionDenied => ExitCode::NoPerm,
        _ => ExitCode::DataErr,
    };
    Failure::new(exit, format!("{}: {error}", place.display()))
}

fn nobody(places: &[PathBuf], silent: Option<&PathBuf>) -> Failure {
    let message = if let Some(place) = silent {
        format!("the daemon that {} names does not answer", place.display())
    } else {
        let places: Vec<String> = places
            .iter()
            .map(|place| place.display().to_string())
            .collect();
        format!(
            "no daemon is running here (looked for {})",
            places.join(" and ")
        )
    };
    Failure::unavailable(format!(
        "{message}; start one with `soulmem serve`, or name its --data-dir or --endpoint"
    ))
}

fn lost(what: &str) -> Failure {
    Failure::unavailable(format!("the connection to the daemon was lost: {what}"))
}

/// What the daemon says no with, as an exit code and a message that says what to do.
fn refused(error: &ErrorPayload) -> Failure {
    use ErrorCode as Code;
    let (exit, hint) = match error.code {
        Code::BadEnvelope | Code::UnsupportedVersion => (
            ExitCode::Protocol,
            "the daemon is of another version than this program",
        ),
        Code::Unauthenticated => (
            ExitCode::NoPerm,
            "the endpoint file may be of an earlier daemon: name another one",
        ),
        Code::UnknownOp => (
            ExitCode::Unavailable,
            "the running daemon does not have this yet: restart it with this program",
        ),
        Code::UnknownSoul => (
            ExitCode::DataErr,
            "`soulmem soul create NAME` makes one, `soulmem soul list` names those there are",
        ),
        Code::NotFound | Code::InvalidArgument | Code::Conflict | Code::TooLarge => {
            (ExitCode::DataErr, "")
        }
        Code::Overloaded | Code::DeadlineExceeded | Code::Unavailable => {
            (ExitCode::TempFail, "try again")
        }
        Code::StorageFull | Code::Corrupt => (ExitCode::IoErr, "`soulmem status` says how it is"),
        Code::Internal => (
            ExitCode::Software,
            "the daemon's log says more; please report it",
        ),
    };
    match hint {
        "" => Failure::new(exit, &*error.message),
        hint => Failure::new(exit, format!("{}\n{hint}", error.message)),
    }
}
