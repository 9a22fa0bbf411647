//! A character moves from machine to machine while callers on all of them push to it by way of their outboxes, every other
//! push twice under its key, and at each step of the move something fails: a daemon, a node or a machine is killed, at
//! either end or at an origin of pushes, or the link between the two is cut.
//!
//! Afterwards the character has one owner, nobody having chosen it, every push that was acknowledged is there once and in
//! its order, and how far every outbox had come is known wherever the character went.
//!
//! `SOULMEM_TEST_MOVES` says how many moves: 5 is each step once, 40 each step with each fault.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use fastrand::Rng;
use soulmem_proto::Value;
use soulmem_tests::{Home, MACHINES, OWNERS, chance, until};

/// The steps of a move.
const STEPS: [&str; 5] = ["create", "give up", "export", "import", "switch"];
/// How many pushes of each machine are kept between two moves.
const POSTS: usize = 6;
/// The machines with a daemon; the third is a relay with an outbox.
const ENDS: [usize; 2] = [0, 1];

#[derive(Debug, Clone, Copy)]
enum Fault {
    KillDaemon(End),
    KillNode(End),
    PowerFailure(End),
    KillOrigin,
    CutLink,
}

#[derive(Debug, Clone, Copy)]
enum End {
    Source,
    Target,
}

const FAULTS: [Fault; 8] = [
    Fault::KillDaemon(End::Source),
    Fault::KillDaemon(End::Target),
    Fault::KillNode(End::Source),
    Fault::KillNode(End::Target),
    Fault::PowerFailure(End::Source),
    Fault::PowerFailure(End::Target),
    Fault::KillOrigin,
    Fault::CutLink,
];

/// Steps with faults, each step as often as another, no pair twice before all have come.
fn order(random: &mut Rng) -> Vec<(&'static str, Fault)> {
    let mut faults = FAULTS;
    random.shuffle(&mut faults);
    let round = |turn: usize| {
        let pair = move |(place, step)| (step, faults[(place + turn) % FAULTS.len()]);
        STEPS.into_iter().enumerate().map(pair)
    };
    let count = chance::number("SOULMEM_TEST_MOVES").unwrap_or(STEPS.len() as u64);
    let all = (0..).flat_map(round);
    all.take(count.try_into().unwrap()).collect()
}

#[test]
fn a_move_keeps_every_push_and_ends_with_one_owner_whatever_fails_at_whichever_step() {
    let mut home = match Home::new() {
        Ok(home) => home,
        Err(reason) => return println!("left out: {reason}"),
    };
    let mut random = chance::seeded();
    for machine in 0..MACHINES {
        home.post(machine);
    }
    for (step, fault) in order(&mut random) {
        home.await_posts(&[0, 1, 2], POSTS);
        let (source, target) = (home.owner(), 1 - home.owner());
        let adopting = home.node(target).ask(
            "moves adopt",
            [("soul", OWNERS[0].0.into()), ("step", step.into())],
        );
        home.node(target).event("step");
        let outcome = strike(&mut home, fault, source, target, adopting);
        let owner = one_owner(&mut home);
        println!("{step}: {fault:?}: {outcome}; machine {owner} has it");
        if outcome == "moved" {
            assert_eq!(owner, target);
        }
        home.moved(owner);
    }
    // And once with nothing in the way, for what had to wait.
    home.hush();
    for machine in 0..MACHINES {
        let delivered = home.node(machine).run("moves delivered", []).unwrap();
        assert_eq!(delivered.get("refused").and_then(Value::as_u64), Some(0));
    }
    let owner = home.owner();
    let (_, marks) = copy(&mut home, owner);
    assert!(marks >= MACHINES as u64, "{marks} outboxes are known");
    println!("{} pushes", home.hold_to_account());
}

/// Lets it happen while the move stands still, and mends it. What came of the move, where anybody is left to say.
fn strike(home: &mut Home, fault: Fault, source: usize, target: usize, adopting: u64) -> String {
    let machine = |end| match end {
        End::Source => source,
        End::Target => target,
    };
    match fault {
        Fault::KillDaemon(end) => {
            home.daemon(machine(end)).kill();
            let outcome = go_on(home, target, adopting);
            home.await_daemon(machine(end));
            outcome
        }
        Fault::KillNode(End::Target) | Fault::PowerFailure(End::Target) => {
            home.lose(target, matches!(fault, Fault::PowerFailure(_)));
            home.start(target);
            home.post(target);
            "nobody to say".to_owned()
        }
        Fault::KillNode(End::Source) | Fault::PowerFailure(End::Source) => {
            home.lose(source, matches!(fault, Fault::PowerFailure(_)));
            let outcome = go_on(home, target, adopting);
            home.start(source);
            home.post(source);
            outcome
        }
        Fault::KillOrigin => {
            home.lose(2, false);
            let outcome = go_on(home, target, adopting);
            home.start(2);
            home.post(2);
            outcome
        }
        Fault::CutLink => {
            let names = [home.name(source), home.name(target)];
            home.forget_changes();
            home.lan.cut_between(source, target);
            home.await_change(target, "nodedown", &names[0]);
            let outcome = go_on(home, target, adopting);
            home.lan.heal_between(source, target);
            home.await_change(source, "nodeup", &names[1]);
            outcome
        }
    }
}

fn go_on(home: &mut Home, target: usize, adopting: u64) -> String {
    home.node(target).run("moves go on", []).unwrap();
    match home.node(target).answer(adopting) {
        Ok(_) => "moved".to_owned(),
        Err(error) => {
            let of = |key| error.get(key).and_then(Value::as_str).unwrap_or_default();
            format!("{}, {}", of("code"), of("message"))
        }
    }
}

/// Waits until every node sees one owner, and holds what the copies say of themselves against that.
fn one_owner(home: &mut Home) -> usize {
    until("one owner, seen by all", || {
        let seen: Vec<String> = (0..MACHINES)
            .map(|machine| seen_by(home, machine))
            .collect();
        let states = ENDS.map(|machine| copy(home, machine).0);
        assert_ne!(states, ["owner", "owner"], "two owners");
        assert!(!states.contains(&"contested".to_owned()), "{states:?}");
        let owner = ENDS.into_iter().find(|end| states[*end] == "owner")?;
        let name = home.name(owner);
        let settled = states[1 - owner] != "arriving" && seen.iter().all(|node| *node == name);
        settled.then_some(owner)
    })
}

fn seen_by(home: &mut Home, machine: usize) -> String {
    let soul = [("soul", OWNERS[0].0.into())];
    let seen = home
        .node(machine)
        .run("moves await_one_owner", soul)
        .unwrap();
    seen.get("node").and_then(Value::as_str).unwrap().to_owned()
}

/// What the copy on a machine is, and how many outboxes it knows.
fn copy(home: &mut Home, machine: usize) -> (String, u64) {
    let soul = [("soul", OWNERS[0].0.into())];
    let copy = home.node(machine).run("moves copy", soul).unwrap();
    let state = copy.get("state").and_then(Value::as_str).unwrap();
    (
        state.to_owned(),
        copy.get("marks").and_then(Value::as_u64).unwrap(),
    )
}
