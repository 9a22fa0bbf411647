//! How long calls take in a home of three machines, how many go through, whom a slow subscriber slows, and how long it takes
//! to recover: the tables of `docs/cluster.md`, ready to be put there.
//!
//! ```sh
//! cargo build --release -p soulmem
//! SOULMEM_DAEMON=target/release/soulmem cargo run -p soulmem-tests --example cluster_times
//! ```
//!
//! Needs root and iproute2. Nodes notice within `net_ticktime` that a link is cut: 4 s here, 16 s in the release.

#![allow(
    clippy::unwrap_used,
    reason = "a measurement that cannot go on has failed"
)]

use std::time::{Duration, Instant};

use soulmem_proto::Value;
use soulmem_tests::Home;

/// Where the character lives, and another machine.
const OWNER: usize = 0;
const ELSEWHERE: usize = 2;
/// Calls that a latency is taken from.
const CALLS: u64 = 2_000;
/// Notes that events are told of.
const NOTES: u64 = 500;
/// How often a recovery is measured.
const RUNS: usize = 5;

fn main() {
    let mut home = match Home::new() {
        Ok(home) => home,
        Err(reason) => return println!("not here: {reason}"),
    };
    calls(&mut home);
    subscribers(&mut home);
    recoveries(&mut home);
}

fn calls(home: &mut Home) {
    println!("| what | the daemon alone | on the owner's node | from another machine |");
    println!("|---|---|---|---|");
    // What is compiled and cached at the first calls is no part of it.
    latency(home, ELSEWHERE, "times latencies", "microseconds", 200);
    let own = latency(home, OWNER, "times daemon latencies", "microseconds", CALLS);
    let local = latency(home, OWNER, "times latencies", "microseconds", CALLS);
    let remote = latency(home, ELSEWHERE, "times latencies", "microseconds", CALLS);
    println!(
        "| `stats`, one call after the other: median, 99th percentile | {} | {} | {} |",
        own.shown(),
        local.shown(),
        remote.shown()
    );
    println!(
        "| on top of the daemon's own | | {} | {} |",
        local.over(own),
        remote.over(own)
    );
    for callers in [1, 16, 200] {
        let pushes = [OWNER, ELSEWHERE].map(|machine| throughput(home, machine, callers));
        let noun = if callers == 1 { "caller" } else { "callers" };
        println!(
            "| pushes of 80 bytes a second, {callers} {noun} | | {} | {} |",
            pushes[0], pushes[1]
        );
    }
}

fn subscribers(home: &mut Home) {
    println!(
        "\n| a note written, one after the other | its call: median, 99th percentile | until a subscriber on the owner's node is told |"
    );
    println!("|---|---|---|");
    latency(home, OWNER, "times event latencies", "told", 100);
    let alone = event_latencies(home);
    println!(
        "| with no other subscriber | {} | {} |",
        alone.0.shown(),
        alone.1.shown()
    );
    for machine in [OWNER, ELSEWHERE] {
        let slow = [("soul", "mei".into())];
        home.node(machine)
            .run("times slow subscriber", slow)
            .unwrap();
    }
    let beside = event_latencies(home);
    println!(
        "| beside two that do not read, on its node and on another | {} | {} |",
        beside.0.shown(),
        beside.1.shown()
    );
}

fn recoveries(home: &mut Home) {
    let back: Vec<Duration> = (0..RUNS).map(|_| daemon_back(home)).collect();
    let listen = [("soul", "mei".into())];
    home.node(ELSEWHERE).run("cluster listen", listen).unwrap();
    let (lost, found) = (0..RUNS).map(|_| cut_and_heal(home)).unzip();
    println!("\n| from | to | median of {RUNS} (worst) |");
    println!("|---|---|---|");
    let row = |from: &str, to: &str, mut times: Vec<Duration>| {
        times.sort();
        let (median, worst) = (times[RUNS / 2], times[RUNS - 1]);
        println!(
            "| {from} | {to} | {:.2} s ({:.2} s) |",
            median.as_secs_f64(),
            worst.as_secs_f64()
        );
    };
    row(
        "SIGKILL of the daemon",
        "the next good answer on another machine",
        back,
    );
    row(
        "link cut",
        "`owner_lost` (`net_ticktime` 4; the release has 16: up to 20 s)",
        lost,
    );
    row("link healed", "`owner_back`", found);
}

/// Median and 99th percentile.
#[derive(Debug, Clone, Copy)]
struct Latency {
    p50_us: u64,
    p99_us: u64,
}

impl Latency {
    fn of(outcome: &Value, key: &str) -> Self {
        let sorted = outcome.get(key).and_then(Value::as_array).unwrap();
        let at = |percent: usize| sorted[sorted.len() * percent / 100].as_u64().unwrap();
        Self {
            p50_us: at(50),
            p99_us: at(99),
        }
    }

    fn shown(self) -> String {
        format!(
            "{}, {}",
            milliseconds(self.p50_us),
            milliseconds(self.p99_us)
        )
    }

    fn over(self, own: Self) -> String {
        let more = Self {
            p50_us: self.p50_us.saturating_sub(own.p50_us),
            p99_us: self.p99_us.saturating_sub(own.p99_us),
        };
        more.shown()
    }
}

fn milliseconds(us: u64) -> String {
    format!("{}.{:02} ms", us / 1_000, us % 1_000 / 10)
}

fn latency(home: &mut Home, machine: usize, command: &str, key: &str, calls: u64) -> Latency {
    Latency::of(&measured(home, machine, command, calls), key)
}

fn event_latencies(home: &mut Home) -> (Latency, Latency) {
    let outcome = measured(home, OWNER, "times event latencies", NOTES);
    (
        Latency::of(&outcome, "written"),
        Latency::of(&outcome, "told"),
    )
}

fn measured(home: &mut Home, machine: usize, command: &str, calls: u64) -> Value {
    let arguments = [("soul", "mei".into()), ("calls", calls.into())];
    home.node(machine).run(command, arguments).unwrap()
}

fn throughput(home: &mut Home, machine: usize, callers: u64) -> u64 {
    let seconds = 5;
    let arguments = [
        ("soul", "mei".into()),
        ("callers", callers.into()),
        ("seconds", seconds.into()),
    ];
    let outcome = home
        .node(machine)
        .run("times throughput", arguments)
        .unwrap();
    outcome.get("pushes").and_then(Value::as_u64).unwrap() / seconds
}

fn daemon_back(home: &mut Home) -> Duration {
    home.daemon(OWNER).kill();
    let killed = Instant::now();
    measured(home, ELSEWHERE, "times latencies", 1);
    let back = killed.elapsed();
    home.await_daemon(OWNER);
    back
}

fn cut_and_heal(home: &mut Home) -> (Duration, Duration) {
    home.lan.cut_between(OWNER, ELSEWHERE);
    let cut = Instant::now();
    home.node(ELSEWHERE).event("owner_lost");
    let lost = cut.elapsed();
    home.lan.heal_between(OWNER, ELSEWHERE);
    let healed = Instant::now();
    home.node(ELSEWHERE).event("owner_back");
    (lost, healed.elapsed())
}
