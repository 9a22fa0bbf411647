//! How the daemon starts, is found, and ends.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Output, Stdio};
use std::sync::mpsc::RecvTimeoutError;

use crate::support::{
    Client, Daemon, PATIENCE, assert_serves, code, endpoint_file, hello, lines, map, soulmem, wait,
};
use rustix::process::Signal;
use serde_json::Value as Json;
use soulmem_proto::{ErrorCode, Op, Reply};

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_ready_line_says_where_the_daemon_is_and_is_all_that_it_prints() {
    let mut daemon = Daemon::start();
    let ready = daemon.ready().as_object().unwrap();
    let mut keys: Vec<&str> = ready.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        ["event", "pid", "port", "protocol", "token", "version"]
    );
    assert_eq!(ready["event"], "ready");
    assert_eq!(ready["pid"], daemon.pid());
    assert_eq!(ready["protocol"], 1);
    assert_eq!(ready["token"].as_str().unwrap().len(), 64);
    assert_serves(&daemon);
    daemon.close_stdin();
    assert!(daemon.wait().success());
    assert_eq!(daemon.rest_of_stdout(), [""; 0]);
}

#[test]
fn the_token_is_never_logged() {
    let mut daemon = Daemon::start_with(&["--log-level", "trace"]);
    let token = daemon.ready()["token"].as_str().unwrap().to_owned();
    assert_serves(&daemon);
    let _ = daemon.dial().call(Op::Hello, None, hello(&token[..63]));
    daemon.close_stdin();
    daemon.wait();
    let log = daemon.log().join("\n");
    assert!(!log.is_empty());
    assert!(!log.contains(&token[..63]), "{log}");
}

#[test]
fn a_log_that_cannot_be_written_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut daemon = soulmem()
        .args(["--log-level", "debug", "serve", "--hosted", "--data-dir"])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(full)
        .spawn()
        .unwrap();
    let mut client = greeted(&mut daemon);
    client.call(Op::Ping, None, map([])).unwrap();
    drop(daemon.stdin.take());
    assert_eq!(wait(&mut daemon).code(), Some(0));
}

/// A pipe holds 64 KiB: the log of so many requests does not fit.
#[test]
fn a_log_that_nobody_reads_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (_unread, pipe) = std::io::pipe().unwrap();
    let mut daemon = soulmem()
        .args(["--log-level", "debug", "serve", "--hosted", "--data-dir"])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(pipe)
        .spawn()
        .unwrap();
    let mut client = greeted(&mut daemon);
    for _ in 0..2_000 {
        client.call(Op::Ping, None, map([])).unwrap();
    }
    drop(daemon.stdin.take());
    assert_eq!(wait(&mut daemon).code(), Some(0));
}

/// A client of a daemon that has not yet told where it is.
fn greeted(daemon: &mut Child) -> Client {
    let mut line = String::new();
    BufReader::new(daemon.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let ready: Json = serde_json::from_str(&line).unwrap();
    let mut client = Client::dial(ready["port"].as_u64().unwrap().try_into().unwrap());
    let token = ready["token"].as_str().unwrap();
    client.call(Op::Hello, None, hello(token)).unwrap();
    client
}

#[test]
fn a_log_in_json_names_the_request() {
    let mut daemon = Daemon::start_with(&["--log-format", "json"]);
    daemon.connect().call(Op::Ping, None, map([])).unwrap();
    daemon.close_stdin();
    daemon.wait();
    let lines: Vec<Json> = daemon
        .log()
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let request = lines
        .iter()
        .find(|line| line["span"]["op"] == "ping")
        .expect("a line about the ping");
    assert_eq!(request["span"]["msg_id"], 2);
}

#[test]
fn a_daemon_whose_data_directory_is_taken_away_ends_and_makes_no_other() {
    let mut daemon = Daemon::start();
    let folder = daemon.folder().to_owned();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(daemon.wait().code(), Some(74));
    assert!(!folder.exists());
    let log = daemon.log().join("\n");
    assert!(
        log.contains("removed or replaced while the daemon ran"),
        "{log}"
    );
}

#[test]
fn the_endpoint_file_is_private_and_leaves_with_the_daemon() {
    let mut daemon = Daemon::start();
    let path = endpoint_file(daemon.folder());
    let content: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(&content, daemon.ready());
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    daemon.signal(Signal::TERM);
    assert!(daemon.wait().success());
    assert!(!path.exists());
}

#[test]
fn what_a_killed_daemon_left_behind_is_replaced() {
    let daemon = Daemon::start();
    let old = daemon.ready()["token"].clone();
    let folder = daemon.kill();
    assert!(endpoint_file(folder.path()).exists());
    let daemon = Daemon::start_in(folder, &[]);
    let content: Json =
        serde_json::from_slice(&std::fs::read(endpoint_file(daemon.folder())).unwrap()).unwrap();
    assert_ne!(content["token"], old);
    assert_eq!(content["token"], daemon.ready()["token"]);
}

#[test]
fn by_hand_the_endpoint_is_in_the_runtime_folder_and_nothing_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = soulmem();
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(folder.path().join("data"))
        .env("XDG_RUNTIME_DIR", folder.path().join("run"))
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let path = endpoint_file(&folder.path().join("run/soulmem"));
    let mut log = BufRead::lines(BufReader::new(child.stderr.take().unwrap()));
    assert!(
        log.any(|line| line.unwrap().contains("ready")),
        "it becomes ready"
    );
    let content: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(endpoint_file(&folder.path().join("data")).exists());
    let mut client = Client::dial(content["port"].as_u64().unwrap().try_into().unwrap());
    client
        .call(Op::Hello, None, hello(content["token"].as_str().unwrap()))
        .unwrap();
    // Standard input was at its end from the start: by hand that means nothing.
    client.call(Op::Shutdown, None, map([])).unwrap();
    assert!(wait(&mut child).success());
    assert!(!path.exists());
    let mut printed = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut printed).unwrap();
    assert_eq!(printed, "");
}

#[test]
fn by_hand_without_a_usable_runtime_folder_the_data_directory_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut child = soulmem()
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(folder.path().join("data"))
        .env("XDG_RUNTIME_DIR", file.join("run"))
        .env("HOME", folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = lines(child.stderr.take().unwrap());
    let ready =
        std::iter::from_fn(|| log.recv_timeout(PATIENCE).ok()).any(|line| line.contains("ready"));
    assert!(ready);
    assert!(endpoint_file(&folder.path().join("data")).exists());
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(wait(&mut child).success());
}

#[test]
fn the_end_of_standard_input_ends_a_hosted_daemon() {
    let mut daemon = Daemon::start();
    let mut client = daemon.connect();
    daemon.close_stdin();
    assert!(daemon.wait().success());
    assert!(client.is_closed());
}

/// The host is killed while somebody else still holds the daemon's standard input open, so that its end never comes.
#[test]
fn a_hosted_daemon_ends_when_its_host_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = std::process::Command::new("sh");
    // A shell gives a background command an empty standard input, unless told so from another descriptor.
    host.args([
        "-c",
        "exec 3<&0; \"$0\" serve --hosted --data-dir \"$1\" <&3 & wait",
    ])
    .arg(env!("CARGO_BIN_EXE_soulmem"))
    .arg(folder.path())
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .stderr(Stdio::null());
    let mut host = host.spawn().unwrap();
    let _held_open = host.stdin.take();
    let stdout = lines(host.stdout.take().unwrap());
    assert!(stdout.recv_timeout(PATIENCE).unwrap().contains("ready"));
    host.kill().unwrap();
    host.wait().unwrap();
    // The daemon has the only other end of this pipe: it is closed when the daemon is gone.
    assert_eq!(
        stdout.recv_timeout(PATIENCE),
        Err(RecvTimeoutError::Disconnected)
    );
}

#[test]
fn sigterm_and_sigint_end_it_in_good_order() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut daemon = Daemon::start();
        let mut client = daemon.connect();
        daemon.signal(signal);
        assert_eq!(daemon.wait().code(), Some(0));
        assert!(client.is_closed());
    }
}

#[test]
fn the_answer_to_shutdown_comes_before_the_end() {
    let mut daemon = Daemon::start();
    let mut client = daemon.connect();
    assert_eq!(client.call(Op::Shutdown, None, map([])), Ok(map([])));
    assert!(client.receive().is_none());
    assert!(daemon.wait().success());
}

#[test]
fn a_request_in_the_drain_is_answered_unavailable() {
    let daemon = Daemon::start();
    let mut client = daemon.connect();
    let shutdown = client.request(Op::Shutdown, None, map([]));
    let ping = client.request(Op::Ping, None, map([]));
    client.send(shutdown);
    client.send(ping);
    let mut answered = Vec::new();
    while let Some(reply) = client.receive() {
        answered.push(reply);
    }
    assert!(
        matches!(answered[0], Reply::Response { .. } | Reply::Error(_)),
        "{answered:?}"
    );
    for reply in answered {
        if let Reply::Error(refused) = reply {
            assert_eq!(refused.error.code, ErrorCode::Unavailable);
            assert!(refused.error.retryable);
        }
    }
}

#[test]
fn a_second_daemon_on_the_same_data_is_refused_with_75() {
    let daemon = Daemon::start();
    let output = soulmem()
        .args(["serve", "--set", "server.lock_wait_ms=200", "--data-dir"])
        .arg(daemon.folder())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(75));
    assert_eq!(output.stdout, b"");
    let message = stderr(&output);
    assert!(
        message.contains(&format!("process {}", daemon.pid())),
        "{message}"
    );
    assert!(message.contains("--data-dir"), "{message}");
    assert_serves(&daemon);
}

#[test]
fn a_second_daemon_takes_over_from_one_that_leaves() {
    let mut first = Daemon::start();
    let mut second = soulmem()
        .args(["serve", "--hosted", "--data-dir"])
        .arg(first.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    first.close_stdin();
    assert!(first.wait().success());
    let mut line = String::new();
    BufRead::read_line(
        &mut BufReader::new(second.stdout.take().unwrap()),
        &mut line,
    )
    .unwrap();
    let ready: Json = serde_json::from_str(&line).unwrap();
    assert_eq!(ready["pid"], second.id());
    drop(second.stdin.take());
    assert!(wait(&mut second).success());
}

#[test]
fn an_address_in_use_is_said_so() {
    let daemon = Daemon::start();
    let folder = tempfile::tempdir().unwrap();
    let address = format!("127.0.0.1:{}", daemon.ready()["port"]);
    let output = soulmem()
        .args(["serve", "--listen", &address, "--data-dir"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(69));
    assert!(stderr(&output).contains(&address), "{}", stderr(&output));
}

#[test]
fn a_request_while_another_daemon_waits_is_served() {
    let daemon = Daemon::start();
    let mut waiting = soulmem()
        .args(["serve", "--hosted", "--data-dir"])
        .arg(daemon.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_serves(&daemon);
    // Whoever waits for the lock still obeys its own host.
    drop(waiting.stdin.take());
    assert!(wait(&mut waiting).success());
    assert_eq!(
        code(daemon.connect().call(Op::Hello, None, hello("x"))),
        ErrorCode::Unauthenticated
    );
}
