//! A home of machines, each with a node: two that have a daemon and a character of their own, and one that has none.

use std::path::PathBuf;

use soulmem_proto::{Op, SoulName, Value};
use tempfile::TempDir;

use crate::lan::{self, Lan};
use crate::{Daemon, Ledger, Node, Watched, Write, elixir};

/// How many callers write on each node to each character.
const CALLERS: u64 = 2;

/// The characters and the machines that they live on.
pub const OWNERS: [(&str, usize); 2] = [("mei", 0), ("tom", 1)];

/// How many machines there are; the last has no daemon.
pub const MACHINES: usize = 3;

/// The machines with their nodes.
#[derive(Debug)]
pub struct Home {
    nodes: Vec<Node>,
    daemons: Vec<Option<Watched>>,
    /// The cables.
    pub lan: Lan,
    folder: TempDir,
    ledgers: Vec<Ledger>,
    talks: Vec<Talk>,
    next_caller: u64,
    /// Where each character lives now.
    owners: [usize; OWNERS.len()],
}

/// Callers of one node that write to one character.
#[derive(Debug)]
struct Talk {
    machine: usize,
    owner: usize,
    first: u64,
    id: u64,
}

impl Home {
    /// Starts all of it; or why it cannot be had here.
    pub fn new() -> Result<Self, String> {
        let lan = Lan::up(MACHINES.try_into().unwrap())?;
        let mut home = Self {
            nodes: Vec::new(),
            daemons: Vec::new(),
            lan,
            folder: tempfile::tempdir().unwrap(),
            ledgers: OWNERS.iter().map(|_| Ledger::default()).collect(),
            talks: Vec::new(),
            next_caller: 0,
            owners: OWNERS.map(|(_, owner)| owner),
        };
        for machine in 0..MACHINES {
            let (node, daemon) = home.started(machine);
            home.nodes.push(node);
            home.daemons.push(daemon);
        }
        for (soul, owner) in OWNERS {
            home.nodes[owner]
                .call::<Value>(Op::SoulCreate, soul, &Value::Map(vec![]))
                .unwrap();
        }
        home.settle();
        Ok(home)
    }

    /// The node of a machine.
    pub fn node(&mut self, machine: usize) -> &mut Node {
        &mut self.nodes[machine]
    }

    /// The name of a machine's node.
    pub fn name(&self, machine: usize) -> String {
        elixir::node_on(self.lan.machine(machine))
    }

    /// The daemon of a machine that has one.
    pub fn daemon(&self, machine: usize) -> &Watched {
        self.daemons[machine].as_ref().unwrap()
    }

    /// Waits until the node of a machine has a new daemon.
    pub fn await_daemon(&mut self, machine: usize) {
        self.daemons[machine] = Some(self.nodes[machine].daemon());
    }

    /// Waits until every node knows who owns what.
    pub fn settle(&mut self) {
        for machine in 0..MACHINES {
            for ((soul, _), owner) in OWNERS.into_iter().zip(self.owners) {
                let node = self.name(owner).as_str().into();
                let arguments = [("soul", soul.into()), ("node", node)];
                self.nodes[machine]
                    .run("cluster await_owner", arguments)
                    .unwrap();
            }
        }
    }

    /// Has callers on a machine write to every character, until [`Home::hush`].
    pub fn talk(&mut self, machine: usize, timeout_ms: u64) {
        for (owner, (soul, _)) in OWNERS.iter().enumerate() {
            let first = self.next_caller;
            self.next_caller += CALLERS;
            let arguments = [
                ("soul", (*soul).into()),
                ("first", first.into()),
                ("callers", CALLERS.into()),
                ("timeout", timeout_ms.into()),
            ];
            let id = self.nodes[machine].ask("cluster talk", arguments);
            self.talks.push(Talk {
                machine,
                owner,
                first,
                id,
            });
        }
    }

    /// Waits until so many more writes of each talk of these machines were acknowledged.
    pub fn await_writes(&mut self, machines: &[usize], count: usize) {
        for machine in machines {
            for (soul, _) in OWNERS {
                let mut seen = 0;
                while seen < count {
                    let event = self.nodes[*machine].event("acknowledged");
                    seen += usize::from(event.get("soul").and_then(Value::as_str) == Some(soul));
                    enter(&mut self.ledgers, &event);
                }
            }
        }
    }

    /// Ends all talks. The longest time in milliseconds that a call outlasted its timeout.
    pub fn hush(&mut self) -> u64 {
        let mut longest = 0;
        for talk in std::mem::take(&mut self.talks) {
            let node = &mut self.nodes[talk.machine];
            let soul = OWNERS[talk.owner].0.into();
            node.run("cluster hush", [("soul", soul)]).unwrap();
            let outcome = node.answer(talk.id).unwrap();
            longest = longest.max(outcome.get("overrun_ms").and_then(Value::as_u64).unwrap());
        }
        for machine in 0..MACHINES {
            self.take_in(machine);
        }
        longest
    }

    /// The node of a machine is killed, or the machine. What its callers did not hear the end of may be there or not.
    pub fn lose(&mut self, machine: usize, power: bool) {
        if power {
            self.lan.machine(machine).power_off();
        }
        self.nodes[machine].kill();
        if let Some(daemon) = &self.daemons[machine] {
            daemon.ended();
        }
        for name in ["acknowledged", "asked"] {
            for event in &self.nodes[machine].last_events(name) {
                enter(&mut self.ledgers, event);
            }
        }
        let (lost, left) = std::mem::take(&mut self.talks)
            .into_iter()
            .partition(|talk: &Talk| talk.machine == machine);
        self.talks = left;
        for talk in lost {
            for caller in talk.first..talk.first + CALLERS {
                self.ledgers[talk.owner].ask_next(caller);
            }
        }
    }

    /// Starts the node of a machine again.
    pub fn restart(&mut self, machine: usize) {
        self.start(machine);
        self.settle();
    }

    /// The same without waiting for who owns what.
    pub fn start(&mut self, machine: usize) {
        let (node, daemon) = self.started(machine);
        self.nodes[machine] = node;
        self.daemons[machine] = daemon;
    }

    /// The machine that the first character lives on.
    pub fn owner(&self) -> usize {
        self.owners[0]
    }

    /// Says that the first character lives on another machine now.
    pub fn moved(&mut self, machine: usize) {
        self.owners[0] = machine;
    }

    /// Has callers on a machine push to the first character by way of their outbox, until [`Home::hush`].
    pub fn post(&mut self, machine: usize) {
        let first = self.next_caller;
        self.next_caller += CALLERS;
        let arguments = [
            ("soul", OWNERS[0].0.into()),
            ("first", first.into()),
            ("callers", CALLERS.into()),
        ];
        let id = self.nodes[machine].ask("moves post", arguments);
        self.talks.push(Talk {
            machine,
            owner: 0,
            first,
            id,
        });
    }

    /// Waits until so many more pushes of these machines are kept.
    pub fn await_posts(&mut self, machines: &[usize], count: usize) {
        for machine in machines {
            for _ in 0..count {
                let event = self.nodes[*machine].event("acknowledged");
                enter(&mut self.ledgers, &event);
            }
        }
    }

    /// Pauses a machine's virtual machine until the others have noticed, then lets it go on.
    pub fn pause_node(&mut self, machine: usize, others: &[usize]) {
        let id = self.nodes[machine].id();
        let name = self.name(machine);
        lan::pause(id);
        for other in others {
            self.await_change(*other, "nodedown", &name);
        }
        lan::resume(id);
    }

    /// Waits until a machine's node tells that about another.
    pub fn await_change(&mut self, machine: usize, change: &str, other: &str) {
        loop {
            let event = self.nodes[machine].event(change);
            if event.get("node").and_then(Value::as_str) == Some(other) {
                return;
            }
        }
    }

    /// Forgets which nodes the nodes have lost and found again: what is waited for from now on is yet to happen.
    pub fn forget_changes(&mut self) {
        for node in &mut self.nodes {
            // What it told before it answered has been heard by then.
            node.run("cluster memory", []).unwrap();
            node.events("nodedown");
            node.events("nodeup");
        }
    }

    /// Which nodes a machine's node has lost since this was last asked.
    pub fn lost_by(&mut self, machine: usize) -> Vec<String> {
        let events = self.nodes[machine].events("nodedown");
        let names = events.iter().filter_map(|event| event.get("node"));
        names
            .map(|node| node.as_str().unwrap().to_owned())
            .collect()
    }

    /// Stops everything in good order, and holds what was acknowledged against what the daemons have. How many writes
    /// that were.
    pub fn hold_to_account(mut self) -> usize {
        for node in &mut self.nodes {
            node.run("cluster drained", []).unwrap();
        }
        for node in self.nodes.drain(..) {
            node.stop();
        }
        let left = crate::watched::with_mark(self.folder.path());
        assert_eq!(left, Vec::<String>::new(), "left behind");
        for (((soul, _), owner), ledger) in OWNERS.iter().zip(self.owners).zip(&self.ledgers) {
            let soul: SoulName = soul.parse().unwrap();
            let daemon = Daemon::start(&self.data_dir(owner));
            let messages = daemon.connect().messages(&soul).unwrap();
            let there: Vec<_> = messages
                .into_iter()
                .map(|message| (message.id, message.text))
                .collect();
            ledger.hold_against(&there);
        }
        self.ledgers.iter().map(Ledger::acknowledged).sum()
    }

    fn started(&self, machine: usize) -> (Node, Option<Watched>) {
        let mut node = Node::on(self.lan.machine(machine), &self.data_dir(machine));
        let others = (0..MACHINES).filter(|other| *other != machine);
        let others: Vec<String> = others.map(|other| self.name(other)).collect();
        let owns = OWNERS.iter().any(|(_, owner)| *owner == machine);
        node.join(if owns { "daemon" } else { "relay" }, &others);
        let daemon = owns.then(|| node.daemon());
        (node, daemon)
    }

    fn data_dir(&self, machine: usize) -> PathBuf {
        self.folder.path().join(machine.to_string())
    }

    fn take_in(&mut self, machine: usize) {
        for name in ["acknowledged", "asked"] {
            for event in self.nodes[machine].events(name) {
                enter(&mut self.ledgers, &event);
            }
        }
    }
}

/// Puts what a caller said into the ledger of its character.
fn enter(ledgers: &mut [Ledger], event: &Value) {
    let number = |key| event.get(key).and_then(Value::as_u64).unwrap();
    let soul = event.get("soul").and_then(Value::as_str).unwrap();
    let place = OWNERS.iter().position(|(name, _)| *name == soul).unwrap();
    let write = Write {
        caller: number("caller"),
        number: number("number"),
    };
    ledgers[place].ask(write);
    if event.get("event").and_then(Value::as_str) == Some("asked") {
        return;
    }
    match event.get("ids").and_then(Value::as_array) {
        Some(ids) => {
            let ids = ids.iter().map(|id| id.as_str().unwrap().parse().unwrap());
            ledgers[place].acknowledge(write, &ids.collect::<Vec<_>>());
        }
        None => ledgers[place].keep(write),
    }
}
