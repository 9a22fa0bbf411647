//! How long calls take in a home of three machines, how many go through, and how long it takes to recover.
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

fn main() {
    let mut home = match Home::new() {
        Ok(home) => home,
        Err(reason) => return println!("not here: {reason}"),
    };
    println!("`stats` of mei, 2,000 calls one after the other, in µs");
    for (place, machine) in [("on the owner's node", 0), ("from another machine", 2)] {
        let (p50, p99) = latencies(&mut home, machine, 2_000);
        println!("  {place:<24} p50 {p50:>6}  p99 {p99:>6}");
    }
    println!("pushes of 80 bytes a second, each caller one after the other, for 5 s");
    for callers in [1, 16, 200] {
        let (local, remote) = (
            throughput(&mut home, 0, callers),
            throughput(&mut home, 2, callers),
        );
        println!(
            "  {callers:>3} callers   on the owner's node {local:>6}   from another machine {remote:>6}"
        );
    }
    println!("times, median of 5");
    let mut runs = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..5 {
        runs[0].push(daemon_back(&mut home));
    }
    let listen = [("soul", "mei".into())];
    home.node(2).run("cluster listen", listen).unwrap();
    for _ in 0..5 {
        let (lost, back) = cut_and_heal(&mut home);
        runs[1].push(lost);
        runs[2].push(back);
    }
    let what = [
        "SIGKILL of the daemon to the next good answer elsewhere",
        "link cut to owner_lost",
        "link healed to owner_back",
    ];
    for (what, mut times) in what.iter().zip(runs) {
        times.sort();
        println!(
            "  {what:<56} {:>6} ms (worst {} ms)",
            times[2].as_millis(),
            times[4].as_millis()
        );
    }
}

fn latencies(home: &mut Home, machine: usize, calls: u64) -> (u64, u64) {
    let arguments = [("soul", "mei".into()), ("calls", calls.into())];
    let outcome = home
        .node(machine)
        .run("cluster latencies", arguments)
        .unwrap();
    let sorted = outcome
        .get("microseconds")
        .and_then(Value::as_array)
        .unwrap();
    let at = |percent: usize| sorted[sorted.len() * percent / 100].as_u64().unwrap();
    (at(50), at(99))
}

fn throughput(home: &mut Home, machine: usize, callers: u64) -> u64 {
    let arguments = [
        ("soul", "mei".into()),
        ("callers", callers.into()),
        ("seconds", 5_u64.into()),
    ];
    let outcome = home
        .node(machine)
        .run("cluster throughput", arguments)
        .unwrap();
    outcome.get("pushes").and_then(Value::as_u64).unwrap() / 5
}

fn daemon_back(home: &mut Home) -> Duration {
    home.daemon(0).kill();
    let killed = Instant::now();
    let arguments = [("soul", "mei".into()), ("calls", 1_u64.into())];
    home.node(2).run("cluster latencies", arguments).unwrap();
    let back = killed.elapsed();
    home.await_daemon(0);
    back
}

fn cut_and_heal(home: &mut Home) -> (Duration, Duration) {
    home.lan.cut_between(0, 2);
    let cut = Instant::now();
    home.node(2).event("owner_lost");
    let lost = cut.elapsed();
    home.lan.heal_between(0, 2);
    let healed = Instant::now();
    home.node(2).event("owner_back");
    (lost, healed.elapsed())
}
