//! `soulmem eval` as a person or a program calls it.

#![allow(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

use std::process::{Command, Output};

use serde_json::{Value, json};

/// A folder with a graph, three cases that are found, and one that cannot be: its `must` is a note that has nothing to do
/// with the question and that no link leads to.
struct Workshop(tempfile::TempDir);

impl Workshop {
    fn new() -> Self {
        let shop = Self(tempfile::tempdir().unwrap());
        let concept = |id: &str, content: &str, description: &str| {
            json!({"id": id, "mem_type": {"Semantic": {
                "content": content, "concept_type": "Entity", "description": description}}})
        };
        let graph = json!([
            concept("tea", "岩茶", "武夷山的茶"),
            concept("pot", "铁锅", "父亲的锅"),
            concept("moon", "lighthouse", "a tower with a lamp"),
            {"id": "storm", "mem_type": {"Situation": {"SpecificSituation": {
                "narrative": "The storm broke a pane in the lamp room", "time_span": "2026-01-05T20:00:00Z", "context": {}}}},
             "mem_links": [
                {"to": "wind", "link_type": {"Situation": {"SpecificToAbstract": {}}}},
                {"to": "latch", "link_type": {"Proc": {"TrigToAction": {"prob": 0.9}}}}]},
            {"id": "wind", "mem_type": {"Situation": {"AbstractSituation": {
                "Environment": {"atmosphere": "gale", "tone": "dark"}}}},
             "mem_links": [{"to": "storm", "link_type": {"Situation": {"AbstractToSpecific": {}}}}]},
            {"id": "latch", "mem_type": {"Procedure": {"action": {
                "content": "checks every latch twice", "action_type": {"Skill": {}}}}}}
        ]);
        shop.write("graph.json", &graph);
        shop.write("queries/q.json", &queries(&json!({})));
        shop
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, value: &Value) {
        let file = self.0.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, value.to_string()).unwrap();
    }

    fn eval(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_soulmem"))
            .arg("eval")
            .args(args)
            .env_clear()
            .env("HOME", self.0.path())
            .output()
            .unwrap()
    }

    fn run(&self, args: &[&str]) -> Output {
        let queries = self.path("queries");
        let all: Vec<&str> = ["run", "retrieve/full", &queries]
            .iter()
            .chain(args)
            .copied()
            .collect();
        self.eval(&all)
    }
}

fn queries(extra: &Value) -> Value {
    let semantic = |name: &str, holdout: bool, asked: &str, expected: &str| {
        json!({"name": name, "holdout": holdout,
            "sub_queries": [{"priority": 1, "variant": {"Semantic": [{"concept_identifier": asked}]}}],
            "expected_per_query": [{"q": 0, "ranking": [expected]}],
            "expected_combined_ranking": [expected]})
    };
    let mut file = json!({
        "name": "小店", "graph_path": "../graph.json",
        "test_cases": [
            semantic("tea", false, "岩茶", "tea"),
            semantic("pot", true, "铁锅", "pot"),
            {"name": "storm", "holdout": true,
             "sub_queries": [{"priority": 1, "variant": {"Situation": [{"narrative": "a storm in the lamp room"}]}}],
             "expected_combined_ranking": ["storm", "wind"], "expected_abstract": ["wind"],
             "expected_actions": ["latch"]},
            semantic("lost", false, "岩茶", "moon")
        ]
    });
    for (key, value) in extra.as_object().unwrap() {
        file[key] = value.clone();
    }
    file
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn results(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_exit_code_says_whether_the_thresholds_are_reached() {
    let shop = Workshop::new();
    for (args, code) in [
        (&[][..], 0),
        (&["--min-hit-rate", "0.75"], 0),
        (&["--min-hit-rate", "0.76"], 1),
        (&["--min-hit-rate", "1", "--split", "holdout"], 0),
        (&["--min-hit-rate", "0.51", "--split", "tuned"], 1),
        (&["--min-action-hit", "1"], 0),
        (&["--min-action-hit", "0", "--split", "tuned"], 1),
        (&["--min", "mrr=0.7", "--min", "recall@3=0.75"], 0),
        (&["--min", "hits=0.7"], 64),
        (&["--min-hit-rate", "93"], 64),
        (&["--workers", "0"], 64),
    ] {
        let output = shop.run(args);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{args:?}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn what_cannot_be_run_is_told_with_its_file() {
    let shop = Workshop::new();
    shop.write("bad/a.json", &queries(&json!({"graph_pth": "x"})));
    shop.write(
        "bad/b.json",
        &queries(&json!({"config": {"max_results": 0}})),
    );
    shop.write("nothing/a.json", &json!([]));
    for (suite, path, code, messages) in [
        ("retrieve/fuller", "queries", 64, &["retrieve/full"][..]),
        ("retrieve/full", "absent", 66, &["absent"]),
        ("retrieve/full", "nothing", 65, &["graph_path"]),
        ("retrieve/full", "graph.json", 65, &["graph.json"]),
        (
            "retrieve/full",
            "bad",
            65,
            &["a.json: graph_pth", "b.json: config.max_results"],
        ),
        ("forget", "queries/q.json", 65, &["q.json"]),
    ] {
        let output = shop.eval(&["run", suite, &shop.path(path)]);
        let message = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{suite} {path}: {message}"
        );
        for part in messages {
            assert!(message.contains(part), "{message}");
        }
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn forgetting_is_judged_and_what_should_have_been_seen_is_told() {
    let shop = Workshop::new();
    let case = |name: &str, hours: f64, expected: f64| {
        json!({"kind": "magnitude", "name": name, "text": "The mill stopped when the river froze over",
            "time_offset_hours": hours, "expected_missing_degree": expected, "tolerance": 0.08})
    };
    shop.write(
        "forget.json",
        &json!({"name": "f", "config": {"base_half_life_hours": 24, "active_factor": 0.1, "max_activation_cap": 50},
            "test_cases": [case("half", 24.0, 0.5), case("too much", 24.0, 0.75)]}),
    );
    let path = shop.path("forget.json");
    let told = shop.eval(&["run", "forget", &path]);
    assert_eq!(told.status.code(), Some(0));
    let report = text(&told.stdout);
    assert!(report.contains("FAILED  f/too much"), "{report}");
    assert!(
        report.contains("a degree of 0.75 ± 0.08: 0.5000"),
        "{report}"
    );
    let refused = shop.eval(&["run", "forget", &path, "--min", "passed=1"]);
    assert_eq!(refused.status.code(), Some(1));
    let enough = shop.eval(&["run", "forget", &path, "--min", "passed=0.5"]);
    assert_eq!(enough.status.code(), Some(0));
}

#[test]
fn what_came_up_is_told_case_by_case() {
    let shop = Workshop::new();
    let printed = results(&shop.run(&["--json"]));
    assert_eq!(printed["suite"], "retrieve/full");
    let cases = printed["files"][0]["variations"][0]["cases"]
        .as_array()
        .unwrap();
    let names: Vec<_> = cases.iter().map(|case| &case["name"]).collect();
    assert_eq!(names, ["tea", "pot", "storm", "lost"]);
    assert_eq!(cases[0]["answer"]["notes"][0]["id"], "tea");
    assert_eq!(cases[2]["answer"]["actions"][0]["id"], "latch");
    assert_eq!(cases[2]["scores"]["abstract_detected"], 1.0);
    assert_eq!(cases[3]["verdict"], "failed");
    assert_eq!(cases[3]["missed"], json!(["moon"]));
    let halves = &printed["groups"][0]["summary"];
    assert_eq!(
        halves["tuned"]["means"]["must_hit"],
        json!({"value": 0.5, "cases": 2})
    );
    assert_eq!(
        halves["holdout"]["means"]["must_hit"],
        json!({"value": 1.0, "cases": 2})
    );

    let shown = text(&shop.run(&[]).stdout);
    assert!(
        shown.contains("FAILED  小店/lost  [tuned]\n  missing  moon\n"),
        "{shown}"
    );
    assert!(!shown.contains("小店/tea"), "{shown}");
}

#[test]
fn the_suites_put_one_stage_after_the_other_to_the_test() {
    let shop = Workshop::new();
    let cases = |suite: &str| {
        let output = shop.eval(&["run", suite, &shop.path("queries/q.json"), "--json"]);
        results(&output)["files"][0]["variations"][0]["cases"][2].clone()
    };
    let ids = |case: &Value| -> Vec<String> {
        let notes = case["answer"]["notes"].as_array().unwrap().clone();
        notes
            .iter()
            .map(|note| note["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let alone = cases("retrieve/embedding");
    assert_eq!(
        ids(&alone),
        ["storm"],
        "similarity does not know the pattern"
    );
    assert_eq!(alone["scores"]["abstract_detected"], 0.0);
    let walked = cases("retrieve/association");
    assert_eq!(ids(&walked), ["storm", "wind"]);
    assert_eq!(
        walked["scores"]["abstract_direct"], 0.0,
        "the walk found it"
    );
    assert!(
        walked["scores"].get("action_hit").is_none(),
        "actions are not of this suite"
    );
    assert_eq!(cases("retrieve/full")["scores"]["action_hit"], 1.0);
}

#[test]
fn a_sweep_runs_every_case_with_every_pair_in_order() {
    let shop = Workshop::new();
    shop.write(
        "queries/q.json",
        &queries(&json!({"blend_sweep": {"tag_sweep": [0.7, 0.3]}})),
    );
    let printed = results(&shop.run(&["--json"]));
    let groups = printed["groups"].as_array().unwrap();
    let weights: Vec<_> = groups.iter().map(|group| &group["weights"]).collect();
    assert_eq!(weights, ["tag=0.7 variant=0.3", "tag=0.3 variant=0.7"]);
    assert_eq!(groups[0]["summary"]["all"]["cases"], 4);
    let shown = text(&shop.run(&["--cases", "none"]).stdout);
    assert!(shown.contains("\ntag=0.3 variant=0.7  4 "), "{shown}");
    let typed = results(&shop.run(&["--json", "--weights", "tag=0.9,variant=0.1"]));
    assert_eq!(typed["groups"].as_array().unwrap().len(), 1);
    assert_eq!(typed["groups"][0]["weights"], "tag=0.9 variant=0.1");
}

#[test]
fn a_batch_gives_the_same_results_however_many_work_on_it() {
    let shop = Workshop::new();
    for folder in 0..4 {
        let mut file = queries(&json!({"graph_path": "../../graph.json"}));
        file["name"] = json!(format!("set {folder}"));
        shop.write(&format!("queries/deep{folder}/question.json"), &file);
    }
    let one = shop.run(&["--batch", "--json", "--workers", "1"]);
    let many = shop.run(&["--batch", "--json", "--workers", "8"]);
    assert_eq!(text(&one.stdout), text(&many.stdout));
    let names: Vec<_> = results(&one)["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["name"].clone())
        .collect();
    assert_eq!(names, ["set 0", "set 1", "set 2", "set 3", "小店"]);
}

#[test]
fn kept_vectors_change_nothing() {
    let shop = Workshop::new();
    let cache = shop.path("cache");
    let plain = shop.run(&["--json"]);
    for _ in 0..2 {
        let cached = shop.run(&["--json", "--embedding-cache", &cache]);
        assert_eq!(text(&plain.stdout), text(&cached.stdout));
    }
    assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 1);
}

#[test]
fn two_runs_are_compared_case_by_case() {
    let shop = Workshop::new();
    let (a, b) = (shop.path("a.json"), shop.path("b.json"));
    shop.run(&["--out", &a]);
    let mut changed = queries(&json!({}));
    changed["test_cases"][3]["expected_combined_ranking"] = json!(["tea"]);
    changed["test_cases"][1]["expected_combined_ranking"] = json!(["moon"]);
    shop.write("queries/q.json", &changed);
    shop.run(&["--out", &b]);
    let output = shop.eval(&["compare", &a, &b]);
    let shown = text(&output.stdout);
    assert!(shown.contains("fixed  小店/lost  [tuned]"), "{shown}");
    assert!(shown.contains("BROKEN  小店/pot  [holdout]"), "{shown}");
    assert!(shown.contains("1 fixed, 1 broken, 2 unchanged"), "{shown}");
    for (most, code) in [("0", 1), ("1", 0)] {
        let output = shop.eval(&["compare", &a, &b, "--max-broken", most, "--json"]);
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(results(&output)["cases"].as_array().unwrap().len(), 4);
    }
    let output = shop.eval(&["compare", &a, &shop.path("graph.json")]);
    assert_eq!(output.status.code(), Some(65));
}
