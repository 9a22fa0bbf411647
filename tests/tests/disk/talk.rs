//! What is said to a character while its disk is bad, and what the daemon says of that.

use std::fmt::Debug;
use std::path::Path;

use serde_json::json;
use soulmem_proto::ops::health::{HealthResponse, SoulHealth, State};
use soulmem_proto::ops::push::PushResponse;
use soulmem_proto::ops::retrieve::RetrieveResponse;
use soulmem_proto::{ErrorCode, ErrorPayload, Op, SoulName, Value};
use soulmem_tests::{Client, Failure, Ledger, Write};

pub fn name(soul: &str) -> SoulName {
    soul.parse().unwrap()
}

pub fn create(client: &mut Client, soul: &str) -> Result<Value, Failure> {
    client.call(Op::SoulCreate, Some(&name(soul)), &json!({}), None)
}

/// The error of what must be refused. A daemon that falls or hangs refuses nothing.
pub fn refused<T: Debug>(outcome: Result<T, Failure>) -> ErrorPayload {
    match outcome {
        Err(Failure::Refused(error)) => error,
        other => panic!("not refused: {other:?}"),
    }
}

/// What is said to Mei, one push after the other.
#[derive(Default)]
pub struct Talk {
    ledger: Ledger,
    /// The number of the next push.
    pub next: u64,
}

impl Talk {
    /// Pushes what comes next. What was refused comes again, under the same key.
    pub fn push(&mut self, client: &mut Client) -> Result<(), Failure> {
        let write = Write {
            caller: 0,
            number: self.next,
        };
        self.ledger.ask(write);
        let texts = write.texts().into_iter();
        let message = |text| json!({"role": "user", "text": long(text)});
        let payload = json!({"messages": texts.map(message).collect::<Vec<_>>()});
        let key = write.key();
        let pushed: PushResponse =
            client.call(Op::Push, Some(&name("mei")), &payload, Some(&key))?;
        self.ledger.acknowledge(write, &pushed.ids);
        self.next += 1;
        Ok(())
    }

    /// Reads all that there is, in the log and by a recall of what was said last.
    pub fn hold_against(&self, client: &mut Client) {
        let messages = client.messages(&name("mei")).unwrap();
        let there: Vec<_> = messages
            .into_iter()
            .map(|message| (message.id, short(&message.text)))
            .collect();
        self.ledger.hold_against(&there);
        let last = format!("c0-{}-0", self.next - 1);
        let question = json!({"text": last});
        let recalled: RetrieveResponse = client
            .call(Op::Retrieve, Some(&name("mei")), &question, None)
            .unwrap();
        let recalled: Vec<_> = recalled
            .utterances
            .iter()
            .map(|hit| short(&hit.text))
            .collect();
        assert!(recalled.contains(&last), "{recalled:?}");
    }
}

/// Few of these fill a small disk.
fn long(text: String) -> String {
    let rest = "小红，周六带外甥女来看你修书好吗？".repeat(400);
    text + " " + &rest
}

fn short(text: &str) -> String {
    text.split(' ').next().unwrap().to_owned()
}

fn health(client: &mut Client, soul: &str) -> SoulHealth {
    let health: HealthResponse = client.call(Op::Health, None, &json!({}), None).unwrap();
    let mut souls = health.souls.into_iter();
    souls.find(|health| health.soul == name(soul)).unwrap()
}

/// Whether `health` says that a character cannot be written, and why.
pub fn tells(client: &mut Client, soul: &str, why: &str) -> bool {
    let health = health(client, soul);
    let told = health.last_error.is_some_and(|told| told.contains(why));
    health.state == State::ReadOnly && told
}

/// Asserts that it says that nothing is wrong.
pub fn is_well(client: &mut Client, soul: &str) {
    let health = health(client, soul);
    assert_ne!(health.state, State::ReadOnly, "{health:?}");
    assert_eq!(health.last_error, None);
}

pub fn is_full<T: Debug>(outcome: Result<T, Failure>, file: &Path) {
    let error = refused(outcome);
    assert_eq!(error.code, ErrorCode::StorageFull, "{error}");
    assert!(error.message.contains("free some"), "{error}");
    assert!(error.message.contains(file.to_str().unwrap()), "{error}");
}
