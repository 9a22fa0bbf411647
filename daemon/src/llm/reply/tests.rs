//! One table of everything that models were seen to write, and the law that nothing makes reading fail otherwise.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"notes": {"type": "array", "items": {"type": "string"}}, "mood": {"type": "string"}},
        "required": ["notes", "mood"],
    })
}

fn first(reply: &str) -> Result<Value, Unreadable> {
    values(reply, &schema()).map(|mut found| found.remove(0))
}

#[test]
fn what_is_meant_is_found_whatever_is_around_it() {
    let meant = json!({"notes": ["a", "b"], "mood": "calm"});
    let plain = r#"{"notes": ["a", "b"], "mood": "calm"}"#;
    let replies = [
        plain.to_owned(),
        format!("\u{feff}  {plain}\n"),
        format!(
            "Sure! Here is the JSON you asked for:\n{plain}\nLet me know if [anything] is missing."
        ),
        format!("好的，结果如下：{plain}。希望有帮助！"),
        format!("```json\n{plain}\n```"),
        format!("```\n{plain}\n```"),
        format!("Here:\n```JSON\n{plain}\n```\nDone."),
        format!("```json\n{plain}"),
        format!(
            "<think>Should it be {{\"notes\": [\"draft\"], \"mood\": \"none\"}}? No.</think>\n{plain}"
        ),
        format!("<thinking>hm</thinking><think>again</think>{plain}"),
        // The server swallowed the opening tag.
        format!("The user wants {{notes}}.\n</think>\n\n{plain}"),
        r#"{"notes": ["a", "b",], "mood": "calm",}"#.to_owned(),
        r#"{"notes": ["a", "b"], "mood": "calm""#.to_owned(),
        r#"{"notes": ["a", "b"], "mood": "calm"#.to_owned(),
        r"{'notes': ['a', 'b'], 'mood': 'calm'}".to_owned(),
        r#"{notes: ["a", "b"], mood: "calm"} // done"#.to_owned(),
        r"{“notes”: [“a”, “b”], “mood”: “calm”}".to_owned(),
        format!("{{\"example\": 1}}\n{plain}"),
        format!("{plain}\n{{\"notes\": [\"another\"], \"mood\": \"calm\"}}"),
        format!("{{\"answer\": {plain}}}"),
        "{\"notes\": [\"a\u{0}\", \"b\"], \"mood\": \"\u{1}calm\"}".to_owned(),
        format!("{{\"type\": \"object\", \"properties\": {plain}}}"),
        format!("{}\n{plain}", schema()),
    ];
    for reply in replies {
        assert_eq!(first(&reply).as_ref(), Ok(&meant), "{reply}");
    }
}

#[test]
fn of_a_reply_that_was_cut_off_only_what_is_whole_counts() {
    let whole = r#"{"notes": ["a", "b"], "mood": "calm"}"#;
    let meant = json!({"notes": ["a", "b"], "mood": "calm"});
    let found = |reply: &str| whole_values(reply, &schema());
    assert_eq!(
        found(&format!("{whole} I chose these, for")),
        Ok(vec![meant])
    );
    for end in 1..whole.len() {
        assert_eq!(found(&whole[..end]), Err(Unreadable::NoJson), "{end}");
    }
}

#[test]
fn braces_and_tags_inside_texts_are_content() {
    let reply = json!({"notes": ["she wrote </think> and } and \" too"], "mood": "```"});
    assert_eq!(first(&reply.to_string()), Ok(reply.clone()));
    assert_eq!(first(&format!("Here: {reply}!")), Ok(reply));
}

#[test]
fn a_bare_list_is_the_one_list_that_was_asked_for() {
    assert_eq!(first(r#"["a"]"#), Ok(json!({"notes": ["a"]})));
    assert_eq!(first("```json\n[\"a\"]\n```"), Ok(json!({"notes": ["a"]})));
}

#[test]
fn missing_and_unknown_fields_are_left_to_whoever_reads_them() {
    assert_eq!(
        first(r#"{"mood": "calm", "more": 1}"#),
        Ok(json!({"mood": "calm", "more": 1}))
    );
    assert_eq!(
        first(r#"{"something": "else"}"#),
        Ok(json!({"something": "else"}))
    );
    assert_eq!(first("{}"), Ok(json!({})));
}

#[test]
fn what_cannot_be_read_says_why() {
    let echoed_loosely = r#"{"type": "object", "properties": {"notes": {"type": "array"}}}"#;
    for (reply, why) in [
        ("", Unreadable::Empty),
        (" \n\t", Unreadable::Empty),
        ("I'm sorry, but I can't help with that.", Unreadable::NoJson),
        ("很抱歉，我无法回答这个问题。", Unreadable::NoJson),
        ("42", Unreadable::NoJson),
        ("\"notes\"", Unreadable::NoJson),
        ("<think>what to say, what to say", Unreadable::OnlyThoughts),
        ("<think>hm</think>", Unreadable::OnlyThoughts),
        (&schema().to_string(), Unreadable::Echo),
        (&format!("```json\n{:#}\n```", schema()), Unreadable::Echo),
        (echoed_loosely, Unreadable::Echo),
    ] {
        assert_eq!(first(reply), Err(why), "{reply}");
    }
}

#[test]
fn a_reply_full_of_braces_is_done_with_soon() {
    let size = 1 << 20;
    for unit in [
        "{", "[", "}", "{\"", "{[", "```", "<think>", "\\", "{}", "[]", "'", "{'a':", "//", "/*",
    ] {
        let reply = unit.repeat(size / unit.len());
        // Whatever comes out: it comes out, and in time.
        let _ = values(&reply, &schema());
    }
}

proptest! {
    #[test]
    fn nothing_that_a_model_writes_makes_reading_panic(reply in "(?s).{0,400}") {
        let _ = values(&reply, &schema());
    }

    #[test]
    fn nothing_made_of_the_signs_of_json_does_either(
        reply in proptest::collection::vec(
            proptest::sample::select(vec![
                "{", "}", "[", "]", "\"", "'", ":", ",", "\\", "\\u", "\\ud83d", "null", "true", "1e", "-", ".5", "NaN",
                "//", "/*", "*/", "```json", "```", "<think>", "</think>", "“", "”", "，", "：", "\n", " ", "a", "字",
                "notes", "ObjectId(", "callback(", ")", "…", "\u{feff}", "\u{0}",
            ]),
            0..60,
        ),
    ) {
        let _ = values(&reply.concat(), &schema());
    }

    /// A prefix of a good reply gives a part of what was meant, or nothing; never something else.
    #[test]
    fn a_reply_that_was_cut_off_gives_no_notes_that_were_not_there(cut in 1usize..60) {
        let whole = r#"{"notes": ["first of them", "second one"], "mood": "calm"}"#;
        let reply = &whole[..cut.min(whole.len())];
        if let Ok(found) = values(reply, &schema()) {
            let notes = fields::texts(&found[0], "notes");
            for note in notes {
                let known = ["first of them", "second one"];
                prop_assert!(known.iter().any(|known| known.starts_with(&note)), "{note}");
            }
        }
    }
}
