//! Three machines of a home: links are cut and healed, nodes, daemons and machines killed and paused, while callers on
//! every node write to characters on two of them.
//!
//! The faults come in a random order; `SOULMEM_TEST_FAULTS` says how many (each kind comes once before any comes again).
//! These tests need root and iproute2, for network namespaces; without them they say so and hold nothing.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use fastrand::Rng;
use soulmem_proto::Value;
use soulmem_tests::lan::{pause, resume};
use soulmem_tests::{Home, MACHINES, OWNERS, chance};

/// What a call may outlast its timeout by, in milliseconds, unless `SOULMEM_TEST_GRACE_MS` says otherwise: on a machine that
/// does other work at the same time this can only say that nothing hangs. 500 is what an idle one keeps.
const GRACE_MS: u64 = 10_000;
/// The timeout of the callers' writes: some end before the others have noticed that a machine is gone.
const TIMEOUT_MS: u64 = 3_000;
/// How many writes of each talk come between two faults.
const WRITES: usize = 3;
/// How long a daemon is paused: longer than the timeout of a write.
const PAUSE: Duration = Duration::from_millis(3_500);

fn grace_ms() -> u64 {
    chance::number("SOULMEM_TEST_GRACE_MS").unwrap_or(GRACE_MS)
}

#[derive(Debug, Clone, Copy)]
enum Fault {
    CutLink,
    CutOff,
    KillDaemon,
    KillNode,
    PowerFailure,
    PauseDaemon,
    PauseNode,
}

const FAULTS: [Fault; 7] = [
    Fault::CutLink,
    Fault::CutOff,
    Fault::KillDaemon,
    Fault::KillNode,
    Fault::PowerFailure,
    Fault::PauseDaemon,
    Fault::PauseNode,
];

/// A home, or a word on why it cannot be had here.
fn home() -> Option<Home> {
    Home::new()
        .inspect_err(|reason| println!("left out: {reason}"))
        .ok()
}

#[test]
fn every_acknowledged_push_is_there_once_whatever_happens_to_the_machines_and_links() {
    let Some(mut home) = home() else { return };
    let mut random = chance::seeded();
    for machine in 0..MACHINES {
        home.talk(machine, TIMEOUT_MS);
    }
    home.await_writes(&[0, 1, 2], WRITES);
    for fault in order(&mut random) {
        println!("{fault:?}");
        strike(&mut home, fault, &mut random);
        home.settle();
        home.await_writes(&[0, 1, 2], WRITES);
    }
    let overrun = home.hush();
    assert!(
        overrun <= grace_ms(),
        "a call outlasted its timeout by {overrun} ms"
    );
    println!("{} writes", home.hold_to_account());
}

/// Every kind of fault once, in any order, and again as often as was asked for.
fn order(random: &mut Rng) -> Vec<Fault> {
    let count = chance::number("SOULMEM_TEST_FAULTS").unwrap_or(FAULTS.len() as u64);
    let mut order = Vec::new();
    while (order.len() as u64) < count {
        let mut faults = FAULTS;
        random.shuffle(&mut faults);
        order.extend(faults);
    }
    order.truncate(count.try_into().unwrap());
    order
}

/// Lets it happen and mends it. Links that it has nothing to do with must not drop.
fn strike(home: &mut Home, fault: Fault, random: &mut Rng) {
    let victim = random.usize(0..MACHINES);
    let others: Vec<usize> = (0..MACHINES).filter(|other| *other != victim).collect();
    let owner = OWNERS[random.usize(0..OWNERS.len())].1;
    home.forget_changes();
    match fault {
        Fault::CutLink => cut_link(home, &others, victim),
        Fault::CutOff => cut_off(home, victim, &others),
        Fault::KillDaemon => {
            home.daemon(owner).kill();
            home.await_daemon(owner);
            assert_steady(home, &[0, 1, 2], &[]);
        }
        Fault::KillNode | Fault::PowerFailure => {
            home.lose(victim, matches!(fault, Fault::PowerFailure));
            home.restart(victim);
            home.talk(victim, TIMEOUT_MS);
            assert_steady(home, &others, &[victim]);
        }
        Fault::PauseDaemon => {
            let daemon = home.daemon(owner).id();
            pause(daemon);
            std::thread::sleep(PAUSE);
            resume(daemon);
            assert_steady(home, &[0, 1, 2], &[]);
        }
        Fault::PauseNode => {
            home.pause_node(victim, &others);
            assert_steady(home, &others, &[victim]);
        }
    }
}

/// The link between two machines is cut until both have noticed; the third keeps both.
fn cut_link(home: &mut Home, cut: &[usize], third: usize) {
    let names: Vec<String> = cut.iter().map(|machine| home.name(*machine)).collect();
    home.lan.cut_between(cut[0], cut[1]);
    home.await_change(cut[0], "nodedown", &names[1]);
    home.await_change(cut[1], "nodedown", &names[0]);
    home.await_writes(&[third], WRITES);
    home.lan.heal_between(cut[0], cut[1]);
    home.await_change(cut[0], "nodeup", &names[1]);
    assert_steady(home, &[third], &[]);
    assert_steady(home, &cut[..1], &cut[1..]);
}

/// A machine is cut off until the others have noticed; they keep each other.
fn cut_off(home: &mut Home, victim: usize, others: &[usize]) {
    let name = home.name(victim);
    home.lan.cut_off(victim);
    for other in others {
        home.await_change(*other, "nodedown", &name);
    }
    home.lan.reconnect(victim);
    for other in others {
        home.await_change(*other, "nodeup", &name);
    }
    assert_steady(home, others, &[victim]);
}

/// These machines have lost none but those.
fn assert_steady(home: &mut Home, machines: &[usize], but: &[usize]) {
    let expected: Vec<String> = but.iter().map(|machine| home.name(*machine)).collect();
    for machine in machines {
        let lost = home.lost_by(*machine);
        assert!(
            lost.iter().all(|node| expected.contains(node)),
            "machine {machine} lost {lost:?}, and only {expected:?} was touched"
        );
    }
}

#[test]
fn a_peer_that_no_longer_reads_holds_up_nobody_else() {
    let Some(mut home) = home() else { return };
    let before = latencies(&mut home);
    home.lan.cut_off(0);
    // Three megabytes a call fill the link to it at once; each call ends at its timeout, no later.
    let text = "x".repeat(900_000);
    let storm = storm(&mut home, 20, 4_000, &text);
    let during = latencies(&mut home);
    let outcome = home.node(2).answer(storm).unwrap();
    let overrun = outcome.get("overrun_ms").and_then(Value::as_u64).unwrap();
    assert!(
        overrun <= grace_ms(),
        "a call outlasted its timeout by {overrun} ms"
    );
    let shown = |it: &Latencies| format!("p50 {} µs, p99 {} µs", it.p50_us, it.p99_us);
    println!(
        "undisturbed {}; beside a blackholed peer {}",
        shown(&before),
        shown(&during)
    );
    let bound = 2 * before.p99_us + 1_000 * (before.stall_ms + during.stall_ms);
    assert!(
        during.p99_us <= bound.max(SLOWEST_US),
        "{during:?}, before {before:?}"
    );
}

/// Under this no share of a latency is anybody's but the machine's. A sender that is held up is so for a minute.
const SLOWEST_US: u64 = 1_000_000;

#[derive(Debug)]
struct Latencies {
    p50_us: u64,
    p99_us: u64,
    stall_ms: u64,
}

/// Of calls from the third machine to the second.
fn latencies(home: &mut Home) -> Latencies {
    let arguments = [("soul", "tom".into()), ("calls", 300_u64.into())];
    let outcome = home.node(2).run("times latencies", arguments).unwrap();
    let sorted = outcome
        .get("microseconds")
        .and_then(Value::as_array)
        .unwrap();
    let at = |percent: usize| sorted[sorted.len() * percent / 100].as_u64().unwrap();
    Latencies {
        p50_us: at(50),
        p99_us: at(99),
        stall_ms: outcome.get("stall_ms").and_then(Value::as_u64).unwrap(),
    }
}

fn storm(home: &mut Home, callers: u64, timeout_ms: u64, text: &str) -> u64 {
    let arguments = [
        ("soul", "mei".into()),
        ("callers", callers.into()),
        ("timeout", timeout_ms.into()),
        ("text", text.into()),
    ];
    home.node(2).ask("cluster storm", arguments)
}

#[test]
fn two_hundred_callers_of_a_daemon_that_stands_still_are_told_and_nothing_grows() {
    let Some(mut home) = home() else { return };
    let daemon = home.daemon(0).id();
    let before = memory(&mut home);
    pause(daemon);
    for round in 0..3 {
        let storm = storm(&mut home, 200, 1_500, &"y".repeat(20_000));
        let outcome = home.node(2).answer(storm).unwrap();
        let overrun = outcome.get("overrun_ms").and_then(Value::as_u64).unwrap();
        assert!(
            overrun <= grace_ms(),
            "a call outlasted its timeout by {overrun} ms"
        );
        println!("{outcome:?}");
        let outcomes = outcome.get("outcomes").unwrap();
        let told = |reason| outcomes.get(reason).and_then(Value::as_u64).unwrap_or(0);
        // At most as many as the relay takes reach the daemon and wait; the others are told at once: that these are too
        // many, or, once its node has noticed, that the daemon stands still.
        assert!(told("overloaded") + told("daemon_down") > 0, "{outcome:?}");
        assert!(round > 0 || told("overloaded") > 0, "{outcome:?}");
        assert_eq!(
            told("overloaded") + told("deadline") + told("daemon_down"),
            200
        );
    }
    resume(daemon);
    let arguments = [("soul", "mei".into()), ("calls", 1_u64.into())];
    home.node(2).run("times latencies", arguments).unwrap();
    home.node(0).run("cluster drained", []).unwrap();
    let after = memory(&mut home);
    println!("the owner's node: {before} bytes before, {after} after");
    assert!(
        after < before + 50_000_000,
        "{before} bytes before, {after} after"
    );
}

/// Of the node with the character, in bytes.
fn memory(home: &mut Home) -> u64 {
    let outcome = home.node(0).run("cluster memory", []).unwrap();
    outcome.get("bytes").and_then(Value::as_u64).unwrap()
}
