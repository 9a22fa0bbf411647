//! A BEAM node with a daemon, told what to do by the test.

use std::collections::VecDeque;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;
use soulmem_proto::ops::message_list::{Message, MessageListRequest, MessageListResponse};
use soulmem_proto::ops::retrieve::RetrieveResponse;
use soulmem_proto::{Op, Value, decode, encode, from_value, to_value};

use crate::lan::Machine;
use crate::watched::readable_within;
use crate::{Guarded, PATIENCE, Watched, elixir, frames, program};

/// A node that runs `beam/node.exs`, killed when it goes out of scope; its daemon leaves with it.
#[derive(Debug)]
pub struct Node {
    process: Guarded,
    control: UnixStream,
    heard: Receiver<Value>,
    waiting: VecDeque<Value>,
    data_dir: PathBuf,
    last_id: u64,
}

impl Node {
    /// Starts a node whose daemon has that data directory, and waits until it serves.
    pub fn start(data_dir: &Path) -> Self {
        Self::start_with(data_dir, program::path())
    }

    /// The same with another program for a daemon.
    pub fn start_with(data_dir: &Path, daemon: &Path) -> Self {
        let mut node = Self::alone(data_dir);
        let start = node.ask_to_start_with(daemon);
        let about = node.answer(start).unwrap();
        // What is killed is the virtual machine itself, no shell around it.
        let pid = about.get("pid").and_then(Value::as_u64);
        assert_eq!(pid, Some(node.process.id().into()));
        node
    }

    /// A node that has not started the application yet: see [`Node::ask_to_start`].
    pub fn alone(data_dir: &Path) -> Self {
        Self::run_script(elixir::script(&script()), data_dir)
    }

    /// A node on a machine that has not started the application yet: see [`Node::join`].
    pub fn on(machine: &Machine, data_dir: &Path) -> Self {
        Self::run_script(elixir::script_on(machine, &script()), data_dir)
    }

    /// The socket by which it is told what to do is a file, which every machine of a test sees.
    fn run_script(mut command: Command, data_dir: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("control");
        let listener = UnixListener::bind(&socket).unwrap();
        command.arg(&socket).stdin(Stdio::null());
        let process = Guarded::start("a BEAM node", &mut command);
        assert!(
            readable_within(&listener, PATIENCE),
            "the node does not come up:\n{}",
            process.log()
        );
        let (control, _) = listener.accept().unwrap();
        let heard = messages(control.try_clone().unwrap());
        Self {
            process,
            control,
            heard,
            waiting: VecDeque::new(),
            data_dir: data_dir.to_owned(),
            last_id: 0,
        }
    }

    /// Has it start the application as a member of a cluster, and waits until it serves.
    pub fn join(&mut self, role: &str, others: &[String]) {
        let others = others.iter().map(|node| node.as_str().into()).collect();
        let outbox = self.data_dir.with_extension("outbox");
        let arguments = [
            ("daemon", program::path().to_str().unwrap().into()),
            ("data_dir", self.data_dir.to_str().unwrap().into()),
            ("role", role.into()),
            ("outbox", outbox.to_str().unwrap().into()),
            ("nodes", Value::Array(others)),
        ];
        self.run("join", arguments).unwrap();
    }

    /// Has it start the application, and waits for nothing; the [`answer`](Self::answer) comes once it serves.
    pub fn ask_to_start(&mut self) -> u64 {
        self.ask_to_start_with(program::path())
    }

    fn ask_to_start_with(&mut self, daemon: &Path) -> u64 {
        let daemon = daemon.to_str().unwrap().into();
        let data_dir = self.data_dir.to_str().unwrap().into();
        self.ask("start", [("daemon", daemon), ("data_dir", data_dir)])
    }

    /// Sends a command and waits for its outcome.
    pub fn run<const N: usize>(
        &mut self,
        command: &str,
        arguments: [(&str, Value); N],
    ) -> Result<Value, Value> {
        let id = self.ask(command, arguments);
        self.answer(id)
    }

    /// Sends a command and gives its id.
    pub fn ask<const N: usize>(&mut self, command: &str, arguments: [(&str, Value); N]) -> u64 {
        self.last_id += 1;
        let mut entries = vec![
            ("id".to_owned(), self.last_id.into()),
            ("do".to_owned(), command.into()),
        ];
        entries.extend(arguments.map(|(key, value)| (key.to_owned(), value)));
        let frame = encode(&Value::Map(entries)).unwrap();
        frames::write(&mut self.control, &frame).unwrap();
        self.last_id
    }

    /// Waits for the outcome of a command.
    pub fn answer(&mut self, id: u64) -> Result<Value, Value> {
        let message = self.next(|message| id_of(message) == Some(id));
        outcome(&message)
    }

    /// The outcomes, with the ids of their commands, that came before its end and nobody has waited for.
    pub fn last_answers(&mut self) -> Vec<(u64, Result<Value, Value>)> {
        self.waiting.extend(self.heard.iter());
        let answers = self.waiting.iter();
        answers
            .filter_map(|message| Some((id_of(message)?, outcome(message))))
            .collect()
    }

    /// The events of that name that came before its end and nobody has waited for.
    pub fn last_events(&mut self, name: &str) -> Vec<Value> {
        self.waiting.extend(self.heard.iter());
        self.events(name)
    }

    /// Waits for the next event of that name.
    pub fn event(&mut self, name: &str) -> Value {
        self.next(|message| is_event(message, name))
    }

    /// The events of that name that have come already.
    pub fn events(&mut self, name: &str) -> Vec<Value> {
        self.waiting.extend(self.heard.try_iter());
        let all = std::mem::take(&mut self.waiting);
        let (wanted, others) = all.into_iter().partition(|message| is_event(message, name));
        self.waiting = others;
        Vec::from(wanted)
    }

    /// Waits until a daemon is up, and gives it.
    pub fn daemon(&mut self) -> Watched {
        let pid = self.event("daemon").get("pid").and_then(Value::as_u64);
        Watched::open(pid.unwrap().try_into().unwrap(), &self.data_dir)
    }

    /// Any operation of the protocol.
    pub fn call<T: DeserializeOwned>(
        &mut self,
        op: Op,
        soul: &str,
        payload: &impl Serialize,
    ) -> Result<T, Value> {
        let arguments = [
            ("op", op.as_str().into()),
            ("soul", soul.into()),
            ("payload", to_value(payload).unwrap()),
        ];
        let answer = self.run("call", arguments)?;
        Ok(from_value(answer).unwrap())
    }

    /// Everything that was said to a character, page by page.
    pub fn messages(&mut self, soul: &str) -> Vec<Message> {
        let mut messages = Vec::new();
        let mut request = MessageListRequest::default();
        loop {
            let page: MessageListResponse = self.call(Op::MessageList, soul, &request).unwrap();
            messages.extend(page.messages);
            request.cursor = page.cursor;
            if request.cursor.is_none() {
                return messages;
            }
        }
    }

    /// What comes to a character's mind.
    pub fn retrieve(&mut self, soul: &str, text: &str) -> Result<RetrieveResponse, Value> {
        let arguments = [
            ("soul", soul.into()),
            ("text", text.into()),
            ("limit", 10_u64.into()),
        ];
        let answer = self.run("retrieve", arguments)?;
        Ok(from_value(answer).unwrap())
    }

    /// The id of its virtual machine.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// SIGKILL to the node alone.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Stops the application, then the node, in good order.
    pub fn stop(mut self) {
        self.run("stop", []).unwrap();
        self.control.shutdown(Shutdown::Write).unwrap();
        let status = self.process.ended();
        assert!(status.success(), "the node ended with {status}");
    }

    fn next(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.waiting.iter().position(&wanted) {
            return self.waiting.remove(place).unwrap();
        }
        let begun = Instant::now();
        loop {
            let patience = PATIENCE.saturating_sub(begun.elapsed());
            match self.heard.recv_timeout(patience) {
                Ok(message) if wanted(&message) => return message,
                Ok(message) => self.waiting.push_back(message),
                Err(end) => panic!(
                    "the node says nothing more ({end}) than {:#?}",
                    self.waiting
                ),
            }
        }
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("beam/node.exs")
}

fn is_event(message: &Value, name: &str) -> bool {
    message.get("event").and_then(Value::as_str) == Some(name)
}

fn id_of(message: &Value) -> Option<u64> {
    message.get("id").and_then(Value::as_u64)
}

fn outcome(message: &Value) -> Result<Value, Value> {
    match message.get("ok") {
        Some(payload) => Ok(payload.clone()),
        None => Err(message.get("error").unwrap().clone()),
    }
}

/// What the node says, read on a thread so that it never blocks.
fn messages(mut stream: UnixStream) -> Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        while let Ok(frame) = frames::read(&mut stream) {
            if sender.send(decode(&frame).unwrap()).is_err() {
                return;
            }
        }
    });
    receiver
}
