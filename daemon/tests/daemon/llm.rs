//! The language model as a user meets it: configuration, health, what it took, and the doctor.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value as Json, json};

use crate::llm_endpoint::{Act, LlmEndpoint};
use crate::support::{Daemon, soulmem};

/// An endpoint that does whatever `soulmem doctor llm` asks for.
fn good() -> LlmEndpoint {
    LlmEndpoint::choosing(|asked| match asked.schema() {
        Some("probe") => Act::say(&json!({"colour": "ochre"})),
        _ => Act::say(&json!({"animal": "cat"})),
    })
}

fn doctor(base_url: &str, more: &[&str]) -> Output {
    doctor_command(base_url, more).output().unwrap()
}

fn doctor_command(base_url: &str, more: &[&str]) -> Command {
    let mut command = soulmem();
    let url = format!("llm.base_url={base_url}");
    command.args(["doctor", "llm", "--data-dir", "/nowhere"]);
    command.args([
        "--set",
        &url,
        "--set",
        "llm.model=m",
        "--set",
        "llm.retries=0",
    ]);
    command.args(more);
    command
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_doctor_finds_a_good_endpoint_good() {
    let endpoint = good();
    let output = doctor(&endpoint.base_url(), &[]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for line in [
        "good  m: chat",
        "good  m: mode json",
        "good  m: mode schema",
        "good  m: a small task",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let models: Vec<Json> = endpoint
        .asked()
        .iter()
        .map(|asked| asked.body["model"].clone())
        .collect();
    assert_eq!(models, [json!("m"), json!("m"), json!("m"), json!("m")]);
}

#[test]
fn the_doctor_says_what_to_change_and_its_exit_code_says_of_what_kind_that_is() {
    let refusing = LlmEndpoint::doing(vec![Act::status(401)]);
    let broken = LlmEndpoint::doing(vec![Act::status(500)]);
    let talking = LlmEndpoint::doing(vec![Act::Say("Miau!".to_owned())]);
    for (url, more, code, hint) in [
        (refusing.base_url(), &[][..], 78, "llm.key_env"),
        (broken.base_url(), &[][..], 69, "500"),
        (talking.base_url(), &[][..], 65, "no JSON"),
        (String::new(), &[][..], 78, "set llm.base_url"),
        (
            good().base_url(),
            &["--set", "llm.model="][..],
            78,
            "set llm.model",
        ),
        (
            good().base_url(),
            &["--set", "llm.key_file=/nowhere/key"][..],
            78,
            "llm.key_file",
        ),
    ] {
        let output = doctor(&url, more);
        let said = stdout(&output);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(said.contains(hint), "{said}");
    }
}

#[test]
fn a_mode_that_the_endpoint_does_not_keep_to_is_named() {
    let plain = LlmEndpoint::choosing(|asked| match asked.body.get("response_format") {
        Some(_) => Act::status(400),
        None => Act::say(&json!({"animal": "cat"})),
    });
    let output = doctor(&plain.base_url(), &["--set", "llm.mode=schema", "--json"]);
    assert_eq!(output.status.code(), Some(78), "{output:?}");
    let found: Vec<Json> = serde_json::from_slice(&output.stdout).unwrap();
    let mode = found
        .iter()
        .find(|finding| finding["what"] == "m: llm.mode")
        .unwrap();
    assert!(
        mode["said"].as_str().unwrap().contains("set it to plain"),
        "{mode}"
    );
}

#[test]
fn an_object_without_what_the_schema_asks_for_keeps_to_no_schema() {
    let endpoint = LlmEndpoint::choosing(|asked| match asked.schema() {
        Some("probe") => Act::say(&json!({"sum": 4})),
        _ => Act::say(&json!({"animal": "cat"})),
    });
    let output = doctor(&endpoint.base_url(), &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = stdout(&output);
    assert!(
        said.contains("mode schema: it takes the request and does not keep to it"),
        "{said}"
    );
}

#[test]
fn a_proxy_is_gone_through_where_it_is_named_and_only_there() {
    let proxy = good();
    let address = proxy.base_url().replace("/v1", "");
    // An address of the documentation: nobody is there, so what comes back came through the proxy.
    let elsewhere = "http://192.0.2.1/v1";
    let through = |setting: &str| {
        let mut command = doctor_command(elsewhere, &["--set", setting]);
        command.env("HTTP_PROXY", &address).output().unwrap()
    };
    for setting in [
        format!("llm.proxy={address}"),
        "llm.proxy=environment".to_owned(),
    ] {
        let before = proxy.asked().len();
        let output = through(&setting);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let path = &proxy.asked()[before].path;
        assert_eq!(path, "http://192.0.2.1/v1/chat/completions");
    }
    let endpoint = good();
    let before = proxy.asked().len();
    let mut command = doctor_command(&endpoint.base_url(), &[]);
    let output = command.env("HTTP_PROXY", &address).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(proxy.asked().len(), before);
}

/// A file with a key, and what to set.
fn key(folder: &Path, mode: u32) -> String {
    let file = folder.join("key");
    fs::write(&file, "sk-secret\n").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
    format!("llm.key_file={}", file.display())
}

#[test]
fn the_key_is_sent_and_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = good();
    let key = key(folder.path(), 0o600);
    let output = doctor(
        &endpoint.base_url(),
        &["--set", &key, "--log-level", "trace"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        endpoint.asked()[0].header("authorization"),
        Some("Bearer sk-secret")
    );
    let shown = soulmem()
        .args(["config", "--data-dir", "/nowhere", "--set", &key])
        .output()
        .unwrap();
    for output in [&output, &shown] {
        let all = format!("{output:?}");
        assert!(!all.contains("sk-secret"), "{all}");
    }
    assert!(stdout(&shown).contains("llm.key_file"));
}

#[test]
fn a_key_file_that_others_can_read_stops_no_daemon_but_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = good();
    let key = key(folder.path(), 0o644);
    let output = doctor(&endpoint.base_url(), &["--set", &key]);
    assert_eq!(output.status.code(), Some(78), "{output:?}");
    assert!(stdout(&output).contains("chmod 600"), "{output:?}");
    assert!(endpoint.asked().is_empty());
    Daemon::start_with(&["--set", &key]).connect();
}

#[test]
fn what_is_no_address_stops_the_daemon_with_a_word_about_it() {
    for (setting, hint) in [
        ("llm.base_url=127.0.0.1:8080", "llm.base_url"),
        (
            "llm.base_url=https://me:secret@example.org/v1",
            "llm.key_file",
        ),
        ("llm.key_env=sk-secret", "does not belong here"),
        ("llm.mode=best", "auto, schema, json, plain"),
    ] {
        let output = soulmem()
            .args(["config", "--data-dir", "/nowhere", "--set", setting])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(78), "{said}");
        assert!(said.contains(hint), "{said}");
        assert!(!said.contains("sk-secret"), "{said}");
    }
}

#[test]
fn health_names_the_endpoint_and_the_tasks_without_a_model() {
    let endpoint = good();
    let url = format!("llm.base_url={}", endpoint.base_url());
    let settings = [
        "--set",
        &url,
        "--set",
        "llm.extract.model=big",
        "--set",
        "llm.daily_tokens=1000",
    ];
    let daemon = Daemon::start_with(&settings);
    let output = daemon.command(&["status", "--json"]).output().unwrap();
    let status: Json = serde_json::from_slice(&output.stdout).unwrap();
    let llm = &status["health"]["llm"];
    assert_eq!(llm["endpoint"], endpoint.base_url());
    assert_eq!(llm["condition"], "loading");
    assert_eq!(
        llm["without_model"],
        json!(["summarise", "gist", "reimagine", "sub_queries"])
    );
    assert_eq!(
        (&llm["tokens_today"], &llm["daily_tokens"]),
        (&json!(0), &json!(1000))
    );
    let output = daemon.command(&["status"]).output().unwrap();
    let said = stdout(&output);
    assert!(
        said.contains("not asked yet") && said.contains("0 of 1000 tokens today"),
        "{said}"
    );
    assert!(endpoint.asked().is_empty(), "nobody asked anything");
}

#[test]
fn what_a_character_took_is_counted_over_restarts_until_it_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let counts =
        json!({"calls": 3, "failures": 1, "retries": 2, "tokens_in": 900, "tokens_out": 120});
    let ledger = json!({
        "tokens": {"2026-01-01": 1020},
        "souls": {"ann": {"total": {"extract": counts}, "days": {"2026-01-01": {"extract": counts}}}},
    });
    let file = folder.path().join("llm-ledger.json");
    fs::write(&file, ledger.to_string()).unwrap();
    let daemon = Daemon::start_in(folder, &[]);
    let run = |arguments: &[&str]| {
        let output = daemon.command(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        stdout(&output)
    };
    run(&["soul", "create", "ann"]);
    let stats: Json = serde_json::from_str(&run(&["soul", "stats", "ann", "--json"])).unwrap();
    assert_eq!(stats["llm"][0]["task"], "extract");
    assert_eq!(stats["llm"][0]["total"], counts);
    assert_eq!(stats["llm"][0]["today"]["calls"], 0);
    let said = run(&["soul", "stats", "ann"]);
    assert!(said.contains("extract") && said.contains("900"), "{said}");
    run(&["erase", "--soul", "ann", "--all", "--confirm", "ann"]);
    let kept = fs::read_to_string(&file).unwrap();
    assert!(!kept.contains("ann"), "{kept}");
}
