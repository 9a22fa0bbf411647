//! A daemon is killed again and again while clients write to it directly, pipelined, and ask it in between.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use fastrand::Rng;
use serde_json::json;
use soulmem_proto::ops::note_put::NotePutResponse;
use soulmem_proto::ops::push::PushResponse;
use soulmem_proto::{Op, SoulName, Value, from_value};
use soulmem_tests::{Client, Daemon, Endpoint, Failure, Ledger, PATIENCE, Write, chance};
use uuid::Uuid;

/// How often the daemon is killed in one round; `SOULMEM_TEST_KILLS` makes it more rounds.
const KILLS: u64 = 30;
/// How many clients there are.
const CLIENTS: u64 = 8;
/// Most writes that a client sends before it reads an answer.
const MOST_PIPELINED: usize = 6;
/// A daemon is killed after so many acknowledged writes at most: 0 is right after its start.
const MOST_WRITES: usize = 60;
/// And then a moment later, so that it is somewhere within a write.
const MOMENT: Duration = Duration::from_millis(5);

/// The life of one daemon, as its clients see it.
#[derive(Clone)]
enum Life {
    /// It will be killed while they write.
    Short(Endpoint),
    /// They finish what they began.
    Last(Endpoint),
}

/// What a client tells the test.
enum Told {
    Asked(Write),
    Acknowledged(Write, Vec<Uuid>),
    /// The next acknowledgement is of something that was done already.
    Repeated,
    /// The daemon is gone, or there is nothing left to do.
    Waiting,
    /// Something else than a kill came between.
    Failed(String),
}

/// A client with its own order of writes, over the lives of many daemons.
struct Writer {
    caller: u64,
    next: u64,
    unanswered: Vec<Write>,
    random: Rng,
    soul: SoulName,
    told: Sender<Told>,
}

impl Writer {
    fn run(mut self, lives: &Receiver<Life>) {
        for life in lives {
            // Some callers repeat what they do not know the outcome of, others never ask again.
            let random = &mut self.random;
            self.unanswered.retain(|_| random.u8(0..4) > 0);
            match (self.live(&life), life) {
                (Err(Failure::Lost(_)), Life::Short(_)) | (Ok(()), Life::Last(_)) => {}
                (outcome, _) => {
                    let failure = format!("caller {}: {outcome:?}", self.caller);
                    self.told.send(Told::Failed(failure)).unwrap();
                    return;
                }
            }
            self.told.send(Told::Waiting).unwrap();
        }
    }

    fn live(&mut self, life: &Life) -> Result<(), Failure> {
        let (Life::Short(endpoint) | Life::Last(endpoint)) = life;
        let mut client = Client::connect(endpoint)?;
        loop {
            if matches!(life, Life::Short(_)) {
                self.begin_more();
            }
            if self.unanswered.is_empty() {
                return Ok(());
            }
            self.round(&mut client)?;
            if self.random.u8(0..4) == 0 {
                let question = json!({"text": format!("c{}-{}-0", self.caller, self.next)});
                client.call::<Value>(Op::Retrieve, Some(&self.soul), &question, None)?;
            }
        }
    }

    fn begin_more(&mut self) {
        let wanted = self.random.usize(1..=MOST_PIPELINED);
        while self.unanswered.len() < wanted {
            let write = Write {
                caller: self.caller,
                number: self.next,
            };
            self.next += 1;
            self.unanswered.push(write);
            self.told.send(Told::Asked(write)).unwrap();
        }
    }

    /// Sends everything that is unanswered, then reads the answers, which come in any order.
    fn round(&mut self, client: &mut Client) -> Result<(), Failure> {
        let mut sent = Vec::new();
        for write in &self.unanswered {
            let (op, payload) = request(*write);
            sent.push((
                client.send(op, Some(&self.soul), &payload, Some(&write.key()))?,
                *write,
            ));
        }
        for _ in 0..sent.len() {
            let (id, outcome) = client.receive()?;
            let (_, write) = *sent.iter().find(|(sent, _)| *sent == id).unwrap();
            let answer = outcome.map_err(Failure::Refused)?;
            if is_repeat(&answer) {
                self.told.send(Told::Repeated).unwrap();
            }
            let ids = ids(write, answer);
            self.unanswered.retain(|other| *other != write);
            self.told.send(Told::Acknowledged(write, ids)).unwrap();
        }
        Ok(())
    }
}

/// Every fourth write is of notes.
fn is_of_notes(write: Write) -> bool {
    write.number % 4 == 3
}

fn request(write: Write) -> (Op, serde_json::Value) {
    let texts = write.texts().into_iter();
    if is_of_notes(write) {
        let note = |text| json!({"mem_type": {"Semantic": {"content": text, "concept_type": "Entity", "description": ""}}});
        (
            Op::NotePut,
            json!({"notes": texts.map(note).collect::<Vec<_>>()}),
        )
    } else {
        let message = |text| json!({"role": "user", "text": text});
        (
            Op::Push,
            json!({"messages": texts.map(message).collect::<Vec<_>>()}),
        )
    }
}

/// The ids that a write was answered with.
fn ids(write: Write, answer: Value) -> Vec<Uuid> {
    if is_of_notes(write) {
        let NotePutResponse { notes } = from_value::<NotePutResponse>(answer).unwrap();
        notes.iter().map(id).collect()
    } else {
        from_value::<PushResponse>(answer).unwrap().ids
    }
}

/// Whether a push had been done already, by a daemon that was killed before it could say so.
fn is_repeat(answer: &Value) -> bool {
    answer.get("duplicate") == Some(&true.into())
}

fn id(note: &Value) -> Uuid {
    note.get("id")
        .and_then(Value::as_str)
        .unwrap()
        .parse()
        .unwrap()
}

fn content(note: &Value) -> String {
    let kind = note.get("mem_type").and_then(|kind| kind.get("Semantic"));
    let content = kind.and_then(|note| note.get("content"));
    content.and_then(Value::as_str).unwrap().to_owned()
}

/// Everything that the clients have told.
struct Books {
    told: Receiver<Told>,
    messages: Ledger,
    notes: Ledger,
    repeated: usize,
}

impl Books {
    fn new(told: Receiver<Told>) -> Self {
        Self {
            told,
            messages: Ledger::default(),
            notes: Ledger::default(),
            repeated: 0,
        }
    }

    /// Waits for the next thing that a client tells, and says what it was.
    fn enter_next(&mut self) -> Told {
        let told = self
            .told
            .recv_timeout(PATIENCE)
            .expect("the clients say nothing more");
        match &told {
            Told::Asked(write) => self.ledger(*write).ask(*write),
            Told::Acknowledged(write, ids) => self.ledger(*write).acknowledge(*write, ids),
            Told::Repeated => self.repeated += 1,
            Told::Failed(failure) => panic!("{failure}"),
            Told::Waiting => {}
        }
        told
    }

    fn ledger(&mut self, write: Write) -> &mut Ledger {
        if is_of_notes(write) {
            &mut self.notes
        } else {
            &mut self.messages
        }
    }

    fn await_writes(&mut self, count: usize) {
        let mut acknowledged = 0;
        while acknowledged < count {
            acknowledged += usize::from(matches!(self.enter_next(), Told::Acknowledged(..)));
        }
    }

    fn await_clients(&mut self) {
        let mut waiting = 0;
        while waiting < CLIENTS {
            waiting += u64::from(matches!(self.enter_next(), Told::Waiting));
        }
    }

    fn hold_against(&self, daemon: &Daemon, soul: &SoulName) {
        let mut client = daemon.connect();
        let messages = client.messages(soul).unwrap();
        let messages: Vec<_> = messages
            .into_iter()
            .map(|message| (message.id, message.text))
            .collect();
        self.messages.hold_against(&messages);
        let notes = client.notes(soul).unwrap();
        let notes: Vec<_> = notes.iter().map(|note| (id(note), content(note))).collect();
        self.notes.hold_against(&notes);
    }
}

impl fmt::Display for Books {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (messages, notes) = (&self.messages, &self.notes);
        write!(
            f,
            "{} pushes and {} writes of notes acknowledged, {} pushes of them when repeated; {} and {} given up",
            messages.acknowledged(),
            notes.acknowledged(),
            self.repeated,
            messages.unanswered(),
            notes.unanswered()
        )
    }
}

/// Clients, and the way to tell each of a daemon.
struct Clients {
    lives: Vec<Sender<Life>>,
    threads: Vec<JoinHandle<()>>,
}

impl Clients {
    fn start(soul: &SoulName, random: &mut Rng, told: &Sender<Told>) -> Self {
        let (lives, threads) = (0..CLIENTS)
            .map(|caller| {
                let writer = Writer {
                    caller,
                    next: 0,
                    unanswered: Vec::new(),
                    random: random.fork(),
                    soul: soul.clone(),
                    told: told.clone(),
                };
                let (life, lives) = mpsc::channel();
                (life, thread::spawn(move || writer.run(&lives)))
            })
            .unzip();
        Self { lives, threads }
    }

    fn live(&self, life: &Life) {
        for client in &self.lives {
            client.send(life.clone()).unwrap();
        }
    }

    fn end(self) {
        drop(self.lives);
        for thread in self.threads {
            thread.join().unwrap();
        }
    }
}

#[test]
fn nothing_acknowledged_is_lost_or_doubled_by_kills() {
    let mut random = chance::seeded();
    for kills in chance::rounds(KILLS) {
        round(kills, &mut random);
    }
}

fn round(kills: u64, random: &mut Rng) {
    let folder = tempfile::tempdir().unwrap();
    let soul: SoulName = "mei".parse().unwrap();
    let (teller, told) = mpsc::channel();
    let mut books = Books::new(told);
    let clients = Clients::start(&soul, random, &teller);
    let mut daemon = Daemon::start(folder.path());
    let created = daemon
        .connect()
        .call::<Value>(Op::SoulCreate, Some(&soul), &json!({}), None);
    created.unwrap();

    for _ in 0..kills {
        clients.live(&Life::Short(daemon.endpoint().clone()));
        books.await_writes(random.usize(0..=MOST_WRITES));
        chance::moment(random, MOMENT);
        daemon.kill();
        books.await_clients();
        daemon = Daemon::start(folder.path());
        books.hold_against(&daemon, &soul);
    }
    clients.live(&Life::Last(daemon.endpoint().clone()));
    books.await_clients();
    clients.end();
    books.hold_against(&daemon, &soul);
    assert!(daemon.leave().success());
    books.hold_against(&Daemon::start(folder.path()), &soul);
    println!("{kills} kills, {books}");
}
