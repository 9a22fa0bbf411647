//! The release between two machines: encrypted links, and finding each other by gossip.
//!
//! Gossip needs libcluster: `SOULMEM_LIBCLUSTER` names the folder of its sources, with those of jason and telemetry beside
//! it. Machines need root and iproute2. What is not there is said, and nothing is held.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::env;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use soulmem_tests::{Guarded, Lan, elixir, release, until, watched};

/// A release on two machines, of which the first has a daemon.
struct Pair {
    // The nodes end before their machines.
    nodes: Vec<Guarded>,
    lan: Lan,
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Pair {
    fn of(release: &Path) -> Option<Self> {
        let lan = Lan::up(2)
            .inspect_err(|reason| println!("left out: {reason}"))
            .ok()?;
        let pair = Self {
            nodes: Vec::new(),
            lan,
            program: release.join("bin/soulmem_node"),
            folder: tempfile::tempdir().unwrap(),
        };
        for machine in 0..2 {
            for (file, secret) in [(".erlang.cookie", "c"), ("gossip", "g")] {
                let path = pair.home(machine).join(file);
                fs::create_dir_all(pair.home(machine)).unwrap();
                fs::write(&path, secret.repeat(32)).unwrap();
                fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            }
        }
        Some(pair)
    }

    fn home(&self, machine: usize) -> PathBuf {
        self.folder.path().join(machine.to_string())
    }

    fn name(&self, machine: usize) -> String {
        elixir::node_on(self.lan.machine(machine))
    }

    fn command(&self, machine: usize, arguments: &[&str], settings: &[(&str, String)]) -> Command {
        let program = self.program.to_str().unwrap();
        self.command_of(program, machine, arguments, settings)
    }

    /// Another program, with the settings that the release would have.
    fn command_of(
        &self,
        program: &str,
        machine: usize,
        arguments: &[&str],
        settings: &[(&str, String)],
    ) -> Command {
        let mut command = self.lan.machine(machine).command(program);
        for (variable, _) in env::vars_os() {
            if variable.to_string_lossy().starts_with("SOULMEM_") {
                command.env_remove(variable);
            }
        }
        let home = self.home(machine);
        command
            .args(arguments)
            .env("HOME", &home)
            .env("SOULMEM_CONFIG_DIR", &home)
            .env("SOULMEM_DATA_DIR", home.join("data"))
            .env("SOULMEM_NODE", self.name(machine))
            .env("SOULMEM_ROLE", ["daemon", "relay"][machine])
            .envs(settings.iter().map(|(key, value)| (key, value)));
        command
    }

    /// Starts a node and waits until it can be asked.
    fn start(&mut self, machine: usize, settings: &[(&str, String)]) {
        let mut command = self.command(machine, &["start"], settings);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let node = Guarded::start(format!("node {machine}"), &mut command);
        self.nodes.push(node);
        until("the node answers", || {
            let ready = self.ask(machine, "IO.puts(SoulMem.await_ready() != nil)", settings)?;
            ready.contains("true").then_some(())
        });
    }

    /// What the running node prints, or nothing where it cannot be asked.
    fn ask(&self, machine: usize, what: &str, settings: &[(&str, String)]) -> Option<String> {
        let output = self
            .command(machine, &["rpc", what], settings)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(said)
    }

    fn sees(&self, machine: usize, other: usize, settings: &[(&str, String)]) -> bool {
        let seen = self.ask(machine, "IO.inspect(Node.list())", settings);
        seen.is_some_and(|nodes| nodes.contains(&self.name(other)))
    }

    /// What goes in at the relay comes back there, from the other machine's daemon.
    fn remembers(&self, settings: &[(&str, String)]) {
        self.ask(0, "SoulMem.create_soul!(\"mei\")", settings)
            .unwrap();
        let told = "SoulMem.push!(\"mei\", \"a heron\"); IO.inspect(SoulMem.list_messages!(\"mei\")[\"messages\"])";
        let said = until("the relay has heard of the owner", || {
            self.ask(1, told, settings)
        });
        assert!(said.contains("a heron"), "{said}");
    }
}

fn tls(authority: &Path, address: &str, out: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../systemd/tls.sh");
    let run = |arguments: &[&str]| {
        let output = Command::new("bash")
            .arg(&script)
            .args(arguments)
            .env_remove("SOULMEM_TLS_DIR")
            .output()
            .unwrap();
        assert!(output.status.success(), "tls.sh {arguments:?}: {output:?}");
    };
    let authority = authority.to_str().unwrap();
    if !Path::new(authority).exists() {
        run(&["ca", authority]);
    }
    run(&["node", authority, address, out.to_str().unwrap()]);
}

#[test]
fn encrypted_links_need_a_certificate_of_this_home_for_this_address() {
    if Command::new("openssl").arg("version").output().is_err() {
        return println!("left out: openssl (apt-get install openssl) makes the certificates");
    }
    let Some(mut pair) = Pair::of(release::assembled()) else {
        return;
    };
    let nodes = format!("{} {}", pair.name(0), pair.name(1));
    let folder = pair.folder.path().to_owned();
    let with = |tls: &Path| {
        vec![
            ("SOULMEM_NODES", nodes.clone()),
            ("SOULMEM_TLS_DIR", tls.to_str().unwrap().to_owned()),
        ]
    };
    let address = |machine: usize| pair.lan.machine(machine).address.to_string();
    let (ours, theirs) = (folder.join("ca"), folder.join("other-ca"));
    let first = folder.join("tls-0");
    tls(&ours, &address(0), &first);
    let good = folder.join("tls-1");
    tls(&ours, &address(1), &good);
    let elsewhere = folder.join("tls-elsewhere");
    tls(&ours, "10.77.0.99", &elsewhere);
    let stranger = folder.join("tls-stranger");
    tls(&theirs, &address(1), &stranger);

    pair.start(0, &with(&first));
    for (what, wrong, refused) in [
        (
            "another address",
            &elsewhere,
            "cert_no_hostname_nor_ip_match",
        ),
        ("another authority", &stranger, "Unknown CA"),
    ] {
        // It calls the first, as soon as it is up and again and again.
        let settings = with(wrong);
        let mut node = pair.command(1, &["start"], &settings);
        node.stdin(Stdio::null()).stdout(Stdio::null());
        let node = Guarded::start("a node that must not come in", &mut node);
        until("the first has refused its call", || {
            pair.nodes[0].log().contains(refused).then_some(())
        });
        // From the first, which would connect to it if it could.
        let connect = format!(
            "IO.inspect(for _ <- 1..20, do: (Process.sleep(200); Node.connect(:\"{}\")))",
            pair.name(1)
        );
        let connected = pair.ask(0, &connect, &with(&first)).unwrap();
        assert!(
            !connected.contains("true"),
            "a certificate for {what} was taken"
        );
        drop(node);
    }

    pair.start(1, &with(&good));
    until("they see each other", || {
        pair.sees(0, 1, &with(&first)).then_some(())
    });
    let settings = with(&first);
    pair.ask(0, "SoulMem.create_soul!(\"mei\")", &settings)
        .unwrap();
    let settings = with(&good);
    let told = "IO.inspect(SoulMem.push!(\"mei\", \"a heron\"))";
    until("the relay pushes to the other machine", || {
        pair.ask(1, told, &settings)
    });
}

#[test]
fn the_console_and_rpc_reach_the_node_and_no_command_line_shows_the_cookie() {
    let Some(mut pair) = Pair::of(release::assembled()) else {
        return;
    };
    pair.start(0, &[]);
    let shown = || watched::with_mark(Path::new(&"c".repeat(32)));
    assert_eq!(shown(), [""; 0], "of the node");

    // A terminal, as a person at one has it.
    let said = pair.folder.path().join("said");
    let remote = format!("{} remote", pair.program.display());
    let mut console = pair.command_of("script", 0, &["-qefc", &remote, "/dev/null"], &[]);
    console.env("TERM", "xterm").stdin(Stdio::piped());
    console.stdout(File::create(&said).unwrap());
    let mut console = Guarded::start("a console", &mut console);
    let mut typed = console.child.stdin.take().unwrap();
    until("the console's prompt", || {
        let said = fs::read_to_string(&said).unwrap();
        said.contains("iex(soulmem@").then_some(())
    });
    typed
        .write_all(b"IO.puts(\"on #{node()} there are #{40 + 2}\")\n")
        .unwrap();
    let answer = format!("on {} there are 42", pair.name(0));
    until("the answer at the console", || {
        let said = fs::read_to_string(&said).unwrap();
        said.contains(&answer).then_some(())
    });
    assert_eq!(shown(), [""; 0], "of the console");

    let mut call = pair.command(0, &["rpc", "Process.sleep(:infinity)"], &[]);
    call.stdin(Stdio::null()).stdout(Stdio::null());
    let _call = Guarded::start("a call", &mut call);
    until("the node of the call", || {
        let called = "Process.sleep(:infinity)";
        let nodes = watched::with_mark(Path::new("beside-")).into_iter();
        let mut nodes = nodes.filter(|node| node.contains(called));
        nodes.any(|node| node.contains("beam.smp")).then_some(())
    });
    assert_eq!(shown(), [""; 0], "of rpc");
}

#[test]
fn machines_find_each_other_by_gossip_and_again() {
    let Some(libcluster) = env::var_os("SOULMEM_LIBCLUSTER") else {
        return println!("left out: SOULMEM_LIBCLUSTER names no sources of libcluster");
    };
    let release = release::with_libcluster(&libcluster);
    let Some(mut pair) = Pair::of(&release) else {
        return;
    };
    let settings: Vec<_> = [0, 1]
        .map(|machine| {
            let secret = pair.home(machine).join("gossip");
            vec![(
                "SOULMEM_GOSSIP_SECRET_FILE",
                secret.to_str().unwrap().to_owned(),
            )]
        })
        .into();
    pair.start(0, &settings[0]);
    pair.start(1, &settings[1]);
    until("they see each other", || {
        pair.sees(0, 1, &settings[0]).then_some(())
    });
    pair.lan.cut_off(1);
    until("they have lost each other", || {
        (!pair.sees(0, 1, &settings[0])).then_some(())
    });
    pair.lan.reconnect(1);
    until("they see each other again", || {
        pair.sees(0, 1, &settings[0]).then_some(())
    });
    pair.remembers(&settings[0]);
}
