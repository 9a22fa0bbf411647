//! A real daemon, killed when it goes out of scope, and a client that speaks to it frame by frame.

#![allow(dead_code, reason = "each test program uses its own part")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;
use soulmem_proto::{ErrorCode, ErrorPayload, Op, Rejection, Reply, Request, Value};
use tempfile::TempDir;

/// No test asserts a time. This is how long one waits before it fails instead of hanging.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The program under test.
pub fn soulmem() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_soulmem"));
    // Nothing of the machine's own configuration may play a part.
    command.env_clear().env("TZ", "UTC");
    command
}

/// A daemon with a folder of its own.
pub struct Daemon {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    ready: Json,
    folder: Option<TempDir>,
}

impl Daemon {
    /// A hosted daemon with an empty data directory.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same, with more arguments.
    pub fn start_with(arguments: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), arguments)
    }

    /// A hosted daemon on a folder that may hold something already.
    pub fn start_in(folder: TempDir, arguments: &[&str]) -> Self {
        let mut command = soulmem();
        command.env("SOULMEM_LOG_LEVEL", "debug");
        command
            .args(["serve", "--hosted", "--data-dir"])
            .arg(folder.path())
            .args(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = lines(child.stdout.take().unwrap());
        let stderr = lines(child.stderr.take().unwrap());
        let mut daemon = Self {
            child,
            stdin,
            stdout,
            stderr,
            ready: Json::Null,
            folder: Some(folder),
        };
        let Ok(line) = daemon.stdout.recv_timeout(PATIENCE) else {
            panic!(
                "no ready line; the log: {:#?}",
                daemon.stderr.iter().collect::<Vec<_>>()
            );
        };
        daemon.ready = serde_json::from_str(&line).unwrap();
        daemon
    }

    /// The ready line.
    pub fn ready(&self) -> &Json {
        &self.ready
    }

    pub fn folder(&self) -> &Path {
        self.folder.as_ref().unwrap().path()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A connection that has said nothing yet.
    pub fn dial(&self) -> Client {
        let port = self.ready["port"].as_u64().unwrap().try_into().unwrap();
        Client::dial(port)
    }

    /// A connection that has said hello.
    pub fn connect(&self) -> Client {
        let mut client = self.dial();
        let token = self.ready["token"].as_str().unwrap();
        client.call(Op::Hello, None, hello(token)).unwrap();
        client
    }

    /// A command of the command line, sent to this daemon.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = soulmem();
        command.arg("--data-dir").arg(self.folder()).args(arguments);
        command
    }

    pub fn close_stdin(&mut self) {
        drop(self.stdin.take());
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits until it has ended by itself.
    pub fn wait(&mut self) -> ExitStatus {
        wait(&mut self.child)
    }

    /// What it wrote to standard output after the ready line. Only to be asked once it has ended.
    pub fn rest_of_stdout(&self) -> Vec<String> {
        self.stdout.iter().collect()
    }

    /// Its log so far, all of it once it has ended.
    pub fn log(&self) -> Vec<String> {
        self.stderr.iter().collect()
    }

    /// Kills it at once and gives its folder.
    pub fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.folder.take().unwrap()
    }

    /// Ends it in good order and gives its folder.
    pub fn stop(mut self) -> TempDir {
        self.close_stdin();
        assert!(self.wait().success());
        self.folder.take().unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a process, and kills it where it takes too long.
pub fn wait(child: &mut Child) -> ExitStatus {
    let (sender, receiver) = mpsc::channel::<()>();
    let pid = rustix::process::Pid::from_child(child);
    let watchdog = thread::spawn(move || {
        if receiver.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    });
    let status = child.wait().unwrap();
    drop(sender);
    watchdog.join().unwrap();
    status
}

/// The lines of a stream as they come, read on a thread so that its writer never blocks.
pub fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}

/// The payload of a `hello`.
pub fn hello(token: &str) -> Value {
    map([
        ("token", token.into()),
        (
            "client",
            map([("name", "test".into()), ("version", "0".into())]),
        ),
    ])
}

/// A map value.
pub fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Map(
        entries
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

/// One connection.
pub struct Client {
    stream: TcpStream,
    next_id: u64,
}

impl Client {
    pub fn dial(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream, next_id: 1 }
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// Sends one frame.
    pub fn send_frame(&mut self, body: &[u8]) {
        let length = u32::try_from(body.len()).unwrap();
        self.send_raw(&[&length.to_be_bytes(), body].concat());
    }

    /// A request with the next id.
    pub fn request(&mut self, op: Op, soul: Option<&str>, payload: Value) -> Request {
        let msg_id = self.next_id;
        self.next_id += 1;
        let soul = soul.map(|soul| soul.parse().unwrap());
        Request {
            msg_id,
            op,
            soul,
            payload,
            deadline_ms: None,
            idempotency_key: None,
        }
    }

    pub fn send(&mut self, request: Request) {
        self.send_frame(&request.to_frame().unwrap());
    }

    /// The next frame; none where the daemon closed the connection.
    pub fn receive(&mut self) -> Option<Reply> {
        let mut length = [0; 4];
        match self.stream.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return None,
            Err(error) => panic!("no answer: {error}"),
        }
        let mut body = vec![0; u32::from_be_bytes(length).try_into().unwrap()];
        self.stream.read_exact(&mut body).unwrap();
        Some(Reply::parse(&body).unwrap())
    }

    /// The next frame, which must be an error.
    pub fn receive_error(&mut self) -> Rejection {
        match self.receive() {
            Some(Reply::Error(rejection)) => rejection,
            other => panic!("expected an error, got {other:?}"),
        }
    }

    /// Sends a request and waits for the answer to it; nothing else may be outstanding.
    pub fn call(
        &mut self,
        op: Op,
        soul: Option<&str>,
        payload: Value,
    ) -> Result<Value, ErrorPayload> {
        let request = self.request(op, soul, payload);
        self.ask(request)
    }

    /// The same, for a request that was made already.
    pub fn ask(&mut self, request: Request) -> Result<Value, ErrorPayload> {
        let asked = request.msg_id;
        self.send(request);
        loop {
            match self.receive().expect("the daemon closed the connection") {
                Reply::Response {
                    msg_id, payload, ..
                } if msg_id == asked => return Ok(payload),
                Reply::Error(rejection) if rejection.msg_id == Some(asked) => {
                    return Err(rejection.error);
                }
                Reply::Event(_) => {}
                other => panic!("an answer to something else: {other:?}"),
            }
        }
    }

    /// The outcome of a request on a connection that may be closed at any moment.
    pub fn call_or_closed(
        &mut self,
        op: Op,
        payload: Value,
    ) -> Option<Result<Value, ErrorPayload>> {
        let request = self.request(op, None, payload).to_frame().unwrap();
        let length = u32::try_from(request.len()).unwrap().to_be_bytes();
        self.stream
            .write_all(&[&length[..], &request].concat())
            .ok()?;
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).ok()?;
        let mut body = vec![0; u32::from_be_bytes(length).try_into().unwrap()];
        self.stream.read_exact(&mut body).ok()?;
        match Reply::parse(&body).unwrap() {
            Reply::Response { payload, .. } => Some(Ok(payload)),
            Reply::Error(rejection) => Some(Err(rejection.error)),
            Reply::Event(_) => None,
        }
    }

    /// Whether the daemon has closed the connection, after reading what it still had to say.
    pub fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => rest.is_empty(),
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }

    pub fn shutdown_write(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

/// Asserts that another client is still served.
pub fn assert_serves(daemon: &Daemon) {
    let answer = daemon.connect().call(Op::Ping, None, map([])).unwrap();
    assert!(answer.get("uptime_ms").is_some(), "{answer:?}");
}

/// The code of a refused request.
pub fn code(outcome: Result<Value, ErrorPayload>) -> ErrorCode {
    match outcome {
        Ok(answer) => panic!("expected an error, got {answer:?}"),
        Err(error) => error.code,
    }
}

/// The path of the endpoint file in a folder.
pub fn endpoint_file(folder: &Path) -> PathBuf {
    folder.join("endpoint.json")
}
