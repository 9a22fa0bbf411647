//! The configuration, and command lines that are not right.

use std::process::Stdio;

use serde_json::Value as Json;

use crate::shell::err;
use crate::support::soulmem;

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for address in ["0.0.0.0:0", "192.0.2.1:7411", "[::]:0"] {
        let output = soulmem()
            .args(["serve", "--listen", address, "--data-dir"])
            .arg(folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(78), "{address}");
        assert!(err(&output).contains("loopback"), "{}", err(&output));
    }
}

#[test]
fn a_tokenizer_that_is_not_there_is_refused_by_its_setting() {
    let folder = tempfile::tempdir().unwrap();
    let output = soulmem()
        .args(["serve", "--listen", "127.0.0.1:0", "--set"])
        .arg("context.tokenizer=/nowhere/tokenizer.json")
        .arg("--data-dir")
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(78));
    let message = err(&output);
    assert!(
        message.contains("context.tokenizer: /nowhere/tokenizer.json: "),
        "{message}"
    );
}

#[test]
fn an_unknown_key_of_the_configuration_is_named_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, "[server]\nmax_inflight = 3\n").unwrap();
    let output = soulmem()
        .args(["serve", "--data-dir", "x", "--config"])
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(78));
    let message = err(&output);
    assert!(
        message.contains("config.toml:2: unknown key `server.max_inflight`"),
        "{message}"
    );
    assert!(
        message.contains("did you mean `server.max_in_flight`?"),
        "{message}"
    );
}

#[test]
fn config_shows_each_value_and_where_it_came_from() {
    let output = soulmem()
        .args(["config", "--json", "--data-dir", "/srv/soulmem"])
        .env("SOULMEM_SERVER_MAX_IN_FLIGHT", "7")
        .output()
        .unwrap();
    assert!(output.status.success());
    let shown: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["data_dir"]["value"], "/srv/soulmem");
    assert_eq!(shown["data_dir"]["origin"], "--data-dir");
    assert_eq!(shown["server.max_in_flight"]["value"], "7");
    assert_eq!(
        shown["server.max_in_flight"]["origin"],
        "SOULMEM_SERVER_MAX_IN_FLIGHT"
    );
    assert_eq!(shown["server.listen"]["origin"], "default");
}

#[test]
fn a_home_folder_in_a_file_is_found_and_an_address_for_others_is_refused_before_it_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let shown = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let mut command = soulmem();
        command
            .env("HOME", "/home/ann")
            .args(["config", "--json", "--config"]);
        command.arg(&file).output().unwrap()
    };
    let found = shown("data_dir = \"~/x\"\n[backup]\nfolder = \"~/y\"\n");
    let found: Json = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(found["data_dir"]["value"], "/home/ann/x");
    assert_eq!(found["backup.folder"]["value"], "/home/ann/y");
    for (text, reason) in [
        (
            "data_dir = \"~bo/x\"",
            "write the path of that home folder out",
        ),
        ("[server]\nlisten = \"0.0.0.0:7411\"", "loopback"),
        ("[llm]\ntimeout_ms = 0", "llm.timeout_ms"),
        (
            "[llm.sub_queries]\ntimeout_ms = 0",
            "llm.sub_queries.timeout_ms",
        ),
        ("[llm]\nconnect_timeout_ms = 0", "llm.connect_timeout_ms"),
        ("[llm]\nconcurrency = 0", "llm.concurrency"),
        (
            "[backup]\nrecipients = \"age1nonsense\"",
            "no age public key",
        ),
    ] {
        let refused = shown(text);
        assert_eq!(refused.status.code(), Some(78));
        assert!(err(&refused).contains(reason), "{}", err(&refused));
    }
}

#[test]
fn a_wrong_command_line_is_64_and_help_is_not_an_error() {
    assert_eq!(
        soulmem()
            .args(["serve", "--nonsense"])
            .output()
            .unwrap()
            .status
            .code(),
        Some(64)
    );
    let help = soulmem().arg("--help").output().unwrap();
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8(help.stdout).unwrap().contains("serve"));
}
