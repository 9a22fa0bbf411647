//! The server: what local clients connect to.
//!
//! - [`run`] takes the data directory's [`lock`], listens, tells its [`endpoint`], and serves until it is told to
//!   end (by its [`host`], a signal or a request); then it drains ([`shutdown`]).
//! - `session` is one connection, `dispatch` the table of operations, `ops` the operations.

mod dispatch;
pub mod endpoint;
pub mod host;
mod listener;
pub mod local;
pub mod lock;
mod ops;
mod session;
mod settings;
pub mod shutdown;
pub mod token;
mod upkeep;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use soulmem_embed::LexicalModel;
use soulmem_proto::PROTOCOL_VERSION;
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use self::endpoint::{Endpoint, EndpointFiles};
use self::lock::{DataDirLock, LockError};
pub use self::settings::{DEFAULT_PORT, ServerSettings};
use self::shutdown::Shutdown;
use self::token::Token;
use crate::llm::{Ledger, Llm, LlmSettings};
use crate::soul::events::EventHub;
use crate::soul::outside::Outside;
use crate::soul::pool::Pool;
use crate::soul::{SoulSettings, Souls, Storyteller, World};
use crate::tokens::{self, TokenizerError};

/// Everything that connections share.
pub struct Server {
    settings: ServerSettings,
    token: Token,
    data_dir: PathBuf,
    souls: Arc<Souls>,
    shutdown: Shutdown,
    started: Instant,
    /// A permit for each connection that has said hello.
    places: Arc<Semaphore>,
}

/// Who started the daemon, which decides how it is found and when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosting {
    /// A program that holds its standard input and reads its ready line.
    Hosted,
    /// A person or a service manager.
    ByHand,
}

/// What to serve, and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Who started it.
    pub hosting: Hosting,
    /// Listener, limits and times.
    pub settings: ServerSettings,
    /// Limits and times of the characters.
    pub souls: SoulSettings,
    /// Endpoint, models and bounds of the language model.
    pub llm: LlmSettings,
    /// The folder that holds the characters.
    pub data_dir: PathBuf,
    /// The folder for runtime files, where the system has one.
    pub runtime_dir: Option<PathBuf>,
}

/// Why a daemon does not serve.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Other machines could reach the address.
    #[error(
        "server.listen: {0} is not a loopback address; the daemon serves this machine only (127.0.0.1 or [::1])"
    )]
    NotLoopback(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}{}", if source.kind() == io::ErrorKind::AddrInUse {
        "; another daemon may run there (`soulmem status`), --listen 127.0.0.1:0 takes any free port"
    } else { "" })]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// What is to count tokens cannot.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The data directory cannot be had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The characters cannot be looked for.
    #[error("looking for characters: {0}")]
    Souls(String),
    /// The data directory was taken away while the daemon ran.
    #[error(
        "{}: the data directory was removed or replaced while the daemon ran; it ends, so that nothing is written beside it",
        .0.display()
    )]
    DataDirGone(PathBuf),
    /// The system has no randomness.
    #[error("cannot draw a token: {0}")]
    Token(getrandom::Error),
    /// Something that the system refused.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl ServeError {
    fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

/// Serves until told to end, then drains. In a hosted daemon the ready line is the one thing that is ever
/// written to standard output.
pub async fn run(plan: Plan) -> Result<(), ServeError> {
    if !plan.settings.listen.ip().is_loopback() {
        return Err(ServeError::NotLoopback(plan.settings.listen));
    }
    if let Err(error) = host::raise_file_limit() {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    let shutdown = Shutdown::default();
    host::watch_signals(shutdown.draining().clone()).map_err(ServeError::io("watching signals"))?;
    if plan.hosting == Hosting::Hosted {
        host::watch_stdin(shutdown.draining().clone())
            .map_err(ServeError::io("watching standard input"))?;
    }
    let lock = tokio::select! {
        lock = DataDirLock::acquire(&plan.data_dir, plan.settings.lock_wait) => lock?,
        () = shutdown.draining().cancelled() => return Ok(()),
    };
    let (listener, address) = listener::bind(plan.settings.listen).await?;
    let server = server_for(&plan, shutdown)?;
    let accepting = tokio::spawn(listener::accept(Arc::clone(&server), listener));
    let endpoint = Endpoint::of_this_process(address, &server.token, PROTOCOL_VERSION);
    let files = announce(&plan, &endpoint)?;
    tracing::info!(%address, data_dir = %plan.data_dir.display(), "ready");

    let gone = upkeep::until_draining(&server, &lock).await;
    drop(files);
    // The listener goes first, so that a client that is refused finds nobody rather than silence.
    let _ = accepting.await;
    let left = server.shutdown.drain(plan.settings.drain).await;
    if timeout(left, server.souls.close()).await.is_err() {
        tracing::warn!("closing took too long; what was acknowledged is on the disk all the same");
    }
    // Where the data directory was, there is none, or one of somebody else.
    if gone.is_ok() {
        server.souls.world().llm.ledger().save();
    }
    tracing::info!("ended");
    drop(lock);
    gone
}

fn server_for(plan: &Plan, shutdown: Shutdown) -> Result<Arc<Server>, ServeError> {
    let outside = Outside::system();
    let (clock, budget) = (Arc::clone(&outside.clock), plan.llm.daily_tokens);
    let ledger = Ledger::open(&plan.data_dir, clock, budget);
    let llm = Arc::new(Llm::new(plan.llm.clone(), ledger));
    let tokens = tokens::counter(plan.souls.tokenizer.as_deref())?;
    let world = World {
        outside,
        model: Arc::new(LexicalModel::new()),
        reimagine: Storyteller::of(&llm, &tokens),
        tokens,
        llm,
        events: Arc::new(EventHub::default()),
        pool: Pool::new(plan.souls.workers),
        jobs: Arc::new(Semaphore::new(plan.souls.jobs)),
    };
    let souls = Souls::find(world, &plan.data_dir, plan.souls.clone())
        .map_err(|error| ServeError::Souls(error.to_string()))?;
    Ok(Arc::new(Server {
        settings: plan.settings.clone(),
        token: Token::generate().map_err(ServeError::Token)?,
        souls: Arc::new(souls),
        data_dir: plan.data_dir.clone(),
        shutdown,
        started: Instant::now(),
        places: Arc::new(Semaphore::new(plan.settings.max_connections)),
    }))
}

/// Tells where the daemon is, now that it answers.
fn announce(plan: &Plan, endpoint: &Endpoint) -> Result<EndpointFiles, ServeError> {
    let mut files = EndpointFiles::default();
    let in_data_dir = files.write(endpoint, &plan.data_dir);
    let found_without = match plan.hosting {
        Hosting::Hosted => {
            print_ready(endpoint).map_err(ServeError::io("writing the ready line"))?;
            true
        }
        Hosting::ByHand => {
            let written = plan
                .runtime_dir
                .as_ref()
                .map(|folder| files.write(endpoint, folder));
            if let Some(Err(error)) = &written {
                tracing::warn!(%error, "the endpoint is not in the runtime directory");
            }
            matches!(written, Some(Ok(())))
        }
    };
    match in_data_dir {
        // A disk that is full or read-only keeps nobody from reading.
        Err(error) if found_without => {
            tracing::warn!(%error, "the endpoint is not in the data directory");
        }
        written => written.map_err(ServeError::io("writing the endpoint file"))?,
    }
    Ok(files)
}

fn print_ready(endpoint: &Endpoint) -> io::Result<()> {
    let line = endpoint.line()?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.flush()
}
