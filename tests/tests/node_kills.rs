//! A daemon under a BEAM node is killed again and again while the node's callers write.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use fastrand::Rng;
use soulmem_proto::{Op, SoulName, Value};
use soulmem_tests::{Daemon, Ledger, Node, Write, chance};

/// How often the daemon is killed in one round; `SOULMEM_TEST_KILLS` makes it more rounds.
const KILLS: u64 = 200;
/// How many callers write at once.
const CALLERS: u64 = 6;
/// A daemon is killed after so many acknowledged writes at most: 0 is in the middle of its start.
const MOST_WRITES: usize = 12;
/// And then a moment later, so that it is somewhere within a write.
const MOMENT: Duration = Duration::from_millis(4);

/// Puts what the callers said into the ledger.
fn enter(ledger: &mut Ledger, events: &[Value]) {
    for event in events {
        let number = |key| event.get(key).and_then(Value::as_u64).unwrap();
        let write = Write {
            caller: number("caller"),
            number: number("number"),
        };
        let ids = event.get("ids").and_then(Value::as_array).unwrap();
        let ids = ids.iter().map(|id| id.as_str().unwrap().parse().unwrap());
        ledger.ask(write);
        ledger.acknowledge(write, &ids.collect::<Vec<_>>());
    }
}

#[test]
fn every_acknowledged_message_is_there_once_after_200_kills_and_the_node_never_went_down() {
    let mut random = chance::seeded();
    for kills in chance::rounds(KILLS) {
        round(kills, &mut random);
    }
}

fn round(kills: u64, random: &mut Rng) {
    let folder = tempfile::tempdir().unwrap();
    let mei: SoulName = "mei".parse().unwrap();
    let mut ledger = Ledger::default();
    let mut node = Node::start(folder.path());
    node.call::<Value>(Op::SoulCreate, "mei", &Value::Map(vec![]))
        .unwrap();
    let processes = node.run("processes", []).unwrap();

    let talk = node.ask(
        "talk",
        [("soul", "mei".into()), ("callers", CALLERS.into())],
    );
    for _ in 0..kills {
        let daemon = node.daemon();
        // What the daemon before it acknowledged does not count.
        enter(&mut ledger, &node.events("acknowledged"));
        for _ in 0..random.usize(0..=MOST_WRITES) {
            enter(&mut ledger, &[node.event("acknowledged")]);
        }
        chance::moment(random, MOMENT);
        daemon.kill();
        daemon.ended();
    }
    node.run("hush", []).unwrap();
    let talk = node.answer(talk).unwrap();
    enter(&mut ledger, &node.events("acknowledged"));
    let writes = talk.get("writes").and_then(Value::as_u64).unwrap();
    assert_eq!(ledger.acknowledged() as u64, writes);
    assert_eq!(node.run("processes", []).unwrap(), processes);
    node.stop();

    let daemon = Daemon::start(folder.path());
    let messages = daemon.connect().messages(&mei).unwrap();
    let there: Vec<_> = messages
        .into_iter()
        .map(|message| (message.id, message.text))
        .collect();
    ledger.hold_against(&there);
    println!("{kills} kills, {writes} writes of {} messages", there.len());
}
