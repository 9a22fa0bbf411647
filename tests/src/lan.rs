//! Machines of a home LAN: network namespaces on one bridge.

use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Machines with one interface each, on one bridge, that are gone when this goes out of scope.
#[derive(Debug)]
pub struct Lan {
    bridge: String,
    machines: Vec<Machine>,
}

/// One machine.
#[derive(Debug, Clone)]
pub struct Machine {
    namespace: String,
    /// The bridge's end of its cable.
    port: String,
    /// Its address.
    pub address: Ipv4Addr,
}

impl Lan {
    /// So many machines; or why there can be none here.
    pub fn up(machines: u8) -> Result<Self, String> {
        static LANS: AtomicU32 = AtomicU32::new(0);
        if !rustix::process::geteuid().is_root() {
            return Err("network namespaces need root".to_owned());
        }
        // Names of interfaces have 15 characters at most.
        let mark = format!(
            "s{}{}",
            process::id() % 1_000_000,
            LANS.fetch_add(1, Ordering::Relaxed)
        );
        let mut lan = Self {
            bridge: format!("{mark}b"),
            machines: Vec::new(),
        };
        ip(&["link", "add", &lan.bridge, "type", "bridge"])?;
        ip(&["link", "set", &lan.bridge, "up"])?;
        for number in 1..=machines {
            let machine = Machine {
                namespace: format!("{mark}n{number}"),
                port: format!("{mark}p{number}"),
                address: Ipv4Addr::new(10, 77, 0, number),
            };
            lan.machines.push(machine.clone());
            lan.wire(&machine)?;
        }
        Ok(lan)
    }

    /// One of the machines, from 0.
    pub fn machine(&self, number: usize) -> &Machine {
        &self.machines[number]
    }

    /// Cuts the link between two machines, and no other. Only one link can be cut at a time.
    pub fn cut_between(&self, one: usize, other: usize) {
        for number in [one, other] {
            self.set_isolated(number, "on");
        }
    }

    /// Heals the link that was cut.
    pub fn heal_between(&self, one: usize, other: usize) {
        for number in [one, other] {
            self.set_isolated(number, "off");
        }
    }

    /// Takes a machine's cable out of the bridge: it keeps its carrier, and nothing it sends arrives.
    pub fn cut_off(&self, number: usize) {
        ip(&["link", "set", &self.machines[number].port, "nomaster"]).unwrap();
    }

    /// Puts it back.
    pub fn reconnect(&self, number: usize) {
        let port = &self.machines[number].port;
        ip(&["link", "set", port, "master", &self.bridge]).unwrap();
    }

    fn set_isolated(&self, number: usize, on: &str) {
        let port = &self.machines[number].port;
        ip(&[
            "link",
            "set",
            "dev",
            port,
            "type",
            "bridge_slave",
            "isolated",
            on,
        ])
        .unwrap();
    }

    fn wire(&self, machine: &Machine) -> Result<(), String> {
        let Machine {
            namespace, port, ..
        } = machine;
        let address = format!("{}/24", machine.address);
        ip(&["netns", "add", namespace])?;
        ip(&[
            "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", namespace,
        ])?;
        ip(&["link", "set", port, "master", &self.bridge, "up"])?;
        ip(&[
            "-n", namespace, "addr", "add", &address, "brd", "+", "dev", "eth0",
        ])?;
        ip(&["-n", namespace, "link", "set", "lo", "up"])?;
        ip(&["-n", namespace, "link", "set", "eth0", "up"])
    }
}

impl Drop for Lan {
    fn drop(&mut self) {
        for machine in &self.machines {
            machine.power_off();
            let _ = ip(&["netns", "del", &machine.namespace]);
        }
        let _ = ip(&["link", "del", &self.bridge]);
    }
}

impl Machine {
    /// A command that runs that program on the machine.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace, program]);
        command
    }

    /// SIGKILL to every process on the machine at once, as when the power fails.
    pub fn power_off(&self) {
        for id in self.processes() {
            if let Some(pid) = Pid::from_raw(id) {
                // One that has ended meanwhile needs no more.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// The ids of all processes on the machine.
    pub fn processes(&self) -> Vec<i32> {
        let output = Command::new("ip")
            .args(["netns", "pids", &self.namespace])
            .output();
        let text = output.map(|output| output.stdout).unwrap_or_default();
        let lines = String::from_utf8_lossy(&text).into_owned();
        lines.lines().filter_map(|line| line.parse().ok()).collect()
    }
}

/// Stops every process of a group, as SIGSTOP does.
pub fn pause(id: u32) {
    signal(id, Signal::STOP);
}

/// Lets it go on.
pub fn resume(id: u32) {
    signal(id, Signal::CONT);
}

/// Whether a process is stopped.
pub fn paused(id: u32) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(id.to_string()).join("stat"));
    status.is_ok_and(|status| {
        status
            .rsplit(") ")
            .next()
            .is_some_and(|rest| rest.starts_with('T'))
    })
}

fn signal(id: u32, signal: Signal) {
    let pid = Pid::from_raw(id.try_into().unwrap()).unwrap();
    if kill_process_group(pid, signal).is_err() {
        kill_process(pid, signal).unwrap();
    }
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("ip (package iproute2) cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("ip {}: {}", arguments.join(" "), said.trim()))
}
