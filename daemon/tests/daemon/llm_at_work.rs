//! The language model at work, from a push at the command line to what the character's counts say of it.

use serde_json::{Value as Json, json};

use crate::llm_endpoint::{Act, LlmEndpoint};
use crate::shell::{json as read, out, run};
use crate::support::Daemon;

/// What the endpoint says that each answer took.
const TOKENS: (u64, u64) = (10, 5);

const FAR: &str = "2100-01-01T00:00:00Z";

/// One that understands one thing of every talk, and tells every memory in the same words.
fn endpoint() -> LlmEndpoint {
    LlmEndpoint::choosing(|asked| match asked.schema() {
        Some("memories") => Act::say(
            &json!({"things": [], "situations": [], "habits": [], "facts": [
                {"content": "Bo keeps bees on the roof", "kind": "fact", "who": "Bo", "what": "", "when": "", "replaces": "",
                 "importance": 6, "valence": 0.5, "arousal": 0.2, "sources": [1]},
            ]}),
        ),
        Some("telling") => Act::say(&json!({"narrative": "There was something about a bird"})),
        _ => Act::say(&json!({"gists": []})),
    })
}

fn settings(endpoint: &LlmEndpoint, model: &str) -> [String; 4] {
    [
        format!("llm.base_url={}", endpoint.base_url()),
        format!("llm.{model}.model=m"),
        "llm.mode=schema".to_owned(),
        "llm.retries=0".to_owned(),
    ]
}

fn set(settings: &[String; 4]) -> Vec<&str> {
    settings
        .iter()
        .flat_map(|setting| ["--set", setting.as_str()])
        .collect()
}

fn done(daemon: &Daemon, arguments: &[&str]) -> String {
    out(&run(daemon, arguments))
}

#[test]
fn a_talk_is_understood_by_the_model_and_what_that_took_is_counted_over_a_restart() {
    let endpoint = endpoint();
    let settings = settings(&endpoint, "extract");
    let daemon = Daemon::start_with(&set(&settings));
    done(&daemon, &["soul", "create", "ann"]);
    let said = "I keep bees on the roof.";
    done(&daemon, &["push", "-s", "ann", "--name", "Bo", said]);
    let report = read(&run(
        &daemon,
        &["consolidate", "-s", "ann", "--wait", "--json"],
    ));
    assert_eq!(report["report"]["by"], "llm", "{report}");
    let listed = done(&daemon, &["note", "list", "--soul", "ann"]);
    assert!(listed.contains("Bo keeps bees on the roof"), "{listed}");

    let counts = json!({"calls": 1, "failures": 0, "retries": 0, "tokens_in": TOKENS.0, "tokens_out": TOKENS.1});
    let stats = |daemon: &Daemon| read(&run(daemon, &["soul", "stats", "ann", "--json"]));
    let before = stats(&daemon);
    assert_eq!(before["llm"][0]["task"], "extract");
    assert_eq!(before["llm"][0]["total"], counts);
    let health = |daemon: &Daemon| read(&run(daemon, &["status", "--json"]))["health"].clone();
    assert_eq!(health(&daemon)["llm"]["tokens_today"], 15);
    assert_eq!(health(&daemon)["llm"]["condition"], "ready");
    let daemon = Daemon::start_in(daemon.stop(), &set(&settings));
    assert_eq!(stats(&daemon)["llm"][0]["total"], counts);
}

#[test]
fn what_is_blurred_is_told_anew_where_the_caller_waits_for_it() {
    let endpoint = endpoint();
    let daemon = Daemon::start_with(&set(&settings(&endpoint, "reimagine")));
    let told = |more: &[&str]| {
        let question = ["retrieve", "-s", "ann", "--no-record", "--now", FAR];
        done(&daemon, &[&question, more, &["heron", "shallows"]].concat())
    };
    done(&daemon, &["soul", "create", "ann"]);
    put(
        &daemon,
        "the heron stood in the shallows all afternoon long",
    );
    assert!(told(&[]).contains("[masked]"));
    let anew = told(&["--wait-revision"]);
    assert!(anew.contains("There was something about a bird"), "{anew}");
}

#[test]
fn what_faded_out_of_recall_is_found_by_those_who_ask_for_it() {
    let daemon = Daemon::start();
    done(&daemon, &["soul", "create", "ann"]);
    put(
        &daemon,
        "the heron stood in the shallows all afternoon long",
    );
    done(
        &daemon,
        &["push", "-s", "ann", "A kingfisher dived off the jetty."],
    );
    let shown = done(&daemon, &["forget", "-s", "ann", "--preview", "--now", FAR]);
    assert!(shown.contains("out of recall"), "{shown}");
    let found = |question: &str, more: &[&str]| {
        let ask = [
            "retrieve",
            "-s",
            "ann",
            "--no-record",
            "--now",
            FAR,
            question,
        ];
        done(&daemon, &[&ask, more].concat())
    };
    assert!(!found("kingfisher jetty", &[]).contains("kingfisher"));
    assert!(
        found("kingfisher jetty", &["--verbatim"]).contains("A kingfisher dived off the jetty.")
    );
    let mut client = daemon.connect();
    let later = crate::support::map([("now", FAR.into())]);
    client
        .call(soulmem_proto::Op::Forget, Some("ann"), later)
        .unwrap();
    assert!(!found("heron shallows", &[]).contains("lived"));
    assert!(found("heron shallows", &["--include-archived"]).contains("lived"));
}

/// A lived situation.
fn put(daemon: &Daemon, narrative: &str) {
    let graph: Json = json!([{"id": "bird", "created_at": "2026-05-01T08:00:00Z", "mem_type": {"Situation":
        {"SpecificSituation": {"narrative": narrative, "time_span": "2026-05-01T08:00:00Z"}}}}]);
    let path = crate::shell::file(daemon, "graph.json", &graph.to_string());
    out(&crate::shell::import(daemon, &path, &[]));
}
